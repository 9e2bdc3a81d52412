"""One time budget for a request, passed down so that every client stops within it."""

import time
from dataclasses import dataclass

from pulsedocs.errors import TimedOut


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
