"""What headers and footers of office files are worth: each line once, none that only counts."""

import re
from typing import Final

_WORDS: Final = re.compile(r"[^\W\d_]+")
_DIGITS: Final = re.compile(r"\d+")
_MOST_WORDS: Final = 2  # "Page 3 of 5"


def is_number_of_page(words: str) -> bool:
    """Say whether a line in which the number of the page stands says nothing else."""
    return len(_WORDS.findall(words)) <= _MOST_WORDS


def take_new(words: str, said: set[str], *, numbers_pages: bool) -> bool:
    """Say whether a line has words that none had before, but for numbers of pages; note it."""
    told = _DIGITS.sub("", words) if numbers_pages else words
    is_new = told not in said and _WORDS.search(told) is not None
    said.add(told)
    return is_new
