"""A scan in the console: from a drop to the recognised words, marked where they are drawn."""

import base64
import io
from collections.abc import Callable
from typing import Any, Final, cast

import numpy as np
import pytest
from PIL import Image
from reportlab.pdfbase.pdfmetrics import stringWidth

from tests.browser.console import Window
from tests.unit.extraction.scans import photographed, prose

LINES: Final = (
    "The orchard behind the chapel was planted in spring by the gardeners of the abbey.",
    "The ladder in the tool shed is nine feet long and must be oiled before winter.",
    "Cider from the old press is sold on market days only, and never before noon.",
)
QUESTION: Final = "How long is the ladder in the tool shed?"
CITED: Final = 1
"""Which of the lines answers."""
_POINTS: Final = (612, 792)
_DRAWN: Final = """
async (image) => {
  await image.decode();
  const canvas = document.createElement("canvas");
  canvas.width = image.naturalWidth;
  canvas.height = image.naturalHeight;
  canvas.getContext("2d").drawImage(image, 0, 0);
  return canvas.toDataURL("image/png").split(",")[1];
}
"""
_STILL: Final = "() => Promise.all(document.getAnimations().map((each) => each.finished))"
"""A mark grows to its size."""


def ink_of(person: Window) -> Any:
    """Return where the page as the console draws it is dark, as rows and columns."""
    encoded = person.page.locator("#viewer img").evaluate(_DRAWN)
    picture = Image.open(io.BytesIO(base64.b64decode(encoded))).convert("L")
    return np.asarray(cast("Any", picture)) < 200  # the dot at a line's end is grey, drawn small


def marked(person: Window) -> tuple[float, float, float, float]:
    """Return the box around all marks as shares of the page: left, top, right, bottom."""
    person.page.evaluate(_STILL)
    paper = person.page.locator("#viewer .paper img").bounding_box()
    boxes = [each.bounding_box() for each in person.page.locator("#viewer .box").all()]
    assert paper is not None
    found = [box for box in boxes if box is not None]
    assert found
    assert len(found) == len(boxes)
    return (
        (min(box["x"] for box in found) - paper["x"]) / paper["width"],
        (min(box["y"] for box in found) - paper["y"]) / paper["height"],
        (max(box["x"] + box["width"] for box in found) - paper["x"]) / paper["width"],
        (max(box["y"] + box["height"] for box in found) - paper["y"]) / paper["height"],
    )


@pytest.mark.parametrize("viewport", [(1280, 900), (360, 740)], ids=["wide", "narrow"])
def test_the_words_of_a_scan_are_marked_where_they_are_drawn(
    opened: Callable[..., Window], viewport: tuple[int, int]
) -> None:
    """T-28 The marks cover the line's ink from end to end, and none of its neighbours'."""
    person = opened(viewport=dict(zip(("width", "height"), viewport, strict=True)))
    person.add({"abbey.pdf": photographed(prose(("The plan of the abbey.",)), prose(LINES))})

    answer = person.ask(QUESTION)
    answer.locator(".marker").first.click()
    person.page.wait_for_selector("#viewer .box")

    left, top, right, bottom = marked(person)
    ink = ink_of(person)
    height, width = ink.shape
    assert "nine feet" in (answer.locator(".said").text_content() or "")
    assert "recognised" in (person.page.locator("#viewer").text_content() or "")
    # The baseline is 740 - 20 points above the lower edge.
    baseline = 1 - (740 - 20 * CITED) / _POINTS[1]
    assert top < baseline < bottom + 2 / _POINTS[1]
    end = 72 + stringWidth(LINES[CITED], "Times-Roman", 12)
    assert (left, right) == pytest.approx((72 / _POINTS[0], end / _POINTS[0]), abs=0.01)
    between = ink[round(top * height) : round(bottom * height)]
    columns = np.flatnonzero(between.any(axis=0)) / width
    assert (columns.min(), columns.max()) == pytest.approx((left, right), abs=0.01)
    share = between.sum() / ink.sum()
    assert 0.25 < share < 0.45, "a line of three: no more ink, and no less"
