"""Adding many documents against a server that takes whatever it is sent."""

import asyncio
import json
import time
from collections.abc import Callable, Generator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any, ClassVar
from uuid import uuid4

import pytest
from click.testing import CliRunner

from pulsedocs.client import AsyncPulseDocs, DocumentInput, PulseDocs
from pulsedocs.client.refusals import Json
from pulsedocs.errors import DocumentNotFound
from pulsedocs_cli.__main__ import main

MANY = 30


class Taking(BaseHTTPRequestHandler):
    """Takes each document in a moment; each is published at once, or at the second look."""

    asked: ClassVar[list[str]] = []
    deleted: ClassVar[str | None] = None
    """The name of a document that is gone when it is looked at; the others then take two looks."""
    stuck: ClassVar[str | None] = None
    """The name of a document that has no outcome."""
    late: ClassVar[str | None] = None
    """The name of a document whose sending takes two seconds."""
    names: ClassVar[dict[str, str]] = {}

    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        time.sleep(2 if request["filename"] == self.late else 0.05)
        document_id = str(uuid4())
        self.names[document_id] = request["filename"]
        self._answer({"document_id": document_id, "duplicate_of": None, "upload": None})

    def do_GET(self) -> None:
        path = self.path.partition("?")[0]
        if path.endswith("/chunks"):
            self._answer({"chunks": [{"chunk_id": str(uuid4())}], "cursor": None})
            return
        document_id = path.rpartition("/")[2]
        if self.names[document_id] == self.deleted:
            self._answer({"code": "DOCUMENT_NOT_FOUND", "detail": "", "guidance": ""}, status=404)
            return
        is_over = self.deleted is self.stuck is None or f"GET {self.path}" in self.asked
        is_over = is_over and self.names[document_id] != self.stuck
        status: Json = {"document_id": document_id, "source": self.names[document_id], "version": 1}
        status |= {"state": "EMBEDDED" if is_over else "CHUNKED", "chunks": 1, "warnings": []}
        self._answer(
            status | {"outcome": "PUBLISHED" if is_over else None, "error": None, "stats": {}}
        )

    def _answer(self, body: Json, *, status: int = 200) -> None:
        self.asked.append(f"{self.command} {self.path}")
        text = json.dumps(body | {"status": status}).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 -- http.server's name
        """Stay silent."""


@pytest.fixture
def url() -> Generator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Taking)
    Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    Taking.asked, Taking.deleted, Taking.stuck, Taking.late = [], None, None, None
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def add_blocking(url: str, **options: Any) -> None:
    with PulseDocs(url, "token", trust_env=False) as docs:
        docs.add_documents(notes(), **options).raise_for_errors()


def add_awaiting(url: str, **options: Any) -> None:
    async def add() -> None:
        async with AsyncPulseDocs(url, "token", trust_env=False) as docs:
            (await docs.add_documents(notes(), **options)).raise_for_errors()

    asyncio.run(add())


def notes() -> list[DocumentInput]:
    return [DocumentInput.text(f"Note {n}.", name=f"{n}.txt") for n in range(MANY)]


@pytest.mark.parametrize("add", [add_blocking, add_awaiting])
def test_the_first_is_heard_of_while_the_others_are_sent(
    url: str, add: Callable[..., None]
) -> None:
    """Fails when: whoever adds a folder sees nothing until a hundred files have been sent."""
    Taking.late = f"{MANY - 1}.txt"
    sent_when_heard: list[int] = []

    def hear(_status: Json) -> None:
        sent_when_heard.append(sum(line.startswith("POST") for line in Taking.asked))

    add(url, on_progress=hear)

    assert sent_when_heard[0] < MANY
    assert len(sent_when_heard) == MANY


def test_the_command_asks_for_nothing_that_it_does_not_print(url: str, tmp_path: Path) -> None:
    """Fails when: the chunks of a folder of a thousand files are fetched, and thrown away."""
    (tmp_path / "a.txt").write_text("A note.")

    result = CliRunner().invoke(main, ["add", str(tmp_path), "--url", url, "--token", "t"])

    assert result.exit_code == 0, result.output
    assert [line.partition("?")[0][-7:] for line in Taking.asked].count("/chunks") == 0
    assert len(Taking.asked) == 2


def test_a_document_that_is_deleted_while_it_is_added_costs_the_others_nothing(url: str) -> None:
    """Fails when: the others of its batch are looked at once, and said to be running still."""
    Taking.deleted = "3.txt"

    with PulseDocs(url, "token", trust_env=False) as docs:
        added = docs.add_documents(notes()[:8])

    [error] = added.exceptions
    assert isinstance(error, DocumentNotFound)


def test_what_is_sent_after_another_has_run_out_of_time_has_its_own(url: str) -> None:
    """Fails when: it is looked at once, the moment it was sent, and said to be running still."""
    Taking.stuck, Taking.late = "0.txt", "1.txt"

    with PulseDocs(url, "token", trust_env=False) as docs:
        added = docs.add_documents(notes()[:2], timeout=1)

    assert [result.error is None for result in added.results] == [False, True]
