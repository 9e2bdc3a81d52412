"""Headings from a document's outline, placed where their words stand on the page."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from pulsedocs.extraction.storable import storable
from pulsedocs.model.pages import Heading

_TITLE_CHARACTERS = 500
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
    headings: list[Heading] = []
    searched = 0
    for entry in entries:
        title = " ".join(storable(entry.title).split())[:_TITLE_CHARACTERS]
        if title:
            found = _find(title, text, searched)
            searched = searched if found is None else found + len(title)
            headings.append(Heading(entry.level, title, found or 0))
    return tuple(sorted(headings, key=lambda heading: heading.start))


def _find(title: str, text: str, searched: int) -> int | None:
    words = r"\s+".join(re.escape(word) for word in title.split())
    pattern = re.compile(rf"(?:^|(?<=\s)){words}", re.IGNORECASE)
    match = pattern.search(text, min(searched, len(text)))
    return match.start() if match else None
