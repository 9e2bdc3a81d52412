"""Look for a deleted document's words in everything that its tenant still has.

Rows and objects that name the document are counted; its words, as keyed hashes, are looked for in
every text and every object that could outlive its document. What another document says in the same
words is no leak, and is named apart: it is found through the postings.
"""

import json
import secrets
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import islice
from typing import Any, cast
from uuid import UUID

from pulsedocs.deletion.ports import Deletions, ObjectArchive, PurgeStore
from pulsedocs.errors import InvalidRequest, ObjectNotFound
from pulsedocs.faults import fault_point
from pulsedocs.model.deadline import Deadline
from pulsedocs.model.deletions import Hit, Purge, Searched
from pulsedocs.model.object_keys import document_in, purge_control_key, searched_prefixes
from pulsedocs.model.shingles import (
    MAX_ASKED,
    MAX_QUOTING,
    SHINGLE_WORDS,
    Matcher,
    Sample,
    key_of,
    normalised,
    texts_in,
)
from pulsedocs.ports.objects import ObjectStore

_SECONDS_TO_WRITE_RECEIPTS = 60  # up to 50 of them, each with the rows of every table counted
_KEYS_AT_ONCE = 1000  # what S3 lists in one request


@dataclass(frozen=True, slots=True)
class DeletionEvidence:
    """What one search found; `owners` are the documents that exist among those that were hit.

    `unfinished` is how far it came where the time did not suffice for the rows.
    """

    hits: tuple[Hit, ...]
    owners: frozenset[UUID]
    texts: int
    objects: int
    objects_not_searched: int
    unreadable: tuple[str, ...]
    is_searched: bool
    unfinished: Searched | None = None


def ask_for_shingles(
    tenant_id: UUID,
    receipt_id: UUID,
    shingles: Sequence[str],
    *,
    changes: Deletions,
    objects: ObjectStore,
) -> None:
    """Have a client's own shingles looked for; what is kept of them is hashes."""
    known = [normalised(shingle) for shingle in shingles[: MAX_ASKED + 1]]
    wrong = next((index for index, each in enumerate(known) if each is None), None)
    if wrong is not None or not 0 < len(known) <= MAX_ASKED:
        place = "" if wrong is None else f"; number {wrong + 1} has not"
        raise InvalidRequest(
            f"1 to {MAX_ASKED} shingles of exactly {SHINGLE_WORDS} words are needed{place}"
        )
    key = key_of(secrets.token_bytes(32))
    sample = Sample.of((each for each in known if each is not None), key=key)
    quoted_by = changes.quoted_by(tenant_id, [each for each in known if each], sample)
    changes.ask(tenant_id, receipt_id, replace(sample, quoted_by=quoted_by))
    fault_point("verify.before_control")
    objects.write(purge_control_key(tenant_id, receipt_id), b"{}")


def search(
    tenant_id: UUID,
    purges: Sequence[Purge],
    *,
    store: PurgeStore,
    objects: ObjectArchive,
    deadline: Deadline,
) -> DeletionEvidence:
    """Read once for all samples, or go on with what a purge began.

    That is what belongs to no document and what belongs to those that quote a sample. Where these
    were not looked up, by the version before or because a shingle has only figures, it is all.
    """
    samples = [each for purge in purges for each in purge.samples]
    matcher = Matcher(samples)
    if matcher.is_empty:
        return DeletionEvidence((), frozenset(), 0, 0, 0, (), is_searched=False)
    quoting = _quoting(samples)
    rows = store.search(
        tenant_id,
        matcher,
        documents=quoting,
        since=purges[0].searched,
        deadline=Deadline.after(deadline.remaining() - _SECONDS_TO_WRITE_RECEIPTS),
    )
    if rows.reached is not None:
        return DeletionEvidence((), frozenset(), 0, 0, 0, (), is_searched=False, unfinished=rows)
    reading = _Reading(objects, matcher, deadline)
    purged = {purge.document_id for purge in purges}

    def is_read(document_ids: set[UUID]) -> set[UUID]:
        if quoting is None:
            return document_ids
        return document_ids - (store.existing(tenant_id, document_ids) - purged - quoting)

    hits = (*rows.hits, *reading.hits(tenant_id, is_read))
    named = {hit.document_id for hit in hits if hit.document_id is not None}
    owners = frozenset(store.existing(tenant_id, named))
    return DeletionEvidence(
        hits, owners, rows.texts, reading.read, reading.skipped, rows.unreadable, is_searched=True
    )


def verdict(
    purge: Purge, evidence: DeletionEvidence, *, after: Mapping[str, int]
) -> dict[str, Any]:
    """Say what is left of one document, where, and which others have the same words."""
    sampled = _hashes(purge.sample) | _hashes(purge.asked)
    places = Counter({f"rows of {name}": count for name, count in after.items() if count})
    elsewhere: set[UUID] = set()
    for hit in evidence.hits:
        if not hit.hashes & sampled:
            continue
        # Words that a document says which still exists are its own: no leak of the deleted one's.
        if hit.document_id in evidence.owners and hit.document_id != purge.document_id:
            elsewhere.add(cast("UUID", hit.document_id))
        else:
            places[hit.place] += 1
    found = {
        "left": sum(places.values()),
        "places": [{"place": place, "count": count} for place, count in sorted(places.items())],
        "verified_at": datetime.now(UTC).isoformat(),
    }
    if not evidence.is_searched and purge.verification is not None:
        return {**purge.verification, **found}  # a late object was removed; nothing to look for
    return found | {
        "shingles": len(_hashes(purge.sample)),
        "shingles_asked": len(_hashes(purge.asked)),
        "elsewhere": sorted(map(str, elsewhere))[:MAX_QUOTING],
        "texts_searched": evidence.texts,
        "objects_searched": evidence.objects,
        "objects_not_searched": evidence.objects_not_searched,
        "tables_not_searched": list(evidence.unreadable),
    }


class _Reading:
    """Reads the objects that could hold a tenant's words, as long as there is time."""

    def __init__(self, objects: ObjectArchive, matcher: Matcher, deadline: Deadline) -> None:
        self._objects = objects
        self._matcher = matcher
        self._deadline = deadline
        self.read = 0
        self.skipped = 0

    def hits(self, tenant_id: UUID, to_read: Callable[[set[UUID]], set[UUID]]) -> Iterator[Hit]:
        """Yield what objects have that are no document's, or one's that is `to_read`."""
        for prefix in searched_prefixes(tenant_id):
            kept = (each for each in self._objects.versions(prefix) if not each.is_delete_marker)
            while some := [(document_in(each.key), each) for each in islice(kept, _KEYS_AT_ONCE)]:
                read = to_read({owner for owner, _ in some if owner is not None})
                for owner, version in some:
                    if owner is not None and owner not in read:
                        continue
                    if self._deadline.remaining() < _SECONDS_TO_WRITE_RECEIPTS:
                        self.skipped += 1
                        continue
                    hashes = self._search(version.key, version.object_version)
                    if hashes:
                        yield Hit(f"object {version.key.partition('/')[0]}/", owner, hashes)

    def _search(self, key: str, object_version: str) -> frozenset[bytes]:
        try:
            body = self._objects.read(key, object_version=object_version)
        except ObjectNotFound:
            return frozenset()  # it expired, or another purge was here
        self.read += 1
        return hashes_in(body, self._matcher)


def hashes_in(body: bytes, matcher: Matcher) -> frozenset[bytes]:
    return frozenset[bytes]().union(*(matcher.found_in(text) for text in _texts(body)))


def _texts(body: bytes) -> Iterator[str]:
    """Yield the strings of JSON or of JSON lines, else the whole as one text."""
    text = body.decode("utf-8", errors="replace")
    try:
        yield from texts_in(json.loads(text))
    except ValueError:
        for line in text.splitlines():
            try:
                yield from texts_in(json.loads(line))
            except ValueError:
                yield text
                return


def _hashes(sample: Sample | None) -> frozenset[bytes]:
    return frozenset() if sample is None else sample.hashes


def _quoting(samples: Sequence[Sample]) -> frozenset[UUID] | None:
    """Return the documents that have words of the samples, None where one was not looked up."""
    known = [each.quoted_by for each in samples if each.hashes]
    if any(each is None for each in known):
        return None
    return frozenset[UUID]().union(*(each for each in known if each is not None))
