"""What turns a word into its opposite: the way that it goes, or what it begins with."""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from pulsedocs.answering.asked.forms import (
    FEWEST_LETTERS,
    is_said,
    is_said_in_german,
    words_of,
)
from pulsedocs.answering.asked.terms import telling_words
from pulsedocs.answering.languages import language_of
from pulsedocs.answering.wording import is_negated

_BETWEEN: Final = r"(?:\s+[\w'-]+){0,6}?\s+"
_ALSO: Final = r"\b(?:and|or)\s+(?={}\s(?:again|at|by|from|in)\b|{}\W*$)"
"""The other way of a verb that stands once: turned on in March and off in November."""
_VERB: Final = re.compile(
    r"(?:switch|turn|shut|power)(?:s|e[sd]|t?ing)?$|(?:dis|en)abl|(?:de)?activat|\w*schalt|(?:de)?aktivier"
    r"|\u00e9tei|allum|d\u00e9sactiv|apag|desactiv|enc(?:ie|e)nd"
)
_SWITCHED: Final = (
    re.compile(  # off
        rf"\b(?:(?:switch|turn|shut|power)\w*{_BETWEEN}off|shut\w*{_BETWEEN}down|(?:disabl|deactivat)\w+"
        rf"|(?:aus|ab)(?:zu|ge)?schalt\w+|schalt\w*{_BETWEEN}(?:aus|ab)|deaktivier\w+"
        rf"|{_ALSO.format('off', 'off')}off|(?:\u00e9tei|d\u00e9sactiv|apag|desactiv)\w+)\b",
        re.IGNORECASE,
    ),
    re.compile(  # on
        rf"\b(?:(?:switch|turn|power)\w*{_BETWEEN}on|(?:enabl|activat)\w+"
        rf"|(?:ein|an)(?:zu|ge)?schalt\w+|schalt\w*{_BETWEEN}(?:ein|an)|aktivier\w+"
        rf"|{_ALSO.format('on', 'on')}on|(?:allum|activ|encend|enciend)\w+)\b",
        re.IGNORECASE,
    ),
)
_MOVED: Final = tuple(
    re.compile(
        rf"\b(?:(?:check|mov|log|sign|clock)\w*[\s-]{way}|zieh\w*(?:\s[\w.-]+){{0,6}}?\s{german})\b",
        re.IGNORECASE,
    )
    for way, german in (("out", "aus"), ("in", "ein"))
)


def is_switched(term: str, question: str, text: str) -> bool:
    """Say whether a term switches something in a question, as a text does in another verb.

    Who asks how it is "turned off" is told what "disables" it, and not what "turns it on".
    """
    return _VERB.match(term) is not None and any(
        term in found.group().lower() and way.search(text) is not None
        for way in _SWITCHED
        for found in way.finditer(question)
    )


_PREFIXES: Final = (
    ("up", "down"),
    ("ein", "aus"),
    ("an", "ab"),
    ("an", "aus"),
    ("auf", "zu"),
    ("", "un"),
    ("in", "out"),
    ("in", "ex"),
    ("in", "de"),
    ("im", "ex"),
    ("en", "dis"),
)
_ALIKE: Final = 3  # letters that forms of a word begin with: "ausschalten", "ausgeschaltet"


def is_reversed(question: str, text: str) -> bool:
    """Say whether a text tells of the opposite of what a question says, and not of that.

    Who asks when lamps are switched on is not told when they are switched off, nor who asks what is
    exported what is imported. What is not included is excluded.
    """
    if is_negated(question) or is_negated(text):
        return False
    return _is_turned(question, text) or _begins_otherwise(question, text)


def _is_turned(question: str, text: str) -> bool:
    """Say whether one goes in or switches on, the other out or off, and neither does both."""
    for ways in (_SWITCHED, _MOVED):
        asked, said = ([way.search(one) is not None for way in ways] for one in (question, text))
        if sum(asked) == sum(said) == 1 and asked != said:
            return True
    return False


def _begins_otherwise(question: str, text: str) -> bool:
    """Say whether a text has a word of a question with the opposite before it: unlock, ausgehen."""
    said, is_german = words_of(text), language_of(question) == "de"
    beginnings = {word[:_ALIKE] for word in said}

    def says(word: str) -> bool:
        return word[:_ALIKE] in beginnings and (
            is_said(word, said) or (is_german and is_said_in_german(word, said))
        )

    return any(
        any(map(says, others)) and not says(word) for word, others in _opposites_in(question)
    )


@lru_cache(maxsize=64)  # questions: each sentence asks again
def _opposites_in(question: str) -> tuple[tuple[str, tuple[str, ...]], ...]:
    words = ((word, tuple(_opposites_of(word))) for word in telling_words(question))
    return tuple((word, others) for word, others in words if others)


def _opposites_of(word: str) -> Iterator[str]:
    for pair in _PREFIXES:
        for own, other in (pair, pair[::-1]):
            rest = word.removeprefix(own)
            # Of "unlock" the other is a noun, too: "the lock".
            if other and word.startswith(own) and len(rest) >= FEWEST_LETTERS:
                yield f"{other}{rest}"
