"""A figure that falls is found, with the stage that lost it; one that rises is not."""

import json
from typing import Any

import pytest

from evaluation.__main__ import below_best_leg, compare
from evaluation.gate import TOLERANCE, fallen, regressions, written
from pulsedocs.model.evaluations import Abstentions, EvaluatedStep, Measured, ProfileFigures


def figures(reranked: float = 0.8, precision: float | None = 0.9) -> dict[str, Any]:
    return {
        "questions": 40,
        "stages": {
            "fused": {"ndcg@10": [0.7, 0.6, 0.8]},
            "reranked": {"ndcg@10": [reranked, reranked - 0.1, reranked + 0.1]},
        },
        "abstention": {"precision": precision, "recall": 0.5},
    }


def test_the_stage_that_lost_it_is_named() -> None:
    """S0-38."""
    [found] = regressions({"default": figures()}, {"default": figures(0.7)})

    assert str(found) == (
        "profile 'default', stage 'reranked': ndcg@10 fell"
        " from 0.800 [0.70-0.90] to 0.700 [0.60-0.80]"
    )


@pytest.mark.parametrize("now", [0.8, 0.9, 0.8 - TOLERANCE / 2])
def test_what_rises_or_stays_within_the_tolerance_passes(now: float) -> None:
    assert not list(regressions({"default": figures()}, {"default": figures(now)}))


def test_answers_are_gated_as_orders_are() -> None:
    def answers(cited: float) -> dict[str, Any]:
        stages = {"answer": {"answered": [1.0, 1.0, 1.0], "cited": [cited, cited, cited]}}
        return {"questions": 16, "stages": stages, "abstention": {"precision": 1.0, "recall": 1.0}}

    [found] = regressions({"default": answers(1.0)}, {"default": answers(0.9)})

    assert (found.stage, found.figure) == ("answer", "cited")


def test_refusals_count_too_and_an_unknown_share_is_no_loss() -> None:
    [found] = regressions({"default": figures()}, {"default": figures(precision=0.5)})

    assert found.stage == "abstention"
    unknown = {"default": figures(precision=None)}
    assert not list(regressions(unknown, {"default": figures()}))


def test_what_another_processor_adds_up_differently_is_no_loss() -> None:
    """Of models with weights of 8 bits; those that only count words are exact."""
    lost = 0.8 - 2 * TOLERANCE
    local, exact = "samples (local:bge-small-en-v1.5@384)", "samples (memory:hashing@384)"
    before = {name: {"default": figures()} for name in (local, exact)}

    [found] = fallen(before, {name: {"default": figures(lost)} for name in (local, exact)})

    assert found.startswith(exact)
    assert list(fallen(before, {local: {"default": figures(0.7)}}))


def test_a_profile_that_was_not_measured_is_not_compared_and_one_that_is_gone_fails() -> None:
    baseline = {"samples": {"default": figures(), "fast": figures()}}

    assert not list(fallen(baseline, {"samples": {"default": figures()}}))
    [gone] = regressions({"fast": figures()}, {})
    assert gone.stage == "profile"


def test_the_exit_status_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    """S0-38: `make evaluate` fails on a regression, and where there is nothing to compare with."""
    baseline = {"samples": {"default": figures()}}

    assert compare(baseline, {"samples": {"default": figures()}}) == 0
    assert compare(baseline, {"samples": {"default": figures(0.1)}}) == 1
    assert "stage 'reranked'" in capsys.readouterr().err
    assert compare({}, {"samples": {"default": figures()}}) == 1


def test_an_order_that_is_worse_than_one_of_its_legs_is_named() -> None:
    means = {EvaluatedStep.VECTOR: 0.5, EvaluatedStep.KEYWORD: 0.8, EvaluatedStep.RERANKED: 0.7}
    stages = {step: {"ndcg@10": Measured(mean, mean, mean, 9)} for step, mean in means.items()}
    found = ProfileFigures("default", 4, stages, Abstentions(None, None, 0, 0, 0), 9, {})

    assert list(below_best_leg(found)) == ["below its best leg: ndcg@10 0.700, keyword 0.800"]


def test_a_baseline_has_a_line_for_each_figure() -> None:
    results = {"samples": {"default": figures()}}

    assert json.loads(written(results)) == results
    assert '"ndcg@10": [0.7, 0.6, 0.8]' in written(results)
