"""A model that is tried waits for the budget; a backfill does what the day has room for."""

from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

import pytest

from pulsedocs.adapters.memory.object_store import InMemoryObjectStore
from pulsedocs.embedding_models.backfill_model import next_batches, shadow_batches
from pulsedocs.errors import BudgetExceeded
from pulsedocs.model.budgets import Amounts
from pulsedocs.model.documents import Run
from pulsedocs.model.embeddings import BatchItem
from pulsedocs.model.models import BackfillReference, LackingPage, LackingVersion

MODEL = "memory:tried@8"
TENANT = UUID(int=1)
BACKFILL = BackfillReference(TENANT, UUID(int=2), holder="execution-1")


def run(number: int) -> Run:
    return Run(TENANT, UUID(int=number), 1, 0)


def items(number: int) -> tuple[BatchItem, ...]:
    return (BatchItem(UUID(int=number), bytes(32), "The gauge is read at noon."),)


@dataclass
class Store:
    """As much of a backfill store as handing out batches asks for; it has room for `room` runs."""

    room: int
    reserved: list[tuple[Run, str, Amounts]] = field(default_factory=list[tuple[Run, str, Amounts]])

    def other_models(self, _run: Run) -> list[str]:
        return [MODEL]

    def lacking(self, lacking: Run, _model: str) -> tuple[BatchItem, ...]:
        return items(lacking.document_id.int)

    def next_page(self, *_: object, **__: object) -> LackingPage:
        versions = tuple(LackingVersion(run(number), items(number)) for number in (11, 12, 13))
        return LackingPage(MODEL, versions, "")

    def reuse(self, _model: str, lacking: LackingVersion) -> tuple[BatchItem, ...]:
        return lacking.items

    def reserve(self, holder: Run, model: str, amounts: Amounts) -> None:
        if len(self.reserved) == self.room:
            raise BudgetExceeded("the day is spent")
        self.reserved.append((holder, model, amounts))


def batches_of(store: Any) -> Any:
    objects = InMemoryObjectStore()
    return next_batches(BACKFILL, after="", pages=0, store=store, objects=objects, batch_size=2)


def test_a_page_ends_where_the_day_does_and_the_next_begins_there() -> None:
    store = Store(room=2)

    page = batches_of(store)

    assert [batch.run for batch in page.batches] == [run(11), run(12)]
    assert (page.next, page.after.split("/")[0]) == ("PAGE", str(UUID(int=13)))
    assert all(amounts.tokens > 0 for _, _, amounts in store.reserved)


def test_a_backfill_that_can_begin_nothing_says_why() -> None:
    with pytest.raises(BudgetExceeded):
        batches_of(Store(room=0))


def test_a_tried_model_is_left_out_before_a_document_waits_for_it() -> None:
    objects = InMemoryObjectStore()
    full: Any = Store(room=0)
    roomy: Any = Store(room=1)

    assert shadow_batches(run(11), store=full, objects=objects, batch_size=2).batches == ()
    assert len(shadow_batches(run(11), store=roomy, objects=objects, batch_size=2).batches) == 1
