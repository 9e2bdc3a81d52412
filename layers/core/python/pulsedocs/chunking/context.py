"""Title, headings or neighbours of a chunk, which are embedded and matched with its text.

They are kept apart from the text, so that the text stays a literal quotation.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from pulsedocs.chunking.semantic import MAX_TOKENS
from pulsedocs.chunking.sentences import split_sentences
from pulsedocs.model.chunks import Chunk, Context

NONE: Final = "none"
TITLE: Final = "title"
SECTION: Final = "section"
TITLE_SECTION: Final = "title_section"
NEIGHBOURS: Final = "neighbours"
CONTEXTS: Final = (NONE, TITLE, SECTION, TITLE_SECTION, NEIGHBOURS)

LONGEST_TITLE: Final = 200
LONGEST_SECTION: Final = 300
LONGEST_NEIGHBOUR: Final = 300
"""Characters: about 50 to 75 tokens each, of the 512 that small embedders read."""

_WINDOW: Final = 2 * LONGEST_NEIGHBOUR
_NOTHING: Final = Context()


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a document can lend its chunks, and which part of it they take."""

    kind: str
    title: str
    text: str
    count_tokens: Callable[[str], int]

    def of(self, chunk: Chunk, start: int, end: int) -> Context:
        """Return the context of the chunk of one stretch of the text.

        Nothing where the two would exceed the cap of a chunk: an embedder that drops what is too
        long drops the end, which is the chunk's own text.
        """
        if self.kind == NEIGHBOURS:
            before = _sentence(self.text[max(0, start - _WINDOW) : start].strip(), -1)
            before = " ".join(before.split())
            if len(before) > LONGEST_NEIGHBOUR:  # its last words are the nearest to the chunk
                kept = before[-LONGEST_NEIGHBOUR - 1 :].partition(" ")[2]
                before = kept or before[-LONGEST_NEIGHBOUR:]
            after = _sentence(self.text[end : end + _WINDOW].strip(), 0)
            context = Context(before, _first_words(after, LONGEST_NEIGHBOUR))
        else:
            context = self._place(chunk)
        return _NOTHING if context == _NOTHING or not self._fits(context, chunk) else context

    def _fits(self, context: Context, chunk: Chunk) -> bool:
        """Say whether a text with its context stays within the cap of a chunk.

        No token is less than a byte; where both fill half the cap at most, counting again, which
        took a quarter of cutting, would say nothing else.
        """
        most = chunk.tokens + len(context.around("").encode())
        return 2 * most <= MAX_TOKENS or self.count_tokens(context.around(chunk.text)) <= MAX_TOKENS

    def _place(self, chunk: Chunk) -> Context:
        """Return title and headings, without what the text itself begins with."""
        lines: list[str] = []
        if self.kind in {TITLE, TITLE_SECTION} and not _begins(chunk.text, self.title):
            lines.append(_first_words(self.title, LONGEST_TITLE))
        if self.kind in {SECTION, TITLE_SECTION}:
            *outer, inner = chunk.section or ("",)
            section = outer if _begins(chunk.text, inner) else chunk.section
            # Of a path that is too long the headings nearest to the text are kept.
            path = ""
            for heading in reversed([" ".join(each.split()) for each in section]):
                longer = f"{heading} > {path}" if path else heading
                if path and len(longer) > LONGEST_SECTION:
                    break
                path = longer
            lines.append(_first_words(path, LONGEST_SECTION))
        return Context(before="\n".join(filter(None, lines)))


def _begins(text: str, words: str) -> bool:
    """Return whether a text begins with these words, however they are spaced and cased."""
    line = " ".join(words.split()).casefold()
    start = " ".join(text[: 2 * len(words) + 2].split()).casefold()
    return start.startswith(line) and not start[len(line) :][:1].isalnum()


def _sentence(text: str, index: int) -> str:
    places = split_sentences(text)
    if not places:
        return ""
    start, end = places[index]
    return text[start:end]


def _first_words(text: str, most: int) -> str:
    """Return a text in one line, cut at a space where it is too long and has one."""
    line = " ".join(text.split())
    if len(line) <= most:
        return line
    kept = line[: most + 1].rpartition(" ")[0]
    return kept or line[:most]
