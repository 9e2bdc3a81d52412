"""Letters of TeX's fonts that a file only numbers, without a name: "fi" comes as a control.

Fonts of dots, which older papers have, number their signs as TeX does. ASCII is read rightly so;
"specific" comes as "speci" and "c" with U+001C between, or U+000C of fonts of the first order.
"""

import re
from typing import Final

_LETTER: Final = r"[^\W\d_]"
_BESIDE: Final = f"(?:{_LETTER}|[\x02\ufffe])"  # a hyphen at a line's end is one of the two
_SIGNS: Final = "\ufb00\ufb01\ufb02\ufb03\ufb04"
_OTHERS: Final = "\u201c\u201d\u2013"
_OF_1986: Final = "[\x0b\x0c\x0e\x0f]|\r(?!\n)"  # OT1
_OF_CORK: Final = "[\x1b-\x1f]"  # T1
_TOLD_BY_PLACE: Final = r"|\x10(?=\w)|(?<=[\w.,!?])\x11|(?<=\d)\x15(?=\d)"
_ORDERS: Final = tuple(
    (
        re.compile(f"(?<={_LETTER})(?:{letter})(?={_LETTER})"),
        re.compile(f"(?<={_BESIDE})(?:{letter})|(?:{letter})(?={_BESIDE}){others}"),
        str.maketrans(numbers, signs),
    )
    for letter, others, numbers, signs in (
        (_OF_1986, "", "\x0b\x0c\r\x0e\x0f", _SIGNS),
        (_OF_CORK, _TOLD_BY_PLACE, "\x1b\x1c\x1d\x1e\x1f\x10\x11\x15", _SIGNS + _OTHERS),
    )
)
_ANY: Final = re.compile("[\x0b-\x0f\x1b-\x1f](?<!\r(?=\n))")
"""Any of both, by one set of characters: patterns side by side take three times as long."""
LETTERS: Final = frozenset(_SIGNS + _OTHERS)


def with_tex_letters(text: str) -> str:
    """Return the text with such letters in their places, a character each.

    One between two letters shows the order; formulas use the same numbers for Greek letters.
    """
    if _ANY.search(text):
        for within_word, beside_letter, signs in _ORDERS:
            if within_word.search(text):
                text = beside_letter.sub(lambda match, signs=signs: match[0].translate(signs), text)
    return text
