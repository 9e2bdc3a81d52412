"""Cleaning gives readable text and still knows where each character of it stood."""

import subprocess
import sys
import unicodedata
from dataclasses import asdict
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from local.samples import HANDBOOK, QUESTIONS, write_samples
from pulsedocs.cleaning import clean
from pulsedocs.extraction import Budgets
from pulsedocs.extraction.pdf import read_pdf
from pulsedocs.model.pages import CleanedPage, Heading, Page, PageOutcome

GOLDEN = Path(__file__).parent / "golden"
CASES = sorted(path.name.removesuffix(".raw.txt") for path in GOLDEN.glob("*.raw.txt"))

# Letters, marks that compose, Hangul that composes, what is invisible, ligatures, breaks.
COMPOSING = "e\u0301\u0323é\u1100\u1161\u11a8\ufb01\ufb03"
TRICKY = COMPOSING + "aB-7 \n\t\r\x0b\x00\u00ad\u200b\u202e\ufeff\u00a0\u2010"
texts = st.text(st.one_of(st.sampled_from(TRICKY), st.characters()), max_size=60)
lines = st.sampled_from(
    ["Header", "Page 1", "Page 2", "Page 3", "one-\ntwo", "text", "", "7", "12"]
)
documents = st.lists(st.one_of(texts, st.lists(lines, max_size=6).map("\n".join)), max_size=7).map(
    lambda raw: pages_of(*raw)
)


def pages_of(*raw: str, labels: dict[int, str] | None = None) -> list[Page]:
    return [
        Page(number, text, PageOutcome.TEXT, "test", label=(labels or {}).get(number))
        for number, text in enumerate(raw, start=1)
    ]


def again(cleaned: list[CleanedPage]) -> list[CleanedPage]:
    return clean(
        [
            Page(page.number, page.text, PageOutcome.TEXT, "test", page.label, page.headings)
            for page in cleaned
        ]
    )


@given(documents)
def test_every_mapped_character_derives_from_the_raw_one_at_its_offset(
    pages: list[Page],
) -> None:
    """S2-03: a citation of cleaned text points at the right raw characters."""
    for page, cleaned in zip(pages, clean(pages), strict=True):
        offsets = cleaned.offsets
        assert sum(offsets.lengths) == len(cleaned.text)
        for start, raw, length in zip(offsets.cleaned, offsets.raw, offsets.lengths, strict=True):
            for step in range(length):
                assert derives(cleaned.text[start + step], page.text[raw + step :])
                at = start + step
                assert offsets.raw_ranges(at, at + 1) == ((raw + step, raw + step + 1),)


def derives(character: str, raw: str) -> bool:
    """Say whether cleaning can make `character` of what begins a raw text."""
    if character == raw[0]:
        return True
    if character in " \n":
        return raw[0].isspace() or raw[0] == "\u00ad"
    return (
        character in unicodedata.normalize("NFKC", raw[:30])
        or any(character in unicodedata.normalize("NFC", raw[:end]) for end in range(1, 31))
        or unicodedata.combining(character) > 0
    )


@given(documents)
def test_cleaning_what_is_clean_changes_nothing(pages: list[Page]) -> None:
    once = clean(pages)

    assert [page.text for page in again(once)] == [page.text for page in once]


@given(documents)
def test_clean_text_can_be_stored_and_seen(pages: list[Page]) -> None:
    for page in clean(pages):
        assert unicodedata.is_normalized("NFC", page.text)
        assert page.text == page.text.strip()
        assert "  " not in page.text
        assert not any(
            unicodedata.category(character) == "Cs"
            or (unicodedata.category(character) == "Cc" and character != "\n")
            for character in page.text
        )


@given(st.lists(st.integers(0, 40), max_size=5), texts)
def test_headings_stay_within_their_page_and_in_order(starts: list[int], text: str) -> None:
    headings = tuple(Heading(1, "T", min(start, len(text))) for start in sorted(starts))

    [page] = clean([Page(1, text, PageOutcome.TEXT, "test", headings=headings)])

    places = [heading.start for heading in page.headings]
    assert places == sorted(places)
    assert all(0 <= place <= len(page.text) for place in places)


@pytest.mark.parametrize("case", CASES)
def test_golden_files(case: str) -> None:
    """Pages are divided by a line of `=====`; a changed expectation needs a new revision."""
    raw = (GOLDEN / f"{case}.raw.txt").read_text(encoding="utf-8").split("\n=====\n")
    expected = (GOLDEN / f"{case}.clean.txt").read_text(encoding="utf-8").rstrip("\n")

    assert "\n=====\n".join(page.text for page in clean(pages_of(*raw))) == expected


def test_another_process_gives_the_same_bytes() -> None:
    """S0-06: cleaning is pure; hash seeds and processes make no difference."""
    raw = (GOLDEN / "handbook.raw.txt").read_text(encoding="utf-8").split("\n=====\n")
    here = repr([asdict(page) for page in clean(pages_of(*raw))])
    code = (
        "import sys, dataclasses\n"
        "from pulsedocs.cleaning import clean\n"
        "from pulsedocs.model.pages import Page, PageOutcome\n"
        "raw = sys.stdin.buffer.read().decode().split('\\n=====\\n')\n"
        "pages = [Page(n, t, PageOutcome.TEXT, 'test') for n, t in enumerate(raw, 1)]\n"
        "print(repr([dataclasses.asdict(page) for page in clean(pages)]))"
    )
    root = str(Path(clean.__code__.co_filename).parents[2])
    for seed in ("1", "2"):
        there = subprocess.run(
            [sys.executable, "-c", code],
            input="\n=====\n".join(raw).encode(),
            env={"PYTHONPATH": root, "PYTHONHASHSEED": seed, "PYTHONIOENCODING": "utf-8"},
            capture_output=True,
            check=True,
        )
        assert there.stdout.decode().strip() == here


def test_the_sample_handbook_loses_its_furniture_and_nothing_else(tmp_path: Path) -> None:
    write_samples(tmp_path)
    pages = list(read_pdf((tmp_path / HANDBOOK).read_bytes(), budgets=Budgets()))

    cleaned = clean(pages)
    text = " ".join(" ".join(page.text for page in cleaned).split())

    assert not any("Operator's Handbook" in page.text for page in cleaned)
    assert not any("issue 7, January" in page.text for page in cleaned)
    for question in QUESTIONS:
        assert all(words in text for words in question.says)
    for page in cleaned:
        for heading in page.headings:
            words = page.text[heading.start :].replace("\n", " ")
            assert words.startswith(heading.title)


def test_a_word_keeps_the_hyphen_it_has_elsewhere() -> None:
    [first, second] = clean(pages_of("a well-\nknown cali-\nbration", "it is well-known"))

    assert first.text == "a well-known calibration"
    assert second.text == "it is well-known"


def test_rows_of_figures_are_no_page_numbers() -> None:
    pages = pages_of(
        *(f"Total {17 * page} of {page * page}\ntext {page * page}" for page in range(1, 6))
    )

    assert [page.text for page in clean(pages)] == [page.text for page in pages]


def test_pages_that_are_all_alike_are_kept() -> None:
    form = "\n".join(f"field {letter}" for letter in "abcdefgh")

    assert [page.text for page in clean(pages_of(form, form, form, form))] == [form] * 4


def test_a_printed_label_counts_as_the_page_number() -> None:
    labels = {1: "i", 2: "ii", 3: "iii", 4: "1"}
    pages = pages_of(*(f"text {n * n}\nPage {labels[n]}" for n in labels), labels=labels)

    assert [page.text for page in clean(pages)] == [f"text {n * n}" for n in labels]


def test_an_empty_document_and_empty_pages_are_fine() -> None:
    assert clean([]) == []
    assert [page.text for page in clean(pages_of("", " \n", ""))] == ["", "", ""]
