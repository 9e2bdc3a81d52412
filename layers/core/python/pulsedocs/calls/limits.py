"""How much time and room one call of a model is given, by what the model does."""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class CallLimits:
    """How long one call may take, or a stream be silent, and how large its answer may be."""

    seconds: float
    max_bytes: int


CHAT: Final = CallLimits(18.0, 2 * 1024 * 1024)  # 32,768 tokens of answer are about 0.2 MB
# 96 vectors of 4,000 floats written out are about 8 MB.
EMBEDDING: Final = CallLimits(20.0, 32 * 1024 * 1024)
RERANKING: Final = CallLimits(5.0, 8 * 1024 * 1024)
