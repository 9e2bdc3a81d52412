"""Change documents that exist: each request one transaction, which leaves all of it or nothing."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final
from uuid import UUID, uuid4

from psycopg import Connection, sql
from psycopg.rows import class_row
from psycopg.types.json import Jsonb

from pulsedocs.adapters.postgres.audits import record_audit
from pulsedocs.adapters.postgres.connection import Database
from pulsedocs.adapters.postgres.deletion import deletions
from pulsedocs.adapters.postgres.deletion.quotations import quoting
from pulsedocs.adapters.postgres.documents.statuses import read_statuses
from pulsedocs.adapters.postgres.filters_sql import wanted_documents
from pulsedocs.adapters.postgres.ingestion.publications import refuse_unfinished, replace_published
from pulsedocs.adapters.postgres.queries import query
from pulsedocs.adapters.postgres.reprocessing import reprocess_published
from pulsedocs.adapters.postgres.rows import (
    Key,
    VersionRow,
    lock_version,
    no_document,
    refuse_unknown_collection,
    value_of,
)
from pulsedocs.errors import (
    Conflict,
    DocumentNotFound,
    DocumentNotReady,
    EmbeddingError,
    InvalidRequest,
    NoDocumentsFoundError,
)
from pulsedocs.faults import fault_point
from pulsedocs.model.changes import (
    Description,
    StageDefaults,
    Strategy,
    Update,
    UpdateResult,
    merged,
)
from pulsedocs.model.deletions import Receipt
from pulsedocs.model.documents import MAX_METADATA_BYTES, DocumentStatus
from pulsedocs.model.shingles import Sample
from pulsedocs.retrieval.filters import parse_filter

MAX_DOCUMENTS: Final = 1000
"""In one update: what fits into a transaction that others wait for."""
_STANDALONE: Final = "is_standalone"
_CASCADES: Final = ("user_id", "template_id")
"""Filters by these mean what goes with a user or a template, and spare what stands alone."""


@dataclass(frozen=True, slots=True)
class _Document:
    document_id: UUID
    is_new: bool
    metadata: dict[str, Any]
    published_version: int | None
    stands_alone: bool | None
    chunks: int

    @property
    def is_kept(self) -> bool:
        return bool(self.stands_alone) and not self.is_new


class PostgresDocumentChanges:
    """Implements `documents.ports.DocumentChanges`."""

    def __init__(
        self,
        database: Database,
        *,
        defaults: StageDefaults = StageDefaults(),  # noqa: B008 -- frozen
    ) -> None:
        self._database = database
        self._defaults = defaults

    def describe(
        self, tenant_id: UUID, document_id: UUID, description: Description, *, actor: str
    ) -> DocumentStatus:
        key: Key = {"tenant_id": tenant_id, "document_id": document_id}

        def work(tx: Connection[Any]) -> DocumentStatus:
            found = tx.execute(query("document_to_describe"), key).fetchone()
            if found is None:
                raise no_document(document_id)
            metadata, title, content_date = found
            if "title" in description.given:
                title = description.title
            if "content_date" in description.given:
                content_date = description.content_date
            described = {
                "metadata": Jsonb(_patched(metadata, description.metadata)),
                "title": title,
                "content_date": content_date,
            }
            tx.execute(query("change_document"), key | described)
            fields = {name: getattr(description, name) for name in description.given}
            _change_announced(tx, tenant_id, [document_id], fields)
            # What was said is no part of the entry: it outlives the document.
            given = sorted(description.given)
            record_audit(tx, tenant_id, actor, "describe_document", str(document_id), given=given)
            [status] = read_statuses(tx, tenant_id, [document_id])
            fault_point("describe.before_commit")
            return status

        status = self._database.run(tenant_id, work)
        fault_point("describe.after_commit")
        return status

    def update(self, tenant_id: UUID, update: Update, *, actor: str) -> UpdateResult:
        updating = _Updating(tenant_id, update, defaults=self._defaults, actor=actor)
        result = self._database.run(tenant_id, updating.run)
        fault_point("update.after_commit")
        return result

    def delete(self, tenant_id: UUID, document_id: UUID, *, actor: str) -> UUID:
        receipt_id = uuid4()  # drawn before the first attempt: a second one knows its own

        def work(tx: Connection[Any]) -> None:
            if deletions.written_before(tx, tenant_id, [receipt_id]):
                return
            if not deletions.lock_existing(tx, tenant_id, [document_id]):
                raise no_document(document_id)
            deletions.delete_locked(tx, tenant_id, [document_id], [receipt_id], actor=actor)
            fault_point("delete.before_commit")

        self._database.run(tenant_id, work)
        fault_point("delete.after_commit")
        return receipt_id

    def receipt(self, tenant_id: UUID, receipt_id: UUID) -> Receipt:
        return self._database.run(
            tenant_id,
            lambda tx: deletions.receipt(tx, tenant_id, receipt_id),
            read_only=True,
        )

    def quoted_by(
        self, tenant_id: UUID, shingles: Sequence[str], sample: Sample
    ) -> frozenset[UUID] | None:
        return quoting(self._database, tenant_id, shingles, sample)

    def ask(self, tenant_id: UUID, receipt_id: UUID, sample: Sample) -> None:
        self._database.run(tenant_id, lambda tx: deletions.ask(tx, tenant_id, receipt_id, sample))


class _Updating:
    """One update. Its id is drawn before the first attempt, so that a second one knows its own."""

    def __init__(
        self, tenant_id: UUID, update: Update, *, defaults: StageDefaults, actor: str
    ) -> None:
        self._tenant_id = tenant_id
        self._update = update
        self._defaults = defaults
        self._actor = actor
        self._update_id = uuid4()

    def run(self, tx: Connection[Any]) -> UpdateResult:
        own = {"tenant_id": self._tenant_id, "update_id": self._update_id}
        detail = value_of(tx, "recorded_update", own)
        if detail is not None:
            return _from_json(detail)
        found = self._lock_documents(tx)
        fault_point("update.locked")
        kept = [document.document_id for document in found if document.is_kept]
        old = [document for document in found if not (document.is_new or document.is_kept)]
        new = [document for document in found if document.is_new]
        self._refuse_missing(old, new, kept)
        if self._update.strategy is Strategy.METADATA:
            result = self._change_metadata(tx, old)
        else:
            result = self._replace(tx, old, new)
        result = replace(result, kept_document_ids=tuple(kept))
        event = {
            "actor": self._actor,
            "strategy": self._update.strategy.value,
            "detail": Jsonb(_to_json(result)),
        }
        tx.execute(query("record_update"), own | event)
        fault_point("update.before_commit")
        return result

    def _replace(
        self, tx: Connection[Any], old: Sequence[_Document], new: Sequence[_Document]
    ) -> UpdateResult:
        """Publish the new documents and delete the old ones, where the strategy says so."""
        # Before what was announced with them, which then says nothing else.
        self._patch(tx, new)
        added = sum(self._publish(tx, document) for document in new)
        fault_point("update.published")
        receipt_ids = [uuid4() for _ in old] if self._update.removes else []
        doomed = [document.document_id for document in old]
        if receipt_ids:
            deletions.delete_locked(tx, self._tenant_id, doomed, receipt_ids, actor=self._actor)
        touched = [*new, *old]
        return UpdateResult(
            documents_affected=len(touched),
            chunks_deleted=sum(document.chunks for document in touched),
            chunks_added=added,
            chunks_updated=0,
            updated_document_ids=tuple(document.document_id for document in touched),
            deleted_document_ids=tuple(doomed),
            receipt_ids=tuple(receipt_ids),
            reprocessed_document_ids=(),
            errors=self._unknown(old),
        )

    # ----------------------------------------------------------------------------- what it is about

    def _lock_documents(self, tx: Connection[Any]) -> list[_Document]:
        update = self._update
        name = update.collection
        asked = {"tenant_id": self._tenant_id, "collection": name}
        refuse_unknown_collection(tx, self._tenant_id, name)
        wanted, bound = wanted_documents(parse_filter(update.filters), update.document_ids)
        statement = sql.SQL(query("documents_to_update")).format(wanted=wanted)
        parameters = (
            bound
            | asked
            | {
                "new_ids": list(update.new_document_ids),
                "has_targets": update.has_targets,
                "keeps_standalone": self._keeps_standalone(),
                "limit": MAX_DOCUMENTS + 1,
            }
        )
        with tx.cursor(row_factory=class_row(_Document)) as cursor:
            found = cursor.execute(statement, parameters).fetchall()
        if len(found) > MAX_DOCUMENTS:
            raise InvalidRequest(f"more than {MAX_DOCUMENTS} documents match; narrow the filter")
        return found

    def _keeps_standalone(self) -> bool:
        """Say whether a cascade by user or template spares what was uploaded to stand alone.

        Who names the documents, or asks about `is_standalone`, means what the request says.
        """
        update = self._update
        asked = json.dumps(dict(update.filters or {}))
        is_cascade = update.removes and any(f'"{field}"' in asked for field in _CASCADES)
        says_which = update.document_ids or f'"{_STANDALONE}"' in asked
        return is_cascade and not update.include_standalone and not says_which

    def _refuse_missing(
        self, old: Sequence[_Document], new: Sequence[_Document], kept: Sequence[UUID]
    ) -> None:
        update, found = self._update, {document.document_id for document in new}
        for document_id in update.new_document_ids:
            if document_id not in found:
                raise no_document(document_id)
        matched = old or found & set(update.document_ids)
        if update.has_targets and not matched and update.strategy is not Strategy.UPSERT:
            message = "no document matches the ids or filters"
            if kept:
                message = f"every document that matches is {_STANDALONE}, and kept"
            raise NoDocumentsFoundError(
                message,
                strategy=str(update.strategy),
                collection=update.collection,
                kept=len(kept),
                include_standalone=update.include_standalone,
            )

    def _unknown(self, old: Sequence[_Document]) -> tuple[Mapping[str, Any], ...]:
        known = {document.document_id for document in old} | set(self._update.new_document_ids)
        return tuple(
            _left_alone(no_document(document_id), document_id)
            for document_id in self._update.document_ids
            if document_id not in known
        )

    # ------------------------------------------------------------------------------- what it does

    def _publish(self, tx: Connection[Any], document: _Document) -> int:
        """Publish what was uploaded with `hold: true`; return how many chunks that adds."""
        document_id = document.document_id
        key: Key = {"tenant_id": self._tenant_id, "document_id": document_id}
        key |= {"version": value_of(tx, "newest_version", key)}
        version = lock_version(tx, key)
        if version is None or not version.waits_for_update:
            raise _not_ready(document_id, version)
        # The collection may have another model by now than the vectors are of.
        model, model_id = tx.execute(query("model_of_version"), key).fetchone() or (None, None)
        try:
            refuse_unfinished(tx, key | {"model": model, "model_id": model_id})
        except EmbeddingError as error:
            raise DocumentNotReady(
                f"document {document_id} cannot be searched yet: {error.message}",
                document_id=str(document_id),
            ) from error
        replace_published(tx, key, version)
        tx.execute(query("publish_embedded"), key)
        fault_point("update.publishing")
        return value_of(tx, "version_chunks", key)

    def _patch(self, tx: Connection[Any], documents: Sequence[_Document]) -> None:
        patch = self._update.metadata_updates
        if not patch or not documents:
            return
        document_ids = [document.document_id for document in documents]
        changed = {
            "tenant_id": self._tenant_id,
            "document_ids": document_ids,
            "metadata": [Jsonb(_patched(document.metadata, patch)) for document in documents],
        }
        tx.execute(query("change_metadata"), changed)
        _change_announced(tx, self._tenant_id, document_ids, {"metadata": patch})
        fault_point("update.patched")

    def _change_metadata(self, tx: Connection[Any], documents: Sequence[_Document]) -> UpdateResult:
        self._patch(tx, documents)
        errors = list(self._unknown(documents))
        reprocessed: list[UUID] = []
        if self._update.reprocess_chunks:
            reprocessed = [
                each.document_id for each in documents if self._reprocess(tx, each, errors)
            ]
        changed = documents
        if not self._update.metadata_updates:
            changed = [each for each in documents if each.document_id in set(reprocessed)]
        return UpdateResult(
            documents_affected=len(changed),
            chunks_deleted=0,
            chunks_added=0,
            chunks_updated=sum(document.chunks for document in changed),
            updated_document_ids=tuple(document.document_id for document in changed),
            deleted_document_ids=(),
            receipt_ids=(),
            reprocessed_document_ids=tuple(reprocessed),
            errors=tuple(errors),
        )

    def _reprocess(
        self, tx: Connection[Any], document: _Document, errors: list[Mapping[str, Any]]
    ) -> bool:
        """Announce a version of the published bytes; the published one stays until it is done."""
        key: Key = {"tenant_id": self._tenant_id, "document_id": document.document_id}
        if document.published_version is None:
            obstacle = "the document has no published version to make anew"
        elif reprocess_published(tx, key, defaults=self._defaults, chunking=self._update.chunking):
            fault_point("update.reprocessing")
            return True
        else:
            obstacle = "another version of the document is being ingested"
        errors.append(_left_alone(Conflict(obstacle), document.document_id))
        return False


def _not_ready(document_id: UUID, version: VersionRow | None) -> DocumentNotReady:
    if version is None:
        is_now = "never registered"
    elif version.outcome is not None:
        is_now = version.outcome
    else:
        is_now = version.state if version.hold else f"{version.state}, not held"
    return DocumentNotReady(
        f"document {document_id} is {is_now}, and cannot be published by an update",
        document_id=str(document_id),
        state=is_now,
    )


def _patched(metadata: Mapping[str, Any], patch: Mapping[str, Any]) -> dict[str, Any]:
    result = merged(metadata, patch)
    if len(json.dumps(result)) > MAX_METADATA_BYTES:
        raise InvalidRequest(f"metadata would be larger than {MAX_METADATA_BYTES} bytes")
    return result


def _change_announced(
    tx: Connection[Any], tenant_id: UUID, document_ids: Sequence[UUID], fields: Mapping[str, Any]
) -> None:
    """Change what waits to be said of documents too: the last word is not unsaid by a version."""
    waiting = tx.execute(
        query("announcements"), {"tenant_id": tenant_id, "document_ids": document_ids}
    ).fetchall()
    for document_id, version, announced in waiting:
        metadata = merged(announced["metadata"], fields.get("metadata", {}))
        changed = json.dumps({**announced, **fields, "metadata": metadata}, default=str)
        key = {"tenant_id": tenant_id, "document_id": document_id, "version": version}
        tx.execute(query("change_announcement"), key | {"announced": changed})


def _left_alone(error: DocumentNotFound | Conflict, document_id: UUID) -> dict[str, Any]:
    return {"document_id": str(document_id), "code": error.code, "message": error.message}


_IDS: Final = (
    "updated_document_ids",
    "deleted_document_ids",
    "receipt_ids",
    "reprocessed_document_ids",
    "kept_document_ids",
)
_COUNTS: Final = ("documents_affected", "chunks_deleted", "chunks_added", "chunks_updated")


def _to_json(result: UpdateResult) -> dict[str, Any]:
    ids = {name: [str(each) for each in getattr(result, name)] for name in _IDS}
    counts = {name: getattr(result, name) for name in _COUNTS}
    return ids | counts | {"errors": list(result.errors)}


def _from_json(detail: Mapping[str, Any]) -> UpdateResult:
    parse: Callable[[str], UUID] = UUID
    ids = {name: tuple(map(parse, detail[name])) for name in _IDS}
    counts = {name: detail[name] for name in _COUNTS}
    return UpdateResult(**ids, **counts, errors=tuple(detail["errors"]))
