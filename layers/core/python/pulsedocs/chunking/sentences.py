"""The segments whose neighbours are compared: sentences, none too short to mean anything."""

import re
from collections.abc import Iterator
from typing import Final

from pulsedocs.chunking.cutting import cut_characters
from pulsedocs.model.sentences import sentence_ends

Place = tuple[int, int]

_LONGEST: Final = 1_000  # characters of a "sentence"; a table without stops would have no end
_SHORTEST: Final = 20  # "Fig. 3" or "2." means nothing by itself; it goes with what follows
_PARAGRAPH: Final = re.compile(r"\n[ \t]*+\n")


def split_sentences(text: str) -> list[Place]:
    """Return start and end of each sentence; together they are the whole text, in order."""
    places: list[Place] = []
    start, size = 0, 0
    for begin, end in _stretches(text):
        size += len(text[begin:end].strip())
        if size >= _SHORTEST:
            places.append((start, end))
            start, size = end, 0
    if start < len(text):
        start = places.pop()[0] if places else 0
        places.append((start, len(text)))
    return places


def _stretches(text: str) -> Iterator[Place]:
    """Yield sentences, short or not, those without an end cut to the longest size."""
    start = 0
    for paragraph_end in (*(match.end() for match in _PARAGRAPH.finditer(text)), len(text)):
        for end in (*sentence_ends(text, start, paragraph_end), paragraph_end):
            for begin, stop in cut_characters(text[start:end], size=_LONGEST, overlap=0):
                yield start + begin, start + stop
            start = end
