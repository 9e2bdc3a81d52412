"""The edge of the HTTP functions: routing, validation, and errors as problem documents (RFC 9457).

Powertools routes and validates; this module decides what a request may look like, who sends it,
and what every error looks like to a client.
"""

import base64
import json
import math
import re
import time
import traceback
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from datetime import time as time_of_day
from http import HTTPStatus
from typing import Any, NoReturn, TypeVar, cast
from urllib.parse import unquote
from uuid import uuid4

from aws_lambda_powertools.event_handler import (
    APIGatewayRestResolver,
    Response,
)
from aws_lambda_powertools.event_handler.exceptions import NotFoundError
from aws_lambda_powertools.event_handler.middlewares import NextMiddleware
from aws_lambda_powertools.event_handler.openapi.exceptions import (
    RequestUnsupportedContentType,
    RequestValidationError,
)
from aws_lambda_powertools.event_handler.openapi.params import Header, Path, Query
from aws_lambda_powertools.utilities.typing import LambdaContext

from pulsedocs import bootstrap
from pulsedocs.edge.authorisation import Caller, canonical_tenant
from pulsedocs.edge.identifiers import begin_notes, ids_of_path, note, noted
from pulsedocs.edge.observability import count_refusal, logger
from pulsedocs.errors import (
    BudgetExceeded,
    ConfigurationError,
    Conflict,
    DocumentRejected,
    EmbeddingError,
    FileTooLarge,
    Forbidden,
    IdempotencyKeyReused,
    InvalidRequest,
    NotFound,
    ParkedError,
    ProcessingFailed,
    ProviderThrottled,
    PulseDocsError,
    RetryableError,
    SourceUnavailable,
    StageNotReady,
    TimedOut,
    Unauthenticated,
    UrlRefused,
)
from pulsedocs.headers import SECURITY_HEADERS
from pulsedocs.model.deadline import Deadline

__all__ = [
    "ADMIN",
    "READ",
    "WRITE",
    "Header",
    "Path",
    "Query",
    "Response",
    "caller",
    "create_api",
    "deadline",
    "lambda_handler",
    "parse_json",
    "path_text",
]

READ = "pulsedocs/read"
WRITE = "pulsedocs/write"
ADMIN = "pulsedocs/admin"
"""Of the stage's operators: what a tenant may spend is not the tenant's to say."""

_STATUS_OF: dict[type[PulseDocsError], HTTPStatus] = {
    InvalidRequest: HTTPStatus.BAD_REQUEST,
    UrlRefused: HTTPStatus.BAD_REQUEST,
    SourceUnavailable: HTTPStatus.FAILED_DEPENDENCY,  # a site's fault: neither ours nor a 5xx
    DocumentRejected: HTTPStatus.BAD_REQUEST,
    FileTooLarge: HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
    Unauthenticated: HTTPStatus.UNAUTHORIZED,
    Forbidden: HTTPStatus.FORBIDDEN,
    NotFound: HTTPStatus.NOT_FOUND,
    Conflict: HTTPStatus.CONFLICT,
    IdempotencyKeyReused: HTTPStatus.UNPROCESSABLE_ENTITY,
    ParkedError: HTTPStatus.SERVICE_UNAVAILABLE,
    BudgetExceeded: HTTPStatus.TOO_MANY_REQUESTS,
    RetryableError: HTTPStatus.SERVICE_UNAVAILABLE,
    EmbeddingError: HTTPStatus.SERVICE_UNAVAILABLE,  # of a question: no leg is left to search by
    StageNotReady: HTTPStatus.SERVICE_UNAVAILABLE,
    TimedOut: HTTPStatus.GATEWAY_TIMEOUT,
    ProcessingFailed: HTTPStatus.INTERNAL_SERVER_ERROR,
}
_JSON = "application/json"
_CONTENT_TYPE = "content-type"
_NOWHERE = "not_found_handler"  # what Powertools runs where no route fits
_WITH_BODY = frozenset({"POST", "PUT", "PATCH"})
_EMPTY = frozenset({"", "{}", "null"})
_RETRY_AFTER_SECONDS = 5
_EXPOSED = "Retry-After, x-request-id"
_MAX_JSON_DEPTH = 64
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")

_Header = TypeVar("_Header", str, list[str])

ApiHandler = Callable[[dict[str, Any], LambdaContext], dict[str, Any]]


def status_of(error: PulseDocsError) -> HTTPStatus:
    """Return the status of the nearest class in the tree that has one."""
    return next(
        (_STATUS_OF[kind] for kind in type(error).__mro__ if kind in _STATUS_OF),
        HTTPStatus.INTERNAL_SERVER_ERROR,
    )


def create_api() -> APIGatewayRestResolver:
    """Return a router that answers every error as problem+json."""
    api = APIGatewayRestResolver(enable_validation=True, json_body_deserializer=_parse_object)
    api.use(middlewares=[_refuse_unknown_parameters, _refuse_unstorable_parameters])

    @api.exception_handler(RequestValidationError)
    def on_invalid(error: RequestValidationError) -> Response[str]:
        if any(tuple(item["loc"])[:1] == ("response",) for item in error.errors()):
            return _unexpected(api, error)  # our answer breaks the contract, not the request
        return _problem(api, _invalid_request(error))

    @api.exception_handler(RequestUnsupportedContentType)
    def on_foreign_body(_error: RequestUnsupportedContentType) -> Response[str]:
        return _problem(api, _not_json())

    @api.exception_handler(PulseDocsError)
    def on_known(error: PulseDocsError) -> Response[str]:
        return _problem(api, error)

    @api.exception_handler(NotFoundError)
    def on_unknown_route(_error: NotFoundError) -> Response[str]:
        message = f"there is no {api.current_event.http_method} {api.current_event.path}"
        return _problem(api, NotFound(message))

    @api.exception_handler(Exception)
    def on_unexpected(error: Exception) -> Response[str]:
        return _unexpected(api, error)

    # registered by their decorators
    del on_invalid, on_foreign_body, on_known, on_unknown_route, on_unexpected
    return api


def _unexpected(api: APIGatewayRestResolver, error: Exception) -> Response[str]:
    return _problem(api, unexpected(error))


def unexpected(error: Exception) -> PulseDocsError:
    """Log an error that nobody foresaw; return what a client is told of it."""
    # The frames without the message: a foreign error may quote a row or a passage.
    frames = traceback.format_tb(error.__traceback__)
    logger().error("unexpected", error_type=type(error).__name__, frames=frames, **noted())
    return PulseDocsError("something unexpected happened; the request id leads to the log")


def _refuse_unknown_parameters(
    api: APIGatewayRestResolver, next_middleware: NextMiddleware
) -> Response[Any]:
    """Refuse what would be ignored: a parameter misspelt, one said twice, a body for nobody."""
    route = cast("Any", api.context.get("_route"))
    if route is not None and route.func.__name__ != _NOWHERE:
        known: set[str] = {parameter.alias for parameter in route.dependant.query_params}
        for name, values in _queried(api).items():
            if name not in known:
                listed = ", ".join(sorted(known)) or "none"
                raise InvalidRequest(f"unknown query parameter {name[:64]!r}; known: {listed}")
            if len(values) > 1:
                raise InvalidRequest(f"the query parameter {name!r} is given {len(values)} times")
        if not route.dependant.body_params and (api.current_event.body or "").strip() not in _EMPTY:
            raise InvalidRequest("this operation takes no body")
    return next_middleware(api)  # pyright: ignore[reportUnknownVariableType] -- typed so by Powertools


def _queried(api: APIGatewayRestResolver) -> dict[str, list[str]]:
    event: dict[str, Any] = api.current_event.raw_event
    return event.get("multiValueQueryStringParameters") or {}


def _not_json() -> InvalidRequest:
    return InvalidRequest(f"the body is not declared as {_JSON}")


def _refuse_unstorable_parameters(
    api: APIGatewayRestResolver, next_middleware: NextMiddleware
) -> Response[Any]:
    event: dict[str, Any] = api.current_event.raw_event
    queried = _queried(api)
    named: dict[str, str] = event.get("pathParameters") or {}
    refuse_unstorable(
        *named.values(),
        *(value for values in queried.values() for value in values),
    )
    return next_middleware(api)  # pyright: ignore[reportUnknownVariableType] -- typed so by Powertools


def lambda_handler(api: APIGatewayRestResolver) -> ApiHandler:
    """Return the function's entry point: resolve, add the request id, log one line."""

    def handler(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
        started = time.perf_counter()
        begin_notes(**ids_of_path(event.get("pathParameters")), request_id=_request_id(event))
        if _is_declared_otherwise(event):
            response = _refused(event, _not_json())
        else:
            response = api.resolve(_as_json(_with_text(event)), context)
        headers = response.setdefault("multiValueHeaders", {})
        headers["x-request-id"] = [_request_id(event)]
        for name, text in SECURITY_HEADERS.items():
            headers.setdefault(name, [text])
        headers.update({name: [text] for name, text in cors_headers(event).items()})
        logger().info(
            "request",
            route=f"{event.get('httpMethod')} {event.get('resource')}",
            status=response["statusCode"],
            ms=round((time.perf_counter() - started) * 1000, 1),
            **noted(),
        )
        return response

    return handler


def _is_declared_otherwise(event: Mapping[str, Any]) -> bool:
    """Say whether a body is announced as anything but JSON, whether or not one came.

    Powertools reads forms as fields, which `parse_json` never sees, and fails on one that names no
    boundary before any code of ours could refuse it.
    """
    if not event.get("body") and event.get("httpMethod") not in _WITH_BODY:
        return False
    return any(_media_type(text) not in {_JSON, ""} for text in _declared(event))


def _declared(event: Mapping[str, Any]) -> list[str]:
    """Return what the request says its body is; twice where it says so twice."""
    several: dict[str, list[str]] = event.get("multiValueHeaders") or {}
    single: dict[str, str] = event.get("headers") or {}
    headers = {name.lower(): [text] for name, text in single.items()}
    headers |= {name.lower(): texts for name, texts in several.items()}
    return headers.get(_CONTENT_TYPE, [])


def _media_type(text: str) -> str:
    return text.partition(";")[0].strip().lower()


def _as_json(event: dict[str, Any]) -> dict[str, Any]:
    """Return the event with its content type spelt as Powertools knows it: `Application/JSON`."""
    several: dict[str, list[str]] = event.get("multiValueHeaders") or {}
    single: dict[str, str] = event.get("headers") or {}
    return event | {
        "headers": _without_type(single) | {_CONTENT_TYPE: _JSON},
        "multiValueHeaders": _without_type(several) | {_CONTENT_TYPE: [_JSON]},
    }


def _without_type(headers: Mapping[str, _Header]) -> dict[str, _Header]:
    return {name: said for name, said in headers.items() if name.lower() != _CONTENT_TYPE}


def _refused(event: dict[str, Any], error: PulseDocsError) -> dict[str, Any]:
    """Return the answer to a request that no route is asked about."""
    document = problem_document(error, request_id=_request_id(event))
    return {
        "statusCode": document["status"],
        "body": json.dumps(document),
        "isBase64Encoded": False,
        "multiValueHeaders": {"Content-Type": ["application/problem+json"]},
    }


def cors_headers(event: Mapping[str, Any]) -> dict[str, str]:
    """Return what lets a page of an allowed origin read the answer; nothing where none is."""
    try:
        allowed = bootstrap.settings().cors_origins
    except ConfigurationError:  # said by whatever of the request needs a setting
        return {}
    if not allowed:
        return {}
    sent: dict[str, str] = event.get("headers") or {}
    origin = next((text for name, text in sent.items() if name.lower() == "origin"), None)
    named = (
        {"Access-Control-Allow-Origin": origin, "Access-Control-Expose-Headers": _EXPOSED}
        if origin in allowed
        else {}
    )
    return {**named, "Vary": "Origin"}  # a cache must not hand one origin's answer to another


def _with_text(event: dict[str, Any]) -> dict[str, Any]:
    """Return the event with its body as text.

    Bytes that are no UTF-8 become halves of surrogate pairs, which `parse_json` refuses: Powertools
    would fail on them before a route is found.
    """
    if not event.get("isBase64Encoded"):
        return event
    body = base64.b64decode(event.get("body") or "").decode(errors="surrogateescape")
    return event | {"body": body, "isBase64Encoded": False}


def caller(api: APIGatewayRestResolver, *, scope: str = READ) -> Caller:
    """Return who calls, from the authoriser's context only; raise Forbidden without the scope."""
    event: dict[str, Any] = api.current_event.raw_event
    context: dict[str, Any] = event.get("requestContext", {}).get("authorizer") or {}
    found = Caller(
        tenant_id=canonical_tenant(context.get("tenant_id")),
        subject=str(context.get("subject", "")),
        scopes=frozenset(str(context.get("scopes", "")).split()),
    )
    note(tenant_id=found.tenant_id)
    if scope not in found.scopes:
        message = f"this operation needs the scope {scope!r}"
        raise Forbidden(message)
    return found


def deadline() -> Deadline:
    """Return the time budget of the request that starts now."""
    return Deadline.after(bootstrap.settings().request_seconds)


def path_text(segment: str) -> str:
    """Return what a client wrote into a segment of the path: the router hands it over encoded."""
    text = unquote(segment)
    refuse_unstorable(text)
    return text


def stream_deadline() -> Deadline:
    """Return the time budget of an answer that leaves in parts."""
    return Deadline.after(bootstrap.settings().stream_seconds)


def parse_json(body: str) -> Any:  # noqa: ANN401 -- JSON
    """Parse JSON as RFC 8259 has it: no NaN, no infinity, no repeated names, no deep nesting."""
    try:
        parsed = json.loads(
            body,
            parse_constant=_refuse_constant,
            parse_float=_finite,
            object_pairs_hook=_unique,
        )
    except (ValueError, RecursionError) as error:
        message = f"the body is not valid JSON: {error}"
        raise InvalidRequest(message) from None
    for level in _levels(parsed):
        refuse_unstorable(*(item for item in level if isinstance(item, str)))
    return parsed


def _parse_object(body: str) -> Any:  # noqa: ANN401 -- JSON
    """Parse a request's body: Powertools would take a list with one object in it for the object."""
    parsed = parse_json(body)
    if not isinstance(parsed, dict | None):
        raise InvalidRequest("the body is not a JSON object")
    return cast("Any", parsed)


def refuse_unstorable(*texts: str) -> None:
    """Refuse what PostgreSQL's text cannot hold: NUL, and halves of surrogate pairs."""
    if any(_UNSTORABLE.search(text) for text in texts):
        message = "a text contains NUL or half of a surrogate pair"
        raise InvalidRequest(message)


def _refuse_constant(name: str) -> NoReturn:
    message = f"{name} is not a JSON number"
    raise ValueError(message)


def _finite(number: str) -> float:
    parsed = float(number)
    if math.isinf(parsed):  # 1e400 is one: jsonb would refuse it later, as an error of ours
        message = f"{number[:32]} is too large a number"
        raise ValueError(message)
    return parsed


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len({name for name, _ in pairs}) != len(pairs):
        message = "a name occurs twice in one object"
        raise ValueError(message)
    return dict(pairs)


def _levels(value: object) -> Iterator[list[object]]:
    """Yield a JSON value, its children, their children; raise InvalidRequest if it nests deep."""
    level = [value]
    for _ in range(_MAX_JSON_DEPTH):
        yield level
        level = [child for item in level for child in _children(item)]
        if not level:
            return
    message = f"the body nests deeper than {_MAX_JSON_DEPTH} levels"
    raise InvalidRequest(message)


def _children(value: object) -> Iterator[object]:
    if isinstance(value, dict):
        yield from cast("dict[object, object]", value).keys()
        yield from cast("dict[object, object]", value).values()
    elif isinstance(value, list):
        yield from cast("list[object]", value)


def _invalid_request(error: RequestValidationError) -> InvalidRequest:
    problems = "; ".join(
        f"{'.'.join(str(part) for part in item['loc'])}: {item['msg']}" for item in error.errors()
    )
    return InvalidRequest(problems or "the request does not fit the contract")


def _problem(api: APIGatewayRestResolver, error: PulseDocsError) -> Response[str]:
    count_refusal(error)
    document = problem_document(error, request_id=_request_id(api.current_event.raw_event))
    return Response(
        status_code=document["status"],
        content_type="application/problem+json",
        body=json.dumps(document),
        headers={**retry_after(error)},
    )


def problem_document(error: PulseDocsError, *, request_id: str) -> dict[str, Any]:
    """Return what a client is told of an error (RFC 9457)."""
    status = status_of(error)
    return {
        "type": f"urn:pulsedocs:error:{error.code}",
        "title": status.phrase,
        "status": status.value,
        "code": error.code,
        "detail": error.message,
        "context": error.context,
        "guidance": error.guidance,
        "request_id": request_id,
    }


def retry_after(error: PulseDocsError) -> dict[str, str]:
    """Return the header that says when the same request can succeed, if waiting helps."""
    if isinstance(error, BudgetExceeded):
        return {"Retry-After": str(_seconds_until(error.context.get("resets_at")))}
    if not isinstance(error, RetryableError | EmbeddingError):
        return {}
    wanted = error.retry_after_seconds if isinstance(error, ProviderThrottled) else None
    return {"Retry-After": str(max(1, round(wanted or _RETRY_AFTER_SECONDS)))}


def _seconds_until(moment: object) -> int:
    """Return the seconds until a day ends; where nobody said when, those until one in UTC does."""
    now = datetime.now(UTC)
    end = datetime.combine(now.date() + timedelta(days=1), time_of_day.min, UTC)
    if isinstance(moment, str):
        end = datetime.fromisoformat(moment)
    return max(1, math.ceil((end - now).total_seconds()))


def _request_id(event: dict[str, Any]) -> str:
    return str(event.get("requestContext", {}).get("requestId") or uuid4())
