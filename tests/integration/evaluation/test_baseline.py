"""The committed questions are answered as well as the committed baseline says, stage by stage."""

import json
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from evaluation.__main__ import Bench, compare
from evaluation.datasets import Dataset, committed
from evaluation.gate import BASELINE, Figures
from evaluation.measuring import memory_models
from pulsedocs.adapters.postgres.connection import Database
from pulsedocs.adapters.postgres.questions.retrieval import PostgresRetrievalStore
from pulsedocs.model.retrieval import Profile
from pulsedocs.retrieval import ordering
from pulsedocs.retrieval.ordering import Ranked
from pulsedocs.retrieval.rules import reranking
from tests.plugins.migrated_database import MigratedDatabase


@pytest.fixture(scope="module")
def samples() -> Dataset:
    return committed()


@pytest.fixture
def bench(
    migrated_database: MigratedDatabase, database_as: Callable[[str], Database], tmp_path: Path
) -> Bench:
    store = PostgresRetrievalStore(database_as("query"))
    return Bench(migrated_database.admin_url, store, tmp_path, ("default", "strict"))


def baseline() -> dict[str, dict[str, Figures]]:
    return json.loads(BASELINE.read_text(encoding="utf-8"))


def test_no_figure_of_any_stage_fell(
    bench: Bench, samples: Dataset, capsys: pytest.CaptureFixture[str]
) -> None:
    """S0-38: the gate runs with the tests, over all stages of the product's own search."""
    results = bench.results(samples, memory_models())

    assert compare(baseline(), results) == 0, capsys.readouterr().err


def test_a_stage_that_gets_worse_fails_and_is_named(
    bench: Bench,
    samples: Dataset,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """S0-38: what a stage loses shows at that stage, not at the one before."""

    def worst_first(ranked: Iterable[Ranked], profile: Profile) -> list[Ranked]:
        return ordering.reorder(ranked, profile)[::-1]

    monkeypatch.setattr(reranking, "reorder", worst_first)
    results = bench.results(samples, memory_models())

    assert compare(baseline(), results) == 1
    said = [line for line in capsys.readouterr().err.splitlines() if "'default'" in line]
    assert "stage 'reranked'" in said[0]
    assert not any("stage 'fused'" in line for line in said)
