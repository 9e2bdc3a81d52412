"""The questions in one, and what each joins by "and": every one may have a sentence of its own."""

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from pulsedocs.answering.asked.follow_up import resolved
from pulsedocs.answering.asked.forms import is_said, words_of
from pulsedocs.answering.asked.match import CODE
from pulsedocs.answering.asked.terms import WORD, terms_of
from pulsedocs.answering.languages import REFERS_BACK
from pulsedocs.model.sentences import CLOSERS, sentence_ends
from pulsedocs.model.years import YEAR

_FEWEST_PARTS: Final = 2
_MOST_PARTS: Final = 10  # each is reranked, and read in the light of those before it
_FEWEST_LEFT: Final = 2  # words that carry meaning
_LONGEST_STORY: Final = 20
"""Words before a question that are judged with it: "I am 74. What will my flu shot cost me?".

Of 60 in the questions of outsiders none has more; those who judge were taught with such.
"""
_FEWEST_ASKING: Final = 3  # words of a question: "Who is chair"
_ASKS: Final = (
    r"(?:who|whom|whose|what|when|where|why|how|which|is|are|can|does|do|wer|was|wann|wo|warum|wie"
    r"|welche[rsmn]?|ist|sind|kann|darf|qui|que|quand|o\u00f9|comment|combien|qu\u00e9|cu\u00e1ndo"
    r"|d\u00f3nde|cu\u00e1nt[oa]s?|qui\u00e9n|c\u00f3mo|chi|quando|dove|quant[oaie]s?|qual[ei]?|perch\u00e9"
    r"|quem|onde|quais|wie|wanneer|waar(?:om)?|hoe(?:veel)?|welke?)"
)
_ASKING: Final = re.compile(rf"\b{_ASKS}\b|\?\s*$", re.IGNORECASE)
_ELLIPTIC: Final = re.compile(
    r"\W*(?:what|how|which|was|wie|welche\w*|quoi|qu\u00e9|che|cosa)\s+"
    r"(?:for|about|of|with|in|on|at|f\u00fcr|mit|bei|pour|para|per)\b",
    re.IGNORECASE,
)
_REFERS_TO_NOTHING: Final = re.compile(
    r"(?<=[^\W\d_]{3} )(?<!\band )(?<!\bbut )(?<!\bwhen )that(?= )|(?<=\bis )there|(?<=\bare )there"
    r"|(?<=\bgibt )es|(?<=-t-)il|\bil(?= y a\b)",
    re.IGNORECASE,
)
"""What looks as if it did: "bikes that are left", "is there a lift", "gibt es einen Aufzug"."""
_NEXT_PART: Final = re.compile(
    # From the first of many spaces only, as below: 8,000 took 10 s.
    rf"\?\s+|(?:[,;]|(?<!\s))\s+(?:and|und|(?-i:et|y|e|en)|or|oder)\s+(?={_ASKS}\b)|;\s+",
    re.IGNORECASE,
)

_THING: Final = r"[^\W_]++(?:[-./][^\W_]++)*+"
_JOINED: Final = re.compile(
    # From the beginning of a thing: 4,000 of "A." took 10 s.
    rf"(?<![^\W_])(?<![^\W_][-./])(?P<first>{_THING})(?P<others>(?:\s*,\s+{_THING})*)(?:\s*,)?\s+(?:and|und|(?-i:et|y|e))\s+"
    rf"(?!(?:still|then|also)\b)(?P<between>(?:(?:the|for|of|in|an?|die|der|das|den|dem|f\u00fcr|von|les?|la|des?|pour|los|las|el"
    rf"|para|il|per)\s+)*)(?P<last>{_THING})",
    re.IGNORECASE,
)
_AS_ONE: Final = re.compile(
    r"\b(?:between|both|zwischen|beide\w*|entre|tra|fra|sum|total|together|difference|gap|more|less)\b",
    re.IGNORECASE,
)
"""Words that make one question of two things: neither alone answers it."""
_SPACED: Final = re.compile(r"\s*,\s+")
_MOST: Final = 5


def asked_of(question: str, called: str) -> str:
    """Return a question as it is put to the sentences of a document that is `called` something.

    They need not say its name: "Which law governs the Acme agreement?" asks Acme's agreement which
    law governs the agreement. A question of which little would be left is put whole.
    """
    named = words_of(called)
    terms = set(terms_of(question))
    # Which year is meant has to be read in every sentence, though the report is of that year.
    dropped = {t for t in terms if is_said(t, named) and not YEAR.fullmatch(t)}
    # A file may write a name of two words as one: "Bay" says nothing without "Tallow".
    in_one = [both for both in pairwise(terms_of(question)) if "".join(both) in named]
    dropped.update(*in_one)
    if not dropped or len(terms - dropped) < _FEWEST_LEFT:
        return question
    left = " ".join(word for word in question.split() if dropped.isdisjoint(terms_of(word)))
    return f"{left.rstrip(' ?')}?" if question.rstrip().endswith("?") else left


def questions_in(question: str) -> list[str]:
    """Return the questions in one; a part without words of its own is none."""
    return _asking(_NEXT_PART.split(question)) or [question]


def _asking(parts: Sequence[str]) -> list[str]:
    told = [part for part in parts if part and any(terms_of(part))]
    return [part for part in told if _ASKING.search(part)] or told


def asked_apart(question: str) -> list[str]:
    """Return the questions in one that can be asked alone, each; none where that cannot be done.

    "When is the rent due, and how is it paid?" asks how the rent is paid. "What for the sauna" is
    no question without the one before.
    """
    split = _NEXT_PART.split(question)
    if len(split) > _MOST_PARTS:
        return []
    parts = _asking([resolved(part, split[:at]) or part for at, part in enumerate(split)])
    if len(parts) < _FEWEST_PARTS:
        return []
    refers = any(_refers_back(part) or _ELLIPTIC.match(part) for part in parts)
    is_short = min(len(WORD.findall(part)) for part in parts) < _FEWEST_ASKING
    if refers or is_short:
        return []
    return parts


def without_story(text: str) -> str:
    """Return what is asked behind a long story, where that can be asked alone; else the text.

    Whoever tells much of himself asks about little of it: to the bikes that are left in the hallway
    it is nothing that a sister gave hers away. A code is what he asks about.
    """
    begin = _asks_from(text)
    story, asked = text[:begin], text[begin:].strip()
    is_long = len(WORD.findall(story)) > _LONGEST_STORY
    if not is_long or _refers_back(asked) or any(map(CODE.fullmatch, terms_of(story))):
        return text
    return asked if len({*terms_of(asked)}) >= _FEWEST_LEFT else text


def _asks_from(text: str) -> int:
    """Return where the first sentence that ends in a question mark begins, or 0."""
    ends = [0, *sentence_ends(text), len(text)]
    sentences = ((start, text[start:end]) for start, end in pairwise(ends))
    return next((at for at, one in sentences if one.rstrip(f" \n{CLOSERS}")[-1:] == "?"), 0)


def _refers_back(text: str) -> bool:
    return REFERS_BACK.search(_REFERS_TO_NOTHING.sub(" ", text)) is not None


def one_by_one(question: str) -> list[str]:
    """Return a question once for each of the things that it joins; none where it joins nothing.

    "What do E12 and E17 mean?" asks what E12 means, and what E17 means.
    """
    joined = _joined(question)
    if joined is None or _AS_ONE.search(question):
        return []
    things = _things(joined)
    if len(things) > _MOST:
        return []
    before, after = question[: joined.start()], question[joined.end() :]
    return [f"{before}{thing}{after}" for thing in things]


def joined_in(question: str) -> frozenset[str]:
    """Return the words that a question joins and that carry meaning, in small letters."""
    joined = _joined(question)
    things = [] if joined is None else _things(joined)
    return frozenset(map(str.lower, things)).intersection(terms_of(question))


def _joined(question: str) -> re.Match[str] | None:
    """Return what a question joins; not what is told before it, unless "they" means that."""
    begin = _asks_from(question)
    return _JOINED.search(question, 0 if _refers_back(question[begin:]) else begin)


def _things(joined: re.Match[str]) -> list[str]:
    others = [thing for thing in _SPACED.split(joined["others"]) if thing]
    return [joined["first"], *others, joined["last"]]
