"""What several legs found is one list of candidates, each of them once."""

from uuid import UUID

from pulsedocs.model.retrieval import MOST_CANDIDATES, Leg, LegHit
from pulsedocs.retrieval.legs import one_ranking, union
from tests.unit.retrieval.rows import row


def test_a_chunk_that_two_legs_found_is_one_candidate_at_its_best_rank() -> None:
    found = {Leg.VECTOR: [row(1), row(2)], Leg.KEYWORD: [row(2, rank=1, score=9.0), row(3, rank=2)]}

    candidates = union(found)

    assert [one.chunk_id.int for one in candidates] == [1, 2, 3]
    assert candidates[1].legs == {Leg.VECTOR: LegHit(2, 0.5), Leg.KEYWORD: LegHit(1, 9.0)}


def test_the_worst_ranks_beyond_the_most_are_cut() -> None:
    rows = [row(number) for number in range(1, MOST_CANDIDATES + 11)]

    candidates = union({Leg.VECTOR: rows[::-1]})

    assert [one.chunk_id.int for one in candidates] == list(range(1, MOST_CANDIDATES + 1))


def test_a_chunk_over_several_pages_has_all_of_them() -> None:
    spans = [[3, 0, 5], [4, 0, 9], [5, 0, 2]]

    [candidate] = union({Leg.VECTOR: [row(1, page_start=3, page_end=5, spans=spans)]})

    assert candidate.pages == (3, 4, 5)
    assert candidate.spans == ((3, 0, 5), (4, 0, 9), (5, 0, 2))


def test_rankings_of_several_languages_become_one() -> None:
    english, german = [row(1, rank=1), row(2, rank=2)], [row(3, rank=1)]

    ranking = one_ranking([english, german])

    assert [(one.chunk_id, one.rank) for one in ranking] == [
        (UUID(int=1), 1),
        (UUID(int=3), 2),
        (UUID(int=2), 3),
    ]
    assert ranking[0].score == ranking[1].score == 1 / 61


def test_the_ranking_of_one_language_keeps_its_scores() -> None:
    assert one_ranking([[row(1, score=7.5)]]) == [row(1, score=7.5)]
