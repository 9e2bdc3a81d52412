"""Who is next where few places are wanted by many: no tenant keeps the others waiting."""

import json
import re
from collections import Counter, deque
from itertools import count
from typing import Final, Generic, TypeVar

_KEY: Final = re.compile(r"(?:u|control/\w+)/([^/]+)/")

Item = TypeVar("Item")


def tenant_of(event: str | bytes) -> str:
    """Return whose work an event is; "" for what is no tenant's, which then is one party."""
    match json.loads(event or "{}"):
        case {"run": {"tenant_id": str(tenant)}} | {"batch": {"tenant_id": str(tenant)}}:
            return tenant
        case {"requestContext": {"authorizer": {"tenant_id": str(tenant)}}}:
            return tenant
        case {"detail": {"object": {"key": str(key)}}} | {
            "event": {"detail": {"object": {"key": str(key)}}}
        }:
            found = _KEY.match(key)
            return found[1] if found else ""
        case _:
            return ""


class FairQueue(Generic[Item]):
    """`places` for what parties add, `each` of them for one party at most.

    A free place goes to the party that holds the fewest, and among equals to the one whose last
    turn is longest ago; within a party, first come, first served. Whoever uses it locks it.
    """

    def __init__(self, places: int, *, each: int | None = None) -> None:
        self._places = places
        self._each = each or places
        self._waiting: dict[str, deque[Item]] = {}
        self._held: Counter[str] = Counter()
        self._served: dict[str, int] = {}
        self._turns = count(1)

    @property
    def is_free(self) -> bool:
        return self._held.total() < self._places

    def __len__(self) -> int:
        return sum(map(len, self._waiting.values()))

    def add(self, party: str, item: Item) -> None:
        self._waiting.setdefault(party, deque()).append(item)

    def take(self) -> Item | None:
        """Return what is next, which holds a place of its party's from now on."""
        parties = [party for party in self._waiting if self._held[party] < self._each]
        if not parties or not self.is_free:
            return None
        party = min(parties, key=lambda one: (self._held[one], self._served.get(one, 0)))
        item = self._waiting[party].popleft()
        self._drop_if_empty(party)
        self._held[party] += 1
        self._served[party] = next(self._turns)
        return item

    def release(self, party: str) -> None:
        """Give a place of a party's back."""
        self._held[party] -= 1

    def withdraw(self, party: str, item: Item) -> None:
        """Take back what waits."""
        self._waiting[party].remove(item)
        self._drop_if_empty(party)

    def clear(self) -> list[Item]:
        """Return all that waits, and let it wait no more."""
        left = [item for items in self._waiting.values() for item in items]
        self._waiting.clear()
        return left

    def _drop_if_empty(self, party: str) -> None:
        if not self._waiting[party]:
            del self._waiting[party]
