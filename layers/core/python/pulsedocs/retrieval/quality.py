"""How good an order of passages is, against places that are known to answer.

A place is named by its source and, as far as it is known, its page and its words. Words are found
wherever the text was cut: a label made today still holds after the next change of chunking.
"""

import random
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import log2
from typing import Final

from pulsedocs.model.evaluations import Abstentions, Expected, Measured

CUTOFFS: Final = (1, 5, 10, 50)
_DEPTH: Final = 10  # of nDCG and of the reciprocal rank
_HALF: Final = 0.5
_RESAMPLES: Final = 500
_SEED: Final = 20260101
_NOT_WORDS: Final = re.compile(r"[\W_]+")


@dataclass(frozen=True, slots=True)
class Shown:
    """A passage as far as it can be compared with a label."""

    source: str
    pages: tuple[int, ...]
    text: str


def figures(ranked: Sequence[Shown], expected: Sequence[Expected]) -> dict[str, float]:
    """Return the figures of one answerable question.

    A place counts once, at the first passage that shows it: overlapping passages earn nothing
    twice. Where only documents are known, their first passages are ranked.
    """
    is_narrow = any(place.page is not None or place.quote is not None for place in expected)
    first_of_each: dict[str, Shown] = {}
    for item in ranked:
        first_of_each.setdefault(item.source, item)
    order = ranked if is_narrow else list(first_of_each.values())
    gains = gains_of(order, expected)
    values = {f"recall@{k}": sum(gains[:k]) / len(expected) for k in CUTOFFS[1:]}
    values["ndcg@10"] = ndcg(gains, len(expected))
    values["mrr@10"] = reciprocal_rank(gains)
    return values | _page_hits(ranked, [place for place in expected if place.page is not None])


def gains_of(ranked: Sequence[Shown], expected: Sequence[Expected]) -> list[int]:
    """Return for each passage how many places it is the first to show."""
    left = list(expected)
    gains: list[int] = []
    for item in ranked:
        words = normalised(item.text)
        found = [place for place in left if _shows(item, words, place)]
        left = [place for place in left if place not in found]
        gains.append(len(found))
    return gains


def ndcg(gains: Sequence[int], expected: int) -> float:
    """Return the discounted gain of the first ten as a share of the best there could be.

    A passage that shows two places counts as one: nothing could then be better than perfect.
    """
    best = sum(1 / log2(place + 2) for place in range(min(_DEPTH, expected)))
    got = sum(1 / log2(place + 2) for place, gain in enumerate(gains[:_DEPTH]) if gain)
    return got / best if best else 0.0


def reciprocal_rank(gains: Sequence[int]) -> float:
    return next((1 / rank for rank, gain in enumerate(gains[:_DEPTH], start=1) if gain), 0.0)


def normalised(text: str) -> str:
    """Keep letters and digits: line ends, hyphens and quotes are the parser's own."""
    return _NOT_WORDS.sub(" ", text.casefold()).strip()


def _shows(item: Shown, words: str, place: Expected) -> bool:
    if item.source != place.source:
        return False
    if place.quote is not None:
        return holds(words, normalised(place.quote))
    return place.page is None or place.page in item.pages


def holds(words: str, quote: str) -> bool:
    """Say whether a text has the quote, or at an end of its own at least half of it."""
    if quote in words:
        return True
    least = max(1, round(len(quote) * _HALF))
    return any(
        words.endswith(quote[:length]) or words.startswith(quote[-length:])
        for length in range(least, len(quote))
    )


def _page_hits(ranked: Sequence[Shown], places: Sequence[Expected]) -> dict[str, float]:
    """Return whether a right page is among the first passages; `near` is within one page.

    `first_page` is the page named first, where a reader looks: a passage may lie on several.
    """
    if not places:
        return {}
    distances = [_distance(item, item.pages, places) for item in ranked]
    named = [_distance(item, item.pages[:1], places) for item in ranked]
    return {
        f"{name}@{k}": float(any(distance <= most for distance in own[:k]))
        for name, own, most in (
            ("page", distances, 0),
            ("near_page", distances, 1),
            ("first_page", named, 0),
        )
        for k in CUTOFFS[:3]
    }


def _distance(item: Shown, pages: Iterable[int], places: Sequence[Expected]) -> float:
    """Return how many pages lie between some of a passage and the nearest right page."""
    near = [
        abs(page - place.page)
        for page in pages
        for place in places
        if place.page is not None and place.source == item.source
    ]
    return min(near, default=float("inf"))


def measured(values: Sequence[float]) -> Measured:
    """Return the mean with its bootstrap interval; the same values give the same interval."""
    mean = sum(values) / len(values)
    draw = random.Random(_SEED)  # noqa: S311 -- resampling, nothing secret
    means = sorted(
        sum(draw.choices(values, k=len(values))) / len(values) for _ in range(_RESAMPLES)
    )
    low, high = means[int(_RESAMPLES * 0.025)], means[int(_RESAMPLES * 0.975) - 1]
    return Measured(round(mean, 4), round(low, 4), round(high, 4), len(values))


def means(rows: Sequence[Mapping[str, float]]) -> dict[str, Measured]:
    """Return each figure over the questions that have it, in the order of the first row."""
    names = dict.fromkeys(name for row in rows for name in row)
    return {name: measured([row[name] for row in rows if name in row]) for name in names}


def abstentions(refused: Sequence[bool], answerable: Sequence[bool]) -> Abstentions:
    """Return how often a refusal was right, and how often there was one where it was due."""
    rightly = sum(no and not can for no, can in zip(refused, answerable, strict=True))
    said_no, due = sum(refused), len(answerable) - sum(answerable)
    return Abstentions(
        precision=round(rightly / said_no, 4) if said_no else None,
        recall=round(rightly / due, 4) if due else None,
        refused=said_no,
        unanswerable=due,
        refused_rightly=rightly,
    )
