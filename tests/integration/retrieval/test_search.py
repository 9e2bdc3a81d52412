"""A search sees the published chunks of its scope, by meaning and by words, in one snapshot."""

from dataclasses import replace

import pytest

from benchmarks.library import Library, Paper, Passage, Shelf
from pulsedocs.adapters.postgres.questions.retrieval import PostgresRetrievalStore
from pulsedocs.errors import CollectionNotFoundError, ModelNotFound, ModelNotReady, VectorDBError
from pulsedocs.model.retrieval import Candidates, Leg
from pulsedocs.pipeline import State
from tests.integration.retrieval.asking import query_of, search_vector, search_words, texts

MODEL = "memory:small@3"
EAST, NORTH, UP = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)


@pytest.fixture
def shelf(library: Library) -> Shelf:
    return library.shelf(MODEL)


def test_both_legs_give_rank_score_and_evidence(
    library: Library, store: PostgresRetrievalStore, shelf: Shelf
) -> None:
    library.add(
        shelf,
        Paper(
            [
                Passage("Termination needs notice.", EAST, page=4, section=("Law", "Ending")),
                Passage("Invoices are due.", NORTH, page=9),
            ],
            source="contract.pdf",
            title="Contract",
            metadata={"user_id": "ann"},
        ),
    )

    found = store.search(query_of(shelf, "termination notice", vector=EAST))

    first, second = found.candidates
    assert (first.source, first.title, first.pages) == ("contract.pdf", "Contract", (4,))
    assert (first.section, first.metadata) == (("Law", "Ending"), {"user_id": "ann"})
    assert first.similarity == pytest.approx(1.0)
    assert first.legs[Leg.VECTOR].rank == first.legs[Leg.KEYWORD].rank == 1
    assert set(second.legs) == {Leg.VECTOR}
    assert found.corpus == {
        "documents": 1,
        "chunks": 2,
        "published_at": "2026-01-01T00:00:00+00:00",
    }
    assert set(found.timings_ms) == {"vector", "keyword"}
    assert (found.vector_path, found.degraded) == ("exact", ())


def test_a_hit_of_words_alone_has_its_cosine_too(
    library: Library, store: PostgresRetrievalStore, shelf: Shelf
) -> None:
    library.add(shelf, Paper([Passage("alpha", EAST), Passage("beta", (0.6, 0.8, 0.0))]))

    found = store.search(query_of(shelf, "beta", vector=EAST, limit=1))

    [by_words] = [c for c in found.candidates if set(c.legs) == {Leg.KEYWORD}]
    assert by_words.similarity == pytest.approx(0.6, abs=1e-3)


def test_a_chunk_without_a_vector_is_found_by_words_with_no_similarity(
    library: Library, store: PostgresRetrievalStore, shelf: Shelf
) -> None:
    library.add(shelf, Paper([Passage("refused by the provider"), Passage("other", EAST)]))

    found = store.search(query_of(shelf, "refused", vector=EAST))

    assert [c.similarity for c in found.candidates if c.text.startswith("refused")] == [None]


@pytest.mark.parametrize("asked", ["bond", "deposits", "deposit/bond", "Platz", "low-cost"])
def test_words_joined_by_a_stroke_are_found_apart_and_together(
    library: Library, store: PostgresRetrievalStore, shelf: Shelf, asked: str
) -> None:
    joined = "The deposit/bond (Stra\u00dfe/Platz, safe/low-cost/new) is 300 euros."
    library.add(shelf, Paper([Passage(joined), Passage("Rent is due.")]))

    assert search_words(store, shelf, asked) == [joined]


@pytest.mark.parametrize(
    ("text", "whole", "part"),
    [
        ("It runs at 40 km/h.", "km/h", "km"),
        ("On 12/Nov/2031 it ended.", "12/nov/2031", "Nov"),
        ("See /usr/share/doc of it.", "/usr/share/doc", "share"),
        ("Build src/main.c alone.", "src/main.c", "src"),
        ("Read www.lock.example/rent/notice first.", "lock.example www.lock.example", "notice"),
    ],
)
def test_units_dates_paths_and_addresses_are_found_whole(
    library: Library, store: PostgresRetrievalStore, shelf: Shelf, text: str, whole: str, part: str
) -> None:
    library.add(shelf, Paper([Passage(text), Passage("Rent is due.")]))

    assert (search_words(store, shelf, whole), search_words(store, shelf, part)) == ([text], [])


def test_joined_words_are_found_in_documents_that_were_indexed_without_their_parts(
    library: Library, store: PostgresRetrievalStore, shelf: Shelf
) -> None:
    library.add(shelf, Paper([Passage("The deposit/bond is 300 euros.")]))
    library.connection.execute("DELETE FROM posting WHERE term IN ('deposit', 'bond')")
    library.connection.commit()

    assert search_words(store, shelf, "deposit/bond?") == ["The deposit/bond is 300 euros."]


def test_hyde_is_a_leg_of_its_own_beside_the_question(
    library: Library, store: PostgresRetrievalStore, shelf: Shelf
) -> None:
    library.add(shelf, Paper([Passage("a", EAST), Passage("b", NORTH)]))

    found = store.search(query_of(shelf, vector=EAST, hyde=NORTH, limit=1))

    assert texts(found, Leg.VECTOR) == ["a"]
    assert texts(found, Leg.HYDE) == ["b"]
    assert [c.similarity for c in found.candidates if c.text == "b"] == [pytest.approx(0.0)]


def test_the_state_column_decides_nothing(
    library: Library, store: PostgresRetrievalStore, shelf: Shelf
) -> None:
    """S0-04: the same rows under each state in turn give the same result, to the last field."""
    seen = Paper([Passage("visible words", EAST), Passage("more words", NORTH)])
    hidden = Paper([Passage("hidden words", EAST)], is_published=False)
    for paper in (seen, hidden):
        library.add(shelf, paper)

    found = {state: found_with(library, store, shelf, state) for state in State}

    assert [c.text for c in found[State.EMBEDDED].candidates] == ["visible words", "more words"]
    assert found == dict.fromkeys(State, found[State.EMBEDDED])


def found_with(
    library: Library, store: PostgresRetrievalStore, shelf: Shelf, state: State
) -> Candidates:
    """Search by both legs with every version's state set; what took how long is left out.

    The trigger and the constraint that let no run set such a state are taken away for it.
    """
    for statement in (
        "ALTER TABLE document_version DISABLE TRIGGER USER",
        "ALTER TABLE document_version DROP CONSTRAINT IF EXISTS document_version_check",
    ):
        library.connection.execute(statement.encode())
    changed = library.connection.execute("UPDATE document_version SET state = %s", [state])
    assert changed.rowcount == 2
    library.connection.commit()
    found = store.search(query_of(shelf, "words", vector=EAST))
    return replace(found, timings_ms={})


def test_only_the_published_version_is_searched(
    library: Library, store: PostgresRetrievalStore, shelf: Shelf
) -> None:
    old = Paper([Passage("old words", EAST)])
    library.add(shelf, old)
    library.add(shelf, Paper([Passage("new words", EAST)], document_id=old.document_id, version=2))

    assert texts(store.search(query_of(shelf, "words", vector=EAST))) == ["new words"]


def test_only_the_asked_models_vectors_are_searched(
    library: Library, store: PostgresRetrievalStore, shelf: Shelf
) -> None:
    """S0-14: query, document and model go in; the other model's vectors stay out."""
    wanted, other = Paper([Passage("one", EAST)]), Paper([Passage("two", EAST)])
    library.add(shelf, wanted)
    library.add(shelf, other)
    second = Shelf(
        shelf.tenant_id,
        shelf.collection_id,
        "memory:second@3",
        library.register("memory:second@3", shelf.tenant_id),
    )
    library.add(second, Paper([Passage("three", NORTH)]))

    assert search_vector(store, shelf, EAST, document_ids=(wanted.document_id,)) == ["one"]
    assert search_vector(store, shelf, EAST, model="memory:second@3") == ["three"]


def test_more_candidates_come_than_will_be_selected(
    library: Library, store: PostgresRetrievalStore, shelf: Shelf
) -> None:
    """S0-15: how many candidates a leg gives is the query's to say."""
    library.add(shelf, Paper([Passage(f"word {n}", EAST) for n in range(30)]))

    for limit in (5, 25):
        found = store.search(query_of(shelf, "word", vector=EAST, limit=limit))
        assert len(texts(found, Leg.VECTOR)) == len(texts(found, Leg.KEYWORD)) == limit


def test_a_half_written_batch_is_invisible(
    library: Library,
    store: PostgresRetrievalStore,
    shelf: Shelf,
) -> None:
    """S1-02: vectors of an open transaction, and of a version not yet published, are not there."""
    draft = Paper([Passage("draft", EAST)], is_published=False, state="CHUNKED")
    library.add(shelf, draft)
    published = Paper([Passage("published")])
    [chunk_id] = library.add(shelf, published)

    library.copy_vectors(shelf, [(published.document_id, 1, chunk_id, EAST)])
    before = search_vector(store, shelf, EAST)
    library.connection.commit()

    assert before == []
    assert search_vector(store, shelf, EAST) == ["published"]


def test_ties_come_in_the_order_of_their_ids(
    library: Library, store: PostgresRetrievalStore, shelf: Shelf
) -> None:
    ids = [library.add(shelf, Paper([Passage("same", EAST)]))[0] for _ in range(12)]

    found = store.search(query_of(shelf, vector=EAST, limit=12))

    ranked = sorted(found.candidates, key=lambda candidate: candidate.legs[Leg.VECTOR].rank)
    assert [candidate.chunk_id for candidate in ranked] == sorted(ids)


def test_at_most_200_candidates_leave_those_of_the_best_rank(
    library: Library, store: PostgresRetrievalStore, shelf: Shelf
) -> None:
    library.add(shelf, Paper([Passage("aside", UP) for _ in range(150)]))
    library.add(shelf, Paper([Passage(f"word {n}") for n in range(150)]))

    found = store.search(query_of(shelf, "word", vector=UP, limit=150))

    assert len(found.candidates) == 200
    assert max(hit.rank for c in found.candidates for hit in c.legs.values()) == 100


def test_an_unknown_collection_is_named(store: PostgresRetrievalStore, shelf: Shelf) -> None:
    with pytest.raises(CollectionNotFoundError, match="'handbook'"):
        store.search(query_of(shelf, "x", collections=("default", "handbook")))


def test_an_unknown_model_is_named(store: PostgresRetrievalStore, shelf: Shelf) -> None:
    with pytest.raises(ModelNotFound, match="memory:none@3"):
        store.search(query_of(shelf, "x", model="memory:none@3"))


def test_a_model_that_is_being_probed_is_registered_and_not_ready(
    library: Library, store: PostgresRetrievalStore, shelf: Shelf
) -> None:
    """Who is told to register it again would wait no longer for that."""
    library.connection.execute(
        "UPDATE embedding_model SET state = 'PROBING', probe_id = gen_random_uuid()"
        " WHERE tenant_id = %s",
        [shelf.tenant_id],
    )
    library.connection.commit()

    with pytest.raises(ModelNotReady, match="is PROBING") as refused:
        store.search(query_of(shelf, "x"))
    assert "Wait while" in refused.value.guidance


def test_several_collections_are_searched_together(
    library: Library, store: PostgresRetrievalStore, shelf: Shelf
) -> None:
    german = library.shelf(MODEL, tenant_id=shelf.tenant_id, collection="de", language="german")
    library.add(shelf, Paper([Passage("houses", EAST)]))
    library.add(german, Paper([Passage("Häuser und houses", NORTH)]))

    both = search_words(store, shelf, "houses Häuser", collections=("default", "de"))
    one = search_words(store, shelf, "houses Häuser")

    assert sorted(both) == ["Häuser und houses", "houses"]
    assert one == ["houses"]


def test_a_failed_vector_leg_leaves_the_words(
    library: Library, store: PostgresRetrievalStore, shelf: Shelf
) -> None:
    """S3-21: a vector of another width fails in the database; the keyword leg answers."""
    library.add(shelf, Paper([Passage("word", EAST)]))

    found = store.search(query_of(shelf, "word", vector=(1.0, 0.0)))

    assert texts(found) == ["word"]
    assert found.degraded == ("vector_leg",)


def test_a_failed_keyword_leg_leaves_the_vectors(
    library: Library,
    store: PostgresRetrievalStore,
    shelf: Shelf,
) -> None:
    """S3-21: without the right to read postings the vector leg answers alone."""
    library.add(shelf, Paper([Passage("word", EAST)]))
    library.connection.execute("REVOKE SELECT ON posting FROM pulsedocs_query")
    library.connection.commit()

    found = store.search(query_of(shelf, "word", vector=EAST))

    assert texts(found) == ["word"]
    assert found.degraded == ("keyword_leg",)


def test_no_leg_left_is_a_typed_error(
    library: Library, store: PostgresRetrievalStore, shelf: Shelf
) -> None:
    """S3-21: VectorDBError when neither leg answers."""
    library.connection.execute("REVOKE SELECT ON posting FROM pulsedocs_query")
    library.connection.commit()

    with pytest.raises(VectorDBError):
        store.search(query_of(shelf, "word", vector=(1.0, 0.0)))
