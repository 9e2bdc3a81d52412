"""What AWS was asked, and by whose key: every request on the wire while somebody looks.

Each function signs with a key of its own, as it has a role of its own on AWS, so that neither
the product nor the processes it runs in know of this.
"""

import io
import re
from collections.abc import Generator, Iterable, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, Final

from werkzeug.wrappers import Request

from local.http_server import Wsgi
from local.sigv4 import Credentials

_SIGNED_BY: Final = re.compile(r"Credential=([^/,\s]+)/\d+/[^/]+/([^/]+)/")
_FORM_FIELD: Final = rb'name="%s"\r\n\r\n([^\r]*)\r\n'


@dataclass(frozen=True, slots=True)
class Call:
    """One request, by the function whose key signed it; presigned addresses and forms as well."""

    function: str
    service: str
    method: str
    path: str
    query: Mapping[str, str]
    headers: Mapping[str, str]
    """Names in lower case."""
    body: bytes
    """Of a POST; what a PUT stores is no part of the question who may store it."""
    status: int

    def field(self, name: str) -> str:
        """Return a field of a form; empty where it has none."""
        found = re.search(_FORM_FIELD % re.escape(name.encode()), self.body)
        return found[1].decode() if found else ""


class CallLog:
    """WSGI middleware in front of everything that stands for AWS."""

    def __init__(self, app: Wsgi, *, credentials: Credentials) -> None:
        self._app = app
        self._credentials = credentials
        self._seen: list[Call] | None = None

    @contextmanager
    def observing(self) -> Generator[list[Call]]:
        """Collect what functions ask, until the context ends."""
        self._seen = seen = []
        try:
            yield seen
        finally:
            self._seen = None

    def __call__(self, environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:  # noqa: ANN401 -- PEP 3333
        seen = self._seen
        if seen is None:
            return self._app(environ, start_response)
        body = b""
        if environ["REQUEST_METHOD"] == "POST" and environ.get("CONTENT_LENGTH"):
            body = environ["wsgi.input"].read(int(environ["CONTENT_LENGTH"]))
            environ["wsgi.input"] = io.BytesIO(body)  # for the application, which reads it again
        request = Request(environ)

        def noting(status: str, *rest: Any) -> Any:  # noqa: ANN401 -- PEP 3333
            call = Call(
                function="",
                service="",
                method=request.method,
                path=request.path,
                query=request.args.to_dict(),
                headers={name.lower(): text for name, text in request.headers.items()},
                body=body,
                status=int(status[:3]),
            )
            # The access key and the service of a request, a presigned address or a form.
            written = call.headers.get("authorization", "")
            if not written:
                scope = call.query.get("X-Amz-Credential") or call.field("x-amz-credential")
                written = f"Credential={scope}/"
            found = _SIGNED_BY.search(written)
            key, service = (found[1], found[2]) if found else ("", "")
            function = self._credentials.function_of(key)
            if function:
                seen.append(replace(call, function=function, service=service))
            return start_response(status, *rest)

        return self._app(environ, noting)
