"""Joins words that were divided at the end of a line."""

import re
from collections.abc import Iterator, Sequence
from typing import Final
from unicodedata import east_asian_width

from pulsedocs.cleaning.draft import Edit, PageDraft
from pulsedocs.model.letters import WITHOUT_SPACES
from pulsedocs.model.tables import has_cells

# The letter before comes last: a pattern that begins with few characters is searched for faster.
_BREAK = re.compile(r"(?:[-\u2010]\n|\u2010 )(?=[^\W\d_])(?<=[^\W\d_].[\n ])")
_UNSPACED_BREAK: Final = re.compile(
    rf"\n(?=(?!\u30fb)[{WITHOUT_SPACES}])(?<=(?!\u30fb)[{WITHOUT_SPACES}]\n)"
)
"""Not at the dot of kana (U+30FB), which begins items of lists."""
_FULL: Final = 0.8  # of the widest such line of the page: a heading or an item is shorter
_MOSTLY_WIDE: Final = 1.5  # Latin letters are less wide than a half of one
_FEWEST_WIDE: Final = 15  # characters of a line of prose
_HEAD = re.compile(r"[^\W\d_]+\Z")
_TAIL = re.compile(r"[^\W\d_]+")
_WORD = re.compile(r"(?<![^\W\d_])(?<![-\u2010]\n)(?<!\u2010 )[^\W\d_]+(?:-[^\W\d_]+)*")
_ADDRESS = re.compile(r"://|@|\\|\.\w{1,20}/|\A(?:www\.|[.~]{0,2}/)")
_JOINING = frozenset({"and", "bzw", "e", "o", "oder", "ou", "sowie", "und", "y"})
"""What two words stand before that end alike: "short-" "and long-term"."""
_JOINING_OR_ENDING = frozenset({"en", "et", "or", "to"})
"""These are mostly the end of a word, as in "there-" "to", unless the next one has a hyphen."""
_WITHIN = frozenset({"of", "to"})  # day-to-day, man-of-war
_WORD_WITH_HYPHEN = re.compile(r"\s[^\W\d_]{1,60}[-\u2010][^\W\d_]")
_LONGEST_HALF = 60  # characters looked back for the first half of the word
_LONGEST_ADDRESS = 300  # characters looked back for its beginning


def joined(drafts: Sequence[PageDraft]) -> list[PageDraft]:
    """Join divided words; keep the hyphen of one that the document itself writes with a hyphen.

    "well-" and "known" become "well-known" when that stands somewhere in the document and
    "wellknown" does not; also before a capital, as in "Anglo-" and "Saxon", behind a single
    letter, as in "X-" and "ray", and in an address. Rows of tables stay apart; the lines of a cell
    are one already, where a hyphen (U+2010) and a space tell that a word was divided. Scripts
    without spaces divide words without a sign: there the full lines of a page are joined.
    """
    drafts = [
        draft.edited(_unspaced(draft)) if _UNSPACED_BREAK.search(draft.text) else draft
        for draft in drafts
    ]
    if not any(_BREAK.search(draft.text) for draft in drafts):
        return drafts
    words = {word.lower() for draft in drafts for word in _WORD.findall(draft.text)}
    return [draft.edited(_edits(draft, words)) for draft in drafts]


def _edits(draft: PageDraft, words: set[str]) -> Iterator[Edit]:
    text = draft.text
    for match in _BREAK.finditer(text):
        start, end = match.span()
        is_in_cell = match[0][-1] == " "
        if draft.is_verbatim(start) or is_in_cell != _is_by_row(text, start, end):
            continue  # a line of code may end with a minus, and a row with a rating: "B-"
        head = _HEAD.search(text[max(0, start - _LONGEST_HALF) : start])
        tail = _TAIL.match(text, end)
        if head and tail:
            token = text[max(0, start - _LONGEST_ADDRESS) : start].rsplit(None, 1)[-1]
            is_kept = len(head[0]) == 1 or _ADDRESS.search(token) is not None
            hyphen = "-" if is_in_cell else match[0][0]
            goes_on = text[tail.end() : tail.end() + 1] == "-"
            if not is_kept and _is_joining(tail[0].lower(), text, tail.end()):
                yield Edit(start, end, hyphen if goes_on else f"{hyphen} ")
            elif (
                is_kept
                or (goes_on and tail[0].lower() in _WITHIN)
                or _is_compound(head[0], tail[0], words, is_in_cell=is_in_cell)
            ):
                yield Edit(start, end, hyphen)
            else:
                yield Edit(start, end, "")


def _unspaced(draft: PageDraft) -> Iterator[Edit]:
    text = draft.text
    lines = (line for line in text.split("\n") if _width(line) > _MOSTLY_WIDE * len(line))
    full = _FULL * max(map(_width, lines), default=0)
    for match in _UNSPACED_BREAK.finditer(text):
        start, end = match.span()
        width = _width(text[text.rfind("\n", 0, start) + 1 : start])
        is_prose = not draft.is_verbatim(start) and not _is_by_row(text, start, end)
        if is_prose and width >= max(full, 2 * _FEWEST_WIDE):
            yield Edit(start, end, "")


def _width(line: str) -> int:
    """Return a line's width in Latin letters: a Chinese one is as wide as two."""
    return sum(2 if east_asian_width(char) in {"W", "F"} else 1 for char in line)


def _is_by_row(text: str, start: int, end: int) -> bool:
    """Say whether a row of a table stands before or behind a place, on its line or the next."""
    first, last = text.rfind("\n", 0, start) + 1, text.find("\n", end)
    return has_cells(text[first:start]) or has_cells(text[end : last if last > 0 else None])


def _is_joining(word: str, text: str, end: int) -> bool:
    """Say whether a word that ends there joins the one before it to the one behind it."""
    has_like = word in _JOINING_OR_ENDING and _WORD_WITH_HYPHEN.match(text, end) is not None
    return has_like or word in _JOINING


def _is_compound(head: str, tail: str, words: set[str], *, is_in_cell: bool) -> bool:
    """Say whether a hyphen stands between the two where no line ends, too.

    Cells are narrow, and most that break at a hyphen do so at one of their own: "self-" "service".
    """
    is_written_so = f"{head}-{tail}".lower() in words or (is_in_cell and tail.lower() in words)
    return tail[0].isupper() or (is_written_so and f"{head}{tail}".lower() not in words)
