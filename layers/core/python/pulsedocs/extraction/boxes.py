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
from pulsedocs.extraction.pdfium import Handle
from pulsedocs.extraction.sheet import CharacterBoxes, sheet_of
from pulsedocs.extraction.with_pdfium import ShownText, drawn_alone, opened_page, recognised
from pulsedocs.extraction.word_boxes import boxes_of_words, lines_of
from pulsedocs.extraction.words_on_pictures import as_inserted
from pulsedocs.model.highlights import Box, Highlight, WordsOnPage, is_within, text_digest

if TYPE_CHECKING:
    from pulsedocs.extraction.recognition import Recogniser

_CHANGED: Final = re.compile("[\x02\ufffe]\r?\n?|\r\n|[\r\x00\ud800-\udfff]")
"""What `with_pdfium` and `storable` replace on the way from pdfium's text to the raw page."""


def boxes_of(
    body: bytes,
    words: WordsOnPage,
    *,
    recogniser: "Recogniser | None" = None,
    comments: bool = True,
) -> Highlight:
    """Return one box for each line that the words touch; raise NoBoxes where the text differs.

    With a recogniser the words are those of the page's drawing, recognised again: it says the same
    of the same drawing. With `picture_ranges` it reads the pictures only, and the page's own words
    stand where they are written. The words of an image file are always recognised.
    """
    needs_text = bool(words.ranges) and recogniser is None
    if not needs_text and detect_type(body, words.content_type) != PDF:
        return _on_image(ImageFile(body, budgets=Budgets()), words, recogniser)
    with opened_page(body, words.page - 1, comments=comments) as opened:
        handle, _, shown = opened
        width, height = sheet_of(handle).size
        if words.pictures_only:
            alone = drawn_alone(handle, shown.pictures, words.dots_across / max(width, 1.0))
            places = tuple(each.box for each in shown.pictures)
            return Highlight(width, height, places, picture=grey_png(alone))
        found = Highlight(width, height, _on_page(*opened, words, recogniser))
        return _pictured(found, words, partial(drawn, handle))


def _on_image(image: ImageFile, words: WordsOnPage, recogniser: "Recogniser | None") -> Highlight:
    draw = partial(image.drawn, words.page)
    if recogniser is None:
        return _pictured(Highlight(*image.size(words.page), ()), words, draw)
    text, size = image.recognised(words.page, recogniser)
    boxes = boxes_of_words(text, words.ranges, words.page, words.text_sha256)
    return _pictured(Highlight(*size, boxes), words, draw)


def _on_page(
    handle: Handle,
    text_page: Handle,
    shown: ShownText,
    words: WordsOnPage,
    recogniser: "Recogniser | None",
) -> tuple[Box, ...]:
    beside: tuple[Box, ...] = ()
    if recogniser is not None and words.picture_ranges and shown.pictures:
        found = recognised(handle, recogniser, shown.pictures)
        inserted = as_inserted(found, [each.box for each in shown.pictures])
        beside = boxes_of_words(inserted, words.picture_ranges, words.page, words.pictures_sha256)
    elif recogniser is not None and words.ranges:
        found = recognised(handle, recogniser)
        return boxes_of_words(found, words.ranges, words.page, words.text_sha256)
    if not words.ranges:
        return beside
    text, places = _places(shown.whole)
    if text_digest(text) != words.text_sha256 or not is_within(words.ranges, length=len(text)):
        raise NoBoxes("the file's text is not the one that was stored", page=words.page)
    measured = CharacterBoxes(text_page, shown.text, shown.character_at, sheet_of(handle))
    own = (
        line
        for stretch in _stretches(text, words.ranges)
        for line in lines_of([measured.box(places[offset]) for offset in stretch])
    )
    return (*own, *beside)


def _pictured(found: Highlight, words: WordsOnPage, draw: Callable[..., str]) -> Highlight:
    """Return the highlight with a picture of the page, or of the piece around its boxes."""
    if not words.dots_across:
        return found
    if words.margin is None or not found.boxes:
        return replace(found, picture=draw(words.dots_across))
    first = max(0.0, min(box[1] for box in found.boxes) / found.height - words.margin)
    last = min(1.0, max(box[3] for box in found.boxes) / found.height + words.margin)
    top, bottom = first * found.height, last * found.height
    return replace(found, picture=draw(words.dots_across, (first, last)), top=top, bottom=bottom)


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
