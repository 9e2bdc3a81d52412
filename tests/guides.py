"""The code blocks of the README and the guides, and a folder in which they run as they stand there.

A block that needs an account of AWS has the line `<!-- needs AWS -->` above it: it is read by bash
and not run, and tests/architecture/test_commands.py holds its commands against what they take.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from reportlab.pdfgen.canvas import Canvas

from tests.patience import PATIENCE

ROOT: Final = Path(__file__).parents[1]
PAGES: Final = (
    ROOT / "README.md",
    *sorted((ROOT / "docs/guides").glob("*.md")),
    ROOT / "docs/concepts/proofs.md",
)
PROGRAM: Final = 'if __name__ == "__main__":'
"""A block with this line is a whole program; the others of a page are one, in their order."""
_FENCE: Final = re.compile(
    r"^(?P<mark><!-- needs AWS -->\n)?^(?P<indent> *)```(?P<language>\w*)\n(?P<text>.*?)^ *```$",
    re.MULTILINE | re.DOTALL,
)
_PLACEHOLDER: Final = re.compile(r"(?<![$\w{])(DOCUMENT|DOCUMENT_ID)(?!\w)")
LEASE: Final = (
    "The rent is due on the third day of each month.",
    "The deposit is 1,250 euros.",
    "The garden is shared with the neighbours.",
)
_ELSEWHERE: Final = ("make", "pip")
"""Programs that other tests run: test_demo, test_service and test_wheel_stage."""


@dataclass(frozen=True, slots=True)
class Block:
    page: Path
    line: int
    language: str
    text: str
    needs_aws: bool

    @property
    def id(self) -> str:
        return f"{self.page.relative_to(ROOT).as_posix()}:{self.line}"


def blocks(*languages: str) -> Iterator[Block]:
    """Yield the blocks of all pages in some languages; without a name, what programs print."""
    for page in PAGES:
        text = page.read_text("utf-8")
        for found in _FENCE.finditer(text):
            if found["language"] in languages:
                line = text.count("\n", 0, found.start("text")) + 1
                yield Block(page, line, found["language"], found["text"], found["mark"] is not None)


def lease(path: Path) -> Path:
    """Write a PDF with a page for each line."""
    canvas = Canvas(str(path), invariant=1)
    for line in LEASE:
        canvas.drawString(72, 700, line)
        canvas.showPage()
    canvas.save()
    return path


class Desk:
    """A folder with the files that the guides name, a stage that is up, and its commands."""

    def __init__(self, folder: Path, *, url: str, token: str, variables: Mapping[str, str]) -> None:
        self.folder = folder
        self._programs = Path(sys.executable).parent
        self._variables = variables
        self._furnish(url, token)

    def run_shell(self, block: Block, *, document_id: str) -> "subprocess.CompletedProcess[str]":
        """Run a block by bash, which stops at the first command that fails."""
        text = _PLACEHOLDER.sub(document_id, block.text)
        return self._run("bash", "-euo", "pipefail", "-c", text)

    def run_python(self, text: str, *, url: str, token: str) -> "subprocess.CompletedProcess[str]":
        """Run blocks as a program that knows a stage, as a reader would complete them."""
        program = self.folder / "program.py"
        program.write_text(f"url, token = {url!r}, {token!r}\n{text}")
        return self._run(sys.executable, str(program))

    def _run(self, *command: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            command,
            cwd=self.folder,
            env={
                "PATH": os.pathsep.join([str(self.folder / "bin"), *_folders(), os.defpath]),
                "HOME": str(self.folder / "home"),
                **self._variables,
            },
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            timeout=2 * PATIENCE,
        )

    def _furnish(self, url: str, token: str) -> None:
        for name in ("bin", ".venv/bin", ".venv-dev/bin", ".local", "reports", "docs", "home"):
            (self.folder / name).mkdir(parents=True)
        endpoint = {"url": url, "token": token}
        (self.folder / ".local/endpoint.json").write_text(json.dumps(endpoint))
        for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "docs/index.md"):
            text = (ROOT / name).read_text("utf-8")[:2000]
            (self.folder / name).write_text(text, "utf-8")
        (self.folder / "reports/pump.md").write_text("# Pump\n\nThe pump delivers four litres.\n")
        for name in ("lease.pdf", "q3.pdf"):
            lease(self.folder / name)
        for place in ("bin", ".venv/bin", ".venv-dev/bin"):
            self._program(f"{place}/pulsedocs", _PULSEDOCS.format(self._programs / "pulsedocs"))
        self._program("bin/curl", f'exec {shutil.which("curl")} --fail-with-body "$@"')
        for name in _ELSEWHERE:
            self._program(f"bin/{name}", ":")

    def _program(self, name: str, text: str) -> None:
        path = self.folder / name
        path.write_text(f"#!/bin/bash\n{text}\n")
        path.chmod(0o755)


_PULSEDOCS: Final = """
# What watches does not end by itself; the stage is up, and another test's.
case " $* " in
  " open "|" up "|" down "|" demo ") ;;
  *" --watch "*) timeout --signal=INT 10 {0} "$@" || [ $? -eq 124 ] ;;
  *) exec {0} "$@" ;;
esac
"""


def _folders() -> Iterator[str]:
    for program in ("curl", "jq"):
        found = shutil.which(program)
        if found is not None:
            yield str(Path(found).parent)
