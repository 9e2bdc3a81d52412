"""What office files of several kinds have in common: titles, refusals, what is named and marked."""

import re
from collections.abc import Callable
from io import BytesIO
from zipfile import ZipFile

import pytest
from openpyxl import Workbook
from openpyxl.cell.rich_text import CellRichText, TextBlock
from openpyxl.cell.text import InlineFont
from openpyxl.chart import BarChart
from openpyxl.comments import Comment
from openpyxl.styles import Font

from pulsedocs.errors import ContentTypeMismatch, FileUnreadable, ResourceExhausted
from tests.unit.extraction.office_files import (
    BULLETS,
    EMU,
    STYLE_SPACES,
    core,
    docx_of,
    list_item,
    odt_of,
    pages_of,
    paragraph,
    pptx_of,
    with_parts,
    xlsx_of,
    zip_of,
)


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


@pytest.mark.parametrize("name", ["a.docx", "a.pptx", "a.xlsx"])
def test_the_title_is_the_one_that_the_file_states(name: str) -> None:
    parts = {"a.docx": docx_of(paragraph("Words.")), "a.pptx": pptx_of(("Words", "."))}
    body = with_parts(parts.get(name) or xlsx_of(), core("Ferry rules"))

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


def test_what_an_office_file_shows_and_nobody_reads_is_named() -> None:
    word = with_parts(
        docx_of(paragraph("Text.") + "<w:altChunk/>"),
        {"word/charts/chart1.xml": "<c/>", "word/charts/chart2.xml": "<c/>"},
    )
    workbook = Workbook()
    workbook.worksheets[0].append(["Sum", "=1+1"])
    sheet = BytesIO()
    workbook.save(sheet)

    assert pages_of(word, "a.docx")[0].unread == (
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
                list_item("Travel", 0) + list_item("Train", 1) + list_item("Food", 0),
                numbering=BULLETS,
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


_RAISED_STYLES = f"<styles {STYLE_SPACES}>" + "".join(
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


_TYPES = "[Content_Types].xml"


@pytest.mark.parametrize(
    ("body", "usual", "names"),
    [
        (docx_of(paragraph("It flows.")), "a.docx", ["a.docm", "a.dotx", "a.dotm"]),
        (pptx_of(("Seas", "It flows.")), "a.pptx", ["a.pptm", "a.ppsx", "a.ppsm", "a.potx"]),
        (odt_of("<text:p>It flows.</text:p>"), "a.odt", ["a.ott"]),
        (xlsx_of(), "a.xlsx", ["a.xltx"]),
    ],
    ids=["Word", "PowerPoint", "OpenDocument", "Excel"],
)
def test_files_with_macros_templates_and_shows_are_read_as_others_are(
    body: bytes, usual: str, names: list[str]
) -> None:
    [text, *_] = [page.text for page in pages_of(body, usual)]

    assert text
    for name in names:
        [first, *_] = [page.text for page in pages_of(body, name)]
        assert first == text


def test_a_workbook_that_says_it_has_macros_is_read() -> None:
    body = xlsx_of()
    with ZipFile(BytesIO(body)) as archive:
        types = archive.read(_TYPES).decode()
    main = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"
    with_macros = types.replace(main, "application/vnd.ms-excel.sheet.macroEnabled.main+xml")

    [fares, *_] = pages_of(with_parts(body, {_TYPES: with_macros}), "a.xlsm")

    assert main in types
    assert "Ferry | 1,234.50 € | 12.5% | 2024-03-01" in fares.text
