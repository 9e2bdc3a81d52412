"""Says which functions of the product a process enters: runs in the workers of a traced stage.

Each function is reported once an event, at once, as a line into a named pipe: the child that parses
files may write no file and ends without tidying up. `benchmarks.entered` reads the pipe.
"""

import importlib
import json
import os
import subprocess
import sys
import threading
from collections.abc import Sequence
from inspect import CO_OPTIMIZED
from pathlib import Path
from types import CodeType, FrameType
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:  # the child that parses finds no package before it is told where they are
    from local.worker import Context, Handler

PIPE: Final = "ENTERED_PIPE"
"""The environment variable with the path of the pipe."""

_ROOT: Final = Path(__file__).parents[1]
_PRODUCT: Final = (str(_ROOT / "layers/core/python/pulsedocs"), str(_ROOT / "functions"))


def _pipe() -> str:
    return os.environ[PIPE]  # noqa: TID251 -- of the measurement, no setting of the product


class Recorder:
    """Reports each function of the product at its first call, until it is told to forget."""

    def __init__(self) -> None:
        self._pipe = os.open(_pipe(), os.O_WRONLY)
        self._seen: set[CodeType] = set()

    def start(self) -> None:
        """Watch this thread and every later one."""
        threading.setprofile(self._profile)
        sys.setprofile(self._profile)

    def forget(self) -> None:
        """Begin anew: the next event enters its functions for the first time."""
        self._seen.clear()

    def _profile(self, frame: FrameType, event: str, _argument: Any) -> None:  # noqa: ANN401 -- anything
        code = frame.f_code
        if event != "call" or code in self._seen:
            return
        self._seen.add(code)
        # A lambda is part of the function around it, and the body of a class is no function.
        is_function = code.co_flags & CO_OPTIMIZED and not code.co_name.startswith("<")
        if is_function and code.co_filename.startswith(_PRODUCT):
            file = Path(code.co_filename).relative_to(_ROOT)
            os.write(self._pipe, f"{file}:{code.co_qualname}\n".encode())  # short, so undivided


def __getattr__(name: str) -> "Handler":
    """Return the handler of a function, recorded."""
    if name.startswith("__"):
        raise AttributeError(name)
    process = importlib.import_module("pulsedocs.adapters.sandbox.process")
    handler = importlib.import_module(f"functions.{name}.handler").handler
    recorder = Recorder()
    subprocess.Popen = _Followed  # the one way into a child with an empty environment
    vars(process)["_ENTRY"] = Path(__file__)  # in place of the script that parses

    def handle(event: Any, context: "Context") -> Any:  # noqa: ANN401 -- JSON
        recorder.forget()
        recorder.start()
        try:
            return handler(event, context)
        finally:
            sys.setprofile(None)

    return handle


class _Followed(subprocess.Popen[bytes]):
    """Gives the pipe to what forks the children that parse."""

    def __init__(self, args: Sequence[str], *, env: dict[str, str], **options: Any) -> None:  # noqa: ANN401 -- passed on
        super().__init__(args, env={**env, PIPE: _pipe()}, **options)


if __name__ == "__main__":
    request = json.loads(sys.argv[1])
    sys.path[:] = request["import_path"]
    child = importlib.import_module("pulsedocs.adapters.sandbox.child")
    Recorder().start()
    child.main(request)
