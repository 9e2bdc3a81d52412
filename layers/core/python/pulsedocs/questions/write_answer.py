"""The words of an answer: from the chat model, else the documents' own sentences."""

import math
import time
from collections.abc import Generator, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from operator import mul
from typing import Any, Final

from pulsedocs.answering.asked.document import Aspect, asked_of_document
from pulsedocs.answering.asked.match import Likeness
from pulsedocs.answering.asked.parts import asked_apart
from pulsedocs.answering.asked.terms import asks_nothing
from pulsedocs.answering.extractive.extract import (
    Extract,
    by_shared_words,
    extract,
    joined,
    missing_years,
)
from pulsedocs.answering.extractive.opening import quoted_of
from pulsedocs.answering.languages import SMALL_WORDS, language_of
from pulsedocs.answering.left_out import Answers, Judge, Scorer
from pulsedocs.answering.names import missing_names
from pulsedocs.answering.passages import Block, Wording
from pulsedocs.answering.prompt import messages
from pulsedocs.answering.reading import note_on
from pulsedocs.answering.references import Numbering
from pulsedocs.answering.verification import citation_of
from pulsedocs.embedding import declared, is_local, relevance_map
from pulsedocs.embedding.calibration import words_across, words_alike
from pulsedocs.errors import RerankingError
from pulsedocs.model.answers import Citation, Nearest
from pulsedocs.model.retrieval import GateScale
from pulsedocs.ports.providers import ChatModel, Reranker
from pulsedocs.questions.generate_answer import AnswerDraft, Generation
from pulsedocs.questions.judging import cosine
from pulsedocs.questions.languages import Judges
from pulsedocs.questions.query_engine import QueryEngine
from pulsedocs.questions.question import Retrieved
from pulsedocs.retrieval.evidence import Passage
from pulsedocs.retrieval.rules.gate import passing, shown

_EXTRACTIVE: Final = "extractive"
_GENERATE_SECONDS: Final = 18.0
_SENTENCE_SECONDS: Final = 5.0
_WORD_SECONDS: Final = 2.0  # some 3 ms a word of the local embedder
_SENTENCE_GATE: Final = 0.30  # relevance, where the profile has no threshold on that scale

NOTHING_WRITTEN: Final = AnswerDraft("", (), "", _EXTRACTIVE, {})
_BY_WORDS: Final = Judge(by_shared_words)


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

    def sentences(self, blocks: Sequence[Block]) -> Generator[str, None, AnswerDraft]:
        """Yield what may be shown as soon as it may; "" where nothing can be shown yet.

        A model that fails before anything was shown costs quality, not the answer; one that fails
        later raises its error: what was said cannot be taken back.
        """
        if not blocks:
            return replace(NOTHING_WRITTEN, detail="the selected passages are no longer there")
        chat = self._providers.chat()
        if chat is not None:
            generated = yield from self._generate(chat, blocks)
            if generated is not None:
                return generated if generated.text else self._with_nearest(generated, blocks)
        draft = self._extract_answer(blocks, self._judge())
        if draft.text:
            yield draft.text
        return draft

    def _with_nearest(self, refused: AnswerDraft, blocks: Sequence[Block]) -> AnswerDraft:
        """Add the sentence that would answer without a model, or that comes nearest.

        Whoever reads a refusal can judge it. Nothing is paid for that: only what is on this machine
        judges sentences here.
        """
        judge = self._judge()
        found = self._extract_answer(blocks, judge if judge is not None and judge.reads else None)
        nearest = found.nearest or next(map(_as_nearest, found.citations), None)
        return replace(refused, nearest=nearest)

    def broken_off(self, reason: str) -> AnswerDraft:
        """Return what had been shown of an answer that nobody finished."""
        if self._generation is None:
            return replace(NOTHING_WRITTEN, checks={"finish_reason": reason})
        return self._generation.broken_off(reason)

    def _generate(
        self, chat: ChatModel, blocks: Sequence[Block]
    ) -> Generator[str, None, AnswerDraft | None]:
        # A stream may last as long as its request; a whole answer leaves time for its checks and
        # the trace.
        seconds = math.inf if self._streams else _GENERATE_SECONDS
        generation = self._journal.attempt(
            "generation",
            lambda: Generation(
                chat,
                messages(
                    self._question.text,
                    blocks,
                    history=self._question.history,
                    today=self._retrieved.asked_at.date(),
                    is_structured=not self._streams,
                ),
                blocks,
                temperature=self._providers.temperature,
                max_tokens=self._providers.max_tokens,
                deadline=self._deadline.step(seconds),
                streams=self._streams,
                spent=self._journal.spent,
            ),
        )
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
            taken = time.perf_counter() - started
            self._journal.timings_ms["generation"] = round(taken * 1000, 1)

    def _extract_answer(self, blocks: Sequence[Block], judge: Judge | None) -> AnswerDraft:
        aspect = asked_of_document(self._question.text)
        if aspect is not None and self._retrieved.evidence.asked_pages:
            return self._quote_pages(aspect, blocks)
        blocks = self._passing(blocks)
        asked = self._retrieved.inputs.standalone
        if asks_nothing(asked):  # any sentence would do
            return replace(NOTHING_WRITTEN, detail="the question names nothing to look for")
        profile = self._retrieved.profile
        gate = profile.gate if profile.gate_scale is GateScale.RELEVANCE else _SENTENCE_GATE
        found = None
        if judge is not None:
            found = self._journal.attempt(
                "sentences", lambda: self._best_sentences(blocks, judge=judge, gate=gate)
            )
        if found is None:  # no model judges sentences, or it has just failed
            gate = _SENTENCE_GATE
            with self._journal.timed("sentences"):
                found = self._best_sentences(blocks, judge=_BY_WORDS, gate=gate)
        checks: dict[str, Any] = {"best_sentence": found.best, "sentence_gate": gate}
        if found.chance is not None:
            checks["chance"] = found.chance
        if (match := found.match) is not None:
            checks["words_asked"], checks["words_unmet"] = match.terms, len(match.unmet)
            checks["words_alike"], checks["kind_missing"] = len(match.alike), match.kind
        if not found.text:
            detail = _absent(asked, blocks) or _refusal(found, gate)
            best = found.best_sentence
            nearest = best and _as_nearest(citation_of(best.parts[0]))
            return replace(NOTHING_WRITTEN, detail=detail, checks=checks, nearest=nearest)
        return _quoted(found, asked, checks=checks)

    def _passing(self, blocks: Sequence[Block]) -> list[Block]:
        """Leave out what came beside a relevant passage: more sentences, more wrong ones.

        With them .13 instead of .15 of 529 questions were refused, no more answered rightly, and
        .75 instead of .78 of 240 others refused.
        """
        retrieved = self._retrieved
        selected = [decision.passage for decision, _ in retrieved.selected]
        relevant = passing(selected, retrieved.evidence, retrieved.profile)
        return [block for block in blocks if selected[block.n - 1] in relevant]

    def _quote_pages(self, aspect: Aspect, blocks: Sequence[Block]) -> AnswerDraft:
        found = quoted_of(aspect, blocks)
        if not found.text:
            return replace(NOTHING_WRITTEN, detail="neither its first pages nor its last say so")
        return _quoted(found, self._question.text)

    def _best_sentences(self, blocks: Sequence[Block], *, judge: Judge, gate: float) -> Extract:
        whole = self._retrieved.inputs.standalone

        def sentences_for(asked: str) -> Extract:
            found = self._sentences_for(asked, blocks, judge=judge, gate=gate)
            is_of_others = found.text and _absent(asked, blocks)
            return replace(found, text="", citations=()) if is_of_others else found

        apart = {part: sentences_for(part) for part in asked_apart(whole)}
        return joined(apart) or sentences_for(whole)

    def _sentences_for(
        self, asked: str, blocks: Sequence[Block], *, judge: Judge, gate: float
    ) -> Extract:
        passages = {
            n: decision.passage for n, (decision, _) in enumerate(self._retrieved.selected, start=1)
        }
        return extract(
            asked,
            [
                replace(block, wording=self._wording(asked, block, passages[block.n]))
                for block in blocks
            ],
            judge=judge,
            relevance={n: passage.relevance for n, passage in passages.items()},
            gate=gate,
            likeness=self._likeness(),
            today=self._retrieved.asked_at.date(),
        )

    def _wording(self, asked: str, block: Block, passage: Passage) -> Wording:
        language = self._retrieved.language
        is_listed = language is None or language in SMALL_WORDS
        # Of a text: "do" alone would be taken for Portuguese.
        is_alike = is_listed and language_of(block.text) == language_of(asked)
        if passage.crosses_language and not is_alike:
            return Wording.FOREIGN
        return Wording.COMPARED if is_listed else Wording.UNLISTED

    def _likeness(self) -> Likeness | None:
        """Compare words by the question's embedder, where it is known how near the same lie."""
        prepared = self._retrieved.prepared
        least = None if prepared is None else words_alike(prepared.model)
        if prepared is None or least is None:
            return None
        embedder = self._providers.embedder(prepared.model)
        vectors: dict[str, Sequence[float]] = {}

        def embed(words: Sequence[str]) -> bool:
            new = [word for word in words if word not in vectors]
            limit = self._deadline.step(_WORD_SECONDS)
            made = embedder.embed_passages(new, deadline=limit).vectors if new else ()
            vectors.update(zip(new, (vector or () for vector in made), strict=True))
            return True

        def nearest(word: str, others: Sequence[str]) -> float:
            if not others or not self._journal.attempt("words", lambda: embed([word, *others])):
                return 0.0
            own = vectors[word]
            return max(sum(map(mul, own, vectors[other])) for other in others)

        return Likeness(nearest, least, words_across(prepared.model))

    def _judge(self) -> Judge | None:
        """Return the model that judges sentences, None where their words are compared.

        The one that judged the passages; a reranker only where the policy uses one and it has not
        failed already.
        """
        prepared = self._retrieved.prepared
        works = "reranking" not in self._journal.failures
        is_allowed = works and self._retrieved.profile.name != "strict"
        reranker = self._providers.reranker() if is_allowed else None
        if prepared is None:
            return None
        embedder = declared(prepared.model)
        limits = None if reranker is None else declared(reranker.model)
        judges = Judges(self._retrieved.language, embedder, limits)
        is_foreign = any(item.passage.by_similarity for item, _ in self._retrieved.selected)
        stands_in = is_foreign or (reranker is not None and not judges.reranks)
        # Only an embedder on this machine: another one would be paid for every sentence.
        if stands_in and is_local(prepared.model) and embedder.knows(judges.asked):
            scorer = self._by_similarity(prepared.model)
            answers = self._answers_beside(prepared.model)
            return Judge(scorer, reads=True, answers=answers, is_multilingual=True)
        if reranker is None or limits is None or not judges.reranks:
            return None
        # What asks again for each word costs nothing on this machine only.
        reads = is_local(reranker.model) and limits.knows(judges.asked)
        answers = self._answers_beside(reranker.model) if reads else None
        return Judge(self._by_reranker(reranker), reads=reads, answers=answers)

    def _by_similarity(self, model: str) -> Scorer:
        relevance_of = relevance_map(model)

        def scorer(question: str, sentences: Sequence[str]) -> list[float]:
            embedder = self._providers.embedder(model)
            limit = self._deadline.step(_SENTENCE_SECONDS)
            asked = embedder.embed_query(question, deadline=limit)
            vectors = embedder.embed_passages(sentences, deadline=limit).vectors
            return [relevance_of(cosine(asked, vector)) for vector in vectors]

        return scorer

    def _answers_beside(self, model: str) -> Answers:
        """Return what tells how likely texts answer, where `model` says how relevant they are.

        None where nothing tells, or what does has failed: what the model said stands then.
        """

        def answers(question: str, texts: Sequence[str]) -> Sequence[float] | None:
            taught = self._providers.answer_judge(model)
            if taught is None:
                return None
            scorer = self._by_reranker(taught)
            return self._journal.attempt("sentences", lambda: scorer(question, texts))

        return answers

    def _by_reranker(self, reranker: Reranker) -> Scorer:
        relevance_of = relevance_map(reranker.model)

        def scorer(question: str, sentences: Sequence[str]) -> list[float]:
            limit = self._deadline.step(_SENTENCE_SECONDS)
            scores = reranker.rerank(question, sentences, deadline=limit)
            if len(scores) != len(sentences) or not all(map(math.isfinite, scores)):
                raise RerankingError("the reranker's scores do not fit the sentences")
            return [relevance_of(score) for score in scores]

        return scorer


def _quoted(found: Extract, asked: str, *, checks: Mapping[str, Any] | None = None) -> AnswerDraft:
    text, citations = Numbering().applied(found.text, found.citations)
    note = note_on(
        asked,
        found.quoted,
        rows=found.rows,
        unanswered=found.unanswered,
        rows_left=found.rows_left,
        may_be_more=found.may_be_more,
    )
    return AnswerDraft(text, citations, "", _EXTRACTIVE, checks or {}, note=note)


def _absent(asked: str, blocks: Sequence[Block]) -> str:
    """Say what a question names that no passage has; "" where there is no such thing."""
    for kind, missing in (("years", missing_years), ("names", missing_names)):
        if absent := missing(asked, blocks):
            return f"{len(absent)} of the question's {kind} is in no selected passage"
    return ""


def _refusal(found: Extract, gate: float) -> str:
    """Say, in numbers, why no sentence is shown."""
    match = found.match
    if match is None and found.best >= gate:
        return f"best sentence {found.best:.2f}; none is said of the year that was asked for"
    if match is None:
        return f"best sentence {shown(found.best, gate)} < {shown(gate, gate)}"
    if match.kind is not None:
        return f"best sentence {found.best:.2f}; none holds what was asked for ({match.kind})"
    if match.is_met and found.chance is not None:
        return f"best sentence {found.best:.2f}; the likeliest answers by {found.chance:.2g} only"
    if match.is_met:
        return f"best sentence {found.best:.2f}; none says more than the question"
    unmet = f"{len(match.unmet)} of {match.terms} words that were asked about"
    return f"best sentence {found.best:.2f}; no sentence or its heading has {unmet}"


def _as_nearest(citation: Citation) -> Nearest:
    return Nearest(
        document_id=citation.document_id,
        version=citation.version,
        source=citation.source,
        title=citation.title,
        page=citation.page,
        page_label=citation.page_label,
        quote=citation.quote,
        start=citation.start,
        end=citation.end,
    )


def _next(parts: Generator[str, None, AnswerDraft]) -> str | AnswerDraft:
    """Return the next part, or what the whole came to."""
    try:
        return next(parts)
    except StopIteration as end:
        return end.value
