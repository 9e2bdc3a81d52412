"""Children forked from the zygote: a process that has imported the parsers and read no file.

A new interpreter takes 45 to 60 ms of CPU before it reads, a fork 3. Linux only.
"""

import atexit
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from errno import E2BIG
from pathlib import Path
from typing import Final

from pulsedocs.adapters.sandbox.forks import ANSWER, MOST_BYTES
from pulsedocs.adapters.sandbox.interpreter import start_script
from pulsedocs.adapters.sandbox.isolation import adopt_orphans

_ENTRY: Final = Path(__file__).with_name("forks.py")
_ANSWER_SECONDS: Final = 30
"""A zygote that says nothing for so long is stopped: it answers in 5 ms, the first time in 100."""
_CRASHES: Final = frozenset(
    {signal.SIGSEGV, signal.SIGBUS, signal.SIGFPE, signal.SIGILL, signal.SIGABRT, signal.SIGSYS}
)


class Forked:
    """A running child of this process, as `subprocess.Popen` has it."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self.returncode: int | None = None

    def wait(self, timeout: float | None = None) -> int:
        until = None if timeout is None else time.monotonic() + timeout
        while self.returncode is None:
            pid, status = os.waitpid(self.pid, 0 if until is None else os.WNOHANG)
            if pid:
                self.returncode = os.waitstatus_to_exitcode(status)
                if -self.returncode in _CRASHES:
                    # It may have told a file where its parser lies in memory, and forks lie alike.
                    retire()
            elif until is not None and time.monotonic() >= until:
                raise subprocess.TimeoutExpired("a child", timeout or 0)
            else:
                time.sleep(0.001)
        return self.returncode


class _Zygote:
    def __init__(self, argument: str) -> None:
        self.argument = argument
        self._control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._control.settimeout(_ANSWER_SECONDS)
        try:
            with theirs:
                self._process = start_script(
                    _ENTRY,
                    argument,
                    stdin=theirs.fileno(),
                    stdout=subprocess.DEVNULL,
                    directory=Path("/"),
                )
        except OSError:
            self._control.close()
            raise

    def fork(self, request: bytes, *, body: int, output: int) -> Forked | None:
        """Return a child, or None of a zygote that is dead or stopped. Raises OSError."""
        try:
            with adopt_orphans():
                socket.send_fds(self._control, [request], [body, output])
                answer = self._control.recv(ANSWER.size)
        except (ConnectionError, TimeoutError):
            return None
        if not answer:
            return None
        [child] = ANSWER.unpack(answer)
        if child < 0:
            raise OSError(-child, os.strerror(-child))
        return Forked(child)

    def end(self) -> None:
        self._control.close()
        self._process.kill()
        self._process.wait()

    def forget(self) -> None:
        """In a fork of its worker: it is another's child, and lives until that ends."""
        self._control.close()
        self._process.returncode = 0


class _Zygotes:
    """The zygote of this process, and another one when it is dead."""

    def __init__(self) -> None:
        self._in_turn = threading.Lock()
        self._zygote: _Zygote | None = None

    def fork(self, argument: str, request: bytes, *, body: int, output: int) -> Forked:
        with self._in_turn:
            if self._zygote and self._zygote.argument != argument:
                self._end()
            for _ in range(2):
                self._zygote = self._zygote or _Zygote(argument)
                child = self._zygote.fork(request, body=body, output=output)
                if child is not None:
                    return child
                self._end()
        raise ChildProcessError("the process that forks children does not answer")

    def end(self) -> None:
        with self._in_turn:
            self._end()

    def forget(self) -> None:
        self._in_turn = threading.Lock()
        if self._zygote:
            self._zygote.forget()
        self._zygote = None

    def _end(self) -> None:
        if self._zygote:
            self._zygote.end()
        self._zygote = None


_zygotes: Final = _Zygotes()
if sys.platform == "linux":
    os.register_at_fork(after_in_child=_zygotes.forget)
    atexit.register(_zygotes.end)


def retire() -> None:
    """Have the next child forked from another zygote, which lies elsewhere in memory."""
    _zygotes.end()


def fork(
    entry: Path,
    argument: str,
    *,
    import_path: list[str],
    body: int,
    output: int,
    directory: Path,
) -> Forked:
    """Start a child that runs `entry`. Raises OSError."""
    request = json.dumps([str(directory), argument]).encode()
    if len(request) > MOST_BYTES:
        raise OSError(E2BIG, os.strerror(E2BIG))
    return _zygotes.fork(json.dumps([str(entry), import_path]), request, body=body, output=output)
