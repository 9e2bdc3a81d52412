"""The client library against a scripted server: waiting, repeating, and readable refusals."""

import json
import signal
import subprocess
import sys
import time
from collections.abc import Generator
from datetime import date
from decimal import Decimal
from enum import Enum
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread, main_thread
from typing import Any, ClassVar, Final
from uuid import UUID

import numpy as np
import pytest
from click.testing import CliRunner

from pulsedocs.client import DocumentInput, PulseDocs, RequestRefused, StageUnreachable
from pulsedocs.client.refusals import Json
from pulsedocs.client.transport import each_driven
from pulsedocs.errors import ConfigurationError, DocumentNotFound
from pulsedocs_cli.__main__ import main
from tests.patience import HELD_UP

WARMING = (503, b'{"code": "WARMING", "status": 503, "detail": "d", "guidance": "g"}', "0")
RUNNING = (409, b'{"code": "REQUEST_IN_PROGRESS", "status": 409, "detail": "", "guidance": ""}', "")
FINE = (200, b'{"receipt_id": "00000000-0000-0000-0000-000000000001"}', "")


class Kind(Enum):
    LEASE = "lease"


class Script(BaseHTTPRequestHandler):
    """Answers one prepared response after another and remembers the requests."""

    answers: ClassVar[list[tuple[int, bytes, str]]] = []
    keys: ClassVar[list[str | None]] = []
    tokens: ClassVar[list[str | None]] = []
    requests: ClassVar[list[tuple[str, bytes]]] = []

    def _answer(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.requests.append((f"{self.command} {self.path}", body))
        self.tokens.append(self.headers.get("Authorization"))
        self.keys.append(self.headers.get("Idempotency-Key"))
        status, body, retry_after = self.answers.pop(0)
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        if retry_after:
            self.send_header("Retry-After", retry_after)
        self.end_headers()
        self.wfile.write(body)

    do_GET = do_POST = do_PATCH = do_DELETE = _answer  # noqa: N815 -- http.server's names

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 -- http.server's name
        """Stay silent."""


@pytest.fixture
def url() -> Generator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Script)
    Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    Script.answers, Script.keys, Script.requests, Script.tokens = [], [], [], []
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


def test_a_program_without_a_log_prints_nothing_of_its_waiting(url: str) -> None:
    """Fails when: Python's last resort prints `stamina.retry_scheduled`, and nothing else."""
    Script.answers = [WARMING, FINE]
    program = (
        "from pulsedocs.client import PulseDocs\n"
        f"with PulseDocs({url!r}, 'token', trust_env=False) as docs: docs.call('GET', '/documents')"
    )

    ran = subprocess.run(
        [sys.executable, "-c", program], check=True, capture_output=True, text=True
    )

    assert (len(Script.requests), ran.stdout + ran.stderr) == (2, "")


def test_a_token_is_asked_for_before_each_request(url: str) -> None:
    """Fails when: it is read once, so that a program that serves for hours ends with it."""
    Script.answers = [FINE, FINE]
    now = iter(["first", "second"])

    with PulseDocs(url, lambda: next(now), patience=5, trust_env=False) as docs:
        docs.call("GET", "/documents")
        docs.call("GET", "/documents")

    assert Script.tokens == ["Bearer first", "Bearer second"]


def test_a_token_that_was_read_from_a_file_may_end_in_a_new_line(url: str) -> None:
    Script.answers = [FINE]

    with PulseDocs(url, "abc\r\n", patience=5, trust_env=False) as docs:
        docs.call("GET", "/documents")

    assert Script.tokens == ["Bearer abc"]


@pytest.mark.parametrize("token", ["", " \n", "secret\nsecret", "s\u00e9cret"])
def test_what_is_no_token_is_refused_at_once_and_not_printed(url: str, token: str) -> None:
    """Fails when: it is repeated until patience ends, and then stands in the error."""
    with (
        PulseDocs(url, token, patience=60, trust_env=False) as docs,
        pytest.raises(ConfigurationError, match="access token") as refused,
    ):
        docs.call("GET", "/documents")

    assert "cret" not in str(refused.value)
    assert Script.requests == []


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


def test_a_stage_that_asks_for_more_than_the_patience_is_not_waited_for(docs: PulseDocs) -> None:
    """Fails when: the call sleeps for as long as the stage says, and tries nothing behind it."""
    Script.answers = [(*WARMING[:2], "30")]
    began = time.monotonic()

    with pytest.raises(RequestRefused, match="WARMING") as refused:
        docs.call("GET", "/documents")

    assert time.monotonic() - began < HELD_UP
    assert refused.value.retry_after == 30
    assert str(refused.value).endswith("(Retry-After: 30 s)")


def test_a_refusal_is_not_repeated_and_says_what_to_do(docs: PulseDocs) -> None:
    Script.answers = [(404, b'{"code": "A", "status": 404, "detail": "b", "guidance": "c"}', "")]

    with pytest.raises(RequestRefused, match=r"A: b\. c") as refused:
        docs.call("GET", "/documents/x")

    assert (refused.value.code, refused.value.status) == ("A", 404)


@pytest.mark.parametrize("status", [301, 307, 308, 400, 403])
def test_an_upload_that_was_not_stored_is_an_error(docs: PulseDocs, url: str, status: int) -> None:
    """T-09: S3 answers 307 for a bucket that is elsewhere, and has stored nothing."""
    registered = {
        "document_id": "00000000-0000-0000-0000-000000000001",
        "duplicate_of": None,
        "upload": {"url": f"{url}/bucket", "fields": {"key": "u/x"}},
    }
    Script.answers = [(201, json.dumps(registered).encode(), ""), (status, b"<Error/>", "")]

    with pytest.raises(RequestRefused, match=rf"UPLOAD_REFUSED: the bucket answered {status}"):
        docs.add(DocumentInput.text("Some words.", name="some.txt"))


def test_an_answer_from_elsewhere_is_an_error(docs: PulseDocs) -> None:
    """A redirect of a proxy to its page for signing in holds no JSON, and is no success."""
    Script.answers = [(302, b"", "")]

    with pytest.raises(RequestRefused, match="HTTP_302"):
        docs.status(UUID(int=1))


@pytest.mark.parametrize("status", [502, 503, 504])
def test_a_change_that_a_gateway_lost_is_sent_again_with_its_key(
    docs: PulseDocs, status: int
) -> None:
    """S3-23: whether the function ran is not known; the key keeps it from running twice."""
    Script.answers = [(status, b"<html>Bad Gateway</html>", ""), RUNNING, FINE]

    docs.call("DELETE", "/documents/x")

    first, *again = Script.keys
    assert first is not None
    assert again == [first, first]


def test_a_bucket_that_is_busy_is_asked_again(docs: PulseDocs, url: str) -> None:
    """S3 says 503 SlowDown and 500 InternalError for what it would take a moment later."""
    form = {"url": f"{url}/bucket", "fields": {"key": "u/x"}}
    registered = {"document_id": str(UUID(int=1)), "duplicate_of": None, "upload": form}
    slow, broken = (503, b"<Error/>", ""), (500, b"<Error/>", "")
    Script.answers = [(201, json.dumps(registered).encode(), ""), slow, broken, (204, b"", "")]

    docs.add(DocumentInput.text("Some words.", name="some.txt"))

    bodies = [body for request, body in Script.requests if request == "POST /bucket"]
    assert len(bodies) == 3
    assert all(b"Some words." in body for body in bodies), "the bytes are sent whole each time"


def test_what_a_proxy_says_is_told_apart_from_the_services_own_words(docs: PulseDocs) -> None:
    Script.answers = [(403, b"<html>Forbidden</html>", "")]

    with pytest.raises(RequestRefused, match="HTTP_403"):
        docs.call("GET", "/documents/x")


def test_a_stage_that_is_not_there_is_an_error_after_the_patience() -> None:
    with (
        PulseDocs("http://127.0.0.1:1", "token", patience=0.1, trust_env=False) as docs,
        pytest.raises(StageUnreachable),
    ):
        docs.call("GET", "/documents")


def test_a_body_that_no_function_is_given_is_refused_before_it_is_sent(docs: PulseDocs) -> None:
    """An event holds the body as a text of JSON: quotes and line breaks take two bytes there."""
    Script.answers = [FINE]

    for text in ("a" * 6_000_001, "\n" * 2_000_001):
        with pytest.raises(RequestRefused, match=r"REQUEST_TOO_LARGE.*upload form"):
            docs.call("POST", "/search", {"query": text})
    assert Script.requests == []
    docs.call("POST", "/search", {"query": "a" * 5_900_000})


def test_an_id_leads_to_nothing_but_what_it_is_the_id_of(docs: PulseDocs) -> None:
    """Fails when: the id of a document from a form, `../collections/x`, deletes a collection."""
    Script.answers = [FINE, FINE]
    elsewhere: Any = "../collections/victim"

    docs.delete(elsewhere)
    docs.receipt(elsewhere)

    path = "..%2Fcollections%2Fvictim"
    assert [request for request, _ in Script.requests] == [
        f"DELETE /documents/{path}",
        f"GET /deletions/{path}",
    ]
    for nowhere in ("", ".", ".."):
        with pytest.raises(RequestRefused, match="INVALID_REQUEST"):
            docs.collection(nowhere)


def test_metadata_is_sent_as_what_it_is_or_not_at_all(docs: PulseDocs) -> None:
    """Fails when: a number of pandas is stored as text, which `$gte` passes over without a word."""
    Script.answers = [FINE]
    given = {
        "year": np.int64(2021),
        "share": np.float32(0.5),
        "price": Decimal("1.5"),
        "kind": Kind.LEASE,
        "day": date(2026, 11, 28),
    }

    docs.change(UUID(int=1), metadata=given)
    for nothing in ({"a", "b"}, object(), np.datetime64("2026-11-28", "ns")):
        with pytest.raises(RequestRefused, match="JSON has nothing for a"):
            docs.change(UUID(int=1), metadata={"tags": nothing})

    [(_, body)] = Script.requests
    assert json.loads(body)["metadata"] == {
        "year": 2021,
        "share": 0.5,
        "price": 1.5,
        "kind": "lease",
        "day": "2026-11-28",
    }


def test_what_is_interrupted_begins_nothing_more(docs: PulseDocs) -> None:
    """Fails when: after Ctrl-C the rest of a batch is sent, up to 92 large files."""
    begun: list[int] = []

    async def interrupt() -> None:
        begun.append(0)
        if len(begun) == 9:  # the first eight have answered, the others wait
            signal.pthread_kill(main_thread().ident or 0, signal.SIGINT)
        time.sleep(0.2)  # noqa: ASYNC251 -- as a request of a blocking wire does

    # A shell's "&" has what it starts ignore interrupts.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            list(each_driven(docs.operations.wire.together([interrupt] * 100)))
    finally:
        signal.signal(signal.SIGINT, before)

    assert len(begun) < 30


def test_a_text_that_no_bytes_can_hold_costs_the_others_nothing(docs: PulseDocs) -> None:
    """Fails when: half a surrogate pair is raised, and the ids of the others are lost."""
    registered = {"document_id": str(UUID(int=1)), "duplicate_of": None, "upload": None}
    status: Json = {"document_id": str(UUID(int=1)), "source": "good.txt", "outcome": "PUBLISHED"}
    status |= {"state": "PUBLISHED", "chunks": 0, "stats": {}}
    Script.answers = [(201, json.dumps(registered).encode(), "")]
    Script.answers.append((200, json.dumps(status).encode(), ""))
    texts = {"good.txt": "Good.", "bad.txt": "bad \ud800 one"}

    added = docs.add_documents(DocumentInput.text(text, name=name) for name, text in texts.items())

    good, bad = added.results
    assert (good.document_id, good.error) == (UUID(int=1), None)
    assert "not letters in UTF-8" in str(bad.error)


GONE: Final = json.dumps(
    {"code": "DOCUMENT_NOT_FOUND", "status": 404, "detail": "gone", "guidance": "Check the id."}
).encode()


def test_a_document_that_is_deleted_while_it_is_added_costs_no_wait(docs: PulseDocs) -> None:
    """Fails when: it is waited for, for ten minutes, and what follows is not sent."""
    registered = {"document_id": str(UUID(int=1)), "duplicate_of": None, "upload": None}
    Script.answers = [(201, json.dumps(registered).encode(), ""), (404, GONE, "")]

    added = docs.add_documents([DocumentInput.text("A note.", name="a.txt")])

    [gone] = added.results
    assert isinstance(gone.error, DocumentNotFound)
    assert gone.document_id == UUID(int=1)
    assert added.documents[UUID(int=1)]["error"]["guidance"] == "Check the id."


def test_the_command_prints_a_document_of_which_nothing_was_heard(url: str, tmp_path: Path) -> None:
    """Fails when: its status, which is not known, is no text to print."""
    file = tmp_path / "a.txt"
    file.write_text("A note.")
    registered = {"document_id": str(UUID(int=1)), "duplicate_of": None, "upload": None}
    Script.answers = [(201, json.dumps(registered).encode(), ""), (404, GONE, "")]

    result = CliRunner().invoke(main, ["add", str(file), "--url", url, "--token", "t"])

    assert result.exit_code == 1
    assert f"{UUID(int=1)}  UNKNOWN" in result.output
    assert "error: a.txt: DOCUMENT_NOT_FOUND" in result.output
