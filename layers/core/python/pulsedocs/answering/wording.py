"""Comparing words as a reader would: case, spacing, quotation marks and dashes do not count."""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from pulsedocs.answering.sentences import Span
from pulsedocs.model.letters import WORD_CHARACTERS

_STEM = 6  # letters: "deliver", "delivery" and "deliveries" agree without a stemmer per language
_SHORTEST = 4  # letters; shorter words are mostly grammar, unless they carry a digit
_MOST_WORDS: Final = 2 / 3  # of the longer text, around the place where another differs
_WORD = re.compile(WORD_CHARACTERS)
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")

OPTION: Final = re.compile(
    r"(?<![^\s\"'`(\[,/|])(?:--?[A-Za-z][\w-]*|[%\\][A-Za-z](?![^\s\"'`)\],/|?!.;:]))"
)
"""An option of a command, or a code in a format, whose capitals count: "-v", "-V", "%d", "%D"."""
GROUPED: Final = re.compile(r"[.,](?=\d{3}(?:\D|$))")
MISSPELT: Final = 0.8  # of difflib's ratio: "servises" is "services", "Helth" is "Health"
ITEM_NUMBER: Final = re.compile(r"^\s*(?:(\d{1,3})[.)]|\u00a7\s?\d{1,4}[a-z]?)\s")
"""What numbers an item, or the heading of a clause: "\u00a7 4 Kaution" says no amount."""
_NEGATION = re.compile(
    r"\b(?:not|never|none|neither|nor|nobody|nothing|without|cannot|no(?!\.?\s*\d)"
    r"|forbidden|prohibited|banned|excluded"
    r"|nicht|nie|niemals|kein\w*|ohne|weder|verboten|untersagt"
    r"|pas|jamais|aucun\w*|sans|interdit\w*|nunca|ning[u\u00fa]n\w*|inte|aldrig|ej|utan"
    r"|vietat[oaie]|non|nessun\w*|senza|proh?ibid[oa]s?|sin|n\u00e3o|nenhum\w*|sem"
    r"|niet|nooit|geen|zonder|verboden)\b"
    r"|n't\b"
)

_DOUBLE_QUOTES = "\u201c\u201d\u201e\u201f\u00ab\u00bb\u2033"
_SINGLE_QUOTES = "\u2018\u2019\u201a\u201b\u2032`\u00b4"
_DASHES = "\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe63\uff0d"
_INVISIBLE = "\u00ad\u200b\u200c\u200d\u2060\ufeff"

_ALIKE: Final = {
    **dict.fromkeys(_DOUBLE_QUOTES, '"'),
    **dict.fromkeys(_SINGLE_QUOTES, "'"),
    **dict.fromkeys(_DASHES, "-"),
    **dict.fromkeys(_INVISIBLE, ""),
}
_RAISED: Final = frozenset("\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079")
_TRAILING = " .,;:\u2026!?"
_AROUND_WORDS = "\"'()[]*\u2022" + _TRAILING


@dataclass(frozen=True, slots=True)
class Normalised:
    """`text` with each character's place in the original; `origins` is as long as `text`."""

    text: str
    origins: tuple[int, ...]


def normalise(text: str) -> Normalised:
    characters: list[str] = []
    origins: list[int] = []
    for origin, original in enumerate(text):
        replacement = _ALIKE.get(original)
        if original in _RAISED and text[origin - 1 : origin].isdigit():
            replacement = original  # 10⁶ is not 106, but m² is m2
        elif replacement is None:
            replacement = unicodedata.normalize("NFKC", original).casefold()
        for each in replacement:
            character = " " if each.isspace() else each
            if character != " " or (characters and characters[-1] != " "):
                characters.append(character)
                origins.append(origin)
    return Normalised("".join(characters), tuple(origins))


@lru_cache(maxsize=4096)  # of 6,000 words that a question compares, most come again and again
def folded(word: str) -> str:
    return normalise(word).text


def locate(quote: str, page: Normalised) -> Span | None:
    """Return where a page has these words, as characters of the original page.

    Whole words only: "art" is not in "party". Punctuation that a writer puts at the end of a quote
    is dropped where the page does not have it.
    """
    wanted = normalise(quote).text.strip()
    for words in (wanted, wanted.rstrip(_TRAILING)):
        found = _find_whole(words, page.text) if words else None
        if found is not None:
            return Span(page.origins[found], page.origins[found + len(words) - 1] + 1)
    return None


def _find_whole(words: str, text: str) -> int | None:
    at = text.find(words)
    while at >= 0:
        if not _splits_word(text, at) and not _splits_word(text, at + len(words)):
            return at
        at = text.find(words, at + 1)
    return None


def _splits_word(text: str, at: int) -> bool:
    """Return whether a word goes on across this place.

    Scripts without spaces have no word ends to look for: every place of theirs is one.
    """
    if not 0 < at < len(text):
        return False
    return all(character.isalnum() and character < "\u2e80" for character in text[at - 1 : at + 1])


@lru_cache(maxsize=1024)
def stems(text: str) -> frozenset[str]:
    """Return the words that carry meaning, cut to their first letters; all words if none do.

    Options of commands are whole, in their own capitals, and stand for the words they are of.
    """
    words = _WORD.findall(normalise(text).text)
    meaningful = [w for w in words if len(w) >= _SHORTEST or any(c.isdigit() for c in w)]
    options = OPTION.findall(text)
    telling = meaningful or ([] if options else words)
    return frozenset((*(word[:_STEM] for word in telling), *options))


def covered(words: frozenset[str], text: str) -> float:
    """Return the share of `words` that the text has."""
    return len(words & stems(text)) / len(words) if words else 0.0


def figures_in(text: str) -> frozenset[str]:
    """Return the numbers of a text as values: "1,200" is "1200"; an item's own number is none."""
    return frozenset(
        GROUPED.sub("", number) for number in _NUMBER.findall(ITEM_NUMBER.sub("", text))
    )


def is_negated(text: str) -> bool:
    """Say whether a text denies or forbids something, in a few languages."""
    return _NEGATION.search(text.replace("\u2019", "'").lower()) is not None


def repeats(text: str, said: str) -> bool:
    """Say whether `said` has all the words of a text, in their order, and its figures and denials.

    One other word can be the one that matters: "400" for "500", "Anna" for "Karl", "never".
    """
    if is_negated(text) != is_negated(said) or figures_in(text) != figures_in(said):
        return False
    following = iter(_words_said(said))
    return all(word in following for word in _words_said(text))


def alike_but_for_figures(one: str, other: str) -> float:
    """Return which share of the shorter text's words both have; numbers do not count."""
    left, right = _without_figures(stems(one)), _without_figures(stems(other))
    shorter = min(len(left), len(right))
    return len(left & right) / shorter if shorter else 0.0


def differ_in_one_place(one: str, other: str) -> bool:
    """Say whether two texts say the same but at one place, and that in most of their words.

    "Dr Amsel runs the laboratory", "Dr Birk runs the laboratory": names and numerals may be most of
    what stems are left.
    """
    left, right = _words_said(one), _words_said(other)
    before = alike_from_start(left, right)
    after = alike_from_start(left[before:][::-1], right[before:][::-1])
    return bool(left and right) and before + after >= _MOST_WORDS * max(len(left), len(right))


def alike_from_start(one: Sequence[str], other: Sequence[str]) -> int:
    """Return with how many letters two words, or words two texts, begin alike."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((n for n, (own, its) in pairs if own != its), min(len(one), len(other)))


def _without_figures(words: frozenset[str]) -> frozenset[str]:
    return frozenset(word for word in words if not word.isdigit())


def _words_said(text: str) -> list[str]:
    """Return all words, with signs and units; a bullet or an item's own number is none."""
    words = normalise(ITEM_NUMBER.sub("", text)).text.split()
    bare = (word.strip(_AROUND_WORDS) for word in words)
    return [word for word in bare if word not in {"", "-"}]


def numbers_in(text: str) -> frozenset[str]:
    return frozenset(_NUMBER.findall(text))
