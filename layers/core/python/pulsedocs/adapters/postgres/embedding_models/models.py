"""Models of a tenant: registered, measured, backfilled and retired."""

from collections.abc import Mapping
from functools import partial
from typing import Any
from uuid import UUID, uuid4

from psycopg import Connection
from psycopg.rows import class_row, dict_row

from pulsedocs.adapters.postgres.audits import record_audit
from pulsedocs.adapters.postgres.connection import Database
from pulsedocs.adapters.postgres.queries import query
from pulsedocs.adapters.postgres.rows import no_collection, report_json, value_of
from pulsedocs.errors import (
    ModelInUse,
    ModelNotFound,
    ModelNotReady,
)
from pulsedocs.faults import fault_point
from pulsedocs.model.documents import ErrorReport
from pulsedocs.model.models import (
    Backfill,
    BackfillState,
    ModelCoverage,
    ModelState,
    RegisteredModel,
)
from pulsedocs.pipeline import PIPELINE_REVISION

_RETIRED = ErrorReport("MODEL_RETIRED", "the model was retired", {}, "Register it again.")


class PostgresModelStore:
    """Implements `embedding_models.ports.ModelStore`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def models(self, tenant_id: UUID) -> list[RegisteredModel]:
        return self._database.run(tenant_id, partial(_found, tenant_id, None), read_only=True)

    def model(self, tenant_id: UUID, model: str) -> RegisteredModel:
        return self._database.run(tenant_id, partial(known_model, tenant_id, model), read_only=True)

    def register(
        self, tenant_id: UUID, model: str, *, actor: str
    ) -> tuple[RegisteredModel, UUID | None]:
        wanted = {"tenant_id": tenant_id, "model": model, "probe_id": uuid4(), "actor": actor}

        def work(tx: Connection[Any]) -> tuple[RegisteredModel, UUID | None]:
            tx.execute(query("ensure_model"), wanted)
            if value_of(tx, "probe_model", wanted) is not None:
                audit(tx, wanted, "register_model")
            probe_id: UUID | None = value_of(tx, "probe_under_way", wanted)
            fault_point("register_model.before_commit")
            return known_model(tenant_id, model, tx), probe_id

        registered = self._database.run(tenant_id, work)
        fault_point("register_model.after_commit")
        return registered

    def coverage(
        self, tenant_id: UUID, model: str, *, collection: str | None = None
    ) -> ModelCoverage:
        key = {"tenant_id": tenant_id, "model": model, "name": collection}

        def read(tx: Connection[Any]) -> ModelCoverage:
            known_model(tenant_id, model, tx)
            return measured(tx, key | {"collection_id": extent(tx, key)})

        return self._database.run(tenant_id, read, read_only=True)

    def request_backfill(
        self, tenant_id: UUID, model: str, *, collection: str | None, actor: str
    ) -> UUID:
        wanted = {"tenant_id": tenant_id, "model": model, "name": collection, "actor": actor}
        fresh_id = uuid4()

        def work(tx: Connection[Any]) -> UUID:
            refuse_unusable(tx, wanted)
            key = wanted | {"collection_id": extent(tx, wanted), "backfill_id": fresh_id}
            backfill_id = open_backfill(tx, key)
            if backfill_id == fresh_id:
                audit(tx, wanted, "backfill_model", collection=collection)
            fault_point("request_backfill.before_commit")
            return backfill_id

        backfill_id = self._database.run(tenant_id, work)
        fault_point("request_backfill.after_commit")
        return backfill_id

    def backfills(
        self, tenant_id: UUID, model: str, *, collection: str | None = None
    ) -> list[Backfill]:
        wanted = {"tenant_id": tenant_id, "model": model, "name": collection}

        def read(tx: Connection[Any]) -> list[Backfill]:
            key = wanted | {"collection_id": extent(tx, wanted)}
            with tx.cursor(row_factory=dict_row) as cursor:
                rows = cursor.execute(query("newest_backfills"), key).fetchall()
            states: list[dict[str, Any]] = [{"state": BackfillState(row["state"])} for row in rows]
            return [Backfill(**(row | state)) for row, state in zip(rows, states, strict=True)]

        return self._database.run(tenant_id, read, read_only=True)

    def retire(self, tenant_id: UUID, model: str, *, actor: str) -> None:
        wanted = {"tenant_id": tenant_id, "model": model, "actor": actor}

        def work(tx: Connection[Any]) -> None:
            state = value_of(tx, "lock_model", wanted)
            if state is None:
                raise ModelNotFound(f"the model {model!r} is not registered", model=model)
            searched = [row[0] for row in tx.execute(query("collections_searched_by"), wanted)]
            if searched:
                raise ModelInUse(
                    f"{len(searched)} collections are searched by {model!r}: "
                    + ", ".join(map(repr, searched[:10])),
                    model=model,
                )
            if state == ModelState.RETIRED:
                return
            abandoned = len(tx.execute(query("abandon_migrations"), wanted).fetchall())
            tx.execute(query("end_backfills_of_model"), wanted | {"error": report_json(_RETIRED)})
            tx.execute(query("retire_model"), wanted)
            audit(tx, wanted, "retire_model", migrations_abandoned=abandoned)
            fault_point("retire_model.before_commit")

        self._database.run(tenant_id, work)
        fault_point("retire_model.after_commit")


def known_model(tenant_id: UUID, model: str, tx: Connection[Any]) -> RegisteredModel:
    found = _found(tenant_id, model, tx)
    if not found:
        raise ModelNotFound(f"the model {model!r} is not registered", model=model)
    return found[0]


def extent(tx: Connection[Any], key: Mapping[str, Any]) -> UUID | None:
    """Return the collection that is named, or None where all are meant."""
    if key["name"] is None:
        return None
    found: UUID | None = value_of(tx, "collection_id_named", dict(key))
    if found is None:
        raise no_collection(key["name"])
    return found


def measured(tx: Connection[Any], key: Mapping[str, Any]) -> ModelCoverage:
    """Count what the model has of the chunks of `collection_id`, or of all when that is None."""
    wanted = {**key, "pipeline_revision": PIPELINE_REVISION}
    with tx.cursor(row_factory=class_row(ModelCoverage)) as cursor:
        found = cursor.execute(query("model_coverage"), wanted).fetchone()
    assert found is not None  # noqa: S101 -- an aggregate has one row
    return found


def open_backfill(tx: Connection[Any], key: Mapping[str, Any]) -> UUID:
    """Return the open backfill of this extent; it is made if there is none."""
    made = value_of(tx, "request_backfill", dict(key)) or value_of(tx, "open_backfill", dict(key))
    if made is None:  # the other one ended between the two statements
        made = value_of(tx, "request_backfill", dict(key))
    return made


def refuse_unusable(tx: Connection[Any], key: Mapping[str, Any]) -> None:
    """Keep the model from being retired before the commit; raise ModelNotFound or ModelNotReady."""
    if tx.execute(query("use_model"), key).fetchone() is not None:
        return
    found = known_model(key["tenant_id"], key["model"], tx)
    raise ModelNotReady(
        f"the model {found.model!r} is {found.state}", model=found.model, state=found.state.value
    )


def audit(
    tx: Connection[Any],
    key: Mapping[str, Any],
    action: str,
    **detail: Any,  # noqa: ANN401 -- JSON
) -> None:
    record_audit(tx, key["tenant_id"], key["actor"], action, key["model"], **detail)


def _found(tenant_id: UUID, model: str | None, tx: Connection[Any]) -> list[RegisteredModel]:
    wanted = {"tenant_id": tenant_id, "model": model}
    with tx.cursor(row_factory=dict_row) as cursor:
        rows = cursor.execute(query("models"), wanted).fetchall()
    found: list[RegisteredModel] = []
    for row in rows:
        fields: dict[str, Any] = {**row, "state": ModelState(row["state"])}
        fields |= {name: tuple(row[name]) for name in ("active_in", "shadow_in")}
        found.append(RegisteredModel(**fields))
    return found
