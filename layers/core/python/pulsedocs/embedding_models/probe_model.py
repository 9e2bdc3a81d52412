"""Ask a provider for one vector: whether a model exists and is as wide as its name says."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Final

from pydantic import Field

from pulsedocs.embedding import parse_model_name
from pulsedocs.embedding_models.model_record import named_model
from pulsedocs.embedding_models.ports import BackfillStore
from pulsedocs.errors import ProviderMalformed, ProviderRefused, PulseDocsError
from pulsedocs.faults import fault_point
from pulsedocs.model.caught_errors import report_of
from pulsedocs.model.deadline import Deadline
from pulsedocs.model.documents import ErrorReport
from pulsedocs.model.models import ModelReference
from pulsedocs.model.object_keys import probe_of
from pulsedocs.ports.objects import ObjectStore
from pulsedocs.ports.providers import Embedder

PROBE: Final = "Every model is asked for the vector of this sentence before it is used."
_SHORTEST, _LONGEST = 0.5, 1.5  # what a stored vector's length is checked against


@dataclass(frozen=True, slots=True)
class Probed:
    """What a provider gave; `length` is that of the vector."""

    model: str
    dimensions: Annotated[int, Field(ge=0)]
    length: float


@dataclass(frozen=True, slots=True)
class ProbeRecorded:
    """`recorded` is false where no model waits for this probe any more."""

    recorded: bool


def probe_model(
    key: str, *, objects: ObjectStore, embedder: Callable[[str], Embedder], deadline: Deadline
) -> Probed:
    """Embed one sentence. Raises what the provider's adapter raises, and ModelNotFound."""
    probe_of(key)
    model = named_model(objects.read(key))
    answer = embedder(model).embed_passages([PROBE], deadline=deadline)
    fault_point("probe.answered")
    if answer.refused:
        raise ProviderRefused("the provider refused a plain English sentence", model=model)
    [vector] = answer.vectors
    return Probed(model, len(vector), math.hypot(*vector))


def record_probe(key: str, probed: Probed, *, store: BackfillStore) -> ProbeRecorded:
    """Make the model usable, or say why it is not."""
    wanted = parse_model_name(probed.model).dimensions
    error: PulseDocsError | None = None
    if probed.dimensions != wanted:
        error = ProviderMalformed(
            f"the provider gives {probed.dimensions} dimensions, not {wanted}",
            dimensions=probed.dimensions,
        )
    elif not _SHORTEST <= probed.length <= _LONGEST:
        error = ProviderMalformed(f"the provider's vector has length {probed.length:.3g}, not 1")
    report = None
    if error is not None:
        report = ErrorReport(error.code, error.message, error.context, error.guidance)
    recorded = store.record_probe(_reference(key), report, name=probed.model) is not None
    return ProbeRecorded(recorded)


def record_refusal(key: str, *, name: str, cause: str, store: BackfillStore) -> ProbeRecorded:
    """Say why a model cannot be used: `name` and `cause` are what Step Functions caught."""
    return ProbeRecorded(store.record_probe(_reference(key), report_of(name, cause)) is not None)


def _reference(key: str) -> ModelReference:
    return ModelReference(*probe_of(key))
