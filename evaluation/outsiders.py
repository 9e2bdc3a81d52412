"""Documents and questions by language models that had not seen the product, as people ask.

The texts are pages as extraction and cleaning left them. `offices` was looked at while the answerer
was made (decision 0073), `second` to `fourth` while the judge of answers was taught (0075). `fifth`
came after that: only the totals of three of its documents were seen when limits were chosen. Of
`sixth` nothing was seen: it was measured once, when all of that was done. On 29 November 2026 the
questions were looked at that are refused of any set. `seventh` and `eighth`, leaflets of a page
whose labels are words, are of the day after: what was wrong of `seventh` was looked at, of `eighth`
the totals and a few refusals.

Those of six other languages are asked in collections of their own. The `first` were looked at while
the judge of them was made (0079), of the `second` only the totals were seen. What is asked of both
is asked in English too, as another language model put it that saw the questions only.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Final

from evaluation.datasets import QUESTIONS, Dataset, Document, labelled, question_of, rows
from pulsedocs.model.languages import NAMES
from pulsedocs.model.pages import CleanedPage, Heading, OffsetMap

SETS: Final = ("offices", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth")
OF_LANGUAGES: Final = ("first", "second")


def outsiders(name: str) -> Dataset:
    """Return one of the sets."""
    folder = QUESTIONS / "outsiders"
    documents = tuple(map(_document, rows(folder / f"{name}-documents.jsonl")))
    questions = tuple(labelled(folder / f"{name}-questions.jsonl"))
    return Dataset(f"outsiders, {name}", documents, questions)


def outsiders_of_languages() -> Iterator[Dataset]:
    """Yield a data set for each language of both sets."""
    folder = QUESTIONS / "outsiders"
    for name in OF_LANGUAGES:
        documents = list(rows(folder / f"languages_{name}-documents.jsonl"))
        questions = list(rows(folder / f"languages_{name}-questions.jsonl"))
        for code in dict.fromkeys(row["language"] for row in documents):
            own = [row for row in questions if row["language"] == code]
            yield Dataset(
                f"outsiders, {NAMES[code]}, {name}",
                tuple(_document(row) for row in documents if row["language"] == code),
                tuple(map(question_of, own)),
                language=NAMES[code],
            )


def in_english() -> Iterator[Dataset]:
    """Yield those data sets with their questions asked in English."""
    asked = rows(QUESTIONS / "outsiders" / "languages_in_english.jsonl")
    english = {row["question"]: row["in_english"] for row in asked}
    for dataset in outsiders_of_languages():
        questions = (replace(one, text=english[one.text]) for one in dataset.questions)
        yield replace(dataset, name=f"{dataset.name}, in English", questions=tuple(questions))


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
