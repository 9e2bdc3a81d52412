"""Answers, and the citations that prove them."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any
from uuid import UUID

from pulsedocs.model.retrieval import Abstention


class CitationStatus(StrEnum):
    FOUND = "found"
    MISATTRIBUTED = "misattributed"
    NOT_FOUND = "not_found"
    MISCALCULATED = "miscalculated"
    """Its words are there; what it computes from them is wrong."""


class Reading(StrEnum):
    """What is left to do with the words that answer a question.

    Of PART it is to find the rest, of CUT to ask for what a model had no room to say.
    """

    YES_NO = "yes_no"
    COUNT = "count"
    COMPARISON = "comparison"
    SUM = "sum"
    PART = "part"
    OVERVIEW = "overview"
    CUT = "cut"


@dataclass(frozen=True, slots=True)
class Note:
    """What an answer leaves to its reader."""

    kind: Reading
    message: str


@dataclass(frozen=True, slots=True)
class Citation:
    """Words that bear out markers `[n]`: `page.text[start:end] == quote`, of one version.

    `markers` says which, counted from 0 among all markers of the answer, whatever their numbers.
    `ocr` says that a program recognised them on a picture of the page, and `confidence`, 0 to 1,
    how sure it was of that page. Of `doubtful_words` it was not: look at the page.
    """

    n: int
    markers: tuple[int, ...]
    document_id: UUID
    version: int
    source: str
    title: str | None
    page: int
    page_label: str | None
    quote: str
    start: int
    end: int
    status: CitationStatus
    ocr: bool = False
    confidence: float | None = None
    doubtful_words: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Nearest:
    """The sentence that came nearest to a question it does not answer.

    `version`, `start` and `end` are as in a citation. Answers that release 0.1.0 kept have no
    `version`.
    """

    document_id: UUID
    source: str
    title: str | None
    page: int
    page_label: str | None
    quote: str
    start: int
    end: int
    version: int | None = None


@dataclass(frozen=True, slots=True)
class Abstained:
    """Why no answer is given. `message` is for the reader, `detail` has the numbers."""

    reason: Abstention
    message: str
    detail: str
    nearest: Nearest | None = None


@dataclass(frozen=True, slots=True)
class ChatMessage:
    role: str
    content: str


@dataclass(frozen=True, slots=True)
class ReplySchema:
    """The JSON schema that a reply is to follow; providers that can enforce it are told to."""

    name: str
    schema: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Completion:
    """A chat model's reply; `finish_reason` as OpenAI spells it (stop, length, …)."""

    text: str
    input_tokens: int
    output_tokens: int
    finish_reason: str
    model: str
