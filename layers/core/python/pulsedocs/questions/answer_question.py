"""What asking, streaming and chatting share: a question answered, or why it is not."""

from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

from pulsedocs.answering.passages import Block, PageText
from pulsedocs.answering.prompt import reserved_tokens
from pulsedocs.errors import PulseDocsError
from pulsedocs.model.answers import Abstained, Citation, Note
from pulsedocs.model.conversations import MOST_CHARACTERS, CitedPlace, NewTurn
from pulsedocs.model.retrieval import Abstention, Candidate, Coverage
from pulsedocs.questions.generate_answer import AnswerDraft
from pulsedocs.questions.ports import RetrievalStore
from pulsedocs.questions.query_engine import QueryEngine
from pulsedocs.questions.question import Question, Retrieved
from pulsedocs.questions.recording import keep_trace, settle
from pulsedocs.questions.retrieving import retrieve
from pulsedocs.questions.write_answer import NOTHING_WRITTEN, Writer
from pulsedocs.retrieval.evidence import seal
from pulsedocs.retrieval.naming import names_in_full


@dataclass(frozen=True, slots=True)
class AnswerSource:
    title: str | None
    source: str
    document_id: UUID
    relevance: float | None


@dataclass(frozen=True, slots=True)
class Answer:
    """`text` is empty where the answer abstains. `candidates` are the trace's, of `passages`.

    `note` says what quoted words, or a model's that ended at their limit, leave to their reader.
    """

    text: str
    abstained: Abstained | None
    note: Note | None
    citations: tuple[Citation, ...]
    sources: tuple[AnswerSource, ...]
    coverage: tuple[Coverage, ...]
    model: str
    input_tokens: int
    output_tokens: int
    cost_usd: float | None
    rewritten_question: str | None
    degraded: tuple[str, ...]
    trace_id: str
    candidates: Sequence[Mapping[str, Any]]
    passages: Sequence[Candidate]


@dataclass(frozen=True, slots=True, kw_only=True)
class Answering:
    """Answers questions of one kind. `method` is its name in traces and in the usage.

    `ending` is what a whole answer ends with behind its words; a conversation keeps the words.
    """

    method: str
    streams: bool
    engine: QueryEngine
    ending: Callable[[Sequence[Citation]], str] = lambda _citations: ""

    def whole(self, question: Question) -> Answer:
        """Return the answer once all of it is there."""
        sentences = self.sentences(question)
        while True:
            try:
                next(sentences)
            except StopIteration as end:
                return end.value

    def sentences(self, question: Question) -> Generator[str, None, Answer]:
        """Answer from the selected passages, or abstain: yield each part, return the whole.

        Nothing is generated unless something was selected; nothing generated is shown unless its
        words stand on a page that is there now. Joined, the parts are the answer's text.
        """
        retrieved = retrieve(
            question,
            method=self.method,
            engine=self.engine,
            reserved_tokens=lambda asked: reserved_tokens(asked.text, asked.history),
            is_answered=True,
        )
        abstained, draft = retrieved.abstained(self.engine.texts), NOTHING_WRITTEN
        if abstained is None:
            writer = Writer(retrieved, engine=self.engine, streams=self.streams)
            try:
                blocks = _read_blocks(retrieved, store=self.engine.store)
                draft = yield from writer.sentences(blocks)
            except PulseDocsError as error:
                retrieved.journal.failures["generation"] = error
                self._record(retrieved, writer.broken_off(error.code), None)
                raise
            except GeneratorExit:  # nobody reads any more; what was written is paid for
                self._record(retrieved, writer.broken_off("left"), None)
                raise
            if not draft.text:
                reason = Abstention.NO_ANSWER_IN_CONTEXT
                refused = retrieved.refused(reason, draft.detail, self.engine.texts)
                abstained = replace(refused, nearest=draft.nearest)
        candidates = self._record(retrieved, draft, abstained)
        text = self._text_of(draft)
        return _answer(retrieved, draft, abstained, text=text, candidates=candidates)

    def _text_of(self, draft: AnswerDraft) -> str:
        return draft.text + self.ending(draft.citations)

    def _record(
        self, retrieved: Retrieved, draft: AnswerDraft, abstained: Abstained | None
    ) -> Sequence[Mapping[str, Any]]:
        """Keep the trace and settle; return the trace's candidates."""
        shown = self._text_of(draft) if abstained is None else abstained.message
        summary = {  # where the answer's proof stands, not what it says: traces keep no words
            "text_hmac": seal(self.engine.tenant_key, "answer", shown),
            "model": draft.model,
            "abstained": None if abstained is None else abstained.reason.value,
            "detail": None if abstained is None else abstained.detail,
            "citations": [
                {
                    "n": citation.n,
                    "document_id": str(citation.document_id),
                    "page": citation.page,
                    "start": citation.start,
                    "end": citation.end,
                    "status": citation.status.value,
                }
                for citation in draft.citations
            ],
            "checks": dict(draft.checks),
        }
        trace = keep_trace(retrieved, summary, method=self.method, engine=self.engine)
        turn = _turn(retrieved, draft, abstained)
        settle(retrieved, method=self.method, engine=self.engine, model=draft.model, turn=turn)
        return trace["candidates"]


def _turn(retrieved: Retrieved, draft: AnswerDraft, abstained: Abstained | None) -> NewTurn | None:
    """Return what a conversation keeps of the answer, if it belongs to one."""
    question = retrieved.question
    shown = draft.text if abstained is None else abstained.message
    if question.conversation_id is None or not shown:  # nothing was said: the reader had left
        return None
    # The turn must not outlive the documents that it was answered from.
    used = dict.fromkeys(candidate.document_id for _, candidate in retrieved.selected)
    return NewTurn(
        conversation_id=question.conversation_id,
        question=question.text[:MOST_CHARACTERS],
        answer=shown[:MOST_CHARACTERS],
        document_ids=tuple(used),
        subject=question.subject or "",
        citations=tuple(
            CitedPlace(
                n=citation.n,
                document_id=citation.document_id,
                version=citation.version,
                page=citation.page,
                start=citation.start,
                end=citation.end,
                ocr=citation.ocr,
                markers=citation.markers,
            )
            for citation in draft.citations
            if abstained is None
        ),
        refused_for=None if abstained is None else abstained.reason.value,
    )


def _read_blocks(retrieved: Retrieved, *, store: RetrievalStore) -> list[Block]:
    """Return the selected passages, numbered, with their pages; without those that are gone."""
    selected = retrieved.selected
    wanted = dict.fromkeys(
        (candidate.document_id, candidate.version, page)
        for _, candidate in selected
        for page in sorted(candidate.pages)
    )
    with retrieved.journal.timed("pages"):
        texts = store.page_texts(retrieved.question.scope.tenant_id, list(wanted))
    in_full = names_in_full(retrieved.inputs.standalone, retrieved.found.candidates)
    blocks = [
        Block(
            n=n,
            document_id=candidate.document_id,
            source=candidate.source,
            title=candidate.title,
            text=candidate.text,
            pages=tuple(
                PageText(page, *texts[key])
                for page in sorted(candidate.pages)
                if (key := (candidate.document_id, candidate.version, page)) in texts
            ),
            section=candidate.section,
            in_full=in_full.get(candidate.document_id, ""),
            dated_at=decision.passage.dated_at if retrieved.profile.tie_band else None,
            version=candidate.version,
        )
        for n, (decision, candidate) in enumerate(selected, start=1)
    ]
    return [block for block in blocks if block.pages]


def _answer(
    retrieved: Retrieved,
    draft: AnswerDraft,
    abstained: Abstained | None,
    *,
    text: str,
    candidates: Sequence[Mapping[str, Any]],
) -> Answer:
    cited = {citation.document_id for citation in draft.citations}
    sources: dict[UUID, AnswerSource] = {}  # each with the relevance of its best passage
    for decision, candidate in retrieved.selected:
        document, relevance = candidate.document_id, decision.passage.relevance
        if document in cited:
            own = AnswerSource(candidate.title, candidate.source, document, relevance)
            known = sources.setdefault(document, own)
            if (relevance or 0.0) > (known.relevance or 0.0):
                sources[document] = own
    return Answer(
        text=text,
        abstained=abstained,
        note=draft.note,
        citations=draft.citations,
        sources=tuple(sources.values()),
        # What could not be read: of the answer's documents, of all where there is no answer. What
        # could not be searched is named in any case: the answer may be there.
        coverage=tuple(
            item
            for item in (retrieved.prepared.coverage if retrieved.prepared else ())
            if item.is_partial
            and (not sources or item.document_id in sources or item.chunks_without_vectors)
        ),
        model=draft.model,
        input_tokens=retrieved.journal.spent.input_tokens,
        output_tokens=retrieved.journal.spent.output_tokens,
        cost_usd=retrieved.journal.spent.cost_usd,
        rewritten_question=retrieved.inputs.rewritten,
        degraded=tuple(retrieved.journal.degraded),
        trace_id=retrieved.trace_id,
        candidates=candidates,
        passages=retrieved.found.candidates,
    )
