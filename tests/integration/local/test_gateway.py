"""Requests reach functions in API Gateway's shape, and refusals are problem documents."""

import base64
import json
import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any
from uuid import UUID

import httpx
import jwt
import pytest

from infra.routes import Route
from local.door import Door
from local.environment import LocalFunction
from local.gateway import Gateway, ProblemHandler
from local.http_server import address, listen, serving
from local.tokens import AUDIENCE, TokenIssuer
from local.workers import WorkerPool
from pulsedocs.scopes import READ, WRITE
from tests.integration.local.conftest import ScriptedPool
from tests.patience import PATIENCE

TENANT = UUID("3f0a8e6c-54b7-4b39-9f9e-0d2f6e8c7a11")
APP = "https://app.example"
ROUTES = (
    Route("GET", "/things/{thing_id}/parts/{part}", "things", READ),
    Route("POST", "/things", "things", WRITE),
    Route("GET", "/health", "things", None),
)


class Api:
    """A gateway whose functions the test scripts; `things` records its last event."""

    def __init__(self, url: str, pool: ScriptedPool, tokens: TokenIssuer, door: Door) -> None:
        self.url = url
        self.door = door
        self.pool = pool
        self.tokens = tokens
        self.event: dict[str, Any] = {}
        self.answer: Any = {"statusCode": 200, "body": "fine"}
        pool.script = {"things": self._things, "authorize": allow}

    def _things(self, event: dict[str, Any]) -> Any:
        self.event = event
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer

    def request(self, method: str, path: str, **options: Any) -> httpx.Response:
        headers = {"Authorization": "Bearer a", **options.pop("headers", {})}
        return httpx.request(
            method, f"{self.url}{path}", headers=headers, **options, timeout=PATIENCE
        )


def allow(event: dict[str, Any], effect: str = "Allow") -> dict[str, Any]:
    statement = {"Effect": effect, "Action": "execute-api:Invoke", "Resource": event["methodArn"]}
    return {
        "principalId": "someone",
        "policyDocument": {"Version": "2012-10-17", "Statement": [statement]},
        "context": {"tenant_id": str(TENANT), "token": event["authorizationToken"]},
    }


@pytest.fixture
def api(tmp_path: Path) -> Iterator[Api]:
    listener, pool = listen(), ScriptedPool()
    tokens = TokenIssuer(tmp_path / "key.pem", issuer="https://issuer.test")
    door = Door(lambda: "a.fresh.token")
    gateway = Gateway(pool=pool, tokens=tokens, door=door, routes=ROUTES, origins=[APP])
    with serving(gateway, listener, handler=ProblemHandler):
        yield Api(address(listener), pool, tokens, door)


def problem(response: httpx.Response) -> tuple[int, str]:
    assert response.headers["content-type"] == "application/problem+json"
    document = response.json()
    assert document["request_id"] == response.headers["x-request-id"]
    assert document["status"] == response.status_code
    assert {"type", "title", "detail", "context", "guidance"} <= set(document)
    return response.status_code, document["code"]


def test_a_request_becomes_a_version_1_event(api: Api) -> None:
    response = api.request(
        "GET", "/things/a%2Fb/parts/7?q=1&q=2&empty=", headers={"X-Thing": "ü".encode("latin-1")}
    )

    assert response.text == "fine"
    event = api.event
    assert event["resource"] == "/things/{thing_id}/parts/{part}"
    assert event["path"] == "/things/a%2Fb/parts/7"
    assert event["httpMethod"] == "GET"
    assert event["pathParameters"] == {"thing_id": "a/b", "part": "7"}
    assert event["queryStringParameters"] == {"q": "2", "empty": ""}
    assert event["multiValueQueryStringParameters"] == {"q": ["1", "2"], "empty": [""]}
    assert event["headers"]["X-Thing"] == "ü"
    assert event["multiValueHeaders"]["X-Thing"] == ["ü"]
    assert (event["body"], event["isBase64Encoded"]) == (None, False)
    assert event["requestContext"]["requestId"] == response.headers["x-request-id"]
    assert event["requestContext"]["resourcePath"] == "/things/{thing_id}/parts/{part}"


def test_a_text_body_stays_text_and_other_bytes_become_base64(api: Api) -> None:
    api.request("POST", "/things", content='{"a": "ü"}')
    assert (api.event["body"], api.event["isBase64Encoded"]) == ('{"a": "ü"}', False)

    api.request("POST", "/things", content=b"\xff\x00")
    assert api.event["isBase64Encoded"] is True
    assert base64.b64decode(api.event["body"]) == b"\xff\x00"


def test_the_functions_answer_is_passed_on(api: Api) -> None:
    api.answer = {
        "statusCode": 302,
        "headers": {"Location": "/elsewhere", "X-One": "overridden"},
        "multiValueHeaders": {"X-One": ["a", "b"], "x-request-id": ["of the function"]},
        "body": base64.b64encode(b"\xff").decode(),
        "isBase64Encoded": True,
    }

    response = api.request("GET", "/health")

    assert response.status_code == 302
    assert response.headers["location"] == "/elsewhere"
    assert response.headers.get_list("x-one") == ["a", "b"]
    assert response.headers.get_list("x-request-id") == [api.event["requestContext"]["requestId"]]
    assert response.content == b"\xff"


def test_the_authorisers_context_reaches_the_function(api: Api) -> None:
    """The tenant comes from there, and from nowhere a client could write to."""
    api.request("POST", "/things", headers={"Authorization": "Bearer abc"})

    authoriser = api.event["requestContext"]["authorizer"]
    assert authoriser["tenant_id"] == str(TENANT)
    assert authoriser["principalId"] == "someone"
    assert authoriser["token"] == "Bearer abc"  # noqa: S105 -- what was sent


def test_a_public_route_asks_nobody(api: Api) -> None:
    api.pool.script.pop("authorize")

    assert httpx.get(f"{api.url}/health", timeout=PATIENCE).status_code == 200
    assert "authorizer" not in api.event["requestContext"]


def test_without_a_token_nobody_is_asked(api: Api) -> None:
    assert problem(httpx.post(f"{api.url}/things", timeout=PATIENCE)) == (401, "UNAUTHENTICATED")
    assert api.pool.received.empty()


def test_an_unauthorised_token_is_401_and_a_denied_one_403(api: Api) -> None:
    def refuse(_event: dict[str, Any]) -> None:
        raise PermissionError("Unauthorized")

    api.pool.script["authorize"] = refuse
    assert problem(api.request("POST", "/things")) == (401, "UNAUTHENTICATED")

    api.pool.script["authorize"] = lambda event: allow(event, "Deny")
    denied = api.request("POST", "/things", headers={"Authorization": "Bearer denied"})
    assert problem(denied) == (403, "FORBIDDEN")
    assert not api.event


def test_a_broken_authoriser_is_our_fault(api: Api) -> None:
    def break_down(_event: dict[str, Any]) -> None:
        raise ConnectionError

    api.pool.script["authorize"] = break_down

    assert problem(api.request("POST", "/things")) == (503, "INTERNAL")


@pytest.mark.parametrize(
    ("method", "path"),
    [("GET", "/nothing"), ("DELETE", "/things"), ("GET", "/things/a/parts/b/c"), ("POST", "//")],
)
def test_an_unknown_route_is_404(api: Api, method: str, path: str) -> None:
    assert problem(api.request(method, path)) == (404, "NOT_FOUND")


@pytest.mark.parametrize("answer", [ValueError("no"), "text", {"body": "x"}, {"statusCode": "x"}])
def test_a_broken_function_is_502_without_its_secrets(api: Api, answer: Any) -> None:
    api.answer = answer

    response = api.request("GET", "/health")

    assert problem(response) == (502, "INTERNAL")
    assert "ValueError" not in response.text


def test_a_body_over_ten_megabytes_is_413(api: Api) -> None:
    response = api.request("POST", "/things", content=b"x" * (10 * 1024 * 1024 + 1))

    assert problem(response) == (413, "REQUEST_TOO_LARGE")


BODY = b"5\r\nhello\r\n0\r\n\r\n"


@pytest.mark.parametrize(
    ("framing", "body"),
    [
        (("Content-Length: 3", "Content-Length: 5"), b"hello"),
        (("Content-Length: 3, 5",), b"hello"),
        (("Content-Length: -5",), b"hello"),
        (("Content-Length: five",), b"hello"),
        (("Content-Length : 5",), b"hello"),
        ((f"Content-Length: {'9' * 5000}",), b"hello"),
        (("Content-Length: 3", "Transfer-Encoding: chunked"), BODY),
        (("Transfer-Encoding: gzip, chunked",), BODY),
        (("Transfer-Encoding: chunked", "Transfer-Encoding: identity"), BODY),
        (("Transfer-Encoding: chunked",), b"five\r\nhello\r\n0\r\n\r\n"),
        (("Transfer-Encoding: chunked",), b"-5\r\nhello\r\n0\r\n\r\n"),
        (("Transfer-Encoding: chunked",), b"50\r\nhello"),
        (("Content-Length: 50",), b"hello"),
    ],
)
def test_a_body_that_could_end_in_two_places_is_refused(
    api: Api, framing: tuple[str, ...], body: bytes
) -> None:
    """Fails when: a proxy in front and the stage read different requests from the same bytes."""
    lines = ("POST /things HTTP/1.1", "Host: a", "Authorization: Bearer a", *framing, "", "")

    answer = exchanged(api, "\r\n".join(lines).encode() + body)

    assert answer.startswith(b"HTTP/1.1 400 "), answer
    assert api.event == {}


def test_a_length_with_a_space_behind_it_is_read(api: Api) -> None:
    """RFC 9112 has it taken away. Fails when: a request of a client that is right is refused."""
    lines = ("POST /things HTTP/1.1", "Host: a", "Authorization: Bearer a", "Content-Length: 5 ")

    exchanged(api, "\r\n".join((*lines, "", "hello")).encode())

    assert api.event["body"] == "hello"


def test_a_form_is_read(api: Api) -> None:
    """Python's parser finds fault with the headers of every form, whose parts it does not see."""
    assert api.request("POST", "/things", files={"file": b"hello"}).status_code == 200


def test_a_body_in_chunks_is_read(api: Api) -> None:
    lines = ("POST /things HTTP/1.1", "Host: a", "Authorization: Bearer a")
    chunked = "\r\n".join((*lines, "Transfer-Encoding: chunked", "", "")).encode()

    assert exchanged(api, chunked + BODY).startswith(b"HTTP/1.1 200 ")
    assert api.event["body"] == "hello"


def test_a_body_that_stops_coming_is_waited_for_so_long(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Fails when: clients that fall silent hold a thread each for as long as the stage runs."""
    monkeypatch.setattr("local.http_server.SILENT_SECONDS", 0.2)
    lines = ("POST /things HTTP/1.1", "Host: a", "Authorization: Bearer a", "Content-Length: 50")
    url = httpx.URL(api.url)

    with socket.create_connection((url.host, url.port), timeout=PATIENCE) as connection:
        connection.sendall("\r\n".join((*lines, "", "hello")).encode())

        assert connection.recv(65536).startswith(b"HTTP/1.1 400 ")


@pytest.mark.parametrize(
    ("request_line", "status"),
    [
        (f"GET /{'a' * 70_000} HTTP/1.1", 414),
        (f"GET / HTTP/1.1\r\nX-Long: {'a' * 70_000}", 431),
        ("GET / HTTP/1.1\r\n" + "\r\n".join(f"X-{n}: a" for n in range(200)), 431),
        ("GET / HTTP/9.0", 505),
        ("GET / HTTP/one", 400),
        ("nothing of the kind at all", 400),
        ("POST /things HTTP/1.1\r\nContent-Length: five", 400),
    ],
)
def test_what_is_no_request_is_a_problem_too(api: Api, request_line: str, status: int) -> None:
    """Fails when: a client that reads problem documents is sent a page of HTML, or no status."""
    answer = exchanged(api, f"{request_line}\r\n\r\n".encode())

    head, _, body = answer.partition(b"\r\n\r\n")
    assert head.startswith(f"HTTP/1.1 {status} ".encode()), answer[:200]
    assert b"application/problem+json" in head
    assert json.loads(body)["status"] == status


def test_a_body_that_waits_for_leave_is_given_it_once(api: Api) -> None:
    """Fails when: a client takes the second `100 Continue` for the start of the answer."""
    lines = ("POST /things HTTP/1.1", "Host: a", "Authorization: Bearer a", "Content-Length: 5")

    answer = exchanged(api, "\r\n".join((*lines, "Expect: 100-continue", "", "hello")).encode())

    assert answer.startswith(b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 ")


def exchanged(api: Api, request: bytes) -> bytes:
    """Return all that comes back for these bytes, behind which the caller sends no more."""
    url = httpx.URL(api.url)
    with socket.create_connection((url.host, url.port), timeout=PATIENCE) as connection:
        connection.sendall(request)
        connection.shutdown(socket.SHUT_WR)
        return b"".join(iter(partial(connection.recv, 65536), b""))


def test_a_page_of_an_allowed_origin_is_told_what_it_may_send(api: Api) -> None:
    """Fails when: its browser, which asks without a token, is refused and sends nothing."""
    asked = {"Origin": APP, "Access-Control-Request-Method": "POST"}

    response = httpx.options(f"{api.url}/things", headers=asked, timeout=PATIENCE)
    stranger = httpx.options(f"{api.url}/things", headers={"Origin": "https://x"}, timeout=PATIENCE)

    assert response.status_code == 204
    assert response.headers["access-control-allow-origin"] == APP
    assert response.headers["access-control-allow-methods"] == "GET,POST"
    assert "Authorization" in response.headers["access-control-allow-headers"]
    assert "access-control-allow-origin" not in stranger.headers
    assert problem(api.request("OPTIONS", "/nothing")) == (404, "NOT_FOUND")
    assert api.pool.received.empty()


def test_a_page_may_read_what_the_gateway_refuses_where_any_may_call(
    api: Api,
) -> None:
    unknown = api.request("GET", "/nothing")
    without_token = httpx.post(f"{api.url}/things", timeout=PATIENCE)
    listener = listen()
    closed = Gateway(pool=api.pool, tokens=api.tokens, routes=ROUTES)
    with serving(closed, listener):
        url = f"{address(listener)}/things"
        elsewhere = httpx.options(url, headers={"Origin": APP}, timeout=PATIENCE)

    for refused in (unknown, without_token):
        assert refused.headers["access-control-allow-origin"] == "*"
    assert problem(elsewhere) == (404, "NOT_FOUND")
    assert "access-control-allow-origin" not in elsewhere.headers


def test_tokens_verify_against_the_served_keys(api: Api) -> None:
    keys = jwt.PyJWKClient(f"{api.url}/.well-known/jwks.json")
    token = api.tokens.token(TENANT, scopes=(READ,))

    claims = jwt.decode(
        token,
        keys.get_signing_key_from_jwt(token).key,
        algorithms=["RS256"],
        audience=AUDIENCE,
        issuer="https://issuer.test",
    )

    assert claims["tenant_id"] == str(TENANT)
    assert claims["scope"] == "pulsedocs/read"


def test_the_signing_key_is_kept_and_private(tmp_path: Path) -> None:
    first = TokenIssuer(tmp_path / "key.pem", issuer="a").key_set()

    assert TokenIssuer(tmp_path / "key.pem", issuer="a").key_set() == first
    assert (tmp_path / "key.pem").stat().st_mode & 0o077 == 0
    assert set(first["keys"][0]).isdisjoint({"d", "p", "q"})


def test_a_stage_that_cannot_keep_up_says_when_to_come_back(tmp_path: Path) -> None:
    """Fails when: callers wait for a worker without a limit, until their own patience ends."""
    route = Route("GET", "/health", "slow", None)
    slow = LocalFunction(
        name="slow",
        handler="tests.integration.local.handlers.probe.slow_route",
        arn="arn:aws:lambda:us-east-1:123456789012:function:slow",
        timeout_seconds=60,
        memory_mb=256,
    )
    tokens, listener = TokenIssuer(tmp_path / "key.pem", issuer="x"), listen()
    with WorkerPool({"slow": slow}, logs=tmp_path, environments=1) as pool:
        gateway = Gateway(pool=pool, tokens=tokens, routes=[route], patience_seconds=1)
        with serving(gateway, listener), ThreadPoolExecutor(4) as callers:
            url = f"{address(listener)}/health"
            asked = [callers.submit(httpx.get, url, timeout=PATIENCE) for _caller in range(4)]
            responses = [each.result() for each in asked]

    refused = [each for each in responses if each.status_code != 200]
    assert sorted({each.status_code for each in responses}) == [200, 429]
    assert {problem(each) for each in refused} == {(429, "THROTTLED")}
    assert all(int(each.headers["Retry-After"]) > 0 for each in refused)


def test_the_door_signs_a_browser_in_by_an_address_that_a_person_can_read(api: Api) -> None:
    response = api.request("GET", api.door.path, headers={"Authorization": ""})

    assert response.status_code == 303
    assert response.headers["location"] == "/#token=a.fresh.token"
    assert response.headers["cache-control"] == "no-store"
    assert response.headers["referrer-policy"] == "no-referrer"
    assert len(api.door.path) < 30


@pytest.mark.parametrize("code", ["", "/", "x", "AAAAAAAAAAAAAAAA", "%C3%BC"])
def test_another_code_opens_the_page_that_asks_for_a_token(api: Api, code: str) -> None:
    response = api.request("GET", f"/open/{code}")

    assert (response.status_code, response.headers["location"]) == (303, "/")


def test_every_start_has_a_door_of_its_own(api: Api) -> None:
    other = Door(lambda: "a.fresh.token")

    assert api.request("GET", other.path).headers["location"] == "/"
    assert "code" not in repr(other)
