"""As many passages as were asked for and as the prompt holds."""

import math
from collections.abc import Sequence
from typing import Final

from pulsedocs.model.evaluations import EvaluatedStep
from pulsedocs.model.retrieval import Abstention, LostAt, Profile, Reason
from pulsedocs.retrieval.evidence import Evidence
from pulsedocs.retrieval.ordering import Ranked
from pulsedocs.retrieval.rules.rule import Loss, Lost, Refusal, Rejection, Rule, Sifted, Told


def fitting(ranked: Sequence[Ranked], evidence: Evidence, profile: Profile) -> Sifted:
    """Take passages in order until `top_k`, stepping over those that the budget cannot hold.

    The budget holds the prompt's own words and each passage's source line as well. Without a prompt
    there is none.
    """
    reserved = evidence.reserved_tokens
    left = math.inf if reserved is None else profile.context_tokens - reserved
    kept: list[Ranked] = []
    dropped: list[Rejection] = []
    for rank, item in enumerate(ranked, start=1):
        cost = item.passage.tokens + profile.overhead_tokens_per_block
        if len(kept) >= profile.top_k:
            numbers = {"rank": rank, "top_k": profile.top_k}
            dropped.append(Rejection(item, Reason.OUTRANKED, numbers))
        elif cost > left:
            dropped.append(Rejection(item, Reason.OVER_BUDGET, {"tokens": cost, "left": left}))
        else:
            left -= cost
            kept.append(item)
    return kept, dropped


def _refuse(too_long: Sequence[Rejection], _profile: Profile) -> Refusal:
    needs, left = too_long[0].numbers["tokens"], too_long[0].numbers["left"]
    return Refusal(
        Abstention.NO_CANDIDATES, f"the best passage needs {needs} tokens, {left} are left"
    )


def _tell_outranked(lost: Lost) -> Told:
    rank, top_k = lost.decision.numbers["rank"], lost.decision.numbers["top_k"]
    return f"place {rank} in the end, {top_k} are taken", lost.selected


def _tell_too_long(lost: Lost) -> Told:
    needs, left = lost.decision.numbers["tokens"], lost.decision.numbers["left"]
    return f"needs {needs} tokens, {left} were left", lost.selected


ROOM: Final = Rule(
    "room",
    EvaluatedStep.SELECTED,
    needs=frozenset({"top_k", "context_tokens", "overhead_tokens_per_block"}),
    apply=fitting,
    gives={
        Reason.OUTRANKED: Loss(LostAt.OUT_RANKED, "top_k", _tell_outranked),
        Reason.OVER_BUDGET: Loss(LostAt.OVER_BUDGET, "left", _tell_too_long),
    },
    refuse=_refuse,
)
