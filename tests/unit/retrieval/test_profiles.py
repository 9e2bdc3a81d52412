"""Nine named policies, and a request changes only what it names."""

import pytest

from pulsedocs.errors import InvalidRequest, ProfileNotFound
from pulsedocs.model.retrieval import GateScale, Ordering
from pulsedocs.retrieval.profiles import (
    PROFILES,
    Overrides,
    changed,
    policy_of,
    profile_named,
    profile_with,
    with_overrides,
)


def test_the_table_is_the_designs() -> None:
    """S4-07: `documentor` takes 5 at cosine 0.3."""
    shown = {
        name: (
            profile.vector_candidates,
            profile.keyword_candidates,
            profile.rerank_candidates,
            profile.gate_scale.value,
            profile.top_k,
            profile.context_tokens,
        )
        for name, profile in PROFILES.items()
    }

    assert shown == {
        "default": (50, 50, 16, "relevance", 8, 3000),
        "strict": (50, 50, 0, "relevance", 8, 3000),
        "v0.5": (10, 0, 0, "none", 10, 3000),
        "classic": (10, 0, 10, "none", 5, 3000),
        "full_hybrid": (25, 50, 100, "none", 20, 12_000),
        "hybrid": (25, 50, 75, "none", 20, 12_000),
        "vector_rerank": (25, 0, 25, "none", 20, 12_000),
        "fast": (25, 0, 0, "none", 20, 12_000),
        "documentor": (5, 0, 0, "cosine", 5, 6000),
    }


def test_the_default_profile_asks_no_language_model_for_a_first_question() -> None:
    """S0-25: neither an optimised query nor HyDE, in `strict` as in `default`."""
    for name in ("default", "strict"):
        profile = profile_named(name)
        assert not profile.optimised_query
        assert not profile.hyde


def test_every_profile_rewrites_follow_ups_and_a_request_can_switch_it_off() -> None:
    """T-27."""
    for profile in PROFILES.values():
        assert profile.rewrite
        assert not with_overrides(profile, Overrides(rewrite=False)).rewrite


def test_a_stored_policy_keeps_its_choice_under_the_former_name_of_the_switch() -> None:
    stored = policy_of(profile_named("default"))
    del stored["rewrite"]

    made = profile_with({"name": "mine", "revision": 1} | stored | {"rewrite_with_history": False})

    assert not made.rewrite


def test_more_candidates_are_fetched_than_selected() -> None:
    """S0-15: by each profile with a policy, and for every `top_k` asked for."""
    assert all(p.vector_candidates >= p.top_k for p in PROFILES.values())

    wide = with_overrides(profile_named("default"), Overrides(top_k=80))

    assert (wide.vector_candidates, wide.keyword_candidates) == (160, 160)
    assert wide.rerank_candidates == 80
    assert with_overrides(wide, Overrides(top_k=100)).vector_candidates == 200


def test_an_unknown_profile_is_named_with_those_that_exist() -> None:
    with pytest.raises(ProfileNotFound, match=r"'best'.*strict"):
        profile_named("best")


def test_no_override_leaves_the_profile_alone() -> None:
    assert all(with_overrides(profile, Overrides()) == profile for profile in PROFILES.values())


def test_switches_turn_legs_on_and_off() -> None:
    default = with_overrides(
        profile_named("default"),
        Overrides(enable_reranking=False, enable_keyword_search=False, deduplicate=False),
    )
    fast = with_overrides(
        profile_named("fast"), Overrides(enable_reranking=True, enable_keyword_search=True)
    )

    assert (default.rerank_candidates, default.keyword_candidates) == (0, 0)
    assert not default.deduplicate
    assert (fast.rerank_candidates, fast.keyword_candidates) == (50, 50)


def test_a_leg_that_is_off_stays_off_whatever_top_k_is() -> None:
    assert with_overrides(profile_named("fast"), Overrides(top_k=90)).keyword_candidates == 0


def test_a_threshold_keeps_the_profiles_scale_and_is_relevance_where_there_is_none() -> None:
    documentor = with_overrides(profile_named("documentor"), Overrides(score_threshold=0.5))
    plain = with_overrides(profile_named("v0.5"), Overrides(score_threshold=0.5))

    assert (documentor.gate_scale, documentor.gate) == (GateScale.COSINE, 0.5)
    assert (plain.gate_scale, plain.gate) == (GateScale.RELEVANCE, 0.5)
    assert plain.ordering is Ordering.SIMILARITY


def test_the_lower_gate_is_not_above_the_gate() -> None:
    with pytest.raises(InvalidRequest, match="gate_low"):
        changed(profile_named("default"), {"gate_low": 0.4})


@pytest.mark.parametrize("field", ["enable_reranking", "enable_hyde"])
def test_strict_cannot_be_given_another_model(field: str) -> None:
    """S0-25."""
    with pytest.raises(InvalidRequest, match=field):
        with_overrides(profile_named("strict"), Overrides(**{field: True}))
