"""The legs of a search: their statements, sent together, and what each of them found."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final
from uuid import UUID

import psycopg
from pgvector import HalfVector
from psycopg import Connection, Cursor, sql
from psycopg.rows import class_row, scalar_row

from pulsedocs.adapters.postgres.queries import query
from pulsedocs.adapters.postgres.scopes import BoundScope, ScopedCollection, SearchModel
from pulsedocs.model.retrieval import Candidate, CandidateQuery, Leg, LegHit

_MOST_CANDIDATES: Final = 200  # an answer to `query` stays below Lambda's 6 MB
_FUSION_OFFSET: Final = 60  # Cormack et al., SIGIR 2009

DEGRADED: Final = {
    Leg.VECTOR: "vector_leg",
    Leg.HYDE: "vector_leg",
    Leg.KEYWORD: "keyword_leg",
}


@dataclass(frozen=True, slots=True)
class Found:
    """A row of `retrieval_nearest.sql` or `retrieval_matching.sql`."""

    rank: int
    score: float
    chunk_id: UUID
    document_id: UUID
    version: int
    chunk_index: int
    source: str
    title: str | None
    text: str
    content_hash: bytes
    page_start: int
    page_end: int
    spans: list[list[int]] | None
    section: list[str]
    tokens: int
    dated_at: datetime
    metadata: dict[str, Any]
    similarity: float | None


@dataclass(frozen=True, slots=True)
class LegStatement:
    leg: Leg
    statement: sql.Composed
    parameters: Mapping[str, Any]
    is_kept: bool = False
    """Whether the session keeps one plan of it, for every tenant."""


@dataclass(frozen=True, slots=True)
class LegAnswer:
    """What one statement found in `ms` of the server's clock, or the error that ended it."""

    leg: Leg
    rows: Sequence[Found] = ()
    ms: float = 0.0
    error: psycopg.Error | None = None


class LegStatements:
    """Writes the statements of one query; vectors of another width are left to fail alone."""

    def __init__(
        self,
        bound: BoundScope,
        asked: CandidateQuery,
        *,
        collections: Sequence[ScopedCollection],
        model: SearchModel,
    ) -> None:
        self._bound = bound
        self._asked = asked
        self._collections = collections
        self._model = model
        question = asked.vectors.get(Leg.VECTOR)
        fits = question is not None and len(question) == model.dimensions
        self._parameters = {
            **bound.parameters,
            "model_id": model.model_id,
            "question": HalfVector(list(question)) if question is not None and fits else None,
        }

    def by_vector(self, *, exact: bool) -> Iterator[LegStatement]:
        limit = self._asked.vector_candidates
        distance = _DISTANCE_OF_ALL if exact else _DISTANCE_OF_INDEX
        tie = sql.SQL(", chunk_embedding.chunk_id" if exact else "")
        statement = self._bound.statement(
            "retrieval_nearest",
            distance=distance.format(width=sql.Literal(self._model.dimensions)),
            tie=tie,
        )
        collections = [collection.collection_id for collection in self._collections]
        for leg, vector in self._asked.vectors.items() if limit else ():
            parameters = {"vector": HalfVector(list(vector)), "limit": limit}
            yield self._statement(leg, statement, collections=collections, **parameters)

    def by_words(self) -> Iterator[LegStatement]:
        """Yield one statement per language: scores of two languages' words do not add up."""
        words = _storable(self._asked.words or "")
        if not self._asked.keyword_candidates or not words:
            return
        statement = self._bound.statement("retrieval_matching")
        by_language: dict[str, list[UUID]] = defaultdict(list)
        for collection in self._collections:
            by_language[collection.language].append(collection.collection_id)
        for language, collections in sorted(by_language.items()):
            yield self._statement(
                Leg.KEYWORD,
                statement,
                collections=collections,
                language=language,
                words=words,
                limit=self._asked.keyword_candidates,
            )

    def _statement(self, leg: Leg, statement: sql.Composed, **parameters: object) -> LegStatement:
        # Words are looked up alike whoever asks, and planning that takes longer than running it.
        # For vectors the right plan depends on the tenant's share of them.
        is_kept = leg is Leg.KEYWORD
        return LegStatement(leg, statement, {**self._parameters, **parameters}, is_kept=is_kept)


# The cast to a literal width is what the HNSW index is on: a parameter there is a syntax error.
_DISTANCE_OF_INDEX: Final = sql.SQL(
    "chunk_embedding.embedding::halfvec({width}) <=> %(vector)s::halfvec({width})"
)
_DISTANCE_OF_ALL: Final = sql.SQL("chunk_embedding.embedding <=> %(vector)s::halfvec({width})")


def run_legs(
    connection: Connection[Any], statements: Iterable[LegStatement]
) -> tuple[LegAnswer, ...]:
    """Send all statements at once and return their answers in order.

    An error ends what was sent behind it. The savepoint keeps the transaction usable, and the
    statements that had no turn are sent again without the one that failed.
    """
    pending = list(statements)
    answers: list[LegAnswer] = []
    while pending:
        answered, error = _send(connection, pending)
        answers += answered
        del pending[: len(answered)]
        if error is not None and pending:
            answers.append(LegAnswer(pending.pop(0).leg, error=error))
    return tuple(answers)


def _send(
    connection: Connection[Any], statements: Sequence[LegStatement]
) -> tuple[list[LegAnswer], psycopg.Error | None]:
    cursors: list[Cursor[Found]] = []
    ticks: list[Cursor[datetime]] = []
    error = None
    try:
        with connection.pipeline():
            connection.execute("SAVEPOINT legs")
            ticks.append(_tick(connection))
            for item in statements:
                cursors.append(_sent(connection, item))
                ticks.append(_tick(connection))
    except psycopg.Error as raised:
        if connection.closed:
            raise
        connection.execute("ROLLBACK TO SAVEPOINT legs")
        error = raised
    done = [cursor for cursor in cursors if cursor.description is not None]
    clock = [tick.fetchone() for tick in ticks[: len(done) + 1]]
    return [
        LegAnswer(item.leg, cursor.fetchall(), _milliseconds(begin, end))
        for item, cursor, begin, end in zip(statements, done, clock, clock[1:], strict=False)
    ], error


def _sent(connection: Connection[Any], item: LegStatement) -> Cursor[Found]:
    cursor = connection.cursor(row_factory=class_row(Found), binary=True)
    mode = "force_generic_plan" if item.is_kept else "auto"
    connection.execute(query("retrieval_plan"), {"mode": mode})
    return cursor.execute(item.statement, item.parameters, prepare=item.is_kept)


def _tick(connection: Connection[Any]) -> Cursor[datetime]:
    cursor = connection.cursor(row_factory=scalar_row)
    return cursor.execute("SELECT clock_timestamp()")


def _milliseconds(begin: datetime | None, end: datetime | None) -> float:
    if begin is None or end is None:
        return 0.0
    return round((end - begin).total_seconds() * 1000, 3)


def _storable(words: str) -> str:
    """Blank out what PostgreSQL takes in no text: NUL and lone surrogates."""
    return "".join(" " if c == "\0" or "\ud800" <= c <= "\udfff" else c for c in words).strip()


def by_leg(answers: Iterable[LegAnswer]) -> dict[Leg, list[Found]]:
    """Return the rows of each leg that answered; several languages become one ranking."""
    rankings: dict[Leg, list[Sequence[Found]]] = defaultdict(list)
    for answer in answers:
        if answer.error is None:
            rankings[answer.leg].append(answer.rows)
    return {leg: _fused(parts) for leg, parts in rankings.items()}


def _fused(rankings: Sequence[Sequence[Found]]) -> list[Found]:
    """Fuse rankings of different chunks by reciprocal rank; a single one keeps its scores."""
    if len(rankings) == 1:
        return list(rankings[0])
    rows = sorted((row for part in rankings for row in part), key=lambda r: (r.rank, r.chunk_id))
    return [
        replace(row, rank=rank, score=1 / (_FUSION_OFFSET + row.rank))
        for rank, row in enumerate(rows, start=1)
    ]


def union(found: Mapping[Leg, Sequence[Found]]) -> tuple[Candidate, ...]:
    """Return each chunk once, best rank first; beyond 200 the worst ranks are cut."""
    hits: dict[UUID, dict[Leg, LegHit]] = defaultdict(dict)
    rows: dict[UUID, Found] = {}
    for leg, leg_rows in found.items():
        for row in leg_rows:
            hits[row.chunk_id][leg] = LegHit(row.rank, row.score)
            rows[row.chunk_id] = row
    order = sorted(
        rows.values(),
        key=lambda row: (
            min(hit.rank for hit in hits[row.chunk_id].values()),
            row.document_id,
            row.chunk_index,
        ),
    )
    return tuple(_candidate(row, hits[row.chunk_id]) for row in order[:_MOST_CANDIDATES])


def _candidate(row: Found, legs: Mapping[Leg, LegHit]) -> Candidate:
    return Candidate(
        chunk_id=row.chunk_id,
        document_id=row.document_id,
        version=row.version,
        chunk_index=row.chunk_index,
        source=row.source,
        title=row.title,
        text=row.text,
        content_hash=row.content_hash.hex(),
        pages=_pages(row),
        section=tuple(row.section),
        tokens=row.tokens,
        dated_at=row.dated_at,
        legs=legs,
        similarity=row.similarity,
        metadata=row.metadata,
    )


def _pages(row: Found) -> tuple[int, ...]:
    between = {span[0] for span in row.spans or ()}
    return tuple(sorted({row.page_start, row.page_end, *between}))
