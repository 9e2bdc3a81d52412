"""Sheets and tables of values: cells as they are shown."""

import re
from datetime import datetime, time, timedelta
from io import BytesIO
from time import process_time
from zipfile import ZipFile

import pytest
from openpyxl import Workbook
from openpyxl.comments import Comment

from pulsedocs.extraction.workbooks import shown_value
from pulsedocs.model.pages import PageOutcome
from tests.unit.extraction.office_files import (
    pages_of,
    with_parts,
    xlsx_of,
    zip_of,
)


@pytest.mark.parametrize(
    ("part", "usual", "odd"),
    [
        ("xl/styles.xml", rb"<fill><patternFill ?/></fill>", b"<fill/>"),
        ("xl/styles.xml", rb'<color theme="1"', b'<color rgb="FF00"'),
        ("docProps/core.xml", rb"\d{4}-\d\d-\d\dT", b"03/05/2024 "),
    ],
)
def test_what_excel_does_not_mind_in_a_workbook_is_no_reason_to_refuse_it(
    part: str, usual: bytes, odd: bytes
) -> None:
    with ZipFile(BytesIO(xlsx_of())) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    changed = re.sub(usual, odd, parts[part])

    assert changed != parts[part]
    page, *_ = pages_of(zip_of({**parts, part: changed}), "a.xlsx")

    assert "Ferry | 1,234.50 € | 12.5% | 2024-03-01" in page.text


def test_what_is_odd_in_a_workbook_is_searched_for_once() -> None:
    with ZipFile(BytesIO(xlsx_of())) as archive:
        stated = archive.read("docProps/core.xml").decode()
    odd = re.sub(r"(<dcterms:created[^>]*>)", rf"<!--{'<a:created ' * 40_000}-->\1May ", stated)
    started = process_time()

    page, *_ = pages_of(with_parts(xlsx_of(), {"docProps/core.xml": odd}), "a.xlsx")

    assert "Ferry" in page.text
    assert process_time() - started < 5  # thirty, if to the end from each


def test_cells_stand_as_the_sheet_shows_them_and_hidden_ones_are_counted() -> None:
    fares, notes, secret = pages_of(xlsx_of(), "a.xlsx")

    assert fares.text == (
        "Fares\n\nLine | Fare | Share | Since\nFerry | 1,234.50 € | 12.5% | 2024-03-01\n"
        "Cable car | -5.00 EUR | 0.2"
    )
    assert (fares.label, notes.label) == ("Fares", "Notes")
    assert fares.hidden_characters == len("Inner number" + "77" + "78" + "Withdrawn" + "9")
    assert (secret.outcome, secret.text) == (PageOutcome.HIDDEN_ONLY, "")


@pytest.mark.parametrize(
    ("value", "number_format", "shown"),
    [
        (None, "General", ""),
        (True, "General", "TRUE"),
        (12.0, "General", "12"),
        (0.1 + 0.2, "General", "0.3"),
        (7, "00000", "00007"),
        (-0.5, "0%", "-50%"),
        (1_000_000, "#,##0", "1,000,000"),
        (2.5, "0.##", "2.5"),
        (2, "0.##", "2"),
        (19.9, '"CHF "0.00_ ', "CHF 19.90"),
        (19.9, "[$£-809]#,##0.00;[Red]-[$£-809]#,##0.00", "£19.90"),
        (1.5, "# ?/?", "1.5"),
        (12_000, "0.0E+00", "12000"),
        ("text", "0.00", "text"),
        ("Order_x0020_Date_x000D_", "General", "Order_x0020_Date\r"),
        (12.5, '0.0"%"', "12.5%"),
        (12.5, r"0.0\%", "12.5%"),
        (1_234_567, '0.0,,"M"', "1.2M"),
        (1_234_567, "#,##0,", "1,235"),
        (5_012_345_678_900, "General", "5012345678900"),
        (10**15, "General", "1e+15"),
        (5_557_654_321, "(000) 000-0000", "(555) 765-4321"),
        (7_654_321, "[<=9999999]###-####;(###) ###-####", "765-4321"),
        (5_557_654_321, "[<=9999999]###-####;(###) ###-####", "(555) 765-4321"),
        (12_345_678, "000-00-0000", "012-34-5678"),
        (1234.5, "#'##0.00", "1'234.50"),
        (1_234_567.5, "# ##0.00", "1234 567.50"),
        (5, "0,000", "0,005"),
        (0.5, "#.00", ".50"),
        (1.5, ".00", "1.50"),
        (7, '0.-"CHF"', "7.-CHF"),
        (2.5, "0", "3"),
        (0.125, "0.00", "0.13"),
        (1.005, "0.00", "1.01"),
        (0.285, "0%", "29%"),
        (-2.5, "0", "-3"),
        (-0.4, "0", "0"),
        (-1234.5, "#,##0.00_);(#,##0.00)", "(1,234.50)"),
        (0, '_(* #,##0_);_(* \\(#,##0\\);_(* "-"??_);_(@_)', "-"),
        (1, '"Yes";"Yes";"No"', "Yes"),
        (0, '"Yes";"Yes";"No"', "No"),
        (-3, "General;[Red]-General", "-3"),
        (1e300, "0.00", "1e+300"),
        (10**400, "0.00", "1" + "0" * 400),
        (time(12, 30, 45), "hh:mm:ss", "12:30:45"),
        (time(12, 30, 45), "h:mm", "12:30"),
        (
            datetime.fromisoformat("2031-03-01T12:30:45"),
            "yyyy-mm-dd hh:mm:ss",
            "2031-03-01 12:30:45",
        ),
        (
            datetime.fromisoformat("2031-03-01T12:30:45"),
            '[$-en-US]m/d/yy "hrs" h:mm',
            "2031-03-01 12:30",
        ),
        (timedelta(hours=26.5), "[h]:mm", "26:30"),
        (timedelta(hours=-26.5), "[hh]:mm:ss", "-26:30:00"),
        (timedelta(minutes=90, seconds=5), "[mm]:ss", "90:05"),
        (timedelta(hours=26.5), r'[h]"h"\ mm" min"', "26h 30 min"),
    ],
)
def test_a_number_is_shown_by_its_format(value: object, number_format: str, shown: str) -> None:
    assert shown_value(value, number_format) == shown


@pytest.mark.parametrize(
    ("name", "body"),
    [
        ("a.csv", b"Fruit;Price\nPear;2,50\n"),
        ("a.tsv", b"Fruit\tPrice\nPear\t2,50\n"),
        ("a.csv", b'\xef\xbb\xbfFruit,Price\n"Pear","2,50"\n'),
    ],
)
def test_values_are_separated_as_the_file_separates_them(name: str, body: bytes) -> None:
    [page] = pages_of(body, name)

    assert page.text == "Fruit | Price\nPear | 2,50"


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ("sep=;\nPear;2\n", "Pear | 2"),
        ('"sep=#"\r\nPear#2,50\r\n', "Pear | 2,50"),
        ("Pear;2,5\nPlum;3,5\n", "Pear | 2,5\nPlum | 3,5"),
        ("Pear, ripe;2,5\nPlum;3\n", "Pear, ripe | 2,5\nPlum | 3"),
        ("Said\nHello, Pear\nGood night\n", "Said\n\nHello, Pear\n\nGood night"),
        ('Fruit, Said\nPear, "Hello, Plum"\n', "Fruit | Said\nPear | Hello, Plum"),
        ('1,"Pear; ripe"\n2,"Plum; sour"\n', "1 | Pear; ripe\n2 | Plum; sour"),
        (
            "Fruit,2031,2032\nRipe\nPear,2,3\nPlum,5\n",
            "Fruit | 2031 | 2032\nRipe | |\nPear | 2 | 3\nPlum | 5",
        ),
        ("Fruit;Price\n" + "Pear;2,50\n" * 3_000, "Fruit | Price\nPear | 2,50"),
    ],
)
def test_the_delimiter_is_the_one_that_parts_all_rows_alike(body: str, text: str) -> None:
    page, *_ = pages_of(body.encode(), "a.csv")

    assert page.text.startswith(text)


def test_a_quote_within_quotes_is_written_twice() -> None:
    """RFC 4180; also where the first of them comes late."""
    early = b'"Bob","Yes"\n' * 3_000

    *_, page = pages_of(early + b'Ada,"It is ""nine"", she said"\n', "a.csv")

    assert page.text.endswith('Ada | It is "nine", she said')


def test_a_sheet_says_nothing_that_is_written_for_programs() -> None:
    """Line ends of exporters, and what stands before a comment for versions without threads."""
    workbook = Workbook()
    sheet = workbook.worksheets[0]
    sheet["A1"] = "Line one_x000D_\nLine two"
    sheet["A1"].comment = Comment(
        "[Threadkommentar]\n\nIhre Version von Excel gestattet Ihnen das Lesen. Mehr:"
        " https://go.microsoft.com/fwlink/?linkid=870924\n\nKommentar:\n    Ask Petra"
        "\nAntwort:\n    Done.",
        "tc={1}",
    )
    target = BytesIO()
    workbook.save(target)

    [page] = pages_of(target.getvalue(), "a.xlsx")

    said = "Comment (A1): Ask Petra Antwort: Done."
    assert page.text == f"Sheet\n\nLine one Line two\n\n{said}"


def test_columns_that_a_form_leaves_empty_part_no_label_from_its_value() -> None:
    """Its rows would be read as values below each other, under the first two as heads."""
    book = Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.title = "Contract"
    sheet["A1"] = "Verges"
    for row, (label, value) in enumerate(
        (("Contractor", "Greenway Ltd"), ("Contract no.", "GV-771/24"), ("Hourly rate", 48)), 1
    ):
        sheet.cell(2 * row + 1, 2, label)
        sheet.cell(2 * row + 1, 4, value)
    target = BytesIO()
    book.save(target)

    [page] = pages_of(target.getvalue(), "a.xlsx")

    assert [line for line in page.text.split("\n") if line] == [
        "Contract",
        "Verges",
        "Contractor | Greenway Ltd",
        "Contract no. | GV-771/24",
        "Hourly rate | 48",
    ]


def test_a_column_with_a_name_or_a_value_keeps_its_place() -> None:
    [page] = pages_of(b";Boat;;Fare;Paid\n;Punt;;4.50;\n;Barge;;31;\n;;;;9\nTotal\n", "a.csv")

    assert page.text == "Boat | Fare | Paid\nPunt | 4.50\nBarge | 31\n| | 9\nTotal"
