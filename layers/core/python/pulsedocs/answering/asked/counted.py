"""What a question counts: eggs, days of leave, the barrels of tar."""

import re
from collections.abc import Callable
from typing import Final

from pulsedocs.answering.asked.forms import is_said
from pulsedocs.answering.asked.terms import PART
from pulsedocs.answering.asked.things.numbers import has_number
from pulsedocs.answering.asked.things.times import UNIT_OF_TIME
from pulsedocs.answering.languages import SMALL_IN_ANY

HOW_MANY: Final = re.compile(
    r"\b(?:how many|wie ?viele[rnm]?|combien d(?:e\b(?! temps\b)|['\u2019])|cu[a\u00e1]nt[oa]s\b"
    r"|quant(?:[ie]|[oa]s)\b|hoeveel\b(?= (?:(?:andere|soorten|verschillende) )?"
    r"(?!(?:(?:kost|betal|bedrag|weg|krijg|moet|mog|kunn|dur)en|was)\b)\w{2,}(?:en|s)\b))"
    r"(?:\s+(?:more|fewer|other|further|different|kinds of|weitere|andere|verschiedene"
    r"|autres|m\u00e1s|otr[oa]s|altr[ie]|outr[oa]s)\b)?"
    r"((?:[\W_]*[^\W_]+){1,3})",
    re.IGNORECASE,
)
_OF: Final = frozenset(("of", "de", "d", "di", "van"))  # behind a measure, of which it is how many

_SUBJECT: Final = re.compile(
    r"\W*(?:(?:all|both)\s)?(?:the|our|these|those)\s([^\W\d_]{3,})\s(?!(?:who|which|that|of)\b)",
    re.IGNORECASE,
)
_COUNTED_THING: Final = re.compile(
    r"\b([^\W_]{1,30}(?:[.,-][^\W_]{1,30}){0,3})\s(?!(?:persons|heads|items|pieces|units|times)\b)([a-z]{2,}s)\b"
)

_BY_MANY_NAMES: Final = re.compile(
    r"people|persons?|guests?|visitors?|members?|employees?|staff|workers?|students?|pupils?|children|kids"
    r"|adults?|passengers?|participants?|men|women|seats?|places?|spaces?|inhabitants?|residents?|animals?"
    r"|vehicles?|things?|items?|pieces?|parts?|units?|copies|times?|points?"
)
"""What others are, too: forty pupils are people, seats are for them, and 12 cows are animals."""


def counted_in(question: str) -> list[list[str]]:
    """Return the words behind each "how many", up to three: what is counted is mostly the first."""
    return [PART.findall(words.lower()) for words in HOW_MANY.findall(question)]


def things_counted(question: str) -> frozenset[str]:
    """Return what a question counts: the first word behind each "how many", and of what it is."""
    return frozenset(first for first, *_ in counted_in(question)) | things_measured(question)


def things_measured(question: str) -> frozenset[str]:
    """Return what a question counts by a measure: the tar, of which there are barrels.

    Who asks for days of leave counts days.
    """
    measured = (
        words[2]
        for words in counted_in(question)
        if words[2:] and words[1] in _OF and not UNIT_OF_TIME.fullmatch(words[0])
    )
    return frozenset(measured) - SMALL_IN_ANY


def without_what_it_has(text: str, counted: str) -> str:
    """Return a text that begins with what is counted without the numbers of what that has or does.

    "The hens lay 310 eggs" does not say how many hens there are.
    """
    subject = _SUBJECT.match(text)
    if subject is None or not is_said(counted, frozenset({subject[1].lower()})):
        return text
    behind = _without_numbers(text[subject.end() :], of=_others_than(counted))
    return text[: subject.end()] + behind


def counts_what_it_has(question: str, text: str) -> bool:
    """Say whether a text gives numbers of what the counted thing has or does."""
    return any(without_what_it_has(text, words[0]) != text for words in counted_in(question))


def without_numbers_of(text: str, things: frozenset[str]) -> str:
    """Return a text without the numbers that count these things: 48 plots."""
    return _without_numbers(text, of=lambda thing: is_said(thing, things))


def without_numbers_of_others(text: str, counted: str) -> str:
    """Return a text without the numbers of what is not counted: of 310 cars, who counts lorries."""
    if _BY_MANY_NAMES.fullmatch(counted):
        return text
    return _without_numbers(text, of=_others_than(counted))


def _others_than(counted: str) -> Callable[[str], bool]:
    own = frozenset({counted})
    return lambda thing: not is_said(thing, own)


def _without_numbers(text: str, *, of: Callable[[str], bool]) -> str:
    return _COUNTED_THING.sub(
        lambda found: " " if has_number(found[1]) and of(found[2]) else found[0], text
    )
