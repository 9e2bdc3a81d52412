"""Embeddings from Cohere: "Embed API (v2)" of its reference."""

from collections.abc import Sequence
from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, Field

from pulsedocs.adapters.cohere.calls import CohereCalls
from pulsedocs.calls.parsing import parse
from pulsedocs.calls.provider import ProviderEmbedder
from pulsedocs.calls.refusals import embedded_but_refused, joined
from pulsedocs.embedding import encodable, normalise, validate_vectors
from pulsedocs.model.deadline import Deadline
from pulsedocs.model.embeddings import EmbeddedBatch
from pulsedocs.model.tokens import tokens_about

_MOST_TEXTS: Final = 96  # of one call

Use = Literal["search_document", "search_query"]


class _ByType(BaseModel):
    vectors: Annotated[list[list[float]], Field(alias="float")]


class _Units(BaseModel):
    input_tokens: Annotated[float, Field(ge=0)] = 0.0


class _Meta(BaseModel):
    billed_units: _Units | None = None


class _Reply(BaseModel):
    embeddings: _ByType
    meta: _Meta | None = None


class CohereEmbedder(ProviderEmbedder[CohereCalls]):
    """Implements `ports.providers.Embedder`; a text that is not accepted comes back as refused."""

    def embed_passages(self, texts: Sequence[str], *, deadline: Deadline) -> EmbeddedBatch:
        groups = [texts[start : start + _MOST_TEXTS] for start in range(0, len(texts), _MOST_TEXTS)]
        return joined(
            [
                embedded_but_refused(
                    group, lambda some: self._embed(some, "search_document", deadline)
                )
                for group in groups
            ]
        )

    def embed_query(self, text: str, *, deadline: Deadline) -> tuple[float, ...]:
        return self._embed([text], "search_query", deadline).vectors[0]

    def _embed(self, texts: Sequence[str], use: Use, deadline: Deadline) -> EmbeddedBatch:
        request: dict[str, Any] = {
            "model": self._model.name,
            "texts": [encodable(text) for text in texts],
            "input_type": use,
            "embedding_types": ["float"],
            "truncate": "END",
        }
        if not self._model.name.endswith("v3.0"):  # v3 has the dimensions it has
            request["output_dimension"] = self.dimensions
        body = self._calls.whole("/v2/embed", request, deadline=deadline).body
        reply = parse(_Reply, body, otherwise="Cohere's answer is no list of embeddings")
        vectors = tuple(normalise(vector) for vector in reply.embeddings.vectors)
        validate_vectors(vectors, expected_count=len(texts), dimensions=self.dimensions)
        return EmbeddedBatch(vectors, input_tokens=_billed(reply, texts))


def _billed(reply: _Reply, texts: Sequence[str]) -> int:
    """Return what was billed; estimated where Cohere does not say, so that it is never free."""
    units = reply.meta.billed_units if reply.meta is not None else None
    if units is not None and units.input_tokens:
        return int(units.input_tokens)
    return sum(tokens_about(text) for text in texts)
