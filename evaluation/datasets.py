"""Documents and questions to measure with: the committed ones, and folders of other people's.

A folder holds either `corpus.jsonl`, `queries.jsonl` and `qrels.tsv` (the form of BEIR), or `pdfs/`
and `questions.jsonl` whose rows name right pages. Nothing of a folder is copied anywhere.
"""

import csv
import hashlib
import json
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from local import samples
from pulsedocs.adapters.sandbox import SandboxedExtractor
from pulsedocs.cleaning import clean
from pulsedocs.extraction import PDF, Budgets
from pulsedocs.model.evaluations import Expected, LabelledQuestion
from pulsedocs.model.pages import ALWAYS_RECOGNISED, CleanedPage, OffsetMap
from pulsedocs.model.titles import title_of
from pulsedocs.retrieval.quality import normalised

QUESTIONS: Final = Path(__file__).parent / "questions"
_SECONDS: Final = 300  # to read one file


@dataclass(frozen=True, slots=True)
class Document:
    """A file as ingestion would have cleaned it, with the title that the file states.

    `content_date` is None where the date must not matter: it then follows from the file's name.
    """

    source: str
    pages: tuple[CleanedPage, ...]
    title: str | None = None
    content_date: date | None = None
    labels: Mapping[int, str] = field(default_factory=dict[int, str])
    """What is printed as the numbers of its pages, where the file says so."""


@dataclass(frozen=True, slots=True)
class Dataset:
    """`language` is PostgreSQL's name of it, as a collection has it."""

    name: str
    documents: tuple[Document, ...]
    questions: tuple[LabelledQuestion, ...]
    language: str = "english"

    @property
    def identity(self) -> str:
        """Return a hash of what is asked of which documents, however these are read.

        Figures of one identity are compared. While words counted, whatever changed the reading of a
        folder made another set of it, and its gate compared nothing.
        """
        asked = [[one.source for one in self.documents], [one.text for one in self.questions]]
        return hashlib.sha256(json.dumps([self.language, *asked]).encode()).hexdigest()

    @property
    def fingerprint(self) -> str:
        """Return a hash of the documents' names and words, whoever labels them how."""
        digest = hashlib.sha256(self.language.encode())
        for document in sorted(self.documents, key=lambda one: one.source):
            digest.update(json.dumps([document.source, *texts_of(document)]).encode())
        if any(one.content_date for one in self.documents):  # the order of upload may matter
            dated = [f"{one.content_date} {one.source}" for one in self.documents]
            digest.update(json.dumps(dated).encode())
        return digest.hexdigest()

    def first(self, questions: int) -> "Dataset":
        """Keep so many questions, spread evenly over all of them; 0 keeps all."""
        if not 0 < questions < len(self.questions):
            return self
        step = len(self.questions) / questions
        kept = tuple(self.questions[int(index * step)] for index in range(questions))
        return replace(self, questions=kept)


def texts_of(document: Document) -> list[str]:
    return [page.text for page in document.pages]


def committed() -> Dataset:
    """Return the project's own samples, typeset and read again as ingestion reads them."""
    with TemporaryDirectory(prefix="pulsedocs-evaluation-") as folder:
        paths = samples.write_samples(Path(folder))
        documents = tuple(_read(path) for path in paths)
    by_source = {document.source: document for document in documents}
    questions: tuple[LabelledQuestion, ...] = ()
    for one in labelled(QUESTIONS / "labelled.jsonl"):
        expected = tuple(  # no label has to name the page of its quote
            replace(place, page=page_of(by_source[place.source], place.quote or ""))
            for place in one.expected
        )
        questions += (replace(one, expected=expected),)
    return Dataset("samples", documents, questions)


def page_of(document: Document, quote: str) -> int:
    """Return the page that holds a quote; raise ValueError for words that stand nowhere."""
    wanted = normalised(quote)
    for page in document.pages:
        if wanted in normalised(page.text):
            return page.number
    raise ValueError(f"{document.source} does not say {quote!r}: correct the label")


def labelled(file: Path) -> Iterator[LabelledQuestion]:
    """Read questions with the words that answer them; without any, nothing here answers."""
    yield from map(question_of, rows(file))


def question_of(row: Mapping[str, Any]) -> LabelledQuestion:
    expected = tuple(Expected(**place) for place in row.get("expected", []))
    return LabelledQuestion(row["question"], expected, answerable=bool(expected))


def folders_in(directory: Path) -> list[Path]:
    """Return the data sets in a folder: itself, or those of its folders that are one."""
    own = [one for one in (directory, *sorted(directory.iterdir())) if _is_dataset(one)]
    return own[:1] if own[:1] == [directory] else own


def _is_dataset(directory: Path) -> bool:
    return any((directory / name).exists() for name in ("corpus.jsonl", "questions.jsonl"))


def folder(directory: Path) -> Dataset:
    """Return the data set of a folder, whichever of the two forms it has."""
    if (directory / "corpus.jsonl").exists():
        return _judged(directory)
    questions: tuple[LabelledQuestion, ...] = ()
    for row in rows(directory / "questions.jsonl"):
        if row.get("answerable") and not row.get("text_only", True):
            continue  # the answer stands in a picture, which nobody here reads
        gold = row["gold"] if "gold" in row else [(row["doc"], page) for page in row["gold_pages"]]
        places = tuple(Expected(source, page) for source, page in gold)
        is_answerable = bool(row.get("answerable", places))
        expected = places if is_answerable else ()
        questions += (LabelledQuestion(row["question"], expected, is_answerable),)
    paths = sorted((directory / "pdfs").glob("*.pdf"))
    return Dataset(directory.name, tuple(_read(path) for path in paths), questions)


def _judged(directory: Path) -> Dataset:
    judged: dict[str, list[str]] = defaultdict(list)
    with (directory / "qrels.tsv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            if int(row["score"]) > 0:
                judged[row["query-id"]].append(row["corpus-id"])
    questions = tuple(
        LabelledQuestion(row["text"], tuple(Expected(f"{one}.txt") for one in judged[row["_id"]]))
        for row in rows(directory / "queries.jsonl")
        if judged[row["_id"]]
    )
    documents = tuple(
        replace(
            plain(f"{row['_id']}.txt", f"{row['title']}\n\n{row['text']}".strip()),
            title=row["title"] or None,
        )
        for row in rows(directory / "corpus.jsonl")
    )
    return Dataset(directory.name, documents, questions)


def plain(source: str, text: str) -> Document:
    return Document(source, (CleanedPage(1, text, OffsetMap((0,), (0,), (len(text),))),))


def _read(path: Path) -> Document:
    if path.suffix != ".pdf":
        return plain(path.name, path.read_text(encoding="utf-8"))
    extractor = SandboxedExtractor(
        Budgets(), deadline_seconds=_SECONDS, languages=ALWAYS_RECOGNISED
    )
    with extractor.open(path.read_bytes(), content_type=PDF) as file:
        pages = list(file.pages)
        labels = {page.number: page.label for page in pages if page.label}
        return Document(path.name, tuple(clean(pages)), title_of(pages), labels=labels)


def rows(file: Path) -> Iterator[dict[str, Any]]:
    for line in file.read_text(encoding="utf-8").splitlines():
        if line.strip():
            yield json.loads(line)
