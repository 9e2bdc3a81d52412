"""What one stage leaves in S3 for the next, read back with suspicion.

`extract` and `embed` touch untrusted files and providers, so what they wrote is validated here
before `store` lets it near the database.
"""

import base64
import json
from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, Self
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from pulsedocs.errors import ArtifactInvalid
from pulsedocs.model.embeddings import MOST_DIMENSIONS, BatchItem, EmbeddedBatch, EmbeddingBatch
from pulsedocs.model.page_ranges import PageRange
from pulsedocs.model.pages import (
    MOST_CHARACTERS,
    MOST_PICTURES,
    Heading,
    Page,
    PageOutcome,
    PicturePlace,
    fields_of,
)

_UNSTORABLE = "\x00"  # PostgreSQL's text has no NUL


class _Artifact(BaseModel):
    model_config = ConfigDict(strict=True)


_Place = Annotated[int, Field(ge=0, le=MOST_CHARACTERS)]


class _HeadingRecord(_Artifact):
    level: Annotated[int, Field(ge=1, le=100)]
    title: Annotated[str, Field(max_length=2000)]
    start: Annotated[int, Field(ge=0)]


class _PictureRecord(_Artifact):
    box: tuple[float, float, float, float] = Field(strict=False)
    at: _Place


class _PageRecord(_Artifact):
    number: Annotated[int, Field(ge=1, le=100_000)]
    text: Annotated[str, Field(max_length=MOST_CHARACTERS)]
    outcome: PageOutcome = Field(strict=False)
    parser: Annotated[str, Field(max_length=50)]
    label: Annotated[str, Field(max_length=200)] | None
    headings: list[_HeadingRecord]
    hidden_characters: Annotated[int, Field(ge=0)]
    failure: Annotated[str, Field(max_length=100)] | None
    verbatim: list[tuple[_Place, _Place]] = Field(default=[], strict=False)
    is_sheet: bool = True
    title: Annotated[str, Field(max_length=1024)] | None = None
    is_picture: bool = False
    confidence: Annotated[float, Field(ge=0, le=1)] | None = None
    certainties: Annotated[
        list[Annotated[int, Field(ge=0, le=100)] | None], Field(max_length=MOST_CHARACTERS)
    ] = []
    unread: Annotated[list[Annotated[str, Field(max_length=200)]], Field(max_length=50)] = []
    pictures: Annotated[list[_PictureRecord], Field(max_length=MOST_PICTURES)] = []

    @model_validator(mode="after")
    def _storable(self) -> Self:
        if _UNSTORABLE in f"{self.text}{self.title}" or (self.outcome is PageOutcome.FAILED) == (
            not self.failure
        ):
            message = f"page {self.number} is not storable"
            raise ValueError(message)
        return self

    def to_page(self) -> Page:
        return Page(
            number=self.number,
            text=self.text,
            outcome=self.outcome,
            parser=self.parser,
            label=self.label,
            headings=tuple(Heading(item.level, item.title, item.start) for item in self.headings),
            hidden_characters=self.hidden_characters,
            failure=self.failure,
            verbatim=tuple(self.verbatim),
            is_sheet=self.is_sheet,
            title=self.title,
            is_picture=self.is_picture,
            confidence=self.confidence,
            certainties=tuple(self.certainties),
            unread=tuple(self.unread),
            pictures=tuple(PicturePlace(each.box, each.at) for each in self.pictures),
        )


class _BatchItemRecord(_Artifact):
    chunk_id: UUID = Field(strict=False)
    content_hash: str
    text: str


class _BatchRecord(_Artifact):
    batch_hash: str
    items: list[_BatchItemRecord]


class _VectorsRecord(_Artifact):
    chunk_ids: list[Annotated[UUID, Field(strict=False)]]
    dimensions: Annotated[int, Field(ge=1, le=MOST_DIMENSIONS)]
    vectors: str
    refused: list[int]
    input_tokens: Annotated[int, Field(ge=0)]
    elapsed_ms: Annotated[int, Field(ge=0)]


@dataclass(frozen=True, slots=True)
class StoredVectors:
    """What `embed` left of one batch; a refused text has a row of zeros."""

    chunk_ids: list[UUID]
    vectors: "list[array[float]]"
    refused: frozenset[int]
    input_tokens: int
    elapsed_ms: int

    @property
    def accepted(self) -> "list[tuple[UUID, array[float]]]":
        paired = zip(self.chunk_ids, self.vectors, strict=True)
        return [pair for index, pair in enumerate(paired) if index not in self.refused]

    @property
    def refused_chunks(self) -> list[UUID]:
        return [self.chunk_ids[index] for index in sorted(self.refused)]


def encode_pages(pages: Iterable[Page]) -> Iterator[bytes]:
    """Yield one JSON line per page."""
    for page in pages:
        yield json.dumps(fields_of(page)).encode() + b"\n"


def decode_pages(body: bytes, part: PageRange) -> list[Page]:
    """Read a part's pages back, each exactly once and in order; raise ArtifactInvalid otherwise."""
    try:
        pages = [_PageRecord.model_validate_json(line).to_page() for line in body.splitlines()]
    except ValidationError as error:
        raise _invalid("pages", error) from None
    if [page.number for page in pages] != list(range(part.first, part.last + 1)):
        message = f"the part with pages {part.first} to {part.last} holds others"
        raise ArtifactInvalid(message, first=part.first, last=part.last)
    return pages


def encode_batch(batch: EmbeddingBatch) -> bytes:
    items = [
        {
            "chunk_id": str(item.chunk_id),
            "content_hash": item.content_hash.hex(),
            "text": item.text,
        }
        for item in batch.items
    ]
    return json.dumps({"batch_hash": batch.batch_hash, "items": items}).encode()


def decode_batch(body: bytes) -> EmbeddingBatch:
    try:
        record = _BatchRecord.model_validate_json(body)
    except ValidationError as error:
        raise _invalid("embedding batch", error) from None
    return EmbeddingBatch(
        record.batch_hash,
        tuple(
            BatchItem(item.chunk_id, bytes.fromhex(item.content_hash), item.text)
            for item in record.items
        ),
    )


def encode_vectors(
    chunk_ids: Sequence[UUID], embedded: EmbeddedBatch, *, dimensions: int, elapsed_ms: int
) -> bytes:
    """Encode vectors as little-endian 32-bit floats; a refused text takes a row of zeros."""
    empty = (0.0,) * dimensions
    flat = b"".join(array("f", vector or empty).tobytes() for vector in embedded.vectors)
    return json.dumps(
        {
            "chunk_ids": [str(chunk_id) for chunk_id in chunk_ids],
            "dimensions": dimensions,
            "vectors": base64.b64encode(flat).decode(),
            "refused": list(embedded.refused),
            "input_tokens": embedded.input_tokens,
            "elapsed_ms": elapsed_ms,
        }
    ).encode()


def decode_vectors(body: bytes) -> StoredVectors:
    """Read chunk ids and vectors back; raise ArtifactInvalid when the counts do not agree."""
    try:
        record = _VectorsRecord.model_validate_json(body)
        flat = array("f", base64.b64decode(record.vectors, validate=True))
    except (ValidationError, ValueError) as error:
        raise _invalid("vectors", error) from None
    width, count = record.dimensions, len(record.chunk_ids)
    if len(flat) != width * count or any(not 0 <= index < count for index in record.refused):
        message = f"{count} chunks of {width} dimensions were promised, {len(flat)} numbers came"
        raise ArtifactInvalid(message)
    return StoredVectors(
        chunk_ids=record.chunk_ids,
        vectors=[flat[start : start + width] for start in range(0, len(flat), width)],
        refused=frozenset(record.refused),
        input_tokens=record.input_tokens,
        elapsed_ms=record.elapsed_ms,
    )


def _invalid(what: str, error: Exception) -> ArtifactInvalid:
    count = error.error_count() if isinstance(error, ValidationError) else 1
    return ArtifactInvalid(f"the stored {what} cannot be read back ({count} problems)")
