"""What `pdf` asks of a library that reads PDFs."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from pulsedocs.extraction.headings import OutlineEntry
from pulsedocs.model.pages import Heading, PicturePlace, Stretches

if TYPE_CHECKING:
    from pulsedocs.extraction.recognition import RecognisedText


@dataclass(frozen=True, slots=True)
class PageReading:
    """What a page shows, and how many characters it carries without showing them.

    `headings` are those that its type shows, at offsets into `text`; `pdf` takes them for files
    without an outline. `is_recognised` says that the text was recognised on a picture: by whoever
    made the file, or with `confidence`, and `certainties` of its words, by `recogniser`. A page
    `is_picture` where such text is likely and nobody has recognised it. `pictures` stand beside
    the text, with what `recogniser` has found on them, if it was asked.
    """

    text: str
    hidden_characters: int = 0
    headings: tuple[Heading, ...] = ()
    is_recognised: bool = False
    is_picture: bool = False
    confidence: float | None = None
    certainties: tuple[int, ...] = ()
    recogniser: str | None = None
    unread: tuple[str, ...] = ()
    drawing: str | None = None
    verbatim: Stretches = ()
    pictures: tuple[PicturePlace, ...] = ()
    on_pictures: "RecognisedText | None" = None


class PdfReader(Protocol):
    """One library's view of an open document; pages count from 0 here."""

    @property
    def name(self) -> str: ...

    @property
    def page_count(self) -> int: ...

    def outline(self) -> Sequence[OutlineEntry]: ...

    def label(self, index: int) -> str | None: ...

    def title(self) -> str | None: ...

    def unread(self) -> Sequence[str]: ...

    def read(self, index: int) -> PageReading: ...
