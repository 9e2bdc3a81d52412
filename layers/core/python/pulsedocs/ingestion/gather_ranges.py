"""Ingestion: what became of the ranges of a large document, and what is left to read.

A range whose reader died is halved, again and again, until the page that kills it stands alone.
That page is FAILED; all others are read.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from pulsedocs.errors import ResourceExhausted
from pulsedocs.ingestion.extract_document import Extracted, write_pages
from pulsedocs.ingestion.extract_range import RangeRead
from pulsedocs.model.documents import Run
from pulsedocs.model.object_keys import pages_key
from pulsedocs.model.pages import Page, PageOutcome
from pulsedocs.ports.objects import ObjectStore

MOST_LOST: Final = 16
"""Of one round. 16 poisoned pages of 5,000 are found in nine rounds of at most 32 ranges, which
take about 7,000 CPU-seconds at worst; a file with more is refused as a whole."""
_PARSER = "none"


def gather_ranges(
    run: Run, extracted: Extracted, read: Sequence[RangeRead], *, objects: ObjectStore
) -> Extracted:
    """Return how far the document has been read now. Raises ResourceExhausted."""
    lost = [item.part for item in read if item.lost is not None]
    if len(lost) > MOST_LOST:
        message = f"{len(lost)} parts of the document take more time or memory than allowed"
        raise ResourceExhausted(message, page=lost[0].first)
    given_up = [part for part in lost if len(part) == 1]
    for part in given_up:
        page = Page(part.first, "", PageOutcome.FAILED, _PARSER, failure=ResourceExhausted.code)
        write_pages(pages_key(run, part), [page], objects=objects)
    ranges = tuple(half for part in lost for half in part.halves())
    return replace(
        extracted,
        parts=sorted([*extracted.parts, *given_up, *(i.part for i in read if i.lost is None)]),
        ranges=ranges,
        complete=not ranges,
        elapsed_ms=extracted.elapsed_ms + sum(item.elapsed_ms for item in read),
        scans=sorted([*extracted.scans, *(scan for item in read for scan in item.scans)]),
    )
