"""A rule says what it reads, decides about all that it is given, and can be told of afterwards."""

from dataclasses import fields, replace
from typing import Any

from hypothesis import given

from pulsedocs.model.retrieval import Profile, Reason
from pulsedocs.retrieval.evidence import Evidence
from pulsedocs.retrieval.rules.order import RULES, rule_that_gave, walk
from tests.unit.retrieval.passages import drawn, some_evidence, some_profile


class Watched:
    """A profile that notes which of its values are read."""

    def __init__(self, profile: Profile) -> None:
        self._profile = profile
        self.read: set[str] = set()

    def __getattr__(self, name: str) -> Any:
        self.read.add(name)
        return getattr(self._profile, name)


@drawn
@given(some_evidence(), some_profile())
def test_a_rule_reads_what_it_says_it_needs(found: Evidence, policy: Profile) -> None:
    for each in walk(found, policy):
        watched: Any = Watched(policy)

        each.rule.apply(each.given, found, watched)

        assert watched.read <= each.rule.needs


@drawn
@given(some_evidence(), some_profile())
def test_a_rule_decides_about_all_that_it_is_given(found: Evidence, policy: Profile) -> None:
    for each in walk(found, policy):
        kept = [item.passage.chunk_id for item in each.kept]
        dropped = [rejection.item.passage.chunk_id for rejection in each.dropped]
        assert sorted([*kept, *dropped]) == sorted(item.passage.chunk_id for item in each.given)


@drawn
@given(some_evidence(), some_profile())
def test_a_rejection_leads_back_to_its_rule(found: Evidence, policy: Profile) -> None:
    for each in walk(found, policy):
        for rejection in each.dropped:
            assert rule_that_gave(rejection.reason, rejection.numbers) is each.rule


def test_every_reason_to_drop_is_a_rules() -> None:
    assert {reason for rule in RULES for reason in rule.gives} == set(Reason) - {Reason.SELECTED}


def test_rules_need_values_that_a_profile_has() -> None:
    known = {field.name for field in fields(Profile)}

    assert all(rule.needs <= known for rule in RULES)
    assert len({rule.name for rule in RULES}) == len(RULES)


@drawn
@given(some_evidence(), some_profile())
def test_a_rule_that_left_nothing_says_so(found: Evidence, policy: Profile) -> None:
    for each in walk(found, replace(policy, gate=1.0)):
        if each.given and not each.kept:
            assert each.rule.refuse is not None
            assert each.rule.refuse(each.dropped, policy).detail
