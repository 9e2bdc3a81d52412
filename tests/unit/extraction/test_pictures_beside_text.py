"""Words on pictures that stand beside the text of a page: a pasted table, a screenshot."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Literal
from uuid import UUID

import pytest
from PIL import Image
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas

from pulsedocs.extraction import Budgets
from pulsedocs.extraction.pdf import PdfFile
from pulsedocs.extraction.recognition import RecognisedText, Recogniser, Word
from pulsedocs.extraction.words_on_pictures import with_words
from pulsedocs.model.highlights import PagePlace, StoredPage, languages_of, place_of
from pulsedocs.model.pages import Heading, Page, PageOutcome, PicturePlace, recognised_stretches
from pulsedocs.model.warnings import warnings_of
from tests.unit.extraction.pasted import ABOVE, BELOW, PLACE, SCANNED, foliage, picture_of, report
from tests.unit.extraction.scans import drawn


@pytest.fixture(scope="module")
def recogniser() -> Recogniser:
    return Recogniser(["eng"])


def read(body: bytes, recogniser: Recogniser | None) -> Page:
    [page] = PdfFile(body, budgets=Budgets(), recogniser=recogniser).pages()
    return page


def own_text(page: Page) -> str:
    text, at = "", 0
    for start, end in recognised_stretches(page.text, page.certainties):
        text, at = text + page.text[at:start], end
    return text + page.text[at:]


def test_words_of_a_picture_stand_where_it_does_and_the_text_stays(recogniser: Recogniser) -> None:
    body = report(picture_of(SCANNED))
    plain = read(body, None)

    page = read(body, recogniser)

    lines = [line for line in page.text.split("\n") if line]
    assert lines == [*ABOVE, *SCANNED, *BELOW]
    assert own_text(page) == plain.text
    assert page.outcome is PageOutcome.TEXT
    assert not page.needs_recognition


def test_how_sure_the_engine_is_is_kept_of_recognised_words_only(recogniser: Recogniser) -> None:
    page = read(report(picture_of(SCANNED)), recogniser)

    by_word = dict(zip(page.text.split(), page.certainties, strict=True))
    assert by_word["bicycle"] is not None
    assert by_word["bicycle"] > 80
    assert by_word["council"] is None
    assert page.confidence is not None
    assert page.confidence > 0.9
    assert languages_of(page.parser) == ("eng",)


def test_a_page_whose_pictures_nobody_has_read_is_named(recogniser: Recogniser) -> None:
    body = report(picture_of(SCANNED))

    assert warnings_of([read(body, None)]) == [
        "page 1: not read: words on pictures beside the text, if there are any"
    ]
    assert warnings_of([read(body, recogniser)]) == [
        "page 1: words on pictures were recognised by a program and may be wrong"
    ]


@pytest.mark.parametrize(
    "picture",
    [
        foliage(),
        Image.effect_noise((900, 400), 90),
        Image.effect_mandelbrot((900, 400), (-2, -1, 1, 1), 60),
    ],
    ids=["leaves", "noise", "curves"],
)
def test_a_picture_without_words_adds_nothing(picture: Image.Image, recogniser: Recogniser) -> None:
    body = report(picture)

    page = read(body, recogniser)

    assert page.text == read(body, None).text
    assert (page.parser, page.certainties, page.confidence) == ("pdfium", (), None)
    assert not warnings_of([page])


def test_text_drawn_over_a_picture_is_not_read_twice(recogniser: Recogniser) -> None:
    def caption(canvas: Canvas) -> None:
        canvas.setFont("Times-Roman", 12)
        canvas.drawString(96, PLACE[1] + 12, "Copied from the harbour office in May.")

    page = read(report(picture_of(SCANNED), caption), recogniser)

    words = Counter(page.text.split())
    assert (words["harbour"], words["bicycle"]) == (1, 1)


@pytest.mark.parametrize("mode", [3, 7])
def test_a_hidden_layer_over_a_picture_does_not_keep_it_from_being_read(
    mode: Literal[3, 7], recogniser: Recogniser
) -> None:
    """Programs that recognise write what they found, or something else, over the picture."""

    def layer(canvas: Canvas) -> None:
        text = canvas.beginText(96, PLACE[1] + PLACE[3] - 40)
        text.setTextRenderMode(mode)
        for line in (*SCANNED, *SCANNED, "Everything is free of charge today."):
            text.textLine(line)
        canvas.drawText(text)

    page = read(report(picture_of(SCANNED), layer), recogniser)

    words = Counter(page.text.split())
    assert (words["bicycle"], words["Everything"]) == (1, 0)


def test_a_picture_that_was_cut_into_strips_is_one(recogniser: Recogniser) -> None:
    picture = picture_of(SCANNED)
    left, bottom, width, height = PLACE
    rows = picture.height // 6

    def strips(canvas: Canvas) -> None:
        for number in range(6):
            strip = picture.crop((0, number * rows, picture.width, (number + 1) * rows))
            top = bottom + height - (number + 1) * height / 6
            canvas.drawInlineImage(strip, left, top, width, height / 6)

    page = read(report(None, strips), recogniser)

    assert [line for line in page.text.split("\n") if line] == [*ABOVE, *SCANNED, *BELOW]


def test_a_sentence_that_flows_around_a_picture_is_not_divided(recogniser: Recogniser) -> None:
    def flowing(canvas: Canvas) -> None:
        canvas.setFont("Times-Roman", 12)
        canvas.drawString(72, 560, "The harbour master opens the gate an hour before")
        canvas.drawString(72, 340, "the first crossing and closes it behind the last.")

    page = read(report(picture_of(SCANNED), flowing), recogniser)

    sentence = "an hour before\nthe first crossing and closes it behind the last."
    assert sentence in page.text
    assert page.text.index(SCANNED[0]) > page.text.index(sentence)


def test_a_picture_in_a_column_is_read_with_that_column(recogniser: Recogniser) -> None:
    def columns(canvas: Canvas) -> None:
        canvas.setFont("Times-Roman", 10)
        for left, name, rows in ((60, "left", range(30)), (330, "right", range(14, 30))):
            for row in rows:
                canvas.drawString(left, 740 - 20 * row, f"Line {row} of the {name} column says so.")
        canvas.drawImage(ImageReader(picture_of(SCANNED[:1], size=28)), 330, 500, 240, 240)

    page = read(drawn(columns), recogniser)

    text = page.text
    assert text.index("29 of the left") < text.index("bicycle") < text.index("14 of the right")


def test_places_of_words_count_in_the_part_that_they_are_of(recogniser: Recogniser) -> None:
    page = read(report(picture_of(SCANNED)), recogniser)

    own, pictured, both = (
        place(page, *words) for words in (("council",), ("bicycle",), ("night", "ticket"))
    )

    assert [bool(each.ranges) for each in (own, pictured, both)] == [True, False, True]
    assert [bool(each.picture_ranges) for each in (own, pictured, both)] == [False, True, True]
    assert [each.is_recognised for each in (own, pictured, both)] == [False, True, True]


def place(page: Page, first: str, last: str = "") -> PagePlace:
    stored = StoredPage(
        "1", "application/pdf", page.parser, page.text, page.text, None, page.certainties
    )
    start = page.text.index(first)
    end = page.text.index(last or first, start) + len(last or first)
    return place_of(UUID(int=1), UUID(int=2), 1, stored, start=start, end=end)


BOX = (0.0, 0.0, 100.0, 100.0)
PAGE = Page(1, "Above.\nBelow.", PageOutcome.TEXT, "pdfium", pictures=(PicturePlace(BOX, 6),))


def found_on_it(*words: tuple[str, float]) -> RecognisedText:
    """Return words of one paragraph, in the middle of the picture."""
    text = " ".join(word for word, _ in words)
    starts = [len(" ".join(word for word, _ in words[:at])) + bool(at) for at in range(len(words))]
    return RecognisedText(
        text,
        [
            Word(start, start + len(word), (40, 40, 60, 60), sure)
            for start, (word, sure) in zip(starts, words, strict=True)
        ],
    )


@pytest.mark.parametrize(
    ("words", "text"),
    [
        ([("Marquette", 0.96)], "Above.\n\nMarquette\n\n\nBelow."),
        ([("do", 0.9), ("not", 0.4), ("enter", 0.9)], "Above.\n\ndo not enter\n\n\nBelow."),
        ([("ei", 0.9), ("=", 0.9), ("a", 0.9)], PAGE.text),
        ([("Valuagj", 0.5)], PAGE.text),
        ([("oak", 0.75), ("fir]oe*%gud9", 0.2)], PAGE.text),
    ],
    ids=["a sure word", "a doubtful one in a sentence", "specks", "no sure word", "leaves"],
)
def test_only_paragraphs_that_are_likely_words_are_added(
    words: Sequence[tuple[str, float]], text: str
) -> None:
    """As Tesseract sees leaves, maps and machines; a sentence is kept with all of its words."""
    assert with_words(PAGE, found_on_it(*words), reader="tesseract").text == text


def test_what_lies_outside_of_the_pictures_is_not_added() -> None:
    elsewhere = replace(PAGE, pictures=(PicturePlace((200, 200, 300, 300), 6),))

    page = with_words(elsewhere, found_on_it(("Marquette", 0.96)), reader="tesseract")

    assert (page.text, page.parser) == (PAGE.text, "pdfium")


def test_headings_and_code_behind_a_picture_stay_with_their_lines() -> None:
    page = replace(PAGE, headings=(Heading(1, "Below.", 7),), verbatim=((0, 5), (7, 12)))

    read = with_words(page, found_on_it(("Marquette", 0.96)), reader="tesseract")

    [heading] = read.headings
    assert read.text[heading.start :] == "Below."
    assert [read.text[start:end] for start, end in read.verbatim] == ["Above", "Below"]
