"""A client written from the contract alone, so that it cannot share the product's mistakes."""

import json
import time
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from functools import cache
from http import HTTPStatus
from pathlib import Path
from typing import Any, Final, Protocol, Self
from uuid import UUID, uuid4

import httpx

from tests.patience import PATIENCE

PDF: Final = "application/pdf"
TEXT: Final = "text/plain"
_TYPES: Final = {".md": "text/markdown", ".html": "text/html", ".txt": TEXT}
CONTRACT: Final = Path(__file__).parents[2] / "layers/core/python/pulsedocs/edge/openapi.json"
_UNDOCUMENTED: Final = ("/openapi.json", "/docs")  # they serve the contract
_POLL_SECONDS = 0.1

_JSON = {"Content-Type": "application/json"}
Json = dict[str, Any]


class _Stage(Protocol):
    @property
    def url(self) -> str: ...

    def token(self, tenant_id: UUID) -> str: ...


class Tenant:
    """Whom a token speaks for, and what they can do over HTTP."""

    def __init__(
        self,
        url: str,
        token: str,
        *,
        tenant_id: UUID,
        patience_seconds: float = PATIENCE,
    ) -> None:
        self.tenant_id = tenant_id
        self.patience_seconds = patience_seconds
        self.token = token
        self.http = httpx.Client(
            base_url=url,
            headers={"Authorization": f"Bearer {token}"},
            timeout=PATIENCE,
            trust_env=False,
        )

    @classmethod
    def new(cls, stage: _Stage) -> Self:
        """Return one that nobody else is, with every scope of a user."""
        tenant_id = uuid4()
        return cls(stage.url, stage.token(tenant_id), tenant_id=tenant_id)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.http.close()

    def send(self, method: str, path: str, body: object = None, **options: Any) -> httpx.Response:
        """Send a request; every answer must carry its id, and say what a browser may do with it."""
        if body is not None:  # escaped to ASCII, or half a surrogate pair could not be sent
            options |= {"content": json.dumps(body), "headers": _JSON | options.get("headers", {})}
        response = self.http.request(method, path, **options)
        assert response.headers["x-request-id"], path
        assert response.headers["x-content-type-options"] == "nosniff", path
        assert response.headers["x-frame-options"] == "DENY", path
        is_public = path.startswith(_UNDOCUMENTED) and response.is_success
        assert response.headers["cache-control"] == ("no-cache" if is_public else "no-store"), path
        if response.status_code < HTTPStatus.BAD_REQUEST and not path.startswith(_UNDOCUMENTED):
            assert response.status_code in _declared(method, path), f"{method} {path}"
        return response

    def get(self, path: str, **parameters: Any) -> Json:
        return _success(self.send("GET", path, params=parameters))

    def post(self, path: str, body: object = None) -> Json:
        return _success(self.send("POST", path, body))

    def register(
        self, body: bytes, *, filename: str = "note.txt", content_type: str = TEXT, **options: Any
    ) -> Json:
        announced = {"filename": filename, "content_type": content_type, "size": len(body)}
        return self.post("/documents", announced | options)

    def upload(self, body: bytes, **options: Any) -> str:
        """Register and send the bytes; return the document's id."""
        registered = self.register(body, **options)
        response = send_form(registered["upload"], body)
        assert response.is_success, response.text
        return registered["document_id"]

    def ingest(self, body: bytes, **options: Any) -> Json:
        """Upload and wait; return the status of the document at its end."""
        return self.outcome(self.upload(body, **options))

    def status(self, document_id: str) -> Json:
        return self.get(f"/documents/{document_id}")

    def outcome(self, document_id: str, *, version: int = 0) -> Json:
        """Poll until the version, or any later one, has an outcome; return the status."""
        deadline = time.monotonic() + self.patience_seconds
        status = self.status(document_id)
        while status["outcome"] is None or status["version"] < version:
            assert time.monotonic() < deadline, f"no outcome: {status}"
            time.sleep(_POLL_SECONDS)
            status = self.status(document_id)
        return status


@contextmanager
def holding(stage: _Stage, texts: Mapping[str, str]) -> Generator[Tenant]:
    """Give a new tenant whose documents, texts by the names of their files, are published."""
    with Tenant.new(stage) as tenant:
        for name, text in texts.items():
            kind = _TYPES[Path(name).suffix]
            ingested = tenant.ingest(text.encode(), filename=name, content_type=kind)
            assert ingested["outcome"] == "PUBLISHED", name
        yield tenant


def send_form(form: Mapping[str, Any], body: bytes, **changed: str) -> httpx.Response:
    """Post a form as a browser does, the file last; `changed` replaces or adds fields."""
    return httpx.post(
        form["url"],
        data={**form["fields"], **changed},
        files={"file": ("file", body)},
        timeout=PATIENCE,
        trust_env=False,
    )


@cache
def _contract() -> Json:
    return json.loads(CONTRACT.read_text("utf-8"))["paths"]


def _declared(method: str, path: str) -> set[int]:
    """Return the statuses that the contract has for a request; the most literal path is meant."""
    segments = path.partition("?")[0].split("/")
    fitting = [template for template in _contract() if _fits(template.split("/"), segments)]
    nearest = min(fitting, key=lambda template: template.count("{"))
    return {int(status) for status in _contract()[nearest][method.lower()]["responses"]}


def _fits(template: list[str], segments: list[str]) -> bool:
    return len(template) == len(segments) and all(
        wanted.startswith("{") or wanted == given
        for wanted, given in zip(template, segments, strict=True)
    )


def _success(response: httpx.Response) -> Json:
    assert response.is_success, response.text
    return response.json()
