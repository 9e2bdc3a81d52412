"""Routes of collections: named sets of documents, and what each chooses for them."""

from datetime import datetime
from http import HTTPStatus
from typing import Annotated, Any
from uuid import UUID

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints

from functions.documents.api import api
from pulsedocs import bootstrap
from pulsedocs.bootstrap import buckets, databases, providers
from pulsedocs.documents.collections import change_collection, create_collection, delete_collection
from pulsedocs.edge.api import READ, WRITE, Query, caller, path_text
from pulsedocs.edge.parameters import PathName
from pulsedocs.edge.requests import (
    ChunkProfileName,
    EmbeddingModel,
    Name,
    PolicyName,
    Written,
    matching,
)
from pulsedocs.edge.tasks import to_json
from pulsedocs.ingestion.check_chunking import check_chunking
from pulsedocs.model.changes import Collection, CollectionChoices
from pulsedocs.model.languages import CODES, language_named, text_search_of
from pulsedocs.model.pages import RECOGNISED


def _each_by_itself(names: list[str]) -> list[str]:
    """Return the languages that Tesseract would be told as one word: "eng+deu"."""
    return [name for several in names for name in several.split("+")]


Language = Annotated[
    str,
    Written(r"^[A-Za-z_]{1,63}$", "must be the name or the code of a language"),
    Field(
        description="By its name or its code of ISO 639-1, in letters of either case:"
        f" {', '.join(f'{name} ({code})' for name, code in sorted(CODES.items()))};"
        " `simple` for any other.",
    ),
    AfterValidator(language_named),
]
RecognisedCodes = Annotated[
    str,
    StringConstraints(min_length=1, max_length=200),
    Field(json_schema_extra=matching(RECOGNISED)),
]
LanguageCodes = Annotated[
    list[RecognisedCodes], Field(max_length=8), AfterValidator(_each_by_itself)
]


class CollectionRequest(BaseModel):
    """A collection to make; what is left out is the stage's default.

    Where its model does not know the language, `local:muse@512`, if that does.
    """

    model_config = ConfigDict(extra="forbid")

    name: Name
    model: EmbeddingModel | None = None
    chunk_profile: ChunkProfileName | None = None
    retrieval_profile: PolicyName | None = None
    language: Language = "english"
    ocr_languages: LanguageCodes | None = None

    def to_choices(self) -> CollectionChoices:
        defaults = bootstrap.settings()
        return CollectionChoices(
            model=self.model or providers.model_for(self.language),
            chunk_profile=self.chunk_profile or defaults.chunk_profile,
            retrieval_profile=self.retrieval_profile or defaults.retrieval_profile,
            language=text_search_of(self.language),
            ocr_languages=self.ocr_languages,
        )


class CollectionView(BaseModel):
    name: str
    model: str
    chunk_profile: str
    retrieval_profile: str
    language: str
    ocr_languages: list[str] | None
    documents: int
    created_at: datetime


class CollectionsView(BaseModel):
    collections: list[CollectionView]


@api.on("GET /collections", READ)
def collections() -> CollectionsView:
    """List the collections by name."""
    tenant_id = caller(api).tenant_id
    found = databases.collection_store().list_collections(tenant_id)
    return CollectionsView(collections=[_view(each) for each in found])


@api.on("POST /collections", WRITE, status=HTTPStatus.CREATED)
def create(request: CollectionRequest) -> CollectionView:
    """Make an empty collection; an upload into a name that does not exist makes one too."""
    who, choices = caller(api), request.to_choices()
    _check_profile(choices.chunk_profile)
    providers.check_model(choices.model)
    store = databases.collection_store()
    return _view(
        create_collection(
            who.tenant_id, request.name, choices, actor=who.subject, collections=store
        )
    )


@api.on("GET /collections/{name}", READ)
def collection(name: PathName) -> CollectionView:
    """Show one collection."""
    tenant_id = caller(api).tenant_id
    return _view(databases.collection_store().collection(tenant_id, path_text(name)))


class CollectionChanges(BaseModel):
    """What to change; model and language only while the collection has no documents.

    What is left out stays. Null for `ocr_languages` is the stage's choice again.
    """

    model_config = ConfigDict(extra="forbid", json_schema_extra={"minProperties": 1})

    # Without a default of their own, and not nullable: only what is given is read.
    model: EmbeddingModel = Field(default_factory=str)
    chunk_profile: ChunkProfileName = Field(default_factory=str)
    retrieval_profile: PolicyName = Field(default_factory=str)
    language: Annotated[Language, AfterValidator(text_search_of)] = Field(default_factory=str)
    ocr_languages: LanguageCodes | None = None


@api.on("PATCH /collections/{name}", WRITE)
def change(name: PathName, request: CollectionChanges) -> CollectionView:
    """Change what a collection chooses for documents to come and for questions."""
    who = caller(api)
    changed: dict[str, Any] = request.model_dump(exclude_unset=True)
    if "chunk_profile" in changed:
        _check_profile(changed["chunk_profile"])
    if "model" in changed:
        providers.check_model(changed["model"])
    return _view(
        change_collection(
            who.tenant_id,
            path_text(name),
            changed,
            actor=who.subject,
            collections=databases.collection_store(),
            profiles=databases.profile_store(),
        )
    )


class DeletedCollectionView(BaseModel):
    """The receipts are those of its documents."""

    name: str
    receipt_ids: list[UUID]


@api.on("DELETE /collections/{name}", WRITE, status=HTTPStatus.ACCEPTED)
def delete(
    name: PathName,
    cascade: Annotated[bool, Query()] = False,  # noqa: FBT002 -- a query parameter
) -> DeletedCollectionView:
    """Delete a collection that is empty, or with `cascade` its documents too."""
    who, named = caller(api), path_text(name)
    receipt_ids = delete_collection(
        who.tenant_id,
        named,
        is_cascading=cascade,
        actor=who.subject,
        collections=databases.collection_store(),
        objects=buckets.object_store(),
    )
    return DeletedCollectionView(name=named, receipt_ids=[*receipt_ids])


def _check_profile(name: str) -> None:
    check_chunking({"profile": name}, plugin_chunker=providers.plugin_chunker)


def _view(found: Collection) -> CollectionView:
    fields = to_json(found)
    return CollectionView.model_validate(fields | fields.pop("choices"))
