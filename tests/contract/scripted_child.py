"""A script that plays the child which reads a file: it sees `first_page` and says what it likes."""

from pathlib import Path
from tempfile import mkdtemp

import pytest

from pulsedocs.adapters.sandbox import process

_PRELUDE = """
import json, os, signal, sys, time
request = json.loads(sys.argv[1])
first = request["first_page"]
sys.path[:] = request["import_path"]
from pulsedocs.adapters.sandbox.frames import encode

def say(kind, **content):
    os.write(1, encode(kind, cpu_seconds=0.1, content=content))

def page(number, text=None):
    say("page", number=number, text=text or f"page {number}", outcome="TEXT", parser="script",
        label=None, headings=[], hidden_characters=0, failure=None)

def pages(last):
    say("opened", pages=last)
    for number in range(first, last + 1):
        yield number
    say("end")
"""


def play(script: str, *, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    entry = Path(mkdtemp(dir=folder)) / "child.py"  # a zygote reads its script once
    entry.write_text(_PRELUDE + script)
    monkeypatch.setattr(process, "_ENTRY", entry)
