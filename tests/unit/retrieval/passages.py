"""Passages and evidence for the tests of selection, each value stated or drawn."""

from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from pulsedocs.model.retrieval import GateScale, Leg, LegHit, Ordering, Profile
from pulsedocs.retrieval.evidence import Evidence, Passage, rounded
from pulsedocs.retrieval.ordering import Ranked
from pulsedocs.retrieval.profiles import PROFILES, profile_named
from tests.plugins.examples import examples

EPOCH = datetime(2024, 1, 1, tzinfo=UTC)

# Shared machines draw slowly; how fast samples are made says nothing about the rules.
drawn = settings(
    deadline=None, max_examples=examples(60), suppress_health_check=[HealthCheck.too_slow]
)


def passage(number: int = 1, **changes: Any) -> Passage:
    """Return a passage whose ids, text and page follow from its number."""
    plain = Passage(
        chunk_id=UUID(int=number),
        document_id=UUID(int=1000),
        version=1,
        chunk_index=number,
        content=f"content {number}",
        section="",
        pages=(number,),
        tokens=100,
        dated_at=EPOCH,
        legs={Leg.VECTOR: LegHit(number, 0.9 - number / 100)},
        similarity=rounded(0.9 - number / 100),
        relevance=rounded(0.9 - number / 100),
    )
    return replace(plain, **changes)


def evidence(*passages: Passage, reserved: int = 200, single_document: bool = False) -> Evidence:
    return Evidence(passages, reserved_tokens=reserved, single_document=single_document)


def ranked(
    score: float, *, number: int = 1, days: int | None = 0, alike: Iterable[int] = ()
) -> Ranked:
    """Return a passage in an order, as relevant as its score; `alike` are numbers of others."""
    item = passage(
        number,
        dated_at=None if days is None else EPOCH + timedelta(days=days),
        alike=tuple(UUID(int=other) for other in alike),
        relevance=score,
    )
    return Ranked(item, fused=score, score=score)


def profile(name: str = "default", **changes: Any) -> Profile:
    return replace(profile_named(name), **changes)


_share = st.floats(0, 1).map(rounded)
_hit = st.builds(LegHit, rank=st.integers(1, 60), score=_share)


def _passage(number: int) -> st.SearchStrategy[Passage]:
    return st.builds(
        Passage,
        chunk_id=st.just(UUID(int=number)),
        document_id=st.integers(1, 4).map(lambda n: UUID(int=n)),
        version=st.just(1),
        chunk_index=st.just(number),
        content=st.sampled_from([f"content {n}" for n in range(30)]),
        section=st.sampled_from(["", "fees", "terms"]),
        pages=st.integers(1, 4).flatmap(lambda n: st.sampled_from([(n,), (n, n + 1)])),
        tokens=st.integers(1, 900),
        dated_at=st.none() | st.integers(0, 400).map(lambda days: EPOCH + timedelta(days=days)),
        alike=st.lists(st.integers(0, 11).map(lambda n: UUID(int=n)), max_size=4).map(tuple),
        legs=st.dictionaries(st.sampled_from(Leg), _hit, min_size=1),
        similarity=st.none() | _share,
        rerank=st.none() | st.floats(-12, 12).map(rounded),
        relevance=st.none() | _share,
    )


def some_evidence() -> st.SearchStrategy[Evidence]:
    passages = st.integers(0, 12).flatmap(lambda n: st.tuples(*[_passage(k) for k in range(n)]))
    return st.builds(
        Evidence,
        passages=passages,
        reserved_tokens=st.none() | st.integers(0, 4000),
        single_document=st.booleans(),
    )


def some_profile() -> st.SearchStrategy[Profile]:
    changes = st.fixed_dictionaries(
        {
            "ordering": st.sampled_from(Ordering),
            "gate_scale": st.sampled_from(GateScale),
            "gate": _share,
            "gate_low": st.just(0.0) | _share,
            "per_page": st.integers(0, 2),
            "per_section": st.integers(0, 2),
            "per_document": st.integers(0, 3),
            "tie_band": st.sampled_from([0.0, 0.02, 0.3]),
            "top_k": st.integers(1, 10),
            "deduplicate": st.booleans(),
            "rerank_weight": st.integers(0, 3),
            "blend_scores": st.booleans(),
        }
    )
    return st.builds(_changed, st.sampled_from(sorted(PROFILES)), changes)


def _changed(name: str, changes: dict[str, Any]) -> Profile:
    return replace(PROFILES[name], **changes)
