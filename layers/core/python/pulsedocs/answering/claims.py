"""A model's answer taken apart into sentences and the sources each one names.

The model writes `[2: "exact words"]` or `[2]`; everything else in brackets is only text.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, TypeAlias

from pulsedocs.answering.neutral import without_controls, without_markup
from pulsedocs.answering.prompt import NO_ANSWER
from pulsedocs.answering.sentences import STOP, split_sentences

MAX_ANSWER: Final = 20_000
"""Characters; more is not read: a runaway reply cannot hold the request."""
_OPEN, _CLOSE = "\ue000", "\ue001"  # private-use characters, which cleaning removes from any input

_MARK = '["\u201c\u201d\u201e]'  # straight, and the curly ones that models like to write
_QUOTED = rf"\[\s*([0-9]{{1,3}})\s*:\s*{_MARK}(.{{1,2000}}?){_MARK}\s*\]"
_PLAIN = r"\[\s*([0-9]{1,3}(?:\s*,\s*[0-9]{1,3})*)\s*\]"
MARKER: Final = re.compile(f"{_QUOTED}|{_PLAIN}", re.DOTALL)
"""A source named in a model's answer."""
_PLACE: Final = re.compile(f"{_OPEN}([0-9]+){_CLOSE}")
_AFTER_STOP: Final = re.compile(f"({STOP})((?:\\s*{_OPEN}[0-9]+{_CLOSE})+)")
_DENIES: Final = re.compile(
    r"\b(?:not|cannot|no|nothing|none|neither|unable|insufficient|lacks?|kein\w*|nicht|nichts|ne|pas"
    r"|aucune?|rien|ning[u\u00fa]n\w*|nada|non|nessun\w*|niente|geen|niet|niets|n\u00e3o|nenhum\w*)\b"
    r"|n['\u2019]t\b|\bn['\u2019](?=\w)",
    re.IGNORECASE,
)
_SOURCES: Final = re.compile(
    r"\b(?:sources?|documents?|passages?|context|excerpts?|information|provided|quellen?|dokument\w*"
    r"|informationen|kontext|informations?|contexte|documentos?|fuentes?|informaci\u00f3n|contexto"
    r"|fonti|documenti|informazioni|contesto|bronnen|documenten|informatie|fontes"
    r"|informa\u00e7\w+)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Marker:
    """A named source; `quote` is None where the model gave no words."""

    n: int
    quote: str | None


Piece: TypeAlias = str | Marker


@dataclass(frozen=True, slots=True)
class Claim:
    """One sentence: text and markers in order; `line` is the line of the answer it stands on."""

    pieces: tuple[Piece, ...]
    line: int

    @property
    def markers(self) -> tuple[Marker, ...]:
        return tuple(piece for piece in self.pieces if isinstance(piece, Marker))

    @property
    def text(self) -> str:
        return "".join(piece for piece in self.pieces if isinstance(piece, str)).strip()


def is_refusal(first: Claim) -> bool:
    """Say whether an answer's first sentence says in words that the sources do not answer.

    It cites nothing, and is never shown either way: what is at stake is a second call.
    """
    if first.markers:
        return False
    is_told = first.text.strip(".\"'`*").startswith(NO_ANSWER)
    return is_told or bool(_DENIES.search(first.text) and _SOURCES.search(first.text))


def claims_of(answer: str, *, is_known_address: Callable[[str], bool]) -> list[Claim]:
    """Return the sentences of a model's answer; none where it says that there is no answer."""
    text = without_controls(answer[:MAX_ANSWER])
    if text.strip().strip(".\"'`*") == NO_ANSWER:
        return []
    markers: list[Marker] = []

    def keep_marker(match: re.Match[str]) -> str:
        """Keep what a marker says, and leave its number in the text."""
        quoted, quote, plain = match.groups()
        found = [Marker(int(n), None) for n in plain.split(",")] if plain else []
        places = found or [Marker(int(quoted), quote)]
        markers.extend(places)
        first = len(markers) - len(places)
        return "".join(f"{_OPEN}{first + step}{_CLOSE}" for step in range(len(places)))

    marked = _AFTER_STOP.sub(r"\2\1", MARKER.sub(keep_marker, text))
    harmless = without_markup(marked, is_known_address=is_known_address)
    claims: list[Claim] = []
    for number, line in enumerate(harmless.splitlines()):
        for span in split_sentences(line):
            parts = enumerate(_PLACE.split(line[span.start : span.end]))
            # Text and numbers of markers take turns.
            pieces = [markers[int(part)] if at % 2 else part for at, part in parts]
            claims.append(Claim(tuple(piece for piece in pieces if piece), number))
    return [claim for claim in claims if claim.markers or claim.text]
