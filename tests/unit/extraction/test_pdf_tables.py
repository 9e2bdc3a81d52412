"""What looks like a table of a PDF and is none stays as it is."""

from collections.abc import Callable

import pytest
from reportlab.pdfgen.canvas import Canvas

from pulsedocs.extraction import PDF, Budgets, pdfium
from pulsedocs.extraction.reading import open_file
from tests.e2e.test_reading import drawn


def contents(canvas: Canvas) -> None:
    for at, (title, number) in enumerate((("Locks", 3), ("Weirs", 8), ("Gates", 8), ("Oil", 21))):
        canvas.drawString(72, 700 - 16 * at, title)
        canvas.drawString(400, 700 - 16 * at, str(number))


def chart(canvas: Canvas) -> None:
    for at in range(6):
        canvas.line(72, 400 + 40 * at, 500, 400 + 40 * at)
        canvas.line(72 + 80 * at, 400, 72 + 80 * at, 600)
        canvas.drawString(60 + 80 * at, 380, str(2031 + at))
    canvas.drawString(200, 510, "Water in the upper pond")


def columns(canvas: Canvas) -> None:
    for at in range(5):
        canvas.drawString(72, 700 - 14 * at, "The gate was painted in the spring of the")
        canvas.drawString(330, 700 - 14 * at, "and the keeper wrote it down with care in")


@pytest.mark.parametrize("draw", [contents, chart, columns])
def test_what_is_no_table_gets_no_bars(draw: Callable[[Canvas], None]) -> None:
    [page] = open_file(drawn(draw), content_type=PDF, budgets=Budgets()).pages()

    assert page.text.strip()
    assert "|" not in page.text


def test_figures_below_each_other_are_a_table_and_nothing_is_lost() -> None:
    rows = (("", "2031", "2032"), ("Tolls", "7", "12"), ("Stock:", "", ""), ("Oil", "", "3"))
    more = (("Rope", "4", "$ 5"),)

    def draw(canvas: Canvas) -> None:
        canvas.drawRightString(350, 716, "Crowns")
        for at, row in enumerate((*rows, *more)):
            canvas.drawString(72, 700 - 16 * at, row[0])
            canvas.drawRightString(350, 700 - 16 * at, row[1])
            canvas.drawRightString(450, 700 - 16 * at, row[2])

    [page] = open_file(drawn(draw), content_type=PDF, budgets=Budgets()).pages()

    assert [line.strip() for line in page.text.strip().split("\n")] == [
        "| Crowns 2031 | 2032",
        "Tolls | 7 | 12",
        "Stock: |  |",
        "Oil |  | 3",
        "Rope | 4 | $ 5",
    ]


def test_a_page_of_figures_asks_for_no_character_by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    def draw(canvas: Canvas) -> None:
        for at in range(20):
            canvas.drawString(72, 700 - 16 * at, "Barges that passed the upper lock")
            canvas.drawRightString(450, 700 - 16 * at, str(990 - 30 * at))

    asked: list[int] = []
    ask = pdfium.code_of_character

    def counted(page: pdfium.Handle, index: int) -> int:
        asked.append(index)
        return ask(page, index)

    monkeypatch.setattr(pdfium, "code_of_character", counted)

    [page] = open_file(drawn(draw), content_type=PDF, budgets=Budgets()).pages()

    assert page.text.count("|") == 20
    assert len(asked) < 100  # of 760 characters; 75 are those of its font, laid out
