"""Bucket events as S3 sends them to EventBridge; moto's differ in field names and never move.

Field names, reasons and the sequencer's rule (compare right-padded with zeros, per key) are
those of the S3 user guide, "EventBridge event message structure" and "Using EventBridge".
"""

import secrets
import threading
import time
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime
from typing import Any, Final
from unittest.mock import patch
from uuid import uuid4

from moto.s3 import notifications

from local.event_bridge import deliver

_REASONS: Final = {
    "Put": "PutObject",
    "Post": "POST Object",
    "Copy": "CopyObject",
    "CompleteMultipartUpload": "CompleteMultipartUpload",
}
_KINDS: Final = {"ObjectCreated": "Object Created", "ObjectRemoved": "Object Deleted"}
_is_form_upload: ContextVar[bool] = ContextVar("is_form_upload", default=False)
_held: ContextVar[list[dict[str, Any]] | None] = ContextVar("held", default=None)


@contextmanager
def form_upload() -> Generator[None]:
    """Mark what is stored inside as uploaded by a form: the gate turns forms into PUTs."""
    token = _is_form_upload.set(True)
    try:
        yield
    finally:
        _is_form_upload.reset(token)


@contextmanager
def held_events() -> Generator[list[dict[str, Any]]]:
    """Collect the events of what this thread stores, for `tell`, in place of sending them."""
    events: list[dict[str, Any]] = []
    token = _held.set(events)
    try:
        yield events
    finally:
        _held.reset(token)


def tell(event: Mapping[str, Any]) -> None:
    deliver(event, account_id=event["account"], region=event["region"])


@contextmanager
def real_events() -> Generator[None]:
    """Replace moto's bucket events for EventBridge, its private `_send_event_bridge_message`."""
    sequencers = Sequencers()

    def send(account_id: str, bucket: Any, event_name: str, key: Any) -> None:  # noqa: ANN401 -- moto's
        name = str(getattr(event_name, "value", event_name))  # moto passes an Enum, typed as str
        kind, _, action = name.removeprefix("s3:").partition(":")
        if kind in _KINDS:  # moto reports an ACL change for every PUT, S3 does not
            event = _event(account_id, bucket, key, kind=kind, sequencer=next(sequencers))
            if kind == "ObjectCreated":
                form = "POST Object" if _is_form_upload.get() else None
                event["detail"]["reason"] = form or _REASONS.get(action, action)
            else:
                deleted = {"reason": "DeleteObject", "deletion-type": "Permanently Deleted"}
                event["detail"] |= deleted
            held = _held.get()
            if held is None:
                tell(event)
            else:
                held.append(event)

    with patch.object(notifications, "_send_event_bridge_message", send):
        yield


class Sequencers:
    """Rising hexadecimal numbers of 16 to 18 digits: comparable only after padding."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._last = 0

    def __next__(self) -> str:
        with self._lock:
            self._last = max(self._last + 1, time.time_ns())
            return f"{self._last:016X}{secrets.token_hex(1)[: secrets.randbelow(3)].upper()}"


def _event(account_id: str, bucket: Any, key: Any, *, kind: str, sequencer: str) -> dict[str, Any]:  # noqa: ANN401 -- moto's
    """Return the event for one change of one object, without its reason."""
    described: dict[str, Any] = {"key": key.name, "sequencer": sequencer}
    if kind == "ObjectCreated":
        described |= {"size": key.size, "etag": key.etag.strip('"')}
    if key.version_id not in {None, "null"}:
        described["version-id"] = key.version_id
    return {
        "version": "0",
        "id": str(uuid4()),
        "detail-type": _KINDS[kind],
        "source": "aws.s3",
        "account": account_id,
        "time": datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "region": bucket.region_name,
        "resources": [bucket.arn],
        "detail": {
            "version": "0",
            "bucket": {"name": bucket.name},
            "object": described,
            "request-id": secrets.token_hex(8).upper(),
            "requester": account_id,
            "source-ip-address": "127.0.0.1",
        },
    }
