"""Collections on their way from one model to another: tried, promoted, taken back."""

from collections.abc import Mapping
from functools import partial
from typing import Any
from uuid import UUID, uuid4

from psycopg import Connection
from psycopg.rows import dict_row

from pulsedocs.adapters.postgres.connection import Database
from pulsedocs.adapters.postgres.embedding_models.models import (
    audit,
    extent,
    measured,
    open_backfill,
    refuse_unusable,
)
from pulsedocs.adapters.postgres.queries import query
from pulsedocs.adapters.postgres.rows import Key
from pulsedocs.errors import (
    CollectionNotFoundError,
    Conflict,
    CoverageIncomplete,
    MigrationNotFound,
    MigrationUnderWay,
    NothingToRollBack,
)
from pulsedocs.faults import fault_point
from pulsedocs.model.models import MigrationState, ModelCoverage, ModelMigration, SampledChunk


class PostgresMigrationStore:
    """Implements `ports.models.MigrationStore`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def start(
        self, tenant_id: UUID, collection: str, to_model: str, *, actor: str
    ) -> tuple[ModelMigration, UUID]:
        wanted = _wanted(tenant_id, collection) | {"model": to_model, "actor": actor}
        work = partial(_start, wanted | {"backfill_id": uuid4()})
        started = self._database.run(tenant_id, work)
        fault_point("start_migration.after_commit")
        return started

    def migration(self, tenant_id: UUID, collection: str) -> ModelMigration:
        work = partial(_found, _wanted(tenant_id, collection))
        return self._database.run(tenant_id, work, read_only=True)

    def promote(self, tenant_id: UUID, collection: str, *, actor: str) -> ModelMigration:
        work = partial(_promote, _wanted(tenant_id, collection) | {"actor": actor})
        promoted = self._database.run(tenant_id, work)
        fault_point("promote_model.after_commit")
        return promoted

    def roll_back(self, tenant_id: UUID, collection: str, *, actor: str) -> ModelMigration:
        work = partial(_roll_back, _wanted(tenant_id, collection) | {"actor": actor})
        rolled_back = self._database.run(tenant_id, work)
        fault_point("roll_back_model.after_commit")
        return rolled_back

    def sample(
        self, tenant_id: UUID, migration: ModelMigration, *, limit: int
    ) -> list[SampledChunk]:
        wanted = _wanted(tenant_id, migration.collection) | {
            "from_model": migration.from_model,
            "to_model": migration.to_model,
            "limit": limit,
        }
        return self._database.run(tenant_id, partial(_sample, wanted), read_only=True)


def _wanted(tenant_id: UUID, collection: str) -> Key:
    return {"tenant_id": tenant_id, "name": collection}


def _start(wanted: Key, tx: Connection[Any]) -> tuple[ModelMigration, UUID]:
    wanted, active = _locked(tx, wanted)
    refuse_unusable(tx, wanted)
    to_model = wanted["model"]
    under_way = _known(tx, wanted)
    is_same = under_way is not None and {under_way.from_model, under_way.to_model} == {
        active,
        to_model,
    }
    if to_model == active:
        raise Conflict(f"the collection is searched by {to_model!r} already", model=to_model)
    if under_way is not None and under_way.state is MigrationState.SHADOW and not is_same:
        raise MigrationUnderWay(
            f"the collection tries {under_way.to_model!r} at present", model=under_way.to_model
        )
    if under_way is None or not is_same or under_way.state is not MigrationState.SHADOW:
        tx.execute(query("start_migration"), wanted | {"from_model": active, "to_model": to_model})
        audit(tx, wanted, "start_migration", collection=wanted["name"], from_model=active)
    backfill_id = open_backfill(tx, wanted)
    fault_point("start_migration.before_commit")
    return _found(wanted, tx), backfill_id


def _promote(wanted: Key, tx: Connection[Any]) -> ModelMigration:
    wanted, active = _locked(tx, wanted)
    migration = _found(wanted, tx)
    if active == migration.to_model:
        return migration
    _switch(tx, wanted | {"model": migration.to_model}, MigrationState.PROMOTED, active=active)
    return _found(wanted, tx)


def _roll_back(wanted: Key, tx: Connection[Any]) -> ModelMigration:
    wanted, active = _locked(tx, wanted)
    migration = _found(wanted, tx)
    if migration.state is MigrationState.ROLLED_BACK:
        return migration
    if active != migration.to_model:
        raise NothingToRollBack(f"{migration.to_model!r} was not promoted", model=active)
    _switch(tx, wanted | {"model": migration.from_model}, MigrationState.ROLLED_BACK, active=active)
    return _found(wanted, tx)


def _switch(tx: Connection[Any], key: Key, state: MigrationState, *, active: str) -> None:
    """Search by another model from the commit on, if that one has all that can be found.

    `change_model` waits for publications under way and keeps others out: what they publish is
    counted, or is refused until it has a vector of the new model too.
    """
    refuse_unusable(tx, key)
    tx.execute(query("change_model"), key)
    coverage = measured(tx, key)
    if coverage.missing:
        raise _incomplete(key, coverage)
    tx.execute(query("search_by_model"), key)
    tx.execute(query("change_migration"), key | {"state": state.value})
    action = "promote_model" if state is MigrationState.PROMOTED else "roll_back_model"
    audit(
        tx,
        key,
        action,
        collection=key["name"],
        from_model=active,
        chunks=coverage.chunks,
        refused=coverage.refused,
    )
    fault_point(f"{action}.before_commit")


def _incomplete(key: Mapping[str, Any], coverage: ModelCoverage) -> CoverageIncomplete:
    return CoverageIncomplete(
        f"{coverage.missing} of {coverage.chunks} chunks of {key['name']!r} have neither a vector"
        f" of {key['model']!r} nor a recorded refusal",
        model=key["model"],
        chunks=coverage.chunks,
        embedded=coverage.embedded,
        missing=coverage.missing,
    )


def _locked(tx: Connection[Any], wanted: Key) -> tuple[Key, str]:
    """Return the collection's id with what was wanted, and the model it is searched by.

    Documents are registered meanwhile: a promotion counts for seconds, and not them.
    """
    row = tx.execute(query("lock_collections_model"), wanted).fetchone()
    if row is None:
        name = wanted["name"]
        raise CollectionNotFoundError(f"there is no collection {name!r}", collection=name)
    return wanted | {"collection_id": row[0]}, row[1]


def _found(wanted: Key, tx: Connection[Any]) -> ModelMigration:
    found = _known(tx, wanted | {"collection_id": extent(tx, wanted)})
    if found is None:
        name = wanted["name"]
        raise MigrationNotFound(f"the collection {name!r} has no migration", collection=name)
    return found


def _known(tx: Connection[Any], key: Key) -> ModelMigration | None:
    with tx.cursor(row_factory=dict_row) as cursor:
        row = cursor.execute(query("migration_of_collection"), key).fetchone()
    if row is None:
        return None
    fields: dict[str, Any] = {**row, "state": MigrationState(row["state"])}
    return ModelMigration(**fields)


def _sample(wanted: Key, tx: Connection[Any]) -> list[SampledChunk]:
    rows = tx.execute(query("sampled_chunks"), wanted | {"collection_id": extent(tx, wanted)})
    return [
        SampledChunk(chunk_id, tuple(old.to_list()), tuple(new.to_list()))
        for chunk_id, old, new in rows
    ]
