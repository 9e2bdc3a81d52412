"""A model's words made harmless: whatever they contain is shown as text and loads nothing."""

import re
import unicodedata
from collections.abc import Callable
from typing import Final

_ANSI = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|.)")
_TAG = re.compile(r"<(?=[A-Za-z/!?])[^<>]*>")
_OPEN_TAG = re.compile(r"<(?=[A-Za-z/!?])")
_IMAGE = re.compile(r"!\[([^\[\]]*)\]\([^()]*\)")
_LINK = re.compile(r"(?<!!)\[([^\[\]]*)\]\(([^()]*)\)")
_ADDRESS = re.compile(r"\b(?:[a-z][a-z0-9+.-]{1,15}://|www\.|data:|javascript:)\S*", re.IGNORECASE)
_EMPTY = re.compile(r"\(\s*\)")
_JOINERS: Final = frozenset("\u200c\u200d")  # Persian and Indic scripts spell with them
_LAYOUT: Final = frozenset("\n\t")


def without_controls(text: str) -> str:
    """Drop terminal escapes, control, bidirectional, private-use and surrogate characters."""
    return "".join(character for character in _ANSI.sub("", text) if _shown(character))


def _shown(character: str) -> bool:
    if character in _LAYOUT or character in _JOINERS:
        return True
    return unicodedata.category(character) not in {"Cc", "Cf", "Co", "Cs", "Cn"}


def without_markup(text: str, *, is_known_address: Callable[[str], bool]) -> str:
    """Drop HTML, images, links, and every address that the passages do not contain themselves.

    Brackets become parentheses at the end, so nothing left can be read as a link or as a marker;
    true markers are taken out before and put back after.
    """
    for pattern in (_IMAGE, _LINK):
        text = pattern.sub(r"\1", text)
    while (stripped := _TAG.sub("", text)) != text:
        text = stripped
    text = _OPEN_TAG.sub("\u2039", text)  # looks alike and opens no tag
    text = _ADDRESS.sub(lambda match: _kept(match.group(), is_known_address), text)
    return _EMPTY.sub("", text.replace("[", "(").replace("]", ")"))


def _kept(address: str, is_known: Callable[[str], bool]) -> str:
    return address if is_known(address.rstrip(".,;:!?)")) else ""
