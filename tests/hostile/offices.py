"""Office files that no office made: they swell, refer elsewhere, nest without end, or lie."""

from io import BytesIO

from openpyxl import Workbook

from tests.hostile.building import Case, cases
from tests.unit.extraction.office_files import (
    docx_of,
    epub_of,
    odt_of,
    paragraph,
    pptx_of,
    xlsx_of,
    zip_of,
)

_LAUGHS = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10 if n else "ha" * 1_000}">' for n in range(8))
_LAUGHING = f"<!DOCTYPE w [{_LAUGHS}]><w>&l7;</w>"
_ELSEWHERE = '<!DOCTYPE w [<!ENTITY x SYSTEM "file:///etc/passwd">]><w>&x;</w>'
_WORD = "word/document.xml"


def _nested_tables(depth: int) -> str:
    return "<w:tbl><w:tr><w:tc>" * depth + paragraph("deep") + "</w:tc></w:tr></w:tbl>" * depth


def _cut(body: bytes) -> bytes:
    return body[: len(body) // 2]


def _lying_about_sizes() -> bytes:
    """Each part says that it has one byte."""
    body = zip_of({_WORD: "0" * 1_000_000})
    return body.replace((1_000_000).to_bytes(4, "little"), (1).to_bytes(4, "little"))


def _with_password() -> bytes:
    """Set the bit for encryption in both headers of each part."""
    body = bytearray(docx_of(paragraph("words")))
    for mark, place in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        start = body.find(mark)
        while start >= 0:
            body[start + place] |= 1
            start = body.find(mark, start + 4)
    return bytes(body)


def _far_cell() -> bytes:
    """Return a sheet whose last cell has a format and no value: two cells, 17 billion places."""
    workbook = Workbook()
    sheet = workbook.worksheets[0]
    sheet["A1"] = "The lamp is changed in May."
    sheet.cell(1_048_576, 16_384).number_format = "0.00"
    body = BytesIO()
    workbook.save(body)
    return body.getvalue()


def named(suffix: str, files: list[Case]) -> list[Case]:
    return [
        Case(f"{suffix[1:]}: {each.name}", each.outcome, each.make, None, suffix) for each in files
    ]


OFFICES: list[Case] = [
    *named(
        ".docx",
        [
            *cases(
                "FILE_UNREADABLE",
                {
                    "entities that grow": lambda: zip_of({_WORD: _LAUGHING}),
                    "an entity of another file": lambda: zip_of({_WORD: _ELSEWHERE}),
                    "no XML": lambda: zip_of({_WORD: b"\0\1\2"}),
                    "an empty part": lambda: zip_of({_WORD: ""}),
                    "cut in two": lambda: _cut(docx_of(paragraph("word " * 90_000) + _WORD)),
                    "parts shorter than they are": _lying_about_sizes,
                    "a password": _with_password,
                },
            ),
            *cases(
                "RESOURCE_EXHAUSTED",
                {
                    "1 GB of zeros": lambda: zip_of(
                        {_WORD: ""} | {f"x{n}": bytes(100_000_000) for n in range(3)}
                    ),
                    "twenty thousand parts": lambda: zip_of(
                        {_WORD: ""} | {f"p{n}": "" for n in range(20_000)}
                    ),
                    "tables in tables": lambda: docx_of(_nested_tables(3_000)),
                },
            ),
            *cases("EMPTY:1", {"nothing to read": lambda: docx_of("")}),
            *cases(
                "HIDDEN_ONLY:1", {"all hidden": lambda: docx_of(paragraph("x", run="<w:vanish/>"))}
            ),
        ],
    ),
    *named(
        ".xlsx",
        [
            *cases("FILE_UNREADABLE", {"no sheets": lambda: zip_of({"xl/workbook.xml": "<a/>"})}),
            *cases("TEXT:1", {"a cell at the far end": _far_cell}),
            *cases("CONTENT_TYPE_MISMATCH", {"a Word file": lambda: docx_of(paragraph("words"))}),
            *cases("FILE_UNREADABLE", {"cut in two": lambda: _cut(xlsx_of()) + b"xl/workbook.xml"}),
        ],
    ),
    *named(
        ".pptx",
        [
            *cases("CONTENT_TYPE_MISMATCH", {"a workbook": xlsx_of}),
            *cases("TOO_MANY_PAGES", {"6,000 slides": lambda: pptx_of(*[("a",)] * 6_000)}),
            *cases(
                "FILE_UNREADABLE",
                {"laughing": lambda: zip_of({"ppt/presentation.xml": _LAUGHING})},
            ),
        ],
    ),
    *named(
        ".odt",
        [
            *cases(
                "RESOURCE_EXHAUSTED",
                {"lists in lists": lambda: odt_of("<text:list>" * 5_000 + "</text:list>" * 5_000)},
            ),
            *cases("FILE_UNREADABLE", {"a drawing": lambda: zip_of({"content.xml": "<a/>"})}),
        ],
    ),
    *named(
        ".epub",
        [
            *cases("EMPTY:1", {"an empty chapter": lambda: epub_of("")}),
            *cases(
                "FILE_UNREADABLE",
                {"no table of contents": lambda: zip_of({"META-INF/container.xml": "<a/>"})},
            ),
        ],
    ),
    *named(
        ".csv",
        [
            *cases("TEXT:7", {"one quote and no end": lambda: b'a,b\n"' + b"x\n" * 9_000}),
            *cases("FILE_UNREADABLE", {"an endless cell": lambda: b'a,"' + b"x" * 2_000_000}),
        ],
    ),
    *named(
        ".eml",
        [
            *cases(
                "RESOURCE_EXHAUSTED",
                {
                    "parts in parts": lambda: (
                        b"Subject: a\n"
                        + b"".join(
                            b"Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n" % (n, n)
                            for n in range(2_000)
                        )
                    )
                },
            ),
            *cases(
                "TEXT:1",
                {
                    "an unknown charset": lambda: (
                        b"Subject: a\nContent-Type: text/plain; charset=klingon\n\nwords\n"
                    )
                },
            ),
        ],
    ),
]
"""What a limit or a typed refusal ends."""
