"""The command waits for a stage that is waking up, like the library that it is made of."""

import json
import os
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from pulsedocs.client.transport import PATIENCE_SECONDS
from pulsedocs_cli.__main__ import main
from tests.unit.client.test_transport import (
    FINE,
    WARMING,
    Script,
    url,  # noqa: F401 # pyright: ignore[reportUnusedImport] -- a fixture
)

DOCUMENT = "11111111-1111-4111-8111-111111111111"


def test_a_command_waits_for_a_stage_that_is_waking_up(
    url: str,  # noqa: F811 -- the fixture
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    Script.answers = [WARMING, WARMING, FINE]

    result = CliRunner().invoke(main, ["status", DOCUMENT, "--url", url, "--token", "token"])

    assert result.exit_code == 0, result.output
    assert result.stderr == "waiting for the stage: d\n"
    assert Script.answers == []
    assert PATIENCE_SECONDS == 90


def test_a_folder_with_nothing_to_add_says_so(tmp_path: Path) -> None:
    folder = [str(tmp_path), "--url", "http://127.0.0.1:9", "--token", "token"]

    result = CliRunner().invoke(main, ["add", *folder])

    assert result.stderr == "nothing to add: no file of a kind that is read\n"


def test_what_is_neither_a_file_nor_a_folder_is_refused(tmp_path: Path) -> None:
    """Fails when: `pulsedocs add <(curl ...)` adds nothing, and the script goes on."""
    pipe = tmp_path / "pipe.txt"
    os.mkfifo(pipe)
    stage = ["--url", "http://127.0.0.1:9", "--token", "token"]

    result = CliRunner().invoke(main, ["add", str(pipe), *stage])

    assert result.exit_code == 2
    assert "pipe.txt is neither a file nor a folder" in result.stderr


def test_what_the_stage_is_at_fault_for_comes_with_the_id_of_its_request(
    url: str,  # noqa: F811 -- the fixture
) -> None:
    """Fails when: "report the request id" names none."""
    wrong = {"code": "INTERNAL", "status": 500, "detail": "d", "guidance": "g.", "request_id": "r1"}
    Script.answers = [(500, json.dumps(wrong).encode(), "")]

    result = CliRunner().invoke(main, ["status", DOCUMENT, "--url", url, "--token", "token"])

    assert (result.exit_code, result.stderr) == (1, "Error: INTERNAL: d. g. Request: r1\n")


@pytest.mark.parametrize("name", ["collections", "models", "conversations", "feedback"])
def test_the_bare_name_of_a_group_lists_with_the_options_of_a_list(
    url: str,  # noqa: F811 -- the fixture
    monkeypatch: pytest.MonkeyPatch,
    name: str,
) -> None:
    """Fails when: --json is unknown there, or PULSEDOCS_URL is not read and another is asked."""
    monkeypatch.setenv("PULSEDOCS_URL", url)
    listing = json.dumps({name: [{"name": "x"}], "cursor": None}).encode()
    Script.answers = [(200, listing, "")]

    bare = CliRunner().invoke(main, [name, "--token", "token", "--json"])
    explained = CliRunner().invoke(main, [name, "--help"])

    assert bare.exit_code == 0, bare.output
    assert json.loads(bare.stdout) == [{"name": "x"}]
    assert "Commands:" in explained.stdout


@pytest.mark.parametrize("columns", [40, 80])
def test_a_list_of_commands_cuts_no_sentence(columns: int) -> None:
    """Fails when: a list says "Show who did what in the tenant, newest first; needs..."."""
    top = click.Context(main)
    every = [main, *(main.get_command(top, name) for name in main.list_commands(top))]
    groups = [each for each in every if isinstance(each, click.Group)]

    told = [each.get_help(click.Context(each, terminal_width=columns)) for each in groups]

    assert len(told) > 5
    assert [text for text in told if "..." in text.partition("Commands:")[2]] == []


def test_what_an_estimate_cannot_read_is_said_in_sentences(tmp_path: Path) -> None:
    (tmp_path / "empty.txt").touch()

    result = CliRunner().invoke(main, ["estimate", str(tmp_path / "empty.txt")])

    assert result.exit_code == 1
    assert "the file has no bytes. The file" in result.stderr


def test_an_estimate_is_json_for_scripts(tmp_path: Path) -> None:
    """Its parts add up to its sum; an unknown price is said, not taken for nothing."""
    file = tmp_path / "ferry.txt"
    file.write_text("The ferry to the island leaves at nine.")

    known = CliRunner().invoke(main, ["estimate", str(file), "--json"])
    unknown = CliRunner().invoke(main, ["estimate", str(file), "--model", "acme:x@8", "--json"])
    told = CliRunner().invoke(main, ["estimate", str(file)])

    found = json.loads(known.stdout)
    assert (found["file"], found["pages"], found["chunks"]) == ("ferry.txt", 1, 1)
    assert found["usd"] == pytest.approx(sum(line["usd"] for line in found["lines"]))
    assert [found["has_embedding_price"], json.loads(unknown.stdout)["has_embedding_price"]] == [
        True,
        False,
    ]
    assert ": 1 page (1 with text, 0 scanned), 1 chunk, " in told.stdout


def test_what_takes_no_json_is_typed_served_or_of_this_machine() -> None:
    """`--json` everywhere else, also where no stage is asked."""

    def commands(group: click.Group, *before: str) -> Iterator[tuple[str, click.Command]]:
        context = click.Context(group)
        for name in group.list_commands(context):
            command = group.get_command(context, name)
            if isinstance(command, click.Group):
                yield from commands(command, *before, name)
            elif command is not None:
                yield " ".join((*before, name)), command

    without = {
        name
        for name, command in commands(main)
        if not any("--json" in parameter.opts for parameter in command.params)
    }

    assert without == {
        *("chat", "login", "logout", "mcp", "completion"),
        *("up", "down", "open", "demo"),
    }


@pytest.mark.parametrize(("limit", "told"), [("1", True), ("2", False)])
def test_a_list_that_is_cut_says_so(url: str, limit: str, told: bool) -> None:  # noqa: F811, FBT001 -- the fixture; a case
    """Fails when: the newest hundred of a thousand documents look like all of them."""
    document = {"document_id": "1", "state": "EMBEDDED", "outcome": "PUBLISHED"}
    listed = {"documents": [document, document], "cursor": None}
    Script.answers = [(200, json.dumps(listed).encode(), "")]

    result = CliRunner().invoke(main, ["list", "--limit", limit, "--url", url, "--token", "t"])

    assert result.exit_code == 0, result.output
    assert ("--limit shows more" in result.stderr) is told
