"""What lies below the profile's threshold is no answer to the question."""

from collections.abc import Iterable, Sequence
from decimal import ROUND_FLOOR, Decimal
from typing import Final

from pulsedocs.model.evaluations import EvaluatedStep
from pulsedocs.model.retrieval import Abstention, GateScale, LostAt, Profile, Reason
from pulsedocs.retrieval.evidence import Evidence, Passage
from pulsedocs.retrieval.ordering import Ranked
from pulsedocs.retrieval.rules.rule import Loss, Lost, Refusal, Rejection, Rule, Sifted, Told


def gate_value(passage: Passage, profile: Profile) -> float | None:
    """Return the number that the gate compares, None where it is not known."""
    return passage.similarity if profile.gate_scale is GateScale.COSINE else passage.relevance


def passes(passage: Passage, profile: Profile) -> bool:
    return _reaches(profile.gate, passage, profile)


def _reaches(least: float, passage: Passage, profile: Profile) -> bool:
    value = gate_value(passage, profile)
    return value is not None and value >= least


def gate_applies(passages: Iterable[Passage], profile: Profile) -> bool:
    """Return whether any passage has a number to compare.

    With the embedder and the reranker both down none has; keyword hits then pass unjudged, and the
    response names the gate among what was degraded.
    """
    return profile.gate_scale is not GateScale.NONE and any(
        gate_value(passage, profile) is not None for passage in passages
    )


def passing(passages: Sequence[Passage], evidence: Evidence, profile: Profile) -> Sequence[Passage]:
    """Return those that reach the gate themselves; all of them where it does not apply.

    Who names a page has said himself what is relevant.
    """
    if evidence.asked_pages or not gate_applies(passages, profile):
        return passages
    return [one for one in passages if passes(one, profile)]


def relevant(ranked: Sequence[Ranked], evidence: Evidence, profile: Profile) -> Sifted:
    """Drop what lies below the profile's threshold; an unknown relevance lies below any.

    Where one passage passes, those from `gate_low` on come after all that pass: a page that says it
    in other words than the question is less like it than one that repeats them.
    """
    passages = [item.passage for item in ranked]
    found = passing(passages, evidence, profile)
    if len(found) == len(passages):
        return list(ranked), []
    least = profile.gate_low if found and profile.gate_low else profile.gate
    kept = [item for item in ranked if _reaches(least, item.passage, profile)]
    dropped = [
        Rejection(
            item,
            Reason.BELOW_THRESHOLD,
            {profile.gate_scale.value: gate_value(item.passage, profile), "threshold": least},
        )
        for item in ranked
        if not _reaches(least, item.passage, profile)
    ]
    kept.sort(key=lambda item: not passes(item.passage, profile))  # each half as it was ranked
    return kept, dropped


def shown(value: float, gate: float) -> str:
    """Cut, not round, to two places: 0.299 shown as 0.30 would not be below 0.30.

    A threshold that two places cannot show gets all that are recorded.
    """
    places = Decimal("0.01") if round(gate, 2) == gate else Decimal("0.000001")
    return str(Decimal(str(value)).quantize(places, rounding=ROUND_FLOOR))


def _refuse(below: Sequence[Rejection], profile: Profile) -> Refusal:
    """Say how near the nearest passage came, e.g. `best 0.27 < 0.30, page 14`."""
    values = [(gate_value(item.item.passage, profile), item.item.passage) for item in below]
    known = [(value, passage) for value, passage in values if value is not None]
    value, passage = max(known, key=lambda pair: pair[0])  # the first of equals: the order's own
    pages = "page" if len(passage.pages) == 1 else "pages"
    numbers = "-".join(str(page) for page in sorted({min(passage.pages), max(passage.pages)}))
    best, gate = shown(value, profile.gate), shown(profile.gate, profile.gate)
    return Refusal(Abstention.BELOW_THRESHOLD, f"best {best} < {gate}, {pages} {numbers}")


def _tell(lost: Lost) -> Told:
    gate = float(lost.decision.numbers["threshold"] or 0.0)
    value = gate_value(lost.decision.passage, lost.profile)
    known = "unknown" if value is None else shown(value, gate)
    return f"gate {shown(gate, gate)}, best {known}", ()


GATE: Final = Rule(
    "gate",
    EvaluatedStep.GATED,
    needs=frozenset({"gate_scale", "gate", "gate_low"}),
    apply=relevant,
    gives={Reason.BELOW_THRESHOLD: Loss(LostAt.GATED, "threshold", _tell)},
    refuse=_refuse,
)
