"""Collections on their way from one model to another: shadow model, promotion, roll-back."""

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
from pulsedocs.adapters.postgres.rows import Key, no_collection
from pulsedocs.errors import (
    Conflict,
    CoverageIncomplete,
    MigrationNotFound,
    MigrationUnderWay,
    NothingToRollBack,
)
from pulsedocs.faults import fault_point
from pulsedocs.model.models import MigrationState, ModelMigration, SampledChunk


class PostgresMigrationStore:
    """Implements `embedding_models.ports.MigrationStore`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def start(
        self, tenant_id: UUID, collection: str, to_model: str, *, actor: str
    ) -> tuple[ModelMigration, UUID]:
        wanted = _wanted(tenant_id, collection) | {"model": to_model, "actor": actor}
        wanted |= {"backfill_id": uuid4()}

        def work(tx: Connection[Any]) -> tuple[ModelMigration, UUID]:
            key, active = _lock(tx, wanted)
            refuse_unusable(tx, key)
            if to_model == active:
                raise Conflict(
                    f"the collection is searched by {to_model!r} already", model=to_model
                )
            known = _known(tx, key)
            if known is None or known.state is not MigrationState.SHADOW:
                is_new = True
            elif {known.from_model, known.to_model} == {active, to_model}:
                is_new = False
            else:
                raise MigrationUnderWay(
                    f"the collection has a shadow model at present: {known.to_model!r}",
                    model=known.to_model,
                )
            if is_new:
                models = {"from_model": active, "to_model": to_model}
                tx.execute(query("start_migration"), key | models)
                audit(tx, key, "start_migration", collection=collection, from_model=active)
            backfill_id = open_backfill(tx, key)
            fault_point("start_migration.before_commit")
            return _found(wanted, tx), backfill_id

        started = self._database.run(tenant_id, work)
        fault_point("start_migration.after_commit")
        return started

    def migration(self, tenant_id: UUID, collection: str) -> ModelMigration:
        work = partial(_found, _wanted(tenant_id, collection))
        return self._database.run(tenant_id, work, read_only=True)

    def promote(self, tenant_id: UUID, collection: str, *, actor: str) -> ModelMigration:
        wanted = _wanted(tenant_id, collection) | {"actor": actor}

        def work(tx: Connection[Any]) -> ModelMigration:
            key, active = _lock(tx, wanted)
            migration = _found(wanted, tx)
            if active == migration.to_model:
                return migration
            key |= {"model": migration.to_model}
            _switch(tx, key, MigrationState.PROMOTED, active=active)
            return _found(wanted, tx)

        promoted = self._database.run(tenant_id, work)
        fault_point("promote_model.after_commit")
        return promoted

    def roll_back(self, tenant_id: UUID, collection: str, *, actor: str) -> ModelMigration:
        wanted = _wanted(tenant_id, collection) | {"actor": actor}

        def work(tx: Connection[Any]) -> ModelMigration:
            key, active = _lock(tx, wanted)
            migration = _found(wanted, tx)
            if migration.state is MigrationState.ROLLED_BACK:
                return migration
            if active != migration.to_model:
                raise NothingToRollBack(f"{migration.to_model!r} was not promoted", model=active)
            key |= {"model": migration.from_model}
            _switch(tx, key, MigrationState.ROLLED_BACK, active=active)
            return _found(wanted, tx)

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

        def read(tx: Connection[Any]) -> list[SampledChunk]:
            key = wanted | {"collection_id": extent(tx, wanted)}
            return [
                SampledChunk(chunk_id, tuple(old.to_list()), tuple(new.to_list()))
                for chunk_id, old, new in tx.execute(query("sampled_chunks"), key)
            ]

        return self._database.run(tenant_id, read, read_only=True)


def _wanted(tenant_id: UUID, collection: str) -> Key:
    return {"tenant_id": tenant_id, "name": collection}


def _switch(tx: Connection[Any], key: Key, state: MigrationState, *, active: str) -> None:
    """Search by another model from the commit on, if that one has all that can be found.

    `change_model` waits for publications under way and keeps others out: what they publish is
    counted, or is refused until it has a vector of the new model too.
    """
    refuse_unusable(tx, key)
    tx.execute(query("change_model"), key)
    coverage = measured(tx, key)
    if coverage.missing:
        raise CoverageIncomplete(
            f"{coverage.missing} of {coverage.chunks} chunks of {key['name']!r} have neither a"
            f" vector of {key['model']!r} nor a recorded refusal",
            model=key["model"],
            chunks=coverage.chunks,
            embedded=coverage.embedded,
            missing=coverage.missing,
        )
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


def _lock(tx: Connection[Any], wanted: Key) -> tuple[Key, str]:
    """Return the collection's id with what was wanted, and the model it is searched by.

    Documents are registered meanwhile: a promotion counts for seconds, and not them.
    """
    row = tx.execute(query("lock_collections_model"), wanted).fetchone()
    if row is None:
        raise no_collection(wanted["name"])
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
