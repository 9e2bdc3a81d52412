"""Rules for single characters and the white space between them."""

import re
import unicodedata
from collections.abc import Iterator

from pulsedocs.cleaning.draft import Edit, PageDraft
from pulsedocs.cleaning.unseen import (
    UNSEEN,
    UNSEEN_CHARACTERS,
    surplus_marks,
    without_unseen,
)
from pulsedocs.model.currencies import CURRENCY_SIGNS

_LINE_ENDS = re.compile("\r\n?|[\x0b\x0c\x85\u2028\u2029]")
_SOFT_HYPHEN = re.compile("\u00ad[^\\S\n]*\n?[^\\S\n]*")
_LIGATURES = re.compile("[\ufb00-\ufb06]")
# One search for all four: most pages have none of their characters, and each search reads a page.
_ODD = re.compile(f"[\r\x0b\x0c\x85\u2028\u2029\u00ad\ufb00-\ufb06{UNSEEN_CHARACTERS}]")
# These two match only what they change: every match costs, and a page has 300 good spaces.
_SPACES = re.compile(r"[^\S\n ][^\S\n]*| [^\S\n]+")
_ODD_SPACE = re.compile(r"[^\S\n ]")
_AROUND_LINE_END = re.compile(" \n ?|\n ")
_BLANK_LINES = re.compile("\n{3,}")
_LEADING_LINES = re.compile(r"\s*\n")
# From the first of its dots on: a run that no number ends is read once, not once for each dot.
_LEADERS = re.compile(
    r"(?<![.\u00b7\u2026])(?<![.\u00b7\u2026] )"
    r"([.\u00b7\u2026](?: ?[.\u00b7\u2026]){3})(?: ?[.\u00b7\u2026])++"
    rf"(?= ?(?:[{CURRENCY_SIGNS}(]{{0,2}}\d|[ivxlc]+$))",
    re.MULTILINE,
)
"""Dots that lead to the number of a page, or a sum; four are left to tell that they did."""
_LEADERS_IN_CELL = re.compile(
    r"(?<=[^\s|.\u00b7\u2026]) ?[.\u00b7\u2026](?: ?[.\u00b7\u2026]){3,}+(?= \|)"
)
"""Dots that lead from a label to the next cell: the bar says as much."""
_COMPOSABLE = re.compile(r"[\x00-\x7f]?[^\x00-\x7f]+")  # ASCII composes with nothing before it


def tidy(draft: PageDraft) -> PageDraft:
    """Apply every rule that looks at one page only.

    The order matters: what is invisible goes before characters are composed, or a zero-width
    space between a letter and its accent would keep them apart.
    """
    if _ODD.search(draft.text):
        draft = draft.replaced(_LINE_ENDS, lambda _: "\n")
        # A soft hyphen at the end of a line goes with that; within a line only the hyphen goes.
        draft = draft.replaced(_SOFT_HYPHEN, lambda match: "" if "\n" in match[0] else match[0][1:])
        draft = draft.replaced(UNSEEN, without_unseen)
        draft = draft.replaced(_LIGATURES, lambda match: unicodedata.normalize("NFKC", match[0]))
    draft = _composed(draft)
    # Each rule for white space reads the page, so it is asked only where it has something to do.
    if "  " in draft.text or _ODD_SPACE.search(draft.text):
        draft = _replaced_in_prose(draft, _SPACES, " ")
    if " \n" in draft.text or "\n " in draft.text:
        draft = _replaced_in_prose(draft, _AROUND_LINE_END, "\n")
    if "\n\n\n" in draft.text:
        draft = _replaced_in_prose(draft, _BLANK_LINES, "\n\n")
    if "..." in draft.text or ". . ." in draft.text or "\u00b7" in draft.text:
        draft = _replaced_in_prose(draft, _LEADERS_IN_CELL, "")
        draft = draft.replaced(
            _LEADERS, lambda match: match[0 if draft.is_verbatim(match.start()) else 1]
        )
    draft = stripped(draft)
    is_indented = draft.text.startswith(" ") and not draft.is_verbatim(0)
    return draft.cut(1, len(draft.text)) if is_indented else draft


def stripped(draft: PageDraft) -> PageDraft:
    """Leave out blank lines at both ends; the first line keeps its indentation."""
    text = draft.text
    blank = _LEADING_LINES.match(text)
    start = blank.end() if blank else 0
    end = len(text.rstrip())
    return draft if (start, end) == (0, len(text)) else draft.cut(start, max(start, end))


def _replaced_in_prose(draft: PageDraft, spaces: re.Pattern[str], instead: str) -> PageDraft:
    """Replace white space except where the file gives it a meaning, as in code."""

    def replace(match: re.Match[str]) -> str:
        start, end = match.span()
        is_kept = draft.is_verbatim(start) or draft.is_verbatim(end - 1)
        return match[0] if is_kept else instead

    return draft.replaced(spaces, replace if draft.verbatim else lambda _: instead)


def _composed(draft: PageDraft) -> PageDraft:
    """Bring the text into NFC, cluster by cluster, so that each keeps its place."""
    if draft.text.isascii():
        return draft
    draft = draft.edited(Edit(place, place + 1, "") for place in surplus_marks(draft.text))
    if unicodedata.is_normalized("NFC", draft.text):
        return draft
    return draft.edited(
        Edit(start, start + len(cluster), composed)
        for part in _COMPOSABLE.finditer(draft.text)
        if not unicodedata.is_normalized("NFC", part[0])
        for start, cluster in _clusters(part[0], part.start())
        if (composed := unicodedata.normalize("NFC", cluster)) != cluster
    )


def _clusters(text: str, at: int) -> Iterator[tuple[int, str]]:
    """Yield the smallest pieces that can be composed on their own, with their starts."""
    start = 0
    composed = ""
    for index, character in enumerate(text):
        # Not only marks combine: jamo of Hangul, which are letters, do so with the one before.
        alone = unicodedata.normalize("NFC", character)
        is_part = unicodedata.combining(character) or (
            unicodedata.normalize("NFC", composed + character) != composed + alone
        )
        if index and not is_part:
            yield at + start, text[start:index]
            start, composed = index, ""
        composed = unicodedata.normalize("NFC", composed[-1:] + character)
    if text:
        yield at + start, text[start:]
