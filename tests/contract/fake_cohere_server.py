"""A server on loopback that speaks version 2 of Cohere's API, and misbehaves as scripted."""

import json
from collections.abc import Mapping
from typing import Any, cast

from pulsedocs.adapters.memory.embedder import HashingEmbedder
from pulsedocs.adapters.memory.reranker import OverlapReranker
from pulsedocs.model.deadline import Deadline
from tests.contract.fake_openai_server import (
    Behaviour,
    FakeOpenAIServer,
    Json,
    Request,
    failing,
)

COHERE_V3_DIMENSIONS = 1024


class FakeCohereServer(FakeOpenAIServer):
    """Answers `/v2/embed`, `/v2/rerank` and `/v2/chat`."""

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    def reply_to(self, request: Request) -> Json:
        match request.path:
            case "/v2/embed":
                return _embeddings(request.body)
            case "/v2/rerank":
                return _scores(request.body)
            case _:
                return _completion(request.body)

    def error(self, code: str, message: str) -> tuple[Json, Mapping[str, str]]:
        return {"id": "fake", "message": f"{code}: {message}"}, {}

    def refusing(self) -> Behaviour:
        return failing(400, code="invalid request")

    def text_of(self, reply: Json) -> str:
        return str(reply["message"]["content"][0]["text"])

    def piece(self, text: str) -> bytes:
        delta = {"message": {"content": {"text": text}}}
        return sse({"type": "content-delta", "index": 0, "delta": delta})

    def ending(self, reply: Json, *, finish_reason: str | None, with_usage: bool) -> bytes:
        delta: Json = {"finish_reason": finish_reason or reply["finish_reason"]}
        delta |= {"usage": reply["usage"]} if with_usage else {}
        return sse({"type": "content-end", "index": 0}) + sse(
            {"type": "message-end", "id": "fake", "delta": delta}
        )


def sse(event: Json) -> bytes:
    return f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode()


def vectors_of(texts: list[str], *, dimensions: int) -> list[list[float]]:
    embedder = HashingEmbedder(dimensions=dimensions)
    return [list(embedder.embed_query(text, deadline=Deadline.after(9))) for text in texts]


def scores_of(query: str, texts: list[str]) -> list[tuple[int, float]]:
    """Return the place and the score of each text, best first, as rerankers do."""
    scores = OverlapReranker().rerank(query, texts, deadline=Deadline.after(9))
    return sorted(enumerate(scores), key=lambda found: -found[1])


def _embeddings(body: Json) -> Json:
    texts = cast("list[str]", body["texts"])
    dimensions = body.get("output_dimension", COHERE_V3_DIMENSIONS)
    return {
        "id": "fake",
        "embeddings": {"float": vectors_of(texts, dimensions=dimensions)},
        "texts": texts,
        "meta": {
            "api_version": {"version": "2"},
            "billed_units": {"input_tokens": sum(map(len, texts)) + 1},
        },
        "response_type": "embeddings_by_type",
    }


def _scores(body: Json) -> Json:
    found = scores_of(body["query"], body["documents"])
    results = [{"index": index, "relevance_score": score} for index, score in found]
    return {
        "id": "fake",
        "results": results[: body["top_n"]],
        "meta": {"api_version": {"version": "2"}, "billed_units": {"search_units": 1}},
    }


def _completion(body: Json) -> Json:
    """Repeat the last message, cut to as many words as tokens were allowed."""
    said = str(body["messages"][-1]["content"]).split()
    kept = said[: body["max_tokens"]]
    counts: Any = {"input_tokens": len(said) + 1, "output_tokens": len(kept) + 1}
    return {
        "id": "fake",
        "finish_reason": "COMPLETE" if len(kept) == len(said) else "MAX_TOKENS",
        "message": {"role": "assistant", "content": [{"type": "text", "text": " ".join(kept)}]},
        "usage": {"billed_units": counts, "tokens": counts},
    }
