"""Run every benchmark, or those named, and keep the results: `python -m benchmarks [NAME ...]`."""

import importlib
import json
import sys
from pathlib import Path

from benchmarks.imports import machine

NAMES = ("ingestion", "retrieval", "imports")
RESULTS = Path(__file__).parent / "results"


def main(names: list[str]) -> None:
    RESULTS.mkdir(exist_ok=True)
    for name in names or NAMES:
        print(f"{name} ...", flush=True)
        result = {"machine": machine(), **importlib.import_module(f"benchmarks.{name}").run()}
        text = json.dumps(result, indent=2) + "\n"
        (RESULTS / f"{name}.json").write_text(text, encoding="utf-8")
        print(text, flush=True)


main(sys.argv[1:])
