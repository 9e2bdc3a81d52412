"""Markdown, HTML and reStructuredText come out as text that a person can read."""

import pytest

from pulsedocs.cleaning import clean
from pulsedocs.errors import ResourceExhausted, TooManyPages, TooMuchText
from pulsedocs.extraction import Budgets
from pulsedocs.extraction.reading import open_file
from pulsedocs.model.pages import Page, PageOutcome
from tests.unit.growth import growth

MARKDOWN, HTML, RST = "text/markdown", "text/html", "text/x-rst"
XHTML = "application/xhtml+xml"


def pages_of(text: str, content_type: str, budgets: Budgets | None = None) -> list[Page]:
    file = open_file(text.encode(), content_type=content_type, budgets=budgets or Budgets())
    pages = list(file.pages())
    assert len(pages) == file.page_count
    return pages


def page_of(text: str, content_type: str) -> Page:
    [page] = pages_of(text, content_type)
    return page


def headings_of(page: Page) -> list[tuple[int, str]]:
    assert all(page.text[item.start :].startswith(item.title) for item in page.headings)
    return [(heading.level, heading.title) for heading in page.headings]


def markdown(text: str) -> str:
    return page_of(text, MARKDOWN).text


def html(text: str) -> str:
    return page_of(text, HTML).text


def rst(text: str) -> str:
    return page_of(text, RST).text


# ------------------------------------------------------------------------------------ headings


@pytest.mark.parametrize(
    ("content_type", "text"),
    [
        (
            MARKDOWN,
            "# Pumps *and* `valves`\n\nIntro.\n\n## Care\n\nOil it.\n\nNext\n====\n\nEnd.\n",
        ),
        (
            HTML,
            (
                "<h1>Pumps <em>and</em>\n <code>valves</code></h1>Intro.<h2>Care</h2><p>Oil it."
                "<h1>Next</h1>End."
            ),
        ),
        (
            RST,
            (
                "Pumps *and* ``valves``\n======================\n\nIntro.\n\n"
                "Care\n----\n\nOil it.\n\nNext\n====\n\nEnd.\n"
            ),
        ),
    ],
    ids=["markdown", "html", "rst"],
)
def test_headings_have_their_level_and_their_place(content_type: str, text: str) -> None:
    """S4-01: each format's own headings become sections."""
    page = page_of(text, content_type)

    assert headings_of(page) == [(1, "Pumps and valves"), (2, "Care"), (1, "Next")]
    assert page.text == "Pumps and valves\n\nIntro.\n\nCare\n\nOil it.\n\nNext\n\nEnd."


def test_an_empty_heading_is_none() -> None:
    assert page_of("<h1> </h1><h2><!-- x --></h2>text", HTML).headings == ()


def test_a_heading_is_one_line_and_its_title_is_bounded() -> None:
    page = page_of(f"<h1>one<br>two<div>three {'word ' * 200}</div></h1>", HTML)

    [(_, title)] = headings_of(page)
    assert title.startswith("one two three word")
    assert 400 < len(title) <= 500


def test_a_heading_in_an_item_starts_behind_the_bullet() -> None:
    page = page_of("<ul><li><h3>Care</h3>Oil it.</ul>", HTML)

    assert (page.text, page.headings[0].start) == ("- Care\n\nOil it.", 2)


def test_a_page_never_ends_inside_a_heading() -> None:
    titles = [f"Section {number} about the {'very ' * 60}end" for number in range(60)]
    pages = pages_of("".join(f"<h2>{title}</h2>" for title in titles), HTML)

    found = [heading.title for page in pages for heading in page.headings]
    assert found == titles
    assert len(pages) > 5
    for page in pages:
        headings_of(page)
        assert len(page.text) <= 3_000


# --------------------------------------------------------------------------------------- blocks


_NESTED = "- Travel\n  - Train\n    1. Seats\n    2. Beds\n  - Boat\n- Food"


@pytest.mark.parametrize(
    ("content_type", "text"),
    [
        (MARKDOWN, "- Travel\n  - Train\n    1. Seats\n    2. Beds\n  - Boat\n- Food\n"),
        (
            HTML,
            (
                "<ul><li>Travel<ul><li>Train<ol><li>Seats<li>Beds</ol><li>Boat</ul>"
                "<li><p>Food</p></ul>"
            ),
        ),
        (RST, "- Travel\n\n  - Train\n\n    1. Seats\n    2. Beds\n\n  - Boat\n\n- Food\n"),
    ],
    ids=["markdown", "html", "rst"],
)
def test_an_item_is_indented_by_the_lists_around_its_own(content_type: str, text: str) -> None:
    [page] = pages_of(text, content_type)

    assert page.text == _NESTED
    assert clean([page])[0].text == _NESTED


def test_lists_keep_their_marks() -> None:
    assert markdown("- a\n- b\n    1. x\n    2. y\n") == "- a\n- b\n  1. x\n  2. y"
    assert html("<ol start=3><li>x<li><p>y</ol>") == "3. x\n4. y"
    assert html("<ol type=a><li value=5>x<li>y</ol>") == "e. x\nf. y"
    assert html("<ol type=I start=9><li>x<li>y<li value=45>z</ol>") == "IX. x\nX. y\nXLV. z"
    assert html("<ol style='list-style-type: lower-alpha'><li>x<ol><li>in</ol><li>y</ol>") == (
        "a. x\n  1. in\nb. y"
    )
    assert html("<style>ol {list-style: upper-roman inside}</style><ol start=4><li>x</ol>") == (
        "IV. x"
    )
    assert html("<ol type=a><li style='list-style-type: decimal-leading-zero'>x</ol>") == "01. x"
    assert html("<ol style='list-style: none'><li>1.1 x</ol>") == "1.1 x"
    assert html("<ol style='list-style: none; counter-reset: n'><li>x</ol>") == "1. x"
    reset, counted = "ol {list-style-type: none}", ".c ol {list-style: decimal}"
    for sheet in (reset + counted, counted + reset):
        assert html(f"<style>{sheet}</style><div class=c><ol><li>x</ol></div>") == "1. x"
    assert html(f"<style>{reset}</style><ol><li>1.1 x</ol>") == "1.1 x"
    assert html("<ol reversed><li>x<ol type=A start=26><li>a<li>b</ol><li>y</ol>") == (
        "2. x\n  Z. a\n  AA. b\n1. y"
    )
    assert html("<ol start=-1 reversed><li>x<li value=z>y</ol>") == "-1. x\n-2. y"
    assert rst("3. x\n#. y\n\n- a\n- b\n") == "3. x\n4. y\n\n- a\n- b"
    assert rst("(a) x\n(b) y\n\niv. x\n#. y\n\nB) x\n") == "(a) x\n(b) y\n\niv. x\nv. y\n\nB) x"


_REACHING = """
+-------+-----------------+-----+
| Zone  | Price           | Day |
|       +--------+--------+     |
|       | Summer | Winter |     |
+=======+========+========+=====+
| North | 4      | 3      | Mon |
|       +--------+--------+-----+
|       | 9               | Sun |
+-------+--------+--------+-----+
| South | Two.   | 7      | ::  |
|       |        |        |     |
|       | Three. |        |   x |
+-------+--------+--------+-----+
"""


def test_cells_of_restructured_text_say_of_each_row_and_column_what_they_say_of_all() -> None:
    assert rst(_REACHING).splitlines() == [
        "Zone | Price | Price | Day",
        "Zone | Summer | Winter | Day",
        "North | 4 | 3 | Mon",
        "North | 9 | 9 | Sun",
        "South | Two. Three. | 7 | x",
    ]


@pytest.mark.parametrize(
    ("content_type", "text"),
    [
        (MARKDOWN, "| A | B | C |\n|---|---|---|\n| 1 | | 3 |\n| | 2 | |\n"),
        (
            HTML,
            (
                "<table><tr><th>A<th>B<th><p>C</p><tr><td><p>1</p></td><td> </td><td>3"
                "<tr><td><td>2<td></table>"
            ),
        ),
        (RST, "=== === ===\nA   B   C\n=== === ===\n1       3\n\\   2\n=== === ===\n"),
    ],
    ids=["markdown", "html", "rst"],
)
def test_the_cells_of_a_row_stand_on_one_line(content_type: str, text: str) -> None:
    assert page_of(text, content_type).text == "A | B | C\n1 | | 3\n| 2"


@pytest.mark.parametrize(
    ("content_type", "text"),
    [
        (MARKDOWN, "| A | B | C |\n|---|---|---|\n| Ropes | | |\n| x | 2 | 3 |\n| y | 5 | |\n"),
        (
            HTML,
            (
                "<table><tr><th>A<th>B<th>C<tr><td colspan=3>Ropes<tr><td>x<td>2<td>3"
                "<tr><td>y<td>5<td><tr><td colspan=3>Seen in May</table>"
            ),
        ),
    ],
    ids=["markdown", "html"],
)
def test_the_name_of_a_group_of_rows_stays_in_its_table(content_type: str, text: str) -> None:
    page = page_of(text, content_type).text

    assert page.removesuffix("\nSeen in May") == "A | B | C\nRopes | |\nx | 2 | 3\ny | 5"


@pytest.mark.parametrize(
    ("written", "read"),
    [
        (
            "<style>i {display: table-row} b {display: table-cell}</style><i><b>A</b><b>1</b></i>B",
            "A 1\nB",
        ),
        ("<label style='display:block'>First name</label>Last name", "First name\nLast name"),
        ("<p style='display:flex'><a>One</a><a>Two</a></p>", "One Two"),
        ("<button>Save</button><button>Cancel</button>", "Save Cancel"),
        ("H<b style='display:inline-block'>2</b>O", "H2O"),
        ("<dl><dt style='display:block'>Rent<dd style='display:block'>300</dl>", "- Rent: 300"),
    ],
)
def test_what_a_style_sets_apart_is_no_word(written: str, read: str) -> None:
    assert html(written) == read


def test_a_table_for_layout_keeps_its_paragraphs() -> None:
    body = "<table><tr><td><h1>T</h1><p>one</p><p>two</p></td><td>side</td></tr></table>"

    assert html(body) == "T\n\none\n\ntwo\n\nside"


@pytest.mark.parametrize(
    ("cells", "read"),
    [
        (
            "<td>Alarm<td>Sentry<table><tr><td>Hotline<td>0800<tr><td>No.<td>88</table><td>312",
            "Alarm | Sentry; Hotline, 0800; No. 88 | 312",
        ),
        ("<th><h3>Name</h3><th><h3>Price</h3><tr><td>Pie<td>4", "Name | Price\nPie | 4"),
        (
            "<td><table><tr><td>a<td>1</table><td><table><tr><td>b<td>2</table>",
            "a | 1\n\nb | 2",
        ),
        ("<td><h2>News</h2><tr><td>Pie<td>4", "News\n\nPie | 4"),
        (
            "<td><ul><li>Pie<li>Tart</ul><td>Any of:<ol><li>oil<li>salt.<li><td><ul><li>4",
            "Pie; Tart | Any of: oil; salt. | 4",
        ),
    ],
    ids=["a table beside words", "headings alone", "tables beside each other", "a title", "lists"],
)
def test_a_table_a_list_or_a_heading_in_a_cell_does_not_tear_its_row(cells: str, read: str) -> None:
    assert html(f"<table><tr>{cells}</table>") == read


def test_items_of_a_list_in_a_cell_are_told_apart() -> None:
    rows = "   * - Plan\n     - - mail\n       - chat\n     - 4\n   * - B\n     - x\n     - 3"

    assert rst(f".. list-table::\n\n{rows}") == "Plan | mail; chat | 4\nB | x | 3"


@pytest.mark.parametrize(
    ("content_type", "text"),
    [
        (HTML, "<dl><dt>Power<dd>290 W<dt>Sizes:<dd><p>S</p> <dd>M<dt>Use<dd><p>Dry.<p>Warm."),
        (RST, "Power\n   290 W\nSizes:\n   S; M\nUse\n   Dry.\n\n   Warm.\n"),
    ],
)
def test_a_definition_of_one_paragraph_stands_behind_its_term(content_type: str, text: str) -> None:
    lines = [line for line in page_of(text, content_type).text.split("\n") if line]

    assert lines == ["- Power: 290 W", "- Sizes: S; M", "Use", "Dry.", "Warm."]


def test_code_keeps_its_lines_and_its_spaces() -> None:
    code = "def f():\n    return 1\n\n\nf()"

    assert markdown(f"a\n\n```python\n{code}\n```\n\nb") == f"a\n\n{code}\n\nb"
    assert html(f"a<pre>\n<code>{code.replace('f()', '<b>f</b>()')}\n</code></pre>b") == (
        f"a\n\n{code}\n\nb"
    )
    assert rst(f"a::\n\n    {code.replace(chr(10), chr(10) + '    ')}\n\nb") == f"a:\n\n{code}\n\nb"


def test_links_keep_their_words_and_pictures_nothing() -> None:
    assert markdown("See [the *manual*](http://x/y 't') or <http://z>. ![alt](data:a,b)") == (
        "See the manual or http://z."
    )
    assert (
        html('<a href="javascript:x()">go</a><img alt=no src="data:image/png;base64,AA">') == "go"
    )
    assert rst("A `link <http://x>`_ and |pic|.\n\n.. |pic| image:: data:a,b\n") == "A link and ."


@pytest.mark.parametrize(
    ("declared", "encoding"),
    [
        ('<meta charset="windows-1252">', "cp1252"),
        ("<meta charset=iso-8859-1>", "cp1252"),
        ('<meta http-equiv="Content-Type" content="text/html; charset=iso-8859-15">', "latin9"),
        ('<meta charset="windows-1252">', "utf-8"),
        ('<meta charset="utf-8">', "utf-16"),
    ],
)
def test_a_page_is_read_as_it_declares_unless_it_is_utf8(declared: str, encoding: str) -> None:
    body = f"<html><head>{declared}</head><p>Müller zahlt 5 €.</p></html>".encode(encoding)

    [page] = open_file(body, content_type=HTML, budgets=Budgets()).pages()

    assert page.text == "Müller zahlt 5 €."


@pytest.mark.parametrize(
    ("label", "words", "encoding"),
    [
        ("gb2312", "鎔鉄 100 元", "gbk"),
        ("Shift_JIS", "① 水", "cp932"),
        ("windows-874", "ราคา", "cp874"),
        ("iso-8859-9", "Şişe 5 €", "cp1254"),
        ("ks_c_5601-1987", "똠 방", "cp949"),
    ],
)
def test_labels_of_encodings_mean_what_they_mean_to_browsers(
    label: str, words: str, encoding: str
) -> None:
    body = f"<meta charset={label}><p>{words}</p>".encode(encoding)

    [page] = open_file(body, content_type=HTML, budgets=Budgets()).pages()

    assert page.text == words


@pytest.mark.parametrize("content_type", [HTML, "application/xhtml+xml"])
@pytest.mark.parametrize(("xml", "meta"), [("windows-1251", "UTF-8"), ("UTF-8", "windows-1251")])
def test_xhtml_is_read_in_the_encoding_of_its_xml_declaration_or_head(
    content_type: str, xml: str, meta: str
) -> None:
    page = f"""<?xml version="1.0" encoding="{xml}"?><html><head><meta charset="{meta}"></meta>
        </head><body><p>Цена 5 €</p></body></html>"""

    opened = open_file(page.encode("cp1251"), content_type=content_type, budgets=Budgets())

    assert [page.text for page in opened.pages()] == ["Цена 5 €"]


@pytest.mark.parametrize(
    "declared",
    [
        "",
        "<meta charset=idna>",
        "<meta charset=windows-9>",
        "<meta charset=cp037>",
        "<!-- <meta charset=windows-1252> -->",
        "<p><?xml encoding='windows-1252'?>",
    ],
)
def test_a_page_that_declares_no_encoding_of_its_bytes_is_guessed(declared: str) -> None:
    body = f"{declared}Müller zahlt für die Fähre.".encode("latin-1")

    [page] = open_file(body, content_type=HTML, budgets=Budgets()).pages()

    assert page.text == "Müller zahlt für die Fähre."
    assert page.guessed_encoding


def test_entities_are_decoded_once() -> None:
    assert markdown("&amp;lt; &copy; `&amp;`") == "&lt; © &amp;"
    assert html("&amp;lt; &#x41;&nbsp;&notit;") == "&lt; A\xa0¬it;"
    assert rst("&amp;lt;") == "&amp;lt;"


def test_a_line_break_is_one() -> None:
    assert html("a<br>b<div>c</div>d") == "a\nb\nc\nd"
    assert rst("| a\n| b\n") == "a\nb"


def test_what_stands_above_a_markdown_file_is_no_heading() -> None:
    page = page_of("---\ntitle: <b> & c\n---\n# Real\n", MARKDOWN)

    assert page.text == "title: <b> & c\n\nReal"
    assert headings_of(page) == [(1, "Real")]


@pytest.mark.parametrize(
    "start",
    ["", "<?xml version='1.0'?>", "<!DOCTYPE html>\n<html xmlns='http://www.w3.org/1999/xhtml'>"],
)
def test_an_empty_element_hides_what_browsers_hide_behind_it(start: str) -> None:
    """They read a file of HTML as HTML, in which it stays open, whatever it says it is."""
    page = page_of(f"{start}<p>a<br/>b</p><div hidden/><p>c</p>", HTML)

    assert (page.text, page.hidden_characters) == ("a\nb", 1)


def test_an_empty_element_of_xhtml_hides_nothing_and_cdata_is_text() -> None:
    page = page_of(
        "<?xml version='1.0'?><html><head><script src='a.js'/><style><![CDATA["
        " p > b {display: none} ]]></style></head><body><p>The ferry leaves at 7.40.</p>"
        "<iframe src='m'/><p>Bikes &lt; <![CDATA[5 & <more>]]> cost<br/>4 EUR<b>!</b></p>"
        "</body></html>",
        XHTML,
    )

    assert page.text == "The ferry leaves at 7.40.\n\nBikes < 5 & <more> cost\n4 EUR"
    assert page.hidden_characters == 1


def test_cdata_in_a_comment_of_xhtml_or_without_an_end_is_none() -> None:
    commented = page_of("<html><p>One</p><!-- uses <![CDATA[ here --><p>Two</p></html>", XHTML)
    endless = page_of("<html><p>One</p><!-- --><![CDATA[><p>Two &lt; 3</p></html>", XHTML)

    assert commented.text == "One\n\nTwo"
    assert endless.text == "One\n\nTwo < 3"


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("6&times;10<sup>24</sup> kg", "6\u00d710²⁴ kg"),
        ("10<sup>&minus;3</sup> m<sup>2</sup>", "10⁻³ m²"),
        ("2<sup><i>n</i></sup>, 2<sup>x</sup>", "2ⁿ, 2x"),
        ("10<sup>2.5</sup>", "10^2.5"),
        ("1<sup>st</sup> of May", "1st of May"),
        ("H<sub>2</sub>O and SO<sub>4</sub><sup>2-</sup>", "H2O and SO4²⁻"),
        ("log<sub>2</sub>8, 77<sub>8</sub>", "log₂8, 77₈"),
        ("1<sup>1</sup>/<sub>2</sub>", "1¹/₂"),
        ('50<sup><a href="#fn3">3</a></sup> EUR', "50[3] EUR"),
        ('50<a href="a.html#n3"><sup>3</sup></a> EUR', "50[3] EUR"),
        ('50<sup><a href="#fn3">[3]</a></sup> EUR', "50[3] EUR"),
        ('50<a href="#n3" epub:type="noteref">3</a> EUR', "50[3] EUR"),
        ('50<a href="#n3" role="doc-noteref"><b>3</b></a>5', "50[3]5"),
        ('50<a href="#n3" class="footnote-ref">3</a>, <a href="#c5">5</a>', "50[3], 5"),
        ("Berg<sup>1,2</sup>", "Berg[1,2]"),
        ("<sup hidden>7</sup>50", "50"),
    ],
)
def test_a_raised_number_is_no_part_of_the_one_before_it(written: str, read: str) -> None:
    assert html(f"<p>{written}</p>") == read


def test_the_arrow_from_a_footnote_to_its_call_is_no_word_of_it() -> None:
    note = 'Measured in May.<a href="#r1">\u21a9\ufe0e</a><a href="#r2">\u21a9<sup>2</sup></a>'
    steps = 'Press <a href="keys.html">\u21b5</a>, then <a href="#top">\u2191 Top</a>'

    assert html(f"<p>{note}</p>") == "Measured in May."
    assert html(f"<p>{steps}</p>") == "Press \u21b5, then \u2191 Top"


def test_a_raised_number_of_restructured_text_is_no_part_of_the_one_before_it() -> None:
    assert rst("10\\ :sup:`6` and H\\ :sub:`2`\\ O") == "10⁶ and H2O"


@pytest.mark.parametrize(
    ("content_type", "text", "reason"),
    [
        (HTML, "Price <del>100 EUR</del> <ins>80 EUR</ins>", "deleted text"),
        (HTML, "Price <s>100 EUR</s> 80 EUR", "struck text"),
        (
            HTML,
            "Price <span style='text-decoration: line-through red'>100 EUR</span> 80 EUR",
            "struck text",
        ),
        (
            HTML,
            (
                "<style>.old {text-decoration-line: line-through}</style>"
                "Price <b class=old>100 EUR</b> 80 EUR"
            ),
            "struck text",
        ),
        (MARKDOWN, "Price ~~100 EUR~~ 80 EUR", "struck text"),
    ],
)
def test_struck_text_is_left_out_and_named(content_type: str, text: str, reason: str) -> None:
    page = page_of(text, content_type)

    assert (page.text, page.unread) == ("Price 80 EUR", (reason,))
    assert page_of("Price <del> </del>80 EUR", content_type).unread == ()


def test_rules_that_strike_leave_room_for_those_that_hide() -> None:
    rules = "".join(f".u{n} {{text-decoration: none}}" for n in range(5_000))

    assert html(f"<style>{rules}.h {{display: none}}</style><p class=h>x</p><p>y</p>") == "y"


@pytest.mark.parametrize(
    ("style", "repeated", "length"),
    [
        ("overflow: hidden; height: {}x", "1", 100),
        ("font: {}", "1", 5_000),
        ("clip-path: polygon({}x", "0 0  ", 4),
        ("color: {}", "rgb(", 5_000),
        ("transform: {}", "translate", 5_000),
    ],
)
def test_the_time_that_a_style_takes_grows_no_faster_than_it(
    style: str, repeated: str, length: int
) -> None:
    """Digits took the cube of it, points of a polygon twice as long for every half a point more."""

    def read(times: int) -> str:
        return html(f"<p style='{style.format(repeated * times)}'>x</p>y")

    assert growth(read, length=length) < 10


@pytest.mark.parametrize("style", ["color: rgb(255, 255, 255", "clip-path: polygon(0 0,0 0 , 0 0)"])
def test_what_a_style_hides_stays_hidden_however_it_is_written(style: str) -> None:
    assert html(f"<p style='{style}'>x</p><p>y</p>") == "y"


@pytest.mark.parametrize("old", ["<td style='text-decoration: line-through'>100", "<td><s>100</s>"])
def test_a_struck_cell_stays_in_its_row(old: str) -> None:
    rows = f"<tr><th>Item<th>Old<th>New<tr><td>Pump{old}<td>80"

    assert html(f"<table>{rows}</table>") == "Item | Old | New\nPump | | 80"


def test_the_last_style_says_whether_a_text_is_struck() -> None:
    """Whether that is a shorthand or not."""
    lines = ("text-decoration-line: line-through", "text-decoration: none")

    assert html(f"<p style='{'; '.join(lines)}'>100 EUR</p>") == "100 EUR"
    assert html(f"<p style='{'; '.join(reversed(lines))}'>100 EUR</p>") == ""
    sheet = "".join(f"p {{{line}}}" for line in lines)
    assert html(f"<style>{sheet}</style><p>100 EUR</p>") == "100 EUR"


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("<ruby>漢字<rt>かんじ</rt></ruby>を", "漢字(かんじ)を"),
        ("<ruby>漢<rp>(</rp><rt>かん</rt><rp>)</rp>字<rt></rt></ruby>を", "漢(かん)字を"),
        ("<math><mfrac><mi>a</mi><mi>b</mi></mfrac></math>", "a/b"),
        (
            "<math> <mfrac><mrow><mi>a</mi> <mo>+</mo> <mn>1</mn></mrow> <mi>b</mi></mfrac></math>",
            "(a+1)/b",
        ),
        ("<math><msup><mi>x</mi><mn>24</mn></msup><mo>=</mo><msqrt>2</msqrt></math>", "x^24=2"),
        ("<math><mfrac><mtext>all</mtext><msqrt><mn>2</mn></msqrt></mfrac></math>", "all/2"),
        ("<math><msub><mi>x</mi><mi>i</mi></msub><annotation>x_i</annotation></math>", "x_i"),
    ],
)
def test_readings_and_formulas_are_no_part_of_the_word_before(written: str, read: str) -> None:
    assert html(f"<p>{written}</p>") == read


@pytest.mark.parametrize(
    ("written", "read"),
    [
        (
            "<p>Power<input type=checkbox checked> yes<input type=Radio>no",
            "Power \u2611 yes \u2610 no",
        ),
        ("<label>Owner<input value='Ida Berg'></label>", "Owner Ida Berg"),
        ("<p>Since <input type=date value=2031-05-01>", "Since 2031-05-01"),
        ("<p>a<input type=hidden value=x><input type=password value=x>b", "ab"),
        ("<p>a<input type=submit value=x><input type=file>b<input>", "ab"),
        ("<input type=checkbox id=menu><p>a<input value=x style='display:none'></p>", "a"),
        ("<p style='color:white'>a</p><p>b<input type=checkbox hidden>", "b"),
    ],
)
def test_what_is_filled_into_a_form_is_read(written: str, read: str) -> None:
    assert html(written) == read


_ON_A_PAGE = f"<p>{'Ropes are spliced by hand. ' * 9}</p>"


@pytest.mark.parametrize(
    "section",
    [
        "<section id=cookies><h2>Cookies</h2><p>Read them from the request.</p></section>",
        "<div class=section id=cookie-recipes><h3>Cookie recipes</h3>Take flour.</div>",
        "<section id=informed-consent><p>The patient signs form 7.</p></section>",
    ],
)
def test_a_section_about_cookies_is_read(section: str) -> None:
    page = page_of(_ON_A_PAGE + section, HTML)

    assert page.unread == ()
    assert page.text.endswith((".", "flour."))
    assert len(page.text) > len(_ON_A_PAGE)


@pytest.mark.parametrize(
    "notice",
    [
        "<div id=cookie-notice>We use cookies.</div>",
        "<aside class=gdpr><h2>Your privacy</h2>We share it.<button>Accept</button></aside>",
        "<div class='consent-banner'><p>We share your data.</p></div>",
    ],
)
def test_a_notice_of_cookies_is_left_out_and_named(notice: str) -> None:
    page = page_of(_ON_A_PAGE + notice, HTML)

    assert page.text.endswith("by hand.")
    assert page.unread[0].startswith("navigation, notices of cookies and footers")


# --------------------------------------------------------------------------------------- hidden


@pytest.mark.parametrize(
    "hidden",
    [
        "<p hidden>SECRET</p>",
        "<p style='color:red; DISPLAY : None !important'>SECRET</p>",
        "<p style='display:/**/none'>SECRET</p>",
        "<p style='visibility:hidden'><b>SEC</b>RET</p>",
        "<p style='opacity:0.00'>SECRET</p>",
        "<p style='font-size:0px'>SECRET</p>",
        "<dialog>SECRET</dialog>",
        "<div hidden><p>SECRET<script>uncounted()</script></p></div>",
        "<div style='font-size:0'><p style='font-size:2em'>SECRET</p></div>",
        "<p style='font:0/0 a'>SECRET</p>",
        "<p style='position:absolute;left:-9999px;margin-left:50px'>SECRET</p>",
        "<p style='position:fixed;inset:0 auto auto -100vw'>SECRET</p>",
        f"<p style='position:fixed;left:-{'9' * 400}px;margin-left:{'9' * 400}em'>SECRET</p>",
        "<p style='position:absolute;left:-100%;padding-left:40%'>SECRET</p>",
        "<p style='position:absolute;left:-9999px;margin-left:99999px'>SECRET</p>",
        "<p style='position:absolute;margin-top:-600px;padding-top:40%'>SECRET</p>",
        "<p style='margin:0 0 0 -9999px'>SECRET</p>",
        "<p style='left:9999px;margin-left:-9999px'>SECRET</p>",
        "<p style='transform:translate(-100%,0)'>SECRET</p>",
        "<p style='padding-left:2em;text-indent:-9999px'>SECRET</p>",
        "<p style='background:teal;color:#008080'>SECRET</p>",
        "<p style='background:rgba(0,0,0,.03);color:white'>SECRET</p>",
        "<p style='background:none;color:hsl(0 0% 100%)'>SECRET</p>",
        "<p style='background:nosuchcolour;color:white'>SECRET</p>",
        "<p style='color:rgb(0 0 0 / 2%)'>SECRET</p>",
        "<p><font color=FFFFFF>SECRET</font></p>",
        "<table bgcolor=navy><tr><td style='color:navy'>SECRET</table>",
        "<p style='background:white;background-clip:text;color:transparent'>SECRET</p>",
    ],
)
@pytest.mark.parametrize("content_type", [HTML, MARKDOWN])
def test_what_a_file_hides_is_left_out_and_counted(content_type: str, hidden: str) -> None:
    """S4-01: text for machines only does not get in, and the page says how much there was."""
    page = page_of(f"<p>seen</p>\n\n{hidden}\n\n<p>too</p>", content_type)

    assert (page.text, page.hidden_characters) == ("seen\n\ntoo", 6)


@pytest.mark.parametrize(
    "unseen",
    [
        "<script>alert('x')</script>",
        "<style>p{}</style>",
        "<!-- x -->",
        "<template><p>x</p></template>",
        "<noscript>x</noscript>",
        "<svg><text>x</text></svg>",
        "<iframe srcdoc='x'>x</iframe>",
        "<object data='data:text/html,x'>x</object>",
        "<head><title>x</title></head>",
    ],
)
def test_what_is_no_text_is_none(unseen: str) -> None:
    page = page_of(f"<p>a</p>{unseen}<p>b</p>", HTML)

    assert (page.text, page.hidden_characters) == ("a\n\nb", 0)


@pytest.mark.parametrize(
    "seen",
    [
        "<p aria-hidden=true>x</p>",
        "<p hidden=until-found>x</p>",
        "<dialog open>x</dialog>",
        "<details><summary>x</summary></details>",
        "<p style='opacity:0.5;font-size:10px;display:block'>x</p>",
        "<p style='transform:scale(1.2.3)'>x</p>",
        "<p style='transform:scale(..5)'>x</p>",
        "<div style='font-size:0px'><p><span style='font-size:13px'>x</span></p></div>",
        "<div style='font-size:0'><p style='font:1em/1 a;font-size:medium'>x</p></div>",
        "<p style='position:absolute;top:50%;left:50%;transform:translate(-50%,-50%)'>x</p>",
        "<p style='transform:translateX(-50%)'>x</p>",
        "<p style='position:absolute;left:50%;margin-left:-480px'>x</p>",
        "<p style='position:relative;left:50%;margin-left:-50vw'>x</p>",
        "<p style='margin:0 -9999rem;padding:.25rem 9999rem'>x</p>",
        "<p style='margin:0 calc(-50vw + 50%)'>x</p>",
        "<p style='margin:0 -100%;padding:0 100%'>x</p>",
        "<p style='position:absolute;left:-100vw;padding-left:100vw'>x</p>",
        "<p style='margin-bottom:-9999px;padding-bottom:9999px'>x</p>",
        "<p style='background:teal;color:white'>x</p>",
        "<p style='background:darkblue;color:#fff'>x</p>",
        "<p style='background:rebeccapurple;color:white'>x</p>",
        "<p style='background:var(--brand);color:white'>x</p>",
        "<p style='background:#000;color:var(--paper)'>x</p>",
        "<p style='color:var(--white)'>x</p>",
        "<p style='color:color-mix(in srgb, white 20%, navy)'>x</p>",
        "<p style='color:color-mix(in srgb, transparent 20%, navy)'>x</p>",
        "<p style='background:rgb(var(--dark), 255, 255, 255);color:white'>x</p>",
        f"<p style='color:white;background:rgb({'9' * 400},0,0)'>x</p>",
        "<p style='background:oklch(30% .1 250);color:white'>x</p>",
        "<p style='background:rgba(0,0,0,.45);color:#fff'>x</p>",
        "<p style='background:rgb(0 0 0 / 5%)'>x</p>",
        "<p style='background:hsl(210,60%,20%);color:hsl(40,80%,90%)'>x</p>",
        "<table><tr><td bgcolor='#003366' style='color:#fff'>x</table>",
        "<table bgcolor=000000><tr><td><font color=white>x</font></table>",
        "<body background=sky.png text=white>x",
        "<p style='background:linear-gradient(red,blue);background-clip:text;color:transparent'>x",
        "<link rel=stylesheet href=a.css><p style='background:#000'>x</p>",
    ],
)
def test_what_can_be_seen_is_kept(seen: str) -> None:
    assert html(seen) == "x"


def test_a_file_with_only_hidden_text_says_so() -> None:
    assert page_of("<p hidden>x</p>", HTML).outcome is PageOutcome.HIDDEN_ONLY
    assert page_of("<p> </p>", HTML).outcome is PageOutcome.EMPTY


def test_hidden_characters_count_on_the_page_they_stand_on() -> None:
    body = f"<p>{'word ' * 700}</p><p hidden>abc</p><p>{'word ' * 700}</p>"

    assert [page.hidden_characters for page in pages_of(body, HTML)] == [0, 3, 0]


# ------------------------------------------------------------------------------ reStructuredText


def test_no_directive_is_carried_out() -> None:
    body = (
        ".. include:: /etc/passwd\n\n.. raw:: html\n   :file: /etc/passwd\n\n"
        ".. csv-table::\n   :file: /etc/passwd\n\n.. csv-table::\n   :url: file:///etc/passwd\n\n"
        ".. raw:: html\n\n   <b>raw</b>\n\n|day|\n\n.. |day| date::\n\n"
        ".. code::\n   :include: /etc/passwd\n\nend\n"
    )

    assert rst(body) == "|day|\n\nend"


def test_what_only_sphinx_knows_keeps_its_words() -> None:
    body = (
        ".. versionadded:: 2.0\n   New *here*.\n\n.. py:function:: f(x)\n   :async:\n\n"
        "   Says :ref:`so\n   <target>` and :py:class:`Pump`.\n\n"
        ".. toctree::\n   :maxdepth: 2\n\n   a\n   b\n"
    )

    assert rst(body) == "2.0 New here.\n\nf(x)\n\nSays so and Pump."


def test_notes_fields_and_options_lead_in_on_the_same_line() -> None:
    body = (
        ":Author: Ada\n\n.. note:: Careful.\n\n-v, --all  Says more\n--file=F   Which [1]_\n\n"
        ".. [1] Below.\n"
    )

    assert rst(body).split("\n\n") == [
        "Author: Ada",
        "Note: Careful.",
        "-v, --all Says more",
        "--file=F Which [1]",
        "[1] Below.",
    ]


def test_what_docutils_complains_about_is_no_text() -> None:
    assert rst("A title\n=====\n\n*open\n\n.. image::\n\n.. table:: x\n\n   no table\n\nend") == (
        "A title\n\n*open\n\nend"
    )


def test_contents_are_not_read_twice() -> None:
    assert rst(".. contents:: Inhalt\n\nA\n=\n\nx\n\nB\n=\n\ny\n") == "A\n\nx\n\nB\n\ny"


# ---------------------------------------------------------------------------------------- limits


@pytest.mark.parametrize("content_type", [MARKDOWN, HTML, RST])
def test_budgets_end_the_reading(content_type: str) -> None:
    with pytest.raises(TooMuchText):
        pages_of("word " * 10, content_type, Budgets(document_characters=20))
    with pytest.raises(TooManyPages):
        pages_of("word " * 2_000, content_type, Budgets(max_pages=2))


def test_lists_too_deep_to_be_read_whole_are_refused() -> None:
    with pytest.raises(ResourceExhausted, match="deep"):
        pages_of(">" * 200 + " lost", MARKDOWN)
    assert markdown(">" * 90 + " kept") == "kept"


def test_a_long_line_of_restructured_text_is_refused_not_dropped() -> None:
    with pytest.raises(TooMuchText, match="line 3"):
        pages_of("a\n\n" + "x" * 100_001, RST)
    assert "".join(page.text for page in pages_of("x" * 99_999, RST)) == "x" * 99_999


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("Lot no.: 7\nBest before: 12.10.2025", "Lot no.: 7\nBest before: 12.10.2025"),
        ("**Weight:** 41 kg\n*Max. head*: 62 m", "Weight: 41 kg\nMax. head: 62 m"),
        ("Pump\nWeight: 41 kg\nHead: 62 m", "Pump\nWeight: 41 kg\nHead: 62 m"),
        ("Made by: Olsen and\nSons\nLot: 7\nSize: 3", "Made by: Olsen and Sons\nLot: 7\nSize: 3"),
        ("- Lot: 7\n  Size: 3", "- Lot: 7\nSize: 3"),
        ("It has two parts: a pump\nand a filter.", "It has two parts: a pump and a filter."),
        ("One says:\nTwo says: no.", "One says: Two says: no."),
        (
            "See http://a.example/x\nor https://b.example",
            "See http://a.example/x or https://b.example",
        ),
    ],
)
def test_labelled_values_of_markdown_stay_lines_and_wrapped_prose_does_not(
    text: str, read: str
) -> None:
    assert markdown(text) == read


@pytest.mark.parametrize(
    ("rows", "text"),
    [
        ("<tr><th>Head<td>Lena<tr><th>Founder<td>Hugo", "Head: | Lena\nFounder: | Hugo"),
        ("<tr><td><b>Open</b><td>9:00<tr><td><p><b>Fee:</b></p><td>3", "Open: | 9:00\nFee: | 3"),
        (
            "<tr><th colspan=2>Museum<tr><th>Head<td>Lena<tr><th>Founder<td>Hugo",
            "Museum\nHead: | Lena\nFounder: | Hugo",
        ),
        ("<thead><tr><th>Boat<th>Fare<tbody><tr><th>Gull<td>3", "Boat | Fare\nGull | 3"),
        ("<tr><th>Boat<th>Fare<tr><th>Gull<td>3<tr><th>Auk<td>4", "Boat | Fare\nGull | 3\nAuk | 4"),
        ("<tr><td><b>Boat</b><td><b>Fare</b><tr><td>Gull<td>3", "Boat | Fare\nGull | 3"),
        ("<tr><td>Boat<td>Fare<tr><td>Gull<td>3", "Boat | Fare\nGull | 3"),
        (
            "<thead><tr><th><th><tbody><tr><td>Hull<td>steel<tr><td>Sail<td>cotton",
            "Hull: | steel\nSail: | cotton",
        ),
        ("<tr><th>Gull<td>3<td>4<tr><th>Auk<td>5<td>6", "Gull | 3 | 4\nAuk | 5 | 6"),
    ],
)
def test_rows_that_begin_with_a_head_each_are_pairs_without_names_of_columns(
    rows: str, text: str
) -> None:
    """Fails when: who founded a museum is "Head: Founder, Lena: Hugo"."""
    assert html(f"<table>{rows}</table>") == text
