"""Ingestion: the uploaded bytes to pages in S3, without database or network."""

import hashlib
import time
from dataclasses import dataclass

from pulsedocs.errors import FileEmpty, FileTooLarge, TooManyPagesFailed
from pulsedocs.faults import fault_point
from pulsedocs.model.documents import Run
from pulsedocs.model.object_keys import pages_key
from pulsedocs.model.pages import Page, PageOutcome
from pulsedocs.ports import ObjectStore, PageExtractor
from pulsedocs.usecases.artifacts import encode_pages
from pulsedocs.usecases.claim_upload import ObjectReference


@dataclass(frozen=True, slots=True)
class Extracted:
    """`elapsed_ms` is how long reading the file took, without S3."""

    pages_key: str
    pages: int
    sha256: str
    size: int
    elapsed_ms: int


def extract_document(
    run: Run,
    uploaded: ObjectReference,
    *,
    objects: ObjectStore,
    extractor: PageExtractor,
    max_bytes: int,
) -> Extracted:
    """Read the file and leave its pages under a key that carries the run's fence.

    Raises DocumentRejected (what is wrong with the file). The size is checked before and after
    reading: what the event or the client said of it proves nothing.
    """
    _check_size(uploaded.size, max_bytes=max_bytes)
    body = objects.read(uploaded.key, object_version=uploaded.version)
    _check_size(len(body), max_bytes=max_bytes)
    started = time.monotonic()
    pages = list(extractor.pages(body, content_type=uploaded.content_type))
    elapsed_ms = round((time.monotonic() - started) * 1000)
    _refuse_if_nothing_was_readable(pages)
    key = pages_key(run)
    fault_point("extract.before_write")
    objects.write(key, b"".join(encode_pages(pages)), content_type="application/jsonl")
    fault_point("extract.after_write")
    return Extracted(
        pages_key=key,
        pages=len(pages),
        sha256=hashlib.sha256(body).hexdigest(),
        size=len(body),
        elapsed_ms=elapsed_ms,
    )


def _check_size(size: int, *, max_bytes: int) -> None:
    if size == 0:
        message = "the file has no bytes"
        raise FileEmpty(message)
    if size > max_bytes:
        message = f"the file has {size} bytes; at most {max_bytes} are allowed"
        raise FileTooLarge(message)


def _refuse_if_nothing_was_readable(pages: list[Page]) -> None:
    failures = [page for page in pages if page.outcome is PageOutcome.FAILED]
    if failures and len(failures) == len(pages):
        message = f"none of the {len(pages)} pages could be read (page 1: {failures[0].failure})"
        raise TooManyPagesFailed(message)
