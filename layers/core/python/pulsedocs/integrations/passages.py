"""What all integrations make of a stage's answers: passages, places and pages."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from pulsedocs.client import PulseDocs
from pulsedocs.client.results import Citation, RetrievalResponse

_PAGE: Final = "pulsedocs://documents/{document_id}/pages/{page}"
PAGE: Final = f"{_PAGE}{{?version}}"
"""Where a page is found, for programs that follow links: RFC 6570; of the version that serves."""


@dataclass(frozen=True, slots=True)
class Passage:
    """A text with what a framework keeps beside it; `score` is from 0 to 1 where one was given."""

    id: str
    text: str
    score: float | None
    metadata: dict[str, Any]


def passages_in(found: RetrievalResponse) -> list[Passage]:
    """Return the passages of a search, best first. What the caller's metadata says stays inside.

    A document's own metadata is under `metadata`, so that it cannot pass for a citation.
    """
    return [
        Passage(
            chunk["chunk_id"],
            chunk["content"],
            chunk["relevance_score"],
            {
                "document_id": chunk["document_id"],
                "source": chunk["source"],
                "title": chunk["title"],
                "pages": chunk["pages"],
                "section": chunk["section"],
                "rank": chunk["rank"],
                "trace_id": found["trace_id"],
                "degraded": found["degraded"],
                "metadata": chunk["metadata"],
            },
        )
        for chunk in found["chunks"]
    ]


def pages_of(docs: PulseDocs, *, collection: str | None = None) -> Iterator[Passage]:
    """Yield the pages with text of all documents that can be searched, as they are searched.

    The status tells of the newest version, which may be on its way or have failed.
    """
    for status in docs.documents(collection=collection, state="PUBLISHED"):
        document_id = UUID(status["document_id"])
        serving = next((each for each in docs.versions(document_id) if each["is_published"]), None)
        if serving is None:  # taken away since it was listed
            continue
        for number in range(1, serving["pages"] + 1):
            page = docs.page(document_id, number, version=serving["version"])
            if not page["text"]:
                continue
            yield Passage(
                f"{status['document_id']}/{number}",
                page["text"],
                None,
                {
                    "document_id": status["document_id"],
                    "source": status["source"],
                    "title": status["title"],
                    "page": number,
                    "page_label": page["label"],
                    "metadata": status["metadata"],
                },
            )


def page_uri(citation: Citation) -> str:
    page = _PAGE.format(document_id=citation["document_id"], page=citation["page"])
    version = citation.get("version")  # a stage of an older release says none
    return page if version is None else f"{page}?version={version}"
