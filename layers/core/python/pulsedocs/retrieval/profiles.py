"""The named retrieval policies, and what a request may change about one.

Values are starting points; evaluation may move those of `default` only, and raises its revision.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Final

from pulsedocs.errors import InvalidRequest, ProfileNotFound
from pulsedocs.model.retrieval import GateScale, Ordering, Profile
from pulsedocs.retrieval.evidence import rounded

_FIRST = 1
_CANDIDATES_WHEN_TURNED_ON = 50  # what `default` asks of a leg, and hands to the reranker

_DEFAULT = Profile(
    name="default",
    revision=_FIRST,
    vector_candidates=50,
    keyword_candidates=50,
    ordering=Ordering.RECIPROCAL_RANK,
    rerank_candidates=50,
    gate_scale=GateScale.RELEVANCE,
    gate=0.30,
    per_page=3,
    per_section=4,
    per_document=6,
    tie_band=0.02,
    top_k=8,
    context_tokens=3000,
    rewrite_with_history=False,
)

_PLAIN = Profile(
    name="v0.5",
    revision=_FIRST,
    vector_candidates=10,
    keyword_candidates=0,
    ordering=Ordering.SIMILARITY,
    rerank_candidates=0,
    gate_scale=GateScale.NONE,
    gate=0.0,
    per_page=0,
    per_section=0,
    per_document=0,
    tie_band=0.0,
    top_k=10,
    context_tokens=3000,
    deduplicate=False,
    rewrite_with_history=False,
)

_WIDE = replace(
    _PLAIN, name="fast", vector_candidates=25, top_k=20, context_tokens=12_000, deduplicate=True
)

PROFILES: Final[Mapping[str, Profile]] = MappingProxyType(
    {
        profile.name: profile
        for profile in (
            _DEFAULT,
            replace(_DEFAULT, name="strict", exact=True, rerank_candidates=0),
            _PLAIN,
            replace(_PLAIN, name="classic", rerank_candidates=10, top_k=5, deduplicate=True),
            replace(
                _WIDE,
                name="full_hybrid",
                keyword_candidates=50,
                ordering=Ordering.BEST_SCORE,
                rerank_candidates=100,
                optimised_query=True,
                hyde=True,
            ),
            replace(
                _WIDE,
                name="hybrid",
                keyword_candidates=50,
                ordering=Ordering.RECIPROCAL_RANK,
                rerank_candidates=75,
                optimised_query=True,
            ),
            replace(_WIDE, name="vector_rerank", rerank_candidates=25),
            _WIDE,
            replace(
                _PLAIN,
                name="documentor",
                vector_candidates=5,
                gate_scale=GateScale.COSINE,
                gate=0.30,
                top_k=5,
                context_tokens=6000,
                deduplicate=True,
                rewrite_with_history=True,
            ),
        )
    }
)


@dataclass(frozen=True, slots=True)
class Overrides:
    """What one request changes; None leaves the profile's value."""

    top_k: int | None = None
    score_threshold: float | None = None
    enable_reranking: bool | None = None
    enable_keyword_search: bool | None = None
    enable_hyde: bool | None = None
    deduplicate: bool | None = None


def profile_named(name: str) -> Profile:
    """Return a profile; raise ProfileNotFound naming those that exist."""
    try:
        return PROFILES[name]
    except KeyError:
        raise ProfileNotFound(
            f"no retrieval profile {name[:64]!r}; there are {', '.join(sorted(PROFILES))}"
        ) from None


def with_overrides(profile: Profile, overrides: Overrides) -> Profile:
    """Return the policy that a request asks for; raise InvalidRequest where it would break it.

    A leg fetches at least `top_k`, and the reranker sees at least as many: otherwise a larger
    `top_k` would change nothing. A threshold keeps the profile's scale; where it has none, it is
    read as relevance.
    """
    _keep_strict(profile, overrides)
    changed = _with_switches(profile, overrides)
    if overrides.score_threshold is not None:
        scale = GateScale.RELEVANCE if profile.gate_scale is GateScale.NONE else profile.gate_scale
        changed = replace(changed, gate=rounded(overrides.score_threshold), gate_scale=scale)
    if overrides.top_k is not None:
        changed = _with_top_k(changed, overrides.top_k)
    return changed


def _keep_strict(profile: Profile, overrides: Overrides) -> None:
    if profile.name != "strict":
        return
    for field in ("enable_reranking", "enable_hyde"):
        if getattr(overrides, field):
            raise InvalidRequest(f"profile 'strict' uses no model but the embedder; drop {field!r}")


def _with_switches(profile: Profile, overrides: Overrides) -> Profile:
    return replace(
        profile,
        rerank_candidates=_switched(profile.rerank_candidates, on=overrides.enable_reranking),
        keyword_candidates=_switched(
            profile.keyword_candidates, on=overrides.enable_keyword_search
        ),
        hyde=profile.hyde if overrides.enable_hyde is None else overrides.enable_hyde,
        deduplicate=(
            profile.deduplicate if overrides.deduplicate is None else overrides.deduplicate
        ),
    )


def _switched(candidates: int, *, on: bool | None) -> int:
    if on is None:
        return candidates
    return (candidates or _CANDIDATES_WHEN_TURNED_ON) if on else 0


def _with_top_k(profile: Profile, top_k: int) -> Profile:
    return replace(
        profile,
        top_k=top_k,
        vector_candidates=_at_least(top_k, profile.vector_candidates),
        keyword_candidates=_at_least(top_k, profile.keyword_candidates),
        rerank_candidates=_at_least(top_k, profile.rerank_candidates),
    )


def _at_least(top_k: int, candidates: int) -> int:
    return max(top_k, candidates) if candidates else 0
