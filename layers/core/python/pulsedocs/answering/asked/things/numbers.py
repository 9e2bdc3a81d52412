"""What says a number: in figures, in words, or by a counter's sign."""

import re
from collections.abc import Container
from typing import Final

from pulsedocs.answering.asked.terms import PART, WORD
from pulsedocs.answering.languages import language_of, words_listed
from pulsedocs.model.letters import CHINESE, HIRAGANA

_COUNTING: Final = words_listed(
    """zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen
    sixteen seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety
    hundred thousand million billion half quarter third dozen once twice double triple single both
    none no unlimited several pair null ein eins zwei drei vier f\u00fcnf sechs sieben acht neun
    zehn elf zw\u00f6lf dreizehn vierzehn f\u00fcnfzehn sechzehn siebzehn achtzehn neunzehn zwanzig
    drei\u00dfig dreissig vierzig f\u00fcnfzig sechzig siebzig achtzig neunzig hundert tausend halb
    einmal zweimal keine deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze
    quinze seize vingt vingts trente quarante cinquante soixante cent cents mille demi uno dos tres
    cuatro cinco seis siete ocho nueve diez once doce trece catorce quince diecis\u00e9is diecisiete
    dieciocho diecinueve veinte treinta cuarenta cincuenta sesenta setenta ochenta noventa cien
    ciento quinientos medio mil due tre quattro cinque sei sette otto nove dieci undici dodici
    tredici quattordici quindici sedici diciassette diciotto diciannove venti trenta quaranta
    cinquanta sessanta settanta ottanta novanta cento mille mezzo dois duas tr\u00eas quatro sete
    oito dez doze treze catorze dezasseis dezesseis dezassete dezessete dezoito dezanove dezenove
    vinte trinta quarenta cinquenta sessenta oitenta cem meia twee drie vijf zes zeven negen tien
    twaalf dertien veertien vijftien zestien zeventien achttien negentien twintig dertig veertig
    vijftig zestig zeventig tachtig negentig honderd duizend \u00e9\u00e9n moiti\u00e9 h\u00e4lfte
    mitad met\u00e0 metade helft doble doppio dobro dubbele"""
)
_COUNT_NOTHING: Final = words_listed(
    """first second fourth fifth sixth each every daily weekly monthly yearly annually hourly always
    never free immer nie t\u00e4glich w\u00f6chentlich monatlich j\u00e4hrlich kostenlos gratuit
    gratis"""
)
_NUMERALS: Final = _COUNTING | _COUNT_NOTHING
_NO_NUMERALS: Final = {"en": frozenset({"due"}), "de": frozenset({"sei"})}  # Italian 2 and 6
_AT_ONCE: Final = re.compile(r"\bat once\b|\bauf einmal\b|\b\u00e0 la fois\b", re.IGNORECASE)
_ONCE: Final = re.compile(
    r"\b(?:une (?:seule )?fois|una (?:sola )?(?:vez|volta)|uma (?:s\u00f3 |\u00fanica )?vez"
    r"|e(?:e|\u00e9)n(?:maal| (?:\w+ )?(?:keer|maal)))\b",
    re.IGNORECASE,
)
"""Elsewhere the word for one is an article."""
_COMPOSED_NUMBER: Final = re.compile(
    r"hundert|tausend|und(?:drei(?:\u00df|ss)ig|[a-z]+zig)|^veinti|(?:cient|cent)[oa]s$"
    r"|(?:z|nh)ent[oa]s$|honderd|duizend"
    r"|^(?:due|tre|quattro|cinque|sei|sette|otto|nove)?cento(?:un|due|tre|quat|cinq|se[it]|ott|nove"
    r"|di|do|ven|tren|quar|ses|nov)"
    r"|^(?:vent|trent|quarant|cinquant|sessant|settant|ottant|novant)[ai]?"
    r"(?:uno?|due|tr[e\u00e9]|quattro|cinque|sei|sette|otto|nove)$|(?:cento|mila)$|(?:en|\u00ebn)(?:twin|der|veer|vijf|zes|zeven|tach|negen)tig$"
)
"""Numbers that languages write as one word: "vierundzwanzig", "veintid\u00f3s", "trentacinque"."""
WORD_BEFORE: Final = (
    r"\b(?:\d{1,3}(?:[ \u00a0\u202f]\d{3})+(?:,\d{1,2})?"
    r"|[^\W_]{1,30}(?:[-.,][^\W_]{1,30}){0,3})[\s-]?"
)
"""Or a French number, "6 800". Bounded: without, a word of 600 letters took five seconds."""
TELEPHONE: Final = re.compile(
    r"(?<!\d)(?!\d\d?[/-]\d\d?[/-]\d|\d{4}\s?-\s?\d{4}(?!\d))(?:\+\d|0)[\d ()/-]{5,20}\d"
)
"""And its number is neither an hour nor a day."""
_REFERENCE: Final = re.compile(
    r"\b(?:see|refer to|siehe|vgl\.|voir|voyez|cf\.|v\u00e9ase|vedi)\s+(?:\w+\s+){0,3}?"
    r"(?:sections?|chapters?|pages?|pp?\.|figures?|fig\.|tables?|notes?|appendix|annex|items?|steps?"
    r"|abschnitte?|kapitel|seiten?|s\.|abb(?:\.|ildung)|tabelle|anhang|chapitres?|paragraphes?"
    r"|secci\u00f3n|cap\u00edtulo|p\u00e1ginas?|sezione|capitolo|pagin[ae])\s*\d+(?:[.\u2013-]\d+)*",
    re.IGNORECASE,
)
"""Where to read on: its number counts nothing."""
_CHINESE: Final = re.compile(f"[{HIRAGANA}{CHINESE}]")
_SIGN: Final = (
    r"[\d\u4e00\u4e8c\u4e09\u56db\u4e94\u516d\u4e03\u516b\u4e5d\u5341\u767e\u5343\u4e24\u534a]\s?"
)
_COUNTERS: Final = (
    (  # money, or a share of it, or none
        re.compile(r"\u3044\u304f\u3089|\u591a\u5c11(?:\u94b1|\u5143)"),
        re.compile(
            r"[\u5186\u5143\u5757\u584a\u89d2\u6bdb\u94b1\uffe5\u00a5%]|\u7121\u6599|\u514d[\u8d39\u8cbb]|\u534a[\u984d\u4ef7]|\d\s?[\u5272\u6298]"
        ),
    ),
    *(
        (
            re.compile(rf"(?:\u4f55|[\u51e0\u5e7e]|\u591a\u5c11)\s?[{counters}]"),
            re.compile(rf"{_SIGN}[{counters}]"),
        )
        for counters in (
            "\u4eba\u540d\u4f4d",  # people
            "\u53f0",  # machines
            "\u672c\u518c\u518a",  # books
            "\u679a\u5f20",  # sheets
            "\u6b72\u5c81\u624d",  # years of age
            "\u968e\u5c42\u697c",  # floors
            "\u56de\u6b21",  # times
        )
    ),
)
"""How many of a thing is asked and said with its own sign behind the number."""


def lacks_counter(question: str, text: str) -> bool:
    """Say whether a Chinese or Japanese text has no number of what is counted.

    Who asks for \u4f55\u4eba gets a number of \u540d, not one of \u6b73.
    """
    if _CHINESE.search(text) is None:
        return False
    asked = (has for asks, has in _COUNTERS if asks.search(question))
    return any(has.search(text) is None for has in asked)


def has_number(text: str) -> bool:
    """Say whether a text has a number, in figures or in words.

    The 7 of a code "E7" is none, nor is that of "see section 7".
    """
    numerals = _numerals_in(text, _NUMERALS)
    return _ONCE.search(text) is not None or any(
        _is_number(word, numerals) for word in WORD.findall(_REFERENCE.sub(" ", text))
    )


def counts(text: str) -> bool:
    """Say whether a text has a number that counts things: not the first, nor every one."""
    told = _AT_ONCE.sub(" ", _REFERENCE.sub(" ", text))
    return bool(numbers_that_count(told)) or _ONCE.search(told) is not None


def numbers_that_count(text: str) -> frozenset[str]:
    """Return the numbers that count things, in figures or in words, in small letters."""
    numerals = _numerals_in(text, _COUNTING)
    return frozenset(word.lower() for word in WORD.findall(text) if _is_number(word, numerals))


def _numerals_in(text: str, numerals: frozenset[str]) -> frozenset[str]:
    """Return numerals without what is a word like others in the language of a text."""
    return numerals - _NO_NUMERALS.get(language_of(text) or "", frozenset())


def _is_number(word: str, numerals: Container[str]) -> bool:
    parts = PART.findall(word.lower())
    return word[0].isdigit() or any(
        part in numerals or _COMPOSED_NUMBER.search(part) for part in parts
    )
