"""Copies of one passage in many documents: noticed where they crowd a leg, and folded."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final, TypeAlias
from uuid import UUID

from pulsedocs.adapters.postgres.questions.legs import Found
from pulsedocs.model.likeness import MOST_ALIKE, likeness_of
from pulsedocs.model.retrieval import Leg

ByLeg: TypeAlias = Mapping[Leg, Sequence[Found]]

DEPTHS: Final = (4, 16)
"""How many times as many rows are asked for, one after the other, while copies crowd a leg."""

_LENGTHS_ALIKE: Final = 32  # characters: copies with other figures are about as long


def is_flooded(rows: Sequence[Found], limit: int) -> bool:
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
    """Return each leg without copies, ranked anew, and how many chunks were left out.

    Of the same text, under whatever title, the chunk that was seen first stands for all in every
    leg; of texts that differ in figures alone, the best few stay.
    """
    first: dict[str, Found] = {}
    single = {leg: _without_copies(rows, first) for leg, rows in found.items()}
    copies = _chunks(found) - _chunks(single)
    return {leg: rows[: limits[leg]] for leg, rows in single.items()}, len(copies)


def size_of(found: ByLeg) -> int:
    return sum(map(len, found.values()))


def _chunks(found: ByLeg) -> set[UUID]:
    return {row.chunk_id for rows in found.values() for row in rows}


def _without_copies(rows: Sequence[Found], first: dict[str, Found]) -> list[Found]:
    seen: set[str] = set()
    alike: Counter[str] = Counter()
    kept: list[Found] = []
    for row in rows:
        likeness = likeness_of(row.text)
        if row.text in seen or alike[likeness] >= MOST_ALIKE:
            continue
        seen.add(row.text)
        alike[likeness] += 1
        stands_for_all = first.setdefault(row.text, row)
        kept.append(stands_for_all._replace(rank=len(kept) + 1, score=row.score))
    return kept
