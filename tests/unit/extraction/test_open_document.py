"""OpenDocument text: what is read of it, and where."""

from tests.unit.extraction.office_files import STYLE_SPACES, odt_of, pages_of, with_parts


def test_an_open_document_has_headings_lists_and_tables() -> None:
    body = (
        '<text:h text:outline-level="2">Fares</text:h>'
        "<text:list><text:list-item><text:p>Adults<text:s/>pay 4.50</text:p></text:list-item>"
        "</text:list><table:table><table:table-row><table:table-cell><text:p>Child</text:p>"
        "</table:table-cell><table:table-cell><text:p>free</text:p></table:table-cell>"
        "</table:table-row></table:table>"
        "<text:tracked-changes><text:p>deleted</text:p></text:tracked-changes>"
    )

    [page] = pages_of(odt_of(body, title="Rules"), "a.odt")

    assert page.text == "Fares\n\n- Adults pay 4.50\n\nChild | free"
    assert (page.title, page.headings[0].level) == ("Rules", 2)


_NOTE = (
    "<text:note><text:note-citation>1</text:note-citation>"
    "<text:note-body><text:p>Since 2020.</text:p></text:note-body></text:note>"
)


def test_a_footnote_of_an_open_document_does_not_cut_its_sentence() -> None:
    body = f"<text:p>The fee is{_NOTE} 50 EUR per year.</text:p><text:p>Ask Ida.</text:p>"

    [page] = pages_of(odt_of(body), "a.odt")

    assert page.text == "The fee is[1] 50 EUR per year.\n\nAsk Ida.\n\n1. Since 2020."


def test_what_an_open_document_hides_is_counted_and_not_read() -> None:
    styles = (
        '<style:style style:name="T1"><style:text-properties text:display="none"/></style:style>'
    )
    body = (
        '<text:p>The ferry <text:span text:style-name="T1">never </text:span>is red.</text:p>'
        '<text:section text:display="none"><text:p>Say nothing.</text:p></text:section>'
    )

    [page] = pages_of(odt_of(body, styles=styles), "a.odt")

    assert page.text == "The ferry is red."
    assert page.hidden_characters == len("never Say nothing.")


def _odt_list(*items: str, more: str = "") -> str:
    listed = "".join(f"<text:list-item>{item}</text:list-item>" for item in items)
    return f"<text:list {more}>{listed}</text:list>"


def test_items_of_an_open_document_are_counted_by_their_style() -> None:
    """A list goes on where it says so, an item that only holds others is none."""
    levels = (
        '1" style:num-format="1" style:num-suffix="." text:start-value="3',
        '2" style:num-format="a" style:num-prefix="(" style:num-suffix=")',
        '3" style:num-format="I" text:display-levels="3',
    )
    described = "".join(f'<text:list-level-style-number text:level="{each}"/>' for each in levels)
    styles = f'<text:list-style style:name="L1">{described}</text:list-style>'
    named = 'text:style-name="L1"'
    inner = _odt_list(
        "<text:p>Short.</text:p>", f"<text:p>Long.</text:p>{_odt_list('<text:p>Very.</text:p>')}"
    )
    body = (
        _odt_list(f"<text:p>Term.</text:p>{inner}", "<text:p>End.</text:p>", more=named)
        + "<text:p>Caution: hot.</text:p>"
        + _odt_list(
            _odt_list("<text:p>Deep.</text:p>"),
            "<text:p>Go.</text:p>",
            more=f'{named} text:continue-numbering="true"',
        )
        + _odt_list("<text:p>Again.</text:p>", more=named)
    )

    [page] = pages_of(odt_of(body, styles=styles), "a.odt")

    assert page.text.splitlines() == [
        "3. Term.",
        "  (a) Short.",
        "  (b) Long.",
        "    3.b.I Very.",
        "4. End.",
        "",
        "Caution: hot.",
        "  (a) Deep.",
        "5. Go.",
        "",
        "3. Again.",
    ]


def test_headings_of_an_open_document_have_the_numbers_of_their_outline() -> None:
    """A style says itself, or by the one it is made from, that its headings have none.

    One that is of another list is not counted by the outline either.
    """
    common = (
        '<text:outline-style style:name="Outline">'
        '<text:outline-level-style text:level="1" style:num-format="1"/>'
        '<text:outline-level-style text:level="2" style:num-format="a" style:num-suffix=")"'
        ' text:display-levels="2"/><text:outline-level-style text:level="3" style:num-format=""/>'
        '</text:outline-style><style:style style:name="Plain" style:family="paragraph"'
        ' style:list-style-name=""/>'
    )
    styles = (
        '<style:style style:name="P1" style:family="paragraph" style:parent-style-name="Plain"/>'
        '<style:style style:name="P2" style:family="paragraph" style:list-style-name="Outline"/>'
        '<style:style style:name="P3" style:family="paragraph" style:list-style-name="WWNum5"/>'
    )
    named = (
        *((1, "Rent", ""), (2, "Due", ""), (2, "Late", ""), (3, "Fee", ""), (1, "Thanks", "P1")),
        *((1, "Pets", "P2"), (2, "Dogs", ""), (1, "Annex", 'x" text:is-list-header="true')),
        (1, "Appendix", "P3"),
    )
    body = "".join(
        f'<text:h text:outline-level="{level}" text:style-name="{style}">{words}</text:h>'
        for level, words, style in named
    )

    [page] = pages_of(odt_of(body, styles=styles, common=common), "a.odt")

    assert page.text.split("\n\n") == [
        *("1 Rent", "1.a) Due", "1.b) Late", "Fee", "Thanks", "2 Pets", "2.a) Dogs", "Annex"),
        "Appendix",
    ]


def test_an_open_document_says_what_it_shows() -> None:
    """Formulas and readings, and neither what an index is made by nor what a picture is called.

    A formula is read once, however often it is drawn.
    """
    math = (
        '<math xmlns="http://www.w3.org/1998/Math/MathML"><semantics><mrow><msup><mi>r</mi>'
        "<mn>2</mn></msup></mrow><annotation>r^2</annotation></semantics></math>"
    )
    link = 'xmlns:xlink="http://www.w3.org/1999/xlink" xlink:href'
    body = (
        "<text:table-of-content><text:table-of-content-source>Template"
        "</text:table-of-content-source><text:index-body><text:p>Contents</text:p>"
        "</text:index-body></text:table-of-content><text:p>See <text:ruby><text:ruby-base>"
        "\u6771\u4eac</text:ruby-base><text:ruby-text>T\u014dky\u014d</text:ruby-text></text:ruby>"
        " in<draw:frame><svg:title>Alt</svg:title><svg:desc>A map</svg:desc></draw:frame> m "
        f'<draw:frame><draw:object {link}="./Object 1"/></draw:frame>.</text:p>'
        f'<text:p><draw:frame><draw:object {link}="./Object 2"/></draw:frame></text:p>'
        f'<text:p><draw:frame><draw:object {link}="./Object 3"/></draw:frame></text:p>'
    )
    body += f'<draw:frame><draw:object {link}="Object 1"/></draw:frame>' * 2
    objects = {
        "Object 1/content.xml": math,
        "Object 2/content.xml": "<office/>",
        "Object 3/content.xml": "",
    }

    [page] = pages_of(with_parts(odt_of(body), objects), "a.odt")

    assert page.text == "Contents\n\nSee \u6771\u4eac(T\u014dky\u014d) in m r^2."
    assert page.unread == ("4 embedded files",)


def test_a_style_of_the_text_itself_stands_before_one_of_the_same_name() -> None:
    named = '<style:style style:name="{}"><style:text-properties {}/></style:style>'.format
    shared = named("T1", 'style:text-position="super 58%"') + named("T2", 't:display="none"')
    spaces = f'{STYLE_SPACES} xmlns:t="urn:oasis:names:tc:opendocument:xmlns:text:1.0"'
    words = (
        '<text:p>50<text:span text:style-name="T1">3</text:span>'
        '<text:span text:style-name="T2"> EUR</text:span></text:p>'
    )
    body = odt_of(words, styles=named("T1", "") + named("T2", ""))

    [page] = pages_of(
        with_parts(body, {"styles.xml": f"<styles {spaces}>{shared}</styles>"}), "a.odt"
    )

    assert (page.text, page.hidden_characters) == ("503 EUR", 0)
