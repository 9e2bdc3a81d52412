"""Words on pictures, as Tesseract reads them from a page that was drawn."""

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final, cast

import pypdfium2
import pytest
from PIL import Image
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas

from pulsedocs.extraction import Budgets, recognition
from pulsedocs.extraction.boxes import boxes_of
from pulsedocs.extraction.level_lines import levelled
from pulsedocs.extraction.pdf import PdfFile
from pulsedocs.extraction.recognition import Recogniser, has_data
from pulsedocs.model.highlights import Box, languages_of
from pulsedocs.model.pages import (
    ALWAYS_RECOGNISED,
    LOW_CONFIDENCE,
    RECOGNISED_LANGUAGES,
    Page,
    PageOutcome,
    likeliest_first,
)
from pulsedocs.model.warnings import warnings_of
from tests.unit.extraction.scans import drawn, misnamed, outlined, photographed, prose
from tests.unit.extraction.words_at import words_at

ENGLISH: Final = (
    "The ferry to Holm Island leaves the north pier at a quarter past seven.",
    "A ticket for a bicycle costs four pounds and is sold on board only.",
    "In a storm the crossing is cancelled, and the bus at the church runs instead.",
)
GERMAN: Final = (
    "Die Fähre zur Insel legt täglich um sieben Uhr an der Nordbrücke ab.",
    "Für Fahrräder kostet die Überfahrt vier Euro; größere Gepäckstücke sind frei.",
)


@pytest.fixture(scope="module")
def recogniser() -> Recogniser:
    return Recogniser(["eng", "deu"])


def read(body: bytes, recogniser: Recogniser | None) -> list[Page]:
    return list(PdfFile(body, budgets=Budgets(), recogniser=recogniser).pages())


def words(text: str) -> list[str]:
    return text.split()


@pytest.mark.parametrize("lines", [ENGLISH, GERMAN], ids=["English", "German"])
def test_every_word_of_a_clean_scan_is_read(recogniser: Recogniser, lines: Sequence[str]) -> None:
    [page] = read(photographed(prose(lines)), recogniser)

    assert page.outcome is PageOutcome.OCR
    assert words(page.text) == words(" ".join(lines))
    assert page.confidence is not None
    assert page.confidence > 0.9


@pytest.mark.parametrize("degrees", [90, 180, 270])
def test_a_sheet_that_lay_on_its_side_is_read(recogniser: Recogniser, degrees: int) -> None:
    [page] = read(photographed(prose(ENGLISH), turned=degrees), recogniser)

    assert words(page.text) == words(" ".join(ENGLISH))


def test_a_long_strip_is_not_turned() -> None:
    """Fails when: a slope of its few columns makes it 30 times as large, 1.3 GB of one bar."""
    strip = Image.new("L", (6000, 100), 255)
    strip.paste(0, (0, 40, 6000, 60))

    assert levelled(strip).size == levelled(strip).image.size == (6000, 100)


def test_who_recognised_a_page_is_known_with_the_languages(recogniser: Recogniser) -> None:
    [page] = read(photographed(prose(ENGLISH)), recogniser)

    assert languages_of(page.parser) == ("eng", "deu")
    assert languages_of("tesseract 5.5.2") == languages_of("pdfium") == ()


def test_the_data_of_each_language_that_may_be_chosen_is_in_the_layer() -> None:
    """The layer is built from these two locks."""
    requirements = Path(__file__).parents[3] / "requirements"
    wheels = (requirements / "ocr.in").read_text("utf-8")
    packages = (requirements / "languages/package.json").read_text("utf-8")

    of_wheels = re.findall(r"^tessdata\.fast-(\w+)==", wheels, re.MULTILINE)
    assert set(of_wheels) == set(ALWAYS_RECOGNISED)
    of_packages = re.findall(r"@tesseract\.js-data/(\w+)", packages)
    assert {*of_wheels, *of_packages} == set(RECOGNISED_LANGUAGES)


@pytest.mark.parametrize(
    ("code", "line"),
    [
        ("fra", "La forêt est fermée dès le premier août, sauf pour les élèves de Chênevière."),
        ("ita", "La società è aperta più a lungo perché il giovedì c'è già la fiera."),
        ("nld", "De coördinatie van de zeeën vergt ideeën én geduld, zegt de directeur."),
        ("pol", "Przewóz rowerów jest wieczór w wieczór dozwolony, a który wagon wozi, mówi plan."),
        ("por", "As estações não são iguais: a pensão fica à esquerda do salão de avós."),
        ("spa", "¿Cuándo abrirá el balneario? Mañana, según el año."),
    ],
)
def test_a_scan_in_another_language_keeps_its_letters(code: str, line: str) -> None:
    if not has_data(code):
        pytest.skip(f"the data of {code} is not on this machine: `make ocr-languages`")
    [page] = read(photographed(prose([line])), Recogniser([code, "eng", "deu"]))

    assert words(page.text) == words(line)


@pytest.mark.parametrize(
    ("language", "codes", "there", "first"),
    [
        ("french", ["eng", "deu"], {"fra"}, ["fra", "eng", "deu"]),
        ("french", ["eng", "deu"], set[str](), ["eng", "deu"]),
        ("german", ["eng", "deu"], {"deu"}, ["deu", "eng"]),
        ("spanish", [], {"spa"}, []),
        ("english", ["deu"], {"eng", "deu"}, ["deu"]),
        (None, ["eng"], {"eng"}, ["eng"]),
    ],
)
def test_the_language_of_a_collection_comes_first_where_its_data_is_there(
    language: str | None, codes: list[str], there: set[str], first: list[str]
) -> None:
    assert list(likeliest_first(codes, language=language, has_data=there.__contains__)) == first


def test_what_nobody_could_read_is_of_low_confidence(recogniser: Recogniser) -> None:
    noise = Image.effect_noise((600, 700), 90)

    [page] = read(
        drawn(lambda canvas: canvas.drawImage(ImageReader(noise), 0, 0, 612, 792)), recogniser
    )

    assert page.confidence is None or page.confidence < LOW_CONFIDENCE


def test_two_columns_are_read_one_after_the_other(recogniser: Recogniser) -> None:
    def columns(canvas: Canvas) -> None:
        for at, lines in ((60, ["alpha", "beta", "gamma"]), (330, ["one", "two", "three"])):
            for row in range(24):
                word = lines[row % 3]
                canvas.drawString(
                    at, 740 - 15 * row, f"The {word} line of this column says {word}."
                )

    [page] = read(photographed(drawn(columns)), recogniser)

    assert page.text.rfind("alpha") < page.text.find("one line")


def test_a_stamp_on_a_scan_does_not_stand_for_its_text(recogniser: Recogniser) -> None:
    scanned = photographed(prose(ENGLISH), stamp="Received 12 May")

    [unread] = read(scanned, None)
    [page] = read(scanned, recogniser)

    assert (unread.outcome, unread.text.strip()) == (PageOutcome.TEXT, "Received 12 May")
    assert unread.is_picture
    assert page.outcome is PageOutcome.OCR
    assert ENGLISH[1] in page.text.replace("\n", " ")


def test_an_invisible_mark_on_a_scan_does_not_stand_for_its_text(recogniser: Recogniser) -> None:
    [page] = read(photographed(prose(ENGLISH), layer=("Scanned with EasyScan",)), recogniser)

    assert words(page.text) == words(" ".join(ENGLISH))
    assert page.confidence is not None


def test_a_layer_that_says_what_a_scan_says_is_taken_for_it(recogniser: Recogniser) -> None:
    layer = ("Good text of a good program.",) * 30

    [page] = read(photographed(prose(ENGLISH), layer=layer), recogniser)

    assert words(page.text) == words(" ".join(layer))
    assert (page.outcome, page.confidence) == (PageOutcome.OCR, None)


@pytest.mark.parametrize("first", ["\ue020", "#"], ids=["private letters", "the third next one"])
def test_letters_that_mean_nothing_are_read_from_the_drawing(
    recogniser: Recogniser, first: str
) -> None:
    body = misnamed(prose(ENGLISH), first)

    [unread] = read(body, None)
    [page] = read(body, recogniser)

    assert "ferry" not in unread.text
    assert unread.is_picture
    assert words(page.text) == words(" ".join(ENGLISH))
    assert page.confidence is not None


def test_what_only_looks_garbled_stays_where_the_drawing_says_no_more(
    recogniser: Recogniser,
) -> None:
    dots = ["." * 60] * 20

    [page] = read(prose([*dots, "7"]), recogniser)

    assert (page.outcome, page.confidence) == (PageOutcome.TEXT, None)
    assert page.text.split() == [*dots, "7"]


def test_a_footer_below_letters_that_are_paths_does_not_stand_for_them(
    recogniser: Recogniser,
) -> None:
    body = outlined(prose(ENGLISH), "Exhibit 17")

    [unread] = read(body, None)
    [page] = read(body, recogniser)

    assert (unread.text.strip(), unread.is_picture) == ("Exhibit 17", True)
    assert page.outcome is PageOutcome.OCR
    assert words(page.text) == words(" ".join((*ENGLISH, "Exhibit 17")))


def test_a_page_with_text_of_its_own_is_read_as_it_is(recogniser: Recogniser) -> None:
    body = prose(ENGLISH)

    assert read(body, recogniser) == read(body, None)


def test_a_page_with_nothing_on_it_is_no_picture(recogniser: Recogniser) -> None:
    [page] = read(drawn(lambda _: None), recogniser)

    assert (page.outcome, page.is_picture) == (PageOutcome.EMPTY, False)


def test_a_drawing_without_words_has_been_looked_at_and_has_no_text(
    recogniser: Recogniser,
) -> None:
    """Valves and pipes look like letters: "QD"."""
    plan = plan_of_pipes()

    [unread] = read(plan, None)
    [page] = read(plan, recogniser)

    assert (unread.outcome, unread.is_picture) == (PageOutcome.EMPTY, True)
    assert (page.outcome, page.is_picture, page.text) == (PageOutcome.EMPTY, False, "")


@pytest.mark.parametrize("stamp", ["", "Received 12 May"])
def test_a_page_at_which_the_engine_gives_up_has_failed_and_is_not_called_empty(
    recogniser: Recogniser, monkeypatch: pytest.MonkeyPatch, stamp: str
) -> None:
    monkeypatch.setattr(recognition, "_PAGE_MS", 1)

    pages = read(photographed(prose(ENGLISH), prose(GERMAN), stamp=stamp), recogniser)

    assert [page.outcome for page in pages] == [PageOutcome.FAILED] * 2
    assert {page.failure for page in pages} == {"RESOURCE_EXHAUSTED"}
    assert warnings_of(pages) == ["2 of 2 pages could not be read (pages 1, 2)"]


def test_a_page_that_breaks_the_engine_is_not_given_to_a_reader_that_sees_no_picture(
    recogniser: Recogniser, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(_page: object) -> None:
        raise RuntimeError

    monkeypatch.setattr(recogniser, "read", broken)

    [page] = read(photographed(prose(ENGLISH)), recogniser)

    assert (page.outcome, page.failure) == (PageOutcome.FAILED, "FILE_UNREADABLE")


def plan_of_pipes() -> bytes:
    def draw(canvas: Canvas) -> None:
        for left in (100, 250, 400):
            canvas.line(60, 400, 540, 400)
            canvas.circle(left + 30, 400, 30)
            canvas.rect(left + 80, 392, 12, 16, fill=1)

    return drawn(draw)


@pytest.mark.parametrize("turned", [0, 90, 180, 270])
def test_boxes_lie_on_the_words_of_the_picture(recogniser: Recogniser, turned: int) -> None:
    written = box_of(prose(ENGLISH), "bicycle", None)
    box = box_of(photographed(prose(ENGLISH), turned=turned), "bicycle", recogniser)

    upright = middle_of(written)
    turns: dict[int, Callable[[float, float], tuple[float, float]]] = {
        0: lambda x, y: (x, y),
        90: lambda x, y: (792 - y, x),
        180: lambda x, y: (612 - x, 792 - y),
        270: lambda x, y: (y, 612 - x),
    }
    assert middle_of(box) == pytest.approx(turns[turned](*upright), abs=3)


def test_a_scan_that_is_placed_as_smaller_than_it_was_is_read(recogniser: Recogniser) -> None:
    """So do pages with a unit of their own, which pdfium leaves out."""
    page = cast("Any", pypdfium2.PdfDocument(prose(ENGLISH))[0])
    picture = ImageReader(page.render(scale=300 / 72, grayscale=True).to_pil())
    body = drawn(lambda canvas: canvas.drawImage(picture, 0, 0, 102, 132), size=(102, 132))

    [small] = read(body, recogniser)

    assert words(small.text) == words(" ".join(ENGLISH))
    written = middle_of(box_of(prose(ENGLISH), "bicycle", None))
    found = middle_of(box_of(body, "bicycle", recogniser))
    assert [each * 6 for each in found] == pytest.approx(written, abs=3)


def test_words_on_several_lines_have_a_box_for_each_line(recogniser: Recogniser) -> None:
    body = photographed(prose(ENGLISH))
    [page] = read(body, recogniser)

    found = boxes_of(body, words_at(page.text, (0, len(page.text))), recogniser=recogniser)

    assert [round(box[3]) for box in found.boxes] == pytest.approx([55, 75, 95], abs=3)


def middle_of(box: Box) -> tuple[float, float]:
    return (box[0] + box[2]) / 2, (box[1] + box[3]) / 2


def box_of(body: bytes, word: str, recogniser: Recogniser | None) -> Box:
    [page] = read(body, recogniser)
    start = page.text.index(word)
    found = boxes_of(body, words_at(page.text, (start, start + len(word))), recogniser=recogniser)
    [box] = found.boxes
    return box


@pytest.mark.parametrize(("side", "named"), [(300, 1), (60, 0)], ids=["a figure", "a logo"])
def test_a_picture_beside_text_is_named_and_a_small_one_is_not(side: int, named: int) -> None:
    def write(canvas: Canvas) -> None:
        for row, line in enumerate(ENGLISH * 8):
            canvas.drawString(72, 740 - 12 * row, line)
        canvas.drawImage(ImageReader(Image.new("L", (90, 90), 200)), 72, 60, side, side)

    found = warnings_of(read(drawn(write), None))

    assert (
        found == ["page 1: not read: words on pictures beside the text, if there are any"][:named]
    )


def test_a_picture_under_text_is_its_ground_and_not_named() -> None:
    def write(canvas: Canvas) -> None:
        canvas.drawImage(ImageReader(Image.new("L", (90, 90), 250)), 0, 0, 612, 792)
        for row, line in enumerate(ENGLISH * 10):
            canvas.drawString(72, 740 - 20 * row, line)

    assert not warnings_of(read(drawn(write), None))
