"""Lambda's Invoke API over our workers: moto's own, without Docker, echoes the payload."""

import json
import re
from collections.abc import Iterable
from typing import Any, Final
from urllib.parse import unquote
from uuid import uuid4

from werkzeug.wrappers import Request, Response

from local.http_server import Wsgi
from local.lambda_errors import RequestTooLarge, UnknownFunction
from local.turns import StageStops
from local.workers import WorkerPool

_INVOKE: Final = re.compile(r"/2015-03-31/functions/(?P<function>[^/]+)/invocations")


class LambdaApi:
    """WSGI middleware: answers invocations, passes everything else on."""

    def __init__(self, app: Wsgi, *, pool: WorkerPool) -> None:
        self._app = app
        self._pool = pool

    def __call__(self, environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:  # noqa: ANN401 -- PEP 3333
        request = Request(environ)
        matched = _INVOKE.fullmatch(request.path)
        if matched is None or request.method != "POST":
            return self._app(environ, start_response)
        return self._answer(request, unquote(matched["function"]))(environ, start_response)

    def _answer(self, request: Request, function: str) -> Response:
        event = request.get_data()
        try:
            if request.headers.get("X-Amz-Invocation-Type") == "Event":
                self._pool.invoke_later(function, event)
                return Response(status=202)
            invocation = self._pool.invoke(function, event)
        except UnknownFunction:
            return _error(404, "ResourceNotFoundException", f"Function not found: {function}")
        except RequestTooLarge as error:
            return _error(413, "RequestTooLargeException", str(error))
        except StageStops:
            return _error(500, "ServiceException", "the stage is stopping")
        response = Response(invocation.payload, mimetype="application/json")
        response.headers["X-Amz-Executed-Version"] = "$LATEST"
        if invocation.function_error:
            response.headers["X-Amz-Function-Error"] = invocation.function_error
        return response


def _error(status: int, code: str, message: str) -> Response:
    body = json.dumps({"Type": "User", "message": message})
    response = Response(body, status=status, mimetype="application/json")
    response.headers["X-Amzn-ErrorType"] = code
    response.headers["X-Amzn-RequestId"] = str(uuid4())
    return response
