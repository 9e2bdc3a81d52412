"""What was made of a question is remembered for a while, for its tenant only, within bounds."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any
from uuid import UUID

import pytest

from pulsedocs.adapters.local.query_cache import ENTRIES, SECONDS, ExpiringCache
from pulsedocs.errors import ProviderUnavailable
from pulsedocs.model.queries import QueryKey

KEY = QueryKey(UUID(int=1), "memory:hashing@384", "query", "When is the rent due?")


class Clock:
    now = 1000.0

    def __call__(self) -> float:
        return self.now


def test_the_same_question_is_made_once_within_five_minutes() -> None:
    """S3-24."""
    clock = Clock()
    cache, made = ExpiringCache(clock=clock), iter(range(9))

    first = [cache.remember(KEY, lambda: next(made)) for _ in range(3)]
    clock.now += 299.9
    still = cache.remember(KEY, lambda: next(made))
    clock.now += 0.2
    later = cache.remember(KEY, lambda: next(made))

    assert (first, still, later) == ([0, 0, 0], 0, 1)
    assert SECONDS == 300


@pytest.mark.parametrize(
    "change",
    [
        {"tenant_id": UUID(int=2)},
        {"model": "memory:other@384"},
        {"purpose": "passage"},
        {"text": "When is the rent due"},
    ],
)
def test_another_tenant_model_purpose_or_text_is_another_entry(change: dict[str, Any]) -> None:
    """RELIABILITY 5.9: never another tenant's."""
    cache = ExpiringCache()
    cache.remember(KEY, lambda: "mine")

    assert cache.remember(replace(KEY, **change), lambda: "made") == "made"
    assert cache.remember(KEY, lambda: "again") == "mine"


def test_it_never_holds_more_than_its_bound_and_keeps_what_is_used() -> None:
    cache = ExpiringCache(entries=10)
    for number in range(100):
        cache.remember(replace(KEY, text=str(number)), lambda number=number: number)
        cache.remember(KEY, lambda: "used each time")

    assert len(cache) == 10
    assert cache.remember(KEY, lambda: "made again") == "used each time"
    assert cache.remember(replace(KEY, text="0"), lambda: "made again") == "made again"
    assert ENTRIES == 512


def test_an_error_is_raised_and_not_kept() -> None:
    cache = ExpiringCache()

    def down() -> str:
        raise ProviderUnavailable("down")

    with pytest.raises(ProviderUnavailable):
        cache.remember(KEY, down)
    assert len(cache) == 0
    assert cache.remember(KEY, lambda: "made") == "made"


def test_threads_share_it() -> None:
    cache = ExpiringCache(entries=5)

    def use(number: int) -> int:
        return cache.remember(replace(KEY, text=str(number % 9)), lambda: number % 9)

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(use, range(2000))) == [number % 9 for number in range(2000)]
    assert len(cache) == 5


def test_a_question_with_lone_surrogates_is_remembered_like_any_other() -> None:
    cache, key = ExpiringCache(), replace(KEY, text="\ud800")

    assert [cache.remember(key, lambda made=made: made) for made in (1, 2)] == [1, 1]
