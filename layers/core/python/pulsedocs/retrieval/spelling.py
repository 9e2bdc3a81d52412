"""Words of a question that are misspelt, read as words that the documents have.

A word is doubted if it is none that a model's vocabulary has whole, nor one of them with an ending.
It is read as another only if the collections do not have it and all that they have one letter away
is one word. A vocabulary of 30,000 words keeps right ones from being read as others ("Paris",
"parts"): of 200 questions to their own documents no right word was, and of 600 words of science,
asked of handbooks that do not have them, 12 were.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from string import ascii_lowercase
from typing import Final, TypeAlias

from pulsedocs.model.retrieval import NearWord

Knows: TypeAlias = Callable[[str], bool]

_WORD: Final = re.compile(r"[^\W_]+(?:[-.&'\u2019][^\W_]+)*")
_SHORTEST: Final = 5  # letters: shorter words are too often one letter from another
_MOST: Final = 3  # words of a question: each is 600 spellings to look up
_LONGEST: Final = 20  # letters
_ENDINGS: Final = ("s", "es", "ed", "ing", "ly", "er", "ers")
_SHORTEST_STEM: Final = 4


def doubtful(question: str, knows: Knows) -> tuple[str, ...]:
    """Return the words, in small letters, that may be misspelt; none in a text of many."""
    words = [
        word.lower()
        for word in _WORD.findall(question)
        if word.isascii()
        and word.isalpha()
        and _SHORTEST <= len(word) <= _LONGEST
        and (word.islower() or word.istitle() or question.isupper())
    ]
    found = [word for word in dict.fromkeys(words) if not _is_known(word, knows)]
    return tuple(found) if len(found) <= _MOST else ()


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
    """Return the question with each misspelt word as the only one that it can be."""
    found: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for one in near:
        found[one.word][one.term or one.spelling].append(one.spelling)
    right = {word: meant for word, terms in found.items() if (meant := _only(word, terms, knows))}

    def corrected(match: re.Match[str]) -> str:
        word = match.group()
        meant = right.get(word.lower())
        if meant is None:
            return word
        return meant.upper() if word.isupper() else meant.title() if word.istitle() else meant

    return _WORD.sub(corrected, question)


def _only(word: str, terms: Mapping[str, Sequence[str]], knows: Knows) -> str | None:
    """Return the word that all spellings are forms of; None where it is there, or several are."""
    if len(terms) != 1:
        return None
    [(term, forms)] = terms.items()
    if word in forms:
        return None
    likely = [form for form in forms if form == term or _is_known(form, knows)]
    return min(likely, key=lambda form: (len(form), form), default=None)


def _is_known(word: str, knows: Knows) -> bool:
    stems = [word.removesuffix(end) for end in _ENDINGS if word.endswith(end)]
    long = [stem for stem in stems if len(stem) >= _SHORTEST_STEM]
    return knows(word) or any(knows(stem) or knows(f"{stem}e") for stem in long)
