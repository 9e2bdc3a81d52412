"""A server on loopback that speaks for Bedrock's two runtimes, and misbehaves as scripted.

botocore only decodes `application/vnd.amazon.eventstream`, so the frames are encoded here: the
total length, the length of the headers, a CRC of both, the headers, the payload, a CRC of it all.
"""

import json
import struct
import zlib
from collections.abc import Mapping
from typing import Any
from urllib.parse import unquote

from tests.contract.fake_cohere_server import COHERE_V3_DIMENSIONS, scores_of, vectors_of
from tests.contract.fake_openai_server import (
    Behaviour,
    FakeOpenAIServer,
    Json,
    Request,
    failing,
)

_STRING = 7  # the type of a header's value
_LONGEST = 32_000  # characters of a text, and texts must not be empty


class FakeBedrockServer(FakeOpenAIServer):
    """Answers InvokeModel, Converse, ConverseStream and Rerank."""

    stream_type = "application/vnd.amazon.eventstream"
    says_tokens = True
    page_of_scores = 1_000

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    def is_stream(self, request: Request) -> bool:
        return request.path.endswith("/converse-stream")

    def reply_to(self, request: Request) -> Json:
        if request.path == "/rerank":
            return self._scores(request.body)
        if request.path.endswith("/invoke"):
            return _embeddings(model_of(request), request.body)
        return _completion(request.body)

    def answer_headers(self, request: Request) -> Mapping[str, str]:
        if not request.path.endswith("/invoke") or not self.says_tokens:
            return {}
        return {"x-amzn-bedrock-input-token-count": str(len(json.dumps(request.body)))}

    def error(self, code: str, message: str) -> tuple[Json, Mapping[str, str]]:
        return {"message": message}, {"x-amzn-ErrorType": f"{code}:http://internal.amazon.com/"}

    def refusing(self) -> Behaviour:
        return failing(400, code="ValidationException")

    def text_of(self, reply: Json) -> str:
        return str(reply["output"]["message"]["content"][0]["text"])

    def piece(self, text: str) -> bytes:
        return event("contentBlockDelta", {"delta": {"text": text}, "contentBlockIndex": 0})

    def ending(self, reply: Json, *, finish_reason: str | None, with_usage: bool) -> bytes:
        stop = {"stopReason": finish_reason or reply["stopReason"]}
        end = event("contentBlockStop", {"contentBlockIndex": 0}) + event("messageStop", stop)
        usage = {"usage": reply["usage"], "metrics": {"latencyMs": 1}}
        return end + (event("metadata", usage) if with_usage else b"")

    def _scores(self, body: Json) -> Json:
        query = body["queries"][0]["textQuery"]["text"]
        texts = [
            source["inlineDocumentSource"]["textDocument"]["text"] for source in body["sources"]
        ]
        assert all(0 < len(text) <= _LONGEST for text in (query, *texts))
        found = scores_of(query, texts)
        begin = int(body.get("nextToken", "0"))
        end = begin + self.page_of_scores
        results = [{"index": index, "relevanceScore": score} for index, score in found[begin:end]]
        return {"results": results, **({"nextToken": str(end)} if end < len(found) else {})}


def model_of(request: Request) -> str:
    return unquote(request.path).split("/model/")[1].rpartition("/")[0]


def event(name: str, payload: Json) -> bytes:
    headers = {":message-type": "event", ":event-type": name, ":content-type": "application/json"}
    return frame(headers, json.dumps(payload).encode())


def exception(name: str, message: str) -> bytes:
    headers = {
        ":message-type": "exception",
        ":exception-type": name,
        ":content-type": "application/json",
    }
    return frame(headers, json.dumps({"message": message}).encode())


def frame(headers: Mapping[str, str], payload: bytes) -> bytes:
    packed = b"".join(_header(name.encode(), text.encode()) for name, text in headers.items())
    prelude = struct.pack("!II", 16 + len(packed) + len(payload), len(packed))
    signed = prelude + struct.pack("!I", zlib.crc32(prelude)) + packed + payload
    return signed + struct.pack("!I", zlib.crc32(signed))


def _header(name: bytes, text: bytes) -> bytes:
    return struct.pack("!B", len(name)) + name + struct.pack("!BH", _STRING, len(text)) + text


def _embeddings(model: str, body: Json) -> Json:
    if "titan" in model:
        [vector] = vectors_of([body["inputText"]], dimensions=body["dimensions"])
        return {
            "embedding": vector,
            "embeddingsByType": {"float": vector},
            "inputTextTokenCount": len(body["inputText"]) + 1,
        }
    dimensions = body.get("output_dimension", COHERE_V3_DIMENSIONS)
    return {
        "id": "fake",
        "embeddings": {"float": vectors_of(body["texts"], dimensions=dimensions)},
        "texts": body["texts"],
        "response_type": "embeddings_by_type",
    }


def _completion(body: Json) -> Json:
    """Repeat the last message, cut to as many words as tokens were allowed."""
    said = str(body["messages"][-1]["content"][-1]["text"]).split()
    kept = said[: body["inferenceConfig"]["maxTokens"]]
    usage: Any = {"inputTokens": len(said) + 1, "outputTokens": len(kept) + 1, "totalTokens": 9}
    return {
        "output": {"message": {"role": "assistant", "content": [{"text": " ".join(kept)}]}},
        "stopReason": "end_turn" if len(kept) == len(said) else "max_tokens",
        "usage": usage,
        "metrics": {"latencyMs": 1},
    }
