"""The samples are what the demo and the tests say they are."""

import re
from dataclasses import dataclass
from pathlib import Path

import pypdfium2 as pdfium
import pytest

from local.samples import (
    HANDBOOK,
    MEMO,
    QUARTERLY_REPORT,
    QUESTIONS,
    SITE_RULES,
    Question,
    write_samples,
)

REPORT_QUESTIONS = (
    Question(
        "How large was the operating margin in the third quarter?",
        source=QUARTERLY_REPORT,
        pages=(1,),
        says=("an operating margin of 14.8 per cent",),
    ),
    Question(
        "What were the sales in Asia in Q3 2025?",
        source=QUARTERLY_REPORT,
        pages=(2,),
        says=("43.6",),
    ),
    Question(
        "How high was the net debt at the end of the quarter?",
        source=QUARTERLY_REPORT,
        pages=(3,),
        says=("Net debt at the end of the quarter was 61.0 million",),
    ),
)


@dataclass(frozen=True, slots=True)
class Contradiction:
    """Two documents that answer one question differently; `newer` is right."""

    question: str
    older: str
    older_says: str
    newer: str
    newer_says: str


CONTRADICTION = Contradiction(
    "How often must the HX-400 be calibrated?",
    older=HANDBOOK,
    older_says="The analyser must be calibrated every 180 days.",
    newer=MEMO,
    newer_says="The analyser must be calibrated every 90 days.",
)


@pytest.fixture(scope="module")
def samples(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("samples")
    write_samples(directory)
    return directory


def test_the_same_bytes_are_written_every_time(samples: Path, tmp_path: Path) -> None:
    again = write_samples(tmp_path)

    assert [path.read_bytes() for path in again] == [
        (samples / path.name).read_bytes() for path in again
    ]


@pytest.mark.parametrize("question", QUESTIONS + REPORT_QUESTIONS, ids=str)
def test_an_answer_stands_on_the_pages_it_is_expected_on(question: Question, samples: Path) -> None:
    """S2-19: the sample report carries the figures its questions ask for."""
    pages = _texts(samples / question.source)

    for page, words in zip(question.pages, question.says, strict=True):
        assert words in pages[page - 1].replace("\ufffe", "")
    assert question.answerable == bool(question.says)


def test_the_absent_answer_is_really_absent(samples: Path) -> None:
    assert "parental" not in " ".join(_texts(samples / HANDBOOK))


def test_the_memo_contradicts_the_handbook(samples: Path) -> None:
    older = " ".join(_texts(samples / CONTRADICTION.older))
    newer = " ".join(_texts(samples / CONTRADICTION.newer))

    assert CONTRADICTION.older_says in older
    assert CONTRADICTION.newer_says in newer
    assert CONTRADICTION.newer_says not in older


def test_the_handbook_has_what_makes_documents_hard(samples: Path) -> None:
    document = pdfium.PdfDocument(samples / HANDBOOK)
    pages = _texts(samples / HANDBOOK)

    assert len(pages) == 9
    assert sum(len(page.split()) for page in pages) > 2_500
    assert [document.get_page_label(index) for index in range(3)] == ["i", "1", "2"]
    assert pages[-1] == ""
    assert all(page.startswith("Halden Instruments | HX-400") for page in pages[:-1])
    assert sum(page.count("\ufffe") for page in pages) > 5, "words divided at line ends"
    assert len(list(document.get_toc())) > 25  # pyright: ignore[reportUnknownArgumentType] -- pypdfium2 types its outline in part


def test_the_text_sample_is_plain_text(samples: Path) -> None:
    assert (samples / SITE_RULES).read_text(encoding="utf-8").startswith("Rules for visitors")


def _texts(path: Path) -> list[str]:
    document = pdfium.PdfDocument(path)
    texts = [page.get_textpage().get_text_range() for page in document]
    return [re.sub(r"\s+", " ", text).strip() for text in texts]
