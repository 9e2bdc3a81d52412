"""The database itself refuses what no run may do, whoever asks."""

from collections.abc import Callable
from itertools import pairwise, product
from typing import Any
from uuid import uuid4

import psycopg
import pytest
from psycopg import Connection, sql
from psycopg.errors import CheckViolation

from pulsedocs.adapters.postgres.connection import Database
from pulsedocs.errors import IllegalTransition
from pulsedocs.pipeline import Outcome, State
from tests.integration.postgres.author import Author

STATES = list(State)
LEGAL_STATES = set(pairwise(STATES)) | {(state, state) for state in STATES}
OUTCOMES: list[Outcome | None] = [None, *Outcome]
LEGAL_OUTCOMES = (
    {(None, outcome) for outcome in OUTCOMES}
    | {(outcome, outcome) for outcome in OUTCOMES}
    | {(outcome, Outcome.DELETED) for outcome in OUTCOMES}
    | {(Outcome.PUBLISHED, Outcome.SUPERSEDED)}
    | {(ended, None) for ended in (Outcome.FAILED, Outcome.PARKED)}
    | {(ended, Outcome.CANCELLED) for ended in (Outcome.FAILED, Outcome.PARKED)}
)
SET = """
    UPDATE document_version
    SET state = coalesce(%(state)s, state), outcome = %(outcome)s, error = '{"code": "X"}'
"""


def code_of(connection: Connection[Any], statement: Any, parameters: Any = None) -> str | None:
    """Return the SQLSTATE with which a statement is refused, or None; leave nothing behind."""
    try:
        with connection.transaction(force_rollback=True):
            connection.execute(statement, parameters)
    except psycopg.Error as error:
        return error.sqlstate
    return None


def reach(connection: Connection[Any], state: State, outcome: Outcome | None = None) -> None:
    """Bring the only version there is to a state, one legal step after another."""
    for each in STATES[1 : STATES.index(state) + 1]:
        connection.execute(SET, {"state": each.value, "outcome": None})
    if outcome is not None:
        connection.execute(SET, {"state": None, "outcome": outcome.value})


@pytest.mark.parametrize("before", STATES)
def test_a_state_is_followed_by_the_next_one_only(
    before: State, author: Author, admin: Connection[Any]
) -> None:
    """S0-03: all 36 pairs."""
    author.register()
    reach(admin, before)

    for after in STATES:
        expected = None if (before, after) in LEGAL_STATES else "PD003"
        parameters = {"state": after.value, "outcome": None}
        assert code_of(admin, SET, parameters) == expected, (before, after)


@pytest.mark.parametrize("before", OUTCOMES)
def test_an_outcome_is_final_except_where_a_person_may_retry(
    before: Outcome | None, author: Author, admin: Connection[Any]
) -> None:
    """I5: all 100 pairs, including the way back to none."""
    author.register()
    reach(admin, State.EMBEDDED, before)

    for after in OUTCOMES:
        expected = None if (before, after) in LEGAL_OUTCOMES else "PD002"
        parameters = {"state": None, "outcome": None if after is None else after.value}
        assert code_of(admin, SET, parameters) == expected, (before, after)


@pytest.mark.parametrize(
    ("outcome", "state"),
    list(product([o for o in Outcome if o is not Outcome.PUBLISHED], [State.PROCESSING])),
)
def test_an_ended_version_goes_nowhere(
    outcome: Outcome, state: State, author: Author, admin: Connection[Any]
) -> None:
    author.register()
    reach(admin, State.UPLOADED, outcome)

    parameters = {"state": state.value, "outcome": outcome.value}
    assert code_of(admin, SET, parameters) == "PD003"


def test_only_an_embedded_version_is_published(author: Author, admin: Connection[Any]) -> None:
    author.register()
    reach(admin, State.CHUNKED)

    parameters = {"state": None, "outcome": "PUBLISHED"}
    assert code_of(admin, SET, parameters) == CheckViolation.sqlstate


def test_the_fence_never_falls(author: Author, admin: Connection[Any]) -> None:
    author.started()

    assert code_of(admin, "UPDATE document_version SET fence = fence - 1") == "PD001"


@pytest.mark.parametrize("column", ["object_version", "sequencer", "sha256"])
def test_the_bytes_of_a_version_never_change(
    column: str, author: Author, admin: Connection[Any]
) -> None:
    author.ingest()
    others = {"object_version": "other", "sequencer": "F" * 64, "sha256": b"\0" * 32}
    statement = sql.SQL("UPDATE document_version SET {} = %s").format(sql.Identifier(column))

    assert code_of(admin, statement, [others[column]]) == "PD004"
    assert code_of(admin, statement, [None]) == "PD004"


@pytest.mark.parametrize(
    "column", ["text", "chunk_index", "spans", "chunk_hash", "content_hash", "tokens"]
)
def test_a_chunk_never_changes(column: str, author: Author, admin: Connection[Any]) -> None:
    """S0-08: not even to the same value, not even by the superuser."""
    author.ingest()
    statement = sql.SQL("UPDATE document_chunk SET {0} = {0}").format(sql.Identifier(column))

    assert code_of(admin, statement) == "PD005"


def test_audit_rows_are_neither_changed_nor_removed(author: Author, admin: Connection[Any]) -> None:
    author.ingest()

    assert code_of(admin, "UPDATE audit_event SET actor = 'someone else'") == "PD005"
    assert code_of(admin, "DELETE FROM audit_event") == "PD005"


def test_a_version_is_born_uploaded(author: Author, admin: Connection[Any]) -> None:
    author.register()
    statement = """
        INSERT INTO document_version (
            tenant_id, document_id, version, collection_id, pipeline_revision, content_type, size,
            state, outcome)
        SELECT tenant_id, document_id, 2, collection_id, '1', 'text/plain', 1, %s, %s
        FROM document_version
    """

    for state, outcome in product(STATES, OUTCOMES):
        is_legal = state is State.UPLOADED and outcome in {None, Outcome.DUPLICATE}
        parameters = [state.value, None if outcome is None else outcome.value]
        assert code_of(admin, statement, parameters) == (None if is_legal else "PD003")


def test_one_version_at_most_reads_the_same_bytes(author: Author, admin: Connection[Any]) -> None:
    author.put_pages(author.started("first.txt"))
    author.register("second.txt")

    code = code_of(
        admin,
        "UPDATE document_version SET is_original = true,"
        " sha256 = (SELECT sha256 FROM document_version WHERE is_original)"
        " WHERE NOT is_original",
    )

    assert code == "23505"


def test_the_history_names_every_state_and_outcome_in_order(author: Author) -> None:
    """S0-03, seen from outside."""
    run = author.ingest()

    status = author.catalogue.status(author.tenant, run.document_id)

    assert [name for name, _at in status.history] == [*STATES, "PUBLISHED"]
    moments = [at for _name, at in status.history]
    assert moments == sorted(moments)


def test_a_refusal_of_the_database_has_the_product_s_name(
    author: Author, database_as: Callable[[str], Database]
) -> None:
    author.started()

    with pytest.raises(IllegalTransition, match="UPLOADED"):
        database_as("ingest").run(
            author.tenant, lambda tx: tx.execute("UPDATE document_version SET state = 'UPLOADED'")
        )


def test_another_tenant_s_versions_are_out_of_reach_of_an_update(
    author: Author, database_as: Callable[[str], Database]
) -> None:
    author.started()

    changed = database_as("ingest").run(
        uuid4(), lambda tx: tx.execute("UPDATE document_version SET fence = fence + 1").rowcount
    )

    assert changed == 0
