"""Any one or two dependencies may fail: the answer is of the level that is left, and says so."""

from dataclasses import dataclass
from itertools import combinations
from typing import Any
from uuid import UUID

import pytest

from pulsedocs.errors import EmbeddingError, ProviderUnavailable, PulseDocsError, VectorDBError
from pulsedocs.questions.read_trace import read_trace
from pulsedocs.retrieval.profiles import Overrides
from pulsedocs.retrieval.trace import replay
from tests.integration.degradation.world import Part, World

REWRITER, INPUT_STAGE, EMBEDDER = Part.REWRITER, Part.INPUT_STAGE, Part.EMBEDDER
VECTOR_LEG, KEYWORD_LEG = Part.VECTOR_LEG, Part.KEYWORD_LEG
RERANKER, GENERATOR, TRACE_STORE = Part.RERANKER, Part.GENERATOR, Part.TRACE_STORE
WORDS, MEANING = frozenset({"keyword"}), frozenset({"vector", "hyde"})
ALL = WORDS | MEANING


@dataclass(frozen=True, slots=True)
class Level:
    """What is left: which legs found something, who ordered, who wrote, what was kept."""

    legs: frozenset[str] = ALL
    order: str = "reranked"
    written: str = "generated"
    traced: bool = True
    lost: tuple[str, ...] = ()


# What DESIGN section 5 names for each: rerank down, fused order; keyword leg down, vector only;
# HyDE down, the question; embedding down, BM25 only; generation down, the passages' sentences.
ONE = {
    REWRITER: Level(),
    INPUT_STAGE: Level(legs=WORDS | {"vector"}),
    EMBEDDER: Level(legs=WORDS),
    VECTOR_LEG: Level(legs=WORDS),
    KEYWORD_LEG: Level(legs=MEANING),
    RERANKER: Level(order="fused"),
    GENERATOR: Level(written="extractive"),
    TRACE_STORE: Level(traced=False),
}
# With neither leg there is no way left.
NONE_LEFT: dict[frozenset[Part], type[PulseDocsError]] = {
    frozenset({EMBEDDER, KEYWORD_LEG}): VectorDBError,
    frozenset({VECTOR_LEG, KEYWORD_LEG}): VectorDBError,
}
# Without a vector the leg of vectors is not asked, and so cannot fail.
NOT_MET = {frozenset({EMBEDDER, VECTOR_LEG}): {VECTOR_LEG}}
# With neither cosine nor reranker nobody can judge relevance: hits of words pass the gate, and
# that is said. Both losses of the vector take the cosine of the words' hits with them.
ALSO_LOST = {
    frozenset({EMBEDDER, RERANKER}): {"gate"},
    frozenset({VECTOR_LEG, RERANKER}): {"gate"},
}

CASES = [frozenset(parts) for size in (1, 2) for parts in combinations(Part, size)]


def level_of(failed: frozenset[Part]) -> Level:
    """Return the level of a pair: of each thing, the lesser of the two that are left."""
    levels = [ONE[part] for part in failed]
    lost = {part.value for part in failed - NOT_MET.get(failed, set())}
    return Level(
        legs=ALL.intersection(*(level.legs for level in levels)),
        order="fused" if any(level.order == "fused" for level in levels) else "reranked",
        written=min(level.written for level in levels),  # "extractive" comes before "generated"
        traced=all(level.traced for level in levels),
        lost=tuple(sorted(lost | ALSO_LOST.get(failed, set()))),
    )


def name_of(failed: frozenset[Part]) -> str:
    return "+".join(sorted(failed))


def seen(world: World, answer: Any) -> Level:
    found = {leg for candidate in answer.candidates for leg in candidate["legs"]}
    reranked = any(candidate["rerank"] is not None for candidate in answer.candidates)
    kept = world.objects.keys(f"traces/{world.shelf.tenant_id}/")
    return Level(
        legs=frozenset(found),
        order="reranked" if reranked else "fused",
        written="extractive" if answer.model == "extractive" else "generated",
        traced=any(answer.trace_id in key for key in kept),
        lost=tuple(sorted(answer.degraded)),
    )


def test_the_table_has_every_dependency_and_every_pair() -> None:
    assert len(CASES) == 8 + 28
    assert set(ONE) == set(Part)


def test_with_nothing_failed_nothing_is_said_to_be(world: World) -> None:
    assert seen(world, world.ask(frozenset())) == Level()


@pytest.mark.parametrize("failed", [c for c in CASES if c not in NONE_LEFT], ids=name_of)
def test_what_is_left_answers_and_says_what_was_lost(world: World, failed: frozenset[Part]) -> None:
    """S3-21, S0-22: each dependency alone and each two together."""
    answer = world.ask(failed)

    assert seen(world, answer) == level_of(failed)
    assert answer.abstained is None
    assert "third day" in answer.text
    assert {citation.page for citation in answer.citations} == {2}
    if TRACE_STORE not in failed:
        trace = read_trace(world.shelf.tenant_id, answer.trace_id, objects=world.objects)
        assert sorted(trace["degraded"]) == list(level_of(failed).lost)
        assert set(trace["failures"]) <= set(trace["degraded"])
        assert replay(trace) == []


@pytest.mark.parametrize(("failed", "error"), NONE_LEFT.items(), ids=map(name_of, NONE_LEFT))
def test_with_no_leg_left_the_error_has_a_type(
    world: World, failed: frozenset[Part], error: type[PulseDocsError]
) -> None:
    """S3-21: never an empty answer where the truth is that nothing could be searched."""
    with pytest.raises(error):
        world.ask(failed)


def test_an_embedder_that_is_down_where_words_find_nothing_is_an_error(world: World) -> None:
    """S3-21: "the documents do not contain this" would be untrue."""
    with pytest.raises(EmbeddingError) as raised:
        world.ask(frozenset({EMBEDDER, INPUT_STAGE, REWRITER}), "xyzzy")

    assert raised.value.context == {"cause": ProviderUnavailable.code}


@pytest.mark.parametrize("part", [REWRITER, INPUT_STAGE, EMBEDDER, RERANKER])
def test_the_trace_names_the_error_that_was_survived(world: World, part: Part) -> None:
    answer = world.ask(frozenset({part}))

    trace = read_trace(world.shelf.tenant_id, answer.trace_id, objects=world.objects)
    assert trace["failures"] == {part.value: ProviderUnavailable.code}


@pytest.mark.parametrize(
    ("overrides", "legs", "reranked"),
    [
        (Overrides(), ALL, True),
        (Overrides(enable_hyde=False), WORDS | {"vector"}, True),
        (Overrides(enable_hyde=False, enable_keyword_search=False), {"vector"}, True),
        (
            Overrides(enable_hyde=False, enable_keyword_search=False, enable_reranking=False),
            {"vector"},
            False,
        ),
    ],
    ids=["full_hybrid", "hybrid", "vector_rerank", "fast"],
)
def test_four_modes_are_reached_by_switches(
    world: World, overrides: Overrides, legs: set[str], *, reranked: bool
) -> None:
    """S3-20: each asserted by the legs that ran."""
    answer = world.ask(frozenset(), profile="full_hybrid", history=(), overrides=overrides)

    level = seen(world, answer)
    assert (level.legs, level.order == "reranked") == (legs, reranked)
    assert level.lost == ()


def test_a_policy_of_the_collection_is_in_the_trace_with_its_revision(world: World) -> None:
    answer = world.ask(frozenset())

    trace = read_trace(world.shelf.tenant_id, answer.trace_id, objects=world.objects)
    assert (trace["profile"]["name"], trace["profile"]["revision"]) == ("everything", 1)
    assert trace["profile"]["gate"] == 0.3
    assert {UUID(item["document_id"]) for item in trace["candidates"]}
