"""What the child says: frames of JSON, each led by its length in four bytes.

The child has read an untrusted file, so the parent believes none of it: lengths are bounded,
every field is checked, and a frame that does not fit is a `BrokenFrame`.
"""

import json
import struct
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any

from pulsedocs.extraction.storable import storable
from pulsedocs.model.pages import (
    MOST_PICTURES,
    Heading,
    Page,
    PageOutcome,
    PicturePlace,
    Stretches,
)

LENGTH = struct.Struct(">I")
_TITLE_CHARACTERS = 1_000
_CERTAIN = 100
_UNREAD_CHARACTERS, _MOST_UNREAD = 200, 50
MAX_FRAME_BYTES = 16 * 1024 * 1024
"""200,000 characters of at most 4 bytes, and the headings of a page, with room to spare."""


class BrokenFrame(Exception):
    """The child says something that no honest child says."""


@dataclass(frozen=True, slots=True)
class Frame:
    """One message; `kind` is opened, page, error or end."""

    kind: str
    cpu_seconds: float
    content: dict[str, Any]


def encode(kind: str, *, cpu_seconds: float, content: dict[str, Any]) -> bytes:
    message = {"kind": kind, "cpu": cpu_seconds, "content": content}
    body = json.dumps(message, ensure_ascii=False).encode("utf-8", "replace")
    return LENGTH.pack(len(body)) + body


def decode(body: bytes) -> Frame:
    try:
        message = json.loads(body)
        return Frame(str(message["kind"]), float(message["cpu"]), dict(message["content"]))
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise BrokenFrame(type(error).__name__) from error


def pages_within(asked_for: Sequence[int | None], *, page_count: int) -> range:
    """Return the pages of a file that a request asks for: first and last, None for the end."""
    first, last = asked_for
    end = page_count if last is None else min(last, page_count)
    return range(first or 1, end + 1)


def page_from(content: dict[str, Any], *, max_characters: int) -> Page:
    """Build a page from what the child sent, within the limits that the child should have kept."""
    try:
        page = Page(
            number=int(content["number"]),
            text=storable(str(content["text"])),
            outcome=PageOutcome(content["outcome"]),
            parser=str(content["parser"])[:50],
            label=_text_or_none(content["label"]),
            headings=tuple(
                Heading(
                    level=max(1, int(item["level"])),
                    title=storable(str(item["title"])),
                    start=max(0, int(item["start"])),
                )
                for item in content["headings"]
            ),
            hidden_characters=max(0, int(content["hidden_characters"])),
            failure=_text_or_none(content["failure"]),
            verbatim=_stretches(content.get("verbatim", ()), most=max_characters),
            is_sheet=bool(content.get("is_sheet", True)),
            title=_text_or_none(content.get("title"), most=_TITLE_CHARACTERS),
            is_picture=bool(content.get("is_picture", False)),
            drawing=_text_or_none(content.get("drawing")),
            confidence=_share_or_none(content.get("confidence")),
            certainties=tuple(
                None if each is None else min(_CERTAIN, max(0, int(each)))
                for each in list(content.get("certainties", ()))[:max_characters]
            ),
            unread=tuple(
                storable(str(each))[:_UNREAD_CHARACTERS]
                for each in list(content.get("unread", ()))[:_MOST_UNREAD]
            ),
            pictures=tuple(
                _picture(each["box"], each["at"], most=max_characters)
                for each in list(content.get("pictures", ()))[:MOST_PICTURES]
            ),
        )
    except (ValueError, TypeError, KeyError) as error:
        raise BrokenFrame(type(error).__name__) from error
    if len(page.text) > max_characters or (page.outcome is PageOutcome.FAILED) != bool(
        page.failure
    ):
        raise BrokenFrame("page")
    return page


def _stretches(sent: Iterable[Sequence[int]], *, most: int) -> Stretches:
    """Return the stretches if they are in order, one behind the other."""
    stretches = tuple((int(start), int(end)) for start, end in sent)
    edges = [edge for stretch in stretches for edge in stretch]
    if edges and (edges != sorted(edges) or not 0 <= edges[0] <= edges[-1] <= most):
        raise BrokenFrame("stretches")
    return stretches


def _picture(box: Iterable[float], at: int, *, most: int) -> PicturePlace:
    left, top, right, bottom = (float(edge) for edge in box)
    if not (all(map(isfinite, (left, top, right, bottom))) and 0 <= at <= most):
        raise BrokenFrame("pictures")
    return PicturePlace((left, top, right, bottom), int(at))


def _share_or_none(value: object) -> float | None:
    return value if isinstance(value, float) and 0 <= value <= 1 else None


def _text_or_none(value: object, *, most: int = 200) -> str | None:
    return None if value is None else storable(str(value))[:most]
