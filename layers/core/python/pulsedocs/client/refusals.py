"""What a stage refuses, and that it does not answer, as errors by their classes."""

from collections.abc import Generator, Mapping
from contextlib import contextmanager
from functools import cache
from typing import Any, Self

import httpx

from pulsedocs import errors
from pulsedocs.errors import PulseDocsError, branch

Json = dict[str, Any]


class RequestRefused(Exception):
    """The service answered with a problem document; the message is written for the reader.

    Each is of its class of `pulsedocs.errors` too: `except CollectionNotFoundError` catches the
    refusal with the code `COLLECTION_NOT_FOUND`. `message` says what happened, `guidance` what to
    do next, `context` to which document, chunk or field.
    """

    def __init__(self, problem: Mapping[str, Any], *, retry_after: float | None = None) -> None:
        told = f"{problem.get('code')}: {problem.get('detail')}. {problem.get('guidance')}"
        if retry_after is not None:
            told += f" (Retry-After: {retry_after:.0f} s)"
        Exception.__init__(self, told)
        self.problem = problem
        self.retry_after = retry_after
        self.message = str(problem.get("detail"))
        self.guidance = str(problem.get("guidance"))
        self.context = {**problem.get("context", {})}

    @property
    def code(self) -> str:
        return str(self.problem.get("code"))

    @property
    def status(self) -> int:
        return int(self.problem.get("status", 0))

    @property
    def request_id(self) -> str | None:
        """What leads to the service's log."""
        return self.problem.get("request_id")


def refusal(problem: Mapping[str, Any], *, retry_after: float | None = None) -> RequestRefused:
    """Return a problem document as an error of its class."""
    return _class_of(str(problem.get("code")))(problem, retry_after=retry_after)


def unsendable(
    detail: str, *, kind: type[PulseDocsError] = errors.InvalidRequest, status: int = 400
) -> RequestRefused:
    """Return the refusal of what is not sent, as the stage would give it."""
    said = {"code": kind.code, "status": status, "detail": detail, "guidance": kind.guidance}
    return refusal(said)


def encoded(text: str) -> bytes:
    """Raise RequestRefused for half a surrogate pair, as a file's name of other letters has."""
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        near = ascii(text[max(error.start - 20, 0) : error.end + 20])
        raise unsendable(f"these are not letters in UTF-8: {near}") from error


@cache
def _class_of(code: str) -> type[RequestRefused]:
    """Return RequestRefused, joined with the class that has the code where one has."""
    named = error_of_code(code)
    if named is None:
        return RequestRefused
    inside = {"code": code, "__doc__": named.__doc__, "__module__": __name__}
    return type(named.__name__, (RequestRefused, named), inside)


@cache
def error_of_code(code: str) -> type[PulseDocsError] | None:
    """Return the class of an error by the code that clients see."""
    return next((kind for kind in branch(PulseDocsError) if kind.code == code), None)


class StageUnreachable(errors.StageUnreachable, httpx.TransportError):
    """No answer came, or it ended midway. `context` names the address and the request.

    It is httpx.TransportError too, for programs that catch what the client's HTTP library raises.
    """

    def __str__(self) -> str:
        return f"{self.code}: {self.message}. {self.guidance}"

    def again(self) -> Self:
        """Return the error for another document, with a context of its own."""
        return type(self)(self.message, **self.context)


@contextmanager
def answering(url: httpx.URL, request: str) -> Generator[None]:
    """Turn what httpx raises where no whole answer comes into StageUnreachable."""
    try:
        yield
    except httpx.RequestError as error:
        cause = type(error).__name__
        address = f"{url.scheme}://{url.netloc.decode()}"  # a path or query could hold a secret
        message = f"{address} does not answer: {str(error).rstrip('.') or cause}"
        raise StageUnreachable(message, address=address, request=request, cause=cause) from error
