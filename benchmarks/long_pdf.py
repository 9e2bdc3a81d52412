"""A long PDF of the project's own prose: the handbook again and again, no chapter like another."""

import re
from importlib import resources
from pathlib import Path

from local.samples.typesetting import Document, write_pdf

_NUMBER = re.compile(r"\d+")


def write_long_pdf(path: Path, *, chapters: int) -> Path:
    """Write about nine pages a chapter; the numbers of each are moved on, so no text repeats."""
    handbook = (resources.files("local.samples") / "text" / "handbook.txt").read_text("utf-8")
    parts: list[str] = []
    for chapter in range(chapters):
        blocks = handbook.split("\n\n")
        for place, block in enumerate(blocks):
            if not block.startswith(("!", "#")):  # marks of typesetting keep their numbers
                moved = _NUMBER.sub(lambda found, by=chapter: str(int(found[0]) + by), block)
                blocks[place] = f"{moved} Edition {chapter}."
        parts.append("\n\n".join(blocks))
    source = "\n\n!page\n\n".join(parts)
    document = Document("Collected handbooks", "Halden Instruments | Collection", "HI-4400")
    return write_pdf(path, source, document=document)
