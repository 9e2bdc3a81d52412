"""Near-duplicates that crowd a leg are folded, and what they hid is read."""

from pulsedocs.model.likeness import MOST_ALIKE
from pulsedocs.model.retrieval import Leg
from pulsedocs.retrieval.legs import ByLeg, Found
from pulsedocs.retrieval.near_duplicates import past_copies
from tests.unit.retrieval.rows import row

NOTICE = "The pump is stopped at once when the red lamp is lit"
LIMITS = dict.fromkeys(Leg, 10)


class Deeper:
    """A leg that has more rows than were asked for, and counts how often it is asked."""

    def __init__(self, *rows: Found) -> None:
        self._rows = rows
        self.asked: list[int] = []

    def __call__(self, legs: frozenset[Leg], times: int) -> ByLeg:
        self.asked.append(times)
        return dict.fromkeys(legs, self._rows[: 10 * times])


def copies(most: int, *, text: str = NOTICE) -> list[Found]:
    return [row(number, text=text.format(number)) for number in range(1, most + 1)]


def test_what_copies_hid_comes_up_and_each_leg_is_ranked_anew() -> None:
    deeper = Deeper(*copies(30), *(row(number) for number in range(31, 41)))

    found, folded = past_copies({Leg.VECTOR: copies(10)}, LIMITS, deeper)

    assert [each.rank for each in found[Leg.VECTOR]] == list(range(1, 11))
    assert [each.chunk_id.int for each in found[Leg.VECTOR]] == [1, *range(31, 40)]
    assert folded == 29
    assert deeper.asked == [4]


def test_of_texts_that_differ_in_figures_alone_the_first_five_stay() -> None:
    numbered = copies(30, text=NOTICE + " by rule {}")
    deeper = Deeper(*numbered, *(row(number) for number in range(31, 41)))

    found, folded = past_copies({Leg.VECTOR: numbered[:10]}, LIMITS, deeper)

    assert [each.chunk_id.int for each in found[Leg.VECTOR][:6]] == [1, 2, 3, 4, 5, 31]
    assert folded == 30 - MOST_ALIKE


def test_one_chunk_stands_for_its_text_in_every_leg() -> None:
    others = [row(number) for number in range(31, 41)]
    words = [row(50, rank=1, score=9.0, text=NOTICE)]

    found, _ = past_copies(
        {Leg.VECTOR: copies(10), Leg.KEYWORD: words}, LIMITS, Deeper(*copies(30), *others)
    )

    [own] = found[Leg.KEYWORD]
    assert (own.chunk_id.int, own.score) == (1, 9.0)


def test_where_nothing_else_comes_up_every_copy_stays() -> None:
    deeper = Deeper(*copies(30))

    found, folded = past_copies({Leg.VECTOR: copies(10)}, LIMITS, deeper)

    assert found == {Leg.VECTOR: copies(10)}
    assert folded == 0


def test_different_passages_are_read_once() -> None:
    deeper = Deeper()
    plain = {Leg.VECTOR: [row(number) for number in range(1, 11)]}

    assert past_copies(plain, LIMITS, deeper) == (plain, 0)
    assert deeper.asked == []


def test_a_leg_that_fails_to_read_deeper_keeps_what_it_had() -> None:
    found, folded = past_copies({Leg.VECTOR: copies(10)}, LIMITS, lambda _legs, _times: {})

    assert (found, folded) == ({Leg.VECTOR: copies(10)}, 0)
