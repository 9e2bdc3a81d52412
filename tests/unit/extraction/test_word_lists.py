"""Numbers of Word's paragraphs, which it counts by itself, and headings by their outline."""

import pytest

from pulsedocs.extraction.counting import written
from tests.unit.extraction.office_files import (
    BULLETS,
    KEEPING_SPACES,
    docx_of,
    list_item,
    list_pattern,
    pages_of,
    paragraph,
)


def test_items_of_word_have_the_numbers_that_word_shows() -> None:
    """A list goes on behind a paragraph that is none of it, and begins again where it says so."""
    body = (
        list_item("Open the valve.", 0)
        + list_item("Wait.", 0)
        + paragraph("Caution: hot.")
        + list_item("Gone.", 0, more="<w:rPr><w:del/></w:rPr>").replace("w:t>", "w:delText>")
        + list_item("Close the valve.", 0)
        + list_item("Once more.", 0, num=10)
    )

    [page] = pages_of(docx_of(body, numbering=list_pattern(1, ("decimal", "%1."))), "a.docx")

    assert page.text == (
        "1. Open the valve.\n2. Wait.\n\nCaution: hot.\n\n3. Close the valve.\n1. Once more."
    )


def test_a_number_of_word_stands_before_all_that_a_deleted_end_joins() -> None:
    gone = list_item("gone ", 0, more="<w:rPr><w:del/></w:rPr>").replace("<w:t>", KEEPING_SPACES)
    body = list_item("a", 0) + gone + list_item("b", 0)

    [page] = pages_of(docx_of(body, numbering=list_pattern(1, ("decimal", "%1."))), "a.docx")

    assert page.text == "1. a\n2. gone b"


def test_the_numbers_of_rows_are_read_though_their_cells_are_empty() -> None:
    empty = list_item("", 0).replace("<w:r><w:t></w:t></w:r>", "")
    row = f"<w:tr><w:tc>{empty}</w:tc><w:tc>{paragraph('Rope')}</w:tc></w:tr>"

    [page] = pages_of(
        docx_of(f"<w:tbl>{row * 2}</w:tbl>", numbering=list_pattern(1, ("decimal", "%1."))),
        "a.docx",
    )

    assert page.text == "1. | Rope\n2. | Rope"


def test_levels_of_word_are_written_by_their_patterns_and_indented() -> None:
    numbering = list_pattern(
        1, ("decimal", "\u00a7 %1"), ("lowerLetter", "(%2)"), ("upperRoman", "%1.%3")
    )
    items = (("Term", 0), ("short", 1), ("long", 1), ("very long", 2), ("End", 0), ("now", 1))
    body = "".join(list_item(text, level) for text, level in items)
    cell = f"<w:tbl><w:tr><w:tc>{list_item('Fee', 0)}</w:tc></w:tr></w:tbl>"

    [page] = pages_of(docx_of(body + cell, numbering=numbering), "a.docx")

    assert page.text == (
        "\u00a7 1 Term\n  (a) short\n  (b) long\n    1.I very long\n\u00a7 2 End\n  (a) now"
        "\n\n\u00a7 3 Fee"
    )


def test_headings_are_numbered_by_their_styles() -> None:
    """The list is named by the first style, the level by the pattern or by the style itself."""
    styles = "".join(
        f'<w:style w:type="paragraph" w:styleId="H{level}"><w:name w:val="heading {level}"/>{says}'
        "</w:style>"
        for level, says in (
            (1, '<w:pPr><w:numPr><w:numId w:val="1"/></w:numPr></w:pPr>'),
            (2, '<w:basedOn w:val="H1"/><w:pPr><w:numPr><w:ilvl w:val="1"/></w:numPr></w:pPr>'),
        )
    )
    numbering = list_pattern(1, ("decimal", "%1"), ("decimal", "%1.%2"))
    headings = (("Scope", "H1"), ("Fees", "H2"), ("Dates", "H2"), ("End", "H1"))
    body = "".join(paragraph(text, style=style) for text, style in headings)

    [page] = pages_of(docx_of(body, styles=styles, numbering=numbering), "a.docx")

    assert [each.title for each in page.headings] == ["1 Scope", "1.1 Fees", "1.2 Dates", "2 End"]


def test_a_paragraph_in_the_outline_of_word_is_a_heading() -> None:
    """By itself or by a style that says no heading's name, unless it reads as a sentence."""
    says = {
        "H1": '<w:name w:val="heading 1"/><w:pPr><w:outlineLvl w:val="0"/></w:pPr>',
        "Clause": '<w:name w:val="Clause"/><w:basedOn w:val="H1"/>',
        "Part": '<w:name w:val="Part"/><w:pPr><w:outlineLvl w:val="1"/></w:pPr>',
    }
    styles = "".join(
        f'<w:style w:type="paragraph" w:styleId="{name}">{said}</w:style>'
        for name, said in says.items()
    )

    def own(text: str, level: int) -> str:
        stated = f'<w:outlineLvl w:val="{level}"/><w:pStyle'
        return paragraph(text, style="Clause").replace("<w:pStyle", stated)

    body = (
        paragraph("Scope", style="H1")
        + paragraph("Fees", style="Clause")
        + paragraph("Deposit", style="Part")
        + own("Dates", 2)
        + paragraph("The tenant pays on the first day.", style="Part")
        + own("Text", 9)
    )

    [page] = pages_of(docx_of(body, styles=styles), "a.docx")

    assert [(each.level, each.title) for each in page.headings] == [
        (1, "Scope"),
        (1, "Fees"),
        (2, "Deposit"),
        (3, "Dates"),
    ]


@pytest.mark.parametrize(
    "clause", ["乙は甲に報告する。", "是否投保\uff1f", "Is the tenant insured?", "Pay at once!"]
)
def test_a_clause_in_the_outline_of_word_is_no_heading(clause: str) -> None:
    level = '<w:pPr><w:outlineLvl w:val="0"/></w:pPr>'

    [page] = pages_of(docx_of(paragraph(clause).replace("<w:p>", f"<w:p>{level}")), "a.docx")

    assert page.headings == ()


def test_the_level_of_the_usual_style_of_word_makes_no_headings() -> None:
    styles = (
        '<w:style w:type="paragraph" w:default="1" w:styleId="N"><w:name w:val="Normal"/>'
        '<w:pPr><w:outlineLvl w:val="0"/></w:pPr></w:style><w:style w:type="paragraph"'
        ' w:styleId="B"><w:name w:val="Body"/><w:basedOn w:val="N"/></w:style>'
    )
    body = paragraph("Yours sincerely") + paragraph("Anna", style="B")

    [page] = pages_of(docx_of(body, styles=styles), "a.docx")

    assert (page.text, page.headings) == ("Yours sincerely\n\nAnna", ())


def test_a_cell_in_the_outline_of_word_stays_in_its_row() -> None:
    level = '<w:pPr><w:outlineLvl w:val="2"/></w:pPr>'
    named = paragraph("Pump").replace("<w:p>", f"<w:p>{level}") + paragraph("of steel")
    cells = f"<w:tc>{named}</w:tc><w:tc>{paragraph('100')}</w:tc>"

    [page] = pages_of(docx_of(f"<w:tbl><w:tr>{cells}</w:tr></w:tbl>"), "a.docx")

    assert (page.text, page.headings) == ("Pump of steel | 100", ())


def test_points_without_points_around_them_are_only_indented() -> None:
    [page] = pages_of(docx_of(list_item("Train", 1), numbering=BULLETS), "a.docx")

    assert page.text == "  - Train"


@pytest.mark.parametrize(
    ("number", "kind", "shown"),
    [
        (4, "decimal", "4"),
        (4, "decimalZero", "04"),
        (28, "lowerLetter", "bb"),
        (26, "upperLetter", "Z"),
        (1994, "lowerRoman", "mcmxciv"),
        (4, "upperRoman", "IV"),
        (4, "none", ""),
        (4, "ordinalText", "4"),
        (999_999, "lowerLetter", "999999"),
        (0, "upperRoman", "0"),
    ],
)
def test_a_number_is_written_as_its_list_does(number: int, kind: str, shown: str) -> None:
    assert written(number, kind) == shown
