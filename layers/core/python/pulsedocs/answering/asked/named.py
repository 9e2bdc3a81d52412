"""What a question names, and what tells one thing from others of its kind."""

import re
from typing import Final

from pulsedocs.answering.asked.counted import things_counted
from pulsedocs.answering.asked.forms import words_of
from pulsedocs.answering.asked.opposites import OPPOSED
from pulsedocs.answering.asked.terms import (
    FORM_WORDS,
    THOUSANDS,
    WORD,
    letters_in,
    names_in,
    telling_words,
)
from pulsedocs.answering.asked.things.measures import COLOUR, UNIT
from pulsedocs.answering.asked.things.times import TIME, UNIT_OF_TIME
from pulsedocs.model.years import YEAR

NUMBERED: Final = re.compile(
    r"\b(?!(?:age|turn(?:s|ed)?|alter|costs?)\b)([^\W\d_]{3,}),? "
    r"(?:n[or\u00b0\u00ba]\.? ?|#)?(\d{1,9}(?:\.\d{1,3}){0,3})\b(?![.,:]\d)"
)
"""The number of a thing, behind its name: "line 15", "meeting no. 86", "Heron 4.3"; none is what
costs 750."""
NAME: Final = re.compile(r"(?<=\w )[A-Z\u00c0-\u00de][\w&.-]*(?: [A-Z\u00c0-\u00de][\w&.-]*)+\b")
_MEASURED: Final = re.compile(rf"\b(\d+)\s?(?:{UNIT.pattern})(?!\w)", re.IGNORECASE)
_BEING: Final = re.compile(
    r"^\W*(?:is|are|was|were|ist|sind|war|waren|est|sont|es|son|sono)\s+([^\W\d_]{3,})",
    re.IGNORECASE,
)
"""What is asked about without an article: "Is swimming allowed?"."""
A_THING: Final = (
    r"(?:the|an?|my|our|your|der|die|das|de[mns]|eine?[mnrs]?|le|la|les|une?|el|los|las|una|il|lo|gli)"
    r"\s+([^\W\d_]{3,})"
)
_THE_THING: Final = re.compile(rf"\b{A_THING}", re.IGNORECASE)
"""What a question names with an article: the thing that is asked about."""
_A_COMPOUND: Final = re.compile(
    rf"\b{A_THING}\s+([^\W\d_]{{3,}})\s+([^\W\d_]{{3,}})(?:\s(?:of|for|from|with|by))?\W*$",
    re.IGNORECASE,
)
"""And in English the noun after it, before the verb: the harvest festival begins, no harvest."""


def numbers_of_things(question: str) -> frozenset[str]:
    """Return what tells one thing from others of its name in a question: line 15, building B."""
    telling = frozenset(telling_words(question))
    found = NUMBERED.findall(question.lower())
    named = (
        number
        for name, number in found
        if name in telling and (_is_numbered_time(name, number) or not TIME.fullmatch(name))
    )
    return letters_in(question).union(named) - measured(question)


def _is_numbered_time(name: str, number: str) -> bool:
    """Say whether a number tells one of several times: week 3, the pupils of year 7, no year 2031.

    The number behind a month is a day, that behind "before" an hour.
    """
    return UNIT_OF_TIME.fullmatch(name) is not None and not YEAR.fullmatch(number)


def proper_names(question: str) -> frozenset[str]:
    return frozenset(name for name in names_in(question) if not TIME.fullmatch(name))


def words_of_names(question: str) -> frozenset[str]:
    """Return the words of names of two words or more: a capital alone may be a slip, or stress."""
    words = " ".join(NAME.findall(question)).lower().split()
    return proper_names(question).intersection(words)


def measured(question: str) -> frozenset[str]:
    return frozenset(_MEASURED.findall(THOUSANDS.sub("", question)))


def things_in(question: str) -> frozenset[str]:
    """Return the words by which a question names things: what it says else is said of them."""
    with_capitals = {word.lower() for word in WORD.findall(question) if word.istitle()}
    being = {word.lower() for word in _BEING.findall(question)}
    being |= {word for word in words_of(question) if excludes(word)}
    named = things_named(question) | things_counted(question)
    return names_in(question) | letters_in(question) | named | with_capitals | being


def excludes(word: str) -> bool:
    """Say whether a word tells one thing from another: yellow is no other word for white."""
    return word in OPPOSED or COLOUR.fullmatch(word) is not None


def things_named(question: str) -> frozenset[str]:
    """Return the words by which a question names things with an article: the museum, my deposit."""
    compounds = (
        second
        for _, second, last in _A_COMPOUND.findall(question.lower())
        if last in FORM_WORDS or last.endswith("ed")
    )
    return frozenset((*(word.lower() for word in _THE_THING.findall(question)), *compounds))
