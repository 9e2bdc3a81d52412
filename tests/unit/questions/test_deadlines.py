"""A question is answered within its budget, whichever of its dependencies is slow or silent."""

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from threading import Event
from typing import Any, cast

import pytest

from pulsedocs.adapters.aws.trace_store import BucketTraceStore
from pulsedocs.adapters.memory.chat import ScriptedChat
from pulsedocs.adapters.memory.embedder import HashingEmbedder
from pulsedocs.adapters.memory.object_store import InMemoryObjectStore
from pulsedocs.adapters.memory.reranker import OverlapReranker
from pulsedocs.adapters.openai.calls import OpenAICalls
from pulsedocs.adapters.openai.chat import OpenAIChat
from pulsedocs.adapters.plugins.embedder import PluginEmbedder
from pulsedocs.adapters.plugins.reranker import PluginReranker
from pulsedocs.calls.limits import CHAT
from pulsedocs.embedding import parse_model_name
from pulsedocs.errors import StoreUnavailable, TimedOut
from pulsedocs.model.answers import ChatMessage, Completion
from pulsedocs.model.deadline import Deadline
from pulsedocs.model.embeddings import EmbeddedBatch
from pulsedocs.model.evaluations import LabelledQuestion
from pulsedocs.model.retrieval import GateScale, Profile, Scope
from pulsedocs.plugins import ScoredChunk
from pulsedocs.questions.ask_question import ask_question
from pulsedocs.questions.evaluate_profiles import QUESTION_SECONDS, evaluate_profile
from pulsedocs.questions.providers import Providers
from pulsedocs.questions.query_engine import QueryEngine
from pulsedocs.questions.question import Question
from pulsedocs.retrieval.profiles import profile_named
from tests.contract.lambda_endpoint import lambda_store
from tests.contract.silent_server import silent_server
from tests.patience import HELD_UP
from tests.unit.questions.shelf import TENANT, Shelf, engine_over, lease_shelf

RENT = "When is the monthly rent due?"
DUE = 'Rent is due on the third day [1: "due on the third day of the month"].'
QUERIES = '{"standard_query": "monthly rent due", "hypothetical_passage": "Rent is due."}'
QUESTION = Question(
    RENT,
    Scope(TENANT),
    profile="everything",
    history=(ChatMessage("user", "I rent a flat."), ChatMessage("assistant", "I see.")),
)
BUDGET = 2.0  # what is left of it must do for the rest of a question on a busy machine
HANGS = 60.0  # seconds: longer than any budget and any patience here
STORE_CALLS = ["prepare", "search", "page_texts", "defined_profile"]
SURVIVED = ["rewriting", "input_stage", "embedding", "reranking", "generation", "trace", "usage"]

# Each call to a model in the order of a question, and the most that it is given.
OWN_SECONDS = {
    "rewriting": 3,
    "input_stage": 5,
    "embedding": 6,
    "hyde": 6,
    "reranking": 12,
    "generation": 18,
    "sentences": 5,
}


def everything() -> Profile:
    """Return a policy that rewrites, imagines, searches thrice and reranks."""
    return replace(
        profile_named("full_hybrid"),
        name="everything",
        rewrite=True,
        gate=0.3,
        gate_scale=GateScale.RELEVANCE,
    )


class Watched(HashingEmbedder, OverlapReranker):
    """Models that note what they are given; the generator fails, so that sentences are read."""

    def __init__(self) -> None:
        super().__init__()
        self.given: dict[str, float] = {}

    def note(self, call: str, deadline: Deadline) -> None:
        self.given[call] = deadline.remaining()

    def embed_query(self, text: str, *, deadline: Deadline) -> tuple[float, ...]:
        self.note("embedding", deadline)
        return super().embed_query(text, deadline=deadline)

    def embed_passages(self, texts: Sequence[str], *, deadline: Deadline) -> EmbeddedBatch:
        self.note("hyde", deadline)
        return super().embed_passages(texts, deadline=deadline)

    def rerank(
        self, query: str, passages: Sequence[str], *, deadline: Deadline
    ) -> tuple[float, ...]:
        self.note("sentences" if "reranking" in self.given else "reranking", deadline)
        return super().rerank(query, passages, deadline=deadline)


class WatchedChat(ScriptedChat):
    def __init__(self, watch: Watched, replies: Mapping[str, Any]) -> None:
        super().__init__(replies.values())
        self._watch = watch
        self._names = iter(replies)

    def complete(self, *args: Any, deadline: Deadline, **rest: Any) -> Completion:
        self._watch.note(next(self._names), deadline)
        return super().complete(*args, deadline=deadline, **rest)


def watched(watch: Watched) -> Providers:
    chat = WatchedChat(watch, {"input_stage": QUERIES, "generation": TimedOut("late")})
    rewriter = WatchedChat(watch, {"rewriting": RENT})
    return Providers(
        embedder=lambda _model: watch,
        reranker=lambda: watch,
        chat=lambda: chat,
        rewriter=lambda: rewriter,
    )


@pytest.mark.parametrize("seconds", [25.0, 6.0, 0.6])
def test_every_model_is_given_its_own_time_or_less(seconds: float) -> None:
    """What can be done without leaves time for what cannot."""
    watch = Watched()
    shelf = lease_shelf()
    shelf.defined["everything"] = everything()

    answer = ask_question(
        QUESTION, engine=engine_over(shelf, watched(watch), deadline=Deadline.after(seconds))
    )

    assert set(watch.given) == set(OWN_SECONDS)
    for call, own in OWN_SECONDS.items():
        assert 0 < watch.given[call] <= min(own, max(seconds - 3, seconds * 0.6)), call
    assert answer.degraded == ("generation",)
    assert "third day" in answer.text


def test_a_question_of_an_evaluation_has_no_more_time_at_the_store_than_one_of_its_own() -> None:
    """A call that hangs would take the time of all the questions behind it."""
    shelf, given = lease_shelf(), list[float]()

    def store_within(deadline: Deadline) -> Shelf:
        given.append(deadline.remaining())
        return shelf

    whole = engine_over(
        object(), watched(Watched()), deadline=Deadline.after(840), stores=store_within
    )
    asked = evaluate_profile(
        "default",
        [LabelledQuestion(RENT, expected=()) for _ in range(2)],
        scope=Scope(TENANT),
        engine=whole,
    )

    assert len(asked) == len(given) == 2
    assert max(given) <= QUESTION_SECONDS < whole.deadline.remaining()


def test_no_model_is_called_once_the_budget_is_used_up() -> None:
    """What is left without any model, and says so."""
    watch = Watched()
    shelf = lease_shelf()
    shelf.defined["everything"] = everything()

    answer = ask_question(
        QUESTION, engine=engine_over(shelf, watched(watch), deadline=Deadline.after(0))
    )

    assert watch.given == {}
    assert set(answer.degraded) == {
        "rewriting",
        "input_stage",
        "embedding",
        "reranking",
        "gate",
        "generation",
    }


class SlowShelf(Shelf):
    """Waits in one of its calls until it is released."""

    slow: str = ""
    released: Event = Event()

    def _fail(self, call: str) -> None:
        if call == {"usage": "settle"}.get(self.slow, self.slow):
            self.released.wait(HANGS)


class SlowPlugin:
    """An embedder and a reranker that wait until they are released."""

    def __init__(self, released: Event) -> None:
        self._released = released

    def get_dimensions(self) -> int:
        return 384

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        self._released.wait(HANGS)
        return [[1.0] * 384 for _ in texts]

    def rerank(self, query: str, chunks: Sequence[str], top_k: int) -> list[ScoredChunk]:
        del query, top_k
        self._released.wait(HANGS)
        return [ScoredChunk(index, 0.5) for index in range(len(chunks))]


class SlowBucket(InMemoryObjectStore):
    def __init__(self, released: Event) -> None:
        super().__init__()
        self._released = released

    def write(self, key: str, body: bytes, *, content_type: str = "application/json") -> None:
        self._released.wait(HANGS)
        super().write(key, body, content_type=content_type)


def slow_providers(slow: str, released: Event, url: str) -> Providers:
    """Return models of which one is never done; a chat model is then a server that is silent."""
    plugin = SlowPlugin(released)
    silent = OpenAIChat("c", OpenAICalls(CHAT, api_key="k", base_url=url))
    chats = {
        part: silent if part == slow else ScriptedChat([reply])
        for part, reply in (("rewriting", RENT), ("input_stage", QUERIES), ("generation", DUE))
    }
    asked = iter(("input_stage", "generation"))
    embedder = PluginEmbedder(parse_model_name("slow:m@384"), plugin)
    return Providers(
        embedder=lambda _model: embedder if slow == "embedding" else HashingEmbedder(),
        reranker=lambda: (
            PluginReranker("slow:m", plugin) if slow == "reranking" else OverlapReranker()
        ),
        chat=lambda: chats[next(asked)],
        rewriter=lambda: chats["rewriting"],
    )


@pytest.fixture
def means(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[QueryEngine]:
    """Give everything that a question needs over real clients, one of them slow."""
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "of-a-test")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "of-a-test")
    slow, released = str(request.param), Event()
    lease = lease_shelf()
    shelf = SlowShelf(chunks=lease.chunks, pages=lease.pages, defined={"everything": everything()})
    shelf.slow, shelf.released = slow, released
    objects = SlowBucket(released) if slow == "trace" else InMemoryObjectStore()
    with silent_server() as server, lambda_store(cast("Any", shelf), seconds=BUDGET) as (store, _):
        providers = slow_providers(slow, released, server.url)
        limit = Deadline.after(BUDGET)
        traces = BucketTraceStore(objects, deadline=limit)
        yield engine_over(store, providers, objects=traces, deadline=limit)
        released.set()


@pytest.mark.parametrize("means", STORE_CALLS, indirect=True)
def test_a_database_side_that_is_slow_is_a_typed_error_in_time(means: QueryEngine) -> None:
    """Without it there is no answer, and that is said within the budget."""
    with pytest.raises(StoreUnavailable):
        ask_question(QUESTION, engine=means)

    assert means.deadline.at - time.monotonic() > -HELD_UP


@pytest.mark.parametrize(("means", "lost"), [(part, part) for part in SURVIVED], indirect=["means"])
def test_any_other_slow_dependency_is_done_without_in_time(means: QueryEngine, lost: str) -> None:
    """S3-21: the answer is there within the budget and names what it lacks."""
    answer = ask_question(QUESTION, engine=means)

    assert means.deadline.at - time.monotonic() > -HELD_UP
    assert lost in answer.degraded
    assert "third day" in answer.text
