"""Words that a citation quotes, shown on the page: found through every function on the way."""

import base64
import io
from collections.abc import Callable
from typing import Final
from uuid import uuid4

import pytest
from reportlab.pdfbase.pdfmetrics import stringWidth
from reportlab.pdfgen.canvas import Canvas

from tests.e2e.tenant import PDF, Json, Tenant

RUNNING: Final = "Yearly report of the pump works"
LINES: Final = (
    "The big pump delivers twelve litres of clean water a minute when it is warm, and it",
    "needs mainte-",
    "nance once a year. The small pump delivers four litres of clean water a minute.",
)
WORDS: Final = [
    "pipes",
    "valves",
    "brass",
    "seals",
    "copper",
    "tanks",
    "gauges",
    "hoses",
    "filters",
    "motors",
    "lids",
]
LEFT, TOP, STEP, SIZE = 72, 700, 16, 11


def report(pages: int = 6) -> bytes:
    """Return a PDF with a running header, which cleaning removes: offsets move by its length.

    On pages of less text than these it would stay.
    """
    target = io.BytesIO()
    canvas = Canvas(target, invariant=1, pagesize=(612, 792))
    for number in range(1, pages + 1):
        canvas.setFont("Helvetica", SIZE)
        canvas.drawString(LEFT, 750, RUNNING)
        for index in (*range(-2, 0), *range(4, 22)):
            words = " ".join(WORDS[(7 * number + 3 * index + step) % 11] for step in range(9))
            canvas.drawString(LEFT, TOP - index * STEP, f"{words.capitalize()} {number}.")
        for index, line in enumerate(LINES if number == 2 else ()):
            canvas.drawString(LEFT, TOP - index * STEP, line)
        canvas.showPage()
    canvas.save()
    return target.getvalue()


@pytest.fixture
def published(tenant: Tenant) -> str:
    document_id = tenant.upload(report(), filename="report.pdf", content_type=PDF)
    assert tenant.outcome(document_id)["outcome"] == "PUBLISHED"
    return document_id


def highlight(tenant: Tenant, document_id: str, quote: str, *, page: int = 2) -> Json:
    text = tenant.get(f"/documents/{document_id}/pages/{page}")["text"]
    start = text.index(quote)
    path = f"/documents/{document_id}/pages/{page}/highlight"
    return tenant.get(path, start=start, end=start + len(quote))


def test_quoted_words_are_boxed_where_they_stand(tenant: Tenant, published: str) -> None:
    """S2-10: offsets are a citation's; the header that cleaning removed moves nothing."""
    text = tenant.get(f"/documents/{published}/pages/2")["text"]
    assert RUNNING not in text

    found = highlight(tenant, published, "twelve litres")

    [(x0, y0, x1, y1)] = found["boxes"]
    before = LEFT + stringWidth(LINES[0][: LINES[0].index("twelve")], "Helvetica", SIZE)
    assert (found["width"], found["height"]) == (612, 792)
    assert x0 == pytest.approx(before, abs=0.5)
    assert x1 == pytest.approx(before + stringWidth("twelve litres", "Helvetica", SIZE), abs=0.5)
    assert y0 < 792 - TOP < y1 < 792 - TOP + SIZE


def test_a_word_that_cleaning_joined_is_boxed_on_both_of_its_lines(
    tenant: Tenant, published: str
) -> None:
    found = highlight(tenant, published, "maintenance")

    upper, lower = found["boxes"]
    assert upper[0] > lower[0] == pytest.approx(LEFT, abs=0.5)
    assert lower[1] - upper[1] == pytest.approx(STEP, abs=0.5)


def test_every_citation_of_an_answer_can_be_shown(tenant: Tenant, published: str) -> None:
    """S2-10: what an answer quotes has a place on paper."""
    del published
    answer = tenant.post("/ask", {"question": "How many litres does the small pump deliver?"})

    assert answer["citations"]
    for each in answer["citations"]:
        path = f"/documents/{each['document_id']}/pages/{each['page']}/highlight"
        assert tenant.get(path, start=each["start"], end=each["end"])["boxes"]


def test_a_page_is_drawn_with_the_boxes_of_its_words(tenant: Tenant, published: str) -> None:
    """In colour, as wide as asked for, and no more dots than an answer has room for."""
    text = tenant.get(f"/documents/{published}/pages/2")["text"]
    start = text.index("twelve litres")
    path = f"/documents/{published}/pages/2"
    words = {"start": start, "end": start + len("twelve litres")}

    drawn = tenant.get(f"{path}/picture", width=600, **words)
    largest = tenant.get(f"{path}/picture", width=2000)

    assert size_of(drawn["png"]) == (600, 776)
    assert drawn["boxes"] == tenant.get(f"{path}/highlight", **words)["boxes"]
    across, down = size_of(largest["png"])
    assert 2_900_000 < across * down <= 3_000_000
    assert largest["boxes"] == []


def size_of(png: str) -> tuple[int, int]:
    body = base64.b64decode(png)
    assert body.startswith(b"\x89PNG\r\n\x1a\n")
    return int.from_bytes(body[16:20]), int.from_bytes(body[20:24])


def test_a_text_file_has_no_places_on_paper(tenant: Tenant) -> None:
    document_id = tenant.upload(b"The pump delivers twelve litres a minute.")
    assert tenant.outcome(document_id)["outcome"] == "PUBLISHED"

    answer = tenant.send(
        "GET", f"/documents/{document_id}/pages/1/highlight", params={"start": 4, "end": 8}
    )

    assert (answer.status_code, answer.json()["code"]) == (409, "NO_BOXES")
    assert "text" in answer.json()["guidance"]


@pytest.mark.parametrize(
    ("page", "start", "end", "status", "code"),
    [
        (1, 5, 5, 400, "INVALID_REQUEST"),
        (1, 0, 150_000, 400, "INVALID_REQUEST"),
        (1, -1, 3, 400, "INVALID_REQUEST"),
        (1, "one", 3, 400, "INVALID_REQUEST"),
        (99, 0, 3, 404, "PAGE_NOT_FOUND"),
    ],
)
def test_a_range_that_is_not_there_is_a_typed_refusal(
    tenant: Tenant, published: str, page: int, start: object, end: int, status: int, code: str
) -> None:
    path = f"/documents/{published}/pages/{page}/highlight"
    answer = tenant.send("GET", path, params={"start": start, "end": end})

    assert (answer.status_code, answer.json()["code"]) == (status, code)


def test_another_tenants_page_looks_like_an_unknown_one(
    published: str, new_tenant: Callable[..., Tenant]
) -> None:
    """A stranger's token: the same answer for a document that is there and one that is not."""
    stranger = new_tenant()
    answers = [
        stranger.send("GET", f"/documents/{each}/pages/1/highlight", params={"start": 0, "end": 3})
        for each in (published, str(uuid4()))
    ]

    assert [answer.status_code for answer in answers] == [404, 404]
    there, unknown = (answer.json() | {"request_id": ""} for answer in answers)
    assert there["code"] == unknown["code"] == "DOCUMENT_NOT_FOUND"
    assert there.keys() == unknown.keys()
