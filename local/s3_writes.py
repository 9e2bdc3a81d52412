"""Stands in front of moto's S3: what a request wrote is on disk, then it is told, then answered.

moto sends the event of an object before the object has its metadata, and keeps both in memory.
"""

import logging
from collections.abc import Iterable
from typing import Any, Final

from werkzeug.test import run_wsgi_app

from local.http_server import Wsgi
from local.kept_objects import KeptObjects, noted_changes
from local.s3_events import held_events, tell
from local.sigv4 import S3Refusal
from local.upload_gate import refused

_READING: Final = frozenset({"GET", "HEAD", "OPTIONS"})
_log = logging.getLogger(__name__)


class S3Writes:
    """WSGI middleware; `objects` is where a durable stage keeps its bucket."""

    def __init__(self, app: Wsgi) -> None:
        self._app = app
        self.objects: KeptObjects | None = None

    def __call__(self, environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:  # noqa: ANN401 -- PEP 3333
        if environ["REQUEST_METHOD"] in _READING:
            return self._app(environ, start_response)
        with held_events() as events, noted_changes() as changes:
            chunks, status, headers = run_wsgi_app(self._app, environ, buffered=True)
        try:
            if self.objects is not None:
                self.objects.keep(changes)
        except OSError as error:
            assert self.objects is not None  # noqa: S101 -- it raised
            self.objects.take_back(changes)
            _log.error("an object could not be written to disk: %s", error)
            message = f"The stage could not write the object to its disk: {error}"
            refusal = S3Refusal(500, "InternalError", message)
            return refused(refusal, resource=environ["PATH_INFO"])(environ, start_response)
        for event in events:
            tell(event)
        start_response(status, list(headers))
        return chunks
