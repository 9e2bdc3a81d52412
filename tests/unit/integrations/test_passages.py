"""What integrations make of answers, without a framework."""

from typing import Any
from uuid import uuid4

from pulsedocs.integrations.passages import page_uri, pages_of, passages_in

CHUNK: Any = {
    "chunk_id": "c",
    "document_id": "d",
    "source": "lease.txt",
    "title": None,
    "content": "The rent is due.",
    "pages": [1, 2],
    "section": None,
    "relevance_score": 0.5,
    "vector_score": 0.6,
    "keyword_score": None,
    "rank": 1,
    "metadata": {"source": "forged.pdf"},
}


class Docs:
    """One document, added again unchanged: version 2 has no pages. Page 2 of 1 has no text."""

    def documents(self, *, state: str, **_options: object) -> list[dict[str, Any]]:
        assert state == "PUBLISHED", "the others have nothing that is searched"
        common = {"source": "a.txt", "title": None, "metadata": {}, "pages": {"total": 0}}
        return [{**common, "outcome": "DUPLICATE", "document_id": str(uuid4())}]

    def versions(self, _document_id: object) -> list[dict[str, Any]]:
        return [
            {"version": 2, "pages": 0, "is_published": False},
            {"version": 1, "pages": 2, "is_published": True},
        ]

    def page(self, _document_id: object, number: int, *, version: int) -> dict[str, Any]:
        assert version == 1
        return {"text": "words" if number == 1 else "", "label": "i"}


def test_a_passage_keeps_its_place_whatever_its_document_says_of_itself() -> None:
    found: Any = {"chunks": [CHUNK], "trace_id": "t", "degraded": ["keyword"]}

    [passage] = passages_in(found)

    assert (passage.id, passage.text, passage.score) == ("c", "The rent is due.", 0.5)
    assert passage.metadata["source"] == "lease.txt"
    assert passage.metadata["metadata"] == {"source": "forged.pdf"}
    assert passage.metadata["trace_id"] == "t"
    assert passage.metadata["degraded"] == ["keyword"]


def test_the_pages_with_text_of_the_version_that_serves_are_given() -> None:
    """Fails when: the newest version decides, which gives nothing once it is added unchanged."""
    docs: Any = Docs()

    [page] = pages_of(docs)

    assert (page.text, page.metadata["page"], page.metadata["page_label"]) == ("words", 1, "i")


def test_a_citation_leads_to_its_page() -> None:
    citation: Any = {"document_id": "d", "page": 3, "version": 2}

    assert page_uri(citation) == "pulsedocs://documents/d/pages/3?version=2"


def test_a_citation_of_an_older_stage_leads_to_the_page_that_serves() -> None:
    citation: Any = {"document_id": "d", "page": 3}

    assert page_uri(citation) == "pulsedocs://documents/d/pages/3"
