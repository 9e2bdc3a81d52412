"""The database side of a question, reached by invoking `retrieve`: `query` has no database."""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, Literal, NoReturn
from uuid import UUID

import boto3
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError
from pydantic import BaseModel

from pulsedocs.errors import StoreUnavailable, TimedOut, VectorDBError, error_named
from pulsedocs.model.conversations import NewTurn
from pulsedocs.model.highlights import PagePlace
from pulsedocs.model.retrieval import (
    CandidateQuery,
    Candidates,
    Prepared,
    Profile,
    Scope,
    Usage,
)
from pulsedocs.model.standings import PageQuery, PageStanding
from pulsedocs.retrieval import wire

if TYPE_CHECKING:
    from types_boto3_lambda import LambdaClient

_CLIENT_CONFIG: Final = Config(
    connect_timeout=3,
    read_timeout=20,  # the database gives up on a statement after 10 s
    retries={"mode": "standard", "max_attempts": 2},
)
_TIMED_OUT: Final = frozenset({"Sandbox.Timedout", "States.Timeout"})


class LambdaRetrievalStore:
    """Implements `pulsedocs.ports.RetrievalStore`; raises what the store behind it raised."""

    def __init__(self, *, function: str, region: str, endpoint_url: str | None) -> None:
        self._function = function
        self._client: LambdaClient = boto3.client(
            "lambda", region_name=region, endpoint_url=endpoint_url, config=_CLIENT_CONFIG
        )

    def prepare(
        self, scope: Scope, *, model: str | None, method: str, conversation_id: UUID | None = None
    ) -> Prepared:
        call = wire.PrepareCall(
            scope=scope, model=model, method=method, conversation_id=conversation_id
        )
        return wire.decode_prepared(self._invoke(call))

    def search(self, query: CandidateQuery) -> Candidates:
        found = wire.decode_candidates(self._invoke(wire.SearchCall(query=query)))
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
        """Hand the usage over without waiting: Lambda tries again if `retrieve` fails."""
        call = wire.SettleCall(
            tenant_id=tenant_id, reservation_id=reservation_id, usage=usage, turn=turn
        )
        self._invoke(call, how="Event")

    def page_texts(
        self, tenant_id: UUID, pages: Sequence[tuple[UUID, int, int]]
    ) -> Mapping[tuple[UUID, int, int], tuple[str, str | None]]:
        texts = self._texts(
            lambda start: wire.PageTextsCall(tenant_id=tenant_id, pages=tuple(pages[start:])),
            count=len(pages),
        )
        return {page: text for page, text in zip(pages, texts, strict=True) if text is not None}

    def standing(self, asked: PageQuery) -> PageStanding | None:
        return wire.decode_standing(self._invoke(wire.StandingCall(asked=asked)))

    def defined_profile(self, tenant_id: UUID, collection: str, name: str) -> Profile | None:
        call = wire.ProfileCall(tenant_id=tenant_id, collection=collection, name=name)
        return wire.decode_profile(self._invoke(call))

    def place(
        self, tenant_id: UUID, document_id: UUID, page: int, *, start: int, end: int
    ) -> PagePlace:
        call = wire.PlaceCall(
            tenant_id=tenant_id, document_id=document_id, page=page, start=start, end=end
        )
        return wire.decode_place(self._invoke(call))

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

    def _texts(
        self, call: Callable[[int], BaseModel], *, count: int
    ) -> list[tuple[str, str | None] | None]:
        """Ask until there is an entry for each of `count` things: an answer may end early."""
        texts: list[tuple[str, str | None] | None] = []
        while len(texts) < count:
            part = wire.decode_texts(self._invoke(call(len(texts))))
            if not part.texts:
                raise VectorDBError("retrieve answered with fewer texts than were asked")
            texts += part.texts
        return texts

    def _invoke(
        self, call: BaseModel, *, how: Literal["RequestResponse", "Event"] = "RequestResponse"
    ) -> bytes:
        payload = call.model_dump_json().encode()
        try:
            response = self._client.invoke(
                FunctionName=self._function, InvocationType=how, Payload=payload
            )
            body = response["Payload"].read()
        except (BotoCoreError, ClientError) as error:
            message = f"the database side did not answer: {type(error).__name__}"
            raise StoreUnavailable(message) from error
        if response.get("FunctionError"):
            _raise(json.loads(body))
        return body


def _raise(error: Mapping[str, Any]) -> NoReturn:
    """Raise the class that the function raised; what is none of ours has a cause of its own."""
    name = str(error.get("errorType", ""))
    message = str(error.get("errorMessage", "retrieve failed"))
    if name in _TIMED_OUT:
        raise TimedOut(message)
    kind = error_named(name)
    if kind is None:
        raise VectorDBError(f"retrieve ended with {name}: {message}"[:500])
    raise kind(message)
