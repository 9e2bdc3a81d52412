"""What a stage refuses, as errors by their classes."""

from collections.abc import Mapping
from functools import cache
from typing import Any

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
