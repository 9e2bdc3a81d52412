"""Retrieval policies of collections: every revision stays as it was written."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final
from uuid import UUID

from psycopg import Connection
from psycopg.rows import dict_row
from psycopg.types.json import Jsonb

from pulsedocs.adapters.postgres.audits import record_audit
from pulsedocs.adapters.postgres.connection import Database
from pulsedocs.adapters.postgres.queries import query
from pulsedocs.adapters.postgres.rows import no_collection
from pulsedocs.errors import Conflict
from pulsedocs.model.policies import DefinedProfile
from pulsedocs.model.retrieval import Profile
from pulsedocs.retrieval.profiles import policy_of, profile_with

_MOST_NAMES: Final = 32
_MOST_REVISIONS: Final = 1000  # of one name, as the table has it
_MOST_LISTED: Final = 1000


class PostgresProfileStore:
    """Implements `documents.ports.ProfileStore`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def profiles(
        self, tenant_id: UUID, collection: str, name: str | None = None
    ) -> list[DefinedProfile]:
        key = {"tenant_id": tenant_id, "collection": collection, "name": name}

        def read(tx: Connection[Any]) -> list[DefinedProfile]:
            found = _revisions(tx, key, most=_MOST_LISTED)
            wanted = {"tenant_id": tenant_id, "name": collection}
            if not found and tx.execute(query("collections"), wanted).fetchone() is None:
                raise no_collection(collection)
            return found

        return self._database.run(tenant_id, read, read_only=True)

    def define(
        self, tenant_id: UUID, collection: str, profile: Profile, *, actor: str
    ) -> DefinedProfile:
        """Add a revision; the newest one, put again, stays the newest."""
        key = {"tenant_id": tenant_id, "collection": collection, "actor": actor}

        def work(tx: Connection[Any]) -> DefinedProfile:
            locked = tx.cursor(row_factory=dict_row).execute(
                query("lock_collection"), {"tenant_id": tenant_id, "name": collection}
            )
            found = locked.fetchone()
            if found is None:
                raise no_collection(collection)
            known = _revisions(tx, key | {"name": None}, most=_MOST_LISTED)
            revisions = [item for item in known if item.profile.name == profile.name]
            if revisions:
                newest = revisions[0].profile
                if replace(profile, revision=newest.revision) == newest:
                    return revisions[0]
            elif len({item.profile.name for item in known}) >= _MOST_NAMES:
                raise Conflict(f"{collection!r} has {_MOST_NAMES} profiles; change one of them")
            if len(known) >= _MOST_REVISIONS:
                raise Conflict(
                    f"{collection!r} has {_MOST_REVISIONS} revisions of profiles already"
                )
            return _add_revision(tx, found | key, profile)

        return self._database.run(tenant_id, work)


def newest_profile(
    tenant_id: UUID, collection: str, name: str, tx: Connection[Any]
) -> Profile | None:
    found = _revisions(tx, {"tenant_id": tenant_id, "collection": collection, "name": name}, most=1)
    return found[0].profile if found else None


def _add_revision(tx: Connection[Any], key: Mapping[str, Any], profile: Profile) -> DefinedProfile:
    row = {**key, "name": profile.name, "policy": Jsonb(policy_of(profile))}
    with tx.cursor(row_factory=dict_row) as cursor:
        added = cursor.execute(query("add_profile_revision"), row).fetchone()
    if added is None:  # an INSERT with RETURNING gives its row
        raise AssertionError
    revision, subject = added["revision"], f"{key['collection']}/{profile.name}"
    record_audit(tx, key["tenant_id"], key["actor"], "define_profile", subject, revision=revision)
    made = replace(profile, revision=revision)
    return DefinedProfile(made, added["created_at"], key["actor"])


def _revisions(tx: Connection[Any], key: Mapping[str, Any], *, most: int) -> list[DefinedProfile]:
    with tx.cursor(row_factory=dict_row) as cursor:
        rows = cursor.execute(query("profile_revisions"), {**key, "limit": most}).fetchall()
    return [
        DefinedProfile(
            profile_with(row["policy"] | {"name": row["name"], "revision": row["revision"]}),
            row["created_at"],
            row["created_by"],
        )
        for row in rows
    ]
