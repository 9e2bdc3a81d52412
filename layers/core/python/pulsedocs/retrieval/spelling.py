"""Words of a question that are misspelt, read as words that the documents have.

A word is doubted if it is none that a model's vocabulary has whole, nor one of them with an ending.
It is read as another only if the collections do not have it and one word that they have one letter
away is likelier than all others: decision 0054 has the counts.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from string import ascii_lowercase
from typing import Final, TypeAlias

from pulsedocs.model.retrieval import NearWord

Knows: TypeAlias = Callable[[str], bool]

_WORD: Final = re.compile(r"[^\W_]+(?:[-.&'\u2019](?!s\b)[^\W_]+)*")
_SHORTEST: Final = 4  # letters
_LONG: Final = 5  # letters: shorter words are near to many
_MOST: Final = 9  # words of a question, each 400 to 1,000 spellings; three are looked up
_LONGEST: Final = 20  # letters
_ENDINGS: Final = ("s", "ed", "ing", "ly", "er", "ers")
_AFTER_E: Final = ("ed", "ing", "er", "ers")  # of "shape": "shaped"; no "shaps"
_HISSING: Final = ("s", "x", "z", "ch", "sh", "o")  # "es" follows these alone: no "countes"
_SHORTEST_STEM: Final = 4


def doubtful(question: str, knows: Knows) -> tuple[str, ...]:
    """Return the words, in small letters, that may be misspelt; none in a text of many."""
    words = [
        word.lower()
        for word in _WORD.findall(question)
        if word.isascii()
        and word.isalpha()
        and _SHORTEST <= len(word) <= _LONGEST
        and (word.islower() or word.istitle() or _is_in_capitals(word))
    ]
    found = [word for word in dict.fromkeys(words) if not _is_known(word, knows)]
    return tuple(found) if len(found) <= _MOST else ()


def _is_in_capitals(word: str) -> bool:
    """Say whether a word is in capitals; of a long one's letters one may have slipped."""
    return sum(map(str.isupper, word)) >= len(word) - (len(word) >= _LONG)


def spellings(word: str) -> Iterator[str]:
    """Yield the word and each that one letter left out, added, changed or swapped makes of it."""
    made = {word}
    for at in range(len(word) + 1):
        before, after = word[:at], word[at:]
        made.update(
            before + letter + after[skipped:] for letter in ascii_lowercase for skipped in (0, 1)
        )
        made.add(before + after[1:])
        made.add(before + after[1::-1] + after[2:])
    yield from sorted(made)


def read_as(question: str, near: Sequence[NearWord], knows: Knows) -> str:
    """Return the question with each misspelt word as the likeliest that it can be."""
    found: dict[str, dict[str, str]] = defaultdict(dict)
    for one in near:
        found[one.word][one.spelling] = one.term or one.spelling

    def corrected(match: re.Match[str]) -> str:
        word = match.group()
        meant = _meant(word, found.get(word.lower(), {}), knows)
        if meant is None:
            return word
        return (
            meant.upper() if _is_in_capitals(word) else meant.title() if word.istitle() else meant
        )

    return _WORD.sub(corrected, question)


def _meant(spelt: str, forms: Mapping[str, str], knows: Knows) -> str | None:
    """Return the word that is meant; None where it is there, none is likely or several alike.

    `forms` are spellings with their terms. Slips come before other errors, and common words before
    rare ones. The first letter is hardly ever the wrong one, and "degeneration" is no
    "regeneration".
    """
    word = spelt.lower()
    likely: dict[tuple[bool, bool], list[str]] = defaultdict(list)
    for form, term in forms.items():
        is_common, is_slip = _is_known(form, knows), _is_slip(word, form)
        begins_alike = form[0] == word[0] or (is_slip and form[:2] == word[1::-1])
        if begins_alike and (is_common or form == term):
            likely[is_slip, is_common].append(form)
    if word in forms or not likely:
        return None
    is_slip, is_common = max(likely)
    same = likely[is_slip, is_common]
    is_weak = len(word) < _LONG and not is_slip and (spelt.isupper() or not is_common)
    if is_weak or len({forms[form] for form in same}) > 1:
        return None
    return min(same, key=lambda form: (len(form), form))


def _is_slip(word: str, meant: str) -> bool:
    """Say whether two letters are swapped, or one is doubled or not: slips of the fingers."""
    if len(word) == len(meant):
        pairs = ((at, word[at + 1] + word[at]) for at in range(len(word) - 1))
        return any(word[:at] + pair + word[at + 2 :] == meant for at, pair in pairs)
    long, short = sorted((word, meant), key=len, reverse=True)
    places = range(1, len(long))
    return any(long[at] == long[at - 1] and long[:at] + long[at + 1 :] == short for at in places)


def _is_known(word: str, knows: Knows) -> bool:
    stems = [word.removesuffix(end) for end in _ENDINGS if word.endswith(end)]
    stems += [f"{word.removesuffix(end)}e" for end in _AFTER_E if word.endswith(end)]
    stems += [word[:-2]] if word.endswith(tuple(f"{hissing}es" for hissing in _HISSING)) else []
    return knows(word) or any(knows(stem) for stem in stems if len(stem) >= _SHORTEST_STEM)
