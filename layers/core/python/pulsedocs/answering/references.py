"""The sources of an answer, numbered in the order in which it names them, and their list."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final
from uuid import UUID

from pulsedocs.answering.neutral import AS_MARKER, without_controls
from pulsedocs.model.answers import Citation

HEADING: Final = "References"


def citations_of(parts: Iterable[tuple[str, Iterable[Citation]]]) -> tuple[Citation, ...]:
    """Return the citations of parts of an answer as those of all of it: each once, at its markers.

    Those of a part count its own markers only. The head of a table is cited with every row.
    """
    markers: dict[Citation, list[int]] = {}
    before = 0
    for text, citations in parts:
        for one in citations:
            at = markers.setdefault(replace(one, markers=()), [])
            at += [before + marker for marker in one.markers]
        before += len(AS_MARKER.findall(text))
    return tuple(replace(one, markers=tuple(dict.fromkeys(at))) for one, at in markers.items())


class Numbering:
    """Gives each source of one answer its number: 1 for the first one named, without gaps.

    In verified text `[n]` is always a true marker: a number in brackets of its own is in others.
    """

    def __init__(self) -> None:
        self._numbers: dict[int, int] = {}

    def applied(self, text: str, citations: Iterable[Citation]) -> tuple[str, tuple[Citation, ...]]:
        """Return a part of the answer and its citations under the answer's own numbers."""
        numbered = AS_MARKER.sub(lambda marker: f"[{self._of(int(marker[1]))}]", text)
        return numbered, tuple(replace(one, n=self._of(one.n)) for one in citations)

    def _of(self, n: int) -> int:
        return self._numbers.setdefault(n, len(self._numbers) + 1)


@dataclass(frozen=True, slots=True)
class Reference:
    """What marker `[n]` stands for."""

    n: int
    document_id: UUID
    source: str
    title: str | None
    pages: tuple[int, ...]


def references_of(citations: Sequence[Citation]) -> tuple[Reference, ...]:
    """Return one reference for each marker, by number, with the pages it was shown on."""
    pages: dict[int, set[int]] = {}
    for citation in citations:
        pages.setdefault(citation.n, set()).add(citation.page)
    named = {citation.n: citation for citation in reversed(citations)}
    return tuple(
        Reference(n, named[n].document_id, named[n].source, named[n].title, tuple(sorted(pages[n])))
        for n in sorted(pages)
    )


def references_section(references: Sequence[Reference]) -> str:
    """Return the list as text: a heading, then a line `[1] lease.pdf, p. 3` for each reference."""
    lines = [HEADING]
    for reference in references:
        # A file's name cannot add a marker or a line.
        name = " ".join(without_controls(reference.source).split())
        harmless = name.translate(str.maketrans("[]<>", "()()"))
        pages = ", ".join(map(str, reference.pages))
        short = "p." if len(reference.pages) == 1 else "pp."
        lines.append(f"[{reference.n}] {harmless}, {short} {pages}")
    return "\n".join(lines)
