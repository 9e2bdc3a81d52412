"""Lets pages of named origins send forms to the bucket and read its answers, as a rule does on AWS.

moto would let every page: flask_cors names any origin that asks.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

from werkzeug.datastructures import Headers
from werkzeug.wrappers import Request, Response

from local.http_server import Wsgi

_METHODS: Final = "GET, HEAD, POST"
_PREFLIGHT: Final = "Access-Control-Request-Method"


class PagesOfOrigins:
    """WSGI middleware; `origins` are those of the pages."""

    def __init__(self, app: Wsgi, *, origins: Sequence[str]) -> None:
        self._app = app
        self._origins = origins

    def __call__(self, environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:  # noqa: ANN401 -- PEP 3333
        request = Request(environ)
        origin = request.headers.get("Origin", "")
        allowed = {"Access-Control-Allow-Origin": origin} if origin in self._origins else {}
        if request.method == "OPTIONS" and _PREFLIGHT in request.headers:
            return _preflight(request, allowed)(environ, start_response)

        def start(status: str, headers: list[tuple[str, str]], *rest: Any) -> Callable[..., Any]:  # noqa: ANN401 -- PEP 3333
            kept = Headers(
                [each for each in headers if not each[0].lower().startswith("access-control-")]
            )
            if origin:
                kept.update({**allowed, "Vary": "Origin"})
            return start_response(status, kept.to_wsgi_list(), *rest)

        return self._app(environ, start)


def _preflight(request: Request, allowed: dict[str, str]) -> Response:
    if not allowed:
        return Response("CORSResponse: This CORS request is not allowed.\n", status=403)
    asked = request.headers.get("Access-Control-Request-Headers", "")
    return Response(
        headers={
            **allowed,
            "Access-Control-Allow-Methods": _METHODS,
            "Access-Control-Allow-Headers": asked,
            "Access-Control-Max-Age": "3600",
            "Vary": "Origin",
        }
    )
