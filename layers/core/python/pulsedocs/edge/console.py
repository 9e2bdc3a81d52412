"""The console's files, and what its page may do: run and wear these, ask the stage, upload."""

import hashlib
import json
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Final

from pulsedocs import bootstrap, edge
from pulsedocs.errors import NotFound

_TYPES: Final = {
    "html": "text/html; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "svg": "image/svg+xml",
    "json": "application/json",
}
_CONFIGURATION: Final = "config.json"


@dataclass(frozen=True, slots=True)
class ConsoleFile:
    text: str
    content_type: str
    etag: str


def file(name: str) -> ConsoleFile:
    """Return a file of the folder `console` beside this one. Raises NotFound."""
    return _named(name, _configuration()) if name == _CONFIGURATION else _stored(name)


@cache
def _stored(name: str) -> ConsoleFile:
    folder = resources.files(edge).joinpath("console")
    if name not in {each.name for each in folder.iterdir() if each.is_file()}:
        raise NotFound(f"the console has no file {name[:64]!r}")
    return _named(name, folder.joinpath(name).read_text(encoding="utf-8"))


def _named(name: str, text: str) -> ConsoleFile:
    digest = hashlib.sha256(text.encode()).hexdigest()[:16]
    return ConsoleFile(text, _TYPES[name.rpartition(".")[2]], f'"{digest}"')


def policy() -> str:
    """Return the content security policy; uploads go to the bucket, sign-in to the pool's page."""
    hosts = " ".join(filter(None, (_bucket_origin(), _origin(bootstrap.settings().sign_in_page))))
    return (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:;"
        f" connect-src 'self' {hosts}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )


def _configuration() -> str:
    """Return how a person signs in: at the pool's page, or with a token where there is none."""
    chosen = bootstrap.settings()
    page = {"sign_in_page": chosen.sign_in_page, "client_id": chosen.sign_in_client}
    return json.dumps(page if chosen.sign_in_page else {"sign_in_page": None, "client_id": None})


def _bucket_origin() -> str:
    """Return where upload forms are sent: the bucket's own host, or the local stage's S3."""
    chosen = bootstrap.settings()
    if chosen.aws_endpoint_url is not None:
        return _origin(str(chosen.aws_endpoint_url))
    suffix = "amazonaws.com.cn" if chosen.aws_region.startswith("cn-") else "amazonaws.com"
    return f"https://{chosen.bucket}.s3.{chosen.aws_region}.{suffix}"


def _origin(address: str) -> str:
    return "/".join(address.split("/")[:3])
