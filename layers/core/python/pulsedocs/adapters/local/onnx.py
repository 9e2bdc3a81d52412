"""Run one text, or one pair of texts, through an ONNX model on the CPU."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeVar, cast

import numpy as np
import numpy.typing as npt
from onnxruntime import (
    InferenceSession,
    SessionOptions,  # pyright: ignore[reportAttributeAccessIssue, reportUnknownVariableType] -- native
)
from tokenizers import Tokenizer

from pulsedocs.adapters.local.files import verified
from pulsedocs.embedding import encodable
from pulsedocs.errors import TimedOut
from pulsedocs.model.deadline import Deadline

_MAX_TOKENS: Final = 512  # the length of the models' position table
_MAX_CHARACTERS: Final = 32_768
"""What lies beyond can only matter if 512 tokens have more than 64 characters each; tokenizing
a 2.5 MB text takes 3.6 s, all but its first 512 tokens for nothing."""

Item = TypeVar("Item")
Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Run:
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

    def __init__(self, model_directory: Path, name: str) -> None:
        tokenizer = verified(model_directory, f"{name}/tokenizer.json")
        model = verified(model_directory, f"{name}/model.onnx")
        self._tokenizer = Tokenizer.from_file(str(tokenizer))
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(_MAX_TOKENS)
        self._session = InferenceSession(
            str(model), _one_thread(), providers=["CPUExecutionProvider"]
        )

    def run(self, text: str, pair: str | None = None) -> Run:
        encoding = self._tokenizer.encode(
            _readable(text), None if pair is None else _readable(pair)
        )
        inputs = {
            "input_ids": np.array([encoding.ids], dtype=np.int64),
            "attention_mask": np.array([encoding.attention_mask], dtype=np.int64),
            "token_type_ids": np.array([encoding.type_ids], dtype=np.int64),
        }
        output = cast("npt.NDArray[np.float32]", self._session.run(None, inputs)[0])
        return Run(output, len(encoding.ids))


class Callers:
    """A few threads that share a model; each run holds no interpreter lock while it computes."""

    def __init__(self, count: int) -> None:
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


def _one_thread() -> Any:  # noqa: ANN401 -- the native module carries no types
    options = cast("Any", SessionOptions())
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    return options


def _readable(text: str) -> str:
    """Cut to what the model can see."""
    return encodable(text[:_MAX_CHARACTERS])
