"""Tables of Office files, web pages and values: cells under their own columns."""

from io import BytesIO

import pytest
from openpyxl import Workbook

from tests.unit.extraction.office_files import (
    docx_of,
    odt_of,
    pages_of,
    word_table,
)

_ODT_TABLE = """<table:table><table:table-header-rows><table:table-row>
<table:table-cell table:number-rows-spanned="2"><text:p>Boat</text:p></table:table-cell>
<table:table-cell table:number-columns-spanned="2"><text:p>Fare</text:p></table:table-cell>
<table:covered-table-cell/></table:table-row></table:table-header-rows><table:table-row>
<table:covered-table-cell/><table:table-cell><text:p>2031</text:p><text:p>net</text:p>
</table:table-cell><table:table-cell><text:p>2032</text:p></table:table-cell></table:table-row>
<table:table-row><table:table-cell table:number-columns-repeated="2"/><table:table-cell>
<text:p>7</text:p></table:table-cell></table:table-row></table:table>"""


def _joined_cells() -> bytes:
    workbook = Workbook()
    sheet = workbook.worksheets[0]
    sheet.title = "Fares"
    for row in (["Fares of 2031"], ["Boat", "Fare"], [None, "2031 net", "2032"], [None, None, 7]):
        sheet.append(row)
    for area in ("A1:C1", "A2:A3", "B2:C2"):
        sheet.merge_cells(area)
    target = BytesIO()
    workbook.save(target)
    return target.getvalue()


@pytest.mark.parametrize(
    ("name", "body", "before"),
    [("a.odt", odt_of(_ODT_TABLE), ""), ("a.xlsx", _joined_cells(), "Fares\n\nFares of 2031\n")],
)
def test_joined_cells_say_of_each_row_and_column_what_they_say_of_all(
    name: str, body: bytes, before: str
) -> None:
    [page] = pages_of(body, name)

    assert page.text == f"{before}Boat | Fare | Fare\nBoat | 2031 net | 2032\n| | 7"


@pytest.mark.parametrize(
    ("rows", "text"),
    [
        (
            "Price list 2031\nItem, Price\nOil, 3\nGas, 4\n",
            "Price list 2031\nItem | Price\nOil | 3\nGas | 4",
        ),
        ("Item,Price\r\r\nOil,3\r\r\nGas,none\r\r\n", "Item | Price\nOil | 3\nGas | none"),
        (
            "Note\nSold, mostly\nLeft\nTorn, wet, old\n",
            "Note\n\nSold, mostly\n\nLeft\n\nTorn, wet, old",
        ),
    ],
    ids=["a title above", "every second line blank", "one column"],
)
def test_rows_are_found_however_they_are_written(rows: str, text: str) -> None:
    [page] = pages_of(rows.encode(), "a.csv")

    assert page.text == text


def test_the_name_of_a_group_of_rows_stays_in_its_table() -> None:
    [page] = pages_of(b"Item;2031;2030\nRopes;;\nHemp;2;3\nFlax;5;\n\nSeen in May;;\n", "a.csv")

    assert page.text == "Item | 2031 | 2030\nRopes | |\nHemp | 2 | 3\nFlax | 5\n\nSeen in May"


@pytest.mark.parametrize(
    ("rows", "text"),
    [
        (
            "Pier,2031,2032\nWest,100,200\n,,\n\n\nRope,Coils,Price\nHemp,5,6\n",
            "Pier | 2031 | 2032\nWest | 100 | 200\n\nRope | Coils | Price\nHemp | 5 | 6",
        ),
        (
            "Pier,2031,2032\nWest,100,200\n\nRope,2031,2032\nHemp,5,6\n",
            "Pier | 2031 | 2032\nWest | 100 | 200\n\nRope | 2031 | 2032\nHemp | 5 | 6",
        ),
        (
            "Pier,2031\nWest,100\n\nSource,Harbour office\n",
            "Pier | 2031\nWest | 100\n\nSource | Harbour office",
        ),
    ],
)
def test_an_empty_row_parts_two_tables(rows: str, text: str) -> None:
    [page] = pages_of(rows.encode(), "a.csv")

    assert page.text == text


@pytest.mark.parametrize(
    ("rows", "text"),
    [
        ("Pier,2031\n\nWest,100\n\nEast,7\n", "Pier | 2031\nWest | 100\nEast | 7"),
        (
            "Who,Task\nAnn,Chair\n\nBo,Clerk\nCy,Cook\n",
            "Who | Task\nAnn | Chair\nBo | Clerk\nCy | Cook",
        ),
        ("Rope,2031\nHemp,2\n\nSails\nJib,4\n", "Rope | 2031\nHemp | 2\nSails |\nJib | 4"),
    ],
)
def test_a_table_goes_on_below_an_empty_row(rows: str, text: str) -> None:
    [page] = pages_of(rows.encode(), "a.csv")

    assert page.text == text


@pytest.mark.parametrize(
    ("name", "body"),
    [
        ("a.csv", "Key,Use\na | b,either\n"),
        ("a.md", "| Key | Use |\n|---|---|\n| a \\| b | either |\n"),
        (
            "a.html",
            "<table><tr><th>Key<th>Use<tr><td><b>a</b> | <b>b</b><td>either</table>",
        ),
        ("a.rst", "=====  ======\nKey    Use\n=====  ======\na | b  either\n=====  ======\n"),
        ("a.docx", docx_of(word_table(("Key", "Use"), ("a | b", "either")))),
    ],
)
def test_a_bar_within_a_cell_parts_no_cells(name: str, body: str | bytes) -> None:
    [page] = pages_of(body if isinstance(body, bytes) else body.encode(), name)

    assert page.text == "Key | Use\na \u00a6 b | either"


def test_a_hidden_row_is_no_empty_one() -> None:
    workbook = Workbook()
    sheet = workbook.worksheets[0]
    for row in (
        ["Pier", "2031"],
        ["West", 100],
        ["East", 7],
        ["North", "closed"],
        [],
        ["Sum", 107],
    ):
        sheet.append(row)
    sheet.row_dimensions[3].hidden = True
    target = BytesIO()
    workbook.save(target)

    [page] = pages_of(target.getvalue(), "a.xlsx")

    assert page.text == "Sheet\n\nPier | 2031\nWest | 100\nNorth | closed\nSum | 107"
