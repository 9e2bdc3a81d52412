"""Retrieval profiles of a collection: listed, and defined by revisions that never change."""

from collections.abc import Mapping
from typing import Any, Final
from uuid import UUID

from pulsedocs.documents.ports import ProfileStore
from pulsedocs.errors import CollectionNotFoundError, ProfileNotFound
from pulsedocs.model.policies import DefinedProfile
from pulsedocs.model.retrieval import Profile
from pulsedocs.retrieval.profiles import PROFILES, defined, is_built_in, profile_named

COLLECTIONS_OWN: Final = "pulsedocs"
"""What programs for OpenAI's API name to leave the policy to the collection."""


def list_profiles(
    tenant_id: UUID, collection: str, *, profiles: ProfileStore
) -> tuple[list[Profile], list[DefinedProfile]]:
    """Return the product's policies and the newest revision of each of the collection's."""
    newest: dict[str, DefinedProfile] = {}
    for each in profiles.profiles(tenant_id, collection):
        newest.setdefault(each.profile.name, each)
    return list(PROFILES.values()), list(newest.values())


def profiles_to_ask_by(
    tenant_id: UUID, collection: str, *, profiles: ProfileStore
) -> tuple[list[Profile], list[DefinedProfile]]:
    """As `list_profiles`; a collection that is not there yet has the product's policies."""
    try:
        return list_profiles(tenant_id, collection, profiles=profiles)
    except CollectionNotFoundError:
        return list(PROFILES.values()), []


def profile_revisions(
    tenant_id: UUID, collection: str, name: str, *, profiles: ProfileStore
) -> list[DefinedProfile]:
    """Return all revisions of one policy, newest first; raise ProfileNotFound."""
    found = profiles.profiles(tenant_id, collection, name)
    if not found:
        shown = name[:64]
        message = f"the collection {collection!r} has no profile {shown!r}"
        raise ProfileNotFound(message, collection=collection, profile=shown)
    return found


def define_profile(
    tenant_id: UUID,
    collection: str,
    name: str,
    *,
    base: str,
    values: Mapping[str, Any],
    actor: str,
    profiles: ProfileStore,
) -> DefinedProfile:
    """Add a revision of a policy: a base with other values, all of them kept as they are now.

    `base` is one of the product's or one of the collection's own. Raises InvalidRequest,
    ProfileNotFound, CollectionNotFoundError.
    """
    origin = profile_named(base) if is_built_in(base) else None
    if origin is None:
        origin = profile_revisions(tenant_id, collection, base, profiles=profiles)[0].profile
    return profiles.define(tenant_id, collection, defined(name, origin, values), actor=actor)
