"""Rows as the queries give them, and the product's values written as rows."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, TypeVar
from uuid import UUID

from pgvector import HalfVector
from psycopg import Connection
from psycopg.rows import class_row
from psycopg.types.json import Jsonb

from pulsedocs.adapters.postgres.queries import query
from pulsedocs.errors import ArtifactInvalid, CollectionNotFoundError, DocumentNotFound
from pulsedocs.model.chunks import IdentifiedChunk
from pulsedocs.model.conversations import CitedPlace
from pulsedocs.model.documents import ErrorReport, Run
from pulsedocs.model.feedback import AnswerPlace
from pulsedocs.model.pages import CleanedPage, Heading, OffsetMap, Page, PageOutcome
from pulsedocs.pipeline import State

Row = TypeVar("Row")
Key = dict[str, Any]


@dataclass(frozen=True, slots=True)
class DocumentRow:
    collection_id: UUID
    latest_version: int
    latest_sequencer: str
    """Of the newest upload that the published version stands for; empty before the first."""
    published_version: int | None
    deleted_at: object
    latest_order: int | None = None
    """The place of that upload among those of its key, read once the document is locked."""


@dataclass(frozen=True, slots=True)
class VersionRow:
    version: int
    collection_id: UUID
    object_version: str | None
    sequencer: str | None
    upload_order: int | None
    content_type: str
    size: int
    declared_size: int | None
    sha256: bytes | None
    on_duplicate: str
    duplicate_by: str
    hold: bool
    state: str
    outcome: str | None
    fence: int
    lease_holder: str | None
    has_live_lease: bool

    @property
    def waits_for_update(self) -> bool:
        return self.hold and self.outcome is None and self.state == State.EMBEDDED

    def is_older_than_published(self, document: DocumentRow) -> bool:
        """Compare as S3 orders uploads of one key; by number where S3 has not said.

        The order is known of every upload that was claimed, with or without its event. Versions
        from before it was asked for have a sequencer, unless their event was lost.
        """
        if self.upload_order is not None and document.latest_order is not None:
            return self.upload_order < document.latest_order
        if self.sequencer is not None and document.latest_sequencer:
            return self.sequencer < document.latest_sequencer
        return self.version < (document.published_version or 0)


def key_of(run: Run) -> Key:
    return {
        "tenant_id": run.tenant_id,
        "document_id": run.document_id,
        "version": run.version,
        "fence": run.fence,
    }


def lock_document(tx: Connection[Any], key: Key) -> DocumentRow | None:
    return _with_order(tx, key, _row(tx, DocumentRow, "lock_document", key))


def lock_idle_document(tx: Connection[Any], key: Key) -> DocumentRow | None:
    """Lock a document unless somebody else has; None also when there is no such row."""
    return _with_order(tx, key, _row(tx, DocumentRow, "lock_idle_document", key))


def lock_version(tx: Connection[Any], key: Key) -> VersionRow | None:
    return _row(tx, VersionRow, "lock_version", key)


def value_of(tx: Connection[Any], name: str, key: Key) -> Any:  # noqa: ANN401 -- what the query selects
    """Return the first column of the only row, or None when there is no row."""
    row = tx.execute(query(name), key).fetchone()
    return None if row is None else row[0]


def no_document(document_id: UUID) -> DocumentNotFound:
    return DocumentNotFound(f"no document {document_id}", document_id=str(document_id))


def no_collection(name: str) -> CollectionNotFoundError:
    return CollectionNotFoundError(f"there is no collection {name!r}", collection=name)


def refuse_unknown_collection(tx: Connection[Any], tenant_id: UUID, name: str | None) -> None:
    """Raise CollectionNotFoundError for a name that no collection has; None names none."""
    named = {"tenant_id": tenant_id, "collection": name}
    if name is not None and not value_of(tx, "is_collection", named):
        raise no_collection(name)


def _with_order(tx: Connection[Any], key: Key, locked: DocumentRow | None) -> DocumentRow | None:
    if locked is None:
        return None
    return replace(locked, latest_order=value_of(tx, "latest_order", key))


def _row(tx: Connection[Any], kind: type[Row], name: str, key: Key) -> Row | None:
    with tx.cursor(row_factory=class_row(kind)) as cursor:
        return cursor.execute(query(name), key).fetchone()


def storable(text: str) -> str:
    """Blank out what PostgreSQL takes in no text: NUL and lone surrogates."""
    return "".join(" " if c == "\0" or "\ud800" <= c <= "\udfff" else c for c in text)


def report_json(report: ErrorReport | None) -> Jsonb | None:
    if report is None:
        return None
    return Jsonb(
        {
            "code": report.code,
            "message": report.message,
            "context": dict(report.context),
            "guidance": report.guidance,
        }
    )


def place_json(place: AnswerPlace | CitedPlace) -> dict[str, Any]:
    return asdict(place) | {"document_id": str(place.document_id)}


def pages_json(pages: Iterable[Page]) -> str:
    return json.dumps(
        [
            {
                "page_number": page.number,
                "outcome": page.outcome.value,
                "failure_code": page.failure,
                "parser": page.parser,
                "label": page.label,
                "hidden_characters": page.hidden_characters,
                "raw_text": page.text,
                "raw_headings": _headings_json(page.headings),
                "verbatim": page.verbatim,
                "is_sheet": page.is_sheet,
                "confidence": page.confidence,
                "certainties": page.certainties or None,
                "is_picture": page.is_picture,
            }
            for page in pages
        ]
    )


def cleaned_json(pages: Sequence[CleanedPage]) -> str:
    return json.dumps(
        [
            {
                "page_number": page.number,
                "cleaned_text": page.text,
                "cleaned_headings": _headings_json(page.headings),
                "offsets": {
                    "cleaned": page.offsets.cleaned,
                    "raw": page.offsets.raw,
                    "lengths": page.offsets.lengths,
                },
                "label": page.label,
                "furniture": page.furniture,
            }
            for page in pages
        ]
    )


def chunks_json(chunks: Iterable[IdentifiedChunk]) -> str:
    return json.dumps(
        [
            {
                "chunk_id": str(identified.chunk_id),
                "chunk_index": identified.chunk.index,
                "text": identified.chunk.text,
                "page_start": identified.chunk.page_start,
                "page_end": identified.chunk.page_end,
                "spans": [[span.page, span.start, span.end] for span in identified.chunk.spans],
                "section": identified.chunk.section,
                "tokens": identified.chunk.tokens,
                "profile": identified.chunk.profile,
                "method": identified.chunk.method,
                "parameters": dict(identified.chunk.parameters),
                "flags": identified.chunk.flags,
                "chunk_hash": _bytea(identified.chunk_hash),
                "content_hash": _bytea(identified.content_hash),
                "context_before": identified.chunk.context.before or None,
                "context_after": identified.chunk.context.after or None,
            }
            for identified in chunks
        ]
    )


def half_vector(vector: Sequence[float]) -> HalfVector:
    try:
        return HalfVector(list(vector))
    except (ValueError, OverflowError) as error:
        raise ArtifactInvalid("a vector holds what is no 16-bit number") from error


def raw_page(row: Sequence[Any]) -> Page:
    number, text, outcome, parser, label, headings, hidden, failure, verbatim, is_sheet = row
    return Page(
        number=number,
        text=text,
        outcome=PageOutcome(outcome),
        parser=parser,
        label=label,
        headings=headings_of(headings),
        hidden_characters=hidden,
        failure=failure,
        verbatim=tuple((start, end) for start, end in verbatim),
        is_sheet=is_sheet,
    )


def cleaned_page(row: Sequence[Any]) -> CleanedPage:
    number, text, offsets, label, headings = row
    return CleanedPage(
        number=number,
        text=text,
        offsets=OffsetMap(
            tuple(offsets["cleaned"]), tuple(offsets["raw"]), tuple(offsets["lengths"])
        ),
        label=label,
        headings=headings_of(headings),
    )


def headings_of(stored: Iterable[Mapping[str, Any]]) -> tuple[Heading, ...]:
    return tuple(Heading(each["level"], each["title"], each["start"]) for each in stored)


def _headings_json(headings: Iterable[Heading]) -> list[dict[str, Any]]:
    return [
        {"level": heading.level, "title": heading.title, "start": heading.start}
        for heading in headings
    ]


def _bytea(value: bytes) -> str:
    return f"\\x{value.hex()}"
