"""Newer first, but only among passages that say the same."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from typing import Final

from pulsedocs.model.days import standing
from pulsedocs.model.evaluations import EvaluatedStep
from pulsedocs.model.retrieval import Profile
from pulsedocs.retrieval.evidence import Evidence, rounded
from pulsedocs.retrieval.ordering import Ranked
from pulsedocs.retrieval.rules.rule import Rule, Sifted


def prefer_newer(
    ranked: Sequence[Ranked], *, tie_band: float, today: date | None = None
) -> list[Ranked]:
    """Put newer versions of a passage directly before it; nothing else changes its order.

    Two are versions of each other where they say the same, both state a date, and their relevance
    lies within `tie_band`: what earned the older one its place holds for both. One that is dated
    after `today` counts as older than what is in force. The newer one's
    penalty is below zero, by what it was lifted: final scores never rise along the list.
    """
    left = list(ranked)
    order: list[Ranked] = []
    while left:
        newest = _newest(left, tie_band=tie_band, today=today) if tie_band > 0 else left[0]
        order.append(replace(newest, penalty=rounded(newest.score - left[0].score)))
        left.remove(newest)
    return order


def _newest(left: Sequence[Ranked], *, tie_band: float, today: date | None) -> Ranked:
    """Return the newest of the first and its versions; of equally new ones the first."""
    first, *others = left
    newest, latest = first, first.passage.dated_at
    for item in others:
        own = item.passage.dated_at
        relevance, compared = first.passage.relevance, item.passage.relevance
        if (
            latest is not None
            and own is not None
            and standing(own, today=today) > standing(latest, today=today)
            and item.passage.named >= first.passage.named  # who names a year wants that one
            and item.passage.chunk_id in first.passage.alike
            and relevance is not None
            and compared is not None
            and rounded(abs(relevance - compared)) <= tie_band
        ):
            newest, latest = item, own
    return newest


def newer_first(ranked: Sequence[Ranked], evidence: Evidence, profile: Profile) -> Sifted:
    return prefer_newer(ranked, tie_band=profile.tie_band, today=evidence.today), []


NEWER_FIRST: Final = Rule(
    "newer_first", EvaluatedStep.CAPPED, needs=frozenset({"tie_band"}), apply=newer_first
)
