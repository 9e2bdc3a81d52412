"""Have a stage look for a file's words where a document was deleted, and say what it found.

Reads the file as a stage would, with the parsers of the product: not imported by the client itself.
"""

import json
import time
from pathlib import Path
from typing import Any, Final
from uuid import UUID

from pulsedocs.client.documents import type_of_name
from pulsedocs.client.refusals import RequestRefused
from pulsedocs.client.service import PulseDocs
from pulsedocs.errors import PulseDocsError
from pulsedocs.extraction import TEXT, Budgets, format_of
from pulsedocs.extraction.reading import open_file
from pulsedocs.model.shingles import MAX_ASKED, distinctive

_POLL_SECONDS: Final = 0.5
_PATIENCE_SECONDS: Final = 300


class LeftBehind(Exception):
    """The words were found, or could not be looked for; the message says where or why."""


def verify_deletion(stage: PulseDocs, *, receipt: UUID, file: Path) -> str:
    """Return the receipt's verification as JSON; raise LeftBehind when something is left."""
    try:
        path = f"/deletions/{receipt}"
        stage.call("POST", f"{path}/verify", {"shingles": shingles_of_file(file)})
        found = _verification(stage, path)
    except (RequestRefused, PulseDocsError) as error:
        raise LeftBehind(str(error)) from error
    text = json.dumps(found, indent=1)
    if found["left"]:
        raise LeftBehind(text)
    return text


def shingles_of_file(file: Path) -> list[str]:
    """Return up to 200 telling rows of eight words from the file's pages."""
    kind = format_of(type_of_name(file.name) or TEXT, file.name)
    opened = open_file(file.read_bytes(), content_type=kind.content_types[0], budgets=Budgets())
    chosen = distinctive((page.text for page in opened.pages()), most=MAX_ASKED)
    if not chosen:
        raise LeftBehind(f"{file.name} has no eight words in a row to look for")
    return chosen


def _verification(stage: PulseDocs, path: str) -> dict[str, Any]:
    until = time.monotonic() + _PATIENCE_SECONDS
    while time.monotonic() < until:
        receipt = stage.call("GET", path)
        if receipt["completed_at"] is not None and not receipt["is_verifying"]:
            return receipt["verification"]
        time.sleep(_POLL_SECONDS)
    raise LeftBehind(f"no answer after {_PATIENCE_SECONDS} s; GET {path} will have it")
