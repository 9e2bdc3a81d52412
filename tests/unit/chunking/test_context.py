"""A chunk is embedded and matched with words of its place, and stays the quotation that it is."""

import hashlib
from dataclasses import replace
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pulsedocs.chunking import chunk, identify, profile_named, sentence_batches
from pulsedocs.chunking.context import CONTEXTS, LONGEST_NEIGHBOUR, LONGEST_SECTION, LONGEST_TITLE
from pulsedocs.chunking.profiles import PROFILES
from pulsedocs.embedding import batches
from pulsedocs.model.chunks import Chunk, Context
from pulsedocs.model.documents import name_of
from pulsedocs.model.embeddings import BatchItem
from pulsedocs.model.pages import CleanedPage, Heading, OffsetMap

DOCUMENT, SHA256 = UUID(int=1), bytes(32)
TITLE = "Keeper's handbook"
HEADINGS = (Heading(1, "Lamps", 0), Heading(2, "Oil lamps", 0))
SENTENCES = "The wick is trimmed at dusk. The oil is filled at noon. The glass is wiped at dawn."

words = st.text(st.sampled_from("abcde. \n>"), max_size=40)
contexts = st.sampled_from(CONTEXTS)


def page(number: int, text: str, *headings: Heading) -> CleanedPage:
    return CleanedPage(number, text, OffsetMap((), (), ()), headings=headings)


def chunks_of(
    *pages: CleanedPage, context: str, title: str = TITLE, profile: str = "classic", **options: Any
) -> list[Chunk]:
    chosen = profile_named(profile, {"context": context, **options})
    return chunk(pages, profile=chosen, count_tokens=lambda text: len(text.split()), title=title)


def only(text: str, *headings: Heading, context: str, title: str = TITLE) -> Chunk:
    [made] = chunks_of(page(1, text, *headings), context=context, title=title)
    return made


@pytest.mark.parametrize(
    ("context", "before"),
    [
        ("none", ""),
        ("title", "Keeper's handbook"),
        ("section", "Lamps > Oil lamps"),
        ("title_section", "Keeper's handbook\nLamps > Oil lamps"),
        ("neighbours", ""),
    ],
)
def test_a_context_is_what_its_name_says(context: str, before: str) -> None:
    made = only(SENTENCES, *HEADINGS, context=context)

    assert made.context == Context(before)
    assert made.indexed_text == (f"{before}\n{SENTENCES}" if before else SENTENCES)
    assert (made.text, made.parameters["context"]) == (SENTENCES, context)


def test_neighbours_are_the_sentences_beside_a_chunk_a_cut_one_as_far_as_it_goes() -> None:
    pages = (page(1, "Beside it the sea goes on and on."), page(2, SENTENCES))

    whole = chunks_of(*pages, context="neighbours", characters=64, overlap_characters=0)
    cut = chunks_of(*pages, profile="words", context="neighbours", words=10, overlap_words=0)

    assert [(each.text, each.context) for each in whole] == [
        (pages[0].text, Context("", "The wick is trimmed at dusk.")),
        (SENTENCES[:55], Context(pages[0].text, "The glass is wiped at dawn.")),
        (SENTENCES[56:], Context("The oil is filled at noon.", "")),
    ]
    assert [(each.text.rpartition("\n")[2], each.context) for each in cut] == [
        ("The wick", Context("", SENTENCES[9:55])),
        (SENTENCES[9:55], Context(f"{pages[0].text} The wick", SENTENCES[56:])),
        (SENTENCES[56:], Context("The oil is filled at noon.", "")),
    ]


@given(words, words, st.lists(words, max_size=3), contexts)
def test_a_context_leaves_the_chunk_itself_as_it_is(
    text: str, title: str, titles: list[str], context: str
) -> None:
    """Issue 4, part 4: text, place, section, tokens and id of a chunk are what they are without."""
    pages = (page(1, f"{text} body", *(Heading(1, each, 0) for each in titles)), page(2, text * 9))
    plain = chunks_of(*pages, context="none")

    made = chunks_of(*pages, context=context, title=title)

    assert [replace(each, context=Context(), parameters=plain[0].parameters) for each in made] == (
        plain
    )
    for one, other in zip(plain, made, strict=True):
        before, after = (identify(DOCUMENT, SHA256, each) for each in (one, other))
        assert (before.chunk_id, before.chunk_hash) == (after.chunk_id, after.chunk_hash)
        assert after.content_hash == hashlib.sha256(other.indexed_text.encode()).digest()
        assert other.text in other.indexed_text


@given(st.integers(0, 400), st.integers(0, 400), st.integers(1, 1_100), contexts)
def test_a_text_with_its_context_stays_within_the_cap_and_its_parts_within_theirs(
    title: int, heading: int, body: int, context: str
) -> None:
    """S3-07: what is embedded of a chunk of up to 1,000 tokens has no more than that."""
    headings = (Heading(1, "far " * heading, 0), Heading(2, "near " * heading, 0))
    made = chunks_of(
        page(1, "body " * body, *headings),
        context=context,
        title="title " * title,
        profile="words",
        words=body + 10,
        overlap_words=0,
    )[0]

    before, after = made.context.before, made.context.after
    assert len(made.indexed_text.split()) <= max(1_000, made.tokens)
    assert len(before) <= LONGEST_TITLE + 1 + LONGEST_SECTION
    assert len(after) <= LONGEST_NEIGHBOUR
    if body > 1_000:
        assert made.context == Context()


def test_a_chunk_far_below_the_cap_is_counted_once() -> None:
    counted: list[str] = []

    def count(text: str) -> int:
        counted.append(text)
        return len(text.split())

    [made] = chunk(
        [page(1, SENTENCES, *HEADINGS)],
        profile=profile_named("classic", {"context": "title_section"}),
        count_tokens=count,
        title=TITLE,
    )

    assert made.context.before
    assert counted == [SENTENCES]


def test_of_a_long_path_the_headings_nearest_to_the_text_stay() -> None:
    headings = (Heading(1, "far " * 60, 0), Heading(2, "mid " * 40, 0), Heading(3, "near", 0))

    made = only("A text.", *headings, context="section")

    assert made.context.before == f"{('mid ' * 40).strip()} > near"
    assert only("A text.", Heading(1, "x" * 999, 0), context="section").context.before == "x" * 300
    assert only("Text.", context="title", title="a b " * 99).context.before.endswith("a b")


@pytest.mark.parametrize(
    ("text", "title", "before"),
    [
        ("Oil lamps\nare filled.", TITLE, "Keeper's handbook\nLamps"),
        ("OIL  LAMPS are filled.", TITLE, "Keeper's handbook\nLamps"),
        ("Oil lampshades hang here.", TITLE, "Keeper's handbook\nLamps > Oil lamps"),
        ("Keeper's\nhandbook, part 1", TITLE, "Lamps > Oil lamps"),
        ("The wick is trimmed.", " \n", "Lamps > Oil lamps"),
    ],
)
def test_what_a_text_begins_with_is_not_repeated(text: str, title: str, before: str) -> None:
    assert only(text, *HEADINGS, context="title_section", title=title).context.before == before


def test_the_same_text_elsewhere_has_another_vector_and_another_batch() -> None:
    """A vector is copied, and a call recognised, by the text as it is embedded."""
    here = only("The wick is trimmed.", Heading(1, "Lamps", 0), context="section")
    there = only("The wick is trimmed.", Heading(1, "Bells", 0), context="section")

    one, other = (identify(DOCUMENT, SHA256, each) for each in (here, there))

    assert one.chunk_id == other.chunk_id
    assert one.content_hash != other.content_hash
    names = {
        batches(
            [BatchItem(each.chunk_id, each.content_hash, each.chunk.indexed_text)], model="m:m@8"
        )[0].batch_hash
        for each in (one, other)
    }
    assert len(names) == 2


def test_every_profile_takes_a_context_and_a_plugin_never_sees_it() -> None:
    for name in (*PROFILES, "plugin:toy"):
        chosen = profile_named(name, {"context": "section"})
        assert (chosen.context, "context" in chosen.parameters) == ("section", False)

        assert profile_named(name, {}).context == "title"


@pytest.mark.parametrize("context", CONTEXTS)
def test_the_sentences_that_are_measured_are_the_texts_own(context: str) -> None:
    pages = [page(1, SENTENCES * 20, *HEADINGS)]
    plain, chosen = (
        sentence_batches(
            pages,
            profile=profile_named("semantic", {"max_tokens": 100, "context": each}),
            count_tokens=lambda text: len(text.split()),
            model="memory:hashing@8",
            max_items=16,
        )
        for each in ("none", context)
    )

    assert plain == chosen
    assert plain


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("handbook.txt", "handbook"),
        ("reports/2025/Annual_Report.final.pdf", "Annual Report.final"),
        ("C:\\papers\\Oil_lamps.pdf", "Oil lamps"),
        ("https://example.org/a/Annual_Report%202025.pdf?v=2#p", "Annual Report 2025"),
        ("https://example.org/%00%0A.pdf", ""),
        ("https://example.org", ""),
        ("https://[bad", ""),
        ("s3://bucket/key.md", "key"),
        ("Minutes 3.2", "Minutes 3"),
        ("Rapport\u00a0final.txt", "Rapport final"),
        ("Shot at 6.03.21\u202fPM.png", "Shot at 6.03.21 PM"),
        ("Norden-Group-Annual-Report-2022.pdf", "Norden-Group-Annual-Report-2022"),
        ("annual-report-2022-final-version-q3.pdf", "annual-report-2022-final-version-q3"),
        ("dQw4w9WgXcQ-abc-def-9921kkq1l.pdf", ""),  # an identifier
        ("IMG-20240511-WA0004-20240512-1.jpg", ""),
        ("2019.txt", "2019"),
        ("reports/2019-2020.pdf", "2019-2020"),
        ("20190314101500.pdf", ""),
        ("0042.pdf", ""),
    ],
)
def test_a_document_without_a_title_is_called_what_its_source_is(source: str, name: str) -> None:
    assert name_of(source) == name
