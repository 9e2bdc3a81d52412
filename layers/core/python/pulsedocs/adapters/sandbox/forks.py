"""The zygote: it imports what reads files, reads none, and forks a child for each request.

What reads PDFs is imported at once; what reads other files, when the first of their kind is asked
for: of all kinds it takes 20 MB.

Started as a script by `zygote`, with a socket as stdin; its arguments are the script that a child
runs, and the import path. It has one thread, and ends with the socket.
"""

import gc
import importlib
import json
import os
import socket
import struct
import sys
import time
from contextlib import suppress
from errno import EAGAIN

ANSWER = struct.Struct("i")
"""The number of the child, or that of an error below zero."""
MOST_BYTES = 200_000
"""Of a request: Linux sends no more at once. An argument of a process has 131,072 at most."""
_WARM = (
    "pulsedocs.adapters.sandbox.frames",
    "pulsedocs.extraction.reading",
    "pulsedocs.extraction.pdf",
    "pulsedocs.extraction.with_pdfium",
)
_WITHOUT = "numpy"
"""openpyxl loads it where it is, for what nobody reads: 0.2 s, and threads, which no fork has."""
_FILES = 1024  # a zygote has six at most


def main(entry: str, import_path: list[str]) -> None:
    """Fork until nobody asks any more; in each child, run the script."""
    sys.path[:] = import_path
    sys.modules[_WITHOUT] = None  # pyright: ignore[reportArgumentType] -- as if it were not there
    with suppress(ImportError):  # a child that misses a library says so itself
        for name in _WARM:
            importlib.import_module(name)
    from pulsedocs.adapters.sandbox import isolation  # noqa: PLC0415 -- the path is set above
    from pulsedocs.extraction.reading import load_reader  # noqa: PLC0415 -- as above

    isolation.hide_parent()
    with open(entry, "rb") as file:  # noqa: PTH123 -- pathlib is 5 ms
        script = compile(file.read(), entry, "exec")
    worker = os.getppid()
    control = socket.socket(fileno=0)
    while True:
        request, files, _, _ = socket.recv_fds(control, MOST_BYTES, maxfds=2)
        if not request:
            return
        directory, argument = json.loads(request)
        with suppress(ImportError):
            load_reader(json.loads(argument)["content_type"])
        gc.freeze()  # what children share is not looked through by each
        try:
            child = _fork()
        except OSError as error:
            child = -(error.errno or EAGAIN)
        if child:
            for each in files:
                os.close(each)
            control.send(ANSWER.pack(child))
            continue
        isolation.die_with(worker)
        control.detach()
        _leave_all_but(*files)
        os.chdir(directory)
        sys.argv = [entry, argument]
        exec(script, {"__name__": "__main__", "__file__": entry})  # noqa: S102 -- our script
        return


def _fork() -> int:
    """Return the number of a new process, and 0 in it. Its parent is the worker, not the zygote.

    The process between them ends at once, and the worker has asked for orphans. So it ends and
    waits for its child as if it had started it, whatever a file has done to the zygote.
    """
    reading, writing = os.pipe()
    between = os.fork()
    if between:
        os.close(writing)
        told = os.read(reading, ANSWER.size)
        os.close(reading)
        os.waitpid(between, 0)
        return ANSWER.unpack(told)[0] if told else -EAGAIN
    parent = os.getpid()
    try:
        child = os.fork()
    except OSError:
        os._exit(1)
    if child:
        os.write(writing, ANSWER.pack(child))
        os._exit(0)
    while os.getppid() == parent:
        time.sleep(0.0001)
    return 0


def _leave_all_but(body: int, output: int) -> None:
    """Become leader of a session that has three files: the body, the pipe for frames, nowhere."""
    os.setsid()
    os.dup2(body, 0)
    os.dup2(output, 1)
    os.closerange(3, _FILES)


if __name__ == "__main__":
    main(*json.loads(sys.argv[1]))
