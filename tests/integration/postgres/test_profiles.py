"""A collection's own policies: revisions are added, never changed, and belong to one tenant."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any
from uuid import uuid4

import psycopg
import pytest
from psycopg import Connection

from pulsedocs.adapters.postgres.connection import Database
from pulsedocs.adapters.postgres.documents.profiles import PostgresProfileStore
from pulsedocs.adapters.postgres.questions.retrieval import PostgresRetrievalStore
from pulsedocs.documents.profiles import (
    define_profile,
    list_profiles,
    profile_revisions,
)
from pulsedocs.errors import (
    CollectionNotFoundError,
    Conflict,
    InvalidRequest,
    ProfileNotFound,
)
from pulsedocs.model.retrieval import Scope
from pulsedocs.questions.policies import policy_named
from pulsedocs.retrieval.profiles import PROFILES, defined, profile_named
from tests.integration.postgres.author import Author


@pytest.fixture
def profiles(database_as: Callable[[str], Database]) -> PostgresProfileStore:
    return PostgresProfileStore(database_as("api"))


@pytest.fixture
def asking(database_as: Callable[[str], Database]) -> PostgresRetrievalStore:
    return PostgresRetrievalStore(database_as("query"))


@pytest.fixture
def tenant(author: Author) -> Any:
    author.register()
    return author.tenant


def put(profiles: PostgresProfileStore, tenant: Any, name: str = "legal", **values: Any) -> Any:
    base = values.pop("base", "default")
    return define_profile(
        tenant, "default", name, base=base, values=values, actor="ann", profiles=profiles
    )


def test_a_changed_policy_is_a_new_revision_and_the_old_one_stays(
    profiles: PostgresProfileStore, tenant: Any
) -> None:
    first, second = put(profiles, tenant, gate=0.4), put(profiles, tenant, gate=0.5)

    found = profile_revisions(tenant, "default", "legal", profiles=profiles)

    assert [item.profile.revision for item in found] == [2, 1]
    assert found == [second, first]
    assert [item.profile.gate for item in found] == [0.5, 0.4]
    assert {item.created_by for item in found} == {"ann"}


def test_the_same_policy_again_is_no_revision(profiles: PostgresProfileStore, tenant: Any) -> None:
    assert put(profiles, tenant, gate=0.4) == put(profiles, tenant, gate=0.4)
    assert len(profiles.profiles(tenant, "default")) == 1


def test_a_question_gets_the_newest_revision_in_full(
    profiles: PostgresProfileStore, asking: PostgresRetrievalStore, tenant: Any
) -> None:
    put(profiles, tenant, gate=0.4)
    put(profiles, tenant, gate=0.4, per_page=1, ordering="best_score")

    found = policy_named("legal", Scope(tenant), store=asking)

    expected = defined("legal", profile_named("default"), {"per_page": 1, "gate": 0.4})
    assert found == replace(expected, revision=2, ordering=found.ordering)
    assert found.ordering.value == "best_score"


def test_a_policy_may_start_from_another_of_the_collection(
    profiles: PostgresProfileStore, tenant: Any
) -> None:
    put(profiles, tenant, gate=0.4)

    made = put(profiles, tenant, "stricter", base="legal", per_page=1)

    assert (made.profile.gate, made.profile.per_page, made.profile.revision) == (0.4, 1, 1)
    built_in, own = list_profiles(tenant, "default", profiles=profiles)
    assert len(built_in) == len(PROFILES)
    assert [item.profile.name for item in own] == ["legal", "stricter"]


@pytest.mark.parametrize("name", ["nobody", "legal"])
def test_another_tenants_policy_is_one_that_is_not_there(
    profiles: PostgresProfileStore,
    asking: PostgresRetrievalStore,
    author: Author,
    tenant: Any,
    name: str,
) -> None:
    put(profiles, tenant)
    del author
    stranger = uuid4()

    with pytest.raises(ProfileNotFound):
        policy_named(name, Scope(stranger), store=asking)
    with pytest.raises(CollectionNotFoundError):
        profiles.profiles(stranger, "default")
    with pytest.raises(CollectionNotFoundError):
        put(profiles, stranger)


def test_a_built_in_name_cannot_be_taken(profiles: PostgresProfileStore, tenant: Any) -> None:
    for name in ("default", "v0.5", "Bad Name", "", "x" * 65):
        with pytest.raises(InvalidRequest):
            put(profiles, tenant, name)


def test_names_are_bounded(profiles: PostgresProfileStore, tenant: Any) -> None:
    for number in range(32):
        put(profiles, tenant, f"p{number}")

    with pytest.raises(Conflict, match="32 profiles"):
        put(profiles, tenant, "one-more")
    assert put(profiles, tenant, "p0", gate=0.9).profile.revision == 2


def test_a_revision_cannot_be_changed_in_the_database(
    profiles: PostgresProfileStore, admin: Connection[Any], tenant: Any
) -> None:
    put(profiles, tenant)

    with pytest.raises(psycopg.DatabaseError, match="never changed"):
        admin.execute("UPDATE retrieval_profile SET policy = '{}'")
