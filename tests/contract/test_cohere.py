"""Cohere behind the three ports: the same promises as every adapter, over a real socket."""

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from pulsedocs.adapters.cohere.calls import CohereCalls
from pulsedocs.adapters.cohere.chat import CohereChat
from pulsedocs.adapters.cohere.embedder import CohereEmbedder
from pulsedocs.adapters.cohere.reranker import CohereReranker
from pulsedocs.calls.limits import CHAT, EMBEDDING, RERANKING, CallLimits
from pulsedocs.embedding import parse_model_name
from pulsedocs.errors import (
    ProviderKeyRefused,
    ProviderMalformed,
    ProviderQuotaExhausted,
    ProviderRefused,
    ProviderThrottled,
    ProviderUnavailable,
    PulseDocsError,
)
from pulsedocs.model.answers import ChatMessage, ReplySchema
from pulsedocs.model.deadline import Deadline
from pulsedocs.ports.providers import ChatModel, Embedder, Reranker
from tests.contract.fake_cohere_server import FakeCohereServer, sse
from tests.contract.fake_openai_server import Json, Streaming, changed, failing, saying
from tests.contract.provider_faults import FAULTS, PRIVATE, Fault, expect_error
from tests.contract.test_chat_model import NOT_EVENTS, ProviderChatContract, ask, drained, listen
from tests.contract.test_embedder import TEXTS, EmbedderContract
from tests.contract.test_reranker import PASSAGES, QUESTION, RerankerContract
from tests.patience import PATIENCE

KEY = "co-secret-of-the-test"
OWN_FAULTS = [
    *(fault for fault in FAULTS if fault.name != "429-quota"),  # OpenAI's own
    Fault("498", failing(498, code="invalid token"), ProviderKeyRefused),
    Fault("499", failing(499), ProviderUnavailable, tries=2),
    Fault(
        "trial-is-over",
        failing(429, code="You are using a Trial key, limited to 1000 API calls / month"),
        ProviderQuotaExhausted,
    ),
    Fault("too-long", failing(400, code="too many tokens"), ProviderRefused),
]


def soon() -> Deadline:
    return Deadline.after(PATIENCE)


def calls_to(server: FakeCohereServer, limits: CallLimits) -> CohereCalls:
    return CohereCalls(limits, api_key=KEY, base_url=server.address)


def embedder_at(server: FakeCohereServer, model: str = "cohere:embed-v4.0@256") -> CohereEmbedder:
    embedder = CohereEmbedder(parse_model_name(model), calls_to(server, EMBEDDING))
    server.clients.callback(embedder.close)
    return embedder


def reranker_at(server: FakeCohereServer) -> CohereReranker:
    reranker = CohereReranker("rerank-v3.5", calls_to(server, RERANKING))
    server.clients.callback(reranker.close)
    return reranker


def chat_at(server: FakeCohereServer, limits: CallLimits = CHAT) -> CohereChat:
    chat = CohereChat("command-a-03-2025", calls_to(server, limits))
    server.clients.callback(chat.close)
    return chat


class TestCohereEmbedder(EmbedderContract):
    @pytest.fixture(params=["cohere:embed-v4.0@256", "cohere:embed-english-v3.0@1024"])
    def embedder(self, cohere_server: FakeCohereServer, request: pytest.FixtureRequest) -> Embedder:
        return embedder_at(cohere_server, request.param)


class TestCohereReranker(RerankerContract):
    """S2-08: another reranker behind the same port."""

    @pytest.fixture
    def reranker(self, cohere_server: FakeCohereServer) -> Reranker:
        return reranker_at(cohere_server)


class TestCohereChat(ProviderChatContract):
    @pytest.fixture
    def server(self, cohere_server: FakeCohereServer) -> FakeCohereServer:
        return cohere_server

    @pytest.fixture
    def chat_within(self, cohere_server: FakeCohereServer) -> Callable[[CallLimits], ChatModel]:
        return partial(chat_at, cohere_server)


CALLS: dict[str, Callable[[FakeCohereServer, Deadline], object]] = {
    "embed": lambda server, deadline: embedder_at(server).embed_query(PRIVATE, deadline=deadline),
    "rerank": lambda server, deadline: reranker_at(server).rerank(
        PRIVATE, [PRIVATE], deadline=deadline
    ),
    "chat": lambda server, deadline: ask(chat_at(server), PRIVATE, deadline=deadline),
    "stream": lambda server, deadline: drained(listen(chat_at(server), PRIVATE, deadline=deadline)),
}


FAULTS_OF_CALLS = [
    pytest.param(call, fault, id=f"{call}-{fault.name}")
    for call in CALLS
    for fault in OWN_FAULTS
    if call != "stream" or fault.name not in NOT_EVENTS
]


@pytest.mark.parametrize(("call", "fault"), FAULTS_OF_CALLS)
def test_a_fault_becomes_its_error(
    cohere_server: FakeCohereServer, fault: Fault, call: str, caplog: pytest.LogCaptureFixture
) -> None:
    """K09-K12, I13: one typed error, at most two requests, in time, without key or text."""
    expect_error(
        fault,
        lambda deadline: CALLS[call](cohere_server, deadline),
        server=cohere_server,
        caplog=caplog,
        key=KEY,
    )


@pytest.mark.parametrize("bad", [{0}, {7}, {2, 3, 4}, set(range(8))])
def test_refused_texts_are_found_and_the_others_keep_their_vectors(
    cohere_server: FakeCohereServer, bad: set[int]
) -> None:
    """K07: one poisoned text costs that text."""
    cohere_server.refused_word = "poison"
    texts = [f"{'poison' if i in bad else 'bread'} {i}" for i in range(8)]

    batch = embedder_at(cohere_server).embed_passages(texts, deadline=soon())

    assert set(batch.refused) == bad
    assert [i for i, found in enumerate(batch.vectors) if not found] == sorted(bad)


def test_a_batch_larger_than_one_call_is_cut(cohere_server: FakeCohereServer) -> None:
    batch = embedder_at(cohere_server).embed_passages(
        [f"{number} boxes" for number in range(200)], deadline=soon()
    )

    assert len(batch.vectors) == 200
    assert [len(request.body["texts"]) for request in cohere_server.requests] == [96, 96, 8]


def test_the_embedding_request_is_the_documented_one(cohere_server: FakeCohereServer) -> None:
    embedder = embedder_at(cohere_server)
    embedder.embed_passages(["hello"], deadline=soon())
    embedder.embed_query("hello", deadline=soon())

    passage, question = cohere_server.requests
    assert passage.path == "/v2/embed"
    assert passage.headers["authorization"] == f"Bearer {KEY}"
    assert passage.body == {
        "model": "embed-v4.0",
        "texts": ["hello"],
        "input_type": "search_document",
        "embedding_types": ["float"],
        "output_dimension": 256,
        "truncate": "END",
    }
    assert question.body == passage.body | {"input_type": "search_query"}


EMBEDDINGS: dict[str, Callable[[Json], Any]] = {
    "fewer": lambda reply: reply["embeddings"]["float"].pop(),
    "more": lambda reply: reply["embeddings"]["float"].append([0.1] * 256),
    "no-floats": lambda reply: reply.update(embeddings={"int8": [[1] * 256] * 3}),
    "other-dimensions": lambda reply: reply["embeddings"]["float"][1].pop(),
    "zero": lambda reply: reply["embeddings"].update(float=[[0.0] * 256] * 3),
    "words": lambda reply: reply["embeddings"].update(float=[["a"] * 256] * 3),
    "negative-usage": lambda reply: reply["meta"]["billed_units"].update(input_tokens=-1),
}


@pytest.mark.parametrize("name", EMBEDDINGS)
def test_vectors_that_cannot_be_trusted_are_refused(
    cohere_server: FakeCohereServer, name: str
) -> None:
    """K11: a malformed answer is never stored."""
    cohere_server.script(changed(EMBEDDINGS[name]))

    with pytest.raises(ProviderMalformed):
        embedder_at(cohere_server).embed_passages(TEXTS, deadline=soon())


SCORES: dict[str, Callable[[Json], Any]] = {
    "fewer": lambda reply: reply["results"].pop(),
    "twice": lambda reply: reply["results"][0].update(index=reply["results"][1]["index"]),
    "beyond": lambda reply: reply["results"][0].update(index=3),
    "negative": lambda reply: reply["results"][0].update(index=-1),
    "no-number": lambda reply: reply["results"][0].update(relevance_score="high"),
    "nan": lambda reply: reply["results"][0].update(relevance_score=float("nan")),
    "none": lambda reply: reply.pop("results"),
}


@pytest.mark.parametrize("name", SCORES)
def test_scores_that_cannot_be_trusted_are_refused(
    cohere_server: FakeCohereServer, name: str
) -> None:
    cohere_server.script(changed(SCORES[name]))

    with pytest.raises(ProviderMalformed):
        reranker_at(cohere_server).rerank(QUESTION, PASSAGES, deadline=soon())


def test_a_passage_without_a_word_is_not_asked_about(cohere_server: FakeCohereServer) -> None:
    """Cohere refuses an empty text, and with it the passages beside it."""
    reranker = reranker_at(cohere_server)

    scores = reranker.rerank(QUESTION, ["", *PASSAGES, " \n"], deadline=soon())

    assert (scores[0], scores[-1]) == (0, 0)
    assert scores.index(max(scores)) == 2
    assert reranker.rerank(" ", PASSAGES, deadline=soon()) == (0, 0, 0)
    [request] = cohere_server.requests
    assert request.body == {
        "model": "rerank-v3.5",
        "query": QUESTION,
        "documents": list(PASSAGES),
        "top_n": 3,
    }


REPLIES: dict[str, Callable[[Json], Any]] = {
    "no-message": lambda reply: reply.pop("message"),
    "no-content": lambda reply: reply["message"].pop("content"),
    "content-number": lambda reply: reply["message"].update(content=[{"text": 5}]),
    "negative-usage": lambda reply: reply["usage"]["billed_units"].update(input_tokens=-1),
}


@pytest.mark.parametrize("name", REPLIES)
def test_what_is_no_reply_is_malformed(cohere_server: FakeCohereServer, name: str) -> None:
    cohere_server.script(changed(REPLIES[name]))

    with pytest.raises(ProviderMalformed):
        ask(chat_at(cohere_server), "hello")


def test_a_reply_without_text_is_counted(cohere_server: FakeCohereServer) -> None:
    cohere_server.script(changed(lambda reply: reply["message"].update(content=[])))

    completion = ask(chat_at(cohere_server), "two words")

    assert completion.text == ""
    assert (completion.input_tokens, completion.output_tokens) == (3, 3)


@pytest.mark.parametrize("reason", ["ERROR", "TIMEOUT"])
def test_a_reply_that_cohere_broke_off_is_no_reply(
    cohere_server: FakeCohereServer, reason: str
) -> None:
    cohere_server.script(changed(lambda reply: reply.update(finish_reason=reason)))
    with pytest.raises(ProviderUnavailable):
        ask(chat_at(cohere_server), "hello")

    cohere_server.script(Streaming(["half"], finish_reason=reason))
    with pytest.raises(ProviderUnavailable):
        drained(listen(chat_at(cohere_server), "hello"))


def test_the_chat_request_is_the_documented_one(cohere_server: FakeCohereServer) -> None:
    """S2-12, S3-15: temperature, length and the schema are those that were asked for."""
    schema: Json = {"type": "object", "properties": {}, "required": []}
    chat_at(cohere_server).complete(
        [ChatMessage("system", "Repeat."), ChatMessage("user", "x")],
        temperature=1.7,
        max_tokens=77,
        deadline=soon(),
        reply_schema=ReplySchema("queries", schema),
    )

    [request] = cohere_server.requests
    assert request.path == "/v2/chat"
    assert request.body == {
        "model": "command-a-03-2025",
        "messages": [
            {"role": "system", "content": "Repeat."},
            {"role": "user", "content": "x"},
        ],
        "temperature": 1.0,
        "max_tokens": 77,
        "response_format": {"type": "json_object", "json_schema": schema},
    }


@pytest.mark.parametrize(
    ("body", "error"),
    [
        (b"data: null\n\n", ProviderMalformed),
        (b"data: {\n\n", ProviderMalformed),
        (b"data: \xff\n\n", ProviderMalformed),
        (b"data: " + b"x" * 17 * 1024 * 1024, ProviderMalformed),
        (b'{"message": {}}', ProviderMalformed),
        (sse({"type": "content-delta", "delta": {"message": 5}}), ProviderMalformed),
        (sse({"type": "message-start"}), ProviderUnavailable),
    ],
    ids=["null", "cut", "not-utf8", "huge", "no-events", "number", "no-end"],
)
def test_events_that_make_no_reply_are_an_error(
    cohere_server: FakeCohereServer, body: bytes, error: type[PulseDocsError]
) -> None:
    cohere_server.script(saying(body, content_type="text/event-stream"))

    with pytest.raises(error):
        drained(listen(chat_at(cohere_server), "hello"))


def test_missing_counts_are_estimated_so_that_no_call_is_free(
    cohere_server: FakeCohereServer,
) -> None:
    cohere_server.script(changed(lambda reply: reply.pop("usage")))
    completion = ask(chat_at(cohere_server), "word " * 40)
    cohere_server.script(changed(lambda reply: reply.pop("meta")))
    batch = embedder_at(cohere_server).embed_passages(["word " * 100], deadline=soon())

    assert 20 < completion.input_tokens < 100
    assert 20 < completion.output_tokens < 100
    assert 50 < batch.input_tokens < 200


def test_a_429_carries_the_delay_the_provider_asks_for(cohere_server: FakeCohereServer) -> None:
    cohere_server.script(*[failing(429, headers={"Retry-After": "7"})] * 2)

    with pytest.raises(ProviderThrottled) as caught:
        ask(chat_at(cohere_server), "x", deadline=Deadline.after(2))

    assert caught.value.retry_after_seconds == 7
