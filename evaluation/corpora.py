"""Data sets as published documents in PostgreSQL, so that the product's own legs search them."""

import hashlib
import json
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import date, timedelta
from pathlib import Path
from uuid import NAMESPACE_OID, UUID, uuid4, uuid5

from benchmarks.library import Library, Paper, Passage
from evaluation.datasets import Dataset, Document
from pulsedocs.chunking import ChunkProfile, chunk
from pulsedocs.model.chunks import Chunk
from pulsedocs.model.deadline import Deadline
from pulsedocs.model.documents import titled
from pulsedocs.model.evaluations import LabelledQuestion
from pulsedocs.model.retrieval import Scope
from pulsedocs.ports.providers import Embedder, TokenCounter

COLLECTION = "default"


@dataclass(frozen=True, slots=True)
class Cutting:
    """How documents become chunks; the profile says which words of their place count with them."""

    profile: ChunkProfile
    count_tokens: TokenCounter

    def chunks(self, document: Document) -> list[Chunk]:
        return chunk(
            document.pages,
            profile=self.profile,
            count_tokens=self.count_tokens,
            title=titled(None, document.title, document.source).indexed,
        )


@dataclass(frozen=True, slots=True)
class Corpus:
    """Where a data set lies: the scope that finds it."""

    tenant_id: UUID
    chunks: int

    @property
    def scope(self) -> Scope:
        return Scope(self.tenant_id, (COLLECTION,))

    def scope_of(self, question: LabelledQuestion) -> Scope:
        return replace(self.scope, document_ids=tuple(map(UUID, question.document_ids)))


def open_corpus(
    dataset: Dataset, *, admin_url: str, embedder: Embedder, cutting: Cutting, kept: Path | None
) -> Corpus:
    """Return the data set's corpus, written now unless `kept` remembers it from an earlier run."""
    profile = cutting.profile
    parts = (dataset.fingerprint, embedder.model, profile.name, dict(profile.parameters))
    titles = [titled(None, one.title, one.source).indexed for one in dataset.documents]
    made_from = json.dumps([*parts, profile.context, titles, "labels, headings"]).encode()
    marker = kept and kept / f"{hashlib.sha256(made_from).hexdigest()[:32]}.json"
    if marker is not None and marker.exists():
        row = json.loads(marker.read_text(encoding="utf-8"))
        return Corpus(UUID(row["tenant_id"]), row["chunks"])
    corpus = _write(dataset, admin_url=admin_url, embedder=embedder, cutting=cutting)
    if marker is not None:
        marker.parent.mkdir(parents=True, exist_ok=True)
        row = {"tenant_id": str(corpus.tenant_id), "chunks": corpus.chunks}
        marker.write_text(json.dumps(row), encoding="utf-8")
    return corpus


def within_documents(dataset: Dataset) -> Dataset:
    """Return the same questions, each asked of the one document that answers it."""
    questions: tuple[LabelledQuestion, ...] = ()
    for question in dataset.questions:
        sources = dict.fromkeys(place.source for place in question.expected)
        ids = tuple(str(_document_id(source)) for source in sources)
        if ids:
            questions += (replace(question, document_ids=ids),)
    return replace(dataset, name=f"{dataset.name}, document given", questions=questions)


def _write(dataset: Dataset, *, admin_url: str, embedder: Embedder, cutting: Cutting) -> Corpus:
    tenant_id, chunks = uuid4(), 0
    with closing(Library(admin_url)) as library:
        shelf = library.shelf(
            embedder.model, tenant_id=tenant_id, collection=COLLECTION, language=dataset.language
        )
        for document in _in_order(dataset.documents):
            made = cutting.chunks(document)
            texts = [one.indexed_text for one in made]
            vectors = embedder.embed_passages(texts, deadline=Deadline.after(1e9)).vectors
            library.add(
                shelf,
                Paper(
                    _passages(made, vectors),
                    document_id=_document_id(document.source),
                    source=document.source,
                    title=document.title,
                    content_date=document.content_date or _content_date(document.source),
                ),
            )
            texts_of_pages = {page.number: page.text for page in document.pages}
            own_id = _document_id(document.source)
            headings = {page.number: page.headings for page in document.pages}
            library.add_pages(shelf, own_id, texts_of_pages, document.labels, headings)
            chunks += len(made)
        library.analyze()
    return Corpus(tenant_id, chunks)


def _in_order(documents: Sequence[Document]) -> list[Document]:
    """Return documents as they are uploaded: as given where they state dates."""
    if any(one.content_date for one in documents):
        return list(documents)
    return sorted(documents, key=lambda one: _content_date(one.source))


def _passages(made: Sequence[Chunk], vectors: Sequence[Sequence[float]]) -> list[Passage]:
    return [
        Passage(
            one.text,
            vector,
            section=one.section,
            spans=[(span.page, span.start, span.end) for span in one.spans],
            tokens=one.tokens,
            context=one.context,
        )
        for one, vector in zip(made, vectors, strict=True)
    ]


def _document_id(source: str) -> UUID:
    """Return the same id on every run: equal scores are ordered by it."""
    return uuid5(NAMESPACE_OID, source)


def _content_date(source: str) -> date:
    """Return a date by which an answer is as often old as new, whatever the file's name.

    Documents are uploaded in this order: neither dates nor uploads may decide what is found.
    """
    days = int.from_bytes(hashlib.sha256(source.encode()).digest()[:2])
    return date(2000, 1, 1) + timedelta(days=days % 9000)
