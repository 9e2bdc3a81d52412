"""A long text is cut where its subject changes, never above the cap, and as it must be if not."""

import json
import math
from collections.abc import Callable, Sequence
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pulsedocs.adapters.memory.embedder import HashingEmbedder
from pulsedocs.adapters.memory.tokens import WhitespaceTokenCounter
from pulsedocs.chunking import (
    MeasuredDistances,
    chunk,
    neighbour_distances,
    profile_named,
    sentence_batches,
)
from pulsedocs.chunking.recursive import SEPARATORS, cut_recursively
from pulsedocs.chunking.segments import MOST_BATCHES
from pulsedocs.chunking.sentences import split_sentences
from pulsedocs.model.chunks import Chunk
from pulsedocs.model.deadline import Deadline
from pulsedocs.model.pages import CleanedPage, OffsetMap
from tests.patience import PATIENCE

MODEL = "memory:hashing@384"
count_words = WhitespaceTokenCounter()
SUBJECTS = (
    "The pump needs clean water before the first run of the day number {}.",
    "Revenue of the northern region rose by four per cent in quarter {}.",
    "Visitors sign the register at the main gate and wear helmet {}.",
)
THIS_YEAR = "当年度の売上高は前年比で四分の増加であった。"
NEXT_YEAR = "来年度も同じ傾向が続くと見込まれているのだ。"
texts = st.text(
    st.one_of(st.sampled_from("abc .\n"), st.characters(exclude_categories=["Cs"])), max_size=3_000
)
documents = st.lists(texts, max_size=4).map(lambda pages: pages_of(*pages))
distances = st.lists(st.one_of(st.none(), st.floats(0, 2)), min_size=1, max_size=40)


def pages_of(*page_texts: str) -> list[CleanedPage]:
    nothing = OffsetMap((), (), ())
    return [CleanedPage(number, text, nothing) for number, text in enumerate(page_texts, start=1)]


def stream_of(pages: Sequence[CleanedPage]) -> str:
    return "\n".join(page.text for page in pages if page.text.strip())


def measured_by(pages: list[CleanedPage], values: Sequence[float | None]) -> MeasuredDistances:
    """Give each pair of sentences a distance, those that are there over and over."""
    pairs = max(len(split_sentences(stream_of(pages))) - 1, 0)
    return MeasuredDistances(tuple(values[index % len(values)] for index in range(pairs)), MODEL)


def cut(
    pages: list[CleanedPage],
    measured: MeasuredDistances,
    *,
    count_tokens: Callable[[str], int] = count_words,
    **overrides: int,
) -> list[Chunk]:
    profile = profile_named("semantic", overrides)
    return chunk(pages, profile=profile, count_tokens=count_tokens, measured=measured)


def manual(sentences_per_subject: int = 30) -> list[CleanedPage]:
    sentences = [
        subject.format(number) for subject in SUBJECTS for number in range(sentences_per_subject)
    ]
    return pages_of(*(" ".join(sentences[start : start + 25]) for start in range(0, 90, 25)))


def embedded(pages: list[CleanedPage]) -> MeasuredDistances:
    """Measure as the serverless path does: in batches that overlap by one sentence."""
    batches = sentence_batches(
        pages,
        profile=profile_named("semantic", {}),
        count_tokens=count_words,
        model=MODEL,
        max_items=7,
    )
    values: list[float | None] = []
    for batch in batches:
        vectors = HashingEmbedder().embed_passages(batch.texts, deadline=Deadline.after(60)).vectors
        values += neighbour_distances(vectors)
    return MeasuredDistances(tuple(values), MODEL)


def test_a_text_of_up_to_1000_tokens_is_one_chunk() -> None:
    """S3-07: the single-chunk shortcut, at its limit."""
    whole, above = (" ".join(["word"] * number) for number in (1_000, 1_001))

    [only] = cut(pages_of(whole), MeasuredDistances())

    assert (only.method, only.tokens, only.text) == ("single", 1_000, whole)
    assert only.parameters == {
        "max_tokens": 1_000,
        "overlap_percent": 20,
        "breakpoint_percentile": 95,
        "context": "title",
    }
    assert {each.method for each in cut(pages_of(above), MeasuredDistances(failure="X"))} == {
        "recursive"
    }


def test_it_cuts_where_the_subject_changes() -> None:
    """S3-07: breakpoints lie above the 95th percentile of neighbouring sentences' distances."""
    pages = manual()

    chunks = cut(pages, embedded(pages), breakpoint_percentile=97, overlap_percent=0)

    assert [each.method for each in chunks] == ["semantic"] * 3
    assert [each.text.split()[0] for each in chunks] == ["The", "Revenue", "Visitors"]
    assert all(each.parameters["model"] == MODEL for each in chunks)


def test_a_breakpoint_is_a_distance_above_the_percentile_and_not_on_it() -> None:
    pages = pages_of(" ".join(f"Word {'word ' * 29}number{index}." for index in range(41)))
    values = (*[0.1] * 19, 0.9, *[0.1] * 18, 0.8, 0.1)

    def ends(distances: tuple[float, ...], percentile: int = 95) -> list[tuple[str, str]]:
        chunks = cut(
            pages,
            MeasuredDistances(distances, MODEL),
            overlap_percent=0,
            breakpoint_percentile=percentile,
        )
        return [(each.method, each.text.split()[-1]) for each in chunks]

    # 38 of the 40 are 0.1: the 95th percentile is 0.135, the 98th 0.822.
    assert ends(values) == [
        ("semantic", "number19."),
        ("semantic", "number38."),
        ("semantic", "number40."),
    ]
    assert ends(values, 98)[0] == ("semantic", "number19.")
    assert ("semantic", "number38.") not in ends(values, 98)
    assert {method for method, _ in ends((0.5,) * 40)} == {"recursive"}


def test_a_subject_above_the_cap_is_split_recursively_within_itself() -> None:
    """S3-07: 1,000 tokens is a hard cap, the overlap of 20 % included."""
    pages = pages_of(" ".join(f"Word {'word ' * 49}number{index}." for index in range(100)))

    chunks = cut(pages, measured_by(pages, [0.5]))

    assert {each.method for each in chunks} == {"recursive"}
    assert max(each.tokens for each in chunks) <= 1_000
    for before, after in pairwise(chunks):
        shared = before.spans[-1].end - after.spans[0].start
        tokens = count_words(pages[0].text[after.spans[0].start : before.spans[-1].end])
        assert shared > 0
        assert 0.15 * after.tokens <= tokens <= 0.2 * after.tokens + 1


def test_a_failure_leads_to_the_recursive_cut_and_is_recorded() -> None:
    """S3-07: 1,000 characters with 200 of overlap at five separators; the reason is kept."""
    paragraphs = "\n\n".join(f"{'word ' * 60}end{number}." for number in range(60))
    pages = pages_of(paragraphs)

    chunks = cut(pages, MeasuredDistances(failure="PROVIDER_UNAVAILABLE"))

    assert SEPARATORS == ("\n\n", "\n", ". ", " ", "")
    assert {each.method for each in chunks} == {"recursive"}
    assert chunks[0].parameters == {
        "characters": 1_000,
        "overlap_characters": 200,
        "fallback": "PROVIDER_UNAVAILABLE",
        "context": "title",
    }
    assert max(len(each.text) for each in chunks) <= 1_000
    for before, after in pairwise(chunks):
        assert 150 <= before.spans[-1].end - after.spans[0].start <= 200
        assert before.text[-1] == "."


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("aaa\n\nbbb ccc", ["aaa\n\n", "bbb ccc"]),
        ("aaa\nbbb ccc", ["aaa\n", "bbb ccc"]),
        ("aaa. bbb ccc", ["aaa. ", "bbb ccc"]),
        ("aaa bbb ccc", ["aaa bbb ", "ccc"]),
        ("abcdefghijkl", ["abcdef", "ghijkl"]),
    ],
)
def test_the_largest_joint_that_helps_is_used(text: str, pieces: list[str]) -> None:
    """S3-07: the five separators, in their order."""
    places = cut_recursively(text, (0, len(text)), size=8, measure=len)

    assert [text[start:end] for start, end in places] == pieces


def test_distances_that_do_not_fit_the_text_or_say_nothing_lead_to_the_fallback() -> None:
    pages = manual()
    pairs = len(split_sentences(stream_of(pages))) - 1

    of_another = cut(pages, MeasuredDistances((0.5,) * 3, MODEL))
    refused = cut(pages, MeasuredDistances((None,) * pairs, MODEL))

    assert of_another[0].parameters["fallback"] == "NO_DISTANCES"
    assert refused[0].parameters["fallback"] == "PROVIDER_REFUSED"


@given(documents, distances, st.sampled_from([None, "TIMED_OUT"]), st.sampled_from([0, 20, 50]))
def test_nothing_is_lost_and_nothing_exceeds_the_cap(
    pages: list[CleanedPage], values: list[float | None], failure: str | None, overlap: int
) -> None:
    """S3-07: whatever the text and the distances; counted in bytes, tokens are many."""
    measured = MeasuredDistances(measured_by(pages, values).distances, MODEL, failure)
    options = {"max_tokens": 100, "overlap_percent": overlap, "count_tokens": count_bytes}

    chunks = cut(pages, measured, **options)  # pyright: ignore[reportArgumentType] -- mixed options

    covered = {
        (span.page, offset)
        for each in chunks
        for span in each.spans
        for offset in range(span.start, span.end)
    }
    texts = {page.number: page.text for page in pages}
    assert {
        (page.number, offset)
        for page in pages
        for offset, character in enumerate(page.text)
        if not character.isspace()
    } <= covered
    for each in chunks:
        assert count_bytes(each.text) == each.tokens <= 100
        pieces = [texts[span.page][span.start : span.end] for span in each.spans]
        assert each.text == "\n".join(pieces) == each.text.rstrip() != ""
    starts = [(each.spans[0].page, each.spans[0].start) for each in chunks]
    assert starts == sorted(set(starts))
    assert chunks == cut(pages, measured, **options)  # pyright: ignore[reportArgumentType] -- as above


@pytest.mark.parametrize("failure", [None, "TIMED_OUT"])
@pytest.mark.parametrize("width", [90, 150])
def test_an_indentation_gives_way_to_the_cap(width: int, failure: str | None) -> None:
    """Pieces are measured without their edges; 239 tokens where 100 were allowed."""
    pages = pages_of("\n".join(" " * width + "word " * 10 for _ in range(5)))
    measured = MeasuredDistances(measured_by(pages, [0.5]).distances, MODEL, failure)

    chunks = cut(pages, measured, max_tokens=100, overlap_percent=0, count_tokens=count_bytes)

    assert max(each.tokens for each in chunks) <= 100
    assert " ".join(each.text for each in chunks).split() == ["word"] * 50


def count_bytes(text: str) -> int:
    return len(text.encode())


@given(texts)
def test_sentences_are_the_whole_text_in_order(text: str) -> None:
    places = split_sentences(text)

    assert "".join(text[start:end] for start, end in places) == text
    assert all(len(text[start:end].strip()) <= 1_050 for start, end in places)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "Dr. Smith wrote this in the morning. Mr. Jones read it at night!",
            ["Dr. Smith wrote this in the morning.", "Mr. Jones read it at night!"],
        ),
        (
            "The rate, e.g. 4 %, is set. It may rise (see Fig. 3 below). So be it for the year.",
            [
                "The rate, e.g. 4 %, is set.",
                "It may rise (see Fig. 3 below).",
                "So be it for the year.",
            ],
        ),
        (
            "2. Scope\n\nThis manual describes the pump and its parts.",
            ["2. Scope\n\nThis manual describes the pump and its parts."],
        ),
        (
            f"{THIS_YEAR}{NEXT_YEAR}",
            [
                THIS_YEAR,
                NEXT_YEAR,
            ],
        ),
    ],
)
def test_a_sentence_ends_where_a_reader_would_end_it(text: str, expected: list[str]) -> None:
    assert [text[start:end].strip() for start, end in split_sentences(text)] == expected


@pytest.mark.timeout(PATIENCE)
@pytest.mark.parametrize("unit", [".", ". ", "\n\n", "\n ", "a", ")", "a.", "\u3002"])
def test_a_monotonous_text_is_cut_in_time(unit: str) -> None:
    pages = pages_of(unit * (400_000 // len(unit)))

    chunks = cut(pages, measured_by(pages, [0.1, 0.9]), count_tokens=lambda text: len(text) // 4)

    assert all(each.tokens <= 1_000 for each in chunks)


def test_batches_overlap_by_one_sentence_and_are_named_by_what_they_hold() -> None:
    pages = manual()
    profile = profile_named("semantic", {})

    def batches(model: str = MODEL) -> list[tuple[str, tuple[str, ...]]]:
        made = sentence_batches(
            pages, profile=profile, count_tokens=count_words, model=model, max_items=8
        )
        return [(batch.batch_hash, batch.texts) for batch in made]

    made = batches()
    assert all(before[1][-1] == after[1][0] for before, after in pairwise(made))
    assert sum(len(held) - 1 for _, held in made) + 1 == len(split_sentences(stream_of(pages)))
    assert max(len(held) for _, held in made) == 8
    assert made == batches()
    assert {name for name, _ in made}.isdisjoint(name for name, _ in batches("other:model@3"))


def test_nothing_is_measured_for_another_profile_a_short_text_or_an_endless_one() -> None:
    def batches(pages: list[CleanedPage], name: str = "semantic", *, most: int = 2) -> int:
        return len(
            sentence_batches(
                pages,
                profile=profile_named(name, {}),
                count_tokens=count_words,
                model=MODEL,
                max_items=most,
            )
        )

    endless = pages_of("One more sentence of the endless text. " * (MOST_BATCHES + 2))

    assert batches(manual(), "classic") == 0
    assert batches(pages_of("Short.")) == 0
    assert batches(endless) == 0
    assert batches(endless, most=3) == MOST_BATCHES // 2 + 1


def test_a_distance_beside_a_refused_sentence_is_unknown() -> None:
    vectors = [(1.0, 0.0), (0.0, 1.0), (), (0.0, 2.0), (0.0, -1.0)]

    found = neighbour_distances(vectors, refused=frozenset({2}))

    assert found == (1.0, None, None, 2.0)
    assert neighbour_distances([(0.0, 0.0), (1.0, 0.0)]) == (None,)
    assert neighbour_distances([(math.inf, 0.0), (1.0, 0.0)]) == (None,)
    assert neighbour_distances([]) == ()


def test_the_references_of_75000_sentences_are_far_from_what_a_state_holds() -> None:
    """Issue 3, part 10: the figure of docs/concepts/chunking.md; the limit is 262,144 bytes."""
    text = " ".join(f"Sentence number {number} is about lamp {number}." for number in range(75_000))
    made = sentence_batches(
        pages_of(text),
        profile=profile_named("semantic", {}),
        count_tokens=count_words,
        model=MODEL,
        max_items=96,
    )

    references = [{"index": index, "hash": each.batch_hash} for index, each in enumerate(made)]
    assert sum(len(each.texts) - 1 for each in made) == 75_000 - 1
    assert (len(references), len(json.dumps(references))) == (790, 47_290)
