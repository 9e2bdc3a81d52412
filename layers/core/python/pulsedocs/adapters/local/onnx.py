"""Run one text, or one pair of texts, through an ONNX model on the CPU."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeVar, cast

import numpy as np
import numpy.typing as npt
from onnxruntime import (
    InferenceSession,
    OrtValue,
    SessionOptions,  # pyright: ignore[reportAttributeAccessIssue, reportUnknownVariableType] -- native
)
from tokenizers import Tokenizer

from pulsedocs.adapters.local.files import verified
from pulsedocs.adapters.local.low_rank import instead_of
from pulsedocs.embedding import declared, encodable
from pulsedocs.errors import TimedOut
from pulsedocs.model.deadline import Deadline

_STRIDE: Final = 64  # tokens that two windows share: a sentence cut by one is whole in the other
_WINDOW: Final = 128
"""Tokens of a window of a text that is judged in windows: in a short one a sentence counts more.
Of five that answer behind 430 to 900 words that repeat, some had -8.5 in windows of 256, below any
gate; the least had 3.0 in windows of 128 that share 32. Together they are about as many tokens."""
_MOST_OF_A_QUESTION: Final = 160  # tokens of the first text of a pair: the second needs room
_MAX_CHARACTERS: Final = 32_768
"""A chunk is shorter; tokenizing a 2.5 MB text takes 3.6 s."""

Item = TypeVar("Item")
Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class ModelOutput:
    """A model's first output for one text, and how many tokens went in."""

    output: npt.NDArray[np.float32]
    tokens: int


class OnnxModel:
    """A model and its tokenizer. Thread-safe.

    One text per run and no padding: the weights are quantised dynamically, so a text's vector
    shifts with its batch-mates (cosine down to .9935), while single runs are the same to the bit.
    A run uses one thread: two callers of one thread each give more texts a second than one
    caller of two.
    """

    def __init__(
        self,
        model_directory: Path,
        name: str,
        *,
        taught: Mapping[str, npt.NDArray[Any]] | None = None,
    ) -> None:
        """Read as many tokens at once as the model declares: the length of its position table.

        What it was `taught` takes the place of the file's own numbers, as `low_rank` reads it.
        """
        tokens = declared(f"local:{name}").tokens
        tokenizer = verified(model_directory, f"{name}/tokenizer.json")
        model = verified(model_directory, f"{name}/model.onnx")
        self._tokenizer = _cutting(tokenizer, tokens)
        self._windows = _cutting(tokenizer, _WINDOW, stride=_STRIDE // 2, strategy="only_second")
        self._wide = _cutting(tokenizer, 2 * _WINDOW, strategy="only_second")
        options = cast("Any", SessionOptions())  # the native module carries no types
        options.intra_op_num_threads = 1
        options.inter_op_num_threads = 1
        self._instead = {
            name: OrtValue.ortvalue_from_numpy(own)
            for name, own in instead_of(model, taught or {}).items()
        }
        for name_in_file, own in self._instead.items():
            options.add_initializer(name_in_file, own)  # which keeps no reference
        self._session = InferenceSession(str(model), options, providers=["CPUExecutionProvider"])

    def windows(self, text: str) -> list[ModelOutput]:
        """Run a text, in windows where it is longer than the model reads."""
        first = self._tokenizer.encode(_readable(text))
        return [self._run(window) for window in (first, *first.overflowing)]

    def pair_windows(self, asked: str, text: str) -> list[ModelOutput]:
        """Run a question with a text, or with each window of one that is too long."""
        asked, text = self._cut(_readable(asked)), _readable(text)
        whole = self._tokenizer.encode(asked, text)
        if not whole.overflowing:
            return [self._run(whole)]
        is_short = len(self._tokenizer.encode(asked).ids) <= _WINDOW // 2
        first = (self._windows if is_short else self._wide).encode(asked, text)
        return [self._run(window) for window in (first, *first.overflowing)]

    def _cut(self, question: str) -> str:
        tokens = self._tokenizer.encode(question, add_special_tokens=False).offsets
        fits = len(tokens) <= _MOST_OF_A_QUESTION
        return question if fits else question[: tokens[_MOST_OF_A_QUESTION - 1][1]]

    def _run(self, encoding: Any) -> ModelOutput:  # noqa: ANN401 -- the native module carries no types
        inputs = {
            "input_ids": np.array([encoding.ids], dtype=np.int64),
            "attention_mask": np.array([encoding.attention_mask], dtype=np.int64),
            "token_type_ids": np.array([encoding.type_ids], dtype=np.int64),
        }
        output = cast("npt.NDArray[np.float32]", self._session.run(None, inputs)[0])
        return ModelOutput(output, len(encoding.ids))


class Callers:
    """A few threads that share a model; each run holds no interpreter lock while it computes."""

    def __init__(self, count: int = 2) -> None:
        self._pool = ThreadPoolExecutor(max_workers=count, thread_name_prefix="local-model")

    def each(
        self, call: Callable[[Item], Result], items: Sequence[Item], *, deadline: Deadline
    ) -> list[Result]:
        """Return the results in the order of `items`; raise TimedOut once the deadline passes.

        A run that has begun is finished (30 ms for 200 tokens); those not begun never start.
        """

        def within_deadline(item: Item) -> Result:
            deadline.timeout(1)
            return call(item)

        return list(self._results(within_deadline, items, deadline))

    def _results(
        self, call: Callable[[Item], Result], items: Sequence[Item], deadline: Deadline
    ) -> Iterator[Result]:
        futures = [self._pool.submit(call, item) for item in items]
        try:
            for future in futures:
                yield future.result(timeout=deadline.remaining())
        except TimeoutError:
            raise TimedOut("the local model took too long") from None
        finally:
            for future in futures:
                future.cancel()


def _cutting(
    file: Path, tokens: int | None, *, stride: int = _STRIDE, strategy: str = "longest_first"
) -> Tokenizer:
    tokenizer = Tokenizer.from_file(str(file))
    tokenizer.no_padding()
    if tokens is not None:
        tokenizer.enable_truncation(tokens, stride=stride, strategy=strategy)
    return tokenizer


def _readable(text: str) -> str:
    """Cut to what the model can see."""
    return encodable(text[:_MAX_CHARACTERS])
