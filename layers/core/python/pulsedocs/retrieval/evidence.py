"""What selection may look at: recorded values only, no text, so that a trace can replay it.

Every float is rounded here, before anything is decided. JSON gives back exactly the rounded value,
so a selection recomputed from a stored trace sees the numbers that the first one saw.
"""

import hmac
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from hashlib import sha256
from itertools import combinations
from typing import Final
from uuid import UUID

from pulsedocs.model.likeness import likeness_of, says_the_same, words_of
from pulsedocs.model.retrieval import Candidate, Leg, LegHit

PLACES: Final = 6  # two ranks apart at rank 200 still differ by 1.5e-5 under reciprocal rank fusion


@dataclass(frozen=True, slots=True)
class Passage:
    """A candidate without its words: keyed hashes of its text and of its headings.

    `likeness` is the hash of the text without figures: what has it in common differs in those.

    `dated_at` is the date that its document states, None where it states none. `alike` are the
    candidates of other dates that say the same: which those are is decided while texts are there.

    `crosses_language`: it is in another language than the question, and words in common are chance.
    `by_similarity`: the reranker does not know both languages and the embedder does, and judges.

    `lacks_kind`: it holds nothing of the kind that is asked for, a number or a date.

    `named` is how much of what the question names of documents its own is called, from 0 to 1.

    `relevance` is on the calibrated scale of 0-1: of the reranker where it scored the passage, of
    the embedder otherwise, None where neither did.
    """

    chunk_id: UUID
    document_id: UUID
    version: int
    chunk_index: int
    content: str
    section: str
    pages: tuple[int, ...]
    tokens: int
    dated_at: datetime | None
    legs: Mapping[Leg, LegHit]
    similarity: float | None
    rerank: float | None = None
    relevance: float | None = None
    likeness: str = ""
    alike: tuple[UUID, ...] = ()
    crosses_language: bool = False
    by_similarity: bool = False
    named: float = 0.0
    lacks_kind: bool = False


@dataclass(frozen=True, slots=True)
class Evidence:
    """All that a selection is computed from, beside the profile.

    `reserved_tokens` is what the prompt needs beside its passages, None where there is none: a
    search takes as many passages as were asked for, of whatever length. `single_document` is true
    where the scope holds one document: capping its share would only shorten the answer.
    `asked_pages` are those that the question names: only these were searched, and the first go
    first. `today` is the day of the question, by which a date is to come.
    """

    passages: tuple[Passage, ...]
    reserved_tokens: int | None
    single_document: bool
    asked_pages: tuple[int, ...] = ()
    today: date | None = None


def rounded(value: float) -> float:
    """Round as every recorded float is; minus zero becomes zero."""
    return round(value, PLACES) + 0.0


def seal(tenant_key: bytes, kind: str, text: str) -> str:
    """Return a keyed hash: equal texts of one tenant agree, and nobody can test guesses at them."""
    return hmac.new(tenant_key, f"{kind}\0{text}".encode("utf-8", "replace"), sha256).hexdigest()


def passage_of(candidate: Candidate, *, tenant_key: bytes) -> Passage:
    """Strip a candidate of its words and round its numbers."""
    section = "\0".join(candidate.section)
    dated_at = candidate.dated_at
    if dated_at is not None:
        # A moment without a zone is read as UTC: that is how the database keeps it.
        dated_at = dated_at.astimezone(UTC) if dated_at.tzinfo else dated_at.replace(tzinfo=UTC)
    return Passage(
        chunk_id=candidate.chunk_id,
        document_id=candidate.document_id,
        version=candidate.version,
        chunk_index=candidate.chunk_index,
        content=seal(tenant_key, "content", candidate.text),
        section=seal(tenant_key, "section", section) if section else "",
        pages=tuple(candidate.pages),
        tokens=candidate.tokens,
        dated_at=dated_at,
        legs={leg: LegHit(hit.rank, rounded(hit.score)) for leg, hit in candidate.legs.items()},
        similarity=None if candidate.similarity is None else rounded(candidate.similarity),
        likeness=seal(tenant_key, "likeness", likeness_of(candidate.text)),
    )


def versions_among(candidates: Sequence[Candidate], question: str) -> dict[UUID, tuple[UUID, ...]]:
    """Return for each chunk those of other stated dates that answer the question as it does."""
    asked = words_of(question)
    dated = [(one, words_of(one.text)) for one in candidates if one.dated_at is not None]
    found: dict[UUID, list[UUID]] = defaultdict(list)
    for (one, own), (other, others) in combinations(dated, 2):
        same_place = bool(one.section) and (one.source, one.section) == (
            other.source,
            other.section,
        )
        if one.dated_at != other.dated_at and says_the_same(
            own, others, asked=asked, same_place=same_place
        ):
            found[one.chunk_id].append(other.chunk_id)
            found[other.chunk_id].append(one.chunk_id)
    return {chunk: tuple(sorted(versions)) for chunk, versions in found.items()}
