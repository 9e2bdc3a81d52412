"""Asks pdfium how single characters of a page are set."""

from ctypes import byref, create_string_buffer
from math import hypot

from pulsedocs.extraction import pdfium
from pulsedocs.extraction.pdfium import Handle
from pulsedocs.extraction.typography import Type

_NAME_BYTES = 200  # a PDF name holds at most 127 bytes (ISO 32000-1, annex C)
_REGULAR = 400  # the weights of OpenType and CSS
_BOLD = 700
_BOLD_NAMES = (b"bold", b"black", b"heavy", b"demi")


class Typesetting:
    """The type of characters on one page; what it knows of a font ends with the page."""

    def __init__(self, page: Handle, text_page: Handle) -> None:
        self._text_page = text_page
        self._weights: dict[Handle | None, int] = {None: _REGULAR}
        self._matrix = pdfium.Matrix()
        box = pdfium.Box()
        pdfium.page_box(page, byref(box))
        self._foot, self._height = box.bottom, (box.top - box.bottom) or 1.0

    def of(self, character: int) -> Type | None:
        """Return the type of a character; of one that pdfium made up there is none."""
        matrix = self._matrix
        size = pdfium.size_of_character(self._text_page, character)
        if not size or not pdfium.matrix_of_character(self._text_page, character, byref(matrix)):
            return None
        text_object = pdfium.object_of_character(self._text_page, character)
        font = pdfium.font_of_object(text_object) if text_object else None
        if font not in self._weights:
            # By name first: the fonts that every viewer brings come without a weight.
            name = create_string_buffer(_NAME_BYTES)
            pdfium.font_name(font, name, _NAME_BYTES)
            is_bold = any(each in name.value.lower() for each in _BOLD_NAMES)
            self._weights[font] = _BOLD if is_bold else pdfium.font_weight(font) or _REGULAR
        points = abs(size) * hypot(matrix.c, matrix.d)
        height = (matrix.f - self._foot) / self._height
        return Type(round(points * 4) / 4, self._weights[font], height)
