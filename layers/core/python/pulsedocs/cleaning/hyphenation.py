"""Joins words that were divided at the end of a line."""

import re
from collections.abc import Iterator, Sequence

from pulsedocs.cleaning.draft import Edit, PageDraft
from pulsedocs.model.tables import has_cells

# The letter before comes last: a pattern that begins with few characters is searched for faster.
_BREAK = re.compile(r"[-\u2010]\n(?=[^\W\d_])(?<=[^\W\d_][-\u2010]\n)")
_HEAD = re.compile(r"[^\W\d_]+\Z")
_TAIL = re.compile(r"[^\W\d_]+")
_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_LONGEST_HALF = 60  # characters looked back for the first half of the word


def joined(drafts: Sequence[PageDraft]) -> list[PageDraft]:
    """Join divided words; keep the hyphen of one that the document itself writes with a hyphen.

    "well-" and "known" become "well-known" when that stands somewhere in the document and
    "wellknown" does not; also before a capital, as in "Anglo-" and "Saxon". Rows of tables stay
    apart.
    """
    if not any(_BREAK.search(draft.text) for draft in drafts):
        return list(drafts)
    words = {word.lower() for draft in drafts for word in _WORD.findall(draft.text)}
    return [draft.edited(_edits(draft, words)) for draft in drafts]


def _edits(draft: PageDraft, words: set[str]) -> Iterator[Edit]:
    text = draft.text
    for match in _BREAK.finditer(text):
        start, end = match.span()
        if draft.is_verbatim(start) or _is_by_row(text, start, end):
            continue  # a line of code may end with a minus, and a row with a rating: "B-"
        head = _HEAD.search(text[max(0, start - _LONGEST_HALF) : start])
        tail = _TAIL.match(text, end)
        if head and tail:
            whole, hyphenated = f"{head[0]}{tail[0]}".lower(), f"{head[0]}-{tail[0]}".lower()
            is_written_so = hyphenated in words and whole not in words
            is_kept = tail[0][0].isupper() or is_written_so
            yield Edit(start, end, match[0][0] if is_kept else "")


def _is_by_row(text: str, start: int, end: int) -> bool:
    """Say whether a row of a table stands before or behind the end of a line."""
    first, last = text.rfind("\n", 0, start) + 1, text.find("\n", end)
    return has_cells(text[first:start]) or has_cells(text[end : last if last > 0 else None])
