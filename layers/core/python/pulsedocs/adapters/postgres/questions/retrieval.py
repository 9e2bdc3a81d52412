"""The database side of a question: what may be searched, what the legs find, what it cost."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Final, LiteralString, TypeVar
from uuid import UUID, uuid4, uuid5

from psycopg import Connection, Cursor
from psycopg.rows import DictRow, RowFactory, class_row, dict_row, scalar_row

from pulsedocs.adapters.postgres import budgets
from pulsedocs.adapters.postgres.connection import Database
from pulsedocs.adapters.postgres.documents.places import offsets_in, page_in, stored_page
from pulsedocs.adapters.postgres.documents.profiles import newest_profile
from pulsedocs.adapters.postgres.queries import query
from pulsedocs.adapters.postgres.questions import conversations
from pulsedocs.adapters.postgres.questions.feedback import keep_feedback
from pulsedocs.adapters.postgres.questions.legs import (
    DEGRADED,
    LegAnswer,
    LegStatements,
    by_leg,
    run_legs,
)
from pulsedocs.adapters.postgres.questions.page_status import read_page_status
from pulsedocs.adapters.postgres.questions.scopes import (
    BoundScope,
    ScopedCollection,
    ScopeSize,
    SearchModel,
    SeenScope,
    SeenScopes,
    search_model,
)
from pulsedocs.adapters.postgres.remembered import RememberedRequests
from pulsedocs.adapters.postgres.rows import headings_of, value_of
from pulsedocs.faults import fault_point
from pulsedocs.model.budgets import NO_LIMITS, Amounts, Limits, microdollars
from pulsedocs.model.conversations import NewTurn
from pulsedocs.model.feedback import Feedback
from pulsedocs.model.highlights import PagePlace, place_of
from pulsedocs.model.languages import CODES
from pulsedocs.model.lookups import PlaceQuery, PrepareQuery
from pulsedocs.model.page_status import PageQuery, PageStatus
from pulsedocs.model.pages import Stretches, doubtful_words, recognised_stretches
from pulsedocs.model.proofs import CitedWords, Mark, Origin, words_at
from pulsedocs.model.retrieval import (
    MOST_CANDIDATES,
    CandidateQuery,
    Candidates,
    Coverage,
    Leg,
    NearWord,
    Prepared,
    Profile,
    StoredText,
    Usage,
)
from pulsedocs.retrieval.legs import ByLeg, union
from pulsedocs.retrieval.near_duplicates import past_copies
from pulsedocs.retrieval.page_references import pages_of
from pulsedocs.retrieval.spelling import spellings

_Row = TypeVar("_Row")
_MOST_COUNTED_VECTORS: Final = 200  # one document for each, at worst: 1,000 blocks
_MOST_NAMED: Final = 100  # documents without vectors; one is enough to doubt a refusal
_MOST_SCANNED_CHUNKS: Final = 2000  # 20 ms; below, an exact scan beats HNSW in time and recall
_SHORTEST_CANDIDATE_LIST, _LONGEST_CANDIDATE_LIST = 100, 1000  # of hnsw.ef_search
_NOTHING: Final = ScopeSize(documents=0, chunks=0, published_at=None)
_BY_MEANING: Final = frozenset((Leg.VECTOR, Leg.HYDE))
_UNRESERVED: Final = UUID("8f6f2d4e-3f2b-5c8e-9a53-6a1f0f6f7d11")


class PostgresRetrievalStore(RememberedRequests):
    """Implements `questions.ports.RetrievalDatabase`."""

    def __init__(
        self, database: Database, *, conversation_days: int = 30, limits: Limits = NO_LIMITS
    ) -> None:
        super().__init__(database, quotes=True)
        self._database = database
        self._limits = limits
        self._conversation_days = conversation_days
        self._seen = SeenScopes()

    def prepare(self, asked: PrepareQuery) -> Prepared:
        """Look at the scope and reserve a usage row.

        `documents` and `chunks` are exact. `embedded` is exact up to 200 and "at least" from
        there: it decides whether there is any vector to search.
        """
        tenant_id = asked.scope.tenant_id
        preparation = _Preparation(asked)

        def work(connection: Connection[Any]) -> Prepared:
            prepared = preparation.run(connection)
            turns = conversations.history(
                connection, tenant_id, asked.conversation_id, subject=asked.subject
            )
            of_stage = (self._limits.tokens, self._limits.microdollars) != (None, None)
            key = {"tenant_id": tenant_id, "is_limited": of_stage}
            is_limited = bool(value_of(connection, "budget_is_limited", key))
            return replace(prepared, turns=turns, is_limited=is_limited)

        return self._database.run(tenant_id, work, snapshot=True)

    def reserve(self, tenant_id: UUID, reservation_id: UUID, amounts: Amounts) -> None:
        """Reserve in a transaction of its own: a snapshot fails where others reserve as well."""
        holder = budgets.Holder(tenant_id, reservation_id)
        minutes = budgets.QUESTION_MINUTES

        def work(connection: Connection[Any]) -> None:
            budgets.reserve(connection, holder, amounts, limits=self._limits, minutes=minutes)

        self._database.run(tenant_id, work)
        fault_point("budget.after_commit")

    def search(self, query: CandidateQuery) -> Candidates:
        bound = BoundScope(query.scope, model=query.model)
        search = _Search(bound, query, seen=self._seen)
        return self._database.run(
            query.scope.tenant_id, search.run, read_only=True, snapshot=True, pipelined=True
        )

    def settle(
        self,
        tenant_id: UUID,
        reservation_id: UUID | None,
        usage: Usage,
        *,
        turn: NewTurn | None = None,
    ) -> None:
        """Record the cost and the turn once, however often reported; an expired one counts."""
        usage_id = reservation_id or uuid5(_UNRESERVED, usage.trace_id)
        parameters = {
            "tenant_id": tenant_id,
            "usage_id": usage_id,
            "method": usage.method,
            "model": usage.model,
            "user_id": usage.user_id,
            "trace_id": usage.trace_id,
            "input_tokens": usage.input_tokens,
            "output_tokens": usage.output_tokens,
            "cost_usd": usage.cost_usd,
        }

        spent = Amounts(
            tokens=usage.input_tokens + usage.output_tokens,
            microdollars=microdollars(
                usage.priced_usd if usage.cost_usd is None else usage.cost_usd
            ),
        )

        def work(connection: Connection[Any]) -> None:
            is_new = connection.execute(query("retrieval_settle"), parameters).rowcount
            if is_new:
                holder = budgets.Holder(tenant_id, usage_id)
                budgets.settle(connection, holder, spent, is_last=True)
            if turn is not None:
                conversations.append(connection, parameters, turn, days=self._conversation_days)

        self._database.run(tenant_id, work)

    def page_texts(
        self, tenant_id: UUID, pages: Sequence[tuple[UUID, int, int]]
    ) -> Mapping[tuple[UUID, int, int], StoredText]:
        parameters = _columns(pages, ("documents", "versions", "pages"))
        rows = self._rows(tenant_id, query("retrieval_page_texts"), parameters)
        return {
            (row["document_id"], row["version"], row["page_number"]): StoredText(
                row["cleaned_text"],
                row["label"],
                row["is_recognised"],
                row["confidence"],
                _doubtful(row),
                _recognised(row),
                headings_of(row["headings"]),
            )
            for row in rows
        }

    def candidate_texts(
        self, tenant_id: UUID, chunks: Sequence[tuple[UUID, int, UUID]]
    ) -> Mapping[UUID, str]:
        parameters = _columns(chunks, ("documents", "versions", "chunks"))
        rows = self._rows(tenant_id, query("retrieval_candidate_texts"), parameters)
        return {row["chunk_id"]: row["text"] for row in rows}

    def ping(self, tenant_id: UUID) -> None:
        """Open a transaction, which asks the server who it thinks is asking."""
        self._database.run(tenant_id, lambda _: None, read_only=True)

    def page_status(self, asked: PageQuery) -> PageStatus | None:
        work = partial(read_page_status, asked)
        return self._database.run(asked.tenant_id, work, read_only=True, snapshot=True)

    def defined_profile(self, tenant_id: UUID, collection: str, name: str) -> Profile | None:
        work = partial(newest_profile, tenant_id, collection, name)
        return self._database.run(tenant_id, work, read_only=True)

    def keep_feedback(self, tenant_id: UUID, feedback: Feedback) -> None:
        self._database.run(tenant_id, partial(keep_feedback, tenant_id, feedback))

    def withdraw_feedback(self, tenant_id: UUID, trace_id: str, *, subject: str) -> bool:
        key = {"tenant_id": tenant_id, "trace_id": trace_id, "subject": subject}
        return bool(self._database.execute(tenant_id, "withdraw_feedback", key))

    def place(self, asked: PlaceQuery) -> PagePlace:
        tenant_id, document_id, page = asked.tenant_id, asked.document_id, asked.page
        parameters = {"document_id": document_id, "page": page, "version": asked.version}
        rows = self._rows(tenant_id, query("retrieval_place"), parameters)
        stored = stored_page(rows, document_id=document_id, page=page, version=asked.version)
        return place_of(tenant_id, document_id, page, stored, start=asked.start, end=asked.end)

    def cited_words(self, tenant_id: UUID, marks: Sequence[Mark]) -> tuple[CitedWords | None, ...]:
        keys = [(mark.document_id, mark.version, mark.page) for mark in marks]
        parameters = _columns(list(dict.fromkeys(keys)), ("documents", "versions", "pages"))
        rows = {
            (row["document_id"], row["version"], row["page_number"]): row
            for row in self._rows(tenant_id, query("retrieval_cited_words"), parameters)
        }
        return tuple(
            words_at(
                mark,
                tenant_id=tenant_id,
                page=page_in(row),
                origin=Origin(
                    source=row["source"],
                    title=row["title"],
                    page_label=row["label"],
                    file_sha256=row["file_sha256"],
                    content_type=row["content_type"],
                    parser=row["parser"],
                    pipeline_revision=row["pipeline_revision"],
                ),
            )
            if (row := rows.get(key)) is not None
            else None
            for key, mark in zip(keys, marks, strict=True)
        )

    def _rows(
        self, tenant_id: UUID, statement: LiteralString, parameters: Mapping[str, Any]
    ) -> list[DictRow]:
        def read(connection: Connection[Any]) -> list[DictRow]:
            cursor = connection.cursor(row_factory=dict_row)
            return cursor.execute(statement, {**parameters, "tenant_id": tenant_id}).fetchall()

        return self._database.run(tenant_id, read, read_only=True)


class _Preparation:
    """What `prepare` does in its transaction; run again, it makes the same reservation."""

    def __init__(self, asked: PrepareQuery) -> None:
        self._asked = asked
        self._bound = BoundScope(asked.scope, model=asked.model)
        self._spellings = [(word, one) for word in asked.doubtful for one in spellings(word)]
        self._reservation_id = uuid4()

    def run(self, connection: Connection[Any]) -> Prepared:
        collections = self._bound.known(_collections(connection, self._bound).fetchall())
        model = search_model(collections)
        pages = self._asked.pages
        is_english = {collection.language for collection in collections} == {"english"}
        parameters = {
            **self._bound.parameters,
            "collections": [collection.collection_id for collection in collections],
            "model": model.model,
            "model_id": model.model_id,
            "limit": _MOST_COUNTED_VECTORS,
            "most_named": _MOST_NAMED,
            "only_refused": True,
            "usage_id": self._reservation_id,
            "minutes": budgets.QUESTION_MINUTES,
            "method": self._asked.method,
            **_columns(self._spellings if is_english else (), ("words", "spellings")),
            "shelves": [collection.shelf for collection in collections],
            "labels": list(pages.labels) if pages else [],
        }
        return self._read(connection, parameters, model=model, collections=collections)

    def _read(
        self,
        connection: Connection[Any],
        parameters: Mapping[str, Any],
        *,
        model: SearchModel,
        collections: Sequence[ScopedCollection],
    ) -> Prepared:
        def send(name: str, rows: RowFactory[_Row], **changed: object) -> Cursor[_Row]:
            statement = self._bound.statement(name)
            return connection.cursor(row_factory=rows).execute(statement, {**parameters, **changed})

        asked = self._asked.pages
        with connection.pipeline():
            unknown = send("retrieval_unknown_documents", scalar_row)
            size = _size(connection, self._bound)
            coverage = send("retrieval_coverage", class_row(Coverage))
            refused = send("retrieval_unembedded", dict_row)
            embedded = send("retrieval_embedded", scalar_row)
            spelt = parameters["spellings"]
            near = send("retrieval_near_words", class_row(NearWord)) if spelt else None
            numbered = send("retrieval_numbered_pages", dict_row) if asked else None
            connection.execute(query("retrieval_reserve"), parameters)
        self._bound.refuse_unknown_documents(unknown.fetchall())
        found, counted = size.fetchone() or _NOTHING, embedded.fetchone() or 0
        unembedded = refused.fetchall()
        # Documents are looked at where vectors are missing or too many to tell. A model that is not
        # the collections' own may be embedded only in part.
        is_own = self._bound.parameters["model"] is None
        is_short = counted < min(found.chunks, _MOST_COUNTED_VECTORS)
        if is_short or (counted < found.chunks and not is_own):
            unembedded = send("retrieval_unembedded", dict_row, only_refused=False).fetchall()
        pages = None
        if asked and numbered and (row := numbered.fetchone()):
            pages = pages_of(asked, labelled=row["labelled"], of=row["page_count"])
        languages = {CODES.get(collection.language) for collection in collections}
        return Prepared(
            model=model.model,
            dimensions=model.dimensions,
            language=languages.pop() if len(languages) == 1 else None,
            retrieval_profile=collections[0].retrieval_profile,
            chunks=found.chunks,
            embedded=counted,
            documents=found.documents,
            coverage=_coverage(coverage, unembedded),
            reservation_id=self._reservation_id,
            near_words=() if near is None else tuple(near.fetchall()),
            pages=pages,
        )


def _coverage(unread: Iterable[Coverage], unembedded: Iterable[DictRow]) -> tuple[Coverage, ...]:
    """Return one entry for each document of which something cannot be found."""
    found = {one.document_id: one for one in unread}
    for row in unembedded:
        document_id, chunks = row["document_id"], row["chunks_without_vectors"]
        own = found.get(document_id, Coverage(document_id, 0, row["pages_total"]))
        found[document_id] = replace(own, chunks_without_vectors=chunks)
    return tuple(found[document_id] for document_id in sorted(found))


class _Search:
    """What `search` does in its snapshot: one round trip and the commit where the scope was seen.

    The legs then travel with the question what the scope is, and count if it still is what they
    were written for. Else they are sent after the answer; once more where HNSW fell short.
    """

    def __init__(self, bound: BoundScope, asked: CandidateQuery, *, seen: SeenScopes) -> None:
        self._bound = bound
        self._asked = asked
        self._seen = seen

    def run(self, connection: Connection[Any]) -> Candidates:
        _tune(connection, self._asked)
        known, size = _collections(connection, self._bound), _size(connection, self._bound)
        expected = self._seen.get(self._bound)
        early = () if expected is None else self._answers(connection, expected)
        found = self._seen.keep(self._bound, known.fetchall(), size.fetchone() or _NOTHING)
        is_expected = (
            expected is not None
            and expected.collections == found.collections
            and self._is_exact(expected) == self._is_exact(found)
        )
        answers = early if is_expected else self._answers(connection, found)
        return self._candidates(connection, found, answers)

    def _is_exact(self, scope: SeenScope) -> bool:
        is_small = scope.size.chunks <= _MOST_SCANNED_CHUNKS
        return self._asked.exact or is_small or not scope.model.is_indexed

    def _answers(self, connection: Connection[Any], scope: SeenScope) -> tuple[LegAnswer, ...]:
        statements = self._statements(scope)
        if self._asked.pages:
            return run_legs(connection, [statements.on_pages()])
        by_vector = statements.by_vector(exact=self._is_exact(scope))
        return run_legs(connection, [*by_vector, *statements.by_words()])

    def _statements(self, scope: SeenScope) -> LegStatements:
        return LegStatements(
            self._bound, self._asked, collections=scope.collections, model=scope.model
        )

    def _candidates(
        self, connection: Connection[Any], scope: SeenScope, answers: tuple[LegAnswer, ...]
    ) -> Candidates:
        path = "exact" if self._is_exact(scope) else "hnsw"
        if path == "hnsw" and self._fell_short(answers, scope.size):
            again = run_legs(connection, self._statements(scope).by_vector(exact=True))
            # A leg whose exact statement failed keeps what HNSW found.
            better = {answer.leg: answer for answer in again if answer.error is None}
            answers = tuple(better.get(answer.leg, answer) for answer in answers)
            path = "escalated"
        errors = [answer.error for answer in answers if answer.error is not None]
        if errors and len(errors) == len(answers):
            raise errors[0]
        size, asked = scope.size, self._asked
        further: list[LegAnswer] = []

        def read_deeper(legs: frozenset[Leg], times: int) -> ByLeg:
            """Run the same statements in the same snapshot, with other limits."""
            deeper = self._deeper(connection, scope, legs, times=times, exact=path != "hnsw")
            further.extend(deeper)
            return by_leg(deeper)

        limits = dict.fromkeys(Leg, asked.vector_candidates)
        limits[Leg.KEYWORD] = asked.keyword_candidates
        limits[Leg.PAGE] = MOST_CANDIDATES
        found, copies = by_leg(answers), 0
        if asked.deduplicate:
            found, copies = past_copies(found, limits, read_deeper)
        # A keyword leg has one statement for each language.
        timings: dict[str, float] = {}
        for answer in (*answers, *further):
            timings[answer.leg] = timings.get(answer.leg, 0.0) + answer.ms
        return Candidates(
            candidates=union(found),
            vector_path=path if any(answer.leg in _BY_MEANING for answer in answers) else None,
            corpus={
                "documents": size.documents,
                "chunks": size.chunks,
                "published_at": size.published_at and size.published_at.isoformat(),
                **({"folded": copies} if copies else {}),
            },
            timings_ms=timings,
            degraded=tuple(sorted({DEGRADED[answer.leg] for answer in answers if answer.error})),
        )

    def _deeper(
        self,
        connection: Connection[Any],
        scope: SeenScope,
        legs: frozenset[Leg],
        *,
        times: int,
        exact: bool,
    ) -> tuple[LegAnswer, ...]:
        deeper = replace(
            self._asked,
            vector_candidates=times * self._asked.vector_candidates,
            keyword_candidates=times * self._asked.keyword_candidates,
        )
        _tune(connection, deeper)
        statements = LegStatements(
            self._bound, deeper, collections=scope.collections, model=scope.model
        )
        every = [*statements.by_vector(exact=exact), *statements.by_words()]
        return run_legs(connection, [each for each in every if each.leg in legs])

    def _fell_short(self, answers: Sequence[LegAnswer], size: ScopeSize) -> bool:
        """Say whether HNSW gave fewer rows than there can be: filters may outrun its scan."""
        enough = min(self._asked.vector_candidates, size.chunks)
        return any(
            answer.leg in _BY_MEANING and answer.error is None and len(answer.rows) < enough
            for answer in answers
        )


def _tune(connection: Connection[Any], asked: CandidateQuery) -> None:
    wanted = 2 * asked.vector_candidates
    length = min(max(wanted, _SHORTEST_CANDIDATE_LIST), _LONGEST_CANDIDATE_LIST)
    connection.execute(query("retrieval_tuning"), {"ef_search": str(length)}, prepare=True)


def _collections(connection: Connection[Any], bound: BoundScope) -> Cursor[ScopedCollection]:
    cursor = connection.cursor(row_factory=class_row(ScopedCollection))
    return cursor.execute(query("retrieval_collections"), bound.parameters, prepare=True)


def _size(connection: Connection[Any], bound: BoundScope) -> Cursor[ScopeSize]:
    cursor = connection.cursor(row_factory=class_row(ScopeSize))
    if not bound.is_filtered:
        return cursor.execute(query("retrieval_size"), bound.parameters, prepare=True)
    return cursor.execute(bound.statement("retrieval_scope"), bound.parameters, prepare=True)


def _doubtful(row: DictRow) -> Stretches:
    """Return where words stand in the cleaned text of a page of which the engine was not sure."""
    if row["certainties"] is None:
        return ()
    return doubtful_words(row["raw_text"], row["certainties"], offsets_in(row))


def _recognised(row: DictRow) -> Stretches:
    """Return where a page that has text of its own says what is on its pictures."""
    if row["certainties"] is None or row["is_recognised"]:
        return ()
    stretches = recognised_stretches(row["raw_text"], row["certainties"])
    offsets = offsets_in(row)
    if offsets is None:
        return stretches
    return tuple(found for each in stretches for found in offsets.cleaned_ranges(*each))


def _columns(rows: Sequence[tuple[Any, ...]], names: Sequence[str]) -> dict[str, list[Any]]:
    return {name: [row[index] for row in rows] for index, name in enumerate(names)}
