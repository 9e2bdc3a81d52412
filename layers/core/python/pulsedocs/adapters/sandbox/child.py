"""The child: one file on stdin, one frame a page on stdout.

Started as a script by `extractor`, with an empty environment and the import path as an argument.
"""

import importlib
import json
import os
import sys
import time
from dataclasses import asdict
from itertools import islice
from typing import TYPE_CHECKING, Any, BinaryIO

if TYPE_CHECKING:
    from pulsedocs.extraction.recognition import Recogniser

CANNOT_START = 70  # EX_SOFTWARE of sysexits.h


def main(request: dict[str, Any]) -> None:
    """Read the range from `first_page` on; whatever goes wrong leaves as a frame or an exit."""
    sys.path[:] = request["import_path"]
    # The pipe is kept for frames; what a library prints goes nowhere.
    channel = os.fdopen(os.dup(1), "wb")
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.close(nowhere)
    try:
        # pdfium is loaded before any limit holds; where it is missing, no file is to blame for it.
        from pulsedocs.extraction import PDF  # noqa: PLC0415 -- the path is set above

        if request["content_type"] == PDF:
            importlib.import_module("pulsedocs.extraction.with_pdfium")
        recogniser = _recogniser(request["languages"])
    except ImportError:
        os._exit(CANNOT_START)
    try:
        (_measure if "words" in request else _read)(request, channel, recogniser)
    except BaseException as error:  # noqa: BLE001 -- the edge: nothing may leave but frames
        _report(error, request["content_type"], channel)
    os._exit(0)  # the libraries' own tidying up can crash on a damaged file


def _recogniser(languages: list[str]) -> "Recogniser | None":
    """Load the engine before any limit holds: where it is missing, no file is to blame for it."""
    if not languages:
        return None
    from pulsedocs.extraction.recognition import Recogniser  # noqa: PLC0415 -- 0.2 s, scans only

    return Recogniser(languages)


def _read(request: dict[str, Any], channel: BinaryIO, recogniser: "Recogniser | None") -> None:
    from pulsedocs.adapters.sandbox import isolation  # noqa: PLC0415 -- the path is set in main
    from pulsedocs.adapters.sandbox.frames import pages_within  # noqa: PLC0415 -- as above
    from pulsedocs.extraction import Budgets  # noqa: PLC0415 -- as above
    from pulsedocs.extraction.reading import open_file  # noqa: PLC0415 -- as above
    from pulsedocs.model.pages import fields_of  # noqa: PLC0415 -- as above

    budgets = Budgets(**request["budgets"])
    total = budgets.document_cpu_seconds - request["spent"]
    isolation.confine(memory_bytes=budgets.memory_bytes)
    isolation.allow_cpu(budgets.open_cpu_seconds, total_seconds=total)
    body = sys.stdin.buffer.read()
    file = open_file(
        body, content_type=request["content_type"], budgets=budgets, recogniser=recogniser
    )
    _send("opened", {"pages": file.page_count}, channel)
    wanted = pages_within(request["range"], page_count=file.page_count)
    total = budgets.cpu_seconds_for(len(wanted), page_count=file.page_count) - request["spent"]
    pages = islice(file.pages(request["first_page"]), max(0, wanted.stop - request["first_page"]))
    while True:
        isolation.allow_cpu(budgets.page_cpu_seconds, total_seconds=total)
        page = next(pages, None)
        if page is None:
            break
        _send("page", fields_of(page), channel)
    _send("end", {}, channel)


def _measure(request: dict[str, Any], channel: BinaryIO, recogniser: "Recogniser | None") -> None:
    """Send the boxes of some characters of one page, and its picture."""
    from pulsedocs.adapters.sandbox import isolation  # noqa: PLC0415 -- as above
    from pulsedocs.extraction import Budgets  # noqa: PLC0415 -- as above
    from pulsedocs.extraction.boxes import boxes_of  # noqa: PLC0415 -- as above
    from pulsedocs.model.highlights import WordsOnPage  # noqa: PLC0415 -- as above

    budgets = Budgets(**request["budgets"])
    seconds = budgets.open_cpu_seconds + budgets.page_cpu_seconds
    isolation.confine(memory_bytes=budgets.memory_bytes)
    isolation.allow_cpu(seconds, total_seconds=budgets.document_cpu_seconds)
    found = boxes_of(
        sys.stdin.buffer.read(),
        WordsOnPage(**request["words"]),
        recogniser=recogniser,
        comments=budgets.comments,
    )
    _send("boxes", asdict(found), channel)


def _report(error: BaseException, content_type: str, channel: BinaryIO) -> None:
    from pulsedocs.errors import PulseDocsError, ResourceExhausted  # noqa: PLC0415 -- as above
    from pulsedocs.extraction import broken_as  # noqa: PLC0415 -- as above

    if isinstance(error, MemoryError | RecursionError):
        error = ResourceExhausted("reading the file takes more memory than allowed")
    elif not isinstance(error, PulseDocsError):
        error = broken_as(content_type)(f"the file breaks the parser ({type(error).__name__})")
    content: dict[str, Any] = {
        "name": type(error).__name__,
        "message": error.message,
        "context": error.context,
    }
    _send("error", content, channel)


def _send(kind: str, content: dict[str, Any], channel: BinaryIO) -> None:
    from pulsedocs.adapters.sandbox.frames import encode  # noqa: PLC0415 -- as above

    channel.write(encode(kind, cpu_seconds=time.process_time(), content=content))
    channel.flush()


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
