"""Embedding without its providers: names, batches, vectors and what scores mean."""

from pulsedocs.embedding.batches import batches
from pulsedocs.embedding.calibration import relevance_map
from pulsedocs.embedding.declared import Declared, declared, is_local, model_for
from pulsedocs.embedding.names import (
    MODEL_NAME,
    PROVIDERS,
    completed,
    parse_model_name,
    refuse_unknown_model,
)
from pulsedocs.embedding.prefixes import query_prefix
from pulsedocs.embedding.texts import encodable
from pulsedocs.embedding.vectors import normalise, validate_vectors

__all__ = [
    "MODEL_NAME",
    "PROVIDERS",
    "Declared",
    "batches",
    "completed",
    "declared",
    "encodable",
    "is_local",
    "model_for",
    "normalise",
    "parse_model_name",
    "query_prefix",
    "refuse_unknown_model",
    "relevance_map",
    "validate_vectors",
]
