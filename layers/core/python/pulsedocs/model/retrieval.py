"""Questions, candidates, the policy that selects among them, and the reasons it gives."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any, Final, NamedTuple
from uuid import UUID

from pulsedocs.model.conversations import Turn
from pulsedocs.model.pages import Heading, Stretches

MOST_CANDIDATES: Final = 200  # an answer to `query` stays below Lambda's 6 MB


class Leg(StrEnum):
    VECTOR = "vector"
    KEYWORD = "keyword"
    HYDE = "hyde"
    PAGE = "page"
    """On a page that the question names; the score is its similarity."""


class Reason(StrEnum):
    """Why a candidate was selected or dropped; the first rule that applies wins."""

    SELECTED = "SELECTED"
    DUPLICATE = "DUPLICATE"
    BELOW_THRESHOLD = "BELOW_THRESHOLD"
    PAGE_LIMIT = "PAGE_LIMIT"
    SECTION_LIMIT = "SECTION_LIMIT"
    DOCUMENT_LIMIT = "DOCUMENT_LIMIT"
    OVER_BUDGET = "OVER_BUDGET"
    OUTRANKED = "OUTRANKED"


class LostAt(StrEnum):
    """Where a page was lost, in the order of the pipeline; the last two say that it was not."""

    NEVER_INDEXED = "never_indexed"
    NOT_INDEXED_FOR_MODEL = "not_indexed_for_model"
    OUT_OF_SCOPE = "out_of_scope"
    NOT_SEARCHED = "not_searched"
    NOT_RECALLED = "not_recalled"
    DUPLICATE = "duplicate"
    GATED = "gated"
    CAPPED = "capped"
    OUT_RANKED = "out_ranked"
    OVER_BUDGET = "over_budget"
    GENERATION = "generation"
    SELECTED = "selected"
    CITED = "cited"


class Abstention(StrEnum):
    EMPTY_QUERY = "EMPTY_QUERY"
    NO_SUCH_PAGE = "NO_SUCH_PAGE"
    WHICH_DOCUMENT = "WHICH_DOCUMENT"
    NO_DOCUMENTS = "NO_DOCUMENTS"
    NO_CANDIDATES = "NO_CANDIDATES"
    BELOW_THRESHOLD = "BELOW_THRESHOLD"
    NOT_INDEXED_FOR_MODEL = "NOT_INDEXED_FOR_MODEL"
    NO_ANSWER_IN_CONTEXT = "NO_ANSWER_IN_CONTEXT"


@dataclass(frozen=True, slots=True)
class LegHit:
    """A candidate's place in one leg: `rank` counts from 1, `score` is the leg's own."""

    rank: int
    score: float


class StoredText(NamedTuple):
    """Text with the label of its page.

    It `is_recognised` on a picture of the page, with `confidence` where the engine was ours.
    Of the words that are `doubtful` it was not sure. Of a page that has text of its own,
    `recognised` is what it says on its pictures. `headings` are at offsets into the text.
    """

    text: str
    label: str | None = None
    is_recognised: bool = False
    confidence: float | None = None
    doubtful: Stretches = ()
    recognised: Stretches = ()
    headings: tuple[Heading, ...] = ()


@dataclass(frozen=True, slots=True)
class Candidate:
    """A passage that at least one leg returned.

    `dated_at` is the date that its document states: when it was uploaded says nothing of its age.
    `similarity` is the cosine to the query, or None when the chunk has no vector of this model.
    """

    chunk_id: UUID
    document_id: UUID
    version: int
    chunk_index: int
    source: str
    title: str | None
    text: str
    pages: tuple[int, ...]
    section: tuple[str, ...]
    tokens: int
    dated_at: datetime | None
    legs: Mapping[Leg, LegHit]
    similarity: float | None
    metadata: Mapping[str, Any] = field(default_factory=dict[str, Any])
    spans: tuple[tuple[int, int, int], ...] = ()
    """Page, start and end of each part of `text`, where it lies on several pages."""
    method: str = ""
    """How the chunk was cut; at `chunked_at`, with its document's others `chunk_count` of them."""
    chunked_at: datetime | None = None
    chunk_count: int = 0


class GateScale(StrEnum):
    """On which scale a profile's threshold is read."""

    NONE = "none"
    RELEVANCE = "relevance"
    COSINE = "cosine"


class Ordering(StrEnum):
    """How the candidates of all legs are put into one order before reranking."""

    RECIPROCAL_RANK = "reciprocal_rank"
    ADDED_SCORES = "added_scores"
    BEST_SCORE = "best_score"
    SIMILARITY = "similarity"


class Bounds(NamedTuple):
    """The least and the most of a number that a policy of one's own may have."""

    least: float
    most: float


def within(least: float, most: float) -> dict[str, Bounds]:
    return {"bounds": Bounds(least, most)}


@dataclass(frozen=True, slots=True)
class Profile:
    """A retrieval policy; a limit of 0 turns the rule or the leg off."""

    name: str
    revision: int
    vector_candidates: int = field(metadata=within(0, MOST_CANDIDATES))
    keyword_candidates: int = field(metadata=within(0, MOST_CANDIDATES))
    ordering: Ordering
    rerank_candidates: int = field(metadata=within(0, MOST_CANDIDATES))
    gate_scale: GateScale
    gate: float = field(metadata=within(0, 1))
    per_page: int = field(metadata=within(0, 100))
    per_section: int = field(metadata=within(0, 100))
    per_document: int = field(metadata=within(0, 100))
    tie_band: float = field(metadata=within(0, 0.2))
    top_k: int = field(metadata=within(1, 100))
    context_tokens: int = field(metadata=within(256, 100_000))
    exact: bool = False
    optimised_query: bool = False
    hyde: bool = False
    deduplicate: bool = True
    rewrite: bool = True
    """A question with a history is made to stand alone, where a model for it is configured."""
    rrf_k: int = field(default=60, metadata=within(1, 1000))
    overhead_tokens: int = field(default=200, metadata=within(0, 20_000))
    """Reserved for the prompt's instructions and the question."""
    overhead_tokens_per_block: int = field(default=30, metadata=within(0, 1000))
    """Reserved for each passage's `[n] (source: file, p. x)` line."""
    over_fetch: int = field(default=1, metadata=within(1, 20))
    """A leg fetches at least this many times `top_k`, so that rules have something to drop."""
    rerank_weight: int = field(default=0, metadata=within(0, 10))
    """For how many legs the reranker counts beside the legs; 0: it alone decides."""
    blend_scores: bool = False
    """Legs and reranker are added up by what they say, not by the ranks they give."""
    name_weight: float = field(default=0.0, metadata=within(0, 10))
    """For how many legs it counts that a question names a passage's document."""
    pages_first: bool = False
    """Of what is selected, further passages of a page come after other pages."""
    gate_low: float = field(default=0.0, metadata=within(0, 1))
    """Where a passage passes the gate, others from here on come after it; 0: none do."""


@dataclass(frozen=True, slots=True)
class Scope:
    """Where to look. `collections` are names; `document_ids` empty means every document."""

    tenant_id: UUID
    collections: tuple[str, ...] = ("default",)
    document_ids: tuple[UUID, ...] = ()
    filters: Mapping[str, Any] | None = None
    """The client's filter object, validated by `pulsedocs.retrieval.filters`."""


@dataclass(frozen=True, slots=True)
class NamedPages:
    """Pages that a question names: `labels` as printed, in small letters, and `places`.

    Places count from 1, and from the end below 0. A number is both.
    """

    labels: tuple[str, ...]
    places: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class AskedPages:
    """The `numbers` of the pages that a question names, of a document that has `of` pages."""

    numbers: tuple[int, ...]
    of: int


@dataclass(frozen=True, slots=True)
class Coverage:
    """What of a document no question can find: pages without text, chunks without a vector."""

    document_id: UUID
    pages_unreadable: int
    pages_total: int
    chunks_without_vectors: int = 0

    @property
    def is_partial(self) -> bool:
        return bool(self.pages_unreadable or self.chunks_without_vectors)


@dataclass(frozen=True, slots=True)
class NearWord:
    """A spelling, one letter from a `word` that was asked about, that the collections have.

    `term` is what it is indexed by, None for a word that is in every text.
    """

    word: str
    spelling: str
    term: str | None


@dataclass(frozen=True, slots=True)
class Prepared:
    """What is known of the scope before any vector exists."""

    model: str
    dimensions: int
    retrieval_profile: str
    chunks: int
    embedded: int
    documents: int
    coverage: tuple[Coverage, ...]
    reservation_id: UUID | None
    turns: tuple[Turn, ...] = ()
    """The newest turns of the conversation asked for, oldest first."""
    language: str | None = None
    """ISO code of the language that all collections of the scope declare."""
    is_limited: bool = False
    """Whether what the question may cost has to be reserved first."""
    near_words: tuple[NearWord, ...] = ()
    """Of the words asked about: those themselves too, where the collections have them."""
    pages: AskedPages | None = None
    """Where the question names pages and the scope is one document."""


@dataclass(frozen=True, slots=True)
class CandidateQuery:
    """What the legs need: vectors by leg (VECTOR, HYDE), words for the keyword leg, limits."""

    scope: Scope
    model: str
    dimensions: int
    vectors: Mapping[Leg, tuple[float, ...]]
    words: str | None
    vector_candidates: int
    keyword_candidates: int
    exact: bool = False
    pages: tuple[int, ...] = ()
    """Only these pages of the scope's one document are searched, where there are any."""
    deduplicate: bool = True
    """Whether a leg that copies crowd is read deeper, past them."""


@dataclass(frozen=True, slots=True)
class Candidates:
    """What the legs found in one snapshot. `vector_path` is exact, hnsw or escalated."""

    candidates: tuple[Candidate, ...]
    vector_path: str | None
    corpus: Mapping[str, Any]
    timings_ms: Mapping[str, float]
    degraded: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Usage:
    """What a question cost; stored by `settle`. `cost_usd` is None for a price not known here."""

    method: str
    model: str
    input_tokens: int
    output_tokens: int
    cost_usd: float | None
    trace_id: str
    user_id: str | None = None
    priced_usd: float = 0.0
    """Where `cost_usd` is None: what is known of it, which a budget counts all the same."""
