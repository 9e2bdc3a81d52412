"""A file reaches neither the process that its reader was forked from, nor the file after it."""

import ctypes
import json
import os
import resource
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import psutil
import pytest

from pulsedocs.adapters.sandbox import SandboxedExtractor, isolation, zygote
from pulsedocs.errors import DocumentRejected, ResourceExhausted
from pulsedocs.extraction import PDF, TEXT, Budgets
from tests.contract.scripted_child import play
from tests.patience import eventually
from tests.unit.extraction.odd_files import WORDS, flate_bomb, pdf_of

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="elsewhere nothing is forked")

IMPATIENT = SandboxedExtractor(stall_seconds=1)
_PR_GET_PDEATHSIG = 2
_STATE = """
import resource
seen = {"module": getattr(json, "mark", None), "environment": os.environ.get("MARK"),
        "umask": os.umask(0o77), "files": resource.getrlimit(resource.RLIMIT_NOFILE),
        "signal": str(signal.getsignal(signal.SIGTERM)), "directory": os.listdir("."),
        "path": len(sys.path), "modules": len(sys.modules),
        "open": [n for n in range(64) if os.path.exists(f"/proc/self/fd/{n}")],
        "cpu": time.process_time() < 1}
for number in pages(1): page(number, json.dumps(seen))
json.mark = "mine"
os.environ["MARK"] = "mine"
signal.signal(signal.SIGTERM, signal.SIG_IGN)
sys.path.append("/mine")
resource.setrlimit(resource.RLIMIT_NOFILE, (16, 16))
"""


@pytest.fixture
def scripted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    return partial(play, folder=tmp_path, monkeypatch=monkeypatch)


@pytest.fixture(autouse=True)
def _own_zygote() -> Iterator[None]:
    zygote.retire()
    yield
    zygote.retire()


def present() -> psutil.Process:
    """Return the zygote: it is there before what is forked from it, which has its command line."""
    return min(forked(), key=psutil.Process.create_time)


def forked() -> list[psutil.Process]:
    """Return the zygote and its forks: other tests of this process leave children of their own."""
    return [
        each
        for each in psutil.Process().children()
        if any(part.endswith("forks.py") for part in each.cmdline())
    ]


def text_of_one(extractor: SandboxedExtractor = IMPATIENT) -> str:
    [page] = extractor.pages(pdf_of(WORDS), content_type=PDF)
    return page.text.strip()


@pytest.mark.parametrize(
    ("act", "stays"),
    [
        ("os.kill(os.getpid(), signal.SIGSEGV)", False),
        ("os.abort()", False),
        ("signal.pause()", True),
        ("os.kill(os.getpid(), signal.SIGSTOP)", True),
        ("os._exit(3)", True),
        ("sys.exit('no')", True),
        ("raise KeyError", True),
        ("os.kill(os.getpid(), signal.SIGXCPU)", True),
    ],
)
def test_whatever_becomes_of_a_child_the_next_file_is_read(
    act: str,
    stays: bool,  # noqa: FBT001 -- a parameter of the test
    scripted: Any,
) -> None:
    """A crash ends the zygote too: the next one lies elsewhere in memory."""
    scripted(f"if request['content_type'] == {PDF!r}: {act}\nfor number in pages(1): page(number)")
    [before_it] = IMPATIENT.pages(b"one", content_type=TEXT)
    before = present()

    with pytest.raises(DocumentRejected):
        list(IMPATIENT.pages(b"%PDF-", content_type=PDF))
    [after_it] = IMPATIENT.pages(b"two", content_type=TEXT)

    assert before_it.text == after_it.text == "page 1"
    after = present()
    assert (after.pid == before.pid) is stays
    assert after.children() == []


def test_a_bomb_takes_the_memory_of_its_child_only() -> None:
    poor = SandboxedExtractor(replace(Budgets(), memory_bytes=96 * 1024 * 1024))
    before = text_of_one()

    [bomb] = poor.pages(flate_bomb(), content_type=PDF)

    assert bomb.failure == ResourceExhausted.code
    assert before == text_of_one() == WORDS


def test_nothing_that_a_file_changes_is_there_for_the_next(scripted: Any) -> None:
    scripted(_STATE)

    seen = [IMPATIENT.pages(b"", content_type=TEXT) for _ in range(3)]
    first, second, third = (json.loads(next(pages).text) for pages in seen)

    assert first == second == third
    assert first["open"] == [0, 1, 2]
    assert first["directory"] == []
    assert first["module"] is None


def test_what_reads_a_kind_of_file_is_there_from_the_first_of_them_on(scripted: Any) -> None:
    """A workbook took 0.3 CPU seconds, each of them; numpy would start a thread."""
    scripted(
        "loaded = {name for name, module in sys.modules.items() if module}\n"
        "for number in pages(1): page(number, str(sorted(loaded & {'openpyxl', 'numpy'})))\n"
    )

    def loaded_for(content_type: str) -> str:
        [page] = IMPATIENT.pages(b"", content_type=content_type)
        return page.text

    assert loaded_for(TEXT) == "[]"
    assert loaded_for("text/csv; charset=utf-8") == "['openpyxl']"
    assert loaded_for("of/nobody") == loaded_for(TEXT) == "['openpyxl']"
    assert present().num_threads() == 1


def test_a_child_belongs_to_the_worker_and_cannot_be_looked_into(scripted: Any) -> None:
    scripted(
        "import ctypes\n"
        "death = ctypes.c_int()\n"
        f"ctypes.CDLL(None).prctl({_PR_GET_PDEATHSIG}, ctypes.byref(death), 0, 0, 0)\n"
        "seen = {'parent': os.getppid(), 'own session': os.getsid(0) == os.getpid(),\n"
        "        'dies with it': death.value,\n"
        "        'dumpable': ctypes.CDLL(None).prctl(3, 0, 0, 0, 0)}\n"
        "for number in pages(1): page(number, json.dumps(seen))\n"
    )

    [page] = IMPATIENT.pages(b"", content_type=TEXT)

    assert json.loads(page.text) == {
        "parent": os.getpid(),
        "own session": True,
        "dies with it": signal.SIGKILL,
        "dumpable": 0,
    }
    # Orphans of others are not this process's for longer than a child is born.
    adopts = ctypes.c_int()
    ctypes.CDLL(None).prctl(37, ctypes.byref(adopts), 0, 0, 0)
    assert adopts.value == 0


def test_two_hundred_files_leave_no_descriptor_no_process_and_no_second_zygote() -> None:
    text_of_one()
    one = present()
    own = set(Path("/proc/self/fd").iterdir())
    # The zygote could open no more than this, so what one file leaves another would lack.
    resource.prlimit(one.pid, resource.RLIMIT_NOFILE, (12, 12))

    read = {text_of_one() for _ in range(200)}

    assert read == {WORDS}
    assert set(Path("/proc/self/fd").iterdir()) == own
    assert present().pid == one.pid
    assert one.children() == []
    assert one.num_threads() == 1
    assert psutil.STATUS_ZOMBIE not in {each.status() for each in psutil.Process().children()}


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGSTOP])
def test_a_zygote_that_is_dead_or_stopped_is_replaced(
    how: signal.Signals, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As after a Lambda environment was frozen for hours, or when a file has got at it."""
    monkeypatch.setattr(zygote, "_ANSWER_SECONDS", 3)
    text_of_one()
    first = present()
    first.send_signal(how)

    assert text_of_one() == WORDS

    second = present()
    assert second.pid != first.pid
    assert not first.is_running()


def test_where_the_system_forbids_adoption_an_interpreter_reads_the_file(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As a sandbox around the worker may: no file is lost to how its reader was to be started."""

    def forbid(*_: int) -> int:
        return -1

    monkeypatch.setattr(isolation, "_prctl", forbid)

    assert text_of_one() == WORDS
    assert present().children() == []


def test_a_file_that_kills_its_zygote_is_ended_all_the_same(scripted: Any) -> None:
    """It is the worker's child, whatever it does to the process that it was forked from."""
    scripted("for number in pages(2):\n    page(number)\n    while True: signal.pause()\n")
    pages = SandboxedExtractor().pages(b"", content_type=TEXT)
    next(pages)
    mother = present()
    [child] = [each for each in forked() if each.pid != mother.pid]

    mother.kill()
    assert eventually(lambda: mother.status() == psutil.STATUS_ZOMBIE)
    assert child.status() == psutil.STATUS_SLEEPING
    pages.close()

    assert not child.is_running()
    [page, _] = IMPATIENT.pages(b"", content_type=TEXT)
    assert page.text == "page 1"


def test_a_fork_of_the_worker_has_a_zygote_of_its_own() -> None:
    text_of_one()
    ours = present()

    fork = os.fork()
    if not fork:
        theirs = text_of_one() == WORDS and present().pid != ours.pid
        zygote.retire()
        os._exit(0 if theirs else 1)

    assert os.waitstatus_to_exitcode(os.waitpid(fork, 0)[1]) == 0
    assert text_of_one() == WORDS
    assert present().pid == ours.pid


def test_a_killed_worker_takes_its_zygote_and_its_child_along(tmp_path: Path) -> None:
    entry = tmp_path / "child.py"
    entry.write_text("import signal\nwhile True: signal.pause()\n")
    script = (
        "from pathlib import Path\n"
        "from pulsedocs.adapters.sandbox import SandboxedExtractor, process\n"
        f"process._ENTRY = Path({str(entry)!r})\n"
        "list(SandboxedExtractor().pages(b'', content_type='text/plain'))\n"
    )
    worker = subprocess.Popen([sys.executable, "-c", script])
    below = psutil.Process(worker.pid)
    assert eventually(lambda: len(below.children(recursive=True)) == 2)
    zygote_and_child = below.children(recursive=True)

    worker.kill()
    worker.wait()

    assert eventually(lambda: not any(map(is_alive, zygote_and_child)))


def is_alive(process: psutil.Process) -> bool:
    try:
        return process.status() != psutil.STATUS_ZOMBIE  # of an orphan, whose reaper may be slow
    except psutil.NoSuchProcess:
        return False
