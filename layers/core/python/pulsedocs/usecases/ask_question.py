"""An answer to a question, every sentence of it tied to words on a page, or why there is none."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

from pulsedocs.answering.claims import claims_of
from pulsedocs.answering.extractive import Extract, Scorer, by_shared_words, extract, missing_years
from pulsedocs.answering.passages import Block, PageText
from pulsedocs.answering.prompt import messages, reserved_tokens
from pulsedocs.answering.verification import verify
from pulsedocs.embedding.calibration import relevance_map
from pulsedocs.errors import GenerationError, ProviderMalformed, RerankingError
from pulsedocs.model.answers import Abstained, Citation, Completion
from pulsedocs.model.deadline import Deadline
from pulsedocs.model.retrieval import Abstention, Candidate, Coverage, GateScale, Profile
from pulsedocs.ports import ChatModel, ObjectStore, Reranker, RetrievalStore
from pulsedocs.retrieval.selection import Decision
from pulsedocs.usecases.question import (
    Providers,
    Question,
    Retrieved,
    Texts,
    abstention,
    keep_trace,
    retrieve,
    settle,
)

_METHOD = "ask"
_EXTRACTIVE = "extractive"
_GENERATE_SECONDS = 18.0
_RESERVE_SECONDS = 3.0  # kept for the way around a generator that hangs, the checks and the trace
_SENTENCE_SECONDS = 5.0
_SENTENCE_GATE = 0.30  # relevance, where the profile has no threshold on that scale


@dataclass(frozen=True, slots=True)
class AnswerSource:
    title: str | None
    source: str
    document_id: UUID
    relevance: float | None


@dataclass(frozen=True, slots=True)
class Answer:
    """`text` is empty where the answer abstains. `candidates` are the trace's."""

    text: str
    abstained: Abstained | None
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


@dataclass(frozen=True, slots=True)
class _Draft:
    """An answer before it is recorded; `checks` are counts and scores for the trace."""

    text: str
    citations: tuple[Citation, ...]
    detail: str
    model: str
    checks: Mapping[str, Any]


_NOTHING_WRITTEN = _Draft("", (), "", _EXTRACTIVE, {})


def ask_question(
    question: Question,
    *,
    store: RetrievalStore,
    providers: Providers,
    objects: ObjectStore,
    tenant_key: bytes,
    texts: Texts,
    deadline: Deadline,
) -> Answer:
    """Answer from the selected passages, or abstain.

    Nothing is generated unless something was selected; nothing generated is shown unless its words
    stand on a page that is there now.
    """
    retrieved = retrieve(
        question,
        method=_METHOD,
        store=store,
        providers=providers,
        tenant_key=tenant_key,
        reserved_tokens=lambda asked: reserved_tokens(asked.text, asked.history),
        deadline=deadline,
    )
    abstained, draft = retrieved.abstained(texts), _NOTHING_WRITTEN
    if abstained is None:
        writer = _Writer(retrieved, providers=providers, deadline=deadline)
        draft = writer.draft(_blocks(retrieved, store=store))
        if not draft.text:
            abstained = abstention(Abstention.NO_ANSWER_IN_CONTEXT, draft.detail, texts)
    summary = _summary(draft, abstained)
    trace = keep_trace(retrieved, summary, method=_METHOD, objects=objects, tenant_key=tenant_key)
    shown = draft.text if abstained is None else abstained.message
    settle(retrieved, method=_METHOD, store=store, model=draft.model, answer=shown)
    return _answer(retrieved, draft, abstained, candidates=trace["candidates"])


def _blocks(retrieved: Retrieved, *, store: RetrievalStore) -> list[Block]:
    """Return the selected passages, numbered, with their pages; without those that are gone."""
    selected = retrieved.selected
    wanted = dict.fromkeys(
        (candidate.document_id, candidate.version, page)
        for _, candidate in selected
        for page in candidate.pages
    )
    with retrieved.journal.timed("pages"):
        texts = store.page_texts(retrieved.question.scope.tenant_id, list(wanted))
    blocks = [
        Block(
            n=n,
            document_id=candidate.document_id,
            source=candidate.source,
            title=candidate.title,
            text=candidate.text,
            pages=tuple(
                PageText(page, *texts[key])
                for page in candidate.pages
                if (key := (candidate.document_id, candidate.version, page)) in texts
            ),
        )
        for n, (_, candidate) in enumerate(selected, start=1)
    ]
    return [block for block in blocks if block.pages]


class _Writer:
    """Writes from numbered passages: with the chat model, else with the documents' sentences."""

    def __init__(self, retrieved: Retrieved, *, providers: Providers, deadline: Deadline) -> None:
        self._retrieved = retrieved
        self._question = retrieved.question
        self._journal = retrieved.journal
        self._providers = providers
        self._deadline = deadline

    def draft(self, blocks: Sequence[Block]) -> _Draft:
        if not blocks:
            return replace(_NOTHING_WRITTEN, detail="the selected passages are no longer there")
        chat = self._providers.chat()
        if chat is not None:
            completion = self._journal.attempt("generation", lambda: self._complete(chat, blocks))
            if completion is not None:
                return self._checked(completion, blocks)
        return self._extracted(blocks)

    def _complete(self, chat: ChatModel, blocks: Sequence[Block]) -> Completion:
        left = self._deadline.remaining() - _RESERVE_SECONDS
        completion = chat.complete(
            messages(self._question.text, blocks, history=self._question.history),
            temperature=self._providers.temperature,
            max_tokens=self._providers.max_tokens,
            deadline=Deadline.after(max(0.0, min(left, _GENERATE_SECONDS))),
        )
        self._journal.spent.add(completion)
        if completion.finish_reason == "content_filter":
            raise GenerationError("the provider withheld the answer")
        if not completion.text.strip():
            raise ProviderMalformed("the provider's answer is empty")
        return completion

    def _checked(self, completion: Completion, blocks: Sequence[Block]) -> _Draft:
        texts = [page.text for block in blocks for page in block.pages]
        claims = claims_of(
            completion.text, is_known_address=lambda address: any(address in t for t in texts)
        )
        with self._journal.timed("verify"):
            verified = verify(claims, blocks)
        counts = {status.value: count for status, count in verified.counts.items()}
        return _Draft(
            text=verified.text,
            citations=verified.citations,
            detail=f"none of {len(claims)} sentences could be shown on the cited pages",
            model=completion.model,
            checks={"claims": counts, "finish_reason": completion.finish_reason},
        )

    def _extracted(self, blocks: Sequence[Block]) -> _Draft:
        absent = missing_years(self._retrieved.inputs.standalone, blocks)
        if absent:
            detail = f"{len(absent)} of the question's years is in no selected passage"
            return replace(_NOTHING_WRITTEN, detail=detail)
        found, gate = self._extract(blocks)
        return _Draft(
            text=found.text,
            citations=found.citations,
            detail=f"best sentence {found.best:.2f} < {gate:.2f}",
            model=_EXTRACTIVE,
            checks={"best_sentence": found.best, "sentence_gate": gate},
        )

    def _extract(self, blocks: Sequence[Block]) -> tuple[Extract, float]:
        reranker = self._sentence_reranker()
        if reranker is not None:
            gate = _sentence_gate(self._retrieved.profile)
            scorer = self._by_reranker(reranker)
            read = self._journal.attempt(
                "sentences", lambda: self._best_sentences(blocks, scorer=scorer, gate=gate)
            )
            if read is not None:
                return read, gate
        with self._journal.timed("sentences"):
            return (
                self._best_sentences(blocks, scorer=by_shared_words, gate=_SENTENCE_GATE),
                _SENTENCE_GATE,
            )

    def _best_sentences(self, blocks: Sequence[Block], *, scorer: Scorer, gate: float) -> Extract:
        selected = enumerate(self._retrieved.selected, start=1)
        relevance = {n: decision.passage.relevance for n, (decision, _) in selected}
        asked = self._retrieved.inputs.standalone
        return extract(asked, blocks, scorer=scorer, relevance=relevance, gate=gate)

    def _sentence_reranker(self) -> Reranker | None:
        """Return the reranker where the policy uses one and it has not failed already."""
        allowed = self._retrieved.profile.name != "strict"
        works = "reranking" not in self._journal.failures
        return self._providers.reranker() if allowed and works else None

    def _by_reranker(self, reranker: Reranker) -> Scorer:
        relevance_of = relevance_map(reranker.model)

        def scorer(question: str, sentences: Sequence[str]) -> list[float]:
            limit = Deadline.after(self._deadline.timeout(_SENTENCE_SECONDS))
            scores = reranker.rerank(question, sentences, deadline=limit)
            if len(scores) != len(sentences) or not all(map(math.isfinite, scores)):
                raise RerankingError("the reranker's scores do not fit the sentences")
            return [relevance_of(score) for score in scores]

        return scorer


def _sentence_gate(profile: Profile) -> float:
    return profile.gate if profile.gate_scale is GateScale.RELEVANCE else _SENTENCE_GATE


def _summary(draft: _Draft, abstained: Abstained | None) -> dict[str, Any]:
    """Return the answer for the trace: where its proof stands, not what it says."""
    return {
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


def _answer(
    retrieved: Retrieved,
    draft: _Draft,
    abstained: Abstained | None,
    *,
    candidates: Sequence[Mapping[str, Any]],
) -> Answer:
    cited = {citation.document_id for citation in draft.citations}
    sources = _sources([pair for pair in retrieved.selected if pair[1].document_id in cited])
    return Answer(
        text=draft.text,
        abstained=abstained,
        citations=draft.citations,
        sources=sources,
        coverage=_coverage(retrieved, sources),
        model=draft.model,
        input_tokens=retrieved.journal.spent.input_tokens,
        output_tokens=retrieved.journal.spent.output_tokens,
        cost_usd=retrieved.journal.spent.cost_usd,
        rewritten_question=retrieved.inputs.rewritten,
        degraded=tuple(retrieved.journal.degraded),
        trace_id=retrieved.trace_id,
        candidates=candidates,
    )


def _sources(selected: Sequence[tuple[Decision, Candidate]]) -> tuple[AnswerSource, ...]:
    """Return the documents cited, each with its best passage's relevance."""
    best: dict[UUID, AnswerSource] = {}
    for decision, candidate in selected:
        relevance = decision.passage.relevance
        document = candidate.document_id
        own = AnswerSource(candidate.title, candidate.source, document, relevance)
        known = best.setdefault(document, own)
        if (relevance or 0.0) > (known.relevance or 0.0):
            best[document] = own
    return tuple(best.values())


def _coverage(retrieved: Retrieved, sources: Sequence[AnswerSource]) -> tuple[Coverage, ...]:
    """Return what could not be read: of the answer's documents, of all where there is no answer."""
    known = retrieved.prepared.coverage if retrieved.prepared else ()
    read = {source.document_id for source in sources}
    return tuple(
        item for item in known if item.pages_unreadable and (not read or item.document_id in read)
    )
