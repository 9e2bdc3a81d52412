"""A long PDF of the project's own prose: the handbook again and again, no chapter like another."""

import re
from importlib import resources
from pathlib import Path

from local.samples.typesetting import Document, write_pdf

_NUMBER = re.compile(r"\d+")


def write_long_pdf(path: Path, *, chapters: int) -> Path:
    """Write about nine pages a chapter; the numbers of each are moved on, so no text repeats."""
    handbook = (resources.files("local.samples") / "text" / "handbook.txt").read_text("utf-8")
    source = "\n\n!page\n\n".join(_moved(handbook, by=chapter) for chapter in range(chapters))
    document = Document("Collected handbooks", "Halden Instruments | Collection", "HI-4400")
    return write_pdf(path, source, document=document)


def _moved(text: str, *, by: int) -> str:
    """Add to every number outside the marks of typesetting, and sign each paragraph."""
    return "\n\n".join(
        block if block.startswith(("!", "#")) else _renumbered(block, by=by)
        for block in text.split("\n\n")
    )


def _renumbered(block: str, *, by: int) -> str:
    return _NUMBER.sub(lambda found: str(int(found[0]) + by), block) + f" Edition {by}."
