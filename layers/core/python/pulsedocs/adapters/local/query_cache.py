"""What was made of questions lately, kept in this process for the next one that asks the same."""

import time
from collections import OrderedDict
from collections.abc import Callable
from hashlib import sha256
from threading import Lock
from typing import Final, TypeVar, cast

from pulsedocs.model.queries import QueryKey

SECONDS: Final = 300.0
ENTRIES: Final = 512  # vectors of 1,536 floats take 49 KB each: 25 MB of the function's 1,769

_Made = TypeVar("_Made")


class ExpiringCache:
    """Implements `questions.ports.QueryCache`: the least recently used go first. Thread-safe.

    Texts are kept as digests: a process that is dumped tells no question. Two threads that ask the
    same at once both make it, which costs a call and blocks nobody.
    """

    def __init__(
        self,
        *,
        entries: int = ENTRIES,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._entries = entries
        self._clock = clock
        self._kept: OrderedDict[tuple[str, ...], tuple[float, object]] = OrderedDict()
        self._lock = Lock()

    def __len__(self) -> int:
        return len(self._kept)

    def remember(self, key: QueryKey, make: Callable[[], _Made]) -> _Made:
        digest = _digest(key)
        with self._lock:
            found = self._kept.get(digest)
            if found is not None and found[0] > self._clock():
                self._kept.move_to_end(digest)
                return cast("_Made", found[1])
        made = make()
        with self._lock:
            self._kept[digest] = (self._clock() + SECONDS, made)
            self._kept.move_to_end(digest)
            while len(self._kept) > self._entries:
                self._kept.popitem(last=False)
        return made


def _digest(key: QueryKey) -> tuple[str, ...]:
    """Keep the tenant apart from the digest: two tenants' entries can never be one."""
    text = sha256(key.text.encode("utf-8", "surrogatepass")).hexdigest()
    return str(key.tenant_id), key.model, key.purpose, text
