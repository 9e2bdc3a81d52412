"""What goes to a stage and what comes back, over two wires: one blocks, the other awaits.

Both send the same requests, read the same answers and wait for a stage that is waking up. The
operations (`calls.py`, `operations.py`) are written once, as coroutines. Those of a `BlockingWire`
never wait for a loop, so that `driven` ends them in one step, in the caller's thread.
"""

import asyncio
import json
import logging
import time
from collections.abc import AsyncGenerator, Callable, Coroutine, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import aclosing, closing
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from enum import Enum
from numbers import Integral, Real
from pathlib import PurePath
from typing import Any, BinaryIO, Final, Protocol, TypeVar, cast
from uuid import UUID, uuid4

import httpx
import stamina

from pulsedocs.client.refusals import Json, RequestRefused, answering, encoded, refusal, unsendable
from pulsedocs.errors import BodyTooLarge, ConfigurationError

# Python prints what no program has asked for, and of a repeated request that is a bare name.
logging.getLogger("stamina").addHandler(logging.NullHandler())

T = TypeVar("T")
Job = Callable[[], Coroutine[Any, Any, T]]
Token = str | Callable[[], str]
"""An access token, or what gives one that is good now: it is asked before each request."""

PATIENCE_SECONDS: Final = 90.0  # a paused Aurora takes about 15 s to resume, rarely a minute
UNREACHED_SECONDS: Final = 4.0
"""The patience where nobody has answered yet: a gateway takes connections while its stage wakes up,
so that none is a wrong address or a stage that is down, rarely one just starting."""

_UNREACHED: Final = (httpx.ConnectError, httpx.ConnectTimeout, httpx.ProxyError)
_CONNECT_SECONDS: Final = 10.0  # packets that are lost are sent again after 1, 3 and 7
_REQUEST_SECONDS: Final = 30.0  # API Gateway gives up after 29
_LINE_SECONDS: Final = 120.0  # a stage streams for 60 by default, and says nothing meanwhile
_UPLOAD_SECONDS: Final = 300.0  # how long an upload form is valid
_AT_ONCE: Final = 8
LATER: Final = frozenset(
    {
        httpx.codes.TOO_MANY_REQUESTS,
        httpx.codes.BAD_GATEWAY,  # whether the function ran is not known
        httpx.codes.SERVICE_UNAVAILABLE,
        httpx.codes.GATEWAY_TIMEOUT,
    }
)
_MOST_BYTES: Final = (
    6_000_000  # Lambda takes 6 MB, with up to 10 KB of headers and the token's claims
)
_STORAGE_LATER: Final = LATER | {httpx.codes.INTERNAL_SERVER_ERROR}  # S3 says so when it is busy
_UPLOAD_REFUSED: Final = "UPLOAD_REFUSED"


@dataclass(frozen=True, slots=True)
class Request:
    """One request of the contract; repeated, it carries the same `Idempotency-Key`."""

    method: str
    path: str
    body: Mapping[str, Any] | None = None
    parameters: Mapping[str, Any] | None = None
    key: str = field(default_factory=lambda: str(uuid4()))

    @property
    def line(self) -> str:
        return f"{self.method} {self.path}"

    def as_sent(self) -> dict[str, Any]:
        """Return httpx's arguments; raise RequestRefused for a body that cannot be sent."""
        headers = {} if self.method == "GET" else {"Idempotency-Key": self.key}
        content = None
        if self.body is not None:
            headers["Content-Type"] = "application/json"
            content = encoded(json_text(self.body))
            _refuse_too_large(content)
        return {
            "method": self.method,
            "url": self.path,
            "content": content,
            "params": self.parameters,
            "headers": headers,
        }


@dataclass(frozen=True, slots=True)
class Upload:
    """A presigned form and what to post with it."""

    form: Mapping[str, Any]
    body: BinaryIO
    filename: str
    content_type: str

    def as_sent(self) -> dict[str, Any]:
        self.body.seek(0)
        return {
            "method": "POST",
            "url": self.form["url"],
            "data": self.form["fields"],
            "files": {"file": (self.filename, self.body, self.content_type)},
        }


class Wire(Protocol):
    """Sends what it is given, again where the answer may be another later.

    Raises RequestRefused, and StageUnreachable once its patience is over.
    """

    async def answer(self, request: Request) -> Json: ...

    def lines(self, request: Request) -> AsyncGenerator[Json]:
        """Yield the objects of an answer that comes in lines; an error midway is raised."""
        ...

    async def store(self, upload: Upload) -> None: ...

    async def pause(self, seconds: float) -> None: ...

    def together(self, jobs: Sequence[Job[T]]) -> AsyncGenerator[T]:
        """Do up to eight jobs at once; yield what each returns once it does, in their order."""
        ...

    async def close(self) -> None: ...


class BlockingWire:
    """Waits in the caller's thread; safe to share between threads."""

    def __init__(self, url: str, token: Token, *, patience: float, trust_env: bool) -> None:
        self._patience = _Patience(patience)
        self._retrying = stamina.RetryingCaller(attempts=None, timeout=patience)
        self._http = httpx.Client(**_to_a_stage(url, token), trust_env=trust_env)
        self._storage = httpx.Client(timeout=_within(_UPLOAD_SECONDS), trust_env=trust_env)

    async def answer(self, request: Request) -> Json:
        sent = request.as_sent()
        with answering(self._http.base_url, request.line):
            return self._patiently(lambda: _answer_in(self._http.request(**sent)))

    async def lines(self, request: Request) -> AsyncGenerator[Json]:
        sent = self._http.build_request(**request.as_sent(), timeout=_within(_LINE_SECONDS))

        def begun() -> httpx.Response:
            response = self._http.send(sent, stream=True)
            if not response.is_success:
                response.read()
                raise _refused(response)
            return response

        with (
            answering(self._http.base_url, request.line),
            closing(self._patiently(begun)) as response,
        ):
            found: Json = {}
            for line in filter(str.strip, response.iter_lines()):
                found = _object_in(line)
                yield found
            _refuse_cut_off(found)

    async def store(self, upload: Upload) -> None:
        with answering(httpx.URL(upload.form["url"]), "POST"):
            self._patiently(lambda: _stored(self._storage.request(**upload.as_sent())))

    async def pause(self, seconds: float) -> None:
        time.sleep(seconds)  # noqa: ASYNC251 -- there is no loop to hold up

    async def together(self, jobs: Sequence[Job[T]]) -> AsyncGenerator[T]:
        threads = ThreadPoolExecutor(_AT_ONCE, "pulsedocs")
        try:
            for started in [threads.submit(_done, job) for job in jobs]:
                yield started.result()
        finally:
            threads.shutdown(cancel_futures=True)  # after Ctrl-C nothing more is begun

    def _patiently(self, send: Callable[[], T]) -> T:
        found = self._retrying.on(self._patience.from_now())(send)
        self._patience.is_reached = True
        return found

    async def close(self) -> None:
        self._http.close()
        self._storage.close()


class AwaitedWire:
    """Awaits; for one event loop."""

    def __init__(self, url: str, token: Token, *, patience: float, trust_env: bool) -> None:
        self._patience = _Patience(patience)
        self._retrying = stamina.AsyncRetryingCaller(attempts=None, timeout=patience)
        self._http = httpx.AsyncClient(**_to_a_stage(url, token), trust_env=trust_env)
        self._storage = httpx.AsyncClient(timeout=_within(_UPLOAD_SECONDS), trust_env=trust_env)

    async def answer(self, request: Request) -> Json:
        sent = request.as_sent()

        async def send() -> Json:
            return _answer_in(await self._http.request(**sent))

        with answering(self._http.base_url, request.line):
            return await self._patiently(send)

    async def lines(self, request: Request) -> AsyncGenerator[Json]:
        sent = self._http.build_request(**request.as_sent(), timeout=_within(_LINE_SECONDS))

        async def begun() -> httpx.Response:
            response = await self._http.send(sent, stream=True)
            if not response.is_success:
                await response.aread()
                raise _refused(response)
            return response

        with answering(self._http.base_url, request.line):
            async with aclosing(await self._patiently(begun)) as response:
                found: Json = {}
                async for line in response.aiter_lines():
                    if line.strip():
                        found = _object_in(line)
                        yield found
                _refuse_cut_off(found)

    async def store(self, upload: Upload) -> None:
        async def send() -> None:
            _stored(await self._storage.request(**upload.as_sent()))

        with answering(httpx.URL(upload.form["url"]), "POST"):
            await self._patiently(send)

    async def pause(self, seconds: float) -> None:
        await asyncio.sleep(seconds)

    async def together(self, jobs: Sequence[Job[T]]) -> AsyncGenerator[T]:
        places = asyncio.Semaphore(_AT_ONCE)

        async def in_place(job: Job[T]) -> T:
            async with places:
                return await job()

        started = [asyncio.create_task(in_place(job)) for job in jobs]
        try:
            for each in started:
                yield await each
        finally:
            for each in started:
                each.cancel()
            await asyncio.gather(*started, return_exceptions=True)

    async def _patiently(self, send: Job[T]) -> T:
        found = await self._retrying.on(self._patience.from_now())(send)
        self._patience.is_reached = True
        return found

    async def close(self) -> None:
        await self._http.aclose()
        await self._storage.aclose()


def driven(coroutine: Coroutine[Any, Any, T]) -> T:
    """Return what a coroutine over a BlockingWire returns: it ends at its first step."""
    try:
        coroutine.send(None)
    except StopIteration as ended:
        return ended.value
    coroutine.close()
    raise RuntimeError("an operation waits for an event loop, and a blocking wire has none")


def _done(job: Job[T]) -> T:
    return driven(job())


def each_driven(items: AsyncGenerator[T]) -> Iterator[T]:
    """Yield what an asynchronous generator over a BlockingWire yields."""
    try:
        while True:
            try:
                item = driven(items.__anext__())
            except StopAsyncIteration:
                return
            yield item
    finally:
        driven(items.aclose())


def _to_a_stage(url: str, token: Token) -> dict[str, Any]:
    def authorised(request: httpx.Request) -> httpx.Request:
        now = token if isinstance(token, str) else token()
        request.headers["Authorization"] = f"Bearer {_sendable(now)}"
        return request

    address = httpx.URL(url)
    if address.scheme not in {"http", "https"} or not address.host:
        raise ConfigurationError(
            f"{url!r} is no address of a stage: it begins with https:// or http://", address=url
        )
    headers = {"Accept": "application/json"}
    timeout = _within(_REQUEST_SECONDS)
    return {"base_url": url, "auth": authorised, "headers": headers, "timeout": timeout}


def _within(seconds: float) -> httpx.Timeout:
    return httpx.Timeout(seconds, connect=_CONNECT_SECONDS)


def _sendable(token: str) -> str:
    """Return a token as a header takes it: one read from a file may end in a new line.

    Refused here, since httpx names the header's value in its error.
    """
    token = token.strip()
    if not (token and token.isascii() and token.isprintable()):
        raise ConfigurationError("the access token is empty, or has characters that no token has")
    return token


def _answer_in(response: httpx.Response) -> Json:
    if not response.is_success:
        raise _refused(response)
    if not response.content:
        return {}
    try:
        found = response.json()
    except ValueError as error:
        raise refusal(_foreign(response)) from error
    if not isinstance(found, dict):
        raise refusal(_foreign(response))
    return cast("Json", found)


def _object_in(line: str) -> Json:
    try:
        found = json.loads(line)
    except ValueError as error:
        raise httpx.RemoteProtocolError("its answer ends within a line") from error
    if not isinstance(found, dict):
        raise httpx.RemoteProtocolError("a line of its answer is no object")
    found = cast("Json", found)
    if found.get("type") == "error":
        raise refusal(found)
    return found


def _refuse_cut_off(last: Json) -> None:
    """Raise RemoteProtocolError for lines without their last: a proxy can end them in good form."""
    if last.get("type") != "done":
        raise httpx.RemoteProtocolError("its answer ends before its last line")


def _refused(response: httpx.Response) -> RequestRefused:
    value = response.headers.get("retry-after", "")
    return refusal(_problem(response), retry_after=float(value) if value.isdecimal() else None)


def _stored(response: httpx.Response) -> None:
    if not response.is_success:  # a redirect has stored nothing either
        raise refusal(_storage_problem(response))


def json_text(value: object) -> str:
    """Return a value as JSON; raise RequestRefused for what JSON has nothing for."""
    return json.dumps(value, ensure_ascii=False, default=_as_json)


def _as_json(value: object) -> object:
    """Return a number as a number, also one of another library, and as text what is read as one.

    Anything else as text would be stored, and found by no filter: `{'a', 'b'}`, `<object at 0x7f>`.
    """
    match value:
        case UUID() | date() | PurePath():
            return str(value)
        case Enum():
            return value.value
        case Integral():
            return int(value)
        case Real() | Decimal():
            return float(value)
        case _:
            raise unsendable(f"JSON has nothing for a {type(value).__name__}: {value!r:.80}")


def _refuse_too_large(content: bytes) -> None:
    """Raise RequestRefused, before it is sent, for a body that no function can be given.

    In an event it is a text of JSON once more, in which each quote and line break takes two bytes.
    """
    size = len(content) + sum(map(content.count, (b'"', b"\\")))
    if size > _MOST_BYTES:
        raise unsendable(
            f"the body has {size:,} bytes as a function is given it; at most {_MOST_BYTES:,} are"
            " taken",
            kind=BodyTooLarge,
            status=httpx.codes.REQUEST_ENTITY_TOO_LARGE,
        )


@dataclass(slots=True)
class _Patience:
    """How long a wire tries again, and whether anybody has answered on it."""

    seconds: float
    is_reached: bool = False

    def from_now(self) -> Callable[[Exception], bool | float]:
        """Return what says whether to try again, or the seconds that the service asked for.

        What it asks for beyond the patience is not waited: nothing would be tried behind it.
        """
        began = time.monotonic()

        def pause(error: Exception) -> bool | float:
            waited = time.monotonic() - began
            if isinstance(error, _UNREACHED):
                return self.is_reached or waited < UNREACHED_SECONDS
            self.is_reached = True
            if not isinstance(error, RequestRefused):
                return isinstance(error, httpx.TransportError)
            if error.code == "BUDGET_EXCEEDED":
                return False  # until the day is over: longer than anybody waits
            is_running = error.code == "REQUEST_IN_PROGRESS"
            later = _STORAGE_LATER if error.code == _UPLOAD_REFUSED else LATER
            if error.status not in later and not is_running:
                return False
            if error.retry_after is None:
                return True
            return error.retry_after if waited + error.retry_after < self.seconds else False

        return pause


def _problem(response: httpx.Response) -> Json:
    """Return the problem document; what a proxy or gateway says instead is wrapped in one."""
    try:
        problem = response.json()
    except ValueError:
        problem = None
    if isinstance(problem, dict) and "code" in problem:
        return problem  # pyright: ignore[reportUnknownVariableType] -- JSON
    return _foreign(response)


def _foreign(response: httpx.Response) -> Json:
    return {
        "code": f"HTTP_{response.status_code}",
        "status": response.status_code,
        "detail": response.reason_phrase,
        "guidance": "The answer is not the service's own: check the address and the token.",
    }


def _storage_problem(response: httpx.Response) -> Json:
    """Return a problem document for S3's XML: too large, expired, or not what was announced."""
    return {
        "code": _UPLOAD_REFUSED,
        "status": response.status_code,
        "detail": f"the bucket answered {response.status_code}: {response.text[:300]}",
        "guidance": "Register the document again and send the bytes that were announced.",
    }
