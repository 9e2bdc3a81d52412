"""Shingles recognise a text that was copied, cleaned or quoted, and say nothing of it."""

import json

from hypothesis import given
from hypothesis import strategies as st

from pulsedocs.model.shingles import (
    SAMPLE_SIZE,
    Matcher,
    Sample,
    distinctive,
    key_of,
    normalised,
    shingles_of,
    texts_in,
)

KEY = key_of(b"of a test")
TEXT = (
    "The gauge of the northern station is read at noon and logged by the duty engineer, who"
    " reports every reading above the mark before the shift ends."
)
words = st.lists(st.text("abcdefgh", min_size=1, max_size=6), min_size=8, max_size=80)


def test_case_punctuation_line_breaks_and_width_make_no_difference() -> None:
    copy = TEXT.upper().replace(", ", " --\n").replace("NOON", "\uff2e\uff2f\uff2f\uff2e")

    assert list(shingles_of(copy)) == list(shingles_of(TEXT))


def test_a_text_below_eight_words_has_no_shingle() -> None:
    assert list(shingles_of("one two three four five six seven")) == []
    assert normalised("one two three four five six seven") is None
    assert normalised("One, two three four five six seven EIGHT") is not None


@given(words, words, words)
def test_a_sample_is_found_in_whatever_holds_its_text(
    before: list[str], text: list[str], after: list[str]
) -> None:
    sample = Sample.of(shingles_of(" ".join(text)), key=KEY)

    found = Matcher([sample]).found_in(" ".join([*before, *text, *after]))

    assert found == sample.hashes


@given(words)
def test_a_sample_survives_its_json_and_shows_no_word(text: list[str]) -> None:
    sample = Sample.of(shingles_of(" ".join(["zzyzx", *text])), key=KEY)

    stored = json.dumps(sample.to_json())

    assert Sample.from_json(json.loads(stored)) == sample
    assert "zzyzx" not in stored


@given(words, words, words, words)
def test_a_text_is_read_alike_with_and_without_sums(
    before: list[str], text: list[str], other: list[str], after: list[str]
) -> None:
    """A receipt of the version before has no sums; both kinds may be looked for at once."""
    sample = Sample.of(shingles_of(" ".join(text)), key=KEY)
    older = Sample(key_of(b"older"), Sample.of(shingles_of(" ".join(other)), key=KEY).hashes)
    said = " ".join([*before, *text[: len(text) // 2], *after])

    found = Matcher([sample]).found_in(said)

    assert found == {digest for digest in sample.hashes if digest in all_hashes(said)}
    assert Matcher([Sample(KEY, sample.hashes)]).found_in(said) == found
    assert Matcher([sample, older]).found_in(said) == found


def all_hashes(text: str) -> frozenset[bytes]:
    return Sample.of(shingles_of(text), key=KEY).hashes


def test_an_older_receipt_is_understood() -> None:
    stored = Sample.of(shingles_of(TEXT), key=KEY).to_json()
    del stored["sums"]

    assert Matcher([Sample.from_json(stored)]).found_in(TEXT) == all_hashes(TEXT)


def test_samples_under_different_keys_are_told_apart() -> None:
    mine, theirs = (Sample.of(shingles_of(TEXT), key=key_of(k)) for k in (b"1", b"2"))

    assert not mine.hashes & theirs.hashes
    assert Matcher([mine, theirs]).found_in(TEXT) == mine.hashes | theirs.hashes


def test_what_is_repeated_and_what_says_nothing_is_not_sampled() -> None:
    header = "Annual report of the harbour authority for the members of its board"
    pages = [f"{header}\n\n{' '.join(f'{w}{n}' for w in TEXT.split())}" for n in "abc"]

    chosen = distinctive([*pages, "1 2 3 4 5 6 7 8 9 10 11 12", ". . . . . . . . . ."])

    assert chosen
    assert not set(chosen) & set(shingles_of(header))
    assert all(any(letter.isalpha() for letter in each) for each in chosen)


def test_a_long_text_is_sampled_from_end_to_end() -> None:
    pages = [
        " ".join(f"{letter}{word}{page}" for word in "abcdefghijklmnop" for letter in "xyz")
        for page in range(100)
    ]

    chosen = distinctive(pages)

    assert len(chosen) == SAMPLE_SIZE
    assert any(each.endswith("0") for each in chosen[:2])
    assert any(each.endswith(("98", "99")) for each in chosen[-2:])


def test_words_are_found_in_keys_values_and_lists_of_words() -> None:
    sample = Sample.of(shingles_of(TEXT), key=KEY)
    matcher = Matcher([sample])

    for holder in ({TEXT: 1}, {"a": [1, {"b": TEXT}]}, {"words": TEXT.split()}, [[TEXT], None]):
        found = frozenset[bytes]().union(*map(matcher.found_in, texts_in(holder)))

        assert found == sample.hashes, holder
