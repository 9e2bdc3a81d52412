"""Questions as the tests put them: few words, sensible defaults."""

from typing import Any
from uuid import UUID

from benchmarks.library import Shelf
from pulsedocs.adapters.postgres.questions.legs import LegStatements
from pulsedocs.adapters.postgres.questions.retrieval import PostgresRetrievalStore
from pulsedocs.adapters.postgres.questions.scopes import BoundScope, ScopedCollection, SearchModel
from pulsedocs.model.retrieval import CandidateQuery, Candidates, Leg, Scope


def query_of(  # noqa: PLR0913 -- each may be left out
    shelf: Shelf,
    words: str | None = None,
    *,
    vector: tuple[float, ...] | None = None,
    hyde: tuple[float, ...] | None = None,
    limit: int = 10,
    exact: bool = False,
    model: str | None = None,
    collections: tuple[str, ...] = ("default",),
    document_ids: tuple[UUID, ...] = (),
    filters: dict[str, Any] | None = None,
) -> CandidateQuery:
    vectors = {Leg.VECTOR: vector, Leg.HYDE: hyde}
    return CandidateQuery(
        scope=Scope(shelf.tenant_id, collections, document_ids, filters),
        model=model or shelf.model,
        dimensions=0,
        vectors={leg: given for leg, given in vectors.items() if given is not None},
        words=words,
        vector_candidates=limit,
        keyword_candidates=limit,
        exact=exact,
    )


def statements_of(
    shelf: Shelf, asked: CandidateQuery, *, dimensions: int, number: int = 1
) -> LegStatements:
    """Return what the store would run; `number` is the shelf's own in the keyword index."""
    return LegStatements(
        BoundScope(asked.scope, model=shelf.model),
        asked,
        collections=[
            ScopedCollection(
                "default",
                shelf.collection_id,
                "english",
                shelf.model,
                "default",
                shelf.model_id,
                dimensions,
                shelf=number,
            )
        ],
        model=SearchModel(shelf.model, shelf.model_id, dimensions),
    )


def texts(found: Candidates, leg: Leg | None = None) -> list[str]:
    """Return the texts of a leg in its order, or of all candidates in theirs."""
    chosen = [c for c in found.candidates if leg is None or leg in c.legs]
    if leg is not None:
        chosen.sort(key=lambda candidate: candidate.legs[leg].rank)
    return [candidate.text for candidate in chosen]


def search_words(
    store: PostgresRetrievalStore, shelf: Shelf, words: str, **options: Any
) -> list[str]:
    return texts(store.search(query_of(shelf, words, **options)), Leg.KEYWORD)


def search_vector(
    store: PostgresRetrievalStore, shelf: Shelf, vector: tuple[float, ...], **options: Any
) -> list[str]:
    return texts(store.search(query_of(shelf, vector=vector, **options)), Leg.VECTOR)
