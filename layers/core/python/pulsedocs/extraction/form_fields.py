"""What is written into the fields of a form, where it stands: beside the field's label.

pdfium draws fields into the page behind all else, so that the text ends with all answers in a row;
here each of them goes back to the words that it answers.
"""

from collections.abc import Iterator, Mapping, Sequence
from ctypes import byref, c_double
from dataclasses import dataclass, field, replace
from itertools import chain, groupby
from typing import NamedTuple, TypeAlias

from pulsedocs.extraction import pdfium
from pulsedocs.extraction.form_signs import NOT_TICKED, TICKED
from pulsedocs.extraction.pdfium import Handle

Piece: TypeAlias = tuple[int, str | None]
"""The index of a character, or what stands in its place between two others."""

_MAX_DEPTH = 8
_OFF = "Off"
_APART = 1.5  # of a line's height, between words that are two labels
_CLOSE, _FAR = 8.0, 60.0  # points, to the words above and to those of another column
_TOUCHING = 2.0  # points by which a frame may reach into a word
_NEAR = 40.0  # points between a box to tick and what it says


class _Place(NamedTuple):
    left: float
    right: float
    bottom: float
    top: float


class _Stretch(NamedTuple):
    """Printed words, from one character to another, and where they stand."""

    first: int
    last: int
    place: _Place


@dataclass(frozen=True, slots=True)
class Fields:
    """The field that each text object was drawn for, the sign of each box, and what is chosen."""

    texts: Mapping[Handle, int] = field(default_factory=dict[Handle, int])
    boxes: tuple[tuple[_Place, str], ...] = ()
    chosen: tuple[tuple[_Place, str], ...] = ()
    """Of lists to choose from; one that shows its options shows all of them."""

    def __bool__(self) -> bool:
        return bool(self.texts or self.boxes)


def fields_on(page: Handle) -> Fields | None:
    """Return the fields of a page that is not flattened yet; None for one without any."""
    boxes: list[tuple[_Place, str]] = []
    chosen: list[tuple[_Place, str]] = []
    fields = 0
    for index in range(pdfium.count_annotations(page)):
        annotation = pdfium.annotation_at(page, index)
        if not annotation:
            continue
        box = pdfium.Box()
        if pdfium.annotation_kind(annotation) == pdfium.ANNOTATION_WIDGET:
            fields += 1
            is_shown = not pdfium.annotation_flags(annotation) & pdfium.HIDDEN
            has_place = is_shown and pdfium.annotation_box(annotation, byref(box))
            place = _Place(box.left, box.right, box.bottom, box.top)
            state = pdfium.annotation_text(annotation, b"AS")
            if has_place and state:
                boxes.append((place, NOT_TICKED if state == _OFF else TICKED))
            if has_place and pdfium.annotation_text(annotation, b"FT") == "Ch":
                kind = pdfium.annotation_value_kind(annotation, b"V")
                if kind in {pdfium.NO_VALUE, pdfium.STRING}:  # pdfium does not tell several
                    chosen.append((place, pdfium.annotation_text(annotation, b"V")))
        pdfium.close_annotation(annotation)
    return Fields(boxes=tuple(sorted(boxes)), chosen=tuple(chosen)) if fields else None


def with_texts(page: Handle, fields: Fields) -> Fields:
    """Add the text objects of the form that pdfium adds last for all the fields of a page."""
    count = pdfium.count_objects(page)
    last = pdfium.object_at(page, count - 1) if count else None
    if not last or pdfium.object_type(last) != pdfium.OBJECT_FORM:
        return fields
    texts = {
        text: number
        for number in range(pdfium.count_form_objects(last))
        for text in _texts(pdfium.form_object_at(last, number), depth=0)
    }
    return replace(fields, texts=texts)


def _texts(handle: Handle, *, depth: int) -> Iterator[Handle]:
    kind = pdfium.object_type(handle)
    if kind == pdfium.OBJECT_TEXT:
        yield handle
    elif kind == pdfium.OBJECT_FORM and depth < _MAX_DEPTH:
        for index in range(pdfium.count_form_objects(handle)):
            yield from _texts(pdfium.form_object_at(handle, index), depth=depth + 1)


def parted(
    shown: Sequence[int], text_page: Handle, fields: Fields
) -> tuple[list[int], dict[int, list[int]]]:
    """Return the printed characters of a page, and those that are written into each field."""
    printed: list[int] = []
    written: dict[int, list[int]] = {}
    current: int | None = None
    for index in shown:
        owner = pdfium.object_of_character(text_page, index)
        current = fields.texts.get(owner) if owner else current  # what pdfium made up has none
        if current is None:
            printed.append(index)
        else:
            written.setdefault(current, []).append(index)
    return printed, written


def stand_among(
    rows: Sequence[Piece], written: Mapping[int, list[int]], text_page: Handle, fields: Fields
) -> bool:
    """Say whether a field is level with rows: what it holds would come into another cell."""
    bars = [at for at, (_, mark) in enumerate(rows) if mark == "|"] or [0]
    table = _extent(text_page, [index for index, _ in rows[bars[0] : bars[-1]]])
    texts = [_extent(text_page, indexes) for indexes in written.values()]
    return any(
        table.bottom <= (spot.bottom + spot.top) / 2 <= table.top
        for spot in (*texts, *(box for box, _ in fields.boxes))
    )


def placed(
    printed: Sequence[Piece], written: Mapping[int, list[int]], text_page: Handle, fields: Fields
) -> list[Piece]:
    """Return what is printed with what each field holds beside its label."""
    lines = list(_lines(text_page, printed))
    behind: dict[int, list[Sequence[Piece]]] = {}
    for drawn in written.values():
        extent = _extent(text_page, drawn)
        characters = _chosen(drawn, extent, text_page, fields)
        filled = [at for at, index in enumerate(characters) if not _is_blank(text_page, index)]
        if not filled:
            continue
        found = characters[filled[0] : filled[-1] + 1]
        # The mark within a box is drawn as text too; its sign stands for it.
        if not any(_is_in(box, extent) for box, _ in fields.boxes):
            place, _ = _label(extent, lines, is_box=False)
            answer = [(index, None) for index in found]
            behind.setdefault(place, []).append([(found[0], " "), *answer])
    before: dict[int, list[Sequence[Piece]]] = {}
    for box, sign in fields.boxes if lines else ():  # without words a box says nothing
        place, is_before = _label(box, lines, is_box=True)
        # A sign is no character of the page, so it takes the index of the one beside it.
        index, _ = printed[place]
        signs = [(index, sign), (index, " ")]
        (before if is_before else behind).setdefault(place, []).append(
            signs if is_before else signs[::-1]
        )
    pieces = [piece for answer in behind.get(-1, ()) for piece in (*answer, (answer[0][0], "\n"))]
    for place, piece in enumerate(printed):
        beside = (*before.get(place, ()), [piece], *behind.get(place, ()))
        pieces += chain.from_iterable(beside)
    return pieces


def _chosen(characters: list[int], extent: _Place, text_page: Handle, fields: Fields) -> list[int]:
    """Return what is chosen of the options that a field shows; all of what is not a list."""
    value = next((value for box, value in fields.chosen if _is_in(box, extent)), None)
    if value is None:
        return characters
    drawn = groupby(characters, key=lambda index: pdfium.object_of_character(text_page, index))
    for _, option in drawn:
        indexes = list(option)
        if "".join(chr(pdfium.code_of_character(text_page, at)) for at in indexes) == value:
            return indexes
    return characters if value else []


def _is_in(box: _Place, spot: _Place) -> bool:
    across, up = (spot.left + spot.right) / 2, (spot.bottom + spot.top) / 2
    return box.left <= across <= box.right and box.bottom <= up <= box.top


def _lines(text_page: Handle, printed: Sequence[Piece]) -> Iterator[_Stretch]:
    stretch: _Stretch | None = None
    for place, (index, mark) in enumerate(printed):
        if mark is not None or _is_blank(text_page, index):
            continue
        here, first = _extent(text_page, [index]), place
        if stretch is not None:
            line = stretch.place
            height = max(line.top - line.bottom, 4.0)
            is_beside = here.bottom < line.top and here.top > line.bottom - height / 2
            if is_beside and -height <= here.left - line.right <= _APART * height:
                here, first = _joined(line, here), stretch.first
            else:
                yield stretch
        stretch = _Stretch(first, place, here)
    if stretch is not None:
        yield stretch


def _joined(one: _Place, other: _Place) -> _Place:
    return _Place(
        min(one.left, other.left),
        max(one.right, other.right),
        min(one.bottom, other.bottom),
        max(one.top, other.top),
    )


def _is_blank(text_page: Handle, index: int) -> bool:
    return chr(pdfium.code_of_character(text_page, index)).isspace()


def _extent(text_page: Handle, indexes: Sequence[int]) -> _Place:
    left, right, bottom, top = c_double(), c_double(), c_double(), c_double()
    sides = (byref(left), byref(right), byref(bottom), byref(top))
    found: _Place | None = None
    for index in indexes:
        if not _is_blank(text_page, index) and pdfium.box_of_character(text_page, index, *sides):
            here = _Place(left.value, right.value, bottom.value, top.value)
            found = here if found is None else _joined(found, here)
    return found or _Place(0, 0, 0, 0)


def _label(spot: _Place, lines: Sequence[_Stretch], *, is_box: bool) -> tuple[int, bool]:
    """Return beside which printed character belongs what stands at a spot, and whether before it.

    The words before it on its line, else those nearest above it; a box to tick may be told by the
    words behind it, and stands before these. -1 is the start of the page.
    """
    middle = (spot.bottom + spot.top) / 2
    level = [each for each in lines if each.place.bottom - 4 <= middle <= each.place.top + 4]
    before = [
        (spot.left - line.right, last, False)
        for _, last, line in level
        if line.right <= spot.left + _TOUCHING
    ]
    after = [
        (line.left - spot.right, first, True)
        for first, _, line in level
        if is_box and -_TOUCHING <= line.left - spot.right <= _NEAR
    ]
    above = [
        (line.bottom - spot.top, last, False)
        for _, last, line in lines
        if line.bottom >= middle and line.left <= spot.right and line.right >= spot.left
    ]
    if before and above and min(above)[0] < _CLOSE and min(before)[0] > _FAR and not is_box:
        return min(above)[1:]
    nearest = sorted(after + before) or sorted(above)
    return nearest[0][1:] if nearest else (lines[-1].last if lines else -1, False)
