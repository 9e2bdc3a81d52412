"""The catalog says what the design promises: of every table, not of those someone thought of."""

from collections.abc import Callable
from typing import Any, Final, LiteralString

import pytest
from psycopg import Connection

from pulsedocs.adapters.postgres.connection import Database
from pulsedocs.adapters.postgres.upkeep.vector_indexes import DueIndex, vector_index
from tests.integration.postgres.author import MODEL, Author
from tests.plugins.migrated_database import ROLES

WITHOUT_TENANT: Final = {"stage_model"}  # the models a stage knows; nobody's data
CATALOGUE_OF: Final = {
    "batch",
    "batch_item",
    "budget_day",
    "budget_reservation",
    "collection",
    "collection_migration",
    "document",
    "document_version",
    "document_page",
    "document_chunk",
    "embedding_model",
    "model_backfill",
    "chunk_embedding",
    "embedding_failure",
    "posting",
    "posting_block",
    "posting_segment",
    "shared_posting",
    "shelf_size",
    "doc_stats",
    "step_ledger",
    "audit_event",
    "conversation",
    "conversation_turn",
    "feedback",
    "deletion_receipt",
    "idempotency_key",
    "retrieval_profile",
    "tenant_budget",
    "usage",
    "stage_model",
}
_OF_A_DAY: Final = {"budget_day", "budget_reservation"}
_SAID: Final = {"conversation", "conversation_turn"}
MAY_DELETE: Final = {
    "api": {
        *("collection", "collection_migration", "tenant_budget", "budget_reservation"),
        *_SAID,
    },
    "query": {"budget_reservation", "feedback", *_SAID},
    "ingest": {"budget_reservation"},
    "sweep": {
        *("collection", "document", "document_version", "document_page", "document_chunk"),
        *("chunk_embedding", "embedding_failure", "posting", "posting_block", "doc_stats"),
        *("posting_segment", "shared_posting"),
        *("batch", "batch_item", "model_backfill", "embedding_model"),
        *("budget_reservation", "budget_day"),
        *("step_ledger", "audit_event", "usage", "deletion_receipt"),  # after their lives
        *("feedback", *_SAID),
    },
}

NOT_ISOLATED: Final[LiteralString] = """
    SELECT relname FROM pg_class
    WHERE relnamespace = 'pulsedocs'::regnamespace AND relkind IN ('r', 'p')
      AND NOT (relrowsecurity AND relforcerowsecurity)
"""
WITHOUT_POLICY: Final[LiteralString] = """
    SELECT relname FROM pg_class
    WHERE relnamespace = 'pulsedocs'::regnamespace AND relkind IN ('r', 'p')
      AND NOT relispartition
      AND NOT EXISTS (
          SELECT FROM pg_policy
          WHERE polrelid = pg_class.oid AND polcmd = '*' AND polpermissive
            AND polroles = '{0}'
            AND pg_get_expr(polqual, polrelid) LIKE '(tenant_id = %app.tenant_id%'
            AND pg_get_expr(polwithcheck, polrelid) = pg_get_expr(polqual, polrelid))
"""
POLICIES_BEYOND_ONE: Final[LiteralString] = """
    SELECT polrelid::regclass::text FROM pg_policy GROUP BY polrelid HAVING count(*) > 1
"""
LISTED_BY_THE_SWEEP: Final = {
    "conversation",
    "document_version",
    "deletion_receipt",
    "usage",
    "idempotency_key",
    # history that ends
    *("document", "audit_event", "budget_day", "batch", "model_backfill", "feedback"),
    *("collection", "shelf_size"),  # postings to merge
}
POLICIES_OF_THE_LISTER: Final[LiteralString] = """
    SELECT polrelid::regclass::text FROM pg_policy
    WHERE polname = 'sweep_listing' AND polcmd = 'r' AND polwithcheck IS NULL
      AND polroles = ARRAY['pulsedocs_lister'::regrole::oid]
"""
READABLE_BY_THE_LISTER: Final[LiteralString] = """
    SELECT table_name || '.' || column_name FROM information_schema.column_privileges
    WHERE grantee = 'pulsedocs_lister'
    UNION ALL
    SELECT table_name || ': ' || privilege_type FROM information_schema.table_privileges
    WHERE grantee = 'pulsedocs_lister'
"""
OWNED_BY_THE_LISTER: Final[LiteralString] = """
    SELECT proname || ': ' || proconfig::text FROM pg_proc
    WHERE proowner = 'pulsedocs_lister'::regrole
    UNION ALL
    SELECT relname FROM pg_class WHERE relowner = 'pulsedocs_lister'::regrole
"""
KEYS_NOT_LED_BY_TENANT: Final[LiteralString] = """
    SELECT conrelid::regclass::text || '.' || conname
    FROM pg_constraint
    JOIN pg_attribute ON attrelid = conrelid AND attnum = conkey[1]
    WHERE connamespace = 'pulsedocs'::regnamespace AND contype IN ('p', 'u', 'f')
      AND attname <> 'tenant_id'
"""
UNIQUE_INDEXES_NOT_LED_BY_TENANT: Final[LiteralString] = """
    SELECT indexrelid::regclass::text
    FROM pg_index
    JOIN pg_class ON pg_class.oid = indrelid
    JOIN pg_attribute ON attrelid = indrelid AND attnum = indkey[0]
    WHERE relnamespace = 'pulsedocs'::regnamespace AND indisunique AND attname <> 'tenant_id'
"""
REFERENCES_NOT_TO_TENANT: Final[LiteralString] = """
    SELECT conrelid::regclass::text || '.' || conname
    FROM pg_constraint
    JOIN pg_attribute ON attrelid = confrelid AND attnum = confkey[1]
    WHERE connamespace = 'pulsedocs'::regnamespace AND contype = 'f' AND attname <> 'tenant_id'
"""
WITHOUT_PRIMARY_KEY: Final[LiteralString] = """
    SELECT relname FROM pg_class
    WHERE relnamespace = 'pulsedocs'::regnamespace AND relkind IN ('r', 'p')
      AND NOT EXISTS (SELECT FROM pg_constraint WHERE conrelid = pg_class.oid AND contype = 'p')
"""
GRANTS_ON_PARTITIONS: Final[LiteralString] = """
    SELECT relname FROM pg_class
    WHERE relnamespace = 'pulsedocs'::regnamespace AND relispartition AND relkind IN ('r', 'p')
      AND EXISTS (SELECT FROM aclexplode(relacl) WHERE grantee <> relowner)
"""
GRANTS_TO_PUBLIC: Final[LiteralString] = """
    SELECT relname FROM pg_class, aclexplode(relacl)
    WHERE relnamespace = 'pulsedocs'::regnamespace AND grantee = 0
    UNION ALL
    SELECT nspname FROM pg_namespace, aclexplode(nspacl)
    WHERE nspname IN ('pulsedocs', 'public') AND grantee = 0
    UNION ALL
    SELECT proname FROM pg_proc, aclexplode(coalesce(proacl, acldefault('f', proowner)))
    WHERE pronamespace = 'pulsedocs'::regnamespace AND grantee = 0
      AND prorettype <> 'trigger'::regtype  -- nobody can call a trigger function
"""
OPEN_SEARCH_PATHS: Final[LiteralString] = """
    SELECT proname FROM pg_proc
    WHERE pronamespace = 'pulsedocs'::regnamespace
      AND NOT coalesce(array_to_string(proconfig, ',') ~ 'search_path=', false)
"""
OWNED_BY_SOMEONE_ELSE: Final[LiteralString] = """
    SELECT relname FROM pg_class
    WHERE relnamespace = 'pulsedocs'::regnamespace
      AND relowner <> 'pulsedocs_owner'::regrole
"""


@pytest.fixture
def schema(author: Author, admin: Connection[Any]) -> Connection[Any]:
    """Give a schema that has a partition, which only the first document makes."""
    author.register()
    return admin


def names(connection: Connection[Any], statement: LiteralString) -> set[str]:
    return {row[0] for row in connection.execute(statement)}


def partition(connection: Connection[Any]) -> str:
    [name] = names(
        connection,
        "SELECT inhrelid::regclass::text FROM pg_inherits"
        " WHERE inhparent = 'chunk_embedding'::regclass",
    )
    return name


def test_the_schema_has_the_tables_of_the_design(schema: Connection[Any]) -> None:
    tables = names(
        schema,
        "SELECT relname FROM pg_class WHERE relnamespace = 'pulsedocs'::regnamespace"
        " AND relkind IN ('r', 'p') AND NOT relispartition",
    )

    assert tables == CATALOGUE_OF


def test_every_table_is_isolated_even_from_its_owner(schema: Connection[Any]) -> None:
    """I10: ENABLE alone would let the owner through."""
    assert names(schema, NOT_ISOLATED) == WITHOUT_TENANT


def test_every_table_has_one_policy_that_guards_reads_and_writes(schema: Connection[Any]) -> None:
    assert names(schema, WITHOUT_POLICY) == WITHOUT_TENANT
    assert names(schema, POLICIES_BEYOND_ONE) == LISTED_BY_THE_SWEEP


def test_the_list_across_tenants_sees_ids_and_nothing_else(schema: Connection[Any]) -> None:
    """RELIABILITY 5.3: three narrow functions, whose owner nobody can log in as or become."""
    assert names(schema, POLICIES_OF_THE_LISTER) == LISTED_BY_THE_SWEEP
    assert names(schema, READABLE_BY_THE_LISTER) == {
        *(f"document_version.{name}" for name in ("tenant_id", "document_id", "outcome", "state")),
        *(f"document_version.{name}" for name in ("lease_until", "received_at", "registered_at")),
        *(f"document_version.{name}" for name in ("requested_at", "version", "updated_at")),
        "document_version.purged_at",
        *(f"document.{name}" for name in ("tenant_id", "document_id", "latest_version")),
        "document.published_version",
        *(f"deletion_receipt.{name}" for name in ("tenant_id", "document_id")),
        *(f"deletion_receipt.{name}" for name in ("requested_at", "completed_at")),
        *(f"usage.{name}" for name in ("tenant_id", "state", "expires_at", "settled_at")),
        *(f"idempotency_key.{name}" for name in ("tenant_id", "expires_at")),
        *(f"conversation.{name}" for name in ("tenant_id", "expires_at")),
        *(f"audit_event.{name}" for name in ("tenant_id", "at")),
        *(f"budget_day.{name}" for name in ("tenant_id", "day")),
        *(f"batch.{name}" for name in ("tenant_id", "ended_at")),
        *(f"model_backfill.{name}" for name in ("tenant_id", "ended_at")),
        *(f"feedback.{name}" for name in ("tenant_id", "changed_at")),
        *(f"collection.{name}" for name in ("tenant_id", "collection_id", "shelf")),
        *(f"shelf_size.{name}" for name in ("tenant_id", "shelf", "documents")),
    }
    assert names(schema, OWNED_BY_THE_LISTER) == {
        'sweep_listing: {"search_path=pulsedocs, pg_catalog, pg_temp"}',
        'history_listing: {"search_path=pulsedocs, pg_catalog, pg_temp"}',
        'merge_listing: {"search_path=pulsedocs, pg_catalog, pg_temp"}',
    }
    row = schema.execute(
        "SELECT rolcanlogin OR rolsuper OR rolbypassrls FROM pg_roles"
        " WHERE rolname = 'pulsedocs_lister'"
    ).fetchone()
    assert row == (False,)
    for role in ROLES:
        row = schema.execute(
            "SELECT pg_has_role(%(role)s, 'pulsedocs_lister', 'MEMBER'), has_function_privilege("
            "%(role)s, 'pulsedocs.sweep_listing(text, uuid, uuid, integer)', 'EXECUTE'),"
            " has_function_privilege(%(role)s,"
            " 'pulsedocs.history_listing(text, integer, uuid, uuid, integer)', 'EXECUTE'),"
            " has_function_privilege(%(role)s, 'pulsedocs.merge_listing(uuid, uuid, integer)',"
            " 'EXECUTE')",
            {"role": f"pulsedocs_{role}"},
        ).fetchone()
        assert row == (False, *[role == "sweep"] * 3)


def test_every_key_starts_with_the_tenant(schema: Connection[Any]) -> None:
    """A key without it would tell one tenant what another has, by a clash.

    One is led by the document, so that a plan without statistics takes the primary key.
    """
    assert names(schema, KEYS_NOT_LED_BY_TENANT) == {
        "stage_model.stage_model_pkey",
        "stage_model.stage_model_model_key",
        "embedding_model.embedding_model_model_fkey",
        "posting_block.posting_block_of_version",
    }
    assert names(schema, UNIQUE_INDEXES_NOT_LED_BY_TENANT) == {
        "stage_model_pkey",
        "stage_model_model_key",
        "posting_block_of_version",
    }
    # A key would take as much as the row; what may be in it once, its step writes once.
    assert names(schema, WITHOUT_PRIMARY_KEY) == {"posting", "shared_posting"}


def test_every_reference_stays_inside_its_tenant(schema: Connection[Any]) -> None:
    """The one exception names a model of the stage."""
    assert names(schema, REFERENCES_NOT_TO_TENANT) == {"embedding_model.embedding_model_model_fkey"}


def test_a_partition_can_only_be_reached_through_its_parent(
    schema: Connection[Any], connect_as: Callable[[str], Connection[Any]]
) -> None:
    """The parent's policy does not hold for a partition that is read by name."""
    assert names(schema, GRANTS_ON_PARTITIONS) == set()
    for role in ROLES:
        connection = connect_as(role)
        row = connection.execute(
            "SELECT has_table_privilege(%s, 'select, insert, update, delete')", [partition(schema)]
        ).fetchone()
        assert row == (False,)


def test_nothing_is_granted_to_everyone(schema: Connection[Any]) -> None:
    assert names(schema, GRANTS_TO_PUBLIC) == set()


def test_every_function_has_a_fixed_search_path(schema: Connection[Any]) -> None:
    """Else a caller's own table could stand in for ours, with the owner's rights."""
    assert names(schema, OPEN_SEARCH_PATHS) == set()


def test_one_role_owns_everything_and_cannot_log_in(schema: Connection[Any]) -> None:
    vectors = partition(schema)
    assert names(schema, OWNED_BY_SOMEONE_ELSE) == {vectors, f"{vectors}_pkey"}
    rows = schema.execute(
        "SELECT rolcanlogin, rolsuper, rolbypassrls FROM pg_roles"
        " WHERE rolname IN ('pulsedocs_owner', 'pulsedocs_indexer')"
    ).fetchall()
    assert rows == [(False, False, False)] * 2


@pytest.mark.parametrize("role", ROLES)
def test_an_application_role_is_nobody_special(role: str, schema: Connection[Any]) -> None:
    name = f"pulsedocs_{role}"
    powers = schema.execute(
        "SELECT rolsuper, rolbypassrls, rolcreaterole, rolcreatedb, rolreplication, rolinherit"
        " FROM pg_roles WHERE rolname = %s",
        [name],
    ).fetchone()
    memberships = schema.execute(
        "SELECT roleid::regrole::text, inherit_option, admin_option FROM pg_auth_members"
        " WHERE member = %s::regrole",
        [name],
    ).fetchall()
    limits = schema.execute(
        "SELECT unnest(setconfig) FROM pg_db_role_setting WHERE setrole = %s::regrole", [name]
    ).fetchall()

    assert powers == (False,) * 6
    # What it may become says nothing of itself: see `upkeep/vector_indexes.py`.
    assert memberships == ([("pulsedocs_indexer", False, False)] if role == "sweep" else [])
    assert {row[0].split("=")[0] for row in limits} == {
        "search_path",
        "jit",
        "lock_timeout",
        "statement_timeout",
        "idle_session_timeout",
        "idle_in_transaction_session_timeout",
        *(["enable_seqscan"] if role == "ingest" else []),
    }


@pytest.mark.parametrize(
    ("role", "forbidden"),
    [
        (
            "api",
            {
                *("document_chunk", "chunk_embedding", "posting", "posting_segment"),
                *("shared_posting", "document_page", "step_ledger"),
            },
        ),
        ("query", CATALOGUE_OF - {"usage", "idempotency_key", "feedback", *_SAID, *_OF_A_DAY}),
        ("ingest", {"idempotency_key", "deletion_receipt", "stage_model", "tenant_budget"}),
    ],
)
def test_a_role_writes_only_what_its_functions_write(
    role: str, forbidden: set[str], schema: Connection[Any]
) -> None:
    for table in sorted(forbidden):
        row = schema.execute(
            "SELECT has_table_privilege(%s, %s, 'insert, update, delete, truncate')",
            [f"pulsedocs_{role}", f"pulsedocs.{table}"],
        ).fetchone()
        assert row == (False,), table


def test_no_role_but_sweep_deletes_documents(schema: Connection[Any]) -> None:
    for role in ROLES:
        for table in CATALOGUE_OF - {"idempotency_key"}:
            row = schema.execute(
                "SELECT has_table_privilege(%s, %s, 'delete')",
                [f"pulsedocs_{role}", f"pulsedocs.{table}"],
            ).fetchone()
            assert row == (table in MAY_DELETE.get(role, set()),), (role, table)


def test_chunks_know_no_vector_no_model_and_no_state(schema: Connection[Any]) -> None:
    """S0-09: retrieval cannot depend on what a chunk row does not have."""
    columns = names(
        schema,
        "SELECT attname::text FROM pg_attribute"
        " WHERE attrelid = 'document_chunk'::regclass AND attnum > 0",
    )

    assert {"text", "chunk_hash", "content_hash"} <= columns
    assert not {column for column in columns if column.startswith(("embed", "vector", "model"))}
    assert not {"state", "status", "outcome"} & columns


def test_vectors_are_kept_outside_toast_and_under_an_index_of_their_width(
    schema: Connection[Any],
) -> None:
    """In TOAST, 1,536 dimensions make the planner ignore HNSW."""
    name = partition(schema)
    row = schema.execute("SELECT model_id, model, dimensions FROM stage_model").fetchone()
    assert row is not None
    schema.execute(vector_index(DueIndex(*row))[1])
    storage = schema.execute(
        "SELECT attstorage FROM pg_attribute"
        " WHERE attrelid = %s::regclass AND attname = 'embedding'",
        [name],
    ).fetchone()
    indexes = schema.execute(
        "SELECT indexdef FROM pg_indexes WHERE tablename = %s", [name]
    ).fetchall()

    assert storage is not None
    assert storage[0] in {"p", b"p"}
    assert any("hnsw (((embedding)::halfvec(8)) halfvec_cosine_ops)" in row[0] for row in indexes)


def test_no_column_stops_a_major_upgrade(schema: Connection[Any]) -> None:
    """pg_upgrade refuses columns of the reg* types, except regclass, regrole and regtype."""
    assert not names(
        schema,
        "SELECT attrelid::regclass::text FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid"
        " WHERE relnamespace = 'pulsedocs'::regnamespace AND attnum > 0 AND atttypid IN"
        " ('regconfig'::regtype, 'regproc'::regtype, 'regdictionary'::regtype,"
        " 'regnamespace'::regtype, 'regoper'::regtype, 'regcollation'::regtype)",
    )


def test_a_model_is_dropped_only_when_no_tenant_is_left(
    author: Author, admin: Connection[Any], database_as: Callable[[str], Database]
) -> None:
    author.ingest()
    sweep = database_as("sweep")

    def drop() -> object:
        row = sweep.run(
            author.tenant,
            lambda tx: tx.execute("SELECT drop_embedding_model(%s)", [MODEL]).fetchone(),
        )
        return row and row[0]

    assert drop() is False
    admin.execute("DELETE FROM chunk_embedding")
    assert drop() is False  # a tenant still names it
    admin.execute("TRUNCATE collection, embedding_model CASCADE")
    assert drop() is True
    assert names(admin, "SELECT model FROM stage_model") == set()
