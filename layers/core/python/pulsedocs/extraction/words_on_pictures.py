"""Words that were recognised on pictures beside a page's own text, put where the pictures stand.

A photograph has no words, but a program finds some: leaves and windows look like letters. A
paragraph counts that holds one word of which it is sure, and is not full of those it is not.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from typing import TYPE_CHECKING, Final

from pulsedocs.extraction.recognition import RecognisedText, Word, is_word
from pulsedocs.model.pages import AROUND_RECOGNISED, Page, PicturePlace

if TYPE_CHECKING:
    from pulsedocs.model.highlights import Box

_LIKELY: Final = 0.6
"""Mean confidence of a paragraph: what was found on maps and machines beside words had .2 to .5."""


def with_words(page: Page, found: RecognisedText, *, reader: str) -> Page:
    """Return a page with the words of its pictures, each picture's in a paragraph of its own.

    `found` are the words of a drawing of the pictures alone. Certainties of the page's own words
    are None.
    """
    parts: list[str] = []
    certainties: list[int | None] = []
    inserted: list[tuple[int, int]] = []
    words: list[Word] = []
    at = 0
    for place, text in zip(page.pictures, _texts(found, _boxes(page.pictures)), strict=True):
        if not text.words:
            continue
        own, paragraph = page.text[at : place.at], _paragraph(text.text)
        parts += (own, paragraph)
        certainties += [None] * len(own.split())
        certainties += text.certainties
        inserted.append((place.at, len(paragraph)))
        words += text.words
        at = place.at
    if not inserted:
        return replace(page, pictures=(), is_picture=False)
    rest = page.text[at:]

    def moved(start: int) -> int:
        return start + sum(length for place, length in inserted if place <= start)

    return replace(
        page,
        text="".join([*parts, rest]),
        parser=f"{page.parser}+{reader}",
        headings=tuple(replace(each, start=moved(each.start)) for each in page.headings),
        verbatim=tuple((moved(start), moved(start) + end - start) for start, end in page.verbatim),
        pictures=(),
        is_picture=False,
        confidence=RecognisedText(found.text, words).confidence,
        certainties=(*certainties, *[None] * len(rest.split())),
    )


def as_inserted(found: RecognisedText, boxes: Sequence["Box"]) -> RecognisedText:
    """Return the words of all pictures of a page as they stand in its text, without its own."""
    parts: list[str] = []
    words: list[Word] = []
    at = 0
    for text in _texts(found, boxes):
        if text.words:
            start = at + len(AROUND_RECOGNISED)
            parts.append(_paragraph(text.text))
            words += _moved(text.words, start)
            at += len(parts[-1])
    return RecognisedText("".join(parts), words)


def _boxes(places: Iterable[PicturePlace]) -> list["Box"]:
    return [place.box for place in places]


def _paragraph(text: str) -> str:
    return f"{AROUND_RECOGNISED}{text}{AROUND_RECOGNISED}"


def _texts(found: RecognisedText, boxes: Sequence["Box"]) -> Iterator[RecognisedText]:
    """Yield what each picture says."""
    kept = [word for paragraph in _paragraphs(found) if _is_likely(paragraph) for word in paragraph]
    owners = [_owner(word.box, boxes) for word in kept]
    for number in range(len(boxes)):
        parts: list[str] = []
        words: list[Word] = []
        last: Word | None = None
        at = 0
        for word, owner in zip(kept, owners, strict=True):
            if owner != number:
                continue
            between = "" if last is None else _between(found.text, last, word)
            letters = found.text[word.start : word.end]
            start = at + len(between)
            at = start + len(letters)
            parts += (between, letters)
            words.append(replace(word, start=start, end=at))
            last = word
        yield RecognisedText("".join(parts), words)


def _paragraphs(found: RecognisedText) -> Iterator[list[Word]]:
    number = 0
    numbered: list[tuple[int, Word]] = []
    for word in found.words:
        end = numbered[-1][1].end if numbered else word.start
        number += "\n\n" in found.text[end : word.start]
        numbered.append((number, word))
    for _, paragraph in groupby(numbered, key=lambda each: each[0]):
        yield [word for _, word in paragraph]


def _is_likely(paragraph: Sequence[Word]) -> bool:
    # `confidence` counts letters, whatever they are.
    return any(map(is_word, paragraph)) and RecognisedText("", paragraph).confidence >= _LIKELY


def _between(text: str, one: Word, other: Word) -> str:
    """Return the white space between two words; what stood between them may have been left out."""
    gap = text[one.end : other.start]
    return max(("\n\n", "\n", " "), key=lambda each: (each in gap, len(each)))


def _owner(box: "Box", boxes: Sequence["Box"]) -> int | None:
    x, y = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
    return next(
        (
            number
            for number, (left, top, right, bottom) in enumerate(boxes)
            if left <= x <= right and top <= y <= bottom
        ),
        None,
    )


def _moved(words: Iterable[Word], by: int) -> Iterator[Word]:
    return (replace(word, start=word.start + by, end=word.end + by) for word in words)
