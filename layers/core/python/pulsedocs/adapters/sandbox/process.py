"""One child process: started bare, listened to against the clock, always killed in the end."""

import json
import os
import selectors
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import IO, Any, Self

import pulsedocs
from pulsedocs.adapters.sandbox.frames import LENGTH, MAX_FRAME_BYTES, BrokenFrame, Frame, decode
from pulsedocs.adapters.sandbox.interpreter import start_script
from pulsedocs.adapters.sandbox.zygote import Forked, fork

_ENTRY = Path(__file__).with_name("child.py")
_CHUNK = 256 * 1024


class Silent(Exception):
    """The child said nothing for too long."""


def request_file(body: bytes) -> IO[bytes]:
    """Return the bytes as a file without a name; in memory where the system can."""
    if sys.platform == "linux":
        file: IO[bytes] = os.fdopen(os.memfd_create("document"), "w+b")
    else:
        file = tempfile.TemporaryFile()  # noqa: SIM115 -- the caller closes it
    file.write(body)
    file.flush()
    return file


class Child:
    """A running child; leaving the `with` block kills it."""

    def __init__(self, body: IO[bytes], *, request: dict[str, Any], directory: Path) -> None:
        body.seek(0)
        self._heard = bytearray()
        self._pipe: int | None
        import_path = [str(Path(pulsedocs.__file__).parents[1]), *sys.path]
        argument = json.dumps({**request, "import_path": import_path})
        self._pipe, output = os.pipe()
        try:
            self._process = _start(
                argument, import_path, body=body.fileno(), output=output, directory=directory
            )
        except OSError:
            os.close(self._pipe)
            raise
        finally:
            os.close(output)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()

    def frame(self, *, until: float) -> Frame | None:
        """Return the next frame, None when the child has gone. Raises Silent and BrokenFrame.

        `until` is a time on the monotonic clock.
        """
        head = self._take(LENGTH.size, until=until)
        if head is None:
            return None
        (length,) = LENGTH.unpack(head)
        if length > MAX_FRAME_BYTES:
            raise BrokenFrame(f"{length} bytes")
        body = self._take(length, until=until)
        return None if body is None else decode(body)

    def kill(self) -> int:
        """End the child and whatever it may have started; return how it ended."""
        if self._pipe is not None:
            os.close(self._pipe)
            self._pipe = None
        if self._process.returncode is None:
            try:
                os.killpg(self._process.pid, signal.SIGKILL)
            except (ProcessLookupError, PermissionError):  # it leads no group yet
                os.kill(self._process.pid, signal.SIGKILL)
        return self._process.wait()

    def ended(self) -> int:
        """Return how the child ended by itself: negative is the number of a signal.

        Its pipe is closed, so it is gone or going; ten seconds are for a machine under load.
        """
        try:
            return self._process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            return self.kill()

    def _take(self, count: int, *, until: float) -> bytes | None:
        while len(self._heard) < count:
            if self._pipe is None:
                return None
            with selectors.DefaultSelector() as selector:
                selector.register(self._pipe, selectors.EVENT_READ)
                if not selector.select(max(0.0, until - time.monotonic())):
                    raise Silent
            more = os.read(self._pipe, _CHUNK)
            if not more:
                return None
            self._heard += more
        taken = bytes(self._heard[:count])
        del self._heard[:count]
        return taken


def _start(
    argument: str, import_path: list[str], *, body: int, output: int, directory: Path
) -> Forked | subprocess.Popen[bytes]:
    if sys.platform == "linux":
        with suppress(OSError):  # a system that forbids what forking takes starts an interpreter
            return fork(
                _ENTRY,
                argument,
                import_path=import_path,
                body=body,
                output=output,
                directory=directory,
            )
    return start_script(_ENTRY, argument, stdin=body, stdout=output, directory=directory)
