"""Every chat model returns text with its cost, within the deadline, or one typed error."""

import logging
import time
from collections.abc import Callable
from typing import Any

import pytest

from pulsedocs.adapters.memory.chat import ScriptedChat
from pulsedocs.adapters.openai.chat import OpenAIChat
from pulsedocs.errors import ProviderMalformed, ProviderThrottled, ProviderUnavailable, TimedOut
from pulsedocs.model.answers import ChatMessage, Completion
from pulsedocs.model.deadline import Deadline
from pulsedocs.ports import ChatModel
from tests.contract.fake_openai_server import FakeOpenAIServer, Json, changed, failing
from tests.contract.provider_faults import FAULTS, Fault

KEY = "sk-secret-of-the-test"
PRIVATE = "the patient's private words"


def soon() -> Deadline:
    return Deadline.after(30)


def ask(
    chat: ChatModel, text: str, *, max_tokens: int = 50, deadline: Deadline | None = None
) -> Completion:
    messages = [ChatMessage("system", "Repeat."), ChatMessage("user", text)]
    return chat.complete(
        messages, temperature=0.2, max_tokens=max_tokens, deadline=deadline or soon()
    )


class ChatModelContract:
    """What every `pulsedocs.ports.ChatModel` promises; a plug-in's test gives the fixture.

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

    def test_a_passed_deadline_stops_it(self, chat: ChatModel) -> None:
        with pytest.raises(TimedOut):
            ask(chat, "late", deadline=Deadline.after(0))


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


def openai_chat(server: FakeOpenAIServer) -> OpenAIChat:
    chat = OpenAIChat("gpt-4o-mini", api_key=KEY, base_url=server.base_url)
    server.clients.callback(chat.close)
    return chat


class TestOpenAIChat(ChatModelContract):
    @pytest.fixture
    def chat(self, openai_server: FakeOpenAIServer) -> ChatModel:
        return openai_chat(openai_server)


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_a_fault_becomes_its_error(
    openai_server: FakeOpenAIServer, fault: Fault, caplog: pytest.LogCaptureFixture
) -> None:
    """K09-K12, I13: one typed error, at most two requests, in time, without key or text."""
    caplog.set_level(logging.DEBUG)
    openai_server.script(*[fault.behaviour] * 3)
    began = time.monotonic()

    with pytest.raises(fault.error) as caught:
        ask(openai_chat(openai_server), PRIVATE, deadline=Deadline.after(fault.patience_seconds))

    said = f"{caplog.text} {[vars(r) for r in caplog.records]} {caught.value!r}"
    assert len(openai_server.requests) == fault.tries
    assert time.monotonic() - began < fault.patience_seconds + 1
    assert KEY not in said
    assert PRIVATE not in said


MALFORMED: dict[str, Callable[[Json], Any]] = {
    "no-choices": lambda reply: reply.update(choices=[]),
    "choices-missing": lambda reply: reply.pop("choices"),
    "no-message": lambda reply: reply["choices"][0].pop("message"),
    "no-content": lambda reply: reply["choices"][0]["message"].update(content=None),
    "tool-call": lambda reply: reply["choices"][0].update(
        message={"role": "assistant", "content": None, "tool_calls": [{"id": "1"}]}
    ),
    "content-list": lambda reply: reply["choices"][0]["message"].update(content=["a"]),
    "negative-usage": lambda reply: reply["usage"].update(prompt_tokens=-1),
}


@pytest.mark.parametrize("name", MALFORMED)
def test_a_reply_without_text_is_malformed(openai_server: FakeOpenAIServer, name: str) -> None:
    openai_server.script(changed(MALFORMED[name]))

    with pytest.raises(ProviderMalformed):
        ask(openai_chat(openai_server), "hello")


def test_a_filtered_reply_says_so(openai_server: FakeOpenAIServer) -> None:
    def filtered(reply: Json) -> None:
        reply["choices"][0].update(message={"content": None}, finish_reason="content_filter")

    openai_server.script(changed(filtered))

    completion = ask(openai_chat(openai_server), "hello")

    assert (completion.text, completion.finish_reason) == ("", "content_filter")


def test_missing_usage_is_estimated_so_that_no_call_is_free(
    openai_server: FakeOpenAIServer,
) -> None:
    openai_server.script(changed(lambda reply: reply.pop("usage")))

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
