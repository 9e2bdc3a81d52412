"""Chat completions from OpenAI or any server that speaks its `/chat/completions`."""

from collections.abc import Generator, Sequence
from contextlib import AbstractContextManager, closing
from typing import Annotated, Any, Final, TypeAlias, cast

from openai import APIResponse, OpenAI, omit
from openai.types.chat import ChatCompletionMessageParam
from openai.types.shared_params import ResponseFormatJSONSchema
from pydantic import BaseModel, BeforeValidator, Field, TypeAdapter, ValidationError

from pulsedocs.adapters.openai.calls import OpenAICalls
from pulsedocs.calls.failures import connection_failure, is_about_the_text
from pulsedocs.calls.parsing import parse
from pulsedocs.calls.provider import ProviderModel
from pulsedocs.embedding import encodable
from pulsedocs.errors import ProviderMalformed, ProviderRefused
from pulsedocs.model.answers import ChatMessage, Completion, ReplySchema
from pulsedocs.model.deadline import Deadline
from pulsedocs.model.tokens import tokens_about


class _Part(BaseModel):
    text: str | None = None


def _in_one(content: object) -> object:
    """Return a text that came in parts as one; a thought is a part without a text of its own."""
    try:
        parts = _PARTS.validate_python(content)
    except ValidationError:
        return content
    return "".join(part.text or "" for part in parts)


_PARTS: Final = TypeAdapter(list[_Part])
_Content: TypeAlias = Annotated[str | None, BeforeValidator(_in_one)]


class _Message(BaseModel):
    content: _Content = None


class _Choice(BaseModel):
    message: _Message
    finish_reason: str | None = None


class _Usage(BaseModel):
    prompt_tokens: Annotated[int, Field(ge=0)] | None = None
    completion_tokens: Annotated[int, Field(ge=0)] | None = None


class _Delta(BaseModel):
    content: _Content = None


class _PieceChoice(BaseModel):
    delta: _Delta = _Delta()
    finish_reason: str | None = None


class _Piece(BaseModel):
    """One event of a streamed reply; the last may hold the counts and no choice."""

    choices: list[_PieceChoice]
    usage: _Usage | None = None


class _Reply(BaseModel):
    choices: Annotated[list[_Choice], Field(min_length=1)]
    usage: _Usage | None = None


class OpenAIChat(ProviderModel[OpenAICalls]):
    """Implements `ports.providers.ChatModel`. `name` is the provider's: `gpt-4o-mini`.

    OpenAI's models that think take no temperature but their own, and no `max_tokens` by that name;
    other servers know no other. What a model has refused it is not sent again.
    """

    _refused: frozenset[str] = frozenset()
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
        def ask(schema: ReplySchema | None) -> Completion:
            return self._complete(
                messages, temperature, max_tokens, deadline=deadline, reply_schema=schema
            )

        if reply_schema is None or not self._follows_schemas:
            return ask(None)
        try:
            return ask(reply_schema)
        except ProviderRefused as error:
            if not is_about_the_text(error):
                raise
        # Not every server and model can be held to a schema; the prompt asks for it in any case.
        completion = ask(None)
        self._follows_schemas = False
        return completion

    def _complete(
        self,
        messages: Sequence[ChatMessage],
        temperature: float,
        max_tokens: int,
        *,
        deadline: Deadline,
        reply_schema: ReplySchema | None,
    ) -> Completion:
        reply_format: ResponseFormatJSONSchema | None = None
        if reply_schema is not None:
            reply_format = {
                "type": "json_schema",
                "json_schema": {
                    "name": reply_schema.name,
                    "schema": dict(reply_schema.schema),
                    "strict": True,
                },
            }

        def start(client: OpenAI, timeout: float) -> AbstractContextManager[APIResponse[Any]]:
            return client.chat.completions.with_streaming_response.create(
                model=self._name,
                messages=[_as_parameter(message) for message in messages],
                response_format=reply_format or omit,
                timeout=timeout,
                temperature=omit if "temperature" in self._refused else temperature,
                max_completion_tokens=max_tokens if self._is_limit_renamed else omit,
                max_tokens=omit if self._is_limit_renamed else max_tokens,
            )

        while True:
            try:
                return self._read(self._calls.body(start, deadline=deadline), messages)
            except ProviderRefused as error:
                if not self._does_without(error):
                    raise

    def stream(
        self,
        messages: Sequence[ChatMessage],
        *,
        temperature: float,
        max_tokens: int,
        deadline: Deadline,
    ) -> Generator[str, None, Completion]:
        def start(client: OpenAI, timeout: float) -> AbstractContextManager[APIResponse[Any]]:
            return client.chat.completions.with_streaming_response.create(
                model=self._name,
                messages=[_as_parameter(message) for message in messages],
                stream=True,
                # Not every other server knows it; without it the counts are estimated.
                stream_options={"include_usage": True} if self._calls.is_openai else omit,
                timeout=timeout,
                temperature=omit if "temperature" in self._refused else temperature,
                max_completion_tokens=max_tokens if self._is_limit_renamed else omit,
                max_tokens=omit if self._is_limit_renamed else max_tokens,
            )

        while True:
            reply = _Arriving()
            try:
                with closing(self._calls.lines(start, deadline=deadline)) as lines:
                    for line in lines:
                        yield reply.take(line or "")
                        if reply.is_whole:
                            break
                return reply.completion(messages, model=self.model)
            except ProviderRefused as error:  # a status: no event has come
                if not self._does_without(error):
                    raise

    @property
    def _is_limit_renamed(self) -> bool:
        return self._calls.is_openai or "max_tokens" in self._refused

    def _does_without(self, error: ProviderRefused) -> bool:
        """Say whether a model refused a setting that it can be asked without, and remember it."""
        named = error.context.get("parameter")
        if not isinstance(named, str) or named in self._refused:
            return False
        self._refused |= {named}
        return True

    def _read(self, body: bytes, messages: Sequence[ChatMessage]) -> Completion:
        reply = parse(_Reply, body, otherwise="the provider's answer is not a completion")
        choice = reply.choices[0]
        text = choice.message.content or ""  # a refusal or a tool call has none, and is billed
        asked, written = _counted(reply.usage, text, messages)
        return Completion(
            text=text,
            input_tokens=asked,
            output_tokens=written,
            finish_reason=choice.finish_reason or "stop",
            model=self.model,
        )


class _Arriving:
    """A reply as server-sent events bring it: `data: {...}` for each piece, `[DONE]` at the end."""

    def __init__(self) -> None:
        self.is_whole = False
        self._texts: list[str] = []
        self._usage: _Usage | None = None
        self._finish_reason: str | None = None

    def take(self, line: str) -> str:
        """Return the text that a line adds: none for a comment, a name, or a pause."""
        name, _, value = line.partition(":")
        if line.startswith(("{", "[", "<")):  # JSON or a page, where events were promised
            raise ProviderMalformed("the provider's answer is not a stream of events")
        if name != "data":
            return ""
        if value.strip() == "[DONE]":
            self.is_whole = True
            return ""
        otherwise = "an event of the provider's is no piece of a reply"
        piece = parse(_Piece, value, otherwise=otherwise)
        self._usage = piece.usage or self._usage
        text = ""
        for choice in piece.choices[:1]:
            self._finish_reason = choice.finish_reason or self._finish_reason
            text = choice.delta.content or ""
        self._texts.append(text)
        return text

    def completion(self, messages: Sequence[ChatMessage], *, model: str) -> Completion:
        """Return the whole reply; raise where the stream ended before the reply did."""
        if not self.is_whole and self._finish_reason is None:
            if not self._texts:
                raise ProviderMalformed("the provider's answer has no events")
            raise connection_failure(is_timeout=False)
        text = "".join(self._texts)
        asked, written = _counted(self._usage, text, messages)
        return Completion(
            text=text,
            input_tokens=asked,
            output_tokens=written,
            finish_reason=self._finish_reason or "stop",
            model=model,
        )


def _as_parameter(message: ChatMessage) -> ChatCompletionMessageParam:
    return cast(
        "ChatCompletionMessageParam", {"role": message.role, "content": encodable(message.content)}
    )


def _counted(usage: _Usage | None, text: str, messages: Sequence[ChatMessage]) -> tuple[int, int]:
    """Return the tokens asked and written, estimated where a count is missing: no call is free."""
    said = usage or _Usage()
    asked, written = said.prompt_tokens, said.completion_tokens
    if asked is None:
        asked = sum(tokens_about(message.content) for message in messages)
    if written is None:
        written = tokens_about(text)
    return asked, written
