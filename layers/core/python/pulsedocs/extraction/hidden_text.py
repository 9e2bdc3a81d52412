"""Which text objects of a page a reader cannot see.

Invisible render mode, glyphs under one point, or a place off the page: text that is there for
machines only, such as instructions to a language model. White on white is not judged; it needs
the painted background.
"""

import ctypes
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import hypot
from typing import Any, TypeAlias

import pypdfium2.raw

raw: Any = pypdfium2.raw  # generated bindings, typed in part

_UNSEEN_MODES = frozenset({raw.FPDF_TEXTRENDERMODE_INVISIBLE, raw.FPDF_TEXTRENDERMODE_CLIP})
_SMALLEST = 1.0  # point
_MAX_DEPTH = 15  # forms within forms; deeper ones are not visited
_MAX_OBJECTS = 200_000  # a page of text has hundreds; forms multiply them

Handle: TypeAlias = Any
"""A pointer of pdfium's; its bindings are generated and carry no types."""

_Matrix = tuple[float, float, float, float, float, float]
_Box = tuple[float, float, float, float]
_IDENTITY: _Matrix = (1, 0, 0, 1, 0, 0)


class TooManyObjects(Exception):
    """The check cannot be completed, so the page is not trusted."""


@dataclass(frozen=True, slots=True)
class _Placed:
    """A text object and the matrix of the forms around it."""

    handle: Handle
    matrix: _Matrix


def hidden_objects(page: Handle) -> frozenset[int]:
    """Return the addresses of the hidden text objects of a page; on most pages there are none."""
    sheet = _page_box(page)
    return frozenset(
        ctypes.addressof(placed.handle.contents)
        for placed in _text_objects(page)
        if _is_hidden(placed, sheet)
    )


def _text_objects(page: Handle) -> Iterator[_Placed]:
    pending = [(_children(page, raw.FPDFPage_CountObjects, raw.FPDFPage_GetObject), _IDENTITY, 0)]
    visited = 0
    while pending:
        children, matrix, depth = pending.pop()
        for handle in children:
            visited += 1
            if visited > _MAX_OBJECTS:
                raise TooManyObjects
            kind: int = raw.FPDFPageObj_GetType(handle)
            if kind == raw.FPDF_PAGEOBJ_TEXT:
                yield _Placed(handle, matrix)
            elif kind == raw.FPDF_PAGEOBJ_FORM and depth < _MAX_DEPTH:
                inner = _children(handle, raw.FPDFFormObj_CountObjects, raw.FPDFFormObj_GetObject)
                pending.append((inner, _times(_matrix_of(handle), matrix), depth + 1))


def _children(
    parent: Handle, count: Callable[[Handle], int], get: Callable[[Handle, int], Handle]
) -> Iterator[Handle]:
    return (get(parent, index) for index in range(count(parent)))


def _is_hidden(placed: _Placed, sheet: _Box) -> bool:
    if raw.FPDFTextObj_GetTextRenderMode(placed.handle) in _UNSEEN_MODES:
        return True
    box = _box_of(placed)
    if box is None:
        return False
    left, bottom, right, top = box
    if right < sheet[0] or left > sheet[2] or top < sheet[1] or bottom > sheet[3]:
        return True
    # The box of a dash is low too, so the size decides; but most boxes spare us asking for it.
    is_low = min(right - left, top - bottom) < _SMALLEST
    return is_low and _height(placed) < _SMALLEST


def _box_of(placed: _Placed) -> _Box | None:
    left, bottom, right, top = (ctypes.c_float() for _ in range(4))
    if not raw.FPDFPageObj_GetBounds(placed.handle, left, bottom, right, top):
        return None
    if placed.matrix is _IDENTITY:
        return left.value, bottom.value, right.value, top.value
    corners = [
        _apply(placed.matrix, x.value, y.value) for x in (left, right) for y in (bottom, top)
    ]
    across, up = [x for x, _ in corners], [y for _, y in corners]
    return min(across), min(up), max(across), max(up)


def _height(placed: _Placed) -> float:
    """Return the font's size on the page, in points."""
    size = ctypes.c_float()
    raw.FPDFTextObj_GetFontSize(placed.handle, size)
    _, _, c, d, _, _ = _times(_matrix_of(placed.handle), placed.matrix)
    return abs(size.value) * hypot(c, d)


def _page_box(page: Handle) -> _Box:
    box = raw.FS_RECTF()
    raw.FPDF_GetPageBoundingBox(page, box)
    return box.left, box.bottom, box.right, box.top


def _matrix_of(handle: Handle) -> _Matrix:
    matrix = raw.FS_MATRIX()
    if not raw.FPDFPageObj_GetMatrix(handle, matrix):
        return _IDENTITY
    return matrix.a, matrix.b, matrix.c, matrix.d, matrix.e, matrix.f


def _times(inner: _Matrix, outer: _Matrix) -> _Matrix:
    """Return the matrix that applies `inner` first, then `outer`."""
    a, b, c, d, e, f = inner
    ax, bx, cx, dx, ex, fx = outer
    return (
        a * ax + b * cx,
        a * bx + b * dx,
        c * ax + d * cx,
        c * bx + d * dx,
        e * ax + f * cx + ex,
        e * bx + f * dx + fx,
    )


def _apply(matrix: _Matrix, x: float, y: float) -> tuple[float, float]:
    a, b, c, d, e, f = matrix
    return a * x + c * y + e, b * x + d * y + f
