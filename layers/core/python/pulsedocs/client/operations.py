"""The operations of a stage, written once; `service.py` gives them to programs that block."""

from collections.abc import AsyncGenerator, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Final, Self, Unpack, cast
from uuid import UUID, uuid4

from pulsedocs.client.adding import Arrivals
from pulsedocs.client.calls import Calls, Progress, say_nothing
from pulsedocs.client.documents import DocumentInput
from pulsedocs.client.options import (
    CONFIGURED,
    DocumentOptions,
    Filters,
    QuestionOptions,
    Strategy,
    UpdateOptions,
)
from pulsedocs.client.refusals import Json, RequestRefused, StageUnreachable
from pulsedocs.client.results import (
    AddDocumentsResponse,
    Answer,
    Chunk,
    DocumentResult,
    UpdateDocumentsResponse,
    result_of,
)
from pulsedocs.client.transport import PATIENCE_SECONDS, AwaitedWire, Token
from pulsedocs.errors import (
    BodyTooLarge,
    ConfigurationError,
    DocumentNotReady,
    InvalidRequest,
    NoDocumentsFoundError,
    NotFound,
)

if TYPE_CHECKING:  # it loads pydantic, which most programs here do not need
    from pulsedocs.client.configuration import Configuration

Documents = Iterable[DocumentInput | Path]

# Behind any other refusal of an update, such as REQUEST_IN_PROGRESS, it may have been done.
_NOTHING_DONE: Final = (InvalidRequest, BodyTooLarge, NotFound, DocumentNotReady)


class Operations(Calls):
    """Each method of `Calls` is an operation of the HTTP contract; these take several of them."""

    async def prepare(self, configuration: "Configuration") -> None:
        """Check the stage's health, and have the configuration's collection as it says.

        Raises ConfigurationError where the collection is searched by another model, or the stage
        reranks or answers by another one.
        """
        _refuse_other_models(configuration, (await self.check())["models"])
        name, model = configuration.vector_database.collection, configuration.embedding.name
        try:
            found = await self.collection(name)
        except RequestRefused as error:
            if error.code != "COLLECTION_NOT_FOUND":
                raise
            found = await self.create_collection(
                name,
                model=model,
                chunk_profile=configuration.chunking.method,
                language=configuration.vector_database.language,
                ocr_languages=configuration.pdf.ocr_languages,
            )
        if found["model"] != model:
            raise ConfigurationError(
                f"the collection {name!r} is searched by {found['model']}, the configuration has"
                f" {model}: name another collection, or migrate this one"
            )
        values = configuration.profile_values
        if values:
            base = configuration.retrieval.profile
            await self.define_profile(CONFIGURED, collection=name, base=base, **values)

    async def add_documents(
        self,
        documents: Documents,
        *,
        replaces: Filters | Sequence[UUID] | None = None,
        batch_size: int = 100,
        timeout: float = 600,  # noqa: ASYNC109 -- it ends the looking, not the ingestion
        on_progress: Progress = say_nothing,
        with_chunks: bool = True,
        **options: Unpack[DocumentOptions],
    ) -> AddDocumentsResponse:
        """Add documents and wait for each outcome; say of each what became of it.

        `metadata` is given to all; a document's own wins. `batch_size` documents are under way at
        once; how many texts are embedded at once is the stage's EMBEDDING_BATCH_SIZE. `options` are
        fields of `POST /documents`; the collection is made when it does not exist. `on_progress`
        hears of every document's status while it changes, of the first while others are being sent.
        One without an outcome after `timeout` seconds comes back as it stands, with its id; each
        other of its batch then has as long from its own sending on.

        With `replaces`, filters or ids, the documents take the place of those it names, in one
        transaction once all of them are ready; where one fails, none is published. One that is
        there already, unchanged, stays as it is, also where `replaces` names it.

        Where the stage stops answering, the call's patience is spent once, and each document that
        has no outcome by then has StageUnreachable as its error.

        Called again for the same documents it goes on where it ended: what is there already is
        known by its hash and not sent again. The answer has the chunks of each document, a request
        for each hundred of them, unless `with_chunks` is False.
        """
        if batch_size < 1:
            raise ValueError(f"batch_size is how many are under way at once, not {batch_size}")
        if replaces is not None:
            options["hold"] = True
        arrivals = Arrivals(self, options, seconds=timeout, on_progress=on_progress)
        waiting, results = iter(DocumentInput.each(documents)), list[DocumentResult]()
        while batch := list(islice(waiting, batch_size)):
            results += await arrivals.of(batch)
        added = AddDocumentsResponse(results, ())
        if replaces is not None:
            added = await self._in_place_of(replaces, results, options)
        if with_chunks and (replaces is None or added.success):  # else what was held is deleted
            return replace(added, chunks=await self._chunks_of(added.results))
        return added

    async def update_documents(
        self,
        strategy: Strategy,
        *,
        new_documents: Documents = (),
        timeout: float = 600,  # noqa: ASYNC109 -- as in add_documents
        **options: Unpack[UpdateOptions],
    ) -> UpdateDocumentsResponse:
        """Replace, append, delete, upsert, or change metadata of many documents at once.

        `new_documents` are held until the update publishes them, in the moment in which the old
        ones go. Where one of them fails nothing is changed, and its error is raised by its class.
        One that is there already, unchanged, stays as it is. Raises NoDocumentsFoundError,
        CollectionNotFoundError; what was held is deleted then. Where an error leaves open whether
        the update was done, such as REQUEST_IN_PROGRESS, nothing is deleted for it.
        """
        given: Json = {**options}
        if "collection" not in given and "collection" in self._of_documents:
            given["collection"] = self._of_documents["collection"]
        chosen = DocumentOptions(hold=True)
        if given.get("collection") is not None:
            await self.collection(given["collection"])  # a document would make it
            chosen["collection"] = given["collection"]
        held = await self.add_documents(new_documents, timeout=timeout, **chosen)
        if not held.success:
            await self._drop(held.results)
            held.raise_for_errors()
        return await self._update(strategy, held.results, given)

    async def _in_place_of(
        self,
        replaced: Filters | Sequence[UUID],
        results: list[DocumentResult],
        options: DocumentOptions,
    ) -> AddDocumentsResponse:
        """Publish what is held in the place of other documents, or drop it where one failed."""
        if any(each.error is not None for each in results):
            await self._drop(results)
            return AddDocumentsResponse(results, ())
        given: Json = {"collection": {**self._of_documents, **options}.get("collection")}
        given["filters" if isinstance(replaced, Mapping) else "document_ids"] = replaced
        is_first = all(each.is_held for each in results)
        is_last = not any(each.is_held for each in results)
        strategy: Strategy = "replace" if is_first else "delete" if is_last else "upsert"
        try:
            done = await self._update(strategy, results, given)
        except NoDocumentsFoundError:
            if not is_last:
                raise
            done = None  # it had ended before
        published = [
            result_of(each.name, await self.status(each.document_id))
            for each in results
            if each.document_id is not None
        ]
        return AddDocumentsResponse(published, (), done)

    async def _update(
        self, strategy: Strategy, results: Sequence[DocumentResult], given: Json
    ) -> UpdateDocumentsResponse:
        """Publish what is held, or drop it; what was there already is no part of the update."""
        held = [each.document_id for each in results if each.is_held]
        kept = {each.document_id for each in results if not each.is_held}
        if kept and given.get("filters"):
            is_other = {"document_id": {"$nin": [*kept]}}
            given = given | {"filters": {"$and": [given["filters"], is_other]}}
        if kept and given.get("document_ids"):
            others = [each for each in given["document_ids"] if UUID(str(each)) not in kept]
            if not others and not held:
                raise NoDocumentsFoundError("all that are named are there already, unchanged")
            given = given | {"document_ids": others}
        ids = [*given.get("new_document_ids", ()), *held]
        body = {"strategy": strategy, **given, **({"new_document_ids": ids} if ids else {})}
        try:
            updated = await self.call("POST", "/documents/update", body)
        except _NOTHING_DONE:
            await self._drop(results)
            raise
        return cast("UpdateDocumentsResponse", updated)

    async def _drop(self, results: Iterable[DocumentResult]) -> None:
        """Delete what is still held for an update that does not come.

        A repeated request is refused for what its first sending did: then it is held no more.
        """
        for each in results:
            if not each.is_held or each.document_id is None:
                continue
            now = result_of(each.name, await self.status(each.document_id))
            if now.is_held:
                await self.delete(each.document_id)

    async def _chunks_of(self, results: Iterable[DocumentResult]) -> list[Chunk]:
        found: dict[UUID, list[Chunk]] = {}
        for each in results:
            if each.document_id is None or not each.status or not each.status["chunks"]:
                continue
            try:
                found[each.document_id] = [one async for one in self.chunks(each.document_id)]
            except RequestRefused:  # deleted meanwhile
                continue
            except StageUnreachable:  # nor will it say of the others
                break
        return [chunk for chunks in found.values() for chunk in chunks]


class AsyncConversation:
    """Questions that know those before them; the stage keeps the turns under `id`.

    `options` are those of `ask`, for every question of the conversation.
    """

    def __init__(
        self, operations: Operations, conversation_id: UUID | None, options: QuestionOptions
    ) -> None:
        self.id = conversation_id or uuid4()
        self._operations = operations
        self._options = options | QuestionOptions(conversation_id=self.id)

    async def ask(self, question: str, **options: Unpack[QuestionOptions]) -> Answer:
        """Answer a question; what it leaves out is taken from the turns before."""
        return await self._operations.ask(question, **{**self._options, **options})

    async def stream(
        self, question: str, **options: Unpack[QuestionOptions]
    ) -> AsyncGenerator[Json]:
        """Yield the lines of an answer while it is written."""
        async for line in self._operations.stream(question, **{**self._options, **options}):
            yield line

    async def turns(self) -> list[Json]:
        """Return what was asked and answered, with the traces."""
        return (await self._operations.conversation(self.id))["turns"]

    async def delete(self) -> None:
        """Have the stage forget the turns."""
        await self._operations.delete_conversation(self.id)


class AsyncPulseDocs(Operations):
    """The operations of a stage, for programs with an event loop."""

    def __init__(
        self,
        url: str,
        token: Token,
        *,
        configuration: "Configuration | None" = None,
        patience: float = PATIENCE_SECONDS,
        trust_env: bool = True,
    ) -> None:
        wire = AwaitedWire(url, token, patience=patience, trust_env=trust_env)
        super().__init__(wire, configuration)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.wire.close()

    def chat(
        self, conversation: UUID | None = None, **options: Unpack[QuestionOptions]
    ) -> AsyncConversation:
        """Begin a conversation, or go on with one."""
        return AsyncConversation(self, conversation, options)

    @classmethod
    async def configured(cls, configuration: "Configuration", *, trust_env: bool = True) -> Self:
        """Connect to the stage of a configuration, once it answers and has the collection."""
        url, token = address_of(configuration)
        docs = cls(url, token, configuration=configuration, trust_env=trust_env)
        try:
            await docs.prepare(configuration)
        except BaseException:
            await docs.wire.close()
            raise
        return docs


def address_of(configuration: "Configuration") -> tuple[str, str]:
    """Return a stage's address and token; raise ConfigurationError for one that has to start."""
    database = configuration.vector_database
    if database.url is None or database.token is None:
        raise ConfigurationError("the configuration names no stage: `pulsedocs.local` starts one")
    return database.url, database.token


def _refuse_other_models(configuration: "Configuration", own: Json) -> None:
    """Raise ConfigurationError where the stage has other models than it names.

    A stage that has a reranker does without one where a question says so; with a language model
    it answers by it.
    """
    wanted = {"chat": configuration.language_model.name, "reranker": configuration.reranking.name}
    others = [
        f"its {part} is {own[part] or 'off'}, the configuration has {model}"
        for part, model in wanted.items()
        if model and own[part] != model
    ]
    if others:
        raise ConfigurationError(f"the stage has other models: {'; '.join(others)}")
