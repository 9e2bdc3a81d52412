"""The page that a passage over several is named by."""

from dataclasses import replace
from datetime import UTC, datetime
from uuid import UUID

import pytest

from pulsedocs.model.retrieval import Candidate, Leg, LegHit
from pulsedocs.retrieval.pages import with_pages_by_words

PARTS = (
    "the rest of what was said of the oil, the filter and the oil lamp.",
    "Bleeding the brakes: open the valve by half a turn.",
    "Afterwards drive slowly.",
)


def passage(*parts: str, number: int = 1, first: int = 7) -> Candidate:
    """Return a passage whose parts lie each on a page of its own, some way down."""
    return Candidate(
        chunk_id=UUID(int=number),
        document_id=UUID(int=9),
        version=1,
        chunk_index=number,
        source="car.pdf",
        title=None,
        text="\n".join(parts),
        pages=tuple(range(first, first + len(parts))),
        section=(),
        tokens=20,
        dated_at=datetime(2026, 1, 1, tzinfo=UTC),
        legs={Leg.KEYWORD: LegHit(1, 1.0)},
        similarity=None,
        spans=tuple((first + at, 100, 100 + len(part)) for at, part in enumerate(parts)),
    )


@pytest.mark.parametrize(
    ("question", "pages"),
    [
        ("How do I bleed the brakes?", (8, 7, 9)),
        ("Which filter is for oil?", (7, 8, 9)),
        ("How fast do I drive?", (9, 7, 8)),
        ("Wie entl\u00fcfte ich?", (7, 8, 9)),
    ],
)
def test_the_page_of_the_words_comes_first(question: str, pages: tuple[int, ...]) -> None:
    [found] = with_pages_by_words([passage(*PARTS)], question)

    assert found.pages == pages


def test_a_rare_word_counts_more_than_many_common_ones() -> None:
    common = [passage("the oil of the car", number=n) for n in range(2, 9)]
    asked = passage("the oil of the car", "its torque")

    found = with_pages_by_words([asked, *common], "oil of the car: torque?")

    assert found[0].pages == (8, 7)


def test_a_passage_whose_parts_are_not_known_keeps_its_order() -> None:
    [found] = with_pages_by_words([replace(passage(*PARTS), spans=())], "How do I bleed brakes?")

    assert found.pages == (7, 8, 9)
