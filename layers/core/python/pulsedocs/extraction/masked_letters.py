"""Letters that a font without glyphs of its own calls by another name than it draws.

Its glyphs are those of the reader's machine, by codes that are ASCII. A map to Unicode that says
"9" for code "1" shows one price, and another one is extracted. Fonts that bring
their glyphs, and those that are none of the fourteen standard ones, are not judged.
"""

from ctypes import byref, c_float, c_uint, create_string_buffer
from typing import Final

from pulsedocs.extraction import pdfium
from pulsedocs.extraction.pdfium import Handle

_CODES: Final = range(ord("0"), ord("z") + 1)
_STEP: Final = 50.0  # points between two of the letters laid out
_MOST_FONTS: Final = 100
_NAME_BYTES: Final = 200
_EM: Final = 10.0
_NONE: Final = frozenset[int]()


class MaskedLetters:
    """Knows the fonts of one document, each of which is looked at once.

    The letters lie on a page of an empty document of their own. They keep the fonts alive, so that
    no other font gets the address of one; close this before the document that has the fonts.
    """

    def __init__(self) -> None:
        self._known: dict[Handle, frozenset[int]] = {}
        self._document: Handle | None = None
        self._pages: list[Handle] = []

    def of(self, font: Handle | None) -> frozenset[int]:
        """Return the Unicode characters that the font says of other letters."""
        if font is None:
            return _NONE
        if font not in self._known:
            is_judged = not pdfium.is_embedded(font) and len(self._known) < _MOST_FONTS
            self._known[font] = self._masked(font) if is_judged else _NONE
        return self._known[font]

    def _masked(self, font: Handle) -> frozenset[int]:
        """Lay out a letter of each code, and compare what pdfium reads there with the code."""
        if self._document is None:
            self._document = pdfium.new_document()
        size = _STEP * (len(_CODES) + 2)
        page = pdfium.new_page(self._document, len(self._pages), size, _STEP * 2)
        self._pages.append(page)
        for place, code in enumerate(_CODES, start=1):
            letter = pdfium.new_text(self._document, font, _EM)
            pdfium.set_codes(letter, byref(c_uint(code)), 1)
            pdfium.transform(letter, 1, 0, 0, 1, place * _STEP, _STEP)
            pdfium.insert_object(page, letter)
        told: dict[int, int] = {}
        text_page = pdfium.load_text(page)
        matrix = pdfium.Matrix()
        for index in range(pdfium.count_characters(text_page)):
            if pdfium.object_of_character(text_page, index):
                pdfium.matrix_of_character(text_page, index, byref(matrix))
                place = round(matrix.e / _STEP)
                if 1 <= place <= len(_CODES):
                    told[_CODES[place - 1]] = pdfium.code_of_character(text_page, index)
        pdfium.close_text(text_page)
        odd = {
            letter
            for code, letter in told.items()
            if chr(code).isalnum() and chr(letter).isalnum() and letter != code
        }
        return self._drawn_otherwise(font, odd) if odd else _NONE

    def _drawn_otherwise(self, font: Handle, letters: set[int]) -> frozenset[int]:
        """Return the letters whose glyph is not that of the standard font of the same name.

        A font may number its letters in an order of its own, and name them rightly.
        """
        name = create_string_buffer(_NAME_BYTES)
        pdfium.font_name(font, name, _NAME_BYTES)
        standard = pdfium.standard_font(self._document, name.value)
        if not standard:
            return _NONE
        odd = {letter for letter in letters if _outline(font, letter) != _outline(standard, letter)}
        pdfium.close_font(standard)
        return frozenset(odd)

    def close(self) -> None:
        for page in self._pages:
            pdfium.close_page(page)
        if self._document is not None:
            pdfium.close_document(self._document)
        self._pages, self._document, self._known = [], None, {}


def _outline(font: Handle, letter: int) -> list[tuple[float, float]]:
    """Return the points of the glyph that a font draws for a letter."""
    path = pdfium.glyph_path(font, letter, _EM)
    x, y = c_float(), c_float()
    points: list[tuple[float, float]] = []
    for index in range(max(0, pdfium.count_glyph_segments(path)) if path else 0):
        pdfium.segment_point(pdfium.glyph_segment(path, index), byref(x), byref(y))
        points.append((round(x.value, 2), round(y.value, 2)))
    return points
