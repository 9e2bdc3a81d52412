"""The legs of a search: their statements, sent together, and what each of them found."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

import psycopg
from pgvector import HalfVector
from psycopg import Connection, Cursor, sql
from psycopg.rows import scalar_row

from pulsedocs.adapters.postgres.queries import query
from pulsedocs.adapters.postgres.questions.scopes import BoundScope, ScopedCollection, SearchModel
from pulsedocs.adapters.postgres.rows import storable
from pulsedocs.model.retrieval import MOST_CANDIDATES, CandidateQuery, Leg
from pulsedocs.retrieval.legs import Found, one_ranking

DEGRADED: Final = {
    Leg.VECTOR: "vector_leg",
    Leg.HYDE: "vector_leg",
    Leg.KEYWORD: "keyword_leg",
    Leg.PAGE: "page_leg",
}


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
        near = self._bound.statement(
            "retrieval_near_exact" if exact else "retrieval_near_index",
            distance=distance.format(width=sql.Literal(self._model.dimensions)),
        )
        statement = self._bound.statement("retrieval_nearest", near=near)
        collections = [collection.collection_id for collection in self._collections]
        for leg, vector in self._asked.vectors.items() if limit else ():
            parameters = {"vector": HalfVector(list(vector)), "limit": limit}
            yield self._statement(leg, statement, collections=collections, **parameters)

    def by_words(self) -> Iterator[LegStatement]:
        """Yield one statement per language: scores of two languages' words do not add up."""
        words = storable(self._asked.words or "").strip()
        if not self._asked.keyword_candidates or not words:
            return
        statement = self._bound.statement("retrieval_matching")
        by_language: dict[str, list[int]] = defaultdict(list)
        for collection in self._collections:
            by_language[collection.language].append(collection.shelf)
        for language, shelves in sorted(by_language.items()):
            yield self._statement(
                Leg.KEYWORD,
                statement,
                shelves=shelves,
                language=language,
                words=words,
                limit=self._asked.keyword_candidates,
            )

    def on_pages(self) -> LegStatement:
        return self._statement(
            Leg.PAGE,
            self._bound.statement("retrieval_on_pages"),
            collections=[collection.collection_id for collection in self._collections],
            pages=list(self._asked.pages),
            limit=MOST_CANDIDATES,
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
_DISTANCE_OF_ALL: Final = sql.SQL("held.embedding <=> %(vector)s::halfvec({width})")


def run_legs(
    connection: Connection[Any], statements: Iterable[LegStatement]
) -> tuple[LegAnswer, ...]:
    """Send all statements at once and return their answers in order.

    The connection is in pipeline mode: what was sent before and not yet fetched travels with them.
    An error ends what was sent behind it. The savepoint keeps the transaction usable, and the
    statements that had no turn are sent again without the one that failed.
    """
    pending = list(statements)
    answers: list[LegAnswer] = []
    while pending:
        answered, error = _Flight(connection, pending).land()
        answers += answered
        del pending[: len(answered)]
        if error is not None and pending:
            answers.append(LegAnswer(pending.pop(0).leg, error=error))
    return tuple(answers)


class _Flight:
    """Statements on their way, each between two looks at the server's clock."""

    def __init__(self, connection: Connection[Any], statements: Sequence[LegStatement]) -> None:
        self._connection = connection
        self._statements = statements
        self._ticks: list[Cursor[datetime]] = []
        self._cursors: list[Cursor[Found]] = []

    def land(self) -> tuple[list[LegAnswer], psycopg.Error | None]:
        """Send them and wait for all; give what answered before an error, and the error."""
        error = self._send()
        done = [cursor for cursor in self._cursors if cursor.statusmessage is not None]
        clock = [tick.fetchone() for tick in self._ticks[: len(done) + 1]]
        answered = zip(self._statements, done, clock, clock[1:], strict=False)
        return [
            LegAnswer(
                item.leg,
                cursor.fetchall(),
                round((end - begin).total_seconds() * 1000, 3) if begin and end else 0.0,
            )
            for item, cursor, begin, end in answered
        ], error

    def _send(self) -> psycopg.Error | None:
        """Send the statements, wait for their answers, and return the error that ended them."""
        savepoint = self._connection.cursor()
        try:
            savepoint.execute("SAVEPOINT legs")
            for item in self._statements:
                self._tick("force_generic_plan" if item.is_kept else "force_custom_plan")
                cursor = self._connection.cursor(row_factory=_found_row, binary=True)
                self._cursors.append(cursor.execute(item.statement, item.parameters, prepare=True))
            self._tick("auto")
            self._ticks[-1].scroll(0)  # waits
        except psycopg.Error as error:
            if self._connection.closed or savepoint.statusmessage is None:
                raise  # it was before the legs, or it is the connection
            # End the pipeline that the error aborted, and undo the statement.
            with suppress(psycopg.errors.PipelineAborted), self._connection.pipeline():
                pass
            self._undo()
            return error
        return None

    def _undo(self) -> None:
        """Return to before the legs, and to no prepared statements.

        psycopg forgets them when it hears that a rollback was done, and tells the server so behind
        the next statement: one that is prepared before that would be gone when it is used again.
        """
        with self._connection.pipeline():  # its end waits for the answer
            self._connection.execute("ROLLBACK TO SAVEPOINT legs")
        self._connection.execute("SELECT", prepare=False)

    def _tick(self, mode: str) -> None:
        cursor = self._connection.cursor(row_factory=scalar_row)
        self._ticks.append(cursor.execute(query("retrieval_plan"), {"mode": mode}, prepare=True))


def _found_row(_cursor: Cursor[Any]) -> Callable[[Sequence[Any]], Found]:
    """Make rows by position: by name, a hundred of them took a millisecond."""
    return Found._make


def by_leg(answers: Iterable[LegAnswer]) -> dict[Leg, list[Found]]:
    """Return the rows of each leg that answered; several languages become one ranking."""
    rankings: dict[Leg, list[Sequence[Found]]] = defaultdict(list)
    for answer in answers:
        if answer.error is None:
            rankings[answer.leg].append(answer.rows)
    return {leg: one_ranking(parts) for leg, parts in rankings.items()}
