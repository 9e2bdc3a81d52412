"""Pages as extraction found them and as cleaning left them."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import groupby
from typing import Any, Final, Literal, TypeAlias, get_args

Stretches: TypeAlias = tuple[tuple[int, int], ...]
"""Starts and ends of parts of a text, in order."""


class PageOutcome(StrEnum):
    """`OCR` is text that a program recognised on a picture of the page."""

    TEXT = "TEXT"
    OCR = "OCR"
    EMPTY = "EMPTY"
    HIDDEN_ONLY = "HIDDEN_ONLY"
    FAILED = "FAILED"


RecognisedLanguage: TypeAlias = Literal["eng", "deu", "fra", "ita", "nld", "pol", "por", "spa"]
"""ISO 639-2 codes of the languages whose data lies beside the engine of a deployed stage."""
RECOGNISED_LANGUAGES: Final[tuple[RecognisedLanguage, ...]] = get_args(RecognisedLanguage)
ALWAYS_RECOGNISED: Final[tuple[RecognisedLanguage, ...]] = ("eng", "deu")
"""Those whose data is a wheel, and so is everywhere: requirements/ocr.in."""
_ONE_OF_THEM: Final = f"(?:{'|'.join(RECOGNISED_LANGUAGES)})"
RECOGNISED: Final = re.compile(rf"{_ONE_OF_THEM}(?:\+{_ONE_OF_THEM})*")
"""One of them, or several as Tesseract is told them: "eng+deu"."""
_CODE_OF: Final[dict[str, RecognisedLanguage]] = {
    "german": "deu",
    "french": "fra",
    "italian": "ita",
    "dutch": "nld",
    "polish": "pol",
    "portuguese": "por",
    "spanish": "spa",
}
"""Of the language of a collection. English is no reason: a collection that says none has it."""
LOW_CONFIDENCE: Final = 0.7
"""Below, one word in five or more is wrong; clean scans reach .9 and more, photographs .3 to .5."""

MOST_CHARACTERS: Final = 200_000
"""Of one page."""
MOST_PICTURES: Final = 10
"""Beside the text of a page, each a tenth of it or more."""
_WORD: Final = re.compile(r"\S+")
GUESSED: Final = " in "
"""Between a parser and what it read a text as that does not say in what it is written."""
AROUND_RECOGNISED: Final = "\n\n"
"""Before and behind the words of a picture, where they stand in the text of its page."""


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading at `start`, a character offset into the text of the page that holds it."""

    level: int
    title: str
    start: int


def likeliest_first(
    codes: Sequence[str], *, language: str | None, has_data: Callable[[str], bool]
) -> Sequence[str]:
    """Return languages of recognition, that of a collection before the others: ü was read as u.

    It comes where its data is there, unless nothing is to be recognised at all.
    """
    own = _CODE_OF.get(language or "")
    if own is None or not codes or not has_data(own):
        return codes
    return list(dict.fromkeys((own, *codes)))


@dataclass(frozen=True, slots=True)
class PicturePlace:
    """A picture beside a page's text: its box as shown, and where in the text its words belong."""

    box: tuple[float, float, float, float]
    at: int


@dataclass(frozen=True, slots=True)
class Page:
    """One page as read; `text` is raw, `number` counts from 1, `label` is the printed number.

    In `verbatim` stretches of the text white space means something, as in code. `is_sheet` is
    false for a part of a text that has no pages of its own. `title` is the file's, with page 1.
    A page `is_picture` that shows a picture where its text should be; `pictures` stand beside its
    text, and nobody has looked for words on them. `confidence`, 0 to 1, is how sure the program
    was that recognised the text, and `certainties`, 0 to 100, of each of its words, as white space
    divides them; None of those that it did not recognise. `unread` names what belongs to the page
    and is not in its text, such as "2 charts". `drawing` is the SHA-256 of the page's dots, where
    they were asked for instead of the words of its pictures.
    """

    number: int
    text: str
    outcome: PageOutcome
    parser: str
    label: str | None = None
    headings: tuple[Heading, ...] = ()
    hidden_characters: int = 0
    failure: str | None = None
    verbatim: Stretches = ()
    is_sheet: bool = True
    title: str | None = None
    is_picture: bool = False
    confidence: float | None = None
    certainties: tuple[int | None, ...] = ()
    unread: tuple[str, ...] = ()
    drawing: str | None = None
    pictures: tuple[PicturePlace, ...] = ()

    @property
    def guessed_encoding(self) -> str | None:
        """Return as what a text was read that does not say in what it is written."""
        return self.parser.partition(GUESSED)[2] or None

    @property
    def needs_recognition(self) -> bool:
        return self.is_picture or bool(self.pictures)

    @property
    def has_text(self) -> bool:
        return self.outcome in {PageOutcome.TEXT, PageOutcome.OCR}


def fields_of(page: Page) -> dict[str, Any]:
    """Return the fields for JSON; `asdict`, which copies all it meets, takes ten times as long."""
    return {
        "number": page.number,
        "text": page.text,
        "outcome": page.outcome.value,
        "parser": page.parser,
        "label": page.label,
        "headings": [
            {"level": item.level, "title": item.title, "start": item.start}
            for item in page.headings
        ],
        "hidden_characters": page.hidden_characters,
        "failure": page.failure,
        "verbatim": page.verbatim,
        "is_sheet": page.is_sheet,
        "title": page.title,
        "is_picture": page.is_picture,
        "confidence": page.confidence,
        "certainties": page.certainties,
        "unread": page.unread,
        "drawing": page.drawing,
        "pictures": [{"box": each.box, "at": each.at} for each in page.pictures],
    }


@dataclass(frozen=True, slots=True)
class OffsetMap:
    """Where each character of a cleaned text stood in its raw page.

    `cleaned[i]` and `raw[i]` start a stretch in which both advance together, one to one, for
    `lengths[i]` characters; a character inserted by cleaning belongs to no stretch.
    """

    cleaned: tuple[int, ...]
    raw: tuple[int, ...]
    lengths: tuple[int, ...]

    def raw_ranges(self, start: int, end: int) -> tuple[tuple[int, int], ...]:
        """Return the raw (start, end) of the cleaned characters; neighbours are one range."""
        ranges: list[tuple[int, int]] = []
        first = max(0, bisect_right(self.cleaned, start) - 1)
        for index in range(first, bisect_left(self.cleaned, end)):
            shift = self.raw[index] - self.cleaned[index]
            low = max(start, self.cleaned[index]) + shift
            high = min(end, self.cleaned[index] + self.lengths[index]) + shift
            if ranges and ranges[-1][1] == low:
                ranges[-1] = (ranges[-1][0], high)
            elif low < high:
                ranges.append((low, high))
        return tuple(ranges)

    def cleaned_ranges(self, start: int, end: int) -> Iterator[tuple[int, int]]:
        """Yield the cleaned (start, end) of what is left of raw characters."""
        first = max(0, bisect_right(self.raw, start) - 1)
        for index in range(first, bisect_left(self.raw, end)):
            shift = self.cleaned[index] - self.raw[index]
            low = max(start, self.raw[index]) + shift
            high = min(end, self.raw[index] + self.lengths[index]) + shift
            if low < high:
                yield low, high


def doubtful_words(
    raw_text: str, certainties: Sequence[int | None], offsets: OffsetMap | None
) -> Stretches:
    """Return where words of low confidence stand in the cleaned text; without a map, in the raw.

    None where there is not one certainty for each word: the text came by another way.
    """
    words = list(_WORD.finditer(raw_text))
    if len(words) != len(certainties):
        return ()
    doubtful = (
        word.span()
        for word, certainty in zip(words, certainties, strict=True)
        if certainty is not None and certainty < 100 * LOW_CONFIDENCE
    )
    if offsets is None:
        return tuple(doubtful)
    return tuple(found for span in doubtful for found in offsets.cleaned_ranges(*span))


def recognised_stretches(raw_text: str, certainties: Sequence[int | None]) -> Stretches:
    """Return where a page that has text of its own holds that of its pictures, paragraph wise."""
    words = list(_WORD.finditer(raw_text))
    if len(words) != len(certainties) or None not in certainties:
        return ()
    around = len(AROUND_RECOGNISED)
    both = groupby(zip(words, certainties, strict=True), key=lambda each: each[1] is not None)
    runs = [[word for word, _ in run] for is_recognised, run in both if is_recognised]
    return tuple((run[0].start() - around, run[-1].end() + around) for run in runs)


@dataclass(frozen=True, slots=True)
class CleanedPage:
    """One page after cleaning; offsets of its headings are into `text`.

    `furniture` are the running headers and footers that were left out.
    """

    number: int
    text: str
    offsets: OffsetMap
    label: str | None = None
    headings: tuple[Heading, ...] = ()
    furniture: tuple[str, ...] = ()
