"""Stands in front of moto's S3, which checks nothing, and lets through what S3 would.

Forms are checked against their policy and become a plain PUT for moto; presigned addresses are
checked for signature and expiry; anything unsigned is denied. What carries an Authorization
header was checked by `local.signed_calls`.
"""

import io
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4
from xml.sax.saxutils import escape

from werkzeug.datastructures import Headers
from werkzeug.http import parse_options_header
from werkzeug.sansio.multipart import Data, Epilogue, Field, File, MultipartDecoder
from werkzeug.test import run_wsgi_app
from werkzeug.wrappers import Request, Response

from local.http_server import Wsgi, wire_path
from local.post_policy import check_form
from local.s3_events import form_upload
from local.sigv4 import Credentials, S3Refusal, access_denied, check_presigned

_KEPT_HEADERS = ("content-disposition", "cache-control", "content-encoding")
_KEPT_PREFIXES = ("x-amz-meta-", "x-amz-checksum-", "x-amz-server-side-encryption")
_MAX_FORM_BYTES = 1024 * 1024 * 1024


@dataclass(slots=True)
class _Form:
    fields: dict[str, str] = field(default_factory=dict[str, str])
    body: bytes | None = None


class UploadGate:
    """WSGI middleware; `credentials` is the key pair that signs forms and addresses."""

    def __init__(self, app: Wsgi, *, credentials: Credentials) -> None:
        self._app = app
        self._credentials = credentials

    def __call__(self, environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:  # noqa: ANN401 -- PEP 3333
        request = Request(environ)
        try:
            if request.method == "POST" and request.mimetype == "multipart/form-data":
                return self._upload(request)(environ, start_response)
            if "Authorization" not in request.headers:  # else checked by `local.signed_calls`
                if "X-Amz-Signature" not in request.args:
                    raise access_denied()
                check_presigned(
                    method=request.method,
                    path=wire_path(request.environ),
                    query=request.query_string.decode("latin-1"),
                    headers={name.lower(): value for name, value in request.headers.items()},
                    credentials=self._credentials,
                )
        except S3Refusal as refusal:
            return refused(refusal, resource=request.path)(environ, start_response)
        return self._app(environ, start_response)

    def _upload(self, request: Request) -> Response:
        bucket = request.path.strip("/")
        form = _read_form(request)
        if form.body is None:
            message = "POST requires exactly one file upload per request."
            raise S3Refusal(400, "InvalidArgument", message)
        check_form(form.fields, body=form.body, bucket=bucket, credentials=self._credentials)
        environ = {
            **request.environ,
            "REQUEST_METHOD": "PUT",
            "PATH_INFO": f"/{bucket}/{form.fields['key']}",
            "QUERY_STRING": "",
            "CONTENT_LENGTH": str(len(form.body)),
            "CONTENT_TYPE": form.fields.get("content-type", "binary/octet-stream"),
            "wsgi.input": io.BytesIO(form.body),
        }
        for name in ("REQUEST_URI", "RAW_URI", "HTTP_CONTENT_LENGTH", "HTTP_CONTENT_TYPE"):
            environ.pop(name, None)
        for name, value in form.fields.items():  # what S3 keeps as headers of the object
            if name in _KEPT_HEADERS or name.startswith(_KEPT_PREFIXES):
                environ[f"HTTP_{name.upper().replace('-', '_')}"] = value
        environ["HTTP_AUTHORIZATION"] = "AWS4-HMAC-SHA256 Credential=gate/20260101/us-east-1/s3/x"
        with form_upload():
            chunks, status, headers = run_wsgi_app(self._app, environ, buffered=True)
        stored = Response(b"".join(chunks), status=status, headers=Headers(headers))
        return _form_response(stored, form.fields, bucket=bucket)


def _read_form(request: Request) -> _Form:
    """Read fields up to the file; what follows the file is ignored, as S3 does."""
    if request.content_length is None:
        message = "You must provide the Content-Length HTTP header."
        raise S3Refusal(411, "MissingContentLength", message)
    _, options = parse_options_header(request.headers["Content-Type"])
    decoder = MultipartDecoder(options.get("boundary", "").encode(), _MAX_FORM_BYTES)
    received = request.stream.read()
    if len(received) < request.content_length:
        message = "You did not provide the number of bytes specified by the Content-Length header."
        raise S3Refusal(400, "IncompleteBody", message)
    try:
        decoder.receive_data(received)
        decoder.receive_data(None)
        return _collect(decoder)
    except (ValueError, UnicodeDecodeError):
        message = "The body of your POST request is not well-formed multipart/form-data."
        raise S3Refusal(400, "MalformedPOSTRequest", message) from None


def _collect(decoder: MultipartDecoder) -> _Form:
    form, name, content = _Form(), "", bytearray()
    event = decoder.next_event()
    while not isinstance(event, Epilogue) and form.body is None:
        if isinstance(event, Field | File):
            name, content = event.name.lower(), bytearray()
        elif isinstance(event, Data):
            content += event.data
            if not event.more_data and name == "file":
                form.body = bytes(content)
            elif not event.more_data:
                form.fields[name] = content.decode()
        event = decoder.next_event()
    return form


def _form_response(stored: Response, fields: dict[str, str], *, bucket: str) -> Response:
    if stored.status_code >= 300:  # noqa: PLR2004 -- not a success; moto's own words
        return stored
    status = fields.get("success_action_status", "204")
    kept = {
        name: value for name, value in stored.headers.items() if name.lower() != "content-length"
    }
    headers = {**kept, "Location": f"/{bucket}/{fields['key']}"}
    if status != "201":
        return Response(status=200 if status == "200" else 204, headers=headers)
    body = (
        f"<PostResponse><Location>{escape(headers['Location'])}</Location>"
        f"<Bucket>{escape(bucket)}</Bucket><Key>{escape(fields['key'])}</Key>"
        f"<ETag>{escape(stored.headers.get('ETag', ''))}</ETag></PostResponse>"
    )
    return Response(body, status=201, headers=headers, mimetype="application/xml")


def refused(refusal: S3Refusal, *, resource: str) -> Response:
    """Return a refusal as S3 writes it."""
    body = (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f"<Error><Code>{refusal.code}</Code><Message>{escape(refusal.message)}</Message>"
        f"<Resource>{escape(resource)}</Resource><RequestId>{uuid4()}</RequestId></Error>"
    )
    response = Response(body, status=refusal.status, mimetype="application/xml")
    response.headers["Connection"] = "close"  # what is left of the body was not read
    return response
