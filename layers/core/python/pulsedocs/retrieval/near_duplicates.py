"""Near-duplicates: one passage in many documents, word for word or with other figures.

Of the same text the first stands for all; of texts that differ in figures alone the first five do.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Generic, TypeVar
from uuid import UUID

from pulsedocs.model.likeness import MOST_ALIKE, likeness_of
from pulsedocs.model.retrieval import Leg
from pulsedocs.retrieval.legs import ByLeg, Found

Item = TypeVar("Item")

_DEPTHS: Final = (4, 16)
"""How many times as many rows are read, one after the other, while near-duplicates crowd a leg."""

_LENGTHS_ALIKE: Final = 32  # characters: copies with other figures are about as long


@dataclass(frozen=True, slots=True)
class CopyOf(Generic[Item]):
    """`but_for_figures`: how many that differ in figures alone stay; 0 for the same text."""

    original: Item
    but_for_figures: int = 0


class NearDuplicates(Generic[Item]):
    """Goes along an order and tells what is a near-duplicate of something before it."""

    def __init__(self) -> None:
        self._first: dict[str, Item] = {}
        self._alike: dict[str, list[Item]] = defaultdict(list)

    def copy_of(self, item: Item, text: str, *, likeness: str) -> CopyOf[Item] | None:
        """Return what an item repeats, None where it is to stay."""
        if text in self._first:
            return CopyOf(self._first[text])
        self._first[text] = item
        alike = self._alike[likeness]
        if len(alike) >= MOST_ALIKE:
            return CopyOf(alike[0], but_for_figures=len(alike))
        alike.append(item)
        return None


def past_copies(
    found: ByLeg,
    limits: Mapping[Leg, int],
    read_deeper: Callable[[frozenset[Leg], int], ByLeg],
) -> tuple[ByLeg, int]:
    """Return the legs folded, and how many chunks that left out, where near-duplicates crowd one.

    `read_deeper` reads legs again, so many times as far; a leg that it leaves out keeps what it
    had. Where nothing else comes up, each near-duplicate stays, to be judged and to have a reason.
    """
    deepest, depth = found, 1
    for deeper in _DEPTHS:
        crowded = frozenset(
            leg
            for leg, rows in deepest.items()
            if len(rows) >= depth * limits[leg] and is_crowded(rows, limits[leg])
        )
        if not crowded:
            break
        deepest = {**deepest, **read_deeper(crowded, deeper)}
        depth = deeper
    if depth == 1:
        return found, 0
    kept, copies = folded(deepest, limits)
    if _rows_in(kept) == _rows_in(folded(found, limits)[0]):
        return found, 0
    return kept, copies


def is_crowded(rows: Sequence[Found], limit: int) -> bool:
    """Say whether rows are so few different passages that half of `limit` places stay empty."""
    if 2 * len({row.text for row in rows}) <= limit:
        return True
    # What costs nothing comes first: rarely are so many passages of one length.
    lengths = Counter(len(row.text) // _LENGTHS_ALIKE for row in rows)
    if 4 * max(lengths.values()) < len(rows):
        return False
    alike = Counter(likeness_of(row.text) for row in rows)
    return 2 * sum(min(count, MOST_ALIKE) for count in alike.values()) <= limit


def folded(found: ByLeg, limits: Mapping[Leg, int]) -> tuple[dict[Leg, list[Found]], int]:
    """Return each leg without near-duplicates, ranked anew, and how many chunks were left out.

    The chunk of a text that was seen first stands for it in every leg, under whatever title: else
    each leg might name another copy, and fusion would halve what speaks for the text.
    """
    first: dict[str, Found] = {}
    kept: dict[Leg, list[Found]] = {}
    for leg, rows in found.items():
        seen, own = NearDuplicates[Found](), list[Found]()
        for row in rows:
            if seen.copy_of(row, row.text, likeness=likeness_of(row.text)) is None:
                stands_for_all = first.setdefault(row.text, row)
                own.append(stands_for_all._replace(rank=len(own) + 1, score=row.score))
        kept[leg] = own
    copies = _chunks_in(found) - _chunks_in(kept)
    return {leg: rows[: limits[leg]] for leg, rows in kept.items()}, len(copies)


def _chunks_in(found: ByLeg) -> set[UUID]:
    return {row.chunk_id for rows in found.values() for row in rows}


def _rows_in(found: ByLeg) -> int:
    return sum(map(len, found.values()))
