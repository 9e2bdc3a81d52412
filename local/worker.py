"""One Lambda environment: a process that handles one event at a time, started by `local.workers`.

    python -m local.worker functions.chunk.handler.handler [--fault chunk.before_commit:kill:1]

It reads one JSON line for each event from standard input and answers with one on standard
output; what the handler prints goes to standard error, which is the function's log.
"""

import argparse
import importlib
import io
import json
import os
import resource
import sys
import time
import traceback
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, Any, TextIO

Handler = Callable[[Any, "Context"], Any]
_OF_THE_CALLER = {"PermanentError", "Unauthorized"}  # by name: the product may not be there


class Context:
    """What Lambda's Python runtime passes beside the event, `memory_limit_in_mb` as text too."""

    def __init__(self, facts: dict[str, Any]) -> None:
        self.aws_request_id: str = facts["request_id"]
        self.function_name: str = facts["function_name"]
        self.function_version = "$LATEST"
        self.invoked_function_arn: str = facts["function_arn"]
        self.memory_limit_in_mb = str(facts["memory_mb"])
        self.log_group_name = f"/aws/lambda/{self.function_name}"
        self.log_stream_name = f"local/{os.getpid()}"
        self.identity = None
        self.client_context = None
        self._deadline = time.monotonic() + facts["timeout_seconds"]

    def get_remaining_time_in_millis(self) -> int:
        return max(0, int((self._deadline - time.monotonic()) * 1000))


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("handler")
    parser.add_argument("--fault", action="append", default=[])
    arguments = parser.parse_args()
    serve(arguments.handler, faults=arguments.fault)


def serve(handler: str, *, faults: Sequence[str] = ()) -> None:
    """Answer events until there are no more of them."""
    # Keep the two pipes for ourselves: a handler's `print` must not look like an answer.
    events = os.fdopen(os.dup(0), "rb")
    answers = os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    sys.stdout, sys.stderr = _log_of(sys.stdout), _log_of(sys.stderr)
    if faults:
        from local.faults import install  # noqa: PLC0415 -- needs the product, which a test may lack

        install(faults)
    handle = _load(handler)
    _write(answers, {"ready": True})
    for line in events:
        request = json.loads(line)
        _write(answers, _answer(handle, request["event"], Context(request["context"])))


class _Log(io.FileIO):
    """A function's log: a line that a full disk has no room for is lost, and nothing else."""

    def write(self, data: Any) -> int:  # noqa: ANN401 -- whatever holds bytes
        with suppress(OSError):
            return super().write(data)
        return len(data)


def _log_of(stream: TextIO) -> TextIO:
    log = io.BufferedWriter(_Log(stream.fileno(), "wb", closefd=False))
    return io.TextIOWrapper(log, stream.encoding, stream.errors, line_buffering=True)


def _load(path: str) -> Handler:
    """Return the handler, or one that reports why it cannot be imported, as Lambda does."""
    module, _, name = path.rpartition(".")
    try:
        return getattr(importlib.import_module(module), name)
    except Exception as error:  # noqa: BLE001 -- whatever the module raises is its report
        traceback.print_exc()
        message = f"Unable to import module {module!r}: {error}"

        def refuse(_event: Any, _context: Context) -> Any:  # noqa: ANN401 -- stands for any handler
            raise type("Runtime.ImportModuleError", (Exception,), {})(message)

        return refuse


def _answer(handle: Handler, event: Any, context: Context) -> dict[str, Any]:  # noqa: ANN401 -- JSON
    started = _cpu_seconds()
    try:
        result = handle(event, context)
    except Exception as error:  # noqa: BLE001 -- the runtime reports every exception by its class
        _log(error)
        report = {
            "errorMessage": str(error),
            "errorType": type(error).__name__,
            "requestId": context.aws_request_id,
            "stackTrace": traceback.format_tb(error.__traceback__),
        }
        return {"error": report}
    try:
        answer = json.dumps(result)
    except (TypeError, ValueError) as error:
        message = f"Unable to marshal response: {error}"
        return {"error": {"errorType": "Runtime.MarshalError", "errorMessage": message}}
    return {
        "result": answer,
        "cpu_seconds": _cpu_seconds() - started,
        "peak_memory_mb": _peak_memory_mb(),
    }


def _log(error: Exception) -> None:
    """Print a line for what a caller or a document causes, and where anything else happened."""
    kinds = {kind.__name__ for kind in type(error).__mro__}
    if kinds.isdisjoint(_OF_THE_CALLER):
        traceback.print_exc()
    else:
        print(f"{type(error).__name__}: {error}".partition("\n")[0])  # noqa: T201 -- the log


def _cpu_seconds() -> float:
    used = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(item.ru_utime + item.ru_stime for item in used)


def _peak_memory_mb() -> float | None:
    """Return the most that this process ever held, and the largest of its children.

    Linux only. `ru_maxrss` of a child counts what its parent held when it forked: it is too high
    rather than too low.
    """
    if sys.platform != "linux":
        return None
    status = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    [own] = [int(line.split()[1]) for line in status if line.startswith("VmHWM:")]
    return (own + resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss) / 1024


def _write(answers: IO[bytes], answer: dict[str, Any]) -> None:
    answers.write(json.dumps(answer).encode() + b"\n")
    answers.flush()


if __name__ == "__main__":
    sys.path.insert(0, str(Path.cwd()))
    main()
