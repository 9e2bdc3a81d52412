"""Markers are numbered as a reader meets them, and each leads to its file and pages."""

from uuid import UUID

from pulsedocs.answering.references import (
    Numbering,
    citations_of,
    references_of,
    references_section,
)
from pulsedocs.model.answers import Citation, CitationStatus


def citation(n: int, *, page: int = 1, source: str = "lease.pdf", marker: int = 0) -> Citation:
    return Citation(
        n=n,
        markers=(marker,),
        document_id=UUID(int=n),
        version=1,
        source=source,
        title=None,
        page=page,
        page_label=None,
        quote="due",
        start=0,
        end=3,
        status=CitationStatus.FOUND,
    )


def test_the_first_source_named_is_number_one() -> None:
    """S2-10."""
    numbering = Numbering()

    first, [seven, two] = numbering.applied("Due [7] [2].", [citation(7), citation(2)])
    second, [again] = numbering.applied("Paid [2].", [citation(2)])

    assert (first, second) == ("Due [1] [2].", "Paid [2].")
    assert (seven.n, two.n, again.n) == (1, 2, 2)
    assert seven.document_id == UUID(int=7)


def test_words_that_several_parts_cite_are_one_citation_at_all_their_markers() -> None:
    parts = [
        ("Due [7] [2].", [citation(7, page=3), citation(2, marker=1)]),
        ("Paid [7].", [citation(7, page=3), citation(7, page=4)]),
    ]

    cited = citations_of(parts)

    assert [(each.n, each.page, each.markers) for each in cited] == [
        (7, 3, (0, 2)),
        (2, 1, (1,)),
        (7, 4, (2,)),
    ]


def test_a_reference_lists_each_page_once_in_order() -> None:
    """S2-10."""
    cited = [citation(2), citation(1, page=9), citation(1, page=3), citation(1, page=9)]

    references = references_of(cited)

    assert [(each.n, each.pages) for each in references] == [(1, (3, 9)), (2, (1,))]
    assert references_section(references) == (
        "References\n[1] lease.pdf, pp. 3, 9\n[2] lease.pdf, p. 1"
    )


def test_a_file_name_cannot_forge_a_reference() -> None:
    named = references_of([citation(1, source="a\n[2] b.pdf <i>\u202e")])

    assert references_section(named) == "References\n[1] a (2) b.pdf (i), p. 1"


def test_an_answer_without_citations_has_no_references() -> None:
    assert references_of([]) == ()
