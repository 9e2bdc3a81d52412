"""The words of an answer: from the chat model, else the documents' own sentences."""

import math
import time
from collections.abc import Generator, Sequence
from contextlib import closing
from dataclasses import replace
from typing import Final

from pulsedocs.answering.extractive import Extract, Scorer, by_shared_words, extract, missing_years
from pulsedocs.answering.names import missing_names
from pulsedocs.answering.passages import Block
from pulsedocs.answering.prompt import messages
from pulsedocs.answering.references import Numbering
from pulsedocs.embedding.calibration import relevance_map
from pulsedocs.errors import RerankingError
from pulsedocs.model.retrieval import GateScale, Profile
from pulsedocs.ports.providers import ChatModel, Reranker
from pulsedocs.usecases.generate_answer import Draft, Generation
from pulsedocs.usecases.query_engine import QueryEngine
from pulsedocs.usecases.question import Retrieved

_EXTRACTIVE: Final = "extractive"
_GENERATE_SECONDS: Final = 18.0
_SENTENCE_SECONDS: Final = 5.0
_SENTENCE_GATE: Final = 0.30  # relevance, where the profile has no threshold on that scale

NOTHING_WRITTEN: Final = Draft("", (), "", _EXTRACTIVE, {})


class Writer:
    """Writes from numbered passages. `streams` is whether words are shown as they are written."""

    def __init__(self, retrieved: Retrieved, *, engine: QueryEngine, streams: bool) -> None:
        self._retrieved = retrieved
        self._question = retrieved.question
        self._journal = retrieved.journal
        self._providers = engine.providers
        self._deadline = engine.deadline
        self._streams = streams
        self._generation: Generation | None = None

    def sentences(self, blocks: Sequence[Block]) -> Generator[str, None, Draft]:
        """Yield what may be shown as soon as it may; "" where nothing can be shown yet.

        A model that fails before anything was shown costs quality, not the answer; one that fails
        later raises its error: what was said cannot be taken back.
        """
        if not blocks:
            return replace(NOTHING_WRITTEN, detail="the selected passages are no longer there")
        chat = self._providers.chat()
        if chat is not None:
            generated = yield from self._generated(chat, blocks)
            if generated is not None:
                return generated
        draft = self._extracted(blocks)
        if draft.text:
            yield draft.text
        return draft

    def broken_off(self, reason: str) -> Draft:
        """Return what had been shown of an answer that nobody finished."""
        if self._generation is None:
            return replace(NOTHING_WRITTEN, checks={"finish_reason": reason})
        return self._generation.broken_off(reason)

    def _generated(
        self, chat: ChatModel, blocks: Sequence[Block]
    ) -> Generator[str, None, Draft | None]:
        generation = self._journal.attempt("generation", lambda: self._generation_by(chat, blocks))
        if generation is None:
            return None
        self._generation = generation
        started = time.perf_counter()
        try:
            with closing(generation.parts()) as parts:
                while not generation.proof.text:
                    part = self._journal.attempt("generation", lambda: _next(parts))
                    if not isinstance(part, str):
                        return part
                    yield part
                return (yield from parts)
        finally:
            seconds = time.perf_counter() - started
            self._journal.timings_ms["generation"] = round(seconds * 1000, 1)

    def _generation_by(self, chat: ChatModel, blocks: Sequence[Block]) -> Generation:
        """Return the call, not yet made; its checks and the trace need time after it."""
        own = math.inf if self._streams else _GENERATE_SECONDS
        return Generation(
            chat,
            messages(self._question.text, blocks, history=self._question.history),
            blocks,
            temperature=self._providers.temperature,
            max_tokens=self._providers.max_tokens,
            deadline=self._deadline.step(own),
            streams=self._streams,
            spent=self._journal.spent,
        )

    def _extracted(self, blocks: Sequence[Block]) -> Draft:
        asked = self._retrieved.inputs.standalone
        for kind, missing in (("years", missing_years), ("names", missing_names)):
            if absent := missing(asked, blocks):
                detail = f"{len(absent)} of the question's {kind} is in no selected passage"
                return replace(NOTHING_WRITTEN, detail=detail)
        found, gate = self._extract(blocks)
        text, citations = Numbering().applied(found.text, found.citations)
        return Draft(
            text=text,
            citations=citations,
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
            limit = self._deadline.step(_SENTENCE_SECONDS)
            scores = reranker.rerank(question, sentences, deadline=limit)
            if len(scores) != len(sentences) or not all(map(math.isfinite, scores)):
                raise RerankingError("the reranker's scores do not fit the sentences")
            return [relevance_of(score) for score in scores]

        return scorer


def _sentence_gate(profile: Profile) -> float:
    return profile.gate if profile.gate_scale is GateScale.RELEVANCE else _SENTENCE_GATE


def _next(parts: Generator[str, None, Draft]) -> str | Draft:
    """Return the next part, or what the whole came to."""
    try:
        return next(parts)
    except StopIteration as end:
        return end.value
