"""The words that carry a question's meaning: not small ones, nor names of an answer's form."""

import re
from collections.abc import Iterator
from difflib import get_close_matches
from functools import lru_cache
from typing import Final

from pulsedocs.answering.languages import SMALL_IN_ANY, SMALL_WORDS, language_of, words_listed
from pulsedocs.answering.wording import OPTION
from pulsedocs.model.letters import ALPHANUMERIC

WORD: Final = re.compile(rf"{ALPHANUMERIC}(?:[-.&'\u2019]{ALPHANUMERIC})*")
PART: Final = re.compile(ALPHANUMERIC)
THOUSANDS: Final = re.compile(r"(?<=\d)[.,](?=\d{3}(?!\d))")
"""What separates groups of three digits: "1,500" is "1500"."""
POSSESSIVE: Final = re.compile(r"['\u2019]s$")
_ELIDED: Final = re.compile(
    r"^(?:l|d|n|s|j|c|m|t|(?:jus|lors|puis)?qu|dell|nell|all|un|dov|cos|com|quand)['\u2019]"
)
_CONTRACTED: Final = re.compile(
    r"(?:[^\W_]+n['\u2019]t|(?:i|you|s?he|it|we|they|there|that|who|what|how|where)['\u2019](?:m|[rv]e|ll|d))"
)
_INVERTED: Final = re.compile(r"-(?:t-)?(?:je|tu|ils?|elles?|on|nous|vous)$")  # "vend-on"
ASKS_FLOOR: Final = (
    r"\b(?:which|what|welche[mnr]?|quel|qu[e\u00e9]|che|quale|qual|welke) "
    r"(?:floor|level|storey|stock(?:werk)?|[e\u00e9]tage|planta|piso|piano|andar|verdieping)\b"
)
_IDIOM: Final = re.compile(
    r"\bstands? for(?=\W*$)|\b(?:take|takes|took|taken) place\b|\bplaces? (?=where\b)"
    # What has a place in time: "findet ... statt", "a lieu".
    r"|\bf(?:inde[nt]|and(?:en)?) (?=.*\bstatt\b)|\bstatt(?:finden?|findet|fand|gefunden)?(?=\W*$)"
    r"|\b(?:a|ont|aura|auront|eu|avoir)(?:-t-\w+)? lieu\b|\btiene[ns]? lugar\b"
    r"|\bha(?:nno)? luogo\b|\bt[e\u00ea]m lugar\b"
    r"|\bvind(?:t|en) (?=.*\bplaats\b)|\bplaats(?:vind(?:t|en))?(?=\W*$)"
    r"|\blaut (?=(?:de[rmns]?|die|das|eine[mrs]?)\b|\u00a7|(?-i:[A-Z\u00c4\u00d6\u00dc]))"
    r"|\b(?:go|goes|going) (?=\w{3,}ing\b)|\bserves? (?=(?:for|as)\b)|\bcounts? as\b"
    r"|\b(?:error|fault|alarm|message)s? (?=(?:code )?\W?[a-z]{0,3}[-:]?\d)"
    rf"|{ASKS_FLOOR}"
    r"|\bwhat (?:drove|drives|caused) the (?:change|increase|decrease|rise|fall|growth)\b"
    r"|\bin (?:(?:USD?|EUR|euros?|dollars) )?(?:thousand|million|billion)s?(?=\W*$)"
    r"|(?:(?<=\bcan )|(?<=\bmay )|(?<=\bdoes )|(?<=\bmust )|(?<=\bshould ))one\b"
    r"|\bfull[\s-](?=(?:(?:fiscal|financial|calendar)\s)?years?\b)"
    r"|\b(?:the|a|my|our|your|its|their) current (?=[^\W\d_]{3})"
    r"(?!(?:through|across|does|draw\w*|flow\w*|consum\w*|ratings?|strength|density|suppl\w+)\b)",
    re.IGNORECASE,
)
"""Words that together say less than each: what letters stand for, where it stands, error E17.

Which floor something is on is where. What drove the change is why, and "(in USD millions)" says
how to write the answer. A full year is a year. The current rent is the rent, the current through a
coil is another. "Must one" asks about anybody.
"""
_HOW: Final = re.compile(
    r"\bhow (?:long|loud|far|old|tall|high|deep|big|large|wide|fast|heavy|soon)\b"
    r"|\bwie (?:lang|lange|laut|weit|alt|hoch|tief|gro(?:\u00df|ss)|breit|schnell|schwer)\b"
    r"|\bhoe (?:lang|hoog|groot|diep|breed|ver|oud|zwaar|snel)\b"
    r"|\bcu[a\u00e1]nto valen?\b|\bquanto val(?:e|em|gono)\b|\bqu\u00e9 pasa\b",
    re.IGNORECASE,
)
"""Who asks how large something is does not ask about a large thing."""
_CODE_IN_TWO: Final = re.compile(
    # "EUR 20" and "HR 2023" are none.
    r"(?<![\w-])([B-HJ-Z]|[A-Z]{2}) (?!(?:19|20)\d\d\b)(?=\d)"
)
_TOLD_BY_CAPITALS: Final = frozenset(("IT", "US", "WHO", "May"))
"""Within a question that is not all in capitals; "What is NOT covered?" stresses a small word."""
_ORDINAL: Final = re.compile(r"\d{1,2}(?:st|nd|rd|th|\.)")
# What names the form of an answer, not its subject, or says too little to be looked for.
FORM_WORDS: Final = words_listed(
    """answer answered answers write written please integer float format decimal string list listed
    lists listing include included includes contain contains contained shown shows provided
    presented proposed required set come comes title topic table tables figure figures chart
    charts graph diagram image images picture pictures cover body paper report study article
    manual guide book area part parts example examples description descriptions corresponding
    associated different respective respectively percentage percentages percent ratio share sum
    gap average highest lowest largest smallest most least top first second third last next
    entire overall whole tell explain describe give given gives show say says mean means meant
    mentioned stated represent represents indicate indicates denote denotes context considered
    according document documents file page pages text section type types kind kinds sort sorts
    name names number amount amounts total exact exactly specific main certain typical process
    procedure procedures step steps role roles purpose way ways thing things difference
    differences implication implications impact effect affect affects reason reasons condition
    conditions situation situations responsibility responsibilities limitation limitations
    exception exceptions expectation expectations outlined detailed considering regarding
    concerning information details detail benefits provision handle handled manage managed
    address involved ensure related relate happen happens happened get gets got take takes took
    taken need needs needed want make makes made use uses used using let lets put keep keeps
    find do doing called currently usually often much many time times cost costs price prices
    fee fees charge colour color colours colors date dates month year years day days week hour
    hours age size unit open opens start starts begin begins end ends sagen erkl\u00e4ren nennen
    hei\u00dft heisst bedeutet dokument seite art arten zahl anzahl nummer gr\u00f6\u00dfe
    gr\u00f6sse h\u00f6he
    l\u00e4nge breite gewicht dauer zeit kosten kostet preis farbe datum tag tage monat jahr
    jahre uhrzeit uhr oft betr\u00e4gt liegt steht genau halten brauchen braucht
    ben\u00f6tigen ben\u00f6tigt bed\u00fcrfen bedarf machen macht mache gemacht tun tue geben
    gibt zeigen zeigt cuesta cuestan precio fecha d\u00eda hora co\u00fbte prix montant
    co\u00fbt tarif betrag importe coste importo costo couleur heure ora costa colore prezzo
    combien temps tiempo tempo jour jours heures an ans mois semaine giorno giorni anno mese
    a\u00f1o mes semana fit fits accommodate accommodates soon signifie signifient significa
    significan people persons personen leute personnes personas persone pedir hacer tener
    obtener poner pongo mettre mets mettere metto stellen stelle legen lege h\u00e4ufig
    fr\u00e9quence frecuencia frequenza frequ\u00eancia expensive teuer dia dias horas semanas
    data custa custam pre\u00e7o cor n\u00famero nome pessoas dag dagen uur tijd jaar maand
    prijs kost kleur aantal naam laat vaak duur fiscal spend spends spent exist exists item items
    aktuell aktuelle aktuellen aktueller aktuelles aktuellem derzeit derzeitige derzeitigen
    derzeitiger actuel actuelle actuels actuelles actuellement eigentlich \u00fcberhaupt jetzt
    insgesamt menge quantit\u00e9 ammonta ammontano asciende ascienden bedraagt bedragen ascende
    edad edades et\u00e0 idade leeftijd \u00e2ge sucede ocurre accade succede acontece gebeurt
    gebeuren passiert geschieht"""
)
_COURTESY: Final = words_listed(
    """thanks thank cheers hello hi hey bye goodbye ok okay please sorry welcome
    danke dankesch\u00f6n bitte hallo tsch\u00fcss merci bonjour bonsoir salut gracias hola
    adi\u00f3s grazie ciao buongiorno obrigado obrigada ol\u00e1 bedankt"""
)
_DESIGNATION: Final = re.compile(r"(?<=[^\W\d_] )([B-HJ-Z])(?![\w'\u2019&.-])")
"""A letter that tells one from another: "Annex B"; "I" is a word."""
NAMED_A: Final = re.compile(r"(?<=[^\W\d_] )A(?![\w'\u2019&-]| [^\W\da-z_])|\bA(?=\s*[|,;:)])")
"""An "A" that is no article: "building A"; not that of "Renting A Boat"."""
_LONG_ENOUGH: Final = 8  # letters: of shorter words another is often one letter away
_ONE_LETTER: Final = 0.9  # of difflib's ratio, for such words
_LONG_FORM: Final = sorted(word for word in FORM_WORDS if len(word) >= _LONG_ENOUGH)


def asks_nothing(question: str) -> bool:
    """Say whether a text names nothing to look for: "when", "the", one letter, or thanks."""
    return all(word in _COURTESY for word in telling_words(question))


def terms_of(question: str) -> Iterator[str]:
    """Yield the words that carry a question's meaning, in small letters."""
    asked = _HOW.sub(" ", question)
    return (word for word in telling_words(asked) if not _is_of_form(word))


@lru_cache(maxsize=512)
def _is_of_form(word: str) -> bool:
    """Say whether a word names the form of an answer; a long one may be misspelt: "metioned"."""
    if word in FORM_WORDS:
        return True
    is_long = len(word) >= _LONG_ENOUGH and word.isalpha()
    return is_long and bool(get_close_matches(word, _LONG_FORM, n=1, cutoff=_ONE_LETTER))


def telling_words(question: str) -> Iterator[str]:
    """Yield all words but the small ones and ordinal numbers.

    Options, and the A of a "building A", are as they are written.
    """
    yield from OPTION.findall(question)
    question = in_one(THOUSANDS.sub("", _IDIOM.sub(" ", OPTION.sub(" ", question))))
    language = language_of(question)
    capitals = frozenset[str]() if question.isupper() else _TOLD_BY_CAPITALS
    small = SMALL_WORDS[language] if language else SMALL_IN_ANY
    designations = {found.start(1) for found in _DESIGNATION.finditer(question)}
    named_a = {found.start() for found in NAMED_A.finditer(question)}
    for match in WORD.finditer(question):
        if match.start() in named_a and not question.isupper():
            yield match.group()
            continue
        word = _ELIDED.sub("", POSSESSIVE.sub("", match.group().lower()))
        if language == "fr":
            word = _INVERTED.sub("", word)
        is_long = len(word) > 1 or word.isdigit() or match.start() in designations
        is_small = (
            small.issuperset(word.split("-"))  # "sont-ils"
            or _CONTRACTED.fullmatch(word) is not None  # "I'm", "don't"
        ) and not (match.start() and match.group() in capitals)
        if is_long and not is_small and not _ORDINAL.fullmatch(word):
            yield word


def letters_in(text: str) -> frozenset[str]:
    """Return the letters that tell one thing from another, as `telling_words` has them."""
    others = (letter.lower() for letter in _DESIGNATION.findall(text))
    return frozenset((*others, *NAMED_A.findall(text)))


def in_one(text: str) -> str:
    """Return a text with a hyphen in codes that are written with a space: "SK 118", "E 04"."""

    def joined(code: re.Match[str]) -> str:
        is_word = len(code[1]) > 1 and code[1].lower() in SMALL_IN_ANY  # "IS IT 20 EUROS?"
        return code[0] if is_word else f"{code[1]}-"

    return _CODE_IN_TWO.sub(joined, text)


def names_in(question: str) -> frozenset[str]:
    """Return words with a capital within a question, unless its language capitalises all nouns."""
    if language_of(question) == "de" or question.isupper():
        return frozenset()
    _, *others = WORD.findall(question) or [""]
    names = (word.lower() for word in others if word.istitle())
    return frozenset((*names, *NAMED_A.findall(question)))
