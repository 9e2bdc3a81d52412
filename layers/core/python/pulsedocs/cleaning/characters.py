"""Rules for single characters and the white space between them."""

import re
import unicodedata
from collections.abc import Iterator

from pulsedocs.cleaning.draft import Draft, Edit

_UNSEEN_CHARACTERS = (
    "\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f"  # control characters
    "\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff"  # zero width, direction of writing
    "\ufdd0-\ufdef\ufff0-\ufffb\ufffe\uffff"  # no characters at all, annotation marks
    "\ud800-\udfff"  # halves of a pair
    "\U000e0000-\U000e007f"  # tags: a whole alphabet that nobody sees
)
_LINE_ENDS = re.compile("\r\n?|[\x0b\x0c\x85\u2028\u2029]")
_SOFT_HYPHEN = re.compile("\u00ad[^\\S\n]*\n?[^\\S\n]*")
_UNSEEN = re.compile(f"[{_UNSEEN_CHARACTERS}]")
_LIGATURES = re.compile("[\ufb00-\ufb06]")
# One search for all four: most pages have none of their characters, and each search reads a page.
_ODD = re.compile(f"[\r\x0b\x0c\x85\u2028\u2029\u00ad\ufb00-\ufb06{_UNSEEN_CHARACTERS}]")
# These two match only what they change: every match costs, and a page has 300 good spaces.
_SPACES = re.compile(r"[^\S\n ][^\S\n]*| [^\S\n]+")
_ODD_SPACE = re.compile(r"[^\S\n ]")
_AROUND_LINE_END = re.compile(" \n ?|\n ")
_BLANK_LINES = re.compile("\n{3,}")


def tidy(draft: Draft) -> Draft:
    """Apply every rule that looks at one page only.

    The order matters: what is invisible goes before characters are composed, or a zero-width
    space between a letter and its accent would keep them apart. Zero-width joiners go too, so
    that a search for a Persian word finds it however it was typed.
    """
    if _ODD.search(draft.text):
        draft = draft.replaced(_LINE_ENDS, lambda _: "\n")
        draft = draft.replaced(_SOFT_HYPHEN, _without_soft_hyphen)
        draft = draft.replaced(_UNSEEN, lambda _: "")
        draft = draft.replaced(_LIGATURES, lambda match: unicodedata.normalize("NFKC", match[0]))
    return _spaced(_composed(draft))


def stripped(draft: Draft) -> Draft:
    text = draft.text
    start = len(text) - len(text.lstrip())
    end = len(text.rstrip())
    return draft if (start, end) == (0, len(text)) else draft.cut(start, max(start, end))


def _spaced(draft: Draft) -> Draft:
    """Apply the rules for white space, each only where something that it changes is in sight."""
    if "  " in draft.text or _ODD_SPACE.search(draft.text):
        draft = draft.replaced(_SPACES, lambda _: " ")
    if " \n" in draft.text or "\n " in draft.text:
        draft = draft.replaced(_AROUND_LINE_END, lambda _: "\n")
    if "\n\n\n" in draft.text:
        draft = draft.replaced(_BLANK_LINES, lambda _: "\n\n")
    return stripped(draft)


def _without_soft_hyphen(match: re.Match[str]) -> str:
    """Join the word that the hyphen divides; within a line only the hyphen itself goes."""
    return "" if "\n" in match[0] else match[0][1:]


def _composed(draft: Draft) -> Draft:
    """Bring the text into NFC, cluster by cluster, so that each keeps its place."""
    if unicodedata.is_normalized("NFC", draft.text):
        return draft
    return draft.edited(
        Edit(start, start + len(cluster), composed)
        for start, cluster in _clusters(draft.text)
        if (composed := unicodedata.normalize("NFC", cluster)) != cluster
    )


def _clusters(text: str) -> Iterator[tuple[int, str]]:
    """Yield the smallest pieces that can be composed on their own, with their starts."""
    start = 0
    composed = ""
    for index, character in enumerate(text):
        if index and _is_boundary(composed, character):
            yield start, text[start:index]
            start, composed = index, ""
        composed = unicodedata.normalize("NFC", composed[-1:] + character)
    if text:
        yield start, text[start:]


def _is_boundary(before: str, character: str) -> bool:
    if unicodedata.combining(character):
        return False
    alone = unicodedata.normalize("NFC", character)
    return unicodedata.normalize("NFC", before + character) == before + alone
