"""A model's answer as it arrives: each sentence is taken apart once nothing can change it any more.

Where a sentence ends is decided from the text alone, never from how it was cut into pieces on the
way: the same answer gives the same sentences whether it comes whole or character by character.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Final

from pulsedocs.answering.claims import MARKER, MAX_ANSWER, Claim, claims_of
from pulsedocs.answering.sentences import STOP, split_sentences
from pulsedocs.model.sentences import CLOSERS, STOPS, WIDE_STOPS, is_settled

_LONGEST_MARKER: Final = 2048  # characters: a quote of 2,000 and what stands around it
_NEAR: Final = 500  # characters that are searched first for an end: most sentences are shorter
_HIDDEN: Final = "\ue000"  # stands for each character of a marker
_OPENING: Final = re.compile(r'\[[\s0-9,]*(?::\s*(?:["\u201c\u201d\u201e].*)?)?', re.DOTALL)
_AFTER_STOP: Final = re.compile(f"({STOP})((?:[^\\S\\n\\u2028\\u2029]*{_HIDDEN}+)+)")
_WIDE: Final = "\u3002"
# A stop of Chinese or Japanese ends a sentence at once; more stops may follow it all the same.
_WIDE_RUN: Final = re.compile(f"[{WIDE_STOPS}][{STOPS}{WIDE_STOPS}{CLOSERS}]*")
_LINE_END: Final = re.compile("[\n\u2028\u2029]")
# What `claims_of` drops, and what would end a line or look like a marker until then.
_DROPPED: Final = str.maketrans(dict.fromkeys(f"\r\x0b\x0c\x1c\x1d\x1e\x85{_HIDDEN}", " "))


class ArrivingAnswer:
    """Give it the pieces of an answer in order; it gives back whole sentences."""

    def __init__(self, *, is_known_address: Callable[[str], bool]) -> None:
        self._is_known_address = is_known_address
        self._read = 0
        self._line = 0
        self._waiting = ""
        # As much of it as holds no half of a marker; character for character, so that places in
        # one are places in the other.
        self._masked = ""

    @property
    def is_full(self) -> bool:
        """Whether nothing that still comes would be read."""
        return self._read >= MAX_ANSWER

    def add(self, piece: str) -> list[Claim]:
        """Return the sentences that this piece completes."""
        taken = piece[: MAX_ANSWER - self._read]
        self._read += len(taken)
        self._waiting += taken
        self._mask(is_whole=False)
        return list(self._settled())

    def end(self) -> list[Claim]:
        """Return what is left once the answer is complete."""
        self._mask(is_whole=True)
        return [*self._settled(), *self._take(len(self._waiting), lines=0)]

    def _mask(self, *, is_whole: bool) -> None:
        parts = [self._masked]
        at = len(self._masked)
        while (opening := self._waiting.find("[", at)) >= 0:
            parts.append(self._waiting[at:opening].translate(_DROPPED))
            at = opening
            marker = MARKER.match(self._waiting, at, at + _LONGEST_MARKER)
            is_short = len(self._waiting) - at < _LONGEST_MARKER
            may_become_one = is_short and _OPENING.fullmatch(self._waiting, at) is not None
            if marker is None and not is_whole and may_become_one:
                break
            parts.append(_HIDDEN * len(marker.group()) if marker else "[")
            at += len(parts[-1])
        else:
            parts.append(self._waiting[at:].translate(_DROPPED))
        self._masked = "".join(parts)

    def _settled(self) -> Iterator[Claim]:
        # What ends a sentence for good does so whatever follows. To read all that waits for each
        # sentence took 35 s of processor time for 20,000 characters that came in one piece.
        while cut := _first_cut(self._masked[:_NEAR]) or (
            _first_cut(self._masked) if len(self._masked) > _NEAR else None
        ):
            yield from self._take(*cut)

    def _take(self, end: int, lines: int) -> list[Claim]:
        sentence, self._waiting = self._waiting[:end], self._waiting[end:]
        self._masked = self._masked[end:]
        first, self._line = self._line, self._line + lines
        found = claims_of(sentence, is_known_address=self._is_known_address)
        return [replace(claim, line=first + claim.line) for claim in found]


def _first_cut(masked: str) -> tuple[int, int] | None:
    """Return where the first sentence ends for good, and how many lines end with it.

    A sentence ends behind the markers that follow its stop.
    """
    whole = _WIDE_RUN.sub(lambda run: _WIDE * len(run.group()), masked)
    ended = _AFTER_STOP.sub(r"\2\1", whole)
    line_end = _LINE_END.search(ended)
    line = ended[: line_end.start()] if line_end else ended
    spans = split_sentences(line)
    if len(spans) > 1 and (line_end or is_settled(line, spans[0].end)):
        return spans[0].end, 0
    return (line_end.end(), 1) if line_end else None
