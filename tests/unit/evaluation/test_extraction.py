"""How two texts of one page agree, and which figures of it fell."""

from pathlib import Path

import pytest

from evaluation.extraction import (
    Agreement,
    against_pdftotext,
    agreement,
    fallen,
    measure_files,
    measure_made,
)
from tests.unit.extraction.scans import drawn, prose

WRITTEN = "The sluice at Mill Lane opens when the river stands above ninety centimetres."
WORDS = len(WRITTEN.split())


def figures(read: str, reference: str = WRITTEN) -> dict[str, float]:
    return agreement(read, reference).figures()


def test_a_text_agrees_with_itself_whatever_its_lines_case_and_hyphens() -> None:
    own = figures(
        WRITTEN.upper().replace("CENTIMETRES", "CENTI-\nMETRES").replace(" AT ", "\nAT\n")
    )

    assert own == {
        "texts": 1,
        "words": WORDS,
        "found": 1,
        "precision": 1,
        "order": 1,
        "unseen": 0,
    }


def test_words_that_are_lost_lower_what_is_found_alone() -> None:
    own = figures(WRITTEN.replace("Mill Lane ", ""))

    assert own["found"] == pytest.approx(1 - 2 / WORDS, abs=1e-4)
    assert (own["precision"], own["order"]) == (1, 1)


def test_columns_that_are_read_across_lower_the_order_alone() -> None:
    words = WRITTEN.split()

    own = figures(" ".join([*words[WORDS // 2 :], *words[: WORDS // 2]]))

    assert (own["found"], own["precision"]) == (1, 1)
    assert own["order"] < 0.6


def test_words_that_nobody_sees_are_told_from_those_that_were_misread() -> None:
    hidden = figures(f"{WRITTEN} Zebra")
    misread = figures(WRITTEN.replace("centimetres", "centirnetres"))

    assert max(hidden["precision"], misread["precision"]) < 1
    assert hidden["unseen"] > 0
    assert misread["unseen"] == 0


def test_agreements_add_up_by_words() -> None:
    total = agreement(WRITTEN, WRITTEN) + agreement("", "one two three")

    assert total.figures()["found"] == pytest.approx(WORDS / (WORDS + 3), abs=1e-4)
    assert Agreement().figures()["found"] == 1


def test_a_figure_that_fell_is_named_with_its_format_and_one_that_rose_is_not() -> None:
    before = {"PDF": {"found": 0.9, "precision": 0.9, "order": 0.9}}
    now = {"PDF": {"found": 0.85, "precision": 0.99, "order": 0.89}}

    assert list(fallen(before, now)) == ["PDF: found fell from 0.900 to 0.850"]
    assert len(list(fallen(before, {}))) == 3


def test_pages_of_files_are_compared_with_their_drawing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """White words are on no drawing: were they read, they would be counted as unseen."""
    (tmp_path / "a.pdf").write_bytes(prose([WRITTEN]))
    (tmp_path / "b.pdf").write_bytes(b"no PDF at all")
    (tmp_path / "c.pdf").write_bytes(drawn(lambda _: None))

    measured = dict(measure_files(sorted(tmp_path.glob("*.pdf")), pages=2))

    assert measured["all, against drawing"]["found"] == 1
    assert measured["all, against drawing"]["unseen"] == 0
    assert measured["a.pdf"]["texts"] == 1
    assert "1 NOT_A_PDF" in capsys.readouterr().out


def test_pdftotext_is_asked_for_one_page(tmp_path: Path) -> None:
    program = tmp_path / "pdftotext"
    program.write_text(f"#!/bin/sh\n[ $2 = 7 ] && [ $4 = 7 ] && echo '{WRITTEN}'\n")
    program.chmod(0o755)

    own = against_pdftotext(str(program), tmp_path / "a.pdf", 7, WRITTEN)

    assert own.figures()["found"] == 1
    assert own.reference == WORDS


def test_a_format_that_is_not_measured_has_no_figures() -> None:
    assert measure_made([]) == {}
