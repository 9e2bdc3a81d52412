"""Headers and footers of office files: what is read of them, once, and where."""

import pytest

from tests.unit.extraction.office_files import (
    docx_of,
    odt_of,
    pages_of,
    paragraph,
    relationships,
    with_parts,
    word_table,
)

_R = 'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"'
_V = 'xmlns:v="urn:schemas-microsoft-com:vml"'
_DRAFT = (
    f'<w:p><w:r><w:pict {_V}><v:shape><v:textpath string="DRAFT"/></v:shape></w:pict></w:r></w:p>'
)


def _numbered(before: str, number: int) -> str:
    field = f'<w:fldSimple w:instr=" PAGE "><w:r><w:t>{number}</w:t></w:r></w:fldSimple>'
    return f'<w:p><w:r><w:t xml:space="preserve">{before} Page </w:t></w:r>{field}</w:p>'


def _section(*calls: str, more: str = "") -> str:
    """Return the end of a section that calls headers and footers: `header default h1`."""
    parted = (call.split() for call in calls)
    called = "".join(
        f'<w:{tag}Reference w:type="{kind}" r:id="{name}"/>' for tag, kind, name in parted
    )
    return f"<w:sectPr {_R}>{called}{more}</w:sectPr>"


def _word(body: str, *, settings: str = "", **parts: str) -> bytes:
    """Return a Word file with headers `h...` and footers `f...`."""
    kinds = {name: "header" if name[0] == "h" else "footer" for name in parts}
    related = "".join(
        relationships({name: f"{name}.xml"}, kind=kind).partition(">")[2].rpartition("</")[0]
        for name, kind in kinds.items()
    )
    around = relationships({}).removesuffix("</Relationships>")
    return with_parts(
        docx_of(body, settings=settings, **parts),
        {"word/_rels/document.xml.rels": f"{around}{related}</Relationships>"},
    )


def test_headers_and_footers_of_word_stand_once_where_their_section_begins_and_ends() -> None:
    """A letterhead's address is on no other place of the file, and so is a contract's number."""
    tabs = "<w:p><w:r><w:t>No. 4711</w:t><w:tab/><w:t>Confidential</w:t></w:r></w:p>"
    calls = ("header first h1", "header default h2", "footer default f1")
    end = f"<w:p><w:pPr>{_section(*calls, more='<w:titlePg/>')}</w:pPr></w:p>"
    body = _word(
        paragraph("Supply agreement", style="berschrift1")
        + paragraph("The parties agree.")
        + end
        + paragraph("Prices follow.")
        + _section("header default h3"),
        h1=paragraph("Ferry Office", style="berschrift1")
        + word_table(("Phone", "555-0100"), ("Tax number", "22/815")),
        h2=tabs + _DRAFT + _numbered("Ferry Office, rules,", 2),
        h3=tabs + paragraph("Annex A") + _numbered("Ferry Office, rules,", 3),
        h4=paragraph("Called by no section"),
        f1=_numbered("", 2) + paragraph("5 Quay Street"),
    )

    [page] = pages_of(body, "a.docx")

    assert page.text == (
        "Ferry Office\n\nPhone | 555-0100\nTax number | 22/815\n\n"
        "No. 4711\nConfidential\n\nDRAFT\n\nFerry Office, rules, Page 2\n\n"
        "Supply agreement\n\nThe parties agree.\n\n5 Quay Street\n\nAnnex A\n\nPrices follow."
    )
    assert [each.title for each in page.headings] == ["Supply agreement"]
    assert page.unread == ()


@pytest.mark.parametrize(
    ("settings", "more", "shown"),
    [
        ("", "", ["On all", "Text."]),
        ("<w:evenAndOddHeaders/>", "", ["On all", "On even ones", "Text."]),
        ("", "<w:titlePg/>", ["On the first", "On all", "Text."]),
        ("", '<w:titlePg w:val="0"/>', ["On all", "Text."]),
    ],
)
def test_of_the_headers_of_word_those_are_read_that_it_shows(
    settings: str, more: str, shown: list[str]
) -> None:
    calls = ("header default h1", "header even h2", "header first h3")
    body = _word(
        paragraph("Text.") + _section(*calls, more=more),
        settings=settings,
        h1=paragraph("On all"),
        h2=paragraph("On even ones"),
        h3=paragraph("On the first"),
    )

    assert pages_of(body, "a.docx")[0].text.split("\n\n") == shown


def test_a_header_that_the_text_repeats_or_that_is_damaged_costs_no_text() -> None:
    text = paragraph("Ferry rules") + paragraph("Dogs pay.") + _section("header default h1")
    damaged = with_parts(_word(text, h1=""), {"word/h1.xml": "<w:hdr"})

    [repeated] = pages_of(_word(text, h1=paragraph("Ferry rules")), "a.docx")
    [without] = pages_of(damaged, "a.docx")

    assert (repeated.text, repeated.unread) == ("Ferry rules\n\nDogs pay.", ())
    assert (without.text, without.unread) == (repeated.text, ("headers and footers",))


def test_what_a_header_of_word_hides_or_had_before_is_left_out() -> None:
    changed = (
        "<w:p><w:del><w:r><w:delText>No. 1</w:delText></w:r></w:del>"
        "<w:ins><w:r><w:t>No. 2 of May</w:t></w:r></w:ins></w:p>"
    )
    hidden = paragraph("For clerks", run="<w:vanish/>")
    body = _word(paragraph("Text.") + _section("header default h1"), h1=changed + hidden)

    [page] = pages_of(body, "a.docx")

    assert (page.text, page.unread) == ("No. 2 of May\n\nText.", ("deleted text",))
    assert page.hidden_characters == len("For clerks")


def test_headers_and_footers_of_open_document_stand_once_around_their_pages() -> None:
    number = "<text:p>Page <text:page-number>1</text:page-number></text:p>"
    masters = (
        '<office:master-styles><style:master-page style:name="Unused"><style:header>'
        "<text:p>On no page</text:p></style:header></style:master-page>"
        '<style:master-page style:name="Standard"><style:header><text:p>No. 4711<text:tab/>'
        f"Confidential</text:p></style:header><style:footer>{number}<text:p>5 Quay Street</text:p>"
        '</style:footer><style:footer-left style:display="false"><text:p>Not shown</text:p>'
        '</style:footer-left></style:master-page><style:master-page style:name="First" '
        'style:next-style-name="Standard"><style:header><text:h>Ferry Office</text:h>'
        '</style:header></style:master-page><style:master-page style:name="Annex"><style:header>'
        "<text:p>Annex A</text:p></style:header><style:footer><text:p>5 Quay Street</text:p>"
        "</style:footer></style:master-page></office:master-styles>"
    )
    begins = '<style:style style:name="{}" style:master-page-name="{}"/>'
    body = odt_of(
        '<text:h text:style-name="P1" text:outline-level="1">Supply agreement</text:h>'
        '<text:p>The parties agree.</text:p><text:p text:style-name="P2">Prices follow.</text:p>',
        styles=begins.format("P1", "First") + begins.format("P2", "Annex"),
        common=masters,
    )

    [page] = pages_of(body, "a.odt")
    [plain] = pages_of(odt_of("<text:p>Text.</text:p>", common=masters), "a.odt")

    assert page.text == (
        "Ferry Office\n\nNo. 4711\nConfidential\n\nSupply agreement\n\nThe parties agree.\n\n"
        "5 Quay Street\n\nAnnex A\n\nPrices follow."
    )
    assert [each.title for each in page.headings] == ["Supply agreement"]
    assert page.unread == ()
    assert plain.text == "No. 4711\nConfidential\n\nText.\n\n5 Quay Street"
