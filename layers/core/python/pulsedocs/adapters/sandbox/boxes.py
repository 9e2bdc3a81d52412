"""Boxes of words, measured by a child that may die; whatever it does costs this highlight only."""

import base64
import binascii
import math
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any, cast

from pulsedocs.adapters.sandbox.child import CANNOT_START
from pulsedocs.adapters.sandbox.frames import BrokenFrame, Frame
from pulsedocs.adapters.sandbox.isolation import hide_parent
from pulsedocs.adapters.sandbox.process import Child, Silent, request_file
from pulsedocs.errors import ConfigurationError, NoBoxes
from pulsedocs.extraction import Budgets
from pulsedocs.model.highlights import MOST_PICTURE_BYTES, Box, Highlight, WordsOnPage

_MOST_BOXES = 10_000  # a page has some 60 lines
_LONGEST_SIDE = 20_000.0  # points; the format itself ends at 14,400
_CORNERS = 4
_SECONDS = 15  # for a child that waits
_PNG = b"\x89PNG\r\n\x1a\n"


@dataclass(frozen=True, slots=True)
class SandboxedBoxReader:
    """Implements `questions.ports.BoxReader`.

    `languages` are those in which words of pictures were recognised where the page does not say it.
    """

    budgets: Budgets = field(default_factory=Budgets)
    languages: Sequence[str] = ()

    def boxes(self, body: bytes, words: WordsOnPage) -> Highlight:
        page = words.page
        recognised_in = words.languages or self.languages
        is_recognised = words.is_recognised and bool(words.ranges or words.picture_ranges)
        if is_recognised and not recognised_in:
            raise NoBoxes(f"page {page} was recognised, which is switched off now", page=page)
        hide_parent()
        request: dict[str, Any] = {
            "budgets": asdict(self.budgets),
            "content_type": words.content_type,
            # To draw a page needs no engine, and 3 CPU-seconds less.
            "languages": list(recognised_in) if is_recognised else [],
            # Whose file it is, a child need not know.
            "words": {each.name: getattr(words, each.name) for each in fields(WordsOnPage)},
        }
        with (
            tempfile.TemporaryDirectory() as empty,
            request_file(body) as file,
            Child(file, request=request, directory=Path(empty)) as child,
        ):
            try:
                frame = child.frame(until=time.monotonic() + _SECONDS)
            except (Silent, BrokenFrame) as error:
                frame = Frame(type(error).__name__, 0.0, {})
            if frame is None and child.ended() == CANNOT_START:
                raise ConfigurationError("the libraries that read files cannot be loaded")
        frame = frame or Frame("ended", 0.0, {})
        if frame.kind == "boxes" and (highlight := _highlight(frame.content)) is not None:
            return highlight
        message = f"page {page} cannot be measured ({frame.content.get('name', frame.kind)})"
        raise NoBoxes(message, page=page)


def _highlight(content: dict[str, Any]) -> Highlight | None:
    """Return what the child says if an honest child could say it."""
    boxes: object = content.get("boxes")
    size = _numbers([content.get("width"), content.get("height")], most=_LONGEST_SIDE)
    if size is None or not isinstance(boxes, list):
        return None
    width, height = size
    found = [_box(box, width=width, height=height) for box in cast("list[object]", boxes)]
    if len(found) > _MOST_BOXES or None in found:
        return None
    bottom: object = content.get("bottom")
    piece = _numbers([content.get("top"), height if bottom is None else bottom], most=height)
    if piece is None or piece[0] >= piece[1]:
        return None
    picture: object = content.get("picture")
    if picture is not None and not (isinstance(picture, str) and _is_png(picture)):
        return None
    return Highlight(
        width,
        height,
        tuple(box for box in found if box is not None),
        picture=picture,
        top=piece[0],
        bottom=None if bottom is None else piece[1],
    )


def _is_png(sent: str) -> bool:
    try:
        body = base64.b64decode(sent, validate=True)
    except (ValueError, binascii.Error):
        return False
    return body.startswith(_PNG) and len(body) <= MOST_PICTURE_BYTES


def _box(sent: object, *, width: float, height: float) -> Box | None:
    corners = _numbers(sent, most=max(width, height))
    if corners is None or len(corners) != _CORNERS:
        return None
    x0, y0, x1, y1 = corners
    return (x0, y0, x1, y1) if x0 < x1 <= width and y0 < y1 <= height else None


def _numbers(sent: object, *, most: float) -> list[float] | None:
    if not isinstance(sent, list):
        return None
    found = cast("list[object]", sent)
    finite = [each for each in found if isinstance(each, int | float) and math.isfinite(each)]
    numbers = [round(float(each), 2) for each in finite]
    is_within = len(numbers) == len(found) and all(0 <= number <= most for number in numbers)
    return numbers if is_within else None
