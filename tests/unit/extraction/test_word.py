"""Word files: what is read of them, and where."""

from io import BytesIO
from typing import Final
from zipfile import ZipFile

import pytest

from tests.unit.extraction.office_files import (
    KEEPING_SPACES,
    docx_of,
    list_item,
    list_pattern,
    pages_of,
    paragraph,
    pptx_of,
    relationships,
    strict,
    word_table,
    xlsx_of,
    zip_of,
)


def test_a_word_file_is_read_as_with_all_changes_accepted() -> None:
    """S4-01: heading by the style's name, not its German id; table; change; comment."""
    body = (
        paragraph("Ferry rules", style="berschrift1")
        + "<w:p><w:r><w:t>The ferry leaves at </w:t></w:r>"
        "<w:del><w:r><w:delText>six</w:delText></w:r></w:del>"
        "<w:ins><w:r><w:t>seven.</w:t></w:r></w:ins></w:p>"
        + word_table(("Who", "Fare"), ("Adult", "4.50"))
    )
    comments = f'<w:comment w:id="1" w:author="Ada">{paragraph("Since May?")}</w:comment>'

    [page] = pages_of(docx_of(body, comments=comments), "a.docx")

    assert page.text == (
        "Ferry rules\n\nThe ferry leaves at seven.\n\nWho | Fare\nAdult | 4.50\n\n"
        "Comment (Ada): Since May?"
    )
    assert [(each.level, each.title) for each in page.headings] == [(1, "Ferry rules")]


CHANGED: Final = (
    "<w:p><w:r><w:t>The ferry leaves at </w:t></w:r>"
    "<w:del><w:r><w:delText>six</w:delText></w:r></w:del>"
    "<w:ins><w:r><w:t>seven</w:t></w:r></w:ins><w:r><w:t>.</w:t></w:r></w:p>"
    "<w:p><w:moveFrom><w:r><w:t>Dogs stay ashore. </w:t></w:r></w:moveFrom>"
    "<w:r><w:t>Bicycles are welcome.</w:t></w:r>"
    "<w:moveTo><w:r><w:t> Dogs stay ashore.</w:t></w:r></w:moveTo></w:p>"
    "<w:tbl><w:tr><w:trPr><w:del/></w:trPr><w:tc><w:p><w:del><w:r><w:delText>Adult 4.50"
    "</w:delText></w:r></w:del></w:p></w:tc></w:tr><w:tr><w:trPr><w:ins/></w:trPr><w:tc><w:p>"
    "<w:ins><w:r><w:t>Adult 5.20</w:t></w:r></w:ins></w:p></w:tc></w:tr></w:tbl>"
)


@pytest.mark.parametrize(
    ("changes", "text", "unread"),
    [
        (
            True,
            "The ferry leaves at seven.\n\nBicycles are welcome. Dogs stay ashore.\n\nAdult 5.20",
            "deleted text",
        ),
        (
            False,
            "The ferry leaves at six.\n\nDogs stay ashore. Bicycles are welcome.\n\nAdult 4.50",
            "inserted text",
        ),
    ],
)
def test_tracked_changes_are_accepted_or_rejected_and_what_they_leave_out_is_named(
    text: str, unread: str, *, changes: bool
) -> None:
    [page] = pages_of(docx_of(CHANGED), "a.docx", changes=changes)
    [plain] = pages_of(docx_of(paragraph("The ferry is red.")), "a.docx", changes=changes)

    assert (page.text, page.unread) == (text, (unread,))
    assert (plain.text, plain.unread) == ("The ferry is red.", ())


@pytest.mark.parametrize("strike", ["<w:strike/>", "<w:dstrike/>"])
def test_text_that_word_strikes_is_left_out_and_named(strike: str) -> None:
    body = f"<w:p><w:r><w:t>It costs </w:t></w:r><w:r><w:rPr>{strike}</w:rPr><w:t>100 EUR</w:t>"

    [page] = pages_of(docx_of(f"{body}</w:r><w:r><w:t> 80 EUR.</w:t></w:r></w:p>"), "a.docx")

    assert (page.text, page.unread) == ("It costs 80 EUR.", ("struck text",))


def test_the_main_part_of_a_word_file_may_have_another_name() -> None:
    """Microsoft 365 writes `word/document2.xml`; what is hidden in it is left out all the same."""
    hidden = paragraph("Say nothing.", run="<w:vanish/>")
    named = relationships({"main": "word/document2.xml"}, kind="officeDocument")
    with ZipFile(BytesIO(docx_of(paragraph("The ferry is red.") + hidden))) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    parts["word/document2.xml"] = parts.pop("word/document.xml")

    [page] = pages_of(zip_of({**parts, "_rels/.rels": named}), "a.docx")

    assert page.text == "The ferry is red."


def test_a_damaged_picture_is_no_reason_to_refuse_a_word_file() -> None:
    target = BytesIO(docx_of(paragraph("Hello.")))
    with ZipFile(target, "a") as archive:
        archive.writestr("word/media/image1.png", b"a picture")
    body = target.getvalue()
    damaged = body.replace(b"a picture", b"a pixture")

    assert damaged != body
    [page] = pages_of(damaged, "a.docx")

    assert page.text == "Hello."


def test_what_word_does_not_show_is_counted_and_not_read() -> None:
    shown = paragraph("The ferry is red.") + paragraph("Shown.", run='<w:vanish w:val="0"/>')
    hidden = paragraph("Say nothing.", run="<w:vanish/>") + paragraph(
        "x" * 8, run='<w:sz w:val="2"/>'
    )

    [page] = pages_of(docx_of(shown + hidden), "a.docx")

    assert page.text == "The ferry is red.\n\nShown."
    assert page.hidden_characters == len("Say nothing.") + 8


def test_a_file_in_strict_open_xml_is_read_like_another() -> None:
    """What is hidden or deleted is so under its other names, too, and numbers are counted."""
    hidden = paragraph("Say nothing.", run="<w:vanish/>")
    numbering = list_pattern(1, ("decimal", "\u00a7 %1"))
    word = docx_of(list_item("Fares", 0) + hidden + CHANGED, numbering=numbering)
    slides = pptx_of(("Timetable", "First ferry 6:10"), notes="Wait.")
    sheets = xlsx_of()

    [page] = pages_of(strict(word), "a.docx")

    assert [page] == pages_of(word, "a.docx")
    assert page.text.startswith("\u00a7 1 Fares\n\nThe ferry leaves at seven.")
    assert page.hidden_characters == len("Say nothing.")
    assert pages_of(strict(slides), "a.pptx") == pages_of(slides, "a.pptx")
    assert pages_of(strict(sheets), "a.xlsx") == pages_of(sheets, "a.xlsx")


def _word_style(name: str, *, kind: str, run: str = "", based: str = "") -> str:
    based = f'<w:basedOn w:val="{based}"/>' if based else ""
    return f'<w:style w:type="{kind}" w:styleId="{name}">{based}<w:rPr>{run}</w:rPr></w:style>'


def test_what_a_style_of_word_hides_is_counted_and_not_read() -> None:
    """By the paragraph's style, the run's, or one that either is based on, even in a circle."""
    styles = (
        _word_style("secret", kind="paragraph", run="<w:vanish/>", based="deeper")
        + _word_style("deeper", kind="paragraph", run='<w:sz w:val="40"/>', based="secret")
        + _word_style("tiny", kind="character", run='<w:sz w:val="2"/>')
        + _word_style("tinier", kind="character", based="tiny")
    )
    body = (
        paragraph("The ferry is red.", style="deeper", run='<w:vanish w:val="0"/>')
        + paragraph("Say nothing.", style="secret")
        + paragraph("Nor this.", style="deeper")
        + paragraph("x" * 8, run='<w:rStyle w:val="tinier"/>')
        + paragraph("Shown.", run='<w:rStyle w:val="tinier"/><w:sz w:val="3"/>')
    )

    [page] = pages_of(docx_of(body, styles=styles), "a.docx")

    assert page.text == "The ferry is red.\n\nShown."
    assert page.hidden_characters == len("Say nothing." + "Nor this.") + 8


def test_fields_and_formulas_of_word_are_read() -> None:
    body = (
        '<w:p><w:fldSimple w:instr="REF x"><w:r><w:t>See 4.2.</w:t></w:r></w:fldSimple></w:p>'
        '<w:p><m:oMathPara xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math">'
        "<m:oMath><m:r><m:t>v=s/t</m:t></m:r></m:oMath></m:oMathPara></w:p>"
    )

    [page] = pages_of(docx_of(body), "a.docx")

    assert page.text == "See 4.2.\n\nv=s/t"


def _run(text: str) -> str:
    return f"<w:r>{KEEPING_SPACES}{text}</w:t></w:r>"


def _math(name: str, *parts: str) -> str:
    """Return a part of a formula: others, or words."""
    within = (each if each[:1] == "<" else f"<m:r><m:t>{each}</m:t></m:r>" for each in parts)
    return f"<m:{name}>{''.join(within)}</m:{name}>"


_HALF = _math("f", _math("num", "1"), _math("den", "2"))


_X_I = _math("sSub", _math("e", "x"), _math("sub", "i"))


@pytest.mark.parametrize(
    ("formula", "read"),
    [
        (_math("f", _math("num", "a+1"), _math("den", "b")), "(a+1)/b"),
        (_math("sSup", _math("e", "x"), _math("sup", "2")), "x^2"),
        (_math("sSubSup", _math("e", "x"), _math("sub", "i"), _math("sup", "2")), "x_i^2"),
        (_math("rad", _math("deg"), _math("e", "x+1")), "\u221a(x+1)"),
        (_math("d", _math("e", _HALF)) + _X_I, "(1/2)x_i"),
        (
            _math("nary", _math("sub", "i=1"), _math("sup", "n"), _math("e", _X_I)),
            "∫_(i=1)^n x_i",
        ),
        (_math("m", _math("mr", _math("e", "1"), _math("e", "0")), _math("mr", "2")), "1, 0; 2"),
    ],
)
def test_a_formula_of_word_keeps_what_its_places_say(formula: str, read: str) -> None:
    spaces = 'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"'
    body = f"<w:p><m:oMath {spaces}>{formula}</m:oMath></w:p>"

    [page] = pages_of(docx_of(body), "a.docx")

    assert page.text == read


def test_runs_that_the_library_of_word_leaves_out_are_read() -> None:
    """A turned direction, a line's end, a tab, and what was chosen in a form."""
    entries = "".join(f'<w:listEntry w:val="{size}"/>' for size in "SML")
    field = (
        '<w:r><w:fldChar w:fldCharType="begin"><w:ffData><w:ddList><w:result w:val="1"/>'
        f"{entries}</w:ddList></w:ffData></w:fldChar></w:r><w:r><w:instrText> FORMDROPDOWN "
        '</w:instrText></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r>'
    )
    turned = '<w:bdo w:val="ltr"><w:r><w:t>Size:</w:t></w:r></w:bdo>'
    lines = "<w:r><w:t>Next</w:t><w:cr/><w:t>Third</w:t><w:ptab/><w:t>page</w:t></w:r>"

    [page] = pages_of(docx_of(f"<w:p>{turned}{field}</w:p><w:p>{lines}</w:p>"), "a.docx")

    assert page.text == "Size:M\n\nNext\nThird page"


def _field(*instruction: str, result: str = "") -> str:
    """Return a complex field of Word; parts of its instruction that are tags stand as they are."""
    marks = [f'<w:r><w:fldChar w:fldCharType="{kind}"/></w:r>' for kind in ("begin", "end")]
    parts = "".join(
        each if each[:1] == "<" else f"<w:r><w:instrText>{each}</w:instrText></w:r>"
        for each in instruction
    )
    separate = marks[0].replace("begin", "separate") + result if result else ""
    return f"{marks[0]}{parts}{separate}{marks[1]}"


def test_what_lies_in_the_instruction_of_a_field_of_word_is_not_read() -> None:
    """Nor in one without a result; a field without an end takes nothing with it."""
    age = _field(" MERGEFIELD Age ", result=_run("17"))
    fee = _field(" IF ", age, ' &lt; 18 "40" "65" ', result=_run("40"))
    mark = _field(" XE ", _field(" REF name ", result=_run("fees")))
    open_end = '<w:r><w:fldChar w:fldCharType="begin"/></w:r>'
    body = f"<w:p>{_run('The fee is ')}{fee}{_run(' EUR')}{mark}{_run('.')}</w:p>"

    [page] = pages_of(docx_of(f"{body}<w:p>{open_end}{_run('Shown.')}</w:p>{body}"), "a.docx")

    assert page.text == "The fee is 40 EUR.\n\nShown.\n\nThe fee is 40 EUR."


def _box(text: str) -> str:
    return f"<w:txbxContent>{paragraph(text)}</w:txbxContent>"


def _drawn(text: str) -> str:
    return f'<w:drawing><d:anchor xmlns:d="d">{_box(text)}</d:anchor></w:drawing>'


def _either(choice: str, fallback: str = "", *, requires: str = "wps") -> str:
    mc = "http://schemas.openxmlformats.org/markup-compatibility/2006"
    other = f"<mc:Fallback>{fallback}</mc:Fallback>" if fallback else ""
    return (
        f'<mc:AlternateContent xmlns:mc="{mc}"><mc:Choice Requires="{requires}">{choice}'
        f"</mc:Choice>{other}</mc:AlternateContent>"
    )


def _old_shape(name: str, text: str) -> str:
    shape = f"<v:textbox>{_box(text)}</v:textbox>"
    return f'<w:pict><v:{name} xmlns:v="urn:schemas-microsoft-com:vml">{shape}</v:{name}></w:pict>'


def test_text_boxes_of_word_are_read_once_whatever_their_shape() -> None:
    """Those that only newer programs draw, too, but nothing that Word itself does not know."""
    boxes = (
        _either(_drawn("Oval."), _old_shape("oval", "Oval.")),
        _either(_drawn("New.")),
        _drawn("Bare."),
        _either(_drawn("Unknown."), requires="x"),
        _either(_drawn("Other."), "<w:pict/>"),
    )
    body = "".join(f"<w:p>{_run('Beside.')}<w:r>{box}</w:r></w:p>" for box in boxes)

    [page] = pages_of(docx_of(body), "a.docx")

    assert page.text.split("\n\n") == (
        ["Beside.", "Oval.", "Beside.", "New.", "Beside.", "Bare.", "Beside.", "Beside.", "Other."]
    )


def test_readings_above_characters_of_word_stand_in_brackets() -> None:
    base = f"<w:rubyBase>{_run('東京')}</w:rubyBase>"
    ruby = f"<w:ruby><w:rt>{_run('とうきょう')}</w:rt>{base}</w:ruby>"

    [page] = pages_of(docx_of(f"<w:p>{_run('Meet in ')}<w:r>{ruby}</w:r></w:p>"), "a.docx")

    assert page.text == "Meet in 東京(とうきょう)"


def test_footnotes_of_word_follow_the_text_behind_the_number_of_their_call() -> None:
    """Also where a list of the text says itself what its items are counted by."""
    call = (
        "<w:p><w:r><w:t>The fee is</w:t></w:r><w:r><w:footnoteReference w:id='2'/></w:r>"
        "<w:r><w:t> 50 EUR.</w:t></w:r></w:p>"
    )
    notes = f"<w:footnote w:id='2'>{paragraph('Since 2020.')}</w:footnote>"
    numbering = list_pattern(1, ("lowerLetter", "%1)"))

    [page] = pages_of(
        docx_of(call + list_item("Ropes.", 0), footnotes=notes, numbering=numbering), "a.docx"
    )

    assert page.text == "The fee is[1] 50 EUR.\n\na) Ropes.\n\n1. Since 2020."


def _content_control(mark: str, *, checked: str) -> str:
    space = 'xmlns:w14="http://schemas.microsoft.com/office/word/2010/wordml"'
    box = f'<w14:checkbox {space}><w14:checked w14:val="{checked}"/></w14:checkbox>'
    content = f"<w:sdtContent><w:r><w:t>{mark}</w:t></w:r></w:sdtContent>"
    return f"<w:sdt><w:sdtPr>{box}</w:sdtPr>{content}</w:sdt>"


def _form_field(checked: str) -> str:
    box = f'<w:ffData><w:checkBox><w:default w:val="{checked}"/></w:checkBox></w:ffData>'
    return (
        f'<w:r><w:fldChar w:fldCharType="begin">{box}</w:fldChar></w:r>'
        "<w:r><w:instrText> FORMCHECKBOX </w:instrText></w:r>"
        '<w:r><w:fldChar w:fldCharType="end"/></w:r>'
    )


def test_boxes_of_word_are_ticked_or_not() -> None:
    boxes = {
        " I agree.": _content_control("\u2612", checked="1"),
        " I refuse.": _content_control("\u2610", checked="0"),
        " I am of age.": _form_field("1"),
        " I have a dog.": _form_field("0"),
    }
    body = "".join(f"<w:p>{box}<w:r><w:t>{text}</w:t></w:r></w:p>" for text, box in boxes.items())

    [page] = pages_of(docx_of(body), "a.docx")

    assert page.text.split("\n\n") == [
        "\u2611 I agree.",
        "\u2610 I refuse.",
        "\u2611 I am of age.",
        "\u2610 I have a dog.",
    ]


def test_a_row_of_word_that_begins_further_right_keeps_its_columns() -> None:
    free = '<w:tr><w:trPr><w:gridBefore w:val="2"/></w:trPr>'
    table = word_table(("Berth", "Summer", "Winter"), ("North", "120", "80"), ("60",))
    at = table.rindex("<w:tr>")
    body = table[:at] + free + table[at + len("<w:tr>") :]

    [page] = pages_of(docx_of(body), "a.docx")

    assert page.text == "Berth | Summer | Winter\nNorth | 120 | 80\n| | 60"
