"""How many tokens a text has, where no tokenizer is at hand."""

from math import ceil
from typing import Final

_BYTES_PER_TOKEN: Final = 4  # English in cl100k_base; other scripts have fewer
_ASCII_PER_TOKEN: Final = 3  # English has 4 to 5; 3 leaves room for names and numbers
_TOKENS_PER_OTHER: Final = 1.5  # a character beyond ASCII takes 0.5 to 1.5 in common tokenizers
_SPECIAL: Final = 2  # a text's begin and end


def tokens_about(text: str) -> int:
    """Return about how many; at least 1.

    Good enough to size a batch: where it is too low, the provider refuses the batch and the
    adapter halves it.
    """
    return len(text.encode("utf-8", "replace")) // _BYTES_PER_TOKEN + 1


def tokens_at_most(text: str) -> int:
    """Return more than common tokenizers make of it, for what has to be paid for or to fit."""
    plain = len(text.encode("ascii", "ignore"))
    return ceil(plain / _ASCII_PER_TOKEN + (len(text) - plain) * _TOKENS_PER_OTHER) + _SPECIAL
