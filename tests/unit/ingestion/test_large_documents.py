"""A large document is read in parts: each once, in any order, and no page is lost unseen."""

import json
import random
from collections.abc import Generator, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, cast
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pulsedocs import faults
from pulsedocs.adapters.memory.object_store import InMemoryObjectStore
from pulsedocs.embedding import batches
from pulsedocs.errors import (
    ArtifactInvalid,
    ObjectStoreUnavailable,
    ResourceExhausted,
    TooManyPagesFailed,
    TooMuchText,
)
from pulsedocs.ingestion import store_pages as store_module
from pulsedocs.ingestion.claim_upload import ObjectReference
from pulsedocs.ingestion.extract_document import Extracted, extract_document
from pulsedocs.ingestion.extract_range import RangeRead, extract_range
from pulsedocs.ingestion.gather_ranges import MOST_LOST, gather_ranges
from pulsedocs.ingestion.ports import IngestionStore
from pulsedocs.ingestion.store_pages import store_pages
from pulsedocs.model.artifacts import encode_pages
from pulsedocs.model.documents import Run
from pulsedocs.model.embeddings import BatchItem
from pulsedocs.model.object_keys import pages_key
from pulsedocs.model.page_ranges import PageRange, is_whole, ranges_of
from pulsedocs.model.pages import Page, PageOutcome

RUN = Run(UUID(int=1), UUID(int=2), version=3, fence=4)
UPLOAD = ObjectReference("u/1/2", "v1", "application/pdf", size=4)
PDF_TYPES = ["application/pdf", "Application/PDF; version=2"]


@dataclass
class Book:
    """Implements `PageExtractor` and `OpenedFile`: pages of numbers, some of which kill readers."""

    page_count: int
    poison: frozenset[int] = frozenset()
    read: list[int] = field(default_factory=list[int])
    pages: Iterator[Page] = field(default_factory=lambda: iter(()))

    @contextmanager
    def open(
        self, body: bytes, *, content_type: str, first: int = 1, last: int | None = None
    ) -> Generator["Book"]:
        del body, content_type
        yield replace(self, pages=self._from(first, last or self.page_count))

    def _from(self, first: int, last: int) -> Iterator[Page]:
        for number in range(first, last + 1):
            self.read.append(number)
            if number in self.poison:
                raise ResourceExhausted("killed", page=number)
            yield page(number)


@dataclass
class Shelf:
    """The state machine's part in it, and the rows that `store` would write."""

    book: Book
    objects: InMemoryObjectStore = field(default_factory=InMemoryObjectStore)
    payloads: list[str] = field(default_factory=list[str])

    def __post_init__(self) -> None:
        stored = self.objects.put(UPLOAD.key, b"%PDF", content_type="application/pdf")
        self.upload = replace(UPLOAD, version=stored.object_version)

    def begin(self, *, pages_at_once: int = 10, content_type: str = PDF_TYPES[0]) -> Extracted:
        return extract_document(
            RUN,
            replace(self.upload, content_type=content_type),
            objects=self.objects,
            extractor=self.book,
            max_bytes=10,
            pages_at_once=pages_at_once,
        )

    def range(self, part: PageRange) -> RangeRead:
        return extract_range(
            RUN, self.upload, part, objects=self.objects, extractor=self.book, max_bytes=10
        )

    def to_the_end(self, *, shuffled: random.Random | None = None) -> Extracted:
        extracted = self.begin()
        while not extracted.complete:
            parts = list(extracted.ranges)
            if shuffled:
                shuffled.shuffle(parts)
            read = [self._caught(part) for part in parts]
            extracted = gather_ranges(RUN, extracted, read, objects=self.objects)
        return extracted

    def _caught(self, part: PageRange) -> RangeRead:
        try:
            return self.range(part)
        except ResourceExhausted:
            return RangeRead(part.first, part.last, lost="ResourceExhausted")

    def stored(self, extracted: Extracted) -> list[Page]:
        rows = Rows()
        store_pages(RUN, extracted, objects=self.objects, store=cast("IngestionStore", rows))
        return rows.pages


class Rows:
    """The one method of `IngestionStore` that is asked, and of `StepWriter` what it calls."""

    def __init__(self) -> None:
        self.pages: list[Page] = []

    def perform(self, run: Run, step: object, *, plan: Any, write: Any) -> Any:
        del run, step
        return write(self, plan())

    def accept_content(self, **_: object) -> Any:
        return Decision()

    def insert_pages(self, pages: list[Page]) -> None:
        self.pages = pages

    def name_file(self, title: str | None) -> None:
        """Take what has tests of its own."""

    def count_pages(self, pages: int) -> None:
        """As above."""

    def warn(self, warnings: Mapping[str, int]) -> None:
        """Take what has tests of its own."""

    def end(self, *_: object, **__: object) -> None:
        """Documents of this file all have text, so that nothing ends here."""


class Decision:
    outcome = None
    duplicate_of = None


def page(number: int, text: str = "") -> Page:
    return Page(number, text or f"Page {number}.", PageOutcome.TEXT, "book", label=f"p{number}")


def test_a_large_pdf_is_only_opened() -> None:
    shelf = Shelf(Book(25))

    extracted = shelf.begin()

    assert (extracted.pages, extracted.parts, extracted.complete) == (25, (), False)
    assert extracted.ranges == (PageRange(1, 10), PageRange(11, 20), PageRange(21, 25))
    assert shelf.book.read == []
    assert shelf.objects.keys("staging/") == []


@pytest.mark.parametrize(
    ("pages", "content_type"), [(10, PDF_TYPES[0]), (10, PDF_TYPES[1]), (25, "text/plain")]
)
def test_a_small_pdf_and_any_other_format_are_read_whole(pages: int, content_type: str) -> None:
    shelf = Shelf(Book(pages))

    extracted = shelf.begin(content_type=content_type)

    assert extracted.complete
    assert [item.number for item in shelf.stored(extracted)] == list(range(1, pages + 1))


@pytest.mark.parametrize("content_type", PDF_TYPES)
def test_parameters_and_case_of_the_type_change_nothing(content_type: str) -> None:
    assert not Shelf(Book(25)).begin(content_type=content_type).complete


@given(
    pages=st.integers(11, 90), poison=st.sets(st.integers(1, 90), max_size=4), seed=st.integers()
)
def test_a_poisoned_page_is_lost_alone_whatever_the_order(
    pages: int, poison: set[int], seed: int
) -> None:
    """K08: every sibling is read, and every page comes exactly once."""
    shelf = Shelf(Book(pages, frozenset(poison)))

    stored = shelf.stored(shelf.to_the_end(shuffled=random.Random(seed)))

    assert [item.number for item in stored] == list(range(1, pages + 1))
    failed = {item.number for item in stored if item.outcome is PageOutcome.FAILED}
    assert failed == {number for number in poison if number <= pages}
    assert {item.failure for item in stored} <= {None, "RESOURCE_EXHAUSTED"}


def test_a_document_with_too_many_lost_ranges_is_refused() -> None:
    """What it may cost is bounded: see `MOST_LOST`."""
    shelf = Shelf(Book(10 * (MOST_LOST + 1), frozenset(range(1, 1000, 10))))

    with pytest.raises(ResourceExhausted, match=f"{MOST_LOST + 1} parts"):
        shelf.to_the_end()


def test_a_document_of_poison_alone_ends_as_an_error() -> None:
    shelf = Shelf(Book(12, frozenset(range(1, 13))))

    with pytest.raises(TooManyPagesFailed, match="none of the 12 pages could be read"):
        shelf.stored(shelf.to_the_end())


def test_a_range_that_lies_in_the_bucket_is_not_read_again() -> None:
    """K07: after a crash only what is missing is read; counted page by page."""
    shelf = Shelf(Book(25))
    ranges = shelf.begin().ranges
    shelf.range(ranges[0])
    with pytest.raises(Death), dying_at("extract.after_write"):
        shelf.range(ranges[1])
    with pytest.raises(Death), dying_at("extract.before_write"):
        shelf.range(ranges[2])
    shelf.book.read.clear()

    shelf.to_the_end()

    assert shelf.book.read == [21, 22, 23, 24, 25]


def test_a_run_with_another_fence_reads_for_itself() -> None:
    shelf = Shelf(Book(25))
    part = PageRange(1, 10)
    shelf.range(part)

    assert not shelf.objects.exists(pages_key(replace(RUN, fence=5), part))


def test_not_being_allowed_to_look_means_reading_once_more() -> None:
    """S3 answers 403 for a missing object to whom may not list: no outage, and no error."""
    shelf = Shelf(Book(25))
    shelf.objects = Guarded()
    shelf.__post_init__()

    assert shelf.range(PageRange(1, 10)).lost is None


class Guarded(InMemoryObjectStore):
    def exists(self, key: str) -> bool:
        raise ObjectStoreUnavailable(f"403 for {key}")


class Death(BaseException):
    """The process ends here."""


@contextmanager
def dying_at(point: str) -> Generator[None]:
    def die(reached: str) -> None:
        if reached == point:
            raise Death

    faults.install(die)
    try:
        yield
    finally:
        faults.install(None)


@pytest.mark.parametrize(
    "parts",
    [
        [PageRange(1, 10), PageRange(11, 20)],
        [PageRange(1, 10), PageRange(11, 20), PageRange(11, 20), PageRange(21, 25)],
        [PageRange(1, 10), PageRange(10, 20), PageRange(21, 25)],
        [PageRange(1, 10), PageRange(12, 20), PageRange(21, 25)],
        [PageRange(1, 10), PageRange(11, 20), PageRange(21, 26)],
        [],
    ],
    ids=["missing", "twice", "overlap", "gap", "beyond", "none"],
)
def test_parts_that_are_not_the_document_are_refused(parts: list[PageRange]) -> None:
    shelf = Shelf(Book(25))

    with pytest.raises(ArtifactInvalid, match="25 pages"):
        shelf.stored(replace(shelf.to_the_end(), parts=parts))


@pytest.mark.parametrize("numbers", [range(1, 10), range(2, 11), [*range(1, 10), 9], range(1, 12)])
def test_a_part_with_other_pages_than_its_own_is_refused(numbers: Any) -> None:
    """S0-05: what the key promises is what must lie there."""
    shelf = Shelf(Book(25))
    extracted = shelf.to_the_end()
    body = b"".join(encode_pages([page(number) for number in numbers]))
    shelf.objects.write(pages_key(RUN, PageRange(1, 10)), body)

    with pytest.raises(ArtifactInvalid, match="pages 1 to 10"):
        shelf.stored(extracted)


def test_the_characters_of_all_parts_are_counted_together(monkeypatch: pytest.MonkeyPatch) -> None:
    """A range knows its own text only; the document's limit is kept where all come together."""
    shelf = Shelf(Book(25))
    extracted = shelf.to_the_end()
    whole = sum(len(item.text) for item in shelf.stored(extracted))

    monkeypatch.setattr(store_module, "_CHARACTERS", whole - 1)
    with pytest.raises(TooMuchText) as refused:
        shelf.stored(extracted)
    monkeypatch.setattr(store_module, "_CHARACTERS", whole)

    assert refused.value.context == {"page": 25}
    assert len(shelf.stored(extracted)) == 25


@given(st.integers(1, 5_000), st.integers(1, 600))
def test_ranges_are_the_document(page_count: int, size: int) -> None:
    ranges = list(ranges_of(page_count, size=size))

    assert is_whole(ranges, page_count=page_count)
    assert max(len(part) for part in ranges) <= size


@given(st.integers(1, 100), st.integers(0, 100))
def test_halves_are_the_range(first: int, more: int) -> None:
    part = PageRange(first, first + more)

    numbers = [n for half in part.halves() for n in range(half.first, half.last + 1)]

    assert numbers == (list(range(first, first + more + 1)) if more else [])


@pytest.mark.parametrize(("items", "batch_size"), [(45_000, 96), (45_000, 1), (200_000, 96)])
def test_the_batches_of_any_document_fit_a_state_and_an_executions_history(
    items: int, batch_size: int
) -> None:
    """P-02: 20 million characters are 45,000 chunks by default, 200,000 small ones."""
    texts = [BatchItem(UUID(int=index), b"", "A short text.") for index in range(items)]

    planned = batches(texts, model="memory:hashing@384", max_items=batch_size)

    references = [{"index": i, "hash": batch.batch_hash} for i, batch in enumerate(planned)]
    assert sum(len(batch.items) for batch in planned) == items
    assert len(json.dumps(references)) < 64 * 1024
    assert 12 * len(planned) < 25_000 / 2


def test_the_worst_that_gather_may_say_fits_a_state() -> None:
    """P-02: 5,000 pages, and the most ranges lost in every round."""
    rounds = 10  # 500 pages are single ones after nine
    parts = 10 + 2 * MOST_LOST * rounds
    reference = json.dumps({"first": 5_000, "last": 5_000})
    read = json.dumps({"first": 5_000, "last": 5_000, "lost": "ResourceExhausted", "elapsed_ms": 1})

    assert parts * len(reference) + 2 * MOST_LOST * (len(reference) + len(read)) < 32 * 1024
