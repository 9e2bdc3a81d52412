"""What turns a word into its opposite: the small word behind a verb, or what it begins with."""

import re
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import Final

from pulsedocs.answering.asked.forms import (
    FEWEST_LETTERS,
    is_said,
    is_said_in_german,
    words_of,
)
from pulsedocs.answering.asked.terms import telling_words
from pulsedocs.answering.languages import SMALL_IN_ANY, language_of
from pulsedocs.answering.wording import is_negated

_BETWEEN: Final = r"(?:\s+[\w'-]+){0,6}?\s+"
_VERB: Final = re.compile(
    r"(?:switch|turn|shut|power)(?:s|e[sd]|t?ing)?$|(?:dis|en)abl|(?:de)?activat|\w*schalt|(?:de)?aktivier"
    r"|\u00e9tei|allum|d\u00e9sactiv|apag|desactiv|enc(?:ie|e)nd"
)
_SWITCHED: Final = (
    re.compile(  # off
        rf"\b(?:(?:switch|turn|shut|power)\w*{_BETWEEN}off|shut\w*{_BETWEEN}down|(?:disabl|deactivat)\w+"
        rf"|(?:aus|ab)(?:zu|ge)?schalt\w+|schalt\w*{_BETWEEN}(?:aus|ab)|deaktivier\w+"
        r"|(?:\u00e9tei|d\u00e9sactiv|apag|desactiv)\w+)\b",
        re.IGNORECASE,
    ),
    re.compile(  # on
        rf"\b(?:(?:switch|turn|power)\w*{_BETWEEN}on|(?:enabl|activat)\w+"
        rf"|(?:ein|an)(?:zu|ge)?schalt\w+|schalt\w*{_BETWEEN}(?:ein|an)|aktivier\w+"
        r"|(?:allum|activ|encend|enciend)\w+)\b",
        re.IGNORECASE,
    ),
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


_PARTICLES: Final = (
    ("on", "off"),
    ("in", "out"),
    ("up", "down"),
    ("ein", "aus"),
    ("an", "ab"),
    ("an", "aus"),
    ("auf", "zu"),
)
_PREFIXES: Final = (
    *_PARTICLES[2:],
    ("", "un"),
    ("in", "out"),
    ("in", "ex"),
    ("in", "de"),
    ("im", "ex"),
    ("en", "dis"),
)
_EITHER: Final = frozenset(each for pair in _PARTICLES for each in pair)
_GERMAN: Final = frozenset({"ein", "aus", "an", "ab", "auf", "zu"})
_MOST: Final = 20  # particles that are looked at: a question and a text have a few
_WORD_OR_STOP: Final = re.compile(r"[\w'-]+|[,;:.!?]")
_NO_NOUN: Final = re.compile(
    r"\W|(?:at|before|after|until|by|from|for|in|on|when|and|or|und|oder)$"
)
_ALIKE: Final = 3  # letters that forms of a word begin with: "ausschalten", "ausgeschaltet"
_FARTHEST: Final = (
    4  # telling words before a particle, its verb among them: "turn the red alarm off"
)


@dataclass(frozen=True, slots=True)
class _Turned:
    """A particle that is no preposition of a noun behind it, and the words that it may turn."""

    particle: str
    words: frozenset[str]


def is_reversed(question: str, text: str) -> bool:
    """Say whether a text tells of the opposite of what a question says, and not of that.

    Who asks when lamps are switched on is not told when they are switched off, nor who asks what is
    exported what is imported. What is not included is excluded.
    """
    if is_negated(question) or is_negated(text):
        return False
    return _is_turned(question, text) or _begins_otherwise(question, text)


def _is_turned(question: str, text: str) -> bool:
    asked = _turned_in(question)
    said = _turned_in(text) if asked else ()
    ways = {one.particle for one in asked}, {one.particle for one in said}
    return any(
        _are_opposite(one.particle, other.particle)
        and any(is_said(word, other.words) for word in one.words)
        and one.particle not in ways[1]
        and other.particle not in ways[0]
        for one in asked
        for other in said
    )


def _are_opposite(one: str, other: str) -> bool:
    return (one, other) in _PARTICLES or (other, one) in _PARTICLES


@lru_cache(maxsize=64)
def _turned_in(text: str) -> tuple[_Turned, ...]:
    return tuple(islice(_particles_of(_WORD_OR_STOP.findall(text.lower())), _MOST))


def _particles_of(words: Sequence[str]) -> Iterator[_Turned]:
    """Yield what turns the word before it, or a verb that stands farther away.

    In German that is any of the last words: "zieht am 3. Mai aus".
    """
    before = deque[str](maxlen=_FARTHEST)
    for at, word in enumerate(words):
        if before and word in _EITHER:
            is_free = at + 1 == len(words) or _NO_NOUN.match(words[at + 1]) is not None
            if is_free or _VERB.match(words[at - 1]):
                may_be_far = word in _GERMAN
                turned = (one for one in before if may_be_far or _VERB.match(one))
                yield _Turned(word, frozenset((*turned, before[-1])))
        if word[0].isalpha() and word not in SMALL_IN_ANY:
            before.append(word)


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
