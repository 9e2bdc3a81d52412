"""What Lambda hands on of an error, a class and a text, is an error with its context again."""

import json

import pytest

from pulsedocs.errors import EmbeddingError, PulseDocsError, with_context, without_context
from pulsedocs.model.caught_errors import report_of


def cause_of(error: PulseDocsError) -> str:
    return json.dumps({"errorMessage": with_context(error), "errorType": type(error).__name__})


def test_a_failed_step_says_what_it_failed_at() -> None:
    error = EmbeddingError("3 of 9 chunks have no vector", model="openai:x@8", chunks=3)

    report = report_of("EmbeddingError", cause_of(error))

    assert report.message == "3 of 9 chunks have no vector"
    assert report.context == {"model": "openai:x@8", "chunks": 3, "error": "EmbeddingError"}


@pytest.mark.parametrize(
    "text",
    ["a sentence", "a sentence\ncontext: no JSON", "a sentence\ncontext: [1]", "\ncontext: {}", ""],
)
def test_a_text_without_a_context_is_the_message(text: str) -> None:
    """As a step of an earlier version says it. Fails when: such a text is cut, or is an error."""
    assert without_context(text) == (text, {})
