"""A question's scope as SQL, and what the database knows of it before anything is searched."""

from collections import OrderedDict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from typing import Any, Final
from uuid import UUID

from psycopg import sql

from pulsedocs.adapters.postgres.filters_sql import wanted_documents
from pulsedocs.adapters.postgres.queries import query
from pulsedocs.adapters.postgres.rows import no_collection
from pulsedocs.errors import (
    DocumentNotFound,
    InvalidRequest,
    ModelNotFound,
    ModelNotReady,
)
from pulsedocs.model.models import ModelState
from pulsedocs.model.retrieval import Scope
from pulsedocs.retrieval.filters import parse_filter

_MOST_SEEN: Final = 1000


@dataclass(frozen=True, slots=True)
class ScopedCollection:
    """`model_state` is None where the tenant has not registered the model; READY has an id."""

    name: str
    collection_id: UUID
    language: str
    model: str
    retrieval_profile: str
    model_id: int | None
    dimensions: int | None
    shelf: int
    """The collection's number in its postings."""
    is_indexed: bool = False
    model_state: str | None = ModelState.READY


@dataclass(frozen=True, slots=True)
class ScopeSize:
    documents: int
    chunks: int
    published_at: datetime | None


@dataclass(frozen=True, slots=True)
class SearchModel:
    """A model as the database has it; its numbers may therefore stand in a statement."""

    model: str
    model_id: int
    dimensions: int
    is_indexed: bool = False
    """Whether there are so many vectors of the model that they have an index."""


@dataclass(frozen=True, slots=True)
class SeenScope:
    """What statements over a scope depend on, as one snapshot had it."""

    collections: tuple[ScopedCollection, ...]
    model: SearchModel
    size: ScopeSize


class BoundScope:
    """Raises InvalidRequest when the scope's filters do not parse."""

    def __init__(self, scope: Scope, *, model: str | None) -> None:
        self._scope = scope
        # Filters have up to 4 MB, and a thousand keys are kept.
        self.key = sha256(repr((scope, model)).encode()).digest()
        condition = parse_filter(scope.filters)
        self.is_filtered = condition is not None or bool(scope.document_ids)
        self._wanted, bound = wanted_documents(condition, scope.document_ids)
        self.parameters: dict[str, Any] = {
            **bound,
            "tenant_id": scope.tenant_id,
            "is_filtered": self.is_filtered,
            "names": list(scope.collections),
            "document_ids": list(scope.document_ids),
            "model": model,
        }

    def statement(self, name: str, **parts: sql.Composable) -> sql.Composed:
        """Fill the condition on documents, and what else is named, into a statement."""
        return sql.SQL(query(name)).format(wanted=self._wanted, **parts)

    def known(self, found: Iterable[ScopedCollection]) -> list[ScopedCollection]:
        """Return the scope's collections in the order asked; refuse one that does not exist."""
        by_name = {collection.name: collection for collection in found}
        for name in self._scope.collections:
            if name not in by_name:
                raise no_collection(name)
        if not by_name:
            raise InvalidRequest("name at least one collection")
        return [by_name[name] for name in dict.fromkeys(self._scope.collections)]

    def refuse_unknown_documents(self, unknown: Sequence[UUID]) -> None:
        """Say the same of an id that exists nowhere and of one that another tenant has."""
        if unknown:
            names = ", ".join(repr(name) for name in self._scope.collections)
            message = f"there is no document '{unknown[0]}' in {names}"
            raise DocumentNotFound(message, document_id=str(unknown[0]))


def search_model(collections: Sequence[ScopedCollection]) -> SearchModel:
    """Return the one model that all collections are searched by."""
    models = sorted({collection.model for collection in collections})
    if len(models) > 1:
        message = f"{' and '.join(models)} embed these collections: ask those of one at a time"
        raise InvalidRequest(message)
    first = collections[0]
    if first.model_id is None or first.dimensions is None:
        if first.model_state in {None, ModelState.RETIRED}:
            message = f"the model {first.model!r} is not registered"
            raise ModelNotFound(message, model=first.model)
        message = f"the model {first.model!r} is {first.model_state}"
        raise ModelNotReady(message, model=first.model, state=first.model_state)
    return SearchModel(first.model, first.model_id, first.dimensions, first.is_indexed)


class SeenScopes:
    """What scopes were when last looked at: a guess, for a snapshot to confirm."""

    def __init__(self) -> None:
        self._seen: OrderedDict[bytes, SeenScope] = OrderedDict()

    def get(self, bound: BoundScope) -> SeenScope | None:
        return self._seen.get(bound.key)

    def keep(
        self, bound: BoundScope, found: Iterable[ScopedCollection], size: ScopeSize
    ) -> SeenScope:
        """Check what was found as `BoundScope.known` and `search_model` do, and remember it."""
        collections = tuple(bound.known(found))
        scope = SeenScope(collections, search_model(collections), size)
        self._seen[bound.key] = scope
        self._seen.move_to_end(bound.key)
        if len(self._seen) > _MOST_SEEN:
            self._seen.popitem(last=False)
        return scope
