"""Candidates as passages, with what the embedder and the reranker say of their relevance."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Final
from uuid import UUID

from pulsedocs.answering.asked.kinds import lacks_kind
from pulsedocs.answering.sentences import split_sentences
from pulsedocs.embedding.calibration import relevance_map
from pulsedocs.errors import RerankingError
from pulsedocs.model.documents import titled
from pulsedocs.model.retrieval import Candidate, Leg
from pulsedocs.retrieval.evidence import Evidence, Passage, passage_of, rounded, versions_among
from pulsedocs.retrieval.naming import is_named, named_documents

_MOST_READ_APART: Final = 4  # passages; what answers is seldom behind them, and 10 ms a sentence
_MOST_SENTENCES: Final = 60  # at most half a second of the local embedder
_SURE_SENTENCE: Final = 0.8


def passages_of(
    candidates: Sequence[Candidate], model: str, *, question: str, tenant_key: bytes
) -> tuple[Passage, ...]:
    """Return each candidate once, without its words, on the embedder's scale of relevance."""
    relevance_of = relevance_map(model)
    unique = {candidate.chunk_id: candidate for candidate in candidates}
    versions = versions_among(list(unique.values()), question)
    named = named_documents(question, unique.values())
    plain = [
        replace(
            passage_of(one, tenant_key=tenant_key),
            alike=versions.get(one.chunk_id, ()),
            named=rounded(named[one.document_id]),
            lacks_kind=Leg.KEYWORD in one.legs and lacks_kind(question, one.text),
        )
        for one in unique.values()
    ]
    return tuple(
        item
        if item.similarity is None
        else replace(item, relevance=rounded(relevance_of(item.similarity)))
        for item in plain
    )


def under_names(
    question: str, candidates: Iterable[Candidate], passages: Iterable[Passage]
) -> dict[UUID, str]:
    """Return by chunk what a reranker reads: below its document's name where the question has it.

    "We recognised restructuring charges of 31 million" says neither whose nor of which year, and
    any passage that repeats the company's name reads better: decision 0071. Where the passage is in
    another language than the question, the name would be all that it is judged by.
    """
    crossing = {item.chunk_id for item in passages if item.crosses_language}
    return {
        one.chunk_id: f"{titled(None, one.title, one.source).indexed}\n\n{one.text}"
        if one.chunk_id not in crossing and is_named(question, one)
        else one.text
        for one in candidates
    }


def by_chunk(read: Sequence[UUID], scores: Sequence[float]) -> dict[UUID, float]:
    """Return a reranker's scores by chunk; raise RerankingError where they cannot be theirs."""
    if len(scores) != len(read) or not all(math.isfinite(score) for score in scores):
        message = f"the reranker gave {len(scores)} scores for {len(read)} passages"
        raise RerankingError(message, scores=len(scores), passages=len(read))
    return {chunk: rounded(score) for chunk, score in zip(read, scores, strict=True)}


def with_scores(
    evidence: Evidence, scores: Mapping[UUID, float], relevance_of: Callable[[float], float]
) -> Evidence:
    """Return the evidence as the reranker sees it; what it did not read stays as it was."""
    return replace(
        evidence,
        passages=tuple(
            replace(item, rerank=score, relevance=rounded(relevance_of(score)))
            if (score := scores.get(item.chunk_id)) is not None
            else item
            for item in evidence.passages
        ),
    )


def with_better(
    evidence: Evidence, scores: Mapping[UUID, float], relevance_of: Callable[[float], float]
) -> Evidence:
    """Return the evidence with the better of two judgements: the one it has, and by these."""
    return replace(
        evidence,
        passages=tuple(
            replace(item, relevance=max(item.relevance or 0.0, rounded(relevance_of(own))))
            if (own := scores.get(item.chunk_id)) is not None
            else item
            for item in evidence.passages
        ),
    )


def sentences_by_chunk(texts: Mapping[UUID, str]) -> list[tuple[UUID, str]]:
    """Return the sentences of the first passages, each with its chunk, as many as may be read."""
    first = list(texts.items())[:_MOST_READ_APART]
    sentences = [
        (chunk_id, text[one.start : one.end])
        for chunk_id, text in first
        for one in split_sentences(text)
    ]
    return sentences[:_MOST_SENTENCES]


def best_by_chunk(read: Sequence[tuple[UUID, str]], scores: Sequence[float]) -> dict[UUID, float]:
    """Return the greatest score of a passage's sentences, by chunk."""
    best: dict[UUID, float] = {}
    for (chunk_id, _), own in zip(read, scores, strict=True):
        best[chunk_id] = max(rounded(own), best.get(chunk_id, -math.inf))
    return best


def relevance_of_sentence(
    relevance_of: Callable[[float], float], score: float, *, least: float = _SURE_SENTENCE
) -> float:
    """Return what a sentence's score says of its passage: something only where it is high.

    By similarity, one of many sentences is near to most questions: of 13 unanswerable ones on texts
    of a page in six languages 11 have one of relevance .30 and more, 4 of .80. Of 47 answerable
    ones 44 have one of .80, and 42 a passage of .30.
    """
    relevance = relevance_of(score)
    return relevance if relevance >= least else 0.0


def cosine(one: Sequence[float], other: Sequence[float]) -> float:
    """Multiply unit vectors, as embedders return them."""
    return sum(a * b for a, b in zip(one, other, strict=True))
