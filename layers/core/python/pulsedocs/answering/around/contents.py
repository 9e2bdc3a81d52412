"""Lines of contents and of an index, which name what stands elsewhere."""

import re
from functools import lru_cache
from typing import Final

from pulsedocs.answering.passages import Words

_LEADER: Final = re.compile(r"(?:[.\u00b7\u2026]\s?){4}")
_ENTRY: Final = re.compile(  # from the first dot on: from each, 100,000 took two minutes
    r"(?<![.\u00b7\u2026])(?<![.\u00b7\u2026]\s)(?:[.\u00b7\u2026]\s?){4,}\s*(\d{1,4})\b"
)
_FEWEST_ENTRIES: Final = 3
_INDEXED: Final = re.compile(
    r"^[^\W\d][^\d\n]{1,60}, \d{1,4}(?:(?:, |[-\u2013])\d{1,4})*$", re.MULTILINE
)
_FEWEST_INDEXED: Final = 5


def is_in_contents(words: Words) -> bool:
    """Say whether words are a line of contents or of an index: it names what stands elsewhere.

    In a list of prices the figures behind the dots do not rise from line to line.
    """
    if _INDEXED.fullmatch(words.text):
        return _is_index(words.page.text)
    # Leaders with spaces, ". . . .", end a sentence at the first dot.
    if not _LEADER.search(words.page.text, words.start, words.end + len(" . . .")):
        return False
    pages = [int(found[1]) for found in _ENTRY.finditer(words.page.text)]
    return len(pages) >= _FEWEST_ENTRIES and pages == sorted(pages) and pages[0] < pages[-1]


@lru_cache(maxsize=64)  # pages: each line of an index asks again
def _is_index(text: str) -> bool:
    """Say whether a page has lines of an index, in the order of the alphabet: "Gate, 4, 9"."""
    lines = [line.casefold() for line in _INDEXED.findall(text)]
    return len(lines) >= _FEWEST_INDEXED and lines == sorted(lines)
