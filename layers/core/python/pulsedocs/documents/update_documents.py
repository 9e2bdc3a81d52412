"""Replace, add to, remove or describe documents that exist."""

from typing import Final
from uuid import UUID

from pulsedocs.deletion.delete_document import finish_deletion
from pulsedocs.documents.ports import DocumentChanges
from pulsedocs.errors import InvalidRequest
from pulsedocs.faults import fault_point
from pulsedocs.model.changes import Description, Strategy, Update, UpdateResult
from pulsedocs.model.documents import DocumentStatus
from pulsedocs.model.object_keys import ingest_control_key
from pulsedocs.ports.objects import ObjectStore

ADDS: Final = frozenset({Strategy.REPLACE, Strategy.APPEND, Strategy.UPSERT})
NEEDS_TARGETS: Final = frozenset({Strategy.REPLACE, Strategy.DELETE, Strategy.METADATA})


def describe_document(
    tenant_id: UUID,
    document_id: UUID,
    description: Description,
    *,
    actor: str,
    changes: DocumentChanges,
) -> DocumentStatus:
    """Change what is said of a document; its text and vectors stay as they are."""
    if not description.given:
        raise InvalidRequest("give at least one of metadata, title and content_date")
    return changes.describe(tenant_id, document_id, description, actor=actor)


def update_documents(
    tenant_id: UUID,
    update: Update,
    *,
    actor: str,
    changes: DocumentChanges,
    objects: ObjectStore,
) -> UpdateResult:
    """Do what the strategy says in one transaction, then ask for what takes longer.

    Raises InvalidRequest for a combination that means nothing, CollectionNotFoundError,
    NoDocumentsFoundError and DocumentNotReady.
    """
    _refuse_contradictions(update)
    result = changes.update(tenant_id, update, actor=actor)
    # Behind the commit: what is lost from here on, the sweep asks for again.
    fault_point("update.before_control")
    receipts = zip(result.deleted_document_ids, result.receipt_ids, strict=True)
    finish_deletion(tenant_id, dict(receipts), objects=objects)
    for document_id in result.reprocessed_document_ids:
        objects.write(ingest_control_key(tenant_id, document_id), b"{}")
    return result


def _refuse_contradictions(update: Update) -> None:
    strategy = update.strategy
    if strategy in ADDS and not update.new_document_ids:
        raise InvalidRequest(
            f"strategy {strategy} needs new_document_ids (new_documents of the client);"
            " what changes only documents that exist is strategy metadata"
        )
    if strategy not in ADDS and update.new_document_ids:
        raise InvalidRequest(f"strategy {strategy} takes no new_document_ids")
    if strategy in NEEDS_TARGETS and not update.has_targets:
        raise InvalidRequest(f"strategy {strategy} needs filters or document_ids")
    if strategy is Strategy.APPEND and update.has_targets:
        raise InvalidRequest("strategy append changes no existing document: leave the filters out")
    if strategy is Strategy.DELETE and update.metadata_updates:
        raise InvalidRequest("strategy delete leaves nothing that metadata_updates could describe")
    if strategy is Strategy.METADATA and not (update.metadata_updates or update.reprocess_chunks):
        raise InvalidRequest("strategy metadata needs metadata_updates or reprocess_chunks")
    if update.reprocess_chunks and update.strategy is not Strategy.METADATA:
        raise InvalidRequest("reprocess_chunks goes with strategy metadata: others bring new text")
    if update.chunking is not None and not update.reprocess_chunks:
        raise InvalidRequest("chunking goes with reprocess_chunks")
