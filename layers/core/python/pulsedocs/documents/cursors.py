"""Where the next page of a listing begins: a position, never a permission."""

import base64
import json
import re
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from pulsedocs.errors import InvalidRequest

LONGEST: Final = 500
CURSOR: Final = re.compile(r"[A-Za-z0-9_-]+={0,2}")


def cursor_of(position: object) -> str:
    return base64.urlsafe_b64encode(json.dumps(position).encode()).decode()


def cursor_behind(at: datetime, subject_id: UUID) -> str:
    """Return the cursor of what comes after one entry of a listing by time."""
    return cursor_of((at.isoformat(), str(subject_id)))


def decoded(cursor: str) -> Any:  # noqa: ANN401 -- checked by the callers
    if not CURSOR.fullmatch(cursor):
        raise no_cursor()
    try:
        return json.loads(base64.urlsafe_b64decode(cursor[:LONGEST]))
    except (ValueError, RecursionError):
        raise no_cursor() from None


def place_in_time(cursor: str | None) -> tuple[datetime, UUID] | None:
    """Return the time and the id that a listing goes on from. Raises InvalidRequest."""
    if cursor is None:
        return None
    try:
        at, subject_id = decoded(cursor)
        moment = datetime.fromisoformat(at)
        if moment.tzinfo is None:  # it would be compared as one of the database's time zone
            raise no_cursor()
        return moment, UUID(subject_id)
    except (TypeError, ValueError, AttributeError):
        raise no_cursor() from None


def no_cursor() -> InvalidRequest:
    return InvalidRequest("the cursor is not one that this listing gave out")
