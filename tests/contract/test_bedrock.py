"""Bedrock behind the three ports: the same promises as every adapter, over a real socket."""

import re
import time
from collections.abc import Callable
from functools import partial
from threading import Event
from typing import Any

import pytest

from pulsedocs.adapters.bedrock.calls import BedrockCalls, Service
from pulsedocs.adapters.bedrock.chat import BedrockChat
from pulsedocs.adapters.bedrock.embedder import BedrockEmbedder
from pulsedocs.adapters.bedrock.reranker import BedrockReranker
from pulsedocs.calls import limits
from pulsedocs.calls.limits import CallLimits
from pulsedocs.embedding import parse_model_name
from pulsedocs.errors import (
    ModelNotEnabled,
    ModelNotFound,
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
from tests.contract.fake_bedrock_server import FakeBedrockServer, event, exception, model_of
from tests.contract.fake_openai_server import Exchange, Json, changed, failing, saying
from tests.contract.provider_faults import FAULTS, PRIVATE, Fault, expect_error
from tests.contract.test_chat_model import NOT_EVENTS, ProviderChatContract, ask, drained, listen
from tests.contract.test_embedder import TEXTS, EmbedderContract
from tests.contract.test_reranker import PASSAGES, QUESTION, RerankerContract
from tests.patience import PATIENCE

SECRET = "secret-of-the-test"  # noqa: S105 -- nobody's
REGION = "eu-central-1"
TITAN = "bedrock:amazon.titan-embed-text-v2:0@256"
CHAT = "eu.anthropic.claude-sonnet-4-5-20250929-v1:0"


def named(code: str, status: int = 400) -> Callable[[Exchange], None]:
    return failing(status, code=code)


OWN_FAULTS = [
    *(fault for fault in FAULTS if fault.name != "429-quota"),  # OpenAI's own
    Fault("throttled", named("ThrottlingException", 429), ProviderThrottled, tries=2),
    Fault("quota", named("ServiceQuotaExceededException"), ProviderQuotaExhausted),
    Fault("no-access", named("AccessDeniedException", 403), ModelNotEnabled),
    Fault("expired", named("ExpiredTokenException", 403), ProviderKeyRefused),
    Fault("not-ready", named("ModelNotReadyException", 429), ProviderUnavailable, tries=2),
    Fault("model-timeout", named("ModelTimeoutException", 408), ProviderUnavailable),
    Fault("model-error", named("ModelErrorException", 424), ProviderUnavailable, tries=2),
    Fault("no-model", named("ResourceNotFoundException", 404), ProviderRefused),
]
# To a stream of frames a byte that is no frame is malformed, however slowly it comes.
NOT_FRAMES = NOT_EVENTS | {"dripping-body"}


def soon() -> Deadline:
    return Deadline.after(PATIENCE)


def calls_to(
    server: FakeBedrockServer, limits: CallLimits, service: Service = "bedrock-runtime"
) -> BedrockCalls:
    return BedrockCalls(limits, service=service, region=REGION, endpoint_url=server.address)


def embedder_at(server: FakeBedrockServer, model: str = TITAN) -> BedrockEmbedder:
    embedder = BedrockEmbedder(parse_model_name(model), calls_to(server, limits.EMBEDDING))
    server.clients.callback(embedder.close)
    return embedder


def reranker_at(server: FakeBedrockServer, name: str = "cohere.rerank-v3-5:0") -> BedrockReranker:
    reranker = BedrockReranker(name, calls_to(server, limits.RERANKING, "bedrock-agent-runtime"))
    server.clients.callback(reranker.close)
    return reranker


def chat_at(server: FakeBedrockServer, limits: CallLimits = limits.CHAT) -> BedrockChat:
    chat = BedrockChat(CHAT, calls_to(server, limits))
    server.clients.callback(chat.close)
    return chat


class TestBedrockEmbedder(EmbedderContract):
    @pytest.fixture(
        params=[
            TITAN,
            "bedrock:cohere.embed-multilingual-v3@1024",
            "bedrock:eu.cohere.embed-v4:0@256",
        ]
    )
    def embedder(
        self, bedrock_server: FakeBedrockServer, request: pytest.FixtureRequest
    ) -> Embedder:
        return embedder_at(bedrock_server, request.param)


class TestBedrockReranker(RerankerContract):
    """S2-08: another reranker behind the same port."""

    @pytest.fixture
    def reranker(self, bedrock_server: FakeBedrockServer) -> Reranker:
        return reranker_at(bedrock_server)


class TestBedrockChat(ProviderChatContract):
    @pytest.fixture
    def server(self, bedrock_server: FakeBedrockServer) -> FakeBedrockServer:
        return bedrock_server

    @pytest.fixture
    def chat_within(self, bedrock_server: FakeBedrockServer) -> Callable[[CallLimits], ChatModel]:
        return partial(chat_at, bedrock_server)


CALLS: dict[str, Callable[[FakeBedrockServer, Deadline], object]] = {
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
    if call != "stream" or fault.name not in NOT_FRAMES
]


@pytest.mark.parametrize(("call", "fault"), FAULTS_OF_CALLS)
def test_a_fault_becomes_its_error(
    bedrock_server: FakeBedrockServer, fault: Fault, call: str, caplog: pytest.LogCaptureFixture
) -> None:
    """K09-K12, I13: one typed error, at most two requests, in time, without key or text."""
    # Building a client reads botocore's descriptions, which is not what a deadline is for.
    building = time.monotonic()
    for build in (embedder_at, reranker_at, chat_at):
        build(bedrock_server)
    building = time.monotonic() - building

    expect_error(
        fault,
        lambda deadline: CALLS[call](bedrock_server, deadline),
        server=bedrock_server,
        caplog=caplog,
        key=SECRET,
        building_seconds=building,
    )


def test_a_model_that_is_not_enabled_says_how_to_learn_what_is_missing(
    bedrock_server: FakeBedrockServer,
) -> None:
    bedrock_server.script(failing(403, code="AccessDeniedException"))

    with pytest.raises(ModelNotEnabled) as caught:
        ask(chat_at(bedrock_server), "hello")

    assert "`pulsedocs deploy-check`" in caught.value.guidance


@pytest.mark.parametrize(
    ("message", "said"),
    [
        ("Input is too long for requested model.", "longer than the model reads"),
        ("The model returned: prompt is too long: 200049 tokens", "longer than the model reads"),
        ("Too many input tokens. Max input tokens: 8192", "longer than the model reads"),
        (
            "Invocation of model ID x with on-demand throughput isn't supported.",
            "through an inference profile",
        ),
        ("Something else about the patient", "not accepted"),
    ],
)
def test_a_refusal_says_what_is_known_of_its_reason(
    bedrock_server: FakeBedrockServer, message: str, said: str
) -> None:
    def refuse(exchange: Exchange) -> None:
        exchange.send(
            400,
            f'{{"message": "{message}"}}'.encode(),
            content_type="application/json",
            headers={"x-amzn-ErrorType": "ValidationException"},
        )

    bedrock_server.script(refuse)

    with pytest.raises(ProviderRefused, match=said) as caught:
        ask(chat_at(bedrock_server), "hello")

    assert "patient" not in caught.value.message


def test_requests_are_signed_for_bedrock_in_the_region(bedrock_server: FakeBedrockServer) -> None:
    embedder_at(bedrock_server).embed_query("hello", deadline=soon())
    reranker_at(bedrock_server).rerank("hello", ["hello"], deadline=soon())

    for request in bedrock_server.requests:
        signed = request.headers["authorization"]
        scope = re.search(r"Credential=AKIAEXAMPLE/\d+/([a-z0-9/_-]+),", signed)
        assert signed.startswith("AWS4-HMAC-SHA256 ")
        assert scope is not None
        assert scope[1] == f"{REGION}/bedrock/aws4_request"


def test_the_titan_request_is_the_documented_one(bedrock_server: FakeBedrockServer) -> None:
    embedder_at(bedrock_server).embed_passages(["hello"], deadline=soon())

    [request] = bedrock_server.requests
    assert model_of(request) == "amazon.titan-embed-text-v2:0"
    assert request.body == {"inputText": "hello", "dimensions": 256, "normalize": True}


def test_the_cohere_requests_are_the_documented_ones(bedrock_server: FakeBedrockServer) -> None:
    v3 = embedder_at(bedrock_server, "bedrock:cohere.embed-english-v3@1024")
    v4 = embedder_at(bedrock_server, "bedrock:us.cohere.embed-v4:0@512")
    v3.embed_passages(["x" * 3000], deadline=soon())
    v4.embed_query("hello", deadline=soon())

    of_v3, of_v4 = (request.body for request in bedrock_server.requests)
    assert of_v3 == {
        "texts": ["x" * 2048],
        "input_type": "search_document",
        "embedding_types": ["float"],
        "truncate": "END",
    }
    assert of_v4 == {
        "texts": ["hello"],
        "input_type": "search_query",
        "embedding_types": ["float"],
        "output_dimension": 512,
        "truncate": "RIGHT",
    }


def test_a_model_that_cannot_embed_is_not_found() -> None:
    with pytest.raises(ModelNotFound, match="titan-embed-text-v2:0@1024"):
        BedrockEmbedder(
            parse_model_name("bedrock:amazon.nova-pro-v1:0@1024"),
            BedrockCalls(limits.EMBEDDING, region=REGION),
        )


@pytest.mark.parametrize("model", [TITAN, "bedrock:cohere.embed-english-v3@1024"])
@pytest.mark.parametrize("bad", [{0}, {2, 3, 4}, set(range(8))], ids=str)
def test_refused_texts_are_found_and_the_others_keep_their_vectors(
    bedrock_server: FakeBedrockServer, model: str, bad: set[int]
) -> None:
    """K07: one poisoned text costs that text."""
    bedrock_server.refused_word = "poison"
    texts = [f"{'poison' if i in bad else 'bread'} {i}" for i in range(8)]

    batch = embedder_at(bedrock_server, model).embed_passages(texts, deadline=soon())

    assert set(batch.refused) == bad
    assert [i for i, found in enumerate(batch.vectors) if not found] == sorted(bad)


def test_a_provider_that_refuses_everything_blames_no_text(
    bedrock_server: FakeBedrockServer,
) -> None:
    """Wrong dimensions are a 400 for every text; it takes few of 96 calls to see it.

    Fails when: all of them are made before the slowest is answered, which on a busy machine or line
    is the first.
    """
    refuse, most, is_beyond = named("ValidationException"), 2 * 8, Event()

    def refuse_the_first_last(exchange: Exchange) -> None:
        if len(bedrock_server.requests) > most:
            is_beyond.set()
        if exchange.request_seen.body["inputText"] == "first":
            is_beyond.wait(0.5)
        refuse(exchange)

    bedrock_server.script(*[refuse_the_first_last] * 200)

    with pytest.raises(ProviderRefused):
        embedder_at(bedrock_server).embed_passages(["first", *["bread"] * 95], deadline=soon())

    assert len(bedrock_server.requests) <= most


EMBEDDINGS: dict[str, Callable[[Json], Any]] = {
    "none": lambda reply: reply.pop("embedding"),
    "other-dimensions": lambda reply: reply["embedding"].pop(),
    "zero": lambda reply: reply.update(embedding=[0.0] * 256),
    "words": lambda reply: reply.update(embedding=["a"] * 256),
    "negative-usage": lambda reply: reply.update(inputTextTokenCount=-1),
}


@pytest.mark.parametrize("name", EMBEDDINGS)
def test_vectors_that_cannot_be_trusted_are_refused(
    bedrock_server: FakeBedrockServer, name: str
) -> None:
    """K11: a malformed answer is never stored."""
    bedrock_server.script(changed(EMBEDDINGS[name]))

    with pytest.raises(ProviderMalformed):
        embedder_at(bedrock_server).embed_passages(TEXTS, deadline=soon())


def test_tokens_are_those_bedrock_counts_or_estimated(bedrock_server: FakeBedrockServer) -> None:
    cohere = embedder_at(bedrock_server, "bedrock:cohere.embed-english-v3@1024")
    titan = embedder_at(bedrock_server).embed_passages(["word " * 100] * 2, deadline=soon())
    counted = cohere.embed_passages(["word " * 100], deadline=soon())
    bedrock_server.says_tokens = False
    estimated = cohere.embed_passages(["word " * 100], deadline=soon())

    assert titan.input_tokens == 2 * 501
    assert counted.input_tokens > 500
    assert 50 < estimated.input_tokens < 200


def test_the_rerank_request_is_the_documented_one(bedrock_server: FakeBedrockServer) -> None:
    reranker_at(bedrock_server).rerank(QUESTION, ["", PASSAGES[0]], deadline=soon())

    [request] = bedrock_server.requests
    assert request.path == "/rerank"
    assert request.body == {
        "queries": [{"type": "TEXT", "textQuery": {"text": QUESTION}}],
        "sources": [
            {
                "type": "INLINE",
                "inlineDocumentSource": {
                    "type": "TEXT",
                    "textDocument": {"text": PASSAGES[0]},
                },
            }
        ],
        "rerankingConfiguration": {
            "type": "BEDROCK_RERANKING_MODEL",
            "bedrockRerankingConfiguration": {
                "numberOfResults": 1,
                "modelConfiguration": {
                    "modelArn": f"arn:aws:bedrock:{REGION}::foundation-model/cohere.rerank-v3-5:0"
                },
            },
        },
    }


def test_scores_may_come_in_pages(bedrock_server: FakeBedrockServer) -> None:
    bedrock_server.page_of_scores = 2

    scores = reranker_at(bedrock_server).rerank(QUESTION, [*PASSAGES] * 2, deadline=soon())

    assert len(bedrock_server.requests) == 3
    assert scores[:3] == scores[3:]
    assert scores.index(max(scores)) == 1


SCORES: dict[str, Callable[[Json], Any]] = {
    "fewer": lambda reply: reply["results"].pop(),
    "twice": lambda reply: reply["results"][0].update(index=reply["results"][1]["index"]),
    "beyond": lambda reply: reply["results"][0].update(index=3),
    "no-number": lambda reply: reply["results"][0].update(relevanceScore="high"),
    "nan": lambda reply: reply["results"][0].update(relevanceScore=float("nan")),
    "none": lambda reply: reply.pop("results"),
}


@pytest.mark.parametrize("name", SCORES)
def test_scores_that_cannot_be_trusted_are_refused(
    bedrock_server: FakeBedrockServer, name: str
) -> None:
    bedrock_server.script(changed(SCORES[name]))

    with pytest.raises(ProviderMalformed):
        reranker_at(bedrock_server).rerank(QUESTION, PASSAGES, deadline=soon())


REPLIES: dict[str, Callable[[Json], Any]] = {
    "no-output": lambda reply: reply.pop("output"),
    "no-message": lambda reply: reply["output"].pop("message"),
    "text-number": lambda reply: reply["output"]["message"].update(content=[{"text": 5}]),
    "no-reason": lambda reply: reply.pop("stopReason"),
    "negative-usage": lambda reply: reply["usage"].update(inputTokens=-1),
}


@pytest.mark.parametrize("name", REPLIES)
def test_what_is_no_reply_is_malformed(bedrock_server: FakeBedrockServer, name: str) -> None:
    bedrock_server.script(changed(REPLIES[name]))

    with pytest.raises(ProviderMalformed):
        ask(chat_at(bedrock_server), "hello")


@pytest.mark.parametrize("said", [[], [{"reasoningContent": {"reasoningText": {"text": "hm"}}}]])
def test_a_reply_without_text_is_counted(
    bedrock_server: FakeBedrockServer, said: list[Json]
) -> None:
    bedrock_server.script(changed(lambda reply: reply["output"]["message"].update(content=said)))

    completion = ask(chat_at(bedrock_server), "two words")

    assert completion.text == ""
    assert (completion.input_tokens, completion.output_tokens) == (3, 3)


@pytest.mark.parametrize("reason", ["content_filtered", "guardrail_intervened"])
def test_a_filtered_reply_says_so(bedrock_server: FakeBedrockServer, reason: str) -> None:
    def filtered(reply: Json) -> None:
        reply["output"]["message"]["content"] = []
        reply["stopReason"] = reason

    bedrock_server.script(changed(filtered))

    completion = ask(chat_at(bedrock_server), "hello")

    assert (completion.text, completion.finish_reason) == ("", "content_filter")


def test_the_chat_request_is_the_documented_one(bedrock_server: FakeBedrockServer) -> None:
    """S2-12: temperature and length are those that were asked for."""
    chat_at(bedrock_server).complete(
        [
            ChatMessage("system", "Repeat."),
            ChatMessage("user", "one"),
            ChatMessage("user", "two"),
            ChatMessage("assistant", "three"),
            ChatMessage("user", "four"),
        ],
        temperature=1.7,
        max_tokens=77,
        deadline=soon(),
    )

    [request] = bedrock_server.requests
    assert model_of(request) == CHAT
    assert request.body == {
        "system": [{"text": "Repeat."}],
        "messages": [
            {"role": "user", "content": [{"text": "one"}, {"text": "two"}]},
            {"role": "assistant", "content": [{"text": "three"}]},
            {"role": "user", "content": [{"text": "four"}]},
        ],
        "inferenceConfig": {"maxTokens": 77, "temperature": 1.0},
    }


def test_a_schema_is_asked_for_until_a_model_is_seen_to_know_none(
    bedrock_server: FakeBedrockServer,
) -> None:
    """S3-15: structured output; not every model on Bedrock can be held to a schema."""
    chat = chat_at(bedrock_server)
    arguments: Any = {
        "temperature": 0.0,
        "max_tokens": 9,
        "deadline": soon(),
        "reply_schema": ReplySchema("queries", {"type": "object"}),
    }

    chat.complete([ChatMessage("user", "x")], **arguments)
    bedrock_server.script(named("ValidationException"))
    chat.complete([ChatMessage("user", "x")], **arguments)
    chat.complete([ChatMessage("user", "x")], **arguments)

    asked = [request.body.get("outputConfig") for request in bedrock_server.requests]
    json_schema = {"schema": '{"type": "object"}', "name": "queries"}
    output = {"textFormat": {"type": "json_schema", "structure": {"jsonSchema": json_schema}}}
    assert asked == [output, output, None, None]


START = event("messageStart", {"role": "assistant"})


@pytest.mark.parametrize(
    ("body", "error"),
    [
        (START + event("contentBlockDelta", {"delta": {"text": 5}}), ProviderMalformed),
        (START + event("contentBlockDelta", {}), ProviderMalformed),
        (START[:-1] + b"x", ProviderMalformed),
        (START[:8] + b"\x00" * 30, ProviderMalformed),
        (b'{"output": {"message": {"role": "assistant"}}}', ProviderMalformed),
        (START, ProviderUnavailable),
        (START + event("contentBlockDelta", {"delta": {"text": "half"}})[:-9], ProviderUnavailable),
        (START + exception("throttlingException", "slow"), ProviderThrottled),
        (START + exception("modelStreamErrorException", "broken"), ProviderUnavailable),
        (START + exception("internalServerException", "broken"), ProviderUnavailable),
        (START + exception("validationException", "Input is too long"), ProviderRefused),
        (START + exception("neverHeardOfException", "what"), ProviderUnavailable),
    ],
    ids=[
        *("number", "no-delta", "checksum", "prelude", "no-frames", "no-end", "torn"),
        *("throttled", "model", "internal", "refused", "unknown"),
    ],
)
def test_events_that_make_no_reply_are_an_error(
    bedrock_server: FakeBedrockServer, body: bytes, error: type[PulseDocsError]
) -> None:
    bedrock_server.script(saying(body, content_type=bedrock_server.stream_type))

    with pytest.raises(error):
        drained(listen(chat_at(bedrock_server), "hello"))


def test_a_frame_may_come_in_any_pieces(bedrock_server: FakeBedrockServer) -> None:
    reply = START + event("contentBlockDelta", {"delta": {"text": "one two"}})
    reply += event("messageStop", {"stopReason": "end_turn"})

    def torn(exchange: Exchange) -> None:
        exchange.begin(200, len(reply), content_type=bedrock_server.stream_type, headers={})
        for byte in reply:
            exchange.wfile.write(bytes([byte]))

    bedrock_server.script(torn)

    pieces, completion = drained(listen(chat_at(bedrock_server), "x"))

    assert "".join(pieces) == completion.text == "one two"
    assert completion.input_tokens > 0  # estimated: no metadata came


def test_without_credentials_nothing_is_sent(
    bedrock_server: FakeBedrockServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    for variable in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.delenv(variable)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", "/dev/null")
    monkeypatch.setenv("AWS_CONFIG_FILE", "/dev/null")
    monkeypatch.setattr("boto3.DEFAULT_SESSION", None)

    with pytest.raises(ProviderKeyRefused):
        ask(chat_at(bedrock_server), "hello")

    assert bedrock_server.requests == []
