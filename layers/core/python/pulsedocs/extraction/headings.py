"""Headings from a document's outline, placed where their words stand on the page."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from pulsedocs.extraction.storable import storable
from pulsedocs.model.letters import letters_of
from pulsedocs.model.pages import Heading

_TITLE_CHARACTERS = 500
_NOT_PLAIN = re.compile(
    "[\t\x0b\x0c\r\x1c-\x1f\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"  # white space
    "\u0130\u0131\u017f\u212a]"  # letters beyond ASCII that a pattern takes for i, s and k
)
_NUMBER = re.compile(r"\d{1,2}(?:\.\d{1,2})*[.)]?[^\S\n]+")
_FEWEST_SIGNS = 4  # of a title, where only its letters and digits are compared
MAX_ENTRIES = 5_000
MAX_DEPTH = 15


@dataclass(frozen=True, slots=True)
class OutlineEntry:
    """A bookmark: `page` counts from 0, `level` from 1."""

    page: int
    level: int
    title: str


def headings_of(entries: Sequence[OutlineEntry], text: str) -> tuple[Heading, ...]:
    """Place each entry at the first line that reads like its title, after the one before it.

    One that stands there with other signs, spaces or line ends is found by its letters and digits:
    of a manual in French, whose bookmarks have other apostrophes than its pages, a third was not.
    An entry whose words are not on the page (a picture, other wording) stands at its start.
    """
    if not entries:
        return ()
    # The text in small letters on one line, and one space before it; None where a title in ASCII
    # would not be found in that as in the text itself.
    spaced = text.replace("\n", " ")
    is_plain = "  " not in spaced and not _NOT_PLAIN.search(spaced)
    plain = f" {spaced.lower()}" if is_plain else None
    letters = _Letters(text)
    headings: list[Heading] = []
    searched = 0
    for entry in entries:
        title = " ".join(storable(entry.title).split())[:_TITLE_CHARACTERS]
        if title:
            if plain is not None and title.isascii():
                # A pattern for each title took a tenth of reading a handbook.
                found = plain.find(f" {title.lower()}", searched)
            else:
                words = r"\s+".join(re.escape(word) for word in title.split())
                pattern = re.compile(rf"(?:^|(?<=\s)){words}", re.IGNORECASE)
                match = pattern.search(text, min(searched, len(text)))
                found = match.start() if match else -1
            if found < 0:
                found = letters.find(title, searched)
            searched = searched if found < 0 else found + len(title)
            headings.append(Heading(entry.level, title, _with_number(text, max(found, 0))))
    return tuple(sorted(headings, key=lambda heading: heading.start))


def _with_number(text: str, start: int) -> int:
    """Return where the number of a section stands that its bookmark leaves out, as those of TeX."""
    begins = text.rfind("\n", 0, start) + 1
    return begins if _NUMBER.fullmatch(text, begins, start) else start


class _Letters:
    """The letters and digits of a text alone, which are made when they are first asked for."""

    def __init__(self, text: str) -> None:
        self._text = text

    def find(self, title: str, searched: int) -> int:
        """Return where whole words of the text begin that a title has the letters of, or -1."""
        wanted = letters_of(title)
        if len(wanted) < _FEWEST_SIGNS:
            return -1
        at = self._plain.find(wanted)
        while at >= 0:
            start, last = self._places[at], self._places[at + len(wanted) - 1]
            before, behind = self._text[max(0, start - 1) : start], self._text[last + 1 : last + 2]
            if start >= searched and not (before.isalnum() or behind.isalnum()):
                return start
            at = self._plain.find(wanted, at + 1)
        return -1

    @cached_property
    def _signs(self) -> list[str]:
        return [letters_of(each) for each in self._text]

    @cached_property
    def _plain(self) -> str:
        return "".join(self._signs)

    @cached_property
    def _places(self) -> list[int]:
        """Where in the text each of the letters and digits stands."""
        return [place for place, signs in enumerate(self._signs) for _ in signs]
