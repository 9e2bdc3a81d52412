"""Hundreds of copies of one passage leave room for what else answers."""

from typing import Final

import pytest

from benchmarks.library import Library, Paper, Passage, Shelf
from pulsedocs.adapters.postgres.questions.retrieval import PostgresRetrievalStore
from pulsedocs.model.chunks import Context
from pulsedocs.model.likeness import MOST_ALIKE
from pulsedocs.model.retrieval import Leg, Scope
from pulsedocs.questions.query_engine import QueryEngine
from pulsedocs.questions.question import Question
from pulsedocs.questions.read_trace import read_trace
from pulsedocs.questions.search_passages import SearchResult, search_passages
from pulsedocs.retrieval.profiles import Overrides
from pulsedocs.retrieval.trace import replay
from tests.integration.retrieval.asking import query_of, texts
from tests.integration.retrieval.test_hybrid import engine_over

MODEL: Final = "memory:small@3"
EAST: Final = (1.0, 0.0, 0.0)
NOTICE: Final = "The pump is stopped at once when the red lamp of the station is lit"
OTHERS: Final = [
    f"Of the pump and its red lamp the {name} knows more."
    for name in ("fitter", "porter", "keeper", "teacher", "miller", "baker", "sailor", "tailor")
]
COPIES: Final = 300


@pytest.fixture
def shelf(library: Library) -> Shelf:
    return library.shelf(MODEL)


def write_copies(library: Library, shelf: Shelf, text: str, *, copies: int = COPIES) -> None:
    """Write a passage into many documents, `{}` in it being each one's number."""
    for number in range(copies):
        context = Context(before=f"Copy {number}")  # each document has its own title
        passage = Passage(text.format(number), EAST, context=context)
        library.add(shelf, Paper([passage], source=f"copy-{number}.txt"))


def write_others(library: Library, shelf: Shelf) -> None:
    """Write what answers a little less, by meaning and by words."""
    for number, text in enumerate(OTHERS):
        further = (1.0, 0.05 * (number + 1), 0.0)
        library.add(shelf, Paper([Passage(text, further)], source=f"other-{number}.txt"))


def asked_of(
    engine: QueryEngine, shelf: Shelf, profile: str = "default", **switched: bool
) -> SearchResult:
    return search_passages(
        Question(
            "When is the pump stopped?",
            Scope(shelf.tenant_id),
            profile=profile,
            overrides=Overrides(top_k=10, score_threshold=0.0, **switched),
        ),
        engine=engine,
    )


@pytest.mark.parametrize(
    ("notice", "left"),
    [(f"{NOTICE}.", 1), (f"Notice {{}}: {NOTICE}, by rule {{}}.", MOST_ALIKE)],
    ids=["the same text", "other figures"],
)
@pytest.mark.parametrize("leg", [Leg.VECTOR, Leg.KEYWORD])
def test_a_leg_that_copies_crowd_is_asked_deeper(
    library: Library, store: PostgresRetrievalStore, shelf: Shelf, leg: Leg, notice: str, left: int
) -> None:
    """What the copies hid is found, and the trace has how many were folded."""
    write_copies(library, shelf, notice.replace("{}", "{0}"))
    write_others(library, shelf)
    asked = (
        query_of(shelf, vector=EAST, limit=50)
        if leg is Leg.VECTOR
        else query_of(shelf, "pump red lamp stopped at once", limit=50)
    )

    found = store.search(asked)

    told = texts(found, leg)
    assert set(OTHERS) <= set(told)
    assert len(told) == left + len(OTHERS)
    assert [c.legs[leg].rank for c in found.candidates] == list(range(1, len(told) + 1))
    assert found.corpus["folded"] == COPIES - left


def test_one_chunk_stands_for_all_copies_in_both_legs(
    library: Library, store: PostgresRetrievalStore, shelf: Shelf
) -> None:
    """Else each leg might name another copy, and fusion would halve what speaks for the text."""
    write_copies(library, shelf, f"{NOTICE}.")
    write_others(library, shelf)

    found = store.search(query_of(shelf, "pump red lamp", vector=EAST, limit=50))

    [copy] = [c for c in found.candidates if c.text == f"{NOTICE}."]
    assert set(copy.legs) == {Leg.VECTOR, Leg.KEYWORD}


def test_a_scope_of_copies_alone_is_left_as_it_is(
    library: Library, store: PostgresRetrievalStore, shelf: Shelf
) -> None:
    write_copies(library, shelf, f"{NOTICE}.", copies=20)

    found = store.search(query_of(shelf, vector=EAST, limit=10))

    assert len(found.candidates) == 10
    assert "folded" not in found.corpus


def test_a_few_copies_cost_no_second_look(
    library: Library, store: PostgresRetrievalStore, shelf: Shelf
) -> None:
    write_copies(library, shelf, f"{NOTICE}.", copies=4)
    write_others(library, shelf)

    found = store.search(query_of(shelf, vector=EAST, limit=10))

    assert len(found.candidates) == 10
    assert "folded" not in found.corpus


@pytest.mark.parametrize(
    ("profile", "switched"), [("v0.5", {}), ("default", {"deduplicate": False})]
)
def test_who_wants_copies_gets_them(
    library: Library,
    store: PostgresRetrievalStore,
    shelf: Shelf,
    profile: str,
    switched: dict[str, bool],
) -> None:
    """S3-18, S1-03. Failed when the legs were folded all the same: 5 chunks instead of 10."""
    write_copies(library, shelf, f"{NOTICE}.", copies=70)
    write_others(library, shelf)

    found = asked_of(engine_over(store), shelf, profile, **switched)

    assert [chunk.content for chunk in found.chunks] == [f"{NOTICE}."] * 10


def test_a_text_is_one_passage_under_every_title(
    library: Library, store: PostgresRetrievalStore, shelf: Shelf
) -> None:
    """What is embedded with it differs; what a reader is shown would be the same words again."""
    write_copies(library, shelf, f"{NOTICE}.", copies=4)
    write_others(library, shelf)

    found = asked_of(engine_over(store), shelf)

    assert sorted(chunk.content for chunk in found.chunks) == sorted([*OTHERS, f"{NOTICE}."])


@pytest.mark.parametrize("most_scanned", [2000, 0], ids=["exact", "hnsw"])
def test_an_answer_has_the_others_beside_the_copies(
    library: Library,
    store: PostgresRetrievalStore,
    shelf: Shelf,
    monkeypatch: pytest.MonkeyPatch,
    most_scanned: int,
) -> None:
    """From the question to the selection, whose trace replays."""
    monkeypatch.setattr(
        "pulsedocs.adapters.postgres.questions.retrieval._MOST_SCANNED_CHUNKS", most_scanned
    )
    write_copies(library, shelf, f"Notice {{0}}: {NOTICE}.")
    write_others(library, shelf)
    library.build_index(MODEL)
    engine = engine_over(store)

    found = asked_of(engine, shelf)

    sources = [chunk.source for chunk in found.chunks]
    assert sum(source.startswith("copy") for source in sources) <= MOST_ALIKE
    assert sum(source.startswith("other") for source in sources) >= 10 - MOST_ALIKE
    trace = read_trace(shelf.tenant_id, found.trace_id, objects=engine.objects)
    assert trace["corpus"]["folded"] > COPIES / 2
    assert replay(trace) == []
