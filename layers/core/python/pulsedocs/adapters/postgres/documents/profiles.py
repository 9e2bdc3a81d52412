"""Retrieval policies of collections: every revision stays as it was written."""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any, Final
from uuid import UUID

from psycopg import Connection
from psycopg.rows import DictRow, dict_row
from psycopg.types.json import Jsonb

from pulsedocs.adapters.postgres.connection import Database
from pulsedocs.adapters.postgres.queries import query
from pulsedocs.errors import CollectionNotFoundError, Conflict
from pulsedocs.model.policies import DefinedProfile
from pulsedocs.model.retrieval import Profile
from pulsedocs.retrieval.profiles import policy_of, profile_with

_MOST_NAMES: Final = 32
_MOST_REVISIONS: Final = 1000  # of one name, as the table has it
_MOST_LISTED: Final = 1000


class PostgresProfileStore:
    """Implements `ports.documents.ProfileStore`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def profiles(
        self, tenant_id: UUID, collection: str, name: str | None = None
    ) -> list[DefinedProfile]:
        read = partial(_known, {"tenant_id": tenant_id, "collection": collection, "name": name})
        return self._database.run(tenant_id, read, read_only=True)

    def define(
        self, tenant_id: UUID, collection: str, profile: Profile, *, actor: str
    ) -> DefinedProfile:
        work = partial(_define, tenant_id, collection, profile, actor)
        return self._database.run(tenant_id, work)


def newest_profile(
    tenant_id: UUID, collection: str, name: str, tx: Connection[Any]
) -> Profile | None:
    found = _rows(tx, {"tenant_id": tenant_id, "collection": collection, "name": name}, most=1)
    return found[0].profile if found else None


def _known(key: Mapping[str, Any], tx: Connection[Any]) -> list[DefinedProfile]:
    found = _rows(tx, key, most=_MOST_LISTED)
    wanted = {"tenant_id": key["tenant_id"], "name": key["collection"]}
    if not found and tx.execute(query("collections"), wanted).fetchone() is None:
        raise _unknown(key["collection"])
    return found


def _define(
    tenant_id: UUID, collection: str, profile: Profile, actor: str, tx: Connection[Any]
) -> DefinedProfile:
    """Add a revision; the newest one, put again, stays the newest."""
    key = {"tenant_id": tenant_id, "name": collection}
    with tx.cursor(row_factory=dict_row) as cursor:
        locked = cursor.execute(query("lock_collection"), key).fetchone()
    if locked is None:
        raise _unknown(collection)
    known = _rows(
        tx, {"tenant_id": tenant_id, "collection": collection, "name": None}, most=_MOST_LISTED
    )
    revisions = [item for item in known if item.profile.name == profile.name]
    if revisions and replace(profile, revision=revisions[0].profile.revision) == (
        revisions[0].profile
    ):
        return revisions[0]
    _refuse_too_many(known, revisions, collection=collection)
    made = {**locked, "tenant_id": tenant_id, "actor": actor, "collection": collection}
    return _added(tx, made, profile)


def _refuse_too_many(
    known: list[DefinedProfile], revisions: list[DefinedProfile], *, collection: str
) -> None:
    names = {item.profile.name for item in known}
    if not revisions and len(names) >= _MOST_NAMES:
        raise Conflict(f"{collection!r} has {_MOST_NAMES} profiles; change one of them")
    if len(known) >= _MOST_REVISIONS:
        raise Conflict(f"{collection!r} has {_MOST_REVISIONS} revisions of profiles already")


def _added(tx: Connection[Any], key: Mapping[str, Any], profile: Profile) -> DefinedProfile:
    row = {**key, "name": profile.name, "policy": Jsonb(policy_of(profile))}
    with tx.cursor(row_factory=dict_row) as cursor:
        added = cursor.execute(query("add_profile_revision"), row).fetchone()
    if added is None:  # an INSERT with RETURNING gives its row
        raise AssertionError
    event = {
        "action": "define_profile",
        "object": f"{key['collection']}/{profile.name}",
        "outcome": "DONE",
        "detail": Jsonb({"revision": added["revision"]}),
    }
    tx.execute(query("record_audit"), {**key, **event})
    made = replace(profile, revision=added["revision"])
    return DefinedProfile(made, added["created_at"], key["actor"])


def _rows(tx: Connection[Any], key: Mapping[str, Any], *, most: int) -> list[DefinedProfile]:
    with tx.cursor(row_factory=dict_row) as cursor:
        rows = cursor.execute(query("profile_revisions"), {**key, "limit": most}).fetchall()
    return [_defined(row) for row in rows]


def _defined(row: DictRow) -> DefinedProfile:
    values = row["policy"] | {"name": row["name"], "revision": row["revision"]}
    return DefinedProfile(profile_with(values), row["created_at"], row["created_by"])


def _unknown(name: str) -> CollectionNotFoundError:
    return CollectionNotFoundError(f"there is no collection {name!r}", collection=name)
