"""How much of the product an upload, a question and a deletion enter: `make stats TRACE=1`.

A stage of its own runs them, each once, as the deployed product would: the gateway, the handlers,
the state machine, and the child that parses. The lists go to build/entered.json.
"""

import json
import os
import tempfile
import threading
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from queue import Queue
from typing import Any, Final

from benchmarks.recording import PIPE
from local.environment import Environment, LocalFunction
from local.models import ensure_models
from local.samples import HANDBOOK, QUESTIONS, write_samples
from local.stage import Stage
from pulsedocs.client import PulseDocs

_LISTS: Final = Path(__file__).parents[1] / "build/entered.json"
_SECONDS: Final = 300  # for hangs
_LOOK_SECONDS: Final = 0.1
_MARK: Final = "="


def run() -> dict[str, Any]:
    """Return how many functions and files of the product each of the three enters."""
    with tempfile.TemporaryDirectory(prefix="pulsedocs-entered-") as folder:
        entered = _enter(Path(folder))
    _LISTS.parent.mkdir(exist_ok=True)
    _LISTS.write_text(json.dumps(entered, indent=2) + "\n", encoding="utf-8")
    return {
        name: {
            "functions": len(functions),
            "files": len({function.partition(":")[0] for function in functions}),
        }
        for name, functions in entered.items()
    }


def _enter(folder: Path) -> dict[str, list[str]]:
    """Return the functions that each enters, as `path:name`."""
    pipe = folder / "entered"
    os.mkfifo(pipe)

    def start(function: LocalFunction, *, log: Path, faults: Sequence[str] = ()) -> Environment:
        recorded = replace(
            function,
            handler=f"benchmarks.recording.{function.name}",
            variables={**function.variables, PIPE: str(pipe)},
        )
        return Environment(recorded, log=log, faults=faults)

    [handbook] = [path for path in write_samples(folder / "samples") if path.name == HANDBOOK]
    stage = Stage(folder / "stage", model_directory=ensure_models(), environment=start)
    with _reading(pipe) as taken, stage:
        client = PulseDocs(stage.url, stage.token(), trust_env=False)

        def enter(act: Callable[[], Any]) -> tuple[Any, list[str]]:
            taken()
            result = act()
            deadline = time.monotonic() + _SECONDS
            while not stage.is_at_rest and time.monotonic() < deadline:
                time.sleep(_LOOK_SECONDS)
            return result, taken()

        with client:
            document_id, by_upload = enter(lambda: client.add(handbook))
            _expect("PUBLISHED", client.status(document_id)["outcome"])
            answer, by_question = enter(lambda: client.ask(QUESTIONS[0].question))
            _expect(None, answer["abstained"])
            receipt_id, by_deletion = enter(lambda: client.delete(document_id))
            _expect(0, client.receipt(receipt_id)["verification"]["left"])
    return {"upload": by_upload, "question": by_question, "deletion": by_deletion}


@contextmanager
def _reading(pipe: Path) -> Generator[Callable[[], list[str]]]:
    """Give a function that returns what was written since it was last called, sorted."""
    # Open for writing too: with one writer always there, reading never meets an end.
    with os.fdopen(os.open(pipe, os.O_RDWR), "rb+", buffering=0) as both:
        heard: Queue[str] = Queue()

        def hear() -> None:
            with pipe.open(encoding="utf-8") as lines:
                for line in lines:
                    heard.put(line.rstrip())

        threading.Thread(target=hear, daemon=True).start()

        def take() -> list[str]:
            both.write(f"{_MARK}\n".encode())
            return sorted(set(iter(heard.get, _MARK)))

        yield take


def _expect(expected: object, found: object) -> None:
    if found != expected:
        raise RuntimeError(f"the traced call ended with {found!r} instead of {expected!r}")
