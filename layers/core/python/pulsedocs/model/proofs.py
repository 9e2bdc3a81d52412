"""A proof to hand on: an answer with all that shows where its words stand, and who says so."""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Literal
from uuid import UUID

from pulsedocs.errors import NoBoxes
from pulsedocs.model.highlights import Highlight, PagePlace, StoredPage, place_of, text_digest


@dataclass(frozen=True, slots=True)
class Mark:
    """Words that an answer cites: `text[start:end]` of one page of one version."""

    document_id: UUID
    version: int
    page: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a page's text comes from. Digests are SHA-256 in hexadecimal; this one is of the file.

    The text was read by `parser` and cleaned by the rules of `pipeline_revision`.
    """

    source: str
    title: str | None
    page_label: str | None
    file_sha256: str | None
    content_type: str
    parser: str
    pipeline_revision: str


@dataclass(frozen=True, slots=True)
class CitedWords:
    """What is stored at a mark.

    `text_sha256` is of the page's text that offsets count in. `place` is None where nothing knows
    where the words lie on paper.
    """

    origin: Origin
    quote: str
    text_sha256: str
    place: PagePlace | None


@dataclass(frozen=True, slots=True)
class ProvenCitation:
    """A citation of the answer, with the words as they are stored.

    `piece` shows them on the page as drawn; None where the page has no places, or cannot be drawn.
    """

    n: int
    status: str
    mark: Mark
    words: CitedWords
    piece: Highlight | None = None


@dataclass(frozen=True, slots=True)
class Proof:
    """An answer, its citations and its trace; `refused_for` is set where nothing is answered."""

    exported_at: str
    question: str
    answer: str
    refused_for: str | None
    citations: tuple[ProvenCitation, ...]
    trace: Mapping[str, Any]
    format: Literal[1] = 1


@dataclass(frozen=True, slots=True)
class Signature:
    """An Ed25519 signature (RFC 8032) and its public key, both in base64.

    `key_id` is the start of the key's SHA-256, to be compared by people.
    """

    key_id: str
    public_key: str
    signature: str


def words_at(mark: Mark, *, tenant_id: UUID, page: StoredPage, origin: Origin) -> CitedWords:
    """Return the words of a stored page at a mark. Raises InvalidRequest for a mark outside."""
    place = None
    with suppress(NoBoxes):
        place = place_of(
            tenant_id, mark.document_id, mark.page, page, start=mark.start, end=mark.end
        )
    return CitedWords(
        origin=origin,
        quote=page.text[mark.start : mark.end],
        text_sha256=text_digest(page.text),
        place=place,
    )
