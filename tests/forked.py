"""Environments of functions that are forked from one process that has imported the libraries.

A new interpreter imports for a second of a processor before it answers, and a stage needs fifteen.
A fork has everything else for itself: process, memory, environment variables, pipes and its end.
Linux only; elsewhere, and where a test is about memory, `local.environment` starts interpreters.
"""

import multiprocessing
import os
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from functools import partial
from multiprocessing import connection
from multiprocessing.connection import Connection
from pathlib import Path
from typing import IO, Final

from local.environment import (
    REPOSITORY,
    Environment,
    LocalFunction,
    StartEnvironment,
    process_variables,
)
from local.worker import serve

_context: Final = multiprocessing.get_context("forkserver")
_context.set_forkserver_preload(["tests.preloaded"])
_in_turn: Final = threading.Lock()
"""Starting a process looks after all others. Of two threads that look at one that has ended, only
the first learns how."""


class Forked:
    """A process that answers events; implements `local.environment.Process`."""

    def __init__(self, function: LocalFunction, *, log: Path, faults: Sequence[str]) -> None:
        events, our_events = _context.Pipe(duplex=False)
        our_answers, answers = _context.Pipe(duplex=False)
        begun, beginning = _context.Pipe(duplex=False)
        self._process = _context.Process(
            target=_become,
            args=(function.handler, faults, process_variables(function), log),
            kwargs={"events": events, "answers": answers, "beginning": beginning},
            daemon=True,
        )
        with _in_turn:
            self._process.start()
        for theirs in (events, answers, beginning):
            theirs.close()
        with begun:
            begun.poll(None)  # until then it has no session of its own to be killed
        self.pid = self._process.pid or 0
        with our_events, our_answers:
            self.stdin: IO[bytes] | None = os.fdopen(os.dup(our_events.fileno()), "wb")
            self.stdout: IO[bytes] | None = os.fdopen(os.dup(our_answers.fileno()), "rb")
        self.returncode: int | None = None

    def wait(self) -> int:
        if self.returncode is None:
            connection.wait([self._process.sentinel])
            with _in_turn:
                self._process.join()
                self.returncode = self._process.exitcode or 0
                self._process.close()
        return self.returncode


start: Final[StartEnvironment] = (
    partial(Environment, start=Forked) if sys.platform == "linux" else Environment
)
"""For `Stage` and `WorkerPool`."""


def _become(
    handler: str,
    faults: Sequence[str],
    variables: Mapping[str, str],
    log: Path,
    *,
    events: Connection,
    answers: Connection,
    beginning: Connection,
) -> None:
    """Turn a fork into what a new interpreter is that runs `local.worker`."""
    os.setsid()
    beginning.close()
    with log.open("ab") as output:
        os.dup2(output.fileno(), 2)
    for place, end in enumerate((events, answers)):
        os.dup2(end.fileno(), place)
        end.close()
    os.environ.clear()  # noqa: TID251 -- of the function that it becomes
    os.environ.update(variables)  # noqa: TID251 -- as above
    time.tzset()
    sys.path[:0] = variables["PYTHONPATH"].split(os.pathsep)
    os.chdir(REPOSITORY)
    serve(handler, faults=faults)
