"""Reads a PDF with pdfium, leaving out text that nobody sees."""

import re
import weakref
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from ctypes import create_string_buffer
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import islice
from typing import TYPE_CHECKING

from pulsedocs.errors import FileUnreadable, PDFEncryptedError, PulseDocsError
from pulsedocs.extraction import pdfium
from pulsedocs.extraction.beside_the_text import comments_of, unread_of
from pulsedocs.extraction.drawing import picture_of, pictures_alone
from pulsedocs.extraction.drawn_accents import is_drawn_as, with_accents_on_letters
from pulsedocs.extraction.form_fields import (
    Fields,
    fields_on,
    parted,
    placed,
    stand_among,
    with_texts,
)
from pulsedocs.extraction.headings import MAX_DEPTH, MAX_ENTRIES, OutlineEntry
from pulsedocs.extraction.hidden_text import (
    Unseen,
    may_have_layers,
    text_objects,
    unseen_text,
)
from pulsedocs.extraction.list_depth import depths_of, indents_of, with_indents
from pulsedocs.extraction.lone_marks import with_marks_in_place
from pulsedocs.extraction.masked_letters import MaskedLetters
from pulsedocs.extraction.outcomes import MORE_WORDS
from pulsedocs.extraction.pdf_reader import PageReading
from pulsedocs.extraction.pdfium import Handle
from pulsedocs.extraction.picture import Picture
from pulsedocs.extraction.picture_places import places_in
from pulsedocs.extraction.raised_numbers import with_raised_numbers
from pulsedocs.extraction.right_to_left import BRACKETS, with_lines_turned
from pulsedocs.extraction.scripts import raised
from pulsedocs.extraction.sheet import CharacterBoxes, sheet_of
from pulsedocs.extraction.stated_text import pieces_on, with_stated_once
from pulsedocs.extraction.storable import storable
from pulsedocs.extraction.tables import Lines, lines_of_tables, with_tables
from pulsedocs.extraction.tex_letters import LETTERS, with_tex_letters
from pulsedocs.extraction.typesetting import Typesetting
from pulsedocs.extraction.typography import Line, headings_by_type
from pulsedocs.model.garbling import has_wrong_letters, is_garbled
from pulsedocs.model.pages import LOW_CONFIDENCE, Heading, PicturePlace
from pulsedocs.model.tables import has_cells

if TYPE_CHECKING:
    from pulsedocs.extraction.recognition import RecognisedText, Recogniser
    from pulsedocs.model.highlights import Box

_NEEDS_PASSWORD = frozenset({pdfium.ERROR_PASSWORD, pdfium.ERROR_SECURITY})
_HYPHENS = "\x02\ufffe"
_LINE_END_HYPHEN = re.compile(f"[{_HYPHENS}]\r?\n?")
"""pdfium's mark for a hyphen at a line's end, which swallows the line's end; U+0002 character by
character, U+FFFE in a range."""
_LINE = re.compile(r"\S[^\r\n]*")
_DOTS_OF_PICTURES = 200 / 72
"""Of pictures beside text, which shrink to its width: of screenshots that had 190 dots an inch
99 % of the words were found so, and 88 at 150."""


class PdfiumError(Exception):
    """pdfium gives nothing where there should be something."""


class PdfiumReader:
    """Implements `pulsedocs.extraction.pdf_reader.PdfReader`."""

    name = "pdfium"

    def __init__(
        self,
        body: bytes,
        recogniser: "Recogniser | None",
        *,
        comments: bool,
        drawings: bool,
    ) -> None:
        self._recogniser = recogniser
        self._drawings = drawings
        self._comments = comments
        self._body = body
        self._document, self.page_count = _open(body)
        # The document reads from `body`, so this also keeps it. The end of the process closes too.
        self._letters = MaskedLetters()
        weakref.finalize(self, _close, self._document, body, self._letters).atexit = False

    def outline(self) -> Sequence[OutlineEntry]:
        return self._entries

    def label(self, index: int) -> str | None:
        return pdfium.string(pdfium.page_label, self._document, index)

    def title(self) -> str | None:
        return pdfium.string(pdfium.metadata, self._document, b"Title")

    def unread(self) -> Sequence[str]:
        return list(unread_of(self._document))

    def read(self, index: int) -> PageReading:
        opened = _opened(
            self._document,
            index,
            self._letters,
            comments=self._comments,
            may_have_layers=self._may_have_layers,
        )
        with opened as (page, text_page, shown):
            own = shown.text.strip()
            is_picture = shown.is_picture or (has_wrong_letters(own) if own else _is_drawn(page))
            pictures = shown.pictures
            if is_picture and self._recogniser is not None:
                found = recognised(page, self._recogniser)
                if _is_better(found, own):
                    return PageReading(
                        found.text,
                        shown.hidden_characters,
                        is_recognised=True,
                        confidence=found.confidence,
                        certainties=found.certainties,
                        recogniser=self._recogniser.name,
                        unread=("comments",) if shown.comments else (),
                    )
                is_picture, pictures = False, pictures if found.text else ()
            on_pictures = None
            if pictures and self._recogniser is not None:
                on_pictures = recognised(page, self._recogniser, pictures)
            is_drawn = (is_picture or bool(pictures)) and self._drawings
            drawing = picture_of(page, 0).digest if is_drawn else None
            is_titled = index == 0 or not self._entries  # an outline seldom holds the title
            headings = _headings(page, text_page, shown) if is_titled else ()
        text = _tidy(shown.whole)
        return PageReading(
            text,
            shown.hidden_characters,
            headings,
            is_recognised=shown.is_recognised,
            is_picture=is_picture,
            drawing=drawing,
            verbatim=indents_of(text),
            pictures=pictures,
            on_pictures=on_pictures,
            recogniser=self._recogniser.name if self._recogniser and on_pictures else None,
        )

    @cached_property
    def _may_have_layers(self) -> bool:
        return may_have_layers(self._body)

    @cached_property
    def _entries(self) -> Sequence[OutlineEntry]:
        entries: list[OutlineEntry] = []
        for bookmark, level in islice(self._bookmarks(None, level=1, seen=set()), MAX_ENTRIES):
            target = pdfium.bookmark_target(self._document, bookmark)
            page = pdfium.page_of_target(self._document, target) if target else -1
            if page >= 0:
                title = pdfium.string(pdfium.bookmark_title, bookmark)
                entries.append(OutlineEntry(page, level, title))
        return entries

    def _bookmarks(
        self, parent: Handle | None, *, level: int, seen: set[Handle]
    ) -> Iterator[tuple[Handle, int]]:
        """Yield the bookmarks below one, depth first; a circle ends the row in which it closes."""
        bookmark = pdfium.first_bookmark(self._document, parent)
        while bookmark and bookmark not in seen:
            seen.add(bookmark)
            yield bookmark, level
            if level < MAX_DEPTH:
                yield from self._bookmarks(bookmark, level=level + 1, seen=seen)
            bookmark = pdfium.next_bookmark(self._document, bookmark)


def _open(body: bytes) -> tuple[Handle, int]:
    document = pdfium.load_document(body, len(body), None)
    page_count = pdfium.count_pages(document)
    if page_count > 0:
        return document, page_count
    if pdfium.last_error() in _NEEDS_PASSWORD:
        raise PDFEncryptedError("the file opens with a password only")
    raise PdfiumError("no pages")


def _close(document: Handle, _body: bytes, letters: MaskedLetters) -> None:
    letters.close()
    pdfium.close_document(document)


@contextmanager
def opened_page(
    body: bytes, index: int, *, comments: bool
) -> Generator[tuple[Handle, Handle, "ShownText"]]:
    """Open one page of a file: the page, its characters, and its text as `PdfiumReader` reads it.

    Raises PDFEncryptedError and PdfiumError.
    """
    document, page_count = _open(body)
    with ExitStack() as opened:
        letters = MaskedLetters()
        opened.callback(_close, document, body, letters)
        if not 0 <= index < page_count:
            raise PdfiumError("page")
        layers = may_have_layers(body)
        yield opened.enter_context(
            _opened(document, index, letters, comments=comments, may_have_layers=layers)
        )


@contextmanager
def _opened(
    document: Handle,
    index: int,
    letters: MaskedLetters,
    *,
    comments: bool,
    may_have_layers: bool,
) -> Generator[tuple[Handle, Handle, "ShownText"]]:
    with ExitStack() as opened:
        page = pdfium.load_page(document, index)
        fields = Fields()
        written = list(comments_of(page)) if page and comments else []
        found = fields_on(page) if page and pdfium.form_type(document) else None
        if found is not None:
            # Flattening draws what is written into a form; a page that was loaded before does not
            # see it.
            pdfium.flatten(page, 0)
            pdfium.close_page(page)
            page = pdfium.load_page(document, index)
            fields = with_texts(page, found) if page else fields
            # What is typed on a page, flattening has drawn on it.
            written = [(False, words) for is_typed, words in written if not is_typed]
        if not page:
            raise PdfiumError("page")
        opened.callback(pdfium.close_page, page)
        text_page = pdfium.load_text(page)
        if not text_page:
            raise PdfiumError("text")
        opened.callback(pdfium.close_text, text_page)
        shown = _shown_text(page, text_page, letters, fields, may_have_layers=may_have_layers)
        yield page, text_page, replace(shown, comments="\n".join(words for _, words in written))


def _shown_text(
    page: Handle,
    text_page: Handle,
    letters: MaskedLetters,
    fields: Fields,
    *,
    may_have_layers: bool,
) -> "ShownText":
    """Return the text that the page shows, with its tables, raised numbers and indents."""
    unseen = unseen_text(page, letters, may_have_layers=may_have_layers)
    shown = _whole_text(text_page)
    lines = None if unseen.is_scan else lines_of_tables(unseen.paths, shown.text)
    if unseen.objects or unseen.masked or fields or lines:
        shown = _chosen_text(text_page, shown, unseen, fields, lines)
    text, character_at, pieces = shown.text, shown.character_at, pieces_on(page, shown.text)
    text, character_at = with_stated_once(text, text_page, character_at, pieces)
    text, character_at = with_accents_on_letters(text, text_page, character_at)
    text, character_at = with_lines_turned(text, text_page, character_at, pieces)
    text, character_at = with_marks_in_place(text, text_page, character_at)
    text, character_at = with_raised_numbers(text, text_page, character_at)
    depths = depths_of(text, text_page, character_at)
    if depths:
        text, character_at = with_indents(text, character_at, depths)
    shown = replace(shown, text=text, character_at=character_at)
    return replace(
        shown,
        is_recognised=unseen.is_scan,
        is_picture=unseen.is_picture,
        pictures=tuple(_placed(unseen.pictures, page, text_page, shown)),
    )


def recognised(
    page: Handle, recogniser: "Recogniser", pictures: Sequence[PicturePlace] = ()
) -> "RecognisedText":
    """Return the words of a page as it is drawn, or of its pictures alone; never turned, these.

    What the engine breaks at is typed: another reader of the file would find nothing on a picture,
    and call it empty.
    """
    try:
        if pictures:
            return recogniser.read_upright(drawn_alone(page, pictures, _DOTS_OF_PICTURES))
        return recogniser.read(partial(picture_of, page))
    except (PulseDocsError, MemoryError):
        raise
    except Exception as error:
        raise FileUnreadable(f"the page breaks the engine ({type(error).__name__})") from error


def drawn_alone(page: Handle, pictures: Sequence[PicturePlace], dots_per_point: float) -> Picture:
    boxes = [each.box for each in pictures]
    return pictures_alone(page, boxes, text_objects(page), dots_per_point)


def _placed(
    boxes: Sequence["Box"], page: Handle, text_page: Handle, shown: "ShownText"
) -> Iterator[PicturePlace]:
    """Yield the pictures of a page in the order of its text; a page without any is its picture."""
    if not boxes or not shown.text.strip():
        return
    sheet = sheet_of(page)
    seen = [box for each in boxes if (box := sheet.shown(each)) is not None]
    characters = CharacterBoxes(text_page, shown.text, shown.character_at, sheet)
    for at, box in sorted(zip(places_in(shown.text, seen, characters), seen, strict=True)):
        yield PicturePlace(box, len(_tidy(shown.text[:at])))


def _is_better(found: "RecognisedText", own: str) -> bool:
    """Say whether words of a drawing stand instead of a page's own text.

    Where a font says wrong letters of its glyphs, the page shows the right ones.
    """
    if has_wrong_letters(own):
        return found.confidence >= LOW_CONFIDENCE and not is_garbled(found.text)
    return len(found.text) > MORE_WORDS * len(own)


def _is_drawn(page: Handle) -> bool:
    """Say whether a page holds anything but text. A form counts, whatever lies in it."""
    objects = (pdfium.object_at(page, index) for index in range(pdfium.count_objects(page)))
    return any(pdfium.object_type(handle) != pdfium.OBJECT_TEXT for handle in objects)


def _tidy(text: str) -> str:
    return storable(_LINE_END_HYPHEN.sub("-\n", text))


def _headings(page: Handle, text_page: Handle, shown: "ShownText") -> tuple[Heading, ...]:
    """Return the headings by their type, at offsets into the tidied text."""
    text = shown.text
    found = ((match.start(), match[0].rstrip()) for match in _LINE.finditer(text))
    lines = [Line(*line) for line in found if not has_cells(line[1])]
    if not lines:
        return ()
    # Two units for one line end would lead places in the text to other characters: the last one
    # tells whether they do.
    last = len(text.rstrip()) - 1
    drawn = chr(pdfium.code_of_character(text_page, shown.character_at(last)))
    is_other = text[last] not in {drawn, raised(drawn), *_HYPHENS, *BRACKETS, *LETTERS}
    if is_other and not is_drawn_as(text[last], drawn):
        return ()
    typesetting = Typesetting(page, text_page)
    return tuple(
        replace(heading, title=_tidy(heading.title), start=len(_tidy(text[: heading.start])))
        for heading in headings_by_type(
            lines, lambda place: typesetting.of(shown.character_at(place))
        )
    )


@dataclass(frozen=True, slots=True)
class ShownText:
    """The text of a page as pdfium gives it, and the index of the character at each place in it."""

    text: str
    character_at: Callable[[int], int]
    hidden_characters: int = 0
    is_recognised: bool = False
    is_picture: bool = False
    pictures: tuple[PicturePlace, ...] = ()
    comments: str = ""

    @property
    def whole(self) -> str:
        """Return the text, and behind it what was written beside it, which has no place in it."""
        return f"{self.text}\n\n{self.comments}" if self.comments else self.text


def _whole_text(text_page: Handle) -> ShownText:
    """Return the text in one piece.

    Characters that pdfium itself leaves out at either end are not asked for: it would read on
    beyond the last one (https://crbug.com/pdfium/2079).
    """
    indexes = range(pdfium.count_characters(text_page))
    place_of = partial(pdfium.text_index, text_page)  # -1 of a character that is left out
    first = next((index for index in indexes if place_of(index) >= 0), None)
    if first is None:
        return ShownText("", int)
    last = next(index for index in reversed(indexes) if place_of(index) >= 0)
    start = place_of(first)
    units = place_of(last) - start + 2  # with the NUL at the end
    buffer = create_string_buffer(2 * units)
    units = pdfium.copy_text(text_page, first, last - first + 1, buffer)
    text = buffer.raw[: 2 * max(0, units - 1)].decode("utf-16-le", "surrogatepass")
    text = with_tex_letters(text)
    if place_of(last) - start == last - first:  # nothing is left out between them: no need to ask
        return ShownText(text, first.__add__)
    return ShownText(text, lambda place: pdfium.index_in_text(text_page, start + place))


def _characters(text_page: Handle, whole: ShownText) -> str:
    """Return every character of a page by its index.

    A text that is as long as the page has characters leaves none out, so it has them all in their
    order: asking for each took twice as long as reading the page.
    """
    count = pdfium.count_characters(text_page)
    if len(whole.text) == count:
        return whole.text.replace("\ufffe", "\x02")
    characters = (chr(pdfium.code_of_character(text_page, index)) for index in range(count))
    return with_tex_letters("".join(characters))


def _is_shown(character: str, owner: Handle | None, hidden: Unseen) -> bool:
    if owner is None:  # pdfium made it up
        return True
    if ord(character) in hidden.masked.get(owner, ()):
        return False
    return owner not in hidden.objects or character.isspace()


def _chosen_text(
    text_page: Handle,
    whole: ShownText,
    hidden: Unseen,
    fields: Fields,
    lines: Lines | None,
) -> ShownText:
    """Return the text without the characters of hidden objects, what fields hold at its place.

    Spaces and line ends stay, whose ever they are: they divide the words beside them.
    """
    characters = _characters(text_page, whole)
    shown: Sequence[int] = range(len(characters))
    if hidden.objects or hidden.masked:
        owner_of = partial(pdfium.object_of_character, text_page)
        shown = [index for index in shown if _is_shown(characters[index], owner_of(index), hidden)]
    printed, written = parted(shown, text_page, fields) if fields else (shown, {})
    pieces = None if lines is None else with_tables(lines, text_page, printed, characters)
    if pieces is None and not fields and len(shown) == len(whole.text):
        return whole
    if pieces is None or (fields and stand_among(pieces, written, text_page, fields)):
        pieces = [(index, None) for index in printed]
    if fields:
        pieces = placed(pieces, written, text_page, fields)
    codes = [characters[index] if mark is None else mark for index, mark in pieces]
    text = "".join(codes).encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
    unseen = len(characters) - len(shown)
    return ShownText(text, [index for index, _ in pieces].__getitem__, unseen)
