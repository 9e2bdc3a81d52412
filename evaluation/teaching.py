"""Teach the local reranker to tell answers: `python -m evaluation.teaching`.

It learns, from four of five of the passages of `evaluation.sentences`, biases and norms alone (124
of its parameters, 61,057 numbers, 260 kB; BitFit, https://arxiv.org/abs/2106.10199): the matrices
stay as they are in the quantised file, which is read once more with these numbers in it. 20 minutes
on two cores that compute in bfloat16. The result is written beside the adapter that uses it.

Needs what nothing else here needs: `pip install torch==2.14.1 onnx==1.23.2`. Another machine gives
other last digits.
"""

import importlib
import math
import random
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
from tokenizers import Tokenizer

from evaluation.sentences import Passage, passages, sentences_in
from local.models import ensure_models
from pulsedocs.adapters.local.cross_encoder import FILE, TAUGHT

_EPOCHS: Final = 4
_BATCH: Final = 24
_RATE: Final = 2e-3
_WARM_UP: Final = 30  # steps
_DROPOUT: Final = 0.1
_UNSURE: Final = 0.05  # what a label leaves open
_OF_OTHERS: Final = 0.5  # weight of a sentence of the passage that nobody took for the answer
_ALONE: Final = 0.3  # of the sentences come without the one before
_UNTITLED: Final = 0.15
_IN_SMALL_LETTERS: Final = 0.15  # of the questions, as they are typed in a search box
_TOKENS: Final = 256
_LAYERS: Final = 12
_HEADS: Final = 12
_WIDTH: Final = 384
_SORTED: Final = 20  # batches among which texts of one length come together


@dataclass(frozen=True, slots=True)
class Example:
    question: str
    text: str
    label: float
    weight: float


def main() -> int:
    directory = ensure_models() / FILE
    taught = teach([one for one in passages() if not one.is_measured], directory)
    np.savez_compressed(TAUGHT, **taught)
    print(f"{TAUGHT.name}: {sum(own.size for own in taught.values()):,} numbers")
    return 0


def examples(asked: Sequence[Passage], chance: random.Random) -> Iterator[Example]:
    """Yield each question with its sentence, and those answered with another one as well."""
    for passage in asked:
        for pair in (*passage.near, *passage.far):
            yield _example(passage, pair.question, pair.sentence, 0.0, chance)
        for pair in (*passage.answered, *passage.plain):
            yield _example(passage, pair.question, pair.sentence, 1.0, chance)
            others = [
                one
                for one in sentences_in(passage.text)
                if one not in pair.sentence and pair.sentence not in one
            ]
            if others:
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
    """Return the parameters by their names in the model's file."""
    torch: Any = importlib.import_module("torch")
    torch.manual_seed(0)
    chance = random.Random(0)
    network = _Network(torch, directory / "model.onnx")
    encode = _encoder(torch, directory / "tokenizer.json")
    optimiser = torch.optim.AdamW(list(network.own.values()), lr=_RATE, weight_decay=0)
    steps = _EPOCHS * math.ceil(sum(1 for _ in examples(asked, random.Random(0))) / _BATCH)
    step = 0
    for _ in range(_EPOCHS):
        for batch in _batches(list(examples(asked, chance)), chance):
            rate = min(1, step / _WARM_UP) * (1 + math.cos(math.pi * step / steps)) / 2
            optimiser.param_groups[0]["lr"] = _RATE * rate
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
            step += 1
            if step % 50 == 0:
                print(f"{step} of {steps}: {float(loss.detach()):.3f}", flush=True)
    return {name: own.detach().numpy() for name, own in network.own.items()}


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


class _Network:
    """The reranker in PyTorch: matrices dequantised and fixed, `own` biases and norms to learn."""

    def __init__(self, torch: Any, file: Path) -> None:  # noqa: ANN401 -- torch has no types
        onnx: Any = importlib.import_module("onnx")
        graph = onnx.load(str(file)).graph
        found = {one.name: onnx.numpy_helper.to_array(one) for one in graph.initializer}
        self._torch = torch
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
        products = sorted(  # of each layer: query, key, value, output, intermediate, output
            (name for name in self._fixed if name.startswith("onnx::MatMul_")),
            key=lambda name: int(name.rpartition("_")[2]),
        )
        self._matrices = [self._fixed[name] for name in products]

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
        pooled = self._linear(
            states[:, 0], self._fixed["bert.pooler.dense.weight"], "bert.pooler.dense"
        )
        weight = self._fixed["classifier.weight"]
        return self._linear(drop(pooled.tanh(), _DROPOUT), weight, "classifier").squeeze(-1)

    def _layer(self, states: Any, layer: int, seen: Any) -> Any:  # noqa: ANN401 -- torch has no types
        functional = self._torch.nn.functional
        name = f"bert.encoder.layer.{layer}"
        query, key, value, output, up, down = self._matrices[6 * layer : 6 * layer + 6]

        def heads(matrix: Any, part: str) -> Any:  # noqa: ANN401 -- torch has no types
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

    def _linear(self, states: Any, matrix: Any, name: str) -> Any:  # noqa: ANN401 -- torch has no types
        return states @ matrix + self.own[f"{name}.bias"]

    def _normed(self, states: Any, name: str) -> Any:  # noqa: ANN401 -- torch has no types
        weight, bias = self.own[f"{name}.LayerNorm.weight"], self.own[f"{name}.LayerNorm.bias"]
        return self._torch.nn.functional.layer_norm(states, (_WIDTH,), weight, bias, 1e-12)


def _dequantised(found: Mapping[str, Any], name: str) -> np.ndarray[Any, np.dtype[np.float32]]:
    base = name.removesuffix("_quantized")
    whole = found[name].astype(np.float32) - float(found[f"{base}_zero_point"])
    return np.asarray(whole * float(found[f"{base}_scale"]), dtype=np.float32)


if __name__ == "__main__":
    sys.exit(main())
