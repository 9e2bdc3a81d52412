"""What a proof does without when there is no time for it."""

import json
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any
from uuid import UUID

import pytest

from pulsedocs.adapters.ed25519 import Ed25519Signer
from pulsedocs.errors import NoBoxes, PulseDocsError, StoreUnavailable, TimedOut
from pulsedocs.model.highlights import Highlight, PagePlace
from pulsedocs.model.proofs import CitedWords, Mark, Origin
from pulsedocs.questions.export_proof import AnswerToProve, export_proof
from pulsedocs.questions.proof_file import opened
from pulsedocs.retrieval.evidence import seal

KEY, TENANT, DOCUMENT = b"key", UUID(int=1), UUID(int=2)
PLACE = PagePlace(
    tenant_id=TENANT,
    document_id=DOCUMENT,
    object_version="v",
    content_type="application/pdf",
    page=3,
    ranges=((0, 5),),
    text_sha256="ab" * 32,
)
TRACE: dict[str, Any] = {
    "question_hmac": seal(KEY, "question", "Why?"),
    "profile": {"name": "default"},
    "models": {"embedding": None},
    "candidates": [
        {"document_id": str(DOCUMENT), "version": 1, "pages": [3], "selected": True, "rank": 1}
        | {"relevance": 0.9, "final_score": 0.9}
    ],
    "answer": {
        "text_hmac": seal(KEY, "answer", "It rains [1]."),
        "abstained": None,
        "citations": [
            {"n": 1, "document_id": str(DOCUMENT), "page": 3, "start": 0, "end": 5}
            | {"status": "found"}
        ],
    },
}


@pytest.mark.parametrize("error", [TimedOut("late"), StoreUnavailable("away"), NoBoxes("none")])
def test_words_that_cannot_be_drawn_in_time_are_proved_without(error: PulseDocsError) -> None:
    def cited_words(_tenant_id: UUID, _marks: tuple[Mark, ...]) -> tuple[CitedWords]:
        origin = Origin("a.pdf", None, None, "ab" * 32, "application/pdf", "pdfium 5", "7")
        return (CitedWords(origin, "rains", "cd" * 32, PLACE),)

    def find(_place: PagePlace) -> Highlight:
        raise error

    def read(_key: str) -> bytes:
        return json.dumps(TRACE).encode()

    def seals_of(kind: str, text: str) -> set[str]:
        return {seal(KEY, kind, text)}

    engine: Any = SimpleNamespace(objects=SimpleNamespace(read=read), seals_of=seals_of)
    citations: Any = SimpleNamespace(cited_words=cited_words)
    finder: Any = SimpleNamespace(find=find)

    file = export_proof(
        AnswerToProve(TENANT, "0" * 32, "Why?", "It rains [1]."),
        engine=engine,
        citations=citations,
        finder=finder,
        signer=Ed25519Signer(b"secret"),
        now=datetime(2026, 11, 23, tzinfo=UTC),
    )

    proof, body, _ = opened(file.body)
    assert [citation.words.quote for citation in proof.citations] == ["rains"]
    assert b"data:image" not in body
    assert file.document_ids == (DOCUMENT,)
