"""Sets plain text as a PDF the way an office would: headers, footers, columns, tables, hyphens.

Marks at the start of a line: `#` and `##` headings (also in the outline), `!page` a new page,
`!columns` two columns until the next page, `!table` with the widths of all columns but the last,
followed by rows of `|` separated cells, `!drawing` a page that has no text at all.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from reportlab.lib.pagesizes import A4
from reportlab.pdfbase.pdfmetrics import stringWidth
from reportlab.pdfgen.canvas import Canvas

_WIDTH, _HEIGHT = A4
_MARGIN = 76.0
_TOP = _HEIGHT - 92.0
_BOTTOM = 86.0
_GUTTER = 24.0
_ROW_HEIGHT = 18.0


@dataclass(frozen=True, slots=True)
class Style:
    """How a block is set, in points; `before` is the white space above it."""

    font: str
    size: float
    leading: float
    before: float


_BODY = Style("Times-Roman", 11, 15.5, 7)
_SMALL = Style("Times-Roman", 10, 13.5, 6)
_HEADINGS = {1: Style("Helvetica-Bold", 16, 21, 18), 2: Style("Helvetica-Bold", 12, 16, 13)}
_KEEP_WITH_HEADING = 3 * _BODY.leading  # a heading is never the last thing on a page


@dataclass(frozen=True, slots=True)
class Document:
    """What is printed around the text. `front_pages` are numbered i, ii, …; the rest from 1."""

    title: str
    header: str
    footer: str
    hyphenation: Mapping[str, Sequence[str]] = field(default_factory=dict[str, Sequence[str]])
    front_pages: int = 0


def write_pdf(path: Path, source: str, *, document: Document) -> Path:
    """Write the same bytes on every run: `invariant` fixes the dates and the file id."""
    canvas = Canvas(str(path), pagesize=A4, invariant=1, pageCompression=1)
    canvas.setTitle(document.title)
    canvas.setAuthor("Halden Instruments")
    if document.front_pages:
        canvas.addPageLabel(0, style="ROMAN_LOWER", start=1)
        canvas.addPageLabel(document.front_pages, style="ARABIC", start=1)
    _Press(canvas, document).set(source)
    canvas.save()
    return path


class _Press:
    """Where the next line goes: page, column and height."""

    def __init__(self, canvas: Canvas, document: Document) -> None:
        self._canvas = canvas
        self._document = document
        self._page = 0
        self._columns = 1
        self._column = 0
        self._y = _TOP
        self._style = _BODY
        self._outline_entries = 0
        self._has_text = False
        self._column_top = _TOP

    def set(self, source: str) -> None:
        self._open_page()
        for block in blocks_of(source):
            mark, _, rest = block.partition("\n")
            if block.startswith("#"):
                marks, _, title = block.partition(" ")
                style = _HEADINGS[len(marks)]
                if self._y - style.before - style.leading - _KEEP_WITH_HEADING < _BOTTOM:
                    self._next_column()
                self._outline_entries += 1
                key = f"heading-{self._outline_entries}"
                self._canvas.bookmarkHorizontal(key, 0, self._y)
                self._canvas.addOutlineEntry(title, key, level=len(marks) - 1)
                self._paragraph(title, style)
            elif mark == "!page":
                self._next_page()
            elif mark == "!columns":
                self._columns, self._column = 2, 0
                self._style = _SMALL
                self._column_top = self._y
            elif mark.startswith("!table"):
                self._table([float(width) for width in mark.split()[1:]], rest.splitlines())
            elif mark == "!drawing":
                # Draw the flow of gas: inlet, filter, cell, flow meter, outlet.
                middle = _HEIGHT / 2
                self._canvas.line(_MARGIN, middle, _WIDTH - _MARGIN, middle)
                for number in range(4):
                    left = _MARGIN + 30 + number * 105
                    self._canvas.rect(left, middle - 30, 70, 60)
                    self._canvas.circle(left + 35, middle, 18)
                for left in (_MARGIN, _WIDTH - _MARGIN - 12):
                    self._canvas.rect(left, middle - 8, 12, 16, fill=1)
            else:
                self._paragraph(block, self._style)
        self._close_page()

    def _open_page(self) -> None:
        self._page += 1
        self._columns, self._column = 1, 0
        self._y, self._style = _TOP, _BODY
        self._has_text = False

    def _close_page(self) -> None:
        if self._has_text:
            self._canvas.setFont("Helvetica", 8.5)
            self._canvas.drawString(_MARGIN, 48, self._document.footer)
            front = self._document.front_pages
            label = "i" * self._page if self._page <= front else str(self._page - front)
            self._canvas.drawRightString(_WIDTH - _MARGIN, 48, f"Page {label}")
        self._canvas.showPage()

    def _next_page(self) -> None:
        self._close_page()
        self._open_page()

    def _write(self, left: float, text: str, *, font: str, size: float) -> None:
        if not self._has_text:  # a page with nothing but a drawing has no header either
            self._has_text = True
            self._canvas.setFont("Helvetica", 8.5)
            self._canvas.drawString(_MARGIN, _HEIGHT - 56, self._document.header)
        self._canvas.setFont(font, size)
        self._canvas.drawString(left, self._y, text)

    def _next_column(self) -> None:
        if self._column + 1 < self._columns:
            self._column += 1
            self._y = self._column_top
        else:
            self._next_page()

    def _width(self) -> float:
        whole = _WIDTH - 2 * _MARGIN
        return (whole - _GUTTER * (self._columns - 1)) / self._columns

    def _paragraph(self, text: str, style: Style) -> None:
        self._y -= style.before
        lines = lines_of(
            text, width=self._width(), style=style, hyphenation=self._document.hyphenation
        )
        for line in lines:
            if self._y - style.leading < _BOTTOM:
                self._next_column()
            self._y -= style.leading
            left = _MARGIN + self._column * (self._width() + _GUTTER)
            self._write(left, line, font=style.font, size=style.size)

    def _table(self, widths: Sequence[float], rows: Sequence[str]) -> None:
        edges = [_MARGIN]
        for width in widths:
            edges.append(edges[-1] + width * self._width())
        self._y -= 10
        for number, row in enumerate(rows):
            if self._y - _ROW_HEIGHT < _BOTTOM:
                self._next_page()
            self._y -= _ROW_HEIGHT
            font = "Helvetica-Bold" if number == 0 else "Helvetica"
            for left, cell in zip(edges, row.split("|"), strict=True):
                self._write(left, cell.strip(), font=font, size=9.5)
            self._canvas.line(_MARGIN, self._y - 5, _WIDTH - _MARGIN, self._y - 5)


def blocks_of(source: str) -> Iterator[str]:
    """Yield headings, marks and paragraphs; a mark of one word stands alone."""
    for part in source.split("\n\n"):
        block = part.strip("\n")
        while block.split("\n", 1)[0] in {"!page", "!columns"}:
            mark, _, block = block.partition("\n")
            yield mark
        if block:
            yield block


def lines_of(
    text: str, *, width: float, style: Style, hyphenation: Mapping[str, Sequence[str]]
) -> Iterator[str]:
    """Break a paragraph greedily, dividing a listed word at the last place that fits."""
    line = ""
    for word in text.split():
        longer = f"{line} {word}".strip()
        if _fits(longer, width=width, style=style):
            line = longer
            continue
        syllables = hyphenation.get(word.strip(".,;:"), ())
        heads = ("".join(syllables[:count]) + "-" for count in range(len(syllables) - 1, 0, -1))
        head = next(
            (head for head in heads if _fits(f"{line} {head}", width=width, style=style)), ""
        )
        yield f"{line} {head}".strip()
        line = word[len(head) - 1 :] if head else word
    if line:
        yield line


def _fits(text: str, *, width: float, style: Style) -> bool:
    return stringWidth(text, style.font, style.size) <= width
