"""Those who recognise words on pictures: the engine of the stage, and a service outside of it."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final
from uuid import UUID

import pytest
from PIL import Image
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas

from pulsedocs.adapters.aws.textract import Textract
from pulsedocs.adapters.sandbox import SandboxedBoxReader, SandboxedExtractor
from pulsedocs.errors import (
    ModelNotEnabled,
    NoBoxes,
    ProviderMalformed,
    ProviderThrottled,
    ProviderUnavailable,
    PulseDocsError,
)
from pulsedocs.extraction import Budgets
from pulsedocs.ingestion.pictures_read import PicturesRead
from pulsedocs.ingestion.ports import PageExtractor
from pulsedocs.model.highlights import Highlight, StoredPage, place_of
from pulsedocs.model.pages import Page, PageOutcome
from pulsedocs.questions.pictures_read import PictureBoxes
from pulsedocs.questions.ports import BoxReader
from tests.contract.textract_server import TextractServer, textract_server
from tests.unit.extraction.pasted import ABOVE, BELOW, PLACE, SCANNED, foliage, picture_of, report
from tests.unit.extraction.scans import drawn, photographed, prose

PDF: Final = "application/pdf"
LINES: Final = (
    "The ferry to Holm Island leaves the north pier at a quarter past seven.",
    "A ticket for a bicycle costs four pounds and is sold on board only.",
)
SAYS: Final = " ".join(LINES)
SOMEBODY: Final = UUID(int=7)


@dataclass(frozen=True)
class Readers:
    extractor: PageExtractor
    boxes: BoxReader

    def pages(self, body: bytes, content_type: str = PDF) -> list[Page]:
        with self.extractor.open(body, content_type=content_type) as file:
            return list(file.pages)

    def highlight(self, body: bytes, page: Page, word: str) -> Highlight:
        start = page.text.index(word)
        return self.stretch(body, page, start, start + len(word))

    def stretch(self, body: bytes, page: Page, start: int, end: int) -> Highlight:
        stored = StoredPage("1", PDF, page.parser, page.text, page.text, None, page.certainties)
        place = place_of(SOMEBODY, SOMEBODY, page.number, stored, start=start, end=end)
        return self.boxes.boxes(body, place)


@pytest.fixture(scope="module")
def server() -> Iterator[TextractServer]:
    with textract_server() as running:
        yield running


@pytest.fixture(autouse=True)
def _credentials(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "test")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "test")


@pytest.fixture
def textract(server: TextractServer) -> Readers:
    server.errors, server.answer = [], None
    reader = Textract(region="eu-west-1", endpoint_url=server.url)
    boxes = PictureBoxes(SandboxedBoxReader(), reader)
    return Readers(PicturesRead(SandboxedExtractor(), boxes), boxes)


@pytest.fixture(params=["tesseract", "textract"])
def readers(request: pytest.FixtureRequest) -> Readers:
    if request.param == "textract":
        return request.getfixturevalue("textract")
    budgets = Budgets(page_cpu_seconds=40, average_page_cpu_seconds=20)
    return Readers(
        SandboxedExtractor(budgets, languages=("eng",)), SandboxedBoxReader(languages=("eng",))
    )


def test_a_scan_has_its_words_a_confidence_and_how_sure_each_word_is(readers: Readers) -> None:
    written, scan = readers.pages(photographed(prose(LINES)))[0], prose(LINES)
    [plain] = readers.pages(scan)

    assert written.outcome is PageOutcome.OCR
    assert written.text.split() == SAYS.split()
    assert written.text.count("\n") >= 1
    assert written.confidence is not None
    assert 0.9 < written.confidence <= 1
    assert len(written.certainties) == len(SAYS.split())
    assert all(sure is not None and sure > 70 for sure in written.certainties)
    assert not written.is_picture
    assert (plain.outcome, plain.parser) == (PageOutcome.TEXT, "pdfium")


def test_words_have_boxes_in_the_units_of_the_page(readers: Readers) -> None:
    body = photographed(prose(LINES))
    [page] = readers.pages(body)

    found = readers.highlight(body, page, "bicycle")

    [(x0, y0, x1, y1)] = found.boxes
    assert (found.width, found.height) == pytest.approx((612, 792), abs=1)
    assert x0 == pytest.approx(145, abs=6)
    assert y0 < 72 < y1 + 2  # its baseline, 20 points below that of the first line
    assert x1 - x0 == pytest.approx(36, abs=8)


def test_words_of_a_picture_beside_text_are_read_and_have_boxes_as_those_of_the_text_have(
    readers: Readers,
) -> None:
    body = report(picture_of(SCANNED))
    [page] = readers.pages(body)

    lines = [line for line in page.text.split("\n") if line]
    assert lines == [*ABOVE, *SCANNED, *BELOW]
    assert (page.outcome, page.needs_recognition) == (PageOutcome.TEXT, False)
    [(x0, y0, x1, y1)] = readers.highlight(body, page, "bicycle").boxes
    top = 792 - PLACE[1] - PLACE[3]
    assert y0 < top + 40 < y1 + 2
    assert PLACE[0] + 24 < x0 < x1 < PLACE[0] + PLACE[2]
    [(x0, y0, _, y1)] = readers.highlight(body, page, "The fares").boxes
    assert x0 == pytest.approx(72, abs=2)
    assert y0 < 92 < y1
    both = readers.stretch(body, page, 0, len(page.text))
    assert len(both.boxes) == len(lines)


def test_a_photograph_beside_text_adds_nothing_to_it(readers: Readers) -> None:
    [page] = readers.pages(report(foliage()))

    assert [line for line in page.text.split("\n") if line] == [*ABOVE, *BELOW]
    assert (page.parser, page.needs_recognition) == ("pdfium", False)


def test_boxes_of_another_text_are_refused(readers: Readers) -> None:
    body = photographed(prose(LINES))
    [page] = readers.pages(body)

    with pytest.raises(NoBoxes):
        readers.highlight(photographed(prose(LINES[:1])), page, "bicycle")


def test_a_picture_without_words_was_looked_at_and_is_empty(readers: Readers) -> None:
    grey = ImageReader(Image.new("L", (600, 700), 120))
    [page] = readers.pages(drawn(lambda canvas: canvas.drawImage(grey, 0, 0, 612, 792)))

    assert (page.outcome, page.text, page.is_picture) == (PageOutcome.EMPTY, "", False)


def test_a_stamp_stays_where_no_words_are_found(readers: Readers) -> None:
    grey = ImageReader(Image.new("L", (600, 700), 200))

    def stamped(canvas: Canvas) -> None:
        canvas.drawImage(grey, 0, 0, 612, 792)
        canvas.drawString(400, 40, "Received 12 May")

    [page] = readers.pages(drawn(stamped))

    assert "Received" in page.text
    assert not page.needs_recognition


@pytest.mark.parametrize(
    ("name", "status", "failure"),
    [
        ("UnsupportedDocumentException", 400, "FILE_UNREADABLE"),
        ("BadDocumentException", 400, "FILE_UNREADABLE"),
        ("InvalidParameterException", 400, "FILE_UNREADABLE"),
        ("DocumentTooLargeException", 400, "RESOURCE_EXHAUSTED"),
    ],
)
def test_a_picture_that_textract_does_not_take_costs_its_page(
    textract: Readers, server: TextractServer, name: str, status: int, failure: str
) -> None:
    server.errors = [(status, name)]

    first, second = textract.pages(photographed(prose(LINES), prose(LINES)))

    assert (first.outcome, first.failure, first.text) == (PageOutcome.FAILED, failure, "")
    assert second.outcome is PageOutcome.OCR


@pytest.mark.parametrize(
    ("name", "status", "kind"),
    [
        ("ThrottlingException", 400, ProviderThrottled),
        ("ProvisionedThroughputExceededException", 400, ProviderThrottled),
        ("InternalServerError", 500, ProviderUnavailable),
        ("AccessDeniedException", 400, ModelNotEnabled),
    ],
)
def test_what_passes_or_waits_for_a_person_is_raised_without_a_word_of_the_document(
    textract: Readers,
    server: TextractServer,
    name: str,
    status: int,
    kind: type[PulseDocsError],
) -> None:
    server.errors = [(status, name)] * 5

    with pytest.raises(kind, match=name) as raised:
        textract.pages(photographed(prose(LINES)))

    assert "Words of the document" not in f"{raised.value} {raised.value.context}"
    server.errors = []


@pytest.mark.parametrize(
    "answer",
    [
        {"Blocks": [{"Id": "a", "BlockType": "LINE"}]},
        {"Blocks": [{"Id": "a"}]},
        {"DocumentMetadata": {"Pages": 1}},
    ],
)
def test_an_answer_of_another_shape_is_malformed(
    textract: Readers, server: TextractServer, answer: dict[str, object]
) -> None:
    server.answer = answer

    with pytest.raises(ProviderMalformed):
        textract.pages(photographed(prose(LINES)))


def test_a_service_that_is_not_there_is_unavailable() -> None:
    reader = Textract(region="eu-west-1", endpoint_url="http://127.0.0.1:9")

    with pytest.raises(ProviderUnavailable):
        reader.read(b"png", width=1, height=1)
