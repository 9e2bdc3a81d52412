"""The models API: register embedding models, fill them in, try them, go back, retire them."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from http import HTTPStatus
from typing import Annotated
from uuid import UUID

from pydantic import BaseModel, ConfigDict, StringConstraints

from pulsedocs.bootstrap import buckets, databases, providers
from pulsedocs.edge.api import (
    READ,
    WRITE,
    Query,
    caller,
    create_api,
    deadline,
    lambda_handler,
    path_text,
)
from pulsedocs.edge.parameters import PathName
from pulsedocs.edge.requests import EmbeddingModel
from pulsedocs.embedding_models.migrate_collection import (
    ModelComparison,
    show_migration,
    start_migration,
)
from pulsedocs.embedding_models.register_model import register_model, request_backfill, retire_model
from pulsedocs.errors import InvalidRequest
from pulsedocs.model.models import (
    Backfill,
    ModelCoverage,
    ModelMigration,
    ModelState,
    RegisteredModel,
)

api = create_api(remembers=databases.document_catalogue)

CollectionName = Annotated[str, StringConstraints(min_length=1, max_length=128)]


class ModelRequest(BaseModel):
    """A model to register, `provider:name@dimensions`."""

    model_config = ConfigDict(extra="forbid")

    model: EmbeddingModel


class ModelsView(BaseModel):
    models: list[RegisteredModel]


@dataclass(frozen=True, slots=True)
class CoverageReportView(ModelCoverage):
    """What a model has of chunks that are published or held; `stale` are among the embedded."""

    backfills: Sequence[Backfill]


class BackfillRequest(BaseModel):
    """A collection to fill in; all of the tenant's when it is left out."""

    model_config = ConfigDict(extra="forbid")

    collection: CollectionName | None = None


class BackfillStartedView(BaseModel):
    backfill_id: UUID
    model: str
    collection: str | None


class RetiredModelView(BaseModel):
    model: str
    state: ModelState


class MigrationRequest(BaseModel):
    """The model to try beside the one that the collection is searched by."""

    model_config = ConfigDict(extra="forbid")

    to_model: EmbeddingModel


@dataclass(frozen=True, slots=True)
class MigrationProgressView(ModelMigration):
    """`coverage` is by model; `comparison` null until both have vectors."""

    coverage: Mapping[str, ModelCoverage]
    backfill: Backfill | None
    comparison: ModelComparison | None


@api.on("GET /models", READ)
def models() -> ModelsView:
    """List the tenant's models by name."""
    tenant_id = caller(api).tenant_id
    return ModelsView(models=databases.model_store().models(tenant_id))


@api.on("POST /models", WRITE, status=HTTPStatus.ACCEPTED)
def register(request: ModelRequest) -> RegisteredModel:
    """Register a model; its provider is asked for one vector before it can be used."""
    who = caller(api)
    providers.check_model(request.model)
    return register_model(
        who.tenant_id,
        request.model,
        actor=who.subject,
        models=databases.model_store(),
        objects=buckets.object_store(),
    )


@api.on("GET /models/{model}/coverage", READ)
def coverage(
    model: PathName, collection: Annotated[str | None, Query(max_length=128)] = None
) -> CoverageReportView:
    """Count what a model has of the chunks, and name its newest backfills."""
    tenant_id, store = caller(api).tenant_id, databases.model_store()
    named = path_text(model)
    found = store.coverage(tenant_id, named, collection=collection)
    asked = store.backfills(tenant_id, named, collection=collection)
    return CoverageReportView(**asdict(found), backfills=asked)


@api.on("POST /models/{model}/backfill", WRITE, status=HTTPStatus.ACCEPTED)
def backfill(
    model: PathName,
    request: BackfillRequest | None = None,
    collection: Annotated[str | None, Query(min_length=1, max_length=128)] = None,
) -> BackfillStartedView:
    """Embed what a model lacks, and make anew what is stale; one under way is not started twice.

    A collection may be named in the body or in the query: only its documents are embedded then.
    """
    who, named = caller(api), path_text(model)
    in_body = None if request is None else request.collection
    if None not in {collection, in_body} and collection != in_body:
        raise InvalidRequest("the query and the body name two different collections")
    collection = in_body if collection is None else collection
    backfill_id = request_backfill(
        who.tenant_id,
        named,
        collection=collection,
        actor=who.subject,
        models=databases.model_store(),
        objects=buckets.object_store(),
    )
    return BackfillStartedView(backfill_id=backfill_id, model=named, collection=collection)


@api.on("DELETE /models/{model}", WRITE, status=HTTPStatus.ACCEPTED)
def retire(model: PathName) -> RetiredModelView:
    """Retire a model that no collection is searched by; its vectors are removed."""
    who, named = caller(api), path_text(model)
    retire_model(
        who.tenant_id,
        named,
        actor=who.subject,
        models=databases.model_store(),
        objects=buckets.object_store(),
    )
    return RetiredModelView(model=named, state=ModelState.RETIRED)


@api.on("POST /collections/{name}/migration", WRITE, status=HTTPStatus.ACCEPTED)
def start(name: PathName, request: MigrationRequest) -> ModelMigration:
    """Try a model in a collection; the present one answers until the other is promoted."""
    who = caller(api)
    return start_migration(
        who.tenant_id,
        path_text(name),
        request.to_model,
        actor=who.subject,
        migrations=databases.migration_store(),
        objects=buckets.object_store(),
    )


@api.on("GET /collections/{name}/migration", READ)
def progress(name: PathName) -> MigrationProgressView:
    """Show how far a migration is, and how differently the two models order the collection."""
    found = show_migration(
        caller(api).tenant_id,
        path_text(name),
        migrations=databases.migration_store(),
        models=databases.model_store(),
        retrieval=databases.retrieval_store(),
        deadline=deadline(),
    )
    migration = found.migration
    return MigrationProgressView(
        **asdict(migration),
        coverage={
            migration.from_model: found.from_coverage,
            migration.to_model: found.to_coverage,
        },
        backfill=found.backfill,
        comparison=found.comparison,
    )


@api.on("POST /collections/{name}/migration/promote", WRITE)
def promote(name: PathName) -> ModelMigration:
    """Search by the model that was tried, from now on; refused while chunks lack its vectors."""
    who, migrations = caller(api), databases.migration_store()
    return migrations.promote(who.tenant_id, path_text(name), actor=who.subject)


@api.on("POST /collections/{name}/migration/rollback", WRITE)
def roll_back(name: PathName) -> ModelMigration:
    """Search by the former model again; possible until that one is retired."""
    who, migrations = caller(api), databases.migration_store()
    return migrations.roll_back(who.tenant_id, path_text(name), actor=who.subject)


handler = lambda_handler(api)
