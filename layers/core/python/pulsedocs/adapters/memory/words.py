"""The words that the fakes compare texts by."""

import re
from typing import Final

_EMPTY: Final = (
    "a|an|and|are|as|at|be|by|can|did|do|does|for|from|has|have|how|i|if|in|is|it|its|me|my|of|on|"
    "or|our|that|the|their|this|to|was|we|what|when|where|which|who|why|will|with|you"
)
_WORD: Final = re.compile(rf"\b(?!(?:{_EMPTY})\b)\w+")


def words_of(text: str) -> list[str]:
    """Return the words that carry meaning, in lower case, in their order."""
    return _WORD.findall(text.lower())
