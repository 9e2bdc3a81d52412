"""Ingestion: words on pages that are pictures; a picture that was seen before is not read again."""

import hashlib
import json
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from uuid import UUID

from pulsedocs.errors import ArtifactInvalid, ObjectNotFound, ObjectStoreUnavailable
from pulsedocs.ingestion.claim_upload import ObjectReference
from pulsedocs.ingestion.extract_document import elapsed_since, read_upload, write_pages
from pulsedocs.ingestion.extract_range import RangeRead, is_there
from pulsedocs.ingestion.ports import PageExtractor
from pulsedocs.model.artifacts import decode_pages, encode_pages
from pulsedocs.model.documents import Run
from pulsedocs.model.object_keys import picture_key, recognised_key, seen_key
from pulsedocs.model.page_ranges import PageRange
from pulsedocs.model.pages import Page, PageOutcome
from pulsedocs.ports.objects import ObjectStore

_ONE = PageRange(1, 1)


@dataclass(frozen=True, slots=True)
class Recognition:
    """Who recognises words, by a name that changes with whatever changes the words it finds.

    `drawer` reads pages as they are and says how those that are pictures are drawn.
    """

    engine: str
    drawer: PageExtractor
    recogniser: PageExtractor


def recognise_range(
    run: Run,
    uploaded: ObjectReference,
    part: PageRange,
    *,
    objects: ObjectStore,
    recognition: Recognition,
    max_bytes: int,
) -> RangeRead:
    """Read the pages of a range, unless this run has left them in S3 already.

    Each page is remembered as it comes, so that a range that is tried again goes on.
    """
    key = recognised_key(run, part)
    if is_there(objects, key):
        return RangeRead(part.first, part.last)
    body = read_upload(uploaded, objects=objects, max_bytes=max_bytes)
    started = time.monotonic()
    seen = _SeenPictures(run, recognition.engine, objects)

    def read(by: PageExtractor, within: PageRange) -> Iterator[Page]:
        reading = by.open(
            body, content_type=uploaded.content_type, first=within.first, last=within.last
        )
        with reading as file:
            yield from file.pages

    drawn = {page.number: page for page in read(recognition.drawer, part)}
    pages = {number: seen.recall(page) for number, page in drawn.items()}
    for stretch in _stretches([number for number, page in pages.items() if page is None]):
        for page in read(recognition.recogniser, stretch):
            pages[page.number] = page
            seen.remember(drawn[page.number], page)
    elapsed_ms = elapsed_since(started)
    write_pages(key, [page for page in pages.values() if page is not None], objects=objects)
    return RangeRead(part.first, part.last, elapsed_ms=elapsed_ms)


class _SeenPictures:
    """What an engine has said of the pictures of a tenant's pages.

    The words lie with the document on which they were read, and go with it; a note by the picture
    leads other documents there.
    """

    def __init__(self, run: Run, engine: str, objects: ObjectStore) -> None:
        self._run, self._engine, self._objects = run, engine, objects

    def recall(self, drawn: Page) -> Page | None:
        """Return a page as it was recognised, or as it is where it is no picture, else None."""
        if drawn.drawing is None:
            needs_engine = drawn.needs_recognition or drawn.outcome is PageOutcome.FAILED
            return None if needs_engine else drawn
        digest = _digest(self._engine, drawn)
        own = self._read(self._run.document_id, digest)
        if own is None and (elsewhere := self._noted(digest)) is not None:
            own = self._read(elsewhere, digest)
            if own is not None:
                self._write(digest, own)
        return own and replace(own, number=drawn.number, label=drawn.label, title=drawn.title)

    def remember(self, drawn: Page, page: Page) -> None:
        if drawn.drawing is None or page.outcome is PageOutcome.FAILED:
            return
        digest = _digest(self._engine, drawn)
        self._write(digest, page)
        note = str(self._run.document_id).encode()
        self._objects.write(seen_key(self._run.tenant_id, digest), note)

    def _write(self, digest: str, page: Page) -> None:
        kept = replace(page, number=1, label=None, title=None)
        key = picture_key(self._run.tenant_id, self._run.document_id, digest)
        self._objects.write(key, b"".join(encode_pages([kept])), content_type="application/jsonl")

    def _read(self, document_id: UUID, digest: str) -> Page | None:
        body = self._body(picture_key(self._run.tenant_id, document_id, digest))
        try:
            return None if body is None else decode_pages(body, _ONE)[0]
        except ArtifactInvalid:  # of another release
            return None

    def _noted(self, digest: str) -> UUID | None:
        body = self._body(seen_key(self._run.tenant_id, digest))
        try:
            return None if body is None else UUID(body.decode())
        except ValueError:
            return None

    def _body(self, key: str) -> bytes | None:
        """Return an object, None where none may be read: S3 forbids what it does not have."""
        try:
            return self._objects.read(key)
        except (ObjectNotFound, ObjectStoreUnavailable):
            return None


def _digest(engine: str, drawn: Page) -> str:
    """Name a page by all that decides on its words: the engine, the picture, its own text.

    Headings may come from an outline, which is the document's.
    """
    decides = json.dumps([engine, drawn.drawing]).encode()
    page = replace(drawn, number=1, label=None, title=None)
    return hashlib.sha256(b"".join([decides, *encode_pages([page])])).hexdigest()


def _stretches(numbers: Sequence[int]) -> list[PageRange]:
    """Return numbers that follow each other as ranges: a child reads each."""
    found: list[PageRange] = []
    for number in numbers:
        if found and found[-1].last == number - 1:
            found[-1] = PageRange(found[-1].first, number)
        else:
            found.append(PageRange(number, number))
    return found
