"""When one text is another with other figures: the same report of another day, the same notice."""

import re
import unicodedata
from typing import Final

MOST_ALIKE: Final = 5
"""So many of them may stand beside each other: what they differ in may be what is asked for."""

_FEWEST_WORDS: Final = 8  # of which a shingle has as many
_WORD: Final = re.compile(r"[^\W\d_]+")


def likeness_of(text: str) -> str:
    """Return what is left of a text without figures, case, punctuation and layout.

    One other word makes another text: "may" and "may not", "Anna" and "Karl" are no copies. A text
    of few words, such as a table of figures, is like no other.
    """
    words = _WORD.findall(unicodedata.normalize("NFKC", text).casefold())
    return " ".join(words) if len(words) >= _FEWEST_WORDS else text
