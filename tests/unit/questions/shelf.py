"""A retrieval store in memory, over pages that a test writes down, with both legs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from pulsedocs.adapters.memory.embedder import HashingEmbedder
from pulsedocs.adapters.memory.object_store import InMemoryObjectStore
from pulsedocs.adapters.memory.words import words_of
from pulsedocs.errors import CollectionNotFoundError, PulseDocsError
from pulsedocs.model.budgets import Amounts
from pulsedocs.model.conversations import NewTurn, Turn
from pulsedocs.model.deadline import Deadline
from pulsedocs.model.lookups import PrepareQuery
from pulsedocs.model.page_status import PageQuery, PageStatus
from pulsedocs.model.retrieval import (
    Candidate,
    CandidateQuery,
    Candidates,
    Coverage,
    Leg,
    LegHit,
    NearWord,
    Prepared,
    Profile,
    StoredText,
    Usage,
)
from pulsedocs.questions.providers import Providers
from pulsedocs.questions.query_engine import QueryEngine
from pulsedocs.questions.question import tenant_key
from pulsedocs.questions.refusal_texts import RefusalTexts
from pulsedocs.retrieval.page_references import pages_of

TENANT = UUID(int=0x11111111111141118111111111111111)
KEY = tenant_key(b"a secret of sixteen", TENANT)
_PageKey = tuple[UUID, int, int]


@dataclass
class Shelf:
    """Implements `questions.ports.RetrievalStore`; each page written is one chunk."""

    model: str = "memory:hashing@384"
    profile: str = "default"
    language: str | None = "en"
    embedded: bool = True
    coverage: tuple[Coverage, ...] = ()
    degraded: tuple[str, ...] = ()
    failing: dict[str, PulseDocsError] = field(default_factory=dict[str, PulseDocsError])
    queries: list[CandidateQuery] = field(default_factory=list[CandidateQuery])
    is_limited: bool = False
    near_words: tuple[NearWord, ...] = ()
    doubted: tuple[str, ...] = ()
    reserved: list[Amounts] = field(default_factory=list[Amounts])
    settled: list[Usage] = field(default_factory=list[Usage])
    turns: list[NewTurn] = field(default_factory=list[NewTurn])
    chunks: list[Candidate] = field(default_factory=list[Candidate])
    page_statuses: dict[tuple[UUID, int], PageStatus] = field(
        default_factory=dict[tuple[UUID, int], PageStatus]
    )
    asked_pages: list[PageQuery] = field(default_factory=list[PageQuery])
    defined: dict[str, Profile] = field(default_factory=dict[str, Profile])
    pages: dict[_PageKey, StoredText] = field(default_factory=dict[_PageKey, StoredText])

    def write(self, document: int, page: int, text: str, **changes: Any) -> None:
        """Put a page on the shelf, whole as one chunk."""
        values: dict[str, Any] = {
            "chunk_id": UUID(int=document * 1000 + page),
            "document_id": UUID(int=document),
            "version": 1,
            "chunk_index": page - 1,
            "source": f"file-{document}.pdf",
            "title": None,
            "text": text,
            "pages": (page,),
            "section": (),
            "tokens": len(text.split()),
            "dated_at": datetime(2026, 1, document, tzinfo=UTC),
            "legs": {},
            "similarity": None,
        }
        self.chunks.append(Candidate(**values | changes))
        self.pages[UUID(int=document), 1, page] = StoredText(text, f"p{page}")

    def prepare(self, asked: PrepareQuery) -> Prepared:
        self.doubted += asked.doubtful
        self._fail("prepare")
        assert asked.method in {"search", "ask", "stream", "chat", "evaluate"}
        scope, pages = asked.scope, asked.pages
        if scope.tenant_id != TENANT or scope.collections != ("default",):
            raise CollectionNotFoundError(f"no collection {scope.collections!r}")
        numbers = [key[2] for key in self.pages if key[0] in scope.document_ids]
        labelled = [n for n in numbers if pages and f"{n}" in pages.labels]
        is_one = len(scope.document_ids) == 1
        return Prepared(
            pages=pages_of(pages, labelled=labelled, of=len(numbers)) if pages and is_one else None,
            model=asked.model or self.model,
            dimensions=384,
            retrieval_profile=self.profile,
            chunks=len(self.chunks),
            embedded=len(self.chunks) if self.embedded else 0,
            documents=len({chunk.document_id for chunk in self.chunks}),
            coverage=self.coverage,
            reservation_id=UUID(int=9),
            is_limited=self.is_limited,
            near_words=self.near_words,
            language=self.language,
            turns=tuple(
                Turn(turn.question, turn.answer)
                for turn in self.turns
                if (turn.conversation_id, turn.subject) == (asked.conversation_id, asked.subject)
            ),
        )

    def reserve(self, tenant_id: UUID, reservation_id: UUID, amounts: Amounts) -> None:
        self._fail("reserve")
        assert tenant_id == TENANT
        assert reservation_id
        self.reserved.append(amounts)

    def search(self, query: CandidateQuery) -> Candidates:
        self._fail("search")
        self.queries.append(query)
        vector = query.vectors.get(Leg.VECTOR)
        near = self._near(vector)[: query.vector_candidates] if vector else []
        passage = query.vectors.get(Leg.HYDE)
        like_it = self._near(passage)[: query.vector_candidates] if passage else []
        worded = self._worded(query.words or "")[: query.keyword_candidates]
        legs: dict[UUID, dict[Leg, LegHit]] = {}
        by_leg = [(Leg.VECTOR, near), (Leg.HYDE, like_it), (Leg.KEYWORD, worded)]
        if query.pages:
            only = query.scope.document_ids, query.pages
            own = [c for c in self.chunks if c.document_id in only[0] and c.pages[0] in only[1]]
            by_leg = [(Leg.PAGE, [(1.0, chunk) for chunk in own])]
        for leg, hits in by_leg:
            for rank, (score, chunk) in enumerate(hits, start=1):
                legs.setdefault(chunk.chunk_id, {})[leg] = LegHit(rank, score)
        found = [
            self._found(chunk, legs, vector) for chunk in self.chunks if chunk.chunk_id in legs
        ]
        return Candidates(
            tuple(found), "exact", {"snapshot": 7}, {"vector": 1.0}, degraded=self.degraded
        )

    def settle(
        self,
        tenant_id: UUID,
        reservation_id: UUID | None,
        usage: Usage,
        *,
        turn: NewTurn | None = None,
    ) -> None:
        self._fail("settle")
        assert tenant_id == TENANT
        assert reservation_id
        self.settled.append(usage)
        self.turns += [] if turn is None else [turn]

    def page_texts(
        self, tenant_id: UUID, pages: Sequence[_PageKey]
    ) -> Mapping[_PageKey, StoredText]:
        self._fail("page_texts")
        assert tenant_id == TENANT
        return {key: self.pages[key] for key in pages if key in self.pages}

    def page_status(self, asked: PageQuery) -> PageStatus | None:
        self._fail("page_status")
        assert asked.tenant_id == TENANT
        self.asked_pages.append(asked)
        return self.page_statuses.get((asked.document_id, asked.page))

    def defined_profile(self, tenant_id: UUID, collection: str, name: str) -> Profile | None:
        self._fail("defined_profile")
        assert (tenant_id, collection) == (TENANT, "default")
        return self.defined.get(name)

    def _fail(self, call: str) -> None:
        if call in self.failing:
            raise self.failing[call]

    def _near(self, vector: tuple[float, ...]) -> list[tuple[float, Candidate]]:
        scored = [(_cosine(vector, chunk.text), chunk) for chunk in self.chunks]
        return sorted(scored, key=lambda pair: (-pair[0], pair[1].chunk_id))

    def _worded(self, words: str) -> list[tuple[float, Candidate]]:
        asked = set(words_of(words))
        scored = [(float(len(asked & set(words_of(c.text)))), c) for c in self.chunks]
        return sorted(
            [pair for pair in scored if pair[0]], key=lambda pair: (-pair[0], pair[1].chunk_id)
        )

    def _found(
        self,
        chunk: Candidate,
        legs: Mapping[UUID, Mapping[Leg, LegHit]],
        vector: tuple[float, ...] | None,
    ) -> Candidate:
        similarity = _cosine(vector, chunk.text) if vector else None
        return replace(chunk, legs=legs[chunk.chunk_id], similarity=similarity)


def _cosine(vector: tuple[float, ...], text: str) -> float:
    other = HashingEmbedder().embed_query(text, deadline=Deadline.after(9))
    return sum(a * b for a, b in zip(vector, other, strict=True))


def lease_shelf() -> Shelf:
    """Return a lease and a handbook: two documents whose answers are known."""
    shelf = Shelf()
    shelf.write(1, 1, "The lease starts on 1 March 2024. It runs for two years.")
    shelf.write(
        1, 2, "The monthly rent is 1,200 EUR. The rent is due on the third day of the month."
    )
    shelf.write(1, 3, "Cats are allowed. Dogs need the written consent of the landlord.")
    shelf.write(2, 1, "Staff may work from home on two days a week after the trial period.")
    return shelf


def engine_over(store: Any, providers: Providers, **changes: Any) -> QueryEngine:
    """Return what answers from a store with these models, within twenty seconds."""
    means: dict[str, Any] = {
        "objects": InMemoryObjectStore(),
        "texts": RefusalTexts("no information", "not indexed", "empty", "no answer"),
        "tenant_key": KEY,
        "deadline": Deadline.after(20),
    }
    return QueryEngine(store=store, providers=providers, **means | changes)
