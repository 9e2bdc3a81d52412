"""Words of a question that are misspelt, read as words that the documents have.

A word is doubted if it is none that a model's vocabulary has whole, nor one of them with an ending.
It is read as another only if the collections do not have it and one word one letter away is
likelier than all others: one that they have, or a common one. Decision 0054 has the counts.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from string import ascii_lowercase
from typing import Final, NamedTuple, TypeAlias

from pulsedocs.model.retrieval import NearWord

Knows: TypeAlias = Callable[[str], bool]

_TOKEN: Final = re.compile(r"[^\W_]+(?:[-.&'\u2019](?!s\b)[^\W_]+)*")
_WORD: Final = re.compile(r"[^\W_]+")
_SHORTEST: Final = 3  # letters
_SHORT: Final = 4  # letters: of fewer it is an abbreviation, or a word of every text
_LONG: Final = 5  # letters: shorter words are near to many
_LONGER: Final = 7  # letters: a slip of one is that word, were it rare and inflected
_MOST: Final = 9  # words of a question, each 180 to 1,000 spellings
_MOST_MISSING: Final = 4  # that the collections do not have; the query looks up no more either
_LONGEST: Final = 20  # letters
_ENDINGS: Final = ("s", "ed", "ing", "ly", "er", "ers")
_AFTER_E: Final = ("ed", "ing", "er", "ers")  # of "shape": "shaped"; no "shaps"
_HISSING: Final = ("s", "x", "z", "ch", "sh", "o")  # "es" follows these alone: no "countes"
_SHORTEST_STEM: Final = 4
_SWAPPED: Final = frozenset(("and", "for", "how", "the", "who", "you"))
"""What three swapped letters are read as: "hsa" may be an account, and is no "has"."""
_COUNTED: Final = ("many", "much")  # question words that PostgreSQL indexes


def doubtful(question: str, knows: Knows) -> tuple[str, ...]:
    """Return the words, in small letters, that may be misspelt; none in a text of many."""
    words = [
        word.lower()
        for token in _TOKEN.findall(question)
        for word in _words_of(token)
        if word.isascii()
        and _SHORTEST <= len(word) <= _LONGEST
        and (word.islower() or word.istitle() or _is_in_capitals(word))
    ]
    first = words[0] if words and question.lower().startswith(words[0]) else ""
    found = [
        word
        for word in dict.fromkeys(words)
        if not _is_known(word, knows) or (word == first and len(word) < _SHORT)
    ]
    return tuple(found) if len(found) <= _MOST else ()


def _words_of(token: str) -> list[str]:
    """Return the words of "cross-country", and none of a code, an address or a file's name."""
    words = _WORD.findall(token)
    are_plain = "-" in token and all(word.islower() or word.istitle() for word in words)
    return words if token.isalpha() or (are_plain and token.replace("-", "").isalpha()) else []


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
    forms: dict[str, dict[str, str | None]] = defaultdict(dict)
    for one in near:
        forms[one.word][one.spelling] = one.term
    missing = {word for word in doubtful(question, knows) if word not in forms[word]}
    if len(missing) > _MOST_MISSING:
        return question

    def corrected(match: re.Match[str]) -> str:
        word = match.group()
        meant = _meant(word, forms[word.lower()], knows) if word.lower() in missing else None
        if meant is None:
            return word
        return (
            meant.upper() if _is_in_capitals(word) else meant.title() if word.istitle() else meant
        )

    return _TOKEN.sub(
        lambda token: _WORD.sub(corrected, token[0]) if _words_of(token[0]) else token[0], question
    )


class _Weight(NamedTuple):
    """What makes a form likely, what counts most first."""

    is_word: bool
    """No form that only an ending makes of a word: "steds" is no "siteds"."""
    is_slip: bool
    is_held: bool
    is_small: bool
    is_common: bool
    begins_alike: bool


def _meant(spelt: str, held: Mapping[str, str | None], knows: Knows) -> str | None:
    """Return the word that is meant; None where none is likely or several alike.

    `held` are spellings that the collections have, with their terms; None is one of every text. A
    slip of a common word is that word where they lack it too: who asks for the "sqare" does not
    mean their "spare".
    """
    word = spelt.lower()
    lacked = _common_slips(word, knows) if spelt.islower() else []
    counted = [form for form in _COUNTED if _is_slip(word, form)]
    weights = {
        form: weight
        for form in {*held, *lacked, *counted}
        if (weight := _weight(word, form, held, knows)) is not None
    }
    if not weights:
        return None
    best = max(weights.values())
    stems = {form: held.get(form) or form for form in weights}
    likeliest = {stems[form] for form, weight in weights.items() if weight == best}
    if len(likeliest) > 1:
        return None
    same = [form for form, stem in stems.items() if stem in likeliest]
    meant = min(same, key=lambda form: (not weights[form].is_slip, len(form), form))
    return meant if _is_likely(spelt, meant, best) else None


def _weight(word: str, form: str, held: Mapping[str, str | None], knows: Knows) -> _Weight | None:
    """Weigh a form; None where it is not meant.

    The first letter is hardly ever the wrong one, and "degeneration" is no "regeneration".
    """
    term, is_slip = held.get(form, form), _is_slip(word, form)
    is_common = knows(form)
    weight = _Weight(
        is_word=is_common or term in {None, form, form.removesuffix("s")},
        is_slip=is_slip,
        is_held=form in held,
        is_small=term is None,
        is_common=is_common,
        begins_alike=form[0] == word[0],
    )
    begins = weight.begins_alike or (is_slip and form[:2] == word[1::-1])
    has_ending = _is_known(form, knows) or (is_slip and len(word) >= _LONGER)
    return weight if begins and (weight.is_word or has_ending) else None


def _is_likely(spelt: str, meant: str, weight: _Weight) -> bool:
    """Say whether a word may be this one: a short one may be an abbreviation too, or a name."""
    if len(spelt) >= _LONG:
        return True
    is_of_every_text = weight.is_small or meant in _COUNTED
    if len(spelt) < _SHORT:
        is_read = meant in _SWAPPED or (is_of_every_text and len(meant) > len(spelt))
        return weight.is_slip and is_read
    if spelt.isupper():
        return weight.is_slip and (is_of_every_text or len(meant) == len(spelt))
    return weight.is_slip or (weight.is_common and not weight.is_small)


def _common_slips(word: str, knows: Knows) -> list[str]:
    """Return the common words of which a slip makes this one."""
    long = spellings(word) if len(word) >= _LONG else ()
    return [form for form in long if knows(form) and _is_slip(word, form)]


def _is_slip(word: str, meant: str) -> bool:
    """Say whether two letters are swapped, or one is left out or doubled: slips of the fingers.

    A wrong letter is one of 25 that could be there.
    """
    if len(word) == len(meant):
        pairs = ((at, word[at + 1] + word[at]) for at in range(len(word) - 1))
        return any(word[:at] + pair + word[at + 2 :] == meant for at, pair in pairs)
    if len(word) < len(meant):
        return any(meant[:at] + meant[at + 1 :] == word for at in range(len(meant)))
    doubled = (at for at in range(1, len(word)) if word[at] == word[at - 1])
    return any(word[:at] + word[at + 1 :] == meant for at in doubled)


def _is_known(word: str, knows: Knows) -> bool:
    stems = [word.removesuffix(end) for end in _ENDINGS if word.endswith(end)]
    stems += [f"{word.removesuffix(end)}e" for end in _AFTER_E if word.endswith(end)]
    stems += [word[:-2]] if word.endswith(tuple(f"{hissing}es" for hissing in _HISSING)) else []
    return knows(word) or any(knows(stem) for stem in stems if len(stem) >= _SHORTEST_STEM)
