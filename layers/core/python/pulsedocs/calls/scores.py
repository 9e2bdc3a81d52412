"""A reranker's scores, back in the order of the passages that were asked about."""

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Final

from pulsedocs.embedding import encodable
from pulsedocs.errors import ProviderMalformed

NOTHING_SAID: Final = 0.0
"""Of a passage or a question without a word. Providers refuse an empty text, and the batch with
it; there is nothing to be relevant."""

Score = Callable[[str, Sequence[str]], Iterable[tuple[int, float]]]
"""Asks a provider about passages: the place of each, and its score from 0 to 1."""


def scored(query: str, passages: Sequence[str], ask: Score) -> tuple[float, ...]:
    """Return a score for each passage, whatever it holds."""
    said = [index for index, passage in enumerate(passages) if _says_something(passage)]
    scores = [NOTHING_SAID] * len(passages)
    if said and _says_something(query):
        found = ask(encodable(query), [encodable(passages[index]) for index in said])
        by_place = dict(pairs := list(found))
        # Of two scores for one passage nobody knows which is right.
        is_whole = len(pairs) == len(said) and by_place.keys() == set(range(len(said)))
        if not is_whole or not all(map(math.isfinite, by_place.values())):
            raise ProviderMalformed(f"the provider scored {len(by_place)} of {len(said)} passages")
        for place, index in enumerate(said):
            scores[index] = by_place[place]
    return tuple(scores)


def _says_something(text: str) -> bool:
    return bool(text.replace("\x00", " ").strip())
