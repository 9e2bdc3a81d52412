"""Abbreviations and what they stand for: who asks for the CEO is told of a Chief Executive."""

import re
from collections.abc import Iterator
from typing import Final

from pulsedocs.answering.asked.terms import PART
from pulsedocs.answering.languages import SMALL_IN_ANY

_ABBREVIATION: Final = re.compile(r"\b[^\W\d_a-z]{1,5}&?[^\W\d_a-z]\b")  # PP&E is one
_WORD: Final = re.compile(rf"{PART.pattern}|&")
_AND: Final = frozenset({"&", "and", "und", "et", "y"})
_SURE_ALONE: Final = (
    3  # letters: of two, words have to have their capitals, as in "Human Resources"
)
_SHORT_FOR: Final = re.compile(
    r"\b(?:abbreviat\w+|acronyms?|initialisms?|stands? for|short for"
    r"|abk\u00fcrzung|kurz f\u00fcr|steh(?:t|en) f\u00fcr"
    r"|abr\u00e9viation|sigle|acronyme|abreviatura|siglas?|acr\u00f3nimo|abbreviazione)\b",
    re.IGNORECASE,
)


def written_otherwise(question: str, text: str) -> frozenset[str]:
    """Return the words of a question, in small letters, that a text abbreviates or writes out.

    Nothing in capitals throughout tells which of its words are abbreviations.
    """
    abbreviated = (short.lower() for short, _ in _written_out(question, text))
    in_full = (word for _, words in _written_out(text, question) for word in words)
    return frozenset((*abbreviated, *in_full))


def written_out(question: str, text: str) -> frozenset[str]:
    """Return the words of a text, in small letters, that a question abbreviates."""
    return frozenset(word for _, words in _written_out(question, text) for word in words)


def spells_out(letters: str, text: str) -> bool:
    """Say whether words that stand together begin with these letters: "NATO" or "CO", at length.

    A small word may stand between them: "point of sale". A text may also say that it does: not all
    letters are first ones, "DXF" is short for "data exchange file".
    """
    between = r"[\W_]+(?:[^\W_]{1,3}[\W_]+)?"
    words = between.join(rf"{letter}[^\W_]+" for letter in letters)
    is_so_called = _SHORT_FOR.search(text) is not None and letters.lower() in text.lower()
    return is_so_called or re.search(rf"\b{words}", text, re.IGNORECASE) is not None


def _written_out(abbreviating: str, full: str) -> Iterator[tuple[str, list[str]]]:
    """Yield abbreviations of one text, each with the words of another that begin with its letters.

    Small words between them have no letter, or each has: the Food and Agriculture Organization is
    the FAO, earnings per share are EPS. But "at the moment" is no ATM, and "&" is an "and".
    """
    if abbreviating.isupper() or full.isupper():
        return
    words = _WORD.findall(full)
    telling = [word for word in words if _tells(word)]
    for short in dict.fromkeys(_ABBREVIATION.findall(abbreviating)):
        for spoken in (words,) if "&" in short else (telling, words):
            initials = "".join("&" if word.lower() in _AND else word[0] for word in spoken)
            compared = initials.upper() if len(short) >= _SURE_ALONE else initials
            if len(compared) != len(spoken):
                continue
            starts = (found.start() for found in re.finditer(f"(?={short})", compared))
            places = (spoken[at : at + len(short)] for at in starts)
            if found := next((one for one in places if _tells(one[0]) and _tells(one[-1])), None):
                yield short, [word.lower() for word in found]
                break


def _tells(word: str) -> bool:
    return word != "&" and word.lower() not in SMALL_IN_ANY
