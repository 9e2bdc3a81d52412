"""Documents and questions by language models that had not seen the product, as people ask.

The texts are pages as extraction and cleaning left them. `offices` was looked at while the answerer
was made (decision 0073), `second` to `fourth` while the judge of answers was taught (0075). `fifth`
came after that: only the totals of three of its documents were seen when limits were chosen.
"""

from typing import Any, Final

from evaluation.datasets import QUESTIONS, Dataset, Document, labelled, rows
from pulsedocs.model.pages import CleanedPage, Heading, OffsetMap

SETS: Final = ("offices", "second", "third", "fourth", "fifth")


def outsiders(name: str) -> Dataset:
    """Return one of the sets."""
    folder = QUESTIONS / "outsiders"
    documents = tuple(map(_document, rows(folder / f"{name}-documents.jsonl")))
    questions = tuple(labelled(folder / f"{name}-questions.jsonl"))
    return Dataset(f"outsiders, {name}", documents, questions)


def _document(row: dict[str, Any]) -> Document:
    pages = (_page(number, page) for number, page in enumerate(row["pages"], start=1))
    return Document(row["source"], tuple(pages), row["title"])


def _page(number: int, page: dict[str, Any]) -> CleanedPage:
    text = page["text"]
    return CleanedPage(
        number,
        text,
        OffsetMap((0,), (0,), (len(text),)),
        headings=tuple(Heading(**heading) for heading in page["headings"]),
    )
