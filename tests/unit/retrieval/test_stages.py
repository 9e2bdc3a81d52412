"""The order after each stage: the last is the selection, and each only orders or cuts."""

from itertools import pairwise

from hypothesis import given

from pulsedocs.model.evaluations import EvaluatedStep
from pulsedocs.model.retrieval import Leg, Profile
from pulsedocs.retrieval.evidence import Evidence
from pulsedocs.retrieval.selection import select
from pulsedocs.retrieval.stages import stages
from tests.unit.retrieval.passages import (
    drawn,
    evidence,
    passage,
    profile,
    some_evidence,
    some_profile,
)


@drawn
@given(some_evidence(), some_profile())
def test_the_last_stage_is_what_is_selected(found: Evidence, policy: Profile) -> None:
    """S0-38: what is measured is what is answered from."""
    assert tuple(stages(found, policy)[EvaluatedStep.SELECTED]) == select(found, policy).selected


@drawn
@given(some_evidence(), some_profile())
def test_no_stage_adds_to_the_one_before(found: Evidence, policy: Profile) -> None:
    orders = stages(found, policy)
    later = [
        EvaluatedStep.FUSED,
        EvaluatedStep.RERANKED,
        EvaluatedStep.GATED,
        EvaluatedStep.CAPPED,
        EvaluatedStep.SELECTED,
    ]

    for before, after in pairwise(later):
        assert set(orders[after]) <= set(orders[before])


def test_a_leg_is_in_its_own_order() -> None:
    found = evidence(passage(3), passage(1), passage(2))

    orders = stages(found, profile())

    assert [chunk.int for chunk in orders[EvaluatedStep.VECTOR]] == [1, 2, 3]
    assert orders[EvaluatedStep.KEYWORD] == []
    assert Leg.KEYWORD not in found.passages[0].legs
