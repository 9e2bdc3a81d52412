"""Names that a question asks about: what no passage mentions, no passage can answer.

A score says that words are about the question: "What does the HX-500 measure?" is answered, with
.99, by what the HX-400 measures. The name is what such a question does not share with the answer.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import lru_cache
from typing import Final

from pulsedocs.answering.asked.abbreviations import spells_out
from pulsedocs.answering.asked.terms import POSSESSIVE, WORD
from pulsedocs.answering.asked.things.times import TIME
from pulsedocs.answering.languages import language_of, unaccented
from pulsedocs.answering.passages import Block
from pulsedocs.answering.wording import MISSPELT, covered, normalise, stems

_ENDS: Final = re.compile(r"[^\w,;]*[.?!:\u2026\n]|\s*[\u2022*]")
_JOINT: Final = re.compile(r"[\W_]+")
_FIGURES: Final = re.compile(r"\d+")
_FEWEST_SMALL: Final = 2
"""Letters of a name that are small: "MuseScore" is one, "PDFs" and "PhD" are none."""
_COMMON: Final = 0.15
"""Where more words within sentences are capitalised, a capital makes no name.

English prose has 5 to 7 per cent, German, which capitalises nouns, a quarter.
"""
_SHARED: Final = 1 / 3
"""Of a question's other words: where passages share fewer, they may be in another language."""


def missing_names(question: str, blocks: Sequence[Block]) -> frozenset[str]:
    """Return the names of a question that no passage, title or file name mentions.

    A name is a word that begins with a capital within a sentence, or a designation of which the
    passages mention another: HX-500 where they have HX-400. Abbreviations are none, as they may be
    written out. An answer that is withheld wrongly is worse than a near miss that is quoted.
    """
    said = " ".join(f"{block.text} {block.title or ''} {block.source}" for block in blocks)
    text = _read(said)
    proper, designated = _proper_names(question, text), _designations(question)
    if not (proper or designated):
        return frozenset()
    others = stems(question) - stems(" ".join((*proper, *designated)))
    if others and covered(others, said) < _SHARED:
        return frozenset()
    # Neither as they are, nor within a word, nor respelt.
    unmentioned = frozenset(
        name
        for name in proper
        if _joined(name) not in text.joined
        and not get_close_matches(_joined(name), text.words, n=1, cutoff=MISSPELT)
    )
    # Designations count where the text has one of the same letters.
    return unmentioned | frozenset(
        word
        for word in designated
        if _joined(word) not in text.joined and _FIGURES.sub("#", _joined(word)) in text.kinds
    )


def invented_names(claim: str, blocks: Sequence[Block], *, asked: str) -> frozenset[str]:
    """Return the names that a sentence states, and neither what was asked nor a passage mentions.

    A sentence may write out an abbreviation of theirs.
    """
    names = missing_names(claim, blocks)
    if not names:
        return names
    passages = " ".join(block.text for block in blocks)
    if any(spells_out(word, claim) for word in _read(passages).short | _read(asked).short):
        return frozenset()
    known = _read(asked).joined
    return frozenset(name for name in names if _joined(name) not in known)


@dataclass(frozen=True, slots=True)
class _Text:
    """A text as names are looked for in it; `kinds` are designations, figures left open."""

    joined: str
    words: tuple[str, ...]
    short: frozenset[str]
    kinds: frozenset[str]
    has_names: bool


@lru_cache(maxsize=16)  # an answer's sentences are compared with the same passages, 50 ms each
def _read(said: str) -> _Text:
    words = list(_words(said))
    within = [word for word, is_first in words if not is_first and word[0].isalpha()]
    capitals = sum(word[0].isupper() for word in within)
    return _Text(
        joined=_joined(said),
        words=tuple(dict.fromkeys(_joined(word) for word, _ in words)),
        short=frozenset(
            word for word, _ in words if word.isupper() and word.isalpha() and len(word) > 1
        ),
        kinds=frozenset(_FIGURES.sub("#", _joined(word)) for word in _designations(said)),
        has_names=bool(within) and capitals / len(within) < _COMMON,
    )


def _proper_names(question: str, text: _Text) -> frozenset[str]:
    if language_of(question) == "de" or not text.has_names:
        return frozenset()
    return frozenset(
        word
        for word, is_first in _words(question)
        if not is_first
        and word.isalpha()
        and word[0].isupper()
        and sum(map(str.islower, word)) >= _FEWEST_SMALL
        and not TIME.fullmatch(word)  # passages write dates as numbers, too
    )


def _designations(text: str) -> frozenset[str]:
    """Return words of letters and figures: HX-500, A4."""
    words = (word for word, _ in _words(text))
    return frozenset(
        word for word in words if any(map(str.isdigit, word)) and any(map(str.isalpha, word))
    )


def _words(text: str) -> Iterator[tuple[str, bool]]:
    """Yield each word, and whether a sentence begins with it."""
    begins = True
    for match in WORD.finditer(text):
        yield POSSESSIVE.sub("", match.group()), begins
        begins = _ENDS.match(text, match.end()) is not None


def _joined(text: str) -> str:
    """Return letters and figures alone, without marks: "HX 400" is "HX-400"."""
    return _JOINT.sub("", unaccented(normalise(text).text))
