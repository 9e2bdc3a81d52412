"""How faithfully files are read: `python -m evaluation.extraction [FOLDER ...]`.

Documents that are written here are compared with what was written. Pages of PDFs, made ones and
those of any folders, are compared with the words recognised on their drawing, and with `pdftotext`
where that program is there; nothing of what they say is printed. Exit 1 where a figure of the made
documents fell below `evaluation/extraction_baseline.json`.
"""

import argparse
import json
import re
import shutil
import subprocess
import sys
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from difflib import SequenceMatcher, get_close_matches
from pathlib import Path
from typing import Final

from evaluation.gate import TOLERANCE
from local.samples.formats import Made, drawn, image_bytes, made
from pulsedocs.adapters.sandbox import SandboxedExtractor
from pulsedocs.cleaning import clean
from pulsedocs.errors import DocumentRejected
from pulsedocs.extraction import PDF, Budgets
from pulsedocs.model.pages import ALWAYS_RECOGNISED, Page, PageOutcome

BASELINE: Final = Path(__file__).parent / "extraction_baseline.json"
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


# -------------------------------------------------------------------------------------- reading


def _read(body: bytes, content_type: str, *, is_recognised: bool = False) -> list[Page]:
    languages = ALWAYS_RECOGNISED if is_recognised else ()
    extractor = SandboxedExtractor(_BUDGETS, languages=languages)
    return list(extractor.pages(body, content_type=content_type))


def against_drawing(body: bytes, number: int, text: str) -> Agreement:
    """Compare a page with what Tesseract reads on its drawing: its words are the reference."""
    [image] = drawn(body, [number])
    [seen] = _read(image_bytes(image, "PNG"), "image/png", is_recognised=True)
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
