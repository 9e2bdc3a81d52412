"""Remove what a deleted document left behind, prove that nothing is, and write the receipt."""

import hashlib
import secrets
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from uuid import UUID

from pulsedocs.deletion.delete_document import mark_deleted
from pulsedocs.deletion.ports import ObjectArchive, PurgeStore
from pulsedocs.deletion.verify_deletion import DeletionEvidence, hashes_in, search, verdict
from pulsedocs.errors import ArtifactInvalid, DeletionIncomplete, ObjectNotFound
from pulsedocs.faults import fault_point
from pulsedocs.model.deadline import Deadline
from pulsedocs.model.deletions import ObjectVersion, Purge, PurgeResult
from pulsedocs.model.object_keys import (
    deleted_key,
    deleted_of,
    document_prefixes,
    evaluation_request_prefix,
    purge_control_key,
    recognised_prefix,
    request_prefix,
    seen_key_of,
    source_key,
)
from pulsedocs.model.requests import name_text, parse_record, record_hash, source_text
from pulsedocs.model.shingles import Matcher, Sample, distinctive, key_of

RECEIPTS_AT_ONCE = 50
"""Purged together: the proof reads what is no document's, once for all of them."""
_OBJECTS_AT_ONCE = 1000  # what S3 deletes in one request


@dataclass(frozen=True, slots=True)
class Purged:
    """How many receipts were worked on, and whether more of the tenant's wait."""

    receipts: int
    left: int
    has_more: bool


@dataclass(frozen=True, slots=True)
class _Erased:
    objects: int
    delete_markers: int


def purge_documents(
    tenant_id: UUID,
    receipt_id: UUID,
    *,
    store: PurgeStore,
    objects: ObjectArchive,
    deadline: Deadline,
    marks_all: bool = False,
) -> Purged:
    """Purge the named deletion, and others of the tenant that wait.

    Where it `marks_all`, all that wait are marked first: more were deleted than an answer could
    mark. Where that takes longer than there is time, it asks for another one that goes on with it.

    Every part of it can be repeated: it removes what is still there. Where a tenant has more text
    than there is time, it asks for another purge, which goes on with the search. Raises
    DeletionIncomplete when something is left that it cannot remove; the receipt then names it.
    """
    if marks_all:
        unmarked = _unmarked(tenant_id, store.pending(tenant_id), objects=objects)
        later = mark_deleted(tenant_id, unmarked, objects=objects, deadline=deadline)
        if later:
            objects.write(purge_control_key(tenant_id, later[0], marks_all=True), b"{}")
            return Purged(0, 0, has_more=True)
    purges = store.begin(tenant_id, receipt_id, most=RECEIPTS_AT_ONCE)
    for purge in purges:  # first: whoever restores an older database finds it before it is gone
        objects.write(deleted_key(tenant_id, purge.document_id, purge.receipt_id), b"{}")
    purges = [_keep_sample(purge, store) for purge in purges]
    erased = [_remove(purge, store=store, objects=objects) for purge in purges]
    store.forget_said(tenant_id, purges)
    _forget_labelled(tenant_id, purges, objects=objects)
    evidence = search(tenant_id, purges, store=store, objects=objects, deadline=deadline)
    if evidence.unfinished is not None:
        for purge, gone in zip(purges, erased, strict=True):
            store.keep_search(purge, evidence.unfinished, before=_counted(purge, gone))
        fault_point("purge.search_kept")
        objects.write(purge_control_key(tenant_id, receipt_id), b"{}")
        return Purged(len(purges), 0, has_more=True)
    left = 0
    for purge, gone in zip(purges, erased, strict=True):
        left += _finish(purge, gone, evidence, store=store, objects=objects)
    waiting = [each for each in store.pending(tenant_id).values() if each != receipt_id]
    if left:
        raise DeletionIncomplete(f"{left} pieces of deleted documents are left", left=left)
    if waiting:  # one request is enough: the purge that it starts takes the others along
        objects.write(purge_control_key(tenant_id, waiting[0]), b"{}")
    return Purged(len(purges), left, bool(waiting))


def _unmarked(
    tenant_id: UUID, receipts: Mapping[UUID, UUID], *, objects: ObjectArchive
) -> dict[UUID, UUID]:
    """Return those without their mark: a listing tells a thousand, where each takes a request."""
    marked = set[str]()
    after: str | None = ""
    while after is not None:
        found = objects.list_objects(deleted_of(tenant_id), after=after)
        marked.update(mark.key for mark in found)
        after = found[-1].key if found else None
    return {
        document_id: receipt_id
        for document_id, receipt_id in receipts.items()
        if deleted_key(tenant_id, document_id, receipt_id) not in marked
    }


def _keep_sample(purge: Purge, store: PurgeStore) -> Purge:
    """Choose what to look for while the text is still there, and keep it should we crash."""
    if purge.is_completed or purge.sample is not None:
        return purge
    shingles = distinctive(store.texts(purge))
    sample = Sample.of(shingles, key=key_of(secrets.token_bytes(32)))
    sample = replace(sample, quoted_by=store.quoted_by(purge, shingles, sample))
    store.keep_sample(purge, sample)
    return replace(purge, sample=sample)


def _remove(purge: Purge, *, store: PurgeStore, objects: ObjectArchive) -> _Erased:
    # First: rows and records know the names of its sources.
    _forget_sources(purge, store=store, objects=objects)
    store.remove_rows(purge)
    counted = _Erased(0, 0)
    for batch in _batches(versions_of(purge, objects)):
        objects.erase(batch)
        markers = sum(version.is_delete_marker for version in batch)
        counted = _Erased(counted.objects + len(batch) - markers, counted.delete_markers + markers)
        fault_point("purge.objects_erased")
    return counted


def _forget_sources(purge: Purge, *, store: PurgeStore, objects: ObjectArchive) -> None:
    """Remove what leads from a source or picture to this document; it may lead elsewhere by now."""
    for key in set(_source_keys(purge, store=store, objects=objects)):
        own: list[ObjectVersion] = []
        for version in objects.versions(key):
            if version.key == key and not version.is_delete_marker:
                with suppress(ObjectNotFound):
                    kept = objects.read(key, object_version=version.object_version)
                    own += [version] if str(purge.document_id).encode() in kept else []
        for batch in _batches(iter(own)):
            objects.erase(batch)


def _forget_labelled(tenant_id: UUID, purges: Sequence[Purge], *, objects: ObjectArchive) -> None:
    """Remove questions of evaluations that quote a document: the bucket hides those that ran."""
    matcher = Matcher([each for purge in purges for each in purge.samples])
    if matcher.is_empty:
        return

    def quoting() -> Iterator[ObjectVersion]:
        for version in objects.versions(evaluation_request_prefix(tenant_id)):
            if not version.is_delete_marker:
                with suppress(ObjectNotFound):
                    asked = objects.read(version.key, object_version=version.object_version)
                    if hashes_in(asked, matcher):
                        yield version

    for batch in _batches(quoting()):
        objects.erase(batch)
        fault_point("purge.evaluations_erased")


def _source_keys(purge: Purge, *, store: PurgeStore, objects: ObjectArchive) -> Iterator[str]:
    """Yield keys that lead to a document: of its pictures, its row, the requests that brought it.

    The requests still name a collection that was deleted and gave its name away.
    """
    named = store.named_source(purge)
    if named is not None:
        collection, source = named
        # A refused document goes by its source and its id: see `adopt`.
        plain = source.removesuffix(f" [{purge.document_id}]")
        yield _source_key(purge, name_text(collection, plain))
    for version in objects.versions(recognised_prefix(purge.tenant_id, purge.document_id)):
        yield seen_key_of(version.key)
    for version in objects.versions(request_prefix(purge.tenant_id, purge.document_id)):
        if version.is_delete_marker:
            continue
        with suppress(ObjectNotFound, ArtifactInvalid):
            text = objects.read(version.key, object_version=version.object_version)
            record = parse_record(text, expected_hash=record_hash(text))
            yield _source_key(purge, source_text(record.registration))


def _source_key(purge: Purge, name: bytes) -> str:
    return source_key(purge.tenant_id, hashlib.sha256(name).hexdigest())


def versions_of(purge: Purge, objects: ObjectArchive) -> Iterator[ObjectVersion]:
    """Yield every object version and delete marker of a document."""
    for prefix in document_prefixes(purge.tenant_id, purge.document_id):
        yield from objects.versions(prefix)


def _batches(versions: Iterator[ObjectVersion]) -> Iterator[list[ObjectVersion]]:
    batch: list[ObjectVersion] = []
    for version in versions:
        batch.append(version)
        if len(batch) == _OBJECTS_AT_ONCE:
            yield batch
            batch = []
    if batch:
        yield batch


def _counted(purge: Purge, erased: _Erased) -> dict[str, int]:
    """Return how many objects there were, with what earlier purges removed."""
    return {
        "objects": purge.before.get("objects", 0) + erased.objects,
        "delete_markers": purge.before.get("delete_markers", 0) + erased.delete_markers,
    }


def _finish(
    purge: Purge,
    erased: _Erased,
    evidence: DeletionEvidence,
    *,
    store: PurgeStore,
    objects: ObjectArchive,
) -> int:
    """Write one receipt; return how much of its document is left."""
    remaining: Sequence[ObjectVersion] = list(versions_of(purge, objects))
    markers = sum(version.is_delete_marker for version in remaining)
    after = {
        **store.count_rows(purge),
        "objects": len(remaining) - markers,
        "delete_markers": markers,
    }
    verification = verdict(purge, evidence, after=after)
    fault_point("purge.verified")
    result = PurgeResult(
        before=_counted(purge, erased),
        after=after,
        verification=verification,
        is_complete=verification["left"] == 0,
    )
    store.finish(purge, result)
    return 0 if purge.is_completed else verification["left"]
