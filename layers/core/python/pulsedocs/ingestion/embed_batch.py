"""Ingestion: one batch of texts to vectors in S3, without database. Paid for at most once."""

import time
from dataclasses import dataclass
from typing import Annotated

from pydantic import Field

from pulsedocs.embedding import validate_vectors
from pulsedocs.faults import fault_point
from pulsedocs.model.artifacts import decode_batch, encode_vectors
from pulsedocs.model.deadline import Deadline
from pulsedocs.model.documents import Run
from pulsedocs.model.embeddings import EmbeddingBatchReference
from pulsedocs.model.object_keys import embedding_batch_key, vectors_key
from pulsedocs.ports.objects import ObjectStore
from pulsedocs.ports.providers import Embedder


@dataclass(frozen=True, slots=True)
class VectorsWritten:
    """`input_tokens` were paid for by this very call."""

    vectors_key: str
    called: bool
    input_tokens: Annotated[int, Field(ge=0)] = 0


def embed_batch(
    run: Run,
    batch: EmbeddingBatchReference,
    *,
    objects: ObjectStore,
    embedder: Embedder,
    deadline: Deadline,
) -> VectorsWritten:
    """Call the provider unless these texts' vectors already lie in S3."""
    key = vectors_key(run, embedder.model, batch.hash)
    # The hash is of model, chunk ids and texts: what lies there was paid for, by whichever run.
    if objects.exists(key):
        return VectorsWritten(key, called=False)
    texts = decode_batch(objects.read(embedding_batch_key(run, batch.hash)))
    started = time.monotonic()
    embedded = embedder.embed_passages([item.text for item in texts.items], deadline=deadline)
    elapsed_ms = round((time.monotonic() - started) * 1000)
    # Before anything is kept: what lies in S3 is never asked for again.
    validate_vectors(
        [vector for index, vector in enumerate(embedded.vectors) if index not in embedded.refused],
        expected_count=len(texts.items) - len(embedded.refused),
        dimensions=embedder.dimensions,
    )
    fault_point("embed.before_write")
    vectors = encode_vectors(
        [item.chunk_id for item in texts.items],
        embedded,
        dimensions=embedder.dimensions,
        elapsed_ms=elapsed_ms,
    )
    objects.write(key, vectors)
    fault_point("embed.after_write")
    return VectorsWritten(key, called=True, input_tokens=embedded.input_tokens)
