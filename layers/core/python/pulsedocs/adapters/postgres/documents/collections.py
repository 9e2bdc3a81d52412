"""Collections by name: what they choose, and how their name is given away."""

from collections.abc import Mapping
from dataclasses import asdict, fields
from functools import partial
from typing import Any
from uuid import UUID, uuid4

from psycopg import Connection
from psycopg.rows import dict_row

from pulsedocs.adapters.postgres.audits import record_audit
from pulsedocs.adapters.postgres.connection import Database
from pulsedocs.adapters.postgres.deletion import deletions
from pulsedocs.adapters.postgres.queries import query
from pulsedocs.adapters.postgres.rows import Key, no_collection, value_of
from pulsedocs.errors import (
    CollectionExists,
    CollectionNotEmpty,
    InvalidRequest,
)
from pulsedocs.faults import fault_point
from pulsedocs.model.changes import Collection, CollectionChoices
from pulsedocs.model.languages import WITHOUT_FORMS

_WHAT_ROWS_ARE_MADE_WITH = ("model", "language")


class PostgresCollectionStore:
    """Implements `documents.ports.CollectionStore`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def list_collections(self, tenant_id: UUID) -> list[Collection]:
        return self._database.run(tenant_id, partial(_found, tenant_id, None), read_only=True)

    def collection(self, tenant_id: UUID, name: str) -> Collection:
        return self._database.run(tenant_id, partial(_one, tenant_id, name), read_only=True)

    def create(
        self, tenant_id: UUID, name: str, choices: CollectionChoices, *, actor: str
    ) -> Collection:
        wanted = {"tenant_id": tenant_id, "name": name} | asdict(choices)

        def work(tx: Connection[Any]) -> Collection:
            _prepare(tx, wanted)
            if tx.execute(query("create_collection"), wanted).fetchone() is None:
                raise CollectionExists(f"there is a collection {name!r} already", collection=name)
            tx.execute(query("revive_model"), wanted)
            record_audit(tx, tenant_id, actor, "create_collection", name, **asdict(choices))
            fault_point("create_collection.before_commit")
            return _one(tenant_id, name, tx)

        return self._database.run(tenant_id, work)

    def change(
        self, tenant_id: UUID, name: str, changed: Mapping[str, Any], *, actor: str
    ) -> Collection:
        key = {"tenant_id": tenant_id, "name": name}

        def work(tx: Connection[Any]) -> Collection:
            found = _lock(tx, key)
            for choice in _WHAT_ROWS_ARE_MADE_WITH:
                present = found[choice]
                if found["has_documents"] and changed.get(choice, present) != present:
                    raise CollectionNotEmpty(
                        f"the documents of {name!r} were indexed with its {choice}, {present}",
                        collection=name,
                    )
            wanted = found | key | dict(changed)
            _prepare(tx, wanted)
            tx.execute(query("change_collection"), wanted)
            tx.execute(query("revive_model"), wanted)
            record_audit(tx, tenant_id, actor, "change_collection", name, **changed)
            return _one(tenant_id, name, tx)

        return self._database.run(tenant_id, work)

    def delete(
        self, tenant_id: UUID, name: str, *, is_cascading: bool, actor: str
    ) -> Mapping[UUID, UUID]:
        removal = _Removal(tenant_id, name, is_cascading=is_cascading, actor=actor)
        receipts = self._database.run(tenant_id, removal.run)
        fault_point("delete_collection.after_commit")
        return receipts


class _Removal:
    """One removal; it keeps its receipts for the case that the commit's answer is lost."""

    def __init__(self, tenant_id: UUID, name: str, *, is_cascading: bool, actor: str) -> None:
        self._key: Key = {"tenant_id": tenant_id, "name": name}
        self._is_cascading = is_cascading
        self._actor = actor
        self._receipts: dict[UUID, UUID] = {}

    def run(self, tx: Connection[Any]) -> Mapping[UUID, UUID]:
        tenant_id = self._key["tenant_id"]
        if deletions.written_before(tx, tenant_id, [*self._receipts.values()]):
            return self._receipts
        found = _lock(tx, self._key)
        if found["has_documents"] and not self._is_cascading:
            raise CollectionNotEmpty(
                f"the collection {self._key['name']!r} has documents", collection=self._key["name"]
            )
        key = self._key | {"collection_id": found["collection_id"]}
        doomed = [row[0] for row in tx.execute(query("documents_of_collection"), key)]
        self._receipts = {document_id: uuid4() for document_id in doomed}
        receipt_ids = [*self._receipts.values()]
        if doomed:
            deletions.delete_locked(tx, tenant_id, doomed, receipt_ids, actor=self._actor)
        tx.execute(query("give_away_name"), key)
        tx.execute(query("purge_collections"), key)
        receipts = [str(each) for each in receipt_ids]
        name = self._key["name"]
        record_audit(tx, tenant_id, self._actor, "delete_collection", name, receipt_ids=receipts)
        fault_point("delete_collection.before_commit")
        return self._receipts


def _found(tenant_id: UUID, name: str | None, tx: Connection[Any]) -> list[Collection]:
    wanted = {"tenant_id": tenant_id, "name": name}
    with tx.cursor(row_factory=dict_row) as cursor:
        rows = cursor.execute(query("collections"), wanted).fetchall()
    chosen = [field.name for field in fields(CollectionChoices)]
    return [
        Collection(
            row["name"],
            CollectionChoices(**{choice: row[choice] for choice in chosen}),
            row["documents"],
            row["created_at"],
        )
        for row in rows
    ]


def _one(tenant_id: UUID, name: str, tx: Connection[Any]) -> Collection:
    found = _found(tenant_id, name, tx)
    if not found:
        raise no_collection(name)
    return found[0]


def _prepare(tx: Connection[Any], wanted: Mapping[str, Any]) -> None:
    """Refuse a language without a text search configuration; make sure of the model."""
    languages = [row[0] for row in tx.execute(query("languages"))]
    if wanted["language"] not in languages:
        valid = ", ".join(sorted({*languages, *WITHOUT_FORMS}))
        raise InvalidRequest(
            f"language {wanted['language']!r} is unknown; valid are {valid}. For another one take"
            " 'simple', and a model that knows it"
        )
    for name in ("ensure_model", "add_model"):
        tx.execute(query(name), wanted)


def _lock(tx: Connection[Any], key: Mapping[str, Any]) -> dict[str, Any]:
    with tx.cursor(row_factory=dict_row) as cursor:
        found = cursor.execute(query("lock_collection"), key).fetchone()
    if found is None:
        raise no_collection(key["name"])
    # Asked behind the lock: the lock's own statement would not see whom it had to wait for.
    has_documents = value_of(tx, "has_documents", {**key, **found})
    return found | {"has_documents": has_documents}
