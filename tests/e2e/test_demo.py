"""The demo that the README promises runs, and shows what it claims."""

import io
from typing import Any, cast

from rich.console import Console

from local.demo import ask, demo
from pulsedocs.client import PulseDocs


def test_the_demo_cites_its_pages_and_refuses_what_is_not_there() -> None:
    """P-05, S2-19: no key, no account; four questions, three answered with their pages."""
    output = io.StringIO()

    demo(Console(file=output, width=160))

    shown = " ".join(output.getvalue().split())
    assert "hx400_handbook.pdf: PUBLISHED" in shown
    for page, words in (
        (4, "must warm up for 25 minutes before a measurement is valid"),
        (6, "close the inlet valve, wait until the flow meter shows zero"),
        (7, "Continue the exchange of the sensor cartridge"),
    ):
        assert f"hx400_handbook.pdf, page {page}:" in shown
        assert words in shown.replace("│ │ ", "")
    assert "The provided documents do not contain this information." in shown
    assert "BELOW_THRESHOLD: " in shown
    assert shown.count("Replayed from the trace alone: identical") == 4
    assert "selected" in shown
    assert "a relevance of 0.30 is asked for; once one has it, " in shown
    assert (
        "delivery_note_scan.pdf: PUBLISHED, 1 page (1 recognised, 0 without text), 1 chunk "
        in shown
    )
    assert "delivery_note_scan.pdf, page 1: “Two cylinders of test gas" in shown
    assert "Done in " in shown


def test_an_answer_that_lost_its_trace_does_not_end_the_demo() -> None:
    """Seen on two cores with a load of 20: the demo ended with a traceback."""

    class Busy:
        def ask(self, _question: str) -> dict[str, Any]:
            answer: dict[str, Any] = {"answer": "25 minutes.", "citations": [], "abstained": None}
            return {**answer, "degraded": ["trace"], "trace_id": "t"}

    output = io.StringIO()

    ask(Console(file=output), cast("PulseDocs", Busy()), "How long?")

    assert "25 minutes." in output.getvalue()
    assert "Answered with less: trace" in output.getvalue()
