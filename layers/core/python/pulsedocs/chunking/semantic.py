"""Cuts a text where its subject changes, as the distances between its sentences tell."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from operator import mul
from typing import Any, Final

from pulsedocs.chunking.cutting import MAX_CHARACTERS
from pulsedocs.chunking.recursive import Measure, Place, cut_recursively, with_overlap
from pulsedocs.chunking.sentences import split_sentences

Distances = tuple[float | None, ...]
"""From each sentence to the next; None beside a sentence that the provider refused."""

SINGLE: Final = "single"
SEMANTIC: Final = "semantic"
RECURSIVE: Final = "recursive"
MAX_TOKENS: Final = 1_000

_FALLBACK: Final = {"characters": 1_000, "overlap_characters": 200}
_PERCENT: Final = 100  # parameters are whole numbers


@dataclass(frozen=True, slots=True)
class CutPassage:
    """A passage of a text and how it was cut."""

    start: int
    end: int
    method: str
    parameters: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class MeasuredDistances:
    """What is known of the distances between a document's sentences, and by which model.

    `failure` is the code or name of the error after which there are none.
    """

    distances: Distances = ()
    model: str | None = None
    failure: str | None = None


def is_single(text: str, *, max_tokens: int, count_tokens: Callable[[str], int]) -> bool:
    """Return whether a text is small enough to be one chunk, which needs no distances."""
    return _measure(count_tokens, cap=max_tokens)(text.strip()) <= max_tokens


def cut_semantically(
    text: str,
    *,
    parameters: Mapping[str, int],
    count_tokens: Callable[[str], int],
    measured: MeasuredDistances,
) -> Iterator[CutPassage]:
    """Yield a short text as a whole, and the subjects of a longer one.

    No chunk exceeds `max_tokens`: a core leaves room for its overlap, and a subject that does not
    fit is split recursively. Where the distances are missing, the whole text is split so.
    """
    cap = parameters["max_tokens"]
    if is_single(text, max_tokens=cap, count_tokens=count_tokens):
        yield CutPassage(0, len(text), SINGLE, parameters)
        return
    sentences = split_sentences(text)
    failure = measured.failure or None
    if failure is None and len(measured.distances) != len(sentences) - 1:
        failure = "NO_DISTANCES"
    if failure is None and measured.distances and set(measured.distances) == {None}:
        failure = "PROVIDER_REFUSED"
    if failure is not None:
        yield from _without_distances(text, failure, cap=cap, count_tokens=count_tokens)
        return
    percent = parameters["overlap_percent"]
    rest = _PERCENT - percent
    measure = _measure(count_tokens, cap=cap)
    size = cap * rest // _PERCENT
    cores: list[tuple[Place, str]] = []
    for group in _groups(sentences, measured.distances, parameters["breakpoint_percentile"]):
        is_whole = measure(text[slice(*group)].strip()) <= size
        pieces = [group] if is_whole else cut_recursively(text, group, size=size, measure=measure)
        method = SEMANTIC if is_whole else RECURSIVE
        cores += [(place, method) for place in pieces if text[slice(*place)].strip()]
    overlapping = with_overlap(
        text,
        [place for place, _ in cores],
        budget_of=lambda size: size * percent // rest,
        cap=cap,
        measure=measure,
    )
    recorded = {**parameters, "model": measured.model}
    for (start, end), (_, method) in zip(overlapping, cores, strict=True):
        yield CutPassage(start, end, method, recorded)


def neighbour_distances(
    vectors: Sequence[Sequence[float]], *, refused: frozenset[int] = frozenset()
) -> Distances:
    """Return the cosine distance of each vector to the next."""
    distances: list[float | None] = []
    for index, (one, other) in enumerate(pairwise(vectors)):
        lengths = math.hypot(*one) * math.hypot(*other)
        if {index, index + 1} & refused or not math.isfinite(lengths) or lengths == 0:
            distances.append(None)
        else:
            # Eight digits: more than any model means, and the same on every processor.
            distances.append(round(1 - sum(map(mul, one, other)) / lengths, 8))
    return tuple(distances)


def _measure(count_tokens: Callable[[str], int], *, cap: int) -> Measure:
    """Count tokens, and characters where a token would hold more of them than can be stored."""
    per_token = MAX_CHARACTERS // MAX_TOKENS

    def measure(text: str) -> int:
        characters = -(-len(text) // per_token)
        return characters if characters > cap else max(characters, count_tokens(text))

    return measure


def _groups(sentences: Sequence[Place], distances: Distances, percentile: int) -> Iterator[Place]:
    """Yield stretches of sentences between which the distance is above the percentile."""
    known = sorted(distance for distance in distances if distance is not None)
    limit = math.inf
    if known:  # the percentile lies straight between the two nearest distances
        place = (len(known) - 1) * percentile / _PERCENT
        below = math.floor(place)
        above = min(below + 1, len(known) - 1)
        limit = known[below] + (known[above] - known[below]) * (place - below)
    start = 0
    for (_, end), distance in zip(sentences, (*distances, None), strict=True):
        if distance is not None and distance > limit:
            yield start, end
            start = end
    yield start, sentences[-1][1]


def _without_distances(
    text: str, failure: str, *, cap: int, count_tokens: Callable[[str], int]
) -> Iterator[CutPassage]:
    """Cut by 1,000 characters with 200 of overlap, within the cap on tokens too."""
    size, overlap = _FALLBACK["characters"], _FALLBACK["overlap_characters"]

    def measure(piece: str) -> int:
        if len(piece) > size:
            return len(piece)
        return max(len(piece), -(-count_tokens(piece) * size // cap))

    whole = (0, len(text))
    cores = cut_recursively(text, whole, size=size - overlap, measure=measure)
    places = with_overlap(text, cores, budget_of=lambda _: overlap, cap=size, measure=measure)
    for start, end in places:
        yield CutPassage(start, end, RECURSIVE, {**_FALLBACK, "fallback": failure})
