"""Nothing is ever stuck: whatever is lost, sweeps bring each document to its end."""

import itertools
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, cast
from uuid import UUID, uuid4

import pytest
from psycopg import Connection

from pulsedocs import faults
from pulsedocs.adapters.memory.object_store import InMemoryObjectStore
from pulsedocs.adapters.postgres.connection import Database
from pulsedocs.adapters.postgres.documents.catalogue import PostgresDocumentCatalogue
from pulsedocs.adapters.postgres.documents.operations import PostgresDocumentOperations
from pulsedocs.adapters.postgres.ingestion.ingestion import PostgresIngestionStore
from pulsedocs.adapters.postgres.upkeep.history import PostgresHistoryStore
from pulsedocs.adapters.postgres.upkeep.sweeps import AUTOMATIC_ATTEMPTS, PostgresSweepStore
from pulsedocs.documents.cancel_document import cancel_document
from pulsedocs.documents.redrive import Redriven, redrive
from pulsedocs.documents.retry_document import retry_document
from pulsedocs.errors import (
    Cancelled,
    IllegalTransition,
    NothingToCancel,
    NothingToRetry,
    ProcessingFailed,
    ProviderQuotaExhausted,
    PulseDocsError,
    RetryableError,
    StatementTimedOut,
)
from pulsedocs.ingestion.claim_upload import Claimed, claim_upload
from pulsedocs.model.deadline import Deadline
from pulsedocs.model.object_keys import (
    SWEEP_POSITION_KEY,
    ingest_control_key,
    open_marker_key,
    upload_key,
)
from pulsedocs.model.sweeps import Position, Recovery, RedriveFilter, SweepReport, Untreated
from pulsedocs.upkeep.ports import SweepStore
from pulsedocs.upkeep.sweep_stage import sweep_stage
from tests.integration.digest import version_digest
from tests.integration.ingestion.pipeline import PUBLISHED, Clock, Crash, Event, Pipeline
from tests.integration.invariants import violations

DOCUMENT = UUID("22222222-2222-4222-8222-222222222222")
TEXT = "\n\n".join(
    f"Section {number}. The gauge of station {number} is read at {number + 3} o'clock and logged."
    for number in range(1, 7)
).encode()
ACTOR = "operator"


@dataclass
class Stage:
    """A pipeline whose executions and events can be lost, and the sweep that makes up for it."""

    pipeline: Pipeline
    operations: PostgresDocumentOperations
    sweeps: PostgresSweepStore
    history: PostgresHistoryStore
    admin: Connection[Any]
    clock: Clock
    connections: int = 0
    losses: Iterator[bool] = field(default_factory=lambda: itertools.repeat(object=False))

    @property
    def objects(self) -> InMemoryObjectStore:
        return self.pipeline.objects

    def store(self) -> SweepStore:
        self.connections += 1
        return self.sweeps

    def sweep(self, *, full: bool = False, deadline: Deadline | None = None) -> SweepReport:
        return sweep_stage(
            is_full=full,
            objects=self.objects,
            store=self.store,
            history=lambda: self.history,
            now=self.clock.now,
            deadline=deadline or Deadline.after(600),
        )

    def pass_time(self, **delta: float) -> None:
        """Move the clock of the bucket on, and everything the database remembers back."""
        passed = timedelta(**delta)
        self.clock.now += passed
        self.admin.execute(
            "UPDATE document_version SET lease_until = lease_until - %(d)s,"
            " requested_at = requested_at - %(d)s, registered_at = registered_at - %(d)s,"
            " history = (SELECT jsonb_agg(jsonb_set(e, '{at}',"
            " to_jsonb((e ->> 'at')::timestamptz - %(d)s)))"
            " FROM jsonb_array_elements(history) AS e)",
            {"d": passed},
        )
        self.admin.execute("UPDATE usage SET settled_at = settled_at - %s", [passed])

    def deliver_requests(self) -> None:
        """Run what control objects ask for, as the rule on their prefix does; some are lost."""
        for key in self.objects.keys("control/ingest/"):
            self.objects.remove(key)
            if not next(self.losses):
                self.execute(Event(key, object_version="", sequencer="1"))

    def execute(self, event: Event) -> None:
        """Run one execution; a crash is the end of it, with nobody to notice."""
        try:
            self.deliver_once(event)
        except (Crash, RetryableError):
            return

    def claim(self, event: Event) -> Claimed:
        return claim_upload(
            event.key,
            object_version=event.object_version,
            sequencer=event.sequencer,
            holder=f"execution-{next(self.pipeline.executions)}",
            objects=self.objects,
            store=self.pipeline.store,
            max_bytes=50_000_000,
        )

    def deliver_once(self, event: Event) -> None:
        claimed = self.claim(event)
        if not claimed.work:
            return
        try:
            for step in self.pipeline.steps(claimed):
                if step() is not None:
                    return
        except RetryableError:
            raise
        except PulseDocsError as error:
            self.pipeline.fail(claimed, error)

    def settle(self, tenant: UUID, *, rounds: int = 12) -> None:
        """Let time pass and sweeps run until every document of a tenant has ended."""
        for number in range(rounds):
            self.pass_time(hours=6)
            self.sweep(full=number % 4 == 3)
            self.deliver_requests()
            if not self.open_documents(tenant):
                return

    def open_documents(self, tenant: UUID) -> int:
        row = self.admin.execute(
            "SELECT count(*) FROM document_version WHERE tenant_id = %s AND outcome IS NULL",
            [tenant],
        ).fetchone()
        assert row is not None
        return row[0]

    def outcome(self, tenant: UUID, document: UUID = DOCUMENT) -> tuple[str | None, str | None]:
        status = self.pipeline.catalogue.status(tenant, document)
        return status.outcome, None if status.error is None else status.error.code

    def has_marker(self, tenant: UUID) -> bool:
        return self.objects.exists(open_marker_key(tenant, DOCUMENT))

    def redrive(self, tenant: UUID, *, dry_run: bool = False, **wanted: Any) -> Redriven:
        return redrive(
            tenant,
            RedriveFilter(**wanted),
            dry_run=dry_run,
            actor=ACTOR,
            operations=self.operations,
            objects=self.objects,
        )

    def retry(self, tenant: UUID) -> None:
        retry_document(
            tenant, DOCUMENT, actor=ACTOR, operations=self.operations, objects=self.objects
        )

    def cancel(self, tenant: UUID) -> None:
        cancel_document(
            tenant, DOCUMENT, actor=ACTOR, operations=self.operations, objects=self.objects
        )


@pytest.fixture
def stage(
    database_as: Callable[[str], Database], connect_as: Callable[[str], Connection[Any]]
) -> Stage:
    clock = Clock()
    admin = connect_as("admin")
    admin.autocommit = True
    return Stage(
        pipeline=Pipeline(
            store=PostgresIngestionStore(database_as("ingest")),
            catalogue=PostgresDocumentCatalogue(database_as("api")),
            objects=InMemoryObjectStore(now=clock),
        ),
        operations=PostgresDocumentOperations(database_as("api")),
        sweeps=PostgresSweepStore(database_as("sweep")),
        history=PostgresHistoryStore(database_as("sweep"), days=30, kept=0),
        admin=admin,
        clock=clock,
    )


@pytest.fixture(autouse=True)
def _no_faults_left() -> Iterator[None]:  # pyright: ignore[reportUnusedFunction] -- autouse
    yield
    faults.install(None)


def strike(nth: int) -> None:
    """Arm the process: the nth fault point reached is the end of the execution, once."""
    numbers = itertools.count()

    def injector(_point: str) -> None:
        if next(numbers) == nth:
            raise Crash

    faults.install(injector)


def points_of_one_run(stage: Stage) -> list[str]:
    event = stage.pipeline.upload(uuid4(), DOCUMENT, TEXT)
    reached: list[str] = []
    faults.install(reached.append)
    stage.deliver_once(event)
    faults.install(None)
    return reached


def lose_claims(stage: Stage, tenant: UUID) -> Event:
    """Upload, and lose the execution right after its claim."""
    event = stage.pipeline.upload(tenant, DOCUMENT, TEXT)
    assert stage.claim(event).work
    return event


def ingest(stage: Stage, tenant: UUID, body: bytes = TEXT) -> str:
    stage.deliver_once(stage.pipeline.upload(tenant, DOCUMENT, body))
    return version_digest(stage.admin, tenant, DOCUMENT)


def test_an_execution_lost_at_any_point_is_made_up_for(stage: Stage) -> None:
    """S0-26, P-02: no retry, no Catch, no status event; sweeps alone bring the golden digest."""
    expected = ingest(stage, uuid4())
    points = points_of_one_run(stage)
    assert len(set(points)) > 15

    for nth, point in enumerate(points):
        tenant = uuid4()
        event = stage.pipeline.upload(tenant, DOCUMENT, TEXT)
        strike(nth)
        with pytest.raises(Crash):
            stage.deliver_once(event)
        faults.install(None)
        stage.settle(tenant)
        assert stage.outcome(tenant) == (PUBLISHED, None), point
        assert version_digest(stage.admin, tenant, DOCUMENT) == expected, point
        assert violations(stage.admin, tenant) == [], point
        stage.sweep()
        assert not stage.has_marker(tenant), point


def test_a_step_that_kills_every_execution_ends_the_document_with_a_reason(stage: Stage) -> None:
    """P-02, S0-26: five automatic attempts, then FAILED; a retry starts the count again."""
    tenant = uuid4()
    expected = ingest(stage, uuid4())
    event = stage.pipeline.upload(tenant, DOCUMENT, TEXT)
    chunked = 0

    def injector(point: str) -> None:
        nonlocal chunked
        if point == "chunk.before_commit":
            chunked += 1
            raise Crash

    faults.install(injector)
    stage.execute(event)
    stage.settle(tenant)
    faults.install(None)

    assert stage.outcome(tenant) == ("FAILED", "STUCK")
    assert chunked == 1 + AUTOMATIC_ATTEMPTS
    assert not stage.has_marker(tenant)
    stage.settle(tenant, rounds=5)
    assert stage.outcome(tenant) == ("FAILED", "STUCK")
    stage.retry(tenant)
    stage.deliver_requests()
    assert version_digest(stage.admin, tenant, DOCUMENT) == expected


def test_a_fifth_of_all_events_may_be_lost(stage: Stage) -> None:
    """S0-27, S0-28, P-01: 100 documents by seed, uploads and requests alike (K17)."""
    chance = random.Random(20261121)
    stage.losses = iter(lambda: chance.random() < 0.2, None)
    tenant, lost = uuid4(), 0
    for number in range(100):
        document, body = UUID(int=number + 1), f"{number} gauges were read.".encode() + TEXT[:200]
        event = stage.pipeline.upload(tenant, document, body, filename=f"{number}.txt")
        if next(stage.losses):
            lost += 1
        else:
            stage.execute(event)

    assert 10 < lost < 40
    assert stage.open_documents(tenant) == lost
    stage.settle(tenant)

    assert stage.open_documents(tenant) == 0
    outcomes = {stage.outcome(tenant, UUID(int=number + 1)) for number in range(100)}
    assert outcomes == {(PUBLISHED, None)}
    assert violations(stage.admin, tenant) == []


def test_a_lost_completion_is_no_second_run(stage: Stage) -> None:
    """S0-28: published, and the marker is all that is left: it goes, nothing else happens."""
    tenant = uuid4()
    event = stage.pipeline.upload(tenant, DOCUMENT, TEXT)
    faults.install(lambda point: crash_at("publish.before_marker", point))
    stage.execute(event)
    faults.install(None)
    assert stage.has_marker(tenant)
    stage.pass_time(minutes=20)

    report = stage.sweep()

    assert report.counts["ended"] == 1
    assert not stage.has_marker(tenant)
    assert stage.objects.keys("control/") == []


def crash_at(wanted: str, point: str) -> None:
    if point == wanted:
        raise Crash


def test_the_database_is_left_asleep_while_nothing_is_overdue(stage: Stage) -> None:
    """DESIGN 2: a run every five minutes must not keep it awake."""
    tenant = uuid4()
    lose_claims(stage, tenant)
    stage.pass_time(minutes=14)

    assert stage.sweep().counts["overdue"] == 0
    assert stage.connections == 0
    stage.pass_time(minutes=5)
    assert stage.sweep().counts["requeued"] == 1
    assert stage.connections == 1


def test_a_live_lease_is_left_alone(stage: Stage) -> None:
    tenant = uuid4()
    lose_claims(stage, tenant)
    stage.clock.now += timedelta(hours=1)  # the marker is old, the lease was just renewed

    assert stage.sweep(full=True).counts["requeued"] == 0
    assert stage.has_marker(tenant)


def test_a_held_document_is_left_alone(stage: Stage) -> None:
    tenant = uuid4()
    stage.deliver_once(stage.pipeline.upload(tenant, DOCUMENT, TEXT, hold=True))
    stage.pass_time(days=2)

    report = stage.sweep(full=True)

    assert report.counts["requeued"] + report.counts["failed"] == 0
    assert stage.outcome(tenant) == (None, None)


def test_two_sweeps_ask_once(stage: Stage) -> None:
    """The second finds that it was asked, and waits longer each time."""
    tenant = uuid4()
    lose_claims(stage, tenant)
    stage.pass_time(minutes=20)

    assert [stage.sweep().counts["requeued"] for _ in range(2)] == [1, 0]
    stage.objects.remove(ingest_control_key(tenant, DOCUMENT))
    waited: list[int] = []
    for _ in range(3):
        minutes = 0
        while stage.sweep().counts["requeued"] == 0:
            stage.pass_time(minutes=5)
            minutes += 5
        waited.append(minutes)
    assert waited == [15, 30, 60]


def test_a_second_sweep_passes_by_a_document_that_is_locked(
    stage: Stage, connect_as: Callable[[str], Connection[Any]]
) -> None:
    tenant = uuid4()
    lose_claims(stage, tenant)
    stage.pass_time(minutes=20)
    rival = connect_as("admin")
    rival.execute("SELECT FROM document WHERE tenant_id = %s FOR UPDATE", [tenant])

    report = stage.sweep()

    assert (report.counts["requeued"], report.counts["waiting"]) == (0, 1)


@pytest.mark.parametrize("error", [StatementTimedOut, IllegalTransition])
def test_a_document_that_the_sweep_cannot_treat_counts_as_stuck_and_is_named(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, error: type[PulseDocsError]
) -> None:
    """P-06: it was a count in the log alone, which no alarm reads; the others go on."""
    broken, other = uuid4(), uuid4()
    for tenant in (broken, other):
        lose_claims(stage, tenant)
    stage.pass_time(minutes=20)
    recover = stage.sweeps.recover

    def refuse_one(tenant_id: UUID, document_id: UUID, **known: Any) -> Recovery:
        if tenant_id == broken:
            raise error("refused")
        return recover(tenant_id, document_id, **known)

    monkeypatch.setattr(stage.sweeps, "recover", refuse_one)
    report = stage.sweep()

    assert [report.counts[name] for name in ("errors", "stuck", "requeued")] == [1, 1, 1]
    assert list(report.untreated) == [Untreated(broken, DOCUMENT, error.code)]


def test_a_lost_upload_event_is_found_by_its_marker(stage: Stage) -> None:
    """P-01: within the next sweep after the lease, not the next day."""
    tenant = uuid4()
    expected = ingest(stage, uuid4())
    stage.pipeline.upload(tenant, DOCUMENT, TEXT)
    stage.pass_time(minutes=20)

    stage.sweep()
    stage.deliver_requests()

    assert version_digest(stage.admin, tenant, DOCUMENT) == expected


def test_bytes_put_again_without_a_registration_are_found_by_the_full_pass(stage: Stage) -> None:
    """P-01: an object version that no row stands for, and no marker tells of."""
    tenant = uuid4()
    stage.deliver_once(stage.pipeline.upload(tenant, DOCUMENT, TEXT))
    later = TEXT + b" Addendum."
    stage.objects.put(upload_key(tenant, DOCUMENT), later, content_type="text/plain")
    expected = ingest(stage, uuid4(), later)
    stage.pass_time(minutes=20)

    assert stage.sweep().counts["requeued"] == 0
    report = stage.sweep(full=True)
    stage.deliver_requests()

    assert report.counts["unknown_objects"] == 1
    assert version_digest(stage.admin, tenant, DOCUMENT) == expected
    stage.pass_time(minutes=20)
    assert stage.sweep(full=True).counts["unknown_objects"] == 0


def test_an_event_that_comes_late_after_all_changes_nothing(stage: Stage) -> None:
    """P-01, I1: the version it speaks of is known, the ones before it are not published over it."""
    tenant = uuid4()
    stage.deliver_once(stage.pipeline.upload(tenant, DOCUMENT, TEXT))
    older = stage.pipeline.upload(tenant, DOCUMENT, TEXT + b" Second.")
    newest = stage.pipeline.upload(tenant, DOCUMENT, TEXT + b" Third.")
    stage.pass_time(minutes=20)
    stage.sweep()
    stage.deliver_requests()
    expected = version_digest(stage.admin, tenant, DOCUMENT)

    stage.deliver_once(older)
    stage.deliver_once(newest)
    stage.deliver_once(older)

    assert version_digest(stage.admin, tenant, DOCUMENT) == expected
    assert stage.pipeline.catalogue.status(tenant, DOCUMENT).published_version == 3
    assert violations(stage.admin, tenant) == []


def test_an_upload_that_never_comes_expires_after_an_hour(stage: Stage) -> None:
    tenant = uuid4()
    stage.pipeline.upload(tenant, DOCUMENT, TEXT)
    stage.objects.remove(upload_key(tenant, DOCUMENT))
    stage.pass_time(minutes=40)
    assert stage.sweep().counts["waiting"] == 1

    stage.pass_time(minutes=30)

    assert stage.sweep().counts["expired"] == 1
    assert stage.outcome(tenant) == ("CANCELLED", "UPLOAD_EXPIRED")
    assert not stage.has_marker(tenant)
    ingest(stage, tenant)
    assert stage.outcome(tenant) == (PUBLISHED, None)


def park(stage: Stage, tenant: UUID, document: UUID) -> None:
    body = TEXT + document.bytes.hex().encode()
    event = stage.pipeline.upload(tenant, document, body, filename=f"{document}.txt")
    stage.deliver_once(event)


@pytest.fixture
def broke(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> Callable[[], int]:
    """Make the provider refuse to work unpaid; return how often it was asked."""
    calls = 0

    def refuse(*_args: object, **_options: object) -> None:
        nonlocal calls
        calls += 1
        raise ProviderQuotaExhausted("the balance is used up")

    monkeypatch.setattr(stage.pipeline.embedder, "embed_passages", refuse, raising=False)
    return lambda: calls


def test_one_parked_document_tries_the_provider_for_all(
    stage: Stage, broke: Callable[[], int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """K12: one call a sweep while the quota lasts out; once it gets through, everybody goes on."""
    tenant, documents = uuid4(), [UUID(int=number) for number in range(1, 6)]
    for document in documents:
        park(stage, tenant, document)
    assert {stage.outcome(tenant, document)[0] for document in documents} == {"PARKED"}
    asked = broke()
    stage.sweep(full=True)
    assert stage.objects.keys("control/") == []
    for _ in range(3):
        stage.pass_time(hours=3)
        stage.sweep(full=True)
        stage.deliver_requests()
    assert broke() == asked + 3
    monkeypatch.undo()

    for _ in range(2):
        stage.pass_time(hours=30)
        stage.sweep(full=True)
        stage.deliver_requests()

    assert {stage.outcome(tenant, document) for document in documents} == {(PUBLISHED, None)}


def test_a_failed_document_is_not_retried_by_itself(stage: Stage) -> None:
    """I5: FAILED is left by a person only."""
    tenant = uuid4()
    claimed = stage.claim(stage.pipeline.upload(tenant, DOCUMENT, TEXT))
    stage.pipeline.fail(claimed, PulseDocsError("something broke"))
    stage.pass_time(days=2)

    stage.sweep(full=True)

    assert stage.objects.keys("control/") == []
    assert stage.outcome(tenant)[0] == "FAILED"


def test_a_request_that_is_lost_is_repeated(stage: Stage) -> None:
    """The retry left its marker: the sweep asks again for what nobody claimed."""
    tenant = uuid4()
    stage.pipeline.fail(
        stage.claim(stage.pipeline.upload(tenant, DOCUMENT, TEXT)), PulseDocsError("x")
    )
    stage.retry(tenant)
    stage.objects.remove(ingest_control_key(tenant, DOCUMENT))
    stage.pass_time(minutes=20)

    stage.sweep()
    stage.deliver_requests()

    assert stage.outcome(tenant) == (PUBLISHED, None)


def test_a_cancelled_run_ends_at_its_next_step(stage: Stage) -> None:
    """Every step after the cancel is refused by name; the state machine ends without a failure."""
    tenant = uuid4()
    event = stage.pipeline.upload(tenant, DOCUMENT, TEXT)
    for number in range(6):
        claimed = stage.claim(event)
        steps = stage.pipeline.steps(claimed)
        for _ in range(number):
            next(steps)()
        stage.cancel(tenant)
        with pytest.raises(Cancelled) as ended:
            run_all(steps)
        stage.pipeline.fail(claimed, ended.value)
        assert stage.outcome(tenant) == ("CANCELLED", None)
        assert not stage.has_marker(tenant)
        assert stage.claim(event).work is False
        event = stage.pipeline.upload(tenant, DOCUMENT, TEXT)

    stage.deliver_once(event)
    assert stage.outcome(tenant) == (PUBLISHED, None)
    assert violations(stage.admin, tenant) == []


def run_all(steps: Iterator[Callable[[], object]]) -> None:
    for step in steps:
        step()


def test_cancelling_twice_is_cancelling_once(stage: Stage) -> None:
    tenant = uuid4()
    lose_claims(stage, tenant)

    stage.cancel(tenant)
    stage.cancel(tenant)

    row = stage.admin.execute(
        "SELECT count(*) FROM audit_event WHERE tenant_id = %s AND action = 'cancel'", [tenant]
    ).fetchone()
    assert row == (1,)
    with pytest.raises(NothingToRetry):
        stage.retry(tenant)


def test_what_has_ended_cannot_be_cancelled_or_retried(stage: Stage) -> None:
    tenant = uuid4()
    ingest(stage, tenant)

    with pytest.raises(NothingToCancel):
        stage.cancel(tenant)
    with pytest.raises(NothingToRetry):
        stage.retry(tenant)


def test_bytes_that_come_after_the_cancel_are_not_ingested(stage: Stage) -> None:
    tenant = uuid4()
    event = stage.pipeline.upload(tenant, DOCUMENT, TEXT)
    stage.cancel(tenant)

    stage.deliver_once(event)
    stage.pass_time(hours=2)
    report = stage.sweep(full=True)

    assert stage.outcome(tenant) == ("CANCELLED", None)
    assert report.counts["unknown_objects"] == 0


def test_a_redrive_requeues_each_document_once(stage: Stage) -> None:
    """P-02: dry run first, twice at once, once; audited; another tenant's is not touched."""
    tenant, stranger = uuid4(), uuid4()
    for owner in (tenant, stranger):
        claimed = stage.claim(stage.pipeline.upload(owner, DOCUMENT, TEXT))
        stage.pipeline.fail(claimed, PulseDocsError("something broke"))

    looked = stage.redrive(tenant, dry_run=True)
    first, second = stage.redrive(tenant), stage.redrive(tenant)

    assert [item.document_id for item in looked.documents] == [DOCUMENT]
    assert (looked.requeued, first.requeued, second.requeued) == (0, 1, 0)
    assert stage.objects.keys("control/ingest/") == [ingest_control_key(tenant, DOCUMENT)]
    stage.deliver_requests()
    assert stage.outcome(tenant) == (PUBLISHED, None)
    assert stage.outcome(stranger)[0] == "FAILED"
    actors = stage.admin.execute("SELECT actor FROM audit_event WHERE action = 'redrive'")
    assert actors.fetchall() == [(ACTOR,)]


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        ({}, 1),
        ({"code": "PROCESSING_FAILED"}, 1),
        ({"code": "STUCK"}, 0),
        ({"older_than": timedelta(minutes=10)}, 1),
        ({"older_than": timedelta(minutes=30)}, 0),
    ],
)
def test_a_redrive_takes_what_is_meant(stage: Stage, wanted: dict[str, Any], found: int) -> None:
    tenant = uuid4()
    stage.pipeline.fail(
        stage.claim(stage.pipeline.upload(tenant, DOCUMENT, TEXT)), ProcessingFailed("broke")
    )
    stage.pass_time(minutes=20)

    assert len(stage.redrive(tenant, dry_run=True, **wanted).documents) == found


def test_a_full_pass_that_runs_out_of_time_is_gone_on_with(stage: Stage) -> None:
    """Nothing is done twice from the start: the next run, of whichever schedule, goes on."""
    tenant = uuid4()
    lose_claims(stage, tenant)
    stage.objects.remove(open_marker_key(tenant, DOCUMENT))
    stage.pass_time(minutes=20)

    class OutOfTime:
        """Say that there is time for the markers and for three more pages."""

        def __init__(self) -> None:
            self.pages = 4

        def remaining(self) -> float:
            self.pages -= 1
            return 600.0 if self.pages >= 0 else 0.0

    stopped = stage.sweep(full=True, deadline=cast("Deadline", OutOfTime()))
    assert stopped.left == Position("parked")
    assert stopped.counts["requeued"] == 1
    assert stage.objects.exists(SWEEP_POSITION_KEY)

    gone_on = stage.sweep()

    assert gone_on.left is None
    assert gone_on.counts["requeued"] == 0
    connections = stage.connections
    assert stage.sweep().left is None
    assert stage.connections == connections


def test_a_full_pass_that_nobody_asked_for_in_time_is_begun_by_the_next_sweep(stage: Stage) -> None:
    """Fails when: the clock of 03:17 is not heard, and a lost event waits for another day."""
    tenant = uuid4()
    stage.sweep(full=True)
    lose_claims(stage, tenant)
    stage.objects.remove(open_marker_key(tenant, DOCUMENT))

    stage.pass_time(hours=24)
    early = stage.sweep()
    stage.pass_time(hours=2)
    late, after = stage.sweep(), stage.sweep()

    found = [report.counts["requeued"] for report in (early, late, after)]
    assert found == [0, 1, 0]


def test_a_stage_whose_position_nobody_can_read_is_compared_whole(stage: Stage) -> None:
    for kept in (b"no JSON", b'{"part": "of a later release"}', b'{"part": "ended", "after": ""}'):
        stage.objects.write(SWEEP_POSITION_KEY, kept)
        connections = stage.connections
        stage.sweep()
        assert stage.connections > connections


def test_a_sweep_without_any_time_starts_nothing(stage: Stage) -> None:
    lose_claims(stage, uuid4())
    stage.pass_time(hours=1)

    report = stage.sweep(full=True, deadline=Deadline.after(1))

    assert report.left == Position("markers")
    assert stage.connections == 0


def test_what_is_left_over_is_tidied_away(stage: Stage) -> None:
    tenant = uuid4()
    stage.objects.write("staging/a/b/1/pages-1.jsonl", b"")
    stage.pass_time(days=16)
    stage.objects.write("staging/a/b/1/pages-2.jsonl", b"")
    stage.admin.execute(
        "INSERT INTO usage (tenant_id, method, expires_at) VALUES (%s, 'ask', now())", [tenant]
    )
    stage.admin.execute(
        "INSERT INTO idempotency_key (tenant_id, key, request_hash, expires_at)"
        " VALUES (%s, 'k', decode(repeat('00', 32), 'hex'), now())",
        [tenant],
    )
    stage.admin.execute(
        "INSERT INTO conversation (tenant_id, conversation_id, expires_at) VALUES (%s, %s, now())",
        [tenant, uuid4()],
    )

    counts = stage.sweep(full=True).counts

    assert counts["conversations"] == 1
    assert (counts["staging"], counts["reservations"], counts["idempotency_keys"]) == (1, 1, 1)
    assert stage.objects.keys("staging/") == ["staging/a/b/1/pages-2.jsonl"]
    again = stage.sweep(full=True).counts
    assert again["reservations"] + again["idempotency_keys"] + again["staging"] == 0
    assert again["conversations"] == 0


def test_a_purge_that_never_ended_is_asked_for_again(stage: Stage) -> None:
    tenant = uuid4()
    ingest(stage, tenant)
    stage.admin.execute(
        "UPDATE document SET deleted_at = now(), published_version = NULL, published_at = NULL"
        " WHERE tenant_id = %s",
        [tenant],
    )
    row = stage.admin.execute(
        "INSERT INTO deletion_receipt (tenant_id, document_id, requested_by, requested_at)"
        " VALUES (%s, %s, 'somebody', now() - interval '1 hour') RETURNING receipt_id",
        [tenant, DOCUMENT],
    ).fetchone()
    assert row is not None

    report = stage.sweep(full=True)

    assert report.counts["purges"] == 1
    assert stage.objects.keys("control/") == [f"control/purge/{tenant}/{row[0]}"]


def test_an_object_without_a_document_is_counted_and_offered(stage: Stage) -> None:
    """I14: a claim may know what to do with it; if not, the count stays above zero."""
    orphan = uuid4()
    stage.objects.put(upload_key(orphan, DOCUMENT), TEXT)
    stage.objects.put("u/not-a-tenant/x", TEXT)
    stage.pass_time(hours=2)

    counts = stage.sweep(full=True).counts

    assert (counts["orphans"], counts["foreign_keys"]) == (1, 1)
    stage.deliver_requests()
    assert stage.sweep(full=True).counts["orphans"] == 1
