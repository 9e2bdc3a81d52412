"""Which text objects of a page a reader cannot see.

Invisible render mode, glyphs under one point, or a place off the page: text that is there for
machines only, such as instructions to a language model. White on white is not judged; it needs
the painted background. Nor is text in a layer that is off or outside a clip.
"""

from collections.abc import Callable, Iterable, Iterator
from ctypes import addressof, byref, c_float, sizeof
from math import hypot

from pulsedocs.extraction import pdfium
from pulsedocs.extraction.pdfium import Handle

_UNSEEN_MODES = frozenset({pdfium.MODE_INVISIBLE, pdfium.MODE_CLIP})
_SMALLEST = 1.0  # point
_MAX_DEPTH = 15  # forms within forms; deeper ones are not visited
_MAX_OBJECTS = 200_000  # a page of text has hundreds; forms multiply them

_Matrix = tuple[float, float, float, float, float, float]
_Box = tuple[float, float, float, float]
_IDENTITY: _Matrix = (1, 0, 0, 1, 0, 0)

# pdfium serves one thread at a time, so one place for the answers will do: four new numbers for
# each object were a fifth of the check.
_bounds = (c_float * 4)()
_places = tuple(addressof(_bounds) + sizeof(c_float) * index for index in range(4))


class TooManyObjects(Exception):
    """The check cannot be completed, so the page is not trusted."""


def hidden_objects(page: Handle) -> frozenset[Handle]:
    """Return the hidden text objects of a page; on most pages there are none."""
    sheet = _page_box(page)
    return frozenset(
        handle for handle, around in _text_objects(page) if _is_hidden(handle, around, sheet)
    )


def _text_objects(page: Handle) -> Iterator[tuple[Handle, _Matrix]]:
    """Yield each text object with the matrix of the forms around it."""
    pending = [(_children(page, pdfium.count_objects, pdfium.object_at), _IDENTITY, 0)]
    visited = 0
    while pending:
        children, around, depth = pending.pop()
        for handle in children:
            visited += 1
            if visited > _MAX_OBJECTS:
                raise TooManyObjects
            kind = pdfium.object_type(handle)
            if kind == pdfium.OBJECT_TEXT:
                yield handle, around
            elif kind == pdfium.OBJECT_FORM and depth < _MAX_DEPTH:
                inner = _children(handle, pdfium.count_form_objects, pdfium.form_object_at)
                pending.append((inner, _times(_matrix_of(handle), around), depth + 1))


def _children(
    parent: Handle, count: Callable[[Handle], int], get: Callable[[Handle, int], Handle]
) -> Iterator[Handle]:
    return (get(parent, index) for index in range(count(parent)))


def _is_hidden(handle: Handle, around: _Matrix, sheet: _Box) -> bool:
    if pdfium.render_mode(handle) in _UNSEEN_MODES:
        return True
    if not pdfium.object_bounds(handle, *_places):
        return False
    left, bottom, right, top = _bounds if around is _IDENTITY else _placed(_bounds, around)
    if right < sheet[0] or left > sheet[2] or top < sheet[1] or bottom > sheet[3]:
        return True
    # The box of a dash is low too, so the size decides; but most boxes spare us asking for it.
    is_low = right - left < _SMALLEST or top - bottom < _SMALLEST
    return is_low and _height(handle, around) < _SMALLEST


def _placed(box: Iterable[float], around: _Matrix) -> _Box:
    left, bottom, right, top = box
    corners = [_apply(around, x, y) for x in (left, right) for y in (bottom, top)]
    across, up = [x for x, _ in corners], [y for _, y in corners]
    return min(across), min(up), max(across), max(up)


def _height(handle: Handle, around: _Matrix) -> float:
    """Return the font's size on the page, in points."""
    size = c_float()
    pdfium.font_size(handle, byref(size))
    _, _, c, d, _, _ = _times(_matrix_of(handle), around)
    return abs(size.value) * hypot(c, d)


def _page_box(page: Handle) -> _Box:
    box = pdfium.Box()
    pdfium.page_box(page, byref(box))
    return box.left, box.bottom, box.right, box.top


def _matrix_of(handle: Handle) -> _Matrix:
    matrix = pdfium.Matrix()
    if not pdfium.object_matrix(handle, byref(matrix)):
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
