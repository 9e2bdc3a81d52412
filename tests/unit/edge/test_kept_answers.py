"""What an older release kept under an Idempotency-Key is read after a deployment."""

from typing import Any, Final

from pulsedocs.edge.questions import AnswerView

_ID: Final = "22222222-2222-4222-8222-222222222222"
_PLACE: Final[dict[str, Any]] = {
    "document_id": _ID,
    "source": "lease.txt",
    "title": None,
    "page": 3,
    "page_label": None,
    "quote": "due on day three",
    "start": 0,
    "end": 16,
}
_KEPT: Final[dict[str, Any]] = {
    "answer": "It is due on day three [1].",
    "abstained": None,
    "note": None,
    "citations": [{**_PLACE, "n": 1, "status": "found"}],
    "sources": [],
    "rewritten_question": None,
    "coverage": [],
    "usage": {"input_tokens": 0, "output_tokens": 0, "cost_usd": 0.0},
    "model": "extractive",
    "degraded": [],
    "trace_id": _ID,
}


def test_a_citation_without_markers_and_version_is_read() -> None:
    [citation] = AnswerView.model_validate(_KEPT).citations

    assert (citation.markers, citation.version, citation.page) == ([], None, 3)


def test_a_nearest_passage_without_a_version_is_read() -> None:
    abstained = {"reason": "NO_ANSWER_IN_CONTEXT", "message": "", "detail": "", "nearest": _PLACE}

    refused = AnswerView.model_validate(_KEPT | {"abstained": abstained, "citations": []}).abstained

    assert refused is not None
    assert refused.nearest is not None
    assert refused.nearest.version is None
