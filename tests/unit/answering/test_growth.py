"""What reads questions, pages and replies takes time in proportion to them."""

from collections.abc import Callable

import pytest

from pulsedocs.answering.arriving import ArrivingAnswer
from pulsedocs.answering.asked.things.measures import measures_otherwise
from pulsedocs.answering.claims import claims_of
from pulsedocs.answering.reading import reading_of
from pulsedocs.answering.sentences import before_final_stop
from tests.unit.growth import growth


def no_address(_address: str) -> bool:
    return False


def arrived(text: str) -> object:
    return ArrivingAnswer(is_known_address=no_address).add(text)


READERS: dict[str, tuple[Callable[[str], object], str, int]] = {
    "a reply of dots": (lambda text: claims_of(text, is_known_address=no_address), ".", 5_000),
    "a reply of dots as it arrives": (arrived, ".", 5_000),
    "dots before a word": (lambda text: before_final_stop(f"{text}a"), ".", 5_000),
    "a length of digits": (
        lambda text: measures_otherwise("How wide is the bed?", f"How long: {text}"),
        "1",
        5_000,
    ),
    "questions for more": (reading_of, "what more ", 100),
}


@pytest.mark.parametrize("name", READERS)
def test_the_time_that_a_text_takes_grows_no_faster_than_it(name: str) -> None:
    read, repeated, length = READERS[name]

    assert growth(lambda times: read(repeated * times), length=length) < 10
