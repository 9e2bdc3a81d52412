"""Tells sentences that answer a question from those that speak of the same, in several languages.

Decomposable attention (Parikh and others 2016, https://arxiv.org/abs/1606.01933) over the words of
both, each with the vector that the multilingual embedder has for it alone: it was taught on
questions and near misses in seven languages (decision 0079), and reads others that the embedder
knows.
"""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from pulsedocs.model.deadline import Deadline
from pulsedocs.model.letters import CHINESE, HIRAGANA, KATAKANA, MARKS
from pulsedocs.ports.providers import Embedder

TAUGHT: Final = Path(__file__).with_name("multilingual_answers.npz")
"""What `python -m evaluation.teaching_languages` writes."""
MODEL: Final = "local:pulsedocs-multilingual-answers"
READS: Final = "local:muse@512"
"""The embedder whose vectors it was taught on."""
_WORD: Final = re.compile(
    rf"[{HIRAGANA}]+|[{KATAKANA}]+|[{CHINESE}]+"  # Japanese changes letters with the word
    rf"|(?:(?![{HIRAGANA}{KATAKANA}{CHINESE}])[^\W_]|(?<=[^\W_])[{MARKS}])+|[\u20ac$%\u00a3\u00a7]"
)
_MOST_WORDS: Final = 80  # of a text
_MOST_KEPT: Final = 20_000
"""Vectors of words, 40 MB: a warm function does not embed them again."""
_DIGITS: Final = 3  # texts are embedded in groups, and add up a little differently in each
Numbers: TypeAlias = npt.NDArray[np.float32]


def words_in(text: str) -> list[str]:
    """Return the words of a text, as they are read, at least one."""
    return [word.lower() for word in _WORD.findall(text)[:_MOST_WORDS]] or ["."]


class MultilingualJudge:
    """Implements `ports.providers.Reranker`; a score is the logit that a text answers."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._vectors: dict[str, Numbers] = {}
        with np.load(TAUGHT) as taught:
            self._taught = {name: taught[name].astype(np.float32) for name in taught.files}

    @property
    def model(self) -> str:
        return MODEL

    def rerank(
        self, query: str, passages: Sequence[str], *, deadline: Deadline
    ) -> tuple[float, ...]:
        texts = [query, *passages]
        vectors = self._words_of(texts, deadline=deadline)
        whole = np.array(
            self._embedder.embed_passages(texts, deadline=deadline).vectors, dtype=np.float32
        )
        words = [np.stack([vectors[one] for one in words_in(text)]) for text in texts]
        asked, vector = words[0], whole[0]
        return tuple(
            answers(self._taught, asked, own, vector, its)
            for own, its in zip(words[1:], whole[1:], strict=True)
        )

    def _words_of(self, texts: Sequence[str], *, deadline: Deadline) -> Mapping[str, Numbers]:
        """Return the vectors of the words of texts; another thread may ask at the same time."""
        kept = self._vectors if len(self._vectors) < _MOST_KEPT else {}
        every = dict.fromkeys(word for text in texts for word in words_in(text))
        new = [word for word in every if word not in kept]
        if new:
            made = self._embedder.embed_passages(new, deadline=deadline).vectors
            vectors = np.array(made, dtype=np.float32)
            kept = kept | dict(zip(new, vectors, strict=True))
            self._vectors = kept
        return kept


def answers(
    taught: Mapping[str, Numbers], asked: Numbers, said: Numbers, question: Numbers, text: Numbers
) -> float:
    """Return the logit that a text answers: `asked` and `said` are rows of words, the others whole.

    Each word of one is compared with those of the other that it is most like.
    """

    def apply(layer: str, values: Numbers) -> Numbers:
        return values @ taught[f"{layer}.weight"].T + taught[f"{layer}.bias"]

    asked, said = (
        _normalised(one) * taught["ln.weight"] + taught["ln.bias"] for one in (asked, said)
    )
    likeness = apply("P", asked) @ apply("P", said).T * (2 / np.sqrt(len(taught["P.bias"])))
    own, its = apply("C", asked), apply("C", said)
    pooled: list[Numbers] = []
    for rows, other in ((own, _softmax(likeness) @ its), (its, _softmax(likeness.T) @ own)):
        pair = np.concatenate([rows, other, rows * other, np.abs(rows - other)], axis=1)
        compared = np.maximum(apply("cmp.0", pair), 0)
        pooled += [compared.mean(axis=0), compared.max(axis=0)]
    matched = apply("A", question) * apply("B", text)
    scaled = (question * text * 20, np.abs(question - text) * 5, matched * 10)
    features = np.concatenate([*pooled, *scaled, [question @ text * 3]])
    hidden = np.maximum(apply("f.0", features), 0)
    return round(float(apply("f.3", hidden)[0]), _DIGITS)


def _normalised(rows: Numbers) -> Any:  # noqa: ANN401 -- NumPy's own types differ by version
    centred = rows - rows.mean(axis=1, keepdims=True)
    return centred / np.sqrt((centred**2).mean(axis=1, keepdims=True) + 1e-5)


def _softmax(rows: Numbers) -> Any:  # noqa: ANN401 -- as above
    exponentials = np.exp(rows - rows.max(axis=1, keepdims=True))
    return exponentials / exponentials.sum(axis=1, keepdims=True)
