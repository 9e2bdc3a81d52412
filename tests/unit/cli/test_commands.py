"""What commands say beside the answers of a stage."""

import sys
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from click.testing import CliRunner

from pulsedocs.client import PulseDocs
from pulsedocs.questions.verify_proof import CANNOT_SAY, Check
from pulsedocs_cli import verifying
from pulsedocs_cli.__main__ import main

STAGE = ("--url", "http://127.0.0.1:1", "--token", "of nobody")


@pytest.mark.parametrize("completed_at", [None, "2026-11-28T03:53:00Z"])
def test_a_receipt_of_what_is_still_being_deleted_says_so(
    completed_at: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    def receipt(_stage: PulseDocs, _receipt_id: UUID) -> dict[str, Any]:
        return {"completed_at": completed_at, "after": None}

    monkeypatch.setattr(PulseDocs, "receipt", receipt)

    told = CliRunner().invoke(main, ["receipt", str(UUID(int=1)), *STAGE])

    assert ("under way" in told.stderr) == (completed_at is None)


def test_words_in_two_pieces_on_one_page_are_one_line(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    proof = tmp_path / "answer.html"
    proof.touch()
    missing = Check(CANNOT_SAY, "[1] lease.pdf, page 2: no file given has the digest 0123…")

    def twice(*_: object, **__: object) -> list[Check]:
        return [missing, missing]

    monkeypatch.setattr(verifying, "checks_of", twice)

    told = CliRunner().invoke(main, ["verify", str(proof)])

    assert told.output.count("lease.pdf") == 1


def test_the_server_of_tools_names_the_interpreter_to_install_into(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Fails when: a checkout's reader types `pip`, which knows of no PulseDocs."""
    monkeypatch.setitem(sys.modules, "pulsedocs.integrations.mcp_server", None)

    told = CliRunner().invoke(main, ["mcp", *STAGE])

    assert f"{sys.executable} -m pip install 'pulsedocs[mcp]'" in told.output
