"""What cleaning one document may take of a processor."""

import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final, TypeVar

from pulsedocs.errors import ResourceExhausted

Item = TypeVar("Item")

CPU_SECONDS: Final = 120
"""20 million characters, the most that a document may have, take 5; of the worst known, 25."""


@dataclass(frozen=True, slots=True)
class CpuBudget:
    """CPU seconds of this thread, from now on."""

    seconds: float = CPU_SECONDS
    started: float = field(default_factory=time.thread_time)

    def check(self, page: int | None = None) -> None:
        if time.thread_time() - self.started > self.seconds:
            message = f"cleaning the text takes more than {self.seconds:.0f} seconds"
            raise ResourceExhausted(message, **({} if page is None else {"page": page}))

    def each(self, items: Iterable[Item]) -> Iterator[Item]:
        """Yield the items as long as there is time."""
        for item in items:
            self.check()
            yield item
