"""Teach the local reranker to tell answers: `python -m evaluation.teaching`.

It learns, from four of five of the passages of `evaluation.sentences`, biases and norms (BitFit,
https://arxiv.org/abs/2106.10199) and, for each matrix of its layers, a product of two narrow ones
that is added to it (LoRA, https://arxiv.org/abs/2106.09685): 725,000 numbers of 21 million. The
quantised file stays as it is, and is read once more with them (`adapters.local.low_rank`). Three
quarters of an hour on two cores that compute in bfloat16. The result is written beside the adapter
that uses it.

Needs what nothing else here needs: `pip install torch==2.14.1 onnx==1.23.2`. Another machine gives
other last digits.
"""

import importlib
import math
import random
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
from tokenizers import Tokenizer

from evaluation.sentences import Example, Passage, passages, sentences_in
from local.models import ensure_models
from pulsedocs.adapters.local.cross_encoder import FILE, TAUGHT
from pulsedocs.adapters.local.low_rank import LowRank

_EPOCHS: Final = 3
_ROUNDED: Final = 1  # epochs behind them, at a third of the rates, with matrices as they are kept
_BATCH: Final = 24
_RATE: Final = 1e-3
_RATE_OF_MATRICES: Final = 5e-4
_RANK: Final = 8
_STRENGTH: Final = 2.0  # of what is added to a matrix: its numbers are learned so much faster
_LESS: Final = 1 / 3
_WARM_UP: Final = 30  # steps
_DROPOUT: Final = 0.1
_UNSURE: Final = 0.05  # what a label leaves open
_OF_OTHERS: Final = 0.5  # weight of a sentence of the passage that nobody took for the answer
_WITH_ANOTHER: Final = 0.6  # of the questions: none of the other sentences answers them
_ALONE: Final = 0.3  # of the sentences come without the one before
_UNTITLED: Final = 0.15
_IN_SMALL_LETTERS: Final = 0.15  # of the questions, as they are typed in a search box
_TOKENS: Final = 256
_LAYERS: Final = 12
_HEADS: Final = 12
_WIDTH: Final = 384
_SORTED: Final = 20  # batches among which texts of one length come together


def main() -> int:
    directory = ensure_models() / FILE
    taught = teach([one for one in passages() if not one.is_measured], directory)
    np.savez_compressed(TAUGHT, **taught)
    print(f"{TAUGHT.name}: {sum(own.size for own in taught.values()):,} numbers")
    return 0


def examples(asked: Sequence[Passage], chance: random.Random) -> Iterator[Example]:
    """Yield each question with its sentence, and most with another one of the passage too."""
    for passage in asked:
        every = sentences_in(passage.text)
        labelled = [(0.0, pair) for pair in (*passage.near, *passage.far)]
        labelled += [(1.0, pair) for pair in (*passage.answered, *passage.plain)]
        for label, pair in labelled:
            yield _example(passage, pair.question, pair.sentence, label, chance)
            own = pair.sentence
            others = [one for one in every if one not in own and own not in one]
            if others and chance.random() < _WITH_ANOTHER:
                other = chance.choice(others)
                yield _example(passage, pair.question, other, 0.0, chance, weight=_OF_OTHERS)


def _example(
    passage: Passage,
    question: str,
    sentence: str,
    label: float,
    chance: random.Random,
    *,
    weight: float = 1.0,
) -> Example:
    asked = question
    if chance.random() < _IN_SMALL_LETTERS:
        asked = question.rstrip("?.").lower()
    text = passage.read(sentence) if chance.random() >= _ALONE else passage.read_alone(sentence)
    if chance.random() < _UNTITLED:
        text = sentence
    return Example(asked, text, label, weight)


def teach(asked: Sequence[Passage], directory: Path) -> dict[str, Any]:
    """Return what was learned, by names, as the adapter reads it."""
    torch: Any = importlib.import_module("torch")
    torch.manual_seed(0)
    network = _Network(torch, directory / "model.onnx")
    encode = _encoder(torch, directory / "tokenizer.json")
    _learn(torch, network, encode, asked, epochs=_EPOCHS)
    _learn(torch, network, encode, asked, epochs=_ROUNDED, share=_LESS, is_rounded=True)
    return network.taught()


def _learn(
    torch: Any,  # noqa: ANN401 -- a library without types
    network: "_Network",
    encode: Any,  # noqa: ANN401 -- torch has no types
    asked: Sequence[Passage],
    *,
    epochs: int,
    share: float = 1.0,
    is_rounded: bool = False,
) -> None:
    """Learn at a `share` of the rates, which rise for a few steps and fall to nothing."""
    chance = random.Random(0)
    learned = (
        (list(network.own.values()), _RATE),
        ([part for one in network.matrices for part in one.learned], _RATE_OF_MATRICES),
    )
    optimiser = torch.optim.AdamW(
        [{"params": own, "most": share * rate} for own, rate in learned], weight_decay=0
    )
    steps = epochs * math.ceil(sum(1 for _ in examples(asked, random.Random(0))) / _BATCH)
    every = (
        batch for _ in range(epochs) for batch in _batches(list(examples(asked, chance)), chance)
    )
    for step, batch in enumerate(every):
        rate = min(1, step / _WARM_UP) * (1 + math.cos(math.pi * step / steps)) / 2
        for group in optimiser.param_groups:
            group["lr"] = group["most"] * rate
        if is_rounded:
            network.round_matrices()
        with torch.autocast("cpu", dtype=torch.bfloat16):
            logits = network(*encode(batch)).float()
        labels = torch.tensor([one.label for one in batch])
        weights = torch.tensor([one.weight for one in batch])
        losses = torch.nn.functional.binary_cross_entropy_with_logits(
            logits / 2, labels * (1 - 2 * _UNSURE) + _UNSURE, reduction="none"
        )
        loss = (losses * weights).sum() / weights.sum()
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        if step % 50 == 0:
            print(f"{step} of {steps}: {float(loss.detach()):.3f}", flush=True)


def _batches(every: list[Example], chance: random.Random) -> Iterator[list[Example]]:
    """Yield batches of texts of about one length: what fills them up is computed too."""
    chance.shuffle(every)
    batches: list[list[Example]] = []
    for start in range(0, len(every), _BATCH * _SORTED):
        some = sorted(every[start : start + _BATCH * _SORTED], key=lambda one: len(one.text))
        own = [some[at : at + _BATCH] for at in range(0, len(some), _BATCH)]
        chance.shuffle(own)
        batches += own
    yield from batches


def _encoder(torch: Any, file: Path) -> Any:  # noqa: ANN401 -- a library without types
    tokenizer = Tokenizer.from_file(str(file))
    tokenizer.enable_padding()
    tokenizer.enable_truncation(_TOKENS, strategy="only_second")

    def encode(batch: Sequence[Example]) -> tuple[Any, Any, Any]:
        found = tokenizer.encode_batch([(one.question, one.text) for one in batch])
        return (
            torch.tensor([one.ids for one in found]),
            torch.tensor([one.attention_mask for one in found]),
            torch.tensor([one.type_ids for one in found]),
        )

    return encode


class _Matrix:
    """A matrix of a layer, fixed, and the two narrow ones whose product is added to it.

    Once it is rounded to the `step` of its quantisation, what is learned is what is kept: rounding
    afterwards lost a third of what was gained. What rounding does has no slope; the product's is
    taken.
    """

    def __init__(self, torch: Any, fixed: Any, step: float) -> None:  # noqa: ANN401 -- torch has no types
        rows, columns = fixed.shape
        self.down = (torch.randn(rows, _RANK) / math.sqrt(rows)).requires_grad_()
        self.up = torch.zeros(_RANK, columns, requires_grad=True)
        self._fixed = fixed
        self._step = step
        self._rounded: Any = None

    @property
    def learned(self) -> tuple[Any, Any]:
        return self.down, self.up

    def __call__(self, states: Any) -> Any:  # noqa: ANN401 -- torch has no types
        if self._rounded is None:
            return states @ self._fixed + states @ self.down @ self.up * _STRENGTH
        added = states.detach() @ self.down @ self.up * _STRENGTH
        return states @ self._rounded + (added - added.detach())

    def in_steps(self) -> tuple[Any, Any]:
        """Return the two narrow ones, of a product in steps of the quantisation."""
        return self.down.detach(), self.up.detach() * (_STRENGTH / self._step)

    def round_to_steps(self) -> None:
        down, up = self.in_steps()
        self._rounded = self._fixed + (down @ up).round() * self._step


class _Network:
    """The reranker in PyTorch: `own` biases and norms, and what is added to its `matrices`."""

    def __init__(self, torch: Any, file: Path) -> None:  # noqa: ANN401 -- torch has no types
        onnx: Any = importlib.import_module("onnx")
        graph = onnx.load(str(file)).graph
        found = {one.name: onnx.numpy_helper.to_array(one) for one in graph.initializer}
        self._torch = torch
        self._file = file.read_bytes()
        self._found = found
        self.own: dict[str, Any] = {
            name: torch.tensor(np.array(own), requires_grad=True)
            for name, own in found.items()
            if own.ndim == 1 and own.dtype == np.float32
        }
        self._fixed: dict[str, Any] = {
            name.removesuffix("_quantized"): torch.tensor(_dequantised(found, name))
            for name in found
            if name.endswith("_quantized")
        }
        self._names = sorted(  # of each layer: query, key, value, output, intermediate, output
            (name for name in self._fixed if name.startswith("onnx::MatMul_")),
            key=lambda name: int(name.rpartition("_")[2]),
        )
        self.matrices = [
            _Matrix(torch, self._fixed[name], float(found[f"{name}_scale"])) for name in self._names
        ]

    def round_matrices(self) -> None:
        for one in self.matrices:
            one.round_to_steps()

    def taught(self) -> dict[str, Any]:
        """Return what was learned, as the adapter reads it."""
        taught = {name: own.detach().numpy() for name, own in self.own.items()}
        for name, matrix in zip(self._names, self.matrices, strict=True):
            quantised = f"{name}_quantized"
            at = self._file.index(self._found[quantised].tobytes())
            down, up = (own.numpy() for own in matrix.in_steps())
            taught |= LowRank(at, down, up).named(quantised)
        return taught

    def __call__(self, ids: Any, mask: Any, types: Any) -> Any:  # noqa: ANN401 -- torch has no types
        drop = self._torch.nn.functional.dropout
        embedded = "bert.embeddings.{}_embeddings.weight".format
        at = self._fixed[embedded("position")][: ids.shape[1]]
        summed = self._fixed[embedded("word")][ids] + at
        summed = summed + self._fixed[embedded("token_type")][types]
        states = drop(self._normed(summed, "bert.embeddings"), _DROPOUT)
        seen = mask[:, None, None, :].bool()
        for layer in range(_LAYERS):
            states = self._layer(states, layer, seen)
        pooled = states[:, 0] @ self._fixed["bert.pooler.dense.weight"]
        pooled = pooled + self.own["bert.pooler.dense.bias"]
        weight = self._fixed["classifier.weight"]
        last = drop(pooled.tanh(), _DROPOUT) @ weight + self.own["classifier.bias"]
        return last.squeeze(-1)

    def _layer(self, states: Any, layer: int, seen: Any) -> Any:  # noqa: ANN401 -- torch has no types
        functional = self._torch.nn.functional
        name = f"bert.encoder.layer.{layer}"
        query, key, value, output, up, down = self.matrices[6 * layer : 6 * layer + 6]

        def heads(matrix: _Matrix, part: str) -> Any:  # noqa: ANN401 -- torch has no types
            made = self._linear(states, matrix, f"{name}.attention.self.{part}")
            return made.unflatten(-1, (_HEADS, _WIDTH // _HEADS)).transpose(1, 2)

        read = functional.scaled_dot_product_attention(
            heads(query, "query"), heads(key, "key"), heads(value, "value"), attn_mask=seen
        )
        read = self._linear(
            read.transpose(1, 2).flatten(2), output, f"{name}.attention.output.dense"
        )
        states = self._normed(
            states + functional.dropout(read, _DROPOUT), f"{name}.attention.output"
        )
        wide = functional.gelu(self._linear(states, up, f"{name}.intermediate.dense"))
        narrow = self._linear(wide, down, f"{name}.output.dense")
        return self._normed(states + functional.dropout(narrow, _DROPOUT), f"{name}.output")

    def _linear(self, states: Any, matrix: _Matrix, name: str) -> Any:  # noqa: ANN401 -- torch has no types
        return matrix(states) + self.own[f"{name}.bias"]

    def _normed(self, states: Any, name: str) -> Any:  # noqa: ANN401 -- torch has no types
        weight, bias = self.own[f"{name}.LayerNorm.weight"], self.own[f"{name}.LayerNorm.bias"]
        return self._torch.nn.functional.layer_norm(states, (_WIDTH,), weight, bias, 1e-12)


def _dequantised(found: Mapping[str, Any], name: str) -> np.ndarray[Any, np.dtype[np.float32]]:
    base = name.removesuffix("_quantized")
    whole = found[name].astype(np.float32) - float(found[f"{base}_zero_point"])
    return np.asarray(whole * float(found[f"{base}_scale"]), dtype=np.float32)


if __name__ == "__main__":
    sys.exit(main())
