"""A stage that is dead, dies midway or is none: one error that says where and what to do."""

import asyncio
import socket
import time
from collections.abc import Callable, Generator
from contextlib import ExitStack, suppress
from threading import Thread, Timer
from typing import Any

import httpx
import pytest
from click.testing import CliRunner

from pulsedocs import errors
from pulsedocs.client import AsyncPulseDocs, DocumentInput, PulseDocs, RequestRefused, transport
from pulsedocs.client import StageUnreachable as Unreachable
from pulsedocs.client.refusals import Json
from pulsedocs.errors import ConfigurationError
from pulsedocs_cli.__main__ import main
from tests.patience import HELD_UP

NOBODY = "http://127.0.0.1:1"
CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
UNTIL_CLOSED = b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n"
LINE = b'{"type": "text", "text": "The"}\n'
PAGE = b"HTTP/1.1 200 OK\r\nContent-Length: 13\r\nConnection: close\r\n\r\n<html></html>"
REGISTERED = (
    b'{"document_id": "00000000-0000-0000-0000-000000000001", "duplicate_of": null, "upload": null}'
)
TAKEN = b"HTTP/1.1 201 OK\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s" % (
    len(REGISTERED),
    REGISTERED,
)


class Dying:
    """A server that answers each request with these bytes, `times` times, and hangs up."""

    def __init__(self, answer: bytes, *, times: int = 1000, port: int = 0) -> None:
        self._listening = socket.create_server(("127.0.0.1", port))
        self.url = f"http://127.0.0.1:{self._listening.getsockname()[1]}"
        self.requests: list[bytes] = []
        Thread(target=self._serve, args=(answer, times), daemon=True).start()

    def _serve(self, answer: bytes, times: int) -> None:
        while True:
            try:
                connection, _ = self._listening.accept()
            except OSError:
                return
            with connection:
                self.requests.append(connection.recv(65536))
                if len(self.requests) <= times:
                    connection.sendall(answer)
                # What is closed with a body unread is reset, and the answer with it.
                connection.shutdown(socket.SHUT_WR)
                connection.settimeout(1)
                with suppress(OSError):
                    while connection.recv(65536):
                        pass

    def close(self) -> None:
        with suppress(OSError):  # closed before
            self._listening.shutdown(socket.SHUT_RDWR)  # else the thread still takes one
        self._listening.close()


@pytest.fixture
def dying() -> Generator[Callable[..., Dying]]:
    opened: list[Dying] = []

    def begin(answer: bytes, **options: Any) -> Dying:
        opened.append(Dying(answer, **options))
        return opened[-1]

    yield begin
    for each in opened:
        each.close()


def client(url: str) -> PulseDocs:
    return PulseDocs(url, "token", patience=0.2, trust_env=False)


def blocking(url: str) -> None:
    with client(url) as docs:
        docs.retrieve("Anything?")


def blocking_stream(url: str) -> list[Json]:
    with client(url) as docs:
        return list(docs.stream("Anything?"))


def awaited(url: str) -> None:
    async def program() -> None:
        async with AsyncPulseDocs(url, "token", patience=0.2, trust_env=False) as docs:
            await docs.retrieve("Anything?")

    asyncio.run(program())


def awaited_stream(url: str) -> list[Json]:
    async def program() -> list[Json]:
        async with AsyncPulseDocs(url, "token", patience=0.2, trust_env=False) as docs:
            return [event async for event in docs.chat().stream("Anything?")]

    return asyncio.run(program())


STREAMS = [blocking_stream, awaited_stream]


@pytest.mark.parametrize("call", [blocking, awaited, *STREAMS])
def test_a_dead_stage_is_one_typed_error(call: Callable[[str], None]) -> None:
    """Fails when: what the HTTP library raises comes through as it is."""
    with pytest.raises(errors.StageUnreachable) as raised:
        call(NOBODY)

    error = raised.value
    assert isinstance(error, Unreachable)
    assert isinstance(error, httpx.TransportError), "programs that caught this go on doing so"
    assert error.code == "STAGE_UNREACHABLE"
    assert error.context["address"] == NOBODY
    assert str(error.context["request"]).startswith("POST /")
    assert NOBODY in error.message
    assert "pulsedocs up" in error.guidance
    assert error.guidance in str(error)


def test_where_nobody_was_ever_reached_a_command_ends_in_seconds() -> None:
    """Fails when: a mistyped port is asked for a minute and a half, as a stage that wakes up is."""
    began = time.monotonic()

    asked = CliRunner().invoke(main, ["ask", "Anything?", "--url", NOBODY, "--token", "token"])

    assert time.monotonic() - began < transport.UNREACHED_SECONDS + HELD_UP
    assert "does not answer" in asked.stderr


@pytest.fixture
def silent() -> Generator[str]:
    """Yield a host that neither takes connections nor refuses them: its queue is full."""
    with ExitStack() as held:
        full = held.enter_context(socket.create_server(("127.0.0.1", 0), backlog=0))
        for _ in range(3):
            waiting = held.enter_context(socket.socket())
            waiting.settimeout(0)
            waiting.connect_ex(full.getsockname())
        yield f"http://127.0.0.1:{full.getsockname()[1]}"


def test_neither_silence_nor_a_proxys_refusal_is_taken_for_a_stage_that_wakes_up(
    silent: str, dying: Callable[..., Dying], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Fails when: a mistyped host costs the whole patience where packets to it are dropped."""
    monkeypatch.setattr(transport, "_CONNECT_SECONDS", 0.3)
    monkeypatch.setattr(transport, "UNREACHED_SECONDS", 0.5)
    proxy = dying(b"HTTP/1.1 407 Who Asks\r\nContent-Length: 0\r\n\r\n")
    monkeypatch.setenv("https_proxy", proxy.url)
    monkeypatch.delenv("no_proxy", raising=False)

    for url in (silent, "https://stage.example"):
        began = time.monotonic()
        with PulseDocs(url, "token") as docs, pytest.raises(Unreachable):
            docs.collections()
        assert time.monotonic() - began < HELD_UP


@pytest.mark.parametrize("was_reached", [False, True])
def test_a_stage_that_starts_or_comes_back_is_waited_for(
    *, was_reached: bool, dying: Callable[..., Dying], monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that has answered before longer than one that never has."""
    stage = dying(TAKEN)
    port = int(stage.url.rpartition(":")[2])

    with PulseDocs(stage.url, "token", patience=HELD_UP, trust_env=False) as docs:
        if was_reached:
            docs.call("GET", "/documents")
            monkeypatch.setattr(transport, "UNREACHED_SECONDS", 0)
        stage.close()
        Timer(0.5, dying, [TAKEN], {"port": port}).start()

        assert docs.call("GET", "/documents")


@pytest.mark.parametrize("call", STREAMS)
@pytest.mark.parametrize(
    "answer",
    [
        pytest.param(CHUNKED + b"%x\r\n%s\r\n" % (len(LINE), LINE), id="cut"),
        pytest.param(UNTIL_CLOSED + LINE + LINE[:9], id="within a line"),
        pytest.param(UNTIL_CLOSED + LINE, id="in good form"),
        pytest.param(UNTIL_CLOSED, id="before the first line"),
        pytest.param(UNTIL_CLOSED + LINE + b"[1]\n", id="with a line that is no object"),
    ],
)
def test_a_stage_that_dies_while_it_answers_is_the_same_error(
    call: Callable[[str], None], answer: bytes, dying: Callable[..., Dying]
) -> None:
    """Fails when: half an answer is taken for a whole one, or its half line is a JSON error."""
    stage = dying(answer)

    with pytest.raises(Unreachable) as raised:
        call(stage.url)

    assert raised.value.context["request"] == "POST /ask/stream"


def test_documents_of_a_stage_that_dies_cost_its_patience_once(
    dying: Callable[..., Dying],
) -> None:
    """Fails when: each of forty documents waits for a dead stage by itself."""
    stage = dying(TAKEN, times=2)
    many = [DocumentInput.text(f"Room {n}.", name=f"{n}.txt") for n in range(40)]

    with client(stage.url) as docs:
        added = docs.add_documents(many)

    assert [type(each.error) for each in added.results] == [Unreachable] * 40
    sent = [each for each in added.results if each.document_id is not None]
    assert len(sent) == 2
    assert {each.error.context["document_id"] for each in sent} == {  # pyright: ignore[reportOptionalMemberAccess, reportAttributeAccessIssue] -- as asserted above
        str(each.document_id) for each in sent
    }
    lines = [line.lower() for request in stage.requests for line in request.splitlines()]
    asked = {line for line in lines if line.startswith(b"idempotency-key")}
    assert 2 < len(asked) <= 2 + 8, "those that were under way, and none behind them"
    looked_at = {each.split()[1] for each in stage.requests if each.startswith(b"GET")}
    assert len(looked_at) <= 1, "the first, in the same time, and none behind it"
    with pytest.raises(Unreachable):
        added.raise_for_errors()


@pytest.mark.parametrize("call", STREAMS)
def test_blank_lines_of_an_answer_are_passed_over(
    call: Callable[[str], list[Json]], dying: Callable[..., Dying]
) -> None:
    """A proxy may send them to keep a connection open. Fails when: one ends the answer."""
    stage = dying(UNTIL_CLOSED + b"\n" + LINE + b"\r\n" + b'{"type": "done"}\n\n')

    assert [event["type"] for event in call(stage.url)] == ["text", "done"]


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param(PAGE, id="a page"),
        pytest.param(b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n[1]", id="no object"),
        pytest.param(
            b"HTTP/1.1 500 No\r\nContent-Length: 0\r\nRetry-After: \xb2\r\n\r\n", id="square"
        ),
    ],
)
def test_an_answer_that_is_none_of_a_stage_is_refused(
    answer: bytes, dying: Callable[..., Dying]
) -> None:
    """A page of a proxy comes with 200 too. Fails when: it is an error of JSON, type or value."""
    stage = dying(answer)

    with client(stage.url) as docs, pytest.raises(RequestRefused, match="check the address"):
        docs.collections()


@pytest.mark.parametrize("url", ["localhost:4510", "127.0.0.1:4510", "ftp://stage", "http://", ""])
@pytest.mark.parametrize("kind", [PulseDocs, AsyncPulseDocs])
def test_what_is_no_address_is_refused_at_once(
    url: str, kind: type[PulseDocs] | type[AsyncPulseDocs]
) -> None:
    """Fails when: it is waited for, as a stage that wakes up is."""
    with pytest.raises(ConfigurationError, match="https://"):
        kind(url, "token")


def test_a_connection_that_ends_is_told_in_whole_sentences(dying: Callable[..., Dying]) -> None:
    """Fails when: httpx's sentence, which ends with a stop, is given a second one."""
    with client(dying(b"").url) as docs, pytest.raises(Unreachable) as lost:
        docs.collections()

    assert "without sending a response. Check" in str(lost.value)


def test_the_command_says_it_in_one_line(dying: Callable[..., Dying]) -> None:
    stage = dying(PAGE)

    page = CliRunner().invoke(main, ["list", "--url", stage.url, "--token", "t"])
    none = CliRunner().invoke(main, ["list", "--url", "localhost:4510", "--token", "t"])

    assert (page.exit_code, none.exit_code) == (1, 2)
    assert page.output.startswith("Error: HTTP_200: ")
    assert "is no address of a stage" in none.output
