"""Draws a page to see what a reader sees."""

from collections.abc import Generator, Iterable, Sequence
from contextlib import ExitStack, contextmanager
from ctypes import byref, c_char, c_int, string_at
from dataclasses import dataclass, replace

from pulsedocs.extraction import pdfium
from pulsedocs.extraction.pdfium import Handle
from pulsedocs.extraction.picture import (
    DOTS_PER_INCH,
    FEWEST_READ,
    LONGEST_READ,
    LONGEST_SIDE,
    MOST_READ,
    Picture,
)

_Box = tuple[float, float, float, float]
_Pixels = tuple[int, int, int, int]

_DOTS_PER_POINT, _MOST_DOTS_PER_POINT = 1.5, 4.0
_FEWEST_DOTS = 8  # in the height of the smallest text: the line of a small "1" is a shadow in less
_VISIBLE = 16  # of 255 in any colour; fainter text is noise to an eye
_MOST_DRAWINGS = 6
_MARGIN = 32  # pixels around what is looked at
_BYTES = 4  # a pixel
_WHITE = 0xFFFFFFFF  # ARGB
_POINTS_PER_INCH = 72
_MOST_PER_INCH = 300  # said of a picture: the engine took letters of 10 dots at 700 for specks


def picture_of(page: Handle, quarter_turns: int, dots_per_point: float | None = None) -> Picture:
    """Draw a page as its reader sees it, turned; one that is very large in fewer dots.

    In as many as show its words, where none are asked for: a small page in more to a point, for
    scans are placed as smaller than they were, and pdfium does not know a page's own unit.
    """
    width, height = pdfium.page_width(page), pdfium.page_height(page)
    if dots_per_point is None:
        fewest = FEWEST_READ / max(width, height, 1.0)
        dots_per_point = max(DOTS_PER_INCH / _POINTS_PER_INCH, fewest)
    longest = LONGEST_READ / max(width, height, 1.0)
    scale = min(dots_per_point, longest, (MOST_READ / max(width * height, 1.0)) ** 0.5)
    size = max(1, round(width * scale)), max(1, round(height * scale))
    across, down = reversed(size) if quarter_turns % 2 else size
    bitmap = pdfium.new_bitmap_of(across, down, pdfium.GREY, None, 0)
    if not bitmap:
        raise MemoryError
    try:
        pdfium.fill_bitmap(bitmap, 0, 0, across, down, _WHITE)
        pdfium.render(bitmap, page, 0, 0, across, down, quarter_turns, 0)
        stride = pdfium.bitmap_stride(bitmap)
        dots = string_at(pdfium.bitmap_bytes(bitmap), stride * down)
    finally:
        pdfium.close_bitmap(bitmap)
    dots_per_inch = min(round(scale * _POINTS_PER_INCH), _MOST_PER_INCH)
    return Picture(across, down, stride, dots, scale, quarter_turns, dots_per_inch)


def pictures_alone(
    page: Handle, boxes: Sequence[_Box], texts: Sequence[Handle], dots_per_point: float
) -> Picture:
    """Draw the pictures of a page without its letters, white around their boxes as they are shown.

    What text says over a picture is in the page's own text.
    """
    for handle in texts:
        pdfium.set_active(handle, 0)
    try:
        drawn = picture_of(page, 0, dots_per_point)
    finally:
        for handle in texts:
            pdfium.set_active(handle, 1)
    dots = bytearray(b"\xff" * len(drawn.dots))
    for box in boxes:
        left, top, right, bottom = (round(edge * drawn.scale) for edge in box)
        for row in range(max(0, top), min(bottom, drawn.height)):
            piece = slice(
                row * drawn.stride + max(0, left), row * drawn.stride + min(right, drawn.width)
            )
            dots[piece] = drawn.dots[piece]
    return replace(drawn, dots=bytes(dots))


def unchanged_without(page: Handle, objects: Sequence[tuple[Handle, _Box]]) -> set[Handle]:
    """Return those objects, given with their boxes, that make no difference where they stand.

    Objects that overlap are left out one after the other: one that shows must not speak for one
    that does not.
    """
    smallest = min(min(box[2] - box[0], box[3] - box[1]) for _, box in objects)
    scaled = _Scaled(page, smallest)
    places = [(handle, scaled.pixels(box)) for handle, box in objects]
    # The same for every drawing: letters that an edge cuts may be drawn otherwise than whole ones.
    part = scaled.part_around(box for _, box in places)
    unchanged: set[Handle] = set()
    with ExitStack() as drawn:
        full = drawn.enter_context(scaled.drawn(part))
        for together in _rounds(places):
            for handle, _ in together:
                pdfium.set_active(handle, 0)
            with scaled.drawn(part) as without:
                unchanged.update(
                    handle for handle, box in together if not _differ(full, without, box)
                )
            for handle, _ in together:
                pdfium.set_active(handle, 1)
    return unchanged


def _rounds(
    objects: Sequence[tuple[Handle, _Pixels]],
) -> list[list[tuple[Handle, _Pixels]]]:
    """Spread objects over a few drawings in which they do not overlap; the last takes the rest."""
    rounds: list[list[tuple[Handle, _Pixels]]] = []
    for handle, box in objects:
        left, top, right, bottom = box
        free = (
            each
            for each in rounds
            if not any(
                min(right, other[2]) > max(left, other[0])
                and min(bottom, other[3]) > max(top, other[1])
                for _, other in each
            )
        )
        place = next(free, None)
        if place is not None:
            place.append((handle, box))
        elif len(rounds) < _MOST_DRAWINGS:
            rounds.append([(handle, box)])
        else:
            rounds[-1].append((handle, box))
    return rounds


@dataclass(frozen=True, slots=True)
class _Drawn:
    """A part of a page as a picture of four bytes a pixel, which pdfium owns."""

    left: int
    top: int
    stride: int
    dots: memoryview

    def row(self, number: int, left: int, right: int) -> bytes:
        """Return the pixels of a row of the page's picture."""
        start = (number - self.top) * self.stride
        return bytes(
            self.dots[start + (left - self.left) * _BYTES : start + (right - self.left) * _BYTES]
        )


class _Scaled:
    """A page in as many dots as show its smallest text."""

    def __init__(self, page: Handle, smallest: float) -> None:
        self._page = page
        width, height = pdfium.page_width(page), pdfium.page_height(page)
        wanted = min(max(_FEWEST_DOTS / max(smallest, 0.1), _DOTS_PER_POINT), _MOST_DOTS_PER_POINT)
        scale = min(wanted, LONGEST_SIDE / max(width, height, 1.0))
        self._width, self._height = max(1, round(width * scale)), max(1, round(height * scale))

    def part_around(self, boxes: Iterable[_Pixels]) -> _Pixels:
        lefts, tops, rights, bottoms = zip(*boxes, strict=True)
        return (
            max(0, min(lefts) - _MARGIN),
            max(0, min(tops) - _MARGIN),
            min(self._width, max(rights) + _MARGIN),
            min(self._height, max(bottoms) + _MARGIN),
        )

    @contextmanager
    def drawn(self, part: _Pixels) -> Generator[_Drawn]:
        """Draw what is looked at: a whole page takes 30 MB, and is drawn twice or more."""
        left, top, right, bottom = part
        width, height = max(1, right - left), max(1, bottom - top)
        bitmap = pdfium.new_bitmap(width, height, 0)
        if not bitmap:
            raise MemoryError
        try:
            pdfium.fill_bitmap(bitmap, 0, 0, width, height, _WHITE)
            pdfium.render(bitmap, self._page, -left, -top, self._width, self._height, 0, 0)
            stride = pdfium.bitmap_stride(bitmap)
            dots = (c_char * (stride * height)).from_address(pdfium.bitmap_bytes(bitmap))
            yield _Drawn(left, top, stride, memoryview(dots))
        finally:
            pdfium.close_bitmap(bitmap)

    def pixels(self, box: _Box) -> _Pixels:
        """Return where a box of the page lies in the picture."""
        x, y = c_int(), c_int()
        places: list[tuple[int, int]] = []
        for across, up in ((box[0], box[1]), (box[2], box[3]), (box[0], box[3]), (box[2], box[1])):
            size = (0, 0, self._width, self._height, 0)
            pdfium.to_device(self._page, *size, across, up, byref(x), byref(y))
            places.append((x.value, y.value))
        columns, rows = sorted(place[0] for place in places), sorted(place[1] for place in places)
        return (
            max(0, columns[0]),
            max(0, rows[0]),
            min(self._width, columns[-1] + 1),
            min(self._height, rows[-1] + 1),
        )


def _differ(one: _Drawn, other: _Drawn, box: _Pixels) -> bool:
    left, top, right, bottom = box
    for row in range(top, bottom):
        mine, its = one.row(row, left, right), other.row(row, left, right)
        if mine != its and any(abs(a - b) >= _VISIBLE for a, b in zip(mine, its, strict=True)):
            return True
    return False
