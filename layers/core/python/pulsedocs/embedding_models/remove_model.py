"""Remove the vectors of a model that its tenant has retired."""

from dataclasses import dataclass

from pulsedocs.embedding_models.model_record import named_model
from pulsedocs.embedding_models.ports import RetirementStore
from pulsedocs.embedding_models.register_model import ask_for_removal
from pulsedocs.model.deadline import Deadline
from pulsedocs.model.object_keys import retirement_of
from pulsedocs.ports.objects import ObjectStore


@dataclass(frozen=True, slots=True)
class Removed:
    vectors: int
    complete: bool


def remove_model(
    key: str, *, store: RetirementStore, objects: ObjectStore, deadline: Deadline
) -> Removed:
    """Delete until nothing is left; what time does not allow is asked for again."""
    tenant_id, _ = retirement_of(key)
    model = named_model(objects.read(key))
    vectors = 0
    while removed := store.remove_some(tenant_id, model):
        vectors += removed
        if deadline.remaining() <= 0:
            ask_for_removal(tenant_id, model, objects=objects)
            return Removed(vectors, complete=False)
    store.forget(tenant_id, model)
    return Removed(vectors, complete=True)
