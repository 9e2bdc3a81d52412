"""Under which headings words stand, in a passage that holds more than one section."""

from dataclasses import replace

import pytest

from pulsedocs.answering.around.lists import announces
from pulsedocs.answering.governing import in_context
from pulsedocs.answering.passages import Block, PageText, Words, spans_of
from pulsedocs.model.pages import Heading
from tests.unit.answering.blocks import block

TEXT = "Bicycles\nThey stand in the shed.\nDogs\nThe fee is 5 euros.\nBig ones\nThe fee is 9 euros."
HEADINGS = (Heading(2, "Bicycles", 0), Heading(2, "Dogs", 33), Heading(3, "Big ones", 58))


def passage(*section: str, headings: tuple[Heading, ...] = HEADINGS) -> Block:
    one = replace(block(text=TEXT, page=2), section=section)
    return replace(one, pages=tuple(replace(page, headings=headings) for page in one.pages))


def words_of(one: Block, text: str) -> Words:
    start = TEXT.index(text)
    return Words(one, one.pages[0], start, start + len(text))


@pytest.mark.parametrize(
    ("text", "section"),
    [
        ("They stand in the shed.", ("House rules", "Bicycles")),
        ("The fee is 5 euros.", ("House rules", "Dogs")),
        ("The fee is 9 euros.", ("House rules", "Dogs", "Big ones")),
    ],
)
def test_words_stand_under_the_headings_before_them(text: str, section: tuple[str, ...]) -> None:
    assert words_of(passage("House rules", "Bicycles"), text).section == section


def test_where_the_page_has_no_heading_before_them_the_passage_knows() -> None:
    words = words_of(passage("Bicycles", headings=()), "The fee is 5 euros.")

    assert words.section == ("Bicycles",)


def test_what_is_said_of_dogs_is_not_said_of_bicycles() -> None:
    words = words_of(passage("House rules", "Bicycles"), "The fee is 5 euros.")

    found = in_context(words, None, question="What is the fee for bicycles?")

    assert "Dogs" in found.governing
    assert "Bicycles" not in found.governing


@pytest.mark.parametrize(
    ("text", "title"),
    [
        (
            "Enter:\n# lockctl reload <gate>\n5.11. Reading cards\nCards are read.",
            "5.11. Reading cards",
        ),
        ("It swings. 1\n6.2 Value of the spring\nIt is strong.", "Value of the spring"),
        (
            "The lock holds.\nThe eastern gate of\nthe park\nlockctl opens it.",
            "The eastern gate of the park",
        ),
    ],
)
def test_no_sentence_crosses_the_lines_of_a_heading(text: str, title: str) -> None:
    start = text.replace("\n", " ").index(title)
    page = PageText(1, text, headings=(Heading(2, title, start),))

    sentences = [" ".join(text[one.start : one.end].split()) for one in spans_of(page)]

    assert any(one.endswith(title) and len(one) <= len(title) + len("6.2 ") for one in sentences)


def test_a_heading_ends_its_line_though_its_bookmark_has_other_signs() -> None:
    text = "2.1 La roue de l\u2019atelier\nElle tourne."
    page = PageText(1, text, headings=(Heading(2, "La roue de l'atelier", 0),))

    sentences = [text[one.start : one.end] for one in spans_of(page)]

    assert sentences == ["2.1 La roue de l\u2019atelier", "Elle tourne."]


@pytest.mark.parametrize(
    ("text", "is_lead"),
    [
        ("The chest holds these things.", True),
        ("Open it in these steps.", True),
        ("Do the following.", True),
        ("At night these hours cost half.", False),
    ],
)
def test_these_announce_a_list_at_the_end_of_a_sentence(text: str, *, is_lead: bool) -> None:
    assert announces(text) is is_lead
