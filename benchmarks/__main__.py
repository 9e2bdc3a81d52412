"""Run every benchmark, or those named, and keep the results: `python -m benchmarks [NAME ...]`.

`ingestion=FOLDER` ingests the PDFs of a folder instead of ours, into a result of its own;
`capacity=CHUNKS` and `merging=CHUNKS` fill a database of that size, likewise;
`capacity=FOLDER/CHUNKS` goes on with it.
`retrieval=PYTHON` names the interpreter that has LangChain and LlamaIndex.
"""

import compileall
import importlib
import json
import sys
from pathlib import Path

import pulsedocs
from benchmarks.imports import machine

NAMES = ("ingestion", "reading", "retrieval", "tenants", "merging", "imports")
_SIZED = ("capacity", "merging")
RESULTS = Path(__file__).parent / "results"


def main(names: list[str]) -> None:
    RESULTS.mkdir(exist_ok=True)
    # As the layers are: without byte code the child for each file compiles its readers anew.
    compileall.compile_dir(Path(pulsedocs.__file__).parent, quiet=1)
    for asked in names or NAMES:
        print(f"{asked} ...", flush=True)
        module, _, path = asked.partition("=")
        given = [Path(path)] if path else []
        is_of_its_own = given and (given[0].is_dir() or module in _SIZED)
        name = f"{module}-{given[0].name}" if is_of_its_own else module
        measured = importlib.import_module(f"benchmarks.{module}").run(*given)
        result = {"machine": machine(), **measured}
        text = json.dumps(result, indent=2) + "\n"
        (RESULTS / f"{name}.json").write_text(text, encoding="utf-8")
        print(text, flush=True)


main(sys.argv[1:])
