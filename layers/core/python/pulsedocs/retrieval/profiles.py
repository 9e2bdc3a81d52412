"""The named retrieval policies, and what a request may change about one.

Values are starting points; evaluation may move those of `default` only, and raises its revision.
"""

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from types import MappingProxyType
from typing import Any, Final

from pulsedocs.errors import InvalidRequest, ProfileNotFound
from pulsedocs.model.retrieval import MOST_CANDIDATES, Bounds, GateScale, Ordering, Profile
from pulsedocs.retrieval.evidence import rounded

_FIRST = 1
_CANDIDATES_WHEN_TURNED_ON = 50  # what `default` asks of a leg

NAME: Final = re.compile(r"[a-z][a-z0-9_.-]{0,63}")
LIMITS: Final[Mapping[str, Bounds]] = MappingProxyType(
    {item.name: item.metadata["bounds"] for item in fields(Profile) if "bounds" in item.metadata}
)
"""What each number of a policy may be, by its name."""

_FORMER_NAMES: Final = MappingProxyType({"rewrite_with_history": "rewrite"})

_DEFAULT = Profile(
    name="default",
    revision=7,
    vector_candidates=50,
    keyword_candidates=50,
    ordering=Ordering.RECIPROCAL_RANK,
    rerank_candidates=16,  # half a CPU second of the local reranker: docs/decisions/0046
    gate_scale=GateScale.RELEVANCE,
    gate=0.30,
    per_page=3,
    per_section=4,
    per_document=6,
    tie_band=0.05,
    top_k=8,
    context_tokens=3000,
    over_fetch=2,
    rerank_weight=2,  # as much as both legs
    blend_scores=True,
    name_weight=1.0,  # as much as one leg: docs/decisions/0057
    pages_first=True,
    gate_low=0.10,
)

_STRICT = replace(
    _DEFAULT,
    name="strict",
    revision=4,
    ordering=Ordering.ADDED_SCORES,  # nobody reads what ranks put first: docs/decisions/0068
    exact=True,
    rerank_candidates=0,
    rerank_weight=0,
    blend_scores=False,
    name_weight=0.0,
    pages_first=False,
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
)

_WIDE = replace(
    _PLAIN, name="fast", vector_candidates=25, top_k=20, context_tokens=12_000, deduplicate=True
)

PROFILES: Final[Mapping[str, Profile]] = MappingProxyType(
    {
        profile.name: profile
        for profile in (
            _DEFAULT,
            _STRICT,
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
    rewrite: bool | None = None


def profile_named(name: str) -> Profile:
    """Return a profile; raise ProfileNotFound naming those that exist."""
    try:
        return PROFILES[name]
    except KeyError:
        shown = name[:64]
        raise ProfileNotFound(
            f"no retrieval profile {shown!r}; there are {', '.join(sorted(PROFILES))}",
            profile=shown,
        ) from None


def of_stage(
    name: str,
    *,
    top_k: int | None,
    rerank_candidates: int | None,
    context_tokens: int | None,
) -> Profile:
    """Return a built-in policy as a stage's settings change it.

    Raises ProfileNotFound, and InvalidRequest where the numbers make no policy.
    """
    policy = with_overrides(profile_named(name), Overrides(top_k=top_k))
    numbers = {"rerank_candidates": rerank_candidates, "context_tokens": context_tokens}
    if policy.name == "strict" and rerank_candidates:
        raise InvalidRequest("profile 'strict' uses no model but the embedder")
    given = {field: number for field, number in numbers.items() if number is not None}
    return changed(policy, given) if given else policy


def is_built_in(name: str) -> bool:
    return name in PROFILES


def policy_of(profile: Profile) -> dict[str, Any]:
    """Return a policy's values without its name and revision, as they are stored."""
    values = asdict(profile)
    del values["name"], values["revision"]
    return values


def profile_with(values: Mapping[str, Any]) -> Profile:
    """Read a stored policy; a field that is younger than it has its default."""
    values = _renamed(values)
    known = {item.name: values[item.name] for item in fields(Profile) if item.name in values}
    known["ordering"] = Ordering(known["ordering"])
    known["gate_scale"] = GateScale(known["gate_scale"])
    return Profile(**known)


def defined(name: str, base: Profile, changes: Mapping[str, Any]) -> Profile:
    """Return a policy of one's own: `base` with changes, every value spelled out.

    A later change of the base changes nothing about it. Raises InvalidRequest naming the value
    that is out of bounds or that contradicts another one.
    """
    if is_built_in(name) or not NAME.fullmatch(name):
        raise InvalidRequest(
            f"{name[:64]!r} cannot name a profile: at most 64 of a-z, 0-9, '_', '.' and '-',"
            " beginning with a letter, and no built-in name"
        )
    return replace(changed(base, changes), name=name, revision=_FIRST)


def changed(base: Profile, changes: Mapping[str, Any]) -> Profile:
    """Return a policy with other values; raise InvalidRequest where they make no policy.

    The reranker reads at least `top_k`, as in a request that asks for more. Whoever sets a gate
    gets nothing below it, unless a lower one is set as well.
    """
    changeable = {item.name for item in fields(Profile)} - {"name", "revision"}
    for field in _renamed(changes):
        if field not in changeable:
            valid = ", ".join(sorted(changeable))
            raise InvalidRequest(f"a profile has no {field[:64]!r}; it has {valid}")
    values = {field: _checked(field, value, base) for field, value in _renamed(changes).items()}
    profile = replace(base, **values)
    if "gate" in values and "gate_low" not in values:
        profile = replace(profile, gate_low=0.0)
    if "rerank_candidates" not in values:
        read = _at_least(profile.top_k, base.rerank_candidates)
        profile = replace(profile, rerank_candidates=read)
    _refuse_contradictions(profile)
    return profile


def _renamed(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return values under the names of today: stored policies and clients may have older ones."""
    return {_FORMER_NAMES.get(field, field): value for field, value in values.items()}


def _checked(field: str, value: object, base: Profile) -> object:
    """Return a value of the field's own kind; True is no number here."""
    own = getattr(base, field)
    if isinstance(own, Ordering | GateScale):
        try:
            return type(own)(value)
        except ValueError:
            raise InvalidRequest(f"{field} is one of {', '.join(type(own))}") from None
    if isinstance(own, bool):
        if isinstance(value, bool):
            return value
        raise InvalidRequest(f"{field} is true or false")
    is_whole = isinstance(own, int)
    least, most = LIMITS[field]
    kinds = int if is_whole else (int, float)
    if isinstance(value, bool) or not isinstance(value, kinds) or not least <= value <= most:
        kind = "whole number" if is_whole else "number"
        raise InvalidRequest(f"{field} is a {kind} from {least} to {most}")
    return value if is_whole else rounded(float(value))


def _refuse_contradictions(profile: Profile) -> None:
    if not profile.vector_candidates and not profile.keyword_candidates:
        raise InvalidRequest("a profile needs a leg: vector_candidates or keyword_candidates")
    if profile.gate and profile.gate_scale is GateScale.NONE:
        raise InvalidRequest("a gate needs a gate_scale: relevance or cosine")
    if profile.gate_low > profile.gate:
        raise InvalidRequest(f"gate_low {profile.gate_low} is above gate {profile.gate}")
    for leg in ("vector_candidates", "keyword_candidates"):
        fetched = getattr(profile, leg)
        wanted = _wanted(profile.top_k, profile)
        if fetched and fetched < wanted:
            raise InvalidRequest(f"{leg} {fetched} is less than top_k times over_fetch, {wanted}")
    if 0 < profile.rerank_candidates < profile.top_k:
        raise InvalidRequest("rerank_candidates is less than top_k; 0 turns reranking off")
    if profile.overhead_tokens + profile.overhead_tokens_per_block >= profile.context_tokens:
        raise InvalidRequest("context_tokens leaves no room beside the overhead")


def _wanted(top_k: int, profile: Profile) -> int:
    return min(MOST_CANDIDATES, top_k * profile.over_fetch)


def with_overrides(profile: Profile, overrides: Overrides) -> Profile:
    """Return the policy that a request asks for; raise InvalidRequest where it would break it.

    A leg fetches at least `top_k` times the profile's `over_fetch`, and the reranker sees at least
    `top_k`: otherwise a larger `top_k` would change nothing. A threshold keeps the profile's scale;
    where it has none, it is read as relevance.
    """
    if profile.name == "strict":
        for field in ("enable_reranking", "enable_hyde"):
            if getattr(overrides, field):
                message = f"profile 'strict' uses no model but the embedder; drop {field!r}"
                raise InvalidRequest(message)
    by_words, reranking = overrides.enable_keyword_search, overrides.enable_reranking
    policy = replace(
        profile,
        rerank_candidates=_switched(profile.rerank_candidates, on=reranking),
        keyword_candidates=_switched(profile.keyword_candidates, on=by_words),
        hyde=_given(overrides.enable_hyde, profile.hyde),
        deduplicate=_given(overrides.deduplicate, profile.deduplicate),
        rewrite=_given(overrides.rewrite, profile.rewrite),
    )
    if overrides.score_threshold is not None:
        scale = GateScale.RELEVANCE if profile.gate_scale is GateScale.NONE else profile.gate_scale
        least = rounded(overrides.score_threshold)
        policy = replace(policy, gate=least, gate_low=0.0, gate_scale=scale)
    if overrides.top_k is not None:
        wanted = _wanted(overrides.top_k, policy)
        policy = replace(
            policy,
            top_k=overrides.top_k,
            vector_candidates=_at_least(wanted, policy.vector_candidates),
            keyword_candidates=_at_least(wanted, policy.keyword_candidates),
            rerank_candidates=_at_least(overrides.top_k, policy.rerank_candidates),
        )
    return policy


def _given(switch: bool | None, own: bool) -> bool:  # noqa: FBT001 -- a value, no switch of this function
    return own if switch is None else switch


def _switched(candidates: int, *, on: bool | None) -> int:
    if on is None:
        return candidates
    return (candidates or _CANDIDATES_WHEN_TURNED_ON) if on else 0


def _at_least(wanted: int, candidates: int) -> int:
    return max(wanted, candidates) if candidates else 0
