"""Rectangles of characters on a page, for showing a reader where quoted words stand."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Final

from pulsedocs.errors import NoBoxes
from pulsedocs.extraction import PDF, Budgets, detect_type
from pulsedocs.extraction.image_file import ImageFile
from pulsedocs.extraction.page_png import drawn, grey_png
from pulsedocs.extraction.sheet import CharacterBoxes, sheet_of
from pulsedocs.extraction.with_pdfium import drawn_alone, opened_page, recognised
from pulsedocs.extraction.word_boxes import boxes_of_words, lines_of
from pulsedocs.extraction.words_on_pictures import as_inserted
from pulsedocs.model.highlights import Box, Highlight, is_within, text_digest

if TYPE_CHECKING:
    from pulsedocs.extraction.recognition import Recogniser

_CHANGED: Final = re.compile("[\x02\ufffe]\r?\n?|\r\n|[\r\x00\ud800-\udfff]")
"""What `with_pdfium` and `storable` replace on the way from pdfium's text to the raw page."""


def boxes_of(  # noqa: PLR0913 -- a file, a place in it, and how the file was read
    body: bytes,
    *,
    content_type: str = PDF,
    page: int,
    ranges: Sequence[Sequence[int]],
    text_sha256: str,
    recogniser: "Recogniser | None" = None,
    comments: bool = True,
    dots_across: int = 0,
    margin: float | None = None,
    picture_ranges: Sequence[Sequence[int]] = (),
    pictures_sha256: str = "",
    pictures_only: bool = False,
) -> Highlight:
    """Return one box for each line that the ranges touch; raise NoBoxes where the text differs.

    Ranges are (start, end) into the page's text as `pdf` returns it; pages count from 1. With a
    recogniser the words are those of the page's drawing, recognised again: it says the same of the
    same drawing. Those of an image file are always. Without ranges nothing is looked for, and no
    text compared. What begins with `dots` or `picture`, and `margin`, is as in a `PagePlace`: with
    `picture_ranges` the recogniser reads these only.
    """
    wanted = [(int(start), int(end)) for start, end in ranges]
    on_pictures = [(int(start), int(end)) for start, end in picture_ranges]
    if (recogniser is not None or not wanted) and detect_type(body, content_type) != PDF:
        image = ImageFile(body, budgets=Budgets())
        draw = partial(image.drawn, page, dots_across) if dots_across else None
        if recogniser is None:
            return _pictured(Highlight(*image.size(page), ()), draw, margin)
        found, size = image.recognised(page, recogniser)
        boxes = boxes_of_words(found, wanted, page, text_sha256)
        return _pictured(Highlight(*size, boxes), draw, margin)
    with opened_page(body, page - 1, comments=comments) as (handle, text_page, shown):
        draw = partial(drawn, handle, dots_across) if dots_across else None
        width, height = sheet_of(handle).size
        if pictures_only:
            alone = drawn_alone(handle, shown.pictures, dots_across / max(width, 1.0))
            places = tuple(each.box for each in shown.pictures)
            return Highlight(width, height, places, picture=grey_png(alone))
        beside: tuple[Box, ...] = ()
        if on_pictures and recogniser is not None and shown.pictures:
            found = recognised(handle, recogniser, shown.pictures)
            words = as_inserted(found, [each.box for each in shown.pictures])
            beside = boxes_of_words(words, on_pictures, page, pictures_sha256)
        elif recogniser is not None and wanted:
            found = recognised(handle, recogniser)
            boxes = boxes_of_words(found, wanted, page, text_sha256)
            return _pictured(Highlight(width, height, boxes), draw, margin)
        if not wanted:
            return _pictured(Highlight(width, height, beside), draw, margin)
        text, places = _places(shown.whole)
        if text_digest(text) != text_sha256 or not is_within(wanted, length=len(text)):
            raise NoBoxes("the file's text is not the one that was stored", page=page)
        measured = CharacterBoxes(text_page, shown.text, shown.character_at, sheet_of(handle))
        own = (
            line
            for stretch in _stretches(text, wanted)
            for line in lines_of([measured.box(places[offset]) for offset in stretch])
        )
        return _pictured(Highlight(width, height, (*own, *beside)), draw, margin)


def _pictured(
    found: Highlight, draw: Callable[[tuple[float, float]], str] | None, margin: float | None
) -> Highlight:
    """Return the highlight with a picture of the page, or of the piece around its boxes."""
    if draw is None:
        return found
    if margin is None or not found.boxes:
        return replace(found, picture=draw((0.0, 1.0)))
    first = max(0.0, min(box[1] for box in found.boxes) / found.height - margin)
    last = min(1.0, max(box[3] for box in found.boxes) / found.height + margin)
    top, bottom = first * found.height, last * found.height
    return replace(found, picture=draw((first, last)), top=top, bottom=bottom)


def _places(text: str) -> tuple[str, list[int]]:
    """Return the text as it is stored, and where in pdfium's each of its characters stands."""
    parts: list[str] = []
    places: list[int] = []
    at = 0
    for changed in _CHANGED.finditer(text):
        found = changed[0]
        if found[0] in "\x02\ufffe":
            instead = "-\n"
        elif found[0] == "\r":
            instead = "\n"
        else:
            instead = "" if found == "\x00" else "\ufffd"
        parts += (text[at : changed.start()], instead)
        places += range(at, changed.start())
        places += [changed.start()] * len(instead)
        at = changed.end()
    places += range(at, len(text))
    return "".join([*parts, text[at:]]), places


def _stretches(text: str, ranges: Sequence[tuple[int, int]]) -> Iterator[list[int]]:
    """Yield the offsets of each line of the text that the ranges touch."""
    line: list[int] = []
    for start, end in ranges:
        if line and "\n" in text[line[-1] + 1 : start]:
            yield line
            line = []
        for offset in range(start, end):
            if text[offset] != "\n":
                line.append(offset)
            elif line:
                yield line
                line = []
    if line:
        yield line
