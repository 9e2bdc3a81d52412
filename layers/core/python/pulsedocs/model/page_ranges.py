"""Which pages of a document go together: read as one, kept as one, lost as one."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, order=True)
class PageRange:
    """Pages `first` to `last`, both included, counted from 1."""

    first: int
    last: int

    def __len__(self) -> int:
        return self.last - self.first + 1

    def halves(self) -> tuple["PageRange", ...]:
        """Return the two halves, none of a single page."""
        if len(self) <= 1:
            return ()
        middle = (self.first + self.last) // 2
        return PageRange(self.first, middle), PageRange(middle + 1, self.last)


def ranges_of(page_count: int, *, size: int) -> Iterator[PageRange]:
    """Yield the ranges of at most `size` pages that make up a document."""
    for first in range(1, page_count + 1, size):
        yield PageRange(first, min(first + size - 1, page_count))


def ranges_around(numbers: Iterable[int], *, size: int) -> Iterator[PageRange]:
    """Yield ranges of at most `size` pages that hold the pages of these ascending numbers."""
    first = last = 0
    for number in numbers:
        if first and number - first >= size:
            yield PageRange(first, last)
            first = 0
        first, last = first or number, number
    if first:
        yield PageRange(first, last)


def is_whole(parts: list[PageRange], *, page_count: int) -> bool:
    """Say whether these parts, in this order, hold every page once and no other."""
    following = 1
    for part in parts:
        if part.first != following or part.last < part.first:
            return False
        following = part.last + 1
    return following == page_count + 1
