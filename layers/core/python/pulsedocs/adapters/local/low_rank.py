"""What was learned beside a quantised matrix: the product of two narrow ones, added to it.

LoRA, https://arxiv.org/abs/2106.09685. `up` is in steps of the matrix' quantisation, so that the
sum is rounded to the numbers that the file can hold: what is added is .7 of a step on average.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

_AT, _DOWN, _UP = (f"/{part}" for part in ("at", "down", "up"))
_LEAST, _MOST = np.iinfo(np.int8).min, np.iinfo(np.int8).max


@dataclass(frozen=True, slots=True)
class LowRank:
    """`down` of rows times rank, `up` of rank times columns; the matrix begins `at` this byte."""

    at: int
    down: npt.NDArray[np.floating[Any]]
    up: npt.NDArray[np.floating[Any]]

    def added_to(self, file: npt.NDArray[np.int8]) -> npt.NDArray[np.int8]:
        """Return the matrix in the bytes of its file, with their product added."""
        added = self.down.astype(np.float32) @ self.up.astype(np.float32)
        own = file[self.at : self.at + added.size].reshape(added.shape)
        return np.clip(np.rint(added) + own, _LEAST, _MOST).astype(np.int8)

    def named(self, matrix: str) -> dict[str, npt.NDArray[Any]]:
        """Return it as it is kept beside others."""
        return {
            matrix + _AT: np.array(self.at),
            matrix + _DOWN: self.down.astype(np.float16),
            matrix + _UP: self.up.astype(np.float16),
        }


def instead_of(model: Path, learned: Mapping[str, npt.NDArray[Any]]) -> dict[str, npt.NDArray[Any]]:
    """Return by their names the parameters that take the place of those in a model's file."""
    file = np.memmap(model, np.int8, mode="r")
    matrices = [name.removesuffix(_AT) for name in learned if name.endswith(_AT)]
    return {name: own for name, own in learned.items() if "/" not in name} | {
        name: LowRank(
            int(learned[name + _AT]), learned[name + _DOWN], learned[name + _UP]
        ).added_to(file)
        for name in matrices
    }
