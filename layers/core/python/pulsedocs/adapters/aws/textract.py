"""Words on pictures, recognised by Amazon Textract: one page a call, and nothing kept there.

As "DetectDocumentText" of Textract's API reference has them: lines from top to bottom, the words of
each, boxes as shares of the picture, confidence from 0 to 100.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, cast

import boto3
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError

from pulsedocs.errors import (
    FileUnreadable,
    ModelNotEnabled,
    ProviderMalformed,
    ProviderThrottled,
    ProviderUnavailable,
    PulseDocsError,
    ResourceExhausted,
)
from pulsedocs.extraction.recognition import RecognisedText, Word
from pulsedocs.extraction.storable import storable

if TYPE_CHECKING:
    from pulsedocs.model.highlights import Box

# Step Functions waits for longer than the SDK would: a quota is one of pages a second.
_CONFIG: Final = Config(
    connect_timeout=3, read_timeout=30, retries={"mode": "standard", "total_max_attempts": 2}
)
_KINDS: Final[Mapping[str, type[PulseDocsError]]] = {
    "AccessDeniedException": ModelNotEnabled,
    "BadDocumentException": FileUnreadable,
    "DocumentTooLargeException": ResourceExhausted,
    "InvalidParameterException": FileUnreadable,
    "LimitExceededException": ProviderThrottled,
    "ProvisionedThroughputExceededException": ProviderThrottled,
    "ThrottlingException": ProviderThrottled,
    "UnsupportedDocumentException": FileUnreadable,
}
"""What Textract's errors mean; others are taken to pass."""
_HUNDRED: Final = 100


class Textract:
    """Implements `ports.providers.PictureReader`."""

    name = "textract"

    def __init__(self, *, region: str, endpoint_url: str | None) -> None:
        client = cast("Any", boto3).client(
            "textract", region_name=region, endpoint_url=endpoint_url, config=_CONFIG
        )
        self._detect: Callable[..., dict[str, Any]] = client.detect_document_text

    def read(self, png: bytes, *, width: float, height: float) -> RecognisedText:
        """Return the words of a picture, with boxes on a page of this size."""
        try:
            answer = self._detect(Document={"Bytes": png})
        except ClientError as error:
            # Nothing of its message is kept.
            code = error.response.get("Error", {}).get("Code", "")
            kind = _KINDS.get(code, ProviderUnavailable)
            raise kind(f"Textract answered {code[:64] or 'an error'}") from None
        except BotoCoreError as error:
            raise ProviderUnavailable(f"Textract: {type(error).__name__}") from None
        try:
            return text_of(answer["Blocks"], width=width, height=height)
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise ProviderMalformed(f"Textract's answer: {type(error).__name__}") from None


def text_of(blocks: Sequence[Mapping[str, Any]], *, width: float, height: float) -> RecognisedText:
    """Return the text of an answer's blocks; a gap as high as a line begins a paragraph."""
    by_id = {block["Id"]: block for block in blocks}
    parts: list[str] = []
    words: list[Word] = []
    at, bottom = 0, None
    for line in blocks:
        if line["BlockType"] != "LINE":
            continue
        top, high = _place(line, "Top"), _place(line, "Height")
        between = "\n\n" if bottom is not None and top - bottom > high else "\n"
        for word in _words_of(line, by_id):
            letters = storable(str(word["Text"])).strip()
            if not letters:
                continue
            gap = between if parts else ""
            start = at + len(gap)
            at = start + len(letters)
            parts += (gap, letters)
            sure = min(1.0, max(0.0, float(word["Confidence"]) / _HUNDRED))
            words.append(Word(start, at, _box(word, width=width, height=height), sure))
            between = " "
        bottom = top + high
    return RecognisedText("".join(parts), words)


def _words_of(
    line: Mapping[str, Any], by_id: Mapping[str, Mapping[str, Any]]
) -> Iterator[Mapping[str, Any]]:
    for relation in line.get("Relationships") or ():
        if relation["Type"] == "CHILD":
            yield from (by_id[one] for one in relation["Ids"] if by_id[one]["BlockType"] == "WORD")


def _place(block: Mapping[str, Any], name: str) -> float:
    """Return a share of the picture; Textract's rounding may lead outside of it."""
    return min(1.0, max(0.0, float(block["Geometry"]["BoundingBox"][name])))


def _box(block: Mapping[str, Any], *, width: float, height: float) -> "Box":
    left, top = _place(block, "Left"), _place(block, "Top")
    right = min(1.0, left + _place(block, "Width"))
    bottom = min(1.0, top + _place(block, "Height"))
    return left * width, top * height, right * width, bottom * height
