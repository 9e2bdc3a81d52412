"""What `search_passages` and `ask_question` share: the evidence for a question, and its selection.

A provider that fails costs quality, never the answer, as long as another way is left; what was
lost is named in `degraded`, in the trace and in the response.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from typing import Final
from uuid import uuid4

from pulsedocs.answering.asked.document import Aspect, asked_of_document, is_of_any_one
from pulsedocs.answering.asked.parts import asked_apart
from pulsedocs.answering.extractive.taught import SURE_ANSWER
from pulsedocs.answering.languages import language_of, without_small_words
from pulsedocs.embedding import declared, is_local, relevance_map
from pulsedocs.errors import EmbeddingError, ModelNotFound, PulseDocsError
from pulsedocs.model.lookups import PrepareQuery
from pulsedocs.model.plurals import counted
from pulsedocs.model.queries import Inputs
from pulsedocs.model.retrieval import (
    Abstention,
    CandidateQuery,
    Candidates,
    GateScale,
    Leg,
    NamedPages,
    Prepared,
    Profile,
    Scope,
)
from pulsedocs.model.tokens import tokens_at_most
from pulsedocs.ports.providers import Reranker, Vocabulary
from pulsedocs.prices import cost_of_reranking
from pulsedocs.questions.input_stage import InputStage
from pulsedocs.questions.journal import Journal
from pulsedocs.questions.judging import (
    best_by_chunk,
    by_chunk,
    cosine,
    passages_of,
    relevance_of_sentence,
    sentences_by_chunk,
    under_names,
    with_better,
    with_scores,
)
from pulsedocs.questions.languages import Judges, language_read
from pulsedocs.questions.policies import policy_named
from pulsedocs.questions.query_engine import QueryEngine
from pulsedocs.questions.question import Question, Retrieved, continued
from pulsedocs.questions.question_cost import cost_at_most
from pulsedocs.questions.recording import usage_of
from pulsedocs.retrieval.evidence import Evidence
from pulsedocs.retrieval.filters import parse_filter
from pulsedocs.retrieval.page_references import named_pages
from pulsedocs.retrieval.pages import narrowed, with_pages_by_words
from pulsedocs.retrieval.profiles import profile_named, with_overrides
from pulsedocs.retrieval.queries import expanded, has_words
from pulsedocs.retrieval.rules.gate import gate_applies, passes
from pulsedocs.retrieval.rules.rule import Refusal
from pulsedocs.retrieval.selection import Selection, select, to_compare, to_rerank
from pulsedocs.retrieval.spelling import doubtful, read_as

_PAGES: Final = {  # that say of a document what is asked of it as such
    Aspect.OVERVIEW: NamedPages((), (1, 2, 3, -1)),
    Aspect.TITLE: NamedPages((), (1,)),
    Aspect.AUTHOR: NamedPages((), (1, 2, -1)),
    Aspect.RECIPIENT: NamedPages((), (1, 2, -1)),
    Aspect.DATE: NamedPages((), (1, 2, -1)),
    Aspect.EDITION: NamedPages((), (1, 2, -1)),
}
# Of a request's 25 seconds: a reranker that hangs leaves time for the order it was given.
RERANK_SECONDS = 12.0  # 16 passages take the local reranker half a CPU second


def retrieve(
    question: Question,
    *,
    method: str,
    engine: QueryEngine,
    reserved_tokens: Callable[[Question], int] | None,
    is_answered: bool = False,
) -> Retrieved:
    """Find and select passages; a language model takes part in the input stage only, if at all.

    Raises EmbeddingError where the embedder failed and the words found nothing either: to say that
    the documents lack the information would be untrue. Raises BudgetExceeded before anything is
    paid for; `is_answered` says whether a model is to write from what is found, `reserved_tokens`
    what its prompt needs beside them: None where there is to be no prompt.
    """
    parse_filter(question.scope.filters)
    retrieval = _Retrieval(question, engine=engine)
    if question.profile is not None:
        retrieval.choose_profile(question.profile)
    if not has_words(question.text):
        return retrieval.refused(Abstention.EMPTY_QUERY, "the question has no words")
    try:
        prepared = retrieval.prepare(method)
    except ModelNotFound as error:
        if question.model is None:  # nobody chose it
            raise
        detail = f"{error.message}; {error.guidance}"
        return retrieval.refused(Abstention.NOT_INDEXED_FOR_MODEL, detail)
    if (refusal := _refused_unsearched(question, prepared)) is not None:
        return retrieval.refused(*refusal)
    retrieval.reserve(prepared, is_answered=is_answered)
    try:
        found = retrieval.search(prepared)
        reserved = None
        if reserved_tokens is not None:
            reserved = max(retrieval.profile.overhead_tokens, reserved_tokens(retrieval.question))
        return retrieval.select(found, prepared, reserved=reserved)
    except PulseDocsError:
        retrieval.settle(
            prepared, method
        )  # nobody else will: what is reserved would wait to expire
        raise


def _refused_unsearched(question: Question, prepared: Prepared) -> tuple[Abstention, str] | None:
    """Return why nothing is searched, and the detail of it; None where something is."""
    if not prepared.documents:
        return Abstention.NO_DOCUMENTS, _nothing_to_search(question.scope)
    if prepared.chunks and not prepared.embedded:
        detail = f"0 of {prepared.chunks} chunks are embedded with {prepared.model}"
        return Abstention.NOT_INDEXED_FOR_MODEL, detail
    if prepared.pages is not None and not prepared.pages.numbers:
        pages = counted(prepared.pages.of, "page")
        detail = f"The document has {pages}, and not the one that is named."
        return Abstention.NO_SUCH_PAGE, detail
    if prepared.documents > 1 and is_of_any_one(question.text):
        detail = (
            f"This asks about one document, and {prepared.documents} are searched: choose it"
            " (document_ids)."
        )
        return Abstention.WHICH_DOCUMENT, detail
    return None


class _Retrieval:
    """One question on its way; each method is one stage of it."""

    def __init__(self, question: Question, *, engine: QueryEngine) -> None:
        self._question = question
        self._engine = engine
        self._store = engine.store
        self._journal = Journal()
        self._inputs = Inputs(question.text)
        self._profile = profile_named("default")
        self._prepared: Prepared | None = None
        self._language: str | None = None
        self._vector: tuple[float, ...] | None = None
        self._models: dict[str, str | None] = {"embedding": None, "reranker": None}
        self._identity = (uuid4().hex, datetime.now(UTC))

    @property
    def question(self) -> Question:
        return self._question

    @property
    def profile(self) -> Profile:
        return self._profile

    def choose_profile(self, name: str) -> None:
        policy = policy_named(
            name, self._question.scope, store=self._store, of_stage=self._engine.policies
        )
        self._profile = with_overrides(policy, self._question.overrides)

    def prepare(self, method: str) -> Prepared:
        question = self._question
        asked = PrepareQuery(
            scope=question.scope,
            model=question.model,
            method=method,
            conversation_id=question.conversation_id,
            subject=question.subject or "",
            doubtful=self._doubted(),
            pages=named_pages(question.text) or _pages_asked_of(question.text),
        )
        with self._journal.timed("prepare"):
            prepared = self._store.prepare(asked)
        self._question = continued(self._question, prepared.turns)
        self._prepared = prepared
        self._models["embedding"] = prepared.model
        if any(one.chunks_without_vectors for one in prepared.coverage):
            self._journal.failures["partly_indexed"] = None
        if self._question.profile is None:
            self.choose_profile(prepared.retrieval_profile)
        return prepared

    def _vocabulary(self) -> Vocabulary | None:
        """Return who knows common words; None where the question is of another language."""
        is_english = language_of(self._question.text) in {"en", None}
        return self._engine.providers.vocabulary() if is_english else None

    def _doubted(self) -> tuple[str, ...]:
        """Return the words that may be misspelt."""
        vocabulary = self._vocabulary()
        return () if vocabulary is None else doubtful(self._question.text, vocabulary)

    def _as_read(self, prepared: Prepared) -> str:
        """Return the question with misspelt words as the documents, or many others, spell them."""
        text, vocabulary = self._question.text, self._vocabulary()
        if vocabulary is None or prepared.language != "en":
            return text
        return read_as(text, prepared.near_words, vocabulary)

    def reserve(self, prepared: Prepared, *, is_answered: bool) -> None:
        if not prepared.is_limited or prepared.reservation_id is None or not prepared.chunks:
            return
        question, reranker = self._question, None
        if self._profile.rerank_candidates:
            reranker = self._journal.attempt("reranking", self._engine.providers.reranker)
        cost = cost_at_most(
            question.text,
            question.history,
            profile=self._profile,
            providers=self._engine.providers,
            embedding=prepared.model,
            reranker=None if reranker is None else reranker.model,
            is_answered=is_answered,
        )
        if cost:
            with self._journal.timed("reserve"):
                self._store.reserve(question.scope.tenant_id, prepared.reservation_id, cost)

    def settle(self, prepared: Prepared, method: str) -> None:
        """Record what was spent on a question that found no way to its passages."""
        if not prepared.is_limited:
            return  # as without a budget: the row expires
        usage = usage_of(
            self._journal.spent,
            self._question.subject,
            method=method,
            model=prepared.model,
            trace_id=self._identity[0],
        )
        tenant_id, reservation_id = self._question.scope.tenant_id, prepared.reservation_id
        self._journal.attempt("usage", lambda: self._store.settle(tenant_id, reservation_id, usage))

    def refused(self, reason: Abstention, detail: str) -> Retrieved:
        return self._retrieved(
            Candidates((), None, {}, {}),
            Evidence((), reserved_tokens=0, single_document=False),
            Selection((), Refusal(reason, detail), deduplicated=0),
        )

    def search(self, prepared: Prepared) -> Candidates:
        vectors = self._embed_queries(prepared)
        self._vector = vectors.get(Leg.VECTOR)
        profile, by_words = self._profile, self._profile.keyword_candidates
        if not vectors:  # the words stand in, in profiles that do not use them too
            by_words = by_words or profile.vector_candidates
        searched = without_small_words(self._inputs.searched, known=prepared.language)
        query = CandidateQuery(
            scope=self._question.scope,
            model=prepared.model,
            dimensions=prepared.dimensions,
            vectors=vectors,
            words=searched if by_words else None,
            vector_candidates=profile.vector_candidates if vectors else 0,
            keyword_candidates=by_words,
            exact=profile.exact,
            pages=() if prepared.pages is None else prepared.pages.numbers,
            deduplicate=profile.deduplicate,
        )
        with self._journal.timed("search"):
            found = self._store.search(query)
        self._journal.failures.update(dict.fromkeys(found.degraded))
        failure = self._journal.failures.get("embedding")
        if failure is not None and not found.candidates:
            # Meaning could not be searched and words found nothing: no answer is known, so none is
            # refused for having none.
            raise EmbeddingError(
                "the question could not be embedded, and its words found nothing:"
                f" {failure.message}",
                cause=failure.code,
            ) from failure
        return found

    def _embed_queries(self, prepared: Prepared) -> dict[Leg, tuple[float, ...]]:
        """Run the input stage, where there is something to search; return the queries' vectors."""
        question = self._question
        engine = self._engine
        stage = InputStage(
            question.scope.tenant_id, engine.providers, self._journal, engine.deadline, self._models
        )
        asks_rewriting = question.overrides.rewrite and question.history
        if asks_rewriting and engine.providers.rewriter() is None:
            self._journal.failures["rewriting"] = None
        if question.overrides.enable_hyde and engine.providers.chat() is None:
            self._journal.failures["hyde"] = None
        if not prepared.chunks:
            return {}
        self._inputs = stage.inputs(
            question.text,
            as_read=self._as_read(prepared),
            history=question.history,
            profile=self._profile,
            is_on_pages=prepared.pages is not None,
        )
        return stage.vectors(self._inputs, prepared)

    def select(self, found: Candidates, prepared: Prepared, *, reserved: int | None) -> Retrieved:
        pages = () if prepared.pages is None else prepared.pages.numbers
        candidates = narrowed(found.candidates, pages) if pages else found.candidates
        found = replace(found, candidates=with_pages_by_words(candidates, self._inputs.standalone))
        evidence = Evidence(
            passages=passages_of(
                found.candidates,
                prepared.model,
                question=self._inputs.standalone,
                tenant_key=self._engine.tenant_key,
            ),
            reserved_tokens=reserved,
            single_document=prepared.documents == 1 or len(self._question.scope.document_ids) == 1,
            asked_pages=pages,
            today=self._identity[1].date(),
        )
        evidence = self._judged(evidence, found, prepared)
        unjudged = not pages and not gate_applies(evidence.passages, self._profile)
        if self._profile.gate and evidence.passages and unjudged:
            self._journal.failures["gate"] = None
        with self._journal.timed("select"):
            selection = select(evidence, self._profile)
        if selection.refusal and any(one.pages_unreadable for one in prepared.coverage):
            self._journal.failures["unread_pages"] = None
        return self._retrieved(found, evidence, selection)

    def _judged(self, evidence: Evidence, found: Candidates, prepared: Prepared) -> Evidence:
        """Let the models that can read the best passages judge them; without one that fails."""
        attempt, reranker = self._journal.attempt, None
        if self._profile.rerank_candidates and evidence.passages:
            reranker = attempt("reranking", self._engine.providers.reranker)
        judges, evidence = self._tell_languages(evidence, found, prepared, reranker)
        if any(item.by_similarity for item in evidence.passages):
            read = partial(self._compare_vectors, evidence, found, prepared.model)
            evidence = attempt("similarity", read) or evidence
        if reranker is None or not judges.reranks or not to_rerank(evidence, self._profile):
            return evidence
        read = partial(self._rerank, evidence, found, reranker)
        evidence = attempt("reranking", read) or evidence
        # Only beside a local one something was taught.
        if is_local(reranker.model) and declared(reranker.model).knows(judges.asked):
            evidence = attempt("sentences", partial(self._read_apart, evidence, found)) or evidence
        return evidence

    def _tell_languages(
        self, evidence: Evidence, found: Candidates, prepared: Prepared, reranker: Reranker | None
    ) -> tuple[Judges, Evidence]:
        """Say who can judge the question and each passage; note where nobody knows its language."""
        models = declared(prepared.model), None if reranker is None else declared(reranker.model)
        reader, expected = None, prepared.language
        if any(one is not None and one.languages is not None for one in models):
            reader = self._engine.providers.languages()  # to the others no language matters

        def read(text: str) -> str | None:
            return expected if reader is None else language_read(text, reader, expected=expected)

        self._language = read(self._inputs.standalone)
        judges = Judges(self._language, *models)
        texts = {candidate.chunk_id: candidate.text for candidate in found.candidates}
        languages = [read(texts[item.chunk_id]) for item in evidence.passages]
        if judges.may_miss(languages):
            self._journal.failures["language"] = None
        passages = tuple(map(judges.marked, evidence.passages, languages))
        return judges, replace(evidence, passages=passages)

    def _compare_vectors(self, evidence: Evidence, found: Candidates, model: str) -> Evidence:
        """Let the embedder judge the best passages by their own words where it stands in.

        Their vectors hold a title too, which says nothing to a question of another language: it
        took a third of the similarity of a sentence. Where none passes the gate, the first are read
        sentence by sentence: a passage of many matters is near to none of them. Only an embedder on
        this machine is asked: another one would be paid for each passage.
        """
        vector, listed = self._vector, to_compare(evidence, self._profile)
        if vector is None or not listed or not is_local(model):
            return evidence
        texts = {candidate.chunk_id: candidate.text for candidate in found.candidates}
        relevance_of = relevance_map(model)

        def cosines_of(read: Sequence[str]) -> list[float]:
            embedded = self._engine.providers.embedder(model).embed_passages(
                read, deadline=self._engine.deadline.step(RERANK_SECONDS)
            )
            return [cosine(vector, own) for own in embedded.vectors]

        cosines = cosines_of([texts[chunk_id] for chunk_id in listed])
        judged = with_better(evidence, by_chunk(listed, cosines), relevance_of)
        if any(passes(one, self._profile) for one in judged.passages if one.chunk_id in listed):
            return judged
        read = sentences_by_chunk({chunk_id: texts[chunk_id] for chunk_id in listed})
        best = best_by_chunk(read, cosines_of([sentence for _, sentence in read]))
        return with_better(judged, best, partial(relevance_of_sentence, relevance_of))

    def _rerank(self, evidence: Evidence, found: Candidates, reranker: Reranker) -> Evidence:
        """Let the reranker judge the best passages.

        One on this machine reads each of two questions in one by itself: a passage is as relevant
        as it is to one of them. Another would be paid twice. Either reads what PP&E stands for.
        """
        asked = self._inputs.standalone
        texts = under_names(asked, found.candidates, evidence.passages)
        read = to_rerank(evidence, self._profile)
        passages = [texts[chunk_id] for chunk_id in read]
        limit = self._engine.deadline.step(RERANK_SECONDS)
        abbreviations = self._engine.providers.abbreviations
        questions = [
            expanded(one, abbreviations)
            for one in (is_local(reranker.model) and asked_apart(asked)) or [asked]
        ]
        by_question = [reranker.rerank(one, passages, deadline=limit) for one in questions]
        scores = [max(own) for own in zip(*by_question, strict=True)]
        self._models["reranker"] = reranker.model
        cost = cost_of_reranking(
            reranker.model,
            query_tokens=tokens_at_most(questions[0]),
            passages=map(tokens_at_most, passages),
        )
        self._journal.spent.add_cost(cost)
        return with_scores(evidence, by_chunk(read, scores), relevance_map(reranker.model))

    def _read_apart(self, evidence: Evidence, found: Candidates) -> Evidence:
        """Let who was taught to tell answers read sentences, where no passage passes the gate.

        "May I keep a rooster?" shares no word with "but no cockerels", one of many matters of its
        passage. What the reranker did not read cannot pass, however like it is.
        """
        profile = self._profile
        if profile.gate_scale is not GateScale.RELEVANCE or not profile.gate:
            return evidence
        refusal = select(evidence, profile).refusal
        if refusal is None or refusal.reason is not Abstention.BELOW_THRESHOLD:
            return evidence
        judge = self._engine.providers.answer_judge(self._models["reranker"] or "")
        if judge is None:
            return evidence
        texts = {candidate.chunk_id: candidate.text for candidate in found.candidates}
        read_too = (one for one in evidence.passages if one.rerank is not None)
        own = [one for one in read_too if not one.crosses_language]
        best_first = sorted(own, key=lambda one: -(one.relevance or 0.0))
        read = sentences_by_chunk({one.chunk_id: texts[one.chunk_id] for one in best_first})
        limit = self._engine.deadline.step(RERANK_SECONDS)
        sentences = [sentence for _, sentence in read]
        scores = judge.rerank(self._inputs.standalone, sentences, deadline=limit)
        likely = partial(relevance_of_sentence, relevance_map(judge.model), least=SURE_ANSWER)
        return with_better(evidence, best_by_chunk(read, scores), likely)

    def _retrieved(self, found: Candidates, evidence: Evidence, selection: Selection) -> Retrieved:
        trace_id, asked_at = self._identity
        return Retrieved(
            question=self._question,
            inputs=self._inputs,
            trace_id=trace_id,
            asked_at=asked_at,
            profile=self._profile,
            prepared=self._prepared,
            found=found,
            evidence=evidence,
            selection=selection,
            models=self._models,
            journal=self._journal,
            language=self._language,
        )


def _nothing_to_search(scope: Scope) -> str:
    if scope.filters:
        return "The filters leave no document that can be searched."
    if scope.document_ids:
        return "None of the documents that are asked can be searched yet."
    return f"No document can be searched yet in {', '.join(map(repr, scope.collections))}."


def _pages_asked_of(question: str) -> NamedPages | None:
    """Return the pages that say what is asked of a document as such."""
    aspect = asked_of_document(question)
    return None if aspect is None else _PAGES[aspect]
