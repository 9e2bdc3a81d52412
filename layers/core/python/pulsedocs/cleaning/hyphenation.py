"""Joins words that were divided at the end of a line."""

import re
from collections.abc import Iterator, Sequence

from pulsedocs.cleaning.draft import Draft, Edit

_DIVIDED = re.compile(r"([^\W\d_]+)([-\u2010]\n)(?=([^\W\d_]+))")
_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")


def joined(drafts: Sequence[Draft]) -> list[Draft]:
    """Join divided words; keep the hyphen of one that the document itself writes with a hyphen.

    "well-" and "known" become "well-known" when that stands somewhere in the document and
    "wellknown" does not; also before a capital, as in "Anglo-" and "Saxon".
    """
    if not any(_DIVIDED.search(draft.text) for draft in drafts):
        return list(drafts)
    words = {word.lower() for draft in drafts for word in _WORD.findall(draft.text)}
    return [draft.edited(_edits(draft.text, words)) for draft in drafts]


def _edits(text: str, words: set[str]) -> Iterator[Edit]:
    for match in _DIVIDED.finditer(text):
        start, end = match.span(2)
        keep = _keeps_hyphen(match[1], match[3], words)
        yield Edit(start, end, match[2][0] if keep else "")


def _keeps_hyphen(head: str, tail: str, words: set[str]) -> bool:
    whole, hyphenated = f"{head}{tail}".lower(), f"{head}-{tail}".lower()
    return tail[0].isupper() or (hyphenated in words and whole not in words)
