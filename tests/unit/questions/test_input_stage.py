"""A question is rewritten and expanded where the policy asks for it, and searched as asked else."""

import json
from collections.abc import Callable
from dataclasses import replace
from threading import Barrier
from typing import Any
from uuid import UUID

import pytest

from pulsedocs.adapters.local.query_cache import ExpiringCache
from pulsedocs.adapters.memory.chat import ScriptedChat
from pulsedocs.adapters.memory.embedder import HashingEmbedder
from pulsedocs.adapters.memory.object_store import InMemoryObjectStore
from pulsedocs.adapters.memory.reranker import OverlapReranker
from pulsedocs.errors import (
    ConfigurationError,
    GenerationError,
    ProviderMalformed,
    ProviderThrottled,
    ProviderUnavailable,
    PulseDocsError,
    TimedOut,
)
from pulsedocs.model.answers import ChatMessage, Completion
from pulsedocs.model.deadline import Deadline
from pulsedocs.model.embeddings import EmbeddedBatch
from pulsedocs.model.queries import QueryKey
from pulsedocs.model.retrieval import Leg, NearWord, Scope
from pulsedocs.questions.ask_question import Answer, ask_question
from pulsedocs.questions.providers import Providers
from pulsedocs.questions.question import Question
from pulsedocs.questions.read_trace import read_trace
from pulsedocs.questions.replay_trace import Replayed, replay_trace
from pulsedocs.questions.search_passages import Queries, SearchResult, search_passages
from pulsedocs.retrieval.profiles import PROFILES, Overrides
from pulsedocs.retrieval.queries import REWRITING
from tests.patience import HELD_UP
from tests.unit.questions.shelf import TENANT, Shelf, engine_over, lease_shelf

RENT = "When is the monthly rent due?"
FOLLOW_UP = "And when is it due?"
HISTORY = (
    ChatMessage("user", "How high is the monthly rent?"),
    ChatMessage("assistant", "The monthly rent is 1,200 EUR [1]."),
)
BOTH = json.dumps(
    {
        "standard_query": "monthly rent due day",
        "hypothetical_passage": "The rent is due on the third day of the month.",
    }
)


class Counting(HashingEmbedder):
    """Counts what it embeds, and fails where it is told to."""

    def __init__(self, *, passages_fail: PulseDocsError | None = None) -> None:
        super().__init__()
        self.queries: list[str] = []
        self.passages: list[str] = []
        self._passages_fail = passages_fail

    def embed_query(self, text: str, *, deadline: Deadline) -> tuple[float, ...]:
        self.queries.append(text)
        return super().embed_query(text, deadline=deadline)

    def embed_passages(self, texts: Any, *, deadline: Deadline) -> EmbeddedBatch:
        if self._passages_fail is not None:
            raise self._passages_fail
        self.passages += texts
        return HashingEmbedder().embed_passages(texts, deadline=deadline)


def providers(**changes: Any) -> Providers:
    embedder = changes.pop("embedding", HashingEmbedder())
    plain = Providers(embedder=lambda _model: embedder, reranker=OverlapReranker, chat=lambda: None)
    return replace(plain, **changes)


def chats(**models: ScriptedChat) -> dict[str, Callable[[], ScriptedChat]]:
    return {name: lambda model=model: model for name, model in models.items()}


def question(text: str = RENT, **changes: Any) -> Question:
    return replace(Question(text, Scope(TENANT)), **changes)


def search(
    asked: Question, models: Providers, *, shelf: Shelf | None = None, **changes: Any
) -> SearchResult:
    return search_passages(
        asked,
        engine=engine_over(shelf or lease_shelf(), models, **changes),
    )


def ask(asked: Question, models: Providers, *, shelf: Shelf | None = None) -> Answer:
    return ask_question(
        asked,
        engine=engine_over(shelf or lease_shelf(), models),
    )


@pytest.mark.parametrize(
    ("text", "doubted", "read"),
    [
        ("When is the monthly rennt due?", ("rennt",), RENT),
        ("Wann ist die rennt f\u00e4llig?", (), None),  # another language: no word of it is known
    ],
)
def test_a_misspelt_word_is_searched_as_the_documents_have_it(
    text: str, doubted: tuple[str, ...], read: str | None
) -> None:
    """S0-19. Fails when: the vector, the words or the answer are made from what was typed."""
    shelf, embedding = lease_shelf(), Counting()
    shelf.near_words = (NearWord("rennt", "rent", "rent"),)
    knows = {"due", "monthly", "rent", "the", "when"}.__contains__
    models = providers(embedding=embedding, vocabulary=lambda: knows)

    answer = ask(question(text), models, shelf=shelf)

    assert shelf.doubted == doubted
    if read is not None:
        assert (answer.rewritten_question, embedding.queries) == (read, [read])
        assert shelf.queries[0].words == read


def test_a_question_behind_a_long_story_is_searched_with_it_and_judged_alone() -> None:
    story = (
        "My sister moved out last week, and since I have a new job and two small children I took"
        " over her flat in the old house."
    )
    text, shelf, embedding = f"{story} {RENT}", lease_shelf(), Counting()
    models = providers(embedding=embedding)

    alone = ask(question(text), models, shelf=shelf)
    whole = ask(question(text, overrides=Overrides(rewrite=False)), models)

    assert (alone.rewritten_question, whole.rewritten_question) == (RENT, None)
    assert embedding.queries == [text, text]
    assert shelf.queries[0].words == text

    rewriter = ScriptedChat(["When is the rent due?"])
    by_model = providers(embedding=embedding, **chats(rewriter=rewriter))
    ask(question(text, history=HISTORY), by_model)
    assert embedding.queries[2:] == ["When is the rent due?"]


def test_a_first_question_is_never_rewritten() -> None:
    """S4-08: no history, no call."""
    rewriter = ScriptedChat(["never"])

    answer = ask(question(profile="documentor"), providers(**chats(rewriter=rewriter)))

    assert rewriter.asked == []
    assert answer.rewritten_question is None
    assert answer.degraded == ()


def test_a_follow_up_is_rewritten_by_the_cheap_model_with_its_own_prompt() -> None:
    """S4-08: dedicated prompt, separate model; the search goes by what it wrote."""
    shelf, rewriter, chat = lease_shelf(), ScriptedChat([RENT]), ScriptedChat(["NO_ANSWER"])
    models = providers(**chats(rewriter=rewriter, chat=chat))

    answer = ask(question(FOLLOW_UP, profile="documentor", history=HISTORY), models, shelf=shelf)

    [[instructions, asked]] = rewriter.asked
    assert instructions == ChatMessage("system", REWRITING)
    assert "user: How high is the monthly rent?" in asked.content
    assert asked.content.endswith(f"Last question: {FOLLOW_UP}")
    assert answer.rewritten_question == RENT
    vector = HashingEmbedder().embed_query(RENT, deadline=Deadline.after(9))
    assert shelf.queries[0].vectors == {Leg.VECTOR: vector}


@pytest.mark.parametrize("profile", sorted(PROFILES))
def test_a_follow_up_is_rewritten_in_every_profile_unless_it_is_switched_off(profile: str) -> None:
    """T-27."""
    rewriter = ScriptedChat([RENT])
    models = providers(**chats(rewriter=rewriter))
    asked = question(FOLLOW_UP, profile=profile, history=HISTORY)

    off = ask(replace(asked, overrides=Overrides(rewrite=False)), models)
    on = ask(asked, models)

    assert (off.rewritten_question, on.rewritten_question) == (None, RENT)
    assert len(rewriter.asked) == 1


def test_without_a_model_for_it_only_a_request_that_asks_for_rewriting_is_told() -> None:
    """T-27."""
    asked = question(FOLLOW_UP, history=HISTORY)

    silent = ask(asked, providers())
    told = ask(replace(asked, overrides=Overrides(rewrite=True)), providers())

    assert "rewriting" not in silent.degraded
    assert "rewriting" in told.degraded


def test_an_address_that_the_rewriter_invents_is_not_shown() -> None:
    rewriter = ScriptedChat(["How high is the rent, see _https://rogue.example/?d=1"])
    models = providers(**chats(rewriter=rewriter))

    answer = ask(question(FOLLOW_UP, history=HISTORY), models)

    assert "rogue" not in (answer.rewritten_question or "rogue")


def test_the_rewriter_sees_the_last_ten_messages_in_two_thousand_characters() -> None:
    """S4-08."""
    rewriter = ScriptedChat([RENT, RENT])
    models = providers(**chats(rewriter=rewriter))
    many = tuple(ChatMessage("user", f"message {n}.") for n in range(30))
    long = (*(ChatMessage("user", "x" * 900) for _ in range(4)), *HISTORY)

    search(question(FOLLOW_UP, profile="documentor", history=many), models)
    search(question(FOLLOW_UP, profile="documentor", history=long), models)

    few, short = (messages[-1].content for messages in rewriter.asked)
    assert [f"message {n}." in few for n in (19, 20, 29)] == [False, True, True]
    assert "How high is the monthly rent?" in short
    assert len(short) < 2200


@pytest.mark.parametrize(
    "reply",
    [
        ProviderUnavailable("down"),
        ProviderThrottled("slow down"),
        ProviderMalformed("nonsense"),
        TimedOut("late"),
        GenerationError("withheld"),
        "",
        "   ",
        "?!",
        "one line\nand another",
        "I'm sorry, but I cannot help with that.",
        "Sure! Here is the rewritten version.",
        "Wann ist die Miete f\u00e4llig?",
        "x" * 1001,
        "word " * 400,
    ],
)
def test_without_the_rewriter_the_question_is_searched_as_asked(
    reply: str | PulseDocsError,
) -> None:
    """S4-08: any failure of it falls back, and is named."""
    embedder = Counting()
    models = providers(**chats(rewriter=ScriptedChat([reply])), embedding=embedder)

    answer = ask(question(FOLLOW_UP, profile="documentor", history=HISTORY), models)

    assert answer.rewritten_question is None
    assert answer.degraded == ("rewriting",)
    assert embedder.queries == [FOLLOW_UP]


def test_a_wrong_rewriter_is_an_error_not_a_degradation() -> None:
    def misnamed() -> Any:
        raise ConfigurationError("REWRITE_MODEL")

    with pytest.raises(ConfigurationError):
        search(
            question(FOLLOW_UP, profile="documentor", history=HISTORY),
            providers(rewriter=misnamed),
        )


@pytest.mark.parametrize("profile", ["default", "strict"])
def test_default_and_strict_search_without_any_language_model(profile: str) -> None:
    """S0-25, decision 2: not once; after a first turn, not where rewriting is switched off."""
    rewriter, chat = ScriptedChat([RENT] * 9), ScriptedChat([BOTH] * 9)
    models = providers(**chats(rewriter=rewriter, chat=chat))

    for history in ((), HISTORY):
        asked = question(profile=profile, history=history)
        found = search(replace(asked, overrides=Overrides(rewrite=False)), models)
        assert found.queries_generated == Queries(None, None)

    assert (rewriter.asked, chat.asked) == ([], [])


def test_one_structured_call_gives_the_query_and_the_passage() -> None:
    """S3-15."""
    shelf, embedder, chat = lease_shelf(), Counting(), ScriptedChat([BOTH])
    models = providers(**chats(chat=chat), embedding=embedder)

    found = search(question(profile="full_hybrid"), models, shelf=shelf)

    assert len(chat.asked) == 1
    assert found.queries_generated == Queries(
        "monthly rent due day", "The rent is due on the third day of the month."
    )
    [query] = shelf.queries
    assert query.words == "monthly rent due day"
    assert set(query.vectors) == {Leg.VECTOR, Leg.HYDE}
    assert embedder.queries == ["monthly rent due day"]
    assert embedder.passages == ["The rent is due on the third day of the month."]
    assert found.degraded == ()


def test_full_hybrid_asks_twice_25_by_meaning_50_by_words_and_takes_20() -> None:
    """S3-16."""
    shelf = lease_shelf()
    for page in range(1, 141):  # named by letters: of texts that differ in figures only five stay
        house = chr(96 + page // 26 + 1) + chr(97 + page % 26)
        shelf.write(5, page, f"Rent clause of house {house}: its monthly rent is due.")
    models = providers(**chats(chat=ScriptedChat([BOTH])))

    found = search(question(profile="full_hybrid"), models, shelf=shelf)

    [query] = shelf.queries
    assert (query.vector_candidates, query.keyword_candidates) == (25, 50)
    legs = [set(item["legs"]) for item in found.candidates]
    counts = {leg: sum(leg in own for own in legs) for leg in ("vector", "hyde", "keyword")}
    assert counts == {"vector": 25, "hyde": 25, "keyword": 50}
    reranked = [item for item in found.candidates if item["rerank"] is not None]
    assert len(reranked) == len(found.candidates) <= 100
    assert len(found.chunks) == 20


FOUR_MODES = [
    ("full_hybrid", Overrides(), {Leg.VECTOR, Leg.HYDE}, True, True),
    ("full_hybrid", Overrides(enable_hyde=False), {Leg.VECTOR}, True, True),
    (
        "full_hybrid",
        Overrides(enable_hyde=False, enable_keyword_search=False),
        {Leg.VECTOR},
        False,
        True,
    ),
    (
        "full_hybrid",
        Overrides(enable_hyde=False, enable_keyword_search=False, enable_reranking=False),
        {Leg.VECTOR},
        False,
        False,
    ),
    ("hybrid", Overrides(), {Leg.VECTOR}, True, True),
    ("vector_rerank", Overrides(), {Leg.VECTOR}, False, True),
    ("fast", Overrides(), {Leg.VECTOR}, False, False),
    ("fast", Overrides(enable_hyde=True), {Leg.VECTOR, Leg.HYDE}, False, False),
]


@pytest.mark.parametrize(("profile", "overrides", "vectors", "words", "reranks"), FOUR_MODES)
def test_each_mode_runs_its_legs_and_no_other(
    profile: str, overrides: Overrides, vectors: set[Leg], *, words: bool, reranks: bool
) -> None:
    """S3-20, S3-15."""
    shelf = lease_shelf()
    models = providers(**chats(chat=ScriptedChat([_reply_with_what_is_asked])))

    found = search(question(profile=profile, overrides=overrides), models, shelf=shelf)

    [query] = shelf.queries
    assert set(query.vectors) == vectors
    assert (query.words is not None) is words
    assert any(item["rerank"] is not None for item in found.candidates) is reranks
    assert found.degraded == ()


def _reply_with_what_is_asked(messages: Any) -> str:
    full = json.loads(BOTH)
    return json.dumps({name: full[name] for name in full if name in messages[0].content})


@pytest.mark.parametrize(
    "reply",
    [
        "not JSON",
        "[]",
        "{}",
        "null",
        f"```json\n{BOTH}\n```",
        BOTH[:-9],
        BOTH.replace("standard_query", "query"),
        BOTH.replace('"monthly rent due day"', "5"),
        BOTH.replace("monthly rent due day", ""),
        BOTH.replace("monthly rent due day", "x" * 1001),
        json.dumps(json.loads(BOTH) | {"tool": "rm"}),
        json.dumps({"standard_query": "only one"}),
        ProviderUnavailable("down"),
        ProviderMalformed("cut"),
        TimedOut("late"),
    ],
)
def test_a_reply_that_is_not_the_json_asked_for_leaves_the_question(
    reply: str | PulseDocsError,
) -> None:
    """S3-21: QueryGenerationError falls back to the question, visibly; never an empty result."""
    shelf, objects = lease_shelf(), InMemoryObjectStore()
    models = providers(**chats(chat=ScriptedChat([reply])))

    found = search(question(profile="full_hybrid"), models, shelf=shelf, objects=objects)

    [query] = shelf.queries
    assert (query.words, set(query.vectors)) == (RENT, {Leg.VECTOR})
    assert found.queries_generated == Queries(None, None)
    assert found.degraded == ("input_stage",)
    assert found.chunks
    assert read_trace(TENANT, found.trace_id, objects=objects)["degraded"] == ["input_stage"]


def test_a_passage_that_cannot_be_embedded_leaves_the_standard_query() -> None:
    """S3-21: HyDE down, standard only."""
    shelf = lease_shelf()
    embedder = Counting(passages_fail=ProviderUnavailable("down"))
    models = providers(**chats(chat=ScriptedChat([BOTH])), embedding=embedder)

    found = search(question(profile="full_hybrid"), models, shelf=shelf)

    [query] = shelf.queries
    assert (query.words, set(query.vectors)) == ("monthly rent due day", {Leg.VECTOR})
    assert found.degraded == ("hyde",)
    assert found.chunks


class Together(HashingEmbedder):
    """Embeds neither query before it was asked for both."""

    def __init__(self) -> None:
        super().__init__()
        self._both = Barrier(2, timeout=HELD_UP)

    def embed_query(self, text: str, *, deadline: Deadline) -> tuple[float, ...]:
        self._both.wait()
        return HashingEmbedder().embed_query(text, deadline=deadline)

    def embed_passages(self, texts: Any, *, deadline: Deadline) -> EmbeddedBatch:
        self._both.wait()
        return HashingEmbedder().embed_passages(texts, deadline=deadline)


def test_both_queries_are_embedded_together() -> None:
    """S3-24. Fails when: the passage is embedded after the question."""
    shelf = lease_shelf()
    models = providers(**chats(chat=ScriptedChat([BOTH])), embedding=Together())

    search(question(profile="full_hybrid"), models, shelf=shelf)

    [query] = shelf.queries
    assert set(query.vectors) == {Leg.VECTOR, Leg.HYDE}


def test_a_stage_without_a_chat_model_lost_what_was_asked_for_by_itself_only() -> None:
    """Fails when: each answer of `hybrid` is said to be degraded on a stage that has no model."""
    asks_it = question(overrides=Overrides(enable_hyde=True))

    assert search(question(profile="full_hybrid"), providers(), shelf=lease_shelf()).degraded == ()
    assert search(asks_it, providers(), shelf=lease_shelf()).degraded == ("hyde",)


def test_a_rewritten_question_is_what_the_queries_are_made_from() -> None:
    profile = question(FOLLOW_UP, profile="full_hybrid", history=HISTORY)
    chat = ScriptedChat([BOTH])
    search(profile, providers(**chats(chat=chat)))

    # Without a model that rewrites, by its form.
    assert chat.asked[0][-1].content == "When is the monthly rent due?"


def test_the_trace_knows_the_inputs_by_hash_and_replays() -> None:
    """S0-22: no text, and the same hash for the same text."""
    objects = InMemoryObjectStore()
    models = providers(**chats(rewriter=ScriptedChat([RENT]), chat=ScriptedChat([BOTH])))
    asked = question(FOLLOW_UP, profile="documentor", history=HISTORY)

    found = search(asked, models, objects=objects)
    plain = search(question(profile="documentor"), models, objects=objects)

    trace = read_trace(TENANT, found.trace_id, objects=objects)
    first = read_trace(TENANT, plain.trace_id, objects=objects)
    assert trace["input_stage"]["rewritten_hmac"] == first["question_hmac"]
    assert trace["input_stage"]["standard_hmac"] == first["input_stage"]["standard_hmac"]
    assert first["input_stage"]["rewritten_hmac"] is None
    assert trace["models"]["rewriting"] == "memory:scripted"
    assert RENT not in json.dumps(trace)
    replayed = replay_trace(TENANT, found.trace_id, objects=objects)
    assert replayed == Replayed(identical=True, differences=())


def test_what_the_input_stage_took_is_in_the_usage() -> None:
    shelf = lease_shelf()

    models = providers(**chats(chat=ScriptedChat([BOTH])))
    search(question(profile="full_hybrid"), models, shelf=shelf)

    [usage] = shelf.settled
    assert usage.input_tokens > 20
    assert usage.output_tokens > 10
    assert usage.cost_usd == 0.0  # what runs here costs nothing


class Priced(ScriptedChat):
    """A scripted model under a provider's name, with a round number of tokens."""

    def __init__(self, model: str, replies: Any) -> None:
        super().__init__(replies)
        self._model = model

    @property
    def model(self) -> str:
        return self._model

    def complete(self, *arguments: Any, **named: Any) -> Completion:
        said = super().complete(*arguments, **named)
        return replace(said, input_tokens=1000, output_tokens=100)


def test_the_cost_is_that_of_every_call() -> None:
    """1,000 and 100 tokens at 0.15 and 0.60, and at 2.50 and 10.00 dollars a million."""
    shelf = lease_shelf()
    rewriter = Priced("openai:gpt-4o-mini", [RENT])
    chat = Priced("openai:gpt-4o", ["NO_ANSWER"])
    models = providers(rewriter=lambda: rewriter, chat=lambda: chat)

    answer = ask(question(FOLLOW_UP, profile="documentor", history=HISTORY), models, shelf=shelf)

    assert (answer.input_tokens, answer.output_tokens) == (2000, 200)
    assert answer.cost_usd == pytest.approx(0.00021 + 0.0035)
    assert shelf.settled[0].cost_usd == answer.cost_usd


def test_a_price_that_is_not_known_is_not_guessed() -> None:
    shelf = lease_shelf()
    chat = Priced("openai:a-model-of-tomorrow", ["NO_ANSWER"])

    answer = ask(question(), providers(chat=lambda: chat), shelf=shelf)

    assert answer.input_tokens == 1000
    assert answer.cost_usd is None
    assert shelf.settled[0].cost_usd is None


def test_an_answer_that_was_withheld_is_paid_for() -> None:
    chat = Priced("openai:gpt-4o", ["   "])

    answer = ask(question(), providers(chat=lambda: chat))

    assert answer.degraded == ("generation",)
    assert answer.cost_usd == pytest.approx(0.0035)


def test_abbreviations_are_searched_with_their_long_form() -> None:
    shelf = lease_shelf()
    models = providers(abbreviations={"SLA": "service level agreement", "IT": "computing"})

    found = search(question("What does the SLA say, and is it long?"), models, shelf=shelf)

    expected = "What does the SLA (service level agreement) say, and is it long?"
    assert shelf.queries[0].words == expected
    assert found.queries_generated.standard == expected


@pytest.mark.parametrize("profile", ["default", "fast", "hybrid", "full_hybrid"])
@pytest.mark.parametrize("text", ["the of and", "is it?", "who"])
def test_a_question_of_stop_words_is_answered_or_abstains(profile: str, text: str) -> None:
    found = search(question(text, profile=profile), providers())

    assert found.trace_id
    assert (found.abstained is None) == bool(found.chunks)


def test_the_cache_spares_the_second_call_of_the_same_tenant_only() -> None:
    """S3-24: query embeddings and the input stage's output; never across tenants."""
    cache, embedder, chat = ExpiringCache(), Counting(), ScriptedChat([BOTH] * 3)
    models = providers(**chats(chat=chat), embedding=embedder, cache=cache)

    first, second = (search(question(profile="full_hybrid"), models) for _ in range(2))

    assert (len(chat.asked), len(embedder.queries), len(embedder.passages)) == (1, 1, 1)
    assert first.queries_generated == second.queries_generated
    assert [c.chunk_id for c in first.chunks] == [c.chunk_id for c in second.chunks]

    key = QueryKey(TENANT, "memory:hashing@384", "query", "monthly rent due day")
    other = replace(key, tenant_id=UUID(int=5))
    assert cache.remember(key, lambda: "made again") != "made again"
    assert cache.remember(other, lambda: "of another tenant") == "of another tenant"


def test_a_failure_is_not_remembered() -> None:
    models = providers(**chats(chat=ScriptedChat(["not JSON", BOTH])), cache=ExpiringCache())

    first, second = (search(question(profile="full_hybrid"), models) for _ in range(2))

    assert first.degraded == ("input_stage",)
    assert second.degraded == ()
