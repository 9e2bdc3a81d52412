"""Hundreds of seeded histories of one tenant: none may end in what the model does not allow.

A failure prints its seed: `PULSEDOCS_SEED=17 pytest tests/integration/faults/test_histories.py`
plays that history alone. `PULSEDOCS_HISTORIES=10000` plays more of them.
"""

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from typing import Final
from uuid import UUID

import pytest

from tests.integration.faults import strikes
from tests.integration.faults.histories import BODIES, UNREADABLE, History, Put
from tests.integration.faults.world import World
from tests.integration.ingestion import pipeline as stages
from tests.integration.ingestion.pipeline import PUBLISHED

_WANTED = os.environ.get("PULSEDOCS_SEED")  # noqa: TID251 -- of the tests
_COUNT = int(os.environ.get("PULSEDOCS_HISTORIES", "300"))  # noqa: TID251 -- of the tests
_AT_ONCE: Final = 30
SEEDS: Final = (
    [range(int(_WANTED), int(_WANTED) + 1)]
    if _WANTED
    else [range(first, min(first + _AT_ONCE, _COUNT)) for first in range(0, _COUNT, _AT_ONCE)]
)
Golden = Callable[[Put], str]


@pytest.fixture(scope="module")
def rival(new_world: Callable[[], World]) -> Iterator[World]:
    with ExitStack() as opened:
        yield new_world().rival(opened)


@pytest.fixture(scope="module")
def golden(new_world: Callable[[], World]) -> Golden:
    """Return the digest that a put gives in a run without faults, worked out once for each."""
    known: dict[tuple[UUID, int], str] = {}

    def digest(put: Put) -> str:
        key = (put.document, put.body)
        if key not in known:
            known[key] = _undisturbed(new_world(), put)
        return known[key]

    return digest


def _undisturbed(world: World, put: Put) -> str:
    options = {"chunking": put.options["chunking"]}
    event = world.upload(BODIES[put.body], put.document, **options)
    assert world.pipeline.deliver(event) == ("REJECTED" if put.body == UNREADABLE else PUBLISHED)
    return world.digest(put.document)


@pytest.mark.parametrize("seeds", SEEDS, ids=lambda seeds: f"{seeds[0]}-{seeds[-1]}")
def test_a_history_ends_as_it_must(
    seeds: range,
    new_world: Callable[[], World],
    rival: World,
    golden: Golden,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """S0-26..32, P-01, P-02: I1-I8, I14 and the golden digest after everything that can happen."""
    strikes.without_waits(monkeypatch)
    monkeypatch.setattr(stages, "BATCH_SIZE", 16)
    for seed in seeds:
        world = new_world()
        other = replace(rival, tenant=world.tenant, clock=world.clock)
        other.pipeline = replace(
            rival.pipeline, objects=world.objects, executions=world.pipeline.executions
        )
        history = History.of(seed, world, other)
        try:
            history.play()
            problems = history.model.problems(world, golden)
        except Exception as error:
            error.add_note(f"PULSEDOCS_SEED={seed} plays this history: {' '.join(history.told)}")
            raise
        assert problems == [], f"PULSEDOCS_SEED={seed} plays it: {' '.join(history.told)}"
