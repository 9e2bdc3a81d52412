"""Backfills, promotions and retirements, broken anywhere, end in the rows of an undisturbed one."""

import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from uuid import UUID, uuid4

import pytest

from pulsedocs import faults
from pulsedocs.adapters.postgres.budgets import PostgresBudgetStore
from pulsedocs.adapters.postgres.embedding_models.model_migrations import PostgresMigrationStore
from pulsedocs.adapters.postgres.questions.retrieval import PostgresRetrievalStore
from pulsedocs.embedding_models import backfill_model
from pulsedocs.embedding_models.migrate_collection import show_migration
from pulsedocs.errors import (
    CoverageIncomplete,
    ModelChanged,
    ModelInUse,
    ModelNotFound,
    ModelNotReady,
    PulseDocsError,
    StatementTimedOut,
)
from pulsedocs.ingestion.claim_upload import Claimed
from pulsedocs.model.deadline import Deadline
from pulsedocs.model.documents import Run
from pulsedocs.model.models import ModelMigration, SampledChunk
from tests.integration.faults import strikes
from tests.integration.faults.modelling import NEW, OLD, Modelling
from tests.integration.faults.strikes import KINDS, Strike, ends_of, visited_by
from tests.integration.faults.texts import TEXT
from tests.integration.faults.world import World
from tests.integration.ingestion.pipeline import PUBLISHED, Event
from tests.patience import PATIENCE

NewWorld = Callable[[], World]
DOCUMENTS = tuple(UUID(int=number << 96 | 0x4000 << 64 | 0x8 << 60) for number in (1, 2))
IN_A_TRANSACTION = (".locked", ".written", ".before_commit")


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:  # pyright: ignore[reportUnusedFunction] -- autouse
    strikes.without_waits(monkeypatch)
    small_pages(monkeypatch)


def small_pages(patched: pytest.MonkeyPatch) -> None:
    """Let a short text take several batches, pages and executions."""
    patched.setattr(backfill_model, "CHUNKS_A_PAGE", 3)
    patched.setattr(backfill_model, "BATCHES_A_PAGE", 1)
    patched.setattr(backfill_model, "PAGES_AN_EXECUTION", 2)


def shelved(world: World, *, models: tuple[str, ...] = (NEW,)) -> Modelling:
    """Return a world with two documents, searched by the old model, and the new one ready."""
    for number, document in enumerate(DOCUMENTS):
        event = world.upload(TEXT + f"\n\nThe {number}. copy ends here.".encode(), document)
        assert world.pipeline.deliver(event) == PUBLISHED
    modelling = Modelling(world)
    for model in models:
        modelling.register(model)
    return modelling


def is_complete(modelling: Modelling) -> bool:
    found = modelling.coverage()
    return found.chunks > 0 and found.embedded == found.chunks and found.missing == 0


@pytest.fixture(scope="module")
def golden(new_world: NewWorld) -> Modelling:
    """Return what a backfill that nothing happens to leaves."""
    modelling = shelved(new_world())
    modelling.ask()
    with pytest.MonkeyPatch.context() as patched:
        small_pages(patched)
        modelling.take_control()
    assert is_complete(modelling)
    return modelling


@pytest.mark.parametrize(
    ("kind", "loses"), [*((kind, "a step") for kind in KINDS), ("crash", "its execution")]
)
def test_a_backfill_broken_at_any_point_ends_in_the_same_vectors(
    golden: Modelling, new_world: NewWorld, kind: str, loses: str
) -> None:
    """S0-34, K01, K02, K13: each vector once, and in the books no more than was needed."""
    seen = shelved(new_world())
    seen.ask()
    points = ends_of(visited_by(seen.take_control))
    assert {"backfill.before_commit", "backfill.handed_over", "embed.after_write"} <= {
        point for point, _ in points
    }

    for point, nth in points:
        modelling = shelved(new_world())
        modelling.ask()
        faults.install(strike := Strike(kind, point, nth, modelling.world.admin))
        modelling.take_control(None if loses == "a step" else modelling.execute_once)
        faults.install(None)

        assert strike.struck, point
        assert modelling.vectors() == golden.vectors(), point
        assert 0 < modelling.books()[1] <= golden.books()[1], point
        assert modelling.world.violations() == [], point
        modelling.embedder.calls = 0
        modelling.ask()
        modelling.take_control()
        assert modelling.embedder.calls == 0, point


def test_a_page_has_no_more_batches_than_a_state_holds(
    new_world: NewWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However many chunks a document has and however few a batch: the next page has the others."""
    monkeypatch.setattr(backfill_model, "CHUNKS_A_PAGE", 2000)
    monkeypatch.setattr(backfill_model, "BATCHES_A_PAGE", 2)
    modelling = shelved(new_world())
    modelling.ask()
    [key] = modelling.world.objects.keys("control/backfill/")
    store, objects = modelling.backfills, modelling.world.objects
    backfill = backfill_model.begin_backfill(key, execution="one", store=store).backfill
    sizes: list[int] = []
    after = ""
    while after or not sizes:
        page = backfill_model.next_batches(
            backfill, after=after, pages=0, store=store, objects=objects, batch_size=1
        )
        sizes.append(len(page.batches))
        after = page.after

    assert max(sizes) == 2
    assert sum(sizes) == modelling.coverage().missing


def test_two_backfills_at_once_leave_each_vector_once(
    golden: Modelling, new_world: NewWorld
) -> None:
    """K05: one of all collections, one of a single one, in two processes."""
    modelling = shelved(new_world())
    modelling.ask()
    modelling.ask(collection="default")
    with ExitStack() as opened, ThreadPoolExecutor(2) as workers:
        rivals = [Modelling(modelling.world.rival(opened)) for _ in range(2)]
        keys = modelling.world.objects.keys("control/backfill/")
        assert len(keys) == 2
        for key in keys:
            modelling.world.objects.remove(key)

        def work(rival: Modelling, key: str) -> None:
            rival.execute(key)
            rival.take_control()

        list(workers.map(work, rivals, keys))

    modelling.take_control()
    assert modelling.vectors() == golden.vectors()
    assert modelling.books()[1] == golden.books()[1]
    assert modelling.world.violations() == []


@pytest.mark.parametrize("retires", [True, False])
def test_a_promotion_at_any_point_of_an_ingestion_costs_no_document(
    new_world: NewWorld, *, retires: bool
) -> None:
    """S1-04: whenever the model changes, what is published has vectors of the present one."""
    calm = shelved(new_world())
    event = calm.world.upload(TEXT, uuid4())
    points = [
        (point, nth)
        for point, nth in ends_of(visited_by(lambda: calm.world.pipeline.deliver(event)))
        if not point.endswith(IN_A_TRANSACTION)
    ]
    assert len(points) > 15
    again = 0

    for point, nth in points:
        with ExitStack() as opened:
            modelling = shelved(new_world())
            person = Modelling(modelling.world.rival(opened))
            event = modelling.world.upload(TEXT, uuid4())
            faults.install(once := Promotion(person, point, nth, retires=retires))
            outcome, was_changed = delivered(modelling.world, event)
            faults.install(None)
            again += was_changed

            assert outcome == PUBLISHED, point

            assert once.happened, point
            row = modelling.world.admin.execute(
                "SELECT active_model FROM collection WHERE tenant_id = %s", [modelling.tenant]
            ).fetchone()
            assert row == (NEW,), point
            assert modelling.world.violations() == [], point
    assert again > 5  # of these points lie between the cutting and the publication


class Promotion:
    """Has a collection tried and promoted, once, the nth time that a point is reached."""

    def __init__(self, person: Modelling, point: str, nth: int, *, retires: bool) -> None:
        self._person, self._wanted, self._left = person, point, nth
        self._retires = retires
        self.happened = False

    def __call__(self, point: str) -> None:
        if point != self._wanted or self.happened:
            return
        self._left -= 1
        if self._left == 0:
            self.happened = True
            self._person.try_out()
            self._person.take_control()
            self._person.promote()
            if self._retires:
                self._person.retire(OLD)


def delivered(world: World, event: Event) -> tuple[str | None, bool]:
    """Run an execution as the state machine does: behind a change of model, from Chunk again."""
    pipeline = world.pipeline
    claimed = pipeline.claim(event)
    try:
        return pipeline.run(claimed), False
    except ModelChanged:
        return pipeline.run_from_chunk(claimed), True


def test_a_promotion_waits_until_everything_has_a_vector(new_world: NewWorld) -> None:
    modelling = shelved(new_world())
    modelling.try_out()

    with pytest.raises(CoverageIncomplete) as refused:
        modelling.promote()

    missing = modelling.coverage().missing
    assert refused.value.context["missing"] == missing > 0
    modelling.take_control()
    modelling.promote()
    assert modelling.models.model(modelling.tenant, NEW).active_in == ("default",)


def test_while_a_promotion_counts_documents_come_in_and_none_is_published(
    new_world: NewWorld,
) -> None:
    """S1-04: a large collection takes seconds; what came meanwhile gets the new model's vectors."""
    modelling = shelved(new_world())
    modelling.try_out()
    modelling.take_control()
    with ExitStack() as opened, ThreadPoolExecutor(1) as uploader:
        rival = modelling.world.rival(opened)
        claims: list[Claimed] = []
        publications: list[Future[str | None]] = []

        def come_in(point: str) -> None:
            if point == "promote_model.before_commit":
                event = uploader.submit(rival.upload, TEXT, uuid4()).result(timeout=PATIENCE)
                claims.append(rival.pipeline.claim(event))
                publications.append(uploader.submit(rival.pipeline.run, claims[0]))
                await_publisher(modelling.world, publications[0])

        faults.install(come_in)
        modelling.promote()
        faults.install(None)

        with pytest.raises(ModelChanged):
            publications[0].result(timeout=PATIENCE)
        assert rival.pipeline.run_from_chunk(claims[0]) == PUBLISHED
        assert modelling.coverage().missing == 0
        assert modelling.world.violations() == []


def await_publisher(world: World, publication: "Future[str | None]") -> None:
    """Return once the publication waits for the promotion; fail if it ends instead."""
    asked = "SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"
    while world.admin.execute(asked).fetchone() is None:
        assert not publication.done(), "it did not wait"
        time.sleep(0.01)


class SlowToSample(PostgresMigrationStore):
    """Of a collection so large that choosing its chunks takes too long."""

    def sample(
        self,
        tenant_id: UUID,  # noqa: ARG002 -- the name of the port
        migration: ModelMigration,  # noqa: ARG002 -- the name of the port
        *,
        limit: int,  # noqa: ARG002 -- the name of the port
    ) -> list[SampledChunk]:
        raise StatementTimedOut("a statement ran into the database's time limit")


def test_a_migration_is_shown_even_where_its_models_cannot_be_compared(
    new_world: NewWorld,
) -> None:
    modelling = shelved(new_world())
    modelling.try_out()
    connection = modelling.world.connections.api

    shown = show_migration(
        modelling.tenant,
        "default",
        migrations=SlowToSample(connection),
        models=modelling.models,
        retrieval=PostgresRetrievalStore(connection),
        deadline=Deadline.after(30),
    )

    assert shown.comparison is None
    assert shown.to_coverage.missing == shown.from_coverage.embedded > 0


@pytest.mark.parametrize("kind", KINDS)
def test_a_retirement_broken_at_any_point_leaves_nothing(new_world: NewWorld, kind: str) -> None:
    def filled() -> Modelling:
        modelling = shelved(new_world())
        modelling.ask()
        modelling.take_control()
        return modelling

    seen = filled()
    seen.retire(NEW)
    points = ends_of(visited_by(seen.remove))

    for point, nth in points:
        modelling = filled()
        modelling.retire(NEW)
        faults.install(Strike(kind, point, nth, modelling.world.admin))
        modelling.remove()
        faults.install(None)

        assert modelling.vectors() == [], point
        with pytest.raises(ModelNotFound):
            modelling.coverage()
        assert modelling.world.violations() == [], point


def test_a_model_is_retired_under_a_backfill_that_goes_on(new_world: NewWorld) -> None:
    """What comes late is not kept: the model is gone when its removal ends."""
    modelling = shelved(new_world())
    modelling.ask()

    def retire(point: str) -> None:
        if point == "embed.after_write":
            faults.install(None)
            modelling.retire(NEW)

    faults.install(retire)
    with pytest.raises(PulseDocsError):
        modelling.take_control()
    faults.install(None)
    modelling.remove()

    assert modelling.vectors() == []
    with pytest.raises(ModelNotFound):
        modelling.ask()
    assert modelling.world.violations() == []


def test_the_model_that_a_collection_is_searched_by_cannot_be_retired(
    new_world: NewWorld,
) -> None:
    modelling = shelved(new_world())

    with pytest.raises(ModelInUse, match="default"):
        modelling.retire(OLD)
    modelling.retire(NEW)
    with pytest.raises(ModelNotReady):
        modelling.try_out()


def test_a_document_that_is_deleted_under_a_backfill_gets_no_vector(new_world: NewWorld) -> None:
    """K18: neither rows nor objects of it are left."""
    modelling = shelved(new_world())
    modelling.ask()
    deleted: list[UUID] = []

    def delete(point: str) -> None:
        if point == "embed.after_write" and not deleted:
            deleted.append(DOCUMENTS[0])
            modelling.world.delete(DOCUMENTS[0])

    faults.install(delete)
    modelling.take_control()
    faults.install(None)
    modelling.world.settle()

    assert deleted
    assert is_complete(modelling)
    assert modelling.world.violations() == []


@pytest.mark.parametrize("gone", ["document", "every row of it", "model"])
def test_what_was_bought_for_what_is_gone_is_counted_once(new_world: NewWorld, gone: str) -> None:
    """S0-33: the provider counts it. A step whose answer was lost says so again."""
    modelling = shelved(new_world())
    run, vectors = Run(modelling.tenant, DOCUMENTS[0], 1, 0), [(uuid4(), [1.0] + 63 * [0.0])]
    budgets = PostgresBudgetStore(modelling.world.connections.api)
    before = budgets.budget(run.tenant_id).tokens.used
    if gone == "model":
        modelling.retire(NEW)
    else:
        modelling.world.delete(run.document_id)
    if gone == "every row of it":
        modelling.world.settle()

    for _ in range(2):
        stored = modelling.backfills.add(run, NEW, vectors=vectors, refusals=[], input_tokens=9)
        assert stored == 0

    assert modelling.books() == (1, 9)
    assert budgets.budget(run.tenant_id).tokens.used == before + 9
    assert modelling.world.violations() == []
