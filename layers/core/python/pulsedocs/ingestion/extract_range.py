"""Ingestion: some pages of a large document to S3; the others are read beside it."""

import time
from collections.abc import Sequence
from dataclasses import dataclass

from pulsedocs.errors import ObjectStoreUnavailable
from pulsedocs.ingestion.claim_upload import ObjectReference
from pulsedocs.ingestion.extract_document import (
    elapsed_since,
    read_upload,
    scans_among,
    write_pages,
)
from pulsedocs.ingestion.ports import PageExtractor
from pulsedocs.model.artifacts import decode_pages
from pulsedocs.model.documents import Run
from pulsedocs.model.object_keys import pages_key
from pulsedocs.model.page_ranges import PageRange
from pulsedocs.ports.objects import ObjectStore


@dataclass(frozen=True, slots=True)
class RangeRead:
    """What became of a range; one whose reader died is `lost`, with the name of the error.

    `scans` hold those of its pages whose words are to be recognised.
    """

    first: int
    last: int
    lost: str | None = None
    elapsed_ms: int = 0
    scans: Sequence[PageRange] = ()

    @property
    def part(self) -> PageRange:
        return PageRange(self.first, self.last)


def extract_range(
    run: Run,
    uploaded: ObjectReference,
    part: PageRange,
    *,
    objects: ObjectStore,
    extractor: PageExtractor,
    max_bytes: int,
) -> RangeRead:
    """Read the pages of a range, unless this run has left them in S3 already."""
    # The key has the run's fence: what an older run left is not taken for this one's.
    key = pages_key(run, part)
    if is_there(objects, key):
        pages = decode_pages(objects.read(key), part)
        return RangeRead(part.first, part.last, scans=scans_among(pages))
    body = read_upload(uploaded, objects=objects, max_bytes=max_bytes)
    started = time.monotonic()
    reading = extractor.open(
        body, content_type=uploaded.content_type, first=part.first, last=part.last
    )
    with reading as file:
        pages = list(file.pages)
    elapsed_ms = elapsed_since(started)
    write_pages(key, pages, objects=objects)
    return RangeRead(part.first, part.last, elapsed_ms=elapsed_ms, scans=scans_among(pages))


def is_there(objects: ObjectStore, key: str) -> bool:
    """Say whether an object is there, as far as this function may know.

    It may not list the bucket, so S3 answers 403 for an object that is missing. Reading a range
    once more than needed does no harm.
    """
    try:
        return objects.exists(key)
    except ObjectStoreUnavailable:
        return False
