"""Pages that are pictures, read by a service: the sandbox draws them, only the drawing leaves."""

from base64 import b64decode
from dataclasses import dataclass, replace
from typing import Final
from uuid import UUID

from pulsedocs.errors import NoBoxes
from pulsedocs.extraction.recognition import RecognisedText, or_nothing
from pulsedocs.extraction.word_boxes import boxes_of_words
from pulsedocs.extraction.words_on_pictures import as_inserted
from pulsedocs.model.highlights import Highlight, PagePlace
from pulsedocs.ports.providers import PictureReader
from pulsedocs.questions.ports import BoxReader

_DOTS_ACROSS: Final = 1_700
"""Of a sheet of A4, 200 dots an inch; Textract asks for 150."""
_NOBODY: Final = UUID(int=0)


@dataclass(frozen=True, slots=True)
class PictureBoxes:
    """Implements `questions.ports.BoxReader`: boxes of words that the service has read.

    It reads the picture again, as the engine of the stage does. Its errors pass through.
    """

    drawer: BoxReader
    reader: PictureReader

    def boxes(self, body: bytes, place: PagePlace) -> Highlight:
        if not (place.is_read_elsewhere and (place.ranges or place.picture_ranges)):
            return self.drawer.boxes(body, place)
        if place.picture_ranges:
            return self._beside_text(body, place)
        found, drawn = self.read(body, content_type=place.content_type, page=place.page)
        boxes = boxes_of_words(or_nothing(found), place.ranges, place.page, place.text_sha256)
        if place.dots_across:
            drawn = self.drawer.boxes(body, replace(place, ranges=()))
        return replace(drawn, boxes=boxes, picture=drawn.picture if place.dots_across else None)

    def _beside_text(self, body: bytes, place: PagePlace) -> Highlight:
        """Return the boxes of words of the page, and of its pictures behind them."""
        found, drawn = self.read(
            body, content_type=place.content_type, page=place.page, pictures_only=True
        )
        words = as_inserted(found, drawn.boxes)
        boxes = boxes_of_words(words, place.picture_ranges, place.page, place.pictures_sha256)
        own = self.drawer.boxes(body, replace(place, picture_ranges=(), is_read_elsewhere=False))
        return replace(own, boxes=(*own.boxes, *boxes))

    def read(
        self, body: bytes, *, content_type: str, page: int, pictures_only: bool = False
    ) -> tuple[RecognisedText, Highlight]:
        """Return the words of a page, and the page as it was drawn for them. Raises NoBoxes.

        Drawn for the words of its pictures only, it has these pictures' boxes.
        """
        place = PagePlace(
            tenant_id=_NOBODY,
            document_id=_NOBODY,
            object_version="",
            content_type=content_type,
            page=page,
            ranges=(),
            text_sha256="",
            dots_across=_DOTS_ACROSS,
            pictures_only=pictures_only,
        )
        drawn = self.drawer.boxes(body, place)
        if drawn.picture is None:
            raise NoBoxes(f"page {page} cannot be drawn", page=page)
        png = b64decode(drawn.picture)
        return self.reader.read(png, width=drawn.width, height=drawn.height), drawn
