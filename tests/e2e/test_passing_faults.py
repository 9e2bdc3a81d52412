"""What passes by itself costs a document a retry: one bad answer, one statement that was ended."""

import threading
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import psycopg
import pytest

from local.stage import Stage
from pulsedocs.scopes import ADMIN
from tests.contract.fake_openai_server import (
    Behaviour,
    Exchange,
    FakeOpenAIServer,
    answer,
    changed,
    cut_json,
    saying,
)
from tests.e2e.tenant import Tenant
from tests.e2e.test_sweep import age, published_after
from tests.patience import PATIENCE
from tests.plugins.stage import stage_that_buys_from

TEXT: Final = b"The sluice of lock nine opens at low water. Its keeper has the only key."
OTHER: Final = b"Barges over thirty metres wait in the upper basin until the evening bell."
FOR_EVER: Final = 60  # answers; the machine asks seven times


@pytest.fixture(scope="module")
def provider() -> Iterator[FakeOpenAIServer]:
    with FakeOpenAIServer() as server:
        yield server


@pytest.fixture(scope="module")
def stage(
    tmp_path_factory: pytest.TempPathFactory, model_directory: Path, provider: FakeOpenAIServer
) -> Iterator[Stage]:
    """Start a stage that buys its vectors."""
    settings = {
        "EMBEDDING_MODEL": "openai:text-embedding-3-small@384",
        "RERANKER_MODEL": "memory:overlap",
    }
    folder = tmp_path_factory.mktemp("stage")
    with stage_that_buys_from(provider, folder, models=model_directory, **settings) as running:
        yield running


def shortened(reply: dict[str, Any]) -> None:
    for item in reply["data"]:
        item["embedding"] = [0.6, 0.8]


def lessened(reply: dict[str, Any]) -> None:
    reply["data"].pop()


@pytest.mark.parametrize(
    "fault",
    [
        pytest.param(changed(shortened), id="vectors too short"),
        pytest.param(changed(lessened), id="a vector missing"),
        pytest.param(cut_json, id="JSON cut off"),
        pytest.param(saying(b"<html>busy</html>", content_type="text/html"), id="a page"),
    ],
)
def test_one_malformed_answer_of_a_provider_costs_a_retry(
    provider: FakeOpenAIServer, tenant: Tenant, fault: Behaviour
) -> None:
    """T-34, K11. Failed when ProviderMalformed was a permanent error, which no machine retries."""
    provider.script(fault)

    ended = tenant.ingest(TEXT, filename="locks.txt")

    assert (ended["outcome"], ended["error"]) == ("PUBLISHED", None)
    assert [found["source"] for found in tenant.post("/search", {"query": "sluice"})["chunks"]] == [
        "locks.txt"
    ]


def test_a_provider_that_stays_malformed_ends_a_document_until_the_sweep_asks_again(
    stage: Stage, provider: FakeOpenAIServer, new_tenant: Callable[..., Tenant]
) -> None:
    """T-34, K11. Failed when the end of a run forgot its marker and asked nobody for another."""
    tenant, neighbour = new_tenant(), new_tenant()
    provider.script(*[changed(shortened)] * FOR_EVER)
    ended = tenant.ingest(TEXT)
    provider.forget_script()
    assert (ended["outcome"], ended["error"]["code"]) == ("FAILED", "PROVIDER_MALFORMED")
    assert neighbour.ingest(OTHER)["outcome"] == "PUBLISHED"
    age(stage, tenant)

    report = stage.sweep()

    assert report["counts"]["requeued"] == 1
    published_after(tenant, ended["document_id"])


def test_one_statement_that_the_database_ends_costs_a_retry(stage: Stage, tenant: Tenant) -> None:
    """T-34, K06. Failed when 57014 was TimedOut, which no machine retries."""
    with one_statement_ended(stage) as ended_statements:
        status = tenant.ingest(OTHER)

    assert ended_statements
    assert (status["outcome"], status["error"]) == ("PUBLISHED", None)


@pytest.mark.parametrize("end", ["delete", "cancel"])
def test_what_was_paid_for_a_document_that_is_gone_is_booked(
    provider: FakeOpenAIServer, new_tenant: Callable[..., Tenant], end: str
) -> None:
    """S3-25. Failed when a run that was ended booked nothing and held its tokens for hours."""
    tenant, neighbour = new_tenant(), new_tenant()
    asked, may_answer = threading.Event(), threading.Event()

    def waiting(exchange: Exchange) -> None:
        asked.set()
        may_answer.wait(PATIENCE)
        answer(exchange)

    provider.script(waiting)
    document_id = tenant.upload(TEXT, metadata={"user_id": "ada"})
    assert asked.wait(PATIENCE)
    assert tenant.get("/usage")["budget"]["tokens"]["reserved"] > 0

    method, path = ("DELETE", "") if end == "delete" else ("POST", "/cancel")
    assert tenant.send(method, f"/documents/{document_id}{path}").is_success
    assert tenant.get("/usage")["budget"]["tokens"]["reserved"] == 0
    may_answer.set()

    [spent] = spent_by_user(tenant)
    assert (spent["key"], spent["calls"]) == ("ada", 1)
    assert spent["input_tokens"] > 0
    tokens = tenant.get("/usage")["budget"]["tokens"]
    assert (tokens["used"], tokens["reserved"]) == (spent["input_tokens"], 0)
    assert neighbour.get("/usage", by="user_id")["spent"] == []


def test_what_a_document_cost_is_its_users(new_tenant: Callable[..., Tenant]) -> None:
    """S3-25. Failed when ingestion booked to nobody."""
    tenant = new_tenant()
    for user, text in (("ada", TEXT), ("bob", OTHER), ("ada", TEXT + OTHER)):
        ended = tenant.ingest(text, filename=f"{len(text)}.txt", metadata={"user_id": user})
        assert ended["outcome"] == "PUBLISHED"

    spent = {row["key"]: row for row in tenant.get("/usage", by="user_id")["spent"]}

    assert {user: row["calls"] for user, row in spent.items()} == {"ada": 2, "bob": 1}
    assert spent["ada"]["input_tokens"] > spent["bob"]["input_tokens"] > 0


def test_each_phase_is_charged_with_its_own_time(
    stage: Stage, provider: FakeOpenAIServer, tenant: Tenant
) -> None:
    """S3-05. Failed when the upload was the client's, and embedding the storing, as it was."""

    def late(exchange: Exchange) -> None:
        time.sleep(1.0)
        answer(exchange)

    provider.script(late)
    slowly_embedded = tenant.ingest(TEXT, filename="a.txt")["stats"]
    with vectors_held(stage, seconds=1.0):
        slowly_stored = tenant.ingest(OTHER, filename="b.txt")["stats"]

    assert slowly_embedded["embedding_time_ms"] >= 1000
    assert slowly_stored["upload_time_ms"] >= 1000


@contextmanager
def vectors_held(stage: Stage, *, seconds: float) -> Generator[None]:
    """Let the first writer of vectors wait for so long."""
    is_held = threading.Event()

    def hold() -> None:
        waits = (
            "SELECT 1 FROM pg_locks JOIN pg_stat_activity USING (pid)"
            " WHERE NOT granted AND usename = 'pulsedocs_ingest'"
        )
        with (
            psycopg.connect(stage.database_url) as holder,
            psycopg.connect(stage.database_url, autocommit=True) as watcher,
        ):
            holder.execute("LOCK TABLE pulsedocs.chunk_embedding IN SHARE ROW EXCLUSIVE MODE")
            is_held.set()
            wait_until(lambda: watcher.execute(waits).fetchone() is not None)
            time.sleep(seconds)

    thread = threading.Thread(target=hold)
    thread.start()
    assert is_held.wait(PATIENCE)
    try:
        yield
    finally:
        thread.join()


def test_questions_never_overspend_a_day(
    stage: Stage, provider: FakeOpenAIServer, new_tenant: Callable[..., Tenant]
) -> None:
    """Failed when the vectors of questions were outside the budget, as they were."""
    tenant, neighbour = new_tenant(), new_tenant()
    for each in (tenant, neighbour):
        assert each.ingest(TEXT)["outcome"] == "PUBLISHED"
    limit = int(tokens_of(tenant)["used"]) + 40
    token = stage.token(tenant.tenant_id, scopes=(ADMIN,))
    with Tenant(stage.url, token, tenant_id=tenant.tenant_id) as operator:
        assert operator.send("PUT", "/budget", {"tokens": limit}).is_success

    answers = [tenant.send("POST", "/search", {"query": f"sluice {n}?"}) for n in range(12)]

    texts = [text for seen in provider.requests for text in seen.body["input"]]
    found = [answer.status_code for answer in answers]
    assert found == sorted(found)
    assert set(found) == {200, 429}
    assert [f"sluice {n}?" in texts for n in range(12)] == [status == 200 for status in found]
    assert neighbour.post("/search", {"query": "sluice 11?"})["chunks"]
    wait_until(lambda: tokens_of(tenant)["reserved"] == 0)
    assert limit - 40 < tokens_of(tenant)["used"] <= limit


def tokens_of(tenant: Tenant) -> dict[str, Any]:
    return tenant.get("/usage")["budget"]["tokens"]


def wait_until(is_so: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.1)


def spent_by_user(tenant: Tenant) -> list[dict[str, Any]]:
    deadline = time.monotonic() + PATIENCE
    while not (spent := tenant.get("/usage", by="user_id")["spent"]):
        assert time.monotonic() < deadline
        time.sleep(0.1)
    return spent


@contextmanager
def one_statement_ended(stage: Stage) -> Generator[list[int]]:
    """Hold the table of vectors until a writer waits for it; end that statement as a limit does."""
    ended: list[int] = []
    is_held = threading.Event()
    thread = threading.Thread(target=_end_one, args=(stage, is_held, ended))
    thread.start()
    assert is_held.wait(PATIENCE)
    try:
        yield ended
    finally:
        thread.join()


def _end_one(stage: Stage, is_held: threading.Event, ended: list[int]) -> None:
    waiting = (
        "SELECT pg_cancel_backend(pid) FROM pg_locks JOIN pg_stat_activity USING (pid)"
        " WHERE NOT granted AND usename = 'pulsedocs_ingest' LIMIT 1"
    )
    deadline = time.monotonic() + PATIENCE
    with (
        psycopg.connect(stage.database_url) as holder,
        psycopg.connect(stage.database_url, autocommit=True) as watcher,
    ):
        holder.execute("LOCK TABLE pulsedocs.chunk_embedding IN SHARE ROW EXCLUSIVE MODE")
        is_held.set()
        while not ended and time.monotonic() < deadline:
            ended += [1 for _ in watcher.execute(waiting)]
            time.sleep(0.05)
