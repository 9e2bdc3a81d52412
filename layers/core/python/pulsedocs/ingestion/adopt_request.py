"""Give an object that came by reference its rows, before it is claimed."""

from pulsedocs.errors import ObjectNotFound
from pulsedocs.ingestion.ports import IngestionStore
from pulsedocs.model.documents import NothingToDo, StoredObject
from pulsedocs.model.object_keys import Subject, request_key
from pulsedocs.model.requests import RECORD_FIELD, parse_record
from pulsedocs.ports.objects import ObjectStore


def adopt_request(
    stored: StoredObject,
    sequencer: str | None,
    *,
    subject: Subject,
    objects: ObjectStore,
    store: IngestionStore,
) -> NothingToDo | None:
    """Return why there is nothing to claim, or None.

    An object that names no record was registered by the API. One whose record has expired is
    claimed like any other: as a new version of a document that is known, or not at all.
    """
    named = stored.metadata.get(RECORD_FIELD)
    if named is None:
        return None
    try:
        text = objects.read(request_key(subject.tenant_id, subject.document_id, named))
    except ObjectNotFound:
        return None
    record = parse_record(text, expected_hash=named)
    return store.adopt(
        subject.tenant_id,
        subject.document_id,
        record=record,
        stored=stored,
        sequencer=sequencer,
    )
