"""One time budget for a request, passed down so that every client stops within it."""

import math
import time
from dataclasses import dataclass
from typing import Final

from pulsedocs.errors import TimedOut

_LEFT_SECONDS: Final = 3.0  # of 25: for the pages, the checks and the trace
_LEFT_SHARE: Final = 0.4  # where less than 7.5 seconds remain


@dataclass(frozen=True, slots=True)
class Deadline:
    """A point on the monotonic clock, in seconds."""

    at: float

    @classmethod
    def after(cls, seconds: float) -> "Deadline":
        return cls(time.monotonic() + seconds)

    def remaining(self) -> float:
        return max(0.0, self.at - time.monotonic())

    def timeout(self, seconds: float) -> float:
        """Return the smaller of `seconds` and what remains; raise TimedOut when nothing does."""
        left = self.remaining()
        if left <= 0:
            message = "the request's time budget is used up"
            raise TimedOut(message)
        return min(seconds, left)

    def step(self, seconds: float = math.inf) -> "Deadline":
        """Return when a step must end that an answer can do without: time is left for the rest.

        Raises TimedOut when nothing remains.
        """
        left = self.timeout(math.inf)
        return Deadline.after(min(seconds, max(left - _LEFT_SECONDS, left * (1 - _LEFT_SHARE))))
