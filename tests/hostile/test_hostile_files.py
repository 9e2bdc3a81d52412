"""Whatever a file is made of, reading it ends in time, within memory and with a typed outcome."""

import json
import subprocess
import sys
from collections.abc import Generator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pulsedocs.adapters.sandbox import SandboxedExtractor
from pulsedocs.extraction import PDF, Budgets
from tests.hostile.bombs import BOMBS
from tests.hostile.building import WORDS, Case
from tests.hostile.contents import CONTENTS
from tests.hostile.images import IMAGES
from tests.hostile.letters import HIDDEN, HIDING, LETTERS
from tests.hostile.locks import LOCKED
from tests.hostile.not_pdfs import NOT_PDFS
from tests.hostile.offices import OFFICES
from tests.hostile.structure import STRUCTURE

ALL = [*NOT_PDFS, *STRUCTURE, *CONTENTS, *BOMBS, *LOCKED, *HIDING, *LETTERS, *OFFICES, *IMAGES]
DEADLINE_SECONDS = 30
PEAK_MB = 768
PAGE_SECONDS = 1  # five in production: a bomb only has to go beyond what it is given


@pytest.fixture(scope="module")
def reader() -> Generator["subprocess.Popen[str]"]:
    """Start one process that reads every file, so that none of them may end it.

    It is small: a child begins as a copy of its parent, whose memory would count as the child's.
    """
    command = [sys.executable, "-m", "evaluation.files", "-", f"--deadline={DEADLINE_SECONDS}"]
    with subprocess.Popen(
        [*command, f"--page-seconds={PAGE_SECONDS}"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        yield process
        process.kill()


def read(reader: "subprocess.Popen[str]", path: Path) -> dict[str, Any]:
    assert reader.stdin
    assert reader.stdout
    reader.stdin.write(f"{path}\n")
    reader.stdin.flush()
    return json.loads(reader.stdout.readline())


def test_there_are_more_than_two_hundred_files_of_different_names() -> None:
    assert len(ALL) == len({case.name for case in ALL}) >= 200


@pytest.mark.parametrize("case", [pytest.param(case, id=case.name) for case in ALL])
def test_it_ends_typed_in_time_and_within_memory(
    case: Case, reader: "subprocess.Popen[str]", tmp_path: Path
) -> None:
    """S3-06, K08: as written beside the file; a poisoned page costs itself, the reader lives on."""
    path = tmp_path / f"hostile{case.suffix}"
    path.write_bytes(case.make())

    result = read(reader, path)

    path.unlink()
    assert result["outcome"] == case.outcome
    assert case.lost is None or result["failures"] == [list(case.lost)]
    assert result["seconds"] < DEADLINE_SECONDS
    assert result["peak_mb"] < PEAK_MB
    assert reader.poll() is None


def text_of(case: Case) -> tuple[str, int]:
    sandbox = SandboxedExtractor(replace(Budgets(), page_cpu_seconds=PAGE_SECONDS))
    [page] = sandbox.pages(case.make(), content_type=PDF)
    return page.text, page.hidden_characters


@pytest.mark.parametrize("case", [pytest.param(case, id=case.name) for case in HIDING])
def test_what_nobody_sees_is_not_read(case: Case) -> None:
    text, hidden = text_of(case)

    assert WORDS in text
    assert HIDDEN.split()[0] not in text
    assert hidden >= len(HIDDEN.replace(" ", ""))


@pytest.mark.parametrize("case", [pytest.param(case, id=case.name) for case in LETTERS])
def test_no_letter_breaks_what_stores_it(case: Case) -> None:
    text, _ = text_of(case)

    text.encode()
    assert "\x00" not in text
