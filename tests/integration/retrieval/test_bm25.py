"""The keyword leg is true BM25, equal to bm25s, whatever was added and deleted before."""

import random
from time import perf_counter

import bm25s
import pytest

from benchmarks.library import Library, Paper, Passage, Shelf
from pulsedocs.adapters.postgres.questions.retrieval import PostgresRetrievalStore
from pulsedocs.model.retrieval import Leg
from tests.integration.retrieval.asking import query_of, search_words

MODEL = "memory:small@3"
K1_PLUS_1 = 2.2  # bm25s leaves the constant factor out
WORDS = [f"w{number}x" for number in range(60)]


@pytest.fixture
def shelf(library: Library) -> Shelf:
    return library.shelf(MODEL)


def lexemes(library: Library, text: str) -> list[str]:
    """Return what PostgreSQL makes of a text, each word as often as it occurs."""
    rows = library.connection.execute(
        "SELECT lexeme, cardinality(positions) FROM unnest(to_tsvector('english', %s))", (text,)
    ).fetchall()
    return [lexeme for lexeme, times in rows for _ in range(times)]


def expected_scores(library: Library, texts: list[str], question: str) -> dict[str, float]:
    retriever = bm25s.BM25(method="lucene", k1=1.2, b=0.75)
    retriever.index([lexemes(library, text) for text in texts], show_progress=False)
    known = {lexeme for text in texts for lexeme in lexemes(library, text)}
    tokens = [lexeme for lexeme in lexemes(library, question) if lexeme in known]
    scores = retriever.get_scores(tokens) if tokens else [0.0] * len(texts)
    return {text: float(score) * K1_PLUS_1 for text, score in zip(texts, scores, strict=True)}


def sample(rng: random.Random, number: int) -> str:
    weights = [1 / (rank + 1) for rank in range(len(WORDS))]
    return f"id{number} " + " ".join(rng.choices(WORDS, weights, k=rng.randrange(5, 60)))


@pytest.mark.parametrize("is_merged", [False, True], ids=["apart", "merged"])
def test_scores_equal_bm25s_after_adds_and_deletes(
    library: Library, store: PostgresRetrievalStore, shelf: Shelf, *, is_merged: bool
) -> None:
    """S3-17: idf, saturation and length normalisation, on live statistics."""
    rng = random.Random(3)
    papers = [Paper([Passage(sample(rng, 10 * n + m)) for m in range(6)]) for n in range(30)]
    for paper in papers[:20]:
        library.add(shelf, paper)
    if is_merged:
        assert library.merge(shelf) == 1
    for paper in papers[:7]:
        library.delete(shelf, paper.document_id)
    for paper in papers[20:]:
        library.add(shelf, paper)
    library.add(shelf, Paper([Passage("w1x unpublished")], is_published=False))
    texts = [passage.text for paper in papers[7:] for passage in paper.passages]

    for question in ("w3x", "w1x w20x", "w40x w2x w50x w50x", "w59x absent w7x"):
        found = store.search(query_of(shelf, question, limit=len(texts)))
        scores = {c.text: c.legs[Leg.KEYWORD].score for c in found.candidates}
        expected = {t: s for t, s in expected_scores(library, texts, question).items() if s > 0}
        assert scores == pytest.approx(dict(list(expected.items())[:200]), rel=1e-5)


def test_one_rare_word_outweighs_two_common_ones(
    library: Library, store: PostgresRetrievalStore, shelf: Shelf
) -> None:
    """S3-17: ts_rank has no idf and prefers the chunk with more of the words."""
    common = [Passage(f"report audit number{n}") for n in range(30)]
    library.add(shelf, Paper([*common, Passage("about zirconium once")]))

    assert search_words(store, shelf, "zirconium report audit", limit=1) == ["about zirconium once"]
    [(best, _), *_] = by_ts_rank(library, shelf, "zirconium | report | audit")
    assert best.startswith("report audit")


def test_repetition_saturates(
    library: Library, store: PostgresRetrievalStore, shelf: Shelf
) -> None:
    """S3-17: both words once beat one of them forty times."""
    repeated, both = "pump " * 40, "pump valve" + " filler" * 38
    others = [Passage(f"pump unrelated{n}") for n in range(10)]
    valves = [Passage(f"valve other{n}") for n in range(3)]
    library.add(shelf, Paper([Passage(repeated), Passage(both), *others, *valves]))

    found = search_words(store, shelf, "pump valve", limit=50)

    assert found.index(both) < found.index(repeated)


def test_a_short_chunk_beats_a_long_one_with_the_same_word(
    library: Library, store: PostgresRetrievalStore, shelf: Shelf
) -> None:
    """S3-17: length counts; ts_rank gives both the same."""
    long = "escrow " + " ".join(f"word{n}" for n in range(200))
    library.add(shelf, Paper([Passage(long), Passage("escrow terms")]))

    assert search_words(store, shelf, "escrow") == ["escrow terms", long]
    assert len({rank for _, rank in by_ts_rank(library, shelf, "escrow")}) == 1


@pytest.mark.parametrize("code", ["INV-2024-00017", "E_4711", "4.2.1", "ab12cd34"])
def test_exact_codes_are_found(
    library: Library, store: PostgresRetrievalStore, shelf: Shelf, code: str
) -> None:
    """S3-17: a code or name is found as it is written."""
    library.add(shelf, Paper([Passage(f"case {n} is INV-2023-{n:05}") for n in range(20)]))
    library.add(shelf, Paper([Passage(f"the number is {code} here")]))

    assert search_words(store, shelf, code)[0] == f"the number is {code} here"


APART: dict[str, tuple[str, list[str]]] = {
    "Japanese": (
        "自転車はどこですか",
        ["鍵は受付で受け取る。", "自転車は地下に置く。", "会費は月額4,000円です。"],
    ),
    "a figure in Japanese": (
        "4,000円",
        ["会費は月額500円です。", "会費は月額4,000円です。", "会費は月額400円です。"],
    ),
    "a wide figure": ("4000", ["会費は５００円です。", "会費は４０００円です。"]),
    "a Latin name in Chinese": ("Kestrel", ["锅炉型号为Osprey。", "锅炉型号为Kestrel。"]),
    "Chinese": ("自行车放在哪里", ["钥匙在前台领取。", "请把自行车放在地下室。"]),
    "Korean with a particle": (
        "자전거를 어디에",
        ["열쇠는 접수처에 있다.", "자전거는 지하에 둔다."],
    ),
    "Thai": ("จักรยาน", ["รับกุญแจที่แผนกต้อนรับ", "เก็บจักรยานไว้ที่ชั้นใต้ดิน"]),
    "Arabic digits": ("2732", ["الرسوم ٢٧٣ دينار", "الرسوم ٢٧٣٢ دينار"]),
    "Hindi digits": ("400", ["शुल्क ५० रुपये", "शुल्क ४०० रुपये"]),
}


@pytest.mark.parametrize(("question", "passages"), APART.values(), ids=APART)
def test_words_without_spaces_and_figures_in_other_signs_are_found(
    library: Library,
    store: PostgresRetrievalStore,
    shelf: Shelf,
    question: str,
    passages: list[str],
) -> None:
    library.add(shelf, Paper([Passage(text) for text in passages]))

    assert search_words(store, shelf, question, limit=1) == [passages[1]]


def test_a_long_text_without_spaces_and_stops_takes_no_square_in_time(
    library: Library, store: PostgresRetrievalStore, shelf: Shelf
) -> None:
    library.add(shelf, Paper([Passage("请把自行车放在地下室。")]))
    started = perf_counter()

    assert search_words(store, shelf, "自行车" * 10_000, limit=1) == ["请把自行车放在地下室。"]
    assert perf_counter() - started < 1  # it was 5 s


@pytest.mark.parametrize("is_merged", [False, True], ids=["apart", "merged"])
def test_filters_choose_rows_and_leave_the_statistics(
    library: Library, store: PostgresRetrievalStore, shelf: Shelf, *, is_merged: bool
) -> None:
    for year in (2023, 2024):
        passages = [Passage(f"alpha {year} {'beta ' * n}") for n in range(5)]
        library.add(shelf, Paper(passages, metadata={"year": year}))
    if is_merged:
        assert library.merge(shelf) == 1

    whole = store.search(query_of(shelf, "alpha beta"))
    part = store.search(query_of(shelf, "alpha beta", filters={"year": 2024}))

    expected = {c.text: c.legs[Leg.KEYWORD].score for c in whole.candidates if "2024" in c.text}
    assert {c.text: c.legs[Leg.KEYWORD].score for c in part.candidates} == expected
    assert len(expected) == 5


def test_a_question_of_stop_words_finds_nothing(
    library: Library, store: PostgresRetrievalStore, shelf: Shelf
) -> None:
    library.add(shelf, Paper([Passage("what is the and of")]))

    found = store.search(query_of(shelf, "what is the"))

    assert (found.candidates, found.degraded) == ((), ())


HOSTILE = [
    "'; DROP TABLE document; --",
    "alpha & !beta | (gamma <-> delta):*",
    "alpha' OR 'a'='a",
    "100% %s %(words)s %% {wanted} {0}",
    "\\ \\' \\x00 E'\\n'",
    "\0alpha\0",
    "\ud800 alpha",
    "👍🎉🔥",
    "\u202e\u200b",
    "alpha " * 1333,
    "x" * 8000,
    "",
    "   ",
]


@pytest.mark.parametrize("question", HOSTILE, ids=range(len(HOSTILE)))
def test_a_hostile_question_is_words_or_nothing(
    library: Library, store: PostgresRetrievalStore, shelf: Shelf, question: str
) -> None:
    """No character of a question is an operator, and none ends the keyword leg."""
    library.add(shelf, Paper([Passage("alpha"), Passage("omega")]))

    found = store.search(query_of(shelf, question))

    assert found.degraded == ()
    assert [c.text for c in found.candidates] == (["alpha"] if "alpha" in question else [])


def by_ts_rank(library: Library, shelf: Shelf, tsquery: str) -> list[tuple[str, float]]:
    return library.connection.execute(
        "SELECT text, ts_rank(to_tsvector('english', text), to_tsquery('english', %s)) AS rank"
        " FROM document_chunk WHERE tenant_id = %s ORDER BY rank DESC",
        (tsquery, shelf.tenant_id),
    ).fetchall()
