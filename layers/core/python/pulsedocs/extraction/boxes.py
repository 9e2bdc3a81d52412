"""Rectangles of characters on a page, for showing a reader where quoted words stand."""

import re
from collections.abc import Callable, Iterator, Sequence
from ctypes import byref, c_double
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Final

from pulsedocs.errors import NoBoxes
from pulsedocs.extraction import PDF, Budgets, detect_type, pdfium
from pulsedocs.extraction.image_file import ImageFile
from pulsedocs.extraction.page_png import drawn
from pulsedocs.extraction.pdfium import Handle
from pulsedocs.extraction.with_pdfium import ShownText, opened_page, recognised
from pulsedocs.extraction.word_boxes import boxes_of_words, lines_of
from pulsedocs.model.highlights import Box, Highlight, is_within, text_digest

if TYPE_CHECKING:
    from pulsedocs.extraction.recognition import Recogniser

_CHANGED: Final = re.compile("[\x02\ufffe]\r?\n?|\r\n|[\r\x00\ud800-\udfff]")
"""What `with_pdfium` and `storable` replace on the way from pdfium's text to the raw page."""
_TURNED = 0.01  # of a character's scale: beyond, its line is not level and font-high boxes lie


@dataclass(frozen=True, slots=True)
class _Sheet:
    """The visible part of a page, in its own coordinates, and how it is turned to be read."""

    left: float
    bottom: float
    right: float
    top: float
    quarter_turns: int

    @property
    def size(self) -> tuple[float, float]:
        width, height = self.right - self.left, self.top - self.bottom
        return (height, width) if self.quarter_turns % 2 else (width, height)

    def shown(self, box: Box) -> Box | None:
        """Return a box as the reader sees it, from the top left; None where it is cut off."""
        corners = [self._turned(x, y) for x in (box[0], box[2]) for y in (box[1], box[3])]
        width, height = self.size
        across = sorted(min(max(x, 0.0), width) for x, _ in corners)
        down = sorted(min(max(y, 0.0), height) for _, y in corners)
        x0, y0, x1, y1 = across[0], down[0], across[-1], down[-1]
        return (x0, y0, x1, y1) if x0 < x1 and y0 < y1 else None

    def _turned(self, x: float, y: float) -> tuple[float, float]:
        match self.quarter_turns % 4:
            case 1:
                return y - self.bottom, x - self.left
            case 2:
                return self.right - x, y - self.bottom
            case 3:
                return self.top - y, self.right - x
            case _:
                return x - self.left, self.top - y


def boxes_of(  # noqa: PLR0913 -- a file, a place in it, and how the file was read
    body: bytes,
    *,
    content_type: str = PDF,
    page: int,
    ranges: Sequence[Sequence[int]],
    text_sha256: str,
    recogniser: "Recogniser | None" = None,
    comments: bool = True,
    dots_across: int = 0,
    margin: float | None = None,
) -> Highlight:
    """Return one box for each line that the ranges touch; raise NoBoxes where the text differs.

    Ranges are (start, end) into the page's text as `pdf` returns it; pages count from 1. With a
    recogniser the words are those of the page's drawing, recognised again: it says the same of the
    same drawing. Those of an image file are always. Without ranges nothing is looked for, and no
    text compared. `dots_across` and `margin` are those of a `PagePlace`.
    """
    wanted = [(int(start), int(end)) for start, end in ranges]
    if (recogniser is not None or not wanted) and detect_type(body, content_type) != PDF:
        image = ImageFile(body, budgets=Budgets())
        draw = partial(image.drawn, page, dots_across) if dots_across else None
        if recogniser is None:
            return _pictured(Highlight(*image.size(page), ()), draw, margin)
        found, size = image.recognised(page, recogniser)
        boxes = boxes_of_words(found, wanted, page, text_sha256)
        return _pictured(Highlight(*size, boxes), draw, margin)
    with opened_page(body, page - 1, comments=comments) as (handle, text_page, shown):
        draw = partial(drawn, handle, dots_across) if dots_across else None
        width, height = _sheet(handle).size
        if not wanted:
            return _pictured(Highlight(width, height, ()), draw, margin)
        if recogniser is not None:
            found = recognised(handle, recogniser)
            boxes = boxes_of_words(found, wanted, page, text_sha256)
            return _pictured(Highlight(width, height, boxes), draw, margin)
        text, places = _places(shown.whole)
        if text_digest(text) != text_sha256 or not is_within(wanted, length=len(text)):
            raise NoBoxes("the file's text is not the one that was stored", page=page)
        measured = _Measured(text_page, shown, _sheet(handle))
        boxes = tuple(
            line
            for stretch in _stretches(text, wanted)
            for line in lines_of([measured.box(places[offset]) for offset in stretch])
        )
        return _pictured(Highlight(width, height, boxes), draw, margin)


def _pictured(
    found: Highlight, draw: Callable[[tuple[float, float]], str] | None, margin: float | None
) -> Highlight:
    """Return the highlight with a picture of the page, or of the piece around its boxes."""
    if draw is None:
        return found
    if margin is None or not found.boxes:
        return replace(found, picture=draw((0.0, 1.0)))
    first = max(0.0, min(box[1] for box in found.boxes) / found.height - margin)
    last = min(1.0, max(box[3] for box in found.boxes) / found.height + margin)
    top, bottom = first * found.height, last * found.height
    return replace(found, picture=draw((first, last)), top=top, bottom=bottom)


def _places(text: str) -> tuple[str, list[int]]:
    """Return the text as it is stored, and where in pdfium's each of its characters stands."""
    parts: list[str] = []
    places: list[int] = []
    at = 0
    for changed in _CHANGED.finditer(text):
        found = changed[0]
        if found[0] in "\x02\ufffe":
            instead = "-\n"
        elif found[0] == "\r":
            instead = "\n"
        else:
            instead = "" if found == "\x00" else "\ufffd"
        parts += (text[at : changed.start()], instead)
        places += range(at, changed.start())
        places += [changed.start()] * len(instead)
        at = changed.end()
    places += range(at, len(text))
    return "".join([*parts, text[at:]]), places


def _stretches(text: str, ranges: Sequence[tuple[int, int]]) -> Iterator[list[int]]:
    """Yield the offsets of each line of the text that the ranges touch."""
    line: list[int] = []
    for start, end in ranges:
        if line and "\n" in text[line[-1] + 1 : start]:
            yield line
            line = []
        for offset in range(start, end):
            if text[offset] != "\n":
                line.append(offset)
            elif line:
                yield line
                line = []
    if line:
        yield line


class _Measured:
    """Asks pdfium for the box of each character of a text."""

    def __init__(self, text_page: Handle, shown: ShownText, sheet: _Sheet) -> None:
        self._text_page, self._shown, self._sheet = text_page, shown, sheet
        self._units = _units(shown.text)

    def box(self, place: int) -> Box | None:
        """Return the box of one character; None for white space, what is cut off and comments."""
        if place >= len(self._units):
            return None
        index = self._shown.character_at(self._units[place])
        if self._shown.text[place].isspace() or pdfium.is_made_up(self._text_page, index) == 1:
            return None
        # Where the line is level, a box as high as the font: those of a line then agree.
        matrix, loose = pdfium.Matrix(), pdfium.Box()
        is_level = (
            pdfium.matrix_of_character(self._text_page, index, byref(matrix))
            and matrix.a > 0
            and max(abs(matrix.b), abs(matrix.c)) <= _TURNED * matrix.a
        )
        found: Box | None = None
        if is_level and pdfium.loose_box_of_character(self._text_page, index, byref(loose)):
            found = _proper(loose.left, loose.bottom, loose.right, loose.top)
        if found is None:
            left, right, bottom, top = c_double(), c_double(), c_double(), c_double()
            places = (byref(left), byref(right), byref(bottom), byref(top))
            if pdfium.box_of_character(self._text_page, index, *places):
                found = _proper(left.value, bottom.value, right.value, top.value)
        return found and self._sheet.shown(found)


def _units(text: str) -> Sequence[int]:
    """Return where each character stands in pdfium's text, which counts in units of UTF-16."""
    units: list[int] = []
    unit = 0
    for character in text:
        units.append(unit)
        unit += 1 + (character > "\uffff")
    return units


def _proper(left: float, bottom: float, right: float, top: float) -> Box | None:
    x0, x1 = sorted((left, right))
    y0, y1 = sorted((bottom, top))
    return (x0, y0, x1, y1) if x0 < x1 and y0 < y1 else None


def _sheet(page: Handle) -> _Sheet:
    box = pdfium.Box()
    if not pdfium.page_box(page, byref(box)):
        raise NoBoxes("the page has no size")
    turns = pdfium.page_rotation(page)
    return _Sheet(box.left, box.bottom, box.right, box.top, max(0, turns))
