"""Pictures in Office files whose words are not read, counted where they are large enough for some.

A logo has no words that anybody asks for; a pasted table takes a tenth of a sheet and more.
"""

import re
from collections.abc import Iterable
from typing import Final
from xml.etree.ElementTree import Element

from pulsedocs.extraction.namespaces import DRAW, SVG, A, P, W

_WP: Final = "{http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing}"
_FAIR_SHARE: Final = 0.1  # of a sheet, as in a PDF
_EMU: Final = 914_400  # an inch, in Office files of Microsoft's
_A4: Final = 8.27 * 11.69  # square inches; who states no size prints on about that
_UNITS: Final = {"in": 1.0, "cm": 1 / 2.54, "mm": 1 / 25.4, "pt": 1 / 72}
_LENGTH: Final = re.compile(r"(\d+(?:\.\d+)?)(in|cm|mm|pt)")


def in_word(root: Element) -> list[str]:
    """Name the pictures of a Word document's part."""
    drawings = (drawing for drawing in root.iter(f"{W}drawing") if _has(drawing, f"{A}blip"))
    sizes = (size for drawing in drawings for size in drawing.iter(f"{_WP}extent"))
    return _named(map(_area, sizes), sheet=_A4)


def on_slide(root: Element, presentation: Element) -> list[str]:
    """Name the pictures of a slide, whose size the presentation states."""
    sheet = presentation.find(f"{P}sldSz")
    sizes = (size for picture in root.iter(f"{P}pic") for size in picture.iter(f"{A}ext"))
    stated = (size for size in sizes if size.get("cx"))
    return _named(map(_area, stated), sheet=_A4 if sheet is None else _area(sheet))


def in_open_document(root: Element) -> list[str]:
    frames = (frame for frame in root.iter(f"{DRAW}frame") if _has(frame, f"{DRAW}image"))
    sizes = (_inches(frame, "width") * _inches(frame, "height") for frame in frames)
    return _named(sizes, sheet=_A4)


def _named(areas: Iterable[float], *, sheet: float) -> list[str]:
    count = sum(area >= _FAIR_SHARE * sheet for area in areas)
    if not count:
        return []
    return [f"words on {count} picture{'s' if count > 1 else ''}, if there are any"]


def _has(node: Element, tag: str) -> bool:
    return next(node.iter(tag), None) is not None


def _area(size: Element) -> float:
    """Return square inches."""
    across, down = size.get("cx", ""), size.get("cy", "")
    if not (across.isdecimal() and down.isdecimal()):
        return 0.0
    return int(across) * int(down) / _EMU**2


def _inches(frame: Element, side: str) -> float:
    stated = _LENGTH.fullmatch(frame.get(f"{SVG}{side}", ""))
    return float(stated[1]) * _UNITS[stated[2]] if stated else 0.0
