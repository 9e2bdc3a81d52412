"""Days, as clients write them."""

import re
from datetime import date, datetime
from typing import Final

_WRITTEN: Final = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)


def standing(dated_at: datetime, *, today: date | None) -> tuple[bool, datetime]:
    """Return what sorts dated versions, the one in force last: one that is to come stands behind.

    Without a day to compare with, each is in force.
    """
    return today is None or dated_at.date() <= today, dated_at


def day_of(written: object) -> date:
    """Return the day that is written as `2026-01-31`; raise ValueError for anything else.

    A number would be one of seconds or of days, a moment would lose its time zone: both would be
    taken for another day than was meant.
    """
    if not isinstance(written, str) or not _WRITTEN.fullmatch(written):
        raise ValueError("write a day as 2026-01-31")
    return date.fromisoformat(written)
