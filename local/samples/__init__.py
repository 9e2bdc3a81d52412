"""Documents that the project wrote itself, and questions whose answers are known.

The demo, the end-to-end tests and the benchmarks use them; the texts lie beside this file.
"""

from dataclasses import dataclass
from importlib import resources
from pathlib import Path

from local.samples.typesetting import Document, write_pdf

HANDBOOK = "hx400_handbook.pdf"
MEMO = "service_memo_2025-11.pdf"
QUARTERLY_REPORT = "halden_q3_2025.pdf"
SITE_RULES = "site_rules.txt"
SCAN = "delivery_note_scan.pdf"


@dataclass(frozen=True, slots=True)
class Question:
    """A question to `source`.

    `pages` are physical, from 1; `says` are words on those pages, in their order. Both are
    empty when the document does not contain the answer.
    """

    question: str
    source: str
    pages: tuple[int, ...]
    says: tuple[str, ...]

    @property
    def answerable(self) -> bool:
        return bool(self.pages)


QUESTIONS = (
    Question(
        "How long must the analyser warm up before a measurement is valid?",
        source=HANDBOOK,
        pages=(4,),
        says=("must warm up for 25 minutes before a measurement is valid",),
    ),
    Question(
        "How do I exchange the sensor cartridge?",
        source=HANDBOOK,
        pages=(6, 7),
        says=(
            "close the inlet valve, wait until the flow meter shows zero",
            "Push the new cartridge in until the collar clicks",
        ),
    ),
    Question(
        "How many weeks of parental leave do employees receive?",
        source=HANDBOOK,
        pages=(),
        says=(),
    ),
)

SCAN_QUESTION = Question(
    "When were the cylinders of test gas delivered?",
    source=SCAN,
    pages=(1,),
    says=("were delivered on 3 November 2025",),
)


def write_samples(directory: Path) -> list[Path]:
    """Write every sample into `directory`; the bytes are the same on every machine."""
    directory.mkdir(parents=True, exist_ok=True)
    hyphenated = [line.split("-") for line in _text("hyphenation.txt").split()]
    syllables = {"".join(parts): parts for parts in hyphenated}
    handbook = Document(
        title="HX-400 Operator's Handbook",
        header="Halden Instruments | HX-400 Operator's Handbook",
        footer="HI-4400-07, issue 7, January 2024",
        hyphenation=syllables,
        front_pages=1,
    )
    memo = Document("Service memo 2025-11", "Halden Instruments | Service memo", "20 February 2025")
    report = Document(
        "Interim report Q3 2025", "Halden Instruments AB | Interim report Q3 2025", "Uppsala"
    )
    rules = directory / SITE_RULES
    rules.write_bytes(_text("site_rules.txt").encode())
    return [
        write_pdf(directory / HANDBOOK, _text("handbook.txt"), document=handbook),
        write_pdf(directory / MEMO, _text("memo.txt"), document=memo),
        write_pdf(directory / QUARTERLY_REPORT, _text("quarterly_report.txt"), document=report),
        rules,
    ]


def _text(name: str) -> str:
    return (resources.files(__name__) / "text" / name).read_text(encoding="utf-8")
