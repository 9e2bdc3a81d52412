"""A text being cleaned, which remembers where in the raw page each of its characters stood."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from operator import itemgetter

from pulsedocs.model.pages import OffsetMap, Stretches


@dataclass(frozen=True, slots=True)
class Edit:
    """Put `text` in place of the characters from `start` to `end`."""

    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class PageDraft:
    """A text in stretches, each as it stood in the raw page, character by character.

    Stretch `i` begins at `starts[i]` and stood at `raw[i]`; neither ever falls. A page has a few
    stretches and 2,000 characters, so an offset for each character cost a third of cleaning.
    `verbatim` are the stretches of the raw page whose white space means something.
    """

    text: str
    starts: tuple[int, ...]
    raw: tuple[int, ...]
    verbatim: Stretches = ()

    @classmethod
    def of(cls, raw: str, verbatim: Stretches = ()) -> "PageDraft":
        return cls(raw, (0,), (0,), verbatim) if raw else cls(raw, (), ())

    def is_verbatim(self, place: int) -> bool:
        if not self.verbatim:
            return False
        stood = self._raw_at(place)
        before = bisect_right(self.verbatim, stood, key=itemgetter(0)) - 1
        return before >= 0 and stood < self.verbatim[before][1]

    def edited(self, edits: Iterable[Edit]) -> "PageDraft":
        """Apply edits that are in order and do not overlap.

        The characters of a replacement stand where those stood that they replace, one by one;
        surplus ones where the last of these stood.
        """
        parts: list[str] = []
        stretches: list[tuple[int, int]] = []
        done = length = 0
        for edit in edits:
            parts += (self.text[done : edit.start], edit.text)
            same = min(edit.start + len(edit.text), edit.end)
            stretches += self._moved(done, same, by=length - done)
            length += same - done
            for _ in range(len(edit.text) - (same - edit.start)):
                stretches.append((length, self._raw_at(edit.end - 1)))
                length += 1
            done = edit.end
        if not parts:
            return self
        parts.append(self.text[done:])
        stretches += self._moved(done, len(self.text), by=length - done)
        return _draft("".join(parts), stretches, self.verbatim)

    def replaced(
        self, pattern: re.Pattern[str], replace: Callable[[re.Match[str]], str]
    ) -> "PageDraft":
        return self.edited(
            Edit(match.start(), match.end(), new)
            for match in pattern.finditer(self.text)
            if (new := replace(match)) != match[0]
        )

    def cut(self, start: int, end: int) -> "PageDraft":
        return _draft(self.text[start:end], self._moved(start, end, by=-start), self.verbatim)

    def from_raw(self, offset: int) -> int:
        """Return where the character at a raw offset stands now, or the next one if it is gone."""
        later = bisect_left(self.raw, offset)
        end = self.starts[later] if later < len(self.starts) else len(self.text)
        if not later:
            return 0
        return min(self.starts[later - 1] + offset - self.raw[later - 1], end)

    def offset_map(self) -> OffsetMap:
        """Return the stretches, those that follow each other in both texts as one."""
        starts, raw = list(self.starts[:1]), list(self.raw[:1])
        for start, stood in zip(self.starts[1:], self.raw[1:], strict=True):
            if stood - raw[-1] != start - starts[-1]:
                starts.append(start)
                raw.append(stood)
        lengths = (end - start for start, end in pairwise([*starts, len(self.text)]))
        return OffsetMap(tuple(starts), tuple(raw), tuple(lengths))

    def _raw_at(self, place: int) -> int:
        stretch = bisect_right(self.starts, place) - 1
        return self.raw[stretch] + place - self.starts[stretch]

    def _moved(self, start: int, end: int, *, by: int) -> Iterator[tuple[int, int]]:
        """Yield the stretches of a part of the text, with the places they have after a move."""
        if start >= end:
            return
        yield start + by, self._raw_at(start)
        for stretch in range(bisect_right(self.starts, start), bisect_left(self.starts, end)):
            yield self.starts[stretch] + by, self.raw[stretch]


def _draft(text: str, stretches: Iterable[tuple[int, int]], verbatim: Stretches) -> PageDraft:
    starts: list[int] = []
    raw: list[int] = []
    for start, stood in stretches:
        starts.append(start)
        raw.append(stood)
    return PageDraft(text, tuple(starts), tuple(raw), verbatim)
