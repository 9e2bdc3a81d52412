"""The models API: register embedding models, fill them in, try them, go back, retire them."""

from collections.abc import Callable
from datetime import datetime
from http import HTTPStatus
from typing import Annotated, Any
from uuid import UUID

from pydantic import BaseModel, ConfigDict, StringConstraints

from pulsedocs import bootstrap
from pulsedocs.edge.api import (
    READ,
    WRITE,
    Path,
    Query,
    caller,
    create_api,
    deadline,
    lambda_handler,
    path_text,
)
from pulsedocs.edge.idempotency import IdempotencyKey, once
from pulsedocs.edge.tasks import to_json
from pulsedocs.embedding_models.migrate_collection import show_migration, start_migration
from pulsedocs.embedding_models.register_model import register_model, request_backfill, retire_model
from pulsedocs.errors import InvalidRequest
from pulsedocs.model.models import MigrationState, ModelCoverage, ModelMigration, ModelState

api = create_api()

InPath = Annotated[str, Path(max_length=512)]
ModelName = Annotated[str, StringConstraints(min_length=3, max_length=200)]
CollectionName = Annotated[str, StringConstraints(min_length=1, max_length=128)]


class ModelRequest(BaseModel):
    """A model to register, `provider:name@dimensions`."""

    model_config = ConfigDict(extra="forbid")

    model: ModelName


class ModelView(BaseModel):
    """`active_in` are the collections searched by it, `shadow_in` those that try or keep it."""

    model: str
    dimensions: int
    state: ModelState
    error: dict[str, Any] | None
    active_in: list[str]
    shadow_in: list[str]
    registered_at: datetime
    registered_by: str


class ModelsView(BaseModel):
    models: list[ModelView]


class BackfillView(BaseModel):
    backfill_id: UUID
    model: str
    collection: str | None
    state: str
    error: dict[str, Any] | None
    requested_at: datetime
    ended_at: datetime | None


class ModelCoverageView(BaseModel):
    """Of chunks that are published or held; `stale` are among the embedded."""

    chunks: int
    embedded: int
    refused: int
    missing: int
    stale: int
    backfills: list[BackfillView]


class BackfillRequest(BaseModel):
    """A collection to fill in; all of the tenant's when it is left out."""

    model_config = ConfigDict(extra="forbid")

    collection: CollectionName | None = None


class MigrationRequest(BaseModel):
    """The model to try beside the one that the collection is searched by."""

    model_config = ConfigDict(extra="forbid")

    to_model: ModelName


class CoverageCountsView(BaseModel):
    chunks: int
    embedded: int
    refused: int
    missing: int
    stale: int


class ComparisonView(BaseModel):
    """How much the nearest neighbours of sampled chunks overlap between the two models."""

    sampled_chunks: int
    neighbours: int
    overlap: float
    lowest: float


class MigrationView(BaseModel):
    collection: str
    active_model: str
    from_model: str
    to_model: str
    state: MigrationState
    started_at: datetime
    started_by: str
    changed_at: datetime
    changed_by: str


class MigrationProgressView(MigrationView):
    """`coverage` is by model; `comparison` null until both have vectors."""

    coverage: dict[str, CoverageCountsView]
    backfill: BackfillView | None
    comparison: ComparisonView | None


@api.get("/models")
def models() -> ModelsView:
    """List the tenant's models by name."""
    tenant_id = caller(api, scope=READ).tenant_id
    found = bootstrap.model_store().models(tenant_id)
    return ModelsView(models=[ModelView.model_validate(to_json(each)) for each in found])


@api.post("/models", status_code=HTTPStatus.ACCEPTED)
def register(request: ModelRequest, idempotency_key: IdempotencyKey = None) -> ModelView:
    """Register a model; its provider is asked for one vector before it can be used."""
    who = caller(api, scope=WRITE)
    bootstrap.check_model(request.model)

    def respond() -> dict[str, Any]:
        made = register_model(
            who.tenant_id,
            request.model,
            actor=who.subject,
            models=bootstrap.model_store(),
            objects=bootstrap.object_store(),
        )
        return ModelView.model_validate(to_json(made)).model_dump(mode="json")

    registered = once(
        who.tenant_id,
        idempotency_key,
        route="POST /models",
        body=request.model_dump(mode="json"),
        respond=respond,
    )
    return ModelView.model_validate(registered)


@api.get("/models/<model>/coverage")
def coverage(
    model: InPath, collection: Annotated[str | None, Query(max_length=128)] = None
) -> ModelCoverageView:
    """Count what a model has of the chunks, and name its newest backfills."""
    tenant_id, store = caller(api, scope=READ).tenant_id, bootstrap.model_store()
    named = path_text(model)
    found = to_json(store.coverage(tenant_id, named, collection=collection))
    asked = to_json(store.backfills(tenant_id, named, collection=collection))
    return ModelCoverageView.model_validate(found | {"backfills": asked})


@api.post("/models/<model>/backfill", status_code=HTTPStatus.ACCEPTED)
def backfill(
    model: InPath,
    request: BackfillRequest | None = None,
    collection: Annotated[str | None, Query(min_length=1, max_length=128)] = None,
    idempotency_key: IdempotencyKey = None,
) -> dict[str, Any]:
    """Embed what a model lacks, and make anew what is stale; one under way is not started twice.

    A collection may be named in the body or in the query: only its documents are embedded then.
    """
    who, named = caller(api, scope=WRITE), path_text(model)
    in_body = None if request is None else request.collection
    if None not in {collection, in_body} and collection != in_body:
        raise InvalidRequest("the query and the body name two different collections")
    collection = in_body if collection is None else collection

    def respond() -> dict[str, Any]:
        backfill_id = request_backfill(
            who.tenant_id,
            named,
            collection=collection,
            actor=who.subject,
            models=bootstrap.model_store(),
            objects=bootstrap.object_store(),
        )
        return {"backfill_id": str(backfill_id), "model": named, "collection": collection}

    return once(
        who.tenant_id,
        idempotency_key,
        route="POST /models/backfill",
        body={"model": named, "collection": collection},
        respond=respond,
    )


@api.delete("/models/<model>", status_code=HTTPStatus.ACCEPTED)
def retire(model: InPath, idempotency_key: IdempotencyKey = None) -> dict[str, Any]:
    """Retire a model that no collection is searched by; its vectors are removed."""
    who, named = caller(api, scope=WRITE), path_text(model)

    def respond() -> dict[str, Any]:
        retire_model(
            who.tenant_id,
            named,
            actor=who.subject,
            models=bootstrap.model_store(),
            objects=bootstrap.object_store(),
        )
        return {"model": named, "state": ModelState.RETIRED.value}

    return once(
        who.tenant_id,
        idempotency_key,
        route="DELETE /models",
        body={"model": named},
        respond=respond,
    )


@api.post("/collections/<name>/migration", status_code=HTTPStatus.ACCEPTED)
def start(
    name: InPath, request: MigrationRequest, idempotency_key: IdempotencyKey = None
) -> MigrationView:
    """Try a model in a collection; the present one answers until the other is promoted."""
    who, named = caller(api, scope=WRITE), path_text(name)

    def respond() -> dict[str, Any]:
        started = start_migration(
            who.tenant_id,
            named,
            request.to_model,
            actor=who.subject,
            migrations=bootstrap.migration_store(),
            objects=bootstrap.object_store(),
        )
        return _view(started).model_dump(mode="json")

    body = once(
        who.tenant_id,
        idempotency_key,
        route="POST /collections/migration",
        body={"name": named, "to_model": request.to_model},
        respond=respond,
    )
    return MigrationView.model_validate(body)


@api.get("/collections/<name>/migration")
def progress(name: InPath) -> MigrationProgressView:
    """Show how far a migration is, and how differently the two models order the collection."""
    found = show_migration(
        caller(api, scope=READ).tenant_id,
        path_text(name),
        migrations=bootstrap.migration_store(),
        models=bootstrap.model_store(),
        retrieval=bootstrap.retrieval_store(),
        deadline=deadline(),
    )
    migration = found.migration
    covered: dict[str, ModelCoverage] = {
        migration.from_model: found.from_coverage,
        migration.to_model: found.to_coverage,
    }
    others = {"backfill": found.backfill, "comparison": found.comparison, "coverage": covered}
    return MigrationProgressView.model_validate(to_json(migration) | to_json(others))


@api.post("/collections/<name>/migration/promote")
def promote(name: InPath, idempotency_key: IdempotencyKey = None) -> MigrationView:
    """Search by the model that was tried, from now on; refused while chunks lack its vectors."""
    return _moved(bootstrap.migration_store().promote, "promote", name, idempotency_key)


@api.post("/collections/<name>/migration/rollback")
def roll_back(name: InPath, idempotency_key: IdempotencyKey = None) -> MigrationView:
    """Search by the former model again; possible until that one is retired."""
    return _moved(bootstrap.migration_store().roll_back, "rollback", name, idempotency_key)


def _moved(
    move: Callable[..., ModelMigration], called: str, name: str, idempotency_key: str | None
) -> MigrationView:
    who, named = caller(api, scope=WRITE), path_text(name)
    body = once(
        who.tenant_id,
        idempotency_key,
        route=f"POST /collections/migration/{called}",
        body={"name": named},
        status=HTTPStatus.OK,
        respond=lambda: _view(move(who.tenant_id, named, actor=who.subject)).model_dump(
            mode="json"
        ),
    )
    return MigrationView.model_validate(body)


def _view(migration: ModelMigration) -> MigrationView:
    return MigrationView.model_validate(to_json(migration))


handler = lambda_handler(api)
