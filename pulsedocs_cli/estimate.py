"""What a file would cost: read here as a stage would read it, priced from the pinned lists."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from math import ceil
from pathlib import Path
from typing import Any

from infra.cost import Assumed, Line, ingestion, print_bill, total
from infra.prices import US_EAST_1
from pulsedocs.adapters.sandbox import SandboxedExtractor
from pulsedocs.chunking import ChunkProfile, chunk
from pulsedocs.cleaning import clean
from pulsedocs.client import DocumentInput
from pulsedocs.extraction import Budgets
from pulsedocs.model.pages import ALWAYS_RECOGNISED
from pulsedocs.model.plurals import counted
from pulsedocs.prices import cost_of
from pulsedocs_cli.printing import say


@dataclass(frozen=True, slots=True)
class Measured:
    """What was found in one file. `tokens` are those that an embedder would be sent.

    `scans` are the pages on which words had to be looked for.
    """

    pages: int
    scans: int
    readable_pages: int
    chunks: int
    tokens: int


def measure(path: Path, *, profile: ChunkProfile, count_tokens: Callable[[str], int]) -> Measured:
    """Read and chunk a file as ingestion does. Raises DocumentRejected, naming what is wrong."""
    document = DocumentInput.file(path)
    body = path.read_bytes()
    pages = list(SandboxedExtractor(Budgets()).pages(body, content_type=document.type))
    scans = [page.number for page in pages if page.needs_recognition]
    recogniser = SandboxedExtractor(Budgets(), languages=ALWAYS_RECOGNISED)
    for number in scans:
        [pages[number - 1]] = recogniser.pages(
            body, content_type=document.type, first=number, last=number
        )
    cleaned = clean(pages)
    chunks = chunk(cleaned, profile=profile, count_tokens=count_tokens)
    return Measured(
        pages=len(pages),
        scans=len(scans),
        readable_pages=sum(bool(page.text.strip()) for page in cleaned),
        chunks=len(chunks),
        tokens=sum(item.tokens for item in chunks),
    )


@dataclass(frozen=True, slots=True)
class Estimate:
    """What ingesting a file once would cost. Without a price of the model it is left out."""

    file: str
    measured: Measured
    model: str
    lines: Sequence[Line]
    per_thousand_pages: float

    @property
    def has_embedding(self) -> bool:
        return any(line.what == "Embedding" for line in self.lines)

    def as_json(self) -> dict[str, Any]:
        return {
            "file": self.file,
            **asdict(self.measured),
            "model": self.model,
            "has_embedding_price": self.has_embedding,
            "lines": [asdict(line) | {"usd": line.usd} for line in self.lines],
            "usd": total(self.lines),
            "usd_per_thousand_pages": self.per_thousand_pages,
            "prices": US_EAST_1.source,
        }


def estimate_of(file: str, measured: Measured, *, model: str, has_textract: bool) -> Estimate:
    return Estimate(
        file,
        measured,
        model,
        bill(measured, model=model, has_textract=has_textract),
        per_thousand_pages(measured, model=model, has_textract=has_textract),
    )


def print_estimate(found: Estimate) -> None:
    measured = found.measured
    say(
        f"{found.file}: {counted(measured.pages, 'page')} ({measured.readable_pages} with text,"
        f" {measured.scans} scanned), {counted(measured.chunks, 'chunk')},"
        f" {counted(measured.tokens, 'token')}. Prices: {US_EAST_1.source}."
    )
    print_bill(f"ingesting it once, embedded with {found.model} (seconds are assumed)", found.lines)
    if not found.has_embedding:
        say(f"  without the embedding: the price of {found.model} is not known here")
    say(
        f"  per 1,000 such pages, ingested together, USD {found.per_thousand_pages:.4f}:"
        " the database wakes up once for all of them"
    )


def bill(measured: Measured, *, model: str, copies: int = 1, has_textract: bool) -> list[Line]:
    """Return the lines of ingesting that many such files together, beside the idle floor.

    The embedding line is left out where the model's price is not known.
    """
    pages = max(1, measured.pages)
    assumed = Assumed(
        documents=copies,
        pages=pages * copies,
        scanned_pages=measured.scans * copies,
        tokens_per_page=measured.tokens / pages,
        chunks_per_page=measured.chunks / pages,
    )
    return ingestion(
        assumed, embedding_token_usd=cost_of(model, input_tokens=1), has_textract=has_textract
    )


def per_thousand_pages(measured: Measured, *, model: str, has_textract: bool) -> float:
    """Return US dollars for 1,000 pages of such files: what the database costs awake is shared."""
    pages = max(1, measured.pages)
    copies = ceil(1000 / pages)
    return (
        total(bill(measured, model=model, copies=copies, has_textract=has_textract))
        * 1000
        / (pages * copies)
    )
