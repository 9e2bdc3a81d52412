"""Where one page stands: what is stored of it, and the place it would take in each leg."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from psycopg import Connection, sql
from psycopg.rows import class_row, scalar_row, tuple_row

from pulsedocs.adapters.postgres.queries import query
from pulsedocs.adapters.postgres.questions.legs import LegStatements
from pulsedocs.adapters.postgres.questions.scopes import BoundScope, ScopedCollection, search_model
from pulsedocs.model.page_status import PageQuery, PageStatus
from pulsedocs.model.retrieval import CandidateQuery, Leg, LegHit

_TO_THE_END: Final = 2_000_000_000  # more chunks than a collection holds


def read_page_status(asked: PageQuery, connection: Connection[Any]) -> PageStatus | None:
    """Return None for a document that is not there, whether it is another tenant's or nobody's."""
    cursor = connection.cursor(row_factory=class_row(PageStatus))
    found = cursor.execute(
        query("retrieval_page_status"),
        {
            "tenant_id": asked.tenant_id,
            "document_id": asked.document_id,
            "page": asked.page,
            "model": asked.model,
        },
    ).fetchone()
    if found is None or asked.query is None or found.published_at is None:
        return found
    return _Ranking(asked, asked.query, connection).completed(found)


class _Ranking:
    """One page in the legs of a question, each read to its end by an exact scan."""

    def __init__(
        self, asked: PageQuery, question: CandidateQuery, connection: Connection[Any]
    ) -> None:
        self._connection = connection
        # The legs that ran, each read to its end.
        self._question = replace(
            question,
            vector_candidates=_TO_THE_END if question.vector_candidates else 0,
            keyword_candidates=_TO_THE_END if question.keyword_candidates else 0,
            exact=True,
        )
        self._bound = BoundScope(question.scope, model=question.model)
        self._page: Mapping[str, Any] = {
            "asked_document": asked.document_id,
            "asked_page": asked.page,
        }

    def completed(self, status: PageStatus) -> PageStatus:
        cursor = self._connection.cursor(row_factory=scalar_row)
        parameters = {**self._bound.parameters, **self._page}
        statement = self._bound.statement("retrieval_in_scope")
        is_in_scope = bool(cursor.execute(statement, parameters).fetchone())
        ranks = self._ranks() if is_in_scope else {}
        return replace(status, in_scope=is_in_scope, ranks=ranks)

    def _ranks(self) -> dict[Leg, LegHit]:
        """Return the page's best place by leg; of several languages' keyword legs, the better."""
        found: dict[Leg, list[LegHit]] = defaultdict(list)
        cursor = self._connection.cursor(row_factory=class_row(ScopedCollection))
        rows = cursor.execute(query("retrieval_collections"), self._bound.parameters).fetchall()
        collections = self._bound.known(rows)
        legs = LegStatements(
            self._bound,
            self._question,
            collections=collections,
            model=search_model(collections),
        )
        for item in (*legs.by_vector(exact=True), *legs.by_words()):
            statement = sql.SQL(query("retrieval_page_rank")).format(leg=item.statement)
            of_page = self._connection.cursor(row_factory=tuple_row)
            row = of_page.execute(statement, {**item.parameters, **self._page}).fetchone()
            if row is not None:
                found[item.leg].append(LegHit(row[0], row[1]))
        return {leg: min(hits, key=lambda hit: hit.rank) for leg, hits in found.items()}
