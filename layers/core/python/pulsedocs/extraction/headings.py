"""Headings from a document's outline, placed where their words stand on the page."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from pulsedocs.extraction.storable import storable
from pulsedocs.model.pages import Heading

_TITLE_CHARACTERS = 500
_NOT_PLAIN = re.compile(
    "[\t\x0b\x0c\r\x1c-\x1f\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"  # white space
    "\u0130\u0131\u017f\u212a]"  # letters beyond ASCII that a pattern takes for i, s and k
)
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

    An entry whose words are not on the page (a picture, other wording) stands at its start.
    """
    if not entries:
        return ()
    # The text in small letters on one line, and one space before it; None where a title in ASCII
    # would not be found in that as in the text itself.
    spaced = text.replace("\n", " ")
    is_plain = "  " not in spaced and not _NOT_PLAIN.search(spaced)
    plain = f" {spaced.lower()}" if is_plain else None
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
            searched = searched if found < 0 else found + len(title)
            headings.append(Heading(entry.level, title, max(found, 0)))
    return tuple(sorted(headings, key=lambda heading: heading.start))
