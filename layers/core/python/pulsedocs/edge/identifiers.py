"""The ids that a log line carries: of what a function was sent, and of what it came upon.

Ids only. A name, a key of someone's own or a word of a document is never one.
"""

import dataclasses
import re
from collections.abc import Iterable, Iterator, Mapping
from contextvars import ContextVar
from typing import Any, Final
from uuid import UUID

from pydantic import BaseModel

_IDS: Final = frozenset(
    {"tenant_id", "document_id", "batch_id", "backfill_id", "reservation_id", "conversation_id"}
)
_COUNTERS: Final = frozenset({"version", "fence"})
_UUID: Final = r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
_KEY: Final = re.compile(rf"\b(u|control/[a-z]+)/({_UUID})/({_UUID})\b")
_ID: Final = re.compile(rf"[0-9a-f]{{32}}|{_UUID}")
_NAMED_BY: Final = {
    "u": "document_id",
    "control/ingest": "document_id",
    "control/purge": "receipt_id",
    "control/batch": "batch_id",
    "control/evaluate": "evaluation_id",
    "control/probe": "probe_id",
    "control/backfill": "backfill_id",
    "control/retire": "retirement_id",
}
"""What the second id of a key is of, see `pulsedocs.model.object_keys`."""
_DEPTH: Final = 5

_noted: ContextVar[dict[str, str] | None] = ContextVar("noted", default=None)


def begin_notes(**ids: str) -> None:
    """Forget what was noted of the request before."""
    _noted.set(dict(ids))


def note(**ids: object) -> None:
    """Have the lines that this request still logs carry ids that it came upon."""
    known = _noted.get()
    if known is not None:
        known.update({name: str(value) for name, value in ids.items()})


def note_ids_of(answer: object) -> None:
    """Note the ids that a function answers with: the document that a request began."""
    fields = dict(_members(answer))
    note(**{name: value for name, value in fields.items() if name in _IDS})


def noted() -> dict[str, Any]:
    return dict(_noted.get() or {})


def ids_of_path(parameters: Mapping[str, str] | None) -> dict[str, Any]:
    """Return the ids in a path; names of collections and models stay out of logs."""
    return {
        name: text
        for name, text in (parameters or {}).items()
        if name.endswith("_id") and _ID.fullmatch(text)
    }


def ids_of(request: object) -> dict[str, Any]:
    """Return the ids that a typed event names, wherever in it they are; the outermost win."""
    found: dict[str, Any] = {}
    parts: list[object] = [request]
    for _ in range(_DEPTH):
        members = [member for part in parts for member in _members(part)]
        for name, value in _ids_among(members):
            found.setdefault(name, value)
        parts = [value for _, value in members]
    return found


def _members(part: object) -> Iterable[tuple[str, object]]:
    """Yield the fields of a model or a record; lists and mappings hold texts and vectors."""
    if isinstance(part, BaseModel):
        return [(name, getattr(part, name)) for name in type(part).model_fields]
    if dataclasses.is_dataclass(part):
        return [(item.name, getattr(part, item.name)) for item in dataclasses.fields(part)]
    return []


def _ids_among(members: Iterable[tuple[str, object]]) -> Iterator[tuple[str, Any]]:
    for name, value in members:
        if name in _IDS and isinstance(value, UUID):
            yield name, str(value)
        elif name in _COUNTERS and isinstance(value, int):
            yield name, value
        elif name in {"key", "input"} and isinstance(value, str) and (key := _KEY.search(value)):
            # An object's key, or the first key of an execution's input.
            prefix, tenant_id, subject_id = key.groups()
            yield "tenant_id", tenant_id
            if prefix in _NAMED_BY:
                yield _NAMED_BY[prefix], subject_id
