"""Each format that the guide names, from upload to a citation.

One house says the same in each of them: a heading, a sentence, a list in a list, a table.
"""

import csv
import io
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass
from email.message import EmailMessage
from typing import Any, Final

import pypdfium2
import pytest
from openpyxl import Workbook
from PIL import Image
from reportlab.lib import colors
from reportlab.lib.styles import getSampleStyleSheet
from reportlab.platypus import Paragraph, SimpleDocTemplate, Table

from local.stage import Stage
from pulsedocs.extraction import FORMATS
from tests.e2e.tenant import Tenant
from tests.unit.extraction.office_files import (
    docx_of,
    epub_of,
    odt_of,
    paragraph,
    pptx_of,
    word_table,
)

OPENS: Final = "The lockhouse on Ferry Row opens at seven in the morning."
KEY: Final = "The spare key of the boathouse hangs behind the blue door."
ROWS: Final = (("Boat", "Fare", "Deposit"), ("Punt", "4.50", "20"), ("Barge", "31.00", "150"))


def pdf() -> bytes:
    target, styles = io.BytesIO(), getSampleStyleSheet()
    grid = [("GRID", (0, 0), (-1, -1), 0.5, colors.black)]
    SimpleDocTemplate(target, invariant=1).build(
        [
            Paragraph("Opening times", styles["Heading1"]),
            Paragraph(OPENS, styles["Normal"]),
            Paragraph("Keys", styles["Heading1"]),
            Paragraph(KEY, styles["Bullet"], bulletText="•"),
            Paragraph("Fares", styles["Heading1"]),
            Table([list(row) for row in ROWS], style=grid),
        ]
    )
    return target.getvalue()


def plain_text() -> bytes:
    table = "\n".join(f"{one:<12}{two:>8}{three:>10}" for one, two, three in ROWS)
    return f"OPENING TIMES\n\n{OPENS}\n\nKEYS\n\n- {KEY}\n\nFARES\n\n{table}\n".encode()


def markdown() -> bytes:
    head, *rows = (f"| {' | '.join(row)} |" for row in ROWS)
    table = "\n".join((head, "| --- | ---: | ---: |", *rows))
    return (
        f"---\ntitle: Lockhouse\n---\n# Opening times\n\n{OPENS}\n\n## Keys\n\n"
        f"1. Boathouse\n   - {KEY}\n\n## Fares\n\n{table}\n"
    ).encode()


def html() -> bytes:
    table = _wrapped("table", rows_of("tr", "th", ROWS[:1]) + rows_of("tr", "td", ROWS[1:]))
    return (
        "<!DOCTYPE html><html><head><title>Lockhouse</title><style>p { color: #222 }</style></head>"
        "<body><nav><a href='/'>Home</a></nav><main>"
        f"<h1>Opening times</h1><p>{OPENS}</p><h2>Keys</h2><ul><li>Boathouse<ul><li>{KEY}</li></ul>"
        f"</li></ul><h2>Fares</h2>{table}</main><footer>© Lockhouse</footer></body></html>"
    ).encode()


def restructured_text() -> bytes:
    rule = "======== ======== ========"
    table = "\n".join(f"{one:<8} {two:<8} {three:<8}" for one, two, three in ROWS)
    head, _, rest = table.partition("\n")
    return (
        f"Opening times\n=============\n\n{OPENS}\n\nKeys\n----\n\n- {KEY}\n\nFares\n-----\n\n"
        f"{rule}\n{head}\n{rule}\n{rest}\n{rule}\n"
    ).encode()


def separated(delimiter: str) -> bytes:
    target = io.StringIO()
    rows = [*ROWS, (OPENS, "", ""), (KEY, "", "")]
    csv.writer(target, delimiter=delimiter).writerows(rows)
    return target.getvalue().encode()


def mail() -> bytes:
    message = EmailMessage()
    message["Subject"], message["From"] = "Öffnungszeiten und Fares", "Käthe <k@example.org>"
    message["To"], message["Date"] = "all@example.org", "Mon, 04 Mar 2030 09:00:00 +0100"
    message.set_content(plain_text().decode(), cte="base64")
    message.add_alternative(html().decode(), subtype="html", cte="quoted-printable")
    message.add_attachment(b"%PDF-", maintype="application", subtype="pdf", filename="plan.pdf")
    return message.as_bytes()


def word() -> bytes:
    return docx_of(
        paragraph("Opening times", style="berschrift1")
        + paragraph(OPENS)
        + paragraph("Keys", style="berschrift1")
        + paragraph(KEY)
        + paragraph("Fares", style="berschrift1")
        + word_table(*ROWS)
    )


def rows_of(row: str, cell: str, rows: Sequence[Sequence[str]] = ROWS) -> str:
    """Return rows of a table in XML, by the tags around each row and each cell."""
    return "".join(
        _wrapped(row, "".join(_wrapped(cell, value) for value in values)) for values in rows
    )


def _wrapped(tags: str, content: str) -> str:
    names = tags.split()
    before = "".join(f"<{name}>" for name in names)
    return before + content + "".join(f"</{name}>" for name in reversed(names))


def slides() -> bytes:
    table = _wrapped("a:tbl", rows_of("a:tr", "a:tc a:txBody a:p a:r a:t"))
    frame = _wrapped("p:graphicFrame a:graphic a:graphicData", table)
    return pptx_of(("Opening times", OPENS), ("Keys and fares", KEY), more=frame)


def workbook() -> bytes:
    made, target = Workbook(), io.BytesIO()
    sheet = made.worksheets[0]
    sheet.title = "Fares"
    sheet.append(ROWS[0])
    for name, fare, deposit in ROWS[1:]:
        sheet.append([name, float(fare), int(deposit)])
    for cell in ("B2", "B3"):
        sheet[cell].number_format = "0.00"
    notes = made.create_sheet("Notes")
    notes.append([OPENS])
    notes.append([KEY])
    made.save(target)
    return target.getvalue()


def open_document() -> bytes:
    rows = rows_of("table:table-row", "table:table-cell text:p")
    return odt_of(
        f"<text:h>Opening times</text:h><text:p>{OPENS}</text:p><text:h>Keys</text:h>"
        f"<text:list><text:list-item><text:p>{KEY}</text:p></text:list-item></text:list>"
        f"<text:h>Fares</text:h><table:table>{rows}</table:table>"
    )


def book() -> bytes:
    table = _wrapped("table", rows_of("tr", "th", ROWS[:1]) + rows_of("tr", "td", ROWS[1:]))
    return epub_of(
        f"<h1>Opening times</h1><p>{OPENS}</p>",
        f"<h1>Keys</h1><ul><li>{KEY}</li></ul>",
        f"<h1>Fares</h1>{table}",
        title="Lockhouse",
    )


def picture(kind: str) -> bytes:
    page: Any = pypdfium2.PdfDocument(pdf())[0]
    target = io.BytesIO()
    image: Image.Image = page.render(scale=150 / 72).to_pil()
    image.save(target, kind)
    return target.getvalue()


FILES: Final[Mapping[str, Callable[[], bytes]]] = {
    "PDF": pdf,
    "plain text": plain_text,
    "Markdown": markdown,
    "HTML": html,
    "XHTML": html,
    "reStructuredText": restructured_text,
    "CSV": lambda: separated(";"),
    "e-mail": mail,
    "Word": word,
    "PowerPoint": slides,
    "Excel": workbook,
    "OpenDocument text": open_document,
    "e-book": book,
    **{kind: lambda kind=kind: picture(kind) for kind in ("PNG", "JPEG", "TIFF", "GIF")},
    "WebP": lambda: picture("WEBP"),
}


@dataclass(frozen=True)
class Library:
    """A tenant with a document of each format, each in a collection of its own."""

    tenant: Tenant
    documents: Mapping[str, str]


@pytest.fixture(scope="module")
def library(stage: Stage) -> Generator[Library]:
    with Tenant.new(stage) as tenant:
        documents: dict[str, str] = {}
        for index, one in enumerate(FORMATS):
            tenant.post("/collections", {"name": f"format-{index}"})
            documents[one.name] = tenant.upload(
                FILES[one.name](),
                filename=f"lockhouse{one.extensions[0]}",
                content_type="",
                collection=f"format-{index}",
            )
        yield Library(tenant, documents)


@pytest.mark.parametrize("name", [one.name for one in FORMATS])
def test_a_file_of_each_format_is_found_and_cited_where_its_words_stand(
    library: Library, name: str
) -> None:
    """T-16."""
    tenant, document = library.tenant, library.documents[name]
    status = tenant.outcome(document)
    collection = f"format-{[one.name for one in FORMATS].index(name)}"

    def cited(question: str) -> Sequence[str]:
        answer = tenant.post("/ask", {"question": question, "collections": [collection]})
        for citation in answer["citations"]:
            page = tenant.get(f"/documents/{document}/pages/{citation['page']}")
            assert page["text"][citation["start"] : citation["end"]] == citation["quote"]
        return [" ".join(citation["quote"].split()) for citation in answer["citations"]]

    assert status["outcome"] == "PUBLISHED", status
    opens = cited("When does the lockhouse on Ferry Row open?")
    key = cited("Where does the spare key of the boathouse hang?")
    deposit = cited("What is the deposit for the barge?")
    assert any("opens at seven in the morning" in quote for quote in opens), opens
    assert any("hangs behind the blue door" in quote for quote in key), key
    assert any("Barge" in quote and "150" in quote for quote in deposit), deposit
