"""A whole stage goes back to a backup of its database: what was deleted since stays so."""

from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from local.stage import Stage
from local.stage_database import DATABASE
from tests import forked
from tests.e2e.tenant import Tenant
from tests.patience import eventually
from tests.plugins.stage import FAST_MODELS, RETRY_SCALE

KEPT = "kept"
PUMP = b"The pump delivers 12 litres a minute."
QUESTION = "How many litres does the pump deliver?"


@pytest.fixture
def stage(tmp_path: Path, model_directory: Path) -> Iterator[Stage]:
    """One of its own: its database is replaced."""
    with Stage(
        tmp_path,
        model_directory=model_directory,
        settings=FAST_MODELS,
        retry_scale=RETRY_SCALE,
        environment=forked.start,
    ) as running:
        yield running


def replace_database(stage: Stage, name: str, *, by: str) -> None:
    """Make a database from another, as a backup and a restore do; all connections end."""
    with psycopg.connect(stage.postgres.admin_url, autocommit=True) as connection:
        connection.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = ANY(%s)",
            [[name, by]],
        )
        connection.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)".encode())
        connection.execute(f"CREATE DATABASE {name} TEMPLATE {by}".encode())


def test_a_document_that_was_deleted_after_the_backup_stays_deleted(stage: Stage) -> None:
    """S0-26 T-12: found again until the full pass, then purged again under the same receipt."""
    with Tenant.new(stage) as tenant:
        deleted, kept = (
            tenant.ingest(text, filename=name)["document_id"]
            for text, name in ((PUMP, "pump.txt"), (b"The valve closes at 4 bar.", "valve.txt"))
        )
        assert eventually(lambda: stage.is_at_rest)
        replace_database(stage, KEPT, by=DATABASE)
        receipt_id = tenant.send("DELETE", f"/documents/{deleted}").json()["receipt_id"]
        assert eventually(lambda: tenant.get(f"/deletions/{receipt_id}")["completed_at"])
        assert eventually(lambda: stage.is_at_rest)

        replace_database(stage, DATABASE, by=KEPT)
        came_back = tenant.status(deleted)["outcome"]
        report = stage.sweep(full=True)

        assert came_back == "PUBLISHED", "the backup knows nothing of the deletion"
        assert report["counts"]["deleted_again"] == 1
        assert tenant.send("GET", f"/documents/{deleted}").status_code == 404
        assert eventually(lambda: tenant.get(f"/deletions/{receipt_id}")["completed_at"])
        assert tenant.get(f"/deletions/{receipt_id}")["verification"]["left"] == 0
        assert "12 litres" not in str(tenant.post("/search", {"query": QUESTION}))
        assert tenant.status(kept)["outcome"] == "PUBLISHED"
        assert stage.sweep(full=True)["counts"]["deleted_again"] == 0
