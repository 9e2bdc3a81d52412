"""Marks chunks that will probably not help anybody; it never drops one."""

from typing import Final

from pulsedocs.model.garbling import is_garbled

GARBLED: Final = "GARBLED"
TOO_SHORT: Final = "TOO_SHORT"
TOO_LONG: Final = "TOO_LONG"

_FEWEST_CHARACTERS = 20  # "Chapter 3" alone answers nothing
_MOST_TOKENS = 1_000  # the limit of every profile; embedders with less truncate


def validate(text: str, *, tokens: int) -> tuple[str, ...]:
    """Return the flags of a chunk's text, in a fixed order."""
    checks = (
        (GARBLED, is_garbled(text)),
        (TOO_SHORT, len(text) < _FEWEST_CHARACTERS),
        (TOO_LONG, tokens > _MOST_TOKENS),
    )
    return tuple(flag for flag, applies in checks if applies)
