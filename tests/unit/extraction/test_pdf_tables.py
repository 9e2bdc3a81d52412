"""Tables of a PDF are read row by row; what looks like one and is none stays as it is."""

import time
from collections.abc import Callable, Sequence
from io import BytesIO
from typing import Any

import pytest
from reportlab.lib.styles import getSampleStyleSheet
from reportlab.pdfbase.pdfmetrics import stringWidth
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import Paragraph, SimpleDocTemplate, Table

from pulsedocs.cleaning import clean
from pulsedocs.extraction import PDF, Budgets, pdfium, tables
from pulsedocs.extraction.reading import open_file
from pulsedocs.extraction.unruled_tables import Box, Word, may_stand_beside, unruled
from pulsedocs.model.tables import heads_in, names_of
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


def items(canvas: Canvas) -> None:
    for at in range(5):
        for left in (72, 300):
            canvas.drawString(left, 700 - 16 * at, "\u2022")
            canvas.drawString(left + 24, 700 - 16 * at, f"Gate {'ABCDE'[at]}")


def justified(canvas: Canvas) -> None:
    for at, words in enumerate(("The gate was", "painted by the", "keeper in May", "and again in")):
        canvas.drawString(72, 700 - 14 * at, words)
        canvas.drawRightString(
            500, 700 - 14 * at, ("June", "crew who were", "there that", "week")[at]
        )
        canvas.drawString(250 + 17 * at, 700 - 14 * at, "with care and")


@pytest.mark.parametrize("draw", [contents, chart, columns, items, justified])
def test_what_is_no_table_gets_no_bars(draw: Callable[[Canvas], None]) -> None:
    [page] = open_file(drawn(draw), content_type=PDF, budgets=Budgets()).pages()

    assert page.text.strip()
    assert "|" not in page.text


def test_rows_whose_figures_touch_are_parted_by_the_rows_below_them() -> None:
    rows = (("Tolls", "60", "1,002,344"), ("Locks", "60", "1,013,512"), ("Weirs", "43", "708"))
    more = (("Gates", "41", "685"), ("Boats", "12", "206"))

    def draw(canvas: Canvas) -> None:
        for at, (label, first, second) in enumerate((*rows, *more)):
            canvas.drawString(72, 700 - 16 * at, label)
            canvas.drawRightString(350, 700 - 16 * at, first)
            canvas.drawRightString(412, 700 - 16 * at, second)

    [page] = open_file(drawn(draw), content_type=PDF, budgets=Budgets()).pages()

    assert page.text.strip().split("\n") == [" | ".join(row) for row in (*rows, *more)]


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


@pytest.mark.parametrize("is_among", [False, True])
def test_a_field_beside_a_table_leaves_it_one_and_a_field_in_it_does_not(*, is_among: bool) -> None:
    rows = (("Item", "Price", "Count"), ("Oak", "9.80", "12"), ("Elm", "5.15", "7"))

    def draw(canvas: Canvas) -> None:
        canvas.grid([60, 160, 260, 360], [720 - 20 * at for at in range(4)])
        for at, row in enumerate(rows):
            for column, cell in enumerate(row):
                canvas.drawString(64 + 100 * column, 706 - 20 * at, cell)
        canvas.drawString(64, 500, "Ordered by")
        x, y = (310, 680) if is_among else (160, 496)
        canvas.acroForm.textfield(value="Ida", x=x, y=y, width=40, height=18, fontSize=10)

    [page] = open_file(drawn(draw), content_type=PDF, budgets=Budgets()).pages()

    read = [line.strip() for line in page.text.strip().split("\n")]
    assert read == (
        ["Item Price Count", "Oak 9.80 12 Ida", "Elm 5.15 7", "Ordered by"]
        if is_among
        else [*map(" | ".join, rows), "Ordered by Ida"]
    )


def test_cells_of_three_rows_beside_each_other_are_said_of_each_row() -> None:
    heads, places = ("Code", "Seen", "Cause", "Remedy"), (72, 140, 260, 380, 500)
    causes = (("Ice", "Thaw it"), ("Silt", "Dredge it"), ("Rust", "Oil it"))
    feet = [700 - 20 * at for at in range(5)]

    def draw(canvas: Canvas) -> None:
        for at, foot in enumerate(feet):
            canvas.line(places[2] if at in {2, 3} else places[0], foot, places[-1], foot)
        for place in places:
            for foot in feet[1:]:  # the wall between joined cells has a piece for each row, too
                canvas.line(place, foot + 20, place, foot)
        for at, row in enumerate((heads, ("E7", "Gate stays shut", *causes[0]), *causes[1:])):
            for left, text in zip(places[-1 - len(row) : -1], row, strict=True):
                canvas.drawString(left + 4, 686 - 20 * at, text)

    [page] = open_file(drawn(draw), content_type=PDF, budgets=Budgets()).pages()

    assert page.text.strip().split("\n") == [
        " | ".join(heads),
        *(f"E7 | Gate stays shut | {cause} | {remedy}" for cause, remedy in causes),
    ]


def test_words_of_a_cell_over_two_rows_stay_in_their_order_beside_the_rule() -> None:
    heads, sizes = ("Board", "Size", "Price"), (("15 m", "18.90"), ("25 m", "24.40"))

    def draw(canvas: Canvas) -> None:
        for at in range(4):
            canvas.line(200 if at == 2 else 72, 700 - 20 * at, 400, 700 - 20 * at)
            canvas.line((72, 200, 300, 400)[at], 700, (72, 200, 300, 400)[at], 640)
        for at, row in enumerate((heads, *sizes)):
            for left, text in zip((80, 210, 310)[-len(row) :], row, strict=True):
                canvas.drawString(left, 685 - 20 * at, text)
        canvas.drawString(80, 656.4, "Grey oak")  # of which the middles are at 659.4 and 660.7

    [page] = open_file(drawn(draw), content_type=PDF, budgets=Budgets()).pages()

    assert page.text.strip().split("\n") == [
        " | ".join(heads),
        *(" | ".join(("Grey oak", *size)) for size in sizes),
    ]


@pytest.mark.parametrize("style", [(), [("GRID", (0, 0), (-1, -1), 0.5, "black")]])
def test_a_bar_that_is_a_cell_parts_no_cells(style: "Style") -> None:
    rows = [("Stop", "701", "703", "705"), *(("Mint", "05:12", "|", "06:32"),) * 3]

    lines = read(rows, style, [120, 90, 90, 90])

    assert lines == ["Stop | 701 | 703 | 705", *["Mint | 05:12 | \u00a6 | 06:32"] * 3]


def test_a_word_divided_within_a_cell_is_one() -> None:
    def draw(canvas: Canvas) -> None:
        for at in range(4):
            canvas.line(72, 700 - 40 * at, 300, 700 - 40 * at)
        for left in (72, 200, 300):
            canvas.line(left, 700, left, 580)
        for at, (above, below, value) in enumerate(
            (("Transpor-", "tation", "Cost"), ("Freezing in-", "dex", "842"), ("Rating", "B-", "7"))
        ):
            canvas.drawString(80, 685 - 40 * at, above)
            canvas.drawString(80, 670 - 40 * at, below)
            canvas.drawString(210, 685 - 40 * at, value)

    file = open_file(drawn(draw), content_type=PDF, budgets=Budgets())
    [page] = clean(list(file.pages()))

    assert page.text.split("\n") == [
        "Transportation | Cost",
        "Freezing index | 842",
        "Rating B- | 7",
    ]


def test_a_title_in_great_letters_over_a_table_is_no_row_of_it() -> None:
    rows = (("Stop", "701", "703"), ("Mint", "05:12", "05:52"), ("Mill", "05:19", "05:59"))

    def draw(canvas: Canvas) -> None:
        canvas.setFont("Helvetica-Bold", 28)
        canvas.drawString(72, 730, "Line 14")
        canvas.setFont("Helvetica", 10)
        for at, row in enumerate((*rows, ("Pier", "05:24", "06:04"))):
            for left, text in zip((72, 160, 220), row, strict=True):
                canvas.drawString(left, 700 - 16 * at, text)

    [page] = open_file(drawn(draw), content_type=PDF, budgets=Budgets()).pages()

    assert page.text.split("\n")[:2] == ["Line 14", "Stop | 701 | 703"]


FARES = (
    ("Ticket", "Fare"),
    ("Adult", "8.40"),
    ("Child of 5 to 15", "3.60"),
    ("Crew of six", "21.00"),
)
POSTS = (
    ("Name", "Post", "Since"),
    ("Ada Berg", "Chair", "2019"),
    ("Olga Christophersen", "Treasurer", "2022"),
    ("Bo Lindqvist-Okafor", "Secretary", "2024"),
    ("Ed Fox", "Auditor", "2025"),
)


@pytest.mark.parametrize(
    ("rows", "is_right"),
    [
        (FARES, False),
        (FARES, True),
        (POSTS, False),
        ([*FARES[:2], *FARES[3:], FARES[2], FARES[2]], False),
    ],
)
def test_a_cell_as_wide_as_its_column_is_apart_from_the_one_beside_it(
    rows: Sequence[tuple[str, ...]], *, is_right: bool
) -> None:
    widths = [
        max(stringWidth(cell, "Helvetica", 12) for cell in column)
        for column in zip(*rows, strict=True)
    ]
    lefts = [72.0, *(72 + sum(widths[:at]) + 3 * at for at in range(1, len(widths)))]

    def draw(canvas: Canvas) -> None:
        for at, row in enumerate(rows):
            canvas.drawString(72, 700 - 16 * at, row[0])
            for left, width, cell in zip(lefts[1:], widths[1:], row[1:], strict=True):
                if is_right:
                    canvas.drawRightString(left + width, 700 - 16 * at, cell)
                else:
                    canvas.drawString(left, 700 - 16 * at, cell)

    [page] = open_file(drawn(draw), content_type=PDF, budgets=Budgets()).pages()

    assert page.text.strip().split("\n") == [" | ".join(row) for row in rows]


def test_a_label_that_reaches_over_a_column_stays_whole() -> None:
    rows = (
        ("Adult", "8.40"),
        ("Child", "3.60"),
        ("Fares in winter, by Sea", ""),
        ("Crew", "21.00"),
    )
    place = 72 + stringWidth("Fares in winter, by ", "Helvetica", 12)

    def draw(canvas: Canvas) -> None:
        for at, (label, fare) in enumerate((*rows, ("Dog", "1.00"))):
            canvas.drawString(72, 700 - 16 * at, label)
            canvas.drawString(place, 700 - 16 * at, fare)

    [page] = open_file(drawn(draw), content_type=PDF, budgets=Budgets()).pages()

    assert "Fares in winter, by Sea | " in page.text


@pytest.mark.parametrize("foot", [760, 40])
def test_a_running_head_that_is_drawn_last_is_no_row_of_the_table(foot: float) -> None:
    rows = (("Tolls", "7", "12"), ("Rope", "4", "5"), ("Oil", "3", "1"), ("Tar", "8", "6"))

    def draw(canvas: Canvas) -> None:
        for at, row in enumerate(rows):
            for left, text in zip((72, 300, 400), row, strict=True):
                canvas.drawString(left, 700 - 16 * at, text)
        canvas.drawString(72, foot, "Upper Lock Company")
        canvas.drawString(380, foot, "Accounts of 2031")

    [page] = open_file(drawn(draw), content_type=PDF, budgets=Budgets()).pages()

    last = "Upper Lock Company Accounts of 2031"
    assert page.text.strip().split("\n") == [*(" | ".join(row) for row in rows), last]


@pytest.mark.parametrize("group", ["Tablets 5: 10 mg", "Abbau 3. Schicht", "Figaro 12. Akt"])
def test_a_group_whose_name_begins_like_a_caption_is_a_row_of_its_table(group: str) -> None:
    rows = (("Drug", "Packs", "Days"), ("Alpha", "7", "12"), ("Beta", "8", "9"))
    more = ((group,), ("Gamma", "31", "30"), ("Delta", "4", "5"))

    def draw(canvas: Canvas) -> None:
        for at, row in enumerate((*rows, *more)):
            for left, text in zip((72, 280, 400), row, strict=False):
                canvas.drawString(left, 700 - 16 * at, text)

    [page] = open_file(drawn(draw), content_type=PDF, budgets=Budgets()).pages()

    assert f"Beta | 8 | 9\n{group} |  | \nGamma | 31 | 30" in page.text


def test_a_group_named_right_below_the_heads_leaves_them_to_the_table() -> None:
    rows = (("", "Boats", "Tolls"), ("2031",), ("Upper lock", "7", "12"), ("Lower lock", "4", "5"))
    more = (("2030",), ("Upper lock", "3", "1"), ("Lower lock", "8", "6"))

    def draw(canvas: Canvas) -> None:
        for at, row in enumerate((*rows, *more)):
            for left, text in zip((72, 300, 400), row, strict=False):
                canvas.drawString(left, 700 - 16 * at, text)

    [page] = open_file(drawn(draw), content_type=PDF, budgets=Budgets()).pages()

    assert [line.strip() for line in page.text.strip().split("\n")] == [
        "| Boats | Tolls",
        "2031 |  |",
        "Upper lock | 7 | 12",
        "Lower lock | 4 | 5",
        "2030 |  |",
        "Upper lock | 3 | 1",
        "Lower lock | 8 | 6",
    ]


@pytest.mark.parametrize("quarters", [1, 3])
@pytest.mark.parametrize("is_ruled", [True, False])
def test_tables_of_a_turned_page_are_read_row_by_row(quarters: int, *, is_ruled: bool) -> None:
    rows = (("Lamp", "Cause", "Remedy"), ("Amber", "Too hot", "Wait"), ("Red", "Load", "Reset"))
    more = ("Green", "None", "Go on")

    def draw(canvas: Canvas) -> None:
        canvas.translate(300, 400)
        canvas.rotate(90 * quarters)
        for at, row in enumerate((*rows, more)):
            for left, text in zip((-200, 0, 100), row, strict=True):
                canvas.drawString(left, 100 - 20 * at, text)
        for at in range(5 * is_ruled):
            canvas.line(-204, 114 - 20 * at, 196, 114 - 20 * at)
        for left in (-204, -4, 96, 196)[: 4 * is_ruled]:
            canvas.line(left, 114, left, 34)

    [page] = open_file(drawn(draw), content_type=PDF, budgets=Budgets()).pages()

    assert page.text.strip().split("\n") == [" | ".join(row) for row in (*rows, more)]


def test_names_over_pairs_of_years_stand_over_the_years_and_not_over_the_figures() -> None:
    years = (213, 292, 338, 384, 416, 448, 480, 512)
    over = ((262, "Salary and fees"), (371, "Bonus"), (442, "Pension"), (506, "Sum"))
    rows = (("Ida Berg", *"78345612"), ("Jon Vik", *"45678901"), ("Ann Lie", *"29443716"))

    def draw(canvas: Canvas) -> None:
        canvas.setFont("Helvetica", 9)
        for middle, name in over:
            canvas.drawCentredString(middle, 716, name)
        for at, left in enumerate(years):
            canvas.drawString(left, 700, str(2031 - at % 2))
        for at, row in enumerate(rows):
            canvas.drawString(66, 684 - 16 * at, row[0])
            for right, figure in zip(
                (259, 309, 355, 401, 433, 465, 497, 529), row[1:], strict=True
            ):
                canvas.drawRightString(right, 684 - 16 * at, figure)

    [page] = open_file(drawn(draw), content_type=PDF, budgets=Budgets()).pages()

    names = [f"{name} {year}" for _, name in over for year in (2031, 2030)]
    lines = [line.strip() for line in page.text.strip().split("\n")]
    assert lines == [f"| {' | '.join(names)}", *(" | ".join(row) for row in rows)]


def test_a_head_over_columns_beside_an_empty_corner_is_said_of_each() -> None:
    rows = (("", "Unit", "", ""), ("", "ATX 6", "ATX 9", "ATX 14"), ("Weight", "71", "84", "112"))
    style = [("GRID", (0, 0), (-1, -1), 1, "black"), ("SPAN", (1, 0), (3, 0))]

    lines = read(rows, style)

    assert lines == ["| Unit | Unit | Unit", "| ATX 6 | ATX 9 | ATX 14", "Weight | 71 | 84 | 112"]


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


Style = Sequence[Any]
RIGHT: Style = [("ALIGN", (1, 0), (-1, -1), "RIGHT"), ("VALIGN", (0, 0), (-1, -1), "TOP")]


def read(rows: Sequence[Sequence[str]], style: Style = (), widths: Sequence[int] = ()) -> list[str]:
    """Return the lines that are read of a table without rules; long cells have several."""
    normal = getSampleStyleSheet()["Normal"]
    cells = [[Paragraph(cell, normal) if len(cell) > 24 else cell for cell in row] for row in rows]
    target = BytesIO()
    table = Table(cells, colWidths=[*widths] or None, style=[*RIGHT[1:], *style])
    SimpleDocTemplate(target, invariant=1).build(
        [Paragraph("The keeper wrote this.", normal), table]
    )
    [page] = open_file(target.getvalue(), content_type=PDF, budgets=Budgets()).pages()
    first, *lines = [" ".join(line.split()) for line in page.text.strip().split("\n")]
    assert first == "The keeper wrote this."
    return lines


def test_words_below_each_other_are_a_table_and_a_cell_of_many_lines_is_one() -> None:
    long = "Seen every spring by the keeper and two of the crew, who sign for it"
    rows = (("Gate", "Wood", "Remarks"), ("Upper", "Oak", long), ("Lower", "Elm", long))

    lines = read([*rows, ("Side", "Larch", "None so far")], widths=[90, 90, 160])

    assert lines == [
        "Gate | Wood | Remarks",
        f"Upper | Oak | {long}",
        f"Lower | Elm | {long}",
        "Side | Larch | None so far",
    ]


@pytest.mark.parametrize("place", ["TOP", "MIDDLE", "BOTTOM"])
def test_a_label_of_many_lines_stands_beside_its_figures(place: str) -> None:
    long = "Tolls of boats that came through the lower gate and of those that turned"
    rows = [("", "2031", "2030"), *((f"{long} {name}", "7", "12") for name in ("back", "up", "in"))]

    lines = read(rows, [*RIGHT[:1], ("VALIGN", (0, 0), (-1, -1), place)], [150, 80, 80])

    assert lines == ["| 2031 | 2030", *(f"{long} {name} | 7 | 12" for name in ("back", "up", "in"))]


@pytest.mark.parametrize("side", ["CENTER", "RIGHT"])
def test_names_over_several_columns_are_said_of_each(side: str) -> None:
    heads = [("Item", "2031", "", "2030", ""), ("", "Q1", "Q2", "Q1", "Q2")]
    body = [
        (name, "7,100", "8,200", "(9,300)", "12.5%") for name in ("Tolls", "Oil", "Rope", "Tar")
    ]
    joined = [("SPAN", (1, 0), (2, 0)), ("SPAN", (3, 0), (4, 0)), ("ALIGN", (1, 0), (-1, 0), side)]

    lines = read([*heads, *body], [*RIGHT, *joined], [90, 70, 70, 70, 70])
    [table] = heads_in("\n".join(lines))
    names = names_of("\n".join(lines)[table.start : table.end])

    assert names == ("Item", "2031 Q1", "2031 Q2", "2030 Q1", "2030 Q2")
    assert lines[-4:] == [" | ".join(row) for row in body]


def test_names_that_stand_close_together_are_one_for_each_column() -> None:
    """Wider than the figures below them, they are parted by no more than a space."""
    names = ("Precision", "Recall", "Of years")

    def draw(canvas: Canvas) -> None:
        canvas.setFont("Helvetica", 10)
        canvas.drawCentredString(250, 715, "Lakes of the north")
        canvas.drawString(60, 700, "Map")
        canvas.drawString(200, 700, " ".join(names))
        for at, row in enumerate(("Otter", "Bear", "Lynx", "Fox")):
            canvas.drawString(60, 685 - 15 * at, row)
            left = 200.0
            for name in names:
                width = stringWidth(name, "Helvetica", 10)
                canvas.drawCentredString(left + width / 2, 685 - 15 * at, f"0.{at}1")
                left += width + stringWidth(" ", "Helvetica", 10)

    [page] = open_file(drawn(draw), content_type=PDF, budgets=Budgets()).pages()

    [table] = heads_in(page.text)
    found = names_of(page.text[table.start : table.end])
    assert found == ("Map", *(f"Lakes of the north {name}" for name in names))


def test_two_tables_of_words_with_a_heading_between_are_two() -> None:
    tools = (("Tool", "Place"), ("Adze", "Boathouse"), ("Maul", "Upper shed"), ("Saw", "Mill"))
    ropes = (
        ("Number", "Rope", "Use"),
        ("R-1", "Hemp", "Mooring at night"),
        ("R-2", "Sisal", "Towing"),
        ("R-3", "Cotton", "Flags of the lodge"),
    )

    def draw(canvas: Canvas) -> None:
        for at, row in enumerate((*tools, ("7.2 Ropes in the loft",), *ropes)):
            places = (72, 210, 360) if at > len(tools) else (72, 280)
            for left, text in zip(places, row, strict=False):
                canvas.drawString(left, 700 - 16 * at, text)

    [page] = open_file(drawn(draw), content_type=PDF, budgets=Budgets()).pages()

    lines = [" | ".join(row) for row in (*tools, ("7.2 Ropes in the loft",), *ropes)]
    assert page.text.strip().split("\n") == lines


@pytest.mark.parametrize("caption", ["Table 1: Tools of the locks", "Tab. 4.2. Tools of all locks"])
@pytest.mark.parametrize("over", [(), ("Lock handbook", "", "May 13, 2031")])
def test_a_caption_and_the_running_head_over_it_are_no_part_of_the_table(
    caption: str, over: tuple[str, ...]
) -> None:
    rows = (("Tool", "Place", "Remarks"), ("Adze", "Boathouse", "Sharp"), ("Maul", "Mill", "Old"))
    table = (*rows, ("Saw", "Upper shed", "Two of them"), ("Plane", "Mill", "In the chest"))

    def draw(canvas: Canvas) -> None:
        for left, text in zip((72, 210, 420), over, strict=False):
            canvas.drawString(left, 760, text)
        canvas.drawCentredString(300, 728, caption)
        for at, row in enumerate(table):
            for left, text in zip((72, 210, 360), row, strict=True):
                canvas.drawString(left, 700 - 16 * at, text)

    [page] = open_file(drawn(draw), content_type=PDF, budgets=Budgets()).pages()

    lines = page.text.strip().split("\n")
    assert lines[-6:] == [caption, *(" | ".join(row) for row in table)]
    assert [line.split() for line in lines[:-6]] == [" ".join(over).split()] * bool(over)


def test_a_table_of_figures_under_a_title_of_its_own_keeps_its_own_heads() -> None:
    tolls = (("Lock", "Q3 2031", "Q3 2030"), ("Upper", "7", "12"), ("Lower", "8", "9"))
    boats = (("Boat", "Q3 2031", "Q3 2030"), ("Gull", "31", "30"), ("Tern", "4", "5"))
    more = ("Middle", "6", "6"), ("Auk", "70", "2")
    rows = (*tolls, more[0], ("Tolls by boat",), *boats, more[1])

    def draw(canvas: Canvas) -> None:
        for at, row in enumerate(rows):
            for left, text in zip((72, 280, 400), row, strict=False):
                canvas.drawString(left, 700 - 16 * at, text)

    [page] = open_file(drawn(draw), content_type=PDF, budgets=Budgets()).pages()

    assert page.text.strip().split("\n") == [" | ".join(row) for row in rows]


def test_a_page_of_prose_is_measured_and_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    def draw(canvas: Canvas) -> None:
        for at in range(20):
            canvas.drawString(72, 700 - 16 * at, f"The keeper of lock {at} wrote it down in 2031")

    made: list[Box] = []

    def counted(box: Box, indexes: Sequence[int], text: str) -> Word:
        made.append(box)
        return Word(box, indexes, text)

    monkeypatch.setattr(tables, "Word", counted)

    [page] = open_file(drawn(draw), content_type=PDF, budgets=Budgets()).pages()

    assert page.text.count("keeper") == 20
    assert not made


def line_of(words: Sequence[str], *, foot: float, height: float, space: float) -> list[Word]:
    lefts = [72 + at * (40 + space) for at in range(len(words))]
    boxes = [Box(left, foot, left + 40, foot + height) for left in lefts]
    return [Word(box, [at], text) for at, (box, text) in enumerate(zip(boxes, words, strict=True))]


@pytest.mark.parametrize("height", [8, 20])
def test_no_table_is_missed_by_the_test_that_spares_pages_the_search(height: float) -> None:
    prose = [line_of(["the"] * 7, foot=700 - 10 * at, height=8, space=2) for at in range(3)]
    table = [
        line_of([name, "7", "12"], foot=500 - 24 * at, height=height, space=1.5 * height)
        for at, name in enumerate(("Oil", "Rope", "Tar", "Wax"))
    ]

    found = [
        (
            len(list(unruled(lines))),
            may_stand_beside(
                [word.box for line in lines for word in line],
                [sum(map(len, lines[: at + 1])) for at in range(len(lines))],
            ),
        )
        for lines in (prose, [*prose, *table])
    ]

    assert found == [(0, False), (1, True)]


def test_names_over_pairs_of_many_columns_are_shared_out_in_time() -> None:
    """A limit for hangs: 13 names over 26 columns took 20 CPU seconds, one more 80."""
    pairs, pitch = 13, 20.0

    def word(text: str, left: float, foot: float, width: float) -> Word:
        return Word(Box(left, foot, left + width, foot + 8), range(len(text)), text)

    heads = [word(f"Lock{at}", 125 + 2 * pitch * at, 700, 26) for at in range(pairs)]
    figures = [
        [word("Barges", 40, foot, 30)]
        + [word("12", 126 + pitch * at, foot, 8) for at in range(2 * pairs)]
        for foot in (684, 668, 652)
    ]
    start = time.process_time()

    [[names, *rows]] = unruled([heads, *figures])

    assert time.process_time() - start < 5
    assert [[word.text for word in cell] for cell in names[1:5]] == [
        ["Lock0"],
        ["Lock0"],
        ["Lock1"],
        ["Lock1"],
    ]
    assert len(rows) == 3


def test_a_row_of_dashes_has_the_columns_of_the_others() -> None:
    figures = ("712", "456", "\u2013\u2013\u2013", "294")

    def line(at: int, row: str) -> list[Word]:
        foot = 700 - 16 * at
        name = [Word(Box(left, foot, left + 28, foot + 8), [0], "Vik") for left in (72, 103)]
        tops = [foot + (1 if figure == "\u2013" else 8) for figure in row]
        places = zip((160, 205, 250), tops, row, strict=True)
        return name + [Word(Box(x, foot, x + 7, top), [0], figure) for x, top, figure in places]

    [rows] = unruled([line(at, row) for at, row in enumerate(figures)])

    assert [[len(cell) for cell in row] for row in rows] == [[2, 1, 1, 1]] * 4


def test_notes_below_a_table_that_begin_with_their_numbers_are_no_row_of_it() -> None:
    note = "Tolls of the lower lock were raised in the spring of 2031 by the town"
    rows = ("Oil", "7", "12"), ("Rope", "4", "5"), ("Tar", "8", "6"), ("Wax", "3", "1")

    def word(text: str, left: float, at: int) -> Word:
        return Word(Box(left, 700 - 16 * at, left + 4 * len(text), 708 - 16 * at), [0], text)

    table = [
        [word(text, left, at) for left, text in zip((72, 160, 205), row, strict=True)]
        for at, row in enumerate(rows)
    ]
    notes = [[word("1 With ice.", 72, 4)], [word(f"2 {note}", 118, 4)]]

    [found] = unruled([*table, *notes])

    assert [tuple(cell[0].text for cell in row) for row in found] == [*rows]


def test_a_number_that_ends_a_line_of_prose_below_its_figures_is_no_cell_of_a_table() -> None:
    totals = laid_out((("Net", "690.00"), ("VAT", "138.00"), ("Due", "828.00")), rights=(400,))

    def prose(canvas: Canvas) -> None:
        line = "Pay into our account at the bank of the lower lock, account 7315 5502,"
        canvas.drawString(400 - stringWidth(line, "Helvetica", 12), 652, line)
        canvas.drawString(72, 638, "and say for which boat it is.")

    read = lines_read(totals, prose)

    assert read[:3] == ["Net | 690.00", "VAT | 138.00", "Due | 828.00"]
    assert not any("|" in line for line in read[3:]), read


def _leading(label: str, *, spaced: bool) -> str:
    dot = " ." if spaced else "."
    return label + dot * int((330 - stringWidth(label, "Helvetica", 12)) / (6.7 if spaced else 3.4))


@pytest.mark.parametrize("spaced", [True, False])
def test_dots_that_lead_from_a_label_to_its_figures_are_no_cells_and_go(*, spaced: bool) -> None:
    rows = [
        ("Tolls", "$ 7,012", "$ (44)"),
        ("Rope and tar", "(3)", "5"),
        ("Pledges (note 4)", "", ""),
    ]
    rows += [("Total debt of the lock", "8", "6"), ("Oil", "2", "1")]

    def draw(canvas: Canvas) -> None:
        canvas.drawRightString(460, 716, "2031")
        canvas.drawRightString(540, 716, "2030")
        for at, row in enumerate(rows):
            canvas.drawString(72, 700 - 16 * at, _leading(row[0], spaced=spaced))
            canvas.drawRightString(460, 700 - 16 * at, row[1])
            canvas.drawRightString(540, 700 - 16 * at, row[2])

    [page] = clean(list(open_file(drawn(draw), content_type=PDF, budgets=Budgets()).pages()))

    assert [line.split(" |") for line in page.text.split("\n")] == [
        ["| 2031", " 2030"],
        *([row[0], *(f" {cell}" if cell else "" for cell in row[1:])] for row in rows),
    ]


@pytest.mark.parametrize("spaced", [True, False])
def test_contents_with_leading_dots_are_no_table(*, spaced: bool) -> None:
    def draw(canvas: Canvas) -> None:
        for at, (title, number) in enumerate(
            (("Locks", 3), ("Weirs", 8), ("Gates", 8), ("Oil", 21))
        ):
            canvas.drawString(72, 700 - 16 * at, f"{at + 1}.")
            canvas.drawString(110, 700 - 16 * at, _leading(title, spaced=spaced))
            canvas.drawRightString(500, 700 - 16 * at, str(number))

    [page] = open_file(drawn(draw), content_type=PDF, budgets=Budgets()).pages()

    assert "|" not in page.text


def test_each_row_of_years_begins_a_table_with_columns_of_its_own() -> None:
    stores = (
        ("2031", "2030"),
        ("Oil", "$ 235", "241"),
        ("Rope", "118", "120"),
        ("Tar", "82", "84"),
    )
    gates = (("2031", "2030", "2029"), ("Upper", "40", "37", "9"), ("Lower", "36", "33", "8"))
    rest = (("Third", "3", "1", "2"),)

    def draw(canvas: Canvas) -> None:
        at = 0
        for title, places, rows in (
            ("Note 5. Stores", (300, 480), stores),
            ("Note 6. Gates", (360, 430, 500), (*gates, *rest)),
        ):
            canvas.drawString(72, 700 - 16 * at, title)
            for row in rows:
                at += 1
                *label, texts = row[: len(row) - len(places)], row[len(row) - len(places) :]
                canvas.drawString(72, 700 - 16 * at, "".join(*label))
                for right, text in zip(places, texts, strict=True):
                    canvas.drawRightString(right, 700 - 16 * at, text)
            at += 1

    [page] = open_file(drawn(draw), content_type=PDF, budgets=Budgets()).pages()

    lines = [line.strip() for line in page.text.strip().split("\n")]
    assert lines == [
        "Note 5. Stores",
        "| 2031 | 2030",
        *(" | ".join(row) for row in stores[1:]),
        "Note 6. Gates",
        "| 2031 | 2030 | 2029",
        *(" | ".join(row) for row in (*gates[1:], *rest)),
    ]


def test_parts_of_two_rows_each_under_the_same_years_are_one_table() -> None:
    rows = (("", "2031", "2030"), ("Sales", "12", "10"), ("Costs", "7", "6"), ("Assets", "", ""))
    more = (("", "2031", "2030"), ("Cash", "5", "4"), ("Debt", "3", "2"))

    def draw(canvas: Canvas) -> None:
        for at, row in enumerate((*rows, *more)):
            canvas.drawString(72, 700 - 16 * at, row[0])
            canvas.drawRightString(300, 700 - 16 * at, row[1])
            canvas.drawRightString(400, 700 - 16 * at, row[2])

    [page] = open_file(drawn(draw), content_type=PDF, budgets=Budgets()).pages()

    assert [tuple(map(str.strip, line.split("|"))) for line in page.text.strip().split("\n")] == [
        *rows,
        *more,
    ]


def test_a_bracket_set_apart_from_its_figure_closes_it() -> None:
    rows = (
        ("Tolls", "7", "12"),
        ("Interest", "(94 )", "(97 )"),
        ("Oil", "3", "1"),
        ("Tar", "8", "6"),
    )

    def draw(canvas: Canvas) -> None:
        for at, row in enumerate(rows):
            canvas.drawString(72, 700 - 16 * at, row[0])
            for right, text in zip((350, 450), row[1:], strict=True):
                canvas.drawRightString(right, 700 - 16 * at, text)

    [page] = open_file(drawn(draw), content_type=PDF, budgets=Budgets()).pages()

    assert "Interest | (94) | (97)" in page.text


def test_a_page_number_at_the_foot_that_is_drawn_first_names_no_column() -> None:
    rows = (("2031", "2030"), ("Tolls", "7", "12"), ("Rope", "4", "5"), ("Oil", "3", "1"))

    def draw(canvas: Canvas) -> None:
        canvas.drawString(300, 40, "29")
        for at, row in enumerate(rows):
            canvas.drawString(72, 700 - 16 * at, row[0] if at else "")
            for left, text in zip((300, 400), row[-2:], strict=True):
                canvas.drawString(left, 700 - 16 * at, text)

    [page] = open_file(drawn(draw), content_type=PDF, budgets=Budgets()).pages()

    assert [line.strip() for line in page.text.strip().split("\n")][:2] == ["29", "| 2031 | 2030"]


def test_a_label_below_a_table_may_be_the_last_that_stands_below_it() -> None:
    rows = (("Tolls", "7", "12"), ("Rope", "4", "5"), ("Oil", "3", "1"), ("Lock",))

    def line(at: int, row: Sequence[str]) -> list[Word]:
        foot = 700 - 16 * at
        places = zip((72, 160, 205), row, strict=False)
        return [Word(Box(x, foot, x + 4 * len(one), foot + 8), [0], one) for x, one in places]

    above = line(-5, ("Tar", "8", "6"))

    [found] = unruled([*(line(at, row) for at, row in enumerate(rows)), above])

    assert [tuple(cell[0].text for cell in row) for row in found] == [*rows[:-1]]


def test_three_dots_are_a_cell_that_leaves_out_words() -> None:
    rows = (("Cleaning", "...", "Chosen"), ("Locks", "off", "Moved"), ("Hints", "...", "Shown"))

    def draw(canvas: Canvas) -> None:
        for at, row in enumerate((*rows, ("Milk", "on", "Filled"))):
            for left, text in zip((72, 200, 330), row, strict=True):
                canvas.drawString(left, 700 - 16 * at, text)

    [page] = open_file(drawn(draw), content_type=PDF, budgets=Budgets()).pages()

    assert page.text.strip().split("\n")[:3] == [" | ".join(row) for row in rows]


def laid_out(
    rows: Sequence[Sequence[str]], *, rights: Sequence[float], top: float = 700
) -> Callable[[Canvas], None]:
    """Draw rows, the first cell of each at the left, the others ending at `rights`."""

    def draw(canvas: Canvas) -> None:
        for at, (label, *cells) in enumerate(rows):
            canvas.drawString(72, top - 14 * at, label)
            for right, cell in zip(rights, cells, strict=True):
                canvas.drawRightString(right, top - 14 * at, cell)

    return draw


def lines_read(*draw: Callable[[Canvas], None]) -> list[str]:
    def all_of_it(canvas: Canvas) -> None:
        for each in draw:
            each(canvas)

    [page] = open_file(drawn(all_of_it), content_type=PDF, budgets=Budgets()).pages()
    return [line.strip() for line in page.text.strip().split("\n")]


@pytest.mark.parametrize("sign", ["$", "\u20b9"])
def test_a_currency_in_a_column_of_its_own_is_of_the_figure_behind_it(sign: str) -> None:
    rows = (("Tolls", sign, "118", sign, "124"), ("Oil", "", "74", "", "61"))
    more = (("Rope", "", "40", "", "38"), ("All", sign, "232", sign, "223"))
    rights = (100, 202, 220, 231, 250)  # six points from a figure to the next sign

    def line(at: int, row: Sequence[str]) -> list[Word]:
        foot = 700 - 14 * at
        return [
            Word(Box(right - 5 * len(text), foot, right, foot + 6), [0], text)
            for right, text in zip(rights, row, strict=True)
            if text
        ]

    [found] = unruled([line(at, row) for at, row in enumerate((*rows, *more))])

    assert [[" ".join(word.text for word in cell) for cell in row] for row in found] == [
        ["Tolls", f"{sign} 118", f"{sign} 124"],
        ["Oil", "74", "61"],
        ["Rope", "40", "38"],
        ["All", f"{sign} 232", f"{sign} 223"],
    ]


def test_a_dash_for_none_is_no_part_of_a_wide_figure_beside_it() -> None:
    rows = (("Tolls", "2", "41.2", "3.9", "45.1"), ("Oil", "", "3.1", "\u2013", "(4,583.6)"))
    more = (("Rope", "4", "0.4", "0.6", "1.0"), ("Boats", "5", "9.4", "0.8", "10.2"))

    read = lines_read(laid_out((*rows, *more), rights=(210, 260, 310, 366)))

    assert read == [
        "Tolls | 2 | 41.2 | 3.9 | 45.1",
        "Oil |  | 3.1 | \u2013 | (4,583.6)",
        "Rope | 4 | 0.4 | 0.6 | 1.0",
        "Boats | 5 | 9.4 | 0.8 | 10.2",
    ]


def test_tables_close_below_each_other_are_each_read_in_columns_of_their_own() -> None:
    by_lock = (("Tolls by lock", "2030/31", "2029/30"), ("Upper", "61.2", "58.0"))
    more_locks = (("Lower", "7.4", "7.9"), ("Both", "68.6", "65.9"))
    by_boat = (("Boats by kind", "2030/31", "2029/30"), ("Barges", "412", "398"))
    more_boats = (("Tugs", "31", "35"), ("All", "443", "433"))

    read = lines_read(
        laid_out((*by_lock, *more_locks), rights=(330, 450)),
        laid_out((*by_boat, *more_boats), rights=(390, 500), top=640),
        laid_out((("", "30 June 2031", "1 July 2030"),), rights=(300, 380), top=570),
        laid_out(
            (("Crew", "4", "5"), ("Divers", "2", "2"), ("All", "6", "7")),
            rights=(300, 380),
            top=556,
        ),
    )

    assert read == [
        "Tolls by lock | 2030/31 | 2029/30",
        "Upper | 61.2 | 58.0",
        "Lower | 7.4 | 7.9",
        "Both | 68.6 | 65.9",
        "",
        "Boats by kind | 2030/31 | 2029/30",
        "Barges | 412 | 398",
        "Tugs | 31 | 35",
        "All | 443 | 433",
        "",
        "| 30 June 2031 | 1 July 2030",
        "Crew | 4 | 5",
        "Divers | 2 | 2",
        "All | 6 | 7",
    ]


def test_a_label_above_the_years_of_the_first_of_two_tables_is_of_its_rows() -> None:
    """It was taken for a table of its own, and the page lost all that is read of its layout."""
    locks = (("Locks", "2031", "2030"), ("Upper", "61", "58"), ("Lower", "7", "9"))
    boats = (("Boats", "2031", "2030", "2029"), ("Tugs", "61", "58", "5"), ("Punts", "6", "5", "4"))

    read = lines_read(
        laid_out((("", "Group", "Company"), ("Assets", "", ""), *locks), rights=(330, 430)),
        laid_out((*boats, ("All", "67", "63", "9,000,000")), rights=(274, 340, 410), top=630),
    )

    assert read == [
        "| Group | Company",
        "Assets |  |",
        *(" | ".join(row) for row in locks),
        "",
        *(" | ".join(row) for row in boats),
        "All | 67 | 63 | 9,000,000",
    ]


def test_a_head_that_ends_in_a_comma_is_no_label_of_the_years_below_it() -> None:
    rows = (("Tolls", "412", "398", "377"), ("Oil", "31", "35", "30"), ("Rope", "4", "6", "5"))

    def heads(canvas: Canvas) -> None:
        canvas.drawCentredString(400, 728, "Year ended 30 June,")
        for right, year in zip((360, 420, 480), ("2031", "2030", "2029"), strict=True):
            canvas.drawRightString(right, 714, year)

    read = lines_read(heads, laid_out(rows, rights=(360, 420, 480)))

    assert read == [
        "| Year ended 30 June, 2031 | Year ended 30 June, 2030 | Year ended 30 June, 2029",
        *(" | ".join(row) for row in rows),
    ]


def test_a_head_of_two_lines_is_one_where_its_second_begins_as_the_column_does() -> None:
    rows = (("Tolls", "41,200", "3,980", "45,180"), ("Oil", "3,100", "350", "3,450"))
    more = (("Rope", "400", "65", "465"), ("All", "$44,700", "$4,395", "$49,095"))

    def heads(canvas: Canvas) -> None:
        canvas.drawRightString(350, 728, "Without all")
        canvas.drawString(350 - stringWidth("$44,700", "Helvetica", 12), 714, "harbour")
        canvas.drawRightString(430, 714, "2031 Sum")
        canvas.drawRightString(500, 714, "2031 All")

    read = lines_read(heads, laid_out((*rows, *more), rights=(350, 430, 500)))

    assert read == [
        "| Without all harbour | 2031 Sum | 2031 All",
        *(" | ".join(row) for row in (*rows, *more)),
    ]


def test_years_stand_over_quarters_that_are_named_on_two_lines() -> None:
    rights = range(170, 565, 56)
    rows = (("Tolls", "61", "58", "57", "55", "54", "52", "51", "50"), ("Oil", *"43543434"))
    more = (("Left", "57", "55", "52", "51", "50", "49", "47", "46"),)

    def heads(canvas: Canvas) -> None:
        canvas.drawCentredString(240, 742, "2031")
        canvas.drawCentredString(464, 742, "2030")
        for at, words in enumerate((("Fourth", "Third", "Second", "First") * 2, ("Quarter",) * 8)):
            for right, word in zip(rights, words, strict=True):
                canvas.drawRightString(right, 728 - 14 * at, word)

    read = lines_read(heads, laid_out((*rows, *more), rights=rights))

    named = names_of("\n".join(f" {line}" if line[0] == "|" else line for line in read[:3]))
    assert named[1:5] == tuple(
        f"2031 {each} Quarter" for each in ("Fourth", "Third", "Second", "First")
    )
    assert read[-1] == " | ".join(more[0])
