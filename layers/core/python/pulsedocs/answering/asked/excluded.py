"""What a sentence says that excludes what was asked for: the other of two, or another day."""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from pulsedocs.answering.asked.counted import without_numbers_of
from pulsedocs.answering.asked.forms import words_of
from pulsedocs.answering.asked.question_words import WHEN, WHERE, WHO
from pulsedocs.answering.asked.switches import is_reversed
from pulsedocs.answering.asked.things.measures import measures_otherwise
from pulsedocs.answering.asked.things.numbers import counts
from pulsedocs.answering.asked.things.times import HOURS, NUMBER_OF_TIME
from pulsedocs.answering.languages import as_plain, unaccented
from pulsedocs.answering.wording import is_negated
from pulsedocs.model.calendar_names import WEEKDAYS
from pulsedocs.model.years import years_in

DENIAL, COUNTERPART, DIMENSION, WEEKDAY = "denial", "counterpart", "dimension", "weekday"
ASKS_MASS: Final = re.compile(
    r"\bhow (?:much|many)\b.*\bweighs?\b|\bhow heavy\b|\bwie viel wiegt|\bwie schwer ist"
    r"|\bcombien pese|\b(?:cu|qu)anto pesa|\bhoeveel weegt|\bhoe zwaar is"
)
ASKS_SIZE: Final = re.compile(
    r"\bhow (?:high|big|large)\b|\bwie (?:hoch|gross)\b|\bhoe (?:hoog|groot)\b"
)
_BELONGS: Final = re.compile(r"\s(?:of|in|for|from|at|on)\s")
_ASKS_WHAT_NOT: Final = re.compile(
    rf"^\W*(?:what|which|was|welche[rsnm]?|que|{WHO}|{WHEN}|{WHERE})\b.*"
    r"(?:\bnot\b|n't\b|\bnicht\b|\bpas\b)"
)
"""Who asks what is not covered is not answered by what is."""
_ASKS_WHEN: Final = re.compile(rf"\W*(?:{WHEN})\b")
_NOT_ON: Final = re.compile(
    r"\W*(?:not|nicht|pas|no|non|niet)\s(?:on|in|at|during|am|im|an|en|le|les|el|los|il|op)\b",
    re.IGNORECASE,
)
"""When not does not say when, if nothing else is said: "Not on 25 December"."""
_GOES_ON: Final = re.compile(
    r"[:;]|,\s[^\W\d]+\s|\b(?:but|otherwise|sondern|sonst|aber|mais|sinon|pero|sino|ma|altrimenti|maar|mas)\b",
    re.IGNORECASE,
)
_IN_A_CLAUSE: Final = re.compile(
    r"(?<=\w)[\s,]+(?:if|when|whenever|that|because|although|wenn|falls|dass|weil|si|lorsque?)\b[^,?]*"
)
"""What does not happen there is not what is asked for: "if the door does not open"."""
_COUNTERPARTS: Final = tuple(
    tuple(re.compile(rf"\b(?:{words})\b", re.IGNORECASE) for words in each)
    for each in (
        (
            "begins?|began|start(?:s|ed|ing)?|commence[sd]?",
            "(?<!the )end(?:s|ed|ing)?|finish(?:es|ed)?|complet(?:es|ed|ion)|expire[sd]?",
        ),
        ("opens?|opened", "closes?|(?:was|were)\\b.{0,80}\\bclosed|did\\b.{0,80}\\bclose"),
        ("arrives?|arrival", "departs?|departure|leaves?(?=\\W*$| (?:for|from|at)\\b)"),
        ("beginnt|beginnen|fangt an", "endet|enden"),
        ("offnet|offnen", "schliesst|schliessen"),
        ("commence|debute", "finit|se termine"),
        ("(?:empieza|comienza)n?", "(?:termina|acaba)n?"),
        ("(?:inizia|comincia)(?:no)?", "(?:finisc|termin)\\w+"),
        ("comecam?", "(?:termina|acaba)m?"),
        ("begint|beginnen", "eindigt|eindigen"),
        ("abren?", "(?:cierra|fecha|encerra)[mn]?"),
        ("apr(?:e|ono)", "chiud(?:e|ono)"),
    )
)
"""Words that name the form of an answer, of which one is no answer to the other."""
_ASKS_WHAT_WAS: Final = re.compile(r"\b(?:were|did)\b|(?<=\w )was\b")  # German "was" is what
_HAPPENED: Final = re.compile(
    r"\b(?:was|were|did|had|rose|fell|grew|made|sold|became|took|gave|paid|began"
    r"|(?!(?:expect|anticipat|forecast|project)ed\b)\w+ed)\b",
    re.IGNORECASE,
)
_EXPECTED: Final = re.compile(
    r"\b(?:we|it|the \w+) (?:expects?|anticipates?|forecasts?|projects?)\b"
    r"|\b(?:is|are) (?:expected|anticipated|forecast|projected) to\b",
    re.IGNORECASE,
)
"""What a report of 2030 says of 2031, which is not what was."""
_OF_THE_FUTURE: Final = re.compile(
    r"\b(?:expect|anticipat|forecast|project|plan|outlook|guidance|budget|estimat|target)",
    re.IGNORECASE,
)
_MEAN: Final = (
    "averages?|medians?|(?<=\\bthe )mean|(?<!\\w )mean|durchschnitt\\w*|mittlere[nrs]?|moyennes?"
    "|promedio|gemiddelde?|(?:en|in|de|em) media|(?<=ra )media"  # English "media" are files
)
_EXTREMES: Final = tuple(
    tuple(re.compile(rf"\b(?:{words})\b", re.IGNORECASE) for words in (*pair, _MEAN))
    for pair in (
        (
            (
                "highest|max(?:im\\w*)?|hochste[nrs]?|hoogste|plus (?:haut|eleve)e?s?"
                "|(?:mas|mais|piu) alt[oaei]s?"
            ),
            (
                "lowest|(?<!\\d )(?<!many )min(?:im\\w*)?|niedrigste[nrs]?|laagste"
                "|plus (?:bas|faible)(?:se)?s?|(?:mas|mais|piu) ba(?:j|ix|ss)[oaei]s?"
            ),
        ),
        ("largest|biggest", "smallest"),
        ("longest", "shortest"),
        ("earliest", "latest"),
        ("oldest", "youngest"),
    )
)
"""And of a mean and two extremes."""
_UNTIL: Final = re.compile(
    r"\b(?:until|till|through|indefinite\w*|bis|jusqu\w*|hasta|fino|at\u00e9|tot)\b", re.IGNORECASE
)
_WITHOUT: Final = frozenset({"without", "ohne", "sans", "sin", "senza", "zonder", "sem"})
_WITH_A_THING: Final = re.compile(
    rf"\b(with|mit|avec|con|met|com|{'|'.join(sorted(_WITHOUT))})\s"
    r"(?:(?:the|an?|d(?:er|ie|as|e[mns])|eine?[mnrs]?|les?|la|une?|el|l[oa]s|una|il|uma?|het|een)\s)?"
    r"([^\W\d_]{3,})\b"
)
"""What something is said to be with or without: "weight without cooler"."""
_WEEKDAYS: Final = tuple(map(unaccented, WEEKDAYS))
_LONGEST_DAY: Final = 4  # words of a heading that is one: "Saturday 29 May 2031"
_A_DAY: Final = (
    rf"(?:(?:{'|'.join(_WEEKDAYS)})\w*|(?:mon?|tues?|wed|thur?s?|fri|sat|sun|di|mi|do|fr|sa|so|lun|ma[rt]?"
    r"|me[rz]|mie|jeu|jue|ven|vie|sam|sab|dim|dom|gio|wo|vr|za|zo"
    r"|segunda|terca|quarta|quinta|sexta)\b)"
)
_OF_MORE_DAYS: Final = re.compile(
    rf"\b{_A_DAY}\.?\s?(?:-|\u2013|to|through|until|till|bis|au?|al|ate|tot|t/m)\s?{_A_DAY}"
    r"|\b(?:daily|every day|all week|week(?:days|ends?)|(?:every|each|any) weekday"
    r"|taglich|werktag\w*|wochenend\w*"
    r"|tous les jours|quotidien\w*|diari\w+|todos l?os dias|ogni giorno|tutti i giorni|dagelijks"
    r"|elke dag"
    r"|except|au(?:\u00df|ss)er|sauf|excepto|exceto|salvo|tranne|eccetto|behalve)\b"
)


def is_denied_otherwise(asked: str, own: str, under_heads: str) -> bool:
    """Say whether a text says what is where a question asks what is not, or when not for when."""
    if _ASKS_WHAT_NOT.search(_IN_A_CLAUSE.sub("", asked)):
        return not is_negated(under_heads)
    is_denied = _NOT_ON.match(own) is not None and not _GOES_ON.search(own)
    return is_denied and _ASKS_WHEN.match(asked) is not None


def excluded_by(text: str, asked: str, *, governing: str, is_open: bool) -> str | None:
    """Return what kind of thing a text has instead of what is asked for, if it has another."""
    if is_open and (_says_counterpart(asked, unaccented(text)) or _says_without(asked, text)):
        return COUNTERPART
    if _asks_what_was(asked) and _only_expects(text):
        return COUNTERPART
    if measures_otherwise(asked, text) or _says_how_many(asked, text):
        return DIMENSION
    # Who asks whether is answered by what is forbidden on another day.
    is_another = _says_other_days(asked, text) and (is_open or not is_negated(text))
    return WEEKDAY if is_another or _is_under_another_day(asked, text, governing) else None


def _says_how_many(asked: str, text: str) -> bool:
    """Say whether a text gives no number but how many there are of what is asked how big it is.

    How big a team of engineers is, 48 engineers do say.
    """
    if not ASKS_SIZE.search(asked) or not counts(text):
        return False
    things = words_of(_BELONGS.split(asked, maxsplit=1)[0])
    return not counts(without_numbers_of(text, things))


def _asks_what_was(asked: str) -> bool:
    """Say whether a question asks for what was in a year that it names."""
    is_past = _ASKS_WHAT_WAS.search(asked) and not _OF_THE_FUTURE.search(asked)
    return bool(is_past and years_in(asked))


def _only_expects(text: str) -> bool:
    """Say whether a text tells what is expected, and nothing that has happened."""
    return _EXPECTED.search(text) is not None and not _HAPPENED.search(text)


def _says_counterpart(asked: str, text: str) -> bool:
    """Say whether a text tells of the other of two: of the beginning, where the end is asked for.

    A closed question may be answered by it: "Is it open?", "It closes at six." So may the end, by
    a beginning and how long it lasts.
    """
    if any(_says_another(asked, text, of=each) for each in _COUNTERPARTS):
        return not _tells_how_long(text) and HOURS.search(text) is None
    if any(_says_another(asked, text, of=each) for each in _EXTREMES):
        return True
    return is_reversed(asked, text)


def _says_another(asked: str, text: str, *, of: Sequence[re.Pattern[str]]) -> bool:
    """Say whether one of some words is asked for, and a text has others of them instead."""
    asks = [one.search(asked) is not None for one in of]
    if sum(asks) != 1 or of[asks.index(True)].search(text):
        return False
    return any(one.search(text) for one in of)


def _tells_how_long(text: str) -> bool:
    """Say whether a text has a number of days or another end; the first week is a time only."""
    spans = (found[0] for found in NUMBER_OF_TIME.finditer(text))
    return _UNTIL.search(text) is not None or any(map(counts, spans))


def _says_without(asked: str, text: str) -> bool:
    """Say whether a text tells what is so without a thing that is asked about with it, or with.

    It names the thing nowhere else: "Without protection: 9, Protection Light: 4" tells of both, as
    "80 euros without breakfast and 95 with it" does.
    """
    said = dict[str, set[bool]]()
    plain = as_plain(text)
    for way, thing in _WITH_A_THING.findall(plain):
        said.setdefault(thing, set()).add(way in _WITHOUT)
    words = frozenset(plain.split())
    return any(
        said.get(thing) == {way not in _WITHOUT} and plain.count(thing) == 1 and way not in words
        for way, thing in _WITH_A_THING.findall(asked)
    )


def _says_other_days(asked: str, text: str) -> bool:
    """Say whether a text names weekdays, and none of those that a question names.

    Wednesday lies in "Mon-Fri", and may be meant by "daily" or "except on Sundays".
    """
    wanted = _weekdays_in(asked)
    if not wanted:
        return False
    plain = as_plain(text)
    said = _weekdays_in(plain)
    return bool(said) and said.isdisjoint(wanted) and not _OF_MORE_DAYS.search(plain)


def _is_under_another_day(asked: str, own: str, governing: str) -> bool:
    """Say whether words that name no weekday stand under a heading of others: of a programme."""
    if not _weekdays_in(asked) or _weekdays_in(as_plain(own)):
        return False
    headings = (line for line in governing.splitlines() if len(line.split()) <= _LONGEST_DAY)
    days = [line for line in headings if _weekdays_in(as_plain(line))]
    return _says_other_days(asked, "\n".join(days))


@lru_cache(maxsize=64)  # questions: each sentence asks again
def _weekdays_in(text: str) -> frozenset[int]:
    return frozenset(n for n, day in enumerate(_WEEKDAYS) if re.search(rf"\b(?:{day})", text))
