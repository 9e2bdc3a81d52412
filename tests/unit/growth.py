"""How time grows with a text: a ratio on one machine, which tells nothing of how fast it is."""

import time
from collections.abc import Callable

_NOISE = 0.02  # seconds, below which a machine measures itself


def growth(work: Callable[[int], object], *, length: int) -> float:
    """Return how many times as long four times the length takes; its square takes 16 times."""

    def seconds(size: int) -> float:
        start = time.process_time()
        work(size)
        return time.process_time() - start

    return seconds(4 * length) / max(seconds(length), _NOISE)
