"""A published text keeps its name, title, metadata and date until another one is published."""

import hashlib
from collections.abc import Callable, Mapping
from datetime import date
from typing import Any, Final
from uuid import UUID

import pytest
from psycopg import Connection

from pulsedocs.adapters.postgres.connection import Database
from pulsedocs.adapters.postgres.documents.operations import PostgresDocumentOperations
from pulsedocs.documents.update_documents import describe_document
from pulsedocs.model.changes import Description
from pulsedocs.model.documents import OnDuplicate
from tests.integration.changes.keeper import Keeper, document_of, text_about
from tests.integration.ingestion.pipeline import PUBLISHED, Event
from tests.integration.invariants import violations

PUMP, VALVE = text_about("pump"), text_about("valve")
OLD: Final[dict[str, Any]] = {
    "title": "Lease 2024",
    "metadata": {"year": 2024},
    "content_date": date(2024, 1, 1),
}
NEW: Final[dict[str, Any]] = {
    "title": "Lease 2026",
    "metadata": {"year": 2026},
    "content_date": date(2026, 1, 1),
}
AS_OLD: Final[dict[str, Any]] = {"source": "lease-2024.txt", **OLD}
AS_NEW: Final[dict[str, Any]] = {"source": "lease-2026.txt", **NEW}


def published(keeper: Keeper) -> UUID:
    return keeper.ingest("lease-2024.txt", PUMP, **OLD)


def announce(keeper: Keeper, document_id: UUID, **options: Any) -> Event:
    """Upload the next version under another description; nobody has claimed it yet."""
    return keeper.upload("lease-2026.txt", VALVE, document_id=document_id, **NEW | options)


def described(keeper: Keeper, document_id: UUID) -> Mapping[str, Any]:
    shown = keeper.pipeline.catalogue.status(keeper.tenant, document_id)
    kept = {name: value for name, value in shown.metadata.items() if name != "source_type"}
    return {
        "source": shown.source,
        "title": shown.title,
        "metadata": kept,
        "content_date": shown.content_date,
    }


def describe(keeper: Keeper, document_id: UUID, **fields: Any) -> None:
    description = Description(frozenset(fields), **fields)
    describe_document(
        keeper.tenant, document_id, description, actor="tester", changes=keeper.changes
    )


def test_an_announced_version_describes_nothing_until_it_is_published(keeper: Keeper) -> None:
    document_id = published(keeper)

    event = announce(keeper, document_id)

    assert described(keeper, document_id) == AS_OLD
    assert keeper.sources_found("pump station") == {"lease-2024.txt"}
    assert keeper.pipeline.deliver(event) == PUBLISHED
    assert described(keeper, document_id) == AS_NEW
    assert keeper.sources_found("valve station") == {"lease-2026.txt"}


def test_a_cancelled_version_describes_nothing(
    keeper: Keeper, database_as: Callable[[str], Database]
) -> None:
    document_id = published(keeper)

    announce(keeper, document_id)
    operations = PostgresDocumentOperations(database_as("api"))
    operations.cancel(keeper.tenant, document_id, actor="tester")

    assert described(keeper, document_id) == AS_OLD
    later = keeper.upload("lease-2024.txt", VALVE, document_id=document_id)
    assert keeper.pipeline.deliver(later) == PUBLISHED
    assert described(keeper, document_id) == AS_OLD


def test_rejected_bytes_describe_nothing(keeper: Keeper) -> None:
    document_id = published(keeper)

    event = announce(keeper, document_id, sha256=hashlib.sha256(PUMP + VALVE).digest())

    assert keeper.pipeline.deliver(event) != PUBLISHED
    assert described(keeper, document_id) == AS_OLD


def test_a_held_version_describes_nothing_until_an_update_publishes_it(keeper: Keeper) -> None:
    document_id = published(keeper)

    keeper.pipeline.deliver(announce(keeper, document_id, hold=True))

    assert described(keeper, document_id) == AS_OLD
    patch = {"checked": True}
    keeper.update("append", new_document_ids=(document_id,), metadata_updates=patch)
    assert described(keeper, document_id) == AS_NEW | {"metadata": NEW["metadata"] | patch}


@pytest.mark.parametrize("is_known", [False, True], ids=["claimed", "registered"])
def test_the_same_bytes_describe_what_they_repeat_unless_they_are_held(
    keeper: Keeper, *, is_known: bool
) -> None:
    document_id = published(keeper)
    digest = hashlib.sha256(PUMP).digest() if is_known else None

    def repeat(**options: Any) -> None:
        event = keeper.upload(
            "lease-2026.txt", PUMP, document_id=document_id, sha256=digest, **NEW | options
        )
        assert keeper.pipeline.deliver(event) is None

    repeat(hold=True)
    assert described(keeper, document_id) == AS_OLD
    repeat()
    assert described(keeper, document_id) == AS_NEW


def test_a_version_that_is_read_keeps_its_description_from_the_next_one(keeper: Keeper) -> None:
    """Nothing is published yet: the first version is read under the name that it came with."""
    first = keeper.upload("lease-2024.txt", PUMP, **OLD)
    document_id = document_of(first)

    second = announce(keeper, document_id)

    assert keeper.pipeline.deliver(first) == PUBLISHED
    assert described(keeper, document_id) == AS_OLD
    assert keeper.pipeline.deliver(second) == PUBLISHED
    assert described(keeper, document_id) == AS_NEW


def test_what_a_version_leaves_out_stays(keeper: Keeper) -> None:
    document_id = published(keeper)

    event = keeper.upload(
        "lease-2024.txt", VALVE, metadata={"place": "Bern"}, on_duplicate=OnDuplicate.REPLACE
    )

    assert keeper.pipeline.deliver(event) == PUBLISHED
    assert described(keeper, document_id) == AS_OLD | {"metadata": {"year": 2024, "place": "Bern"}}


def test_a_change_after_the_announcement_outlives_the_publication(keeper: Keeper) -> None:
    document_id = published(keeper)
    event = announce(keeper, document_id, metadata={"year": 2026, "draft": True})

    describe(keeper, document_id, title="Lease", metadata={"draft": None}, content_date=None)
    keeper.update("metadata", document_ids=(document_id,), metadata_updates={"year": 2027})

    now = {"title": "Lease", "metadata": {"year": 2027}, "content_date": None}
    assert described(keeper, document_id) == AS_OLD | now
    assert keeper.pipeline.deliver(event) == PUBLISHED
    assert described(keeper, document_id) == AS_NEW | now


def test_a_name_that_another_document_took_meanwhile_stays_its_own(
    keeper: Keeper, admin: Connection[Any]
) -> None:
    document_id = published(keeper)
    event = announce(keeper, document_id)
    keeper.ingest("lease-2026.txt", text_about("gauge"))

    assert keeper.pipeline.deliver(event) == PUBLISHED

    assert described(keeper, document_id) == AS_NEW | {"source": "lease-2024.txt"}
    [warning] = keeper.pipeline.catalogue.status(keeper.tenant, document_id).warnings
    assert "'lease-2026.txt'" in warning
    assert violations(admin, keeper.tenant) == []


def test_a_version_is_embedded_with_the_title_that_it_brings(
    keeper: Keeper, admin: Connection[Any]
) -> None:
    """With the published one's, the vectors of each retitled version would be stale at once."""
    document_id = published(keeper)
    chunking = {"profile": "classic", "context": "title_section"}

    assert keeper.pipeline.deliver(announce(keeper, document_id, chunking=chunking)) == PUBLISHED

    found = admin.execute(
        "SELECT embedded_title, array_agg(DISTINCT context_before)"
        " FROM document_version JOIN document_chunk USING (tenant_id, document_id, version)"
        " WHERE document_id = %s AND outcome = 'PUBLISHED' GROUP BY embedded_title",
        [document_id],
    ).fetchall()
    assert found == [("Lease 2026", ["Lease 2026"])]
