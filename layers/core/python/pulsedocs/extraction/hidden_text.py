"""Which text of a page its reader cannot see, and when that is the text of a scan.

Invisible render mode, glyphs under 1.5 points, a place off the page or outside a clip, a colour
like the ground's, something on top, a layer that is off, words that stand for other ones: text that
is there for machines only, such as instructions to a language model. What cannot be told from
numbers is drawn twice, with the text and without it; text that changes no pixel is hidden.

A scan has no text but the layer that a program recognised, under or over pictures that together
cover the page. There the layer is the text.

Not judged: glyphs of embedded fonts that look like other letters than they are said to be (see
`masked_letters` for the others).
"""

import re
import zlib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from ctypes import addressof, byref, c_float, c_int, c_uint, sizeof
from dataclasses import dataclass, field
from math import hypot
from struct import Struct
from typing import TypeAlias

from pulsedocs.extraction import pdfium
from pulsedocs.extraction.drawing import unchanged_without
from pulsedocs.extraction.masked_letters import MaskedLetters
from pulsedocs.extraction.pdfium import Handle
from pulsedocs.extraction.unseen import SMALLEST, UNSEEN_MODES
from pulsedocs.model.pages import MOST_PICTURES

_MAX_DEPTH = 15  # forms within forms; deeper ones are not visited
_MAX_OBJECTS = 200_000  # a page of text has hundreds; forms multiply them
_LIGHT = 180  # of 255; darker text can be read on paper
_FAINT = 26  # of 255; less opaque text cannot
_ALIKE = 60  # of 765, between two colours
_SHAPE = (10.0, 5.0)  # points; smaller ones cover no words
_MOST_SHAPES = 100
_SHARE = 0.5  # of a text's box, below a shape or within a clip
_SCANNED_SHARE = 0.5  # of a page, under pictures; a margin that was cut off is not
_STAMPED_SHARE = 0.1  # of the area of text: a stamp or a page number on a scan is no layer
_FAIR_SHARE = 0.1  # of a page; a logo or a mark has less
_WRITTEN_SHARE = 0.02  # of a page: three lines of a letter; a scan may carry a stamp
_GROUND_SHARE = 0.1  # of a picture, under text; a caption on a scan has less
_TOUCHING = 2.0  # points between strips of one picture
_CELLS = 24  # along either side of a page
_OUTLINES = 1_000  # segments of filled paths: a line of 40 letters has them, a frame or a band four
_PER_EM = 6  # letters; "ffi" as one glyph has 4

_Matrix = tuple[float, float, float, float, float, float]
_Box = tuple[float, float, float, float]
_IDENTITY: _Matrix = (1, 0, 0, 1, 0, 0)

PlacedPath: TypeAlias = tuple[Handle, _Matrix]
"""A line or a shape, and the matrix of the forms around it."""

# pdfium serves one thread at a time, so one place for the answers will do: four new numbers for
# each object were a fifth of the check.
_bounds = (c_float * 4)()
_places = tuple(addressof(_bounds) + sizeof(c_float) * index for index in range(4))
_colour = (c_uint * 4)()
_channels = tuple(addressof(_colour) + sizeof(c_uint) * index for index in range(4))
_floats, _wholes = Struct("4f").unpack, Struct("4I").unpack


_OBJECT_STREAM = re.compile(rb"/ObjStm\b[^\x00]{0,500}?stream\r?\n")
_MOST_UNPACKED = 20_000_000  # bytes of object streams


def may_have_layers(body: bytes) -> bool:
    """Say whether a PDF has optional content: whole forms may be off, which pdfium does not tell.

    The catalogue that says it may be packed; what cannot be unpacked, or only for too long, may.
    """
    if b"/OCProperties" in body or (b"/ObjStm" in body and b"/Encrypt" in body):
        return True
    left = _MOST_UNPACKED
    for found in _OBJECT_STREAM.finditer(body):
        try:
            unpacked = zlib.decompressobj().decompress(body[found.end() :], left)
        except zlib.error:
            return True
        left -= len(unpacked)
        if b"/OCProperties" in unpacked or left <= 0:
            return True
    return False


class TooManyObjects(Exception):
    """The check cannot be completed, so the page is not trusted."""


@dataclass(frozen=True, slots=True)
class Unseen:
    """The hidden text objects of a page; on most pages there are none.

    `is_scan` says that the text of the page is what a program recognised on its pictures.
    """

    objects: frozenset[Handle] = frozenset()
    masked: Mapping[Handle, frozenset[int]] = field(default_factory=dict[Handle, frozenset[int]])
    """The letters of text objects that are drawn as other ones."""
    is_scan: bool = False
    is_picture: bool = False
    """Pictures cover the page, or it is full of outlines, and text covers hardly any of it: nobody
    has recognised its words."""
    pictures: Sequence[_Box] = ()
    """Where pictures take a fair share of the page beside its text: words on them are not in it."""
    paths: Sequence[PlacedPath] = ()
    """What the page has beside text and pictures, in the order of drawing."""


@dataclass(slots=True)
class _Text:
    handle: Handle
    box: _Box
    order: int
    is_layer: bool
    is_suspect: bool
    colour: tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class _Shape:
    box: _Box
    order: int
    colour: tuple[int, int, int] | None
    """None of a picture."""


@dataclass(slots=True)
class _Replaced:
    """Words that stand for what is drawn, and how much that is."""

    words: int
    ems: float = 0.0
    handles: list[Handle] = field(default_factory=list[Handle])


class _Survey:
    """What is on a page, in the order of drawing."""

    def __init__(self, page: Handle, *, may_have_layers: bool) -> None:
        box = pdfium.Box()
        pdfium.page_box(page, byref(box))
        self.sheet: _Box = (box.left, box.bottom, box.right, box.top)
        self.hidden: set[Handle] = set()
        self.texts: list[_Text] = []
        self.shapes: list[_Shape] = []
        self.paths: list[PlacedPath] = []
        self._marks: dict[Handle, tuple[bool, _Replaced | None]] = {}
        for order, (handle, kind, around, is_blended) in enumerate(_objects(page)):
            if kind == pdfium.OBJECT_TEXT:
                may_be_off = may_have_layers and around is not _IDENTITY
                self._add_text(handle, around, order, is_suspect=is_blended or may_be_off)
            else:
                self._add_shape(handle, kind, around, order)
                if kind == pdfium.OBJECT_PATH:
                    self.paths.append((handle, around))
        for _, replaced in self._marks.values():
            if replaced is not None and replaced.words > _PER_EM * max(replaced.ems, 0.5):
                self.hidden.update(replaced.handles)

    def _add_text(self, handle: Handle, around: _Matrix, order: int, *, is_suspect: bool) -> None:
        if not pdfium.object_bounds(handle, *_places):
            if pdfium.render_mode(handle) in UNSEEN_MODES:
                self.hidden.add(handle)
            return
        own: _Box = _floats(_bounds)
        left, bottom, right, top = own if around is _IDENTITY else _placed(own, around)
        sheet = self.sheet
        if right < sheet[0] or left > sheet[2] or top < sheet[1] or bottom > sheet[3]:
            self.hidden.add(handle)
            return
        # The box of a dash is low too, so the size decides; but most boxes spare us asking for it.
        is_low = right - left < SMALLEST or top - bottom < SMALLEST
        if is_low and _height(handle, around) < SMALLEST:
            self.hidden.add(handle)
            return
        is_layer = pdfium.render_mode(handle) in UNSEEN_MODES
        pdfium.fill_colour(handle, *_channels)
        red, green, blue, alpha = _wholes(_colour)
        is_suspect = (
            is_suspect
            or min(red, green, blue) > _LIGHT
            or alpha < _FAINT
            or (pdfium.count_clips(pdfium.clip_of_object(handle)) > 0 and _is_clipped(handle, own))
            or (pdfium.count_marks(handle) > 0 and self._is_marked(handle, own))
            or bool(pdfium.has_transparency(handle))
        )
        self.texts.append(
            _Text(
                handle,
                (left, bottom, right, top),
                order,
                is_layer or not alpha,
                is_suspect,
                (red, green, blue),
            )
        )

    def _is_marked(self, handle: Handle, box: _Box) -> bool:
        """Say whether a text may lie in a layer that is off; note words that stand for it."""
        is_optional = False
        for index in range(pdfium.count_marks(handle)):
            mark = pdfium.mark_at(handle, index)
            if mark not in self._marks:
                words = sum(map(str.isalnum, pdfium.mark_text(mark, b"ActualText")))
                replaced = _Replaced(words) if words else None
                self._marks[mark] = (pdfium.mark_name(mark) == "OC", replaced)
            is_layer, replaced = self._marks[mark]
            is_optional = is_optional or is_layer
            if replaced is not None:
                replaced.handles.append(handle)
                width = max(box[2] - box[0], box[3] - box[1])
                replaced.ems += width / max(_height(handle, _IDENTITY), SMALLEST)
        return is_optional

    def _add_shape(self, handle: Handle, kind: int, around: _Matrix, order: int) -> None:
        if not pdfium.object_bounds(handle, *_places):
            return
        own: _Box = _floats(_bounds)
        box = own if around is _IDENTITY else _placed(own, around)
        if box[2] - box[0] < _SHAPE[0] or box[3] - box[1] < _SHAPE[1]:
            return
        colour: tuple[int, int, int] | None = None
        if kind == pdfium.OBJECT_PATH:
            filled, stroked = c_int(), c_int()
            if not pdfium.draw_mode(handle, byref(filled), byref(stroked)) or not filled.value:
                return
            pdfium.fill_colour(handle, *_channels)
            colour = (_colour[0], _colour[1], _colour[2])
        self.shapes.append(_Shape(box, order, colour))


def unseen_text(page: Handle, letters: MaskedLetters, *, may_have_layers: bool) -> Unseen:
    """Return what is hidden on a page. Raises TooManyObjects."""
    survey = _Survey(page, may_have_layers=may_have_layers)
    masked = {
        text.handle: found
        for text in survey.texts
        if (found := letters.of(pdfium.font_of_object(text.handle)))
    }
    shapes = sorted(survey.shapes, key=lambda shape: -_area(shape.box))[:_MOST_SHAPES]
    pictures = [shape for shape in shapes if shape.colour is None]
    layer = [
        text
        for text in survey.texts
        if text.is_layer
        # Some programs draw the recognised text in black and the picture of it on top.
        or any(each.order > text.order and _covers(each.box, text.box) for each in pictures)
    ]
    if layer and _is_scan(survey, layer):
        read = {text.handle for text in survey.texts}
        # A mark of the program that scanned, or a letterhead alone, is not the text of a page.
        is_picture = _is_bare(survey, layer)
        return Unseen(frozenset(survey.hidden - read), {}, is_scan=True, is_picture=is_picture)
    hidden = survey.hidden | {text.handle for text in survey.texts if text.is_layer}
    suspects = [
        (text.handle, text.box)
        for text in survey.texts
        if text.handle not in hidden and (text.is_suspect or _may_be_lost(text, shapes))
    ]
    if suspects:
        hidden |= unchanged_without(page, suspects)
    is_bare = _is_bare(survey, [text for text in survey.texts if text.handle not in hidden])
    return Unseen(
        frozenset(hidden),
        masked,
        is_picture=is_bare and (_is_pictured(survey) or _is_outlined(survey)),
        pictures=_pictures_beside(survey, pictures, hidden),
        paths=survey.paths,
    )


def text_objects(page: Handle) -> list[Handle]:
    """Return whatever draws letters on a page. Raises TooManyObjects."""
    return [handle for handle, kind, _, _ in _objects(page) if kind == pdfium.OBJECT_TEXT]


def _is_bare(survey: _Survey, texts: Iterable[_Text]) -> bool:
    """Say whether texts cover hardly any of the page."""
    return sum(_area(text.box) for text in texts) <= _WRITTEN_SHARE * _area(survey.sheet)


def _pictures_beside(
    survey: _Survey, pictures: Sequence[_Shape], hidden: Collection[Handle]
) -> tuple[_Box, ...]:
    """Return the boxes of pictures that take a fair share of the page and are no ground of text.

    Those that touch are one: programs cut pictures into strips.
    """
    shown = [text for text in survey.texts if text.handle not in hidden]
    boxes: list[_Box] = []
    for picture in pictures:
        box = _common(picture.box, survey.sheet)
        over = sum(
            _area(text.box)
            for text in shown
            if text.order > picture.order and _covers(picture.box, text.box)
        )
        if box is None or over > _GROUND_SHARE * _area(box):
            continue
        while touching := [each for each in boxes if _common(_wider(each), box)]:
            boxes = [each for each in boxes if each not in touching]
            lefts, bottoms, rights, tops = zip(box, *touching, strict=True)
            box = min(lefts), min(bottoms), max(rights), max(tops)
        boxes.append(box)
    least = _FAIR_SHARE * _area(survey.sheet)
    return tuple(box for box in boxes if _area(box) >= least)[:MOST_PICTURES]


def _wider(box: _Box) -> _Box:
    return box[0] - _TOUCHING, box[1] - _TOUCHING, box[2] + _TOUCHING, box[3] + _TOUCHING


def _common(one: _Box, other: _Box) -> _Box | None:
    left, bottom = max(one[0], other[0]), max(one[1], other[1])
    right, top = min(one[2], other[2]), min(one[3], other[3])
    return (left, bottom, right, top) if left < right and bottom < top else None


def _may_be_lost(text: _Text, shapes: Sequence[_Shape]) -> bool:
    """Say whether something lies on top of a text, or under it in the text's own colour."""
    left, bottom, right, top = text.box
    for shape in shapes:
        x0, y0, x1, y1 = shape.box
        if x1 <= left or right <= x0 or y1 <= bottom or top <= y0:  # most lie beside each other
            continue
        may_hide = shape.order >= text.order or (
            shape.colour is not None and _distance(shape.colour, text.colour) <= _ALIKE
        )
        if may_hide and _covers(shape.box, text.box):
            return True
    return False


def _distance(one: tuple[int, int, int], other: tuple[int, int, int]) -> int:
    return abs(one[0] - other[0]) + abs(one[1] - other[1]) + abs(one[2] - other[2])


def _is_scan(survey: _Survey, layer: Sequence[_Text]) -> bool:
    """Say whether there is little text but the layer, and pictures cover the page."""
    recognised = {text.handle for text in layer}
    written = sum(_area(text.box) for text in survey.texts if text.handle not in recognised)
    if written > _STAMPED_SHARE * sum(_area(text.box) for text in layer):
        return False
    return _is_pictured(survey)


def _is_pictured(survey: _Survey) -> bool:
    """Say whether pictures cover the page: scans come in strips and tiles, which may overlap."""
    sheet = survey.sheet
    width, height = (sheet[2] - sheet[0]) / _CELLS, (sheet[3] - sheet[1]) / _CELLS
    if width <= 0 or height <= 0:
        return False
    covered: set[tuple[int, int]] = set()
    for left, bottom, right, top in (each.box for each in survey.shapes if each.colour is None):
        # A cell counts whose middle is covered.
        columns = _cells((left - sheet[0]) / width, (right - sheet[0]) / width)
        rows = _cells((bottom - sheet[1]) / height, (top - sheet[1]) / height)
        covered.update((column, row) for column in columns for row in rows)
    return len(covered) >= _SCANNED_SHARE * _CELLS**2


def _is_outlined(survey: _Survey) -> bool:
    """Say whether filled paths may be letters: drawing programs and drivers write outlines."""
    segments = 0
    for handle, _ in survey.paths:
        filled, stroked = c_int(), c_int()
        if pdfium.draw_mode(handle, byref(filled), byref(stroked)) and filled.value:
            segments += pdfium.count_path_segments(handle)
        if segments >= _OUTLINES:
            return True
    return False


def _cells(start: float, end: float) -> range:
    return range(max(0, round(start)), min(_CELLS, round(end)))


def _area(box: _Box) -> float:
    return (box[2] - box[0]) * (box[3] - box[1])


def _covers(box: _Box, text: _Box) -> bool:
    across = min(box[2], text[2]) - max(box[0], text[0])
    up = min(box[3], text[3]) - max(box[1], text[1])
    return across > 0 and up > 0 and across * up >= _SHARE * _area(text)


def _is_clipped(handle: Handle, box: _Box) -> bool:
    """Say whether less than half of a box lies within its clips, by the boxes of these."""
    clip = pdfium.clip_of_object(handle)
    left, bottom, right, top = box
    x, y = c_float(), c_float()
    for path in range(pdfium.count_clips(clip)):
        across: list[float] = []
        up: list[float] = []
        for index in range(max(0, pdfium.count_segments(clip, path))):
            pdfium.segment_point(pdfium.clip_segment(clip, path, index), byref(x), byref(y))
            across.append(x.value)
            up.append(y.value)
        if across:
            left, right = max(left, min(across)), min(right, max(across))
            bottom, top = max(bottom, min(up)), min(top, max(up))
    return left >= right or bottom >= top or not _covers((left, bottom, right, top), box)


def _objects(page: Handle) -> Iterator[tuple[Handle, int, _Matrix, bool]]:
    """Yield each object that is drawn with its kind and the matrix of the forms around it.

    In the order of drawing; the last says whether such a form is blended with what lies below.
    """
    top = _children(page, pdfium.count_objects, pdfium.object_at)
    pending: list[tuple[Iterator[Handle], _Matrix, bool]] = [(top, _IDENTITY, False)]
    visited = 0
    while pending:
        children, around, is_blended = pending[-1]
        handle = next(children, None)
        if handle is None:
            pending.pop()
            continue
        visited += 1
        if visited > _MAX_OBJECTS:
            raise TooManyObjects
        kind = pdfium.object_type(handle)
        if kind != pdfium.OBJECT_FORM:
            yield handle, kind, around, is_blended
        elif len(pending) <= _MAX_DEPTH:
            inner = _children(handle, pdfium.count_form_objects, pdfium.form_object_at)
            blended = is_blended or bool(pdfium.has_transparency(handle))
            pending.append((inner, times(matrix_of(handle), around), blended))


def _children(
    parent: Handle, count: Callable[[Handle], int], get: Callable[[Handle, int], Handle]
) -> Iterator[Handle]:
    return (get(parent, index) for index in range(count(parent)))


def _placed(box: _Box, around: _Matrix) -> _Box:
    left, bottom, right, top = box
    a, b, c, d, e, f = around
    corners = [(x, y) for x in (left, right) for y in (bottom, top)]
    across = [a * x + c * y + e for x, y in corners]
    up = [b * x + d * y + f for x, y in corners]
    return min(across), min(up), max(across), max(up)


def _height(handle: Handle, around: _Matrix) -> float:
    """Return the font's size on the page, in points."""
    size = c_float()
    pdfium.font_size(handle, byref(size))
    _, _, c, d, _, _ = times(matrix_of(handle), around)
    return abs(size.value) * hypot(c, d)


def matrix_of(handle: Handle) -> _Matrix:
    matrix = pdfium.Matrix()
    if not pdfium.object_matrix(handle, byref(matrix)):
        return _IDENTITY
    return matrix.a, matrix.b, matrix.c, matrix.d, matrix.e, matrix.f


def times(inner: _Matrix, outer: _Matrix) -> _Matrix:
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
