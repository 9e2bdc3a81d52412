"""The order of selection, once: `select`, evaluations, `why`, what-if and replay all follow it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from pulsedocs.model.retrieval import Profile, Reason
from pulsedocs.retrieval.evidence import Evidence
from pulsedocs.retrieval.ordering import Ranked
from pulsedocs.retrieval.rules.caps import CAPS
from pulsedocs.retrieval.rules.copies import COPIES
from pulsedocs.retrieval.rules.fusion import FUSION
from pulsedocs.retrieval.rules.gate import GATE
from pulsedocs.retrieval.rules.newer_first import NEWER_FIRST
from pulsedocs.retrieval.rules.pages_first import PAGES_FIRST
from pulsedocs.retrieval.rules.reranking import RERANKING
from pulsedocs.retrieval.rules.room import ROOM
from pulsedocs.retrieval.rules.rule import Number, Rejection, Rule

RULES: Final = (FUSION, COPIES, RERANKING, GATE, CAPS, NEWER_FIRST, ROOM, PAGES_FIRST)


@dataclass(frozen=True, slots=True)
class Applied:
    """A rule with what it was given, what it kept in which order, and what it dropped."""

    rule: Rule
    given: Sequence[Ranked]
    kept: Sequence[Ranked]
    dropped: Sequence[Rejection]


def walk(evidence: Evidence, profile: Profile) -> Iterator[Applied]:
    """Apply one rule after the other, each to what the one before has kept."""
    given = [Ranked(passage, fused=0.0, score=0.0) for passage in evidence.passages]
    for rule in RULES:
        kept, dropped = rule.apply(given, evidence, profile)
        yield Applied(rule, given, kept, dropped)
        given = kept


def given_to(rule: Rule, evidence: Evidence, profile: Profile) -> Sequence[Ranked]:
    """Return the order that reaches a rule."""
    return next(each.given for each in walk(evidence, profile) if each.rule is rule)


def rule_that_gave(reason: Reason, numbers: Mapping[str, Number]) -> Rule:
    """Return the rule that dropped a candidate, by what a trace has recorded of it."""
    giving = [rule for rule in RULES if reason in rule.gives]
    return next((rule for rule in giving if rule.gives[reason].number in numbers), giving[0])
