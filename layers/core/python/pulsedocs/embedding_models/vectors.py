"""What embedding costs at most, reserved before; what it gave, checked after."""

from collections.abc import Iterable
from typing import Protocol

from pulsedocs.embedding import parse_model_name, validate_vectors
from pulsedocs.errors import ArtifactInvalid, ProviderMalformed
from pulsedocs.model.artifacts import StoredVectors, decode_vectors
from pulsedocs.model.budgets import Amounts, bought
from pulsedocs.model.documents import Run
from pulsedocs.model.tokens import tokens_at_most
from pulsedocs.ports.objects import ObjectStore


class Reserving(Protocol):
    """A store that knows what a version has reserved of its tenant's day."""

    def reserve(self, run: Run, model: str, amounts: Amounts) -> None: ...


def reserve_texts(
    run: Run, texts: Iterable[str], *, model: str, store: Reserving, measured_tokens: int = 0
) -> None:
    """Reserve what these texts may cost, and what was bought already and is settled with them.

    Raises BudgetExceeded.
    """
    tokens = measured_tokens + sum(map(tokens_at_most, texts))
    if tokens:
        store.reserve(run, model, bought(model, input_tokens=tokens))


def read_vectors(key: str, *, model: str, objects: ObjectStore) -> StoredVectors:
    """Return the vectors of a batch. Raises ArtifactInvalid for any that cannot be compared."""
    embedded = decode_vectors(objects.read(key))
    vectors = [vector for _, vector in embedded.accepted]
    dimensions = parse_model_name(model).dimensions
    try:
        validate_vectors(vectors, expected_count=len(vectors), dimensions=dimensions)
    except ProviderMalformed as error:
        # Not an error to retry: `embed` writes no such vectors, so reading again gives the same.
        raise ArtifactInvalid(error.message) from error
    return embedded
