"""A stage over a real database of which any part can be made to fail."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any

from benchmarks.library import Library, Paper, Passage, Shelf
from pulsedocs.adapters.memory.chat import ScriptedChat
from pulsedocs.adapters.memory.embedder import HashingEmbedder
from pulsedocs.adapters.memory.object_store import InMemoryObjectStore
from pulsedocs.adapters.memory.reranker import OverlapReranker
from pulsedocs.adapters.postgres.connection import Database
from pulsedocs.adapters.postgres.documents.profiles import PostgresProfileStore
from pulsedocs.adapters.postgres.questions.retrieval import PostgresRetrievalStore
from pulsedocs.documents.profiles import define_profile
from pulsedocs.errors import ObjectStoreUnavailable, ProviderUnavailable
from pulsedocs.model.answers import ChatMessage
from pulsedocs.model.deadline import Deadline
from pulsedocs.model.retrieval import CandidateQuery, Candidates, Scope
from pulsedocs.questions.ask_question import Answer, ask_question
from pulsedocs.questions.providers import Providers
from pulsedocs.questions.query_engine import QueryEngine
from pulsedocs.questions.question import Question, tenant_key
from pulsedocs.questions.refusal_texts import RefusalTexts

MODEL = "memory:hashing@384"
PAGES = (
    "The lease starts on 1 March 2024. It runs for two years.",
    "The monthly rent is 1,200 EUR. The rent is due on the third day of the month.",
    "Cats are allowed. Dogs need the written consent of the landlord.",
)
HANDBOOK = "Staff may work from home on two days a week after the trial period."
QUESTION = "When is the monthly rent due?"
HISTORY = (ChatMessage("user", "I rent a flat."), ChatMessage("assistant", "I see."))
_DOWN = ProviderUnavailable("down")


class Part(StrEnum):
    """What a question depends on, in the order in which it is met."""

    REWRITER = "rewriting"
    INPUT_STAGE = "input_stage"
    EMBEDDER = "embedding"
    VECTOR_LEG = "vector_leg"
    KEYWORD_LEG = "keyword_leg"
    RERANKER = "reranking"
    GENERATOR = "generation"
    TRACE_STORE = "trace"


@dataclass
class World:
    """Everything a question needs; `ask` breaks the parts that are named, for one question."""

    library: Library
    shelf: Shelf
    store: PostgresRetrievalStore
    narrow: "Narrow"
    objects: InMemoryObjectStore = field(default_factory=InMemoryObjectStore)

    @classmethod
    def built(cls, library: Library, database: Database, profiles: PostgresProfileStore) -> "World":
        store, narrow = PostgresRetrievalStore(database), Narrow(database)
        world = cls(library, library.shelf(MODEL), store, narrow)
        world._write("lease.pdf", PAGES)
        world._write("handbook.pdf", (HANDBOOK,))
        define_profile(
            world.shelf.tenant_id,
            "default",
            "everything",
            base="full_hybrid",
            values={"rewrite": True, "gate": 0.3, "gate_scale": "relevance"},
            actor="keeper",
            profiles=profiles,
        )
        return world

    def ask(self, failed: frozenset[Part], text: str = QUESTION, **question: Any) -> Answer:
        self._set_language("no_such" if Part.KEYWORD_LEG in failed else "english")
        objects = Silent() if Part.TRACE_STORE in failed else self.objects
        asked: dict[str, Any] = {"profile": "everything", "history": HISTORY} | question
        return ask_question(
            Question(text, Scope(self.shelf.tenant_id), **asked),
            engine=QueryEngine(
                store=self.narrow if Part.VECTOR_LEG in failed else self.store,
                providers=_providers(failed),
                objects=objects,
                tenant_key=tenant_key(b"a secret of sixteen", self.shelf.tenant_id),
                texts=RefusalTexts("no information", "not indexed", "empty", "no answer"),
                deadline=Deadline.after(20),
            ),
        )

    def _set_language(self, language: str) -> None:
        """Make the words leg, and it alone, fail inside PostgreSQL: it has no such dictionary."""
        self.library.connection.execute(
            "UPDATE collection SET language = %s WHERE tenant_id = %s",
            (language, self.shelf.tenant_id),
        )
        self.library.connection.commit()

    def _write(self, source: str, pages: Sequence[str]) -> None:
        embedder, limit = HashingEmbedder(), Deadline.after(20)
        passages = [
            Passage(text, embedder.embed_query(text, deadline=limit), page=number)
            for number, text in enumerate(pages, start=1)
        ]
        paper = Paper(passages, source=source)
        self.library.add(self.shelf, paper)
        for number, text in enumerate(pages, start=1):
            self.library.connection.execute(
                "INSERT INTO document_page (tenant_id, document_id, version, page_number, outcome,"
                " parser, raw_text, cleaned_text) VALUES (%s, %s, 1, %s, 'TEXT', 'p', %s, %s)",
                (self.shelf.tenant_id, paper.document_id, number, text, text),
            )
        self.library.connection.commit()


class Narrow(PostgresRetrievalStore):
    """Vectors lose their last number on the way, and PostgreSQL refuses that leg."""

    def search(self, query: CandidateQuery) -> Candidates:
        vectors = {leg: vector[:-1] for leg, vector in query.vectors.items()}
        return super().search(replace(query, vectors=vectors))


class Silent(InMemoryObjectStore):
    """A bucket that takes nothing."""

    def write(self, key: str, body: bytes, *, content_type: str = "application/json") -> None:
        del key, body, content_type
        raise ObjectStoreUnavailable("no answer")


class DownEmbedder(HashingEmbedder):
    def embed_query(self, text: str, *, deadline: Deadline) -> tuple[float, ...]:
        del text, deadline
        raise _DOWN


class DownReranker(OverlapReranker):
    def rerank(
        self, query: str, passages: Sequence[str], *, deadline: Deadline
    ) -> tuple[float, ...]:
        del query, passages, deadline
        raise _DOWN


def _providers(failed: frozenset[Part]) -> Providers:
    embedder = DownEmbedder() if Part.EMBEDDER in failed else HashingEmbedder()
    reranker = DownReranker() if Part.RERANKER in failed else OverlapReranker()
    answer = 'The rent is due on the third day [1: "due on the third day of the month"].'
    chat = ScriptedChat(
        [
            _DOWN if Part.INPUT_STAGE in failed else _queries,
            _DOWN if Part.GENERATOR in failed else answer,
        ]
    )
    rewriter = ScriptedChat([_DOWN if Part.REWRITER in failed else QUESTION])
    return Providers(
        embedder=lambda _model: embedder,
        reranker=lambda: reranker,
        chat=lambda: chat,
        rewriter=lambda: rewriter,
    )


def _queries(messages: Sequence[ChatMessage]) -> str:
    """Reply with the queries that were asked for, and no others."""
    queries = {
        "standard_query": "monthly rent due",
        "hypothetical_passage": "The rent is due on the third day of the month.",
    }
    asked = messages[0].content
    return json.dumps({name: text for name, text in queries.items() if name in asked})
