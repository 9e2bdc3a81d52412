"""The operations of a stage that are one request, or one that is repeated until it is over."""

import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Mapping, Sequence
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Unpack, cast
from urllib.parse import quote
from uuid import UUID

from pulsedocs.client.documents import DocumentInput
from pulsedocs.client.options import (
    CollectionOptions,
    DocumentOptions,
    Filters,
    OtherPolicy,
    QuestionOptions,
    ScopeOptions,
)
from pulsedocs.client.refusals import Json, RequestRefused, unsendable
from pulsedocs.client.results import Answer, Chunk, RetrievalResponse, is_over
from pulsedocs.client.transport import Request, Upload, Wire, json_text
from pulsedocs.errors import StillRunning
from pulsedocs.model.evaluations import MOST_QUESTIONS

if TYPE_CHECKING:  # it loads pydantic, which most programs here do not need
    from pulsedocs.client.configuration import Configuration

Progress = Callable[[Json], None]

_FIRST_POLL_SECONDS: Final = 0.15
_SLOWEST_POLL_SECONDS: Final = 2.0
_EVALUATION_SECONDS: Final = 1000.0  # a run has 840 and may wait for its turn
_PROOF_SECONDS: Final = 300.0
_PAGE: Final = 100  # the most that a listing gives at once
_ENDED: Final = frozenset({"DONE", "FAILED"})
_NO_SEGMENTS: Final = frozenset({"", ".", ".."})  # httpx and proxies fold them away


def say_nothing(_status: Json) -> None:
    """Stand in where nobody listens."""


class Calls:
    """One tenant's view of a stage: each method is an operation of the HTTP contract.

    A stage whose database is waking up answers late: calls wait up to `patience` seconds, and raise
    StageUnreachable then; after 4 where nobody has answered yet. Refusals are RequestRefused, each
    of its class of `pulsedocs.errors` too.
    """

    def __init__(self, wire: Wire, configuration: "Configuration | None" = None) -> None:
        self.wire = wire
        self._of_documents = DocumentOptions()
        self._of_questions = QuestionOptions()
        self._accepted_at: dict[UUID, datetime] = {}
        if configuration is not None:
            self._of_documents = configuration.document_options
            self._of_questions = configuration.question_options

    async def check(self) -> Json:
        """Ask the stage whether its database, bucket and models answer; return what each said.

        `models` are those that it embeds, reranks and answers with.

        Raises StageNotReady, whose context names what does not, once `patience` is over.
        """
        return await self.call("GET", "/health/ready")

    # ------------------------------------------------------------------------------- documents

    async def add(self, document: DocumentInput | Path, **options: Unpack[DocumentOptions]) -> UUID:
        """Send one document and return its id, without waiting; filters know its `source_type`."""
        item = DocumentInput.of(document)
        given = {**self._of_documents, **options}
        metadata = {**cast("Json", given.pop("metadata", {})), **item.metadata}
        own = {"metadata": {"source_type": item.source_type, **metadata}}
        registered = await self.call("POST", "/documents", given | item.registration() | own)
        if registered["upload"] is not None and registered["duplicate_of"] is None:
            with item.opened() as body:
                await self.wire.store(Upload(registered["upload"], body, item.name, item.type))
        return UUID(registered["duplicate_of"] or registered["document_id"])

    async def add_url(self, url: str, **options: Unpack[DocumentOptions]) -> UUID:
        """Let the stage fetch a web page; return the document's id."""
        body = {**self._of_documents, **options, "url": url}
        accepted = await self.call("POST", "/ingest", body)
        document_id = UUID(accepted["document_id"])
        self._accepted_at[document_id] = datetime.fromisoformat(accepted["accepted_at"])
        return document_id

    async def wait(
        self,
        document_id: UUID,
        *,
        since: datetime | None = None,
        seconds: float = 600,
        on_progress: Progress = say_nothing,
    ) -> Json:
        """Poll until the document has an outcome, or is held; return its status.

        Raises StillRunning, a TimeoutError, and DocumentNotFound where it is deleted meanwhile. One
        added by reference has no status of its own until its run begins: that is waited for where
        `since` is given, the `accepted_at` that `POST /ingest` answers, and what was received
        before it is an earlier version's. Of `add_url` the client knows it.
        """
        since = since or self._accepted_at.get(document_id)

        async def look() -> Json | None:
            try:
                status = await self.status(document_id)
            except RequestRefused as error:
                if since is not None and error.code == "DOCUMENT_NOT_FOUND":
                    return None
                raise
            return None if since is not None and _was_before(since, status) else status

        status = await self._polled(look, is_over, seconds=seconds, on_progress=on_progress)
        if status is None:
            message = f"document {document_id} has no outcome after {seconds:.0f} s"
            raise StillRunning(message, document_id=str(document_id))
        return status

    async def status(self, document_id: UUID) -> Json:
        return await self.call("GET", _document(document_id))

    async def documents(
        self,
        *,
        collection: str | None = None,
        state: str | None = None,
        filters: Filters | None = None,
    ) -> AsyncGenerator[Json]:
        """Yield the statuses of all documents, newest first, page by page."""
        asked: Json = {"collection": collection, "state": state}
        if filters is not None:
            asked["filter"] = json_text(filters)
        async for each in self._pages("/documents", "documents", asked):
            yield each

    async def chunks(self, document_id: UUID) -> AsyncGenerator[Chunk]:
        """Yield a document's chunks in reading order."""
        async for each in self._pages(f"{_document(document_id)}/chunks", "chunks", {}):
            yield cast("Chunk", each)

    async def versions(self, document_id: UUID) -> AsyncGenerator[Json]:
        """Yield the versions of a document, newest first, each with what took its place."""
        async for each in self._pages(f"{_document(document_id)}/versions", "versions", {}):
            yield each

    async def page(self, document_id: UUID, number: int, *, version: int | None = None) -> Json:
        """Return a page's text, which the offsets of citations count in, and its sections."""
        path = f"{_document(document_id)}/pages/{_segment(number)}"
        return await self.call("GET", path, parameters={"version": version})

    async def highlight(
        self, document_id: UUID, page: int, *, start: int, end: int, version: int | None = None
    ) -> Json:
        """Find words on a page as drawn: boxes in PDF points from the top left."""
        path = f"{_document(document_id)}/pages/{_segment(page)}/highlight"
        where = {"start": start, "end": end, "version": version}
        return await self.call("GET", path, parameters=where)

    async def file_url(self, document_id: UUID) -> str:
        """Return an address that gives the file as it was sent, for a few minutes."""
        return (await self.call("GET", f"{_document(document_id)}/file"))["url"]

    async def change(self, document_id: UUID, **fields: Any) -> Json:  # noqa: ANN401 -- metadata
        """Change title, content_date or keys of the metadata; None takes one away."""
        return await self.call("PATCH", _document(document_id), fields)

    async def delete(self, document_id: UUID) -> UUID:
        """Delete a document; return the id of the receipt that proves it."""
        return UUID((await self.call("DELETE", _document(document_id)))["receipt_id"])

    async def receipt(self, receipt_id: UUID) -> Json:
        return await self.call("GET", f"/deletions/{_segment(receipt_id)}")

    async def proof(self, receipt_id: UUID, *, seconds: float = _PROOF_SECONDS) -> Json:
        """Wait until a deletion is done and verified; return its receipt. Raises StillRunning."""
        found = await self._polled(
            partial(self.receipt, receipt_id),
            lambda receipt: receipt["completed_at"] is not None and not receipt["is_verifying"],
            seconds=seconds,
        )
        if found is None:
            message = f"deletion {receipt_id} is not proved after {seconds:.0f} s"
            raise StillRunning(message, receipt_id=str(receipt_id))
        return found

    async def audit(self) -> AsyncGenerator[Json]:
        """Yield who did what in the tenant, newest first; for operators."""
        async for each in self._pages("/audit", "events", {}):
            yield each

    async def cancel(self, document_id: UUID) -> Json:
        return await self.call("POST", f"{_document(document_id)}/cancel")

    async def retry(self, document_id: UUID) -> Json:
        return await self.call("POST", f"{_document(document_id)}/retry")

    async def redrive(self, **options: Any) -> Json:  # noqa: ANN401 -- fields of the contract
        """Ingest the documents again that stopped: `code`, `older_than`, `limit`, `dry_run`."""
        return await self.call("POST", "/operations/redrive", options)

    async def add_batch(self, s3_prefix: str, **options: Unpack[DocumentOptions]) -> UUID:
        """Let the stage ingest all objects below a prefix; return the batch's id."""
        body = {**self._of_documents, **options, "s3_prefix": s3_prefix}
        return UUID((await self.call("POST", "/ingest/batch", body))["batch_id"])

    async def batch(self, batch_id: UUID) -> Json:
        """Show how far a batch is: counts by outcome, and the first failures."""
        return await self.call("GET", f"/batches/{_segment(batch_id)}")

    async def resume_batch(self, batch_id: UUID) -> Json:
        """Go on with a batch that stopped."""
        return await self.call("POST", f"/batches/{_segment(batch_id)}/resume")

    # ----------------------------------------------------------------------------- collections

    async def collections(self) -> list[Json]:
        return (await self.call("GET", "/collections"))["collections"]

    async def collection(self, name: str) -> Json:
        """Show a collection; raise CollectionNotFoundError."""
        return await self.call("GET", f"/collections/{_segment(name)}")

    async def create_collection(self, name: str, **options: Unpack[CollectionOptions]) -> Json:
        """Make an empty collection. Raises CollectionExists, UnknownModel, ProfileNotFound."""
        return await self.call("POST", "/collections", {"name": name, **options})

    async def change_collection(self, name: str, **options: Unpack[CollectionOptions]) -> Json:
        """Change what a collection chooses; model and language only while it is empty."""
        return await self.call("PATCH", f"/collections/{_segment(name)}", options)

    async def delete_collection(self, name: str, *, cascade: bool = False) -> list[UUID]:
        """Delete a collection, with `cascade` its documents too; return their receipts."""
        path = f"/collections/{_segment(name)}"
        parameters = {"cascade": str(cascade).lower()}
        deleted = await self.call("DELETE", path, parameters=parameters)
        return [UUID(each) for each in deleted["receipt_ids"]]

    async def profiles(self, *, collection: str = "default") -> Json:
        """List the retrieval profiles that questions to a collection may name."""
        return await self.call("GET", f"/collections/{_segment(collection)}/profiles")

    async def profile(self, name: str, *, collection: str = "default") -> list[Json]:
        """Return all revisions of a profile of a collection's own, newest first."""
        path = f"/collections/{_segment(collection)}/profiles/{_segment(name)}"
        return (await self.call("GET", path))["revisions"]

    async def define_profile(
        self,
        name: str,
        *,
        collection: str = "default",
        base: str = "default",
        **values: Any,  # noqa: ANN401 -- numbers and switches of a profile
    ) -> Json:
        """Add a revision of a profile: `base` with other values. The same again changes nothing."""
        path = f"/collections/{_segment(collection)}/profiles/{_segment(name)}"
        return await self.call("PUT", path, {"base": base, "values": values})

    # ---------------------------------------------------------------------------------- models

    async def models(self) -> list[Json]:
        """List the tenant's embedding models, and which collections are searched by each."""
        return (await self.call("GET", "/models"))["models"]

    async def register_model(self, model: str) -> Json:
        """Register `provider:name@dimensions`. Raises UnknownModel."""
        return await self.call("POST", "/models", {"model": model})

    async def coverage(self, model: str, *, collection: str | None = None) -> Json:
        """Count what a model has of the chunks, and name its newest backfills."""
        path = f"/models/{_segment(model)}/coverage"
        return await self.call("GET", path, parameters={"collection": collection})

    async def backfill(self, model: str, *, collection: str | None = None) -> UUID:
        """Embed what a model lacks; return the backfill's id."""
        path = f"/models/{_segment(model)}/backfill"
        started = await self.call("POST", path, {"collection": collection})
        return UUID(started["backfill_id"])

    async def retire_model(self, model: str) -> Json:
        """Remove a model that no collection is searched by, with its vectors."""
        return await self.call("DELETE", f"/models/{_segment(model)}")

    async def migrate(self, collection: str, *, to_model: str) -> Json:
        """Try a model beside the one that a collection is searched by."""
        return await self.call("POST", _migration(collection), {"to_model": to_model})

    async def migration(self, collection: str) -> Json:
        """Show how far a migration is, and how differently the two models order the collection."""
        return await self.call("GET", _migration(collection))

    async def promote(self, collection: str) -> Json:
        """Search by the model that was tried, from now on."""
        return await self.call("POST", f"{_migration(collection)}/promote")

    async def roll_back(self, collection: str) -> Json:
        """Search by the former model again."""
        return await self.call("POST", f"{_migration(collection)}/rollback")

    # ------------------------------------------------------------------------------- questions

    async def retrieve(self, query: str, **options: Unpack[QuestionOptions]) -> RetrievalResponse:
        """Find passages, each with the scores that it was found by.

        Raises CollectionNotFoundError, ProfileNotFound; EmbeddingError, QueryGenerationError,
        RerankingError or VectorDBError where no way to search is left.
        """
        body = {**self._questioned(options), "query": query}
        return cast("RetrievalResponse", await self.call("POST", "/search", body))

    async def ask(self, question: str, **options: Unpack[QuestionOptions]) -> Answer:
        """Answer from the documents, every claim with its page and its words."""
        body = {**self._questioned(options), "question": question}
        return cast("Answer", await self.call("POST", "/ask", body))

    async def stream(
        self, question: str, **options: Unpack[QuestionOptions]
    ) -> AsyncGenerator[Json]:
        """Yield the lines of an answer while it is written: `text`s, `sources`, then `done`.

        An error midway is raised as RequestRefused; an answer that ends midway, StageUnreachable.
        """
        body = {**self._questioned(options), "question": question}
        async for line in self.wire.lines(Request("POST", "/ask/stream", body)):
            yield line

    async def conversations(self) -> AsyncGenerator[Json]:
        """Yield your own conversations that the stage keeps, the last answered first."""
        async for each in self._pages("/conversations", "conversations", {}):
            yield each

    async def conversation(self, conversation_id: UUID) -> Json:
        """Show the turns of a conversation of yours, with what their answers cite."""
        return await self.call("GET", f"/conversations/{_segment(conversation_id)}")

    async def delete_conversation(self, conversation_id: UUID) -> Json:
        return await self.call("DELETE", f"/conversations/{_segment(conversation_id)}")

    async def trace(self, trace_id: str) -> Json:
        """Show why each passage was chosen or dropped."""
        return await self.call("GET", f"/traces/{_segment(trace_id)}")

    async def prove(self, question: str, answer: Answer) -> str:
        """Return an answer of `ask` as a signed HTML file that shows where its words stand.

        Raises DocumentNotFound where a cited document has been deleted since.
        """
        body = {"question": question, "answer": answer["answer"]}
        path = f"/traces/{_segment(answer['trace_id'])}/proof"
        return (await self.call("POST", path, body))["html"]

    async def why(
        self,
        trace_id: str,
        *,
        document_id: UUID,
        page: int,
        question: str | None = None,
        **scope: Unpack[ScopeOptions],
    ) -> Json:
        """Name the stage at which a page was lost for a question that was asked.

        With the trace's question, also the rank that a page had which no leg brought, in the
        `scope` that was asked: the trace knows its collections, and no ids or filters.
        """
        path = f"/traces/{_segment(trace_id)}/why"
        asked: Json = {"document_id": document_id, "page": page}
        if question is None:
            return await self.call("GET", path, parameters=asked)
        return await self.call("POST", path, {**asked, **scope, "question": question})

    async def what_if(self, trace_id: str, **policy: Unpack[OtherPolicy]) -> Json:
        """Select a trace's candidates again under another policy, and compare."""
        return await self.call("POST", f"/traces/{_segment(trace_id)}/what-if", policy)

    async def replay(self, trace_id: str) -> Json:
        """Compute a trace's selection again, from the trace alone, and compare."""
        return await self.call("POST", f"/traces/{_segment(trace_id)}/replay")

    async def give_feedback(
        self,
        trace_id: str,
        *,
        question: str,
        helpful: bool,
        reason: str = "",
        expected: Iterable[Mapping[str, Any]] | None = None,
        collection: str | None = None,
    ) -> Json:
        """Say whether an answer helped; a user's later word on it replaces the earlier.

        `expected` says where the right answer stands, `document_id` with `page`; an empty list that
        no document has it. Both make it a question to evaluate with, as a helpful answer is. It is
        of the collections that were asked, unless another is named; a turn of a conversation that
        is opened again is judged by its `trace_id` and `question`.
        """
        path = f"/traces/{_segment(trace_id)}/feedback"
        said: Json = {"question": question, "verdict": "helpful" if helpful else "wrong"}
        said |= {"reason": reason, "expected": None if expected is None else [*expected]}
        said["collection"] = collection
        return await self.call("PUT", path, said)

    async def withdraw_feedback(self, trace_id: str) -> bool:
        """Take back what was said of an answer; return whether there was anything."""
        path = f"/traces/{_segment(trace_id)}/feedback"
        return (await self.call("DELETE", path))["was_there"]

    async def feedback(self, *, collection: str | None = None) -> AsyncGenerator[Json]:
        """Yield what people said of answers, newest first."""
        async for each in self._pages("/feedback", "feedback", {"collection": collection}):
            yield each

    async def feedback_questions(self, *, collection: str = "default") -> list[Json]:
        """Return the questions that feedback tells the answers of, as `evaluate` takes them.

        The newest 200, each once, as it was last judged.
        """
        judged: set[str] = set()
        asked: list[Json] = []
        async for each in self.feedback(collection=collection):
            question, expected = each["question"], each["expected"]
            if question not in judged and expected is not None:
                asked.append({"question": question, "expected": expected})
            judged.add(question)  # of one whose newest judge knows no place, none is known
            if len(asked) == MOST_QUESTIONS:
                break
        return asked

    async def evaluate(
        self,
        questions: Iterable[Mapping[str, Any]],
        *,
        collection: str = "default",
        profiles: Sequence[str] = ("default",),
        timeout: float = _EVALUATION_SECONDS,  # noqa: ASYNC109 -- as in add_documents
        on_progress: Progress = say_nothing,
    ) -> Json:
        """Measure how well each profile finds what is known to answer; wait for the figures.

        A question is `question` with `expected`, a list of `source` and `page` or `quote`; where
        nothing is expected, a refusal of the search is right; that `ask` also refuses where no
        sentence answers is not measured. Returns what `evaluation` shows once its state is DONE or
        FAILED. Raises StillRunning, which names the evaluation: it goes on by itself.
        """
        body = {"collection": collection, "questions": [*questions], "profiles": [*profiles]}
        evaluation_id = UUID((await self.call("POST", "/evaluations", body))["evaluation_id"])
        found = await self._polled(
            partial(self.evaluation, evaluation_id),
            lambda found: found["state"] in _ENDED,
            seconds=timeout,
            on_progress=on_progress,
        )
        if found is None:
            message = f"evaluation {evaluation_id} has not ended after {timeout:.0f} s"
            raise StillRunning(message, evaluation_id=str(evaluation_id))
        return found

    async def evaluation(self, evaluation_id: UUID) -> Json:
        """Show how far an evaluation is, and the figures of the profiles that are done."""
        return await self.call("GET", f"/evaluations/{_segment(evaluation_id)}")

    # --------------------------------------------------------------------------------- the rest

    async def usage(
        self, *, by: str = "day", since: str | None = None, until: str | None = None
    ) -> Json:
        """Show what was spent and what is stored, `by` user_id, method, source, model or day."""
        return await self.call("GET", "/usage", parameters={"by": by, "from": since, "to": until})

    async def set_budget(
        self, *, pages: int | None = None, tokens: int | None = None, usd: float | None = None
    ) -> Json:
        """Limit what the tenant may use in a day of UTC; None means no limit. For operators."""
        return await self.call("PUT", "/budget", {"pages": pages, "tokens": tokens, "usd": usd})

    async def remove_budget(self) -> Json:
        """Return to the stage's own limits. For operators."""
        return await self.call("DELETE", "/budget")

    async def call(
        self,
        method: str,
        path: str,
        body: Mapping[str, Any] | None = None,
        *,
        parameters: Mapping[str, Any] | None = None,
    ) -> Json:
        """Send any request of the contract; return the answer's JSON. Raises RequestRefused."""
        given = {name: each for name, each in (parameters or {}).items() if each is not None}
        return await self.wire.answer(Request(method, path, body, given))

    # -------------------------------------------------------------------------------- the parts

    def _questioned(self, options: QuestionOptions) -> Json:
        """Return a question's options over those of the configuration."""
        configured: Json = {**self._of_questions}
        if "collections" in options:
            configured.pop("collection", None)
        return configured | options

    async def _pages(
        self, path: str, name: str, parameters: Mapping[str, Any]
    ) -> AsyncGenerator[Json]:
        cursor: str | None = None
        while True:
            asked = {**parameters, "limit": _PAGE, "cursor": cursor}
            page = await self.call("GET", path, parameters=asked)
            for each in page[name]:
                yield each
            cursor = page["cursor"]
            if cursor is None:
                return

    async def _polled(
        self,
        look: Callable[[], Awaitable[Json | None]],
        is_over: Callable[[Json], bool],
        *,
        seconds: float,
        on_progress: Progress = say_nothing,
    ) -> Json | None:
        """Look at least once and ever less often, until it is over; return None after `seconds`."""
        deadline, pause = time.monotonic() + seconds, _FIRST_POLL_SECONDS
        while True:
            status = await look()
            if status is not None:
                on_progress(status)
                if is_over(status):
                    return status
            remaining = deadline - time.monotonic()
            if remaining <= 0:
                return None
            await self.wire.pause(min(pause, remaining))
            pause = min(pause * 1.2, _SLOWEST_POLL_SECONDS)


def _was_before(moment: datetime, status: Json) -> bool:
    received_at = status["received_at"]
    return received_at is None or datetime.fromisoformat(received_at) < moment


def _segment(given: object) -> str:
    """Return an id or a name as one segment of a path; raise RequestRefused for what cannot be one.

    Both may come from elsewhere: `../collections/x` as the id of a document named a collection.
    """
    if (text := str(given)) in _NO_SEGMENTS:
        raise unsendable(f"{text!r} is no id and no name that a path can have")
    return quote(text, safe="")


def _document(document_id: UUID) -> str:
    return f"/documents/{_segment(document_id)}"


def _migration(collection: str) -> str:
    return f"/collections/{_segment(collection)}/migration"
