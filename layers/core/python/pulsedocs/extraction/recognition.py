"""Recognises the words on a page that has pictures of text instead of text, with Tesseract.

At 150 dots an inch every word of clean and noisy pages was found, for 1.3 CPU-seconds a page; 300
dots took 2.1 and found no more. What a camera does to a page, shadows and slopes, is taken back
before.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from pulsedocs.errors import ResourceExhausted
from pulsedocs.extraction.even_light import in_even_light
from pulsedocs.extraction.level_lines import levelled
from pulsedocs.extraction.picture import Picture
from pulsedocs.extraction.storable import storable
from pulsedocs.model.highlights import RECOGNISER
from pulsedocs.model.pages import LOW_CONFIDENCE

if TYPE_CHECKING:
    from pulsedocs.model.highlights import Box

_UPRIGHT: Final = 0.6
"""Mean confidence below which the page may lie on its side: text that does has .3 to .5."""
_TURNS: Final = (1, 3, 2)  # sheets are scanned sideways more often than upside down
_PAGE_MS: Final = 20_000
_NARROW: Final = 3
"""Times its width: a longer page has no columns of text, but prices of a till beside its goods."""
_SHORTEST_WORD: Final = 3  # letters
_HUNDRED: Final = 100


_RECIPE: Final = 2
"""To be raised with every change here that finds other words: what was found before is kept."""


def engine_of(languages: Sequence[str]) -> str:
    """Name all that decides on the words of a picture, without loading the engine."""
    from importlib.metadata import version  # noqa: PLC0415 -- some 5 ms, for scans only

    try:
        folder = _data_folder(languages)
        sizes = [str(_data_of(one, folder).stat().st_size) for one in languages]
        parts = [version("tesserocr"), *sizes]
    except ImportError:
        parts = ["none"]
    return " ".join([RECOGNISER, "+".join(languages), *parts, str(_RECIPE)])


def has_data(language: str) -> bool:
    """Say whether a language can be recognised here."""
    try:
        return bool(_data_folder((language,)))
    except ImportError:
        return False


@dataclass(frozen=True, slots=True)
class Word:
    """Where a word stands in the text and on the page, and how sure the engine is, 0 to 1."""

    start: int
    end: int
    box: "Box"
    confidence: float


@dataclass(frozen=True, slots=True)
class RecognisedText:
    text: str = ""
    words: Sequence[Word] = ()

    @property
    def certainties(self) -> tuple[int, ...]:
        """How sure the engine is of each piece between white space, 0 to 100."""
        return tuple(
            round(_HUNDRED * word.confidence)
            for word in self.words
            for _ in self.text[word.start : word.end].split()
        )

    @property
    def confidence(self) -> float:
        """The mean over the characters, 0 to 1: a long word counts for more than a speck."""
        characters = sum(word.end - word.start for word in self.words)
        sure = sum(word.confidence * (word.end - word.start) for word in self.words)
        return sure / characters if characters else 0.0


class Recogniser:
    """Tesseract with the data of some languages, one page at a time.

    `languages` are ISO 639-2 codes, the likeliest first. Raises ImportError where the engine or
    the data of a language is not installed.
    """

    def __init__(self, languages: Sequence[str]) -> None:
        import tesserocr  # noqa: PLC0415 -- 40 MB, and only a function of its own has it

        self._engine = tesserocr
        folder = _data_folder(languages)
        self._api = tesserocr.PyTessBaseAPI(
            path=str(folder), lang="+".join(languages), psm=tesserocr.PSM.AUTO
        )
        release = tesserocr.tesseract_version().split()[1]
        self.name = f"{RECOGNISER} {release} {'+'.join(languages)}"

    def read(self, drawn: Callable[[int], Picture]) -> RecognisedText:
        """Return the words of a page; of one that lies on its side, turned.

        `drawn` gives its picture, turned clockwise by so many quarter turns.

        Raises ResourceExhausted where the engine does not come to an end: such a page was not
        looked at, which is not the same as a page without words.
        """
        picture = drawn(0)
        best = self.read_upright(picture)
        for turns in _TURNS:
            if picture.is_blank or best.confidence >= _UPRIGHT:
                break
            best = max(best, self.read_upright(drawn(turns)), key=_certain_characters)
        return or_nothing(best)

    def read_upright(self, picture: Picture) -> RecognisedText:
        """Return the words of a picture without quarter turns. Raises ResourceExhausted."""
        if picture.is_blank:
            return RecognisedText()
        level = levelled(in_even_light(picture.image()))
        dots: Any = level.image.tobytes()  # its stub says str
        is_narrow = picture.height > _NARROW * picture.width
        modes = self._engine.PSM
        self._api.SetPageSegMode(modes.SINGLE_BLOCK if is_narrow else modes.AUTO)
        self._api.SetImageBytes(dots, level.image.width, level.image.height, 1, level.image.width)
        self._api.SetSourceResolution(picture.dots_per_inch)
        if not self._api.Recognize(_PAGE_MS):
            message = f"the words of a page are not recognised within {_PAGE_MS / 1000:g} seconds"
            raise ResourceExhausted(message)
        parts: list[str] = []
        words: list[Word] = []
        at = 0
        for between, letters, pixels, confidence in self._found():
            gap = between if parts else ""
            start = at + len(gap)
            at = start + len(letters)
            parts += (gap, letters)
            words.append(Word(start, at, picture.on_page(level.before(pixels)), confidence))
        self._api.Clear()
        return RecognisedText("".join(parts), words)

    def _found(self) -> Iterator[tuple[str, str, tuple[int, int, int, int], float]]:
        """Yield each word with what divides it from the one before."""
        level = self._engine.RIL
        word: Any = self._api.GetIterator()
        between = ""
        is_more: bool = not word.Empty(level.WORD)
        while is_more:
            if word.IsAtBeginningOf(level.PARA):
                between = "\n\n"
            elif word.IsAtBeginningOf(level.TEXTLINE):
                between = max(between, "\n", key=len)
            else:
                between = between or " "
            box = word.BoundingBox(level.WORD)
            letters = storable(word.GetUTF8Text(level.WORD)).strip() if box else ""
            if letters:
                yield between, letters, box, word.Confidence(level.WORD) / _HUNDRED
                between = ""
            is_more = word.Next(level.WORD)


def or_nothing(found: RecognisedText) -> RecognisedText:
    """Return a text if there is a word in it.

    Boxes and arrows are taken for letters too: "QD", "®". A drawing has no word among them.
    """
    return found if any(map(is_word, found.words)) else RecognisedText()


def is_word(word: Word) -> bool:
    """Say whether the engine is sure of a word that is long enough to be none by chance."""
    return word.end - word.start >= _SHORTEST_WORD and word.confidence >= LOW_CONFIDENCE


def _certain_characters(text: RecognisedText) -> float:
    return sum(word.confidence * (word.end - word.start) for word in text.words)


def _data_folder(languages: Sequence[str]) -> Path:
    """Return where the data of the languages lies: wheels put it beside the packages, in `share`.

    Of an environment that is above its library, of a folder installed with `--target` in it.
    """
    package = find_spec("tesserocr")
    home = Path(package.origin if package and package.origin else "/")
    folders = [parent / "share" / "tessdata" for parent in home.parents]
    for folder in folders:
        if all(_data_of(language, folder).is_file() for language in languages):
            return folder
    message = f"the data of Tesseract for {', '.join(languages)} is not installed"
    raise ImportError(message)


def _data_of(language: str, folder: Path) -> Path:
    return folder / f"{language}.traineddata"
