"""What a search shows of a passage."""

import pytest

from pulsedocs_cli.asking import excerpt

CHAPTER = (
    "The kettle has a base, a lid and a filter. " * 6
    + "Descaling: pour vinegar into the kettle and let it stand for an hour. "
    + "The guarantee is two years. " * 6
)


@pytest.mark.parametrize("query", ["descale", "How do I descale the kettle?", "DESCALING vinegar"])
def test_the_part_with_the_words_of_the_query_is_shown(query: str) -> None:
    shown = excerpt(CHAPTER, query)

    assert "Descaling: pour vinegar into the kettle" in shown
    assert shown.startswith("…")
    assert shown.endswith("…")
    assert len(shown) <= 162


def test_without_any_of_them_it_is_the_beginning() -> None:
    assert excerpt(CHAPTER, "telephone").startswith("The kettle has a base")


@pytest.mark.parametrize("end", ["", " 的"])
def test_a_text_without_spaces_is_cut_where_it_must_be(end: str) -> None:
    """Failed when no space followed, and showed what follows one that was far behind the word."""
    shown = excerpt("中" * 80 + "。保证金。" + "中" * 200 + end, "保证金")

    assert shown.startswith("…中")
    assert "。保证金。" in shown
    assert len(shown) <= 162


def test_a_short_passage_is_shown_whole_in_one_line() -> None:
    assert excerpt("Descaling:\n  pour vinegar.", "lid") == "Descaling: pour vinegar."
