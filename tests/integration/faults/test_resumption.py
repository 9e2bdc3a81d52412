"""A version taken up after its staged files have expired goes on, and buys only the rest."""

from collections.abc import Callable
from math import ceil

import pytest

from pulsedocs import faults
from pulsedocs.errors import ProviderQuotaExhausted
from tests.integration.faults.texts import TEXT
from tests.integration.faults.world import DOCUMENT, World
from tests.integration.ingestion.pipeline import PUBLISHED, Crash


def staged(world: World) -> list[str]:
    return world.objects.keys(f"staging/{world.tenant}/")


def stop_after(point: str, times: int) -> None:
    """End the execution at a point, the nth time that it is reached."""
    left = times

    def injector(reached: str) -> None:
        nonlocal left
        if reached == point:
            left -= 1
            if left == 0:
                raise Crash

    faults.install(injector)


@pytest.mark.parametrize("batches_stored", [0, 1, 2])
def test_staged_texts_that_expired_are_planned_again(world: World, batches_stored: int) -> None:
    """S0-10, S0-11, S0-26: chunks and stored vectors stay; only what lacks a vector is bought."""
    golden = world.anew()
    golden.execute(golden.upload(TEXT))
    point = "chunk.after_commit" if batches_stored == 0 else "embed.after_commit"
    stop_after(point, max(1, batches_stored))
    event = world.upload(TEXT)
    world.execute(event)
    faults.install(None)
    before = world.count("chunk_embedding")
    for key in staged(world):
        world.objects.remove(key)
    world.pass_time(days=15)

    world.execute(event)

    assert world.outcomes() == [PUBLISHED]
    assert world.digest() == golden.digest()
    assert world.violations() == []
    assert before == batches_stored * 2
    batches = world.admin.execute(
        "SELECT batch FROM step_ledger WHERE tenant_id = %s AND step = 'embed' ORDER BY batch",
        [world.tenant],
    ).fetchall()
    assert len(batches) == ceil(golden.count("chunk_embedding") / 2)
    tokens = "SELECT sum(input_tokens) FROM usage WHERE tenant_id = %s"
    spent = [world.admin.execute(tokens, [each.tenant]).fetchone() for each in (world, golden)]
    assert spent[0] == spent[1]


def test_expiring_twice_is_no_end_either(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """S0-11: numbered after all batches that there ever were."""
    event = world.upload(TEXT)
    for round_number in range(2):
        stop_after("embed.after_commit", 1)
        world.execute(event)
        faults.install(None)
        assert world.count("chunk_embedding") == 2 * (round_number + 1)
        for key in staged(world):
            world.objects.remove(key)
        world.pass_time(days=15)
    with monkeypatch.context() as patched:
        patched.setattr(
            world.pipeline.embedder, "embed_passages", _raise(ProviderQuotaExhausted("no balance"))
        )
        world.execute(event)
    assert world.outcomes() == ["PARKED"]
    for key in staged(world):
        world.objects.remove(key)

    world.retry(DOCUMENT)
    world.take_control()

    assert world.outcomes() == [PUBLISHED]
    assert world.violations() == []


def _raise(error: Exception) -> Callable[..., None]:
    def call(*_arguments: object, **_options: object) -> None:
        raise error

    return call
