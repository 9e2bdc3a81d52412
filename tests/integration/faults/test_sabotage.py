"""Each safeguard of ingestion is taken away in turn, and a named check notices.

A row names the sabotage, how it is done, and the check that holds before and fails after.
"""

from collections import deque
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any, Final, LiteralString
from uuid import UUID, uuid4

import psycopg
import pytest
from psycopg import Connection, sql

from pulsedocs import faults
from pulsedocs.adapters.postgres import connection as gate
from pulsedocs.adapters.postgres import queries, rows
from pulsedocs.adapters.postgres.ingestion import claims, ingestion, step_writer
from pulsedocs.adapters.postgres.upkeep import sweeps
from pulsedocs.errors import (
    FencedOut,
    InvalidRequest,
    ProviderMalformed,
    PulseDocsError,
    RetryableError,
)
from pulsedocs.ingestion import chunk_document, embed_batch, publish_document
from pulsedocs.model import object_keys
from pulsedocs.model.sweeps import Recovery, Verdict
from tests.integration.faults import strikes
from tests.integration.faults.strikes import Strike
from tests.integration.faults.texts import LATER_TEXT, TEXT
from tests.integration.faults.world import DOCUMENT, World
from tests.integration.ingestion.pipeline import PUBLISHED
from tests.plugins.migrated_database import MigratedDatabase

Patch = pytest.MonkeyPatch
Check = Callable[[World], None]
_TENANT: Final = "nullif(current_setting('app.tenant_id', true), '')::uuid"


@pytest.fixture
def scratch(migrated_database: MigratedDatabase) -> Iterator[World]:
    """Give a world of a database of its own: the sabotage goes with it."""
    with ExitStack() as opened:
        yield World.over(migrated_database, opened)


# -------------------------------------------------------------------------------------- the checks


def ingested(world: World, body: bytes = TEXT) -> World:
    world.execute(world.upload(body))
    return world


def converges(world: World) -> None:
    """`test_points`: a death after a commit, then the same rows as without one."""
    golden = ingested(world.anew())
    event = world.upload(TEXT)
    faults.install(Strike("crash", "chunk.after_commit", 1, world.admin))
    world.pipeline.deliver(event)
    faults.install(None)
    assert world.digest() == golden.digest()
    assert world.violations() == []
    assert world.outcomes() == [PUBLISHED]


def lost_connections_are_survived(world: World) -> None:
    """`test_points`: a dropped connection in the middle of a transaction."""
    event = world.upload(TEXT)
    faults.install(Strike("drop", "chunk.written", 1, world.admin))
    world.execute(event)
    faults.install(None)
    assert world.outcomes() == [PUBLISHED]


def stale_runs_are_refused(world: World) -> None:
    """`test_points`: a run whose lease a rival took writes nothing."""
    event = world.upload(TEXT)
    stale = world.pipeline.steps(world.pipeline.claim_once(event))
    next(stale)()
    world.pass_time(minutes=16)
    world.pipeline.claim_once(event)
    with pytest.raises(FencedOut):
        next(stale)()


def stale_runs_fail_nobody(world: World) -> None:
    """`test_points`: the end that a stale run records is not recorded."""
    event = world.upload(TEXT)
    stale = world.pipeline.claim_once(event)
    world.pass_time(minutes=16)
    current = world.pipeline.claim_once(event)
    world.pipeline.fail(stale, PulseDocsError("late"))
    assert world.pipeline.run(current) == PUBLISHED


def older_uploads_come_too_late(world: World) -> None:
    """`test_convergence`: the sequencer decides, not the order of arrival."""
    older, newer = world.upload(TEXT), world.upload(LATER_TEXT)
    world.execute(newer)
    world.execute(older)
    assert world.outcomes() == ["SUPERSEDED", PUBLISHED]


def a_lease_keeps_others_out(world: World) -> None:
    """`test_claims`: one execution at a time."""
    event = world.upload(TEXT)
    assert world.pipeline.claim_once(event).work
    assert not world.pipeline.claim_once(event).work


def nothing_is_stuck(world: World) -> None:
    """`test_sweep`: an execution that was lost is made up for."""
    world.pipeline.claim_once(world.upload(TEXT))
    world.settle()
    assert world.outcomes() == [PUBLISHED]


def invariants_hold(world: World) -> None:
    """`invariants.violations` and `orphans` after an ordinary run."""
    assert ingested(world).outcomes() == [PUBLISHED]
    assert world.violations() == []


def vectors_are_complete(world: World) -> None:
    """I6: publishing with a batch missing is refused."""
    claimed = world.pipeline.claim_once(world.upload(TEXT))
    steps = list_without_vectors(world, claimed)
    for step in steps:
        try:
            step()
        except PulseDocsError:
            return
    assert world.violations() == []


def list_without_vectors(world: World, claimed: Any) -> Iterator[Callable[[], object]]:
    """Yield the steps up to the chunks, then the publication."""
    steps = world.pipeline.steps(claimed)
    for _ in range(4):
        yield next(steps)
    run = claimed.run
    yield lambda: publish_document.publish_document(
        run, objects=world.objects, store=world.pipeline.store
    )


def malformed_vectors_are_named(world: World) -> None:
    """I6, K11: a vector that was never normalised is the provider's fault, and said to be."""
    original = type(world.pipeline.embedder).embed_passages

    def long_vectors(texts: Any, *, deadline: Any) -> Any:
        embedded = original(world.pipeline.embedder, texts, deadline=deadline)
        vectors = tuple(tuple(3 * each for each in vector) for vector in embedded.vectors)
        return type(embedded)(vectors, embedded.input_tokens)

    world.pipeline.embedder.embed_passages = long_vectors
    claimed = world.pipeline.claim_once(world.upload(TEXT))
    with pytest.raises(ProviderMalformed):
        deque((step() for step in world.pipeline.steps(claimed)), maxlen=0)


def forged_keys_are_refused(_world: World) -> None:
    """`subject_of`: a key that is not canonical names nobody."""
    with pytest.raises(InvalidRequest):
        object_keys.subject_of(f"u/{str(uuid4()).upper()}/{DOCUMENT}")


def errors_of_ours_are_not_retried(world: World) -> None:
    """`retries`: a broken constraint is broken at the second attempt too."""
    attempts: list[int] = []

    def work(tx: Connection[Any]) -> None:
        attempts.append(1)
        tx.execute("SELECT 1/0")

    with pytest.raises(PulseDocsError):
        world.connections.ingest.run(world.tenant, work)
    assert len(attempts) == 1


def a_tenant_ends_with_its_transaction(world: World) -> None:
    """`test_connection`: the next user of a connection inherits no tenant."""
    ingested(world)
    connection = world.connections.ingest._open()  # noqa: SLF001  # pyright: ignore[reportPrivateUsage] -- the point
    row = connection.execute("SELECT current_setting('app.tenant_id', true)").fetchone()
    connection.rollback()
    assert row is not None
    assert not row[0]


def counting(table: str) -> Callable[[Connection[Any]], Any]:
    statement = sql.SQL("SELECT count(*) FROM {}").format(sql.Identifier(table))
    return lambda tx: tx.execute(statement).fetchone()


def tenants_are_apart(world: World) -> None:
    """I10: another tenant's rows are neither seen nor written, in any table with a tenant."""
    ingested(world)
    stranger = uuid4()
    for table in tenant_tables(world):
        try:
            assert world.connections.sweep.run(stranger, counting(table)) == (0,), table
        except PulseDocsError:
            continue
    with pytest.raises(PulseDocsError):
        world.connections.ingest.run(
            stranger,
            lambda tx: tx.execute(
                "INSERT INTO audit_event (tenant_id, actor, action, object, outcome)"
                " VALUES (%s, 'x', 'x', 'x', 'x')",
                [world.tenant],
            ),
        )


def tenant_tables(world: World) -> list[str]:
    found = world.admin.execute(
        "SELECT relname FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid"
        " WHERE relnamespace = 'pulsedocs'::regnamespace AND relkind IN ('r', 'p')"
        " AND NOT relispartition AND attname = 'tenant_id'"
    )
    return [row[0] for row in found]


def the_catalogue_is_as_it_should_be(world: World) -> None:
    """`test_schema`: row security forced on every table, roles without a way around it."""
    holes = world.admin.execute(
        "SELECT relname FROM pg_class WHERE relname = ANY(%s) AND NOT"
        " (relrowsecurity AND relforcerowsecurity)",
        [tenant_tables(world)],
    ).fetchall()
    assert holes == []
    powerful = world.admin.execute(
        "SELECT rolname FROM pg_roles WHERE rolname LIKE 'pulsedocs\\_%%' AND"
        " (rolsuper OR rolbypassrls OR"
        " (rolcanlogin AND pg_has_role(oid, 'pulsedocs_owner', 'USAGE')))"
    ).fetchall()
    assert powerful == []


def refuses(statement: LiteralString) -> Check:
    """Return the check that the database refuses a statement, whoever sends it."""

    def check(world: World) -> None:
        ingested(world)
        with pytest.raises(psycopg.Error), world.admin.transaction():
            world.admin.execute(statement, {"tenant": world.tenant})

    check.__name__ = "the database refuses it"
    return check


def not_allowed(statement: LiteralString) -> Check:
    """Return the check that the role of ingestion may not do something."""

    def check(world: World) -> None:
        ingested(world)
        with pytest.raises(PulseDocsError):
            world.connections.ingest.run(world.tenant, lambda tx: tx.execute(statement))

    check.__name__ = "the role may not"
    return check


# ---------------------------------------------------------------------------------- the sabotages


def by_sql(*statements: LiteralString) -> Callable[[World, Patch], None]:
    def apply(world: World, _patch: Patch) -> None:
        for statement in statements:
            world.admin.execute(statement)

    return apply


def by_patch(owner: object, name: str, stand_in: object) -> Callable[[World, Patch], None]:
    return lambda _world, patch: patch.setattr(owner, name, stand_in)


def of_query(owner: Any, name: str, other: str) -> Callable[[World, Patch], None]:
    """Give another statement for one query of a module."""
    original = queries.query

    def query(wanted: str) -> str:
        return other if wanted == name else original(wanted)

    return by_patch(owner, "query", query)


def nothing(*_arguments: Any, **_options: Any) -> None:
    return None


def always(value: object) -> Callable[..., object]:
    return lambda *_arguments: value


def any_uuid(text: str, _key: str) -> UUID:
    return UUID(text)


def unfenced(store: Any, run: Any, outcome: Any, error: Any, **_options: Any) -> bool:
    def work(tx: Any) -> None:
        ingestion.end_version(tx, rows.key_of(run), outcome, error=error, code=error.code)

    store._database.run(run.tenant_id, work)  # noqa: SLF001 -- the defect takes the place of a method
    return True


def without_lease(version: Any, _request: Any) -> str | None:
    return None if version.outcome is None else "ended"


@dataclass(frozen=True, slots=True)
class Sabotage:
    name: str
    apply: Callable[[World, Patch], None]
    caught_by: Check


_ROLE_FIXES: Final = (
    "ALTER ROLE pulsedocs_ingest NOBYPASSRLS",
    "REVOKE pulsedocs_owner FROM pulsedocs_ingest",
)
SABOTAGES: Final = [
    Sabotage(
        "drop FORCE",
        by_sql("ALTER TABLE document NO FORCE ROW LEVEL SECURITY"),
        the_catalogue_is_as_it_should_be,
    ),
    Sabotage(
        "disable row security",
        by_sql("ALTER TABLE document DISABLE ROW LEVEL SECURITY"),
        tenants_are_apart,
    ),
    Sabotage(
        "policy that shows all",
        by_sql("ALTER POLICY tenant_isolation ON document_chunk USING (true)"),
        tenants_are_apart,
    ),
    Sabotage(
        "WITH CHECK true",
        by_sql("ALTER POLICY tenant_isolation ON audit_event WITH CHECK (true)"),
        tenants_are_apart,
    ),
    Sabotage(
        "BYPASSRLS",
        by_sql("ALTER ROLE pulsedocs_ingest BYPASSRLS"),
        the_catalogue_is_as_it_should_be,
    ),
    Sabotage(
        "connect as the owner",
        by_sql("GRANT pulsedocs_owner TO pulsedocs_ingest WITH INHERIT TRUE"),
        the_catalogue_is_as_it_should_be,
    ),
    Sabotage(
        "tenant for the session",
        of_query(gate, "bind_tenant", "SELECT set_config('app.tenant_id', %(tenant_id)s, false)"),
        a_tenant_ends_with_its_transaction,
    ),
    Sabotage(
        "no fence check", by_patch(ingestion, "_refuse_stale", nothing), stale_runs_are_refused
    ),
    Sabotage(
        "a failure without a fence",
        by_patch(ingestion.PostgresIngestionStore, "fail", unfenced),
        stale_runs_fail_nobody,
    ),
    Sabotage("no ledger lookup", by_patch(ingestion, "_find_recorded", nothing), converges),
    Sabotage("no ledger entry", of_query(ingestion, "record_step", "SELECT 1"), converges),
    Sabotage(
        "no sequencer compare",
        by_patch(rows.VersionRow, "is_older_than_published", nothing),
        older_uploads_come_too_late,
    ),
    Sabotage("no lease", by_patch(claims, "_obstacle", without_lease), a_lease_keeps_others_out),
    Sabotage(
        "nobody takes up what was lost",
        by_patch(sweeps, "_try_again", always(Recovery(Verdict.WAIT))),
        nothing_is_stuck,
    ),
    Sabotage(
        "no batches before the commit",
        by_patch(chunk_document, "_write_batches", nothing),
        converges,
    ),
    Sabotage(
        "publish without vectors",
        by_patch(step_writer, "refuse_unfinished", nothing),
        vectors_are_complete,
    ),
    Sabotage(
        "no norm check",
        by_patch(embed_batch, "validate_vectors", nothing),
        malformed_vectors_are_named,
    ),
    Sabotage(
        "any key will do",
        by_patch(object_keys, "_canonical_uuid", any_uuid),
        forged_keys_are_refused,
    ),
    Sabotage(
        "retry whatever fails",
        by_patch(gate, "_product_error", always(RetryableError("anything"))),
        errors_of_ours_are_not_retried,
    ),
    Sabotage(
        "no retry at all",
        by_patch(gate, "_RETRYABLE", frozenset[str]()),
        lost_connections_are_survived,
    ),
    Sabotage(
        "a marker that stays",
        by_patch(publish_document, "open_marker_key", always("open/elsewhere")),
        invariants_hold,
    ),
    Sabotage(
        "a fence that falls",
        by_sql("DROP TRIGGER guard_version ON document_version"),
        refuses("UPDATE document_version SET fence = 0 WHERE tenant_id = %(tenant)s"),
    ),
    Sabotage(
        "chunks that change",
        by_sql("DROP TRIGGER chunks_never_change ON document_chunk"),
        refuses("UPDATE document_chunk SET tokens = 0 WHERE tenant_id = %(tenant)s"),
    ),
    Sabotage(
        "an audit that changes",
        by_sql("DROP TRIGGER audit_is_insert_only ON audit_event"),
        refuses("UPDATE audit_event SET actor = '' WHERE tenant_id = %(tenant)s"),
    ),
    Sabotage(
        "two readers of the same bytes",
        by_sql("DROP INDEX document_version_original"),
        refuses(
            "INSERT INTO document_version (tenant_id, document_id, version, collection_id,"
            " pipeline_revision, content_type, size, sha256, is_original)"
            " SELECT tenant_id, document_id, number, collection_id, 'x', content_type, size,"
            " sha256, true FROM document_version, generate_series(8, 9) AS number"
            " WHERE tenant_id = %(tenant)s"
        ),
    ),
    Sabotage(
        "texts deleted by ingestion",
        by_sql("GRANT DELETE ON document TO pulsedocs_ingest"),
        not_allowed("DELETE FROM document"),
    ),
]


@pytest.mark.parametrize("row", SABOTAGES, ids=lambda row: row.name.replace(" ", "-"))
def test_a_sabotage_is_caught(scratch: World, row: Sabotage, monkeypatch: Patch) -> None:
    """RELIABILITY 4.7: the check holds before and fails after."""
    strikes.without_waits(monkeypatch)
    row.caught_by(scratch.anew())
    faults.install(None)
    try:
        with monkeypatch.context() as patched:
            row.apply(scratch, patched)
            with pytest.raises((AssertionError, pytest.fail.Exception, PulseDocsError)):
                row.caught_by(scratch.anew())
    finally:
        faults.install(None)
        for statement in _ROLE_FIXES:
            scratch.admin.execute(statement)


def test_there_are_enough_sabotages() -> None:
    assert len({row.name for row in SABOTAGES}) >= 25
