"""Chat through Bedrock's Converse and ConverseStream, whoever made the model.

Requests and answers as "Converse" and "ConverseStream" in the Amazon Bedrock Runtime API reference
have them; structured output as in "Get validated JSON results from models" of the user guide.
"""

import json
from collections.abc import Generator, Sequence
from contextlib import closing
from itertools import groupby
from typing import Annotated, Any, Final

from pydantic import BaseModel, Field, ValidationError

from pulsedocs.adapters.bedrock.calls import BedrockCalls
from pulsedocs.adapters.bedrock.events import StreamEvent, events_of
from pulsedocs.calls.failures import connection_failure, is_about_the_text
from pulsedocs.calls.parsing import parse
from pulsedocs.calls.provider import ProviderModel
from pulsedocs.embedding import encodable
from pulsedocs.errors import ProviderMalformed, ProviderRefused
from pulsedocs.model.answers import ChatMessage, Completion, ReplySchema
from pulsedocs.model.deadline import Deadline
from pulsedocs.model.tokens import tokens_about

_WARMEST: Final = 1.0  # Converse takes no temperature above it
_FILTERED: Final = "content_filter"
_FINISHES: Final = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "content_filtered": _FILTERED,
    "guardrail_intervened": _FILTERED,
}
"""How Converse says why a reply ended, and how OpenAI does."""


class _Block(BaseModel):
    text: str | None = None


class _Message(BaseModel):
    content: list[_Block]


class _Output(BaseModel):
    message: _Message


class _Usage(BaseModel):
    input_tokens: Annotated[int, Field(ge=0, alias="inputTokens")]
    output_tokens: Annotated[int, Field(ge=0, alias="outputTokens")]


class _Reply(BaseModel):
    output: _Output
    stop_reason: Annotated[str, Field(alias="stopReason")]
    usage: _Usage | None = None


class _Delta(BaseModel):
    delta: _Block


class _Stop(BaseModel):
    stop_reason: Annotated[str, Field(alias="stopReason")]


class _Metadata(BaseModel):
    usage: _Usage


class BedrockChat(ProviderModel[BedrockCalls]):
    """Implements `ports.providers.ChatModel`.

    `name` is what Converse calls a model: an id, an inference profile's id, or an ARN.
    """

    _follows_schemas = True

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
        if reply_schema is None or not self._follows_schemas:
            return self._converse(request, messages, deadline)
        schema = {"schema": json.dumps(dict(reply_schema.schema)), "name": reply_schema.name}
        form = {"type": "json_schema", "structure": {"jsonSchema": schema}}
        enforced = request | {"outputConfig": {"textFormat": form}}
        try:
            return self._converse(enforced, messages, deadline)
        except ProviderRefused as error:
            if not is_about_the_text(error):
                raise
        # Not every model on Bedrock can be held to a schema; the prompt asks for it in any case.
        completion = self._converse(request, messages, deadline)
        self._follows_schemas = False
        return completion

    def stream(
        self,
        messages: Sequence[ChatMessage],
        *,
        temperature: float,
        max_tokens: int,
        deadline: Deadline,
    ) -> Generator[str, None, Completion]:
        request = self._request(messages, temperature, max_tokens)
        reply = _Arriving()
        with closing(
            self._calls.arriving(
                lambda client: client.converse_stream(**request), events_of, deadline=deadline
            )
        ) as events:
            for event in events:
                yield "" if event is None else reply.take(event)
        return reply.completion(messages, model=self.model)

    def _request(
        self, messages: Sequence[ChatMessage], temperature: float, max_tokens: int
    ) -> dict[str, Any]:
        system = [_block(message) for message in messages if message.role == "system"]
        spoken = [message for message in messages if message.role != "system"]
        turns = [
            {"role": role, "content": [_block(message) for message in turn]}
            for role, turn in groupby(spoken, key=lambda message: message.role)
        ]
        asked: dict[str, Any] = {
            "modelId": self._name,
            "messages": turns,
            "inferenceConfig": {
                "maxTokens": max_tokens,
                "temperature": min(temperature, _WARMEST),
            },
        }
        return asked | ({"system": system} if system else {})

    def _converse(
        self, request: dict[str, Any], messages: Sequence[ChatMessage], deadline: Deadline
    ) -> Completion:
        answer = self._calls.whole(lambda client: client.converse(**request), deadline=deadline)
        reply = parse(_Reply, answer.body, otherwise="Bedrock's answer is not a reply")
        texts = [block.text for block in reply.output.message.content if block.text is not None]
        finish = _FINISHES.get(reply.stop_reason, reply.stop_reason)
        return _completion(
            "".join(texts), messages, usage=reply.usage, finish=finish, model=self.model
        )


class _Arriving:
    """A reply as ConverseStream brings it: deltas, `messageStop`, and the counts at the end."""

    def __init__(self) -> None:
        self._texts: list[str] = []
        self._has_events = False
        self._usage: _Usage | None = None
        self._stop_reason: str | None = None

    def take(self, event: StreamEvent) -> str:
        """Return the text that an event adds: none for the frame around it, none for thoughts."""
        self._has_events = True
        try:
            match event.name:
                case "contentBlockDelta":
                    text = _Delta.model_validate_json(event.payload).delta.text or ""
                    self._texts.append(text)
                    return text
                case "messageStop":
                    self._stop_reason = _Stop.model_validate_json(event.payload).stop_reason
                case "metadata":
                    self._usage = _Metadata.model_validate_json(event.payload).usage
                case _:
                    pass
        except ValidationError as error:
            raise ProviderMalformed(
                f"an event of Bedrock's is no piece of a reply ({error.error_count()} errors)"
            ) from None
        return ""

    def completion(self, messages: Sequence[ChatMessage], *, model: str) -> Completion:
        """Return the whole reply; raise where the stream ended before the reply did."""
        if self._stop_reason is None:
            if not self._has_events:
                raise ProviderMalformed("Bedrock's answer has no events")
            raise connection_failure(is_timeout=False)
        finish = _FINISHES.get(self._stop_reason, self._stop_reason)
        text = "".join(self._texts)
        return _completion(text, messages, usage=self._usage, finish=finish, model=model)


def _completion(
    text: str, messages: Sequence[ChatMessage], *, usage: _Usage | None, finish: str, model: str
) -> Completion:
    """Count what was used; estimated where Bedrock does not say, so that no call is free."""
    if usage is None:
        asked = sum(tokens_about(message.content) for message in messages)
        return Completion(text, asked, tokens_about(text), finish, model)
    return Completion(text, usage.input_tokens, usage.output_tokens, finish, model)


def _block(message: ChatMessage) -> dict[str, str]:
    return {"text": encodable(message.content)}
