"""A lost page is explained from the trace, and by one look at the database where it is silent."""

from dataclasses import replace
from typing import Any
from uuid import UUID

import pytest

from pulsedocs.adapters.memory.chat import ScriptedChat
from pulsedocs.adapters.memory.embedder import HashingEmbedder
from pulsedocs.adapters.memory.object_store import InMemoryObjectStore
from pulsedocs.adapters.memory.reranker import OverlapReranker
from pulsedocs.errors import InvalidRequest, ProfileNotFound, ProviderUnavailable, TraceNotFound
from pulsedocs.model.deadline import Deadline
from pulsedocs.model.retrieval import Leg, LegHit, LostAt, Scope
from pulsedocs.questions.explain_trace import (
    AskedAgain,
    PageOfTrace,
    explain_trace,
    explain_with_ranks,
)
from pulsedocs.questions.providers import Providers
from pulsedocs.questions.query_engine import QueryEngine
from pulsedocs.questions.question import Question
from pulsedocs.questions.search_passages import search_passages
from pulsedocs.questions.what_if import OtherPolicy, try_policy
from pulsedocs.retrieval.explanation import Explanation
from pulsedocs.retrieval.profiles import Overrides, defined, profile_named
from tests.unit.questions.shelf import TENANT, Shelf, engine_over, lease_shelf
from tests.unit.retrieval.test_explanation import STATUS

RENT = "When is the monthly rent due?"
LEASE, HANDBOOK = UUID(int=1), UUID(int=2)


class Silent(HashingEmbedder):
    def embed_query(self, text: str, *, deadline: Deadline) -> tuple[float, ...]:
        raise ProviderUnavailable(f"no answer to {text!r} in {deadline.timeout(1)} s")


class Desk:
    """A shelf, a bucket, and questions put to them."""

    def __init__(self) -> None:
        self.shelf: Shelf = lease_shelf()
        self.objects = InMemoryObjectStore()
        self.providers = Providers(
            embedder=lambda _model: HashingEmbedder(), reranker=OverlapReranker, chat=ScriptedChat
        )

    @property
    def engine(self) -> QueryEngine:
        return engine_over(self.shelf, self.providers, objects=self.objects)

    def search(self, text: str = RENT, **question: Any) -> str:
        asked = Question(text, Scope(TENANT), **question)
        return search_passages(asked, engine=self.engine).trace_id

    def why(self, trace_id: str, document_id: UUID, page: int) -> Explanation:
        asked = PageOfTrace(TENANT, trace_id, document_id, page)
        return explain_trace(asked, engine=self.engine)

    def rank(self, trace_id: str, text: str, page: int = 14) -> Explanation:
        return explain_with_ranks(
            PageOfTrace(TENANT, trace_id, LEASE, page),
            AskedAgain(text, Scope(TENANT)),
            engine=self.engine,
        )

    def what_if(self, trace_id: str, **other: Any) -> Any:
        policy = OtherPolicy(**other)
        return try_policy(TENANT, trace_id, policy, engine=self.engine)


def test_a_candidate_is_explained_without_the_database() -> None:
    """S0-22."""
    desk = Desk()
    trace_id = desk.search()

    assert desk.why(trace_id, LEASE, 2).stage is LostAt.SELECTED
    gated = desk.why(trace_id, HANDBOOK, 1)
    assert gated.stage is LostAt.GATED
    assert gated.detail.startswith("ranked 4 of 4, gate 0.10, best 0.")
    assert desk.shelf.asked_pages == []


def test_a_page_that_was_no_candidate_takes_one_look() -> None:
    desk = Desk()
    trace_id = desk.search(overrides=Overrides(enable_keyword_search=False))
    desk.shelf.page_statuses[LEASE, 13] = STATUS
    desk.shelf.page_statuses[LEASE, 14] = replace(STATUS, chunks=0)

    assert desk.why(trace_id, LEASE, 13).stage is LostAt.NOT_RECALLED
    assert desk.why(trace_id, LEASE, 14).stage is LostAt.NEVER_INDEXED
    assert desk.why(trace_id, UUID(int=77), 1).detail.startswith("there is no such document")
    assert [item.model for item in desk.shelf.asked_pages][-1] == "memory:hashing@384"


def test_the_questions_own_words_give_the_exact_rank() -> None:
    desk = Desk()
    trace_id = desk.search()
    ranks = {Leg.VECTOR: LegHit(88, 0.4)}
    desk.shelf.page_statuses[LEASE, 14] = replace(STATUS, in_scope=True, ranks=ranks)

    explained = desk.rank(trace_id, RENT)

    assert explained.stage is LostAt.NOT_RECALLED
    assert explained.detail == "indexed, but no leg read as far: vector rank 88 (50 read)"
    [asked] = desk.shelf.asked_pages
    assert asked.query is not None
    assert asked.query.words == RENT
    assert set(asked.query.vectors) == {Leg.VECTOR}


def test_a_rank_by_a_model_that_is_paid_for_is_booked() -> None:
    """Failed when it was neither reserved nor counted."""
    desk = Desk()
    desk.shelf = replace(desk.shelf, model="openai:text-embedding-3-small@384")
    trace_id = desk.search()
    desk.shelf.settled.clear()
    desk.shelf.page_statuses[LEASE, 14] = replace(STATUS, in_scope=True)

    desk.rank(trace_id, RENT)

    [usage], [reserved] = desk.shelf.settled, desk.shelf.reserved
    assert (usage.method, usage.trace_id) == ("why", trace_id)
    assert 0 < usage.input_tokens == reserved.tokens


def test_a_rank_whose_model_fails_gives_back_what_it_reserved() -> None:
    """Failed when the reservation was held until it expired, as if it had been spent."""
    desk = Desk()
    desk.shelf = replace(desk.shelf, model="openai:text-embedding-3-small@384")
    trace_id = desk.search()
    desk.shelf.settled.clear()
    desk.providers = Providers(
        embedder=lambda _model: Silent(), reranker=OverlapReranker, chat=ScriptedChat
    )

    with pytest.raises(ProviderUnavailable):
        desk.rank(trace_id, RENT)

    [usage], [_reserved] = desk.shelf.settled, desk.shelf.reserved
    assert (usage.method, usage.input_tokens, usage.cost_usd) == ("why", 0, 0)


def test_another_question_is_refused_by_its_hash() -> None:
    desk = Desk()
    trace_id = desk.search()

    with pytest.raises(InvalidRequest, match="not the one that the trace is of"):
        desk.rank(trace_id, "When is the deposit due?")


def test_a_trace_of_another_tenant_is_not_there() -> None:
    desk = Desk()
    trace_id = desk.search()
    stranger = PageOfTrace(UUID(int=5), trace_id, LEASE, 2)

    with pytest.raises(TraceNotFound):
        explain_trace(stranger, engine=desk.engine)
    with pytest.raises(TraceNotFound):
        try_policy(UUID(int=5), trace_id, OtherPolicy(), engine=desk.engine)


def test_a_question_that_was_never_searched_is_explained_so() -> None:
    desk = Desk()

    assert desk.why(desk.search(" "), LEASE, 2).stage is LostAt.NOT_SEARCHED
    desk.shelf.embedded = False
    assert desk.why(desk.search(), LEASE, 2).stage is LostAt.NOT_INDEXED_FOR_MODEL


def test_what_if_takes_a_name_switches_and_values() -> None:
    """S0-22: without a search, an embedding or a write."""
    desk = Desk()
    trace_id = desk.search()
    searched, kept = len(desk.shelf.queries), desk.objects.keys()

    same = desk.what_if(trace_id)
    plain = desk.what_if(trace_id, profile="v0.5")
    lower = desk.what_if(trace_id, values={"gate": 0.0})
    fewer = desk.what_if(trace_id, overrides=Overrides(top_k=1))

    assert (same.added, same.removed, same.changes, same.cannot_say) == ((), (), (), ())
    assert len(plain.after) == 4
    assert len(lower.after) == 4
    assert len(fewer.after) == 1
    assert (len(desk.shelf.queries), desk.objects.keys()) == (searched, kept)


def test_what_if_knows_the_policies_of_a_collection() -> None:
    desk = Desk()
    trace_id = desk.search()
    mine = replace(defined("mine", profile_named("default"), {"gate": 0.99}), revision=7)
    desk.shelf.defined["mine"] = mine

    result = desk.what_if(trace_id, profile="mine")

    assert (result.profile.name, result.profile.revision) == ("mine", 7)
    with pytest.raises(ProfileNotFound):
        desk.what_if(trace_id, profile="nobodys")
    with pytest.raises(InvalidRequest, match="gate"):
        desk.what_if(trace_id, values={"gate": 7})


def test_a_policy_of_the_collection_is_searched_by_and_traced_with_its_revision() -> None:
    desk = Desk()
    values = {"top_k": 1, "vector_candidates": 2, "keyword_candidates": 2}
    mine = replace(defined("mine", profile_named("default"), values), revision=7)
    desk.shelf.defined["mine"] = mine
    desk.shelf.profile = "mine"

    for trace_id in (desk.search(), desk.search(profile="mine")):
        result = desk.what_if(trace_id)
        assert result.profile == mine
        assert len(result.before) == 1
    assert [query.vector_candidates for query in desk.shelf.queries] == [2, 2]
