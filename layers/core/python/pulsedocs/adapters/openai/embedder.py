"""Embeddings from OpenAI or any server that speaks its `/embeddings`."""

import base64
import binascii
import struct
from collections.abc import Sequence
from typing import Annotated, Final

from pydantic import BaseModel, Field

from pulsedocs.adapters.openai.calls import OpenAICalls
from pulsedocs.calls.parsing import parse
from pulsedocs.calls.provider import ProviderEmbedder
from pulsedocs.calls.refusals import embedded_but_refused
from pulsedocs.embedding import encodable, normalise, query_prefix, validate_vectors
from pulsedocs.errors import ProviderMalformed
from pulsedocs.model.deadline import Deadline
from pulsedocs.model.embeddings import EmbeddedBatch
from pulsedocs.model.tokens import tokens_about

_BYTES_PER_FLOAT: Final = 4


class _Item(BaseModel):
    index: int
    embedding: str | list[float]


class _Usage(BaseModel):
    prompt_tokens: Annotated[int, Field(ge=0)]


class _Reply(BaseModel):
    data: list[_Item]
    usage: _Usage | None = None


class OpenAIEmbedder(ProviderEmbedder[OpenAICalls]):
    """Implements `ports.providers.Embedder`.

    A text that the provider does not accept is found by halving its batch and comes back as
    refused; the other texts keep their vectors.
    """

    def embed_passages(self, texts: Sequence[str], *, deadline: Deadline) -> EmbeddedBatch:
        if not texts:
            return EmbeddedBatch((), input_tokens=0)
        return embedded_but_refused(texts, lambda some: self._embed(some, deadline))

    def embed_query(self, text: str, *, deadline: Deadline) -> tuple[float, ...]:
        return self._embed([query_prefix(self.model) + text], deadline).vectors[0]

    def _embed(self, texts: Sequence[str], deadline: Deadline) -> EmbeddedBatch:
        body = self._calls.body(
            lambda client, timeout: client.embeddings.with_streaming_response.create(
                model=self._model.name,
                input=[encodable(text) for text in texts],
                dimensions=self._model.dimensions,
                encoding_format="base64",
                timeout=timeout,
            ),
            deadline=deadline,
        )
        return self._read(body, texts)

    def _read(self, body: bytes, texts: Sequence[str]) -> EmbeddedBatch:
        reply = parse(_Reply, body, otherwise="the provider's answer is no list of embeddings")
        if [item.index for item in reply.data] != list(range(len(texts))):
            message = f"the provider's {len(reply.data)} vectors are not numbered as the texts are"
            raise ProviderMalformed(message)
        vectors = tuple(normalise(_floats(item.embedding)) for item in reply.data)
        validate_vectors(vectors, expected_count=len(texts), dimensions=self.dimensions)
        # A compatible server may not say what it took; an estimate, so that it is never free.
        tokens = (
            sum(tokens_about(text) for text in texts)
            if reply.usage is None
            else reply.usage.prompt_tokens
        )
        return EmbeddedBatch(vectors, input_tokens=tokens)


def _floats(embedding: str | list[float]) -> Sequence[float]:
    """Read a vector as numbers, or as base64 of little-endian float32: a quarter of the bytes."""
    if isinstance(embedding, list):
        return embedding
    try:
        packed = base64.b64decode(embedding, validate=True)
        return struct.unpack(f"<{len(packed) // _BYTES_PER_FLOAT}f", packed)
    except (binascii.Error, ValueError, struct.error):
        message = "the provider's vector is not base64 of 32-bit numbers"
        raise ProviderMalformed(message) from None
