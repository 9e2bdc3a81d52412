"""List the objects of a batch, a page at a time: nothing holds all of their names."""

from dataclasses import dataclass

from pulsedocs.faults import fault_point
from pulsedocs.ingestion.ingest_reference import prefix_within
from pulsedocs.ingestion.ports import Intake
from pulsedocs.model.batches import (
    BatchObject,
    BatchReference,
    objects_text,
    parse_batch_request,
)
from pulsedocs.model.object_keys import batch_control_key, batch_page_key
from pulsedocs.model.requests import FoundObject, ObjectAddress
from pulsedocs.ports.objects import ObjectStore

OBJECTS_AT_ONCE = 2000
"""Of a page. A run of the Map has as many children; 23 events of the batch's history go with it."""
_LISTED_AT_ONCE = 1000  # what S3 lists in one request


@dataclass(frozen=True, slots=True)
class Listed:
    """A page of the listing, in the bucket; `after` is the last key of it."""

    batch: BatchReference
    listing: str
    after: str
    more: bool


def list_batch(
    batch: BatchReference,
    *,
    after: str,
    prefixes: tuple[str, ...],
    objects: ObjectStore,
    intake: Intake,
) -> Listed:
    """Write the page that follows `after`; written again it lies in the same place."""
    control = batch_control_key(batch.tenant_id, batch.batch_id)
    request = parse_batch_request(objects.read(control))
    place = prefix_within(batch.tenant_id, request.prefix, prefixes)
    found, last, more = _page(place, after, intake)
    listing = batch_page_key(batch.tenant_id, batch.batch_id, "listing", after=after)
    # A key that ends in a slash is what consoles make where people see a folder.
    kept = [
        BatchObject(each.address.uri, each.etag, each.size)
        for each in found
        if not each.address.key.endswith("/")
    ]
    objects.write(listing, objects_text(kept))
    fault_point("listing.after_write")
    return Listed(batch, listing, last, more)


def _page(place: ObjectAddress, after: str, intake: Intake) -> tuple[list[FoundObject], str, bool]:
    found: list[FoundObject] = []
    while len(found) < OBJECTS_AT_ONCE:
        part = intake.list_objects(place, after=after, limit=_LISTED_AT_ONCE)
        found += part
        if not part:
            return found, after, False
        after = part[-1].address.key
    return found, after, True
