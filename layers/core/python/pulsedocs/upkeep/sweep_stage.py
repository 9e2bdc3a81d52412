"""Find what stopped without saying so, and set it going again or end it with a reason.

Every run looks at the markers of what is under way, and reaches for the database only when one is
overdue: asked every five minutes, a pausing database would never pause. A full pass, once a day,
compares the bucket with the rows. One that runs out of time leaves its position in the bucket, and
the next run goes on there. One that ended leaves when: where no clock asks for the next, a run
begins it by itself.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime, timedelta
from functools import cached_property, partial
from itertools import groupby
from typing import Final
from uuid import UUID

from pulsedocs.deletion.delete_document import ask_for_purge
from pulsedocs.deletion.ports import ObjectArchive
from pulsedocs.errors import (
    InvalidRequest,
    ObjectNotFound,
    PulseDocsError,
    RetryableError,
    StatementTimedOut,
)
from pulsedocs.faults import fault_point
from pulsedocs.model.deadline import Deadline
from pulsedocs.model.deletions import ObjectVersion
from pulsedocs.model.object_keys import (
    DELETED_PREFIX,
    OPEN_PREFIX,
    STAGING_PREFIX,
    SWEEP_POSITION_KEY,
    UPLOAD_PREFIX,
    Subject,
    ingest_control_key,
    open_marker_key,
    purge_control_key,
    subject_of,
    upload_key,
)
from pulsedocs.model.sweeps import Listing, Outlived, Position, SweepReport, Untreated, Verdict
from pulsedocs.ports.objects import ObjectStore, StoredKey
from pulsedocs.upkeep.ports import HistoryStore, SweepStore

_LEASE: Final = timedelta(minutes=16)  # what `take_fence` grants, and a minute
_EVENT_IS_LATE: Final = timedelta(minutes=10)
_PASS_IS_DUE: Final = timedelta(hours=25)  # the clock asks for one each day
_STAGING_IS_LEFT: Final = timedelta(days=15)  # the bucket's own rule takes it after two weeks
_RECOVERIES: Final = 100  # of one page, each a transaction
_OBJECTS: Final = 1000  # what S3 lists in one request
_SPARE_SECONDS: Final = 30.0  # a page takes seconds; nothing starts that might not end
_NOBODY: Final = UUID(int=0)
_UNTREATED: Final = 100  # each is a line of the log


COUNTS: Final = (
    "markers",
    "overdue",
    "requeued",
    "waiting",
    "ended",
    "failed",
    "stuck",
    "expired",
    "resumed",
    "unknown_objects",
    "orphans",
    "deleted_again",
    "purges",
    "reservations",
    "idempotency_keys",
    "conversations",
    "staging",
    "spent_versions",
    "merged_chunks",
    "old_records",
    "foreign_keys",
    "errors",
)
"""What a report counts, zeros included."""


def sweep_stage(
    *,
    is_full: bool,
    objects: ObjectArchive,
    store: Callable[[], SweepStore],
    history: Callable[[], HistoryStore],
    now: datetime,
    deadline: Deadline,
) -> SweepReport:
    """Look at overdue markers; go on with a full pass, or start one when `is_full` or long due.

    Every write it asks for is one that may be asked for twice: two sweeps at once are safe.
    """
    sweep = _Sweep(
        objects=objects, open_store=store, open_history=history, now=now, deadline=deadline
    )
    left = sweep.run(Position("markers"), parts=("markers",))
    position = _position(objects, is_full=is_full, now=now)
    if left is None and position is not None:
        _keep(objects, position)  # first: a pass that dies is gone on with
        left = sweep.run(position, parts=_FULL)
        _keep(objects, left or Position(_ENDED, now.isoformat()))
    counts = {name: sweep.counts[name] for name in COUNTS}
    return SweepReport(counts, left, tuple(sweep.untreated))


@dataclass
class _Sweep:
    objects: ObjectArchive
    open_store: Callable[[], SweepStore]
    open_history: Callable[[], HistoryStore]
    now: datetime
    deadline: Deadline
    counts: Counter[str] = field(default_factory=Counter[str])
    probed: dict[UUID, set[str]] = field(default_factory=dict[UUID, set[str]])
    untreated: list[Untreated] = field(default_factory=list[Untreated])

    @cached_property
    def store(self) -> SweepStore:
        return self.open_store()

    @cached_property
    def history(self) -> HistoryStore:
        return self.open_history()

    def run(self, start: Position, *, parts: Sequence[str]) -> Position | None:
        """Treat page after page of each part; return where to go on when time is up."""
        after: str | None = start.after
        for part in parts[parts.index(start.part) :]:
            while after is not None:
                if self.deadline.remaining() < _SPARE_SECONDS:
                    return Position(part, after)
                after = _PAGES[part](self, after)
            after = ""
        return None

    def markers(self, after: str) -> str | None:
        found = self.objects.list_objects(OPEN_PREFIX, after=after, limit=_OBJECTS)
        self.counts["markers"] += len(found)
        for marker in self._older(found, _LEASE):
            subject = self._subject(marker.key, OPEN_PREFIX)
            if subject is not None:
                self.counts["overdue"] += 1
                self._guard(subject, self._recover)
        return _last(found)

    def deleted(self, after: str) -> str | None:
        """Delete what a restored database has back, before anything else sets it going again."""
        found = self.objects.list_objects(DELETED_PREFIX, after=after, limit=_OBJECTS)
        read = [
            (self._subject(document, DELETED_PREFIX), receipt)
            for document, _, receipt in (record.key.rpartition("/") for record in found)
        ]
        known = [(subject, UUID(receipt)) for subject, receipt in read if subject is not None]
        for tenant_id, records in groupby(known, key=lambda item: item[0].tenant_id):
            receipts = {subject.document_id: receipt for subject, receipt in records}
            again = self.store.delete_again(tenant_id, receipts)
            self.counts["deleted_again"] += len(again)
            ask_for_purge(tenant_id, again, objects=self.objects)
        return _last(found)

    def unfinished(self, after: str) -> str | None:
        return self._treat(partial(self.store.listed, Listing.UNFINISHED), after, self._recover)

    def unpurged(self, after: str) -> str | None:
        return self._treat(partial(self.store.listed, Listing.UNPURGED), after, self._recover)

    def parked(self, after: str) -> str | None:
        return self._treat(partial(self.store.listed, Listing.PARKED), after, self._resume)

    def untidy(self, after: str) -> str | None:
        return self._treat(partial(self.store.listed, Listing.UNTIDY), after, self._tidy)

    def uploads(self, after: str) -> str | None:
        """Compare one page of the bucket with the rows: an event may have been lost."""
        found = self.objects.list_uploads(UPLOAD_PREFIX, after=after, limit=_OBJECTS)
        read = [
            (subject, upload.object_version)
            for upload in self._older(found, _EVENT_IS_LATE)
            if (subject := self._subject(upload.key, UPLOAD_PREFIX)) is not None
        ]
        for tenant_id, uploads in groupby(read, key=lambda item: item[0].tenant_id):
            listed = [(item.document_id, version) for item, version in uploads]
            for unknown in self.store.unknown_objects(tenant_id, listed):
                subject = Subject(tenant_id, unknown.document_id)
                self.counts["unknown_objects"] += 1
                if unknown.is_orphan:
                    self.counts["orphans"] += 1
                    self._ask(subject)
                else:
                    self._guard(subject, self._recover)
        return _last(found)

    def staging(self, after: str) -> str | None:
        found = self.objects.list_objects(STAGING_PREFIX, after=after, limit=_OBJECTS)
        for left_over in self._older(found, _STAGING_IS_LEFT):
            self.objects.remove(left_over.key)
            self.counts["staging"] += 1
        return _last(found)

    def spent(self, after: str) -> str | None:
        return self._treat(partial(self.history.outlived, Outlived.SPENT), after, self._end_spent)

    def postings(self, after: str) -> str | None:
        """Merge what is due, as far as time goes: the pass of the next day goes on."""
        return self._treat(self.history.collections_to_merge, after, self._merge)

    def records(self, after: str) -> str | None:
        return self._treat(
            partial(self.history.outlived, Outlived.RECORDS), after, self._forget_records
        )

    def _end_spent(self, subject: Subject) -> None:
        """Remove rows, then bytes, then the need to look again: a crash may follow each."""
        ids = (subject.tenant_id, subject.document_id)
        for spent in self.history.spent_versions(*ids):
            self.history.remove_content(*ids, spent.version)
            if spent.object_version is not None:
                key, version, size = upload_key(*ids), spent.object_version, spent.size
                self.objects.erase([ObjectVersion(key, version, is_delete_marker=False, size=size)])
            self.history.end_version(*ids, spent.version)
            self.counts["spent_versions"] += 1

    def _merge(self, collection: Subject) -> None:
        while self.deadline.remaining() > _SPARE_SECONDS and (
            merged := self.history.merge_postings(collection.tenant_id, collection.document_id)
        ):
            self.counts["merged_chunks"] += merged

    def _forget_records(self, subject: Subject) -> None:
        self.counts["old_records"] += self.history.forget_records(subject.tenant_id)

    def _treat(
        self,
        find: Callable[..., Sequence[tuple[UUID, UUID]]],
        after: str,
        treat: Callable[[Subject], None],
    ) -> str | None:
        """Treat one page of what the database lists; return where the next one begins."""
        found = find(after=_ids(after), limit=_RECOVERIES)
        for tenant_id, subject_id in found:
            self._guard(Subject(tenant_id, subject_id), treat)
        return None if len(found) < _RECOVERIES else "/".join(str(item) for item in found[-1])

    def _recover(self, subject: Subject) -> None:
        # The event of younger bytes may still come, so they are not the newest yet.
        key = upload_key(subject.tenant_id, subject.document_id)
        found = self._older(self.objects.list_uploads(key, limit=1), _EVENT_IS_LATE)
        recovery = self.store.recover(
            subject.tenant_id,
            subject.document_id,
            newest_object=found[0].object_version if found else None,
        )
        self.counts[_COUNTED_AS[recovery.verdict]] += 1
        self.counts["failed"] += recovery.failed
        self.counts["expired"] += recovery.expired
        # Stuck is what one automatic attempt did not help.
        is_repeated = recovery.verdict is Verdict.RUN and recovery.attempt > 1
        self.counts["stuck"] += recovery.failed + is_repeated
        if recovery.verdict is Verdict.RUN:
            self._ask(subject)
        elif recovery.verdict is Verdict.PURGE and recovery.receipt_id is not None:
            self.objects.write(purge_control_key(subject.tenant_id, recovery.receipt_id), b"{}")
        elif recovery.verdict is Verdict.ENDED:
            self.objects.remove(open_marker_key(subject.tenant_id, subject.document_id))

    def _resume(self, subject: Subject) -> None:
        probed = self.probed.setdefault(subject.tenant_id, set())
        if self.store.resume(subject.tenant_id, subject.document_id, probed=probed):
            self.counts["resumed"] += 1
            self._ask(subject)

    def _tidy(self, subject: Subject) -> None:
        self.counts.update(asdict(self.store.tidy(subject.tenant_id)))

    def _ask(self, subject: Subject) -> None:
        fault_point("sweep.before_write")
        self.objects.write(ingest_control_key(subject.tenant_id, subject.document_id), b"{}")

    def _guard(self, subject: Subject, treat: Callable[[Subject], None]) -> None:
        """Keep one document that cannot be treated from keeping the sweep from all others."""
        try:
            treat(subject)
        except PulseDocsError as error:
            if isinstance(error, RetryableError) and not isinstance(error, StatementTimedOut):
                raise
            self.counts["errors"] += 1
            self.counts["stuck"] += 1  # nobody else comes by for it
            if len(self.untreated) < _UNTREATED:
                untreated = Untreated(subject.tenant_id, subject.document_id, error.code)
                self.untreated.append(untreated)

    def _older(self, found: Iterable[StoredKey], age: timedelta) -> list[StoredKey]:
        return [item for item in found if item.last_modified < self.now - age]

    def _subject(self, key: str, prefix: str) -> Subject | None:
        try:
            return subject_of(UPLOAD_PREFIX + key.removeprefix(prefix))
        except InvalidRequest:
            self.counts["foreign_keys"] += 1
            return None


_FULL: Final = (
    # First: what a restored database brings back must not be set going by the parts behind.
    "deleted",
    "unfinished",
    "unpurged",
    "parked",
    "uploads",
    "untidy",
    "staging",
    "spent",
    "postings",
    "records",
)
_ENDED: Final = "ended"  # no part: nothing is left, and `after` says since when
_PAGES: Final[Mapping[str, Callable[[_Sweep, str], str | None]]] = {
    "markers": _Sweep.markers,
    "deleted": _Sweep.deleted,
    "unfinished": _Sweep.unfinished,
    "unpurged": _Sweep.unpurged,
    "parked": _Sweep.parked,
    "uploads": _Sweep.uploads,
    "untidy": _Sweep.untidy,
    "staging": _Sweep.staging,
    "spent": _Sweep.spent,
    "postings": _Sweep.postings,
    "records": _Sweep.records,
}
_COUNTED_AS: Final = {
    Verdict.RUN: "requeued",
    Verdict.PURGE: "purges",
    Verdict.WAIT: "waiting",
    Verdict.ENDED: "ended",
}


def _last(found: Sequence[StoredKey]) -> str | None:
    """Return the key that the next page follows; a page may be short before the end."""
    return found[-1].key if found else None


def _ids(after: str) -> tuple[UUID, UUID]:
    tenant, _, subject = after.partition("/")
    return (UUID(tenant), UUID(subject)) if subject else (_NOBODY, _NOBODY)


def _position(objects: ObjectStore, *, is_full: bool, now: datetime) -> Position | None:
    """Return where a full pass goes on or begins, if any; one that cannot be read starts over."""
    first = Position(_FULL[0])
    try:
        kept = json.loads(objects.read(SWEEP_POSITION_KEY))
        part, after = str(kept.get("part")), str(kept.get("after", ""))
        if part == _ENDED and not is_full:
            return first if now - datetime.fromisoformat(after) > _PASS_IS_DUE else None
    except ObjectNotFound:
        return first if is_full else None
    except ValueError:
        return first
    return Position(part, after) if part in _FULL else first


def _keep(objects: ObjectStore, position: Position) -> None:
    kept = json.dumps({"part": position.part, "after": position.after})
    objects.write(SWEEP_POSITION_KEY, kept.encode())
