"""Which documents a question names, by the words, figures and years of their titles and files.

A passage says "capital expenditure was 1,577 million", neither whose nor of which year: the name of
its document does, and the question. A reranker reads the passage alone.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from math import log
from typing import Final
from uuid import UUID

from pulsedocs.model.documents import name_of
from pulsedocs.model.letters import ALPHANUMERIC
from pulsedocs.model.retrieval import Candidate
from pulsedocs.model.years import PERIOD, years_in

_STEM: Final = 6  # letters: "deliver" and "deliveries" are one word
_WORD: Final = re.compile(ALPHANUMERIC)
_QUARTER: Final = re.compile(r"(?<![a-z])q[1-4](?!\d)")
_CAPITALS: Final = re.compile(r"\b[^\W\d_a-z][\w&.-]*+(?: (?:& )?[^\W\d_a-z][\w&-]*)+")
_SHORTEST_JOINED: Final = 5
"""Characters of a name that a file writes without the space: AMERICANEXPRESS, HX400."""
_LONGEST_COUNT: Final = 2  # digits: "30" counts something, or is a day
_SMALL: Final = re.compile(
    r"an?|the|of|for|and|or|in|on|at|to|by|with|from|as|is|are|was|were|be|what|which|who|when|where"
    r"|why|how|do|does|did|can|i|we|you|it|my|our|your|this|that|not|no|any|all|each|per|document"
    r"|file|page|pdf|de[rnms]|die|das|ein|eine|und|oder|von|zu|im|am|auf|mit|wer|wie|le|las?|les|des?"
    r"|du|une?|et|ou|en|e?l|los|y|del|[st]"
)


def named_documents(question: str, candidates: Iterable[Candidate]) -> Mapping[UUID, float]:
    """Return by document how much of what the question names is in its name, from 0 to 1.

    A word counts by how few of the documents found have it in their names, and only if no passage
    of the others says it: a "manual" or a "plan" that texts speak of names none of them. Years and
    quarters count all the same: each report mentions the year before.
    """
    passages = list(candidates)
    in_full = names_in_full(question, passages)
    names = {
        one.document_id: _name(one) | _keys_of(in_full.get(one.document_id, "")) for one in passages
    }
    asked = _keys_of(question)
    shared = {document: asked & name for document, name in names.items()}
    if not any(shared.values()):
        return dict.fromkeys(names, 0.0)
    told = _any_of(shared.values())
    topical = _any_of((_keys_of(one.text) & told) - names[one.document_id] for one in passages)
    topical = frozenset(key for key in topical if not PERIOD.fullmatch(key))
    having = Counter(key for name in names.values() for key in name)
    weights = {key: log(len(names) / having[key]) for key in told - topical}
    most = sum(weights[key] for key in sorted(weights))
    return {
        document: sum(weights[key] for key in sorted(own & weights.keys())) / most if most else 0.0
        for document, own in shared.items()
    }


def is_named(question: str, candidate: Candidate) -> bool:
    """Say whether a question has any word by which the candidate's document is called."""
    return not _keys_of(question).isdisjoint(_name(candidate))


def names_in_full(question: str, candidates: Iterable[Candidate]) -> Mapping[UUID, str]:
    """Return by document the name that a question calls it by, where its own passages write it so.

    The file OAKRIDGE_2021 is a report of Oakridge Retail, if one of its passages has that name; a
    report of Oakridge Energy has not. What is no part of the name of its document names others.
    """
    with_capitals = [run.split(" ") for run in _CAPITALS.findall(question)]
    found: dict[UUID, str] = {}
    for one in candidates if with_capitals else ():
        name = _name(one)
        for stretch in (each for words in with_capitals for each in _stretches(words, one.text)):
            longest = len(found.get(one.document_id, ""))
            if len(stretch) > longest and _keys_of(stretch) & name:
                found[one.document_id] = stretch
    return found


def _stretches(words: Sequence[str], text: str) -> Iterator[str]:
    """Yield from each word on the longest row of words, two or more, that stands in a text.

    A row less its first word stands there too: none is looked for again. Of 750 words there are
    280,000 rows, which took 6 s.
    """
    last = 0
    for first in range(len(words)):
        last = max(last, first + 1)
        while last < len(words) and " ".join(words[first : last + 1]) in text:
            last += 1
        if last - first > 1:
            yield " ".join(words[first:last])


def _name(candidate: Candidate) -> frozenset[str]:
    return _any_of(map(_keys, _words(f"{candidate.title or ''} {name_of(candidate.source)}")))


def _any_of(sets: Iterable[frozenset[str]]) -> frozenset[str]:
    return frozenset[str]().union(*sets)


def _keys_of(text: str) -> frozenset[str]:
    """Return the words of a text as they are compared, two that stand together as one word too."""
    words = _words(text)
    joined = (f"{one}{other}" for one, other in pairwise(words))
    return _any_of(map(_keys, {*words, *(one for one in joined if len(one) >= _SHORTEST_JOINED)}))


def _words(text: str) -> list[str]:
    return _WORD.findall(unicodedata.normalize("NFKC", text).casefold())


@lru_cache(maxsize=20_000)
def _keys(word: str) -> frozenset[str]:
    """Return a word as it is compared: FY2018 and 2018, 2023Q2 and Q2 have one in common."""
    if _SMALL.fullmatch(word) or (word.isdigit() and len(word) <= _LONGEST_COUNT):
        return frozenset()
    has_figure = any(map(str.isdigit, word))
    spelt = word if has_figure else word[:_STEM]
    return frozenset((spelt, *years_in(word), *_QUARTER.findall(word)))
