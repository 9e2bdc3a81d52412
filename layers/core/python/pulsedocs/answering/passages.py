"""What an answer is made from: the selected passages, numbered, with the pages they lie on."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import Enum, auto
from functools import lru_cache
from itertools import pairwise
from uuid import UUID

from pulsedocs.answering.sentences import Span, is_ended, is_item, is_row, split_sentences
from pulsedocs.model.documents import name_of
from pulsedocs.model.letters import letters_of
from pulsedocs.model.pages import Heading, Stretches


@dataclass(frozen=True, slots=True)
class PageText:
    """The cleaned text of one page; `label` is the number printed on it.

    It `is_recognised` where a program read it from a picture of the page, with `confidence` if
    that is known. Its `doubtful` words are those of which the program was not sure. Of a page that
    has text of its own, `recognised` is what it says on its pictures. `headings` are at offsets
    into the text.
    """

    number: int
    text: str
    label: str | None = None
    is_recognised: bool = False
    confidence: float | None = None
    doubtful: Stretches = ()
    recognised: Stretches = ()
    headings: tuple[Heading, ...] = ()


class Wording(Enum):
    """How the words of a passage can be held against a question's."""

    COMPARED = auto()
    UNLISTED = auto()
    """In a language whose small words are not known: "gdzie" would be what is asked about."""
    FOREIGN = auto()
    """In another language than the question: they differ though they mean the same."""


@dataclass(frozen=True, slots=True)
class Block:
    """One selected passage under its number `n`, counted from 1 in the order of selection.

    `in_full` is the name by which the question calls its document, and the document itself does.
    `dated_at` is the date that it states, where of two that say the like the newer goes first.
    """

    n: int
    document_id: UUID
    source: str
    title: str | None
    text: str
    pages: tuple[PageText, ...]
    section: tuple[str, ...] = ()
    in_full: str = ""
    dated_at: datetime | None = None
    version: int = 1
    wording: Wording = Wording.COMPARED

    @property
    def called(self) -> str:
        """Return what its document is called, by its title, by its file and in full."""
        return f"{self.title or ''} {name_of(self.source)} {self.in_full}"


@dataclass(frozen=True, slots=True)
class Words:
    """Characters of one page: `page.text[start:end]`, in a passage numbered `block.n`.

    A sentence that runs over the end of its page `goes_on` with the first words of the next one.
    """

    block: Block
    page: PageText
    start: int
    end: int
    goes_on: "Words | None" = None

    @property
    def text(self) -> str:
        own = self.page.text[self.start : self.end]
        return own if self.goes_on is None else f"{own}\n{self.goes_on.text}"

    @property
    def parts(self) -> "tuple[Words, ...]":
        """Return what stands on each page, as it is cited."""
        return (self,) if self.goes_on is None else (replace(self, goes_on=None), self.goes_on)

    @property
    def section(self) -> tuple[str, ...]:
        """Return the headings over the words, outermost first.

        Those of a passage stand over its beginning: it may hold the end of one section and the
        beginning of the next.
        """
        before = [each for each in self.page.headings if each.start <= self.start]
        own: list[Heading] = []
        for heading in before:
            while own and own[-1].level >= heading.level:
                own.pop()
            own.append(heading)
        if not own:
            return self.block.section
        here = {heading.title for heading in before}
        above = (each for each in self.block.section[: own[0].level - 1] if each not in here)
        return (*above, *(heading.title for heading in own))

    @property
    def is_recognised(self) -> bool:
        return self.page.is_recognised or any(
            start < self.end and self.start < end for start, end in self.page.recognised
        )

    @property
    def doubtful(self) -> tuple[str, ...]:
        """Return those of the words, each once, of which their reader was not sure."""
        return tuple(
            dict.fromkeys(
                self.page.text[start:end]
                for start, end in self.page.doubtful
                if start < self.end and self.start < end
            )
        )


@lru_cache(maxsize=64)  # pages: each sentence that is looked at asks again
def spans_of(page: PageText) -> tuple[Span, ...]:
    """Return the sentences of a page; none crosses the beginning or the end of a heading."""
    return tuple(split_sentences(page.text, breaks=frozenset(_around_headings(page))))


def _around_headings(page: PageText) -> Iterator[int]:
    """Yield where the lines of headings begin, and the lines below them.

    A title may be told without the number that stands before it.
    """
    for heading in page.headings:
        begins = page.text.rfind("\n", 0, heading.start) + 1
        if any(map(str.isalpha, page.text[begins : heading.start])):
            continue
        yield begins
        end = _end_of(heading, page.text)
        if end is not None and end < len(page.text):
            yield end + 1


def _end_of(heading: Heading, text: str) -> int | None:
    """Return where the line ends that a heading ends with, if its words stand there."""
    wanted = letters_of(heading.title)
    said, at = "", heading.start
    while len(said) < len(wanted):
        end = text.find("\n", at)
        end = len(text) if end < 0 else end
        said += letters_of(text[at:end])
        at = end + 1
        if said.endswith(wanted):
            return end
        if at > len(text):
            break
    return None


def sentences_of(block: Block) -> list[Words]:
    """Return the sentences of a passage as they stand on its pages.

    A passage may be cut mid-sentence; the page still has the whole one. It counts as the passage's
    own where more than half of it lies inside. One that runs over the end of a page is one.
    """
    # The passage's text is the newline-joined text of stretches of its pages.
    ranges: list[tuple[PageText, Span]] = []
    lines, at = block.text.split("\n"), 0
    while at < len(lines):
        runs = [run for page in block.pages if (run := _longest(lines, at, page)) is not None]
        if runs:
            page, span, at = max(runs, key=lambda run: run[2])
            ranges.append((page, span))
        else:
            at += 1
    found: list[Words] = []
    for page in block.pages:
        own = [span for where, span in ranges if where is page]
        for start, end in ((one.start, one.end) for one in spans_of(page)):
            shared = sum(max(0, min(end, span.end) - max(start, span.start)) for span in own)
            if 2 * shared > end - start:
                found.append(Words(block, page, start, end))
    return _joined(found)


def _joined(found: Sequence[Words]) -> list[Words]:
    """Return sentences in reading order, each that the next page goes on with joined to that."""
    over = {one: following for one, following in pairwise(found) if _runs_on(one, following)}
    rest = frozenset(over.values())
    return [replace(one, goes_on=over.get(one)) for one in found if one not in rest]


def _runs_on(words: Words, following: Words) -> bool:
    """Say whether the last words of a page are no whole sentence, and the next page goes on.

    It does with a small letter, or in a script without case. No heading and no row runs on.
    """
    page, begins = words.page, following.text[:1]
    if following.page.number != page.number + 1 or not begins.isalpha() or begins.isupper():
        return False
    is_last = words.end == spans_of(page)[-1].end
    is_first = following.start == spans_of(following.page)[0].start
    is_whole = is_ended(words.text) or is_row(words.text) or is_item(following.text)
    is_title = any(heading.start >= words.start for heading in page.headings)
    return is_last and is_first and not is_whole and not is_title


def _longest(lines: Sequence[str], at: int, page: PageText) -> tuple[PageText, Span, int] | None:
    """Return where the longest run of lines from `at` stands on the page, and the line after it."""
    for end in range(len(lines), at, -1):
        stretch = "\n".join(lines[at:end])
        start = page.text.find(stretch) if stretch.strip() else -1
        if start >= 0:
            return page, Span(start, start + len(stretch)), end
    return None
