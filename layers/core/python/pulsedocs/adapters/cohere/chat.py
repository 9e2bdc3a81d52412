"""Chat with Cohere's Command models: "Chat API (v2)" and "Streaming Responses" of its docs."""

from collections.abc import Generator, Sequence
from contextlib import closing
from typing import Annotated, Any, Final

from pydantic import BaseModel, Field

from pulsedocs.adapters.cohere.calls import CohereCalls
from pulsedocs.calls.failures import connection_failure
from pulsedocs.calls.parsing import parse
from pulsedocs.calls.provider import ProviderModel
from pulsedocs.embedding import encodable
from pulsedocs.errors import ProviderMalformed, ProviderUnavailable
from pulsedocs.model.answers import ChatMessage, Completion, ReplySchema
from pulsedocs.model.deadline import Deadline
from pulsedocs.model.tokens import tokens_about

_WARMEST: Final = 1.0  # Cohere refuses a temperature above it
_FINISHES: Final = {"COMPLETE": "stop", "STOP_SEQUENCE": "stop", "MAX_TOKENS": "length"}
"""How Cohere says why a reply ended, and how OpenAI does."""
_FAILED: Final = frozenset({"ERROR", "TIMEOUT"})


class _Content(BaseModel):
    text: str | None = None


class _Message(BaseModel):
    content: list[_Content]


class _Tokens(BaseModel):
    input_tokens: Annotated[float, Field(ge=0)]
    output_tokens: Annotated[float, Field(ge=0)]


class _Usage(BaseModel):
    billed_units: _Tokens | None = None
    tokens: _Tokens | None = None


class _Reply(BaseModel):
    message: _Message
    finish_reason: str
    usage: _Usage | None = None


class _Piece(BaseModel):
    content: _Content | None = None


class _Delta(BaseModel):
    message: _Piece | None = None
    finish_reason: str | None = None
    usage: _Usage | None = None


class _Event(BaseModel):
    type: str
    delta: _Delta | None = None


class CohereChat(ProviderModel[CohereCalls]):
    """Implements `ports.providers.ChatModel`. `name` is the provider's: `command-a-03-2025`."""

    def complete(
        self,
        messages: Sequence[ChatMessage],
        *,
        temperature: float,
        max_tokens: int,
        deadline: Deadline,
        reply_schema: ReplySchema | None = None,
    ) -> Completion:
        request = self._request(messages, temperature, max_tokens)
        if reply_schema is not None:
            request["response_format"] = {
                "type": "json_object",
                "json_schema": dict(reply_schema.schema),
            }
        reply = parse(
            _Reply,
            self._calls.whole("/v2/chat", request, deadline=deadline).body,
            otherwise="Cohere's answer is not a reply",
        )
        texts = [content.text for content in reply.message.content if content.text is not None]
        return _completion(
            "".join(texts),
            messages,
            usage=reply.usage,
            finish=_finish(reply.finish_reason),
            model=self.model,
        )

    def stream(
        self,
        messages: Sequence[ChatMessage],
        *,
        temperature: float,
        max_tokens: int,
        deadline: Deadline,
    ) -> Generator[str, None, Completion]:
        request = self._request(messages, temperature, max_tokens) | {"stream": True}
        reply = _Arriving()
        with closing(self._calls.lines("/v2/chat", request, deadline=deadline)) as lines:
            for line in lines:
                yield reply.take(line or "")
                if reply.is_whole:
                    break
        return reply.completion(messages, model=self.model)

    def _request(
        self, messages: Sequence[ChatMessage], temperature: float, max_tokens: int
    ) -> dict[str, Any]:
        return {
            "model": self._name,
            "messages": [
                {"role": message.role, "content": encodable(message.content)}
                for message in messages
            ],
            "temperature": min(temperature, _WARMEST),
            "max_tokens": max_tokens,
        }


class _Arriving:
    """A reply as server-sent events bring it, from `message-start` to `message-end`."""

    def __init__(self) -> None:
        self._texts: list[str] = []
        self._has_events = False
        self._end: _Delta | None = None

    @property
    def is_whole(self) -> bool:
        return self._end is not None

    def take(self, line: str) -> str:
        """Return the text that a line adds: none for an event's name, a comment, or a pause."""
        name, _, value = line.partition(":")
        if name != "data":
            if line.startswith(("{", "[", "<")):
                raise ProviderMalformed("Cohere's answer is not a stream of events")
            return ""
        if value.strip() == "[DONE]":
            return ""
        event = parse(_Event, value, otherwise="an event of Cohere's is no piece of a reply")
        self._has_events = True
        if event.type == "message-end":
            self._end = event.delta or _Delta()
        if event.type != "content-delta" or event.delta is None or event.delta.message is None:
            return ""
        content = event.delta.message.content
        text = (content.text if content is not None else None) or ""
        self._texts.append(text)
        return text

    def completion(self, messages: Sequence[ChatMessage], *, model: str) -> Completion:
        """Return the whole reply; raise where the stream ended before the reply did."""
        if self._end is None:
            if not self._has_events:
                raise ProviderMalformed("Cohere's answer has no events")
            raise connection_failure(is_timeout=False)
        return _completion(
            "".join(self._texts),
            messages,
            usage=self._end.usage,
            finish=_finish(self._end.finish_reason or "COMPLETE"),
            model=model,
        )


def _finish(reason: str) -> str:
    """Say it as OpenAI does; raise for a reply that Cohere could not end."""
    if reason in _FAILED:
        raise ProviderUnavailable(f"Cohere broke the reply off: {reason}")
    return _FINISHES.get(reason, reason.lower())


def _completion(
    text: str, messages: Sequence[ChatMessage], *, usage: _Usage | None, finish: str, model: str
) -> Completion:
    """Count what is billed; estimated where Cohere does not say, so that no call is free."""
    counts = usage and (usage.billed_units or usage.tokens)
    if not counts:
        asked = sum(tokens_about(message.content) for message in messages)
        return Completion(text, asked, tokens_about(text), finish, model)
    return Completion(text, int(counts.input_tokens), int(counts.output_tokens), finish, model)
