"""What the functions that answer questions share: what they are asked, and what they say."""

from collections.abc import Generator, Iterable, Mapping
from contextlib import closing
from dataclasses import replace
from typing import Annotated, Any, Final, Literal, Self
from uuid import UUID

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    RootModel,
    model_validator,
)
from pydantic.config import JsonDict

from pulsedocs.answering.references import Reference
from pulsedocs.edge.authorisation import Caller
from pulsedocs.edge.identifiers import note
from pulsedocs.edge.observability import record_answer
from pulsedocs.edge.requests import WHOLE, EmbeddingModel, Filters, Name, PolicyName, has, never
from pulsedocs.edge.tasks import to_json
from pulsedocs.model.answers import Abstained, ChatMessage, Note
from pulsedocs.model.retrieval import Scope
from pulsedocs.questions.answer_chat import ChatAnswer
from pulsedocs.questions.ask_question import Answer, AnswerSource
from pulsedocs.questions.question import Overrides, Question
from pulsedocs.questions.search_passages import (
    FoundChunk,
    FoundSource,
    Queries,
    RetrievalStats,
    SearchResult,
)

MOST_CHARACTERS: Final = 8000  # of a question and of a turn
MOST_MESSAGES: Final = 50  # of a history
_PREVIEW = 500  # characters of a passage where full ones are not wanted

Text = Annotated[str, Field(max_length=MOST_CHARACTERS, strict=True)]
Switch = Annotated[bool, Field(strict=True)] | None


class HistoryMessage(BaseModel):
    """One earlier turn of the conversation."""

    model_config = ConfigDict(extra="forbid")

    role: Literal["user", "assistant"]
    content: Text


_BOTH_COLLECTIONS = has("collection", "collections")


class CollectionsRequest(BaseModel):
    """Which collections something is of."""

    model_config = ConfigDict(extra="forbid", json_schema_extra=never(_BOTH_COLLECTIONS))

    collection: Name | None = None
    collections: Annotated[list[Name], Field(min_length=1, max_length=20)] | None = None

    @model_validator(mode="after")
    def _name_collections_once(self) -> Self:
        if self.collection is not None and self.collections is not None:
            raise ValueError("give `collection` or `collections`, not both")
        return self

    @property
    def named_collections(self) -> tuple[str, ...]:
        """Return those that are named, if any."""
        one = () if self.collection is None else (self.collection,)
        return tuple(self.collections or one)


class ScopedRequest(CollectionsRequest):
    """What a question may be about."""

    document_ids: Annotated[list[UUID], Field(min_length=1, max_length=1000)] | None = None
    filters: Filters = None

    def to_scope(self, tenant_id: UUID, *, collections: tuple[str, ...] = ()) -> Scope:
        """Return the scope; `collections` are those of a request that names none."""
        named = self.named_collections or collections
        return Scope(tenant_id, named, tuple(self.document_ids or ()), self.filters)


class OverridesRequest(BaseModel):
    """What a request changes of its policy; null leaves the policy's own."""

    model_config = ConfigDict(extra="forbid", use_attribute_docstrings=True)

    top_k: Annotated[int, Field(ge=1, le=100, strict=True), WHOLE] | None = None
    """How many passages are kept at most."""
    enable_reranking: Switch = None
    """Whether a reranker, where the stage has one, reads what the legs found."""
    enable_keyword_search: Switch = None
    """Whether words are searched (BM25) beside meaning."""
    enable_hyde: Switch = None
    """Whether a language model imagines an answer, which is searched too."""
    score_threshold: Annotated[float, Field(ge=0, le=1, strict=True)] | None = None
    """The least relevance of a passage that is kept, instead of the profile's gate."""
    deduplicate: Switch = None
    """Whether of passages that say the same one is kept."""

    def to_overrides(self) -> Overrides:
        return Overrides(**self.model_dump(include=set(Overrides.__dataclass_fields__)))


_BOTH_PASTS: JsonDict = {
    "allOf": [has("history", "conversation_id"), {"properties": {"history": {"minItems": 1}}}]
}


class QuestionRequest(OverridesRequest, ScopedRequest):
    """What searching and asking have in common."""

    model_config = ConfigDict(json_schema_extra=never(_BOTH_COLLECTIONS, _BOTH_PASTS))

    profile: PolicyName | None = None
    """The retrieval profile: one of the product's, or of the collection's own."""
    model: EmbeddingModel | None = None
    """The embedding model to search by, where the collection has vectors of several."""
    rewrite: Switch = None
    """Whether a follow-up is made to stand alone, and a question behind a long story judged so."""
    return_full_chunks: Annotated[bool, Field(strict=True)] = True
    """False cuts each passage at a word before 500 characters."""
    history: Annotated[list[HistoryMessage], Field(max_length=MOST_MESSAGES)] = Field(
        default_factory=list[HistoryMessage]
    )
    """The earlier turns, where the caller keeps them."""
    conversation_id: UUID | None = None
    """The conversation whose turns the stage keeps, instead of `history`."""
    debug: Annotated[bool, Field(strict=True)] = False
    """Also return every passage considered, with its numbers and why it was kept or dropped."""

    @model_validator(mode="after")
    def _have_one_past(self) -> Self:
        if self.history and self.conversation_id is not None:
            raise ValueError("give `history` or `conversation_id`, not both")
        return self

    def to_question(self, text: str, asker: Caller) -> Question:
        return Question(
            text=text,
            scope=self.to_scope(asker.tenant_id, collections=("default",)),
            subject=asker.subject or None,
            profile=self.profile,
            model=self.model,
            overrides=self.to_overrides(),
            history=tuple(ChatMessage(turn.role, turn.content) for turn in self.history),
            conversation_id=self.conversation_id,
        )


class SearchRequest(QuestionRequest):
    query: Text


class AskRequest(QuestionRequest):
    question: Text


class CoverageView(BaseModel):
    """What of a document an answer could not see.

    `unread_tokens` is always 0: a text longer than a model reads at once is read in windows.
    """

    document_id: UUID
    pages_unreadable: int
    pages_total: int
    chunks_without_vectors: int = 0
    unread_tokens: int = 0


class SearchView(BaseModel):
    success: Literal[True] = True
    query_original: str
    queries_generated: Queries
    abstained: Abstained | None
    chunks: list[FoundChunk]
    retrieval_stats: RetrievalStats
    sources: list[FoundSource]
    coverage: list[CoverageView]
    degraded: list[str]
    trace_id: str
    candidates: list[dict[str, Any]] | None = None


class CitationView(BaseModel):
    """The words of a claim, as they stand on a page of one version.

    `markers` says which markers of the answer they bear out: 0 is the first `[n]` of its text.
    `ocr` says that they were recognised on a picture, `confidence`, 0 to 1, how surely its page
    was, and `doubtful_words` which of them may be misread. Answers that release 0.1.0 kept have
    neither `markers` nor a `version`.
    """

    n: int
    markers: list[int] = []
    document_id: UUID
    version: int | None = None
    source: str
    title: str | None
    page: int
    page_label: str | None
    quote: str
    start: int
    end: int
    status: Literal["found"]
    ocr: bool = False
    confidence: float | None = None
    doubtful_words: list[str] = []


class UsageView(BaseModel):
    """What language models took. `cost_usd` is None for a model whose price is not known here."""

    input_tokens: int
    output_tokens: int
    cost_usd: float | None


class AnswerView(BaseModel):
    answer: str
    abstained: Abstained | None
    note: Note | None
    citations: list[CitationView]
    sources: list[AnswerSource]
    rewritten_question: str | None
    coverage: list[CoverageView]
    usage: UsageView
    model: str
    degraded: list[str]
    trace_id: str
    candidates: list[dict[str, Any]] | None = None


class PlacedView(BaseModel):
    rank: int
    chunk_id: UUID
    document_id: UUID
    pages: list[int]
    score: float
    source: str
    content: str


class MovedView(BaseModel):
    """`change` above 0 is up; `after` is None for a passage that was not reranked."""

    chunk_id: UUID
    before: int
    after: int | None
    change: int | None


class ChatView(AnswerView):
    """`answer` ends with the references; the last three are there with `debug` only."""

    references: list[Reference]
    retrieved: list[PlacedView] | None = None
    reranked: list[PlacedView] | None = None
    moved: list[MovedView] | None = None


class TextLine(BaseModel):
    """Whole sentences; joined, the texts are the answer."""

    type: Literal["text"] = "text"
    text: str


class SourcesLine(BaseModel):
    type: Literal["sources"] = "sources"
    sources: list[AnswerSource]
    citations: list[CitationView]
    coverage: list[CoverageView]


class DoneLine(BaseModel):
    """The last line of an answer."""

    type: Literal["done"] = "done"
    trace_id: str
    abstained: Abstained | None
    note: Note | None = None
    rewritten_question: str | None
    usage: UsageView
    model: str
    degraded: list[str]
    candidates: list[dict[str, Any]] | None = None


class ErrorLine(BaseModel):
    """The last line of an answer that failed midway: a problem document beside its type."""

    model_config = ConfigDict(extra="allow")

    type: Literal["error"] = "error"
    problem: str
    title: str
    status: int
    code: str
    detail: str
    guidance: str
    request_id: str


class AnswerLine(RootModel[TextLine | SourcesLine | DoneLine | ErrorLine]):
    """One line of a streamed answer."""


def search_view(found: SearchResult, request: SearchRequest) -> SearchView:
    note(trace_id=found.trace_id)
    fields = to_json(found if request.debug else replace(found, candidates=()))
    if not request.return_full_chunks:
        _cut(fields["chunks"])
    return SearchView.model_validate(
        fields | {"candidates": fields["candidates"] if request.debug else None}
    )


def answer_view(answer: Answer, request: AskRequest) -> AnswerView:
    """Return what is said of an answer; it is counted, and its trace named in the log."""
    refused_for = None if answer.abstained is None else answer.abstained.reason.value
    record_answer(answer.trace_id, refused_for=refused_for, degraded=answer.degraded)
    # 80 candidates as JSON take 7 ms, and are shown only where they were asked for.
    candidates = answer.candidates if request.debug else ()
    fields = to_json(replace(answer, candidates=candidates, passages=()))
    return AnswerView.model_validate(
        fields
        | {
            "answer": answer.text if answer.abstained is None else answer.abstained.message,
            "usage": {
                "input_tokens": answer.input_tokens,
                "output_tokens": answer.output_tokens,
                "cost_usd": answer.cost_usd,
            },
            "candidates": fields["candidates"] if request.debug else None,
        }
    )


def chat_view(chat: ChatAnswer, request: AskRequest) -> ChatView:
    effect: dict[str, Any] = to_json(chat.effect) if request.debug else {}
    if effect and not request.return_full_chunks:
        _cut([*effect["retrieved"], *effect["reranked"]])
    return ChatView.model_validate(
        answer_view(chat.answer, request).model_dump()
        | {"references": to_json(chat.references)}
        | effect
    )


def _cut(passages: Iterable[dict[str, Any]]) -> None:
    """Cut each text at a word; one without spaces is cut where it must be."""
    for passage in passages:
        text = passage["content"].strip()
        is_short = len(text) <= _PREVIEW
        passage["content"] = text if is_short else text[:_PREVIEW].rsplit(maxsplit=1)[0]


def answer_lines(
    sentences: Generator[str, None, Answer], request: AskRequest
) -> Generator[Mapping[str, Any] | None, None, None]:
    """Yield the lines of an answer while it is written; None where there is nothing to say yet."""
    with closing(sentences):
        while True:
            try:
                text = next(sentences)
            except StopIteration as end:
                answer = answer_view(end.value, request)
                fields = answer.model_dump(mode="json")
                if answer.abstained is not None:
                    yield {"type": "text", "text": answer.answer}
                yield SourcesLine.model_validate(fields).model_dump(mode="json")
                yield DoneLine.model_validate(fields).model_dump(mode="json", exclude_none=False)
                return
            yield {"type": "text", "text": text} if text else None
