"""An answer without a chat model: the sentences that answer best, as they stand on their pages."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from pulsedocs.answering.neutral import without_controls, without_markup
from pulsedocs.answering.passages import Block, Words, sentences_of
from pulsedocs.answering.sentences import before_final_stop
from pulsedocs.answering.verification import citation_of
from pulsedocs.answering.wording import covered, stems
from pulsedocs.model.answers import Citation

_MAX_SENTENCES = 4
_MAX_READ = 40  # sentences put to the scorer: about a quarter of a second of the local reranker
_FEWEST_WORDS = 3  # fewer are a heading or a table cell
_SHARE_OF_BEST = 0.5  # of the best relevance: what a further sentence must reach
_SAME = 0.8  # of the shorter one's words: the second would say the first again
_WORDS_ENOUGH: Final = 0.3  # of the question's words, where no model judges

Scorer: TypeAlias = Callable[[str, Sequence[str]], Sequence[float]]
"""Relevance from 0 to 1 of each sentence to the question."""


@dataclass(frozen=True, slots=True)
class Extract:
    """`best` is the highest relevance of any sentence read, answered or not."""

    text: str
    citations: tuple[Citation, ...]
    best: float


def by_shared_words(question: str, sentences: Sequence[str]) -> list[float]:
    """Score sentences without a model: the share of the question's words that each has."""
    words = stems(question)
    return [covered(words, sentence) for sentence in sentences]


def extract(
    question: str, blocks: Sequence[Block], *, scorer: Scorer, gate: float = _WORDS_ENOUGH
) -> Extract:
    """Return one to four sentences, the best first; an empty text where the best is below `gate`.

    Each sentence is verbatim in its citation; the text shows it with layout and markup removed.
    """
    read = [words for block in blocks for words in _worth_reading(block)][:_MAX_READ]
    if not read:
        return Extract("", (), 0.0)
    scores = scorer(question, [_plain(words) for words in read])
    # The sort is stable: equal scores keep the order of selection and of the page.
    ranked = sorted(zip(scores, read, strict=True), key=lambda pair: -pair[0])
    best = ranked[0][0]
    if best < gate:
        return Extract("", (), best)
    enough = max(gate, best * _SHARE_OF_BEST)
    chosen = _distinct([words for score, words in ranked if score >= enough])
    return Extract(
        " ".join(_shown(words) for words in chosen),
        tuple(citation_of(words) for words in chosen),
        best,
    )


def _worth_reading(block: Block) -> list[Words]:
    return [words for words in sentences_of(block) if len(words.text.split()) >= _FEWEST_WORDS]


def _distinct(ranked: Sequence[Words]) -> list[Words]:
    """Take the best sentences that say something new, from as many pages as have one."""
    chosen: list[Words] = []
    for words in ranked:
        if len(chosen) < _MAX_SENTENCES and not any(_alike(words, other) for other in chosen):
            chosen.append(words)
    return chosen


def _alike(one: Words, other: Words) -> bool:
    left, right = stems(one.text), stems(other.text)
    shorter = min(len(left), len(right))
    return not shorter or len(left & right) / shorter >= _SAME


def _plain(words: Words) -> str:
    return " ".join(words.text.split())


def _shown(words: Words) -> str:
    harmless = without_markup(
        without_controls(_plain(words)), is_known_address=lambda _address: True
    )
    cut = before_final_stop(harmless)
    return f"{harmless[:cut]} [{words.block.n}]{harmless[cut:] or '.'}"
