"""Questions of programs written for OpenAI's chat completions, and their answers in that form."""

import time
from collections.abc import Callable, Generator
from contextlib import closing
from typing import Annotated, Any, Literal, Self
from uuid import uuid4

from pydantic import BaseModel, ConfigDict, Field, model_validator
from pydantic.config import JsonDict

from pulsedocs.answering.neutral import AS_MARKER
from pulsedocs.documents.idempotent_request import Line, Lines
from pulsedocs.documents.profiles import COLLECTIONS_OWN
from pulsedocs.edge.questions import (
    MOST_CHARACTERS,
    MOST_MESSAGES,
    AnswerView,
    AskRequest,
    CitationView,
    CoverageView,
    HistoryMessage,
    ScopedRequest,
    UsageView,
    answer_view,
)
from pulsedocs.edge.requests import PolicyName
from pulsedocs.model.answers import Abstained, Note
from pulsedocs.questions.ask_question import Answer, AnswerSource

FinishReason = Literal["stop", "length"]
WithoutEffect = Annotated[Any, Field(description="Accepted, without effect.")]
NoneOfThem = Annotated[list[Any], Field(max_length=0)] | None


class TextPart(BaseModel):
    model_config = ConfigDict(extra="forbid")

    type: Literal["text"]
    text: str


class CompletionMessage(BaseModel):
    """One message; what an answer had beside its text may come back with it."""

    model_config = ConfigDict(extra="forbid")

    role: Literal["system", "developer", "user", "assistant"]
    content: str | list[TextPart] | None = None
    name: str | None = None
    refusal: str | None = None
    annotations: list[dict[str, Any]] | None = None
    tool_calls: NoneOfThem = None
    function_call: None = None
    audio: None = None
    reasoning: WithoutEffect = None
    reasoning_content: WithoutEffect = None

    @property
    def text(self) -> str:
        if isinstance(self.content, list):
            return "\n".join(part.text for part in self.content)
        return self.content or ""


class StreamOptions(BaseModel):
    model_config = ConfigDict(extra="forbid")

    include_usage: bool | None = None
    include_obfuscation: WithoutEffect = None


class TextFormat(BaseModel):
    model_config = ConfigDict(extra="forbid")

    type: Literal["text"]


_OF_THE_USER: JsonDict = {"properties": {"role": {"const": "user"}}}


class ChatCompletionRequest(ScopedRequest):
    """OpenAI's fields, and the scope of `/ask`.

    The last message of the user is the question, the 50 before it are the history; earlier ones are
    left out. `model` is a retrieval profile, or `pulsedocs` for the collection's own.
    """

    model: PolicyName
    messages: Annotated[
        list[CompletionMessage],
        Field(min_length=1, max_length=2000, json_schema_extra={"contains": _OF_THE_USER}),
    ]
    stream: Annotated[bool, Field(strict=True)] | None = None
    stream_options: StreamOptions | None = None
    # What would change the answer's form is refused; what would only tune a model is not, since
    # chat interfaces send it unasked.
    n: Literal[1] | None = None
    tools: NoneOfThem = None
    functions: NoneOfThem = None
    tool_choice: Literal["none", "auto"] | None = None
    response_format: TextFormat | None = None
    modalities: list[Literal["text"]] | None = None
    logprobs: Literal[False] | None = None
    stop: NoneOfThem = None
    temperature: WithoutEffect = None
    top_p: WithoutEffect = None
    max_tokens: WithoutEffect = None
    max_completion_tokens: WithoutEffect = None
    presence_penalty: WithoutEffect = None
    frequency_penalty: WithoutEffect = None
    logit_bias: WithoutEffect = None
    seed: WithoutEffect = None
    reasoning_effort: WithoutEffect = None
    verbosity: WithoutEffect = None
    parallel_tool_calls: WithoutEffect = None
    service_tier: WithoutEffect = None
    store: WithoutEffect = None
    metadata: WithoutEffect = None
    user: WithoutEffect = None
    safety_identifier: WithoutEffect = None
    prompt_cache_key: WithoutEffect = None
    prompt_cache_retention: WithoutEffect = None
    prediction: WithoutEffect = None
    # Not OpenAI's: those of Ollama, vLLM, llama.cpp and OpenRouter.
    top_k: WithoutEffect = None
    top_a: WithoutEffect = None
    min_p: WithoutEffect = None
    typical_p: WithoutEffect = None
    repetition_penalty: WithoutEffect = None
    repeat_penalty: WithoutEffect = None
    repeat_last_n: WithoutEffect = None
    mirostat: WithoutEffect = None
    mirostat_eta: WithoutEffect = None
    mirostat_tau: WithoutEffect = None
    tfs_z: WithoutEffect = None
    num_ctx: WithoutEffect = None
    num_predict: WithoutEffect = None
    keep_alive: WithoutEffect = None
    think: WithoutEffect = None
    thinking: WithoutEffect = None
    reasoning: WithoutEffect = None
    include_reasoning: WithoutEffect = None
    enable_thinking: WithoutEffect = None
    chat_template_kwargs: WithoutEffect = None
    cache_prompt: WithoutEffect = None

    @model_validator(mode="after")
    def _ask_something(self) -> Self:
        said = [message for message in self.messages if message.role == "user"]
        if not said:
            raise ValueError("none of the messages is the user's, so nothing is asked")
        if len(said[-1].text) > MOST_CHARACTERS:
            raise ValueError(f"the question is longer than {MOST_CHARACTERS:,} characters")
        return self

    def to_ask(self) -> AskRequest:
        """Return the same question to `/ask`.

        An interface sends a conversation whole, however long: its latest turns are taken. A system
        message is no turn; what an answer may say is settled by the documents.
        """
        last = max(at for at, message in enumerate(self.messages) if message.role == "user")
        history = [
            HistoryMessage.model_validate(
                {"role": message.role, "content": message.text[:MOST_CHARACTERS]}
            )
            for message in self.messages[:last]
            if message.role in {"user", "assistant"}
        ]
        return AskRequest(
            question=self.messages[last].text,
            collection=self.collection,
            collections=self.collections,
            document_ids=self.document_ids,
            filters=self.filters,
            profile=None if self.model == COLLECTIONS_OWN else self.model,
            history=history[-MOST_MESSAGES:],
        )


class UrlCitationView(BaseModel):
    """`content[start_index:end_index]` is the marker; `url` is a path of this stage."""

    start_index: int
    end_index: int
    title: str
    url: str


class AnnotationView(BaseModel):
    """A citation as OpenAI's clients read it, and as `/ask` gives it."""

    type: Literal["url_citation"] = "url_citation"
    url_citation: UrlCitationView
    citation: CitationView


class CompletedMessageView(BaseModel):
    """`content` says why where there is no answer; `refusal` is a model's, so never here."""

    role: Literal["assistant"] = "assistant"
    content: str
    refusal: None = None
    annotations: list[AnnotationView]


class CompletedChoiceView(BaseModel):
    index: Literal[0] = 0
    message: CompletedMessageView
    finish_reason: FinishReason
    logprobs: None = None


class CompletionUsageView(BaseModel):
    prompt_tokens: int
    completion_tokens: int
    total_tokens: int


class AboutAnswerView(BaseModel):
    """What `/ask` says of an answer beside its text and citations."""

    trace_id: str
    abstained: Abstained | None
    note: Note | None
    sources: list[AnswerSource]
    rewritten_question: str | None
    coverage: list[CoverageView]
    usage: UsageView
    model: str
    degraded: list[str]


class ChatCompletionView(BaseModel):
    id: str
    object: Literal["chat.completion"] = "chat.completion"
    created: int
    model: str
    choices: list[CompletedChoiceView]
    usage: CompletionUsageView
    pulsedocs: AboutAnswerView


class DeltaView(BaseModel):
    role: Literal["assistant"] | None = None
    content: str | None = None
    annotations: list[AnnotationView] | None = None


class DeltaChoiceView(BaseModel):
    index: Literal[0] = 0
    delta: DeltaView
    finish_reason: FinishReason | None


class ChatCompletionChunk(BaseModel):
    """The data of one event; `usage` is in one of its own where it is asked for."""

    id: str
    object: Literal["chat.completion.chunk"] = "chat.completion.chunk"
    created: int
    model: str
    choices: list[DeltaChoiceView]
    usage: CompletionUsageView | None = None
    pulsedocs: AboutAnswerView | None = None


def completion_line(ask: Callable[[], Answer], request: ChatCompletionRequest) -> Lines:
    """Yield the whole answer as one line; nothing is asked before."""
    answer = answer_view(ask(), request.to_ask())
    message = CompletedMessageView(content=answer.answer, annotations=_annotations(answer))
    completion = ChatCompletionView(
        id=_new_id(),
        created=int(time.time()),
        model=request.model,
        choices=[CompletedChoiceView(message=message, finish_reason=_finish_reason(answer))],
        usage=_usage(answer),
        pulsedocs=_about(answer),
    )
    yield completion.model_dump(mode="json")


def completion_chunks(
    sentences: Generator[str, None, Answer], request: ChatCompletionRequest
) -> Lines:
    """Yield the chunks of an answer while it is written; None where there is nothing to say yet."""
    head: Line = {
        "id": _new_id(),
        "object": "chat.completion.chunk",
        "created": int(time.time()),
        "model": request.model,
    }

    def chunk(finish_reason: FinishReason | None = None, **delta: object) -> dict[str, Any]:
        return {
            **head,
            "choices": [{"index": 0, "delta": delta, "finish_reason": finish_reason}],
        }

    has_begun = False
    with closing(sentences):
        while True:
            try:
                text = next(sentences)
            except StopIteration as end:
                answer = answer_view(end.value, request.to_ask())
                break
            if not text:
                yield None
                continue
            # The role leaves with the first sentence: an error before it has a status of its own.
            yield chunk(content=text) if has_begun else chunk(role="assistant", content=text)
            has_begun = True
    if not has_begun:
        yield chunk(role="assistant", content=answer.answer)
    if annotations := _annotations(answer):
        yield chunk(annotations=[each.model_dump(mode="json") for each in annotations])
    yield {**chunk(_finish_reason(answer)), "pulsedocs": _about(answer).model_dump(mode="json")}
    if request.stream_options is not None and request.stream_options.include_usage:
        yield {**head, "choices": [], "usage": _usage(answer).model_dump()}


def _finish_reason(answer: AnswerView) -> FinishReason:
    return "length" if answer.note is not None and answer.note.kind == "cut" else "stop"


def _annotations(answer: AnswerView) -> list[AnnotationView]:
    """Return what bears out each marker, in the order of the text."""
    return [
        _annotation(citation, *marker.span())
        for at, marker in enumerate(AS_MARKER.finditer(answer.answer))
        for citation in answer.citations
        if at in citation.markers
    ]


def _annotation(citation: CitationView, start: int, end: int) -> AnnotationView:
    cited = UrlCitationView(
        start_index=start,
        end_index=end,
        title=f"{citation.title or citation.source}, p. {citation.page_label or citation.page}",
        url=f"/documents/{citation.document_id}/pages/{citation.page}?version={citation.version}",
    )
    return AnnotationView(url_citation=cited, citation=citation)


def _usage(answer: AnswerView) -> CompletionUsageView:
    used = answer.usage
    return CompletionUsageView(
        prompt_tokens=used.input_tokens,
        completion_tokens=used.output_tokens,
        total_tokens=used.input_tokens + used.output_tokens,
    )


def _about(answer: AnswerView) -> AboutAnswerView:
    return AboutAnswerView.model_validate(answer.model_dump())


def _new_id() -> str:
    return f"chatcmpl-{uuid4().hex}"
