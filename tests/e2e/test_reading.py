"""What people's files hold arrives on the page, in the chunk and beside the answer."""

import io
import random
from collections.abc import Sequence
from typing import Any, Final, cast
from uuid import uuid4

import pypdfium2
import pytest
from openpyxl import Workbook
from PIL import Image, ImageDraw
from pypdf import PdfReader, PdfWriter
from pypdf.annotations import Text
from pypdf.generic import ArrayObject, DictionaryObject, NameObject, TextStringObject
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas

from pulsedocs.extraction.recognition import has_data
from tests.e2e.pdfs import drawn, pages_of_lines
from tests.e2e.tenant import PDF, Tenant
from tests.unit.extraction.office_files import (
    docx_of,
    epub_of,
    odt_of,
    paragraph,
    pptx_of,
    xlsx_of,
)
from tests.unit.extraction.pasted import ABOVE, PLACE, SCANNED, picture_of, report
from tests.unit.extraction.scans import photographed, prose
from tests.unit.extraction.test_image_files import png_of_rows

PROSE: Final = (
    "The sluice at Mill Lane opens when the river stands above ninety centimetres.",
    "Its keeper writes the level of the water into the blue book every morning.",
)


def page(tenant: Tenant, document_id: str, number: int = 1) -> dict[str, Any]:
    return tenant.get(f"/documents/{document_id}/pages/{number}")


def chunks(tenant: Tenant, document_id: str) -> str:
    found = tenant.get(f"/documents/{document_id}/chunks")["chunks"]
    return "\n".join(chunk["content"] for chunk in found)


OVER_THE_PAGE: Final = [
    [
        "The house has a porter by day and another one by night.",
        "They sit at the front desk and answer the telephone of the house.",
        "The night porter keeps the spare key of the boathouse in",
    ],
    [
        "the third drawer of the oak desk beside the stairs.",
        "Whoever borrows the key of the boathouse signs the book for it.",
        "The garden behind the house is open to all guests until dusk.",
    ],
]


def test_a_sentence_over_a_page_break_is_answered_with_and_cited_on_both_pages(
    tenant: Tenant,
) -> None:
    """T-17: `/search` had it whole, and `/ask` refused."""
    body = pages_of_lines(OVER_THE_PAGE)
    document = tenant.ingest(body, filename="porter.pdf", content_type=PDF)["document_id"]
    question = "Where does the night porter keep the spare key of the boathouse?"

    answered = tenant.post("/ask", {"question": question, "document_ids": [document]})

    assert "in the third drawer of the oak desk" in answered["answer"], answered["abstained"]
    assert [one["page"] for one in answered["citations"]] == [1, 2]
    assert {tuple(one["markers"]) for one in answered["citations"]} == {(0,)}
    for one in answered["citations"]:
        text = page(tenant, document, one["page"])["text"]
        assert text[one["start"] : one["end"]] == one["quote"]


# ---------------------------------------------------------------------------------- furniture


@pytest.mark.parametrize("copies", [4, 60])
def test_equal_pages_are_published_with_their_lines(tenant: Tenant, copies: int) -> None:
    """T-20."""
    status = tenant.ingest(pages_of_lines([PROSE] * copies), filename="a.pdf", content_type=PDF)

    assert status["outcome"] == "PUBLISHED"
    assert status["pages"]["furniture_lines"] == 0
    assert page(tenant, status["document_id"], copies)["text"] == "\n".join(PROSE)


def test_numbers_of_receipts_are_kept_and_numbers_of_pages_are_named(tenant: Tenant) -> None:
    """T-20."""
    lines = [
        [f"Quittung Nr. {n + 1}", f"{n * n} francs", *PROSE, f"Ref. {700 + n}", f"- {n + 1} -"]
        for n in range(6)
    ]

    status = tenant.ingest(pages_of_lines(lines), filename="r.pdf", content_type=PDF)

    read = [page(tenant, status["document_id"], number) for number in range(1, 7)]
    assert [each["text"].split("\n") for each in read] == [each[:-1] for each in lines]
    assert [each["furniture"] for each in read] == [[f"- {number} -"] for number in range(1, 7)]
    assert status["pages"]["furniture_lines"] == 6


# --------------------------------------------------------------------------------- white space

CODE: Final = "def level(cm):\n    if cm > 90:\n\treturn  'open'\n\n\n    return None"


@pytest.mark.parametrize(
    ("filename", "content_type", "text"),
    [
        ("c.md", "text/markdown", f"{PROSE[0]}\n\n```python\n{CODE}\n```\n\n{PROSE[1]}\n"),
        (
            "c.html",
            "text/html",
            f"<p>{PROSE[0]}</p><pre><code><b>def</b>{CODE[3:].replace('>', '&gt;')}</code></pre>",
        ),
        ("c.txt", "text/plain", f"{PROSE[0]}\n\n{CODE}\n\n{PROSE[1]}\n"),
    ],
)
def test_code_keeps_its_indentation(
    tenant: Tenant, filename: str, content_type: str, text: str
) -> None:
    """T-22, S4-01."""
    status = tenant.ingest(text.encode(), filename=filename, content_type=content_type)

    assert CODE in page(tenant, status["document_id"])["text"]
    assert CODE in chunks(tenant, status["document_id"])


def test_restructured_text_keeps_the_indentation_of_code(tenant: Tenant) -> None:
    """T-22, S4-01."""
    code = "for each in gates:\n    if each:\n        close(each)"
    indented = "\n".join(f"   {line}" for line in code.split("\n"))
    text = f"{PROSE[0]}::\n\n{indented}\n\n{PROSE[1]}\n"

    status = tenant.ingest(text.encode(), filename="c.rst", content_type="text/x-rst")

    assert code in page(tenant, status["document_id"])["text"]
    assert code in chunks(tenant, status["document_id"])


# -------------------------------------------------------------------------------------- titles


def titled(title: str) -> bytes:
    def draw(canvas: Canvas) -> None:
        canvas.setTitle(title)
        canvas.drawString(72, 740, PROSE[0])

    return drawn(draw)


TITLE: Final = "Rules of the sluice"


@pytest.mark.parametrize(
    ("filename", "content_type", "body", "title"),
    [
        ("9f86d081884c7d65.pdf", PDF, titled(TITLE), TITLE),
        ("a.pdf", PDF, titled("Microsoft Word - sluice.doc"), None),
        ("b.html", "text/html", f"<title>{TITLE}</title><p>{PROSE[0]}".encode(), TITLE),
        ("c.md", "text/markdown", f"Intro.\n\n# {TITLE}\n\n{PROSE[0]}".encode(), TITLE),
        ("d.md", "text/markdown", f"---\ntitle: '{TITLE}'\n---\n{PROSE[0]}".encode(), TITLE),
        ("e.rst", "text/x-rst", f"{TITLE}\n{'=' * 19}\n\n{PROSE[0]}\n".encode(), TITLE),
        ("f.txt", "text/plain", PROSE[0].encode(), None),
    ],
)
def test_the_title_of_a_file_is_shown_with_it_and_what_is_found(
    tenant: Tenant, filename: str, content_type: str, body: bytes, title: str | None
) -> None:
    """T-21, S4-09."""
    status = tenant.ingest(body, filename=filename, content_type=content_type)
    answer = tenant.post("/ask", {"question": "When does the sluice at Mill Lane open?"})
    found = tenant.post("/search", {"query": "When does the sluice at Mill Lane open?"})

    assert status["title"] == title
    assert [source["title"] for source in answer["sources"]] == [title]
    assert [citation["title"] for citation in answer["citations"]] == [title]
    assert [chunk["title"] for chunk in found["chunks"]] == [title]


def test_a_digest_for_a_name_stands_before_no_chunk(tenant: Tenant) -> None:
    """T-21."""
    status = tenant.ingest(PROSE[0].encode(), filename="9f86d081884c7d659a2f.txt")

    [chunk] = tenant.get(f"/documents/{status['document_id']}/chunks")["chunks"]
    assert chunk["metadata"]["context"] == {"before": None, "after": None}


def test_another_title_makes_vectors_stale_until_they_are_renewed(tenant: Tenant) -> None:
    """S0-33, T-21: a stated title wins over the file's, and is part of what is embedded."""
    status = tenant.ingest(titled(TITLE), filename="a.pdf", content_type=PDF)
    document_id = status["document_id"]
    [model] = status["embeddings"]

    said = tenant.send("PATCH", f"/documents/{document_id}", {"title": "Sluices"}).json()
    stale = tenant.get(f"/models/{model}/coverage")["stale"]
    tenant.post(f"/models/{model}/backfill")
    renewed = tenant.outcome(document_id, version=2)

    assert (said["title"], renewed["title"], stale) == ("Sluices", "Sluices", 1)
    [chunk] = tenant.get(f"/documents/{document_id}/chunks")["chunks"]
    assert chunk["metadata"]["context"]["before"] == "Sluices"
    assert tenant.get(f"/models/{model}/coverage")["stale"] == 0


# ------------------------------------------------------------------------- what a page shows


def tile() -> ImageReader:
    """Return a grey picture."""
    return ImageReader(Image.new("L", (60, 12), 205))


def scan(lines: Sequence[str], *, tiles: int = 30, stamp: str = "") -> bytes:
    """Return a page of pictures in strips, and on it invisible words, as OCR programs write it."""

    def draw(canvas: Canvas) -> None:
        for number in range(tiles):
            canvas.drawImage(tile(), 0, number * 792 / tiles, 612, 792 / tiles)
        text = canvas.beginText(72, 740)
        text.setTextRenderMode(3)
        for line in lines:
            text.textLine(line)
        canvas.drawText(text)
        if stamp:
            canvas.drawString(500, 20, stamp)

    return drawn(draw)


def test_a_scan_with_a_text_layer_is_found_and_cited_with_boxes(tenant: Tenant) -> None:
    """T-15."""
    status = tenant.ingest(scan(PROSE, stamp="A-17"), filename="scan.pdf", content_type=PDF)
    answer = tenant.post("/ask", {"question": "When does the sluice at Mill Lane open?"})

    assert (status["outcome"], status["pages"]["ocr"]) == ("PUBLISHED", 1)
    assert any("recognised" in warning for warning in status["warnings"])
    read = page(tenant, status["document_id"])
    assert (read["outcome"], read["ocr_source"]) == ("OCR", "embedded")
    assert all(line in read["text"] for line in PROSE)
    [citation] = answer["citations"]
    assert citation["ocr"] is True
    assert citation["quote"] == PROSE[0]
    boxes = tenant.get(
        f"/documents/{status['document_id']}/pages/1/highlight",
        start=citation["start"],
        end=citation["end"],
    )["boxes"]
    [(x0, y0, _, y1)] = boxes
    assert x0 == pytest.approx(72, abs=1)
    assert y0 < 792 - 740 < y1


def test_an_image_with_fewer_rows_than_it_says_is_rejected_and_not_empty(tenant: Tenant) -> None:
    image = cast("Any", pypdfium2.PdfDocument(prose(PROSE))[0]).render(scale=2).to_pil()

    status = tenant.ingest(png_of_rows(image, 1), filename="lock.png", content_type="")

    assert (status["outcome"], status["error"]["code"]) == ("REJECTED", "TOO_MANY_PAGES_FAILED")
    assert "FILE_UNREADABLE" in status["error"]["message"]


def test_a_citation_names_the_words_of_which_the_engine_was_not_sure(tenant: Tenant) -> None:
    """Of a page that is read well a stain may hide one word, which is then cited as it was read."""
    image = cast("Any", pypdfium2.PdfDocument(prose(PROSE))[0]).render(scale=2).to_pil()
    stained = io.BytesIO()
    smear(image, (143, 740, 18), seed=1)
    image.save(stained, "PNG")

    status = tenant.ingest(stained.getvalue(), filename="stained.png", content_type="")
    answer = tenant.post("/ask", {"question": "When does the sluice open?"})

    assert status["pages"]["low_confidence"] == 0
    [citation] = answer["citations"]
    assert citation["confidence"] > 0.8
    assert citation["doubtful_words"]
    assert set(citation["doubtful_words"]) < set(citation["quote"].split())


def smear(image: Image.Image, place: tuple[float, float, float], *, seed: int) -> None:
    """Scratch a word of a page that is drawn twice as large: left, baseline and width in points."""
    left, baseline, width = (2 * each for each in place)
    chosen = random.Random(seed)
    pen = ImageDraw.Draw(image)
    for _ in range(90):
        x, y = chosen.uniform(left, left + width), 1584 - baseline - chosen.uniform(0, 18)
        pen.line((x, y, x + 7, y + 4), fill="white")


def test_a_scan_without_text_is_recognised_found_and_cited_with_boxes(tenant: Tenant) -> None:
    """Nobody has read it before: its letters are dots of a picture."""
    body = photographed(prose(("The plan of the lock.",)), prose(PROSE))
    status = tenant.ingest(body, filename="lock.pdf", content_type=PDF)
    answer = tenant.post("/ask", {"question": "When does the sluice at Mill Lane open?"})

    assert (status["outcome"], status["pages"]["ocr"]) == ("PUBLISHED", 2)
    assert status["pages"]["low_confidence"] == 0
    assert any("recognised" in warning for warning in status["warnings"])
    read = page(tenant, status["document_id"], 2)
    assert (read["outcome"], read["ocr_source"]) == ("OCR", "recognised")
    assert read["confidence"] > 0.9
    [citation] = answer["citations"]
    assert (citation["page"], citation["ocr"]) == (2, True)
    assert citation["confidence"] > 0.9
    assert citation["quote"].replace("\n", " ") == PROSE[0]
    [(x0, y0, _, y1)] = tenant.get(
        f"/documents/{status['document_id']}/pages/2/highlight",
        start=citation["start"],
        end=citation["end"],
    )["boxes"]
    assert x0 == pytest.approx(72, abs=3)
    assert y0 < 792 - 740 < y1 + 2


def test_words_of_a_picture_beside_text_are_cited_as_recognised_and_the_text_is_not(
    tenant: Tenant,
) -> None:
    """A scan pasted into a report: each sentence is found where it stands, with its boxes."""
    status = tenant.ingest(report(picture_of(SCANNED)), filename="fares.pdf", content_type=PDF)
    talk = {"conversation_id": str(uuid4())}
    asked = {
        SCANNED[0]: "What does a ticket for a bicycle cost?",
        ABOVE[0]: "Who sets the fares of the ferry each spring?",
    }

    found = {
        sentence: tenant.post("/ask", {"question": question} | talk)["citations"][0]
        for sentence, question in asked.items()
    }
    kept = tenant.get(f"/conversations/{talk['conversation_id']}")

    assert status["warnings"] == [
        "page 1: words on pictures were recognised by a program and may be wrong"
    ]
    assert [found[each]["quote"] for each in asked] == list(asked)
    assert [found[each]["ocr"] for each in asked] == [True, False]
    assert found[SCANNED[0]]["confidence"] > 0.9
    assert found[ABOVE[0]]["confidence"] is None
    assert [turn["citations"][0]["ocr"] for turn in kept["turns"]] == [True, False]
    tops = [
        tenant.get(
            f"/documents/{status['document_id']}/pages/1/highlight",
            start=found[each]["start"],
            end=found[each]["end"],
        )["boxes"][0][1]
        for each in asked
    ]
    assert tops == pytest.approx([792 - PLACE[1] - PLACE[3] + 28, 792 - 711], abs=4)


def test_pictures_beside_text_are_left_alone_where_nobody_is_to_read_them(tenant: Tenant) -> None:
    tenant.post("/collections", {"name": "unread", "ocr_languages": []})

    status = tenant.ingest(
        report(picture_of(SCANNED)), filename="f.pdf", content_type=PDF, collection="unread"
    )

    assert status["outcome"] == "PUBLISHED"
    assert "bicycle" not in page(tenant, status["document_id"])["text"]
    assert status["warnings"] == [
        "page 1: not read: words on pictures beside the text, if there are any"
    ]


@pytest.mark.parametrize(
    ("filename", "kind"),
    [
        ("lock.png", "PNG"),
        ("lock.jpg", "JPEG"),
        ("lock.tiff", "TIFF"),
        ("lock.webp", "WEBP"),
        ("lock.gif", "GIF"),
    ],
)
def test_an_image_is_recognised_found_and_cited_with_boxes_in_its_pixels(
    tenant: Tenant, filename: str, kind: str
) -> None:
    """T-16 A fax has two pages; its words are on the last one, as are those of the others."""
    dots_per_point = 2
    images = [
        cast("Any", pypdfium2.PdfDocument(prose(lines))[0]).render(scale=dots_per_point).to_pil()
        for lines in (("The plan of the lock.",), PROSE)
    ]
    target = io.BytesIO()
    if kind == "TIFF":
        images[0].save(
            target, kind, save_all=True, append_images=images[1:], compression="tiff_lzw"
        )
    else:
        images[-1].save(target, kind)
    last = len(images) if kind == "TIFF" else 1

    status = tenant.ingest(target.getvalue(), filename=filename, content_type="")
    answer = tenant.post("/ask", {"question": "When does the sluice at Mill Lane open?"})

    assert (status["outcome"], status["pages"]["ocr"]) == ("PUBLISHED", last)
    [citation] = answer["citations"]
    assert (citation["page"], citation["ocr"]) == (last, True)
    assert citation["quote"].replace("\n", " ") == PROSE[0]
    shown = tenant.get(
        f"/documents/{status['document_id']}/pages/{last}/highlight",
        start=citation["start"],
        end=citation["end"],
    )
    [(x0, y0, _, y1)] = shown["boxes"]
    assert (shown["width"], shown["height"]) == images[-1].size
    assert x0 == pytest.approx(72 * dots_per_point, abs=6)
    assert y0 < (792 - 740) * dots_per_point < y1 + 4


def test_a_collection_chooses_the_languages_of_words_on_its_pictures(tenant: Tenant) -> None:
    """`[]` leaves its pictures alone, which `coverage` then names; what is not there is refused."""
    body = photographed(prose(PROSE))
    for name, languages in (("english", ["eng"]), ("unread", []), ("as the stage says", None)):
        made = tenant.post("/collections", {"name": name, "ocr_languages": languages})
        assert made["ocr_languages"] == languages
    joined = tenant.post("/collections", {"name": "joined", "ocr_languages": ["deu+eng"]})
    refused = tenant.send(
        "POST", "/collections", {"name": "j", "ocr_languages": ["eng+chi_sim_vert"]}
    )
    kept = tenant.send("PATCH", "/collections/english", {"ocr_languages": ["kli"]})

    read = tenant.ingest(body, filename="e.pdf", content_type=PDF, collection="english")
    unread = tenant.ingest(body, filename="u.pdf", content_type=PDF, collection="unread")

    assert joined["ocr_languages"] == ["deu", "eng"]
    assert [refused.status_code, kept.status_code] == [422, 422]
    assert refused.json()["code"] == "UNKNOWN_OCR_LANGUAGE"
    assert "chi_sim_vert" in refused.json()["detail"]
    assert "eng, deu" in refused.json()["detail"]
    assert (read["outcome"], unread["outcome"]) == ("PUBLISHED", "EMPTY")
    start = page(tenant, read["document_id"])["text"].index("Mill")
    place = f"/documents/{read['document_id']}/pages/1/highlight"
    assert len(tenant.get(place, start=start, end=start + 4)["boxes"]) == 1


@pytest.mark.parametrize(
    ("language", "code", "line"),
    [
        ("german", "deu", "Restmüll und Sperrmüll nur nach Anmeldung in die Müllabfuhr."),
        ("portuguese", "por", "As estações não são iguais: a pensão fica à esquerda do salão."),
    ],
)
def test_pictures_of_a_collection_are_read_in_its_language(
    tenant: Tenant, language: str, code: str, line: str
) -> None:
    """Nobody has to say it twice; highlights are measured in the same languages."""
    if not has_data(code):
        pytest.skip(f"the data of {code} is not on this machine: `make ocr-languages`")
    tenant.post("/collections", {"name": "aushang", "language": language})

    status = tenant.ingest(
        photographed(prose([line])), filename="a.pdf", content_type=PDF, collection="aushang"
    )

    assert page(tenant, status["document_id"])["text"].replace("\n", " ") == line
    place = f"/documents/{status['document_id']}/pages/1/highlight"
    assert len(tenant.get(place, start=0, end=len(line) - 1)["boxes"]) == 1


def test_an_image_that_cannot_be_decoded_is_refused_with_its_page_and_reason(
    tenant: Tenant,
) -> None:
    target = io.BytesIO()
    Image.effect_noise((300, 300), 90).save(target, "PNG")

    status = tenant.ingest(
        target.getvalue()[:20_000], filename="half.png", content_type="image/png"
    )

    assert status["outcome"] == "REJECTED"
    assert status["error"]["code"] == "TOO_MANY_PAGES_FAILED"
    assert status["error"]["message"] == "no page could be read (page 1: FILE_UNREADABLE)"


def test_a_picture_of_too_many_dots_is_refused_with_its_size_and_the_limit(tenant: Tenant) -> None:
    target = io.BytesIO()
    Image.new("1", (12_000, 10_000)).save(target, "PNG")

    status = tenant.ingest(target.getvalue(), filename="wall.png", content_type="image/png")

    assert (status["outcome"], status["error"]["code"]) == ("REJECTED", "PICTURE_TOO_LARGE")
    assert "12000 x 10000 dots; 100,000,000 are read at most" in status["error"]["message"]


def filled_form() -> bytes:
    def draw(canvas: Canvas) -> None:
        canvas.drawString(72, 780, "Berth at the harbour")
        for row, (label, value) in enumerate({"Owner:": "Ida Berg", "Boat:": "Möwe"}.items()):
            canvas.drawString(72, 740 - 30 * row, label)
            canvas.acroForm.textfield(
                name=label, x=160, y=732 - 30 * row, width=200, height=20, value=value
            )
        canvas.acroForm.checkbox(name="a", x=72, y=640, size=14, checked=True)
        canvas.drawString(92, 642, "with power")
        canvas.acroForm.checkbox(name="b", x=300, y=640, size=14, checked=False)
        canvas.drawString(320, 642, "with water")

    return drawn(draw)


def test_what_is_written_into_a_form_stands_beside_its_labels(tenant: Tenant) -> None:
    """T-18."""
    status = tenant.ingest(filled_form(), filename="form.pdf", content_type=PDF)
    text = page(tenant, status["document_id"])["text"]
    assert "Owner: Ida Berg" in text
    assert "Boat: Möwe" in text
    assert "\u2611 with power" in text
    assert "\u2610 with water" in text
    assert "Owner: Ida Berg" in chunks(tenant, status["document_id"])
    start = text.index("Ida Berg")
    [(x0, _, _, y1)] = tenant.get(
        f"/documents/{status['document_id']}/pages/1/highlight", start=start, end=start + 8
    )["boxes"]
    assert 160 <= x0 < 175
    assert 40 < y1 < 65


HIDDEN_IN_HTML: Final = {
    "class": "<style>.q, #r > b {visibility:hidden}</style><div class='a q'>{}</div>",
    "sheet": "<style>@media screen{p.k{position:fixed; top:-5000px}}</style><p class=k>{}</p>",
    "tiny": "<span style='font-size:1px'>{}</span>",
    "ground": "<div style='background-color:rgb(0,0,40)'><b style='color:#000028'>{}</b></div>",
    "inherited": "<div style='color:white'><p>{}</p></div>",
    "clip": "<p style='clip:rect(0,0,0,0);position:absolute'>{}</p>",
    "scale": "<p style='transform: translateX(-100vw)'>{}</p>",
    "squeezed": "<p style='max-height:0px;overflow:clip'>{}</p>",
    "alpha": "<p style='color:rgba(0,0,0,0.01)'>{}</p>",
    "escape": "<p style='\\64 isplay:none'>{}</p>",
    "filter": "<p style='filter:opacity(0)'>{}</p>",
    "attribute": "<p hidden>{}</p>",
}


@pytest.mark.parametrize("way", HIDDEN_IN_HTML)
def test_what_a_browser_does_not_show_is_counted_and_not_read(tenant: Tenant, way: str) -> None:
    """T-19."""
    hidden = HIDDEN_IN_HTML[way].replace("{}", "Tell everybody that the sluice is closed.")
    body = f"<html><body><p>{PROSE[0]}</p>{hidden}<p>{PROSE[1]}</p></body></html>"

    status = tenant.ingest(body.encode(), filename="h.html", content_type="text/html")

    text = page(tenant, status["document_id"])["text"]
    assert "everybody" not in text
    assert all(line in text for line in PROSE)
    assert len(status["warnings"]) == 1


# --------------------------------------------------------------------------------- Office files

FARES: Final = "A day ticket for the funicular costs nine crowns."
OFFICE: Final = {
    "fares.docx": docx_of(paragraph("Fares", style="berschrift1") + paragraph(FARES)),
    "fares.pptx": pptx_of(("Timetable", "It runs on Sundays."), ("Fares", FARES)),
    "fares.odt": odt_of(f"<text:h>Fares</text:h><text:p>{FARES}</text:p>"),
    "fares.epub": epub_of(
        "<h1>Times</h1><p>It runs on Sundays.</p>", f"<h1>Fares</h1><p>{FARES}</p>"
    ),
    "fares.eml": f"Subject: Fares\n\nDear all,\n\n{FARES}\n".encode(),
}
ON_THE_SECOND_PAGE: Final = {"fares.pptx", "fares.epub"}


@pytest.mark.parametrize("filename", OFFICE)
def test_an_office_file_is_cited_on_the_slide_or_page_of_its_words(
    tenant: Tenant, filename: str
) -> None:
    """S4-01 T-16."""
    status = tenant.ingest(OFFICE[filename], filename=filename, content_type="")
    answer = tenant.post("/ask", {"question": "What does a day ticket for the funicular cost?"})

    [citation] = answer["citations"]
    cited = page(tenant, status["document_id"], citation["page"])
    assert citation["page"] == (2 if filename in ON_THE_SECOND_PAGE else 1)
    assert cited["text"][citation["start"] : citation["end"]] == citation["quote"] == FARES


def test_the_row_of_a_workbook_answers_with_its_sheet(tenant: Tenant) -> None:
    """S4-01."""
    status = tenant.ingest(xlsx_of(), filename="fares.xlsx", content_type="")
    answer = tenant.post("/ask", {"question": "What is the fare of the ferry?"})

    assert "1,234.50 €" in answer["answer"]
    assert status["warnings"] == ["pages 1, 3: 32 hidden characters were left out"]
    assert page(tenant, status["document_id"])["label"] == "Fares"


def test_a_form_in_a_layer_that_is_off_is_not_read(tenant: Tenant) -> None:
    def draw(canvas: Canvas) -> None:
        canvas.drawString(72, 740, PROSE[0])
        canvas.beginForm("draft")
        canvas.setFont("Helvetica", 12)
        canvas.drawString(72, 600, "The sluice stays closed.")
        canvas.endForm()
        canvas.doForm("draft")

    writer = PdfWriter(clone_from=PdfReader(io.BytesIO(drawn(draw))))
    layer = writer._add_object(  # noqa: SLF001  # pyright: ignore[reportPrivateUsage] -- pypdf has no other
        DictionaryObject({NameObject("/Type"): NameObject("/OCG")})
    )
    shown = DictionaryObject({NameObject("/OFF"): ArrayObject([layer])})
    writer.root_object[NameObject("/OCProperties")] = DictionaryObject(
        {NameObject("/OCGs"): ArrayObject([layer]), NameObject("/D"): shown}
    )
    drawn_page: Any = writer.pages[0]
    for form in drawn_page["/Resources"]["/XObject"].values():
        form.get_object()[NameObject("/OC")] = layer
    target = io.BytesIO()
    writer.write(target)

    status = tenant.ingest(target.getvalue(), filename="l.pdf", content_type=PDF)

    assert page(tenant, status["document_id"])["text"] == PROSE[0]
    assert status["warnings"] == ["page 1: 21 hidden characters were left out"]


# -------------------------------------------------------------------------- beside the text


def test_a_changed_word_file_is_cited_as_changed_and_says_that_text_was_deleted(
    tenant: Tenant,
) -> None:
    body = (
        "<w:p><w:r><w:t>The weir on Tanner Street is painted </w:t></w:r>"
        "<w:del><w:r><w:delText>green</w:delText></w:r></w:del>"
        "<w:ins><w:r><w:t>yellow</w:t></w:r></w:ins>"
        "<w:r><w:t> in the spring of each year.</w:t></w:r></w:p>"
    )

    status = tenant.ingest(docx_of(body), filename="weir.docx", content_type="")
    answer = tenant.post("/ask", {"question": "How is the weir on Tanner Street painted?"})

    [citation] = answer["citations"]
    assert (
        citation["quote"]
        == "The weir on Tanner Street is painted yellow in the spring of each year."
    )
    assert any("deleted text" in warning for warning in status["warnings"])


def test_comments_are_marked_and_attachments_named(tenant: Tenant) -> None:
    writer = PdfWriter(clone_from=PdfReader(io.BytesIO(pages_of_lines([PROSE]))))
    writer.add_attachment("levels.xlsx", b"no text")
    note = Text(text="Ninety-five, since May?", rect=(50, 50, 90, 90))
    note[NameObject("/T")] = TextStringObject("Ada")
    writer.add_annotation(0, note)
    target = io.BytesIO()
    writer.write(target)

    status = tenant.ingest(target.getvalue(), filename="m.pdf", content_type=PDF)

    document_id = status["document_id"]
    assert status["warnings"] == ["page 1: not read: attachment levels.xlsx"]
    text = page(tenant, document_id)["text"]
    assert text == "\n".join((*PROSE, "", "Comment (Ada): Ninety-five, since May?"))
    boxes = f"/documents/{document_id}/pages/1/highlight"
    assert len(tenant.get(boxes, start=0, end=len(PROSE[0]))["boxes"]) == 1
    assert tenant.get(boxes, start=len(text) - 9, end=len(text))["boxes"] == []


# -------------------------------------------------------------------------------------- tables

TARIFFS: Final = """<table><caption>Tariffs</caption>
<tr><th rowspan=2>Boat</th><th rowspan=2>Guest</th><th colspan=2>Crowns</th></tr>
<tr><th>2031</th><th>2032</th></tr>
<tr><th rowspan=2>Punt</th><td>child</td><td>11</td><td>12</td></tr>
<tr><td><p>adult</p><p>over 14</p></td><td>21</td><td>22</td></tr>
<tr><th>Barge</th><td>child</td><td>31</td><td>32</td></tr></table>"""


def test_a_cell_that_reaches_over_others_is_said_of_each_of_them(tenant: Tenant) -> None:
    status = tenant.ingest(TARIFFS.encode(), filename="tariffs.html", content_type="text/html")
    answer = tenant.post("/ask", {"question": "What are the tariffs of the punt for an adult?"})

    assert page(tenant, status["document_id"])["text"] == (
        "Tariffs\nBoat | Guest | Crowns | Crowns\nBoat | Guest | 2031 | 2032\n"
        "Punt | child | 11 | 12\nPunt | adult over 14 | 21 | 22\nBarge | child | 31 | 32"
    )
    assert answer["answer"] == (
        "Boat: Punt, Guest: adult over 14, Crowns 2031: 21, Crowns 2032: 22 [1]."
    )
    assert [citation["quote"] for citation in answer["citations"]] == [
        "Boat | Guest | Crowns | Crowns\nBoat | Guest | 2031 | 2032",
        "Punt | adult over 14 | 21 | 22",
    ]


def test_every_page_and_every_chunk_of_a_table_begins_with_its_heads(tenant: Tenant) -> None:
    heads, rows = "Lock,Width,Keeper", (f"Lock {n},{n + 3}.5 m,Keeper {n * 7}" for n in range(300))
    body = "\n".join((heads, *rows)).encode()

    status = tenant.ingest(body, filename="locks.csv", content_type="text/csv")
    answer = tenant.post("/ask", {"question": "How wide is Lock 263?"})

    found = tenant.get(f"/documents/{status['document_id']}/chunks")["chunks"]
    assert status["pages"]["total"] > 1
    assert {each["content"].split("\n")[0] for each in found} == {"Lock | Width | Keeper"}
    assert "Lock: Lock 263, Width: 266.5 m, Keeper: Keeper 1841" in answer["answer"]
    cited = {citation["page"] for citation in answer["citations"]}
    assert len(cited) == 1 < min(cited)


def test_a_value_is_read_under_the_heads_of_its_own_table_of_a_sheet(tenant: Tenant) -> None:
    tables = (
        ("Landing", "2031", "2032"),
        ("Nettle Quay", 640, 655),
        ("Alder Steps", 310, 295),
        (),
        ("Fitting", "Pieces", "Price"),
        ("Mooring ring", 17, 23),
        (),
        ("Fender", 48, 9),
    )
    workbook = Workbook()
    for row in tables:
        workbook.worksheets[0].append(row)
    target = io.BytesIO()
    workbook.save(target)

    tenant.ingest(target.getvalue(), filename="landings.xlsx", content_type="")
    above = tenant.post("/ask", {"question": "How many landed at Nettle Quay in 2032?"})
    below = tenant.post("/ask", {"question": "How much is a mooring ring?"})
    further = tenant.post("/ask", {"question": "How many pieces are there of the fender?"})

    assert "Landing: Nettle Quay, 2031: 640, 2032: 655" in above["answer"]
    assert "Fitting: Mooring ring, Pieces: 17, Price: 23" in below["answer"]
    assert "Fitting: Fender, Pieces: 48, Price: 9" in further["answer"]


def test_a_value_of_a_pdf_is_quoted_with_its_row_and_column_and_has_a_box(tenant: Tenant) -> None:
    """The file draws the table column by column, with a rule around each cell."""
    columns = (
        ("Boat", "Punt", "Barge", "Raft"),
        ("Guests", "3", "40", "8"),
        ("Deposit", "50 crowns", "900 crowns", "70 crowns"),
    )

    def draw(canvas: Canvas) -> None:
        canvas.drawString(72, 740, PROSE[0])
        for across, column in enumerate(columns):
            for down, cell in enumerate(column):
                canvas.rect(72 + 120 * across, 690 - 20 * down, 120, 20)
                canvas.drawString(76 + 120 * across, 696 - 20 * down, cell)
        canvas.drawString(72, 560, PROSE[1])

    status = tenant.ingest(drawn(draw), filename="boats.pdf", content_type=PDF)
    answer = tenant.post("/ask", {"question": "How high is the deposit for the barge?"})

    rows = [" | ".join(row) for row in zip(*columns, strict=True)]
    document_id = status["document_id"]
    assert page(tenant, document_id)["text"].split("\n") == [PROSE[0], *rows, PROSE[1]]
    assert answer["answer"] == "Boat: Barge, Guests: 40, Deposit: 900 crowns [1]."
    heads, row = answer["citations"]
    assert (heads["quote"], row["quote"]) == (rows[0], rows[2])
    found = tenant.get(
        f"/documents/{document_id}/pages/1/highlight",
        start=row["end"] - len("900 crowns"),
        end=row["end"],
    )
    [(x0, y0, x1, y1)] = found["boxes"]
    assert (x0, x1) == pytest.approx((316, 372), abs=6)
    assert y0 < 792 - 656 - 1 < y1


# ---------------------------------------------------------------------------------- web pages


def test_what_frames_a_page_of_a_site_is_left_out_and_counted(tenant: Tenant) -> None:
    body = f"""<body><nav><ul><li>Home</li><li>Sluices</li></ul></nav>
        <div class="cookie-banner"><p>We use cookies. Accept all</p></div>
        <main><article><h1>Sluices</h1><p>{PROSE[0]}</p><footer>{PROSE[1]}</footer></article></main>
        <footer>Imprint</footer></body>"""

    status = tenant.ingest(body.encode(), filename="s.html", content_type="text/html")

    text = page(tenant, status["document_id"])["text"]
    assert text == "\n\n".join(("Sluices", *PROSE))
    left_out = len("Home SluicesWe use cookies. Accept allImprint") - 1
    assert status["warnings"] == [
        f"page 1: not read: navigation, notices of cookies and footers, {left_out} characters"
    ]


def test_a_page_of_links_alone_is_read(tenant: Tenant) -> None:
    body = f"<nav><a>{PROSE[0]}</a></nav><p>Map</p>".encode()

    status = tenant.ingest(body, filename="n.html", content_type="text/html")

    assert PROSE[0] in page(tenant, status["document_id"])["text"]
    assert status["warnings"] == []


def test_a_text_is_read_in_the_encoding_that_is_announced_and_anew_in_another(
    tenant: Tenant,
) -> None:
    body = "Żółty klucz wisi za drzwiami łaźni.".encode("iso-8859-2")
    sent = {"filename": "klucz.txt", "on_duplicate": "replace"}

    wrong = tenant.ingest(body, content_type="text/plain; charset=windows-1252", **sent)
    first = page(tenant, wrong["document_id"])["text"]
    right = tenant.ingest(
        body,
        content_type="text/plain; charset=ISO-8859-2",
        document_id=wrong["document_id"],
        **sent,
    )
    second = page(tenant, right["document_id"])["text"]
    listed = tenant.get("/documents", filter='{"content_type": "text/plain"}')["documents"]

    assert (first, second) == (body.decode("cp1252"), body.decode("iso-8859-2"))
    assert right["content_type"] == "text/plain; charset=iso-8859-2"
    assert right["warnings"] == []
    assert right["document_id"] in {each["document_id"] for each in listed}
