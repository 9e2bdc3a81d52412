"""Textract's side of the wire: JSON 1.1 over HTTP, its answers in the shape of DetectDocumentText.

What is on a picture is asked of Tesseract, so that any picture can be sent; ids, relationships,
boxes as shares of the picture and confidence up to 100 are as the API reference has them.
"""

import base64
import io
import json
import threading
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import groupby
from typing import Any

from PIL import Image

from pulsedocs.extraction.picture import Picture
from pulsedocs.extraction.recognition import RecognisedText, Recogniser, Word


@dataclass
class TextractServer:
    """Answers with what it finds, or with the errors that lie in `errors`, one a call."""

    url: str = ""
    calls: int = 0
    errors: list[tuple[int, str]] = field(default_factory=list[tuple[int, str]])
    answer: dict[str, Any] | None = None
    """Stands for whatever would be found."""


def blocks_of(found: RecognisedText, *, width: int, height: int) -> list[dict[str, Any]]:
    def block(kind: str, name: str, words: list[Word], **more: Any) -> dict[str, Any]:
        left, top = min(word.box[0] for word in words), min(word.box[1] for word in words)
        right, bottom = max(word.box[2] for word in words), max(word.box[3] for word in words)
        place = {
            "Left": left / width,
            "Top": top / height,
            "Width": (right - left) / width,
            "Height": (bottom - top) / height,
        }
        sure = 100 * sum(word.confidence for word in words) / len(words)
        corners = [{"X": left / width, "Y": top / height}, {"X": right / width, "Y": top / height}]
        return {
            "BlockType": kind,
            "Id": name,
            "Confidence": sure,
            "Geometry": {"BoundingBox": place, "Polygon": corners},
        } | more

    line_of = {word.start: found.text.count("\n", 0, word.start) for word in found.words}
    lines = [list(one) for _, one in groupby(found.words, key=lambda word: line_of[word.start])]
    whole = {"Width": 1.0, "Height": 1.0, "Left": 0.0, "Top": 0.0}
    page: dict[str, Any] = {
        "BlockType": "PAGE",
        "Id": "page",
        "Geometry": {"BoundingBox": whole, "Polygon": []},
        "Relationships": [{"Type": "CHILD", "Ids": [f"line-{n}" for n in range(len(lines))]}],
    }
    shown: list[dict[str, Any]] = [page]
    for number, words in enumerate(lines):
        ids = [f"word-{number}-{index}" for index in range(len(words))]
        text = " ".join(found.text[word.start : word.end] for word in words)
        children = [{"Type": "CHILD", "Ids": ids}]
        shown.append(block("LINE", f"line-{number}", words, Text=text, Relationships=children))
        shown += [
            block("WORD", name, [word], Text=found.text[word.start : word.end], TextType="PRINTED")
            for name, word in zip(ids, words, strict=True)
        ]
    return shown


def _found_on(png: bytes) -> list[dict[str, Any]]:
    image = Image.open(io.BytesIO(png), formats=("PNG",)).convert("L")
    picture = Picture(image.width, image.height, image.width, image.tobytes(), 1.0, 0, 200)
    found = Recogniser(["eng"]).read(lambda _turns: picture)
    return blocks_of(found, width=image.width, height=image.height)


@contextmanager
def textract_server() -> Generator[TextractServer]:
    state = TextractServer()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
            assert self.headers["x-amz-target"] == "Textract.DetectDocumentText"
            state.calls += 1
            if state.errors:
                status, name = state.errors.pop(0)
                self._answer(status, {"__type": name, "message": "Words of the document."})
                return
            blocks = state.answer or {
                "Blocks": _found_on(base64.b64decode(asked["Document"]["Bytes"])),
                "DetectDocumentTextModelVersion": "1.0",
                "DocumentMetadata": {"Pages": 1},
            }
            self._answer(200, blocks)

        def _answer(self, status: int, content: dict[str, Any]) -> None:
            body = json.dumps(content).encode()
            self.send_response(status)
            self.send_header("content-type", "application/x-amz-json-1.1")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 -- its base's name
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    state.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield state
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
