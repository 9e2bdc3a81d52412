"""What a question joins by "and": each of two things may stand in a sentence of its own."""

import re
from typing import Final

_THING: Final = r"[^\W_]+(?:[-./][^\W_]+)*"
_JOINED: Final = re.compile(
    rf"(?P<first>{_THING})(?P<others>(?:\s*,\s+{_THING})*)\s*,?\s+(?:and|und|et|y|e)\s+"
    rf"(?P<between>(?:(?:the|for|of|in|an?|die|der|das|den|dem|f\u00fcr|von|les?|la|des?|pour|los|las|el"
    rf"|para|il|per)\s+)*)(?P<last>{_THING})",
    re.IGNORECASE,
)
_AS_ONE: Final = re.compile(
    r"\b(?:between|both|zwischen|beide\w*|entre|tra|fra|sum|total|together|difference|gap|more|less)\b",
    re.IGNORECASE,
)
"""Words that make one question of two things: neither alone answers it."""
_SPACED: Final = re.compile(r"\s*,\s+")
_MOST: Final = 5


def one_by_one(question: str) -> list[str]:
    """Return a question once for each of the things that it joins; none where it joins nothing.

    "What do E12 and E17 mean?" asks what E12 means, and what E17 means.
    """
    joined = _JOINED.search(question)
    if joined is None or _AS_ONE.search(question):
        return []
    others = [thing for thing in _SPACED.split(joined["others"]) if thing]
    things = [joined["first"], *others, joined["last"]]
    if len(things) > _MOST:
        return []
    before, after = question[: joined.start()], question[joined.end() :]
    return [f"{before}{thing}{after}" for thing in things]
