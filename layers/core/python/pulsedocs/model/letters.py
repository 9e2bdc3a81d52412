"""What belongs to a word beside its letters: vowel signs, accents set apart, joiners.

Python takes none of them for a part of a word: it cut the Hindi for "fee" into three words, and an
Arabic word at each vowel mark. Text without them is cut as by the plain patterns, as fast.
"""

from typing import Final
from unicodedata import normalize

MARKS: Final = (
    r"\u0300-\u036f\u0483-\u0487"  # accents set apart, also Cyrillic ones
    r"\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7"  # Hebrew
    r"\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed"  # Arabic
    r"\u0900-\u0903\u093a-\u093c\u093e-\u094f\u0951-\u0957\u0962\u0963"  # Devanagari
    r"\u0981-\u0983\u09bc\u09be-\u09cd\u09d7\u0a01-\u0a03\u0a3c-\u0a4d\u0a70\u0a71"  # Bengali
    r"\u0a81-\u0a83\u0abc\u0abe-\u0acd\u0b01-\u0b03\u0b3c\u0b3e-\u0b57"  # Gujarati, Oriya
    r"\u0b82\u0bbe-\u0bcd\u0bd7\u0c00-\u0c04\u0c3c\u0c3e-\u0c56"  # Tamil, Telugu
    r"\u0c81-\u0c83\u0cbc\u0cbe-\u0cd6\u0d00-\u0d03\u0d3b\u0d3c\u0d3e-\u0d4d\u0dca-\u0ddf"
    r"\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u0eb1\u0eb4-\u0ebc\u0ec8-\u0ecd"  # Thai, Lao
    r"\u102b-\u103e\u17b4-\u17d3"  # Burmese, Khmer
    r"\u200c\u200d\u3099\u309a"  # joiners; voicing of kana set apart
)


HIRAGANA: Final = r"\u3041-\u309f"
KATAKANA: Final = r"\u30a0-\u30ff"
CHINESE: Final = r"\u3400-\u9fff"
WITHOUT_SPACES: Final = rf"\u0e00-\u0e7f{HIRAGANA}{KATAKANA}{CHINESE}"
"""Letters of Thai, kana and Chinese, between whose words nothing stands.

The index cuts them in `with_words_apart`, a part of SQL; a test holds both together.
"""


def _with_marks(letter: str) -> str:
    """Never cut a run in two: forty marks would be parted in 2^40 ways where what follows fails."""
    return rf"{letter}++(?:[{MARKS}]++{letter}*+)*+"


LETTERS: Final = _with_marks(r"[^\W\d_]")
"""A run of letters."""
ALPHANUMERIC: Final = _with_marks(r"[^\W_]")
"""A run of letters and digits."""
WORD_CHARACTERS: Final = _with_marks(r"\w")
"""A run of letters, digits and underscores."""


def letters_of(text: str) -> str:
    """Return the letters and digits of a text alone, whatever signs and line ends it is set with.

    A bookmark says "d'or" where the page says it with another apostrophe, or ends a line within.
    """
    return "".join(filter(str.isalnum, normalize("NFKC", text).casefold()))
