"""The parent's side of `benchmarks.pgvector_stores`: a process that answers line by line."""

import json
import subprocess
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import IO, Any, Final, Self, cast

from psycopg.conninfo import conninfo_to_dict

from benchmarks.corpus import Question

NAMES: Final = ("langchain", "llamaindex")
_PROGRAM: Final = Path(__file__).with_name("pgvector_stores.py")


class Competition:
    """Loads both libraries' tables from ours; what they were set to is in `settings`."""

    def __init__(self, python: Path, url: str, *, limit: int) -> None:
        self._process = subprocess.Popen(
            [python, "-W", "ignore", _PROGRAM],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        address = {name: str(value) for name, value in conninfo_to_dict(url).items()}
        self.settings = self._answer({"address": address, "limit": limit})

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.terminate()
        self._process.wait()

    def ask(
        self, name: str, questions: Sequence[Question], threads: int, *, filtered: bool
    ) -> list[tuple[float, int]]:
        """Return the milliseconds that the library took for each question, and its rows."""
        request = {
            "store": name,
            "questions": [asdict(question) for question in questions],
            "filtered": filtered,
            "threads": threads,
        }
        return [(ms, rows) for ms, rows in self._answer(request)]

    def _answer(self, request: dict[str, Any]) -> Any:  # noqa: ANN401 -- JSON
        cast("IO[str]", self._process.stdin).write(json.dumps(request) + "\n")
        cast("IO[str]", self._process.stdin).flush()
        line = cast("IO[str]", self._process.stdout).readline()
        if not line:
            raise RuntimeError(f"{_PROGRAM.name} ended with {self._process.wait()}")
        return json.loads(line)
