"""Whatever a file does to the child that reads it, the parent gets pages or a typed error."""

import errno
import io
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reportlab.pdfgen.canvas import Canvas

from pulsedocs.adapters.sandbox import SandboxedExtractor, extractor, isolation, process, zygote
from pulsedocs.adapters.sandbox.frames import BrokenFrame, decode, encode, page_from
from pulsedocs.errors import (
    ConfigurationError,
    DocumentRejected,
    FileEmpty,
    FileTooLarge,
    FileUnreadable,
    NotAPDF,
    PDFEncryptedError,
    ResourceExhausted,
    TooMuchText,
)
from pulsedocs.extraction import PDF, TEXT, Budgets
from pulsedocs.model.pages import Page, PageOutcome
from tests.contract.scripted_child import play
from tests.plugins.examples import examples
from tests.unit.extraction.odd_files import WORDS, flate_bomb, pdf_of, unreadable_files

BUDGETS = Budgets()
UNREADABLE = dict(unreadable_files())


@pytest.fixture
def sandbox() -> SandboxedExtractor:
    return SandboxedExtractor(BUDGETS)


@pytest.fixture
def scripted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    return partial(play, folder=tmp_path, monkeypatch=monkeypatch)


@pytest.fixture(scope="module")
def ranged() -> bytes:
    """Twelve pages with printed numbers and an outline, one of them empty."""
    target = io.BytesIO()
    canvas = Canvas(target, invariant=1)
    for number in range(1, 13):
        if number % 3 == 1:
            canvas.bookmarkPage(f"p{number}")
            canvas.addOutlineEntry(f"Part {number}", f"p{number}", level=0)
            canvas.drawString(72, 740, f"Part {number}")
        if number != 8:
            canvas.drawString(72, 700, f"{WORDS} {number}")
        canvas.addPageLabel(number - 1, style="ROMAN_LOWER", start=number)
        canvas.showPage()
    canvas.save()
    return target.getvalue()


def outcomes(pages: list[Page]) -> list[tuple[int, str, str | None]]:
    return [(page.number, page.outcome.value, page.failure) for page in pages]


def how_it_ended(sandbox: SandboxedExtractor, body: bytes) -> list[str | None]:
    """Return the code of the error, or of each page's failure."""
    try:
        return [page.failure for page in sandbox.pages(body, content_type=PDF)]
    except DocumentRejected as error:
        return [error.code]


def test_pages_arrive_in_order_with_all_they_carry(sandbox: SandboxedExtractor) -> None:
    """S0-05: reading again gives the same pages."""
    body = pdf_of(WORDS, "", "third")

    pages = list(sandbox.pages(body, content_type=PDF))

    assert outcomes(pages) == [(1, "TEXT", None), (2, "EMPTY", None), (3, "TEXT", None)]
    assert pages[0].text.strip() == WORDS
    assert pages == list(sandbox.pages(body, content_type=PDF))


def test_any_partition_reads_the_same_pages(ranged: bytes, sandbox: SandboxedExtractor) -> None:
    """S0-05: text, labels, headings and failures do not depend on where a range begins."""
    whole = list(sandbox.pages(ranged, content_type=PDF))
    assert [page.label for page in whole[:3]] == ["i", "ii", "iii"]
    assert sum(bool(page.headings) for page in whole) == 4

    @settings(max_examples=examples(12), deadline=None)
    @given(st.sets(st.integers(2, len(whole))))
    def each(starts: set[int]) -> None:
        firsts = sorted({1, *starts})
        parts = zip(firsts, [*(first - 1 for first in firsts[1:]), None], strict=True)
        read = [
            page
            for first, last in parts
            for page in sandbox.pages(ranged, content_type=PDF, first=first, last=last)
        ]
        assert read == whole

    each()


@pytest.mark.parametrize(("first", "last"), [(1, 1), (3, 5), (11, 12), (12, 99)])
def test_an_opened_range_knows_the_whole_documents_pages(
    first: int, last: int, ranged: bytes, sandbox: SandboxedExtractor
) -> None:
    with sandbox.open(ranged, content_type=PDF, first=first, last=last) as file:
        assert file.page_count == 12
        assert [page.number for page in file.pages] == list(range(first, min(last, 12) + 1))


def test_a_range_behind_the_last_page_is_empty(ranged: bytes, sandbox: SandboxedExtractor) -> None:
    assert list(sandbox.pages(ranged, content_type=PDF, first=13, last=20)) == []


def test_a_range_may_take_its_share_of_the_documents_time() -> None:
    """A document read in parts costs no more than its budget and its openings."""
    budgets = Budgets(open_cpu_seconds=20, document_cpu_seconds=300)

    assert budgets.cpu_seconds_for(500, page_count=500) == 300
    assert budgets.cpu_seconds_for(500, page_count=5_000) == 50
    assert budgets.cpu_seconds_for(1, page_count=5_000) == 21
    assert budgets.cpu_seconds_for(499, page_count=500) == 300


def test_a_range_of_poison_ends_with_its_share_spent(scripted: Any) -> None:
    scripted("for number in pages(100):\n    os.kill(os.getpid(), signal.SIGXCPU)\n")
    limited = SandboxedExtractor(
        replace(BUDGETS, open_cpu_seconds=6, document_cpu_seconds=100, page_cpu_seconds=5)
    )
    read: list[Page] = []

    pages = limited.pages(b"%PDF-", content_type=PDF, first=11, last=20)
    with pytest.raises(ResourceExhausted):  # 16 seconds: three pages of 5.5 each
        read.extend(page for page in pages)

    assert [page.number for page in read] == [11, 12, 13]


def test_plain_text_takes_the_same_way(sandbox: SandboxedExtractor) -> None:
    [page] = sandbox.pages("Grüße".encode(), content_type=TEXT)

    assert (page.text, page.parser) == ("Grüße", "text")


@pytest.mark.parametrize(
    ("body", "error"),
    [
        (b"", FileEmpty),
        (b"not a pdf", NotAPDF),
        (pdf_of(WORDS, password="secret"), PDFEncryptedError),  # noqa: S106 -- the test's own
    ],
    ids=["empty", "not a pdf", "encrypted"],
)
def test_the_childs_error_is_raised_here_by_its_class(
    body: bytes, error: type[DocumentRejected], sandbox: SandboxedExtractor
) -> None:
    with pytest.raises(error):
        list(sandbox.pages(body, content_type=PDF))


def test_a_file_above_the_limit_is_refused() -> None:
    small = SandboxedExtractor(replace(BUDGETS, max_bytes=10))

    with pytest.raises(FileTooLarge):
        list(small.pages(pdf_of(WORDS), content_type=PDF))


@pytest.mark.parametrize("name", UNREADABLE)
def test_a_file_that_is_none_ends_typed_and_soon(name: str, sandbox: SandboxedExtractor) -> None:
    started = time.monotonic()

    try:
        pages = list(sandbox.pages(UNREADABLE[name], content_type=PDF))
    except DocumentRejected:
        pages = []

    assert all(page.text.strip() in {"", WORDS} for page in pages)
    assert time.monotonic() - started < 30


def test_a_bomb_costs_no_more_than_its_page(sandbox: SandboxedExtractor) -> None:
    started = time.monotonic()

    pages = list(sandbox.pages(flate_bomb(), content_type=PDF))

    assert len(pages) == 1
    assert not pages[0].text.strip()
    assert time.monotonic() - started < 30


@pytest.mark.parametrize("megabytes", range(64, 1025, 64))
def test_whatever_memory_there_is_the_end_is_typed(megabytes: int, ranged: bytes) -> None:
    """K19: pages, or the page, or the file, that takes more than there is."""
    limited = SandboxedExtractor(replace(BUDGETS, memory_bytes=megabytes * 1024 * 1024))

    for body in (ranged, flate_bomb(20)):
        ended = how_it_ended(limited, body)
        assert set(ended) <= {None, "RESOURCE_EXHAUSTED"}, ended


def test_a_full_or_missing_temporary_directory_costs_nothing(
    sandbox: SandboxedExtractor, monkeypatch: pytest.MonkeyPatch
) -> None:
    """K19: /tmp full."""

    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(tempfile, "mkdtemp", full)

    assert [page.outcome for page in sandbox.pages(pdf_of(WORDS), content_type=PDF)] == [
        PageOutcome.TEXT
    ]


@pytest.mark.skipif(sys.platform != "linux", reason="keeps the file in memory on Linux only")
def test_a_parent_that_cannot_hold_the_file_says_so(
    sandbox: SandboxedExtractor, monkeypatch: pytest.MonkeyPatch
) -> None:
    """K19: no memory for the copy that the child reads."""

    def refuse(*_: object) -> int:
        raise OSError(errno.ENOMEM, "Cannot allocate memory")

    monkeypatch.setattr(os, "memfd_create", refuse)

    with pytest.raises(ResourceExhausted):
        list(sandbox.pages(pdf_of(WORDS), content_type=PDF))


def test_a_machine_that_cannot_start_a_child_says_so(
    sandbox: SandboxedExtractor, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise BlockingIOError(errno.EAGAIN, "Resource temporarily unavailable")

    zygote.retire()
    monkeypatch.setattr(subprocess, "Popen", refuse)

    with pytest.raises(ResourceExhausted):
        list(sandbox.pages(pdf_of(WORDS), content_type=PDF))


def test_a_child_without_memory_is_a_typed_error() -> None:
    """K19: the child dies of its limit, the parent says so."""
    poor = SandboxedExtractor(replace(BUDGETS, memory_bytes=96 * 1024 * 1024))

    assert how_it_ended(poor, flate_bomb()) == ["RESOURCE_EXHAUSTED"]


@pytest.mark.parametrize("poisoned", [1, 2, 3])
@pytest.mark.parametrize(
    ("how", "code"),
    [("SIGKILL", "RESOURCE_EXHAUSTED"), ("SIGSEGV", "PDF_CORRUPTED")],
)
def test_one_poisoned_page_costs_one_page(
    poisoned: int, how: str, code: str, scripted: Any, sandbox: SandboxedExtractor
) -> None:
    """K08: first, middle or last, its siblings are read."""
    scripted(
        f"for number in pages(3):\n"
        f"    if number == {poisoned}: os.kill(os.getpid(), signal.{how})\n"
        f"    page(number)\n"
    )

    pages = list(sandbox.pages(b"%PDF-", content_type=PDF))

    assert [page.number for page in pages] == [1, 2, 3]
    assert [page.failure for page in pages if page.number == poisoned] == [code]
    assert all(page.outcome is PageOutcome.TEXT for page in pages if page.number != poisoned)


def test_a_text_that_crashes_its_parser_is_no_corrupted_pdf(
    scripted: Any, sandbox: SandboxedExtractor
) -> None:
    """What a PDF viewer is advised for helps nobody with a Markdown file."""
    scripted("for number in pages(1): os.kill(os.getpid(), signal.SIGSEGV)\n")

    [page] = sandbox.pages(b"# Title", content_type="text/markdown; charset=utf-8")
    assert page.failure == FileUnreadable.code

    scripted("os.kill(os.getpid(), signal.SIGSEGV)\n")
    with pytest.raises(FileUnreadable):
        list(sandbox.pages(b"# Title", content_type="text/markdown"))


def test_a_page_that_computes_for_ever_is_ended_by_the_kernel(scripted: Any) -> None:
    scripted(
        "from pulsedocs.adapters.sandbox import isolation\n"
        "for number in pages(2):\n"
        "    isolation.allow_cpu(request['budgets']['page_cpu_seconds'], total_seconds=60)\n"
        "    while number == 1: pass\n"
        "    page(number)\n"
    )
    quick = SandboxedExtractor(replace(BUDGETS, page_cpu_seconds=1))

    pages = list(quick.pages(b"%PDF-", content_type=PDF))

    assert outcomes(pages) == [(1, "FAILED", "RESOURCE_EXHAUSTED"), (2, "TEXT", None)]


def test_a_child_that_only_waits_is_ended_by_the_clock(scripted: Any) -> None:
    scripted("for number in pages(2):\n    if number == 1: signal.pause()\n    page(number)\n")
    impatient = SandboxedExtractor(BUDGETS, stall_seconds=1)

    pages = list(impatient.pages(b"%PDF-", content_type=PDF))

    assert outcomes(pages) == [(1, "FAILED", "RESOURCE_EXHAUSTED"), (2, "TEXT", None)]


def test_a_document_of_poison_ends_as_an_error(scripted: Any) -> None:
    scripted("for number in pages(5000):\n    os.kill(os.getpid(), signal.SIGXCPU)\n")
    limited = SandboxedExtractor(replace(BUDGETS, document_cpu_seconds=12))

    with pytest.raises(ResourceExhausted):
        list(limited.pages(b"%PDF-", content_type=PDF))


def test_the_deadline_ends_a_document(scripted: Any) -> None:
    scripted("for number in pages(5000):\n    signal.pause()\n")
    late = SandboxedExtractor(BUDGETS, deadline_seconds=1)

    with pytest.raises(ResourceExhausted):
        list(late.pages(b"%PDF-", content_type=PDF))


@pytest.mark.parametrize(
    "lie",
    [
        "os.write(1, b'\\xff' * 100)",
        "os.write(1, b'\\x00\\x00\\x00\\x02{]')",
        "say('opened', pages=10**9)",
        "say('opened', pages='many')",
        "say('opened', pages=2); page(7)",
        "say('page')",
        "say('error', name='StoreUnavailable', message='x', context={})",
        "say('error', name='SystemExit', message=None, context=[])",
        "print('hello')",
        "",
    ],
)
def test_a_child_that_lies_is_a_damaged_file(
    lie: str, scripted: Any, sandbox: SandboxedExtractor
) -> None:
    scripted(lie)

    try:
        pages = list(sandbox.pages(b"%PDF-", content_type=PDF))
    except DocumentRejected:
        return
    assert {page.outcome for page in pages} == {PageOutcome.FAILED}


def test_the_child_sees_nothing_of_its_parent(scripted: Any, sandbox: SandboxedExtractor) -> None:
    """No environment but paths and numbers for libraries, an empty directory, three files."""
    scripted(
        "from pulsedocs.adapters.sandbox import isolation\n"
        "seen = {'env': sorted(set(os.environ) - {'LC_CTYPE', '__CF_USER_TEXT_ENCODING'}),\n"
        "        'directory': os.listdir('.')}\n"
        "isolation.confine(memory_bytes=1 << 30)\n"
        "try: os.write(os.open('file', os.O_WRONLY | os.O_CREAT), b'x'); seen['wrote'] = True\n"
        "except OSError: seen['wrote'] = False\n"
        "say('opened', pages=1)\n"
        "say('page', number=1, text=json.dumps(seen), outcome='TEXT', parser='x',\n"
        "    label=None, headings=[], hidden_characters=0, failure=None)\n"
    )

    [page] = sandbox.pages(b"%PDF-", content_type=PDF)

    assert '"directory": []' in page.text
    assert '"wrote": false' in page.text
    assert page.text.startswith(
        (
            '{"env": ["LD_LIBRARY_PATH", "MALLOC_TOP_PAD_", "OMP_THREAD_LIMIT"]',
            '{"env": ["OMP_THREAD_LIMIT"]',
        )
    )


@pytest.mark.skipif(sys.platform != "linux", reason="macOS does not keep all of them")
def test_the_child_keeps_every_limit_for_good(scripted: Any, sandbox: SandboxedExtractor) -> None:
    """Both the soft and the hard limit; CPU time is a soft one that moves on with each page."""
    scripted(
        "import resource\n"
        "from pulsedocs.adapters.sandbox import isolation\n"
        "isolation.confine(memory_bytes=1 << 30)\n"
        "isolation.allow_cpu(5, total_seconds=300)\n"
        "names = ['FSIZE', 'CORE', 'NOFILE', 'NPROC', 'AS', 'CPU']\n"
        "seen = {n: resource.getrlimit(getattr(resource, 'RLIMIT_' + n)) for n in names}\n"
        "say('opened', pages=1)\n"
        "say('page', number=1, text=json.dumps(seen), outcome='TEXT', parser='x',\n"
        "    label=None, headings=[], hidden_characters=0, failure=None)\n"
    )

    [page] = sandbox.pages(b"%PDF-", content_type=PDF)

    seen = json.loads(page.text)
    processor = seen.pop("CPU")[0]
    assert 5 <= processor <= 7
    assert seen == {
        "FSIZE": [0, 0],
        "CORE": [0, 0],
        "NOFILE": [16, 16],
        "NPROC": [0, 0],
        "AS": [1 << 30, 1 << 30],
    }


def test_a_page_with_too_much_text_costs_the_page_and_a_document_the_document() -> None:
    """200,000 characters and 20 million in production; the same rule at a smaller size."""
    body = pdf_of("short", "x" * 60, "short again")
    by_page = SandboxedExtractor(replace(BUDGETS, page_characters=50))
    by_document = SandboxedExtractor(replace(BUDGETS, document_characters=50))

    assert outcomes(list(by_page.pages(body, content_type=PDF))) == [
        (1, "TEXT", None),
        (2, "FAILED", "TOO_MUCH_TEXT"),
        (3, "TEXT", None),
    ]
    with pytest.raises(TooMuchText):
        list(by_document.pages(body, content_type=PDF))


def test_the_budgets_are_those_of_the_design() -> None:
    assert Budgets().page_cpu_seconds == 5
    assert Budgets().page_characters == 200_000
    assert Budgets().document_cpu_seconds == 300
    assert Budgets().document_characters == 20_000_000
    assert Budgets().max_pages == 5_000


@pytest.mark.skipif(sys.platform != "linux", reason="prctl is Linux's")
def test_the_parent_is_hidden_from_others_of_its_user() -> None:
    code = (
        "from pulsedocs.adapters.sandbox.isolation import hide_parent\n"
        "import ctypes\n"
        "hide_parent()\n"
        "print(ctypes.CDLL(None).prctl(3, 0, 0, 0, 0))"
    )

    printed = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)

    assert printed.stdout.strip() == b"0"


def test_a_reader_who_stops_early_leaves_no_child(sandbox: SandboxedExtractor) -> None:
    started: list[int] = []
    original = process.Child.__init__

    def remember(child: Any, *arguments: Any, **options: Any) -> None:
        original(child, *arguments, **options)
        started.append(child._process.pid)  # noqa: SLF001 -- the child's number is what we watch

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(extractor.Child, "__init__", remember)
        pages = sandbox.pages(pdf_of("one", "two"), content_type=PDF)
        next(pages)
        pages.close()

    with pytest.raises(ProcessLookupError):
        os.kill(started[0], signal.SIGTERM)


def test_a_missing_library_is_not_blamed_on_the_file(
    scripted: Any, sandbox: SandboxedExtractor
) -> None:
    scripted("os._exit(70)")

    with pytest.raises(ConfigurationError):
        list(sandbox.pages(b"%PDF-", content_type=PDF))


def test_frames_carry_text_unharmed() -> None:
    content = {"number": 1, "text": "Grüße \U0001f600", "outcome": "TEXT", "parser": "x"}
    content |= {"label": None, "headings": [], "hidden_characters": 0, "failure": None}

    frame = decode(encode("page", cpu_seconds=1.5, content=content)[4:])

    assert page_from(frame.content, max_characters=100).text == "Grüße \U0001f600"
    with pytest.raises(BrokenFrame):
        page_from(frame.content, max_characters=3)
    assert isolation.hide_parent() is None
