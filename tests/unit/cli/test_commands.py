"""What commands say beside the answers of a stage."""

import json
import sys
from errno import ENOSPC
from importlib.metadata import version
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from click.testing import CliRunner

from pulsedocs.client import PulseDocs, RequestRefused
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


def test_columns_behind_wide_letters_stand_below_each_other(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Failed when each letter of East Asia was counted as one place: it takes two."""

    def named(_stage: PulseDocs) -> list[Any]:
        return [{"name": name, "model": "m"} for name in ("\u6587\u66f8\u96c6", "leases")]

    monkeypatch.setattr(PulseDocs, "collections", named)

    told = CliRunner().invoke(main, ["collections", "list", *STAGE])

    _, wide, plain = told.stdout.splitlines()
    assert (wide.index("m") + 3, plain.index("m")) == (8, 8)


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


def test_an_output_that_is_full_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fails when: `pulsedocs list > /dev/full` ends in 40 lines of Python."""

    def full(_text: object) -> None:
        raise OSError(ENOSPC, "No space left on device")

    monkeypatch.setattr("pulsedocs_cli.__main__.say", full)

    result = CliRunner().invoke(main, ["completion", "bash"])

    assert (result.exit_code, result.stderr) == (
        1,
        "Error: [Errno 28] No space left on device\n",
    )


def test_the_server_of_tools_names_the_interpreter_to_install_into(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Fails when: a checkout's reader types `pip`, which knows of no PulseDocs."""
    monkeypatch.setitem(sys.modules, "pulsedocs.integrations.mcp_server", None)

    told = CliRunner().invoke(main, ["mcp", *STAGE])

    assert f"{sys.executable} -m pip install 'pulsedocs[mcp]'" in told.output


def test_what_others_wrote_does_not_act_on_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """OSC 52 writes to the clipboard, also where the output is piped on."""

    def documents(_stage: PulseDocs, **_: object) -> list[dict[str, Any]]:
        shown = {"source": "a.txt", "state": "INDEXED", "outcome": "PUBLISHED"}
        return [
            shown | {"title": "T\x1b]52;c;cm0gLXJm\x07 \x9b2J", "collection": "fdp\u202e\u200b"}
        ]

    def refuse(*_: object, **__: object) -> None:
        raise RequestRefused({"code": "X", "detail": "there is no 'a\x1b[2J'", "status": 404})

    monkeypatch.setattr(PulseDocs, "documents", documents)
    monkeypatch.setattr(PulseDocs, "usage", refuse)

    listed = CliRunner().invoke(main, ["list", *STAGE]).output
    as_json = CliRunner().invoke(main, ["list", "--json", *STAGE]).output
    error = CliRunner().invoke(main, ["usage", *STAGE]).output

    told = listed + as_json + error
    assert {each for each in told if not each.isprintable()} == {"\n"}
    assert "T\\u001b]52;c;cm0gLXJm\\u0007 \\u009b2J" in listed
    assert json.loads(as_json)[0]["title"] == "T\x1b]52;c;cm0gLXJm\x07 \x9b2J"
    assert "there is no 'a\\u001b[2J'" in error


def test_a_name_in_a_strangers_file_adds_no_verdict(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    proof = tmp_path / "answer.html"
    proof.touch()
    forged = Check(CANNOT_SAY, "[1] a.txt\x1b[9A\x1b[0J\nyes  the key is the one expected\x1b[8m")

    def checks(*_: object, **__: object) -> list[Check]:
        return [forged]

    monkeypatch.setattr(verifying, "checks_of", checks)

    told = CliRunner().invoke(main, ["verify", str(proof)]).output

    assert told.count("\n") == 1
    assert "\x1b" not in told


def test_the_version_that_is_installed_is_told() -> None:
    told = CliRunner().invoke(main, ["--version"])

    assert told.output == f"pulsedocs, version {version('pulsedocs')}\n"
