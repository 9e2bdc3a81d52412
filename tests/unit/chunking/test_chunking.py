"""Chunks cover the document, keep to their size and know on which pages they stand."""

import random
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pulsedocs.chunking import TOO_SHORT, chunk, profile_named
from pulsedocs.errors import InvalidRequest
from pulsedocs.model.chunks import Chunk, PageSpan
from pulsedocs.model.pages import CleanedPage, Heading, OffsetMap

Choice = tuple[str, dict[str, int]]

words = st.text(st.sampled_from("abcdefgh"), min_size=1, max_size=14)
page_texts = st.one_of(
    st.just(""),
    st.lists(st.tuples(words, st.sampled_from([" ", "\n", "\n\n"])), max_size=120).map(
        lambda parts: "".join(word + gap for word, gap in parts).strip()
    ),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=200),
)
documents = st.lists(page_texts, max_size=6).map(lambda texts: pages_of(*texts))
CHOICES: list[Choice] = [
    ("classic", {}),
    ("classic", {"characters": 64, "overlap_characters": 32}),
    ("classic", {"characters": 70, "overlap_characters": 0}),
    ("words", {}),
    ("words", {"words": 10, "overlap_words": 5}),
    ("words", {"words": 13, "overlap_words": 0}),
    ("semantic", {}),
    ("semantic", {"max_tokens": 100, "overlap_percent": 50}),
    ("semantic", {"max_tokens": 101, "overlap_percent": 0}),
]
profiles = st.sampled_from(CHOICES)


def pages_of(*texts: str) -> list[CleanedPage]:
    nothing = OffsetMap((), (), ())
    return [CleanedPage(number, text, nothing) for number, text in enumerate(texts, start=1)]


def chunks_of(
    pages: list[CleanedPage],
    name: str = "classic",
    *,
    overrides: Mapping[str, int] | None = None,
    count_tokens: Callable[[str], int] = len,
) -> list[Chunk]:
    profile = profile_named(name, overrides or {})
    return chunk(pages, profile=profile, count_tokens=count_tokens)


@given(documents, profiles)
def test_a_chunk_is_the_text_of_its_spans(pages: list[CleanedPage], profile: Choice) -> None:
    """S2-03: the page map is exact, character for character."""
    texts = {page.number: page.text for page in pages}

    for each in chunks_of(pages, profile[0], overrides=profile[1]):
        pieces = [texts[span.page][span.start : span.end] for span in each.spans]
        assert each.text == "\n".join(pieces)
        assert all(pieces)
        assert each.text == each.text.rstrip() != ""
        indentation = each.text[: len(each.text) - len(each.text.lstrip())]
        assert "\n" not in indentation
        first = each.spans[0]  # nothing stands before the indentation in its line
        assert not indentation or f"\n{texts[first.page]}"[first.start] == "\n"
        assert len(each.text) <= 8_000


@given(documents, profiles)
def test_no_character_is_lost(pages: list[CleanedPage], profile: Choice) -> None:
    covered = {
        (span.page, offset)
        for each in chunks_of(pages, profile[0], overrides=profile[1])
        for span in each.spans
        for offset in range(span.start, span.end)
    }

    assert {
        (page.number, offset)
        for page in pages
        for offset, character in enumerate(page.text)
        if not character.isspace()
    } <= covered


@given(documents, profiles)
def test_chunks_are_in_reading_order_and_the_same_each_time(
    pages: list[CleanedPage], profile: Choice
) -> None:
    chunks = chunks_of(pages, profile[0], overrides=profile[1])

    starts = [(each.spans[0].page, each.spans[0].start) for each in chunks]
    assert starts == sorted(set(starts))
    assert [each.index for each in chunks] == list(range(len(chunks)))
    assert chunks == chunks_of(pages, profile[0], overrides=profile[1])


@given(documents)
def test_classic_never_exceeds_512_characters(pages: list[CleanedPage]) -> None:
    """S2-02: 512 characters at most, 64 of overlap."""
    assert all(len(each.text) <= 512 for each in chunks_of(pages))


def test_classic_overlaps_by_about_64_characters_and_cuts_no_near_word() -> None:
    text = " ".join(f"word{number:04}" for number in range(300))

    chunks = chunks_of(pages_of(text))

    for before, after in pairwise(chunks):
        assert 64 - 24 <= before.spans[0].end - after.spans[0].start <= 64
        assert re.fullmatch(r"word\d{4}( word\d{4})*", after.text)


@pytest.mark.parametrize("inserted", ["A cover page.", "Preface. " * 60, "no sentence " * 300])
def test_a_page_inserted_in_front_changes_only_the_chunks_around_it(inserted: str) -> None:
    """Issue 3, part 7: where a text is cut depends on the text there, not on what is before."""
    rng = random.Random(3)
    words = [f"{rng.choice('bcdfgm')}{rng.choice('aeiou')}{n}" for n in range(8_000)]
    sentences = (" ".join(words[n : n + 14]).capitalize() + "." for n in range(0, 8_000, 14))
    pages = [" ".join(group) for group in zip(*[sentences] * 20, strict=False)]
    before = {each.text for each in chunks_of(pages_of(*pages))}

    after = [each.text for each in chunks_of(pages_of(inserted, *pages))]

    new = len(chunks_of(pages_of(inserted)))
    assert len(before) > 120
    assert sum(text not in before for text in after) <= new + 8


def test_classic_cuts_a_word_longer_than_it_may_look_back() -> None:
    chunks = chunks_of(pages_of("x" * 1_000))

    assert [(each.spans[0].start, each.spans[0].end) for each in chunks] == [
        (0, 512),
        (448, 960),
        (896, 1_000),
    ]


def test_words_makes_pieces_of_500_words_with_50_in_common() -> None:
    """S4-03: no word is cut; the token count is stored."""
    text = " ".join(f"w{number}" for number in range(1_200))

    chunks = chunks_of(pages_of(text), "words", count_tokens=lambda text: len(text.split()))

    assert [each.text.split()[0] for each in chunks] == ["w0", "w450", "w900"]
    assert [each.tokens for each in chunks] == [500, 500, 300]
    assert chunks[0].text.split()[-50:] == chunks[1].text.split()[:50]


def test_words_too_long_to_store_together_are_fewer() -> None:
    chunks = chunks_of(pages_of(" ".join(["y" * 900] * 20 + ["z" * 20_000])), "words")

    assert max(len(each.text) for each in chunks) <= 8_000
    assert sum(each.text.count("z") for each in chunks) >= 20_000


def test_a_chunk_across_a_page_break_lists_both_pages() -> None:
    """S2-03: a chunk that runs on over the break stands on pages 1 and 3; 2 is blank."""
    [only] = chunks_of(pages_of("It runs on", " \n", "to the next page."))

    assert only.spans == (PageSpan(1, 0, 10), PageSpan(3, 0, 17))
    assert (only.page_start, only.page_end) == (1, 3)
    assert only.text == "It runs on\nto the next page."


def test_a_chunk_of_the_classic_profile_begins_where_a_page_begins() -> None:
    """Issue 12, part 2: a passage of two pages was named by the one before its words."""
    texts = [f"Deck {number}. " + "The crew checks each rope at dawn. " * 20 for number in range(4)]
    pages = pages_of(*(text.strip() for text in texts))

    chunks = chunks_of(pages)

    assert all(len(each.spans) == 1 for each in chunks)
    first = {each.page_start: each for each in reversed(chunks)}
    assert [first[page.number].spans[0].start for page in pages] == [0, 0, 0, 0]


@pytest.mark.parametrize(
    ("end", "following", "together"),
    [
        ("It is filled with", "clean water. It is new.", "It is filled with\nclean water."),
        ("水泵里装满了", "干净的水。它是新的。", "水泵里装满了\n干净的水。"),
        ("水泵是满的。", "干净的水。", "水泵是满的。"),
        ("Chapter 4", "Clean water. It is new.", "Chapter 4"),
        ("filled with", "water " * 90 + "only.", "filled with"),
    ],
    ids=["runs on", "without case", "ended", "a new one", "far"],
)
def test_a_sentence_over_a_page_break_is_whole_where_it_begins_and_only_there(
    end: str, following: str, together: str
) -> None:
    """Neighbours travel together: what is cut at the end of a page loses no sentence."""
    before = "The crew checks each rope at dawn. " * 6
    pages = pages_of(before + end, f"{following} " + "The wind turns at noon. " * 30)

    chunks = chunks_of(pages)

    across = [each.text for each in chunks if each.page_start == 1]
    assert across[-1].endswith(together)
    assert next(each for each in chunks if each.page_start == 2).text.startswith(following[:20])


def test_a_page_of_a_few_words_goes_with_its_neighbour() -> None:
    pages = pages_of("Owner's manual", "Fill the tank. " * 20, "Fin.")

    chunks = chunks_of(pages)

    assert [(each.page_start, each.page_end) for each in chunks] == [(1, 3)]


def test_a_document_without_text_has_no_chunk() -> None:
    """S2-14: an empty PDF makes no chunks."""
    assert chunks_of(pages_of("", " \n")) == []
    assert chunks_of([]) == []


def test_the_section_is_the_one_in_force_where_the_chunk_starts() -> None:
    nothing = OffsetMap((), (), ())
    first = (Heading(1, "A", 0), Heading(2, "A.1", 200))
    last = (Heading(2, "A.2", 100), Heading(1, "B", 300))
    pages = [
        CleanedPage(1, "a" * 400, nothing, headings=first),
        CleanedPage(2, "", nothing, headings=(Heading(3, "A.1.1", 0),)),
        CleanedPage(3, "b" * 400, nothing, headings=last),
    ]

    chunks = chunks_of(pages, overrides={"characters": 100, "overlap_characters": 0})

    sections = [each.section for each in chunks]
    assert sections[:4] == [("A",), ("A",), ("A", "A.1"), ("A", "A.1")]
    assert ("A", "A.2") in sections
    assert sections[-1] == ("B",)
    assert chunks_of(pages_of("text"))[0].section == ()


def test_a_page_is_under_the_heading_below_its_running_lines() -> None:
    nothing = OffsetMap((), (), ())
    heads = ("Income", "Balance")
    pages = [
        CleanedPage(
            number,
            f"Annual report 2031\n{40 + number}\n{head}\nTugs cost 7 crowns.",
            nothing,
            headings=(Heading(1, head, 22),),
        )
        for number, head in enumerate(heads, start=1)
    ]
    runs_on = CleanedPage(3, "Annual report 2031\nOil.\nCash\nNone.", nothing)
    runs_on = replace(runs_on, headings=(Heading(1, "Cash", 24),))

    chunks = chunks_of([*pages, runs_on], overrides={"characters": 64, "overlap_characters": 0})

    assert [each.section for each in chunks] == [("Income",), ("Balance",), ("Balance",)]


def test_a_chunk_from_within_a_nested_list_begins_with_the_items_around() -> None:
    items = "".join(f"  - Item {number} costs some crowns.\n" for number in range(60))
    text = f"- Travel\n{items}- Food"

    made = chunks_of(pages_of(text))

    assert len(made) > 2
    assert all(chunk.text.startswith("- Travel\n  - Item") for chunk in made)


def test_a_chunk_of_a_table_begins_with_the_heads_of_its_own() -> None:
    first = "Pier | 2031\n" + "\n".join(f"West {n} | 10{n}" for n in range(100))
    second = "Rope | Coils\n" + "\n".join(f"Hemp {n} | 5{n}" for n in range(100))

    chunks = chunks_of(pages_of(first, second), "classic")

    assert {each.text.split("\n")[0] for each in chunks if "West" in each.text} == {"Pier | 2031"}
    assert {each.text.split("\n")[0] for each in chunks if "Hemp" in each.text} == {"Rope | Coils"}


def test_a_doubtful_chunk_is_flagged_unless_that_is_not_wanted() -> None:
    profile = profile_named("classic", {})

    [flagged] = chunk(pages_of("No."), profile=profile, count_tokens=len)
    [plain] = chunk(pages_of("No."), profile=profile, count_tokens=len, validate=False)

    assert flagged.flags == (TOO_SHORT,)
    assert plain == replace(flagged, flags=())


def test_a_chunk_says_how_it_was_made() -> None:
    [only] = chunks_of(pages_of("A short but complete sentence."), overrides={"characters": 200})

    assert (only.profile, only.method) == ("classic", "characters")
    assert only.parameters == {
        "characters": 200,
        "overlap_characters": 64,
        "context": "title",
    }


@pytest.mark.parametrize(
    ("name", "overrides", "says"),
    [
        ("nonsense", {}, "classic, semantic, words"),
        ("", {}, "classic, semantic, words"),
        ("semantic", {"max_tokens": 1_001}, "'max_tokens' must be from 100 to 1000"),
        ("semantic", {"overlap_percent": 51}, "from 0 to 50"),
        ("semantic", {"breakpoint_percentile": 49}, "from 50 to 100"),
        ("semantic", {"characters": 512}, "max_tokens, overlap_percent, breakpoint_percentile"),
        ("plugin:toy", {"x": "y" * 2_000}, "2000 characters"),
        ("", {"max_tokens": 300}, "no chunk profile is named; valid are .*semantic"),
        ("plugin:", {}, "unknown"),
        ("plugin:Toy.Name", {}, "unknown"),
        ("classic", {"words": 3}, "characters, overlap_characters"),
        ("classic", {"characters": "512"}, "whole number"),
        ("classic", {"characters": True}, "whole number"),
        ("classic", {"characters": 8_001}, "from 64 to 8000"),
        ("classic", {"overlap_characters": 257}, "half"),
        ("words", {"overlap_words": -1}, "from 0"),
        ("words", {"words": 0}, "from 10"),
        ("classic", {"context": "page"}, "none, title, section, title_section, neighbours"),
        ("semantic", {"context": 1}, "'context' must be one of"),
        ("plugin:toy", {"context": ["title"]}, "'context' must be one of"),
    ],
)
def test_a_profile_that_is_none_says_what_would_be(
    name: str, overrides: dict[str, object], says: str
) -> None:
    with pytest.raises(InvalidRequest, match=says):
        profile_named(name, overrides)
