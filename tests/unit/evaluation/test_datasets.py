"""Folders of other people's documents are read as ingestion reads them."""

import json
from dataclasses import replace
from pathlib import Path

from evaluation import sets
from evaluation.datasets import folder, texts_of
from tests.unit.extraction.scans import photographed, prose


def test_the_words_of_a_scan_are_measured_too(tmp_path: Path) -> None:
    """Its questions counted as missed: without recognition a scan is a document of no words."""
    (tmp_path / "pdfs").mkdir()
    scan = photographed(prose(["A ticket for a bicycle costs four pounds on board."]))
    (tmp_path / "pdfs" / "fares.pdf").write_bytes(scan)
    row = {"question": "What does a bicycle cost?", "doc": "fares.pdf", "gold_pages": [1]}
    (tmp_path / "questions.jsonl").write_text(json.dumps(row), encoding="utf-8")

    [document] = folder(tmp_path).documents

    assert "bicycle costs four pounds" in " ".join(texts_of(document)[0].split())


def test_documents_that_are_read_otherwise_are_compared_with_what_they_had() -> None:
    """A change of reading that lost pages was another set to the gate, which then said nothing."""
    before = sets.near_misses()
    first, *others = before.documents
    page = replace(first.pages[0], text="")
    after = replace(before, documents=(replace(first, pages=(page,)), *others))

    assert after.identity == before.identity
    assert after.fingerprint != before.fingerprint
    assert before.identity not in {
        replace(before, documents=tuple(others)).identity,
        replace(before, questions=before.questions[1:]).identity,
        sets.own_words().identity,
    }
