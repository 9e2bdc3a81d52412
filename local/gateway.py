"""The HTTP API of a local stage: routes and authorises like API Gateway, in front of functions.

What API Gateway answers by itself (no such route, no token, a broken function) is a problem
document here as on AWS, where gateway responses are configured to the same bodies.
"""

import fnmatch
import json
import logging
import re
import threading
import time
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, Final
from urllib.parse import unquote
from uuid import uuid4

from werkzeug.exceptions import ClientDisconnected, RequestEntityTooLarge
from werkzeug.serving import WSGIRequestHandler
from werkzeug.wrappers import Request, Response

from infra.routes import ROUTES, Route
from local.door import Door
from local.http_server import has_left, wire_path
from local.lambda_errors import RequestTooLarge
from local.rest_events import (
    BadAnswer,
    authoriser_event,
    method_arn,
    proxy_event,
    response_of,
)
from local.streaming import StreamingFunction
from local.tokens import TokenIssuer
from local.turns import BUSY, PATIENCE_SECONDS, ClientLeft, StageStops
from local.workers import WorkerPool
from pulsedocs.errors import BodyTooLarge, InvalidRequest, PulseDocsError, Throttled
from pulsedocs.headers import CHALLENGE, PREFLIGHT_SECONDS, SECURITY_HEADERS, SENT_BY_PAGES

KEY_SET_PATH: Final = "/.well-known/jwks.json"
_BODY_LIMIT_BYTES: Final = 10 * 1024 * 1024  # API Gateway's; Lambda's 6 MB may strike first
_DRAINED_BYTES: Final = 10 * _BODY_LIMIT_BYTES
_AUTHORISED_SECONDS: Final = 60
_RETRY_AFTER_SECONDS: Final = "5"
_log = logging.getLogger(__name__)


class Refused(Exception):
    """A gateway response: what API Gateway answers instead of the function."""

    def __init__(self, status: int, code: str, detail: str, guidance: str) -> None:
        super().__init__(detail)
        self.status = status
        self.code = code
        self.detail = detail
        self.guidance = guidance


_TOO_LARGE: Final = Refused(
    *(413, BodyTooLarge.code, "the request is larger than 6 MB", BodyTooLarge.guidance)
)
_THROTTLED: Final = Refused(429, Throttled.code, BUSY, Throttled.guidance)
_STOPPING: Final = Refused(
    503, "INTERNAL", "the stage is stopping", "Start it again and repeat the request."
)
_UNCHECKED: Final = Refused(
    503, PulseDocsError.code, "the access token could not be checked", PulseDocsError.guidance
)
_FAILED: Final = Refused(
    502, "INTERNAL", "the function failed", "Try again; if it persists, report the id."
)


@dataclass(frozen=True, slots=True)
class _Match:
    route: Route
    parameters: Mapping[str, str]


class Gateway:
    """WSGI application over the functions of a pool."""

    def __init__(  # noqa: PLR0913 -- what it stands in front of, and how
        self,
        *,
        pool: WorkerPool,
        tokens: TokenIssuer,
        door: Door | None = None,
        routes: Sequence[Route] = ROUTES,
        streaming: Mapping[str, StreamingFunction] | None = None,
        origins: Collection[str] = (),
        authoriser: str = "authorize",
        patience_seconds: float = PATIENCE_SECONDS,
    ) -> None:
        self._pool = pool
        self._patience_seconds = patience_seconds
        self._streaming = streaming or {}
        self._tokens = tokens
        self._door = door
        self._origins = origins
        # As on AWS: pages of every origin may read fixed texts.
        self._readable = {"Access-Control-Allow-Origin": "*"} if origins else {}
        self._routes = [(_pattern(route.path), route) for route in routes]
        self._authoriser = _Authoriser(pool, authoriser)

    def __call__(self, environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:  # noqa: ANN401 -- PEP 3333
        request = Request(environ)
        request.max_content_length = _BODY_LIMIT_BYTES
        request_id = str(uuid4())
        try:
            if request.path == KEY_SET_PATH:
                key_set = json.dumps(self._tokens.key_set())
                response = Response(
                    key_set, mimetype="application/json", headers=dict(SECURITY_HEADERS)
                )
            elif self._door is not None and (sent_on := self._door.answer(request.path)):
                response = sent_on
            elif self._is_preflight(request):
                response = self._preflight(request)
            else:
                response = self._invoke(request, request_id=request_id)
        except RequestEntityTooLarge:
            # Read what the client insists on sending: it sees no answer before it is done.
            left = min(request.content_length or 0, _DRAINED_BYTES)
            while left > 0 and (received := environ["wsgi.input"].read(min(left, 1 << 16))):
                left -= len(received)
            response = self._problem(_TOO_LARGE, request_id=request_id)
        except Exception as error:  # noqa: BLE001 -- whatever breaks here, the caller reads a problem
            response = self._problem(_refusal(error, request_id=request_id), request_id=request_id)
        response.headers["x-request-id"] = request_id
        return response(environ, start_response)

    def _invoke(self, request: Request, *, request_id: str) -> Response:
        path = wire_path(request.environ)
        match = self._match(request.method, path)
        _read_body(request)  # bytes left unread would reset the connection
        authoriser = self._authoriser.context_for(request) if match.route.scope else None
        event = proxy_event(
            request,
            match.route,
            path=path,
            parameters=match.parameters,
            authoriser=authoriser,
            request_id=request_id,
        )
        streaming = self._streaming.get(match.route.function)
        if streaming is not None:
            return streaming.respond(request, event["requestContext"])
        invocation = self._pool.invoke(
            match.route.function,
            json.dumps(event).encode(),
            patience=self._patience_seconds,
            is_wanted=lambda: not has_left(request.environ),
        )
        return response_of(invocation)

    def _is_preflight(self, request: Request) -> bool:
        path = wire_path(request.environ)
        return (
            request.method == "OPTIONS"
            and bool(self._origins)
            and any(pattern.fullmatch(path) for pattern, _route in self._routes)
        )

    def _preflight(self, request: Request) -> Response:
        """Say what pages of an allowed origin may send; a browser asks it without a token."""
        response = Response(status=204, headers={**SECURITY_HEADERS, "Vary": "Origin"})
        if (origin := request.headers.get("Origin")) in self._origins:
            response.headers |= {
                "Access-Control-Allow-Origin": origin,
                "Access-Control-Allow-Methods": ",".join(
                    sorted({route.method for _pattern, route in self._routes})
                ),
                "Access-Control-Allow-Headers": ",".join(SENT_BY_PAGES),
                "Access-Control-Max-Age": str(PREFLIGHT_SECONDS),
            }
        return response

    def _problem(self, refused: Refused, *, request_id: str) -> Response:
        response = _problem(refused, request_id=request_id)
        response.headers.update(self._readable)
        return response

    def _match(self, method: str, path: str) -> _Match:
        for pattern, route in self._routes:
            found = pattern.fullmatch(path)
            if found and route.method == method:
                parameters = {name: unquote(text) for name, text in found.groupdict().items()}
                return _Match(route, parameters)
        raise Refused(
            404, "NOT_FOUND", f"there is no {method} {path[:200]}", "The contract is at /docs."
        )


class ProblemHandler(WSGIRequestHandler):
    """Refuses what never becomes a request as the gateway refuses requests."""

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        detail = message or explain or HTTPStatus(code).phrase
        refused = Refused(code, InvalidRequest.code, detail, "Send a request of HTTP/1.1.")
        request_id = str(uuid4())
        response = _problem(refused, request_id=request_id)
        response.headers["x-request-id"] = request_id
        self.request_version = self.protocol_version  # else of a line that is not read, no status
        self.send_response(code)
        for name, text in response.headers:
            self.send_header(name, text)
        self.end_headers()
        self.wfile.write(response.get_data())


def _read_body(request: Request) -> None:
    """Read the body, which the request keeps; raise Refused for one that does not end as said."""
    try:
        request.get_data()
    except (OSError, ClientDisconnected) as error:  # a chunk without a length; half a body
        raise Refused(
            400, "INVALID_REQUEST", "the body does not end as the request says", "Send it whole."
        ) from error


def _refusal(error: Exception, *, request_id: str) -> Refused:
    """Return what the caller is told; log what is no answer to the caller."""
    match error:
        case Refused():
            return error
        case RequestTooLarge():  # the body is read already: to drain it would wait for ever
            return _TOO_LARGE
        case Throttled() | ClientLeft():  # nobody reads what one that has left is answered
            return _THROTTLED
        case StageStops():
            return _STOPPING
        case BadAnswer():
            _log.warning("request %s: the function failed: %s", request_id, error)
        case _:
            _log.error("request %s: the stage failed", request_id, exc_info=error)
    return _FAILED


class _Authoriser:
    """Asks a function who is calling, and remembers the answer for each token for a minute."""

    def __init__(self, pool: WorkerPool, function: str) -> None:
        self._pool = pool
        self._function = function
        self._known: dict[str, tuple[float, dict[str, Any]]] = {}
        self._lock = threading.Lock()

    def context_for(self, request: Request) -> dict[str, Any]:
        """Return the caller's context; raises Refused with 401, 403 or 500."""
        if not request.headers.get("Authorization"):
            raise _unauthorised()
        policy = self._policy(request)
        if not _allows(policy.get("policyDocument", {}), method_arn(request)):
            raise Refused(403, "FORBIDDEN", "access denied", "The token does not allow this.")
        context: dict[str, Any] = policy.get("context") or {}
        texts = {name: str(value) for name, value in context.items()}
        return {"principalId": policy.get("principalId"), **texts}

    def _policy(self, request: Request) -> dict[str, Any]:
        token, now = request.headers["Authorization"], time.monotonic()
        with self._lock:
            until, policy = self._known.get(token, (0.0, {}))
        if now < until:
            return policy
        policy = self._ask(request)
        with self._lock:
            current = {key: known for key, known in self._known.items() if now < known[0]}
            self._known = {**current, token: (now + _AUTHORISED_SECONDS, policy)}
        return policy

    def _ask(self, request: Request) -> dict[str, Any]:
        event = json.dumps(authoriser_event(request)).encode()
        invocation = self._pool.invoke(
            self._function,
            event,
            patience=PATIENCE_SECONDS,
            is_wanted=lambda: not has_left(request.environ),
        )
        if not invocation.function_error:
            return invocation.json()
        error = invocation.json()
        if error.get("errorMessage") == "Unauthorized":
            raise _unauthorised()
        _log.warning("authorize failed: %s", error.get("errorType"))
        raise _UNCHECKED


def _unauthorised() -> Refused:
    return Refused(
        401,
        "UNAUTHENTICATED",
        "the access token is missing or not valid",
        "Send a valid access token as `Authorization: Bearer <token>`.",
    )


def _allows(document: Mapping[str, Any], arn: str) -> bool:
    """Evaluate an authoriser's policy: one Deny wins, one Allow is needed."""
    effects: set[str] = set()
    for statement in document.get("Statement", []):
        stated: str | list[str] = statement["Resource"]
        resources = stated if isinstance(stated, list) else [stated]
        if any(fnmatch.fnmatchcase(arn, resource) for resource in resources):
            effects.add(statement["Effect"])
    return "Allow" in effects and "Deny" not in effects


def _pattern(path: str) -> re.Pattern[str]:
    """Return what matches a route; `{name}` is one part, which may hold an encoded slash."""
    parts = (
        f"(?P<{part[1:-1]}>[^/]+)" if part.startswith("{") else re.escape(part)
        for part in path.split("/")
    )
    return re.compile("/".join(parts))


def _problem(refused: Refused, *, request_id: str) -> Response:
    document: dict[str, Any] = {
        "type": f"urn:pulsedocs:error:{refused.code}",
        "title": HTTPStatus(refused.status).phrase,
        "status": refused.status,
        "code": refused.code,
        "detail": refused.detail,
        "context": {},
        "guidance": refused.guidance,
        "request_id": request_id,
    }
    response = Response(
        json.dumps(document), status=refused.status, mimetype="application/problem+json"
    )
    if refused in {_THROTTLED, _STOPPING, _UNCHECKED}:
        response.headers["Retry-After"] = _RETRY_AFTER_SECONDS
    if refused.status == HTTPStatus.UNAUTHORIZED:
        response.headers.update(CHALLENGE)
    response.headers.update(SECURITY_HEADERS)
    response.headers["Connection"] = "close"  # part of the body may be unread
    return response
