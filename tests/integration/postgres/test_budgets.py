"""A tenant's day is never overspent, whoever spends at once, and whatever breaks on the way."""

from collections.abc import Callable, Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from threading import Barrier
from typing import Any
from uuid import UUID, uuid4

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from psycopg import Connection

from pulsedocs import faults
from pulsedocs.adapters.postgres.budgets import (
    QUESTION_MINUTES,
    Holder,
    PostgresBudgetStore,
    budget_of,
    reserve,
    settle,
)
from pulsedocs.adapters.postgres.connection import Database
from pulsedocs.adapters.postgres.ingestion.ingestion import PostgresIngestionStore
from pulsedocs.adapters.postgres.questions.retrieval import PostgresRetrievalStore
from pulsedocs.adapters.postgres.upkeep.sweeps import PostgresSweepStore
from pulsedocs.errors import BudgetExceeded
from pulsedocs.model.budgets import NO_LIMITS, Amounts, Budget, Limits, Share, bought, holder_of
from pulsedocs.model.documents import ErrorReport
from pulsedocs.model.lookups import PrepareQuery
from pulsedocs.model.retrieval import Scope, Usage
from pulsedocs.pipeline import Outcome
from tests.integration.postgres.author import MODEL, Author

OPENAI = "openai:text-embedding-3-small@1536"
THREADS = 8


class Crash(Exception):
    """Stands for a process that was killed."""


Open = Callable[[str], Database]


@pytest.fixture
def database(database_as: Open) -> Database:
    return database_as("ingest")


@contextmanager
def crash_at(point: str) -> Generator[None]:
    def injector(reached: str) -> None:
        if reached == point:
            raise Crash

    faults.install(injector)
    try:
        with pytest.raises(Crash):
            yield
    finally:
        faults.install(None)


def take(database: Database, holder: Holder, amounts: Amounts, limits: Limits = NO_LIMITS) -> None:
    database.run(
        holder.tenant_id,
        lambda tx: reserve(tx, holder, amounts, limits=limits, minutes=QUESTION_MINUTES),
    )


def pay(database: Database, holder: Holder, spent: Amounts, *, is_last: bool = True) -> None:
    database.run(holder.tenant_id, lambda tx: settle(tx, holder, spent, is_last=is_last))


def today(database: Database, tenant: UUID, limits: Limits = NO_LIMITS) -> Budget:
    return database.run(tenant, lambda tx: budget_of(tx, tenant, limits=limits), read_only=True)


def anybody(tenant: UUID | None = None) -> Holder:
    return Holder(tenant or uuid4(), uuid4())


asked = st.lists(
    st.tuples(st.integers(0, 60), st.integers(0, 60), st.integers(0, 100)), min_size=8, max_size=40
)


@given(wanted=asked, tokens=st.integers(0, 400), dollars=st.integers(0, 400))
@settings(
    max_examples=12,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
def test_many_at_once_never_reserve_more_than_the_day_has(
    wanted: list[tuple[int, int, int]], tokens: int, dollars: int, database_as: Open
) -> None:
    """The sum of what was settled is what is used, and nothing is left reserved."""
    tenant, limits = uuid4(), Limits(tokens=tokens, microdollars=dollars)
    connections = [database_as("query") for _ in range(THREADS)]
    start = Barrier(THREADS)

    def spend(lane: int) -> tuple[list[Amounts], bool]:
        spent: list[Amounts] = []
        is_within = True
        start.wait()
        for amount, money, share in wanted[lane::THREADS]:
            holder, database = anybody(tenant), connections[lane]
            try:
                take(database, holder, Amounts(tokens=amount, microdollars=money), limits)
            except BudgetExceeded:
                continue
            now = today(database, tenant, limits)
            is_within &= now.tokens.used + now.tokens.reserved <= tokens
            is_within &= now.microdollars.used + now.microdollars.reserved <= dollars
            used = Amounts(tokens=amount * share // 100, microdollars=money * share // 100)
            pay(database, holder, used)
            spent.append(used)
        return spent, is_within

    with ThreadPoolExecutor(THREADS) as pool:
        lanes = list(pool.map(spend, range(THREADS)))

    end = today(connections[0], tenant, limits)
    for one in connections:
        one.close()  # or those of twelve examples would take all that the server has
    total = sum((used for spent, _ in lanes for used in spent), Amounts())
    assert all(is_within for _, is_within in lanes)
    assert end.tokens == Share(tokens, total.tokens, 0)
    assert end.microdollars == Share(dollars, total.microdollars, 0)


def test_what_fits_exactly_is_held_and_one_more_is_refused_with_its_numbers(
    database: Database,
) -> None:
    tenant, limits = uuid4(), Limits(tokens=100)
    take(database, anybody(tenant), Amounts(tokens=70), limits)
    take(database, anybody(tenant), Amounts(tokens=30), limits)

    with pytest.raises(BudgetExceeded, match="the day's budget is 100 tokens") as refused:
        take(database, anybody(tenant), Amounts(tokens=1), limits)

    end = today(database, tenant, limits)
    assert refused.value.context == {
        "measure": "tokens",
        "limit": 100,
        "used": 0,
        "reserved": 100,
        "asked": 1,
        "resets_at": end.resets_at.isoformat(),
    }
    assert end.tokens == Share(100, 0, 100)


def test_all_measures_are_held_or_none(database: Database) -> None:
    tenant, limits = uuid4(), Limits(tokens=100, microdollars=5)

    with pytest.raises(BudgetExceeded, match="dollars"):
        take(database, anybody(tenant), Amounts(tokens=10, microdollars=6), limits)

    assert today(database, tenant, limits).tokens == Share(100, 0, 0)


def test_more_than_a_whole_day_has_says_that_waiting_does_not_help(database: Database) -> None:
    with pytest.raises(BudgetExceeded, match="more than a whole day has"):
        take(database, anybody(), Amounts(pages=11), Limits(pages=10))


def test_what_costs_nothing_is_never_refused(database: Database) -> None:
    tenant = uuid4()
    take(database, anybody(tenant), Amounts(tokens=50))

    take(database, anybody(tenant), Amounts(), Limits(tokens=10))

    assert today(database, tenant, Limits(tokens=10)).tokens == Share(10, 0, 50)


def test_reserving_again_reserves_the_same(database: Database) -> None:
    """A commit whose answer was lost, a step that is retried: nobody reserves twice."""
    holder, limits = anybody(), Limits(tokens=100)

    for tokens in (60, 60, 90, 40):
        take(database, holder, Amounts(tokens=tokens), limits)
        assert today(database, holder.tenant_id, limits).tokens == Share(100, 0, tokens)


def test_parts_are_settled_out_of_what_is_held_and_the_last_gives_the_rest_back(
    database: Database,
) -> None:
    holder = anybody()
    take(database, holder, Amounts(tokens=100))

    pay(database, holder, Amounts(tokens=30), is_last=False)
    assert today(database, holder.tenant_id).tokens == Share(None, 30, 70)
    pay(database, holder, Amounts(tokens=20))
    assert today(database, holder.tenant_id).tokens == Share(None, 50, 0)


def test_what_was_spent_counts_in_full_even_unreserved(database: Database) -> None:
    """The provider counts it too: a late settlement after its time is over changes no sum."""
    holder, other = anybody(), anybody()
    take(database, holder, Amounts(tokens=10))

    pay(database, holder, Amounts(tokens=15))
    pay(database, other, Amounts(tokens=7))

    assert today(database, holder.tenant_id).tokens == Share(None, 15, 0)
    assert today(database, other.tenant_id).tokens == Share(None, 7, 0)


def test_a_crash_before_the_commit_reserves_nothing(database: Database) -> None:
    holder = anybody()

    with crash_at("budget.reserved"):
        take(database, holder, Amounts(tokens=10))

    assert today(database, holder.tenant_id).tokens == Share(None, 0, 0)


def test_a_crash_while_settling_leaves_what_is_held(database: Database) -> None:
    holder = anybody()
    take(database, holder, Amounts(tokens=10))

    with crash_at("budget.settled"):
        pay(database, holder, Amounts(tokens=4))

    assert today(database, holder.tenant_id).tokens == Share(None, 0, 10)


def test_what_a_crash_left_counts_until_its_time_is_over(
    database: Database, admin: Connection[Any]
) -> None:
    tenant, limits = uuid4(), Limits(tokens=10)
    take(database, anybody(tenant), Amounts(tokens=10), limits)
    with pytest.raises(BudgetExceeded):
        take(database, anybody(tenant), Amounts(tokens=1), limits)

    admin.execute("UPDATE pulsedocs.budget_reservation SET expires_at = now() - interval '1 s'")
    assert today(database, tenant, limits).tokens == Share(10, 0, 0)
    take(database, anybody(tenant), Amounts(tokens=10), limits)

    assert today(database, tenant, limits).tokens == Share(10, 0, 10)


def test_a_new_day_begins_empty_and_what_is_held_moves_to_it(
    database: Database, admin: Connection[Any]
) -> None:
    holder, limits = anybody(), Limits(tokens=10)
    take(database, holder, Amounts(tokens=10), limits)
    for table in ("budget_day", "budget_reservation"):
        admin.execute(f"UPDATE pulsedocs.{table} SET day = day - 1")  # noqa: S608 -- a constant

    assert today(database, holder.tenant_id, limits).tokens == Share(10, 0, 0)
    take(database, holder, Amounts(tokens=8), limits)

    assert today(database, holder.tenant_id, limits).tokens == Share(10, 0, 8)
    left = admin.execute("SELECT tokens_reserved FROM pulsedocs.budget_day ORDER BY day").fetchall()
    assert left == [(0,), (8,)]


def test_limits_of_a_tenants_own_stand_in_the_place_of_the_stages(
    database: Database, database_as: Open
) -> None:
    of_stage = Limits(pages=1, tokens=10)
    store, tenant = PostgresBudgetStore(database_as("api"), limits=of_stage), uuid4()

    chosen = store.choose(tenant, Limits(tokens=50), actor="operator")
    take(database, anybody(tenant), Amounts(pages=5, tokens=50), of_stage)
    with pytest.raises(BudgetExceeded):
        take(database, anybody(tenant), Amounts(tokens=1), of_stage)

    assert (chosen.is_own, chosen.tokens.limit, chosen.pages.limit) == (True, 50, None)
    assert not store.choose(tenant, None, actor="operator").is_own
    assert store.budget(uuid4()).tokens == Share(10, 0, 0)


@pytest.fixture
def limited(database_as: Open, author: Author) -> Callable[..., Author]:
    def of(**limits: int) -> Author:
        store = PostgresIngestionStore(database_as("ingest"), limits=Limits(**limits))
        return Author(store, author.catalogue, author.tenant)

    return of


def test_a_documents_pages_are_counted_once_and_a_repetition_costs_nothing(
    limited: Callable[..., Author], database: Database
) -> None:
    author = limited(pages=2)

    author.ingest("a.txt")
    author.ingest("a.txt")

    assert today(database, author.tenant).pages == Share(None, 2, 0)


def test_pages_beyond_the_day_are_not_stored_and_fit_the_next_day(
    limited: Callable[..., Author], database: Database, admin: Connection[Any]
) -> None:
    author = limited(pages=3)
    author.ingest("a.txt")
    run = author.started("b.txt")

    with pytest.raises(BudgetExceeded, match="pages"):
        author.put_pages(run, ("Other words.", "And more of them."))
    assert author.store.raw_pages(run) == []
    admin.execute("UPDATE pulsedocs.budget_day SET day = day - 1")

    assert author.finish(run, ("Other words.", "And more of them.")) == Outcome.PUBLISHED
    assert today(database, author.tenant).pages == Share(None, 2, 0)


def test_a_version_gives_back_what_it_did_not_spend_when_it_ends(
    limited: Callable[..., Author], database: Database
) -> None:
    author = limited(tokens=1000)
    published, failed = author.started("a.txt"), author.started("b.txt")
    for run in (published, failed):
        author.store.reserve(run, MODEL, bought(MODEL, input_tokens=100))
        author.store.reserve(run, MODEL, bought(MODEL, input_tokens=100))  # a retry
    assert today(database, author.tenant).tokens == Share(None, 0, 200)

    author.finish(published)
    author.store.fail(failed, Outcome.PARKED, ErrorReport(BudgetExceeded.code, "", {}, ""))

    used = today(database, author.tenant).tokens
    assert (used.used > 0, used.reserved) == (True, 0)


def test_a_document_that_waits_for_the_budget_goes_on_the_next_day_or_when_it_is_raised(
    limited: Callable[..., Author], database_as: Open
) -> None:
    author, sweep = limited(), PostgresSweepStore(database_as("sweep"))
    run = author.started("a.txt")
    author.store.fail(run, Outcome.PARKED, ErrorReport(BudgetExceeded.code, "", {}, ""))

    assert not sweep.resume(author.tenant, run.document_id, probed=set())
    PostgresBudgetStore(database_as("api")).choose(author.tenant, NO_LIMITS, actor="operator")
    assert sweep.resume(author.tenant, run.document_id, probed=set())


def test_a_questions_cost_is_held_and_settled_once(
    database_as: Open, author: Author, database: Database
) -> None:
    author.ingest()
    used = today(database, author.tenant).tokens.used
    store = PostgresRetrievalStore(database_as("query"), limits=Limits(tokens=1000 + used))
    prepared = store.prepare(PrepareQuery(scope=Scope(author.tenant), method="ask"))
    assert (prepared.is_limited, prepared.reservation_id is not None) == (True, True)
    assert prepared.reservation_id is not None

    store.reserve(author.tenant, prepared.reservation_id, Amounts(tokens=900))
    with pytest.raises(BudgetExceeded):
        store.reserve(author.tenant, uuid4(), Amounts(tokens=101))
    usage = Usage("ask", "m", 300, 20, None, "t")
    for _ in range(2):
        store.settle(author.tenant, prepared.reservation_id, usage)

    assert today(database, author.tenant).tokens == Share(None, used + 320, 0)


def test_without_a_limit_nothing_has_to_be_held(database_as: Open, author: Author) -> None:
    author.ingest()
    store = PostgresRetrievalStore(database_as("query"), limits=Limits(pages=1))

    assert not store.prepare(PrepareQuery(scope=Scope(author.tenant), method="ask")).is_limited


def test_tenants_do_not_share_a_day(database: Database) -> None:
    limits, holders = Limits(tokens=10), (anybody(), anybody())

    for holder in holders:
        take(database, holder, Amounts(tokens=10), limits)

    for holder in holders:
        assert today(database, holder.tenant_id, limits).tokens == Share(10, 0, 10)


def test_dollars_follow_the_price_list_and_are_rounded_up() -> None:
    assert bought(OPENAI, input_tokens=1_000_001) == Amounts(0, 1_000_001, 20_001)
    assert bought("local:bge-small-en-v1.5@384", input_tokens=9) == Amounts(0, 9, 0)
    assert bought("plugin:unknown@8", input_tokens=9) == Amounts(0, 9, 0)


def test_every_run_of_a_version_is_the_same_holder(author: Author) -> None:
    run = author.started()

    assert holder_of(run) == holder_of(type(run)(run.tenant_id, run.document_id, run.version, 99))
