"""Whatever one tenant does, it cannot see, touch or guess the rows of another."""

from collections.abc import Callable
from typing import Any, Final
from uuid import UUID, uuid4

import psycopg
import pytest
from psycopg import Connection, sql
from psycopg.errors import ForeignKeyViolation, InsufficientPrivilege

from pulsedocs.adapters.postgres.connection import Database
from pulsedocs.errors import DocumentNotFound, ObjectNotFound
from tests.integration.postgres.author import MODEL, Author
from tests.plugins.migrated_database import ROLES

TABLES_OF_A_DOCUMENT: Final = (
    "document",
    "document_version",
    "document_page",
    "document_chunk",
    "chunk_embedding",
    "posting",
    "doc_stats",
    "step_ledger",
    "audit_event",
    "collection",
    "embedding_model",
)
REACHES_FOR_A_FOREIGN_PARENT: Final = {
    "document_version": (
        "INSERT INTO document_version (tenant_id, document_id, version, collection_id,"
        " pipeline_revision, content_type, size)"
        " SELECT %(mine)s, %(document)s, 1, %(collection)s, '1', 'text/plain', 1"
    ),
    "document": (
        "INSERT INTO document (tenant_id, document_id, collection_id, source)"
        " SELECT %(mine)s, gen_random_uuid(), %(collection)s, 'stolen'"
    ),
    "step_ledger": (
        "INSERT INTO step_ledger (tenant_id, document_id, version, step, fence, result)"
        " SELECT %(mine)s, %(document)s, 1, 'store', 1, '{}'"
    ),
    "chunk_embedding": (
        "INSERT INTO chunk_embedding"
        " (tenant_id, document_id, version, chunk_id, model_id, embedding)"
        " SELECT %(mine)s, %(document)s, 1, %(chunk)s, model_id, '[1,0,0,0,0,0,0,0]'"
        " FROM stage_model"
    ),
    "posting": (
        "INSERT INTO posting (tenant_id, shelf, block, entry, term)"
        " SELECT %(mine)s, 1, %(block)s, 0, 'term'"
    ),
}


@pytest.fixture
def stranger(author: Author) -> Author:
    """Another tenant, with a published document of its own."""
    other = Author(author.store, author.catalogue)
    other.ingest("secret.txt", ["The secret of the other tenant."])
    return other


def rows_seen(connection: Connection[Any], table: str) -> int:
    row = connection.execute(
        sql.SQL("SELECT count(*) FROM {}").format(sql.Identifier(table))
    ).fetchone()
    assert row is not None
    return row[0]


def ids_of(admin: Connection[Any], tenant_id: UUID) -> dict[str, Any]:
    row = admin.execute(
        "SELECT document_id, collection_id, (SELECT chunk_id FROM document_chunk AS c"
        " WHERE c.tenant_id = d.tenant_id LIMIT 1), (SELECT block FROM posting_block AS b"
        " WHERE b.tenant_id = d.tenant_id LIMIT 1) FROM document AS d WHERE tenant_id = %s",
        [tenant_id],
    ).fetchone()
    assert row is not None
    return dict(zip(("document", "collection", "chunk", "block"), row, strict=True))


@pytest.mark.parametrize("table", TABLES_OF_A_DOCUMENT)
def test_a_tenant_sees_its_own_rows_only(
    table: str,
    author: Author,
    stranger: Author,
    admin: Connection[Any],
    database_as: Callable[[str], Database],
) -> None:
    """I10: each table, each role that may read it at all."""
    author.ingest()
    everything = rows_seen(admin, table)
    database = database_as("ingest")

    mine = database.run(author.tenant, lambda tx: rows_seen(tx, table))
    theirs = database.run(stranger.tenant, lambda tx: rows_seen(tx, table))

    assert mine > 0
    assert theirs > 0
    assert mine + theirs == everything
    assert database.run(uuid4(), lambda tx: rows_seen(tx, table)) == 0


@pytest.mark.parametrize("role", ROLES)
def test_without_a_tenant_nothing_is_seen(
    role: str, stranger: Author, connect_as: Callable[[str], Connection[Any]]
) -> None:
    """A connection that went past the gate shows nothing, and an unbound one does not fail open."""
    connection = connect_as(role)
    assert stranger.tenant

    assert rows_seen(connection, "document") == 0
    connection.execute("SELECT set_config('app.tenant_id', '', false)")
    assert rows_seen(connection, "document") == 0


@pytest.mark.parametrize("table", sorted(REACHES_FOR_A_FOREIGN_PARENT))
def test_a_row_cannot_hang_on_another_tenant_s(
    table: str, author: Author, stranger: Author, admin: Connection[Any], connect_as: Any
) -> None:
    """With row security alone a foreign key accepts another tenant's row; composite keys do not."""
    author.ingest()
    theirs = ids_of(admin, stranger.tenant)
    unknown = {"document": uuid4(), "collection": uuid4(), "chunk": uuid4(), "block": 2**31 - 1}
    statement = REACHES_FOR_A_FOREIGN_PARENT[table]

    refusals: list[type[psycopg.Error]] = []
    for ids in (theirs, unknown):
        connection = connect_as("ingest")
        connection.execute("SELECT set_config('app.tenant_id', %s, false)", [str(author.tenant)])
        with pytest.raises(psycopg.Error) as refused:
            connection.execute(statement, ids | {"mine": author.tenant})
        refusals.append(type(refused.value))

    assert refusals == [ForeignKeyViolation, ForeignKeyViolation]


def test_a_row_cannot_be_written_for_another_tenant(
    author: Author, stranger: Author, admin: Connection[Any], connect_as: Any
) -> None:
    theirs = ids_of(admin, stranger.tenant)
    connection = connect_as("ingest")
    connection.execute("SELECT set_config('app.tenant_id', %s, false)", [str(author.tenant)])

    with pytest.raises(InsufficientPrivilege, match="row-level security"):
        connection.execute(
            REACHES_FOR_A_FOREIGN_PARENT["document"], theirs | {"mine": stranger.tenant}
        )


def test_the_same_ids_clash_in_no_other_tenant(author: Author, stranger: Author) -> None:
    """A key clash would reveal that a row exists."""
    theirs = stranger.ingest("again.txt", ["Some more."])

    mine = author.ingest("again.txt", ["Some more."], document_id=theirs.document_id)

    assert mine.document_id == theirs.document_id
    status = author.catalogue.status(author.tenant, mine.document_id)
    assert (status.version, status.title) == (1, "Log")


def test_another_tenant_s_document_answers_as_one_that_never_was(
    author: Author, stranger: Author, admin: Connection[Any]
) -> None:
    """I10: the same error, word for word but for the id asked for."""
    theirs = ids_of(admin, stranger.tenant)["document"]
    catalogue, tenant = author.catalogue, author.tenant
    questions: list[Callable[[UUID], object]] = [
        lambda document: catalogue.status(tenant, document),
        lambda document: catalogue.page(tenant, document, 1),
        lambda document: catalogue.chunks(tenant, document, after=-1, limit=5),
        lambda document: catalogue.object_of(tenant, document),
    ]

    for question in questions:
        answers: set[str] = set()
        for document in (theirs, uuid4()):
            with pytest.raises(DocumentNotFound) as refused:
                question(document)
            assert not isinstance(refused.value, ObjectNotFound)
            answers.add(refused.value.message.replace(str(document), "<id>"))
        assert len(answers) == 1


def test_the_same_bytes_in_another_tenant_are_no_duplicate(
    author: Author, stranger: Author
) -> None:
    text = ["The secret of the other tenant."]

    assert author.finish(author.started("mine.txt"), text) == "PUBLISHED"
    assert stranger.tenant != author.tenant


def test_a_role_cannot_become_the_owner(connect_as: Callable[[str], Connection[Any]]) -> None:
    for role in ROLES:
        with pytest.raises(InsufficientPrivilege):
            connect_as(role).execute("SET ROLE pulsedocs_owner")


def test_a_model_is_shared_by_the_stage_and_registered_by_each_tenant(
    author: Author, stranger: Author, admin: Connection[Any]
) -> None:
    author.register()

    rows = admin.execute("SELECT tenant_id FROM embedding_model WHERE model = %s", [MODEL])

    assert {row[0] for row in rows} == {author.tenant, stranger.tenant}
    assert admin.execute("SELECT count(*) FROM stage_model").fetchone() == (1,)
