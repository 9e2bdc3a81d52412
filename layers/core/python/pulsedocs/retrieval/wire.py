"""Calls to the `retrieve` function and its answers as JSON; both sides read and write them here.

An invocation's payload ends at 6 MB. An answer stays below 4 MB: candidates lose their texts, and
lists of texts end early.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, takewhile
from typing import Annotated, Any, ClassVar, Final, Literal, TypeAlias
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from pulsedocs.model.budgets import Amounts
from pulsedocs.model.conversations import NewTurn
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

MOST_BYTES: Final = 4 * 1024 * 1024
Json: TypeAlias = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Texts:
    """One entry for each thing asked, None where there is none; a list may end early."""

    texts: tuple[StoredText | None, ...]
    next: int | None = None
    """Nobody reads it; the last release expects it."""


@dataclass(frozen=True, slots=True)
class Refused:
    """Why a reservation is not made: an error that leaves a function loses its numbers."""

    message: str
    context: dict[str, str | float | None]


class _Call(BaseModel):
    """What is asked; `answers` reads and writes what comes back."""

    model_config = ConfigDict(frozen=True)
    answers: ClassVar[TypeAdapter[Any]] = TypeAdapter(None)


class PrepareCall(_Call, PrepareQuery):
    answers = TypeAdapter(Prepared)
    call: Literal["prepare"] = "prepare"


class ReserveCall(_Call):
    answers = TypeAdapter(Refused | None)
    call: Literal["reserve"] = "reserve"
    tenant_id: UUID
    reservation_id: UUID
    amounts: Amounts


class SearchCall(_Call):
    answers = TypeAdapter(Candidates)
    call: Literal["search"] = "search"
    query: CandidateQuery


class SettleCall(_Call):
    call: Literal["settle"] = "settle"
    tenant_id: UUID
    reservation_id: UUID | None
    usage: Usage
    turn: NewTurn | None = None


class PageTextsCall(_Call):
    """`pages` are (document, version, page)."""

    answers = TypeAdapter(Texts)
    call: Literal["page_texts"] = "page_texts"
    tenant_id: UUID
    pages: tuple[tuple[UUID, int, int], ...]


class CandidateTextsCall(_Call):
    """`chunks` are (document, version, chunk)."""

    answers = TypeAdapter(Texts)
    call: Literal["candidate_texts"] = "candidate_texts"
    tenant_id: UUID
    chunks: tuple[tuple[UUID, int, UUID], ...]


class PageStatusCall(_Call):
    answers = TypeAdapter(PageStatus | None)
    call: Literal["standing"] = "standing"  # as the last release says it
    asked: PageQuery


class ProfileCall(_Call):
    """Asks for the newest revision of a policy that a collection has defined."""

    answers = TypeAdapter(Profile | None)
    call: Literal["profile"] = "profile"
    tenant_id: UUID
    collection: str
    name: str


class PlaceCall(_Call, PlaceQuery):
    answers = TypeAdapter(PagePlace)
    call: Literal["place"] = "place"


class CitedWordsCall(_Call):
    answers = TypeAdapter(tuple[CitedWords | None, ...])
    call: Literal["cited_words"] = "cited_words"
    tenant_id: UUID
    marks: tuple[Mark, ...]


class KeepFeedbackCall(_Call):
    call: Literal["keep_feedback"] = "keep_feedback"
    tenant_id: UUID
    feedback: Feedback


class WithdrawFeedbackCall(_Call):
    answers = TypeAdapter(dict[str, bool])
    call: Literal["withdraw_feedback"] = "withdraw_feedback"
    tenant_id: UUID
    trace_id: str
    subject: str


class PingCall(_Call):
    """Asks whether the database answers; a paused one wakes up."""

    call: Literal["ping"] = "ping"
    tenant_id: UUID


class RememberCall(_Call):
    """Asks for the answer to a request that came before, by its key; notes that it came."""

    answers = TypeAdapter(Json | None)
    call: Literal["remember"] = "remember"
    tenant_id: UUID
    key: str
    request_hash: str
    seconds: float


class RecordCall(_Call):
    call: Literal["record"] = "record"
    tenant_id: UUID
    key: str
    status: int
    body: dict[str, Any]


class ForgetCall(_Call):
    call: Literal["forget"] = "forget"
    tenant_id: UUID
    key: str


Call: TypeAlias = Annotated[
    PrepareCall
    | ReserveCall
    | SearchCall
    | SettleCall
    | PageTextsCall
    | CandidateTextsCall
    | PageStatusCall
    | ProfileCall
    | PlaceCall
    | CitedWordsCall
    | KeepFeedbackCall
    | WithdrawFeedbackCall
    | PingCall
    | RememberCall
    | RecordCall
    | ForgetCall,
    Field(discriminator="call"),
]


_TEXT: Final = TypeAdapter(StoredText | None)


def fitting(found: Candidates) -> Candidates:
    """Return them without their texts where these would make the answer too large."""
    if _size_of(SearchCall.answers.dump_python(found, mode="json")) <= MOST_BYTES:
        return found
    bare = tuple(replace(candidate, text="") for candidate in found.candidates)
    return replace(found, candidates=bare)


def lacks_texts(found: Candidates) -> bool:
    """Say whether the texts were left out: a chunk's text is never empty."""
    return any(not candidate.text for candidate in found.candidates)


def with_texts(found: Candidates, texts: Mapping[UUID, str]) -> Candidates:
    """Put the texts back; a candidate deleted in between has none and is left out."""
    return replace(
        found,
        candidates=tuple(
            replace(candidate, text=texts[candidate.chunk_id])
            for candidate in found.candidates
            if candidate.chunk_id in texts
        ),
    )


def first_texts(texts: Sequence[StoredText | None]) -> Texts:
    """Return as many entries as fit, at least one."""
    sizes = accumulate(_size_of(_TEXT.dump_python(entry, mode="json")) for entry in texts)
    fit = sum(1 for _ in takewhile(lambda size: size <= MOST_BYTES, sizes))
    return Texts(tuple(texts[: max(1, fit)]))


def _size_of(value: object) -> int:
    """Return the bytes of a value in ASCII, the longest form: a runtime may escape the rest."""
    return len(json.dumps(value, ensure_ascii=True))
