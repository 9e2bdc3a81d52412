"""A stage as an object: each method is one operation of the HTTP contract."""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self
from uuid import UUID

import httpx

from pulsedocs.client.documents import DocumentInput
from pulsedocs.client.results import AddedDocuments, added, is_over, unknown
from pulsedocs.client.transport import PATIENCE_SECONDS, Json, RequestRefused, Transport

Progress = Callable[[Json], None]

_SENDERS: Final = 8
_FIRST_POLL_SECONDS: Final = 0.15
_SLOWEST_POLL_SECONDS: Final = 2.0
_EVALUATION_SECONDS: Final = 1000.0  # a run has 840 and may wait for its turn
_PAGE: Final = 100  # the most that a listing gives at once
_ENDED: Final = frozenset({"DONE", "FAILED"})


def _say_nothing(_status: Json) -> None:
    """Stand in where nobody listens."""


class PulseDocs:
    """One tenant's view of a stage; safe to share between threads.

    A stage whose database is waking up answers late: calls wait up to `patience` seconds. Refusals
    are RequestRefused; its message says what to do.
    """

    def __init__(
        self, url: str, token: str, *, patience: float = PATIENCE_SECONDS, trust_env: bool = True
    ) -> None:
        self._transport = Transport(url, token, patience=patience, trust_env=trust_env)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._transport.close()

    def check(self) -> Json:
        """Ask the stage whether its database, bucket and models answer; return what each said.

        Raises RequestRefused, whose context names what does not, once `patience` is over.
        """
        return self.call("GET", "/health/ready")

    # ------------------------------------------------------------------------------- documents

    def add_documents(
        self,
        documents: Iterable[DocumentInput | Path],
        *,
        metadata: Mapping[str, Any] | None = None,
        batch_size: int = 100,
        timeout: float = 600,
        on_progress: Progress = _say_nothing,
        **options: Any,  # noqa: ANN401 -- fields of the contract
    ) -> AddedDocuments:
        """Add documents and wait for each outcome; say of each what became of it.

        `metadata` is given to all; a document's own wins. `batch_size` documents are under way at
        once. `options` are fields of `POST /documents`, such as `collection`, `validate_chunks`
        or `chunking`; the collection is made when it does not exist. `on_progress` hears of every
        document's status while it changes. One without an outcome after `timeout` seconds comes
        back as it stands, with its id; the rest of its batch is then only looked at.
        """
        given = {**options, "metadata": dict(metadata or {})}
        waiting = iter(DocumentInput.of(document) for document in documents)
        statuses: list[Json] = []
        refusals: list[tuple[str, Exception]] = []
        while batch := list(islice(waiting, batch_size)):
            sent = [*zip(batch, self._send_all(batch, given), strict=True)]
            seconds = timeout
            for document, outcome in sent:
                if isinstance(outcome, Exception):
                    refusals.append((document.name, outcome))
                    continue
                status = self._waited(outcome, document, seconds=seconds, on_progress=on_progress)
                statuses.append(status)
                if not is_over(status):
                    seconds = 0.0  # the others of the batch have had as long as this one
        chunks = [chunk for status in statuses for chunk in self._chunks_if_any(status)]
        return added(statuses, chunks, refusals)

    def add(self, document: DocumentInput | Path, **options: Any) -> UUID:  # noqa: ANN401 -- as above
        """Send one document and return its id, without waiting; filters know its `source_type`."""
        item = DocumentInput.of(document)
        given = {**options.pop("metadata", {}), **item.metadata}
        own = {"metadata": {"source_type": item.source_type, **given}}
        registered = self.call("POST", "/documents", options | item.registration() | own)
        if registered["upload"] is not None and registered["duplicate_of"] is None:
            with item.opened() as body:
                self._transport.send_form(
                    registered["upload"], body, filename=item.name, content_type=item.type
                )
        return UUID(registered["duplicate_of"] or registered["document_id"])

    def add_url(self, url: str, **options: Any) -> UUID:  # noqa: ANN401 -- as above
        """Let the stage fetch a web page; return the document's id."""
        return UUID(self.call("POST", "/ingest", {"url": url, **options})["document_id"])

    def wait(
        self,
        document_id: UUID,
        *,
        seconds: float = 600,
        on_progress: Progress = _say_nothing,
    ) -> Json:
        """Poll until the document has an outcome, or is held; return its status.

        Raises TimeoutError. A document added by reference has no status until its run begins.
        """

        def look() -> Json | None:
            try:
                return self.status(document_id)
            except RequestRefused as error:
                if error.code == "DOCUMENT_NOT_FOUND":
                    return None
                raise

        status = _polled(look, is_over, seconds=seconds, on_progress=on_progress)
        if status is None:
            raise TimeoutError(f"document {document_id} has no outcome after {seconds:.0f} s")
        return status

    def status(self, document_id: UUID) -> Json:
        return self.call("GET", f"/documents/{document_id}")

    def documents(self, **filters: Any) -> Iterator[Json]:  # noqa: ANN401 -- as above
        """Yield the statuses of all documents, page by page."""
        yield from self._pages("/documents", "documents", filters)

    def chunks(self, document_id: UUID) -> Iterator[Json]:
        """Yield a document's chunks in reading order."""
        yield from self._pages(f"/documents/{document_id}/chunks", "chunks", {})

    def change(self, document_id: UUID, **fields: Any) -> Json:  # noqa: ANN401 -- as above
        """Change metadata, title or content_date; nothing is embedded again."""
        return self.call("PATCH", f"/documents/{document_id}", fields)

    def update_documents(self, strategy: str, **fields: Any) -> Json:  # noqa: ANN401 -- as above
        """Replace, append, delete, upsert, or change metadata of many documents at once."""
        return self.call("POST", "/documents/update", {"strategy": strategy, **fields})

    def delete(self, document_id: UUID) -> UUID:
        """Delete a document; return the id of the receipt that proves it."""
        return UUID(self.call("DELETE", f"/documents/{document_id}")["receipt_id"])

    def receipt(self, receipt_id: UUID) -> Json:
        return self.call("GET", f"/deletions/{receipt_id}")

    def audit(self) -> Iterator[Json]:
        """Yield who did what in the tenant, newest first; for operators."""
        yield from self._pages("/audit", "events", {})

    def cancel(self, document_id: UUID) -> Json:
        return self.call("POST", f"/documents/{document_id}/cancel")

    def retry(self, document_id: UUID) -> Json:
        return self.call("POST", f"/documents/{document_id}/retry")

    def redrive(self, **options: Any) -> Json:  # noqa: ANN401 -- as above
        """Ingest the documents again that stopped: `code`, `older_than`, `limit`, `dry_run`."""
        return self.call("POST", "/operations/redrive", options)

    # ------------------------------------------------------------------------------- questions

    def retrieve(self, query: str, **options: Any) -> Json:  # noqa: ANN401 -- as above
        """Find passages, each with the scores that it was found by."""
        return self.call("POST", "/search", {"query": query, **options})

    def ask(self, question: str, **options: Any) -> Json:  # noqa: ANN401 -- as above
        """Answer from the documents, every claim with its page and its words."""
        return self.call("POST", "/ask", {"question": question, **options})

    def trace(self, trace_id: str) -> Json:
        return self.call("GET", f"/traces/{trace_id}")

    def prove(self, question: str, answer: Json) -> str:
        """Return an answer of `ask` as a signed HTML file that shows where its words stand.

        Raises RequestRefused where a cited document has been deleted since.
        """
        body = {"question": question, "answer": answer["answer"]}
        proof = self.call("POST", f"/traces/{answer['trace_id']}/proof", body)
        return str(proof["html"])

    def why(self, trace_id: str, *, document_id: UUID, page: int) -> Json:
        """Name the stage at which a page was lost for a question that was asked."""
        parameters = {"document_id": str(document_id), "page": page}
        return self.call("GET", f"/traces/{trace_id}/why", parameters=parameters)

    def replay(self, trace_id: str) -> Json:
        return self.call("POST", f"/traces/{trace_id}/replay")

    def evaluate(
        self,
        questions: Iterable[Mapping[str, Any]],
        *,
        collection: str = "default",
        profiles: Sequence[str] = ("default",),
        timeout: float = _EVALUATION_SECONDS,
        on_progress: Progress = _say_nothing,
    ) -> Json:
        """Measure how well each profile finds what is known to answer; wait for the figures.

        A question is `question` with `expected`, a list of `source` and `page` or `quote`; where
        nothing is expected, a refusal is right. Returns what `evaluation` shows once its state is
        DONE or FAILED. Raises TimeoutError, which names the evaluation: it goes on by itself.
        """
        body = {"collection": collection, "questions": [*questions], "profiles": [*profiles]}
        evaluation_id = UUID(self.call("POST", "/evaluations", body)["evaluation_id"])
        found = _polled(
            lambda: self.evaluation(evaluation_id),
            lambda found: found["state"] in _ENDED,
            seconds=timeout,
            on_progress=on_progress,
        )
        if found is None:
            raise TimeoutError(f"evaluation {evaluation_id} has not ended after {timeout:.0f} s")
        return found

    def evaluation(self, evaluation_id: UUID) -> Json:
        """Show how far an evaluation is, and the figures of the profiles that are done."""
        return self.call("GET", f"/evaluations/{evaluation_id}")

    def call(
        self,
        method: str,
        path: str,
        body: Mapping[str, Any] | None = None,
        *,
        parameters: Mapping[str, Any] | None = None,
    ) -> Json:
        """Send any request of the contract; return the answer's JSON. Raises RequestRefused."""
        return self._transport.call(method, path, body, parameters=parameters)

    # -------------------------------------------------------------------------------- the parts

    def _send_all(self, batch: list[DocumentInput], options: Json) -> Iterator[UUID | Exception]:
        """Yield for each document its id, or why it was refused, in the order given."""

        def send(document: DocumentInput) -> UUID | Exception:
            try:
                return self.add(document, **options)
            except (RequestRefused, OSError, httpx.HTTPError) as error:
                return error

        with ThreadPoolExecutor(min(_SENDERS, len(batch)), "pulsedocs-send") as senders:
            yield from senders.map(send, batch)

    def _waited(
        self, document_id: UUID, document: DocumentInput, *, seconds: float, on_progress: Progress
    ) -> Json:
        """Return the status of a document once it is over, or the last that was heard of it."""
        last = unknown(document_id, source=document.name)

        def hear(status: Json) -> None:
            nonlocal last
            last = status
            on_progress(status)

        try:
            return self.wait(document_id, seconds=seconds, on_progress=hear)
        except TimeoutError:
            return last
        except (RequestRefused, httpx.HTTPError) as error:
            guidance = f"Ask for its status later: document {document_id}"
            return last | {
                "error": {"code": "UNKNOWN", "message": str(error), "guidance": guidance}
            }

    def _chunks_if_any(self, status: Json) -> Iterator[Json]:
        if not status["chunks"]:
            return
        try:
            yield from self.chunks(UUID(status["document_id"]))
        except (RequestRefused, httpx.HTTPError):  # deleted meanwhile, or out of reach
            return

    def _pages(self, path: str, name: str, parameters: Mapping[str, Any]) -> Iterator[Json]:
        cursor: str | None = None
        while True:
            asked = {**parameters, "limit": _PAGE, **({"cursor": cursor} if cursor else {})}
            page = self.call("GET", path, parameters=asked)
            yield from page[name]
            cursor = page["cursor"]
            if cursor is None:
                return


def _polled(
    look: Callable[[], Json | None],
    is_over: Callable[[Json], bool],
    *,
    seconds: float,
    on_progress: Progress,
) -> Json | None:
    """Look at least once and ever less often, until it is over; return None after `seconds`."""
    deadline, pause = time.monotonic() + seconds, _FIRST_POLL_SECONDS
    while True:
        status = look()
        if status is not None:
            on_progress(status)
            if is_over(status):
                return status
        remaining = deadline - time.monotonic()
        if remaining <= 0:
            return None
        time.sleep(min(pause, remaining))
        pause = min(pause * 1.2, _SLOWEST_POLL_SECONDS)
