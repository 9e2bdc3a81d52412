"""Stands in front of everything that is AWS here, and asks for the stage's own keys.

A call is signed in its headers, or it is a presigned address or form of S3, which `upload_gate`
checks. Anything else is refused as AWS refuses it.
"""

import io
import json
from collections.abc import Iterable
from typing import Any, Final
from uuid import uuid4

from werkzeug.wrappers import Request, Response

from local.http_server import Wsgi, wire_path
from local.sigv4 import Credentials, S3Refusal, check_headers
from local.upload_gate import refused

_S3: Final = "s3"


class SignedCalls:
    """WSGI middleware; `credentials` is the key pair whose calls pass."""

    def __init__(self, app: Wsgi, *, credentials: Credentials) -> None:
        self._app = app
        self._credentials = credentials

    def __call__(self, environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:  # noqa: ANN401 -- PEP 3333
        request = Request(environ)
        if "Authorization" not in request.headers:
            # Presigned addresses and forms are checked by the gate of S3.
            is_presigned = "X-Amz-Signature" in request.args
            is_form = request.method == "POST" and request.mimetype == "multipart/form-data"
            is_of_s3 = "X-Amz-Target" not in request.headers and not request.path.startswith("/20")
            if is_of_s3 and (is_presigned or is_form):
                return self._app(environ, start_response)
            refusal = S3Refusal(403, "AccessDenied", "Access Denied")
            return _refused(refusal, request)(environ, start_response)
        body = request.get_data()
        environ["wsgi.input"] = io.BytesIO(body)
        try:
            check_headers(
                method=request.method,
                path=wire_path(environ),
                query=request.query_string.decode("latin-1"),
                headers={name.lower(): value for name, value in request.headers.items()},
                body=body,
                credentials=self._credentials,
            )
        except S3Refusal as refusal:
            return _refused(refusal, request)(environ, start_response)
        return self._app(environ, start_response)


def _refused(refusal: S3Refusal, request: Request) -> Response:
    """Answer in the way of the service that was asked: S3 in XML, the others in JSON."""
    asked = request.headers.get("Authorization", "")
    if f"/{_S3}/aws4_request" in asked or not (asked or "X-Amz-Target" in request.headers):
        return refused(refusal, resource=request.path)
    code = _JSON_CODES.get(refusal.code, refusal.code)
    body = json.dumps({"__type": code, "message": refusal.message})
    response = Response(body, status=refusal.status, mimetype="application/x-amz-json-1.0")
    response.headers["X-Amzn-ErrorType"] = code
    response.headers["X-Amzn-RequestId"] = str(uuid4())
    return response


_JSON_CODES: Final = {
    "AccessDenied": "MissingAuthenticationTokenException",
    "InvalidAccessKeyId": "UnrecognizedClientException",
    "SignatureDoesNotMatch": "InvalidSignatureException",
}
