"""Raised and lowered characters as plain text: 10 with a raised 6 is "10⁶", not 106.

Lowered ones stay as they are typed, H2O, where nothing makes another number of them: people search
for that, and a search sees no word in "H₂O".
"""

import re
from typing import Final

_PLAIN: Final = "0123456789+-\u2212=()n"
_RAISED: Final = str.maketrans(_PLAIN, "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾ⁿ")
_LOWERED: Final = str.maketrans(_PLAIN, "₀₁₂₃₄₅₆₇₈₉₊₋₋₌₍₎ₙ")
_ALL_KNOWN: Final = re.compile(r"\s*[0-9+\-\u2212=()n]{1,12}\s*")
_NUMBER: Final = re.compile(r"\s*[+\-\u2212]?[0-9]")
_CALL: Final = re.compile(r"\s*([0-9]{1,4}|[a-z])\s*")
_CALLS: Final = re.compile(r"\s*([0-9]{1,4}(?:[,;][ ]?[0-9]{1,4}){1,9})\s*")


def raised(text: str) -> str:
    """Return raised text; what would go on a number, and has no raised characters, behind `^`."""
    if _ALL_KNOWN.fullmatch(text):
        return text.translate(_RAISED)
    if calls := _CALLS.fullmatch(text):
        return f"[{calls[1]}]"
    return f"^{text.lstrip()}" if _NUMBER.match(text) else text


def lowered(text: str, *, before: str, after: str) -> str:
    """Return lowered text between two characters."""
    is_apart = not (before.isdigit() or before == "/" or after.isdigit())
    return text if is_apart or not _ALL_KNOWN.fullmatch(text) else text.translate(_LOWERED)


def called(text: str) -> str:
    """Return the raised mark that calls a footnote, as in `50[3] EUR`."""
    mark = _CALL.fullmatch(text)
    return f"[{mark[1]}]" if mark else raised(text)
