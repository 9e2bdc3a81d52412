"""Teach what tells answers in other languages: `python -m evaluation.teaching_languages`.

It learns from four of five of the passages of `evaluation.sentences`, English ones and those of six
other languages, of which it reads each word with the vector that the multilingual embedder has for
it alone: 0.9 million numbers in ten minutes on two cores. The result is written beside the adapter
that uses it.

Needs what nothing else here needs: `pip install torch==2.14.1`. Another machine gives other last
digits.
"""

import importlib
import random
import sys
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import chain
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from evaluation.sentences import OF_LANGUAGES, Example, Passage, forever, passages, sentences_in
from pulsedocs.adapters.local.multilingual import MultilingualEmbedder
from pulsedocs.adapters.local.multilingual_answers import TAUGHT, words_in

_EPOCHS: Final = 5
_BATCH: Final = 64
_SORTED: Final = 20  # batches among which texts of one length come together
_RATE: Final = 1e-3
_DECAY: Final = 0.05
_OF_OTHERS: Final = 0.5  # weight of a sentence of the passage that nobody took for the answer,
_WITH_ANOTHER: Final = 0.5  # of which so many are read
_WIDTH: Final = 512
_NARROW: Final = 128
_COMPARED: Final = 192
_HIDDEN: Final = 256
_GROUP: Final = 512  # texts embedded at once


def main() -> int:
    asked = [one for one in chain(passages(), passages(OF_LANGUAGES)) if not one.is_measured]
    taught = teach(asked)
    kept = {name: own.astype(np.float16) for name, own in taught.items()}
    np.savez_compressed(TAUGHT, **kept)  # pyright: ignore[reportArgumentType] -- NumPy's stubs
    print(f"{TAUGHT.name}: {sum(own.size for own in kept.values()):,} numbers")
    return 0


def examples(asked: Sequence[Passage], chance: random.Random) -> Iterator[Example]:
    """Yield each question with its sentence, and those answered with others of the passage too."""
    for passage in asked:
        every = sentences_in(passage.text)
        for pair in (*passage.near, *passage.far):
            yield Example(pair.question, passage.read_alone(pair.sentence), 0.0, 1.0)
        for pair in (*passage.answered, *passage.plain):
            own = pair.sentence
            yield Example(pair.question, passage.read_alone(own), 1.0, 1.0)
            for other in every:
                is_another = other not in own and own not in other
                if is_another and chance.random() < _WITH_ANOTHER:
                    text = passage.read_alone(other)
                    yield Example(pair.question, text, 0.0, _OF_OTHERS)


def teach(asked: Sequence[Passage]) -> dict[str, npt.NDArray[np.float32]]:
    """Return what was learned, by names, as the adapter reads it."""
    torch: Any = importlib.import_module("torch")
    torch.manual_seed(0)
    chance = random.Random(0)
    every = list(examples(asked, chance))
    texts = _Texts(torch, [text for one in every for text in (one.question, one.text)])
    network = _network(torch)
    optimiser = torch.optim.AdamW(network.parameters(), lr=_RATE, weight_decay=_DECAY)
    steps = _EPOCHS * (len(every) // _BATCH + _SORTED)
    rates = torch.optim.lr_scheduler.OneCycleLR(optimiser, _RATE, total_steps=steps)
    for epoch in range(_EPOCHS):
        losses: list[float] = []
        for batch in _batches(every, chance):
            logits = network(
                texts.words([one.question for one in batch]),
                texts.words([one.text for one in batch]),
                texts.whole([one.question for one in batch]),
                texts.whole([one.text for one in batch]),
            )
            labels, weights = (
                torch.tensor([getattr(one, name) for one in batch]) for name in ("label", "weight")
            )
            loss = torch.nn.functional.binary_cross_entropy_with_logits(
                logits, labels, weight=weights
            )
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            rates.step()
            losses.append(float(loss.detach()))
        print(f"{epoch + 1} of {_EPOCHS}: {sum(losses) / len(losses):.3f}", flush=True)
    return {name: own.numpy() for name, own in network.state_dict().items()}


def _batches(every: Sequence[Example], chance: random.Random) -> Iterator[list[Example]]:
    """Yield batches of texts of about one length: what fills them up is computed too."""
    drawn = list(every)
    chance.shuffle(drawn)
    for start in range(0, len(drawn), _BATCH * _SORTED):
        some = sorted(drawn[start : start + _BATCH * _SORTED], key=lambda one: len(one.text))
        own = [some[at : at + _BATCH] for at in range(0, len(some), _BATCH)]
        chance.shuffle(own)
        yield from own


class _Texts:
    """The vectors of texts and of their words, each embedded once."""

    def __init__(self, torch: Any, texts: Sequence[str]) -> None:  # noqa: ANN401 -- a library without types
        self._torch = torch
        self._embedder = MultilingualEmbedder()
        self._whole = self._embedded(dict.fromkeys(texts))
        self._words = self._embedded(dict.fromkeys(chain.from_iterable(map(words_in, texts))))

    def _embedded(self, texts: dict[str, None]) -> dict[str, Any]:
        every, found = list(texts), dict[str, Any]()
        for at in range(0, len(every), _GROUP):
            group = every[at : at + _GROUP]
            vectors = self._embedder.embed_passages(group, deadline=forever()).vectors
            made = self._torch.tensor(vectors, dtype=self._torch.float16)
            found |= dict(zip(group, made, strict=True))
        return found

    def whole(self, texts: Sequence[str]) -> Any:  # noqa: ANN401 -- as above
        return self._torch.stack([self._whole[text] for text in texts]).float()

    def words(self, texts: Sequence[str]) -> tuple[Any, Any]:
        """Return the words' vectors, filled up to the longest text, and 1 where there is one."""
        rows = [self._torch.stack([self._words[one] for one in words_in(text)]) for text in texts]
        pad = partial(self._torch.nn.utils.rnn.pad_sequence, batch_first=True)
        return pad(rows).float(), pad([self._torch.ones(len(one)) for one in rows])


def _network(torch: Any) -> Any:  # noqa: ANN401 -- as above
    """Return the network of `adapters.local.multilingual_answers.answers`, with what it drops."""
    nn = torch.nn

    class Network(nn.Module):  # type: ignore[misc] -- a library without types
        def __init__(self) -> None:
            super().__init__()
            self.ln = nn.LayerNorm(_WIDTH)
            self.P, self.C, self.A, self.B = (nn.Linear(_WIDTH, _NARROW) for _ in range(4))
            self.cmp = nn.Sequential(nn.Linear(4 * _NARROW, _COMPARED), nn.ReLU(), nn.Dropout(0.3))
            features = 4 * _COMPARED + 2 * _WIDTH + _NARROW + 1
            self.f = nn.Sequential(
                nn.Linear(features, _HIDDEN), nn.ReLU(), nn.Dropout(0.4), nn.Linear(_HIDDEN, 1)
            )
            self.drop = nn.Dropout(0.2)

        def forward(self, asked: Any, said: Any, question: Any, text: Any) -> Any:  # noqa: ANN401 -- as above
            (asked, is_asked), (said, is_said) = asked, said
            asked, said = self.drop(self.ln(asked)), self.drop(self.ln(said))
            likeness = self.P(asked) @ self.P(said).transpose(1, 2) * (2 / _NARROW**0.5)
            own, its = self.C(asked), self.C(said)
            pooled: list[Any] = []
            for rows, other, across, is_row, is_other in (
                (own, its, likeness, is_asked, is_said),
                (its, own, likeness.transpose(1, 2), is_said, is_asked),
            ):
                weights = across.masked_fill(is_other[:, None, :] == 0, -1e4).softmax(-1)
                found = weights @ other
                pair = torch.cat([rows, found, rows * found, (rows - found).abs()], -1)
                compared = self.cmp(pair) * is_row[..., None]
                pooled += [compared.sum(1) / is_row.sum(1, keepdim=True), compared.max(1)[0]]
            cosine = (question * text).sum(1, keepdim=True)
            question, text = self.drop(question), self.drop(text)
            matched = self.A(question) * self.B(text) * 10
            scaled = (question * text * 20, (question - text).abs() * 5, matched, cosine * 3)
            return self.f(torch.cat([*pooled, *scaled], 1)).squeeze(1)

    return Network()


if __name__ == "__main__":
    sys.exit(main())
