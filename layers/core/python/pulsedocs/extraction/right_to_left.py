"""Puts lines of Arabic and Hebrew into the order in which they are read, by where a PDF draws them.

pdfium turns words itself, but not letters that the file states one by one (/ActualText), as
Chromium's print to PDF does; and it leaves brackets, signs and Latin words at the wrong word, and
a word with a low mark on a line of its own. So each line is sorted anew from its right end, and
what is read from left to right in it is turned: the rules of Unicode for bidirectional text, from
the page back to the text.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from ctypes import byref, c_double
from dataclasses import dataclass, replace
from functools import partial
from itertools import groupby, pairwise
from math import hypot
from typing import Final
from unicodedata import bidirectional, category

from pulsedocs.extraction import pdfium
from pulsedocs.extraction.pdfium import Handle
from pulsedocs.extraction.stated_text import BESIDE, LEVEL, SPACE, Piece

_LETTER: Final = r"\u0590-\u065f\u066d-\u06ef\u06fa-\u08ff\ufb1d-\ufdfb\ufe70-\ufefc"
_LETTERS: Final = re.compile(f"[{_LETTER}]")
_LATIN: Final = re.compile(r"[A-Za-z\u00c0-\u024f]")
_LINE: Final = re.compile(r"[^\s|](?:[^\r\n\t|]*[^\s|])?")  # bars are those of tables
_WORDS: Final = re.compile(rf"[{_LETTER}](?:[^\w\r\n\t|]|[{_LETTER}\d])*[{_LETTER}]")
_LONGEST: Final = 500  # characters: each mark is held against the letters of its line
_CLASSES: Final = ("R", "AL", "L", "EN", "AN", "WS", "NSM", "CS", "ES", "ET")
_KINDS: Final[dict[str, str]] = dict(zip(_CLASSES, "RYLNAsmcet", strict=True))
"""Letters for the classes of Unicode that matter here; all others are neutral."""
_TURNED: Final = re.compile(r"t*[LN](?:[^RYA]*[LN])?t*|A+(?:cA+)*")
_NUMBER: Final = re.compile(r"t*N+(?:[ce]N+)*t*")
_ARABIC_NUMBER: Final = re.compile(r"N+(?:cN+)*")
"""Behind Arabic letters signs and hyphens stand left of a number: "15%" is drawn "%15"."""
_OPENING: Final = dict(zip(")]}\u00bb", "([{\u00ab", strict=True))
_CLOSING: Final = {opening: closing for closing, opening in _OPENING.items()}
_BEHIND_CLOSING: Final = frozenset(" .,;:!?\u060c\u061b\u061f") | _OPENING.keys()
BRACKETS: Final = _OPENING.keys() | _CLOSING.keys()
"""Which may stand in a text as the opposite of what a file states."""


@dataclass(frozen=True, slots=True)
class _Glyph:
    """A character of a text, where the pen stood to draw it, and its sides, in points.

    Of one that is drawn in pieces, `left` and `right` are those of one of them, `inked` of all.
    """

    sign: str
    place: int
    x: float
    baseline: float
    left: float
    right: float
    inked: tuple[float, float]
    size: float

    @property
    def middle(self) -> float:
        return (self.left + self.right) / 2


def with_lines_turned(
    text: str,
    text_page: Handle,
    character_at: Callable[[int], int],
    pieces: Mapping[Handle, Piece],
) -> tuple[str, Callable[[int], int]]:
    """Return the text with its lines as they are read, and which character stands at each place."""
    letters = 0 if text.isascii() else len(_LETTERS.findall(text))
    if not letters or pdfium.has_pairs(text):
        return text, character_at
    is_turned = letters > len(_LATIN.findall(text))
    parts: list[str] = []
    places: list[int] = []
    done = 0
    glyphs_at = partial(_glyphs, text, text_page, character_at, pieces)
    for start, end, glyphs in _lines(text, glyphs_at, is_turned=is_turned):
        line = _read(glyphs)
        parts += (text[done:start], *(glyph.sign for glyph in line))
        places += range(done, start)
        places += (glyph.place for glyph in line)
        done = end
    places += range(done, len(text))
    return "".join([*parts, text[done:]]), lambda place: character_at(places[place])


def _lines(
    text: str, glyphs_at: Callable[[int, int], list[_Glyph]], *, is_turned: bool
) -> Iterator[tuple[int, int, Sequence[_Glyph]]]:
    """Yield where each line to be read anew begins and ends, and what it consists of.

    Of a line that is read from left to right, its words of the other letters; of others, all
    pieces into which pdfium cut it.
    """
    start, end, line = 0, 0, list[_Glyph]()
    for found in _LINE.finditer(text):
        if not is_turned and not _LETTERS.search(found[0]):
            continue
        if is_turned or len(_LETTERS.findall(found[0])) > len(_LATIN.findall(found[0])):
            spans = [found.span()]
        else:
            spans = [words.span() for words in _WORDS.finditer(text, *found.span())]
        for span in spans:
            piece = glyphs_at(*span)
            if text[end : span[0]].isspace() and _is_one_line(line, piece):
                end, line = span[1], [*line, *piece]
                continue
            if _is_readable(line):
                yield start, end, line
            (start, end), line = span, piece
    if _is_readable(line):
        yield start, end, line


def _is_readable(line: Sequence[_Glyph]) -> bool:
    """Say whether characters stand on one line, and some are read from right to left."""
    if len(line) > _LONGEST or not any(_LETTERS.match(glyph.sign) for glyph in line):
        return False
    baselines = [glyph.baseline for glyph in line]
    return max(baselines) - min(baselines) < 2 * LEVEL * max(glyph.size for glyph in line)


def _is_one_line(line: Sequence[_Glyph], piece: Sequence[_Glyph]) -> bool:
    if not line or not piece or len(line) + len(piece) > _LONGEST:
        return False
    size = max(glyph.size for glyph in line)
    gap = max(
        min(glyph.left for glyph in piece) - max(glyph.right for glyph in line),
        min(glyph.left for glyph in line) - max(glyph.right for glyph in piece),
    )
    first, second = (sorted(each.baseline for each in some) for some in (line, piece))
    rise = abs(first[len(first) // 2] - second[len(second) // 2])
    return gap < BESIDE * size and rise < LEVEL * size


def _glyphs(
    text: str,
    text_page: Handle,
    character_at: Callable[[int], int],
    pieces: Mapping[Handle, Piece],
    start: int,
    end: int,
) -> list[_Glyph]:
    """Return what is drawn of a piece of text.

    Nothing where its line does not run to the right, or holds what no place is known of: a value
    of a form, the bar of a table.
    """
    glyphs: list[_Glyph] = []
    x, y, matrix, box = c_double(), c_double(), pdfium.Matrix(), pdfium.Box()
    for place in range(start, end):
        index = character_at(place)
        owner = pdfium.object_of_character(text_page, index)
        if text[place].isspace() and owner is None:
            continue  # pdfium made it up
        pdfium.matrix_of_character(text_page, index, byref(matrix))
        is_drawn = chr(pdfium.code_of_character(text_page, index)) == text[place]
        if not (is_drawn and matrix.a > abs(matrix.b)):
            return []
        pdfium.origin_of_character(text_page, index, byref(x), byref(y))
        pdfium.loose_box_of_character(text_page, index, byref(box))
        size = pdfium.size_of_character(text_page, index) * hypot(matrix.c, matrix.d)
        left, right = sorted((box.left, box.right))
        piece = pieces.get(owner or 0)
        inked = (piece.left, piece.right) if piece else (left, right)
        glyphs.append(_Glyph(text[place], place, x.value, y.value, left, right, inked, size))
    return glyphs


def _read(line: Sequence[_Glyph]) -> list[_Glyph]:
    """Return the characters of a line, with the spaces between them, as they are read."""
    sorted_line = _with_spaces(_from_the_right(line), _gaps(line))
    kinds = "".join(_KINDS.get(bidirectional(glyph.sign), "o") for glyph in sorted_line)
    for start, end in _turned(kinds):
        sorted_line[start:end] = sorted_line[start:end][::-1]
    signs = _with_brackets([glyph.sign for glyph in sorted_line])
    return [replace(glyph, sign=sign) for glyph, sign in zip(sorted_line, signs, strict=True)]


def _from_the_right(line: Sequence[_Glyph]) -> list[_Glyph]:
    """Sort a line from its right end, each mark behind the letter that it stands on.

    Of characters that the file states together, pdfium gives each a part of one box, from either
    side.
    """
    letters = [glyph for glyph in line if not _is_mark(glyph)]
    turned: list[_Glyph] = []
    ordered = sorted(line, key=lambda glyph: _place_from_the_right(glyph, letters))
    for _, stated in groupby(ordered, key=lambda glyph: glyph.x):
        together = list(stated)
        turned += together[::-1] if _is_mark(together[0]) else together
    return turned


def _place_from_the_right(glyph: _Glyph, letters: Sequence[_Glyph]) -> tuple[float, bool, float]:
    if _is_mark(glyph) and all(letter.x != glyph.x for letter in letters):
        below = [letter for letter in letters if letter.left <= glyph.middle <= letter.right]
        if below:
            letter = min(below, key=lambda letter: abs(letter.middle - glyph.middle))
            return (-letter.x, True, -glyph.middle)
    return (-glyph.x, False, -glyph.middle)


def _is_mark(glyph: _Glyph) -> bool:
    return category(glyph.sign) == "Mn"


def _gaps(line: Sequence[_Glyph]) -> list[tuple[float, float]]:
    """Return the sides of what is free of ink between the words of a line."""
    size = max(glyph.size for glyph in line)
    inked = sorted(glyph.inked for glyph in line)
    gaps: list[tuple[float, float]] = []
    reached = inked[0][1]
    for left, right in inked:
        if left - reached >= SPACE * size:
            gaps.append((reached, left))
        reached = max(reached, right)
    return gaps


def _with_spaces(line: list[_Glyph], gaps: Sequence[tuple[float, float]]) -> list[_Glyph]:
    """Return a line with a space at each gap that has none."""
    spaced = line[:1]
    for right, left in pairwise(line):
        is_parted = any(left.middle < (low + high) / 2 < right.middle for low, high in gaps)
        if is_parted and not (right.sign.isspace() or left.sign.isspace()):
            spaced.append(replace(left, sign=" "))
        spaced.append(left)
    return spaced


def _turned(kinds: str) -> Iterator[tuple[int, int]]:
    """Yield where a line that is sorted from the right has what is read from the left."""
    for found in _TURNED.finditer(kinds):
        if "L" in found[0] or "A" in found[0]:
            yield found.span()
            continue
        before = re.findall("[RYL]", kinds[: found.start()])
        number = _ARABIC_NUMBER if before[-1:] == ["Y"] else _NUMBER
        yield from (part.span() for part in number.finditer(kinds, *found.span()))


def _with_brackets(signs: Sequence[str]) -> list[str]:
    """Return a line with its brackets open to what they enclose: a file states how they look."""
    turned = list(signs)
    for place, sign in enumerate(signs):
        if sign not in BRACKETS:
            continue
        before = turned[place - 1] if place else " "
        behind = signs[place + 1] if place + 1 < len(signs) else " "
        opens = before.isspace() or before in _CLOSING
        closes = behind in _BEHIND_CLOSING
        if opens and not closes:
            turned[place] = _OPENING.get(sign, sign)
        elif closes and not opens:
            turned[place] = _CLOSING.get(sign, sign)
    return turned
