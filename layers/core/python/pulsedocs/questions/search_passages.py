"""Passages for a question, each with the scores that it was found by."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from time import perf_counter
from typing import Any
from uuid import UUID

from pulsedocs.model.answers import Abstained
from pulsedocs.model.retrieval import Candidate, Coverage, Leg
from pulsedocs.questions.query_engine import QueryEngine
from pulsedocs.questions.question import Question
from pulsedocs.questions.recording import keep_trace, settle
from pulsedocs.questions.retrieving import retrieve
from pulsedocs.retrieval.rules.rule import Decision

_METHOD = "search"


@dataclass(frozen=True, slots=True)
class FoundChunk:
    chunk_id: UUID
    document_id: UUID
    source: str
    title: str | None
    content: str
    pages: tuple[int, ...]
    section: str | None
    relevance_score: float | None
    vector_score: float | None
    keyword_score: float | None
    rank: int
    chunk_index: int
    total_chunks: int
    token_count: int
    char_count: int
    chunking_method: str
    extraction_date: datetime | None
    metadata: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class RetrievalStats:
    """What each leg found, of which `total_chunks_retrieved` is the sum, and what was left of it.

    `chunks_after_reranking` are those returned. `timings_ms` has each part, and the `total`.
    """

    total_chunks_retrieved: int
    vector_search_chunks: int
    keyword_search_chunks: int
    chunks_after_dedup: int
    chunks_after_reranking: int
    timings_ms: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class FoundSource:
    source: str
    document_id: UUID
    chunks_count: int
    avg_relevance: float | None


@dataclass(frozen=True, slots=True)
class Queries:
    """What was searched in the question's place and beside it; None where nothing was."""

    standard: str | None
    hyde: str | None


@dataclass(frozen=True, slots=True)
class SearchResult:
    """`candidates` are the trace's: every passage considered, with the reason for its fate."""

    query_original: str
    queries_generated: Queries
    abstained: Abstained | None
    chunks: tuple[FoundChunk, ...]
    retrieval_stats: RetrievalStats
    sources: tuple[FoundSource, ...]
    coverage: tuple[Coverage, ...]
    degraded: tuple[str, ...]
    trace_id: str
    candidates: Sequence[Mapping[str, Any]]


def search_passages(question: Question, *, engine: QueryEngine) -> SearchResult:
    """Return the selected passages in order, or why there are none."""
    started = perf_counter()
    retrieved = retrieve(question, method=_METHOD, engine=engine, reserved_tokens=None)
    trace = keep_trace(retrieved, None, method=_METHOD, engine=engine)
    settle(retrieved, method=_METHOD, engine=engine)
    chunks = tuple(_chunk(rank, *pair) for rank, pair in enumerate(retrieved.selected, start=1))
    inputs = retrieved.inputs
    hits = Counter(leg for passage in retrieved.evidence.passages for leg in passage.legs)
    total_ms = round((perf_counter() - started) * 1000, 1)
    return SearchResult(
        query_original=question.text,
        queries_generated=Queries(
            None if inputs.searched == inputs.asked else inputs.searched, inputs.hyde
        ),
        abstained=retrieved.abstained(engine.texts),
        chunks=chunks,
        retrieval_stats=RetrievalStats(
            total_chunks_retrieved=hits.total(),
            vector_search_chunks=hits[Leg.VECTOR] + hits[Leg.HYDE],
            keyword_search_chunks=hits[Leg.KEYWORD],
            chunks_after_dedup=retrieved.selection.deduplicated,
            chunks_after_reranking=len(chunks),
            timings_ms={**retrieved.timings_ms, "total": total_ms},
        ),
        sources=_sources(chunks),
        coverage=retrieved.prepared.coverage if retrieved.prepared else (),
        degraded=tuple(retrieved.journal.degraded),
        trace_id=retrieved.trace_id,
        candidates=trace["candidates"],
    )


def _chunk(rank: int, decision: Decision, candidate: Candidate) -> FoundChunk:
    keyword = decision.passage.legs.get(Leg.KEYWORD)
    return FoundChunk(
        chunk_id=candidate.chunk_id,
        document_id=candidate.document_id,
        source=candidate.source,
        title=candidate.title,
        content=candidate.text,
        pages=candidate.pages,
        section=" > ".join(candidate.section) or None,
        relevance_score=decision.passage.relevance,
        vector_score=decision.passage.similarity,
        keyword_score=None if keyword is None else keyword.score,
        rank=rank,
        chunk_index=candidate.chunk_index,
        total_chunks=candidate.chunk_count,
        token_count=candidate.tokens,
        char_count=len(candidate.text),
        chunking_method=candidate.method,
        extraction_date=candidate.chunked_at,
        metadata=candidate.metadata,
    )


def _sources(chunks: Sequence[FoundChunk]) -> tuple[FoundSource, ...]:
    """Return the documents found, in the order of their best passage."""
    by_document: dict[UUID, list[FoundChunk]] = {}
    for chunk in chunks:
        by_document.setdefault(chunk.document_id, []).append(chunk)
    found: list[FoundSource] = []
    for document_id, own in by_document.items():
        known = [chunk.relevance_score for chunk in own if chunk.relevance_score is not None]
        average = round(sum(known) / len(known), 6) if known else None
        found.append(FoundSource(own[0].source, document_id, len(own), average))
    return tuple(found)
