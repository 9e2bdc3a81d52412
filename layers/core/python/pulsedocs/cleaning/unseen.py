"""Characters that show nothing: where a script needs them they stay, elsewhere they go.

Between Latin letters they can only hide something: from a reader a message, from a search a word.
"""

import re
import unicodedata
from collections.abc import Iterator
from typing import Final

UNSEEN_CHARACTERS: Final = (
    "\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f"  # control characters
    "\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff"  # zero width, direction
    "\ufdd0-\ufdef\ufff0-\ufffb\ufffe\uffff"  # no characters at all, annotation marks
    "\ud800-\udfff"  # halves of a pair
    "\u034f"  # grapheme joiner
    "\u115f\u1160\u3164\uffa0"  # fillers of Hangul
    "\u17b4\u17b5\u180b-\u180d\u180f"  # unwritten vowels of Khmer, selectors of Mongolian
    "\ufe00-\ufe0f\U000e0100-\U000e01ef"  # variation selectors
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"  # controls of shorthand and of music
    "\U000e0000-\U000e007f"  # tags: a whole alphabet that nobody sees
)

# None of the characters above may stand in these: what is kept must have kept its reason.
_JOINING: Final = (  # scripts of Arabia, India and beyond, whose letters change beside a joiner
    "\u0600-\u061b\u061d-\u08ff\u0900-\u0dff\u0f00-\u109f\u1780-\u17b3\u17b6-\u180a"
    "\u1810-\u18af\ufb50-\ufdcf\ufe70-\ufefc"
)
_PICTURES: Final = (
    "\u00a9\u00ae\u203c\u2049\u2100-\u27bf\u2900-\u2bff\u3030\u303d\u3297\u3299"
    "\U0001f000-\U0001faff"
)
_IDEOGRAPHS: Final = "\u3005-\u3007\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003fffd"
_KEPT: Final = (
    # The flag of a region is spelt in tags.
    "\U0001f3f4[\U000e0030-\U000e0039\U000e0061-\U000e007a]{3,6}\U000e007f",
    f"(?<=[{_JOINING}])[\u200c\u200d]",
    # Families and professions are pictures joined to one.
    f"(?:(?<=[{_PICTURES}])|(?<=[{_PICTURES}]\ufe0f))\u200d(?=[{_PICTURES}])",
    f"(?<=[{_PICTURES}])[\ufe0e\ufe0f]",
    "(?<=[0-9#*])\ufe0f(?=\u20e3)",
    f"(?<=[{_IDEOGRAPHS}])[\ufe00-\ufe0f\U000e0100-\U000e01ef]",
    "(?<=[\u1800-\u180a\u1810-\u18af\u1000-\u109f\ua840-\ua87f])[\u180b-\u180d\u180f\ufe00]",
    "(?<=[\u1780-\u17b3\u17b6-\u17ff])[\u17b4\u17b5]",
    "(?<=[\u0591-\u05ff])\u034f",  # between the marks of a Hebrew letter
)
UNSEEN: Final = re.compile(f"(?P<kept>{'|'.join(_KEPT)})|[{UNSEEN_CHARACTERS}]")

_MOST_MARKS: Final = 30
"""On one letter; Unicode's Stream-Safe Text Format allows as many. Python sorts marks by
insertion: 96,000 on one letter took minutes."""
# No mark is a letter to Python, nor white space.
_MANY_MARKS: Final = re.compile(rf"[^\w\s\x00-\x7f]{{{_MOST_MARKS + 1},}}")


def without_unseen(match: re.Match[str]) -> str:
    """Replace a match of UNSEEN."""
    return match["kept"] or ""


def surplus_marks(text: str) -> Iterator[int]:
    """Yield the places of marks after the thirtieth on their letter."""
    for run in _MANY_MARKS.finditer(text):
        marks = 0
        for place in range(*run.span()):
            marks = marks + 1 if unicodedata.combining(text[place]) else 0
            if marks > _MOST_MARKS:
                yield place
