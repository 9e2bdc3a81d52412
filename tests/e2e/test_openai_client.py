"""OpenAI's own client asks a stage, with a slow model on a real socket behind it."""

from collections.abc import Iterator
from threading import Event
from typing import Any, cast
from uuid import uuid4

import openai
import pytest
from openai import DefaultHttpxClient, OpenAI

from local.stage import Stage
from tests.contract.fake_openai_server import FakeOpenAIServer, Streaming, changed
from tests.e2e.tenant import Tenant, holding
from tests.e2e.test_streaming import COSTS, DUE, PAGE
from tests.patience import PATIENCE

PLAIN = "Rent is due on the third day [1]. It is 1,200 EUR [1]."


@pytest.fixture(scope="module")
def reader(stage: Stage) -> Iterator[Tenant]:
    with holding(stage, {"lease.txt": PAGE}) as tenant:
        yield tenant


def client_of(stage: Stage, token: str) -> OpenAI:
    """Return a client as an interface makes it; it repeats nothing, so that each error is seen."""
    unproxied = DefaultHttpxClient(trust_env=False)
    return OpenAI(
        base_url=f"{stage.url}/v1",
        api_key=token,
        max_retries=0,
        timeout=PATIENCE,
        http_client=unproxied,
    )


@pytest.fixture
def client(stage: Stage, reader: Tenant) -> Iterator[OpenAI]:
    with client_of(stage, reader.token) as opened:
        yield opened


def user(content: str) -> Any:
    return {"role": "user", "content": content}


def ask(client: OpenAI, content: str, **options: Any) -> Any:
    asked: Any = {"model": "fast", "messages": [user(content)], **options}
    return cast("Any", client.chat.completions).create(**asked)


def test_an_answer_has_its_citations_and_the_conversation_goes_on(
    client: OpenAI, model: FakeOpenAIServer, reader: Tenant
) -> None:
    """T-29."""
    said = [user("When is the monthly rent due?")]
    model.script(_saying(DUE), _saying("How high is the monthly rent?"), _saying(COSTS.strip()))

    first = client.chat.completions.create(model="pulsedocs", messages=said, temperature=0.7)
    said += [first.choices[0].message, user("And how high is it, the monthly rent?")]
    second = client.chat.completions.create(model="pulsedocs", messages=said)

    message = first.choices[0].message
    assert (message.content, first.choices[0].finish_reason) == (
        "Rent is due on the third day [1].",
        "stop",
    )
    [annotation] = message.annotations or []
    place = annotation.url_citation
    assert message.content is not None
    assert message.content[place.start_index : place.end_index] == "[1]"
    assert place.title == "lease.txt, p. 1"
    citation = annotation.model_dump()["citation"]
    assert place.url == f"/documents/{citation['document_id']}/pages/1?version=1"
    text = reader.get(place.url)["text"]
    assert text[citation["start"] : citation["end"]] == citation["quote"]
    assert first.usage is not None
    assert first.usage.completion_tokens > 0
    assert second.choices[0].message.content == "It is 1,200 EUR [1]."
    about: Any = second.model_dump()["pulsedocs"]
    assert about["rewritten_question"] == "How high is the monthly rent?"
    assert reader.get(f"/traces/{about['trace_id']}")["method"] == "ask"


def test_a_sentence_arrives_before_the_model_has_finished(
    client: OpenAI, model: FakeOpenAIServer
) -> None:
    read = Event()
    model.script(Streaming([DUE, " It", COSTS[3:]], before=lambda n: n < 2 or read.wait(PATIENCE)))

    with ask(
        client,
        "When is the monthly rent due?",
        stream=True,
        stream_options={"include_usage": True},
    ) as chunks:
        first = next(chunks)
        assert not read.is_set()
        read.set()
        rest = list(chunks)

    assert first.choices[0].delta.content == "Rent is due on the third day [1]."
    deltas = [chunk.choices[0].delta for chunk in [first, *rest[:-1]]]
    assert "".join(delta.content or "" for delta in deltas) == PLAIN
    [annotations] = [found for delta in deltas if (found := delta.model_dump().get("annotations"))]
    assert {each["citation"]["source"] for each in annotations} == {"lease.txt"}
    assert rest[-2].choices[0].finish_reason == "stop"
    assert rest[-1].usage.completion_tokens > 0


@pytest.mark.parametrize("stream", [False, True])
def test_a_refusal_is_a_message(client: OpenAI, *, stream: bool) -> None:
    answer = ask(client, "???", stream=stream)

    choices = [part.choices[0] for part in (answer if stream else [answer])]
    said = [choice.delta if stream else choice.message for choice in choices]
    text = "".join(each.content or "" for each in said)
    assert text == "I don't have enough information."
    assert choices[-1].finish_reason == "stop"


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize(
    ("options", "refusal", "code"),
    [
        ({"model": "gpt-4o"}, openai.NotFoundError, "PROFILE_NOT_FOUND"),
        ({"n": 2}, openai.BadRequestError, "INVALID_REQUEST"),
        (
            {"extra_body": {"collection": "elsewhere"}},
            openai.NotFoundError,
            "COLLECTION_NOT_FOUND",
        ),
        (
            {"extra_body": {"filters": {"$near": 1}}},
            openai.BadRequestError,
            "INVALID_REQUEST",
        ),
    ],
)
def test_an_error_is_one_that_the_client_knows(
    client: OpenAI,
    options: dict[str, Any],
    refusal: type[openai.APIStatusError],
    code: str,
    *,
    stream: bool,
) -> None:
    with pytest.raises(refusal) as caught:
        ask(client, "When is the rent due?", stream=stream, **options)

    told: Any = caught.value.body
    assert caught.value.code == told["code"] == code
    assert told["message"]
    assert caught.value.response.headers["content-type"] == "application/problem+json"
    assert caught.value.request_id == caught.value.response.json()["request_id"]


def test_a_model_that_fails_midway_raises_in_the_client(
    client: OpenAI, model: FakeOpenAIServer
) -> None:
    def before(piece: int) -> None:
        if piece == 2:
            raise BrokenPipeError

    model.script(Streaming([DUE, " It", COSTS[3:]], before=before))

    chunks = ask(client, "When is the monthly rent due?", stream=True)
    assert next(chunks).choices[0].delta.content
    with pytest.raises(openai.APIError) as caught:
        list(chunks)
    assert caught.value.code == "PROVIDER_UNAVAILABLE"


def test_a_client_finds_the_models_by_itself(client: OpenAI, reader: Tenant) -> None:
    """Whatever is listed is taken: policies of the collection's own are among them."""
    made = {"base": "fast", "values": {"top_k": 2}}
    assert reader.send("PUT", "/collections/default/profiles/brief", made).is_success

    listed = {model.id: model for model in client.models.list()}

    assert next(iter(listed)) == "pulsedocs"
    assert {"default", "fast", "brief"} <= listed.keys()
    assert listed["brief"].created > listed["fast"].created == 0
    assert client.models.retrieve("brief").id == "brief"
    assert ask(client, "When is the monthly rent due?", model="brief").choices
    with pytest.raises(openai.NotFoundError, match="GET /v1/models"):
        client.models.retrieve("gpt-4o")


def test_the_models_of_a_collection_that_is_not_there_are_the_products_own(stage: Stage) -> None:
    with client_of(stage, stage.token(uuid4())) as stranger:
        listed = {model.id for model in stranger.models.list()}

    assert {"pulsedocs", "default"} <= listed
    assert "brief" not in listed


def test_a_token_decides_whose_documents_answer(stage: Stage, client: OpenAI) -> None:
    with client_of(stage, "nonsense") as unknown, pytest.raises(openai.AuthenticationError):
        ask(unknown, "When is the rent due?")
    with client_of(stage, stage.token(uuid4())) as other, pytest.raises(openai.NotFoundError):
        ask(other, "When is the rent due?")
    del client


def _saying(text: str) -> Any:
    return changed(lambda reply: reply["choices"][0]["message"].update(content=text))
