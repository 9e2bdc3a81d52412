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
    """Two documents, one of them not published; the second page has no text."""

    def documents(self, **_options: object) -> list[dict[str, Any]]:
        common = {"source": "a.txt", "title": None, "metadata": {}, "pages": {"total": 2}}
        ids = {"PUBLISHED": str(uuid4()), "FAILED": str(uuid4())}
        return [{**common, "outcome": outcome, "document_id": ids[outcome]} for outcome in ids]

    def page(self, _document_id: object, number: int) -> dict[str, Any]:
        return {"text": "words" if number == 1 else "", "label": "i"}


def test_a_passage_keeps_its_place_whatever_its_document_says_of_itself() -> None:
    found: Any = {"chunks": [CHUNK], "trace_id": "t"}

    [passage] = passages_in(found)

    assert (passage.id, passage.text, passage.score) == ("c", "The rent is due.", 0.5)
    assert passage.metadata["source"] == "lease.txt"
    assert passage.metadata["metadata"] == {"source": "forged.pdf"}
    assert passage.metadata["trace_id"] == "t"


def test_pages_without_text_and_documents_without_an_outcome_are_left_out() -> None:
    docs: Any = Docs()

    [page] = pages_of(docs)

    assert (page.text, page.metadata["page"], page.metadata["page_label"]) == ("words", 1, "i")


def test_a_citation_leads_to_its_page() -> None:
    citation: Any = {"document_id": "d", "page": 3}

    assert page_uri(citation) == "pulsedocs://documents/d/pages/3"
