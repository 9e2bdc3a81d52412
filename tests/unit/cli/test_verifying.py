"""Originals are read as the stage read the page that is cited, not as the first one of the file."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from uuid import UUID

import pytest

from pulsedocs.model.pages import Page, PageOutcome
from pulsedocs.model.proofs import CitedWords, Mark, Origin, ProvenCitation
from pulsedocs_cli import verifying
from pulsedocs_cli.verifying import Originals


@dataclass(frozen=True)
class Extractor:
    """Says on its second page in which languages it was to recognise words."""

    budgets: object
    languages: Sequence[str] = ()

    def pages(self, _body: bytes, *, content_type: str) -> Iterator[Page]:
        assert content_type == "application/pdf"
        yield Page(1, "Printed words.", PageOutcome.TEXT, "pdfium")
        yield Page(2, " ".join(self.languages), PageOutcome.TEXT, "tesseract")


def cited(page: int, parser: str) -> ProvenCitation:
    origin = Origin("a.pdf", None, None, "ab" * 32, "application/pdf", parser, "7")
    words = CitedWords(origin, "x", "cd" * 32, None)
    return ProvenCitation(page, "found", Mark(UUID(int=1), 1, page, 0, 1), words)


def test_a_scan_behind_a_printed_page_is_recognised_in_its_own_languages(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(verifying, "SandboxedExtractor", Extractor)
    originals = Originals()

    printed = originals.pages_of(b"file", cited(1, "pdfium 5"))
    scanned = originals.pages_of(b"file", cited(2, "tesseract 5.5 deu+fra"))
    older = originals.pages_of(b"file", cited(2, "tesseract 5.5"))

    assert printed[1] == "Printed words."
    assert scanned[2] == "deu fra"
    assert older[2] == "eng deu"
