"""A client written from the HTTP contract alone: upload, poll, ask, read a trace."""

import mimetypes
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self
from uuid import UUID

import httpx

_POLL_SECONDS = 0.15
_REQUEST_SECONDS = 30.0


class RequestRefused(Exception):
    """The service answered with a problem document; the message is the reader's."""

    def __init__(self, problem: Mapping[str, Any]) -> None:
        super().__init__(
            f"{problem.get('code')}: {problem.get('detail')} {problem.get('guidance')}"
        )
        self.problem = problem


class Client:
    """One tenant's view of a stage."""

    def __init__(self, url: str, token: str) -> None:
        self._http = httpx.Client(
            base_url=url,
            headers={"Authorization": f"Bearer {token}", "Accept": "application/json"},
            timeout=_REQUEST_SECONDS,
            trust_env=False,  # the stage is on this machine: no proxy has a part in it
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._http.close()

    def upload(self, path: Path, **options: Any) -> UUID:  # noqa: ANN401 -- fields of the contract
        """Register a file and post its bytes; return the document's id."""
        content_type = mimetypes.guess_type(path.name)[0] or "application/octet-stream"
        registered = self.call(
            "POST",
            "/documents",
            {
                "filename": path.name,
                "content_type": content_type,
                "size": path.stat().st_size,
                **options,
            },
        )
        form = registered["upload"]
        with path.open("rb") as body:
            response = httpx.post(
                form["url"],
                data=form["fields"],
                files={"file": (path.name, body, content_type)},
                timeout=_REQUEST_SECONDS,
                trust_env=False,
            )
        response.raise_for_status()
        return UUID(registered["document_id"])

    def wait(
        self,
        document_id: UUID,
        *,
        seconds: float = 120,
        on_progress: Callable[[dict[str, Any]], None] = lambda _status: None,
    ) -> dict[str, Any]:
        """Poll until the document has an outcome; return its status. Raises TimeoutError."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            status = self.call("GET", f"/documents/{document_id}")
            on_progress(status)
            if status["outcome"] is not None:
                return status
            time.sleep(_POLL_SECONDS)
        raise TimeoutError(f"document {document_id} has no outcome after {seconds:.0f} s")

    def ask(self, question: str, **options: Any) -> dict[str, Any]:  # noqa: ANN401 -- as above
        return self.call("POST", "/ask", {"question": question, **options})

    def search(self, query: str, **options: Any) -> dict[str, Any]:  # noqa: ANN401 -- as above
        return self.call("POST", "/search", {"query": query, **options})

    def trace(self, trace_id: str) -> dict[str, Any]:
        return self.call("GET", f"/traces/{trace_id}")

    def replay(self, trace_id: str) -> dict[str, Any]:
        return self.call("POST", f"/traces/{trace_id}/replay")

    def call(self, method: str, path: str, body: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """Send one request; raise RequestRefused for a problem document."""
        response = self._http.request(method, path, json=body)
        if response.is_error:
            raise RequestRefused(response.json())
        return response.json()
