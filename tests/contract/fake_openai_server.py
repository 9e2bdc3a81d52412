"""A server on loopback that speaks OpenAI's API, and misbehaves as scripted.

What it is asked and how it says it are methods, so that other providers' fakes only speak
otherwise: see `fake_cohere_server` and `fake_bedrock_server`.

A real server, because openai 3 calls through httpx2, which interceptors made for httpx do not
see; and because a reset, a drip or a cut body only exist on a real socket.
"""

import base64
import json
import re
import select
import socket
import struct
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from typing import Any, Self, cast

from pulsedocs.adapters.memory.embedder import HashingEmbedder
from pulsedocs.model.deadline import Deadline

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Request:
    """What the client sent; header names in lower case."""

    path: str
    headers: Mapping[str, str]
    body: Json


class Exchange(BaseHTTPRequestHandler):
    """One connection; each request is answered by the next behaviour of the script."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # or each answer waits 40 ms for the client's delayed ACK
    server: "FakeOpenAIServer"  # pyright: ignore[reportIncompatibleVariableOverride] -- our own

    def do_POST(self) -> None:
        length = int(self.headers["Content-Length"])
        body = json.loads(self.rfile.read(length))
        headers = {name.lower(): value for name, value in self.headers.items()}
        self.request_seen = Request(self.path, headers, body)
        self.server.requests.append(self.request_seen)
        self.server.next_behaviour()(self)

    def send(
        self, status: int, body: bytes, *, content_type: str, headers: Mapping[str, str]
    ) -> None:
        self.begin(status, len(body), content_type=content_type, headers=headers)
        self.wfile.write(body)

    def begin(
        self, status: int, length: int, *, content_type: str, headers: Mapping[str, str]
    ) -> None:
        """Send the head of an answer whose body has `length` bytes."""
        self.send_response(status)
        self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(length))
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 -- the base's name
        """Say nothing: the test knows what it asked for."""


Behaviour = Callable[[Exchange], None]


class FakeOpenAIServer(ThreadingHTTPServer):
    """Answers `/v1/embeddings` and `/v1/chat/completions`; `script` says what happens next."""

    daemon_threads = True
    block_on_close = False

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Exchange)
        self.requests: list[Request] = []
        self.refused_word: str | None = None
        self.writes_floats = False
        self.stopping = Event()
        self.clients = ExitStack()
        self._script: deque[Behaviour] = deque()

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1"

    def script(self, *behaviours: Behaviour) -> None:
        """Answer the next requests so, one each; those after them are answered well."""
        self._script.extend(behaviours)

    def forget_script(self) -> None:
        """Answer well from now on."""
        self._script.clear()

    def is_stream(self, request: Request) -> bool:
        return bool(request.body.get("stream"))

    def reply_to(self, request: Request) -> Json:
        if request.path.endswith("/embeddings"):
            return _embeddings(request.body, as_floats=self.writes_floats)
        return _completion(request.body)

    def answer_headers(self, request: Request) -> Mapping[str, str]:  # noqa: ARG002 -- others need it
        return {}

    def error(self, code: str, message: str) -> tuple[Json, Mapping[str, str]]:
        """Return the API's error object, and headers that belong to it."""
        return {"error": {"message": message, "type": code, "param": None, "code": code}}, {}

    def text_of(self, reply: Json) -> str:
        return str(reply["choices"][0]["message"]["content"])

    def refusing(self) -> "Behaviour":
        return failing(400, code="invalid_request_error")

    stream_type = "text/event-stream"

    def piece(self, text: str) -> bytes:
        return _event({"choices": [{"index": 0, "delta": {"content": text}}]})

    def ending(self, reply: Json, *, finish_reason: str | None, with_usage: bool) -> bytes:
        """Return what follows the last piece."""
        reason = finish_reason or reply["choices"][0]["finish_reason"]
        end: Json = {"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]}
        return _event(end | ({"usage": reply["usage"]} if with_usage else {})) + b"data: [DONE]\n\n"

    def next_behaviour(self) -> Behaviour:
        return self._script.popleft() if self._script else answer

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing: a client that hangs up on a fault is the behaviour under test."""

    def __enter__(self) -> Self:
        Thread(target=self.serve_forever, args=(0.01,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stopping.set()
        self.clients.close()
        self.shutdown()
        self.server_close()


def answer(exchange: Exchange) -> None:
    """Answer as the API documents it, refusing what holds the server's refused word."""
    server, request = exchange.server, exchange.request_seen
    if server.refused_word is not None and server.refused_word in json.dumps(request.body):
        server.refusing()(exchange)
    elif server.is_stream(request):
        Streaming()(exchange)
    else:
        _send_json(exchange, 200, reply_to(exchange), server.answer_headers(request))


def reply_to(exchange: Exchange) -> Json:
    return exchange.server.reply_to(exchange.request_seen)


class Streaming:
    """Answer in server-sent events: the pieces given, else the words of the plain reply.

    `before` is called with the number of each piece before it is sent: it may wait, or raise to
    end the connection there. `hung_up` is set once the client is seen to be gone.
    """

    def __init__(
        self,
        pieces: Sequence[str] | None = None,
        *,
        before: Callable[[int], object] = lambda _piece: None,
        finish_reason: str | None = None,
        with_usage: bool = True,
    ) -> None:
        self._pieces = pieces
        self._before = before
        self._finish_reason = finish_reason
        self._with_usage = with_usage
        self.hung_up = Event()

    def __call__(self, exchange: Exchange) -> None:
        exchange.close_connection = True  # the answer has no length: its end is the connection's
        exchange.send_response(200)
        server = exchange.server
        exchange.send_header("Content-Type", server.stream_type)
        exchange.end_headers()
        reply = reply_to(exchange)
        pieces = self._pieces or re.findall(r"\s*\S+", server.text_of(reply))
        try:
            for number, piece in enumerate(pieces):
                self._before(number)
                self._send(exchange, server.piece(piece))
            self._send(
                exchange,
                server.ending(
                    reply, finish_reason=self._finish_reason, with_usage=self._with_usage
                ),
            )
        except (BrokenPipeError, ConnectionResetError):
            self.hung_up.set()

    def _send(self, exchange: Exchange, sent: bytes) -> None:
        if _is_gone(exchange.connection):
            raise BrokenPipeError
        exchange.wfile.write(sent)


def _event(event: Json) -> bytes:
    return b": a comment\r\ndata: " + json.dumps(event).encode() + b"\r\n\r\n"


def _is_gone(connection: socket.socket) -> bool:
    readable, _, _ = select.select([connection], [], [], 0)
    return bool(readable) and not connection.recv(1, socket.MSG_PEEK)


def failing(
    status: int, *, code: str = "some_error", headers: Mapping[str, str] | None = None
) -> Behaviour:
    """Answer with the API's error object, whose message quotes the key and the request."""

    def behave(exchange: Exchange) -> None:
        seen = exchange.request_seen
        message = f"{seen.headers['authorization']} sent {json.dumps(seen.body)}"
        error, own = exchange.server.error(code, message)
        _send_json(exchange, status, error, {**own, **(headers or {})})

    return behave


def saying(body: bytes, *, content_type: str = "application/json") -> Behaviour:
    """Answer 200 with these bytes."""
    return lambda exchange: exchange.send(200, body, content_type=content_type, headers={})


def changed(change: Callable[[Json], object]) -> Behaviour:
    """Answer well, but for one change to the JSON."""

    def behave(exchange: Exchange) -> None:
        reply = reply_to(exchange)
        change(reply)
        _send_json(exchange, 200, reply, {})

    return behave


def cut_json(exchange: Exchange) -> None:
    """Send half the JSON, with the length of that half."""
    body = json.dumps(reply_to(exchange)).encode()
    exchange.send(200, body[: len(body) // 2], content_type="application/json", headers={})


def closed_early(exchange: Exchange) -> None:
    """Announce the whole body, send half, close the connection in order."""
    _send_half(exchange)
    exchange.close_connection = True


def reset(exchange: Exchange) -> None:
    """Announce the whole body, send half, reset the connection."""
    _send_half(exchange)
    linger_for_nothing = struct.pack("ii", 1, 0)  # makes close() send RST instead of FIN
    exchange.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger_for_nothing)
    exchange.close_connection = True
    exchange.rfile.close()
    exchange.connection.close()


def silent(exchange: Exchange) -> None:
    """Never answer."""
    exchange.server.stopping.wait()
    exchange.close_connection = True


def dripping_body(exchange: Exchange) -> None:
    """Send the body a byte at a time, each well within any timeout between bytes."""
    exchange.begin(200, 1_000_000, content_type="application/json", headers={})
    _drip(exchange)


def dripping_headers(exchange: Exchange) -> None:
    """Send a header that never ends, a byte at a time."""
    exchange.wfile.write(b"HTTP/1.1 200 OK\r\nX-Slow: ")
    _drip(exchange)


def _drip(exchange: Exchange) -> None:
    while not exchange.server.stopping.wait(0.02):
        exchange.wfile.write(b" ")
        exchange.wfile.flush()
    exchange.close_connection = True


def _send_half(exchange: Exchange) -> None:
    body = json.dumps(reply_to(exchange)).encode()
    exchange.begin(200, len(body), content_type="application/json", headers={})
    exchange.wfile.write(body[: len(body) // 2])
    exchange.wfile.flush()


def _send_json(exchange: Exchange, status: int, body: Json, headers: Mapping[str, str]) -> None:
    encoded = json.dumps(body).encode()
    exchange.send(status, encoded, content_type="application/json", headers=headers)


def _embeddings(body: Json, *, as_floats: bool) -> Json:
    texts = cast("list[str]", body["input"])
    vectors = (
        HashingEmbedder(dimensions=body["dimensions"]).embed_query(text, deadline=Deadline.after(9))
        for text in texts
    )
    wants_base64 = body.get("encoding_format") == "base64" and not as_floats
    return {
        "object": "list",
        "model": body["model"],
        "data": [
            {
                "object": "embedding",
                "index": index,
                "embedding": as_base64(vector) if wants_base64 else list(vector),
            }
            for index, vector in enumerate(vectors)
        ],
        "usage": {"prompt_tokens": sum(map(len, texts)) + 1, "total_tokens": 1},
    }


def as_base64(vector: tuple[float, ...]) -> str:
    return base64.b64encode(struct.pack(f"<{len(vector)}f", *vector)).decode()


def _completion(body: Json) -> Json:
    """Repeat the last message, cut to as many words as tokens were allowed."""
    said = str(body["messages"][-1]["content"]).split()
    allowed = body.get("max_tokens") or body["max_completion_tokens"]
    kept = " ".join(said[:allowed])
    return {
        "id": "fake",
        "object": "chat.completion",
        "created": 1,
        "model": body["model"],
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": kept},
                "finish_reason": "stop" if len(said) <= allowed else "length",
            }
        ],
        "usage": {"prompt_tokens": len(said), "completion_tokens": 3, "total_tokens": 4},
    }
