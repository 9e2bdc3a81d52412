"""Names as programs have them, which no other words say: cache.ttl, /orders, .profile."""

import re
from typing import Final

from pulsedocs.answering.asked.forms import words_of
from pulsedocs.answering.asked.terms import PART
from pulsedocs.answering.asked.things.times import UNIT_OF_TIME

_IDENTIFIER: Final = re.compile(
    r"(?<![\w@./-])(?:/[^\W\d_][\w-]*|\.[^\W\d_][\w-]{4,}"
    r"|[^\W\d_][^\W_]+(?:[._][^\W\d_][^\W_]+)+)"
)
"""Parts of two letters and more, which "p.m." and "e.g." have not; nor is "and/or" one.

A short name behind a point is of a kind of files: ".pdf", ".conf".
"""


def names_another_identifier(question: str, text: str, *, under_heads: str, around: str) -> bool:
    """Say whether a question has such names, and a text under its heads none of them, but others.

    Nor does it speak of them where no word of theirs stands `around` it: "/snap" is no snapshot.
    """
    named = _IDENTIFIER.findall(question.lower())
    asked = [each for each in named if not UNIT_OF_TIME.fullmatch(each.removeprefix("/"))]
    if not asked or any(each in under_heads.lower() for each in asked):
        return False
    parts = {part for each in asked for part in PART.findall(each)}
    return _IDENTIFIER.search(text) is not None or parts.isdisjoint(words_of(around))
