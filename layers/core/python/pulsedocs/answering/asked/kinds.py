"""The kinds of things that questions ask for, by the words they ask with."""

import re
from collections.abc import Callable, Sequence
from typing import Final, TypeAlias

from pulsedocs.answering.asked.abbreviations import spells_out
from pulsedocs.answering.asked.closed import asks_yes_or_no
from pulsedocs.answering.asked.counted import (
    HOW_MANY,
    counted_in,
    without_numbers_of_others,
    without_what_it_has,
)
from pulsedocs.answering.asked.excluded import (
    ASKS_MASS,
    ASKS_SIZE,
    COUNTERPART,
    DENIAL,
    DIMENSION,
    WEEKDAY,
    excluded_by,
    is_denied_otherwise,
)
from pulsedocs.answering.asked.identifiers import names_another_identifier
from pulsedocs.answering.asked.match import SentenceInContext
from pulsedocs.answering.asked.parts import questions_in
from pulsedocs.answering.asked.prices import (
    ASKS_PAYMENT,
    ASKS_PRICE,
    has_money,
    has_price_or_measure,
)
from pulsedocs.answering.asked.question_words import WHEN as ASKED_WHEN
from pulsedocs.answering.asked.question_words import WHERE, WHO
from pulsedocs.answering.asked.terms import ASKS_FLOOR
from pulsedocs.answering.asked.things.measures import (
    COLOUR,
    DEGREES,
    LENGTH,
    LOUDNESS,
    MASS,
    NUMBER_OF_OTHER_UNITS,
    NUMBER_OF_UNITS,
    SPEED,
    UNIT,
)
from pulsedocs.answering.asked.things.money import is_free
from pulsedocs.answering.asked.things.numbers import (
    TELEPHONE,
    WORD_BEFORE,
    counts,
    has_number,
)
from pulsedocs.answering.asked.things.places import has_place
from pulsedocs.answering.asked.things.times import (
    NUMBER_OF_TIME,
    SPAN,
    TIME,
    UNIT_OF_TIME,
    WHEN,
    says_how_often,
    without_days,
)
from pulsedocs.answering.asked.who import has_person, with_who
from pulsedocs.answering.languages import as_plain
from pulsedocs.answering.wording import ITEM_NUMBER
from pulsedocs.model.years import YEAR

EXPANSION, IDENTIFIER, PERSON = "expansion", "identifier", "person"
UNLISTED: Final = frozenset({DENIAL, EXPANSION, COUNTERPART, DIMENSION, WEEKDAY, IDENTIFIER})
"""Kinds that are told by what they exclude, not by lists of words."""
_BEHIND: Final = (
    r"^\W*(?:(?:and|since|until|till|by|from|to|with|ab|bis|seit|von|an|bei|mit|fur|durch|depuis"
    r"|jusqu['\u2019]a|a|de|a partir de|avec|par|pour|chez|desde|hasta|con|por|para|da|di|per"
    r"|fino a|ate|com|vanaf|tot|sinds) |d['\u2019])?"
)
"""What may stand before a word that asks: by whom, ab wann, d'o\u00f9."""
_STANDS_FOR: Final = re.compile(
    r"\b(?:does|do|is)\s+(?:the\s+(?:abbreviation|acronym|letters|term)\s+)?"
    r"\W?(?P<letters>[^\W\d_]{2,8})\W+(?:stand|short) for\b"
    r"|\bwof\u00fcr steh(?:t|en)\s+(?:die \w+\s+)?\W?(?P<buchstaben>[^\W\d_]{2,8})\b",
    re.IGNORECASE,
)


def missing_kind(question: str, sentence: SentenceInContext) -> str | None:
    """Return the kind of thing that a question asks for and a sentence has none of.

    Its unit may stand in the head of its table, the number itself may not: a machine's name and
    the year of a report count nothing, nor does an item's own number.
    """
    asked = with_who(as_plain(question), passage=sentence.passage)
    own = ITEM_NUMBER.sub("", sentence.text)
    under_heads = f"{sentence.governing}\n{own}"  # a head's last word is no first name
    is_open = not asks_yes_or_no(asked)
    if is_open and is_denied_otherwise(asked, own, under_heads):
        return DENIAL
    if (short := _STANDS_FOR.search(question)) is not None:
        letters = short["letters"] or short["buchstaben"]
        return None if spells_out(letters, own) else EXPANSION
    around = f"{under_heads} {sentence.page or sentence.passage} {sentence.title}"
    if names_another_identifier(asked, own, under_heads=under_heads, around=around):
        return IDENTIFIER
    excluded = excluded_by(own, asked, governing=sentence.governing, is_open=is_open)
    if excluded is not None:
        return excluded
    for kind, asks, has in _KINDS:
        if asks.search(asked):
            return None if has(asked, own, under_heads) else kind
    return None


def lacks_kind(question: str, text: str) -> bool:
    """Say whether a text holds nothing of the kinds that the questions in one ask for.

    Who asks what is not covered may be answered by what is; and no list has all who do something:
    the nurse, the helpdesk.
    """
    alone = SentenceInContext(text, governing="", passage=text)
    kinds = [missing_kind(part, alone) for part in questions_in(question)]
    return all(kind not in {None, DENIAL, PERSON} for kind in kinds)


def _has_number(asked: str, own: str, _text: str) -> bool:
    is_paid = ASKS_PAYMENT.search(asked) is not None and is_free(own)
    return is_paid or has_number(_without_other_measures(own, asked))


def _counts(asked: str, own: str, _text: str) -> bool:
    told = _without_other_measures(own, asked)
    return counts(_A_YEAR.sub(" ", WHEN.sub(" ", told)))  # "founded in 1931", "the end of 2027"


def counts_others(question: str, text: str) -> bool:
    """Say whether a text counts, but only what is not asked for: 310 cars, and no lorries.

    It may call it by another name: who asks for chickens is told of six hens.
    """
    asked, own = as_plain(question), ITEM_NUMBER.sub("", text)
    counted = counted_in(asked) if "how many" in asked else []
    if not counted or any(one.fullmatch(counted[0][0]) for one in (UNIT, UNIT_OF_TIME)):
        return False
    of_it = without_numbers_of_others(own, counted[0][0])
    return of_it != own and not _counts(asked, of_it, "")


def _without_other_measures(text: str, asked: str) -> str:
    """Return a text without numbers of what is not asked for: of degrees, who counts eggs.

    Nor do minutes say how high something is, nor tonnes, if it is not a load.
    """
    counted = counted_in(asked)
    if not counted:
        own = NUMBER_OF_TIME.sub("", text) if ASKS_SIZE.search(asked) else text
        return _NUMBER_OF_MASS.sub("", own) if _ASKS_HEIGHT.search(asked) else own
    names = counted[0]
    text = without_what_it_has(text, names[0])
    if UNIT_OF_TIME.fullmatch(names[0]):
        return NUMBER_OF_OTHER_UNITS.sub("", text)
    text = _AGE.sub(" ", text)
    return text if any(map(UNIT.fullmatch, names)) else NUMBER_OF_UNITS.sub("", text)


def _has_time(asked: str, own: str, text: str) -> bool:
    """Say whether something tells when: a number may, "at nine", unless it is paid or dialled.

    Who asks at what time is told by no day.
    """
    if _ASKS_HOUR.search(asked):
        own, text = without_days(own), without_days(text)
    told = TELEPHONE.sub("", NUMBER_OF_OTHER_UNITS.sub("", own))
    return TIME.search(text) is not None or has_number(told)


_A_YEAR: Final = re.compile(rf"\b{YEAR.pattern}\b(?!\s[a-z])")
_UNMEASURED: Final = re.compile(r"\b(?:unlimited|limits?|nothing|none|full|entire|whole|half)\b")
_CODE: Final = re.compile(r"\d|\b[A-Z]{2,}\b")
_DIALLED: Final = re.compile(
    r"\d{3}|\d[ /-]\d\d|\b(?:tele(?:f|ph)on\w*|phone|tel|ext(?:ension)?)\b\W{0,3}\d", re.IGNORECASE
)
_ASKS_HEIGHT: Final = re.compile(
    r"\bhow high (?:is|are|was|were)\b(?!.*\b(?:load|payload|weight|mass|limit|capacity|content"
    r"|intake|dos(?:e|age)|emission|consumption|yield|output|production|catch|harvest)s?\b)"
)
_NUMBER_OF_MASS: Final = re.compile(rf"(?:[\w.,]{{1,30}}\s)?{MASS.pattern}", re.IGNORECASE)
_AGE: Final = re.compile(r"\bage(?:d|s of|d? of)?\s+[\w-]+", re.IGNORECASE)
"""Children "from the age of five" are not five."""


_Has: TypeAlias = Callable[[str, str, str], bool]
"""Whether a sentence has what a question asks for, given by itself and with what governs it."""


def _matching(pattern: re.Pattern[str]) -> _Has:
    return lambda _asked, _own, text: pattern.search(text) is not None


def _number_of(pattern: re.Pattern[str]) -> _Has:
    return lambda _asked, own, text: has_number(own) and pattern.search(text) is not None


def _lasts_or_measures(_asked: str, own: str, text: str) -> bool:
    """Say whether a text gives a length: 36 months, 25 m, 12 pages or 256 bits, not 10:30."""
    is_measured = has_number(own) and any(one.search(text) for one in (LENGTH, _OF_PARTS))
    return is_measured or SPAN.search(text) is not None


def _without_hours(text: str, asked: str) -> str:
    """Return a text without "ten hours in any day", where days, weeks or years are counted."""
    return _HOURS_OF_A_DAY.sub(" ", text) if _COUNTS_DAYS.search(asked) else text


_COUNTS_DAYS: Final = re.compile(r"\bhow many (?:days|nights|weeks|months|years)\b")
_HOURS_OF_A_DAY: Final = re.compile(
    rf"{WORD_BEFORE}(?:hours?|minutes?|seconds?)(?: (?:a|per|every|each|in any|in a|of a) day)?\b",
    re.IGNORECASE,
)
_OF_PARTS: Final = re.compile(
    r"\b(?:pages?|words?|lines?|columns?|letters?|characters?|digits?|chapters?|octets?"
    r"|(?<!\b[Aa] )bits?|\w{0,4}bytes?)\b|\d\s?(?:[kKMG]i?)?B\b"
)
_FLOOR: Final = re.compile(
    r"\b(?:floors?|levels?|storeys?|ground|basement|cellar|attic|upstairs|downstairs|top|\w*stock(?:werk)?"
    r"|etage|\w*geschoss|keller|dachboden|oben|unten|[eoud]g|\u00e9tage|rez-de-chauss\u00e9e|sous-sol"
    r"|plantas?|pisos?|s\u00f3tano|piano|pianterreno|andar|cave|verdieping|begane|kelder|zolder)\b",
    re.IGNORECASE,
)
_IS_STORED: Final = (
    "".join(rf"(?<!\b{word} )" for word in ("the", "a", "an", "is", "are", "our", "your"))
    + r"\b(?:kept|stored|retained|saved|cached)\b"
)
"""What goes on for a time, though the thing has a length, too: a key. No "stored key"."""
_NAMES_IT: Final = (
    r"^\W*(?:(?:(?:at|to|under) )?(?:what|which)\b[^,?]{0,60}|wie (?:lautet|ist)\b[^,?]{0,60}"
    r"|(?:(?:an|unter) )?welche[rn]?\b[^,?]{0,60}|(?:a )?quel(?:le)?\b[^,?]{0,60}"
    r"|cual\b[^,?]{0,60}|qual\b[^,?]{0,60}|(?:op |naar )?w(?:at is|elk)\b[^,?]{0,60})?\b"
)
"""How a question begins that asks for what is named behind it, or for nothing else."""

_ASKS_HOUR: Final = re.compile(
    r"\bwhat time\b(?! (?:of|frame|period|span|zone)\b)|\bum wie ?viel uhr"
    r"|\bquelle heure|\ba que hora|\ba che ora|\bhoe laat\b"
)
_KINDS: Final[Sequence[tuple[str, re.Pattern[str], _Has]]] = (
    (
        "colour",
        re.compile(
            r"\b(?:what|which|welche[rsn]?|quelle|que|che|qual|welke|wat)\b.*"
            r"\b(?:colou?rs?|farben?|couleurs?|color[ei]|cor(?:es)?|kleur(?:en)?)\b"
        ),
        _matching(COLOUR),
    ),
    (
        "e-mail address",
        re.compile(
            rf"{_NAMES_IT}(?:e-?mail(?:-| )?add?res\w*|(?<=['\u2019]s )e-?mail(?=\W*$)"
            r"|adresse (?:e-?mail|mail|electronique)|(?:direccion de )?correo electronico"
            r"|indirizzo (?:e-?mail|di posta)"
            r"|endereco de e-?mail)\b"
        ),
        lambda _asked, own, _text: "@" in own,
    ),
    (
        "telephone number",
        re.compile(
            rf"{_NAMES_IT}(?:(?:tele)?phone numbers?|telefonnummern?|rufnummer|numero de telephone"
            r"|(?:numero de )?telefono|numero di telefono|telefoonnummer|numero de telefone)\b"
        ),
        lambda _asked, own, _text: _DIALLED.search(own) is not None,
    ),
    (
        "code",
        re.compile(
            r"^\W*what(?:['\u2019]s| is| was) (?:the|my|our|your)"
            r"(?!.*\b(?:dress|source|byte|building|highway|civil|penal|criminal|colou?r) code\b)"
            r"(?: [\w'\u2019-]+){0,3} (?:code|pin|pin number)(?: (?:of|for|to) [^,?]{1,60})?\W*$"
            r"|^\W*wie (?:lautet|ist) (?:der|die|meine?|unser) (?:[\w-]*code|pin)\b[^,?]{0,60}\W*$"
        ),
        lambda _asked, own, _text: _CODE.search(own) is not None,
    ),
    ("money", ASKS_PRICE, has_money),
    (
        "number",
        re.compile(r"\b(?:what|which) (?:sum|amount)\b(?! of time)"),
        lambda _asked, own, _text: has_number(own) or _UNMEASURED.search(own) is not None,
    ),
    (
        "money",
        re.compile(
            r"\bhow much (?:is|are) (?:the|an?)"
            r"(?!.*\b(?:limit|allowance|leave|notice|time)\b)(?: [a-z-]+){1,3}\W*$"
        ),
        has_price_or_measure,
    ),
    ("mass", ASKS_MASS, _number_of(MASS)),
    (
        "length",
        re.compile(
            r"\bhow (?:tall|wide|deep|far(?! (?:ahead|in advance)))\b|\bwie (?:breit|tief|weit)\b"
            r"|\bhoe (?:breed|diep|ver)\b|\bquanto e (?:profond|larg|alt|lung|fund)[oa]"
            r"|\b(?:quelle|que|che|qual|cual|wat|welke)\b(?: e[st]?)?(?: l?a"
            r"| de)?\s(?:profond(?:eur|ita)"
            r"|profundida(?:d|de)|largeur|larghezza|largura|anchura|diepte|breedte)\b"
        ),
        _number_of(LENGTH),
    ),
    (
        "temperature",
        re.compile(
            r"\b(?:what|which) temperatures?\b|\bhow (?:hot|cold|warm)\b|\bhow many degrees\b"
            r"|\bwelche[rn]? temperatur|\bwie (?:warm|heiss|kalt|viel grad)\b"
            r"|\bquelle temperature|\b(?:que|che|(?:c|q)ual es? l?a) temperatura"
            r"|\bwelke temperatuur|\bhoe (?:warm|heet|koud)\b"
        ),
        _number_of(DEGREES),
    ),
    ("loudness", re.compile(r"\bhow loud\b|\bwie laut\b"), _number_of(LOUDNESS)),
    (
        "speed",
        re.compile(
            r"\bhow fast\b|\b(?:what|which) (?:is the )?speed\b|\bwie schnell (?:darf|fahrt)"
        ),
        lambda _asked, own, text: (  # how fast something has to be done is asked of time
            SPAN.search(text) is not None or (has_number(own) and SPEED.search(text) is not None)
        ),
    ),
    (
        "length",
        re.compile(
            r"\bhow long (?:is|are|was|were)\b"
            rf"(?!.*(?:{_IS_STORED}|\b(?:open|closed|valid|available)\b))"
            r"|\bhow long (?:may|can|must|should|will|do|does)\b.*"
            r"\b(?:be|get|become)(?=\W*$|\W+at (?:least|most)\b)"
            r"|\bhoe lang (?:is|zijn)\b"
        ),
        _lasts_or_measures,
    ),
    (
        "number",
        re.compile(
            r"\bhow often\b|\bwie oft\b|\b(?:ogni|cada|(?:de|em) quanto em) (?:qu|cu)anto\b"
            r"|\bhoe vaak\b"
        ),
        lambda _asked, own, _text: says_how_often(own),
    ),
    (
        "duration",
        re.compile(
            r"\b(?:how long (?:do|does|did|will|would|should|may|can|must)"
            rf"|how long (?:is|are|was|were)\b.*{_IS_STORED}|wie lange"
            r"|combien de temps|(?:cu|qu)anto (?:tiempo|tempo|duran?|durano)|hoe ?lang"
            r"|how many (?:seconds|minutes|hours|days|nights|weeks|months|years))\b"
        ),
        lambda asked, _own, text: SPAN.search(_without_hours(text, asked)) is not None,
    ),
    ("number", HOW_MANY, _counts),
    (
        "number",
        re.compile(
            r"\bwhat (?:is|are|was|were) the (?:\w+ ){0,2}?(?:interest rate|percentage|weight"
            r"|length|width|height|depth|diameter|capacity|distance|voltage|wattage)\b"
            r"|\bhow (?:many|much|old|high|heavy|large|big|fast|long)\b"
            r"|\bwie (?:viel(?:e[rnm]?)?(?! uhr)|hoch|alt|gross|schnell|lange)\b|\bcombien\b"
            r"|\bcuant[oa]s?\b|\bquant(?:[oa]s?|[ie])\b"
            r"|\bhoeveel\b|\bhoe (?:hoog|oud|groot|snel|zwaar)\b"
        ),
        _has_number,
    ),
    (
        "time",
        re.compile(
            rf"{_BEHIND}(?:{ASKED_WHEN})\b"
            r"(?![^,?]*,\s*(?:who|what|where|how|which|why|do|does|is|are|can|may|must|should)\b)"
            r"|\b(?:what|which) (?:day|date|month|year|weekday)\b"
            r"|\b(?:which time|what time (?:of|frame|period|span))\b"
            r"|\bque dia|\b(?:que|che|qua(?:le?)?|quel(?:le)?|welke?|welche[nmrs]?)"
            r" (?:mes|mese|mois|maand|monat|giorno|jour|dag|tag|fecha|data|date|datum)\b"
            rf"|{_ASKS_HOUR.pattern}"
        ),
        _has_time,
    ),
    (
        PERSON,
        re.compile(rf"{_BEHIND}(?:{WHO}|whom|whose|we[nm]|wessen)\b"),
        has_person,
    ),
    ("floor", re.compile(ASKS_FLOOR), _matching(_FLOOR)),
    (
        "place",
        re.compile(
            rf"{_BEHIND}(?:{WHERE})\b|\b(?:at|to|what|which) (?:what |which )?address\b"
            r"|\b(?:at|in|to) (?:what|which) place\b"
        ),
        lambda _asked, own, _text: has_place(own),
    ),
)
"""Kinds of things that questions ask for, the narrowest first."""
