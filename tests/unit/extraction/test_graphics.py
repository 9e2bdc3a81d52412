"""Charts and diagrams of Office files: their words and numbers are read where they are drawn."""

from io import BytesIO
from zipfile import ZipFile

import pytest
from openpyxl import Workbook
from openpyxl.chart import BarChart

from tests.unit.extraction.office_files import (
    docx_of,
    odt_of,
    pages_of,
    paragraph,
    pptx_of,
    relationships,
    with_parts,
)

_A = 'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"'
_C = 'xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart"'
_CX = 'xmlns:cx="http://schemas.microsoft.com/office/drawing/2014/chartex"'
_DGM = 'xmlns:dgm="http://schemas.openxmlformats.org/drawingml/2006/diagram"'
_R = 'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"'
_TABLE = "Quarter | North (EUR m) | South (EUR m)\nQ1 | 1,200 | 8\nQ2 | 1,300"


def _title(words: str) -> str:
    return (
        f"<c:title><c:tx><c:rich><a:p><a:r><a:t>{words}</a:t></a:r></a:p></c:rich></c:tx></c:title>"
    )


def _points(*texts: str) -> str:
    points = enumerate(texts)
    return "".join(f'<c:pt idx="{n}"><c:v>{text}</c:v></c:pt>' for n, text in points if text)


def _words(*texts: str, sheet: str = "Data") -> str:
    return (
        f"<c:strRef><c:f>'{sheet}'!$A$1</c:f><c:strCache>{_points(*texts)}</c:strCache></c:strRef>"
    )


def _numbers(*texts: str, form: str = "General", sheet: str = "Data") -> str:
    return (
        f"<c:numRef><c:f>'{sheet}'!$B$1</c:f><c:numCache><c:formatCode>{form}</c:formatCode>"
        f'<c:ptCount val="4000000000"/>{_points(*texts)}</c:numCache></c:numRef>'
    )


def _series(name: str, along: str, values: str, *, names: tuple[str, str] = ("cat", "val")) -> str:
    x, y = names
    called = f"<c:tx><c:v>{name}</c:v></c:tx>"
    return f"<c:ser>{called}<c:{x}>{along}</c:{x}><c:{y}>{values}</c:{y}></c:ser>"


def _chart(*series: str, title: str = "", axis: str = "", unit: str = "") -> str:
    axes = (
        f'<c:valAx><c:axId val="2"/>{_title(unit) if unit else ""}</c:valAx>'
        f'<c:catAx><c:axId val="1"/>{_title(axis) if axis else ""}</c:catAx>'
    )
    plot = f'<c:barChart>{"".join(series)}<c:axId val="2"/><c:axId val="1"/></c:barChart>'
    titled = _title(title) if title else ""
    return (
        f"<c:chartSpace {_C} {_A}><c:chart>{titled}<c:plotArea>{plot}{axes}</c:plotArea></c:chart>"
        "</c:chartSpace>"
    )


def _sales(sheet: str = "Data") -> str:
    quarters = _words("Q1", "Q2", sheet=sheet)
    return _chart(
        _series("North", quarters, _numbers("1200", "1300", form="#,##0", sheet=sheet)),
        _series("South", quarters, _numbers("8", "", sheet=sheet)),
        title="Sales by region",
        axis="Quarter",
        unit="EUR m",
    )


_DRAWN = f'<c:chart {_C} {_R} r:id="g"/>'


def _on_slide(part: str, *, drawn: str = _DRAWN, name: str = "charts/chart1.xml") -> bytes:
    frame = f"<p:graphicFrame>{drawn}</p:graphicFrame>"
    return with_parts(
        pptx_of(("One",), more=frame),
        {
            "ppt/slides/_rels/slide1.xml.rels": relationships({"g": f"../{name}"}, kind="chart"),
            f"ppt/{name}": part,
        },
    )


def _text_on_slide(part: str, *, drawn: str = _DRAWN) -> str:
    [page] = pages_of(_on_slide(part, drawn=drawn), "a.pptx")
    return page.text.removeprefix("One\n\n")


def _in_word(part: str, *, drawn: str = _DRAWN, name: str = "charts/chart1.xml") -> bytes:
    run = f"<w:r><w:drawing>{drawn}</w:drawing></w:r>"
    return with_parts(
        docx_of(f"{paragraph('Above.')}<w:p>{run}</w:p>{paragraph('Below.')}"),
        {
            "word/_rels/document.xml.rels": relationships({"g": name}, kind="chart"),
            f"word/{name}": part,
            "word/charts/_rels/chart1.xml.rels": relationships({"x": "../embeddings/data.xlsx"}),
            "word/embeddings/data.xlsx": "",
        },
    )


def test_a_chart_is_a_table_of_its_values_below_its_title() -> None:
    [slide] = pages_of(_on_slide(_sales()), "a.pptx")
    [word] = pages_of(_in_word(_sales()), "a.docx")

    assert slide.text == f"One\n\nSales by region\n\n{_TABLE}"
    assert word.text == f"Above.\n\nSales by region\n\n{_TABLE}\n\nBelow."
    assert (slide.unread, word.unread) == ((), ())


_LEVELS = (
    f"<c:multiLvlStrRef><c:multiLvlStrCache><c:lvl>{_points('Kiel', 'Bonn', 'Graz')}</c:lvl>"
    f"<c:lvl>{_points('Germany', '', 'Austria')}</c:lvl></c:multiLvlStrCache></c:multiLvlStrRef>"
)
_XY = ("xVal", "yVal")


@pytest.mark.parametrize(
    ("series", "text"),
    [
        (
            [_series("Level", _numbers("47849", "47880", form="mmm yy"), _numbers(".5", "#N/A"))],
            "| Level\n2031-01-01 | 0.5",
        ),
        (
            [_series("Shops", _LEVELS, _numbers("3", "4", "5"))],
            "| | Shops\nGermany | Kiel | 3\nGermany | Bonn | 4\nAustria | Graz | 5",
        ),
        (
            [
                _series("A", _numbers("1", "2"), _numbers("10", "20"), names=_XY),
                _series("B", _numbers("5"), _numbers("50"), names=_XY),
            ],
            "| A\n1 | 10\n2 | 20\n\n| B\n5 | 50",
        ),
        ([_series("Fleet", "", _numbers(".3", form="0%"))], "| Fleet\n1 | 30%"),
    ],
)
def test_what_values_stand_over_is_said_beside_each(series: list[str], text: str) -> None:
    assert _text_on_slide(_chart(*series)) == text


def test_a_chart_of_a_newer_kind_is_read_like_others() -> None:
    data = (
        '<cx:data id="0"><cx:strDim type="cat"><cx:lvl><cx:pt idx="0">Fees</cx:pt>'
        '<cx:pt idx="1">Rent</cx:pt></cx:lvl></cx:strDim><cx:numDim type="val">'
        '<cx:lvl formatCode="0.0"><cx:pt idx="0">12</cx:pt><cx:pt idx="1">-4.25</cx:pt></cx:lvl>'
        "</cx:numDim></cx:data>"
    )
    part = (
        f"<cx:chartSpace {_CX} {_A}><cx:chartData>{data}</cx:chartData><cx:chart><cx:title>"
        "<cx:tx><cx:rich><a:p><a:r><a:t>Cash</a:t></a:r></a:p></cx:rich></cx:tx></cx:title>"
        "<cx:plotArea><cx:plotAreaRegion><cx:series><cx:tx><cx:txData><cx:v>kEUR</cx:v>"
        '</cx:txData></cx:tx><cx:dataId val="0"/></cx:series></cx:plotAreaRegion></cx:plotArea>'
        "</cx:chart></cx:chartSpace>"
    )

    text = _text_on_slide(part, drawn=f'<cx:chart {_CX} {_R} r:id="g"/>')

    assert text == "Cash\n\n| kEUR\nFees | 12.0\nRent | -4.3"


def _point(name: str, words: str, *, kind: str = "node", more: str = "") -> str:
    return (
        f'<dgm:pt modelId="{name}" type="{kind}"><dgm:prSet {more}/><dgm:t><a:p><a:r>'
        f"<a:t>{words}</a:t></a:r></a:p></dgm:t></dgm:pt>"
    )


def _below(above: str, name: str, order: int, *, kind: str = "parOf") -> str:
    return f'<dgm:cxn type="{kind}" srcId="{above}" destId="{name}" srcOrd="{order}"/>'


_ASKED = 'phldr="1"'
_DIAGRAM = (
    f"<dgm:dataModel {_DGM} {_A}><dgm:ptLst>{_point('d', '', kind='doc')}{_point('b', 'Sales')}"
    f"{_point('a', 'Chief')}{_point('c', 'Works')}{_point('p', 'Layout', kind='pres')}"
    f"{_point('e', '[Text]', more=_ASKED)}</dgm:ptLst>"
    f"<dgm:cxnLst>{_below('d', 'a', 0)}{_below('a', 'b', 1)}{_below('a', 'c', 0)}"
    f"{_below('a', 'e', 2)}{_below('b', 'a', 0)}{_below('a', 'p', 0, kind='presOf')}"
    "</dgm:cxnLst></dgm:dataModel>"
)


def test_a_diagram_is_a_list_of_its_points_from_the_top_down() -> None:
    drawn = f'<dgm:relIds {_DGM} {_R} r:dm="g"/>'
    name = "diagrams/data1.xml"
    text = "- Chief\n  - Works\n  - Sales"

    [slide] = pages_of(_on_slide(_DIAGRAM, drawn=drawn, name=name), "a.pptx")
    [word] = pages_of(_in_word(_DIAGRAM, drawn=drawn, name=name), "a.docx")

    assert (slide.text, slide.unread) == (f"One\n\n{text}", ())
    assert word.text == f"Above.\n\n{text}\n\nBelow."


def test_a_chart_that_nobody_can_read_costs_nothing_but_itself() -> None:
    curve = _chart(_series("Curve", "", _numbers(*["1"] * 1001)), title="Current")
    refused = (_sales()[:-9], f"<!DOCTYPE a [<!ENTITY b 'c'>]>{_sales()}", " " * 4_000_001)

    for part in refused:
        [page] = pages_of(_on_slide(part), "a.pptx")
        assert (page.text, page.unread) == ("One", ("1 chart",))
    [page] = pages_of(_on_slide(curve), "a.pptx")
    assert (page.text, page.unread) == ("One\n\nCurrent", ("1 chart",))


def test_a_chart_that_a_tracked_change_deletes_is_not_read() -> None:
    body = _in_word(_sales())
    with ZipFile(BytesIO(body)) as archive:
        text = archive.read("word/document.xml").decode()
    deleted = text.replace("<w:r><w:drawing>", "<w:del><w:r><w:drawing>").replace(
        "</w:drawing></w:r>", "</w:drawing></w:r></w:del>"
    )

    [page] = pages_of(with_parts(body, {"word/document.xml": deleted}), "a.docx")

    assert page.text == "Above.\n\nBelow."


def _workbook(*charts: str, more: str = "") -> bytes:
    """Return a sheet of sums, one that is hidden, and one with charts and what else is drawn."""
    workbook = Workbook()
    workbook.worksheets[0].title = "Data"
    workbook.worksheets[0].append(["Quarter", "North"])
    workbook.create_sheet("Inner").sheet_state = "hidden"
    for _ in charts:
        workbook.create_sheet("Board").add_chart(BarChart(), "A1")
    target = BytesIO()
    workbook.save(target)
    with ZipFile(target) as archive:
        drawing = archive.read("xl/drawings/drawing1.xml").decode()
    shapes = drawing.replace("</wsDr>", f"{more}</wsDr>")
    numbered = {f"xl/charts/chart{n}.xml": chart for n, chart in enumerate(charts, start=1)}
    return with_parts(target.getvalue(), {**numbered, "xl/drawings/drawing1.xml": shapes})


def test_the_chart_of_a_sheet_repeats_no_cells_that_are_read() -> None:
    *_, board = pages_of(_workbook(_sales("Data")), "a.xlsx")
    *_, with_hidden_data = pages_of(_workbook(_sales("Inner")), "a.xlsx")

    assert (board.text, board.unread) == ("Board\n\nSales by region (Quarter; EUR m)", ())
    assert with_hidden_data.text == f"Board\n\nSales by region\n\n{_TABLE}"
    assert with_hidden_data.unread == ()


def test_text_boxes_of_a_sheet_are_read_but_not_what_older_programs_show() -> None:
    space = 'xmlns:x="http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing"'
    other = 'xmlns:m="http://schemas.openxmlformats.org/markup-compatibility/2006"'
    box = (
        '<x:sp {}><x:nvSpPr><x:cNvPr id="1" {}/></x:nvSpPr><x:txBody><a:p {}><a:r><a:t>{}'
        "</a:t></a:r></a:p><a:p {}><a:r><a:t>{}</a:t></a:r></a:p></x:txBody></x:sp>"
    )
    shapes = (
        box.format(space, "", _A, "As of May", _A, "Unaudited")
        + box.format(space, 'hidden="1"', _A, "Draft", _A, "of Ann")
        + f"<m:Fallback {other}>{box.format(space, '', _A, 'No', _A, 'chart')}</m:Fallback>"
    )

    *_, board = pages_of(_workbook(_sales("Data"), more=shapes), "a.xlsx")

    assert board.text.endswith("(Quarter; EUR m)\n\nAs of May\nUnaudited")
    assert board.unread == ()


def test_a_chart_of_an_open_document_is_a_table_with_the_names_of_its_axes() -> None:
    spaces = " ".join(
        f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"'
        for name in ("office", "chart", "table", "text")
    )
    title = "<chart:title><text:p>{}</text:p></chart:title>"
    cell = "<table:table-cell><text:p>{}</text:p></table:table-cell>"
    rows = "".join(
        f"<table:table-row>{''.join(map(cell.format, row))}</table:table-row>"
        for row in (("", "North", "South"), ("Q1", "1,200", "8"), ("Q2", "1,300", "NaN"))
    )
    chart = (
        f"<o {spaces}><office:body><office:chart><chart:chart>{title.format('Sales by region')}"
        f'<chart:axis chart:dimension="x">{title.format("Quarter")}</chart:axis>'
        f'<chart:axis chart:dimension="y">{title.format("EUR m")}</chart:axis>'
        '<chart:series chart:label-cell-address="local-table.$B$1"/>'
        '<chart:series chart:label-cell-address="local-table.$C$1"/>'
        f"<table:table>{rows}</table:table></chart:chart></office:chart></office:body></o>"
    )
    link = 'xmlns:xlink="http://www.w3.org/1999/xlink" xlink:href="./Object 1"'
    size = 'svg:width="6in" svg:height="5in"'
    frame = f"<draw:frame {size}><draw:object {link}/><draw:image/></draw:frame>"
    body = odt_of(f"<text:p>{frame}</text:p><text:p>Below.</text:p>")

    [page] = pages_of(with_parts(body, {"Object 1/content.xml": chart}), "a.odt")

    assert page.text == f"Sales by region\n\n{_TABLE}\n\nBelow."
    assert page.unread == ()
