"""Ingestion: the uploaded bytes to pages in S3, without database or network."""

import hashlib
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Final

from pydantic import Field

from pulsedocs.extraction import PDF
from pulsedocs.faults import fault_point
from pulsedocs.ingestion.claim_upload import ObjectReference, check_size
from pulsedocs.ingestion.ports import PageExtractor
from pulsedocs.model.artifacts import encode_pages
from pulsedocs.model.documents import Run
from pulsedocs.model.object_keys import pages_key
from pulsedocs.model.page_ranges import PageRange, ranges_around, ranges_of
from pulsedocs.model.pages import Page
from pulsedocs.ports.objects import ObjectStore

PAGES_AT_ONCE: Final = 500
"""A PDF with more is read in ranges: 500 pages take about a second, and another child 0.1 s."""
SCANS_AT_ONCE: Final = 20
"""Pages whose words are recognised by one function: at 1.3 to 12 CPU-seconds each they are done
before its ten minutes end."""


@dataclass(frozen=True, slots=True)
class Extracted:
    """How far a file has been read.

    `parts` lie in S3; `ranges` are still to be read, and `complete` says that there are none.
    `scans` hold the pages that are pictures or have some, whose words are to be recognised.
    `elapsed_ms` is how long reading took, without S3, added up over the parts.
    """

    pages: int
    parts: Sequence[PageRange]
    ranges: Sequence[PageRange]
    complete: bool
    sha256: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
    size: int
    elapsed_ms: Annotated[int, Field(ge=0)]
    scans: Sequence[PageRange] = ()


def extract_document(
    run: Run,
    uploaded: ObjectReference,
    *,
    objects: ObjectStore,
    extractor: PageExtractor,
    max_bytes: int,
    pages_at_once: int = PAGES_AT_ONCE,
) -> Extracted:
    """Read the file and leave its pages under a key that carries the run's fence.

    A large PDF is only opened: the answer says in which ranges to read it. Raises DocumentRejected
    (what is wrong with the file).
    """
    body = read_upload(uploaded, objects=objects, max_bytes=max_bytes)
    started = time.monotonic()
    with extractor.open(body, content_type=uploaded.content_type) as file:
        whole = PageRange(1, file.page_count)
        # Only a page of a PDF can be read without those before it; other formats are one stream.
        is_pdf = uploaded.content_type.partition(";")[0].strip().lower() == PDF
        is_large = is_pdf and len(whole) > pages_at_once
        # Within the context: leaving it ends the child that reads.
        pages = [] if is_large else list(file.pages)
    elapsed_ms = elapsed_since(started)
    if not is_large:
        write_pages(pages_key(run, whole), pages, objects=objects)
    return Extracted(
        pages=len(whole),
        parts=() if is_large else (whole,),
        ranges=tuple(ranges_of(len(whole), size=pages_at_once)) if is_large else (),
        complete=not is_large,
        sha256=hashlib.sha256(body).hexdigest(),
        size=len(body),
        elapsed_ms=elapsed_ms,
        scans=scans_among(pages),
    )


def scans_among(pages: Sequence[Page]) -> tuple[PageRange, ...]:
    return tuple(
        ranges_around((each.number for each in pages if each.needs_recognition), size=SCANS_AT_ONCE)
    )


def read_upload(uploaded: ObjectReference, *, objects: ObjectStore, max_bytes: int) -> bytes:
    """Return the bytes. Raises FileEmpty and FileTooLarge.

    The size is checked before and after: what the event or the client said of it proves nothing.
    """
    check_size(uploaded.size, max_bytes=max_bytes)
    body = objects.read(uploaded.key, object_version=uploaded.version)
    check_size(len(body), max_bytes=max_bytes)
    return body


def write_pages(key: str, pages: Sequence[Page], *, objects: ObjectStore) -> None:
    fault_point("extract.before_write")
    body = b"".join(encode_pages(pages))
    objects.write(key, body, content_type="application/jsonl")
    fault_point("extract.after_write")


def elapsed_since(started: float) -> int:
    return round((time.monotonic() - started) * 1000)
