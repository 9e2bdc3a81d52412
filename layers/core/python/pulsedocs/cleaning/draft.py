"""A text being cleaned, which remembers where in the raw page each of its characters stood."""

import re
from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from pulsedocs.model.pages import OffsetMap


@dataclass(frozen=True, slots=True)
class Edit:
    """Put `text` in place of the characters from `start` to `end`."""

    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Draft:
    """`offsets[i]` is the raw offset of `text[i]`; it never falls."""

    text: str
    offsets: "array[int]"

    @classmethod
    def of(cls, raw: str) -> "Draft":
        return cls(raw, array("i", range(len(raw))))

    def edited(self, edits: Iterable[Edit]) -> "Draft":
        """Apply edits that are in order and do not overlap.

        The characters of a replacement stand where those stood that they replace, one by one;
        surplus ones where the last of these stood.
        """
        parts: list[str] = []
        offsets = array("i")
        done = 0
        for edit in edits:
            parts += (self.text[done : edit.start], edit.text)
            offsets += self.offsets[done : edit.start]
            last = edit.end - 1
            offsets.extend(
                self.offsets[min(edit.start + index, last)] for index in range(len(edit.text))
            )
            done = edit.end
        if not parts:
            return self
        parts.append(self.text[done:])
        return Draft("".join(parts), offsets + self.offsets[done:])

    def replaced(
        self, pattern: re.Pattern[str], replace: Callable[[re.Match[str]], str]
    ) -> "Draft":
        return self.edited(
            Edit(match.start(), match.end(), new)
            for match in pattern.finditer(self.text)
            if (new := replace(match)) != match[0]
        )

    def cut(self, start: int, end: int) -> "Draft":
        return Draft(self.text[start:end], self.offsets[start:end])

    def from_raw(self, offset: int) -> int:
        """Return where the character at a raw offset stands now, or the next one if it is gone."""
        return bisect_left(self.offsets, offset)

    def offset_map(self) -> OffsetMap:
        offsets = self.offsets
        starts = [
            index
            for index in range(len(offsets))
            if index == 0 or offsets[index] != offsets[index - 1] + 1
        ]
        ends = [*starts[1:], len(offsets)]
        return OffsetMap(
            cleaned=tuple(starts),
            raw=tuple(offsets[start] for start in starts),
            lengths=tuple(end - start for start, end in zip(starts, ends, strict=False)),
        )
