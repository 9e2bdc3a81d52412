"""What a file calls itself, where that would tell a person anything."""

import re
from collections.abc import Sequence
from typing import Final

from pulsedocs.model.pages import Heading, Page
from pulsedocs.model.years import years_in

_LONGEST: Final = 500  # characters; a longer "title" is a paragraph
_WORD: Final = re.compile(r"[^\W\d_]{2}|[\u3040-\u9fff\uac00-\ud7af]")
_MACHINE_MADE: Final = re.compile(
    r"[0-9a-f]{16,}|[0-9a-f]{8}(?:[-_ ]?[0-9a-f]{4}){3}[-_ ]?[0-9a-f]{12}", re.IGNORECASE
)
_FIGURES: Final = re.compile(r"[\W\d_]*")
_IDENTIFIER: Final = re.compile(
    r"(?=(?:\S*[0-9]){3})(?=(?:\S*[a-z]){2})[a-z0-9_+/=-]{24,}", re.IGNORECASE
)
"""Letters and figures mixed, without a space."""
_PART: Final = re.compile(r"[^-_+/=]+")
_FEWEST_LETTERS: Final = 3  # of a part that is a word
_FEWEST_WORDS: Final = 2
_LEFT_BY_A_PROGRAM: Final = re.compile(
    r"(?:microsoft|ms) (?:word|powerpoint|excel|office)\b.*|powerpoint[- ]\w+"
    r"|\W*(?:untitled|unnamed|unbekannt|anonymous|unknown|none|null|about:blank|tmp"
    r"|(?:new |neue[sr]? )?(?:doc|document|dokument|documento"
    r"|pr[e\u00e4\u00e9]sentation|presentaci\u00f3n"
    r"|slide|folie|sheet|tabelle|mappe|page|seite|scan|image|img|layout|title|titel|file))[\W\d_]*"
    r"|(?:kein|no) (?:titel|title)|sans titre|sin t\u00edtulo|senza titolo|ohne titel"
    r"|full page fax print",
    re.IGNORECASE,
)
_PLACE: Final = re.compile(
    r"(?:[a-z]:)?[\\/].*|\w+://.*|.*\.(?:docx?|dotx?|rtf|odt|pptx?|xlsx?|indd|qx[dp]|pm[d56]|pdf|tex|dvi|ps"
    r"|eps|fm|wpd|txt|md|html?|tiff?|jpe?g|png|cdr|ai|vsdx?|pub|p65)",
    re.IGNORECASE,
)


def title_of(pages: Sequence[Page]) -> str | None:
    """Return the title that the file states, else the largest of the first page's headings."""
    if not pages:
        return None
    for title in (pages[0].title or "", largest_of(pages[0].headings)):
        words = " ".join("".join(filter(is_legible, title)).split())
        if is_telling(words):
            return words
    return None


def largest_of(headings: Sequence[Heading]) -> str:
    return min(headings, key=lambda heading: heading.level).title if headings else ""


def is_telling(title: str) -> bool:
    """Say whether a title is one that a person chose."""
    if len(title) > _LONGEST or not _WORD.search(title) or is_machine_made(title):
        return False
    return not (_LEFT_BY_A_PROGRAM.fullmatch(title) or _PLACE.fullmatch(title))


def is_machine_made(name: str) -> bool:
    """Say whether a name is a digest, an identifier or a number.

    Words joined by hyphens are none of these: "annual-report-2022-final-version". Nor is a year.
    """
    if _FIGURES.fullmatch(name):
        return not years_in(name)
    if _IDENTIFIER.fullmatch(name) is None:
        return _MACHINE_MADE.fullmatch(name) is not None
    words = [part for part in _PART.findall(name) if part.isalpha()]
    telling = sum(len(word) for word in words if len(word) >= _FEWEST_LETTERS)
    return len(words) < _FEWEST_WORDS or 2 * telling < len(name)


def is_legible(character: str) -> bool:
    return character.isprintable() or character.isspace()
