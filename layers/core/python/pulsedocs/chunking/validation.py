"""Marks chunks that will probably not help anybody; it never drops one."""

import re
import unicodedata
from typing import Final

GARBLED: Final = "GARBLED"
TOO_SHORT: Final = "TOO_SHORT"
TOO_LONG: Final = "TOO_LONG"

_FEWEST_CHARACTERS = 20  # "Chapter 3" alone answers nothing
_MOST_TOKENS = 1_000  # the limit of every profile; embedders with less truncate
_WORST_SHARE = 0.2  # of replacement, private and unassigned characters
_READABLE_SHARE = 0.3  # of letters and digits; dotted leaders and rulers stay below
_LONGEST_RUN = 200  # characters of ASCII without a space: no word, and no readable address
_UNREADABLE = frozenset({"Co", "Cn", "Cs", "Cc"})
_NOT_ASCII = re.compile(r"[^\x00-\x7f]")
_NOT_READABLE = re.compile(r"[\W_]")  # exactly the characters that are not `isalnum()`


def validate(text: str, *, tokens: int) -> tuple[str, ...]:
    """Return the flags of a chunk's text, in a fixed order."""
    checks = (
        (GARBLED, _is_garbled(text)),
        (TOO_SHORT, len(text) < _FEWEST_CHARACTERS),
        (TOO_LONG, tokens > _MOST_TOKENS),
    )
    return tuple(flag for flag, applies in checks if applies)


def _is_garbled(text: str) -> bool:
    dense = "".join(text.split())
    if not dense:
        return True
    unreadable = sum(map(_is_unreadable, _NOT_ASCII.findall(dense)))
    readable = len(dense) - len(_NOT_READABLE.findall(dense))
    return (
        unreadable / len(dense) > _WORST_SHARE
        or readable / len(dense) < _READABLE_SHARE
        or (dense.isascii() and max(map(len, text.split())) > _LONGEST_RUN)
    )


def _is_unreadable(character: str) -> bool:
    return character == "\ufffd" or unicodedata.category(character) in _UNREADABLE
