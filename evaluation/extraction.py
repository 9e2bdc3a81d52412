"""How faithfully files are read: `python -m evaluation.extraction [FOLDER ...]`.

Documents that are written here are compared with what was written. Pages of PDFs, made ones and
those of any folders, are compared with the words recognised on their drawing, and with `pdftotext`
where that program is there; nothing of what they say is printed. Exit 1 where a figure of the made
documents fell below `evaluation/extraction_baseline.json`.
"""

import argparse
import html
import io
import json
import re
import shutil
import subprocess
import sys
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from difflib import SequenceMatcher, get_close_matches
from email.message import EmailMessage
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, cast

import pypdfium2
from openpyxl import Workbook
from PIL.Image import Image
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas

from evaluation.gate import TOLERANCE
from local import samples
from local.samples.typesetting import blocks_of
from pulsedocs.adapters.sandbox import SandboxedExtractor
from pulsedocs.cleaning import clean
from pulsedocs.errors import DocumentRejected
from pulsedocs.extraction import PDF, Budgets
from pulsedocs.model.pages import Page, PageOutcome
from pulsedocs.settings import OCR_LANGUAGES

BASELINE: Final = Path(__file__).parent / "extraction_baseline.json"
_DOTS_PER_POINT: Final = 150 / 72
_GATED: Final = ("found", "precision", "order")
_ALIKE: Final = 0.6
"""Of two words' letters. Recognition reads "rn" for "m"; a word unlike all others is not there."""
_SHORTEST: Final = 4  # letters; shorter words are alike by chance
_HYPHEN: Final = re.compile(r"(?<=[^\W\d_])[-\u00ad]\s*\n\s*(?=[^\W\d_])")
_BUDGETS: Final = replace(Budgets(), page_cpu_seconds=40, average_page_cpu_seconds=20)

Figures = dict[str, float]


@dataclass(frozen=True, slots=True)
class Agreement:
    """Counts of words, which add up over `texts`, that is pages or documents.

    `in_order` of the `common` ones stand in one sequence on both sides. `strange` are words of
    `read` that are like none of the reference, of the `judged` ones, which are long enough.
    """

    texts: int = 0
    read: int = 0
    reference: int = 0
    common: int = 0
    in_order: int = 0
    judged: int = 0
    strange: int = 0

    def __add__(self, other: "Agreement") -> "Agreement":
        mine, its = asdict(self), asdict(other)
        return Agreement(**{name: mine[name] + its[name] for name in mine})

    def figures(self) -> Figures:
        """Return shares from 0 to 1."""
        return {
            "texts": self.texts,
            "words": self.reference,
            "found": _share(self.common, self.reference),
            "precision": _share(self.common, self.read),
            "order": _share(self.in_order, self.common),
            "unseen": _share(self.strange, self.judged) if self.judged else 0.0,
        }


def _share(part: int, whole: int) -> float:
    return round(part / whole, 4) if whole else 1.0


def words_of(text: str) -> list[str]:
    """Return words without case, with those that a line's end divides in one piece."""
    return re.findall(r"\w+", unicodedata.normalize("NFKC", _HYPHEN.sub("", text)).casefold())


def agreement(read: str, reference: str) -> Agreement:
    ours, others = words_of(read), words_of(reference)
    common = Counter(ours) & Counter(others)
    matcher = SequenceMatcher(None, ours, others, autojunk=False)
    known = set(others)
    judged = [word for word in ours if len(word) >= _SHORTEST]
    strange = [
        word
        for word in judged
        if word not in known and not get_close_matches(word, known, n=1, cutoff=_ALIKE)
    ]
    return Agreement(
        texts=1,
        read=len(ours),
        reference=len(others),
        common=common.total(),
        in_order=sum(block.size for block in matcher.get_matching_blocks()),
        judged=len(judged),
        strange=len(strange),
    )


# ------------------------------------------------------------------------------- made documents


@dataclass(frozen=True, slots=True)
class Made:
    """A file whose words are known."""

    kind: str
    content_type: str
    body: bytes
    written: str


def made() -> Iterator[Made]:
    """Yield the project's samples, typeset and in other formats."""
    sources = {
        samples.HANDBOOK: "handbook.txt",
        samples.MEMO: "memo.txt",
        samples.QUARTERLY_REPORT: "quarterly_report.txt",
    }
    with TemporaryDirectory(prefix="pulsedocs-extraction-") as folder:
        samples.write_samples(Path(folder))
        pdfs = {name: (Path(folder) / name).read_bytes() for name in sources}
    texts = Path(samples.__file__).parent / "text"
    for name, source in sources.items():
        blocks = [one for one in blocks_of((texts / source).read_text("utf-8")) if _is_text(one)]
        written = "\n\n".join(_plain(block) for block in blocks)
        yield Made("PDF", PDF, pdfs[name], written)
        for kind, content_type, write in _WRITERS:
            yield Made(kind, content_type, write(blocks), written)
    report = pdfs[samples.QUARTERLY_REPORT]
    shown = "\n".join(_own_text(report))
    images = list(drawn(report))
    yield Made("scanned PDF", PDF, _scan(images), shown)
    yield Made("TIFF", "image/tiff", _saved(images[0], "TIFF", images[1:]), shown)
    for kind in ("PNG", "JPEG"):
        first = _own_text(report)[0]
        yield Made(kind, f"image/{kind.lower()}", _saved(images[0], kind), first)


def _is_text(block: str) -> bool:
    return not block.startswith("!") or block.startswith("!table")


def _rows(block: str) -> list[list[str]]:
    """Return the cells of a table, none of another block."""
    lines = block.splitlines()[1:] if block.startswith("!table") else []
    return [[cell.strip() for cell in line.split("|")] for line in lines]


def _plain(block: str) -> str:
    if rows := _rows(block):
        return "\n".join(" ".join(row) for row in rows)
    return block.lstrip("# ")


def _markdown(blocks: Sequence[str]) -> bytes:
    def table(rows: Sequence[Sequence[str]]) -> str:
        lines = [rows[0], ["---"] * len(rows[0]), *rows[1:]]
        return "\n".join(f"| {' | '.join(line)} |" for line in lines)

    return "\n\n".join(table(_rows(block)) if _rows(block) else block for block in blocks).encode()


def _html(blocks: Sequence[str]) -> bytes:
    def element(block: str) -> str:
        if rows := _rows(block):
            cells = ("".join(f"<td>{html.escape(cell)}</td>" for cell in row) for row in rows)
            return f"<table>{''.join(f'<tr>{row}</tr>' for row in cells)}</table>"
        marks = len(block) - len(block.lstrip("#"))
        name = f"h{marks}" if marks else "p"
        return f"<{name}>{html.escape(_plain(block))}</{name}>"

    return f"<!DOCTYPE html><html><body>{''.join(map(element, blocks))}</body></html>".encode()


def _text(blocks: Sequence[str]) -> bytes:
    return "\n\n".join(map(_plain, blocks)).encode()


def _mail(blocks: Sequence[str]) -> bytes:
    message = EmailMessage()
    message.set_content(_text(blocks).decode(), cte="quoted-printable")
    return message.as_bytes()


def _workbook(blocks: Sequence[str]) -> bytes:
    workbook = Workbook()
    sheet = workbook.worksheets[0]
    for block in blocks:
        for row in _rows(block) or [[_plain(block)]]:
            sheet.append(row)
    target = io.BytesIO()
    workbook.save(target)
    return target.getvalue()


_OOXML: Final = "application/vnd.openxmlformats-officedocument"
_WRITERS: Final[Sequence[tuple[str, str, Callable[[Sequence[str]], bytes]]]] = (
    ("plain text", "text/plain", _text),
    ("Markdown", "text/markdown", _markdown),
    ("HTML", "text/html", _html),
    ("e-mail", "message/rfc822", _mail),
    ("Excel", f"{_OOXML}.spreadsheetml.sheet", _workbook),
)


def _own_text(body: bytes) -> list[str]:
    return [page.text for page in _read(body, PDF)]


def _scan(images: Sequence[Image]) -> bytes:
    target = io.BytesIO()
    canvas = Canvas(target, invariant=1)
    for image in images:
        size = image.width / _DOTS_PER_POINT, image.height / _DOTS_PER_POINT
        canvas.setPageSize(size)
        canvas.drawImage(ImageReader(image), 0, 0, *size)
        canvas.showPage()
    canvas.save()
    return target.getvalue()


def _saved(image: Image, kind: str, more: Sequence[Image] = ()) -> bytes:
    target = io.BytesIO()
    options: dict[str, Any] = {"save_all": True, "append_images": more} if more else {}
    image.save(target, kind, **options)
    return target.getvalue()


# -------------------------------------------------------------------------------------- reading


def _read(body: bytes, content_type: str, *, is_recognised: bool = False) -> list[Page]:
    languages = OCR_LANGUAGES if is_recognised else ()
    extractor = SandboxedExtractor(_BUDGETS, languages=languages)
    return list(extractor.pages(body, content_type=content_type))


def drawn(body: bytes, numbers: Iterable[int] | None = None) -> Iterator[Image]:
    """Yield pages of a PDF as pictures; `numbers` count from 1, None is all of them."""
    document = pypdfium2.PdfDocument(body)
    for number in numbers or range(1, len(document) + 1):
        page = cast("Any", document[number - 1])
        yield page.render(scale=_DOTS_PER_POINT, grayscale=True).to_pil()


def against_drawing(body: bytes, number: int, text: str) -> Agreement:
    """Compare a page with what Tesseract reads on its drawing: its words are the reference."""
    [image] = drawn(body, [number])
    [seen] = _read(_saved(image, "PNG"), "image/png", is_recognised=True)
    return agreement(text, seen.text)


def against_pdftotext(program: str, path: Path, number: int, text: str) -> Agreement:
    only = ["-f", str(number), "-l", str(number), "-enc", "UTF-8"]
    command = [program, *only, str(path), "-"]
    told = subprocess.run(command, check=False, capture_output=True)  # noqa: S603 -- asked for
    return agreement(text, told.stdout.decode("utf-8", "replace"))


def measure_made(documents: Iterable[Made]) -> dict[str, Figures]:
    """Return the figures of each format: what ingestion keeps of it against what was written."""
    totals: dict[str, Agreement] = {}
    for document in documents:
        pages = _read(document.body, document.content_type, is_recognised=True)
        kept = "\n".join(page.text for page in clean(pages))
        found = agreement(kept, document.written)
        totals[document.kind] = totals.get(document.kind, Agreement()) + found
    return {kind: total.figures() for kind, total in totals.items()}


def measure_files(paths: Sequence[Path], *, pages: int) -> Iterator[tuple[str, Figures]]:
    """Yield the figures of some pages of each PDF, and those of all of them together."""
    program = shutil.which("pdftotext")
    totals: dict[str, Agreement] = {}
    outcomes = Counter[str]()
    for path in paths:
        body = path.read_bytes()
        try:
            read = _read(body, PDF)
        except DocumentRejected as error:
            outcomes[error.code] += 1
            continue
        outcomes.update(page.outcome for page in read)
        of_file = Agreement()
        for page in _spread([page for page in read if page.outcome is PageOutcome.TEXT], pages):
            seen = against_drawing(body, page.number, page.text)
            of_file += seen
            totals["drawing"] = totals.get("drawing", Agreement()) + seen
            if program is not None:
                told = against_pdftotext(program, path, page.number, page.text)
                totals["pdftotext"] = totals.get("pdftotext", Agreement()) + told
        yield path.name, of_file.figures()
    print(f"  all pages: {', '.join(f'{count} {each}' for each, count in outcomes.items())}")
    for reference, total in totals.items():
        yield f"all, against {reference}", total.figures()


def _spread(pages: Sequence[Page], count: int) -> list[Page]:
    """Return so many pages, at even distances from each other and from both ends."""
    places = {len(pages) * (n + 1) // (count + 1) for n in range(count)} if pages else set[int]()
    return [pages[place] for place in sorted(places)]


# ----------------------------------------------------------------------------------- comparing


def fallen(before: Mapping[str, Figures], now: Mapping[str, Figures]) -> Iterator[str]:
    """Yield a line for each figure of a format that fell, or is not measured any more."""
    for kind, old in before.items():
        for name in _GATED:
            new = now.get(kind, {}).get(name, 0.0)
            if new < old[name] - TOLERANCE:
                yield f"{kind}: {name} fell from {old[name]:.3f} to {new:.3f}"


def _show(name: str, figures: Figures) -> None:
    shares = "  ".join(f"{each} {figures[each]:.3f}" for each in (*_GATED, "unseen"))
    print(
        f"  {name[:44]:<44} {figures['texts']:>3} x {figures['words']:>6,} words  {shares}",
        flush=True,
    )


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m evaluation.extraction", description=__doc__)
    parser.add_argument("folders", type=Path, nargs="*", metavar="FOLDER")
    parser.add_argument("--pages", type=int, default=2, help="of each file, 3 seconds each")
    parser.add_argument("--write", action="store_true", help="make these figures the baseline")
    options = parser.parse_args()
    print("made documents, against what was written")
    found = measure_made(made())
    for kind, figures in found.items():
        _show(kind, figures)
    for folder in options.folders:
        print(f"\n{folder.name}: PDFs, {options.pages} pages each, against their drawing")
        for name, figures in measure_files(sorted(folder.rglob("*.pdf")), pages=options.pages):
            _show(name, figures)
    if options.write:
        BASELINE.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
        return 0
    lines = list(fallen(json.loads(BASELINE.read_text(encoding="utf-8")), found))
    for line in lines:
        print(f"  FELL: {line}", file=sys.stderr)
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())
