"""Where the words of a page lie on paper: what to look for, and the rectangles found."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias
from uuid import UUID

from pulsedocs.errors import InvalidRequest, NoBoxes
from pulsedocs.model.pages import OffsetMap, Stretches, recognised_stretches

READER = "pdfium"
"""Knows where a character stands, as `RECOGNISER` does; pages read by others have no boxes."""
RECOGNISER = "tesseract"
SERVICE = "textract"
"""Recognises words on pictures outside of the stage, where that was chosen."""
MOST_PICTURE_BYTES = 3_200_000
"""Of a PNG, which goes into an answer in base64."""

Box: TypeAlias = tuple[float, float, float, float]
"""x0, y0, x1, y1 from the top left of the page as it is shown: in points, of an image in pixels."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WordsOnPage:
    """Characters of one page of a file, and what is to be drawn of the page; pages count from 1.

    `ranges` are (start, end) into the page's raw text, whose digest comes along: a reader that
    finds another text on the page must not point anywhere. Without ranges nothing is looked for.
    """

    content_type: str
    page: int
    ranges: Stretches = ()
    text_sha256: str = ""
    is_recognised: bool = False
    languages: tuple[str, ...] = ()
    """In which its words were recognised; none of a page read by an older release."""
    is_read_elsewhere: bool = False
    """Its words were recognised by `SERVICE`."""
    dots_across: int = 0
    """How wide a picture of the page is wanted; 0 for none."""
    picture_ranges: Stretches = ()
    """Of a page that has text and pictures, characters of its recognised text, whose digest is
    `pictures_sha256`; `ranges` are of its own."""
    pictures_sha256: str = ""
    pictures_only: bool = False
    """Wanted is a drawing of the pictures beside the page's text, and their boxes."""
    margin: float | None = None
    """How much a picture shows above and below the words, as a share of the page's height; None
    for all of the page."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PagePlace(WordsOnPage):
    """Characters of one page of one stored file."""

    tenant_id: UUID
    document_id: UUID
    object_version: str


@dataclass(frozen=True, slots=True)
class Highlight:
    """The page's size as it is shown, and one box for each line of the words.

    `picture` is the page drawn, as a PNG in base64; None where none was wanted. It shows the page
    from `top` to `bottom`, in the unit of the boxes.
    """

    width: float
    height: float
    boxes: tuple[Box, ...]
    picture: str | None = None
    top: float = 0.0
    bottom: float | None = None
    """None for the page's end."""


@dataclass(frozen=True, slots=True)
class StoredPage:
    """What is stored of a page of the document; `text` is what citations count in."""

    object_version: str | None
    content_type: str
    parser: str
    raw_text: str
    text: str
    offsets: OffsetMap | None
    certainties: tuple[int | None, ...] = ()


def place_of(
    tenant_id: UUID, document_id: UUID, number: int, stored: StoredPage, *, start: int, end: int
) -> PagePlace:
    """Return where to look for `text[start:end]`; from 0 to 0 it is the page without any words.

    Raises InvalidRequest and NoBoxes.
    """
    if not 0 <= start < end <= len(stored.text) and (start, end) != (0, 0):
        message = f"page {number} has the characters 0 to {len(stored.text)}; {start} to {end} lies"
        raise InvalidRequest(f"{message} outside, or is empty", page=number)
    readers = set(stored.parser.partition(" ")[0].split("+"))
    if not readers <= {READER, RECOGNISER, SERVICE} or stored.object_version is None:
        message = f"page {number} of document {document_id} was read by {stored.parser!r}"
        raise NoBoxes(f"{message}, which knows no places on paper", page=number)
    ranges: tuple[tuple[int, int], ...] = ()
    if end:
        ranges = (
            ((start, end),) if stored.offsets is None else stored.offsets.raw_ranges(start, end)
        )
    place = PagePlace(
        tenant_id=tenant_id,
        document_id=document_id,
        object_version=stored.object_version,
        content_type=stored.content_type,
        page=number,
        ranges=ranges,
        text_sha256=text_digest(stored.raw_text),
        is_recognised=RECOGNISER in readers,
        languages=languages_of(stored.parser),
        is_read_elsewhere=SERVICE in readers,
    )
    recognised = recognised_stretches(stored.raw_text, stored.certainties)
    return _divided(place, stored.raw_text, recognised) if recognised else place


def _divided(place: PagePlace, raw_text: str, recognised: Stretches) -> PagePlace:
    """Return a place whose ranges count in the page's own text, and in that of its pictures."""
    edges = [0, *(edge for stretch in recognised for edge in stretch), len(raw_text)]
    own = list(zip(edges[::2], edges[1::2], strict=True))
    own_ranges = _within(own, place.ranges)
    picture_ranges = _within(recognised, place.ranges)
    needs_engine = bool(picture_ranges)
    return replace(
        place,
        ranges=own_ranges,
        text_sha256=_digest_of(raw_text, own),
        picture_ranges=picture_ranges,
        pictures_sha256=_digest_of(raw_text, recognised),
        is_recognised=place.is_recognised and needs_engine,
        is_read_elsewhere=place.is_read_elsewhere and needs_engine,
    )


def _within(pieces: Sequence[tuple[int, int]], ranges: Stretches) -> Stretches:
    """Return what lies of ranges in pieces of a text, counted in these pieces joined."""
    found: list[tuple[int, int]] = []
    at = 0
    for start, end in pieces:
        for first, last in ranges:
            low, high = max(start, first), min(end, last)
            if low < high:
                found.append((at + low - start, at + high - start))
        at += end - start
    return tuple(found)


def _digest_of(text: str, pieces: Sequence[tuple[int, int]]) -> str:
    return text_digest("".join(text[start:end] for start, end in pieces))


def languages_of(parser: str) -> tuple[str, ...]:
    """Return in which languages a page was recognised; none where its reader does not say it."""
    reader, _, rest = parser.partition(" ")
    _, _, languages = rest.partition(" ")
    was_recognised = RECOGNISER in reader.split("+")
    return tuple(languages.split("+")) if was_recognised and languages else ()


def text_digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def is_within(ranges: Sequence[tuple[int, int]], *, length: int) -> bool:
    """Say whether every range is a stretch of a text of that length."""
    return all(0 <= start < end <= length for start, end in ranges)
