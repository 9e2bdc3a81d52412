"""The functions of pdfium that reading takes, with pointers as plain numbers.

The library comes with pypdfium2, whose own bindings are left aside: every document is read by a
new process, and they cost each of them 100 ms; and an object for every pointer, where a page has
37 objects and each is asked four things. Addresses of 0 come as None.
"""

from __future__ import annotations

import sys
from ctypes import (
    CDLL,
    POINTER,
    Structure,
    byref,
    c_char_p,
    c_double,
    c_float,
    c_int,
    c_size_t,
    c_uint,
    c_ulong,
    c_void_p,
    create_string_buffer,
)
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Final, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable

Handle: TypeAlias = int
"""The address of something that pdfium owns."""

_FILE = {"darwin": "libpdfium.dylib", "win32": "pdfium.dll"}.get(sys.platform, "libpdfium.so")

ERROR_PASSWORD: Final = 4
ERROR_SECURITY: Final = 5
OBJECT_TEXT: Final = 1
OBJECT_FORM: Final = 5
MODE_INVISIBLE: Final = 3
MODE_CLIP: Final = 7


class Box(Structure):
    """FS_RECTF: left, top, right, bottom."""

    _fields_ = (("left", c_float), ("top", c_float), ("right", c_float), ("bottom", c_float))


class Matrix(Structure):
    """FS_MATRIX."""

    _fields_ = tuple((name, c_float) for name in "abcdef")


class _Config(Structure):
    """FPDF_LIBRARY_CONFIG, version 2."""

    _fields_ = (
        ("version", c_int),
        ("user_font_paths", c_void_p),
        ("isolate", c_void_p),
        ("embedder_slot", c_uint),
    )


def _load() -> CDLL:
    package = find_spec("pypdfium2_raw")
    for folder in (package and package.submodule_search_locations) or ():
        try:
            return CDLL(f"{folder}/{_FILE}")
        except OSError as error:
            message = f"{_FILE} of pypdfium2 cannot be loaded"
            raise ImportError(message) from error
    message = "pypdfium2 is not installed"
    raise ImportError(message)


_library = _load()


def _function(name: str, result: type | None, *arguments: Any) -> Callable[..., Any]:  # noqa: ANN401 -- types of ctypes
    function = _library[name]
    function.restype, function.argtypes = result, arguments
    return function


load_document = _function("FPDF_LoadMemDocument64", c_void_p, c_char_p, c_size_t, c_char_p)
close_document = _function("FPDF_CloseDocument", None, c_void_p)
last_error = _function("FPDF_GetLastError", c_ulong)
count_pages = _function("FPDF_GetPageCount", c_int, c_void_p)
page_label = _function("FPDF_GetPageLabel", c_ulong, c_void_p, c_int, c_void_p, c_ulong)

first_bookmark = _function("FPDFBookmark_GetFirstChild", c_void_p, c_void_p, c_void_p)
next_bookmark = _function("FPDFBookmark_GetNextSibling", c_void_p, c_void_p, c_void_p)
bookmark_title = _function("FPDFBookmark_GetTitle", c_ulong, c_void_p, c_void_p, c_ulong)
bookmark_target = _function("FPDFBookmark_GetDest", c_void_p, c_void_p, c_void_p)
page_of_target = _function("FPDFDest_GetDestPageIndex", c_int, c_void_p, c_void_p)

load_page = _function("FPDF_LoadPage", c_void_p, c_void_p, c_int)
close_page = _function("FPDF_ClosePage", None, c_void_p)
page_box = _function("FPDF_GetPageBoundingBox", c_int, c_void_p, POINTER(Box))
count_objects = _function("FPDFPage_CountObjects", c_int, c_void_p)
object_at = _function("FPDFPage_GetObject", c_void_p, c_void_p, c_int)
count_form_objects = _function("FPDFFormObj_CountObjects", c_int, c_void_p)
form_object_at = _function("FPDFFormObj_GetObject", c_void_p, c_void_p, c_ulong)

object_type = _function("FPDFPageObj_GetType", c_int, c_void_p)
object_matrix = _function("FPDFPageObj_GetMatrix", c_int, c_void_p, POINTER(Matrix))
object_bounds = _function("FPDFPageObj_GetBounds", c_int, c_void_p, *(c_void_p,) * 4)
render_mode = _function("FPDFTextObj_GetTextRenderMode", c_int, c_void_p)
font_size = _function("FPDFTextObj_GetFontSize", c_int, c_void_p, POINTER(c_float))

load_text = _function("FPDFText_LoadPage", c_void_p, c_void_p)
close_text = _function("FPDFText_ClosePage", None, c_void_p)
count_characters = _function("FPDFText_CountChars", c_int, c_void_p)
text_index = _function("FPDFText_GetTextIndexFromCharIndex", c_int, c_void_p, c_int)
copy_text = _function("FPDFText_GetText", c_int, c_void_p, c_int, c_int, c_void_p)
object_of_character = _function("FPDFText_GetTextObject", c_void_p, c_void_p, c_int)
code_of_character = _function("FPDFText_GetUnicode", c_uint, c_void_p, c_int)
index_in_text = _function("FPDFText_GetCharIndexFromTextIndex", c_int, c_void_p, c_int)
size_of_character = _function("FPDFText_GetFontSize", c_double, c_void_p, c_int)
matrix_of_character = _function("FPDFText_GetMatrix", c_int, c_void_p, c_int, POINTER(Matrix))

box_of_character = _function(
    "FPDFText_GetCharBox", c_int, c_void_p, c_int, *(POINTER(c_double),) * 4
)
loose_box_of_character = _function("FPDFText_GetLooseCharBox", c_int, c_void_p, c_int, POINTER(Box))
is_made_up = _function("FPDFText_IsGenerated", c_int, c_void_p, c_int)
page_rotation = _function("FPDFPage_GetRotation", c_int, c_void_p)

font_of_object = _function("FPDFTextObj_GetFont", c_void_p, c_void_p)
font_weight = _function("FPDFFont_GetWeight", c_int, c_void_p)
font_name = _function("FPDFFont_GetBaseFontName", c_size_t, c_void_p, c_void_p, c_size_t)


def string(copy: Callable[..., int], *of: int) -> str:
    """Return what a function copies when it is asked for the length first."""
    length = copy(*of, None, 0)
    buffer = create_string_buffer(length)
    copy(*of, buffer, length)
    return buffer.raw[: max(0, length - 2)].decode("utf-16-le", "replace")


# Does nothing where pypdfium2 was there before.
_function("FPDF_InitLibraryWithConfig", None, POINTER(_Config))(byref(_Config(version=2)))
