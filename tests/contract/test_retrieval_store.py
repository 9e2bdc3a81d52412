"""Every retrieval store answers alike, whether the database is at hand or behind an invocation."""

from collections.abc import Callable, Generator
from typing import Any
from uuid import UUID, uuid4

import pytest

from benchmarks.library import Library, Paper, Passage, Shelf
from pulsedocs.adapters.postgres.connection import Database
from pulsedocs.adapters.postgres.questions.retrieval import PostgresRetrievalStore
from pulsedocs.errors import (
    CollectionNotFoundError,
    DocumentNotFound,
    InvalidRequest,
    ModelNotFound,
)
from pulsedocs.model.conversations import NewTurn, Turn
from pulsedocs.model.lookups import PrepareQuery
from pulsedocs.model.retrieval import (
    AskedPages,
    CandidateQuery,
    Coverage,
    Leg,
    NamedPages,
    Scope,
    StoredText,
    Usage,
)
from pulsedocs.questions.ports import RetrievalStore
from tests.contract.lambda_endpoint import lambda_store

MODEL = "memory:small@3"
EAST, NORTH = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)
USAGE = Usage("POST /ask", "memory:chat", 120, 30, 0.25, "trace-1", "ann")


@pytest.fixture
def shelf(library: Library) -> Shelf:
    return library.shelf(MODEL)


@pytest.fixture
def at_hand(database_as: Callable[[str], Database]) -> PostgresRetrievalStore:
    return PostgresRetrievalStore(database_as("query"))


@pytest.fixture(params=["postgres", "lambda"])
def store(
    request: pytest.FixtureRequest,
    at_hand: PostgresRetrievalStore,
    monkeypatch: pytest.MonkeyPatch,
) -> Generator[RetrievalStore]:
    if request.param == "postgres":
        yield at_hand
        return
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "of-a-test")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "of-a-test")
    with lambda_store(at_hand) as (client, _endpoint):
        yield client


def prepare(store: RetrievalStore, shelf: Shelf, **options: Any) -> Any:
    model, doubtful = options.pop("model", None), options.pop("doubtful", ())
    scope = Scope(shelf.tenant_id, **options)
    return store.prepare(
        PrepareQuery(scope=scope, model=model, method="POST /ask", doubtful=doubtful)
    )


def usage_rows(library: Library) -> list[tuple[Any, ...]]:
    columns = "state, method, model, user_id, trace_id, input_tokens, output_tokens, cost_usd"
    rows = library.connection.execute(f"SELECT {columns} FROM usage".encode()).fetchall()  # noqa: S608 -- a constant
    library.connection.rollback()
    return [(*row[:-1], float(row[-1])) for row in rows]


def test_prepare_counts_what_can_be_searched(
    store: RetrievalStore, library: Library, shelf: Shelf
) -> None:
    library.add(shelf, Paper([Passage("a", EAST), Passage("b", EAST)]))
    library.add(shelf, Paper([Passage("draft", EAST)], is_published=False))

    prepared = prepare(store, shelf)

    assert (prepared.model, prepared.dimensions) == (MODEL, 3)
    assert (prepared.documents, prepared.chunks, prepared.embedded) == (1, 2, 2)
    assert prepared.retrieval_profile == "default"
    assert prepared.coverage == ()


def test_prepare_says_when_the_model_has_no_vectors(
    store: RetrievalStore, library: Library, shelf: Shelf
) -> None:
    """S1-01: chunks without a vector of the model: 0 embedded, which is not 0 chunks."""
    library.add(shelf, Paper([Passage("a", EAST)]))
    library.register("memory:second@3", shelf.tenant_id)

    prepared = prepare(store, shelf, model="memory:second@3")

    assert (prepared.chunks, prepared.embedded) == (1, 0)


def test_prepare_counts_within_documents_and_filters(
    store: RetrievalStore, library: Library, shelf: Shelf
) -> None:
    wanted = Paper([Passage("a", EAST)], metadata={"kind": "report"})
    library.add(shelf, wanted)
    library.add(shelf, Paper([Passage("b", EAST), Passage("c", EAST)]))

    assert prepare(store, shelf, document_ids=(wanted.document_id,)).chunks == 1
    assert prepare(store, shelf, filters={"kind": "report"}).embedded == 1
    assert prepare(store, shelf, filters={"kind": "none"}).documents == 0


@pytest.mark.parametrize("is_merged", [False, True], ids=["apart", "merged"])
def test_prepare_finds_words_one_letter_away(
    store: RetrievalStore, library: Library, shelf: Shelf, *, is_merged: bool
) -> None:
    """Of published texts in English; small words that no index has too, a word there by itself."""
    library.add(shelf, Paper([Passage("A crane lifts crude oil.", EAST)]))
    hidden = Paper([Passage("craven", EAST)], is_published=is_merged)
    library.add(shelf, hidden)
    if is_merged:
        assert library.merge(shelf) == 1
        library.hide(shelf, hidden.document_id)
    german = library.shelf(MODEL, tenant_id=shelf.tenant_id, collection="rohre", language="german")
    library.add(german, Paper([Passage("crane", EAST)]))

    def near(*words: str, **options: Any) -> set[tuple[str, str, str | None]]:
        found = prepare(store, shelf, doubtful=words, **options).near_words
        return {(one.word, one.spelling, one.term) for one in found}

    assert near("craen") == {("craen", "crane", "crane")}
    assert near("lifts") == {("lifts", "lifts", "lift")}
    assert near("craen", "lifts", "aaaaa", "bbbbb") > {("craen", "crane", "crane")}
    assert near("craen", "aaaaa", "bbbbb", "ccccc", "ddddd") == set()
    assert ("lifts", "lifts", "lift") in near("lifts", "whhat") > {("whhat", "what", None)}
    assert near() == near("zzzzz") == near("craen", collections=("rohre",)) == set()


def test_prepare_names_pages_that_could_not_be_read(
    store: RetrievalStore, library: Library, shelf: Shelf
) -> None:
    paper = Paper([Passage("a", EAST, page=3)])
    library.add(shelf, paper)
    library.connection.execute(
        "INSERT INTO document_page (tenant_id, document_id, version, page_number, outcome,"
        " failure_code, parser, raw_text, is_picture) VALUES"
        " (%(t)s, %(d)s, 1, 1, 'FAILED', 'TIMED_OUT', 'p', '', false),"
        " (%(t)s, %(d)s, 1, 2, 'EMPTY', NULL, 'p', '', true),"
        " (%(t)s, %(d)s, 1, 3, 'TEXT', NULL, 'p', 'a', false),"
        " (%(t)s, %(d)s, 1, 4, 'EMPTY', NULL, 'p', '', false)",
        {"t": shelf.tenant_id, "d": paper.document_id},
    )
    library.connection.commit()

    assert prepare(store, shelf).coverage == (Coverage(paper.document_id, 2, 3),)


def test_prepare_names_documents_without_vectors_of_the_model(
    store: RetrievalStore, library: Library, shelf: Shelf
) -> None:
    """T-26: whole documents and single chunks; within the scope only."""
    library.add(shelf, Paper([Passage("a", EAST), Passage("b", EAST)]))
    part = Paper([Passage("c", EAST), Passage("d")], metadata={"kind": "part"})
    none = Paper([Passage("e"), Passage("f"), Passage("g")])
    library.add(shelf, part)
    library.add(shelf, none)

    named = {one.document_id: one for one in prepare(store, shelf).coverage}

    assert named == {
        part.document_id: Coverage(part.document_id, 0, 1, chunks_without_vectors=1),
        none.document_id: Coverage(none.document_id, 0, 1, chunks_without_vectors=3),
    }
    [narrowed] = prepare(store, shelf, filters={"kind": "part"}).coverage
    assert narrowed.document_id == part.document_id


def test_prepare_names_documents_of_which_no_vector_is_there(
    store: RetrievalStore, library: Library, shelf: Shelf
) -> None:
    """Failed when nothing was named where all were without: the answer may be in any of them."""
    paper = Paper([Passage("a"), Passage("b")])
    library.add(shelf, paper)

    prepared = prepare(store, shelf)

    assert (prepared.chunks, prepared.embedded) == (2, 0)
    assert prepared.coverage == (Coverage(paper.document_id, 0, 1, chunks_without_vectors=2),)


def test_prepare_reserves_and_settle_records_the_cost_once(
    store: RetrievalStore, library: Library, shelf: Shelf
) -> None:
    prepared = prepare(store, shelf)
    reserved = usage_rows(library)
    for _ in range(2):
        store.settle(shelf.tenant_id, prepared.reservation_id, USAGE)

    assert reserved == [("RESERVED", "POST /ask", MODEL, None, None, 0, 0, 0.0)]
    assert usage_rows(library) == [
        ("SETTLED", "POST /ask", "memory:chat", "ann", "trace-1", 120, 30, 0.25)
    ]


def test_settle_without_a_reservation_records_the_cost_once(
    store: RetrievalStore, library: Library, shelf: Shelf
) -> None:
    for _ in range(2):
        store.settle(shelf.tenant_id, None, USAGE)

    assert [row[0] for row in usage_rows(library)] == ["SETTLED"]


def test_a_conversation_goes_on_from_what_was_settled(
    store: RetrievalStore, library: Library, shelf: Shelf
) -> None:
    """S4-11: the turn travels with the usage, the history with the preparation."""
    paper = Paper([Passage("a", EAST)])
    library.add(shelf, paper)
    conversation_id = uuid4()
    turn = NewTurn(conversation_id, "Why?", "Because [1].", (paper.document_id,))
    for _ in range(2):
        store.settle(shelf.tenant_id, None, USAGE, turn=turn)
    asked = PrepareQuery(scope=Scope(shelf.tenant_id), method="POST /ask")

    prepared = store.prepare(asked.model_copy(update={"conversation_id": conversation_id}))

    assert prepared.turns == (Turn("Why?", "Because [1]."),)
    assert store.prepare(asked.model_copy(update={"conversation_id": uuid4()})).turns == ()
    assert store.prepare(asked).turns == ()


def test_a_search_gives_the_same_candidates_everywhere(
    store: RetrievalStore, at_hand: PostgresRetrievalStore, library: Library, shelf: Shelf
) -> None:
    library.add(
        shelf,
        Paper(
            [Passage("Prüfung 漢字 👍", EAST, section=("A", "B")), Passage("plain", NORTH)],
            metadata={"n": 1.5, "tags": ["x"], "none": None},
        ),
    )
    asked = CandidateQuery(
        Scope(shelf.tenant_id), MODEL, 3, {Leg.VECTOR: EAST, Leg.HYDE: NORTH}, "prüfung", 5, 5
    )

    found = store.search(asked)

    assert found.candidates == at_hand.search(asked).candidates
    assert found.candidates[0].metadata == {"n": 1.5, "tags": ["x"], "none": None}
    assert len(found.candidates) == 2


def test_only_the_named_pages_of_one_document_are_searched(
    store: RetrievalStore, library: Library, shelf: Shelf
) -> None:
    """Front matter i and ii, then pages that are printed 1 and 2."""
    words = {1: "cover", 2: "preface", 3: "moorings", 4: "fees"}
    own, foreign = uuid4(), uuid4()
    for document_id, places in ((own, shelf), (foreign, shelf), (own, library.shelf(MODEL))):
        chunks = [
            Passage(f"{text} {number}", EAST, spans=[(number, 0, 5)])
            for number, text in words.items()
        ]
        library.add(places, Paper(chunks, document_id=document_id))
        library.add_pages(places, document_id, words, {1: "i", 2: "II", 3: "1", 4: "2"})

    def pages(asked: NamedPages, *document_ids: UUID) -> AskedPages | None:
        scope = Scope(shelf.tenant_id, document_ids=document_ids)
        return store.prepare(PrepareQuery(scope=scope, method="search", pages=asked)).pages

    assert pages(NamedPages(("2",), (2,)), own) == AskedPages((4, 2), 4)
    assert pages(NamedPages(("ii",), ()), own) == AskedPages((2,), 4)
    assert pages(NamedPages(("9",), (9,)), own) == AskedPages((), 4)
    assert pages(NamedPages(("2",), (2,)), own, foreign) is None
    assert pages(NamedPages(("2",), (2,))) is None  # two documents
    found = store.search(
        CandidateQuery(
            Scope(shelf.tenant_id, document_ids=(own,)),
            MODEL,
            3,
            {Leg.VECTOR: EAST},
            "moorings",
            5,
            5,
            pages=(4, 2),
        )
    )
    assert [(one.text, one.document_id, set(one.legs)) for one in found.candidates] == [
        ("fees 4", own, {Leg.PAGE}),
        ("preface 2", own, {Leg.PAGE}),
    ]
    assert found.candidates[0].similarity == 1.0


def test_page_texts_are_those_of_the_tenant(
    store: RetrievalStore, library: Library, shelf: Shelf
) -> None:
    draft = Paper([Passage("a")], is_published=False)
    library.add(shelf, draft)
    library.connection.execute(
        "INSERT INTO document_page (tenant_id, document_id, version, page_number, outcome, parser,"
        " raw_text, cleaned_text, label) VALUES (%s, %s, 1, 1, 'TEXT', 'p', 'raw', 'clean', 'iv')",
        (shelf.tenant_id, draft.document_id),
    )
    library.connection.commit()
    page, absent = (draft.document_id, 1, 1), (draft.document_id, 1, 2)

    stored = StoredText("clean", "iv", is_recognised=False, confidence=None)
    assert store.page_texts(shelf.tenant_id, [absent, page]) == {page: stored}
    assert store.page_texts(uuid4(), [page]) == {}


def test_what_does_not_exist_is_named(store: RetrievalStore, shelf: Shelf) -> None:
    """S3-13: an unknown collection, model or document is a typed error."""
    with pytest.raises(CollectionNotFoundError, match="'handbook'"):
        prepare(store, shelf, collections=("handbook",))
    with pytest.raises(CollectionNotFoundError, match="'default'"):
        store.prepare(PrepareQuery(scope=Scope(uuid4()), method="POST /ask"))
    with pytest.raises(ModelNotFound, match="memory:none@3"):
        prepare(store, shelf, model="memory:none@3")


def test_another_tenants_document_is_as_unknown_as_none(
    store: RetrievalStore, library: Library, shelf: Shelf
) -> None:
    """I10: the two answers differ in the id alone."""
    foreign = Paper([Passage("secret")])
    library.add(library.shelf(MODEL), foreign)
    messages: list[str] = []
    for unknown in (foreign.document_id, uuid4()):
        with pytest.raises(DocumentNotFound) as caught:
            prepare(store, shelf, document_ids=(unknown,))
        messages.append(caught.value.message.replace(str(unknown), "ID"))

    assert messages[0] == messages[1]
    assert usage_rows(library) == []


def test_filters_that_do_not_parse_are_the_callers_fault(
    store: RetrievalStore, shelf: Shelf
) -> None:
    with pytest.raises(InvalidRequest, match=r"\$regex"):
        prepare(store, shelf, filters={"title": {"$regex": "x"}})


def test_texts_too_large_for_one_answer_come_in_further_ones(
    at_hand: PostgresRetrievalStore,
    library: Library,
    shelf: Shelf,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Every answer stays below Lambda's 6 MB, and no text is lost on the way."""
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "of-a-test")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "of-a-test")
    library.add(shelf, Paper([Passage(f"{n:03} " + "漢" * 7990, EAST) for n in range(190)]))
    asked = CandidateQuery(Scope(shelf.tenant_id), MODEL, 3, {Leg.VECTOR: EAST}, None, 190, 0)

    with lambda_store(at_hand) as (client, endpoint):
        found = client.search(asked)

    assert found.candidates == at_hand.search(asked).candidates
    assert len(endpoint.sizes) > 2
    assert max(endpoint.sizes) < 6 * 1024 * 1024
