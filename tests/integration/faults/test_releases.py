"""What an older release took meets the event of its object again under a newer one."""

from collections.abc import Callable

import pytest

from pulsedocs.errors import (
    ProcessingFailed,
    ProviderQuotaExhausted,
    PulseDocsError,
    UnsupportedContentType,
)
from pulsedocs.model.changes import Strategy, Update
from tests.integration.faults.texts import TEXT
from tests.integration.faults.world import DOCUMENT, World
from tests.integration.ingestion.pipeline import PUBLISHED, Event


def release(world: World) -> None:
    """Let all that is there have been made by an older revision of the pipeline."""
    world.admin.execute(
        "UPDATE document_version SET pipeline_revision = '0' WHERE tenant_id = %s", [world.tenant]
    )


def publish(world: World, event: Event) -> None:
    world.execute(event)


def hold_and_cancel(world: World, event: Event) -> None:
    world.admin.execute(
        "UPDATE document_version SET hold = true WHERE tenant_id = %s", [world.tenant]
    )
    world.execute(event)
    world.cancel()


def fail_with(error: PulseDocsError) -> Callable[[World, Event], None]:
    def fail(world: World, event: Event) -> None:
        world.pipeline.fail(world.pipeline.claim_once(event), error)

    return fail


ENDINGS = {
    PUBLISHED: publish,
    "CANCELLED": hold_and_cancel,
    "FAILED": fail_with(ProcessingFailed("a defect")),
    "PARKED": fail_with(ProviderQuotaExhausted("no balance")),
    "REJECTED": fail_with(UnsupportedContentType("no reader knows it")),
}


@pytest.mark.parametrize("ending", ENDINGS)
def test_what_has_ended_stays_as_it_ended(world: World, ending: str) -> None:
    """I5, K03, K20: an event that comes again is no reason to read the bytes again."""
    event = world.upload(TEXT)
    ENDINGS[ending](world, event)
    pages = world.count("document_page")
    release(world)

    world.execute(event)

    assert world.outcomes() == [ending]
    assert world.count("document_page") == pages
    assert world.violations() == []


@pytest.mark.parametrize("ending", ["FAILED", "PARKED"])
def test_what_has_failed_goes_on_when_a_person_asks(world: World, ending: str) -> None:
    event = world.upload(TEXT)
    ENDINGS[ending](world, event)
    release(world)
    world.execute(event)

    world.retry()
    world.take_control()

    assert world.outcomes() == [PUBLISHED]
    assert world.violations() == []


def test_an_execution_finds_the_version_that_it_holds(world: World) -> None:
    """K20: a claim whose answer was lost asks again, and would wait for its own bytes."""
    event = world.upload(TEXT)
    first = world.pipeline.claim_once(event, holder="execution")
    release(world)

    again = world.pipeline.claim_once(event, holder="execution")
    rival = world.pipeline.claim_once(event, holder="rival")
    world.run(again)

    assert again.run == first.run
    assert rival.reason == "another execution works on this version"
    assert world.outcomes() == [PUBLISHED]
    assert world.violations() == []


def test_what_is_made_anew_is_a_version_of_its_own_beside_the_event(world: World) -> None:
    """S3-12: asked for under the newer release; the event still speaks of the first version."""
    event = world.upload(TEXT)
    world.execute(event)
    release(world)

    world.update(Update(Strategy.METADATA, document_ids=(DOCUMENT,), reprocess_chunks=True))
    world.execute(event)
    world.take_control()
    world.execute(event)

    assert world.outcomes() == ["SUPERSEDED", PUBLISHED]
    assert world.violations() == []
