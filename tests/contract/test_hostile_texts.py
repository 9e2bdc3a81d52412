"""Texts that no honest person writes cost their reader a few seconds, and the parent nothing."""

import time

import pytest

from pulsedocs.adapters.sandbox import SandboxedExtractor
from pulsedocs.errors import DocumentRejected
from pulsedocs.extraction import Budgets
from tests.unit.extraction.hostile_texts import hostile_texts

CASES = {name: (content_type, body) for name, content_type, body in hostile_texts()}
SANDBOX = SandboxedExtractor(
    # 20 and 300 in production: a hostile text only has to go beyond what it is given.
    Budgets(open_cpu_seconds=1, document_cpu_seconds=2, memory_bytes=768 * 1024 * 1024),
    deadline_seconds=120,  # of a busy machine; the CPU seconds above are the promise
)


@pytest.mark.parametrize("name", CASES)
def test_a_hostile_text_ends_soon_as_pages_or_typed(name: str) -> None:
    """S4-02: within its CPU seconds and 768 MB, with text or with an error that says why."""
    content_type, body = CASES[name]
    started = time.monotonic()

    try:
        pages = list(SANDBOX.pages(body, content_type=content_type))
    except DocumentRejected as error:
        assert error.message  # noqa: PT017 -- pages are as good an end
    else:
        assert pages
        assert "root:" not in "".join(page.text for page in pages)
    assert time.monotonic() - started < 120
