"""Ingestion: how far apart a document's sentences are, for the profile that cuts by it.

`clean` leaves the sentences in S3, `embed` the distances between neighbours, `chunk` reads those.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from pulsedocs.chunking import (
    ChunkProfile,
    Distances,
    MeasuredDistances,
    SentenceBatch,
    neighbour_distances,
    profile_named,
    sentence_batches,
)
from pulsedocs.errors import ArtifactInvalid, ObjectNotFound, error_named
from pulsedocs.faults import fault_point
from pulsedocs.model.deadline import Deadline
from pulsedocs.model.documents import Run, RunChoices
from pulsedocs.model.embeddings import EmbeddingBatchReference
from pulsedocs.model.object_keys import distances_key, sentences_key
from pulsedocs.model.pages import CleanedPage
from pulsedocs.ports.objects import ObjectStore
from pulsedocs.ports.providers import Embedder, TokenCounter

Record = TypeVar("Record", bound=BaseModel)

_LONGEST_FAILURE = 80


class _Sentences(BaseModel):
    model_config = ConfigDict(strict=True)

    texts: Annotated[list[str], Field(min_length=2)]


class _Distances(BaseModel):
    model_config = ConfigDict(strict=True)

    distances: list[Annotated[float, Field(ge=-0.01, le=2.01)] | None]
    input_tokens: Annotated[int, Field(ge=0)]


@dataclass(frozen=True, slots=True)
class DistancesWritten:
    distances_key: str
    called: bool


@dataclass(frozen=True, slots=True)
class ReadDistances:
    """`input_tokens` were bought for the distances, whether or not all of them are there."""

    measured: MeasuredDistances
    input_tokens: int


@dataclass(frozen=True, slots=True)
class SentencePlan:
    """How a version is to be cut, and which sentences are measured before, by which model.

    Most profiles measure none. `is_validated` says whether doubtful chunks are to be marked.
    """

    profile: ChunkProfile
    is_validated: bool
    model: str
    batches: list[SentenceBatch]


def plan_sentences(
    choices: RunChoices,
    pages: Sequence[CleanedPage],
    *,
    count_tokens: TokenCounter,
    batch_size: int,
) -> SentencePlan:
    """Plan from what is stored of a version.

    `clean` writes the batches and `chunk` reads their distances. Each asks here instead of handing
    the plan on: the texts are too many for a state, and the plan is the same from the same rows.
    """
    options = dict(choices.chunking)
    is_validated = bool(options.pop("validate_chunks", True))
    profile = profile_named(options.pop("profile"), options)
    planned = sentence_batches(
        pages,
        profile=profile,
        count_tokens=count_tokens,
        model=choices.model,
        max_items=batch_size,
    )
    return SentencePlan(profile, is_validated, choices.model, planned)


def write_sentences(run: Run, batches: Sequence[SentenceBatch], *, objects: ObjectStore) -> None:
    """Leave batches where `embed` finds them; who writes them again writes the same bytes."""
    for batch in batches:
        body = _Sentences(texts=list(batch.texts)).model_dump_json().encode()
        objects.write(sentences_key(run, batch.batch_hash), body)


def measure_sentences(
    run: Run,
    batch: EmbeddingBatchReference,
    *,
    objects: ObjectStore,
    embedder: Embedder,
    deadline: Deadline,
) -> DistancesWritten:
    """Call the provider unless the distances within this batch already lie in S3."""
    key = distances_key(run, embedder.model, batch.hash)
    if objects.exists(key):
        return DistancesWritten(key, called=False)
    texts = _decoded(_Sentences, objects.read(sentences_key(run, batch.hash))).texts
    embedded = embedder.embed_passages(texts, deadline=deadline)
    found = neighbour_distances(embedded.vectors, refused=frozenset(embedded.refused))
    fault_point("embed.before_distances")
    body = _Distances(distances=list(found), input_tokens=embedded.input_tokens)
    objects.write(key, body.model_dump_json().encode())
    fault_point("embed.after_distances")
    return DistancesWritten(key, called=True)


def read_distances(
    run: Run, planned: SentencePlan, *, failure: str, objects: ObjectStore
) -> ReadDistances:
    """Return all distances in order, or why there are none; no failure stops a document here.

    `failure` is the error that ended the measuring, empty where none did. What was measured before
    it has been paid for and is counted.
    """
    found: list[float | None] = []
    tokens: dict[str, int] = {}
    known = error_named(failure)
    # A failure of AWS itself is no error of ours: it keeps its own name.
    reason = (failure[:_LONGEST_FAILURE] or None) if known is None else known.code
    for batch in planned.batches:
        try:
            body = objects.read(distances_key(run, planned.model, batch.batch_hash))
            record = _decoded(_Distances, body)
        except (ObjectNotFound, ArtifactInvalid) as error:
            reason = reason or error.code
            continue
        if len(record.distances) != len(batch.texts) - 1:
            reason = reason or ArtifactInvalid.code
            continue
        found += record.distances
        tokens[batch.batch_hash] = record.input_tokens
    distances: Distances = () if reason else tuple(found)
    return ReadDistances(MeasuredDistances(distances, planned.model, reason), sum(tokens.values()))


def _decoded(kind: type[Record], body: bytes) -> Record:
    try:
        return kind.model_validate_json(body)
    except ValidationError as error:
        what = kind.__name__.strip("_").lower()
        raise ArtifactInvalid(
            f"the stored {what} cannot be read back ({error.error_count()} problems)"
        ) from None
