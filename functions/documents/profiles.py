"""Routes of retrieval policies: the product's own, and those that a collection defines."""

from datetime import datetime
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from functions.documents.api import api
from pulsedocs.bootstrap import databases
from pulsedocs.documents.profiles import define_profile, list_profiles, profile_revisions
from pulsedocs.edge.api import READ, WRITE, Path, caller, path_text
from pulsedocs.edge.tasks import to_json
from pulsedocs.model.policies import DefinedProfile

InPath = Annotated[str, Path(max_length=512)]


class RevisionView(BaseModel):
    """One revision; it never changes. Every value of the policy is in `values`."""

    name: str
    revision: int
    values: dict[str, Any]
    created_at: datetime
    created_by: str


class ProfilesView(BaseModel):
    """`built_in` are the product's own, `defined` the newest revisions of the collection's."""

    built_in: list[dict[str, Any]]
    defined: list[RevisionView]


class RevisionsView(BaseModel):
    revisions: list[RevisionView]


class ProfileRequest(BaseModel):
    """A policy: the values of `base`, as they are now, with those of `values` in their place."""

    model_config = ConfigDict(extra="forbid")

    base: Annotated[str, Field(min_length=1, max_length=64)] = "default"
    values: dict[str, Any] = Field(default_factory=dict)


@api.on("GET /collections/{name}/profiles", READ)
def profiles(name: InPath) -> ProfilesView:
    """List the retrieval policies that questions to a collection may name."""
    tenant_id = caller(api).tenant_id
    built_in, defined = list_profiles(
        tenant_id, path_text(name), profiles=databases.profile_store()
    )
    return ProfilesView(built_in=to_json(built_in), defined=[_view(each) for each in defined])


@api.on("GET /collections/{name}/profiles/{profile}", READ)
def profile(name: InPath, profile: InPath) -> RevisionsView:
    """Show all revisions of a policy, newest first."""
    tenant_id = caller(api).tenant_id
    found = profile_revisions(
        tenant_id, path_text(name), path_text(profile), profiles=databases.profile_store()
    )
    return RevisionsView(revisions=[_view(each) for each in found])


@api.on("PUT /collections/{name}/profiles/{profile}", WRITE)
def define(name: InPath, profile: InPath, request: ProfileRequest) -> RevisionView:
    """Add a revision of a policy; putting the newest one again changes nothing."""
    who = caller(api)
    made = define_profile(
        who.tenant_id,
        path_text(name),
        path_text(profile),
        base=request.base,
        values=request.values,
        actor=who.subject,
        profiles=databases.profile_store(),
    )
    return _view(made)


def _view(made: DefinedProfile) -> RevisionView:
    values = to_json(made.profile)
    return RevisionView(
        name=values.pop("name"),
        revision=values.pop("revision"),
        values=values,
        created_at=made.created_at,
        created_by=made.created_by,
    )
