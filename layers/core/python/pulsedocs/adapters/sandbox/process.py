"""One child process: started bare, listened to against the clock, always killed in the end."""

import json
import os
import selectors
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self

import pulsedocs
from pulsedocs.adapters.sandbox.frames import LENGTH, MAX_FRAME_BYTES, BrokenFrame, Frame, decode

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
        root = str(Path(pulsedocs.__file__).parents[1])
        argument = json.dumps({**request, "import_path": [root, *sys.path]})
        # All that the interpreter needs to start: Lambda's finds its library only by this path.
        libraries = {"LD_LIBRARY_PATH": str(Path(sys.base_prefix) / "lib")}
        # Tesseract's threads wait for each other: four take twice the CPU-seconds of one.
        threads = {"OMP_THREAD_LIMIT": "1"}
        self._heard = bytearray()
        self._process = subprocess.Popen(  # noqa: S603 -- our interpreter, our script
            [sys.executable, "-I", "-S", "-B", str(_ENTRY), argument],
            stdin=body,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=directory,
            env=threads | libraries if sys.platform == "linux" else threads,
            start_new_session=True,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
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
        try:
            os.killpg(self._process.pid, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            self._process.kill()
        if self._process.stdout:
            self._process.stdout.close()
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
        pipe = self._process.stdout
        while len(self._heard) < count:
            if pipe is None or pipe.closed:
                return None
            with selectors.DefaultSelector() as selector:
                selector.register(pipe, selectors.EVENT_READ)
                if not selector.select(max(0.0, until - time.monotonic())):
                    raise Silent
            more = os.read(pipe.fileno(), _CHUNK)
            if not more:
                return None
            self._heard += more
        taken = bytes(self._heard[:count])
        del self._heard[:count]
        return taken
