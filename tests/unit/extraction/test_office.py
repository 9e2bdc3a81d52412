"""Office files, e-books, messages and tables of values: what is read of them, and where."""

import re
from collections.abc import Callable
from datetime import datetime, time, timedelta
from io import BytesIO
from time import process_time
from typing import Final
from zipfile import ZipFile

import pytest
from openpyxl import Workbook
from openpyxl.cell.rich_text import CellRichText, TextBlock
from openpyxl.cell.text import InlineFont
from openpyxl.chart import BarChart
from openpyxl.comments import Comment
from openpyxl.styles import Font

from pulsedocs.errors import ContentTypeMismatch, FileUnreadable, ResourceExhausted
from pulsedocs.extraction import Budgets, format_of
from pulsedocs.extraction.counting import written
from pulsedocs.extraction.reading import open_file
from pulsedocs.extraction.workbooks import shown_value
from pulsedocs.model.pages import Page, PageOutcome
from tests.unit.extraction.office_files import (
    core,
    docx_of,
    epub_of,
    odt_of,
    paragraph,
    pptx_of,
    relationships,
    strict,
    word_table,
    xlsx_of,
    zip_of,
)


def pages_of(body: bytes, name: str, *, comments: bool = True, changes: bool = True) -> list[Page]:
    kind = format_of("application/octet-stream", name)
    budgets = Budgets(comments=comments, changes=changes)
    return list(open_file(body, content_type=kind.content_types[0], budgets=budgets).pages())


def test_a_word_file_is_read_as_with_all_changes_accepted() -> None:
    """S4-01: heading by the style's name, not its German id; table; change; comment."""
    body = (
        paragraph("Ferry rules", style="berschrift1")
        + "<w:p><w:r><w:t>The ferry leaves at </w:t></w:r>"
        "<w:del><w:r><w:delText>six</w:delText></w:r></w:del>"
        "<w:ins><w:r><w:t>seven.</w:t></w:r></w:ins></w:p>"
        + word_table(("Who", "Fare"), ("Adult", "4.50"))
    )
    comments = f'<w:comment w:id="1" w:author="Ada">{paragraph("Since May?")}</w:comment>'

    [page] = pages_of(docx_of(body, comments=comments), "a.docx")

    assert page.text == (
        "Ferry rules\n\nThe ferry leaves at seven.\n\nWho | Fare\nAdult | 4.50\n\n"
        "Comment (Ada): Since May?"
    )
    assert [(each.level, each.title) for each in page.headings] == [(1, "Ferry rules")]


CHANGED: Final = (
    "<w:p><w:r><w:t>The ferry leaves at </w:t></w:r>"
    "<w:del><w:r><w:delText>six</w:delText></w:r></w:del>"
    "<w:ins><w:r><w:t>seven</w:t></w:r></w:ins><w:r><w:t>.</w:t></w:r></w:p>"
    "<w:p><w:moveFrom><w:r><w:t>Dogs stay ashore. </w:t></w:r></w:moveFrom>"
    "<w:r><w:t>Bicycles are welcome.</w:t></w:r>"
    "<w:moveTo><w:r><w:t> Dogs stay ashore.</w:t></w:r></w:moveTo></w:p>"
    "<w:tbl><w:tr><w:trPr><w:del/></w:trPr><w:tc><w:p><w:del><w:r><w:delText>Adult 4.50"
    "</w:delText></w:r></w:del></w:p></w:tc></w:tr><w:tr><w:trPr><w:ins/></w:trPr><w:tc><w:p>"
    "<w:ins><w:r><w:t>Adult 5.20</w:t></w:r></w:ins></w:p></w:tc></w:tr></w:tbl>"
)


@pytest.mark.parametrize(
    ("changes", "text", "unread"),
    [
        (
            True,
            "The ferry leaves at seven.\n\nBicycles are welcome. Dogs stay ashore.\n\nAdult 5.20",
            "deleted text",
        ),
        (
            False,
            "The ferry leaves at six.\n\nDogs stay ashore. Bicycles are welcome.\n\nAdult 4.50",
            "inserted text",
        ),
    ],
)
def test_tracked_changes_are_accepted_or_rejected_and_what_they_leave_out_is_named(
    text: str, unread: str, *, changes: bool
) -> None:
    [page] = pages_of(docx_of(CHANGED), "a.docx", changes=changes)
    [plain] = pages_of(docx_of(paragraph("The ferry is red.")), "a.docx", changes=changes)

    assert (page.text, page.unread) == (text, (unread,))
    assert (plain.text, plain.unread) == ("The ferry is red.", ())


@pytest.mark.parametrize("strike", ["<w:strike/>", "<w:dstrike/>"])
def test_text_that_word_strikes_is_left_out_and_named(strike: str) -> None:
    body = f"<w:p><w:r><w:t>It costs </w:t></w:r><w:r><w:rPr>{strike}</w:rPr><w:t>100 EUR</w:t>"

    [page] = pages_of(docx_of(f"{body}</w:r><w:r><w:t> 80 EUR.</w:t></w:r></w:p>"), "a.docx")

    assert (page.text, page.unread) == ("It costs 80 EUR.", ("struck text",))


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

    page, *_ = pages_of(zip_with(xlsx_of(), {"docProps/core.xml": odd}), "a.xlsx")

    assert "Ferry" in page.text
    assert process_time() - started < 5  # thirty, if to the end from each


def _struck_sheet() -> bytes:
    """Return a sheet with a struck row, and a cell of which half is struck."""
    workbook = Workbook()
    sheet = workbook.worksheets[0]
    sheet.append(["Tool", "Price"])
    sheet.append(["Saw", 55])
    for cell in sheet[2]:
        cell.font = Font(strike=True)
    struck = TextBlock(InlineFont(strike=True), "100 EUR")
    sheet.append(["Drill", CellRichText(["now ", struck, TextBlock(InlineFont(b=True), "80 EUR")])])
    target = BytesIO()
    workbook.save(target)
    return target.getvalue()


def _struck_slide() -> bytes:
    runs = "<a:r><a:rPr {}/><a:t>{}</a:t></a:r>"
    price = runs.format('strike="sngStrike"', "100 EUR ") + runs.format('strike="noStrike"', "80")
    shape = f"<p:sp><p:txBody><a:p>{price}</a:p></p:txBody></p:sp>"
    return pptx_of(("Price",), more=shape)


_THROUGH = (
    '<style:style style:name="{}"><style:text-properties style:text-line-through-style="{}"/>'
)


@pytest.mark.parametrize(
    ("name", "body", "text"),
    [
        ("a.pptx", _struck_slide(), "Price\n\n80"),
        ("a.xlsx", _struck_sheet(), "Sheet\n\nTool | Price\nDrill | now 80 EUR"),
        (
            "a.odt",
            odt_of(
                '<text:p>Price <text:span text:style-name="T1">100</text:span>'
                '<text:span text:style-name="T2">80</text:span></text:p>'
                '<text:p text:style-name="P1">Old <text:span text:style-name="T2">and new'
                "</text:span> words</text:p>",
                styles="".join(
                    f"{_THROUGH.format(*each)}</style:style>"
                    for each in (("T1", "solid"), ("T2", "none"), ("P1", "solid"))
                ),
            ),
            "Price 80\n\nand new",
        ),
    ],
)
def test_text_that_other_office_files_strike_is_left_out_and_named(
    name: str, body: bytes, text: str
) -> None:
    [page] = pages_of(body, name)

    assert (page.text, page.unread) == (text, ("struck text",))


def test_the_main_part_of_a_word_file_may_have_another_name() -> None:
    """Microsoft 365 writes `word/document2.xml`; what is hidden in it is left out all the same."""
    hidden = paragraph("Say nothing.", run="<w:vanish/>")
    named = relationships({"main": "word/document2.xml"}, kind="officeDocument")
    with ZipFile(BytesIO(docx_of(paragraph("The ferry is red.") + hidden))) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    parts["word/document2.xml"] = parts.pop("word/document.xml")

    [page] = pages_of(zip_of({**parts, "_rels/.rels": named}), "a.docx")

    assert page.text == "The ferry is red."


def test_a_damaged_picture_is_no_reason_to_refuse_a_word_file() -> None:
    target = BytesIO(docx_of(paragraph("Hello.")))
    with ZipFile(target, "a") as archive:
        archive.writestr("word/media/image1.png", b"a picture")
    body = target.getvalue()
    damaged = body.replace(b"a picture", b"a pixture")

    assert damaged != body
    [page] = pages_of(damaged, "a.docx")

    assert page.text == "Hello."


def test_what_word_does_not_show_is_counted_and_not_read() -> None:
    shown = paragraph("The ferry is red.") + paragraph("Shown.", run='<w:vanish w:val="0"/>')
    hidden = paragraph("Say nothing.", run="<w:vanish/>") + paragraph(
        "x" * 8, run='<w:sz w:val="2"/>'
    )

    [page] = pages_of(docx_of(shown + hidden), "a.docx")

    assert page.text == "The ferry is red.\n\nShown."
    assert page.hidden_characters == len("Say nothing.") + 8


def test_a_file_in_strict_open_xml_is_read_like_another() -> None:
    """What is hidden or deleted is so under its other names, too, and numbers are counted."""
    hidden = paragraph("Say nothing.", run="<w:vanish/>")
    numbering = _pattern(1, ("decimal", "\u00a7 %1"))
    word = docx_of(_listed("Fares", 0) + hidden + CHANGED, numbering=numbering)
    slides = pptx_of(("Timetable", "First ferry 6:10"), notes="Wait.")
    sheets = xlsx_of()

    [page] = pages_of(strict(word), "a.docx")

    assert [page] == pages_of(word, "a.docx")
    assert page.text.startswith("\u00a7 1 Fares\n\nThe ferry leaves at seven.")
    assert page.hidden_characters == len("Say nothing.")
    assert pages_of(strict(slides), "a.pptx") == pages_of(slides, "a.pptx")
    assert pages_of(strict(sheets), "a.xlsx") == pages_of(sheets, "a.xlsx")


def _word_style(name: str, *, kind: str, run: str = "", based: str = "") -> str:
    based = f'<w:basedOn w:val="{based}"/>' if based else ""
    return f'<w:style w:type="{kind}" w:styleId="{name}">{based}<w:rPr>{run}</w:rPr></w:style>'


def test_what_a_style_of_word_hides_is_counted_and_not_read() -> None:
    """By the paragraph's style, the run's, or one that either is based on, even in a circle."""
    styles = (
        _word_style("secret", kind="paragraph", run="<w:vanish/>", based="deeper")
        + _word_style("deeper", kind="paragraph", run='<w:sz w:val="40"/>', based="secret")
        + _word_style("tiny", kind="character", run='<w:sz w:val="2"/>')
        + _word_style("tinier", kind="character", based="tiny")
    )
    body = (
        paragraph("The ferry is red.", style="deeper", run='<w:vanish w:val="0"/>')
        + paragraph("Say nothing.", style="secret")
        + paragraph("Nor this.", style="deeper")
        + paragraph("x" * 8, run='<w:rStyle w:val="tinier"/>')
        + paragraph("Shown.", run='<w:rStyle w:val="tinier"/><w:sz w:val="3"/>')
    )

    [page] = pages_of(docx_of(body, styles=styles), "a.docx")

    assert page.text == "The ferry is red.\n\nShown."
    assert page.hidden_characters == len("Say nothing." + "Nor this.") + 8


def test_a_slide_is_a_page_with_its_notes_in_the_order_of_the_show() -> None:
    body = pptx_of(
        ("Timetable", "First ferry 6:10", "Last ferry 22:40"),
        ("Draft", "Not yet"),
        ("Fares", "Adults pay 4.50"),
        notes="Bicycles are free.",
        hidden=2,
    )

    first, second, third = pages_of(body, "a.pptx")

    assert first.text == (
        "Timetable\n\nFirst ferry 6:10\nLast ferry 22:40\n\nNotes: Bicycles are free."
    )
    assert (first.headings[0].title, third.text) == ("Timetable", "Fares\n\nAdults pay 4.50")
    assert (second.outcome, second.hidden_characters) == (PageOutcome.HIDDEN_ONLY, 12)
    assert first.is_sheet is False


def _on_slide(*paragraphs: tuple[str, str], kind: str = "body") -> str:
    texts = "".join(
        f"<a:p><a:pPr{bullet}</a:pPr><a:r><a:t>{words}</a:t></a:r></a:p>"
        for bullet, words in paragraphs
    )
    place = f'<p:nvSpPr><p:nvPr><p:ph type="{kind}"/></p:nvPr></p:nvSpPr>'
    return f"<p:sp>{place}<p:txBody>{texts}</p:txBody></p:sp>"


def test_paragraphs_in_the_body_of_a_slide_are_points() -> None:
    points = _on_slide((">", "Wear gloves"), (">", "Wear goggles"), ("><a:buNone/>", "Stay out"))
    only = _on_slide((">", "Wear a hat"))
    below = _on_slide((">", "Room 4"), (">", "Ann Lee"), kind="subTitle")

    [page] = pages_of(pptx_of(("Rules",), more=points + only + below), "a.pptx")

    assert page.text == (
        "Rules\n\n- Wear gloves\n- Wear goggles\nStay out\n\nWear a hat\n\nRoom 4\nAnn Lee"
    )


def test_numbers_that_a_slide_counts_are_written() -> None:
    figure = '><a:buAutoNum type="arabicPeriod" startAt="3"/>'
    letter = ' lvl="1"><a:buAutoNum type="alphaLcParenR"/>'
    other = '><a:buAutoNum type="romanUcParenBoth"/>'
    steps = _on_slide(
        *((figure, "Open"), (letter, "left"), (letter, "right"), (figure, "Turn"), (letter, "up")),
        *((other, "Close"), (">", "Rest")),
    )

    [page] = pages_of(pptx_of(("Toner",), more=steps), "a.pptx")

    assert page.text == (
        "Toner\n\n3. Open\n  a) left\n  b) right\n4. Turn\n  a) up\n(I) Close\n- Rest"
    )


def test_a_break_between_lines_of_a_slide_parts_words() -> None:
    raised = "10</a:t></a:r><a:r><a:rPr baseline='30000'/><a:t>6</a:t></a:r><a:br><a:rPr/></a:br>"
    table = (
        "<a:tbl><a:tr><a:tc><a:txBody><a:p><a:r><a:t>Opening</a:t></a:r><a:br/><a:r><a:t>hours"
        "</a:t></a:r></a:p></a:txBody></a:tc></a:tr></a:tbl>"
    )
    title = "Quarterly</a:t></a:r><a:br/><a:r><a:t>Review"

    [page] = pages_of(pptx_of((title, f"{raised}<a:r><a:t>litres"), more=table), "a.pptx")

    assert page.text == "Quarterly Review\n\n10⁶ litres\n\nOpening hours"


def _slide_with(shapes: str, *, more: str = "") -> bytes:
    """Return a presentation of one slide, 9 by 6 inches."""
    tree = f"<p:cSld><p:spTree><p:nvGrpSpPr><p:cNvPr/></p:nvGrpSpPr>{shapes}</p:spTree></p:cSld>"
    body = pptx_of(("Fares",), more=tree + more)
    with ZipFile(BytesIO(body)) as archive:
        part = archive.read("ppt/presentation.xml").decode()
    size = f'<p:sldSz cx="{9 * EMU}" cy="{6 * EMU}"/></p:presentation>'
    return with_parts(body, {"ppt/presentation.xml": part.replace("</p:presentation>", size)})


def _placed(text: str, left: int, *, named: str = "") -> str:
    corner, extent = f'<a:off x="{left * EMU}" y="{EMU}"/>', f'<a:ext cx="{EMU}" cy="{EMU}"/>'
    return (
        f"<p:sp><p:nvSpPr><p:cNvPr {named}/></p:nvSpPr><p:spPr><a:xfrm>{corner}{extent}</a:xfrm>"
        f"</p:spPr><p:txBody><a:p><a:r><a:t>{text}</a:t></a:r></a:p></p:txBody></p:sp>"
    )


def test_shapes_that_no_show_shows_are_counted_and_not_read() -> None:
    shown = _placed("Day 24 EUR", 1)
    unseen = _placed("Day 19 EUR", 1, named='hidden="1"') + _placed("Day 15 EUR", -2)
    group = f"<p:grpSp><p:nvGrpSpPr><p:cNvPr hidden='true'/></p:nvGrpSpPr>{shown}</p:grpSp>"

    [page] = pages_of(_slide_with(shown + unseen + group), "a.pptx")
    [moving] = pages_of(_slide_with(_placed("Day 15 EUR", 10), more="<p:animMotion/>"), "a.pptx")

    assert page.text == "Fares\n\nDay 24 EUR"
    assert page.hidden_characters == 3 * len("Day 24 EUR")
    assert moving.text == "Fares\n\nDay 15 EUR"


def test_a_title_beside_the_slide_is_its_heading() -> None:
    title = _placed("Fares by day", -2).replace(
        "</p:nvSpPr>", '<p:nvPr><p:ph type="title"/></p:nvPr></p:nvSpPr>'
    )

    [page] = pages_of(_slide_with(title), "a.pptx")

    assert (page.text, page.hidden_characters) == ("Fares\n\nFares by day", 0)
    assert [each.title for each in page.headings] == ["Fares", "Fares by day"]


def test_a_formula_of_a_slide_is_read() -> None:
    math = 'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"'
    power = (
        "<m:sSup><m:e><m:r><m:t>c</m:t></m:r></m:e><m:sup><m:r><m:t>2</m:t></m:r></m:sup></m:sSup>"
    )
    formula = f"<m:oMath {math}><m:r><m:t>E=m</m:t></m:r>{power}</m:oMath>"
    words = f"<a:r><a:t>Energy is </a:t></a:r>{formula}"

    [page] = pages_of(
        _slide_with(f"<p:sp><p:txBody><a:p>{words}</a:p></p:txBody></p:sp>"), "a.pptx"
    )

    assert page.text == "Fares\n\nEnergy is E=mc^2"


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


def test_what_a_slide_has_for_older_programs_is_not_read_twice() -> None:
    mc = "http://schemas.openxmlformats.org/markup-compatibility/2006"
    body = pptx_of(("Fares", "Adults pay 4.50"))
    with ZipFile(BytesIO(body)) as archive:
        slide = archive.read("ppt/slides/slide1.xml").decode()
    shapes = slide[slide.index(">") + 1 : slide.rindex("</p:sld>")]
    twice = f'<m:AlternateContent xmlns:m="{mc}"><m:Choice>{shapes}</m:Choice><m:Fallback>{shapes}'
    slide = slide.replace(shapes, f"{twice}</m:Fallback></m:AlternateContent>")

    [page] = pages_of(zip_with(body, {"ppt/slides/slide1.xml": slide}), "a.pptx")

    assert page.text == "Fares\n\nAdults pay 4.50"


def test_an_open_document_has_headings_lists_and_tables() -> None:
    body = (
        '<text:h text:outline-level="2">Fares</text:h>'
        "<text:list><text:list-item><text:p>Adults<text:s/>pay 4.50</text:p></text:list-item>"
        "</text:list><table:table><table:table-row><table:table-cell><text:p>Child</text:p>"
        "</table:table-cell><table:table-cell><text:p>free</text:p></table:table-cell>"
        "</table:table-row></table:table>"
        "<text:tracked-changes><text:p>deleted</text:p></text:tracked-changes>"
    )

    [page] = pages_of(odt_of(body, title="Rules"), "a.odt")

    assert page.text == "Fares\n\n- Adults pay 4.50\n\nChild | free"
    assert (page.title, page.headings[0].level) == ("Rules", 2)


_NOTE = (
    "<text:note><text:note-citation>1</text:note-citation>"
    "<text:note-body><text:p>Since 2020.</text:p></text:note-body></text:note>"
)


def test_a_footnote_of_an_open_document_does_not_cut_its_sentence() -> None:
    body = f"<text:p>The fee is{_NOTE} 50 EUR per year.</text:p><text:p>Ask Ida.</text:p>"

    [page] = pages_of(odt_of(body), "a.odt")

    assert page.text == "The fee is[1] 50 EUR per year.\n\nAsk Ida.\n\n1. Since 2020."


def test_what_an_open_document_hides_is_counted_and_not_read() -> None:
    styles = (
        '<style:style style:name="T1"><style:text-properties text:display="none"/></style:style>'
    )
    body = (
        '<text:p>The ferry <text:span text:style-name="T1">never </text:span>is red.</text:p>'
        '<text:section text:display="none"><text:p>Say nothing.</text:p></text:section>'
    )

    [page] = pages_of(odt_of(body, styles=styles), "a.odt")

    assert page.text == "The ferry is red."
    assert page.hidden_characters == len("never Say nothing.")


def _odt_list(*items: str, more: str = "") -> str:
    listed = "".join(f"<text:list-item>{item}</text:list-item>" for item in items)
    return f"<text:list {more}>{listed}</text:list>"


def test_items_of_an_open_document_are_counted_by_their_style() -> None:
    """A list goes on where it says so, an item that only holds others is none."""
    levels = (
        '1" style:num-format="1" style:num-suffix="." text:start-value="3',
        '2" style:num-format="a" style:num-prefix="(" style:num-suffix=")',
        '3" style:num-format="I" text:display-levels="3',
    )
    described = "".join(f'<text:list-level-style-number text:level="{each}"/>' for each in levels)
    styles = f'<text:list-style style:name="L1">{described}</text:list-style>'
    named = 'text:style-name="L1"'
    inner = _odt_list(
        "<text:p>Short.</text:p>", f"<text:p>Long.</text:p>{_odt_list('<text:p>Very.</text:p>')}"
    )
    body = (
        _odt_list(f"<text:p>Term.</text:p>{inner}", "<text:p>End.</text:p>", more=named)
        + "<text:p>Caution: hot.</text:p>"
        + _odt_list(
            _odt_list("<text:p>Deep.</text:p>"),
            "<text:p>Go.</text:p>",
            more=f'{named} text:continue-numbering="true"',
        )
        + _odt_list("<text:p>Again.</text:p>", more=named)
    )

    [page] = pages_of(odt_of(body, styles=styles), "a.odt")

    assert page.text.splitlines() == [
        "3. Term.",
        "  (a) Short.",
        "  (b) Long.",
        "    3.b.I Very.",
        "4. End.",
        "",
        "Caution: hot.",
        "  (a) Deep.",
        "5. Go.",
        "",
        "3. Again.",
    ]


def test_headings_of_an_open_document_have_the_numbers_of_their_outline() -> None:
    """A style says itself, or by the one it is made from, that its headings have none.

    One that is of another list is not counted by the outline either.
    """
    common = (
        '<text:outline-style style:name="Outline">'
        '<text:outline-level-style text:level="1" style:num-format="1"/>'
        '<text:outline-level-style text:level="2" style:num-format="a" style:num-suffix=")"'
        ' text:display-levels="2"/><text:outline-level-style text:level="3" style:num-format=""/>'
        '</text:outline-style><style:style style:name="Plain" style:family="paragraph"'
        ' style:list-style-name=""/>'
    )
    styles = (
        '<style:style style:name="P1" style:family="paragraph" style:parent-style-name="Plain"/>'
        '<style:style style:name="P2" style:family="paragraph" style:list-style-name="Outline"/>'
        '<style:style style:name="P3" style:family="paragraph" style:list-style-name="WWNum5"/>'
    )
    named = (
        *((1, "Rent", ""), (2, "Due", ""), (2, "Late", ""), (3, "Fee", ""), (1, "Thanks", "P1")),
        *((1, "Pets", "P2"), (2, "Dogs", ""), (1, "Annex", 'x" text:is-list-header="true')),
        (1, "Appendix", "P3"),
    )
    body = "".join(
        f'<text:h text:outline-level="{level}" text:style-name="{style}">{words}</text:h>'
        for level, words, style in named
    )

    [page] = pages_of(odt_of(body, styles=styles, common=common), "a.odt")

    assert page.text.split("\n\n") == [
        *("1 Rent", "1.a) Due", "1.b) Late", "Fee", "Thanks", "2 Pets", "2.a) Dogs", "Annex"),
        "Appendix",
    ]


def test_an_open_document_says_what_it_shows() -> None:
    """Formulas and readings, and neither what an index is made by nor what a picture is called.

    A formula is read once, however often it is drawn.
    """
    math = (
        '<math xmlns="http://www.w3.org/1998/Math/MathML"><semantics><mrow><msup><mi>r</mi>'
        "<mn>2</mn></msup></mrow><annotation>r^2</annotation></semantics></math>"
    )
    link = 'xmlns:xlink="http://www.w3.org/1999/xlink" xlink:href'
    body = (
        "<text:table-of-content><text:table-of-content-source>Template"
        "</text:table-of-content-source><text:index-body><text:p>Contents</text:p>"
        "</text:index-body></text:table-of-content><text:p>See <text:ruby><text:ruby-base>"
        "\u6771\u4eac</text:ruby-base><text:ruby-text>T\u014dky\u014d</text:ruby-text></text:ruby>"
        " in<draw:frame><svg:title>Alt</svg:title><svg:desc>A map</svg:desc></draw:frame> m "
        f'<draw:frame><draw:object {link}="./Object 1"/></draw:frame>.</text:p>'
        f'<text:p><draw:frame><draw:object {link}="./Object 2"/></draw:frame></text:p>'
        f'<text:p><draw:frame><draw:object {link}="./Object 3"/></draw:frame></text:p>'
    )
    body += f'<draw:frame><draw:object {link}="Object 1"/></draw:frame>' * 2
    objects = {
        "Object 1/content.xml": math,
        "Object 2/content.xml": "<office/>",
        "Object 3/content.xml": "",
    }

    [page] = pages_of(with_parts(odt_of(body), objects), "a.odt")

    assert page.text == "Contents\n\nSee \u6771\u4eac(T\u014dky\u014d) in m r^2."
    assert page.unread == ("4 embedded files",)


def test_the_chapters_of_a_book_come_in_its_order_each_on_a_page_of_its_own() -> None:
    first, second = pages_of(
        epub_of("<h1>Water</h1><p>It flows.</p>", "<h1>Ice</h1><p>It rests.</p>", title="Seas"),
        "a.epub",
    )

    assert (first.text, second.text) == ("Water\n\nIt flows.", "Ice\n\nIt rests.")
    assert (first.title, second.headings[0].title) == ("Seas", "Ice")


def test_a_chapter_with_an_empty_title_is_read() -> None:
    """XHTML closes any element in its own tag; in HTML the rest would be the title."""
    [page] = pages_of(
        epub_of('<html><head><title/><script src="a.js"/></head><p>It flows.</p></html>'), "a.epub"
    )

    assert page.text == "It flows."


def test_a_protected_book_is_refused_unless_its_fonts_alone_are() -> None:
    with pytest.raises(FileUnreadable, match="without DRM"):
        pages_of(epub_of(b"\x93\x01\xfe", encrypted="OEBPS/text/c%201.xhtml"), "a.epub")
    [page] = pages_of(epub_of("<p>It flows.</p>", encrypted="OEBPS/fonts/a.otf"), "a.epub")

    assert page.text == "It flows."


@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "utf-16", "iso-8859-15", "koi8-r", "shift_jis"]
)
def test_a_chapter_is_read_in_the_encoding_it_says(encoding: str) -> None:
    words = {"shift_jis": "水が流れる", "koi8-r": "Река"}.get(encoding, "Der Fluß")
    chapter = f'<?xml version="1.0" encoding="{encoding.removesuffix("-sig")}"?><p>{words}</p>'

    [page] = pages_of(epub_of(chapter.encode(encoding)), "a.epub")

    assert page.text == words


def test_a_message_is_its_subject_its_people_and_its_text() -> None:
    body = (
        b"From: Ada <ada@example.org>\r\nSubject: =?utf-8?q?Schl=C3=BCssel?=\r\n"
        b"Content-Type: multipart/mixed; boundary=x\r\n\r\n--x\r\n\r\nUnder the <mat>.\r\n--x\r\n"
        b"Content-Disposition: attachment; filename=plan.pdf\r\n\r\nAAAA\r\n--x--\r\n"
    )

    [page] = pages_of(body, "a.eml")

    assert page.text == (
        "Schlüssel\n\nFrom: Ada <ada@example.org>\n\nUnder the <mat>.\n\nAttachment: plan.pdf"
    )
    assert page.title == "Schlüssel"


def _mail(kind: str, *parts: str) -> bytes:
    bodies = "".join(f"--x\n{part}\n" for part in parts)
    return (f"Subject: Key\nContent-Type: multipart/{kind}; boundary=x\n\n{bodies}--x--\n").encode()


def _mixed_with(*parts: str) -> str:
    bodies = "".join(f"--y\n{part}\n" for part in parts)
    return f"Content-Type: multipart/mixed; boundary=y\n\n{bodies}--y--"


_PICTURE = "Content-Type: image/png; name=map.png\nContent-Disposition: inline\n\nAAAA"
_BLANK = "Content-Type: text/plain\n\n \n"
_RICH = "Content-Type: text/html\n\n<p>Under the <b>mat</b>.</p>"
_PLAN = "Content-Type: application/pdf; name=plan.pdf\nContent-Disposition: attachment\n\nAAAA"
_FILE = "Content-Type: application/pdf; name=plan.pdf\n\nAAAA"
_BESIDE = "Attachment: plan.pdf\n\nUnder the mat."
_AMP = "Content-Type: text/x-amp-html\n\n<p>Under.</p>"
_INVITATION = "Content-Type: text/calendar; name=a.ics\n\nBEGIN:VCALENDAR"
_LETTER = "Hello Kim, the new fares of the ferry are below. Greetings, Jo"
_STUB = "If you see nothing, open this in your browser: https://mail.example.org/v/123 ."
_FARES = f"Content-Type: text/html\n\n<p>{_LETTER}</p><table><tr><td>Adults<td>4.50</table>"
_DRAWN_FARES = "Content-Type: text/html\n\n<img src='fares.png'><p>\u00a9 Ferry Office 2031</p>"
_STAMPED = "Content-Type: text/html\n\n<p>Hello Kim<img src='a.png'><p>Ferry Office, Quay 5</p>"
_RICH_LETTER = f"Content-Type: text/html\n\n<p>{_LETTER}</p>"
_FORWARDED = "Content-Type: message/rfc822\n\nSubject: Door\nFrom: ada@example.org\n\nIt is green."


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (
            _mail("mixed", "\nUnder the mat.", _PICTURE, "\nBehind the door."),
            "Under the mat.\n\nAttachment: map.png\n\nBehind the door.",
        ),
        (_mail("alternative", _BLANK, _RICH), "Under the mat."),
        (_mail("alternative", "\nIn words.", _RICH), "In words."),
        (
            _mail("alternative", "\nIn words.", _mixed_with(_RICH, _PLAN)),
            "In words.\n\nAttachment: plan.pdf",
        ),
        (_mail("related", _RICH, _PICTURE), "Under the mat."),
        (_mail("related", _RICH, _FILE), "Under the mat.\n\nAttachment: plan.pdf"),
        (_mail("alternative", _AMP, _INVITATION, _RICH), "Attachment: a.ics\n\nUnder the mat."),
        (_mail("alternative", _BLANK, _RICH, _INVITATION), "Under the mat.\n\nAttachment: a.ics"),
        (
            _mail("mixed", "\nSee below.", _FORWARDED),
            "See below.\n\nDoor\n\nFrom: ada@example.org\n\nIt is green.",
        ),
        (_mail("mixed", "\nOne.\r\n\r\nTwo."), "One.\n\nTwo."),
        (
            _mail("alternative", "\nNo HTML?", f"{_RICH}<p>The door is green."),
            "Under the mat.\n\nThe door is green.",
        ),
        (_mail("alternative", f"\n{_LETTER}", _FARES), f"{_LETTER}\n\nAdults | 4.50"),
        (
            _mail("alternative", f"\n{_LETTER}\n\nAdults 4.50, children 2.20", _DRAWN_FARES),
            f"{_LETTER}\n\nAdults 4.50, children 2.20",
        ),
        (_mail("alternative", f"\n{_STUB}", _FARES), f"{_LETTER}\n\nAdults | 4.50"),
        (_mail("alternative", f"\n{_LETTER}", _STAMPED), _LETTER),
        (_mail("alternative", "\nNo HTML? Ref. 4711", _RICH_LETTER), _LETTER),
        (_mail('related; start="<r>"', _FILE, f"Content-ID: <r>\n{_RICH}"), _BESIDE),
        (
            _mail("mixed", "\nYes.\nBo wrote:\n> When it is too\n> early, >5 wait.\n>> Who?\n>\n"),
            "Yes.\nBo wrote:\n\nWhen it is too\nearly, >5 wait.\n\nWho?",
        ),
    ],
    ids=[
        "text, picture, text",
        "no plain text",
        "plain",
        "files",
        "pictures",
        "a file beside the pictures",
        "a calendar",
        "a calendar behind",
        "forwarded",
        "CRLF",
        "a plain text that is none",
        "a table that is in the HTML only",
        "a table that is a picture there",
        "a plain text of an address only",
        "a letter without figures, of which the HTML has the signature",
        "a number in a plain text that is none",
        "the root of what is related, behind a file",
        "quotes",
    ],
)
def test_all_that_a_message_says_is_read(body: bytes, text: str) -> None:
    [page] = pages_of(body, "a.eml")

    assert page.text == f"Key\n\n{text}"


def test_a_long_word_of_a_message_is_searched_for_addresses_once() -> None:
    word = "a" * 40_000
    started = process_time()

    [page] = pages_of(_mail("alternative", f"\n{word}", _RICH), "a.eml")

    assert page.text == "Key\n\nUnder the mat."
    assert process_time() - started < 5  # twenty and more, if from each of its letters


def test_a_message_in_another_encoding_is_read_by_what_it_says() -> None:
    head = "Subject: Fee\nContent-Type: text/plain; charset=iso-8859-15\n\n"

    [page] = pages_of(f"{head}Müller zahlt 5 €.".encode("iso-8859-15"), "a.eml")
    [plain] = pages_of("Subject: Fee\n\nMüller zahlt.".encode(), "a.eml")

    assert page.text == "Fee\n\nMüller zahlt 5 €."
    assert plain.text == "Fee\n\nMüller zahlt."


def test_a_message_that_says_no_encoding_is_read_as_old_programs_wrote_it() -> None:
    [page] = pages_of("Subject: Gebühr\n\nFür das Café 5 €.".encode("cp1252"), "a.eml")
    [utf8] = pages_of("Subject: Gebühr\n\nFür das Café 5 €.".encode(), "a.eml")

    assert page.text == utf8.text == "Gebühr\n\nFür das Café 5 €."
    assert page.title == utf8.title == "Gebühr"


@pytest.mark.parametrize(
    "charset",
    [
        b"charset=unicode_escape",
        b"charset=cp037",
        b"charset=utf-7",
        b"charset=u\0s",
        b"charset*=u\0s''utf-8",
        b"charset*=utf-8''u%00s",
    ],
)
def test_a_message_in_no_encoding_of_texts_is_read_as_utf8(charset: bytes) -> None:
    head = b"Subject: Fee\nContent-Type: text/plain; " + charset

    [page] = pages_of(head + b"\n\nPay \\x35 +AGE- \xc3\xa4.", "a.eml")

    assert page.text == "Fee\n\nPay \\x35 +AGE- ä."


def test_no_part_of_a_message_hides_another() -> None:
    html = "Content-Type: text/html\n\n<style>h1, p {display:none}</style><b>Two.</b><!-- open"
    forwarded = f"Content-Type: message/rfc822\n\nSubject: Door\n{html}"

    [page] = pages_of(_mail("mixed", "\nOne.", f"{html}<p>no", "\nThree.", forwarded), "a.eml")
    [single] = pages_of(f"Subject: Key\nFrom: ada@example.org\n{html}".encode(), "a.eml")

    assert page.text == "Key\n\nOne.\n\nTwo.\n\nThree.\n\nDoor\n\nTwo."
    assert single.text == "Key\n\nFrom: ada@example.org\n\nTwo."


def test_messages_within_each_other_are_read_to_a_depth() -> None:
    body = "Subject: Last\n\nIt is green."
    for number in range(9):
        body = f"Subject: {number}\nContent-Type: message/rfc822\n\n{body}"

    [page] = pages_of(body.encode(), "a.eml")

    assert page.text == "8\n\n7\n\n6\n\n5\n\n4\n\nAttachment: message/rfc822"


@pytest.mark.parametrize("name", ["a.docx", "a.pptx", "a.xlsx"])
def test_the_title_is_the_one_that_the_file_states(name: str) -> None:
    parts = {"a.docx": docx_of(paragraph("Words.")), "a.pptx": pptx_of(("Words", "."))}
    body = zip_with(parts.get(name) or xlsx_of(), core("Ferry rules"))

    assert pages_of(body, name)[0].title == "Ferry rules"


@pytest.mark.parametrize(
    ("name", "body", "error", "says"),
    [
        ("a.docx", xlsx_of(), ContentTypeMismatch, "without 'word/document'"),
        ("a.docx", b"plain words", ContentTypeMismatch, "no ZIP archive"),
        ("a.xlsx", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", ContentTypeMismatch, "with a password"),
        ("a.docx", b"PK\x03\x04word/document.xml", FileUnreadable, "damaged"),
        ("a.odt", zip_of({"content.xml": "<a/>"}), FileUnreadable, "no text document"),
        (
            "a.docx",
            zip_of({"word/document.xml": b"0" * 200_000_001}),
            ResourceExhausted,
            "200 MB once it is unpacked",
        ),
    ],
)
def test_what_cannot_be_read_says_why(
    name: str, body: bytes, error: type[Exception], says: str
) -> None:
    with pytest.raises(error, match=says):
        pages_of(body, name)


def zip_with(body: bytes, parts: dict[str, str]) -> bytes:
    """Return the archive with some of its parts replaced."""
    with ZipFile(BytesIO(body)) as archive:
        kept = {name: archive.read(name) for name in archive.namelist()}
    return zip_of({**kept, **parts})


def test_fields_and_formulas_of_word_are_read() -> None:
    body = (
        '<w:p><w:fldSimple w:instr="REF x"><w:r><w:t>See 4.2.</w:t></w:r></w:fldSimple></w:p>'
        '<w:p><m:oMathPara xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math">'
        "<m:oMath><m:r><m:t>v=s/t</m:t></m:r></m:oMath></m:oMathPara></w:p>"
    )

    [page] = pages_of(docx_of(body), "a.docx")

    assert page.text == "See 4.2.\n\nv=s/t"


_KEEPING_SPACES = '<w:t xml:space="preserve">'


def _run(text: str) -> str:
    return f"<w:r>{_KEEPING_SPACES}{text}</w:t></w:r>"


def _math(name: str, *parts: str) -> str:
    """Return a part of a formula: others, or words."""
    within = (each if each[:1] == "<" else f"<m:r><m:t>{each}</m:t></m:r>" for each in parts)
    return f"<m:{name}>{''.join(within)}</m:{name}>"


_HALF = _math("f", _math("num", "1"), _math("den", "2"))
_X_I = _math("sSub", _math("e", "x"), _math("sub", "i"))


@pytest.mark.parametrize(
    ("formula", "read"),
    [
        (_math("f", _math("num", "a+1"), _math("den", "b")), "(a+1)/b"),
        (_math("sSup", _math("e", "x"), _math("sup", "2")), "x^2"),
        (_math("sSubSup", _math("e", "x"), _math("sub", "i"), _math("sup", "2")), "x_i^2"),
        (_math("rad", _math("deg"), _math("e", "x+1")), "\u221a(x+1)"),
        (_math("d", _math("e", _HALF)) + _X_I, "(1/2)x_i"),
        (
            _math("nary", _math("sub", "i=1"), _math("sup", "n"), _math("e", _X_I)),
            "∫_(i=1)^n x_i",
        ),
        (_math("m", _math("mr", _math("e", "1"), _math("e", "0")), _math("mr", "2")), "1, 0; 2"),
    ],
)
def test_a_formula_of_word_keeps_what_its_places_say(formula: str, read: str) -> None:
    spaces = 'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"'
    body = f"<w:p><m:oMath {spaces}>{formula}</m:oMath></w:p>"

    [page] = pages_of(docx_of(body), "a.docx")

    assert page.text == read


def test_runs_that_the_library_of_word_leaves_out_are_read() -> None:
    """A turned direction, a line's end, a tab, and what was chosen in a form."""
    entries = "".join(f'<w:listEntry w:val="{size}"/>' for size in "SML")
    field = (
        '<w:r><w:fldChar w:fldCharType="begin"><w:ffData><w:ddList><w:result w:val="1"/>'
        f"{entries}</w:ddList></w:ffData></w:fldChar></w:r><w:r><w:instrText> FORMDROPDOWN "
        '</w:instrText></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r>'
    )
    turned = '<w:bdo w:val="ltr"><w:r><w:t>Size:</w:t></w:r></w:bdo>'
    lines = "<w:r><w:t>Next</w:t><w:cr/><w:t>Third</w:t><w:ptab/><w:t>page</w:t></w:r>"

    [page] = pages_of(docx_of(f"<w:p>{turned}{field}</w:p><w:p>{lines}</w:p>"), "a.docx")

    assert page.text == "Size:M\n\nNext\nThird page"


def _field(*instruction: str, result: str = "") -> str:
    """Return a complex field of Word; parts of its instruction that are tags stand as they are."""
    marks = [f'<w:r><w:fldChar w:fldCharType="{kind}"/></w:r>' for kind in ("begin", "end")]
    parts = "".join(
        each if each[:1] == "<" else f"<w:r><w:instrText>{each}</w:instrText></w:r>"
        for each in instruction
    )
    separate = marks[0].replace("begin", "separate") + result if result else ""
    return f"{marks[0]}{parts}{separate}{marks[1]}"


def test_what_lies_in_the_instruction_of_a_field_of_word_is_not_read() -> None:
    """Nor in one without a result; a field without an end takes nothing with it."""
    age = _field(" MERGEFIELD Age ", result=_run("17"))
    fee = _field(" IF ", age, ' &lt; 18 "40" "65" ', result=_run("40"))
    mark = _field(" XE ", _field(" REF name ", result=_run("fees")))
    open_end = '<w:r><w:fldChar w:fldCharType="begin"/></w:r>'
    body = f"<w:p>{_run('The fee is ')}{fee}{_run(' EUR')}{mark}{_run('.')}</w:p>"

    [page] = pages_of(docx_of(f"{body}<w:p>{open_end}{_run('Shown.')}</w:p>{body}"), "a.docx")

    assert page.text == "The fee is 40 EUR.\n\nShown.\n\nThe fee is 40 EUR."


def _box(text: str) -> str:
    return f"<w:txbxContent>{paragraph(text)}</w:txbxContent>"


def _drawn(text: str) -> str:
    return f'<w:drawing><d:anchor xmlns:d="d">{_box(text)}</d:anchor></w:drawing>'


def _either(choice: str, fallback: str = "", *, requires: str = "wps") -> str:
    mc = "http://schemas.openxmlformats.org/markup-compatibility/2006"
    other = f"<mc:Fallback>{fallback}</mc:Fallback>" if fallback else ""
    return (
        f'<mc:AlternateContent xmlns:mc="{mc}"><mc:Choice Requires="{requires}">{choice}'
        f"</mc:Choice>{other}</mc:AlternateContent>"
    )


def _old_shape(name: str, text: str) -> str:
    shape = f"<v:textbox>{_box(text)}</v:textbox>"
    return f'<w:pict><v:{name} xmlns:v="urn:schemas-microsoft-com:vml">{shape}</v:{name}></w:pict>'


def test_text_boxes_of_word_are_read_once_whatever_their_shape() -> None:
    """Those that only newer programs draw, too, but nothing that Word itself does not know."""
    boxes = (
        _either(_drawn("Oval."), _old_shape("oval", "Oval.")),
        _either(_drawn("New.")),
        _drawn("Bare."),
        _either(_drawn("Unknown."), requires="x"),
    )
    body = "".join(f"<w:p>{_run('Beside.')}<w:r>{box}</w:r></w:p>" for box in boxes)

    [page] = pages_of(docx_of(body), "a.docx")

    assert page.text.split("\n\n") == (
        ["Beside.", "Oval.", "Beside.", "New.", "Beside.", "Bare.", "Beside."]
    )


def test_readings_above_characters_of_word_stand_in_brackets() -> None:
    base = f"<w:rubyBase>{_run('東京')}</w:rubyBase>"
    ruby = f"<w:ruby><w:rt>{_run('とうきょう')}</w:rt>{base}</w:ruby>"

    [page] = pages_of(docx_of(f"<w:p>{_run('Meet in ')}<w:r>{ruby}</w:r></w:p>"), "a.docx")

    assert page.text == "Meet in 東京(とうきょう)"


def test_footnotes_of_word_follow_the_text_behind_the_number_of_their_call() -> None:
    """Also where a list of the text says itself what its items are counted by."""
    call = (
        "<w:p><w:r><w:t>The fee is</w:t></w:r><w:r><w:footnoteReference w:id='2'/></w:r>"
        "<w:r><w:t> 50 EUR.</w:t></w:r></w:p>"
    )
    notes = f"<w:footnote w:id='2'>{paragraph('Since 2020.')}</w:footnote>"
    numbering = _pattern(1, ("lowerLetter", "%1)"))

    [page] = pages_of(
        docx_of(call + _listed("Ropes.", 0), footnotes=notes, numbering=numbering), "a.docx"
    )

    assert page.text == "The fee is[1] 50 EUR.\n\na) Ropes.\n\n1. Since 2020."


def _content_control(mark: str, *, checked: str) -> str:
    space = 'xmlns:w14="http://schemas.microsoft.com/office/word/2010/wordml"'
    box = f'<w14:checkbox {space}><w14:checked w14:val="{checked}"/></w14:checkbox>'
    content = f"<w:sdtContent><w:r><w:t>{mark}</w:t></w:r></w:sdtContent>"
    return f"<w:sdt><w:sdtPr>{box}</w:sdtPr>{content}</w:sdt>"


def _form_field(checked: str) -> str:
    box = f'<w:ffData><w:checkBox><w:default w:val="{checked}"/></w:checkBox></w:ffData>'
    return (
        f'<w:r><w:fldChar w:fldCharType="begin">{box}</w:fldChar></w:r>'
        "<w:r><w:instrText> FORMCHECKBOX </w:instrText></w:r>"
        '<w:r><w:fldChar w:fldCharType="end"/></w:r>'
    )


def test_boxes_of_word_are_ticked_or_not() -> None:
    boxes = {
        " I agree.": _content_control("\u2612", checked="1"),
        " I refuse.": _content_control("\u2610", checked="0"),
        " I am of age.": _form_field("1"),
        " I have a dog.": _form_field("0"),
    }
    body = "".join(f"<w:p>{box}<w:r><w:t>{text}</w:t></w:r></w:p>" for text, box in boxes.items())

    [page] = pages_of(docx_of(body), "a.docx")

    assert page.text.split("\n\n") == [
        "\u2611 I agree.",
        "\u2610 I refuse.",
        "\u2611 I am of age.",
        "\u2610 I have a dog.",
    ]


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


def test_a_row_of_word_that_begins_further_right_keeps_its_columns() -> None:
    free = '<w:tr><w:trPr><w:gridBefore w:val="2"/></w:trPr>'
    table = word_table(("Berth", "Summer", "Winter"), ("North", "120", "80"), ("60",))
    at = table.rindex("<w:tr>")
    body = table[:at] + free + table[at + len("<w:tr>") :]

    [page] = pages_of(docx_of(body), "a.docx")

    assert page.text == "Berth | Summer | Winter\nNorth | 120 | 80\n| | 60"


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


def with_parts(body: bytes, parts: dict[str, str]) -> bytes:
    with ZipFile(BytesIO(body)) as archive:
        return zip_of({name: archive.read(name) for name in archive.namelist()} | parts)


def test_what_an_office_file_shows_and_nobody_reads_is_named() -> None:
    word = with_parts(
        docx_of(paragraph("Text.") + "<w:altChunk/>", header1=paragraph("Ferry Office")),
        {"word/charts/chart1.xml": "<c/>", "word/charts/chart2.xml": "<c/>"},
    )
    workbook = Workbook()
    workbook.worksheets[0].append(["Sum", "=1+1"])
    sheet = BytesIO()
    workbook.save(sheet)

    assert pages_of(word, "a.docx")[0].unread == (
        "headers and footers",
        "text inserted from another file",
        "2 charts",
    )
    assert pages_of(sheet.getvalue(), "a.xlsx")[0].unread == ("1 formula without a saved result",)
    assert pages_of(docx_of(paragraph("Text.")), "a.docx")[0].unread == ()


def _sheets_with_charts() -> bytes:
    """Return a sheet without a chart, one with a chart, one that is a chart, and a hidden one."""
    workbook = Workbook()
    workbook.worksheets[0].append(["Text."])
    for name in ("Sums", "Inner"):
        workbook.create_sheet(name).add_chart(BarChart(), "A1")
    workbook["Inner"].sheet_state = "hidden"
    workbook.create_chartsheet("Curve").add_chart(BarChart())
    target = BytesIO()
    workbook.save(target)
    return target.getvalue()


def test_what_nobody_reads_is_named_where_it_is_shown() -> None:
    """The data of a chart is a file within its own, which nobody sees."""
    shows = '<Relationship Id="c" Type="x/chart" Target="../charts/chart1.xml"/>'
    slides = with_parts(
        pptx_of(("One",), ("Two",)),
        {
            # The second slide, as the parts are numbered from the end.
            "ppt/slides/_rels/slide1.xml.rels": RELATED.format(shows),
            "ppt/charts/chart1.xml": "<c/>",
            "ppt/embeddings/data1.xlsx": "",
        },
    )

    named = [page.unread for page in pages_of(slides, "a.pptx")]
    of_sheets = [(page.label, page.unread) for page in pages_of(_sheets_with_charts(), "a.xlsx")]

    assert named == [(), ("1 chart",)]
    assert of_sheets == [
        ("Sheet", ()),
        ("Sums", ("1 chart",)),
        ("Inner", ()),
        ("Curve", ("1 chart",)),
    ]


EMU = 914_400
RELATED = (
    '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">{}'
    "</Relationships>"
)
MAIN = 'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"'


def word_with_picture(width: int, height: int) -> bytes:
    drawing = "http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing"
    size = f'<wp:extent cx="{width * EMU}" cy="{height * EMU}"/><a:graphic><a:blip/></a:graphic>'
    inline = f'<wp:inline xmlns:wp="{drawing}" {MAIN}>{size}</wp:inline>'
    return docx_of(paragraph("Text.") + f"<w:p><w:r><w:drawing>{inline}</w:drawing></w:r></w:p>")


def slide_with_picture(width: int, height: int) -> bytes:
    size = f'<a:ext uri="none"/><a:xfrm><a:ext cx="{width * EMU}" cy="{height * EMU}"/></a:xfrm>'
    return pptx_of(("Title", "Text."), more=f"<p:pic><p:spPr>{size}</p:spPr></p:pic>")


def open_document_with_picture(width: int, height: int) -> bytes:
    size = f'svg:width="{width * 2.54:.3f}cm" svg:height="{height}in"'
    return odt_of(
        f"<text:p>Text.</text:p><text:p><draw:frame {size}><draw:image/></draw:frame></text:p>"
    )


@pytest.mark.parametrize(
    ("write", "filename"),
    [
        (word_with_picture, "a.docx"),
        (slide_with_picture, "a.pptx"),
        (open_document_with_picture, "a.odt"),
    ],
)
def test_a_picture_that_may_hold_words_is_named_and_a_logo_is_not(
    write: Callable[[int, int], bytes], filename: str
) -> None:
    assert pages_of(write(5, 3), filename)[0].unread == ("words on 1 picture, if there are any",)
    assert pages_of(write(2, 1), filename)[0].unread == ()


def _commented_sheet() -> bytes:
    workbook = Workbook()
    sheet = workbook.worksheets[0]
    sheet.append(["Text."])
    sheet["A1"].comment = Comment("Said.", "Ada")
    target = BytesIO()
    workbook.save(target)
    return target.getvalue()


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


@pytest.mark.parametrize(
    ("name", "body"),
    [
        ("a.pptx", pptx_of(("Fares", "Text."), notes="Said.")),
        (
            "a.docx",
            docx_of(
                paragraph("Text."), comments=f"<w:comment w:id='1'>{paragraph('Said.')}</w:comment>"
            ),
        ),
        (
            "a.odt",
            odt_of(
                "<text:p>Text.<office:annotation><text:p>Said.</text:p></office:annotation></text:p>"
            ),
        ),
        ("a.xlsx", _commented_sheet()),
    ],
)
def test_what_is_said_beside_a_text_is_read_unless_that_is_off(name: str, body: bytes) -> None:
    [read], [left] = pages_of(body, name), pages_of(body, name, comments=False)

    assert re.search(r"\n\n(?:Comment|Notes)(?: \([^)]+\))?: Said\.$", read.text)
    assert left.text.endswith("Text.")


def _listed(text: str, level: int, *, num: int = 1, more: str = "") -> str:
    numbered = f'<w:numPr><w:ilvl w:val="{level}"/><w:numId w:val="{num}"/></w:numPr>'
    return f"<w:p><w:pPr>{numbered}{more}</w:pPr><w:r><w:t>{text}</w:t></w:r></w:p>"


def _pattern(number: int, *levels: tuple[str, str], more: str = "") -> str:
    """Return a pattern of lists, each level its format and what is written, and two such lists.

    The second one is called ten times as much, and begins again with 1.
    """
    described = "".join(
        f'<w:lvl w:ilvl="{level}"><w:start w:val="1"/><w:numFmt w:val="{kind}"/>{more}'
        f'<w:lvlText w:val="{text}"/></w:lvl>'
        for level, (kind, text) in enumerate(levels)
    )
    again = '<w:lvlOverride w:ilvl="0"><w:startOverride w:val="1"/></w:lvlOverride>'
    return (
        f'<w:abstractNum w:abstractNumId="{number}">{described}</w:abstractNum>'
        f'<w:num w:numId="{number}"><w:abstractNumId w:val="{number}"/></w:num>'
        f'<w:num w:numId="{number}0"><w:abstractNumId w:val="{number}"/>{again}</w:num>'
    )


def test_items_of_word_have_the_numbers_that_word_shows() -> None:
    """A list goes on behind a paragraph that is none of it, and begins again where it says so."""
    body = (
        _listed("Open the valve.", 0)
        + _listed("Wait.", 0)
        + paragraph("Caution: hot.")
        + _listed("Gone.", 0, more="<w:rPr><w:del/></w:rPr>").replace("w:t>", "w:delText>")
        + _listed("Close the valve.", 0)
        + _listed("Once more.", 0, num=10)
    )

    [page] = pages_of(docx_of(body, numbering=_pattern(1, ("decimal", "%1."))), "a.docx")

    assert page.text == (
        "1. Open the valve.\n2. Wait.\n\nCaution: hot.\n\n3. Close the valve.\n1. Once more."
    )


def test_a_number_of_word_stands_before_all_that_a_deleted_end_joins() -> None:
    gone = _listed("gone ", 0, more="<w:rPr><w:del/></w:rPr>").replace("<w:t>", _KEEPING_SPACES)
    body = _listed("a", 0) + gone + _listed("b", 0)

    [page] = pages_of(docx_of(body, numbering=_pattern(1, ("decimal", "%1."))), "a.docx")

    assert page.text == "1. a\n2. gone b"


def test_the_numbers_of_rows_are_read_though_their_cells_are_empty() -> None:
    empty = _listed("", 0).replace("<w:r><w:t></w:t></w:r>", "")
    row = f"<w:tr><w:tc>{empty}</w:tc><w:tc>{paragraph('Rope')}</w:tc></w:tr>"

    [page] = pages_of(
        docx_of(f"<w:tbl>{row * 2}</w:tbl>", numbering=_pattern(1, ("decimal", "%1."))), "a.docx"
    )

    assert page.text == "1. | Rope\n2. | Rope"


def test_levels_of_word_are_written_by_their_patterns_and_indented() -> None:
    numbering = _pattern(
        1, ("decimal", "\u00a7 %1"), ("lowerLetter", "(%2)"), ("upperRoman", "%1.%3")
    )
    items = (("Term", 0), ("short", 1), ("long", 1), ("very long", 2), ("End", 0), ("now", 1))
    body = "".join(_listed(text, level) for text, level in items)
    cell = f"<w:tbl><w:tr><w:tc>{_listed('Fee', 0)}</w:tc></w:tr></w:tbl>"

    [page] = pages_of(docx_of(body + cell, numbering=numbering), "a.docx")

    assert page.text == (
        "\u00a7 1 Term\n  (a) short\n  (b) long\n    1.I very long\n\u00a7 2 End\n  (a) now"
        "\n\n\u00a7 3 Fee"
    )


def test_headings_are_numbered_by_their_styles() -> None:
    """The list is named by the first style, the level by the pattern or by the style itself."""
    styles = "".join(
        f'<w:style w:type="paragraph" w:styleId="H{level}"><w:name w:val="heading {level}"/>{says}'
        "</w:style>"
        for level, says in (
            (1, '<w:pPr><w:numPr><w:numId w:val="1"/></w:numPr></w:pPr>'),
            (2, '<w:basedOn w:val="H1"/><w:pPr><w:numPr><w:ilvl w:val="1"/></w:numPr></w:pPr>'),
        )
    )
    numbering = _pattern(1, ("decimal", "%1"), ("decimal", "%1.%2"))
    headings = (("Scope", "H1"), ("Fees", "H2"), ("Dates", "H2"), ("End", "H1"))
    body = "".join(paragraph(text, style=style) for text, style in headings)

    [page] = pages_of(docx_of(body, styles=styles, numbering=numbering), "a.docx")

    assert [each.title for each in page.headings] == ["1 Scope", "1.1 Fees", "1.2 Dates", "2 End"]


def test_a_paragraph_in_the_outline_of_word_is_a_heading() -> None:
    """By itself or by a style that says no heading's name, unless it reads as a sentence."""
    says = {
        "H1": '<w:name w:val="heading 1"/><w:pPr><w:outlineLvl w:val="0"/></w:pPr>',
        "Clause": '<w:name w:val="Clause"/><w:basedOn w:val="H1"/>',
        "Part": '<w:name w:val="Part"/><w:pPr><w:outlineLvl w:val="1"/></w:pPr>',
    }
    styles = "".join(
        f'<w:style w:type="paragraph" w:styleId="{name}">{said}</w:style>'
        for name, said in says.items()
    )

    def own(text: str, level: int) -> str:
        stated = f'<w:outlineLvl w:val="{level}"/><w:pStyle'
        return paragraph(text, style="Clause").replace("<w:pStyle", stated)

    body = (
        paragraph("Scope", style="H1")
        + paragraph("Fees", style="Clause")
        + paragraph("Deposit", style="Part")
        + own("Dates", 2)
        + paragraph("The tenant pays on the first day.", style="Part")
        + own("Text", 9)
    )

    [page] = pages_of(docx_of(body, styles=styles), "a.docx")

    assert [(each.level, each.title) for each in page.headings] == [
        (1, "Scope"),
        (1, "Fees"),
        (2, "Deposit"),
        (3, "Dates"),
    ]


@pytest.mark.parametrize(
    "clause", ["乙は甲に報告する。", "是否投保\uff1f", "Is the tenant insured?", "Pay at once!"]
)
def test_a_clause_in_the_outline_of_word_is_no_heading(clause: str) -> None:
    level = '<w:pPr><w:outlineLvl w:val="0"/></w:pPr>'

    [page] = pages_of(docx_of(paragraph(clause).replace("<w:p>", f"<w:p>{level}")), "a.docx")

    assert page.headings == ()


def test_the_level_of_the_usual_style_of_word_makes_no_headings() -> None:
    styles = (
        '<w:style w:type="paragraph" w:default="1" w:styleId="N"><w:name w:val="Normal"/>'
        '<w:pPr><w:outlineLvl w:val="0"/></w:pPr></w:style><w:style w:type="paragraph"'
        ' w:styleId="B"><w:name w:val="Body"/><w:basedOn w:val="N"/></w:style>'
    )
    body = paragraph("Yours sincerely") + paragraph("Anna", style="B")

    [page] = pages_of(docx_of(body, styles=styles), "a.docx")

    assert (page.text, page.headings) == ("Yours sincerely\n\nAnna", ())


def test_a_cell_in_the_outline_of_word_stays_in_its_row() -> None:
    level = '<w:pPr><w:outlineLvl w:val="2"/></w:pPr>'
    named = paragraph("Pump").replace("<w:p>", f"<w:p>{level}") + paragraph("of steel")
    cells = f"<w:tc>{named}</w:tc><w:tc>{paragraph('100')}</w:tc>"

    [page] = pages_of(docx_of(f"<w:tbl><w:tr>{cells}</w:tr></w:tbl>"), "a.docx")

    assert (page.text, page.headings) == ("Pump of steel | 100", ())


def test_points_without_points_around_them_are_only_indented() -> None:
    [page] = pages_of(docx_of(_listed("Train", 1), numbering=_NUMBERING), "a.docx")

    assert page.text == "  - Train"


@pytest.mark.parametrize(
    ("number", "kind", "shown"),
    [
        (4, "decimal", "4"),
        (4, "decimalZero", "04"),
        (28, "lowerLetter", "bb"),
        (26, "upperLetter", "Z"),
        (1994, "lowerRoman", "mcmxciv"),
        (4, "upperRoman", "IV"),
        (4, "none", ""),
        (4, "ordinalText", "4"),
        (999_999, "lowerLetter", "999999"),
        (0, "upperRoman", "0"),
    ],
)
def test_a_number_is_written_as_its_list_does(number: int, kind: str, shown: str) -> None:
    assert written(number, kind) == shown


_NUMBERING = (
    '<w:abstractNum w:abstractNumId="0">'
    + "".join(f'<w:lvl w:ilvl="{n}"><w:numFmt w:val="bullet"/></w:lvl>' for n in range(3))
    + '</w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>'
)
_POINTS = (
    '<a:p><a:r><a:t>Travel</a:t></a:r></a:p><a:p><a:pPr lvl="1"/><a:r><a:t>Train</a:t></a:r></a:p>'
    "<a:p><a:r><a:t>Food</a:t></a:r></a:p>"
)
_ODT_LIST = (
    "<text:list><text:list-item><text:p>Travel</text:p><text:list><text:list-item>"
    "<text:p>Train</text:p></text:list-item></text:list></text:list-item>"
    "<text:list-item><text:p>Food</text:p></text:list-item></text:list>"
)


@pytest.mark.parametrize(
    ("name", "body"),
    [
        (
            "a.docx",
            docx_of(
                _listed("Travel", 0) + _listed("Train", 1) + _listed("Food", 0),
                numbering=_NUMBERING,
            ),
        ),
        ("a.pptx", pptx_of(("Fares", "POINTS"))),
        ("a.odt", odt_of(_ODT_LIST)),
    ],
)
def test_an_item_is_indented_by_the_lists_around_its_own(name: str, body: bytes) -> None:
    if name == "a.pptx":
        with ZipFile(BytesIO(body)) as archive:
            [part] = [each for each in archive.namelist() if "slides/slide" in each]
            slide = archive.read(part).decode()
        body = with_parts(
            body, {part: slide.replace("<a:p><a:r><a:t>POINTS</a:t></a:r></a:p>", _POINTS)}
        )

    [page] = pages_of(body, name)

    assert page.text.removeprefix("Fares\n\n") == "- Travel\n  - Train\n- Food"


_RAISED_IN_WORD = (
    "<w:p><w:r><w:t>10</w:t></w:r><w:r><w:rPr><w:vertAlign w:val='superscript'/></w:rPr>"
    "<w:t>6</w:t></w:r><w:r><w:t> of H</w:t></w:r><w:r><w:rPr><w:vertAlign w:val='subscript'/>"
    "</w:rPr><w:t>2</w:t></w:r><w:r><w:t>O</w:t></w:r></w:p>"
)
_RAISED_ON_SLIDE = (
    "10</a:t></a:r><a:r><a:rPr baseline='30000'/><a:t>6</a:t></a:r><a:r><a:t> of H</a:t></a:r>"
    "<a:r><a:rPr baseline='-25000'/><a:t>2</a:t></a:r><a:r><a:rPr baseline='0'/><a:t>O"
)
_SPACES = " ".join(
    f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{space}:1.0"'
    for name, space in (("style", "style"), ("fo", "xsl-fo-compatible"))
)
_RAISED_STYLES = f"<styles {_SPACES}>" + "".join(
    f'<style:style style:name="{name}"><style:text-properties style:text-position="{position}"/>'
    "</style:style>"
    for name, position in (("T1", "33% 58%"), ("T2", "sub 58%"), ("T3", "0% 100%"))
)
_RAISED_IN_ODT = (
    '<text:p>10<text:span text:style-name="T1">6</text:span> of '
    '<text:span text:style-name="T3">H</text:span><text:span text:style-name="T2">2</text:span>O'
    "</text:p>"
)


@pytest.mark.parametrize(
    ("name", "body"),
    [
        ("a.docx", docx_of(_RAISED_IN_WORD)),
        ("a.pptx", pptx_of(("Load", _RAISED_ON_SLIDE))),
        (
            "a.odt",
            with_parts(odt_of(_RAISED_IN_ODT), {"styles.xml": f"{_RAISED_STYLES}</styles>"}),
        ),
    ],
)
def test_a_raised_number_is_no_part_of_the_one_before_it(name: str, body: bytes) -> None:
    [page] = pages_of(body, name)

    assert page.text.removeprefix("Load\n\n") == "10⁶ of H2O"


def test_a_style_of_the_text_itself_stands_before_one_of_the_same_name() -> None:
    named = '<style:style style:name="{}"><style:text-properties {}/></style:style>'.format
    shared = named("T1", 'style:text-position="super 58%"') + named("T2", 't:display="none"')
    spaces = f'{_SPACES} xmlns:t="urn:oasis:names:tc:opendocument:xmlns:text:1.0"'
    words = (
        '<text:p>50<text:span text:style-name="T1">3</text:span>'
        '<text:span text:style-name="T2"> EUR</text:span></text:p>'
    )
    body = odt_of(words, styles=named("T1", "") + named("T2", ""))

    [page] = pages_of(
        with_parts(body, {"styles.xml": f"<styles {spaces}>{shared}</styles>"}), "a.odt"
    )

    assert (page.text, page.hidden_characters) == ("503 EUR", 0)
