"""Requests as API Gateway's REST APIs hand them to functions, and answers as they come back."""

import base64
import binascii
import json
import time
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Final, cast
from uuid import uuid4

from werkzeug.datastructures import Headers
from werkzeug.wrappers import Request, Response

from infra.routes import Route
from local.lambda_errors import Invocation

ACCOUNT: Final = "123456789012"  # moto's
REGION: Final = "us-east-1"
API_ID: Final = "localapi00"
STAGE: Final = "local"


class BadAnswer(Exception):
    """The function failed, or its result is not a proxy response."""


def method_arn(request: Request) -> str:
    """Return what an authoriser decides about."""
    place = f"arn:aws:execute-api:us-east-1:{ACCOUNT}:{API_ID}/{STAGE}"
    return f"{place}/{request.method}/{request.path.lstrip('/')}"


def authoriser_event(request: Request) -> dict[str, Any]:
    return {
        "type": "TOKEN",
        "methodArn": method_arn(request),
        "authorizationToken": request.headers["Authorization"],
    }


def proxy_event(
    request: Request,
    route: Route,
    *,
    path: str,
    parameters: Mapping[str, str],
    authoriser: Mapping[str, Any] | None,
    request_id: str,
) -> dict[str, Any]:
    """Return the payload of version 1.0; what is absent is null, as it is there."""
    headers = _by_name(list(request.headers.items()))
    query = _by_name(list(request.args.items(multi=True)))
    body, is_base64 = None, False
    if content := request.get_data():
        try:
            body = content.decode()
        except UnicodeDecodeError:
            body, is_base64 = base64.b64encode(content).decode(), True
    return {
        "resource": route.path,
        "path": path,
        "httpMethod": request.method,
        "headers": _last(headers),
        "multiValueHeaders": headers or None,
        "queryStringParameters": _last(query),
        "multiValueQueryStringParameters": query or None,
        "pathParameters": dict(parameters) or None,
        "stageVariables": None,
        "requestContext": {
            **_context(request, route, path=path, request_id=request_id),
            **({} if authoriser is None else {"authorizer": dict(authoriser)}),
        },
        "body": body,
        "isBase64Encoded": is_base64,
    }


def response_of(invocation: Invocation) -> Response:
    """Turn a function's result into a response; raises BadAnswer when it is none."""
    if invocation.function_error:
        raise BadAnswer(str(invocation.json().get("errorType")))
    answer = invocation.json()
    if not isinstance(answer, dict) or "statusCode" not in answer:
        raise BadAnswer("no statusCode")
    found = cast("dict[str, Any]", answer)
    body = "" if found.get("body") is None else found["body"]
    if not isinstance(body, str):
        raise BadAnswer(f"body is {json.dumps(body)[:50]}, not text")
    try:
        content = base64.b64decode(body) if found.get("isBase64Encoded") else body.encode()
        # Where a header is in both, the multiple ones win, as on API Gateway.
        single: dict[str, Any] = found.get("headers") or {}
        multiple: dict[str, list[Any]] = found.get("multiValueHeaders") or {}
        headers = Headers({name: str(value) for name, value in single.items()})
        for name, values in multiple.items():
            headers.setlist(name, [str(value) for value in values])
        return Response(content, status=int(found["statusCode"]), headers=headers)
    except (TypeError, ValueError, binascii.Error) as error:
        raise BadAnswer(str(error)) from error


def _by_name(pairs: list[tuple[str, str]]) -> dict[str, list[str]]:
    grouped: dict[str, list[str]] = {}
    for name, value in pairs:
        grouped.setdefault(name, []).append(value)
    return grouped


def _last(grouped: Mapping[str, list[str]]) -> dict[str, str] | None:
    return {name: values[-1] for name, values in grouped.items()} or None


def _context(request: Request, route: Route, *, path: str, request_id: str) -> dict[str, Any]:
    now = datetime.now(UTC)
    return {
        "accountId": ACCOUNT,
        "apiId": API_ID,
        "resourceId": "local0",
        "resourcePath": route.path,
        "domainName": request.host,
        "domainPrefix": API_ID,
        "extendedRequestId": str(uuid4()),
        "httpMethod": request.method,
        "path": f"/{STAGE}{path}",
        "protocol": "HTTP/1.1",
        "requestId": request_id,
        "requestTime": now.strftime("%d/%b/%Y:%H:%M:%S +0000"),
        "requestTimeEpoch": int(time.time() * 1000),
        "stage": STAGE,
        "identity": {
            "sourceIp": request.remote_addr or "127.0.0.1",
            "userAgent": request.headers.get("User-Agent"),
        },
    }
