"""The boxes of words lie where the words were set, however the page is turned or cut."""

import io
from collections.abc import Callable
from typing import Any

import pytest
from pypdf import PdfReader, PdfWriter
from pypdf.generic import RectangleObject
from reportlab.pdfbase.pdfmetrics import stringWidth
from reportlab.pdfgen.canvas import Canvas

from pulsedocs.errors import NoBoxes
from pulsedocs.extraction import Budgets
from pulsedocs.extraction.boxes import boxes_of
from pulsedocs.extraction.pdf import PdfFile
from pulsedocs.model.highlights import Box, Highlight
from tests.unit.extraction.words_at import words_at

WIDTH, HEIGHT, SIZE = 400, 300, 12
FONT = "Helvetica"
WORDS = "The pump delivers twelve litres a minute."


def pdf(draw: Callable[[Canvas], None]) -> bytes:
    target = io.BytesIO()
    canvas = Canvas(target, invariant=1, pagesize=(WIDTH, HEIGHT))
    canvas.setFont(FONT, SIZE)
    draw(canvas)
    canvas.showPage()
    canvas.save()
    return target.getvalue()


def one_line(canvas: Canvas) -> None:
    canvas.drawString(50, 200, WORDS)


def changed(body: bytes, change: Callable[[Any], object]) -> bytes:
    writer = PdfWriter(clone_from=PdfReader(io.BytesIO(body)))
    change(writer.pages[0])
    target = io.BytesIO()
    writer.write(target)
    return target.getvalue()


def found(body: bytes, *quotes: str) -> Highlight:
    [page] = PdfFile(body, budgets=Budgets()).pages()
    ranges = [(start := page.text.index(quote), start + len(quote)) for quote in quotes]
    return boxes_of(body, words_at(page.text, *ranges))


def x_of(word: str, line: str = WORDS) -> tuple[float, float]:
    """Return where a word was set, from the widths of its font."""
    before = 50 + stringWidth(line[: line.index(word)], FONT, SIZE)
    return before, before + stringWidth(word, FONT, SIZE)


def assert_around(box: Box, expected: Box, *, within: float = 3.0) -> None:
    """Hold a box against where its words stand; how high a font is, is a matter of opinion."""
    assert all(abs(a - b) <= within for a, b in zip(box, expected, strict=True)), box


def expected_upright(word: str, baseline: float = 200) -> Box:
    """Return a word's box: a font of 12 points rises about 9 and falls about 2.6."""
    x0, x1 = x_of(word)
    return x0, HEIGHT - baseline - 9.0, x1, HEIGHT - baseline + 2.6


def test_a_word_is_found_where_it_was_set() -> None:
    highlight = found(pdf(one_line), "twelve litres")

    assert (highlight.width, highlight.height) == (WIDTH, HEIGHT)
    [box] = highlight.boxes
    assert_around(box, expected_upright("twelve litres"))
    assert (box[0], box[2]) == pytest.approx(x_of("twelve litres"), abs=0.1)


@pytest.mark.parametrize("turn", [90, 180, 270])
def test_a_turned_page_is_measured_as_it_is_shown(turn: int) -> None:
    body = changed(pdf(one_line), lambda page: page.rotate(turn))

    highlight = found(body, "twelve")

    x0, y0, x1, y1 = expected_upright("twelve")
    expected = {
        90: (HEIGHT - y1, x0, HEIGHT - y0, x1),
        180: (WIDTH - x1, HEIGHT - y1, WIDTH - x0, HEIGHT - y0),
        270: (y0, WIDTH - x1, y1, WIDTH - x0),
    }[turn]
    size = (WIDTH, HEIGHT) if turn == 180 else (HEIGHT, WIDTH)
    assert (highlight.width, highlight.height) == size
    assert_around(highlight.boxes[0], expected)


def test_a_cropped_page_is_measured_from_its_visible_corner() -> None:
    def crop(page: Any) -> None:
        page.cropbox = RectangleObject((30, 20, 330, 260))

    highlight = found(changed(pdf(one_line), crop), "twelve")

    x0, y0, x1, y1 = expected_upright("twelve")
    assert (highlight.width, highlight.height) == (300, 240)
    assert_around(highlight.boxes[0], (x0 - 30, y0 - 40, x1 - 30, y1 - 40))


def test_words_over_two_lines_have_a_box_on_each() -> None:
    def draw(canvas: Canvas) -> None:
        canvas.drawString(50, 200, "It delivers twelve")
        canvas.drawString(50, 185, "litres a minute.")

    highlight = found(pdf(draw), "twelve\nlitres")

    assert len(highlight.boxes) == 2
    upper, lower = highlight.boxes
    assert (upper[0], upper[2]) == pytest.approx(x_of("twelve", "It delivers twelve"), abs=0.5)
    assert (lower[0], lower[2]) == pytest.approx(x_of("litres", "litres a minute."), abs=0.5)
    assert (upper[1] + upper[3]) / 2 + 15 == pytest.approx((lower[1] + lower[3]) / 2, abs=0.5)


def test_a_hyphenated_word_is_marked_on_both_lines() -> None:
    def draw(canvas: Canvas) -> None:
        canvas.drawString(50, 200, "The machine needs mainte-")
        canvas.drawString(50, 185, "nance every year.")

    highlight = found(pdf(draw), "mainte", "nance")

    assert len(highlight.boxes) == 2
    assert highlight.boxes[0][0] > highlight.boxes[1][0]


def test_a_ligature_is_one_box_wide() -> None:
    """ReportLab writes no ligature itself; the glyph of the standard fonts is named here."""

    def draw(canvas: Canvas) -> None:
        canvas.drawString(50, 200, "A \ufb01ne day")

    body = pdf(draw)
    [page] = PdfFile(body, budgets=Budgets()).pages()
    word = next(word for word in page.text.split() if word.endswith("ne"))
    [box] = found(body, word).boxes

    assert 50 < box[0] < box[2] < 110


def test_text_that_runs_upwards_is_one_box_high() -> None:
    def draw(canvas: Canvas) -> None:
        canvas.rotate(90)
        canvas.drawString(60, -100, "twelve litres")

    [box] = found(pdf(draw), "twelve litres").boxes

    assert box[3] - box[1] > 4 * (box[2] - box[0])


def test_hidden_text_before_the_words_moves_nothing() -> None:
    def draw(canvas: Canvas) -> None:
        canvas.drawString(50, 240, "zzzz", mode=3)
        one_line(canvas)

    [box] = found(pdf(draw), "twelve").boxes

    assert_around(box, expected_upright("twelve"))


def test_another_text_than_the_stored_one_is_not_pointed_into() -> None:
    with pytest.raises(NoBoxes, match="not the one"):
        boxes_of(pdf(one_line), words_at("other", (0, 3)))


@pytest.mark.parametrize("ranges", [[(0, 1000)], [(-1, 3)], [(3, 3)]])
def test_a_range_outside_the_text_is_refused(ranges: list[tuple[int, int]]) -> None:
    body = pdf(one_line)
    [page] = PdfFile(body, budgets=Budgets()).pages()

    with pytest.raises(NoBoxes):
        boxes_of(body, words_at(page.text, *ranges))
