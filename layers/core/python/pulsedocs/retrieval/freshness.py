"""Newer first, but only among passages that are as good as equal."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from pulsedocs.retrieval.evidence import rounded
from pulsedocs.retrieval.ordering import Ranked


def prefer_newer(ranked: Sequence[Ranked], *, tie_band: float) -> list[Ranked]:
    """Put newer passages first within each tie band; never across one.

    A band starts at the best score left and reaches `tie_band` below it, so two passages further
    apart than that keep their order, whatever their dates. The penalty is what puts an older
    passage behind the newer ones of its band: final scores then never rise along the list.
    """
    if tie_band <= 0:
        return list(ranked)
    return [item for band in _bands(ranked, tie_band) for item in _newest_first(band)]


def _bands(ranked: Sequence[Ranked], tie_band: float) -> Iterator[list[Ranked]]:
    band: list[Ranked] = []
    for item in ranked:
        if band and rounded(band[0].score - item.score) > tie_band:
            yield band
            band = []
        band.append(item)
    if band:
        yield band


def _newest_first(band: Sequence[Ranked]) -> Iterator[Ranked]:
    lowest = band[0].score
    newest_first = sorted(band, key=lambda item: item.passage.dated_at, reverse=True)
    for item in newest_first:
        lowest = min(lowest, item.score)
        yield replace(item, penalty=rounded(item.score - lowest))
