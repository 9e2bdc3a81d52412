"""Routes of retrieval policies: the product's own, and those that a collection defines."""

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from functions.documents.api import api
from pulsedocs.bootstrap import databases
from pulsedocs.documents.profiles import (
    COLLECTIONS_OWN,
    define_profile,
    list_profiles,
    profile_revisions,
    profiles_to_ask_by,
)
from pulsedocs.edge.api import READ, WRITE, Query, caller, path_text
from pulsedocs.edge.parameters import OwnPolicy, PathName
from pulsedocs.edge.requests import PolicyName
from pulsedocs.edge.tasks import to_json
from pulsedocs.errors import ProfileNotFound
from pulsedocs.model.policies import DefinedProfile

InQuery = Annotated[str, Query(min_length=1, max_length=128)]


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

    base: Annotated[PolicyName, Field(max_length=64)] = "default"
    values: dict[str, Any] = Field(default_factory=dict)


class ChatModelView(BaseModel):
    """OpenAI's form of a model: here a policy to answer by. `created` 0 is the product's own."""

    id: str
    object: Literal["model"] = "model"
    created: int = 0
    owned_by: str = "pulsedocs"


class ChatModelsView(BaseModel):
    object: Literal["list"] = "list"
    data: list[ChatModelView]


@api.on("GET /v1/models", READ)
def chat_models(collection: InQuery = "default") -> ChatModelsView:
    """List, as OpenAI does, what `POST /v1/chat/completions` takes as its model.

    A collection that is not there yet has the product's own only.
    """
    return ChatModelsView(data=_chat_models(collection))


@api.on("GET /v1/models/{model}", READ)
def chat_model(model: PathName, collection: InQuery = "default") -> ChatModelView:
    """Show one of them."""
    wanted = path_text(model)
    for each in _chat_models(collection):
        if each.id == wanted:
            return each
    shown = wanted[:64]
    raise ProfileNotFound(f"no model {shown!r}; GET /v1/models lists them", model=shown)


def _chat_models(collection: str) -> list[ChatModelView]:
    tenant_id = caller(api).tenant_id
    built_in, defined = profiles_to_ask_by(
        tenant_id, collection, profiles=databases.profile_store()
    )
    return [
        ChatModelView(id=COLLECTIONS_OWN),
        *(ChatModelView(id=each.name) for each in built_in),
        *(
            ChatModelView(
                id=each.profile.name,
                created=int(each.created_at.timestamp()),
                owned_by=each.created_by,
            )
            for each in defined
        ),
    ]


@api.on("GET /collections/{name}/profiles", READ)
def profiles(name: PathName) -> ProfilesView:
    """List the retrieval policies that questions to a collection may name."""
    tenant_id = caller(api).tenant_id
    built_in, defined = list_profiles(
        tenant_id, path_text(name), profiles=databases.profile_store()
    )
    return ProfilesView(built_in=to_json(built_in), defined=[_view(each) for each in defined])


@api.on("GET /collections/{name}/profiles/{profile}", READ)
def profile(name: PathName, profile: PathName) -> RevisionsView:
    """Show all revisions of a policy, newest first."""
    tenant_id = caller(api).tenant_id
    found = profile_revisions(
        tenant_id, path_text(name), path_text(profile), profiles=databases.profile_store()
    )
    return RevisionsView(revisions=[_view(each) for each in found])


@api.on("PUT /collections/{name}/profiles/{profile}", WRITE)
def define(name: PathName, profile: OwnPolicy, request: ProfileRequest) -> RevisionView:
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
