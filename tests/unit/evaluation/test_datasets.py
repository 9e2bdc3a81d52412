"""Folders of other people's documents are read as ingestion reads them."""

import json
from pathlib import Path

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
