"""Pages that are pictures, read by a service: the sandbox draws them, only the drawing leaves."""

from base64 import b64decode
from dataclasses import dataclass, replace
from typing import Final

from pulsedocs.errors import NoBoxes
from pulsedocs.extraction.recognition import RecognisedText, or_nothing
from pulsedocs.extraction.word_boxes import boxes_of_words
from pulsedocs.extraction.words_on_pictures import as_inserted
from pulsedocs.model.highlights import Highlight, WordsOnPage
from pulsedocs.ports.providers import PictureReader
from pulsedocs.questions.ports import BoxReader

_DOTS_ACROSS: Final = 1_700
"""Of a sheet of A4, 200 dots an inch; Textract asks for 150."""


@dataclass(frozen=True, slots=True)
class PictureBoxes:
    """Implements `questions.ports.BoxReader`: boxes of words that the service has read.

    It reads the picture again, as the engine of the stage does. Its errors pass through.
    """

    drawer: BoxReader
    reader: PictureReader

    def boxes(self, body: bytes, words: WordsOnPage) -> Highlight:
        if not (words.is_read_elsewhere and (words.ranges or words.picture_ranges)):
            return self.drawer.boxes(body, words)
        if words.picture_ranges:
            return self._beside_text(body, words)
        found, drawn = self.read(body, content_type=words.content_type, page=words.page)
        boxes = boxes_of_words(or_nothing(found), words.ranges, words.page, words.text_sha256)
        if words.dots_across:
            drawn = self.drawer.boxes(body, replace(words, ranges=()))
        return replace(drawn, boxes=boxes, picture=drawn.picture if words.dots_across else None)

    def _beside_text(self, body: bytes, words: WordsOnPage) -> Highlight:
        """Return the boxes of words of the page, and of its pictures behind them."""
        found, drawn = self.read(
            body, content_type=words.content_type, page=words.page, pictures_only=True
        )
        inserted = as_inserted(found, drawn.boxes)
        boxes = boxes_of_words(inserted, words.picture_ranges, words.page, words.pictures_sha256)
        own = self.drawer.boxes(body, replace(words, picture_ranges=(), is_read_elsewhere=False))
        return replace(own, boxes=(*own.boxes, *boxes))

    def read(
        self, body: bytes, *, content_type: str, page: int, pictures_only: bool = False
    ) -> tuple[RecognisedText, Highlight]:
        """Return the words of a page, and the page as it was drawn for them. Raises NoBoxes.

        Drawn for the words of its pictures only, it has these pictures' boxes.
        """
        whole = WordsOnPage(
            content_type=content_type,
            page=page,
            dots_across=_DOTS_ACROSS,
            pictures_only=pictures_only,
        )
        drawn = self.drawer.boxes(body, whole)
        if drawn.picture is None:
            raise NoBoxes(f"page {page} cannot be drawn", page=page)
        png = b64decode(drawn.picture)
        return self.reader.read(png, width=drawn.width, height=drawn.height), drawn
