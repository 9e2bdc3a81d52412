"""The database side of a question, reached by invoking `retrieve`: `query` has no database."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final
from uuid import UUID

from pulsedocs.adapters.aws.invocations import How, LambdaFunction
from pulsedocs.errors import BudgetExceeded, RetryableError, StoreUnavailable, VectorDBError
from pulsedocs.model.budgets import Amounts
from pulsedocs.model.conversations import NewTurn
from pulsedocs.model.deadline import Deadline
from pulsedocs.model.feedback import Feedback
from pulsedocs.model.highlights import PagePlace
from pulsedocs.model.lookups import PlaceQuery, PrepareQuery
from pulsedocs.model.page_status import PageQuery, PageStatus
from pulsedocs.model.proofs import CitedWords, Mark
from pulsedocs.model.retrieval import (
    CandidateQuery,
    Candidates,
    Prepared,
    Profile,
    StoredText,
    Usage,
)
from pulsedocs.retrieval import wire

SECONDS: Final = 20.0
"""The most that one call takes: the database gives up on a statement after 10 s."""
_TURN_SECONDS: Final = 8.0  # the answer is there already, and its reader waits for it


def retrieve_function(name: str, *, region: str, endpoint_url: str | None) -> LambdaFunction:
    return LambdaFunction(
        name,
        region=region,
        endpoint_url=endpoint_url,
        seconds=SECONDS,
        silent=StoreUnavailable,
        broken=VectorDBError,
    )


class LambdaRetrievalStore:
    """Implements `questions.ports.RetrievalStore`, and `RequestLog`, for one request.

    It keeps to the request's deadline. Raises what the store behind it raised.
    """

    def __init__(self, function: LambdaFunction, *, deadline: Deadline) -> None:
        self._function = function
        self._deadline = deadline

    def prepare(self, asked: PrepareQuery) -> Prepared:
        return self._ask(wire.PrepareCall(**dict(asked)))

    def reserve(self, tenant_id: UUID, reservation_id: UUID, amounts: Amounts) -> None:
        call = wire.ReserveCall(tenant_id=tenant_id, reservation_id=reservation_id, amounts=amounts)
        refused: wire.Refused | None = self._ask(call)
        if refused is not None:
            raise BudgetExceeded(refused.message, **refused.context)

    def search(self, query: CandidateQuery) -> Candidates:
        found: Candidates = self._ask(wire.SearchCall(query=query))
        if not wire.lacks_texts(found):
            return found
        return wire.with_texts(found, self._candidate_texts(query.scope.tenant_id, found))

    def settle(
        self,
        tenant_id: UUID,
        reservation_id: UUID | None,
        usage: Usage,
        *,
        turn: NewTurn | None = None,
    ) -> None:
        """Hand the usage over without waiting: Lambda tries again if `retrieve` fails.

        A turn is waited for, since the question after it, sent at once, is to see it.
        """
        call = wire.SettleCall(
            tenant_id=tenant_id, reservation_id=reservation_id, usage=usage, turn=turn
        )
        if turn is not None:
            try:
                self._invoke(call, deadline=self._deadline.step(_TURN_SECONDS))
            except RetryableError:
                self._invoke(call, how="Event")  # a turn is kept once, whoever comes second
                raise
            return
        self._invoke(call, how="Event")

    def page_texts(
        self, tenant_id: UUID, pages: Sequence[tuple[UUID, int, int]]
    ) -> Mapping[tuple[UUID, int, int], StoredText]:
        texts = self._texts(
            lambda start: wire.PageTextsCall(tenant_id=tenant_id, pages=tuple(pages[start:])),
            count=len(pages),
        )
        return {page: text for page, text in zip(pages, texts, strict=True) if text is not None}

    def ping(self, tenant_id: UUID) -> None:
        self._invoke(wire.PingCall(tenant_id=tenant_id))

    def page_status(self, asked: PageQuery) -> PageStatus | None:
        return self._ask(wire.PageStatusCall(asked=asked))

    def defined_profile(self, tenant_id: UUID, collection: str, name: str) -> Profile | None:
        call = wire.ProfileCall(tenant_id=tenant_id, collection=collection, name=name)
        return self._ask(call)

    def place(self, asked: PlaceQuery) -> PagePlace:
        return self._ask(wire.PlaceCall(**dict(asked)))

    def cited_words(self, tenant_id: UUID, marks: Sequence[Mark]) -> tuple[CitedWords | None, ...]:
        call = wire.CitedWordsCall(tenant_id=tenant_id, marks=tuple(marks))
        return self._ask(call)

    def keep_feedback(self, tenant_id: UUID, feedback: Feedback) -> None:
        self._invoke(wire.KeepFeedbackCall(tenant_id=tenant_id, feedback=feedback))

    def withdraw_feedback(self, tenant_id: UUID, trace_id: str, *, subject: str) -> bool:
        call = wire.WithdrawFeedbackCall(tenant_id=tenant_id, trace_id=trace_id, subject=subject)
        return self._ask(call)["was_there"]

    def remember(
        self, tenant_id: UUID, key: str, *, request_hash: bytes, seconds: float = 60.0
    ) -> Mapping[str, Any] | None:
        call = wire.RememberCall(
            tenant_id=tenant_id, key=key, request_hash=request_hash.hex(), seconds=seconds
        )
        return self._ask(call)

    def record_response(
        self, tenant_id: UUID, key: str, *, status: int, body: Mapping[str, Any]
    ) -> None:
        call = wire.RecordCall(tenant_id=tenant_id, key=key, status=status, body=dict(body))
        self._invoke(call)

    def forget(self, tenant_id: UUID, key: str) -> None:
        self._invoke(wire.ForgetCall(tenant_id=tenant_id, key=key))

    def _candidate_texts(self, tenant_id: UUID, found: Candidates) -> dict[UUID, str]:
        chunks = tuple((c.document_id, c.version, c.chunk_id) for c in found.candidates)
        texts = self._texts(
            lambda start: wire.CandidateTextsCall(tenant_id=tenant_id, chunks=chunks[start:]),
            count=len(chunks),
        )
        return {
            chunk: text[0]
            for (_, _, chunk), text in zip(chunks, texts, strict=True)
            if text is not None
        }

    def _texts(self, call: Callable[[int], wire.Call], *, count: int) -> list[StoredText | None]:
        """Ask until there is an entry for each of `count` things: an answer may end early."""
        texts: list[StoredText | None] = []
        while len(texts) < count:
            part: wire.Texts = self._ask(call(len(texts)))
            if not part.texts:
                raise VectorDBError("retrieve answered with fewer texts than were asked")
            texts += part.texts
        return texts

    def _ask(self, call: wire.Call) -> Any:  # noqa: ANN401 -- what the call `answers`
        return call.answers.validate_json(self._invoke(call))

    def _invoke(
        self, call: wire.Call, *, how: How = "RequestResponse", deadline: Deadline | None = None
    ) -> bytes:
        payload = call.model_dump_json().encode()
        return self._function.invoke(payload, deadline=deadline or self._deadline, how=how)
