"""The edge of a function whose answer leaves line by line: plain HTTP behind an adapter.

Lambda's Python runtime cannot stream. The Lambda Web Adapter, a layer, turns each event into a
request to this server and passes on what it answers as it comes. Routing, validation and errors are
those of `edge.api`; only the body takes another way.
"""

import base64
import json
import select
import socket
from collections.abc import Mapping
from contextlib import closing
from contextvars import ContextVar
from dataclasses import dataclass
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock
from typing import Any, Final, cast
from urllib.parse import parse_qs, urlsplit
from uuid import uuid4

from aws_lambda_powertools.event_handler import APIGatewayRestResolver, Response
from aws_lambda_powertools.utilities.typing import LambdaContext

from pulsedocs.documents.idempotent_request import Line, Lines
from pulsedocs.edge.api import MOST_BYTES, cors_headers, lambda_handler
from pulsedocs.edge.identifiers import noted
from pulsedocs.edge.json_text import parse_json
from pulsedocs.edge.observability import count_refusal, logger
from pulsedocs.edge.problems import problem_document, retry_after, unexpected
from pulsedocs.errors import PulseDocsError
from pulsedocs.headers import SECURITY_HEADERS


@dataclass(frozen=True, slots=True)
class Form:
    """How lines leave: each between two texts, and one more text behind the last."""

    content_type: str
    before: bytes = b""
    after: bytes = b""
    end: bytes = b""


NDJSON: Final = Form("application/x-ndjson", after=b"\n")
EVENTS: Final = Form("text/event-stream", before=b"data: ", after=b"\n\n", end=b"data: [DONE]\n\n")
"""Server-sent events, ended as OpenAI ends them."""
DOCUMENT: Final = Form("application/json")
"""An answer of one line: it is computed as the lines of others are, outside the router."""

HEALTH_PATH: Final = "/health"
_CONTEXT_HEADER: Final = "x-amzn-request-context"
_UNHEARD_SECONDS: Final = 30  # a client that does not take what it is sent


@dataclass(frozen=True, slots=True)
class _Stream:
    lines: Lines
    form: Form


_stream: ContextVar[_Stream | None] = ContextVar("stream", default=None)


def streamed(lines: Lines, form: Form = NDJSON) -> Response[str]:
    """Answer with lines that are still to come. Nothing of them has happened yet."""
    _stream.set(_Stream(lines, form))
    return Response(HTTPStatus.OK, content_type=form.content_type, body="")


class StreamServer(ThreadingHTTPServer):
    """Serves one router. The adapter sends one request at a time, a local stage several."""

    daemon_threads = True

    def __init__(self, api: APIGatewayRestResolver, *, port: int) -> None:
        super().__init__(("127.0.0.1", port), _Exchange)
        self._handle = lambda_handler(api)
        self._one_at_a_time = Lock()  # the router keeps the event it is at in a class attribute

    def resolved(self, event: dict[str, Any]) -> tuple[dict[str, Any], _Stream | None]:
        """Route and validate; return the answer, and its lines where it is a stream."""
        _stream.set(None)
        with self._one_at_a_time:
            answer = self._handle(event, LambdaContext())
        return answer, _stream.get()


def serve(api: APIGatewayRestResolver, *, port: int) -> None:
    """Answer requests until the process ends."""
    with StreamServer(api, port=port) as server:
        server.serve_forever()


class _Exchange(BaseHTTPRequestHandler):
    """One request and its answer; the connection closes behind it."""

    protocol_version = "HTTP/1.1"
    timeout = _UNHEARD_SECONDS
    cors: Mapping[str, str] = {}
    """What lets the page that asked read the answer."""
    server: StreamServer  # pyright: ignore[reportIncompatibleVariableOverride] -- our own

    def do_GET(self) -> None:
        if urlsplit(self.path).path == HEALTH_PATH:
            self._send(HTTPStatus.OK, {"Content-Type": "application/json"}, b'{"status": "ok"}')
        else:
            self._answer()

    def do_POST(self) -> None:
        self._answer()

    def _answer(self) -> None:
        event = self._event()
        answer, stream = self.server.resolved(event)
        self.cors = cors_headers(event)
        request_id = str(event["requestContext"]["requestId"])
        if stream is None:
            named: dict[str, list[str]] = answer.get("multiValueHeaders") or {}
            headers = {name: values[-1] for name, values in named.items()}
            self._send(HTTPStatus(answer["statusCode"]), headers, str(answer["body"]).encode())
            return
        with closing(stream.lines):
            _Streaming(self, stream, request_id=request_id).run()

    def _event(self) -> dict[str, Any]:
        """Return the request as API Gateway's event; the adapter has taken one apart."""
        address = urlsplit(self.path)
        # Beyond what a function is given it is cut, and refused for what is left.
        length = min(int(self.headers.get("Content-Length") or 0), 2 * MOST_BYTES)
        return {
            "resource": address.path,
            "path": address.path,
            "httpMethod": self.command,
            "headers": dict(self.headers.items()),
            "multiValueHeaders": {name: [text] for name, text in self.headers.items()},
            "multiValueQueryStringParameters": parse_qs(address.query, keep_blank_values=True)
            or None,
            "pathParameters": None,
            "requestContext": self._context(),
            "body": base64.b64encode(self.rfile.read(length)).decode(),
            "isBase64Encoded": True,
        }

    def _context(self) -> dict[str, Any]:
        """Return what the authoriser said of the caller, as the adapter hands it on.

        The adapter replaces a header of that name; two of them did not come from it alone.
        """
        headers = self.headers.get_all(_CONTEXT_HEADER) or []
        found: Any = None
        if len(headers) == 1:
            try:
                found = parse_json(headers[0])
            except PulseDocsError:
                logger().warning("request_context_unreadable")
        context = cast("dict[str, Any]", found) if isinstance(found, dict) else {}
        return {"requestId": str(uuid4()), **context}

    def _send(self, status: HTTPStatus, headers: Mapping[str, str], body: bytes) -> None:
        self.begin(status, {**headers, "Content-Length": str(len(body))})
        self.wfile.write(body)

    def begin(self, status: HTTPStatus, headers: Mapping[str, str]) -> None:
        self.close_connection = True
        self.send_response(status)
        for name, value in {**headers, "Connection": "close"}.items():
            self.send_header(name, value)
        self.end_headers()

    def send_problem(self, error: PulseDocsError, *, request_id: str) -> None:
        count_refusal(error)
        document = self.problem(error, request_id=request_id)
        headers = {
            "Content-Type": "application/problem+json",
            "x-request-id": request_id,
            **SECURITY_HEADERS,
            **retry_after(error),
            **self.cors,
        }
        self._send(HTTPStatus(document["status"]), headers, json.dumps(document).encode())

    def problem(self, error: PulseDocsError, *, request_id: str) -> dict[str, Any]:
        event = {"path": urlsplit(self.path).path, "headers": dict(self.headers.items())}
        return problem_document(error, request_id=request_id, event=event)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 -- the base's name
        """Log no request: `edge.api` does, without what was asked."""


class _Streaming:
    """Sends lines as chunks. Before the first one an error still has a status of its own."""

    def __init__(self, exchange: _Exchange, stream: _Stream, *, request_id: str) -> None:
        self._exchange = exchange
        self._lines = stream.lines
        self._form = stream.form
        self._request_id = request_id
        self._sent = 0

    def run(self) -> None:
        ended = "done"
        try:
            self._send_all()
        except (OSError, _ClientLeft):
            ended = "left"
        except PulseDocsError as error:
            ended = error.code
            self._tell(error)
        except Exception as error:  # noqa: BLE001 -- whatever it is, the client is told
            ended = "unexpected"
            self._tell(unexpected(error))
        logger().info("stream", lines=self._sent, ended=ended, **noted())

    def _send_all(self) -> None:
        for line in self._lines:
            # A client that closes its side makes the connection readable, with nothing to read.
            connection = self._exchange.connection
            readable, _, _ = select.select([connection], [], [], 0)
            if readable and not connection.recv(1, socket.MSG_PEEK):
                raise _ClientLeft
            if line is not None:
                self._send(line)
        self._end()

    def _send(self, line: Line) -> None:
        if not self._sent:
            headers = {
                "Content-Type": self._form.content_type,
                "x-request-id": self._request_id,
                **SECURITY_HEADERS,
                **self._exchange.cors,
                "Transfer-Encoding": "chunked",
            }
            self._exchange.begin(HTTPStatus.OK, headers)
        self._sent += 1
        self._write(self._form.before + json.dumps(line).encode() + self._form.after)

    def _end(self) -> None:
        if self._form.end:
            self._write(self._form.end)
        self._exchange.wfile.write(b"0\r\n\r\n")

    def _write(self, body: bytes) -> None:
        self._exchange.wfile.write(b"%x\r\n%b\r\n" % (len(body), body))

    def _tell(self, error: PulseDocsError) -> None:
        """Tell the client, if it is still there."""
        try:
            if not self._sent:
                self._exchange.send_problem(error, request_id=self._request_id)
                return
            if self._form is DOCUMENT:
                return  # nothing fits behind it: without its last chunk, the client sees it cut off
            problem = self._exchange.problem(error, request_id=self._request_id)
            self._send({**problem, "problem": problem["type"], "type": "error"})
            self._end()
        except OSError:
            logger().info("stream_error_unheard", request_id=self._request_id)


class _ClientLeft(Exception):
    """Nobody reads the answer any more."""
