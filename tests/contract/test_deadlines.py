"""No client that a question needs waits longer than what remains of the request."""

import math
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from functools import cache
from typing import Any
from uuid import UUID

import pytest

from pulsedocs.adapters.aws.box_client import LambdaBoxFinder, boxes_function
from pulsedocs.adapters.aws.invocations import LambdaFunction
from pulsedocs.adapters.aws.object_store import S3ObjectStore
from pulsedocs.adapters.aws.retrieval_client import LambdaRetrievalStore, retrieve_function
from pulsedocs.adapters.aws.trace_store import BucketTraceStore
from pulsedocs.adapters.bedrock.calls import BedrockCalls, Service
from pulsedocs.adapters.bedrock.chat import BedrockChat
from pulsedocs.adapters.bedrock.embedder import BedrockEmbedder
from pulsedocs.adapters.bedrock.reranker import BedrockReranker
from pulsedocs.adapters.cohere.calls import CohereCalls
from pulsedocs.adapters.cohere.chat import CohereChat
from pulsedocs.adapters.cohere.embedder import CohereEmbedder
from pulsedocs.adapters.cohere.reranker import CohereReranker
from pulsedocs.adapters.openai.calls import OpenAICalls
from pulsedocs.adapters.openai.chat import OpenAIChat
from pulsedocs.adapters.openai.embedder import OpenAIEmbedder
from pulsedocs.adapters.plugins.embedder import PluginEmbedder
from pulsedocs.adapters.plugins.reranker import PluginReranker
from pulsedocs.calls.limits import CHAT, EMBEDDING, RERANKING, CallLimits
from pulsedocs.embedding import parse_model_name
from pulsedocs.errors import PulseDocsError, TimedOut
from pulsedocs.model.answers import ChatMessage
from pulsedocs.model.budgets import Amounts
from pulsedocs.model.deadline import Deadline
from pulsedocs.model.highlights import PagePlace
from pulsedocs.model.lookups import PlaceQuery, PrepareQuery
from pulsedocs.model.page_status import PageQuery
from pulsedocs.model.retrieval import CandidateQuery, Scope, Usage
from pulsedocs.ports.providers import ChatModel, Embedder, Reranker
from pulsedocs.questions.ports import BoxFinder, PageLocator, RetrievalStore, TraceStore
from tests.contract.silent_server import SilentServer, silent_server
from tests.patience import HELD_UP

TENANT, DOCUMENT = UUID(int=1), UUID(int=2)
REGION = "us-east-1"
USAGE = Usage("ask", "memory:chat", 1, 1, 0.0, "trace-1", "ann")
QUERY = CandidateQuery(Scope(TENANT), "m", 3, {}, "words", 0, 5, exact=False)
PLACE = PagePlace(
    tenant_id=TENANT,
    document_id=DOCUMENT,
    object_version="v",
    content_type="application/pdf",
    page=1,
    ranges=((0, 1),),
    text_sha256="00",
)
SAID = [ChatMessage("user", "hello")]

Call = Callable[[str, Deadline], object]


class Stuck:
    """A plug-in that is never done; `began` counts how often one was asked."""

    began = 0

    def get_dimensions(self) -> int:
        return 3

    def embed(self, texts: Sequence[str]) -> Any:
        del texts
        return self._hang()

    def rerank(self, query: str, chunks: Sequence[str], top_k: int) -> Any:
        del query, chunks, top_k
        return self._hang()

    def _hang(self) -> None:
        Stuck.began += 1
        time.sleep(2)  # in a thread that nobody waits for


# Made once, as in the functions: to make a client takes longer than some of the budgets below.
@cache
def retrieve(url: str) -> LambdaFunction:
    return retrieve_function("retrieve", endpoint_url=url, region=REGION)


@cache
def measure(url: str) -> LambdaFunction:
    return boxes_function("boxes", endpoint_url=url, region=REGION)


@cache
def bucket(url: str) -> S3ObjectStore:
    return S3ObjectStore(bucket="b", endpoint_url=url, region=REGION)


@cache
def chat(url: str) -> OpenAIChat:
    return OpenAIChat("c", OpenAICalls(CHAT, api_key="k", base_url=url))


def store(url: str, deadline: Deadline) -> LambdaRetrievalStore:
    return LambdaRetrievalStore(retrieve(url), deadline=deadline)


def boxes(url: str, deadline: Deadline) -> object:
    return LambdaBoxFinder(measure(url), deadline=deadline).find(PLACE)


def traces(url: str, deadline: Deadline) -> BucketTraceStore:
    return BucketTraceStore(bucket(url), deadline=deadline)


@cache
def embedder(url: str) -> OpenAIEmbedder:
    return OpenAIEmbedder(
        parse_model_name("openai:e@256"), OpenAICalls(EMBEDDING, api_key="k", base_url=url)
    )


def asked(url: str, deadline: Deadline) -> object:
    return chat(url).complete(SAID, temperature=0.2, max_tokens=9, deadline=deadline)


def listened(url: str, deadline: Deadline) -> object:
    return list(chat(url).stream(SAID, temperature=0.2, max_tokens=9, deadline=deadline))


def plugin_embedded(_url: str, deadline: Deadline) -> object:
    name = parse_model_name("stuck:m@3")
    return PluginEmbedder(name, Stuck()).embed_query("q", deadline=deadline)


def plugin_reranked(_url: str, deadline: Deadline) -> object:
    return PluginReranker("stuck:m", Stuck()).rerank("q", ["a"], deadline=deadline)


@cache
def made_by(url: str, client: str) -> Any:
    return MADE[client](url)


def bedrock(url: str, limits: CallLimits, service: Service = "bedrock-runtime") -> BedrockCalls:
    return BedrockCalls(limits, service=service, region=REGION, endpoint_url=url)


def cohere(url: str, limits: CallLimits) -> CohereCalls:
    return CohereCalls(limits, api_key="k", base_url=url)


MADE: dict[str, Callable[[str], Any]] = {
    "bedrock chat": lambda url: BedrockChat("amazon.nova-lite-v1:0", bedrock(url, CHAT)),
    "bedrock embedder": lambda url: BedrockEmbedder(
        parse_model_name("bedrock:amazon.titan-embed-text-v2:0@256"), bedrock(url, EMBEDDING)
    ),
    "bedrock reranker": lambda url: BedrockReranker(
        "cohere.rerank-v3-5:0", bedrock(url, RERANKING, "bedrock-agent-runtime")
    ),
    "cohere chat": lambda url: CohereChat("command-r", cohere(url, CHAT)),
    "cohere embedder": lambda url: CohereEmbedder(
        parse_model_name("cohere:embed-v4.0@256"), cohere(url, EMBEDDING)
    ),
    "cohere reranker": lambda url: CohereReranker("rerank-v3.5", cohere(url, RERANKING)),
}


def provided(client: str) -> Call:
    """Return the call to a provider: its chat, its embedder or its reranker."""

    def call(url: str, limit: Deadline) -> object:
        found = made_by(url, client)
        match client.split()[1]:
            case "chat":
                return found.complete(SAID, temperature=0.2, max_tokens=9, deadline=limit)
            case "embedder":
                return found.embed_query("q", deadline=limit)
            case _:
                return found.rerank("q", ["a"], deadline=limit)

    return call


PAGE = PageQuery(TENANT, DOCUMENT, 1, "m")
QUESTION = PrepareQuery(scope=Scope(TENANT), method="ask")
WORDS = PlaceQuery(tenant_id=TENANT, document_id=DOCUMENT, page=1, start=0, end=1)
# Every call that a question waits for, and the most that it takes by itself.
CLIENTS: dict[str, tuple[Call, float]] = {
    "RetrievalStore.prepare": (
        lambda url, limit: store(url, limit).prepare(
            PrepareQuery(scope=Scope(TENANT), method="ask")
        ),
        20,
    ),
    "RetrievalStore.reserve": (
        lambda url, limit: store(url, limit).reserve(TENANT, TENANT, Amounts(tokens=1)),
        20,
    ),
    "RetrievalStore.search": (lambda url, limit: store(url, limit).search(QUERY), 20),
    "RetrievalStore.page_texts": (
        lambda url, limit: store(url, limit).page_texts(TENANT, [(DOCUMENT, 1, 1)]),
        20,
    ),
    "RetrievalStore.settle": (lambda url, limit: store(url, limit).settle(TENANT, None, USAGE), 3),
    "RetrievalStore.defined_profile": (
        lambda url, limit: store(url, limit).defined_profile(TENANT, "default", "own"),
        20,
    ),
    "RetrievalStore.page_status": (lambda url, limit: store(url, limit).page_status(PAGE), 20),
    "PageLocator.place": (
        lambda url, limit: store(url, limit).place(WORDS),
        20,
    ),
    "BoxFinder.find": (boxes, 22),
    "TraceStore.write": (lambda url, limit: traces(url, limit).write("k", b"{}"), 5),
    "TraceStore.exists": (lambda url, limit: traces(url, limit).exists("k"), 5),
    "TraceStore.read": (lambda url, limit: traces(url, limit).read("k"), 5),
    "Embedder.embed_query": (lambda url, limit: embedder(url).embed_query("q", deadline=limit), 20),
    "Embedder.embed_passages": (
        lambda url, limit: embedder(url).embed_passages(["p"], deadline=limit),
        20,
    ),
    "ChatModel.complete": (asked, 18),
    "ChatModel.stream": (listened, 18),
    "Embedder.embed_query of a plug-in": (plugin_embedded, math.inf),
    "Reranker.rerank of a plug-in": (plugin_reranked, math.inf),
    "ChatModel.complete of Bedrock": (provided("bedrock chat"), 18),
    "Embedder.embed_query of Bedrock": (provided("bedrock embedder"), 20),
    "Reranker.rerank of Bedrock": (provided("bedrock reranker"), 5),
    "ChatModel.complete of Cohere": (provided("cohere chat"), 18),
    "Embedder.embed_query of Cohere": (provided("cohere embedder"), 20),
    "Reranker.rerank of Cohere": (provided("cohere reranker"), 5),
}
WAITED_FOR = [name for name in CLIENTS if name != "ChatModel.stream"]  # that one is listened to


@pytest.fixture(autouse=True)
def _sign(monkeypatch: pytest.MonkeyPatch) -> None:  # pyright: ignore[reportUnusedFunction] -- used by pytest
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "of-a-test")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "of-a-test")


@pytest.fixture
def server() -> Iterator[SilentServer]:
    with silent_server() as opened:
        yield opened


def made(name: str, server: SilentServer) -> Call:
    """Return a call whose client is there already."""
    call, _ = CLIENTS[name]
    with pytest.raises(TimedOut):
        call(server.url, Deadline.after(0))
    return call


@pytest.mark.parametrize("seconds", [1000.0, 4.0])
@pytest.mark.parametrize("name", WAITED_FOR)
def test_a_client_waits_its_own_time_or_what_remains_whichever_is_less(
    name: str, seconds: float, server: SilentServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One budget, passed down to every client."""
    call, own = made(name, server), CLIENTS[name][1]
    waited: list[float] = []
    plain = Future[Any].result

    def result(self: "Future[Any]", timeout: float | None = None) -> Any:
        if timeout is None:
            return plain(self)
        waited.append(timeout)
        raise TimeoutError

    monkeypatch.setattr(Future, "result", result)
    with pytest.raises(PulseDocsError):
        call(server.url, Deadline.after(seconds))

    least = min(own, seconds)
    assert least / 4 < max(waited) <= least  # a busy machine takes its share of what remains


@pytest.mark.parametrize("name", CLIENTS)
def test_a_server_that_says_nothing_costs_what_remains_and_no_more(
    name: str, server: SilentServer
) -> None:
    call = made(name, server)

    began = time.monotonic()
    with pytest.raises(PulseDocsError):
        call(server.url, Deadline.after(0.5))

    assert time.monotonic() - began < HELD_UP


@pytest.mark.parametrize("name", CLIENTS)
def test_a_budget_that_is_used_up_starts_no_call(name: str, server: SilentServer) -> None:
    call, _ = CLIENTS[name]
    before = Stuck.began

    with pytest.raises(TimedOut):
        call(server.url, Deadline.after(0))

    assert server.connections == 0
    assert Stuck.began == before


def test_the_table_has_every_call_that_a_question_makes() -> None:
    """A method that joins one of these ports needs a line above."""
    ports = (RetrievalStore, PageLocator, BoxFinder, TraceStore, Embedder, Reranker, ChatModel)
    calls = {
        f"{port.__name__}.{name}"
        for port in ports
        for name, member in vars(port).items()
        if callable(member) and not name.startswith("_")
    }

    assert {name.split()[0] for name in CLIENTS} == calls
