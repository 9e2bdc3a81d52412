"""A server on loopback that answers as AWS does where moto does not: in the words of its manuals.

moto has no network interface to reclaim, no bucket that moved and no limit; its clients meet what
is written here instead. S3 says its code in XML, Lambda in the header `x-amzn-ErrorType`.
"""

import json
from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Final

from tests.contract.loopback import serving


@dataclass(frozen=True, slots=True)
class Answer:
    """What AWS says to one request."""

    status: int
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict[str, str])


def s3_error(status: int, code: str, message: str = "as S3 would say it", **more: str) -> Answer:
    """Return an error of S3; `more` are elements beside its code."""
    elements = {"Code": code, "Message": message, **more, "RequestId": "4442587FB7D0A2F9"}
    inner = "".join(f"<{name}>{text}</{name}>" for name, text in elements.items())
    body = f'<?xml version="1.0" encoding="UTF-8"?>\n<Error>{inner}</Error>'
    return Answer(status, body.encode(), {"Content-Type": "application/xml"})


def lambda_error(status: int, name: str, message: str = "as Lambda would say it") -> Answer:
    """Return what Lambda says instead of running a function."""
    body = json.dumps({"Type": "Service" if status >= 500 else "User", "Message": message})
    return Answer(
        status, body.encode(), {"Content-Type": "application/json", "x-amzn-ErrorType": name}
    )


def invoked(payload: object) -> Answer:
    """Return what Lambda says of a function that ran."""
    return Answer(200, json.dumps(payload).encode(), {"Content-Type": "application/json"})


ASLEEP: Final = {
    "ResourceNotReadyException": lambda_error(
        502,
        "ResourceNotReadyException",
        "The operation cannot be performed at this time. The function is currently in the following"
        " state: Inactive",
    ),
    "CodeArtifactUserPendingException": lambda_error(
        409,
        "CodeArtifactUserPendingException",
        "Lambda is initializing your function. It will be ready to invoke shortly.",
    ),
    "ENINotReadyException": lambda_error(502, "ENINotReadyException"),
    "ResourceConflictException": lambda_error(
        409,
        "ResourceConflictException",
        "The operation cannot be performed at this time. The function is currently in the following"
        " state: Pending",
    ),
    "EC2ThrottledException": lambda_error(502, "EC2ThrottledException"),
    "EC2UnexpectedException": lambda_error(502, "EC2UnexpectedException"),
    "EC2AccessDeniedException": lambda_error(502, "EC2AccessDeniedException"),
    "SubnetIPAddressLimitReachedException": lambda_error(
        502, "SubnetIPAddressLimitReachedException"
    ),
}
"""A function in a VPC that nobody called for weeks, and its network interface coming back."""


class AwsServer(ThreadingHTTPServer):
    """Gives the answers in turn, and the last one again; `requests` are "METHOD /path" so far."""

    daemon_threads = True

    def __init__(self, answers: tuple[Answer, ...]) -> None:
        super().__init__(("127.0.0.1", 0), _Request)
        self._left = list(answers)
        self.requests: list[str] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    def answer(self, request: str) -> Answer:
        self.requests.append(request)
        return self._left.pop(0) if len(self._left) > 1 else self._left[0]


class _Request(BaseHTTPRequestHandler):
    server: AwsServer  # pyright: ignore[reportIncompatibleVariableOverride] -- made by it

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self._reply()

    def do_PUT(self) -> None:
        self.do_POST()

    def do_GET(self) -> None:
        self._reply()

    def do_DELETE(self) -> None:
        self._reply()

    def do_HEAD(self) -> None:
        self._reply(with_body=False)

    def _reply(self, *, with_body: bool = True) -> None:
        answer = self.server.answer(f"{self.command} {self.path}")
        self.send_response(answer.status)
        for name, value in answer.headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(answer.body) if with_body else 0))
        self.end_headers()
        if with_body:
            self.wfile.write(answer.body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 -- the base's name
        """Keep quiet."""


def aws_that_answers(*answers: Answer) -> AbstractContextManager[AwsServer]:
    return serving(AwsServer(answers))
