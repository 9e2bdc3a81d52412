"""Embeddings from Amazon Titan and Cohere through Bedrock's InvokeModel.

Bodies as in the Bedrock user guide: "Amazon Titan Embeddings G1 - Text" (its V2 request), "Cohere
Embed v3" and "Cohere Embed v4".
"""

import json
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Annotated, Any, Final, Literal, Protocol

from pydantic import BaseModel, Field, ValidationError

from pulsedocs.adapters.bedrock.calls import BedrockCalls
from pulsedocs.calls.answers import Whole
from pulsedocs.calls.provider import ProviderEmbedder
from pulsedocs.calls.refusals import embedded_but_refused, joined
from pulsedocs.embedding import encodable, normalise, validate_vectors
from pulsedocs.errors import ModelNotFound, ProviderMalformed
from pulsedocs.model.deadline import Deadline
from pulsedocs.model.embeddings import EmbeddedBatch, ModelName
from pulsedocs.model.tokens import tokens_about

_CALLERS: Final = 8  # Titan takes one text a call, about 0.1 s each
_V3_CHARACTERS: Final = 2048  # the most that Embed v3 on Bedrock takes of a text
_TOKENS: Final = "x-amzn-bedrock-input-token-count"

Use = Literal["search_document", "search_query"]


class _Titan(BaseModel):
    embedding: list[float]
    tokens: Annotated[int, Field(ge=0, alias="inputTextTokenCount")]


class _ByType(BaseModel):
    vectors: Annotated[list[list[float]], Field(alias="float")]


class _Cohere(BaseModel):
    embeddings: _ByType | list[list[float]]


class _Body(Protocol):
    """How a family of models is asked, and what it answers."""

    most_texts: int

    def request(self, texts: Sequence[str], *, dimensions: int, use: Use) -> dict[str, Any]: ...

    def read(self, body: bytes) -> tuple[Sequence[Sequence[float]], int | None]: ...


class _TitanBody:
    most_texts = 1

    def request(self, texts: Sequence[str], *, dimensions: int, use: Use) -> dict[str, Any]:
        del use  # Titan knows no difference
        [text] = texts
        return {"inputText": text, "dimensions": dimensions, "normalize": True}

    def read(self, body: bytes) -> tuple[Sequence[Sequence[float]], int | None]:
        reply = _Titan.model_validate_json(body)
        return [reply.embedding], reply.tokens


class _CohereBody:
    """v3 has the dimensions it has and takes short texts; v4 cuts both as it is told."""

    most_texts = 96

    def __init__(self, *, is_v4: bool) -> None:
        self._is_v4 = is_v4

    def request(self, texts: Sequence[str], *, dimensions: int, use: Use) -> dict[str, Any]:
        asked: dict[str, Any] = {"input_type": use, "embedding_types": ["float"]}
        if self._is_v4:
            return asked | {
                "texts": list(texts),
                "output_dimension": dimensions,
                "truncate": "RIGHT",
            }
        return asked | {"texts": [text[:_V3_CHARACTERS] for text in texts], "truncate": "END"}

    def read(self, body: bytes) -> tuple[Sequence[Sequence[float]], int | None]:
        found = _Cohere.model_validate_json(body).embeddings
        return (found.vectors if isinstance(found, _ByType) else found), None


class BedrockEmbedder(ProviderEmbedder[BedrockCalls]):
    """Implements `ports.providers.Embedder`; a text that is not accepted comes back as refused."""

    def __init__(self, model: ModelName, calls: BedrockCalls) -> None:
        super().__init__(model, calls)
        self._body = _body_of(model)

    def embed_passages(self, texts: Sequence[str], *, deadline: Deadline) -> EmbeddedBatch:
        if not texts:
            return EmbeddedBatch((), input_tokens=0)
        size = self._body.most_texts
        groups = [texts[start : start + size] for start in range(0, len(texts), size)]

        failures: list[Exception] = []

        def embed(group: Sequence[str]) -> EmbeddedBatch | None:
            # A failure is of the whole batch. To cancel what waits behind it, somebody would have
            # to come across it: `map` asks in order, and the first answer may be the slowest.
            if failures:
                return None
            try:
                return embedded_but_refused(
                    group, lambda some: self._embed(some, "search_document", deadline)
                )
            except Exception as error:  # noqa: BLE001 -- raised below, in the thread that asked
                failures.append(error)
                return None

        with ThreadPoolExecutor(min(_CALLERS, len(groups))) as pool:
            found = list(pool.map(embed, groups))
        if failures:
            raise failures[0]
        return joined([each for each in found if each is not None])

    def embed_query(self, text: str, *, deadline: Deadline) -> tuple[float, ...]:
        return self._embed([text], "search_query", deadline).vectors[0]

    def _embed(self, texts: Sequence[str], use: Use, deadline: Deadline) -> EmbeddedBatch:
        body = json.dumps(
            self._body.request(
                [encodable(text) for text in texts], dimensions=self.dimensions, use=use
            )
        )
        answer = self._calls.whole(
            lambda client: client.invoke_model(
                modelId=self._model.name,
                body=body,
                contentType="application/json",
                accept="application/json",
            ),
            deadline=deadline,
        )
        try:
            found, tokens = self._body.read(answer.body)
        except ValidationError as error:
            raise ProviderMalformed(
                f"Bedrock's answer is no embedding ({error.error_count()} errors)"
            ) from None
        vectors = tuple(normalise(vector) for vector in found)
        validate_vectors(vectors, expected_count=len(texts), dimensions=self.dimensions)
        return EmbeddedBatch(vectors, input_tokens=tokens or _billed(answer, texts))


def _body_of(model: ModelName) -> _Body:
    """Tell the family from the id, which may begin with an inference profile's `eu.`."""
    if "amazon.titan-embed-text-v2" in model.name:
        return _TitanBody()
    if "cohere.embed-" in model.name:
        return _CohereBody(is_v4="cohere.embed-v4" in model.name)
    raise ModelNotFound(
        f"{str(model)!r} is no embedding model that is known here: write"
        " bedrock:amazon.titan-embed-text-v2:0@1024 or bedrock:cohere.embed-…"
    )


def _billed(answer: Whole, texts: Sequence[str]) -> int:
    """Return what was billed; estimated where Bedrock does not say, so that it is never free."""
    said = answer.headers.get(_TOKENS, "")
    if said.isascii() and said.isdigit():
        return int(said)
    return sum(tokens_about(text) for text in texts)
