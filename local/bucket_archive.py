"""Keeps the bucket of a durable stage between two starts: moto holds objects in memory only.

It is written when the stage stops in order. After a crash the database is whole, and files that
were uploaded since the last stop are not.
"""

import pickle
from pathlib import Path
from typing import Any

from moto.s3.models import s3_backends

from local.rest_events import ACCOUNT


def save(bucket: str, path: Path) -> None:
    """Write every version of every object, in one step."""
    keys = _keys(bucket)
    versions = [(name, list(keys.getlist(name))) for name in list(keys)]
    draft = path.with_suffix(".draft")
    draft.touch(mode=0o600)
    draft.write_bytes(pickle.dumps(versions))
    draft.rename(path)


def restore(bucket: str, path: Path) -> None:
    """Bring back what `save` wrote; no events are sent for it."""
    if not path.exists():
        return
    keys = _keys(bucket)
    for name, versions in pickle.loads(path.read_bytes()):  # noqa: S301 -- written by `save`, private
        keys.setlist(name, versions)


def _keys(bucket: str) -> Any:  # noqa: ANN401 -- moto's versioned store
    return s3_backends[ACCOUNT]["aws"].buckets[bucket].keys
