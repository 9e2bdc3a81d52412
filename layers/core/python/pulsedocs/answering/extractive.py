"""An answer without a chat model: the sentences that answer best, as they stand on their pages."""

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from pulsedocs.answering.neutral import without_controls, without_markup
from pulsedocs.answering.passages import Block, Words, sentences_of
from pulsedocs.answering.sentences import before_final_stop, is_item
from pulsedocs.answering.tables import Row, named_labels, row_of
from pulsedocs.answering.verification import citation_of
from pulsedocs.answering.wording import (
    alike_but_for_figures,
    covered,
    numbers_in,
    repeats,
    stems,
)
from pulsedocs.model.answers import Citation

_MAX_SENTENCES = 4
_MAX_READ = 40  # sentences put to the scorer: about a quarter of a second of the local reranker
_FEWEST_WORDS = 3  # fewer are a heading or a table cell
_MARGIN = 1.5  # of log-odds below the best: a further sentence has at least a fifth of its odds
_SAME_MATTER = 0.8  # of the shorter one's words: two documents speak of the same
_EVEN = 0.0  # log-odds: as likely right as wrong
_WORDS_ENOUGH: Final = 0.3  # of the question's words, where no model judges
_CERTAIN = 0.999  # beyond, a calibrated relevance says no more
_UNKNOWN = 0.5  # the relevance of a passage that nothing has judged: it moves nothing
_YEAR = re.compile(r"\b(?:19|20)[0-9]{2}\b")

Scorer: TypeAlias = Callable[[str, Sequence[str]], Sequence[float]]
"""Relevance from 0 to 1 of each sentence to the question."""


@dataclass(frozen=True, slots=True)
class Extract:
    """`best` is the highest relevance of any sentence read, answered or not."""

    text: str
    citations: tuple[Citation, ...]
    best: float


@dataclass(frozen=True, slots=True)
class _Scored:
    words: Words
    row: Row | None
    relevance: float
    odds: float


def by_shared_words(question: str, sentences: Sequence[str]) -> list[float]:
    """Score sentences without a model: the share of the question's words that each has."""
    words = stems(question)
    return [covered(words, sentence) for sentence in sentences]


def missing_years(question: str, blocks: Sequence[Block]) -> frozenset[str]:
    """Return the years that a question asks about and no passage mentions.

    A sentence about this year reads like one about another: only the figures differ.
    """
    mentioned = {year for block in blocks for year in _YEAR.findall(block.text)}
    return frozenset(_YEAR.findall(question)) - mentioned


def extract(
    question: str,
    blocks: Sequence[Block],
    *,
    scorer: Scorer,
    relevance: Mapping[int, float | None],
    gate: float = _WORDS_ENOUGH,
) -> Extract:
    """Return one to four sentences in reading order; none where the best is below `gate`.

    `relevance` is that of each passage by number. It is weighed in, as log-odds: a sentence alone
    says "it" where its passage says what. Each sentence is verbatim in its citation; the text
    shows it with layout and markup removed.
    """
    read = [(words, row_of(words)) for words in _worth_reading(blocks)]
    if not read:
        return Extract("", (), 0.0)
    scores = scorer(question, [_plain(words, row) for words, row in read])
    labels = named_labels(question, [row for _, row in read if row])
    scored = [
        _Scored(
            words,
            row,
            score,
            _log_odds(score)
            + _log_odds(relevance.get(words.block.n))
            - _handicap(words, row, labels=labels),
        )
        for (words, row), score in zip(read, scores, strict=True)
    ]
    chosen = _in_reading_order(_best([item for item in scored if item.relevance >= gate]))
    return Extract(
        " ".join(_shown(item) for item in chosen),
        tuple(citation_of(words) for item in chosen for words in _quoted(item)),
        max(scores),
    )


def _worth_reading(blocks: Sequence[Block]) -> list[Words]:
    """Return each sentence once, though passages overlap, under the passage selected first."""
    once = {
        (words.block.document_id, words.page.number, words.start): words
        for block in reversed(blocks)
        for words in reversed(sentences_of(block))
        if _says_something(words.text)
    }
    return list(reversed(once.values()))[:_MAX_READ]


def _says_something(sentence: str) -> bool:
    """Return whether it is more than a heading: a whole sentence, a list item or a row."""
    if len(sentence.split()) < _FEWEST_WORDS:
        return False
    return _stands_alone(sentence) or bool(numbers_in(sentence))


def _stands_alone(sentence: str) -> bool:
    return before_final_stop(sentence) < len(sentence) or is_item(sentence)


def _handicap(words: Words, row: Row | None, *, labels: Sequence[frozenset[str]]) -> float:
    """Return by how much, in log-odds, words have to be better than others to answer.

    A row or a title that the question does not name has to be clearly better than a sentence. What
    leaves out a name that the question takes from a table speaks of something else: net sales of
    the group, where those in Asia were asked for.
    """
    said = stems(_plain(words, row))
    is_named = row is not None and stems(row.label) in labels
    is_whole = is_named or _stands_alone(words.text)
    return _MARGIN * ((not is_whole) + any(not label <= said for label in labels))


def _log_odds(relevance: float | None) -> float:
    share = _UNKNOWN if relevance is None else min(_CERTAIN, max(1 - _CERTAIN, relevance))
    return math.log(share / (1 - share))


def _best(scored: Sequence[_Scored]) -> list[_Scored]:
    """Take the best sentence and those that add to it; first what other documents say of it."""
    # The sort is stable: equal scores keep the order of selection and of the page.
    ranked = sorted(scored, key=lambda item: -item.odds)
    best, further = ranked[:1], ranked[1:]
    chosen = list(best)
    for item in sorted(further, key=lambda item: not _is_counterpart(item, ranked[0])):
        if _adds(item, chosen):
            chosen.append(item)
    return chosen[:_MAX_SENTENCES]


def _adds(item: _Scored, chosen: Sequence[_Scored]) -> bool:
    """Say whether it is a whole sentence that answers too and is not among the chosen already.

    Where even the best sentence is rather wrong than right, no other one comes with it.
    """
    if not _stands_alone(item.words.text):
        return False
    if any(repeats(item.words.text, other.words.text) for other in chosen):
        return False
    is_near = item.odds >= max(chosen[0].odds - _MARGIN, _EVEN)
    return is_near or _is_counterpart(item, chosen[0])


def _is_counterpart(item: _Scored, best: _Scored) -> bool:
    """Say whether another document says the like: what differs may be what matters.

    Their passages may be unlike; the sentences alone are compared.
    """
    if item.words.block.document_id == best.words.block.document_id:
        return False
    is_near = _log_odds(item.relevance) >= _log_odds(best.relevance) - _MARGIN
    alike = alike_but_for_figures(item.words.text, best.words.text)
    return is_near and alike >= _SAME_MATTER


def _in_reading_order(chosen: Sequence[_Scored]) -> list[_Scored]:
    """Keep the best document first, and read each from front to back."""
    documents = list(dict.fromkeys(item.words.block.document_id for item in chosen))
    return sorted(
        chosen,
        key=lambda item: (
            documents.index(item.words.block.document_id),
            item.words.page.number,
            item.words.start,
        ),
    )


def _quoted(item: _Scored) -> list[Words]:
    """Return the words that prove a sentence; a row's figures mean what its columns say."""
    columns = item.row.columns if item.row else None
    return [item.words] if columns is None else [columns, item.words]


def _plain(words: Words, row: Row | None = None) -> str:
    """Return words on one line, and before a row what its table calls the figures."""
    text = " ".join(words.text.split())
    return f"{row.heading}: {text}" if row and row.heading else text


def _shown(item: _Scored) -> str:
    harmless = without_markup(
        without_controls(_plain(item.words, item.row)), is_known_address=lambda _address: True
    )
    cut = before_final_stop(harmless)
    return f"{harmless[:cut]} [{item.words.block.n}]{harmless[cut:] or '.'}"
