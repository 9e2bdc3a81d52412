"""Slides: what is read of them, each a page."""

from io import BytesIO
from zipfile import ZipFile

from pulsedocs.model.pages import PageOutcome
from tests.unit.extraction.office_files import EMU, pages_of, pptx_of, with_parts


def test_a_slide_is_a_page_with_its_notes_in_the_order_of_the_show() -> None:
    body = pptx_of(
        ("Timetable", "First ferry 6:10", "Last ferry 22:40"),
        ("Draft", "Not yet"),
        ("Fares", "Adults pay 4.50"),
        notes="Bicycles are free.",
        hidden=2,
    )

    first, second, third = pages_of(body, "a.pptx")

    assert first.text == (
        "Timetable\n\nFirst ferry 6:10\nLast ferry 22:40\n\nNotes: Bicycles are free."
    )
    assert (first.headings[0].title, third.text) == ("Timetable", "Fares\n\nAdults pay 4.50")
    assert (second.outcome, second.hidden_characters) == (PageOutcome.HIDDEN_ONLY, 12)
    assert first.is_sheet is False


def _on_slide(*paragraphs: tuple[str, str], kind: str = "body") -> str:
    texts = "".join(
        f"<a:p><a:pPr{bullet}</a:pPr><a:r><a:t>{words}</a:t></a:r></a:p>"
        for bullet, words in paragraphs
    )
    place = f'<p:nvSpPr><p:nvPr><p:ph type="{kind}"/></p:nvPr></p:nvSpPr>'
    return f"<p:sp>{place}<p:txBody>{texts}</p:txBody></p:sp>"


def test_paragraphs_in_the_body_of_a_slide_are_points() -> None:
    points = _on_slide((">", "Wear gloves"), (">", "Wear goggles"), ("><a:buNone/>", "Stay out"))
    only = _on_slide((">", "Wear a hat"))
    below = _on_slide((">", "Room 4"), (">", "Ann Lee"), kind="subTitle")

    [page] = pages_of(pptx_of(("Rules",), more=points + only + below), "a.pptx")

    assert page.text == (
        "Rules\n\n- Wear gloves\n- Wear goggles\nStay out\n\nWear a hat\n\nRoom 4\nAnn Lee"
    )


def test_numbers_that_a_slide_counts_are_written() -> None:
    figure = '><a:buAutoNum type="arabicPeriod" startAt="3"/>'
    letter = ' lvl="1"><a:buAutoNum type="alphaLcParenR"/>'
    other = '><a:buAutoNum type="romanUcParenBoth"/>'
    steps = _on_slide(
        *((figure, "Open"), (letter, "left"), (letter, "right"), (figure, "Turn"), (letter, "up")),
        *((other, "Close"), (">", "Rest")),
    )

    [page] = pages_of(pptx_of(("Toner",), more=steps), "a.pptx")

    assert page.text == (
        "Toner\n\n3. Open\n  a) left\n  b) right\n4. Turn\n  a) up\n(I) Close\n- Rest"
    )


def test_a_break_between_lines_of_a_slide_parts_words() -> None:
    raised = "10</a:t></a:r><a:r><a:rPr baseline='30000'/><a:t>6</a:t></a:r><a:br><a:rPr/></a:br>"
    table = (
        "<a:tbl><a:tr><a:tc><a:txBody><a:p><a:r><a:t>Opening</a:t></a:r><a:br/><a:r><a:t>hours"
        "</a:t></a:r></a:p></a:txBody></a:tc></a:tr></a:tbl>"
    )
    title = "Quarterly</a:t></a:r><a:br/><a:r><a:t>Review"

    [page] = pages_of(pptx_of((title, f"{raised}<a:r><a:t>litres"), more=table), "a.pptx")

    assert page.text == "Quarterly Review\n\n10⁶ litres\n\nOpening hours"


def _slide_with(shapes: str, *, more: str = "") -> bytes:
    """Return a presentation of one slide, 9 by 6 inches."""
    tree = f"<p:cSld><p:spTree><p:nvGrpSpPr><p:cNvPr/></p:nvGrpSpPr>{shapes}</p:spTree></p:cSld>"
    body = pptx_of(("Fares",), more=tree + more)
    with ZipFile(BytesIO(body)) as archive:
        part = archive.read("ppt/presentation.xml").decode()
    size = f'<p:sldSz cx="{9 * EMU}" cy="{6 * EMU}"/></p:presentation>'
    return with_parts(body, {"ppt/presentation.xml": part.replace("</p:presentation>", size)})


def _placed(text: str, left: int, *, named: str = "") -> str:
    corner, extent = f'<a:off x="{left * EMU}" y="{EMU}"/>', f'<a:ext cx="{EMU}" cy="{EMU}"/>'
    return (
        f"<p:sp><p:nvSpPr><p:cNvPr {named}/></p:nvSpPr><p:spPr><a:xfrm>{corner}{extent}</a:xfrm>"
        f"</p:spPr><p:txBody><a:p><a:r><a:t>{text}</a:t></a:r></a:p></p:txBody></p:sp>"
    )


def test_shapes_that_no_show_shows_are_counted_and_not_read() -> None:
    shown = _placed("Day 24 EUR", 1)
    unseen = _placed("Day 19 EUR", 1, named='hidden="1"') + _placed("Day 15 EUR", -2)
    group = f"<p:grpSp><p:nvGrpSpPr><p:cNvPr hidden='true'/></p:nvGrpSpPr>{shown}</p:grpSp>"

    [page] = pages_of(_slide_with(shown + unseen + group), "a.pptx")
    [moving] = pages_of(_slide_with(_placed("Day 15 EUR", 10), more="<p:animMotion/>"), "a.pptx")

    assert page.text == "Fares\n\nDay 24 EUR"
    assert page.hidden_characters == 3 * len("Day 24 EUR")
    assert moving.text == "Fares\n\nDay 15 EUR"


def test_a_title_beside_the_slide_is_its_heading() -> None:
    title = _placed("Fares by day", -2).replace(
        "</p:nvSpPr>", '<p:nvPr><p:ph type="title"/></p:nvPr></p:nvSpPr>'
    )

    [page] = pages_of(_slide_with(title), "a.pptx")

    assert (page.text, page.hidden_characters) == ("Fares\n\nFares by day", 0)
    assert [each.title for each in page.headings] == ["Fares", "Fares by day"]


def test_a_formula_of_a_slide_is_read() -> None:
    math = 'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"'
    power = (
        "<m:sSup><m:e><m:r><m:t>c</m:t></m:r></m:e><m:sup><m:r><m:t>2</m:t></m:r></m:sup></m:sSup>"
    )
    formula = f"<m:oMath {math}><m:r><m:t>E=m</m:t></m:r>{power}</m:oMath>"
    words = f"<a:r><a:t>Energy is </a:t></a:r>{formula}"

    [page] = pages_of(
        _slide_with(f"<p:sp><p:txBody><a:p>{words}</a:p></p:txBody></p:sp>"), "a.pptx"
    )

    assert page.text == "Fares\n\nEnergy is E=mc^2"


def test_what_a_slide_has_for_older_programs_is_not_read_twice() -> None:
    mc = "http://schemas.openxmlformats.org/markup-compatibility/2006"
    body = pptx_of(("Fares", "Adults pay 4.50"))
    with ZipFile(BytesIO(body)) as archive:
        slide = archive.read("ppt/slides/slide1.xml").decode()
    shapes = slide[slide.index(">") + 1 : slide.rindex("</p:sld>")]
    twice = f'<m:AlternateContent xmlns:m="{mc}"><m:Choice>{shapes}</m:Choice><m:Fallback>{shapes}'
    slide = slide.replace(shapes, f"{twice}</m:Fallback></m:AlternateContent>")

    [page] = pages_of(with_parts(body, {"ppt/slides/slide1.xml": slide}), "a.pptx")

    assert page.text == "Fares\n\nAdults pay 4.50"
