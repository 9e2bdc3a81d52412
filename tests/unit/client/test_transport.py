"""The client library against a scripted server: waiting, repeating, and readable refusals."""

from collections.abc import Generator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import ClassVar

import httpx
import pytest

from pulsedocs.client import PulseDocs, RequestRefused

WARMING = (503, b'{"code": "WARMING", "status": 503, "detail": "d", "guidance": "g"}', "0")
RUNNING = (409, b'{"code": "REQUEST_IN_PROGRESS", "status": 409, "detail": "", "guidance": ""}', "")
FINE = (200, b'{"receipt_id": "00000000-0000-0000-0000-000000000001"}', "")
GATEWAY = (502, b"<html>Bad Gateway</html>", "")


class Script(BaseHTTPRequestHandler):
    """Answers one prepared response after another and remembers the requests."""

    answers: ClassVar[list[tuple[int, bytes, str]]] = []
    keys: ClassVar[list[str | None]] = []
    requests: ClassVar[list[tuple[str, bytes]]] = []

    def _answer(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.requests.append((f"{self.command} {self.path}", body))
        self.keys.append(self.headers.get("Idempotency-Key"))
        status, body, retry_after = self.answers.pop(0)
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        if retry_after:
            self.send_header("Retry-After", retry_after)
        self.end_headers()
        self.wfile.write(body)

    do_GET = do_POST = do_DELETE = _answer  # noqa: N815 -- http.server's names

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 -- http.server's name
        """Stay silent."""


@pytest.fixture
def url() -> Generator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Script)
    Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    Script.answers, Script.keys, Script.requests = [], [], []
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


@pytest.fixture
def docs(url: str) -> Generator[PulseDocs]:
    with PulseDocs(url, "token", patience=5, trust_env=False) as client:
        yield client


def test_a_stage_that_is_waking_up_is_waited_for(docs: PulseDocs) -> None:
    Script.answers = [WARMING, WARMING, FINE]

    assert docs.call("GET", "/documents")["receipt_id"]


def test_a_repeated_change_carries_the_same_key(docs: PulseDocs) -> None:
    Script.answers = [WARMING, RUNNING, FINE, FINE]

    docs.call("DELETE", "/documents/x")
    docs.call("DELETE", "/documents/y")

    first, *again, other = Script.keys
    assert first is not None
    assert again == [first, first]
    assert other not in {None, first}


def test_patience_ends(url: str) -> None:
    Script.answers = [WARMING] * 1000

    with (
        PulseDocs(url, "token", patience=0.1, trust_env=False) as docs,
        pytest.raises(RequestRefused, match="WARMING"),
    ):
        docs.call("GET", "/documents")


def test_a_refusal_is_not_repeated_and_says_what_to_do(docs: PulseDocs) -> None:
    Script.answers = [(404, b'{"code": "A", "status": 404, "detail": "b", "guidance": "c"}', "")]

    with pytest.raises(RequestRefused, match=r"A: b\. c") as refused:
        docs.call("GET", "/documents/x")

    assert (refused.value.code, refused.value.status) == ("A", 404)


def test_what_a_proxy_says_is_told_apart_from_the_services_own_words(docs: PulseDocs) -> None:
    Script.answers = [GATEWAY]

    with pytest.raises(RequestRefused, match="HTTP_502"):
        docs.call("GET", "/documents/x")


def test_a_stage_that_is_not_there_is_an_error_after_the_patience() -> None:
    with (
        PulseDocs("http://127.0.0.1:1", "token", patience=0.1, trust_env=False) as docs,
        pytest.raises(httpx.ConnectError),
    ):
        docs.call("GET", "/documents")
