"""Searching returns what was selected, or says why nothing was, and leaves a trace either way."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any
from uuid import UUID

import pytest

from pulsedocs.adapters.memory.chat import ScriptedChat
from pulsedocs.adapters.memory.embedder import HashingEmbedder
from pulsedocs.adapters.memory.object_store import InMemoryObjectStore
from pulsedocs.adapters.memory.reranker import OverlapReranker
from pulsedocs.errors import (
    CollectionNotFoundError,
    ConfigurationError,
    EmbeddingError,
    InvalidRequest,
    ObjectStoreUnavailable,
    ProfileNotFound,
    ProviderThrottled,
    ProviderUnavailable,
    PulseDocsError,
    StoreUnavailable,
    TraceNotFound,
)
from pulsedocs.model.deadline import Deadline
from pulsedocs.model.embeddings import EmbeddedBatch
from pulsedocs.model.object_keys import trace_key
from pulsedocs.model.retrieval import Abstention, Leg, Scope
from pulsedocs.questions.providers import Providers
from pulsedocs.questions.query_engine import RefusalTexts
from pulsedocs.questions.question import Question
from pulsedocs.questions.read_trace import read_trace
from pulsedocs.questions.replay_trace import Replayed, replay_trace
from pulsedocs.questions.search_passages import SearchResult, search_passages
from pulsedocs.retrieval.profiles import Overrides
from tests.unit.questions.shelf import TENANT, Shelf, engine_over, lease_shelf

RENT = "When is the monthly rent due?"


class Silent(InMemoryObjectStore):
    """A bucket that does not answer writes."""

    def write(self, key: str, body: bytes, *, content_type: str = "application/json") -> None:
        del key, body, content_type
        raise ObjectStoreUnavailable("no answer")


def failing(error: PulseDocsError) -> Any:
    def build(*_: object) -> Any:
        raise error

    return build


def providers(**changes: Any) -> Providers:
    plain = Providers(
        embedder=lambda _model: HashingEmbedder(),
        reranker=OverlapReranker,
        chat=ScriptedChat,
    )
    return replace(plain, **changes)


def asked(text: str = RENT, **changes: Any) -> Question:
    return replace(Question(text, Scope(TENANT), subject="user-1"), **changes)


def search(
    question: Question,
    shelf: Shelf,
    *,
    models: Providers | None = None,
    objects: InMemoryObjectStore | None = None,
) -> SearchResult:
    return search_passages(
        question,
        engine=engine_over(shelf, models or providers(), objects=objects or InMemoryObjectStore()),
    )


def test_the_passage_that_answers_comes_first_with_its_scores() -> None:
    """S0-14, S0-21: the model is the collection's; the chunk is joined to its text."""
    shelf = lease_shelf()

    found = search(asked(), shelf)

    best = found.chunks[0]
    assert (best.source, best.pages, best.rank) == ("file-1.pdf", (2,), 1)
    assert "due on the third day" in best.content
    assert None not in {best.relevance_score, best.vector_score, best.keyword_score}
    assert shelf.queries[0].model == "memory:hashing@384"
    assert found.sources[0].document_id == UUID(int=1)
    assert found.degraded == ()


def test_more_is_fetched_than_is_selected() -> None:
    """S0-15."""
    shelf = lease_shelf()

    found = search(asked(overrides=Overrides(top_k=1)), shelf)

    assert len(found.chunks) == 1
    stats = found.retrieval_stats
    assert stats.total_chunks_retrieved == 4 + stats.keyword_search_chunks > 4
    assert (stats.vector_search_chunks, stats.chunks_after_dedup) == (4, 4)
    assert stats.chunks_after_reranking == 1
    assert {item["reason"] for item in found.candidates} > {"SELECTED"}


def test_a_search_has_no_budget_of_a_prompt() -> None:
    """S3-18. Failed when 3,000 tokens of a prompt that nobody writes cut what was asked for."""
    shelf, objects = Shelf(), InMemoryObjectStore()
    for document in range(1, 13):
        shelf.write(document, 1, f"Rent {document} is due on day {document}.", tokens=900)

    found = search(
        asked("When is rent due?", overrides=Overrides(top_k=10)), shelf, objects=objects
    )

    assert len(found.chunks) == 10
    assert replay_trace(TENANT, found.trace_id, objects=objects).identical


def test_an_off_topic_question_abstains_with_the_numbers() -> None:
    """S0-16."""
    found = search(asked("Which galaxy rotates fastest?"), lease_shelf())

    assert found.chunks == ()
    assert found.abstained is not None
    assert found.abstained.reason is Abstention.BELOW_THRESHOLD
    assert found.abstained.message == "no information"
    assert " < 0.30, page " in found.abstained.detail


def test_an_empty_query_finds_nothing_and_asks_nothing() -> None:
    """S2-16."""
    shelf = lease_shelf()

    found = search(asked(" \n"), shelf)

    assert (found.chunks, found.sources) == ((), ())
    assert found.abstained is not None
    assert (found.abstained.reason, found.abstained.message) == (Abstention.EMPTY_QUERY, "empty")
    assert shelf.queries == []


def test_a_model_without_embeddings_is_said_so() -> None:
    """S1-01: distinct from finding nothing relevant."""
    shelf = lease_shelf()
    shelf.embedded = False

    found = search(asked(), shelf)

    assert found.abstained is not None
    assert found.abstained.reason is Abstention.NOT_INDEXED_FOR_MODEL
    assert found.abstained.message == "not indexed"
    assert shelf.queries == []


@pytest.mark.parametrize(
    ("scope", "says"),
    [
        (Scope(TENANT), "No document can be searched yet in 'default'."),
        (Scope(TENANT, filters={"a": 1}), "The filters leave no document that can be searched."),
        (
            Scope(TENANT, document_ids=(TENANT,)),
            "None of the documents that are asked can be searched yet.",
        ),
    ],
)
def test_an_empty_shelf_does_not_say_what_documents_contain(scope: Scope, says: str) -> None:
    shelf = Shelf()

    found = search(asked(scope=scope), shelf)

    assert found.abstained is not None
    assert found.abstained.reason is Abstention.NO_DOCUMENTS
    assert found.abstained.message == says
    assert shelf.queries == []


def test_what_is_said_where_there_is_nothing_to_search_can_be_chosen() -> None:
    texts = RefusalTexts("", "", "", "", no_documents="Add a document first.")

    refused = texts.abstention(Abstention.NO_DOCUMENTS, "No document can be searched yet in 'a'.")

    assert refused.message == "Add a document first."
    assert refused.detail == "No document can be searched yet in 'a'."


def test_the_profile_of_the_collection_is_used_unless_another_is_named() -> None:
    """S1-03: `v0.5` is similarity order without policy."""
    shelf = lease_shelf()
    shelf.profile = "v0.5"

    own = search(asked("unrelated words"), shelf)
    named = search(asked("unrelated words", profile="strict"), shelf)

    similarities = [chunk.vector_score or 0.0 for chunk in own.chunks]
    assert similarities == sorted(similarities, reverse=True)
    assert len(own.chunks) == 4
    assert named.chunks == ()
    assert [query.exact for query in shelf.queries] == [False, True]


def test_documentor_takes_five_at_cosine_three_tenths() -> None:
    """S4-07."""
    shelf = lease_shelf()

    found = search(asked(profile="documentor"), shelf)

    assert all((chunk.vector_score or 0) >= 0.3 for chunk in found.chunks)
    assert {item["reason"] for item in found.candidates} == {"SELECTED", "BELOW_THRESHOLD"}
    assert shelf.queries[0].vector_candidates == 5


def test_strict_never_builds_another_model() -> None:
    """S0-25."""
    forbidden = failing(AssertionError)  # pyright: ignore[reportArgumentType] -- any call fails

    found = search(
        asked(profile="strict"), lease_shelf(), models=providers(reranker=forbidden, chat=forbidden)
    )

    assert found.chunks


def test_searching_needs_no_chat_model() -> None:
    """S1-05: value and trace without one."""
    objects = InMemoryObjectStore()
    chat = failing(ConfigurationError("no chat model"))

    found = search(asked(), lease_shelf(), models=providers(chat=chat), objects=objects)

    assert found.chunks
    assert read_trace(TENANT, found.trace_id, objects=objects)["models"]["chat"] is None


def test_without_the_embedder_words_still_find() -> None:
    shelf = lease_shelf()
    models = providers(embedder=failing(ProviderUnavailable("down")))

    found = search(asked(), shelf, models=models)

    assert found.chunks[0].pages == (2,)
    assert found.degraded == ("embedding",)
    assert shelf.queries[0].vectors == {}


def test_words_stand_in_where_the_profile_has_only_vectors() -> None:
    models = providers(embedder=failing(ProviderThrottled("slow down")))

    found = search(asked(profile="fast"), lease_shelf(), models=models)

    assert found.chunks[0].pages == (2,)
    assert found.degraded == ("embedding",)


def test_with_no_way_left_the_embedders_error_is_the_answer() -> None:
    """S3-21: an error, not "the documents do not contain this"."""
    models = providers(embedder=failing(ProviderUnavailable("down")))

    with pytest.raises(EmbeddingError, match="could not be embedded") as raised:
        search(asked("xyzzy"), lease_shelf(), models=models)

    assert raised.value.context == {"cause": "PROVIDER_UNAVAILABLE"}


def test_without_the_reranker_the_fused_order_stands() -> None:
    models = providers(reranker=failing(ProviderUnavailable("down")))

    found = search(asked(), lease_shelf(), models=models)

    assert found.chunks[0].pages == (2,)
    assert found.degraded == ("reranking",)


@pytest.mark.parametrize("scores", [(), (1.0,), (float("nan"),) * 4])
def test_a_reranker_that_talks_nonsense_is_not_listened_to(scores: tuple[float, ...]) -> None:
    class Broken(OverlapReranker):
        def rerank(self, *_: object, **__: object) -> tuple[float, ...]:
            return scores

    found = search(asked(), lease_shelf(), models=providers(reranker=Broken))

    assert found.degraded == ("reranking",)
    assert found.chunks


class Bought(OverlapReranker):
    """One that is paid for each call, and declares its language as local ones do."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    @property
    def model(self) -> str:
        return "cohere:rerank-english-v3.0"

    def rerank(
        self, query: str, passages: Sequence[str], *, deadline: Deadline
    ) -> tuple[float, ...]:
        self.asked.append(query)
        return super().rerank(query, passages, deadline=deadline)


def test_a_reranker_that_is_paid_for_is_asked_once() -> None:
    """Failed when a model of one language counted as local: each part of a question was paid."""
    reranker, question = Bought(), "When is the rent due, and who pays for the heating?"

    search(asked(question), lease_shelf(), models=providers(reranker=lambda: reranker))

    assert reranker.asked == [question]


def test_a_reranker_reads_abbreviations_written_out_as_they_are_searched() -> None:
    """Passages write property, plant and equipment; PP&E says nothing to who compares words."""
    reranker = Bought()
    models = providers(reranker=lambda: reranker, abbreviations={"PP&E": "plant and equipment"})

    search(asked("How much is the net PP&E?"), lease_shelf(), models=models)

    assert reranker.asked == ["How much is the net PP&E (plant and equipment)?"]


def test_an_embedder_that_is_paid_for_does_not_read_passages_again() -> None:
    """Failed when a model of one language counted as local: neither reserved nor booked."""

    class Counting(HashingEmbedder):
        def embed_passages(self, texts: Sequence[str], *, deadline: Deadline) -> EmbeddedBatch:
            raise AssertionError(f"{len(texts)} passages paid for until {deadline}")

    def reader(text: str, *, expected: str | None) -> str | None:
        return expected if text == RENT else "de"

    def embedder(_model: str) -> Counting:
        return Counting()

    shelf = replace(lease_shelf(), model="cohere:embed-english-v3.0@384")
    models = providers(embedder=embedder, reranker=lambda: None, languages=lambda: reader)
    found = search(asked(), shelf, models=models)

    assert found.degraded == ("language",)  # no "similarity": it was not asked


def test_without_both_models_the_gate_cannot_judge_and_that_is_named() -> None:
    down = failing(ProviderUnavailable("down"))

    found = search(asked(), lease_shelf(), models=providers(embedder=down, reranker=down))

    assert found.degraded == ("embedding", "reranking", "gate")
    assert found.chunks


def test_a_leg_that_the_store_lost_is_named() -> None:
    shelf = lease_shelf()
    shelf.degraded = ("keyword",)

    assert search(asked(), shelf).degraded == ("keyword",)


def test_a_lost_trace_or_settlement_does_not_lose_the_answer() -> None:
    shelf = lease_shelf()
    shelf.failing["settle"] = StoreUnavailable("down")

    found = search(asked(), shelf, objects=Silent())

    assert found.chunks
    assert found.degraded == ("trace", "usage")


def test_a_wrong_configuration_is_an_error_not_a_degradation() -> None:
    models = providers(embedder=failing(ConfigurationError("MODEL_DIRECTORY")))

    with pytest.raises(ConfigurationError):
        search(asked(), lease_shelf(), models=models)


def test_an_unreachable_database_is_an_error() -> None:
    shelf = lease_shelf()
    shelf.failing["search"] = StoreUnavailable("down")

    with pytest.raises(StoreUnavailable):
        search(asked(), shelf)


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"profile": "best"}, ProfileNotFound),
        ({"scope": Scope(TENANT, filters={"a": {"$regex": "x"}})}, InvalidRequest),
        ({"scope": Scope(UUID(int=5))}, CollectionNotFoundError),
    ],
)
def test_a_wrong_request_is_refused(changes: dict[str, Any], error: type[PulseDocsError]) -> None:
    with pytest.raises(error):
        search(asked(**changes), lease_shelf())


@pytest.mark.parametrize(
    ("language", "question", "words"),
    [
        ("en", "When is the weir opened?", "when is the weir opened"),
        (None, "When is the weir opened?", "weir opened"),
        ("en", "Wann wird das Wehr ge\u00f6ffnet?", "wehr ge\u00f6ffnet"),
        (None, "Who are they?", "who are they"),
        (None, "Weir?", "weir"),
    ],
)
def test_small_words_are_not_searched_for_where_the_index_has_them(
    language: str | None, question: str, words: str
) -> None:
    """The index leaves out those of the collection's language only."""
    shelf = lease_shelf()
    shelf.language = language

    search(asked(question), shelf)

    assert (shelf.queries[0].words or "").lower().strip(" ?").split() == words.split()


def test_switches_reach_the_legs() -> None:
    shelf = lease_shelf()

    search(asked(overrides=Overrides(enable_keyword_search=False)), shelf)

    assert shelf.queries[0].words is None
    assert set(shelf.queries[0].vectors) == {Leg.VECTOR}


def test_every_search_leaves_a_trace_that_replays() -> None:
    """S0-21, P-02: also one that abstained, also one that lost its models."""
    objects = InMemoryObjectStore()
    down = providers(embedder=failing(ProviderUnavailable("down")))
    found = [
        search(asked(), lease_shelf(), objects=objects),
        search(asked("Which galaxy?"), lease_shelf(), objects=objects),
        search(asked(""), lease_shelf(), objects=objects),
        search(asked(), lease_shelf(), models=down, objects=objects),
    ]

    for result in found:
        replayed = replay_trace(TENANT, result.trace_id, objects=objects)
        assert replayed == Replayed(identical=True, differences=())


def test_the_trace_holds_policy_models_corpus_and_no_words() -> None:
    """S0-22."""
    objects = InMemoryObjectStore()
    found = search(asked(overrides=Overrides(top_k=2)), lease_shelf(), objects=objects)

    trace = read_trace(TENANT, found.trace_id, objects=objects)

    assert trace["profile"]["name"] == "default"
    assert trace["profile"]["top_k"] == 2
    assert trace["overrides"] == {"top_k": 2}
    assert trace["models"]["reranker"] == "memory:overlap"
    assert trace["corpus"]["snapshot"] == 7
    assert trace["corpus"]["vector_path"] == "exact"
    body = objects.read(trace_key(TENANT, found.trace_id)).decode()
    for word in ("rent", "file-1", "user-1", "EUR"):
        assert word not in body.replace('"current', "")


def test_the_same_question_gives_the_same_decisions() -> None:
    """S0-21: over repeats."""
    first, second = (search(asked(), lease_shelf()).candidates for _ in range(2))

    assert first == second


def test_another_tenants_trace_is_not_there() -> None:
    objects = InMemoryObjectStore()
    found = search(asked(), lease_shelf(), objects=objects)

    for tenant, trace_id in [
        (UUID(int=5), found.trace_id),
        (TENANT, "0" * 32),
        (TENANT, "../../x"),
        (TENANT, found.trace_id.upper() + "\n"),
    ]:
        with pytest.raises(TraceNotFound):
            read_trace(tenant, trace_id, objects=objects)


def test_what_a_search_used_is_settled_under_its_trace() -> None:
    shelf = lease_shelf()

    found = search(asked(), shelf)

    [usage] = shelf.settled
    assert (usage.method, usage.trace_id, usage.user_id) == ("search", found.trace_id, "user-1")
