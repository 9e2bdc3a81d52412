"""An answer is printed so that each number stands once, before its first quote."""

from typing import Any

from pulsedocs.client.reading import answer_lines


def citation(n: int, page: int, quote: str, source: str = "lease.pdf") -> dict[str, Any]:
    return {"n": n, "source": source, "page": page, "quote": quote}


def answer(**fields: Any) -> dict[str, Any]:
    return {
        "answer": "1,250 euros [1][2].",
        "abstained": None,
        "citations": [],
        "degraded": [],
        "trace_id": "01J",
        **fields,
    }


def test_quotes_of_one_number_stand_together_below_it() -> None:
    quotes = [citation(1, 3, "one"), citation(2, 8, "two"), citation(1, 3, "more")]

    assert list(answer_lines(answer(citations=quotes))) == [
        "1,250 euros [1][2].",
        "  [1] lease.pdf, page 3: “one”",
        "      and “more”",
        "  [2] lease.pdf, page 8: “two”",
        "  trace 01J",
    ]


def test_a_quote_of_another_page_says_so() -> None:
    quotes = [citation(1, 3, "one"), citation(1, 4, "more"), citation(1, 3, "most")]

    assert list(answer_lines(answer(citations=quotes)))[2:4] == [
        "      and “most”",
        "      and lease.pdf, page 4: “more”",
    ]


def test_an_abstention_says_why() -> None:
    abstained = {"reason": "BELOW_THRESHOLD", "message": "…", "detail": "nothing passed the gate"}

    lines = list(answer_lines(answer(answer="Not in the documents.", abstained=abstained)))

    assert lines == [
        "Not in the documents.",
        "  No passage was close enough to the question. (BELOW_THRESHOLD: nothing passed the gate)",
        "  trace 01J",
    ]


def test_what_is_left_to_the_reader_is_said_in_words_and_without_its_code() -> None:
    note = {"kind": "yes_no", "message": "Whether they mean yes or no has to be read from them."}

    assert list(answer_lines(answer(note=note)))[1:] == [
        "  Whether they mean yes or no has to be read from them.",
        "  trace 01J",
    ]


def test_an_answer_with_less_says_what_failed() -> None:
    assert list(answer_lines(answer(degraded=["reranking"])))[1:] == [
        "  answered with less: reranking",
        "  trace 01J",
    ]


def test_no_trace_is_named_that_was_not_kept() -> None:
    """`pulsedocs why` would find nothing by it."""
    assert list(answer_lines(answer(degraded=["trace"])))[1:] == ["  answered with less: trace"]
