"""Cuts a document as one stream of text and says on which pages each piece stands."""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from pulsedocs.chunking.profiles import METHODS, ChunkProfile
from pulsedocs.chunking.validation import validate as flags_of
from pulsedocs.model.chunks import Chunk, PageSpan
from pulsedocs.model.pages import CleanedPage


def chunk(
    pages: Sequence[CleanedPage],
    *,
    profile: ChunkProfile,
    count_tokens: Callable[[str], int],
    validate: bool = True,
) -> list[Chunk]:
    """Return the chunks of a document in reading order; a document without text has none.

    Pages are joined by one line end, so a sentence that runs on over a page break is not cut
    there. Nothing is dropped: a doubtful chunk carries a flag, unless `validate` is off.
    """
    stream = _Stream.of(pages)
    method = METHODS[profile.method]
    size, overlap = profile.parameters[method.size], profile.parameters[method.overlap]
    chunks: list[Chunk] = []
    for start, end in method.cut(stream.text, size=size, overlap=overlap):
        spans = stream.spans(start, end)
        if spans and (not chunks or chunks[-1].spans != spans):
            text = stream.text_of(spans)
            tokens = count_tokens(text)
            chunks.append(
                Chunk(
                    index=len(chunks),
                    text=text,
                    spans=spans,
                    section=stream.section_at(spans[0]),
                    tokens=tokens,
                    profile=profile.name,
                    method=profile.method,
                    parameters=dict(profile.parameters),
                    flags=flags_of(text, tokens=tokens) if validate else (),
                )
            )
    return chunks


@dataclass(frozen=True, slots=True)
class _Section:
    """The headings in force from one place in the stream on."""

    start: int
    path: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Stream:
    """The text of all pages that have any, and where in it each of them starts."""

    text: str
    pages: tuple[CleanedPage, ...]
    starts: tuple[int, ...]
    sections: tuple[_Section, ...]

    @classmethod
    def of(cls, pages: Sequence[CleanedPage]) -> "_Stream":
        with_text = tuple(page for page in pages if page.text.strip())
        starts: list[int] = []
        length = 0
        for page in with_text:
            starts.append(length)
            length += len(page.text) + 1
        text = "\n".join(page.text for page in with_text)
        sections = tuple(_sections(pages, dict(zip(_numbers(with_text), starts, strict=True))))
        return cls(text, with_text, tuple(starts), sections)

    def spans(self, start: int, end: int) -> tuple[PageSpan, ...]:
        """Return the page spans of a piece without its blank edges; none if it is all blank."""
        piece = self.text[start:end]
        start += len(piece) - len(piece.lstrip())
        end = start + len(piece.strip())
        if start == end:
            return ()
        first, last = self._page_at(start), self._page_at(end - 1)
        return tuple(
            PageSpan(
                page=self.pages[index].number,
                start=max(start - self.starts[index], 0),
                end=min(end - self.starts[index], len(self.pages[index].text)),
            )
            for index in range(first, last + 1)
        )

    def text_of(self, spans: Sequence[PageSpan]) -> str:
        return "\n".join(
            self.pages[self._index_of(span.page)].text[span.start : span.end] for span in spans
        )

    def section_at(self, span: PageSpan) -> tuple[str, ...]:
        place = self.starts[self._index_of(span.page)] + span.start
        found = bisect_right(self.sections, place, key=lambda section: section.start)
        return self.sections[found - 1].path if found else ()

    def _index_of(self, page: int) -> int:
        return bisect_left(self.pages, page, key=lambda candidate: candidate.number)

    def _page_at(self, offset: int) -> int:
        return bisect_right(self.starts, offset) - 1


def _numbers(pages: Sequence[CleanedPage]) -> list[int]:
    return [page.number for page in pages]


def _sections(pages: Sequence[CleanedPage], starts: dict[int, int]) -> Iterator[_Section]:
    """Yield each change of section; headings of a page without text begin at the next page."""
    path: list[tuple[int, str]] = []
    place = 0
    for page in pages:
        start = starts.get(page.number)
        for heading in sorted(page.headings, key=lambda heading: heading.start):
            if start is not None:
                place = start + heading.start
            while path and path[-1][0] >= heading.level:
                path.pop()
            path.append((heading.level, heading.title))
            yield _Section(place, tuple(title for _, title in path))
        if start is not None:
            place = start + len(page.text) + 1
