"""Put one object of a batch where its document lies, and say what the claim is to look at."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pulsedocs.documents.register_document import check_registration
from pulsedocs.errors import Conflict, InvalidRequest, PermanentError, with_context
from pulsedocs.ingestion.ingest_reference import (
    PlacedCopy,
    address_within,
    place_copy,
    type_of_object,
)
from pulsedocs.ingestion.ports import Intake
from pulsedocs.model.batches import BatchObject, BatchReference, parse_batch_request
from pulsedocs.model.object_keys import batch_control_key, ingest_control_key, upload_key
from pulsedocs.model.requests import Choices, FoundObject
from pulsedocs.ports.objects import ObjectStore

_LONGEST_SOURCE = 1024  # as the column has it; S3 allows 1,024 bytes of a key without its bucket
_TIMES = 2  # bytes that change between each listing and copy are somebody's open file


@dataclass(frozen=True, slots=True)
class PlacedObject:
    """The state of a Map's child: what an S3 event says, or why there is nothing to claim."""

    placed: bool
    batch: BatchReference
    item: BatchObject
    holder: str
    detail: Mapping[str, Any] | None = None
    error: Mapping[str, str] | None = None


def place_object(
    batch: BatchReference,
    item: BatchObject,
    *,
    prefixes: Sequence[str],
    objects: ObjectStore,
    intake: Intake,
    max_bytes: int,
) -> PlacedObject:
    """Copy an object to its document; one that has a version already goes on from there."""
    if item.document_id is not None:
        key = ingest_control_key(batch.tenant_id, item.document_id)
        return _claimable(batch, item, {"key": key})
    control = batch_control_key(batch.tenant_id, batch.batch_id)
    choices = parse_batch_request(objects.read(control)).choices
    try:
        copied = _copy(batch, item, choices, prefixes=prefixes, intake=intake, max_bytes=max_bytes)
    except PermanentError as error:
        cause = json.dumps({"errorMessage": with_context(error)})
        caught = {"Error": type(error).__name__, "Cause": cause}
        return PlacedObject(placed=False, batch=batch, item=item, holder=batch.holder, error=caught)
    key = upload_key(batch.tenant_id, copied.accepted.document_id)
    # By its version: where another batch's copy has followed, the newest is not this item's.
    return _claimable(batch, item, {"key": key, "version-id": copied.object_version})


def _claimable(
    batch: BatchReference, item: BatchObject, uploaded: Mapping[str, str]
) -> PlacedObject:
    detail = {"object": uploaded}
    return PlacedObject(placed=True, batch=batch, item=item, holder=batch.holder, detail=detail)


def _copy(
    batch: BatchReference,
    item: BatchObject,
    choices: Choices,
    *,
    prefixes: Sequence[str],
    intake: Intake,
    max_bytes: int,
) -> PlacedCopy:
    """Copy the bytes that were listed, or those that have taken their place since."""
    if len(item.source) > _LONGEST_SOURCE:
        raise InvalidRequest(f"the object's address is longer than {_LONGEST_SOURCE} characters")
    address = address_within(batch.tenant_id, item.source, prefixes)
    listed = FoundObject(address, item.size, "", item.etag)
    for attempt in range(1, _TIMES + 1):
        found = listed
        if attempt > 1:
            found = intake.find(address)
        elif not type_of_object(listed):
            # Listings do not say the declared type: it is asked for where the name does not.
            found = replace(intake.find(address), etag=item.etag, size=item.size)
        registration = choices.registration(
            source=item.source, content_type=type_of_object(found), size=found.size
        )
        check_registration(registration, max_bytes=max_bytes)
        try:
            return place_copy(
                batch.tenant_id, registration, found, intake=intake, batch_id=batch.batch_id
            )
        except Conflict:
            if attempt == _TIMES:
                raise
    raise AssertionError
