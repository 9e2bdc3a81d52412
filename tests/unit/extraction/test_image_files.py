"""Image files: decoded by Pillow, recognised like a scanned page, cited in pixels."""

import io
import re
import struct
import zlib
from collections.abc import Callable
from math import cos, radians, sin
from typing import Any, Final, cast

import pypdfium2
import pytest
from PIL import Image, ImageChops
from reportlab.pdfgen.canvas import Canvas

from pulsedocs.errors import ContentTypeMismatch, FileUnreadable, PictureTooLarge, TooManyPages
from pulsedocs.extraction import Budgets
from pulsedocs.extraction.boxes import boxes_of
from pulsedocs.extraction.reading import open_file
from pulsedocs.extraction.recognition import Recogniser
from pulsedocs.model.pages import Page, PageOutcome
from tests.unit.extraction.scans import drawn, prose
from tests.unit.extraction.words_at import words_at

LINES: Final = (
    "The ferry to Holm Island leaves the north pier at a quarter past seven.",
    "A ticket for a bicycle costs four pounds and is sold on board only.",
)
SAYS: Final = " ".join(LINES)
_ORIENTATION: Final = 0x0112


@pytest.fixture(scope="module")
def recogniser() -> Recogniser:
    return Recogniser(["eng"])


def photograph(lines: tuple[str, ...] = LINES, *, dots_per_inch: int = 150) -> Image.Image:
    page = pypdfium2.PdfDocument(prose(lines))[0]
    return cast("Any", page).render(scale=dots_per_inch / 72).to_pil().convert("RGB")


def saved(image: Image.Image, kind: str, **options: Any) -> bytes:
    target = io.BytesIO()
    image.save(target, kind, **options)
    return target.getvalue()


def read(body: bytes, content_type: str, recogniser: Recogniser | None) -> list[Page]:
    file = open_file(body, content_type=content_type, budgets=Budgets(), recogniser=recogniser)
    pages = list(file.pages())
    assert [page.number for page in pages] == list(range(1, file.page_count + 1))
    return pages


def on_nothing(image: Image.Image) -> Image.Image:
    """Return black letters on a transparent ground, which is black below."""
    letters = Image.new("RGBA", image.size, (0, 0, 0, 0))
    letters.putalpha(image.convert("L").point(lambda shade: 255 - shade))
    return letters


def of_two_bytes(image: Image.Image) -> Image.Image:
    return image.convert("L").convert("I").point(lambda shade: shade * 257).convert("I;16")


def as_it_is(image: Image.Image) -> Image.Image:
    return image


def in_a_palette(image: Image.Image) -> Image.Image:
    return image.quantize(16)


def in_four_inks(image: Image.Image) -> Image.Image:
    return image.convert("CMYK")


def black_and_white(image: Image.Image) -> Image.Image:
    return image.convert("1")


@pytest.mark.parametrize(
    ("kind", "turned_into", "packed"),
    [
        ("PNG", as_it_is, None),
        ("PNG", on_nothing, None),
        ("PNG", of_two_bytes, None),
        ("PNG", in_a_palette, None),
        ("JPEG", as_it_is, None),
        ("JPEG", in_four_inks, None),
        ("TIFF", as_it_is, "tiff_lzw"),
        ("TIFF", black_and_white, "group4"),
        ("TIFF", as_it_is, "jpeg"),
        ("WEBP", as_it_is, None),
        ("WEBP", on_nothing, None),
        ("GIF", as_it_is, None),
    ],
)
def test_the_words_of_an_image_are_read(
    recogniser: Recogniser,
    kind: str,
    turned_into: Callable[[Image.Image], Image.Image],
    packed: str | None,
) -> None:
    content_type = f"image/{kind.lower()}"
    body = saved(turned_into(photograph()), kind, compression=packed)

    [unread] = read(body, content_type, None)
    [page] = read(body, content_type, recogniser)

    assert (unread.outcome, unread.is_picture) == (PageOutcome.EMPTY, True)
    assert (page.outcome, page.is_picture) == (PageOutcome.OCR, False)
    assert page.text.split() == SAYS.split()
    assert page.confidence is not None
    assert page.confidence > 0.9


@pytest.mark.parametrize("kind", ["GIF", "WEBP"])
def test_the_first_picture_of_one_that_moves_is_its_page(recogniser: Recogniser, kind: str) -> None:
    scenes = [photograph((f"Scene {word} of the film.",)) for word in ("one", "two")]
    body = saved(scenes[0], kind, save_all=True, append_images=scenes[1:], duration=200)

    [page] = read(body, f"image/{kind.lower()}", recogniser)

    assert page.text == "Scene one of the film."


def png_of_rows(image: Image.Image, rows: int, *, is_laced: bool = False) -> bytes:
    """Return a PNG whose packed data ends in order after some of its rows."""
    grey = image.convert("L")

    def chunk(kind: bytes, content: bytes) -> bytes:
        check = zlib.crc32(kind + content)
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", check)

    passes = ((0, 8, 0, 8), (4, 8, 0, 8), (0, 4, 4, 8), (2, 4, 0, 4), (0, 2, 2, 4), (1, 2, 0, 2))
    laced = (*passes, (0, 1, 1, 2)) if is_laced else ((0, 1, 0, 1),)
    width, height = grey.size
    dots = grey.tobytes()
    lines = [
        b"\0" + dots[row * width : (row + 1) * width][left::right]
        for left, right, top, down in laced
        for row in range(top, height, down)
    ]
    head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, is_laced)
    packed = zlib.compress(b"".join(lines[:rows]))
    halves = packed[: len(packed) // 2], packed[len(packed) // 2 :]
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        chunk(kind, content)
        for kind, content in (
            (b"IHDR", head),
            *((b"IDAT", half) for half in halves),
            (b"IEND", b""),
        )
    )


@pytest.mark.parametrize("is_laced", [False, True])
def test_a_png_with_fewer_rows_than_it_says_is_damaged_and_not_empty(
    recogniser: Recogniser, *, is_laced: bool
) -> None:
    image = photograph()

    [whole] = read(png_of_rows(image, 99_999, is_laced=is_laced), "image/png", recogniser)
    damaged = [
        read(png_of_rows(image, rows, is_laced=is_laced), "image/png", recogniser)[0]
        for rows in (1, image.height - 1)
    ]

    assert whole.text.split() == SAYS.split()
    assert [(page.outcome, page.failure) for page in damaged] == [
        (PageOutcome.FAILED, "FILE_UNREADABLE")
    ] * 2


@pytest.mark.parametrize(
    ("content_type", "body"),
    [("image/webp", b"RIFF\x24\0\0\0WAVEfmt \0\xff"), ("image/gif", b"GIF90a\0\xff")],
)
def test_what_is_no_image_of_its_kind_is_refused_by_its_first_bytes(
    content_type: str, body: bytes
) -> None:
    with pytest.raises(ContentTypeMismatch):
        open_file(body, content_type=content_type, budgets=Budgets())


def test_small_letters_of_a_screenshot_are_enlarged(recogniser: Recogniser) -> None:
    [page] = read(saved(photograph(dots_per_inch=72), "PNG"), "image/png", recogniser)

    assert page.text.split() == SAYS.split()


@pytest.mark.parametrize("is_big", [False, True])
def test_each_page_of_a_fax_is_a_page_and_may_be_read_from_the_middle_on(
    recogniser: Recogniser, *, is_big: bool
) -> None:
    sheets = [photograph((f"Sheet {word} of the fax.",)) for word in ("one", "two", "three")]
    body = saved(sheets[0], "TIFF", save_all=True, append_images=sheets[1:], big_tiff=is_big)

    pages = read(body, "image/tiff", recogniser)
    again = open_file(body, content_type="image/tiff", budgets=Budgets(), recogniser=recogniser)

    assert [page.text.split()[1] for page in pages] == ["one", "two", "three"]
    assert list(again.pages(2)) == pages[1:]


def test_a_photograph_without_words_is_looked_at_and_empty(recogniser: Recogniser) -> None:
    [page] = read(saved(Image.new("RGB", (900, 700), "teal"), "JPEG"), "image/jpeg", recogniser)

    assert (page.outcome, page.is_picture, page.confidence) == (PageOutcome.EMPTY, False, None)


def test_a_jpeg_that_was_closed_too_early_is_read_and_what_it_lacks_is_named(
    recogniser: Recogniser,
) -> None:
    whole = saved(photograph(), "JPEG")

    [page] = read(whole[: len(whole) * 3 // 4] + b"\xff\xd9", "image/jpeg", recogniser)
    [complete] = read(whole, "image/jpeg", recogniser)

    assert page.unread == ("the lower part of a picture that ends early",)
    assert (complete.text.split(), complete.unread) == (SAYS.split(), ())


def test_a_progressive_jpeg_that_was_closed_too_early_is_named_too(
    recogniser: Recogniser,
) -> None:
    """It has all of its rows, and each of them only coarse."""
    whole = saved(photograph(), "JPEG", progressive=True)
    scans = [found.start() for found in re.finditer(b"\xff\xda", whole)]

    pages = [
        read(body, "image/jpeg", recogniser)[0]
        for body in (whole, whole[: scans[3]] + b"\xff\xd9", whole[: scans[1]] + b"\xff\xd9")
    ]

    named = ("the details of a picture that ends early",)
    assert [page.unread for page in pages] == [(), named, named]


def test_a_page_that_is_damaged_costs_itself(recogniser: Recogniser) -> None:
    sheets = [photograph((f"Sheet {word} of the fax.",)) for word in ("one", "two")]
    one = saved(sheets[0], "TIFF", compression="tiff_lzw")
    both = saved(sheets[0], "TIFF", save_all=True, append_images=sheets[1:], compression="tiff_lzw")
    within_two = (len(one) + len(both)) // 2
    body = both[:within_two] + bytes(500) + both[within_two + 500 :]

    first, second = read(body, "image/tiff", recogniser)

    assert first.text == "Sheet one of the fax."
    assert (second.outcome, second.failure) == (PageOutcome.FAILED, "FILE_UNREADABLE")


def test_a_file_of_too_many_pages_is_refused_before_one_is_decoded() -> None:
    dot = Image.new("1", (1, 1))
    body = saved(dot, "TIFF", save_all=True, append_images=[dot] * 3)

    with pytest.raises(TooManyPages):
        open_file(body, content_type="image/tiff", budgets=Budgets(max_pages=3))


@pytest.mark.parametrize("size", [(12_000, 10_000), (20_000, 15_000)])
def test_a_picture_of_too_many_dots_is_refused_by_its_size(
    recogniser: Recogniser, size: tuple[int, int]
) -> None:
    width, height = size

    with pytest.raises(PictureTooLarge, match=f"{width} x {height} dots; 100,000,000 are read"):
        read(saved(Image.new("1", size), "PNG"), "image/png", recogniser)


@pytest.mark.parametrize(
    "body",
    [
        b"II*\0\xff\xff\xff\x7f",
        b"II+\0\x08\0\0\0" + b"\xff" * 8,
        b"MM\0+\0\x08\0\0" + b"\0\0\0\0\0\0\0\x10" + b"\xff" * 8,
    ],
)
def test_a_tiff_without_an_end_is_unreadable(body: bytes) -> None:
    with pytest.raises(FileUnreadable):
        open_file(body, content_type="image/tiff", budgets=Budgets())


@pytest.mark.parametrize("enlarged", [True, False])
@pytest.mark.parametrize("turned_by_exif", [False, True])
def test_boxes_are_in_pixels_of_the_image_as_it_is_shown(
    recogniser: Recogniser, *, turned_by_exif: bool, enlarged: bool
) -> None:
    dots_per_inch = 100 if enlarged else 200
    image = photograph(dots_per_inch=dots_per_inch)
    shown = image.size
    exif = Image.Exif()
    if turned_by_exif:
        exif[_ORIENTATION] = 6  # to be turned clockwise by a quarter
        image = image.transpose(Image.Transpose.ROTATE_90)
    body = saved(image, "JPEG", exif=exif)
    [page] = read(body, "image/jpeg", recogniser)
    start = page.text.index("The")

    found = boxes_of(
        body,
        words_at(page.text, (start, start + 3), content_type="image/jpeg"),
        recogniser=recogniser,
    )

    [box] = found.boxes
    assert (found.width, found.height) == shown
    written = [72, 792 - 740 - 9, 72 + 20, 792 - 740]  # "The" in 12 points, as `prose` sets it
    assert box == pytest.approx([each * dots_per_inch / 72 for each in written], abs=7)


def in_shadow(image: Image.Image) -> Image.Image:
    """Return a photograph of a page whose right edge has a third of the light of its left one."""
    light = Image.linear_gradient("L").rotate(90).resize(image.size)
    shade = light.point([255 - (255 - each) * 2 // 3 for each in range(256)])
    return ImageChops.multiply(image.convert("L"), shade)


def test_words_in_a_shadow_are_read(recogniser: Recogniser) -> None:
    body = saved(in_shadow(photograph()), "JPEG")

    [page] = read(body, "image/jpeg", recogniser)

    assert page.text.split() == SAYS.split()


def askew(image: Image.Image, degrees: int) -> Image.Image:
    return image.rotate(-degrees, Image.Resampling.BICUBIC, fillcolor="white")


def middle_of(word: str, image: Image.Image, recogniser: Recogniser) -> tuple[float, float]:
    """Return where a word stands, from the middle of the picture."""
    body = saved(image, "PNG")
    [page] = read(body, "image/png", recogniser)
    start = page.text.index(word)
    found = boxes_of(
        body,
        words_at(page.text, (start, start + len(word)), content_type="image/png"),
        recogniser=recogniser,
    )
    [(left, top, right, bottom)] = found.boxes
    return (left + right - found.width) / 2, (top + bottom - found.height) / 2


@pytest.mark.parametrize(("degrees", "quarter_turns"), [(-12, 0), (4, 0), (9, 1)])
def test_the_words_of_a_sheet_that_lay_askew_are_read_where_they_stand(
    recogniser: Recogniser, degrees: int, quarter_turns: int
) -> None:
    lines = LINES * 8
    level = photograph(lines)
    image = askew(level, degrees).rotate(-90 * quarter_turns, expand=True)

    [page] = read(saved(image, "PNG"), "image/png", recogniser)

    assert page.text.split() == " ".join(lines).split()
    x, y = middle_of("bicycle", level, recogniser)
    turn = radians(degrees + 90 * quarter_turns)
    turned = x * cos(turn) - y * sin(turn), x * sin(turn) + y * cos(turn)
    assert middle_of("bicycle", image, recogniser) == pytest.approx(turned, abs=5)


@pytest.mark.parametrize("degrees", [2, 5])
def test_boxes_of_a_line_that_slopes_leave_its_neighbours_free(
    recogniser: Recogniser, degrees: int
) -> None:
    body = saved(askew(photograph(LINES * 8), degrees), "PNG")
    [page] = read(body, "image/png", recogniser)
    line = page.text.split("\n")[6]

    found = boxes_of(
        body,
        words_at(
            page.text,
            (page.text.index(line), page.text.index(line) + len(line)),
            content_type="image/png",
        ),
        recogniser=recogniser,
    )

    lefts, tops, rights, bottoms = zip(*found.boxes, strict=True)
    assert max(rights) - min(lefts) > 650
    assert max(bottoms) - min(tops) > 42
    assert max(bottom - top for top, bottom in zip(tops, bottoms, strict=True)) < 42  # as lines lie


def receipt(rows: list[tuple[str, str]]) -> Image.Image:
    """Return a till's receipt as scanned with 200 dots an inch: 80 mm wide, prices at its right."""

    def write(canvas: Canvas) -> None:
        canvas.setFont("Courier", 9)
        for row, (name, price) in enumerate(rows):
            canvas.drawString(14, height - 20 - 12 * row, name)
            canvas.drawRightString(213, height - 20 - 12 * row, price)

    height = 12 * len(rows) + 40
    page = pypdfium2.PdfDocument(drawn(write, size=(227, height)))[0]
    return cast("Any", page).render(scale=200 / 72).to_pil()


def test_a_long_receipt_is_read_in_the_dots_that_it_has(recogniser: Recogniser) -> None:
    goods = ("Oat milk", "Lentils", "Brown rice", "Cheddar", "Washing powder", "Coffee beans")
    rows = [(goods[row % 6], f"{1 + row * 37 % 900 / 100:.2f}") for row in range(130)]

    [page] = read(saved(receipt(rows), "PNG"), "image/png", recogniser)

    lines = page.text.split("\n")
    read_right = [row for row in rows if " ".join(row) in lines]
    assert len(read_right) > 0.9 * len(rows)
