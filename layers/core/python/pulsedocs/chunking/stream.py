"""A document as one stream of text, and the way back from a place in it to page and section."""

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Final

from pulsedocs.model.chunks import PageSpan
from pulsedocs.model.lists import items_around
from pulsedocs.model.pages import CleanedPage
from pulsedocs.model.sentences import sentence_ends
from pulsedocs.model.tables import Heads, heads_in

_DEEPEST_INDENTATION: Final = 200  # characters
_RUNNING_LINES: Final = 4  # at most, at the top of a page
_DIGITS: Final = re.compile(r"\d+")
_LONGEST_ROW: Final = 300  # characters; a piece that begins in a longer one goes without its label


@dataclass(frozen=True, slots=True)
class _Section:
    """The headings in force from one place in the stream on."""

    start: int
    path: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Sheet:
    """Pages that are cut as one, from `start` to `end`.

    `run_on` is where the sentence ends that begins on the last of them; `end` where none runs on.
    """

    start: int
    end: int
    run_on: int


@dataclass(frozen=True, slots=True)
class Stream:
    """The text of all pages that have any, and where in it each of them starts.

    Pages are joined by one line end, so a sentence that runs on over a page break is not cut there.
    """

    text: str
    pages: tuple[CleanedPage, ...]
    numbers: tuple[int, ...]
    starts: tuple[int, ...]
    sections: tuple[_Section, ...]
    bodies: tuple[int, ...]
    """Where each page goes on below the lines that others begin with, too, figures aside."""
    tables: tuple[Heads, ...]

    @classmethod
    def of(cls, pages: Sequence[CleanedPage]) -> "Stream":
        with_text: list[CleanedPage] = []
        starts: list[int] = []
        sections: list[_Section] = []
        path: list[tuple[int, str]] = []
        length = 0
        for page in pages:
            has_text = bool(page.text.strip())
            for heading in sorted(page.headings, key=lambda heading: heading.start):
                while path and path[-1][0] >= heading.level:
                    path.pop()
                path.append((heading.level, heading.title))
                # A heading of a page without text begins at the next page.
                place = length + heading.start if has_text else length
                sections.append(_Section(place, tuple(title for _, title in path)))
            if has_text:
                with_text.append(page)
                starts.append(length)
                length += len(page.text) + 1
        text = "\n".join(page.text for page in with_text)
        tables = tuple(heads_in(text, pages=starts))
        tops = Counter(line for page in with_text for line in set(map(_plain, _top_of(page))))
        running = frozenset(line for line, pages in tops.items() if pages > 1)
        bodies = [
            start + min(_above_body(page, running), len(page.text) - 1)
            for start, page in zip(starts, with_text, strict=True)
        ]
        return cls(
            text,
            pages=tuple(with_text),
            numbers=tuple(page.number for page in with_text),
            starts=tuple(starts),
            sections=tuple(sections),
            bodies=tuple(bodies),
            tables=tables,
        )

    def sheets(self, *, least: int, run_on: int) -> Iterator[Sheet]:
        """Yield the pages one by one; one of fewer than `least` characters goes with the next.

        The last goes with the one before. A sentence is followed over at most `run_on` characters.
        """
        start, last = 0, len(self.text)
        for end in (*self.starts[1:], last):
            if end == last or min(end - start, last - end) >= least:
                yield Sheet(start, end, self._end_of_sentence(start, end, most=run_on))
                start = end

    def _end_of_sentence(self, start: int, end: int, *, most: int) -> int:
        following = self.text[end : end + most].lstrip()
        if not following[:1].isalpha() or following[0].isupper():
            return end
        last = start + len(self.text[start:end].rstrip())
        ends = sentence_ends(self.text, max(start, end - most), min(end + most, len(self.text)))
        place = next((each for each in ends if each >= last), end)
        return end if self.text[last:place].isspace() else max(place, end)

    def spans(self, start: int, end: int, *, indented: bool = True) -> tuple[PageSpan, ...]:
        """Return the page spans of a piece without its blank edges; none if it is all blank.

        The first line keeps its indentation, that of code means something, unless told otherwise.
        """
        piece = self.text[start:end]
        start += len(piece) - len(piece.lstrip())
        end = start + len(piece.strip())
        if start == end:
            return ()
        line = self.text.rfind("\n", max(0, start - _DEEPEST_INDENTATION), start) + 1
        begins_line = line or start <= _DEEPEST_INDENTATION
        if indented and begins_line and self.text[line:start].isspace():
            start = line
        first, last = self._page_at(start), self._page_at(end - 1)
        return tuple(
            PageSpan(
                page=self.pages[index].number,
                start=max(start - self.starts[index], 0),
                end=min(end - self.starts[index], len(self.pages[index].text)),
            )
            for index in range(first, last + 1)
        )

    def heads_over(self, start: int) -> tuple[PageSpan, ...]:
        """Return where the names of the columns stand that a piece from this row on would lack."""
        at = bisect_right(self.tables, start, key=lambda table: table.start) - 1
        if at < 0 or not self.tables[at].end <= start < self.tables[at].rows_end:
            return ()
        return self.spans(self.tables[at].start, self.tables[at].end)

    def items_over(self, start: int) -> tuple[PageSpan, ...]:
        """Return where the items stand that a piece from within one of a nested list would lack."""
        return tuple(span for item in items_around(self.text, start) for span in self.spans(*item))

    def row_at(self, start: int) -> int:
        """Return where the row of a table begins that a place is in, if it is in one."""
        line = self.text.rfind("\n", max(0, start - _LONGEST_ROW), start) + 1
        return line if line and self.heads_over(line) else start

    def text_of(self, spans: Sequence[PageSpan]) -> str:
        return "\n".join(
            self.pages[self._index_of(span.page)].text[span.start : span.end] for span in spans
        )

    def section_at(self, span: PageSpan) -> tuple[str, ...]:
        """Return the headings over a span; running lines before a heading are under it, too."""
        place = max(self.place_of(span), self.bodies[self._index_of(span.page)])
        found = bisect_right(self.sections, place, key=lambda section: section.start)
        return self.sections[found - 1].path if found else ()

    def place_of(self, span: PageSpan) -> int:
        return self.starts[self._index_of(span.page)] + span.start

    def _index_of(self, page: int) -> int:
        return bisect_left(self.numbers, page)

    def _page_at(self, offset: int) -> int:
        return bisect_right(self.starts, offset) - 1


def _top_of(page: CleanedPage) -> list[str]:
    return page.text.split("\n", _RUNNING_LINES)[:_RUNNING_LINES]


def _above_body(page: CleanedPage, running: Container[str]) -> int:
    above = takewhile(lambda line: _plain(line) in running, _top_of(page))
    return sum(len(line) + 1 for line in above)


def _plain(line: str) -> str:
    return _DIGITS.sub("0", line).strip()
