"""When one text is another with other figures, or another version of what it says."""

import re
import unicodedata
from typing import Final

from pulsedocs.model.letters import LETTERS, WITHOUT_SPACES

MOST_ALIKE: Final = 5
"""So many of them may stand beside each other: what they differ in may be what is asked for."""

_FEWEST_WORDS: Final = 8  # of which a shingle has as many
_WORD: Final = re.compile(LETTERS)
_PIECE: Final = re.compile(rf"[{WITHOUT_SPACES}]|[^\W\d_{WITHOUT_SPACES}]+")
_STEM: Final = 6  # letters: "opens" and "opening" are one word
_SAME_MATTER: Final = (
    0.75  # of the longer text's words; "is forty days", "is ninety days" share more
)
_SAME_PLACE: Final = 0.5  # where headings and source already say that it is the same matter


def likeness_of(text: str) -> str:
    """Return what is left of a text without figures, case, punctuation and layout.

    One other word makes another text: "may" and "may not", "Anna" and "Karl" are no copies. A text
    of few words, such as a table of figures, is like no other.
    """
    words = _WORD.findall(unicodedata.normalize("NFKC", text).casefold())
    return " ".join(words) if len(words) >= _FEWEST_WORDS else text


def words_of(text: str) -> frozenset[str]:
    """Return the words of a text as far as versions of it are told by them: cut, without figures.

    Where a script has no spaces, each character counts as a word.
    """
    pieces = _PIECE.findall(unicodedata.normalize("NFKC", text).casefold())
    return frozenset(piece[:_STEM] for piece in pieces)


def says_the_same(
    one: frozenset[str], other: frozenset[str], *, asked: frozenset[str], same_place: bool
) -> bool:
    """Say whether two texts, as words, answer a question alike but for a figure, a name, a "not".

    A word of the question that only one of them has makes them speak of different things: the
    deposit of the hall and that of the pool are no versions of each other to who asks for one.
    """
    longer = max(len(one), len(other))
    share = _SAME_PLACE if same_place else _SAME_MATTER
    shared = one & other
    return bool(shared) and len(shared) >= share * longer and not (one ^ other) & asked
