"""A page of a PDF as it is shown: where its characters stand, from the top left, in points."""

from collections.abc import Callable, Sequence
from ctypes import byref, c_double
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pulsedocs.errors import NoBoxes
from pulsedocs.extraction import pdfium
from pulsedocs.extraction.pdfium import Handle

if TYPE_CHECKING:
    from pulsedocs.model.highlights import Box

_TURNED = 0.01  # of a character's scale: beyond, its line is not level and font-high boxes lie


@dataclass(frozen=True, slots=True)
class Sheet:
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

    def shown(self, box: "Box") -> "Box | None":
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


def sheet_of(page: Handle) -> Sheet:
    """Return the visible part of a page. Raises NoBoxes."""
    box = pdfium.Box()
    if not pdfium.page_box(page, byref(box)):
        raise NoBoxes("the page has no size")
    turns = pdfium.page_rotation(page)
    return Sheet(box.left, box.bottom, box.right, box.top, max(0, turns))


class CharacterBoxes:
    """Asks pdfium for the box of each character of a text."""

    def __init__(
        self, text_page: Handle, text: str, character_at: Callable[[int], int], sheet: Sheet
    ) -> None:
        self._text_page, self._sheet = text_page, sheet
        self._text, self._character_at = text, character_at
        self._units = _units(text)

    def box(self, place: int) -> "Box | None":
        """Return the box of one character; None for white space, what is cut off and comments."""
        if place >= len(self._units):
            return None
        index = self._character_at(self._units[place])
        if self._text[place].isspace() or pdfium.is_made_up(self._text_page, index) == 1:
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


def _proper(left: float, bottom: float, right: float, top: float) -> "Box | None":
    x0, x1 = sorted((left, right))
    y0, y1 = sorted((bottom, top))
    return (x0, y0, x1, y1) if x0 < x1 and y0 < y1 else None
