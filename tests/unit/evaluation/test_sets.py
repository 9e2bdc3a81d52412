"""The project's own sets ask what they say they ask, the same on every run."""

from collections import Counter
from difflib import SequenceMatcher
from pathlib import Path

import pytest

from evaluation import sets
from evaluation.datasets import folders_in
from evaluation.outsiders import SETS, outsiders
from evaluation.reports import reports
from pulsedocs.retrieval.quality import normalised


def test_every_label_stands_in_its_document() -> None:
    for dataset in (
        *(sets.near_misses(), sets.own_words(), sets.languages(), sets.long_chunks()),
        *(*sets.dates(), *sets.rules()),
    ):
        texts = {one.source: one.pages[0].text for one in dataset.documents}
        assert 20 <= len(dataset.questions) <= 120
        for question in dataset.questions:
            for place in question.expected:
                assert normalised(place.quote or "") in normalised(texts[place.source])


@pytest.mark.parametrize("name", SETS)
def test_outsiders_ask_of_pages_that_are_there(name: str) -> None:
    dataset = outsiders(name)
    pages = {one.source: one.pages for one in dataset.documents}

    assert 100 <= len(dataset.questions) <= 250
    assert sum(not one.answerable for one in dataset.questions) >= 30
    for question in dataset.questions:
        assert question.answerable == bool(question.expected)
        for place in question.expected:
            assert 1 <= (place.page or 0) <= len(pages[place.source])
            assert (place.quote or "") in pages[place.source][(place.page or 0) - 1].text


def test_each_fact_has_its_near_miss_and_each_language_its_questions() -> None:
    near, own, crossed = sets.near_misses(), sets.own_words(), sets.languages()

    assert Counter(one.answerable for one in near.questions) == {True: 16, False: 16}
    assert Counter(one.answerable for one in own.questions) == {True: 53, False: 53}
    assert Counter(one.answerable for one in crossed.questions) == {True: 96, False: 24}


def test_long_texts_are_longer_than_a_model_reads() -> None:
    for document in sets.long_chunks().documents:
        assert len(document.pages[0].text.split()) >= 900


def test_either_order_of_upload_is_measured() -> None:
    last, first = sets.dates()

    assert last.documents == first.documents[::-1]
    assert last.fingerprint != first.fingerprint


def test_typing_errors_are_as_many_as_asked_and_the_same_again() -> None:
    plain = sets.near_misses()
    once, twice = sets.misspelt(plain, 1), sets.misspelt(plain, 2)

    assert once == sets.misspelt(plain, 1)
    for edits, dataset in ((1, once), (2, twice)):
        for before, after in zip(plain.questions, dataset.questions, strict=True):
            pairs = zip(before.text.split(), after.text.split(), strict=True)
            changed = [pair for pair in pairs if pair[0] != pair[1]]
            assert len(changed) <= edits
            for old, new in changed:
                assert SequenceMatcher(None, old, new).ratio() > 0.5


def test_a_folder_is_a_data_set_or_holds_some(tmp_path: Path) -> None:
    for name in ("manuals", "abstracts", "letters"):
        (tmp_path / name).mkdir()
    (tmp_path / "manuals" / "questions.jsonl").touch()
    (tmp_path / "abstracts" / "corpus.jsonl").touch()

    assert folders_in(tmp_path) == [tmp_path / "abstracts", tmp_path / "manuals"]
    assert folders_in(tmp_path / "manuals") == [tmp_path / "manuals"]


def test_reports_are_alike_but_for_names_and_figures() -> None:
    asked = reports()
    first, second = (
        {page.number: page.text for page in document.pages} for document in asked.documents[:2]
    )

    assert asked == reports()
    assert (len(asked.documents), len(asked.questions)) == (15, 54)
    assert first.keys() == second.keys() == set(range(1, 20))
    assert first[13] != second[13]  # each year has its own statement of income
    assert "{" not in "".join(first.values())
    assert "Halvorsen" not in first[17]  # "we acquired": whose report it is stands elsewhere
    for question in asked.questions:
        assert all(place.page in first for place in question.expected)
