"""Pages that are pictures: named for recognition, replaced by its words, never lost unsaid."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pulsedocs.adapters.memory.object_store import InMemoryObjectStore
from pulsedocs.ingestion.extract_document import SCANS_AT_ONCE, Extracted, scans_among
from pulsedocs.ingestion.extract_range import RangeRead
from pulsedocs.ingestion.gather_ranges import gather_ranges
from pulsedocs.ingestion.ports import IngestionStore
from pulsedocs.ingestion.store_pages import store_pages
from pulsedocs.model.artifacts import encode_pages
from pulsedocs.model.object_keys import pages_key, recognised_key
from pulsedocs.model.page_ranges import PageRange
from pulsedocs.model.pages import Page, PageOutcome, PicturePlace
from pulsedocs.model.warnings import warnings_of
from tests.unit.ingestion.test_large_documents import RUN, Rows

WRITTEN = Page(1, "A page of words.", PageOutcome.TEXT, "pdfium")
PICTURE = Page(2, "", PageOutcome.EMPTY, "pdfium", is_picture=True)
BLANK = Page(3, "", PageOutcome.EMPTY, "pdfium")
RECOGNISED = Page(2, "Words of a picture.", PageOutcome.OCR, "tesseract 5", confidence=0.62)


@given(st.sets(st.integers(1, 5_000), max_size=300))
def test_every_picture_is_in_one_range_and_no_range_is_too_long(numbers: set[int]) -> None:
    scans = scans_among([replace(PICTURE, number=number) for number in sorted(numbers)])

    for number in numbers:
        assert sum(scan.first <= number <= scan.last for scan in scans) == 1
    assert all(len(scan) <= SCANS_AT_ONCE for scan in scans)
    assert all(one.last < other.first for one, other in pairwise(scans))
    assert all({scan.first, scan.last} <= numbers for scan in scans)


def stored(
    recognised: Sequence[RangeRead],
    found: Sequence[Page] = (RECOGNISED,),
    picture: Page = PICTURE,
) -> list[Page]:
    objects = InMemoryObjectStore()
    whole, scan = PageRange(1, 3), PageRange(2, 2)
    for key, pages in (
        (pages_key(RUN, whole), [WRITTEN, picture, BLANK]),
        (recognised_key(RUN, scan), found),
    ):
        objects.put(key, b"".join(encode_pages(pages)), content_type="application/jsonl")
    extracted = Extracted(
        3, (whole,), (), complete=True, sha256="0" * 64, size=4, elapsed_ms=0, scans=(scan,)
    )
    rows = Rows()
    store_pages(
        RUN, extracted, recognised, objects=objects, store=cast("IngestionStore", cast("Any", rows))
    )
    return rows.pages


def test_recognised_words_stand_in_for_the_picture() -> None:
    assert stored([RangeRead(2, 2)]) == [WRITTEN, RECOGNISED, BLANK]


def test_a_picture_that_could_not_be_recognised_has_failed_and_a_blank_page_has_not() -> None:
    pages = stored([RangeRead(2, 2, lost="States.Timeout")])

    assert [page.outcome for page in pages] == [
        PageOutcome.TEXT,
        PageOutcome.FAILED,
        PageOutcome.EMPTY,
    ]
    assert warnings_of(pages) == ["1 of 3 pages could not be read (page 2)"]


STAMPED = replace(
    PICTURE,
    text="Received",
    outcome=PageOutcome.TEXT,
    pictures=(PicturePlace((0.0, 0.0, 612.0, 792.0), 8),),
)


@pytest.mark.parametrize("lost", [None, "States.Timeout"])
def test_a_stamp_stays_where_the_words_below_it_could_not_be_recognised_and_that_is_said(
    lost: str | None,
) -> None:
    failed = Page(2, "", PageOutcome.FAILED, "tesseract 5", failure="RESOURCE_EXHAUSTED")

    pages = stored([RangeRead(2, 2, lost=lost)], [failed], picture=STAMPED)

    assert pages[1].text == "Received"
    assert warnings_of(pages) == ["page 2: not read: the words on its picture"]


def test_doubtful_words_are_named_with_their_page() -> None:
    [_, doubt] = warnings_of([WRITTEN, RECOGNISED, BLANK])

    assert doubt.startswith("page 2: recognised with little certainty (0.62 of 1)")


def test_a_run_of_the_release_before_knows_of_no_pictures() -> None:
    """Its state machine passes nothing recognised: the page stays as it was extracted."""
    assert stored([])[1].outcome is PageOutcome.EMPTY


def test_the_pictures_of_all_ranges_of_a_large_document_are_named() -> None:
    first, second = PageRange(1, 500), PageRange(501, 900)
    opened = Extracted(
        900, (), (first, second), complete=False, sha256="0" * 64, size=4, elapsed_ms=0
    )
    read = [RangeRead(501, 900, scans=(PageRange(600, 611),)), RangeRead(1, 500, scans=(first,))]

    gathered = gather_ranges(RUN, opened, read, objects=InMemoryObjectStore())

    assert gathered.scans == [first, PageRange(600, 611)]


@pytest.mark.parametrize("confidence", [-0.1, 1.1])
def test_an_impossible_confidence_is_refused(confidence: float) -> None:
    with pytest.raises(Exception, match="page"):
        stored([RangeRead(2, 2)], [replace(RECOGNISED, confidence=confidence)])
