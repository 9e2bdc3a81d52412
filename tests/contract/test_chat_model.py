"""Every chat model returns text with its cost, within the deadline, or one typed error."""

import json
import time
from collections.abc import Callable, Generator
from dataclasses import replace
from functools import partial
from threading import Event
from typing import Any

import pytest

from pulsedocs.adapters.memory.chat import ScriptedChat
from pulsedocs.adapters.openai.calls import OpenAICalls
from pulsedocs.adapters.openai.chat import OpenAIChat
from pulsedocs.calls.limits import CHAT, CallLimits
from pulsedocs.errors import (
    ProviderMalformed,
    ProviderRefused,
    ProviderThrottled,
    ProviderUnavailable,
    TimedOut,
)
from pulsedocs.model.answers import ChatMessage, Completion, ReplySchema
from pulsedocs.model.deadline import Deadline
from pulsedocs.ports.providers import ChatModel
from tests.contract.fake_openai_server import (
    Exchange,
    FakeOpenAIServer,
    Json,
    Streaming,
    answer,
    changed,
    failing,
    reset,
    saying,
)
from tests.contract.provider_faults import FAULTS, PRIVATE, Fault, expect_error
from tests.patience import HELD_UP, PATIENCE

KEY = "sk-secret-of-the-test"


def soon() -> Deadline:
    return Deadline.after(30)


def ask(
    chat: ChatModel, text: str, *, max_tokens: int = 50, deadline: Deadline | None = None
) -> Completion:
    messages = [ChatMessage("system", "Repeat."), ChatMessage("user", text)]
    return chat.complete(
        messages, temperature=0.2, max_tokens=max_tokens, deadline=deadline or soon()
    )


def listen(
    chat: ChatModel, text: str, *, max_tokens: int = 50, deadline: Deadline | None = None
) -> Generator[str, None, Completion]:
    messages = [ChatMessage("system", "Repeat."), ChatMessage("user", text)]
    return chat.stream(
        messages, temperature=0.2, max_tokens=max_tokens, deadline=deadline or soon()
    )


def drained(stream: Generator[str, None, Completion]) -> tuple[list[str], Completion]:
    pieces: list[str] = []
    while True:
        try:
            pieces.append(next(stream))
        except StopIteration as end:
            return pieces, end.value


class ChatModelContract:
    """What every `ports.providers.ChatModel` promises; a plug-in's test gives the fixture.

    The fixture's model repeats the last message, one word a token.
    """

    @pytest.fixture
    def chat(self) -> ChatModel:
        raise NotImplementedError

    def test_a_reply_has_text_cost_and_model(self, chat: ChatModel) -> None:
        completion = ask(chat, "two words")

        assert completion.text == "two words"
        assert completion.finish_reason == "stop"
        assert completion.model == chat.model
        assert completion.input_tokens > 0
        assert completion.output_tokens > 0

    def test_the_token_limit_reaches_the_model(self, chat: ChatModel) -> None:
        completion = ask(chat, "one two three four", max_tokens=2)

        assert (completion.text, completion.finish_reason) == ("one two", "length")

    @pytest.mark.parametrize("text", ["lone \ud83d surrogate", "\x00", "中文 🙂", "{}"])
    def test_an_odd_message_gets_a_reply(self, chat: ChatModel, text: str) -> None:
        assert ask(chat, text).finish_reason == "stop"

    def test_a_streamed_reply_says_and_costs_what_a_whole_one_does(self, chat: ChatModel) -> None:
        """S4-10."""
        pieces, completion = drained(listen(chat, "three plain words"))

        assert "".join(pieces) == completion.text == "three plain words"
        assert len([piece for piece in pieces if piece]) == 3
        assert (completion.finish_reason, completion.model) == ("stop", chat.model)
        assert completion.input_tokens > 0
        assert completion.output_tokens > 0

    def test_the_token_limit_reaches_a_streaming_model(self, chat: ChatModel) -> None:
        pieces, completion = drained(listen(chat, "one two three four", max_tokens=2))

        assert "".join(pieces) == completion.text == "one two"
        assert completion.finish_reason == "length"

    def test_a_passed_deadline_stops_a_stream(self, chat: ChatModel) -> None:
        with pytest.raises(TimedOut):
            next(listen(chat, "late", deadline=Deadline.after(0)))

    def test_a_passed_deadline_stops_it(self, chat: ChatModel) -> None:
        with pytest.raises(TimedOut):
            ask(chat, "late", deadline=Deadline.after(0))


class ProviderChatContract(ChatModelContract):
    """What those promise as well that ask a provider; its stand-in streams what a test scripts."""

    @pytest.fixture
    def server(self) -> FakeOpenAIServer:
        raise NotImplementedError

    @pytest.fixture
    def chat_within(self) -> Callable[[CallLimits], ChatModel]:
        raise NotImplementedError

    @pytest.fixture
    def chat(self, chat_within: Callable[[CallLimits], ChatModel]) -> ChatModel:
        return chat_within(CHAT)

    def test_a_piece_leaves_before_the_next_one_is_written(
        self, server: FakeOpenAIServer, chat: ChatModel
    ) -> None:
        """S4-10."""
        read = Event()
        server.script(Streaming(["one", " two"], before=lambda n: n == 0 or read.wait(PATIENCE)))

        stream = listen(chat, "x")
        first = next(piece for piece in stream if piece)
        read.set()

        assert first == "one"
        assert drained(stream)[1].text == "one two"

    def test_a_reader_who_leaves_closes_the_connection(
        self, server: FakeOpenAIServer, chat: ChatModel
    ) -> None:
        """S4-10: generation stops, even while the provider says nothing."""
        read = Event()
        behaviour = Streaming(
            ["one"] + [" more"] * 500,  # slowly: that the reader has left takes a moment to arrive
            before=lambda n: n == 0 or (read.wait(PATIENCE) and behaviour.hung_up.wait(0.05)),
        )
        server.script(behaviour)

        stream = listen(chat, "x")
        assert next(piece for piece in stream if piece) == "one"
        assert next(stream) == ""
        stream.close()
        read.set()

        assert behaviour.hung_up.wait(PATIENCE)

    def test_a_silence_is_waited_for_only_so_long(
        self, server: FakeOpenAIServer, chat_within: Callable[[CallLimits], ChatModel]
    ) -> None:
        """The smaller of the silence allowed and of what remains of the request."""
        is_over = Event()
        for silence, remaining in ((0.3, 30), (30, 0.3)):
            server.script(
                Streaming(["one", " two"], before=lambda n: n == 0 or is_over.wait(PATIENCE))
            )
            chat = chat_within(replace(CHAT, seconds=silence))
            began = time.monotonic()
            with pytest.raises(ProviderUnavailable):
                drained(listen(chat, "x", deadline=Deadline.after(remaining)))
            assert time.monotonic() - began < HELD_UP
        is_over.set()


class TestScriptedChat(ChatModelContract):
    @pytest.fixture
    def chat(self) -> ChatModel:
        return ScriptedChat([lambda messages: messages[-1].content])

    def test_it_follows_its_script_and_remembers(self) -> None:
        chat = ScriptedChat(["first", ProviderThrottled("slow down")])

        assert ask(chat, "one").text == "first"
        with pytest.raises(ProviderThrottled):
            ask(chat, "two")
        with pytest.raises(ProviderUnavailable):
            ask(chat, "three")
        assert [messages[-1].content for messages in chat.asked] == ["one", "two", "three"]


def openai_chat(server: FakeOpenAIServer, limits: CallLimits = CHAT) -> OpenAIChat:
    chat = OpenAIChat("gpt-4o-mini", OpenAICalls(limits, api_key=KEY, base_url=server.base_url))
    server.clients.callback(chat.close)
    return chat


class TestOpenAIChat(ProviderChatContract):
    @pytest.fixture
    def server(self, openai_server: FakeOpenAIServer) -> FakeOpenAIServer:
        return openai_server

    @pytest.fixture
    def chat_within(self, openai_server: FakeOpenAIServer) -> Callable[[CallLimits], ChatModel]:
        return partial(openai_chat, openai_server)


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_a_fault_becomes_its_error(
    openai_server: FakeOpenAIServer, fault: Fault, caplog: pytest.LogCaptureFixture
) -> None:
    """K09-K12, I13: one typed error, at most two requests, in time, without key or text."""
    expect_error(
        fault,
        lambda deadline: ask(openai_chat(openai_server), PRIVATE, deadline=deadline),
        server=openai_server,
        caplog=caplog,
        key=KEY,
    )


MALFORMED: dict[str, Callable[[Json], Any]] = {
    "no-choices": lambda reply: reply.update(choices=[]),
    "choices-missing": lambda reply: reply.pop("choices"),
    "no-message": lambda reply: reply["choices"][0].pop("message"),
    "content-list": lambda reply: reply["choices"][0]["message"].update(content=["a"]),
    "negative-usage": lambda reply: reply["usage"].update(prompt_tokens=-1),
}


@pytest.mark.parametrize("name", MALFORMED)
def test_what_is_no_reply_is_malformed(openai_server: FakeOpenAIServer, name: str) -> None:
    openai_server.script(changed(MALFORMED[name]))

    with pytest.raises(ProviderMalformed):
        ask(openai_chat(openai_server), "hello")


def test_a_text_in_parts_is_one_text(openai_server: FakeOpenAIServer) -> None:
    """Fails when: what Mistral's models that think, and gateways, send is no reply."""
    parts = [{"type": "thinking", "thinking": [{"type": "text", "text": "Hm."}]}]
    parts += [{"type": "text", "text": "Two "}, {"type": "text", "text": "words"}]
    openai_server.script(
        changed(lambda reply: reply["choices"][0]["message"].update(content=parts))
    )

    assert ask(openai_chat(openai_server), "hello").text == "Two words"


@pytest.mark.parametrize("said", [{"refusal": "I cannot."}, {"tool_calls": [{"id": "1"}]}])
def test_a_reply_without_text_is_counted(openai_server: FakeOpenAIServer, said: Json) -> None:
    """Fails when: it is an error before its tokens are known, and free in the books."""
    openai_server.script(
        changed(lambda reply: reply["choices"][0]["message"].update(content=None, **said))
    )

    completion = ask(openai_chat(openai_server), "two words")

    assert completion.text == ""
    assert (completion.input_tokens, completion.output_tokens) == (2, 3)


def test_a_filtered_reply_says_so(openai_server: FakeOpenAIServer) -> None:
    def filtered(reply: Json) -> None:
        reply["choices"][0].update(message={"content": None}, finish_reason="content_filter")

    openai_server.script(changed(filtered))

    completion = ask(openai_chat(openai_server), "hello")

    assert (completion.text, completion.finish_reason) == ("", "content_filter")


@pytest.mark.parametrize("usage", [None, {"total_tokens": 5}, {"prompt_tokens": None}])
def test_missing_usage_is_estimated_so_that_no_call_is_free(
    openai_server: FakeOpenAIServer, usage: Json | None
) -> None:
    openai_server.script(changed(lambda reply: reply.update(usage=usage)))

    completion = ask(openai_chat(openai_server), "word " * 40)

    assert 20 < completion.input_tokens < 100
    assert 20 < completion.output_tokens < 100


def test_a_throttled_reply_is_waited_for(openai_server: FakeOpenAIServer) -> None:
    openai_server.script(failing(429, headers={"Retry-After": "0.2"}))

    assert ask(openai_chat(openai_server), "hello").text == "hello"


def test_other_servers_get_the_older_name_of_the_limit(openai_server: FakeOpenAIServer) -> None:
    ask(openai_chat(openai_server), "hello", max_tokens=7)

    [request] = openai_server.requests
    assert request.path == "/v1/chat/completions"
    assert request.body == {
        "model": "gpt-4o-mini",
        "messages": [
            {"role": "system", "content": "Repeat."},
            {"role": "user", "content": "hello"},
        ],
        "temperature": 0.2,
        "max_tokens": 7,
    }


def refusing(parameter: str) -> Callable[[Exchange], None]:
    """Answer as OpenAI does where a model does not take a parameter, else well."""

    def behave(exchange: Exchange) -> None:
        if parameter not in exchange.request_seen.body:
            answer(exchange)
            return
        error = {
            "message": f"Unsupported value: {parameter!r} of this model is not {KEY}.",
            "type": "invalid_request_error",
            "param": parameter,
            "code": "unsupported_value",
        }
        body = json.dumps({"error": error}).encode()
        exchange.send(400, body, content_type="application/json", headers={})

    return behave


@pytest.mark.parametrize("parameter", ["temperature", "max_tokens"])
def test_a_setting_that_a_model_refuses_is_left_out_from_then_on(
    openai_server: FakeOpenAIServer, parameter: str
) -> None:
    """Failed when each answer of a model that thinks was given by the extractive one."""
    openai_server.script(*[refusing(parameter)] * 5)
    chat = openai_chat(openai_server)

    first = ask(chat, "two words")
    pieces, _ = drained(listen(chat, "two words"))
    other, _ = drained(listen(openai_chat(openai_server), "two words"))

    assert first.text == "".join(pieces) == "".join(other) == "two words"
    sent = [request.body for request in openai_server.requests]
    assert [parameter in body for body in sent] == [True, False, False, True, False]
    assert all({"max_tokens", "max_completion_tokens"} & set(body) for body in sent)


@pytest.mark.parametrize("status", [400, 422])
def test_a_server_that_refuses_schemas_is_asked_without_from_then_on(
    openai_server: FakeOpenAIServer, status: int
) -> None:
    """Failed when the queries that a model writes, HyDE's too, were lost with such a server."""
    openai_server.script(failing(status))
    chat = openai_chat(openai_server)

    for _ in range(2):
        completion = chat.complete(
            [ChatMessage("user", "two words")],
            temperature=0.2,
            max_tokens=50,
            deadline=soon(),
            reply_schema=ReplySchema("queries", {"type": "object"}),
        )
        assert completion.text == "two words"

    sent = ["response_format" in request.body for request in openai_server.requests]
    assert sent == [True, False, False]


def test_a_model_that_is_not_there_is_not_asked_again_without_a_schema(
    openai_server: FakeOpenAIServer,
) -> None:
    openai_server.script(failing(404), failing(404))

    with pytest.raises(ProviderRefused):
        openai_chat(openai_server).complete(
            [ChatMessage("user", "x")],
            temperature=0.2,
            max_tokens=50,
            deadline=soon(),
            reply_schema=ReplySchema("queries", {"type": "object"}),
        )

    assert len(openai_server.requests) == 1


def test_a_setting_that_is_refused_though_it_was_left_out_is_an_error(
    openai_server: FakeOpenAIServer,
) -> None:
    def stubborn(exchange: Exchange) -> None:
        body = json.dumps({"error": {"message": KEY, "param": "temperature", "code": "x"}})
        exchange.send(400, body.encode(), content_type="application/json", headers={})

    openai_server.script(*[stubborn] * 9)

    with pytest.raises(ProviderRefused) as refused:
        ask(openai_chat(openai_server), "hello")

    assert len(openai_server.requests) == 2
    assert KEY not in str(refused.value)


# What a fault in the middle of JSON is to a whole reply, it is not to a stream of events.
NOT_EVENTS = {"closed-early", "null", "cut-json", "huge", "not-utf8", "reset"}


@pytest.mark.parametrize(
    "fault", [each for each in FAULTS if each.name not in NOT_EVENTS], ids=lambda fault: fault.name
)
def test_a_fault_of_a_streamed_reply_becomes_its_error(
    openai_server: FakeOpenAIServer, fault: Fault, caplog: pytest.LogCaptureFixture
) -> None:
    """K09-K12, S4-10: as a whole reply's, in time, without key or text."""
    expect_error(
        fault,
        lambda deadline: drained(listen(openai_chat(openai_server), PRIVATE, deadline=deadline)),
        server=openai_server,
        caplog=caplog,
        key=KEY,
    )


@pytest.mark.parametrize(
    ("body", "error"),
    [
        (b"data: null\n\n", ProviderMalformed),
        (b"data: {\n\n", ProviderMalformed),
        (b'data: {"error": {"message": "boom"}}\n\n', ProviderMalformed),
        (b'data: {"choices": [{"delta": {"content": 5}}]}\n\n', ProviderMalformed),
        (b"data: \xff\n\n", ProviderMalformed),
        (b"data: " + b"x" * 17 * 1024 * 1024, ProviderMalformed),
        (b'{"choices": []}', ProviderMalformed),
        (b'data: {"choices": [{"delta": {"content": "half"}}]}\n\n', ProviderUnavailable),
    ],
    ids=["null", "cut", "error", "number", "not-utf8", "huge", "no-events", "no-end"],
)
def test_events_that_make_no_reply_are_an_error(
    openai_server: FakeOpenAIServer, body: bytes, error: type[Exception]
) -> None:
    openai_server.script(saying(body, content_type="text/event-stream"))

    with pytest.raises(error):
        drained(listen(openai_chat(openai_server), "hello"))


def test_a_stream_reset_in_its_middle_is_no_reply(openai_server: FakeOpenAIServer) -> None:
    openai_server.script(reset, reset)

    with pytest.raises((ProviderUnavailable, ProviderMalformed)):
        drained(listen(openai_chat(openai_server), "hello"))


def test_missing_counts_of_a_stream_are_estimated(openai_server: FakeOpenAIServer) -> None:
    openai_server.script(Streaming(["word"] * 40, with_usage=False))

    _, completion = drained(listen(openai_chat(openai_server), "word " * 40))

    assert 20 < completion.input_tokens < 100
    assert 20 < completion.output_tokens < 100


def test_counts_of_a_stream_that_are_null_are_estimated(openai_server: FakeOpenAIServer) -> None:
    openai_server.script(
        saying(
            b'data: {"choices": [{"delta": {"content": "word"}, "finish_reason": "stop"}]}\n\n'
            b'data: {"choices": [], "usage": {"prompt_tokens": 9, "completion_tokens": null}}\n\n'
            b"data: [DONE]\n\n",
            content_type="text/event-stream",
        )
    )

    _, completion = drained(listen(openai_chat(openai_server), "word"))

    assert (completion.text, completion.input_tokens) == ("word", 9)
    assert completion.output_tokens > 0


def test_a_scripted_stream_knows_who_left_early() -> None:
    chat = ScriptedChat(["one two"])
    stream = listen(chat, "x")

    assert next(stream) == "one"
    stream.close()

    assert chat.broken_off == 1


def test_a_reply_schema_is_sent_as_openai_names_it(openai_server: FakeOpenAIServer) -> None:
    """S3-15: structured output, strict; without a schema nothing is asked of the format."""
    schema: Json = {
        "type": "object",
        "properties": {},
        "required": [],
        "additionalProperties": False,
    }
    chat = openai_chat(openai_server)
    arguments: Any = {"temperature": 0.0, "max_tokens": 9, "deadline": soon()}

    chat.complete(
        [ChatMessage("user", "x")], **arguments, reply_schema=ReplySchema("queries", schema)
    )
    chat.complete([ChatMessage("user", "x")], **arguments)

    with_schema, without = (request.body for request in openai_server.requests)
    assert with_schema["response_format"] == {
        "type": "json_schema",
        "json_schema": {"name": "queries", "schema": schema, "strict": True},
    }
    assert "response_format" not in without


def test_temperature_and_length_are_those_that_were_asked_for(
    openai_server: FakeOpenAIServer,
) -> None:
    """S2-12."""
    openai_chat(openai_server).complete(
        [ChatMessage("user", "x")], temperature=0.7, max_tokens=77, deadline=soon()
    )

    [request] = openai_server.requests
    assert (request.body["temperature"], request.body["max_tokens"]) == (0.7, 77)
