"""The command waits for a stage that is waking up, like the library that it is made of."""

from pathlib import Path

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
