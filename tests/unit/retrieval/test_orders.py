"""The order after each step: the last is the selection, and each only orders or cuts."""

from itertools import pairwise

from hypothesis import given

from pulsedocs.model.evaluations import EvaluatedStep
from pulsedocs.model.retrieval import Leg, Profile
from pulsedocs.retrieval.evidence import Evidence
from pulsedocs.retrieval.orders import orders_of
from pulsedocs.retrieval.selection import select
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
def test_the_last_step_is_what_is_selected(found: Evidence, policy: Profile) -> None:
    """S0-38: what is measured is what is answered from."""
    assert tuple(orders_of(found, policy)[EvaluatedStep.SELECTED]) == select(found, policy).selected


@drawn
@given(some_evidence(), some_profile())
def test_no_step_adds_to_the_one_before(found: Evidence, policy: Profile) -> None:
    orders = orders_of(found, policy)
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

    orders = orders_of(found, profile())

    assert [chunk.int for chunk in orders[EvaluatedStep.VECTOR]] == [1, 2, 3]
    assert orders[EvaluatedStep.KEYWORD] == []
    assert Leg.KEYWORD not in found.passages[0].legs
