"""Office files and e-books with as little in them as their readers need."""

import re
from collections.abc import Mapping
from datetime import date
from io import BytesIO
from zipfile import ZIP_DEFLATED, ZipFile

from openpyxl import Workbook

from pulsedocs.extraction import Budgets, format_of
from pulsedocs.extraction.reading import open_file
from pulsedocs.model.pages import Page

W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
_P = 'xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main"'
_A = 'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"'
_R = 'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"'
_RELATED = "http://schemas.openxmlformats.org/package/2006/relationships"
_KIND = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
STYLE_SPACES = " ".join(
    f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{space}:1.0"'
    for name, space in (("style", "style"), ("fo", "xsl-fo-compatible"))
)
KEEPING_SPACES = '<w:t xml:space="preserve">'
EMU = 914_400
"""English Metric Units in an inch, in which slides are measured."""
BULLETS = (
    '<w:abstractNum w:abstractNumId="0">'
    + "".join(f'<w:lvl w:ilvl="{n}"><w:numFmt w:val="bullet"/></w:lvl>' for n in range(3))
    + '</w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>'
)
"""A list of Word with points at three levels."""


def zip_of(parts: Mapping[str, str | bytes]) -> bytes:
    archive = BytesIO()
    with ZipFile(archive, "w", ZIP_DEFLATED) as file:
        for name, content in parts.items():
            file.writestr(name, content)
    return archive.getvalue()


def strict(body: bytes) -> bytes:
    """Return an Office file as programs save it that are asked for Strict Open XML."""
    with ZipFile(BytesIO(body)) as file:
        parts = {name: file.read(name).decode() for name in file.namelist()}
    usual = r"http://schemas.openxmlformats.org/(?!package)(\w+)/2006/"
    return zip_of(
        {
            name: re.sub(usual, r"http://purl.oclc.org/ooxml/\1/", content)
            for name, content in parts.items()
        }
    )


def core(title: str) -> dict[str, str]:
    """Return the part of an Office file that states its title."""
    return {
        "docProps/core.xml": '<c:coreProperties xmlns:c="x" xmlns:dc='
        f'"http://purl.org/dc/elements/1.1/"><dc:title>{title}</dc:title></c:coreProperties>'
    }


def relationships(targets: Mapping[str, str], *, kind: str = "slide") -> str:
    rows = (
        f'<Relationship Id="{name}" Type="{_KIND}/{kind}" Target="{target}"/>'
        for name, target in targets.items()
    )
    return f'<Relationships xmlns="{_RELATED}">{"".join(rows)}</Relationships>'


def docx_of(body: str, **parts: str) -> bytes:
    """Return a Word file of this body; `parts` are XML parts by their name below `word/`."""
    main = {"document": f"<w:body>{body}</w:body>", "styles": _STYLES, **parts}
    named = relationships({"main": "word/document.xml"}, kind="officeDocument")
    return zip_of(
        {"_rels/.rels": named}
        | {
            f"word/{name}.xml": f"<w:{name} {W}>{content}</w:{name}>"
            for name, content in main.items()
        }
    )


_STYLES = (
    '<w:style w:type="paragraph" w:styleId="berschrift1"><w:name w:val="heading 1"/></w:style>'
)


def paragraph(text: str, *, style: str = "", run: str = "") -> str:
    styled = f'<w:pPr><w:pStyle w:val="{style}"/></w:pPr>' if style else ""
    return f"<w:p>{styled}<w:r><w:rPr>{run}</w:rPr><w:t>{text}</w:t></w:r></w:p>"


def word_table(*rows: tuple[str, ...]) -> str:
    cells = ("".join(f"<w:tc>{paragraph(cell)}</w:tc>" for cell in row) for row in rows)
    return f"<w:tbl>{''.join(f'<w:tr>{row}</w:tr>' for row in cells)}</w:tbl>"


def pptx_of(
    *slides: tuple[str, ...], notes: str = "", hidden: int | None = None, more: str = ""
) -> bytes:
    """Return a presentation: each slide is its title and its lines; the notes are of the first.

    `more` is what each slide has besides.
    """
    numbers = range(1, len(slides) + 1)
    listed = "".join(f'<p:sldId id="{n}" r:id="s{n}"/>' for n in numbers)
    parts: dict[str, str | bytes] = {
        "ppt/presentation.xml": f"<p:presentation {_P} {_R}><p:sldIdLst>{listed}</p:sldIdLst>"
        "</p:presentation>",
        # The order of the presentation is not that of the parts' names.
        "ppt/_rels/presentation.xml.rels": relationships(
            {f"s{n}": f"slides/slide{len(slides) + 1 - n}.xml" for n in numbers}
        ),
    }
    for n, (title, *lines) in zip(numbers, slides, strict=True):
        part = f"slide{len(slides) + 1 - n}.xml"
        shown = ' show="0"' if n == hidden else ""
        shapes = _shape([title], place='<p:ph type="title"/>') + _shape(lines)
        parts[f"ppt/slides/{part}"] = f"<p:sld {_P} {_A}{shown}>{shapes}{more}</p:sld>"
        if n == 1 and notes:
            parts[f"ppt/slides/_rels/{part}.rels"] = relationships(
                {"n": "../notesSlides/notes1.xml"}, kind="notesSlide"
            )
    if notes:
        number = _shape(["1"], place='<p:ph type="sldNum"/>')
        shapes = f"{number}{_shape([notes])}"
        parts["ppt/notesSlides/notes1.xml"] = f"<p:notes {_P} {_A}>{shapes}</p:notes>"
    return zip_of(parts)


def _shape(lines: list[str], *, place: str = "") -> str:
    texts = "".join(f"<a:p><a:r><a:t>{line}</a:t></a:r></a:p>" for line in lines)
    return f"<p:sp><p:nvSpPr><p:nvPr>{place}</p:nvPr></p:nvSpPr><p:txBody>{texts}</p:txBody></p:sp>"


def xlsx_of() -> bytes:
    """Return a workbook of fares, with formats, and everything that can be hidden in one."""
    workbook = Workbook()
    fares = workbook.worksheets[0]
    fares.title = "Fares"
    fares.append(["Line", "Fare", "Share", "Since", "Inner number"])
    fares.append(["Ferry", 1234.5, 0.125, date(2024, 3, 1), 77])
    fares.append(["Cable car", -5.0, 0.2, None, 78])
    fares.append(["Withdrawn", 9.0])
    for cell, number_format in {
        "B2": "#,##0.00 [$€-407]",
        "B3": '0.00 "EUR"',
        "C2": "0.0%",
    }.items():
        fares[cell].number_format = number_format
    fares.row_dimensions[4].hidden = True
    fares.column_dimensions["E"].hidden = True
    notes = workbook.create_sheet("Notes")
    notes["A1"] = "Children ride free."
    secret = workbook.create_sheet("Secret")
    secret["A1"] = "Margin"
    secret.sheet_state = "hidden"
    body = BytesIO()
    workbook.save(body)
    return body.getvalue()


def odt_of(body: str, *, title: str = "", styles: str = "", common: str = "") -> bytes:
    """Return an OpenDocument text; `common` are styles that are in a part of their own."""
    office = "urn:oasis:names:tc:opendocument:xmlns"
    spaces = " ".join(
        f'xmlns:{name}="{office}:{name}:1.0"' for name in ("office", "text", "table", "style")
    )
    spaces += f' xmlns:draw="{office}:drawing:1.0" xmlns:svg="{office}:svg-compatible:1.0"'
    meta = f'<m xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>{title}</dc:title></m>'
    content = f"<office:automatic-styles>{styles}</office:automatic-styles>"
    content += f"<office:body><office:text>{body}</office:text></office:body>"
    return zip_of(
        {
            "mimetype": "application/vnd.oasis.opendocument.text",
            "content.xml": f"<office:document-content {spaces}>{content}</office:document-content>",
            "styles.xml": f"<office:document-styles {spaces}>{common}</office:document-styles>",
            "meta.xml": meta,
        }
    )


def epub_of(
    *chapters: str | bytes, title: str = "", encrypted: str = "", folder: str = ""
) -> bytes:
    """Return a book; all of its parts lie in `folder`, whose name ends with a slash."""
    container = "urn:oasis:names:tc:opendocument:xmlns:container"
    numbers = range(1, len(chapters) + 1)
    items = "".join(f'<item id="c{n}" href="text/c%20{n}.xhtml"/>' for n in numbers)
    spine = "".join(f'<itemref idref="c{n}"/>' for n in numbers)
    secret: dict[str, str | bytes] = {}
    if encrypted:
        secret["META-INF/encryption.xml"] = (
            f'<encryption xmlns="{container}" xmlns:e="http://www.w3.org/2001/04/xmlenc#">'
            f'<e:EncryptedData><e:CipherData><e:CipherReference URI="{encrypted}"/></e:CipherData>'
            "</e:EncryptedData></encryption>"
        )
    parts = (
        {
            "META-INF/container.xml": f'<container xmlns="{container}"><rootfiles>'
            '<rootfile full-path="OEBPS/book.opf"/></rootfiles></container>',
            "OEBPS/book.opf": '<package xmlns="http://www.idpf.org/2007/opf" xmlns:dc='
            f'"http://purl.org/dc/elements/1.1/"><metadata><dc:title>{title}</dc:title></metadata>'
            f"<manifest>{items}</manifest><spine>{spine}</spine></package>",
        }
        | secret
        | {f"OEBPS/text/c {n}.xhtml": chapters[n - 1] for n in numbers}
    )
    return zip_of({f"{folder}{name}": content for name, content in parts.items()})


def pages_of(body: bytes, name: str, *, comments: bool = True, changes: bool = True) -> list[Page]:
    kind = format_of("application/octet-stream", name)
    budgets = Budgets(comments=comments, changes=changes)
    return list(open_file(body, content_type=kind.content_types[0], budgets=budgets).pages())


def with_parts(body: bytes, parts: dict[str, str]) -> bytes:
    """Return an archive with some of its parts replaced or added."""
    with ZipFile(BytesIO(body)) as archive:
        kept = {name: archive.read(name) for name in archive.namelist()}
    return zip_of({**kept, **parts})


def list_item(text: str, level: int, *, num: int = 1, more: str = "") -> str:
    numbered = f'<w:numPr><w:ilvl w:val="{level}"/><w:numId w:val="{num}"/></w:numPr>'
    return f"<w:p><w:pPr>{numbered}{more}</w:pPr><w:r><w:t>{text}</w:t></w:r></w:p>"


def list_pattern(number: int, *levels: tuple[str, str], more: str = "") -> str:
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
