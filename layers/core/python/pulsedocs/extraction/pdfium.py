"""The functions of pdfium that reading takes, with pointers as plain numbers.

The library comes with pypdfium2, whose own bindings are left aside: every document is read by a
new process, and they cost each of them 100 ms; and an object for every pointer, where a page has
37 objects and each is asked four things. Addresses of 0 come as None.
"""

from __future__ import annotations

import sys
from collections import deque
from ctypes import (
    POINTER,
    PyDLL,
    Structure,
    addressof,
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
    sizeof,
)
from functools import cache
from importlib.util import find_spec
from itertools import islice, repeat
from struct import Struct
from typing import TYPE_CHECKING, Any, Final, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

Handle: TypeAlias = int
"""The address of something that pdfium owns."""

_FILE = {"darwin": "libpdfium.dylib", "win32": "pdfium.dll"}.get(sys.platform, "libpdfium.so")

ERROR_PASSWORD: Final = 4
ERROR_SECURITY: Final = 5
FORMS_IN_XFA: Final = frozenset({2, 3})
OBJECT_TEXT: Final = 1
OBJECT_PATH: Final = 2
OBJECT_FORM: Final = 5
ANNOTATION_WIDGET: Final = 20
COMMENTS: Final = frozenset({1, *range(3, 16)})
"""Kinds of annotations that say something: notes, typed text, shapes and marks, stamps."""
COMMENT_ON_PAGE: Final = 3
HIDDEN: Final = 2
NO_VALUE: Final = 0
STRING: Final = 3
SEGMENT_MOVE: Final = 2
GREY: Final = 1
ANNOTATIONS: Final = 0x01
RED_FIRST: Final = 0x10


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


def _load() -> PyDLL:
    package = find_spec("pypdfium2_raw")
    for folder in (package and package.submodule_search_locations) or ():
        try:
            # A page takes a thousand calls: to let other threads run meanwhile costs each a tenth.
            return PyDLL(f"{folder}/{_FILE}")
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
metadata = _function("FPDF_GetMetaText", c_ulong, c_void_p, c_char_p, c_void_p, c_ulong)

count_attachments = _function("FPDFDoc_GetAttachmentCount", c_int, c_void_p)
attachment_at = _function("FPDFDoc_GetAttachment", c_void_p, c_void_p, c_int)
attachment_name = _function("FPDFAttachment_GetName", c_ulong, c_void_p, c_void_p, c_ulong)

first_bookmark = _function("FPDFBookmark_GetFirstChild", c_void_p, c_void_p, c_void_p)
next_bookmark = _function("FPDFBookmark_GetNextSibling", c_void_p, c_void_p, c_void_p)
bookmark_title = _function("FPDFBookmark_GetTitle", c_ulong, c_void_p, c_void_p, c_ulong)
bookmark_target = _function("FPDFBookmark_GetDest", c_void_p, c_void_p, c_void_p)
page_of_target = _function("FPDFDest_GetDestPageIndex", c_int, c_void_p, c_void_p)

load_page = _function("FPDF_LoadPage", c_void_p, c_void_p, c_int)
close_page = _function("FPDF_ClosePage", None, c_void_p)
page_box = _function("FPDF_GetPageBoundingBox", c_int, c_void_p, POINTER(Box))
form_type = _function("FPDF_GetFormType", c_int, c_void_p)
flatten = _function("FPDFPage_Flatten", c_int, c_void_p, c_int)
count_annotations = _function("FPDFPage_GetAnnotCount", c_int, c_void_p)
annotation_at = _function("FPDFPage_GetAnnot", c_void_p, c_void_p, c_int)
close_annotation = _function("FPDFPage_CloseAnnot", None, c_void_p)
annotation_box = _function("FPDFAnnot_GetRect", c_int, c_void_p, POINTER(Box))
_annotation_text = _function(
    "FPDFAnnot_GetStringValue", c_ulong, c_void_p, c_char_p, c_void_p, c_ulong
)
annotation_value_kind = _function("FPDFAnnot_GetValueType", c_int, c_void_p, c_char_p)
annotation_flags = _function("FPDFAnnot_GetFlags", c_int, c_void_p)
annotation_kind = _function("FPDFAnnot_GetSubtype", c_int, c_void_p)
count_objects = _function("FPDFPage_CountObjects", c_int, c_void_p)
object_at = _function("FPDFPage_GetObject", c_void_p, c_void_p, c_int)
count_form_objects = _function("FPDFFormObj_CountObjects", c_int, c_void_p)
form_object_at = _function("FPDFFormObj_GetObject", c_void_p, c_void_p, c_ulong)

object_type = _function("FPDFPageObj_GetType", c_int, c_void_p)
object_matrix = _function("FPDFPageObj_GetMatrix", c_int, c_void_p, POINTER(Matrix))
object_bounds = _function("FPDFPageObj_GetBounds", c_int, c_void_p, *(c_void_p,) * 4)
render_mode = _function("FPDFTextObj_GetTextRenderMode", c_int, c_void_p)
font_size = _function("FPDFTextObj_GetFontSize", c_int, c_void_p, POINTER(c_float))

fill_colour = _function("FPDFPageObj_GetFillColor", c_int, c_void_p, *(c_void_p,) * 4)
has_transparency = _function("FPDFPageObj_HasTransparency", c_int, c_void_p)
set_active = _function("FPDFPageObj_SetIsActive", c_int, c_void_p, c_int)
draw_mode = _function("FPDFPath_GetDrawMode", c_int, c_void_p, POINTER(c_int), POINTER(c_int))
clip_of_object = _function("FPDFPageObj_GetClipPath", c_void_p, c_void_p)
count_clips = _function("FPDFClipPath_CountPaths", c_int, c_void_p)
count_segments = _function("FPDFClipPath_CountPathSegments", c_int, c_void_p, c_int)
clip_segment = _function("FPDFClipPath_GetPathSegment", c_void_p, c_void_p, c_int, c_int)
count_path_segments = _function("FPDFPath_CountSegments", c_int, c_void_p)
path_segment = _function("FPDFPath_GetPathSegment", c_void_p, c_void_p, c_int)
segment_kind = _function("FPDFPathSegment_GetType", c_int, c_void_p)
segment_point = _function("FPDFPathSegment_GetPoint", c_int, c_void_p, c_void_p, c_void_p)
count_marks = _function("FPDFPageObj_CountMarks", c_int, c_void_p)
mark_at = _function("FPDFPageObj_GetMark", c_void_p, c_void_p, c_ulong)
_mark_name = _function(
    "FPDFPageObjMark_GetName", c_int, c_void_p, c_void_p, c_ulong, POINTER(c_ulong)
)
_mark_text = _function(
    "FPDFPageObjMark_GetParamStringValue",
    c_int,
    c_void_p,
    c_char_p,
    c_void_p,
    c_ulong,
    POINTER(c_ulong),
)

new_bitmap = _function("FPDFBitmap_Create", c_void_p, c_int, c_int, c_int)
new_bitmap_of = _function("FPDFBitmap_CreateEx", c_void_p, *(c_int,) * 3, c_void_p, c_int)
fill_bitmap = _function("FPDFBitmap_FillRect", None, c_void_p, *(c_int,) * 4, c_ulong)
bitmap_bytes = _function("FPDFBitmap_GetBuffer", c_void_p, c_void_p)
bitmap_stride = _function("FPDFBitmap_GetStride", c_int, c_void_p)
close_bitmap = _function("FPDFBitmap_Destroy", None, c_void_p)
render = _function("FPDF_RenderPageBitmap", None, c_void_p, c_void_p, *(c_int,) * 6)
to_device = _function(
    "FPDF_PageToDevice",
    c_int,
    c_void_p,
    *(c_int,) * 5,
    c_double,
    c_double,
    POINTER(c_int),
    POINTER(c_int),
)
page_width = _function("FPDF_GetPageWidthF", c_float, c_void_p)
page_height = _function("FPDF_GetPageHeightF", c_float, c_void_p)

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

origin_of_character = _function("FPDFText_GetCharOrigin", c_int, c_void_p, c_int, *(c_void_p,) * 2)
box_of_character = _function("FPDFText_GetCharBox", c_int, c_void_p, c_int, *(c_void_p,) * 4)
_untyped_box_of_character = _library["FPDFText_GetCharBox"]
loose_box_of_character = _function("FPDFText_GetLooseCharBox", c_int, c_void_p, c_int, POINTER(Box))
is_made_up = _function("FPDFText_IsGenerated", c_int, c_void_p, c_int)
page_rotation = _function("FPDFPage_GetRotation", c_int, c_void_p)

standard_font = _function("FPDFText_LoadStandardFont", c_void_p, c_void_p, c_char_p)
close_font = _function("FPDFFont_Close", None, c_void_p)
glyph_path = _function("FPDFFont_GetGlyphPath", c_void_p, c_void_p, c_uint, c_float)
count_glyph_segments = _function("FPDFGlyphPath_CountGlyphSegments", c_int, c_void_p)
glyph_segment = _function("FPDFGlyphPath_GetGlyphPathSegment", c_void_p, c_void_p, c_int)
is_embedded = _function("FPDFFont_GetIsEmbedded", c_int, c_void_p)
new_document = _function("FPDF_CreateNewDocument", c_void_p)
new_page = _function("FPDFPage_New", c_void_p, c_void_p, c_int, c_double, c_double)
new_text = _function("FPDFPageObj_CreateTextObj", c_void_p, c_void_p, c_void_p, c_float)
set_codes = _function("FPDFText_SetCharcodes", c_int, c_void_p, c_void_p, c_size_t)
transform = _function("FPDFPageObj_Transform", None, c_void_p, *(c_double,) * 6)
insert_object = _function("FPDFPage_InsertObject", None, c_void_p, c_void_p)
font_of_object = _function("FPDFTextObj_GetFont", c_void_p, c_void_p)
font_weight = _function("FPDFFont_GetWeight", c_int, c_void_p)
font_name = _function("FPDFFont_GetBaseFontName", c_size_t, c_void_p, c_void_p, c_size_t)


_AT_ONCE: Final = 512
_sides = (c_double * (4 * _AT_ONCE))()  # pdfium serves one thread at a time, so one place will do
_four_numbers = Struct("4d").iter_unpack


@cache
def _side_places() -> list[list[c_void_p]]:
    first, size = addressof(_sides), sizeof(c_double)
    return [
        [c_void_p(first + size * (4 * character + side)) for character in range(_AT_ONCE)]
        for side in range(4)
    ]


def boxes_of_characters(
    text_page: Handle, indexes: Sequence[int]
) -> list[tuple[float, float, float, float]]:
    """Return left, right, bottom and top of characters that a page has.

    Asking for one by one takes twice as long, most of it to make addresses of numbers: hence the
    function that no types are stated for.
    """
    found: list[tuple[float, float, float, float]] = []
    page = c_void_p(text_page)
    for start in range(0, len(indexes), _AT_ONCE):
        some = indexes[start : start + _AT_ONCE]
        deque(map(_untyped_box_of_character, repeat(page), some, *_side_places()), maxlen=0)
        found += islice(_four_numbers(_sides), len(some))
    return found


def has_pairs(text: str) -> bool:
    """Say whether UTF-16 has two units for a character of a text: places would be others then."""
    return len(text.encode("utf-16-le", "surrogatepass")) > 2 * len(text)


def annotation_text(annotation: Handle, key: bytes) -> str:
    return string(_annotation_text, annotation, key)


def mark_name(mark: Handle) -> str:
    return _marked(_mark_name, mark)


def mark_text(mark: Handle, key: bytes) -> str:
    """Return a parameter of marked content; empty where there is none."""
    return _marked(_mark_text, mark, key)


def _marked(copy: Callable[..., int], *of: int | bytes) -> str:
    length = c_ulong()
    if not copy(*of, None, 0, byref(length)) or not length.value:
        return ""
    buffer = create_string_buffer(length.value)
    copy(*of, buffer, length.value, byref(length))
    return buffer.raw[:-2].decode("utf-16-le", "replace")


def string(copy: Callable[..., int], *of: int | bytes) -> str:
    """Return what a function copies when it is asked for the length first."""
    length = copy(*of, None, 0)
    buffer = create_string_buffer(length)
    copy(*of, buffer, length)
    return buffer.raw[: max(0, length - 2)].decode("utf-16-le", "replace")


# Does nothing where pypdfium2 was there before.
_function("FPDF_InitLibraryWithConfig", None, POINTER(_Config))(byref(_Config(version=2)))
