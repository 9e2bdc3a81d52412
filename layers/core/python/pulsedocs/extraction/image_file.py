"""Image files as pages: a photograph, a screenshot, the sheets of a scanner or a fax.

Where nobody recognises words, the picture is not decoded: its pages are counted only. Pillow comes
with the engine that recognises.
"""

import re
from base64 import b64encode
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from io import BytesIO
from struct import calcsize, unpack_from
from struct import error as TooShort  # noqa: N812 -- what it means here
from typing import TYPE_CHECKING, Final
from zlib import decompressobj

from pulsedocs.errors import (
    FileUnreadable,
    NoBoxes,
    PictureTooLarge,
    PulseDocsError,
    ResourceExhausted,
    TooManyPages,
    TooMuchText,
)
from pulsedocs.extraction.budgets import Budgets
from pulsedocs.extraction.outcomes import outcome_of
from pulsedocs.extraction.picture import (
    DOTS_PER_INCH,
    FEWEST_READ,
    LONGEST_READ,
    MOST_DOTS,
    MOST_READ,
    Picture,
)
from pulsedocs.model.pages import Page, PageOutcome

if TYPE_CHECKING:
    from PIL.Image import Image

    from pulsedocs.extraction.recognition import RecognisedText, Recogniser

_NAME: Final = "image"
_MOST_DOTS: Final = 100_000_000
"""A sheet of A3 at 600 dots an inch has 70 million; in colours, 100 million take 400 MB."""
_MOST_ACROSS: Final = 20_000
_ENLARGED: Final = 2
_TIFF: Final = (b"II", b"MM")
_DECODERS: Final = ("PNG", "JPEG", "TIFF", "WEBP", "GIF")
_PNG: Final = b"\x89PNG\r\n\x1a\n"
_PNG_CHANNELS: Final = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}
"""Numbers a dot by the colour type of a PNG: 11.2.2 of its specification."""
_PNG_PASSES: Final = (
    (0, 8, 0, 8),
    (4, 8, 0, 8),
    (0, 4, 4, 8),
    (2, 4, 0, 4),
    (0, 2, 2, 4),
    (1, 2, 0, 2),
    (0, 1, 1, 2),
)
"""First column and step, first row and step, of the seven images that an interlaced one is."""
_BLOCK: Final = 8  # rows that a JPEG holds together, at least
_NO_DATA: Final = 128
_LOST: Final = "lost"
_LOWER_PART: Final = "the lower part of a picture that ends early"
_DETAILS: Final = "the details of a picture that ends early"
_PROGRESSIVE: Final = frozenset({0xC2, 0xC6, 0xCA, 0xCE})
_BEHIND_DATA: Final = re.compile(rb"\xff[^\x00\xd0-\xd7\xff]")
"""The next marker of a JPEG that is no part of its coded data."""
_SCAN: Final = 0xDA
_SHORTEST_SCAN: Final = 6  # bytes, of one component
_START, _END = b"\xff\xd8", b"\xff\xd9"
_COEFFICIENTS: Final = 64  # of a block, from the mean to the finest detail
_AT_ONCE: Final = 1 << 20  # bytes that are unpacked to be counted


@dataclass(frozen=True, slots=True)
class _Directories:
    """How a TIFF chains its pages: where the first place stands, and how its numbers are packed."""

    first: int
    place: str
    count: str
    field_bytes: int


_CLASSIC: Final = _Directories(first=4, place="I", count="H", field_bytes=12)
_BIG: Final = _Directories(first=8, place="Q", count="Q", field_bytes=20)
_IS_BIG: Final = (b"II+\0", b"MM\0+")


class ImageFile:
    """An image file; only TIFF may have several pages. Implements `extraction.reading.OpenFile`.

    Of a GIF or WebP that moves, the first picture is its page.

    Places on its pages are in pixels of the picture as it is shown: turned as its EXIF data says.
    Opening raises FileUnreadable and TooManyPages; a page that cannot be decoded is a FAILED one, a
    file of one picture that is too large is PictureTooLarge.
    """

    def __init__(
        self, body: bytes, *, budgets: Budgets, recogniser: "Recogniser | None" = None
    ) -> None:
        self._body = body
        self._budgets = budgets
        self._recogniser = recogniser
        self.page_count = _count_pages(body, most=budgets.max_pages)

    def pages(self, first_page: int = 1) -> Iterator[Page]:
        for number in range(first_page, self.page_count + 1):
            if self._recogniser is None:
                drawing = self._digest(number) if self._budgets.drawings else None
                yield Page(number, "", PageOutcome.EMPTY, _NAME, is_picture=True, drawing=drawing)
                continue
            name = self._recogniser.name
            try:
                image = self._image(number)
                found = self._recogniser.read(partial(_drawn, image))
            except MemoryError:
                error: PulseDocsError = ResourceExhausted("the picture takes more memory")
            except PictureTooLarge as refused:
                if self.page_count == 1:
                    raise
                error = refused
            except PulseDocsError as refused:
                error = refused
            except Exception as broken:  # noqa: BLE001 -- decoders raise whatever they like
                error = FileUnreadable(f"the picture cannot be decoded ({type(broken).__name__})")
            else:
                if len(found.text) <= self._budgets.page_characters:
                    outcome = outcome_of(found.text, is_recognised=True)
                    sure = found.confidence if found.text else None
                    yield Page(
                        number,
                        found.text,
                        outcome,
                        name,
                        confidence=sure,
                        certainties=found.certainties,
                        unread=image.info.get(_LOST, ()),
                    )
                    continue
                error = TooMuchText("more text than a page may have", page=number)
            yield Page(number, "", PageOutcome.FAILED, name, failure=error.code)

    def _digest(self, number: int) -> str | None:
        """Return which picture a page is; what cannot be decoded is whoever recognises to say."""
        try:
            return _drawn(self._image(number), 0).digest
        except Exception:  # noqa: BLE001 -- decoders raise whatever they like
            return None

    def recognised(
        self, number: int, recogniser: "Recogniser"
    ) -> tuple["RecognisedText", tuple[int, int]]:
        """Return the words of a page, and its width and height in pixels."""
        image = self._image(number)
        return recogniser.read(partial(_drawn, image)), image.size

    def size(self, number: int) -> tuple[int, int]:
        """Return the width and height of a page in pixels, as it is shown."""
        return self._image(number).size

    def drawn(self, number: int, dots_across: int, piece: tuple[float, float] = (0.0, 1.0)) -> str:
        """Return a page, or a piece as of `page_png.drawn`, as a PNG in base64.

        It is no larger than the image, in shades of grey.
        """
        image, file = self._image(number), BytesIO()
        first, last = (round(share * image.height) for share in piece)
        image = image.crop((0, first, image.width, last))
        image.thumbnail((dots_across, MOST_DOTS // dots_across))
        image.save(file, "PNG")
        return b64encode(file.getvalue()).decode()

    def _image(self, number: int) -> "Image":
        if not 1 <= number <= self.page_count:
            raise NoBoxes("the file has no such page", page=number)
        return _decoded(self._body, number - 1)


def _count_pages(body: bytes, *, most: int) -> int:
    """Return how many directories a TIFF has, one after the other; other images are one page."""
    if not body.startswith(_TIFF):
        return 1
    order = "<" if body.startswith(b"II") else ">"
    laid = _BIG if body.startswith(_IS_BIG) else _CLASSIC
    place_size = calcsize(f"={laid.place}")
    seen: set[int] = set()
    try:
        (place,) = unpack_from(order + laid.place, body, laid.first)
        while place and place not in seen:
            seen.add(place)
            if len(seen) > most:
                raise TooManyPages(f"the file has more than {most} pages, which are allowed")
            if place > len(body):
                raise FileUnreadable("the file ends before its pages do")
            (fields,) = unpack_from(order + laid.count, body, place)
            behind = place + calcsize(f"={laid.count}") + fields * laid.field_bytes
            if behind + place_size > len(body):
                raise FileUnreadable("the file ends before its pages do")
            (place,) = unpack_from(order + laid.place, body, behind)
    except TooShort as error:
        raise FileUnreadable("the file ends before its pages do") from error
    if not seen:
        raise FileUnreadable("the file has no pages")
    return len(seen)


def _decoded(body: bytes, index: int) -> "Image":
    """Return a page in shades of grey, upright, on white where it is transparent."""
    from PIL import Image, ImageOps  # noqa: PLC0415 -- only where words are recognised

    Image.MAX_IMAGE_PIXELS = None  # it refuses from twice as many on, and not by our words
    with Image.open(BytesIO(body), formats=_DECODERS) as image:
        image.seek(index)
        width, height = image.size
        if max(width, height) > _MOST_ACROSS or width * height > _MOST_DOTS:
            message = f"a picture of {width} x {height} dots; {_MOST_DOTS:,} are read at most"
            raise PictureTooLarge(f"{message}, and {_MOST_ACROSS:,} on a side", page=index + 1)
        if image.format == "PNG":
            _check_rows(body)
        image.draft("L", None)
        if image.format == "JPEG":
            image.info[_LOST] = tuple(_lost_of(image, body))
        ImageOps.exif_transpose(image, in_place=True)
        if image.mode.startswith("I"):
            # 16 bits of grey, which Pillow would cut off at 255 instead of scaling them.
            return image.convert("I").point(lambda shade: shade / 256).convert("L")
        if image.has_transparency_data:
            ground = Image.new("RGBA", image.size, "white")
            return Image.alpha_composite(ground, image.convert("RGBA")).convert("L")
        return image.convert("L")


def _lost_of(image: "Image", body: bytes) -> Iterator[str]:
    """Name what a JPEG lacks that was closed too early: decoders do not say it."""
    if _ends_in_nothing(image):
        yield _LOWER_PART
    elif _lacks_scans(body):
        yield _DETAILS


def _lacks_scans(body: bytes) -> bool:
    """Say whether a progressive JPEG ends before it has said each coefficient to its last bit.

    It draws the whole picture again and again, each time finer; cut, it stays coarse. What only
    its last scan lacks is not noticed, and hardly seen.
    """
    left: dict[int, set[int]] = {}
    for kind, segment in _segments(body):
        if kind in _PROGRESSIVE:
            names = segment[6::3]
            left = {name: set(range(_COEFFICIENTS)) for name in names}
        elif kind == _SCAN and left and len(segment) >= _SHORTEST_SCAN:
            *components, first, last, bits = segment[1:]
            if not bits & 0x0F:  # the place of the last bit that is said of them
                for name in components[::2]:
                    left.get(name, set()).difference_update(range(first, last + 1))
    return any(left.values())


def _segments(body: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield the markers of a JPEG that has been decoded, with what each says of itself."""
    place = len(_START)
    while (found := _BEHIND_DATA.search(body, place)) and found[0] != _END:
        length = int.from_bytes(body[found.end() : found.end() + 2])
        yield found[0][1], body[found.end() + 2 : found.end() + length]
        place = found.end() + length


def _ends_in_nothing(image: "Image") -> bool:
    """Say whether the last rows of a JPEG are all of the one grey that decoders put for no data.

    They do not say that a file whose end was put behind half of its data lacks the rest.
    """
    rows = image.crop((0, max(0, image.height - _BLOCK), *image.size))
    return rows.convert("L").getextrema() == (_NO_DATA, _NO_DATA)


def _check_rows(body: bytes) -> None:
    """Raise FileUnreadable for a PNG that holds less of its picture than its header says.

    Where the packed data ends in order, only too early, decoders fill up with black or nothing.
    """
    width, height, bits, colours, _, _, is_laced = unpack_from(">IIBBBBB", body, len(_PNG) + 8)
    dot = bits * _PNG_CHANNELS.get(colours, 1)
    passes = _PNG_PASSES if is_laced else ((0, 1, 0, 1),)
    sizes = (
        (len(range(left, width, right)), len(range(top, height, down)))
        for left, right, top, down in passes
    )
    wanted = sum(rows * (1 + -(-across * dot // 8)) for across, rows in sizes if across)
    unpacker, unpacked = decompressobj(), 0
    for packed in _packed(body):
        waiting = packed
        while waiting and unpacked < wanted:
            unpacked += len(unpacker.decompress(waiting, _AT_ONCE))
            waiting = unpacker.unconsumed_tail
    if unpacked < wanted:
        raise FileUnreadable("the picture ends before its last row")


def _packed(body: bytes) -> Iterator[bytes]:
    """Yield what the IDAT chunks of a PNG hold."""
    place = len(_PNG)
    while place + 8 <= len(body):
        length, kind = unpack_from(">I4s", body, place)
        if kind == b"IDAT":
            yield body[place + 8 : place + 8 + length]
        place += 12 + length


def _drawn(image: "Image", quarter_turns: int) -> Picture:
    from PIL import Image  # noqa: PLC0415 -- as above

    wanted = _ENLARGED if max(image.size) < FEWEST_READ else 1.0
    longest = LONGEST_READ / max(image.size)
    scale = min(wanted, longest, (MOST_READ / (image.width * image.height)) ** 0.5)
    if scale != 1.0:
        size = [max(1, round(side * scale)) for side in image.size]
        image = image.resize((size[0], size[1]), Image.Resampling.BICUBIC)
    if quarter_turns:
        image = image.rotate(-90 * quarter_turns, expand=True)
    return Picture(
        image.width,
        image.height,
        image.width,
        image.tobytes(),
        scale,
        quarter_turns,
        DOTS_PER_INCH,
    )
