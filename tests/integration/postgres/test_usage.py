"""What a tenant used and keeps, by each key, and nothing of anybody else's."""

from collections.abc import Callable
from datetime import date, timedelta
from uuid import uuid4

import pytest

from benchmarks.library import Library, Paper, Passage, Shelf
from pulsedocs.adapters.postgres.connection import Database
from pulsedocs.adapters.postgres.documents.usage import PostgresUsageLedger
from pulsedocs.model.spending import MOST_KEYS, Spent, Stored, UsageKey, UsageQuery, UsageReport

MODEL = "memory:small@3"
EAST = (1.0, 0.0, 0.0)
DAY = date(2026, 1, 1)


@pytest.fixture
def shelf(library: Library) -> Shelf:
    return library.shelf(MODEL)


@pytest.fixture
def ledger(database_as: Callable[[str], Database]) -> PostgresUsageLedger:
    return PostgresUsageLedger(database_as("api"))


def spend(library: Library, shelf: Shelf, **row: object) -> None:
    values = {
        "state": "SETTLED",
        "method": "ask",
        "model": "m",
        "user_id": None,
        "source": None,
        "tokens": 10,
        "cost": 0.5,
        "at": "2026-01-01T23:59:59Z",
        **row,
    }
    library.connection.execute(
        "INSERT INTO usage (tenant_id, state, method, model, user_id, source, input_tokens,"
        " output_tokens, cost_usd, settled_at) VALUES (%(tenant)s, %(state)s, %(method)s,"
        " %(model)s, %(user_id)s, %(source)s, %(tokens)s, 1, %(cost)s, %(at)s)",
        {**values, "tenant": shelf.tenant_id},
    )
    library.connection.commit()


def report(
    ledger: PostgresUsageLedger, shelf: Shelf, by: UsageKey, **days: date | None
) -> UsageReport:
    return ledger.report(shelf.tenant_id, UsageQuery(by, **days))


def test_tokens_are_added_up_by_user(
    ledger: PostgresUsageLedger, library: Library, shelf: Shelf
) -> None:
    """S3-25: tokens per user; a reservation that was never settled is none of it."""
    for user, tokens in (("ann", 10), ("ann", 20), ("bob", 5), (None, 1)):
        spend(library, shelf, user_id=user, tokens=tokens)
    spend(library, shelf, user_id="ann", state="RESERVED", at=None)

    found = report(ledger, shelf, UsageKey.USER_ID).spent

    assert found == (
        Spent("ann", 2, 30, 2, 1.0, 0),
        Spent("bob", 1, 5, 1, 0.5, 0),
        Spent(None, 1, 1, 1, 0.5, 0),
    )


@pytest.mark.parametrize(
    ("by", "keys"),
    [
        (UsageKey.METHOD, {"ask", "embed"}),
        (UsageKey.MODEL, {"m", "e"}),
        (UsageKey.SOURCE, {None, "a.pdf"}),
        (UsageKey.DAY, {"2026-01-01", "2026-01-02"}),
    ],
)
def test_each_key_divides_the_same_whole(
    ledger: PostgresUsageLedger,
    library: Library,
    shelf: Shelf,
    by: UsageKey,
    keys: set[str | None],
) -> None:
    """S3-25."""
    spend(library, shelf)
    spend(library, shelf, method="embed", model="e", source="a.pdf", at="2026-01-02T00:00:00Z")

    found = report(ledger, shelf, by).spent

    assert {item.key for item in found} == keys
    assert sum(item.input_tokens for item in found) == 20


def test_keys_behind_the_thousandth_are_added_up_in_the_last_entry(
    ledger: PostgresUsageLedger, library: Library, shelf: Shelf
) -> None:
    spend(library, shelf, method="most", tokens=100)
    library.connection.execute(
        "INSERT INTO usage (tenant_id, state, method, model, input_tokens, output_tokens, cost_usd,"
        " settled_at) SELECT %s, 'SETTLED', 'm' || n, 'm', 3, 1, 0.5, now()"
        " FROM generate_series(0, %s) AS n",
        [shelf.tenant_id, MOST_KEYS],
    )
    library.add(shelf, Paper([Passage("a b c")] * (MOST_KEYS + 2)))
    library.connection.execute("UPDATE document_chunk SET method = 'm' || chunk_index")
    library.connection.commit()

    found = report(ledger, shelf, UsageKey.METHOD)

    assert found.spent[0] == Spent("most", 1, 100, 1, 0.5, 0)
    assert found.spent[-1] == Spent(None, 2, 6, 2, 1.0, 0, keys=2)
    assert sum(item.calls for item in found.spent) == MOST_KEYS + 2
    assert found.stored[-1] == Stored(None, 2, 2, 2, 6, 3.0, 3, 3, 5.0, keys=2)
    assert sum(item.chunks for item in found.stored) == MOST_KEYS + 2


def test_days_are_utc_and_both_are_included(
    ledger: PostgresUsageLedger, library: Library, shelf: Shelf
) -> None:
    spend(library, shelf)

    def calls(**days: date | None) -> int:
        return sum(item.calls for item in report(ledger, shelf, UsageKey.DAY, **days).spent)

    assert calls(first=DAY, last=DAY) == 1
    assert calls(first=DAY + timedelta(days=1)) == 0
    assert calls(last=DAY - timedelta(days=1)) == 0


def test_sizes_of_chunks_are_told_by_method_and_sources_by_their_share(
    ledger: PostgresUsageLedger, library: Library, shelf: Shelf
) -> None:
    """S3-25: chunk sizes by method, source distribution; drafts count nowhere."""
    library.add(shelf, Paper([Passage("a b c", EAST), Passage("a", page=2)], source="a.pdf"))
    library.add(shelf, Paper([Passage("a b")], source="b.pdf"))
    library.add(shelf, Paper([Passage("draft")], source="c.pdf", is_published=False))

    [by_method] = report(ledger, shelf, UsageKey.METHOD).stored
    by_source = report(ledger, shelf, UsageKey.SOURCE).stored
    by_model = report(ledger, shelf, UsageKey.MODEL).stored

    assert by_method == Stored("recursive", 2, 3, 3, 6, 2.0, 1, 3, 3.0)
    assert [(item.key, item.chunks, item.pages) for item in by_source] == [
        ("a.pdf", 2, 2),
        ("b.pdf", 1, 1),
    ]
    assert {item.key: item.chunks for item in by_model} == {MODEL: 1, None: 2}


def test_another_tenants_use_is_not_seen(
    ledger: PostgresUsageLedger, library: Library, shelf: Shelf
) -> None:
    spend(library, shelf)
    library.add(shelf, Paper([Passage("a", EAST)]))

    assert ledger.report(uuid4(), UsageQuery(UsageKey.DAY)) == UsageReport((), ())
