"""Batches keep the order, respect both limits and are named by what is in them."""

import hashlib
from itertools import pairwise
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pulsedocs.embedding import batches
from pulsedocs.model.embeddings import BatchItem
from pulsedocs.model.tokens import tokens_about

MODEL = "memory:hashing@384"


def item(number: int, text: str = "some text") -> BatchItem:
    return BatchItem(UUID(int=number), hashlib.sha256(text.encode()).digest(), text)


def hash_of(items: list[BatchItem], model: str = MODEL) -> str:
    [batch] = batches(items, model=model)
    return batch.batch_hash


@pytest.mark.parametrize(
    ("count", "sizes"), [(0, []), (1, [1]), (96, [96]), (97, [96, 1]), (200, [96, 96, 8])]
)
def test_a_batch_holds_96_texts_by_default(count: int, sizes: list[int]) -> None:
    """S2-05: the default batch."""
    found = batches([item(number) for number in range(count)], model=MODEL)

    assert [len(batch.items) for batch in found] == sizes


@given(
    lengths=st.lists(st.integers(0, 50), max_size=40),
    max_items=st.integers(1, 10),
    max_tokens=st.integers(1, 60),
)
def test_no_limit_is_passed_and_no_item_lost_or_moved(
    lengths: list[int], max_items: int, max_tokens: int
) -> None:
    """S2-05: the batch size is configurable."""
    items = [item(number, "x" * length) for number, length in enumerate(lengths)]

    found = batches(
        items, model=MODEL, max_items=max_items, max_tokens=max_tokens, count_tokens=len
    )

    assert [one for batch in found for one in batch.items] == items
    for batch in found:
        assert 1 <= len(batch.items) <= max_items
        assert len(batch.items) == 1 or sum(len(i.text) for i in batch.items) <= max_tokens


@given(st.lists(st.integers(0, 30), max_size=40))
def test_a_batch_is_closed_only_when_the_next_text_would_not_fit(lengths: list[int]) -> None:
    items = [item(number, "x" * length) for number, length in enumerate(lengths)]

    found = batches(items, model=MODEL, max_items=5, max_tokens=40, count_tokens=len)

    for batch, after in pairwise(found):
        tokens = sum(len(one.text) for one in (*batch.items, after.items[0]))
        assert len(batch.items) == 5 or tokens > 40


def test_a_batch_is_named_by_32_hex_digits_the_same_on_every_run() -> None:
    """S0-10: a second run recognises the batch it has paid for."""
    assert hash_of([item(1), item(2)]) == "3f0a55ba0d2332e7728f009162832df1"


def test_model_texts_chunks_and_order_all_change_the_name() -> None:
    names = {
        hash_of([item(1), item(2)]),
        hash_of([item(2), item(1)]),
        hash_of([item(1), item(3)]),
        hash_of([item(1), item(2, "other text")]),
        hash_of([item(1)]),
        hash_of([item(1), item(2)], "memory:hashing@64"),
    }

    assert len(names) == 6


@pytest.mark.parametrize("text", ["", "word", "中文" * 10, "lone \ud83d", "a" * 4000])
def test_the_estimate_is_positive_and_within_the_bytes(text: str) -> None:
    assert 1 <= tokens_about(text) <= len(text.encode("utf-8", "replace")) + 1
