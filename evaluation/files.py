"""What becomes of each file of a folder: `python -m evaluation.files FOLDER`.

Reads every file in the sandbox, as ingestion does, and prints one line a file: how it ended, its
pages, and the time and memory that took. Nothing of what the files say is printed. `-` instead of
a folder reads paths from standard input and prints JSON.
"""

import argparse
import json
import os
import sys
import time
from collections import Counter
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from pulsedocs.adapters.sandbox import SandboxedExtractor
from pulsedocs.errors import PulseDocsError
from pulsedocs.extraction import FORMATS, PDF, Budgets
from pulsedocs.extraction.content_type import FORMAT_OF_TYPE
from pulsedocs.model.pages import ALWAYS_RECOGNISED, Page, PageOutcome

DEADLINE_SECONDS = 30


@dataclass(frozen=True, slots=True)
class Result:
    """`outcome` is the code of an error, or how many pages there are of which outcome.

    `peak_mb` is the largest child's, and at least what this process holds: a child begins as its
    copy.
    """

    file: str
    outcome: str
    pages: int
    failures: tuple[tuple[int, str], ...]
    hidden_characters: int
    seconds: float
    peak_mb: int


def main() -> None:
    parser = argparse.ArgumentParser(prog="evaluation.files", description=__doc__)
    parser.add_argument("folder", help="a folder, or - for paths on standard input")
    parser.add_argument("--deadline", type=float, default=DEADLINE_SECONDS, metavar="SECONDS")
    parser.add_argument(
        "--page-seconds", type=int, default=Budgets().page_cpu_seconds, metavar="CPU_SECONDS"
    )
    options = parser.parse_args()
    extractor = SandboxedExtractor(
        replace(Budgets(), page_cpu_seconds=options.page_seconds),
        deadline_seconds=options.deadline,
    )
    if options.folder == "-":
        for line in sys.stdin:
            result = read(Path(line.rstrip("\n")), extractor=extractor)
            print(json.dumps(asdict(result)), flush=True)
        return
    for path in sorted(Path(options.folder).rglob("*")):
        if path.is_file():
            result = read(path, extractor=extractor)
            failures = " ".join(f"{number}={code}" for number, code in result.failures[:3])
            print(
                f"{result.outcome:<24} {result.pages:>5} pages {result.seconds:>6.2f} s"
                f" {result.peak_mb:>4} MB  {result.file}  {failures}",
                flush=True,
            )


def read(path: Path, *, extractor: SandboxedExtractor) -> Result:
    """Read one file to its end; only what is no fault of the file leaves as an error."""
    started = time.monotonic()
    pages: list[Page] = []
    error: PulseDocsError | None = None
    suffix = path.suffix.lower()
    kind = next((each for each in FORMATS if suffix in each.extensions), FORMAT_OF_TYPE[PDF])
    if kind.marks:  # an image is nothing but what is recognised on it
        extractor = replace(extractor, languages=ALWAYS_RECOGNISED)
    with _watched_children() as peaks:
        try:
            pages += extractor.pages(path.read_bytes(), content_type=kind.content_types[0])
        except PulseDocsError as raised:
            error = raised
    counts = Counter(page.outcome for page in pages)
    summary = " ".join(f"{kind}:{counts[kind]}" for kind in PageOutcome if counts[kind])
    return Result(
        file=path.name,
        outcome=error.code if error else summary,
        pages=len(pages),
        failures=tuple((page.number, page.failure) for page in pages if page.failure),
        hidden_characters=sum(page.hidden_characters for page in pages),
        seconds=round(time.monotonic() - started, 2),
        peak_mb=max(peaks, default=0) // (1 << 20),
    )


@contextmanager
def _watched_children() -> Generator[list[int]]:
    """Note the peak memory of each child in bytes: only who waits for a child is told it."""
    peaks: list[int] = []
    original = os.waitpid

    def waitpid(pid: int, options: int) -> tuple[int, int]:
        ended, status, usage = os.wait4(pid, options)
        peaks.append(usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024))
        return ended, status

    os.waitpid = waitpid
    try:
        yield peaks
    finally:
        os.waitpid = original


if __name__ == "__main__":
    main()
