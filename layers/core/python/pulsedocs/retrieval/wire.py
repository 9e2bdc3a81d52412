"""Calls to the `retrieve` function and its answers as JSON; both sides read and write them here.

An invocation's payload ends at 6 MB. An answer stays below 4 MB: candidates lose their texts, and
lists of texts end early and say where the next one starts.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, Final, Literal, TypeAlias
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from pulsedocs.errors import BudgetExceeded
from pulsedocs.model.budgets import Amounts
from pulsedocs.model.conversations import NewTurn
from pulsedocs.model.feedback import Feedback
from pulsedocs.model.highlights import PagePlace
from pulsedocs.model.page_status import PageQuery, PageStatus
from pulsedocs.model.proofs import CitedWords, Mark
from pulsedocs.model.retrieval import (
    CandidateQuery,
    Candidates,
    NamedPages,
    Prepared,
    Profile,
    Scope,
    StoredText,
    Usage,
)

MOST_BYTES: Final = 4 * 1024 * 1024
Json: TypeAlias = dict[str, Any]


class _Call(BaseModel):
    model_config = ConfigDict(frozen=True)


class PrepareCall(_Call):
    call: Literal["prepare"] = "prepare"
    scope: Scope
    model: str | None
    method: str
    conversation_id: UUID | None = None
    subject: str = ""
    doubtful: tuple[str, ...] = ()
    pages: NamedPages | None = None


class ReserveCall(_Call):
    call: Literal["reserve"] = "reserve"
    tenant_id: UUID
    reservation_id: UUID
    amounts: Amounts


class SearchCall(_Call):
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

    call: Literal["page_texts"] = "page_texts"
    tenant_id: UUID
    pages: tuple[tuple[UUID, int, int], ...]


class CandidateTextsCall(_Call):
    """`chunks` are (document, version, chunk)."""

    call: Literal["candidate_texts"] = "candidate_texts"
    tenant_id: UUID
    chunks: tuple[tuple[UUID, int, UUID], ...]


class PageStatusCall(_Call):
    call: Literal["standing"] = "standing"
    asked: PageQuery


class ProfileCall(_Call):
    """Asks for the newest revision of a policy that a collection has defined."""

    call: Literal["profile"] = "profile"
    tenant_id: UUID
    collection: str
    name: str


class PlaceCall(_Call):
    """Asks where in a stored file the characters `start` to `end` of a page's text lie."""

    call: Literal["place"] = "place"
    tenant_id: UUID
    document_id: UUID
    page: int
    start: int
    end: int
    version: int | None = None


class CitedWordsCall(_Call):
    call: Literal["cited_words"] = "cited_words"
    tenant_id: UUID
    marks: tuple[Mark, ...]


class KeepFeedbackCall(_Call):
    call: Literal["keep_feedback"] = "keep_feedback"
    tenant_id: UUID
    feedback: Feedback


class WithdrawFeedbackCall(_Call):
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


@dataclass(frozen=True, slots=True)
class Texts:
    """One entry for each thing asked, None where there is none; asking goes on at `next`."""

    texts: tuple[StoredText | None, ...]
    next: int | None


@dataclass(frozen=True, slots=True)
class Refused:
    """Why a reservation is not made."""

    message: str
    context: dict[str, str | float | None]


_REFUSED: Final = TypeAdapter(Refused | None)
_PREPARED: Final = TypeAdapter(Prepared)
_CANDIDATES: Final = TypeAdapter(Candidates)
_TEXTS: Final = TypeAdapter(Texts)
_TEXT: Final = TypeAdapter(StoredText | None)
_PAGE_STATUS: Final = TypeAdapter(PageStatus | None)
_PROFILE: Final = TypeAdapter(Profile | None)
_PLACE: Final = TypeAdapter(PagePlace)
_CITED_WORDS: Final = TypeAdapter(tuple[CitedWords | None, ...])


def encode_prepared(prepared: Prepared) -> Json:
    return _PREPARED.dump_python(prepared, mode="json")


def decode_prepared(payload: bytes) -> Prepared:
    return _PREPARED.validate_json(payload)


def encode_refusal(error: BudgetExceeded) -> Json:
    """Return a refusal as an answer: an error that leaves a function loses its numbers."""
    return _REFUSED.dump_python(Refused(error.message, error.context), mode="json")


def raise_refusal(payload: bytes) -> None:
    """Raise the BudgetExceeded that `reserve` answered with, if it did."""
    refused = _REFUSED.validate_json(payload)
    if refused is not None:
        raise BudgetExceeded(refused.message, **refused.context)


def encode_candidates(found: Candidates) -> Json:
    """Return the answer, without the texts when they would make it too large."""
    answer = _CANDIDATES.dump_python(found, mode="json")
    if _size_of(answer) <= MOST_BYTES:
        return answer
    bare = tuple(replace(candidate, text="") for candidate in found.candidates)
    return _CANDIDATES.dump_python(replace(found, candidates=bare), mode="json")


def decode_candidates(payload: bytes) -> Candidates:
    return _CANDIDATES.validate_json(payload)


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


def encode_texts(texts: Sequence[StoredText | None]) -> Json:
    """Return as many entries as fit, at least one."""
    taken: list[StoredText | None] = []
    size = 0
    for entry in texts:
        size += _size_of(_TEXT.dump_python(entry, mode="json"))
        if taken and size > MOST_BYTES:
            break
        taken.append(entry)
    rest = len(taken) if len(taken) < len(texts) else None
    return _TEXTS.dump_python(Texts(tuple(taken), rest), mode="json")


def decode_texts(payload: bytes) -> Texts:
    return _TEXTS.validate_json(payload)


def encode_page_status(status: PageStatus | None) -> Json | None:
    return _PAGE_STATUS.dump_python(status, mode="json")


def decode_page_status(payload: bytes) -> PageStatus | None:
    return _PAGE_STATUS.validate_json(payload)


def encode_remembered(body: Mapping[str, Any] | None) -> Json | None:
    return None if body is None else dict(body)


def decode_remembered(payload: bytes) -> Json | None:
    return json.loads(payload)


def encode_profile(profile: Profile | None) -> Json | None:
    return _PROFILE.dump_python(profile, mode="json")


def decode_profile(payload: bytes) -> Profile | None:
    return _PROFILE.validate_json(payload)


def encode_place(place: PagePlace) -> Json:
    return _PLACE.dump_python(place, mode="json")


def decode_place(payload: bytes) -> PagePlace:
    return _PLACE.validate_json(payload)


def encode_cited_words(words: Sequence[CitedWords | None]) -> list[Json | None]:
    return _CITED_WORDS.dump_python(tuple(words), mode="json")


def decode_cited_words(payload: bytes) -> tuple[CitedWords | None, ...]:
    return _CITED_WORDS.validate_json(payload)


def _size_of(value: object) -> int:
    """Return the bytes of a value in ASCII, the longest form: a runtime may escape the rest."""
    return len(json.dumps(value, ensure_ascii=True))
