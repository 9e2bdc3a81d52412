"""Embedding models of a tenant: register one, measure it, fill it in, retire it."""

from uuid import UUID

from pulsedocs.embedding import parse_model_name
from pulsedocs.embedding_models.model_record import naming
from pulsedocs.embedding_models.ports import ModelStore
from pulsedocs.errors import Conflict
from pulsedocs.faults import fault_point
from pulsedocs.model.models import ModelState, RegisteredModel
from pulsedocs.model.object_keys import (
    backfill_control_key,
    probe_control_key,
    retire_control_key,
)
from pulsedocs.ports.objects import ObjectStore

MOST_MODELS = 20
"""Of one tenant: each takes a table of its own in the stage's database."""


def register_model(
    tenant_id: UUID, model: str, *, actor: str, models: ModelStore, objects: ObjectStore
) -> RegisteredModel:
    """Register a model and ask for its probe; a usable one stays, a failed one tries again.

    Raises InvalidRequest for what is no name of a model, and Conflict for one too many.
    """
    parse_model_name(model)
    known = models.models(tenant_id)
    if len(known) >= MOST_MODELS and all(each.model != model for each in known):
        raise Conflict(f"there are {MOST_MODELS} models already; retire one first")
    registered, probe_id = models.register(tenant_id, model, actor=actor)
    fault_point("register_model.before_control")
    if probe_id is not None and registered.state is ModelState.PROBING:
        objects.write(probe_control_key(tenant_id, probe_id), naming(model))
    return registered


def request_backfill(
    tenant_id: UUID,
    model: str,
    *,
    collection: str | None,
    actor: str,
    models: ModelStore,
    objects: ObjectStore,
) -> UUID:
    """Ask for what a model lacks to be embedded, and for what is stale to be made anew.

    One that is under way is not started twice; asking again finds it if its start was lost.
    """
    parse_model_name(model)
    backfill_id = models.request_backfill(tenant_id, model, collection=collection, actor=actor)
    ask_for_backfill(tenant_id, backfill_id, objects=objects)
    return backfill_id


def ask_for_backfill(tenant_id: UUID, backfill_id: UUID, *, objects: ObjectStore) -> None:
    fault_point("request_backfill.before_control")
    objects.write(backfill_control_key(tenant_id, backfill_id), b"{}")


def retire_model(
    tenant_id: UUID, model: str, *, actor: str, models: ModelStore, objects: ObjectStore
) -> None:
    """Let nobody use a model any more, and ask for its vectors to be removed.

    Raises ModelInUse while a collection is searched by it, and ModelNotFound.
    """
    models.retire(tenant_id, model, actor=actor)
    fault_point("retire_model.before_control")
    ask_for_removal(tenant_id, model, objects=objects)


def ask_for_removal(tenant_id: UUID, model: str, *, objects: ObjectStore) -> None:
    objects.write(retire_control_key(tenant_id, model), naming(model))
