"""Every point of every stage, broken in every way, ends in the rows of a run without a fault."""

from collections.abc import Callable, Iterator

import pytest

from pulsedocs import faults
from pulsedocs.errors import FencedOut, PulseDocsError, RetryableError
from pulsedocs.ingestion.claim_upload import Claimed
from tests.integration.faults import strikes
from tests.integration.faults.strikes import KINDS, Strike, ends_of, visited_by
from tests.integration.faults.texts import SEMANTIC, TEXT, TWO_SUBJECTS
from tests.integration.faults.world import World
from tests.integration.ingestion import pipeline as stages
from tests.integration.ingestion.pipeline import PUBLISHED, Crash, Event

NewWorld = Callable[[], World]
UNREADABLE = b"%PDF-1.7 and nothing that a reader could follow"


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:  # pyright: ignore[reportUnusedFunction] -- autouse
    strikes.without_waits(monkeypatch)


def deliver(world: World, event: Event) -> str | None:
    """Run an execution as the state machine does, each step retried; None without an outcome."""
    return world.pipeline.deliver(event)


def then_nothing(_world: World, _event: Event) -> None:
    return


def then_a_duplicate(world: World, event: Event) -> None:
    """Deliver the event again: there is nothing to do, wherever the first run broke."""
    assert deliver(world, event) is None


COMPANIONS = {"alone": then_nothing, "then a duplicate": then_a_duplicate}


@pytest.mark.parametrize("companion", COMPANIONS)
@pytest.mark.parametrize("kind", KINDS)
def test_a_run_broken_at_any_point_converges(
    new_world: NewWorld, kind: str, companion: str
) -> None:
    """S0-05, S0-08, S0-26..28, P-01: K01, K02, K03, K13 at each point (I1-I7, I14)."""
    golden = new_world()
    event = golden.upload(TEXT)
    points = ends_of(visited_by(lambda: deliver(golden, event)))
    assert len(points) > 40

    for point, nth in points:
        world = new_world()
        event = world.upload(TEXT)
        faults.install(strike := Strike(kind, point, nth, world.admin))
        assert deliver(world, event) == PUBLISHED, point
        faults.install(None)
        COMPANIONS[companion](world, event)
        assert strike.struck, point
        assert_as_golden(world, golden, point)


def assert_as_golden(world: World, golden: World, point: str) -> None:
    assert world.digest() == golden.digest(), point
    assert world.violations() == [], point


@pytest.mark.parametrize("kind", KINDS)
def test_a_run_broken_at_any_point_and_overtaken_converges(new_world: NewWorld, kind: str) -> None:
    """S0-12, S0-28, K05: its lease runs out, a rival ends the work, then it goes on itself."""
    golden = new_world()
    event = golden.upload(TEXT)
    points = ends_of(visited_by(lambda: deliver(golden, event)))

    for point, nth in points:
        world = new_world()
        event = world.upload(TEXT)
        strike = Strike(kind, point, nth, world.admin)
        faults.install(lambda reached, strike=strike: strike(reached))
        stale = broken_run(world, event, strike)
        faults.install(None)
        world.pass_time(minutes=16)
        deliver(world, event)
        assert_powerless(stale, point)
        assert strike.struck, point
        assert world.outcomes() == [PUBLISHED], point
        assert_as_golden(world, golden, point)


def broken_run(world: World, event: Event, strike: Strike) -> Iterator[Callable[[], object]]:
    """Run until the strike; return what the run would do next, the broken step first."""
    try:
        claimed = world.pipeline.claim_once(event)
    except (Crash, RetryableError):
        return iter(())
    steps = world.pipeline.steps(claimed)
    for step in steps:
        try:
            step()
        except (Crash, RetryableError):
            return _and_then(step, steps)
        if strike.struck:
            return steps
    return iter(())


def _and_then(
    step: Callable[[], object], steps: Iterator[Callable[[], object]]
) -> Iterator[Callable[[], object]]:
    yield step
    yield from steps


def assert_powerless(stale: Iterator[Callable[[], object]], point: str) -> None:
    """Run what is left of a run that was overtaken: it reads its own ledger or is refused."""
    for step in stale:
        try:
            step()
        except FencedOut:
            return
        except PulseDocsError as error:
            pytest.fail(f"{point}: a stale run ended with {type(error).__name__}")


@pytest.mark.parametrize("kind", KINDS)
def test_a_semantic_run_broken_at_any_point_converges(
    new_world: NewWorld, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """S3-07, S0-26: the points that only the measuring of sentences has."""
    monkeypatch.setattr(stages, "BATCH_SIZE", 64)
    golden = new_world()
    event = golden.upload(TWO_SUBJECTS, chunking=SEMANTIC)
    visited = visited_by(lambda: deliver(golden, event))
    points = [point for point in dict.fromkeys(visited) if point in SENTENCE_POINTS]
    assert set(points) == SENTENCE_POINTS

    for point in points:
        world = new_world()
        event = world.upload(TWO_SUBJECTS, chunking=SEMANTIC)
        faults.install(Strike(kind, point, 1, world.admin))
        assert deliver(world, event) == PUBLISHED, point
        faults.install(None)
        then_a_duplicate(world, event)
        assert_as_golden(world, golden, point)


SENTENCE_POINTS = {
    "clean.before_sentences",
    "embed.before_distances",
    "embed.after_distances",
    "chunk.before_batches",
    "chunk.before_commit",
}


@pytest.mark.parametrize("kind", KINDS)
def test_a_failure_broken_at_any_point_is_recorded_once(new_world: NewWorld, kind: str) -> None:
    """P-02, S0-26: the record of an end is as safe as the work."""
    golden = new_world()
    event = golden.upload(UNREADABLE, content_type="application/pdf")
    visited = visited_by(lambda: deliver(golden, event))
    points = [point for point in dict.fromkeys(visited) if point.startswith("fail.")]
    assert {point.partition(".")[2] for point in points} == {
        "locked",
        "before_commit",
        "after_commit",
    }

    for point in points:
        world = new_world()
        event = world.upload(UNREADABLE, content_type="application/pdf")
        faults.install(Strike(kind, point, 1, world.admin))
        assert deliver(world, event) == "REJECTED", point
        faults.install(None)
        then_a_duplicate(world, event)
        assert world.outcomes() == ["REJECTED"], point
        assert world.violations() == [], point


def test_a_claim_answers_the_same_to_the_same_execution(world: World) -> None:
    """K02: the answer was lost; asked again, the execution finds its own run."""
    event = world.upload(TEXT)
    answers: list[Claimed] = [world.pipeline.claim_once(event, holder="one") for _ in range(2)]

    assert answers[0] == answers[1]
    assert not world.pipeline.claim_once(event, holder="another").work
