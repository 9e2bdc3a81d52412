"""Names as programs have them, which no other words say: cache.ttl, parse_time, /orders."""

import re
from typing import Final

_IDENTIFIER: Final = re.compile(
    r"(?<![\w@./-])(?:/[^\W\d_][\w-]*|[^\W\d_][^\W_]+(?:[._][^\W\d_][^\W_]+)+)"
)
"""Parts of two letters and more, which "p.m." and "e.g." have not; nor is "and/or" one."""


def names_another_identifier(question: str, text: str, *, under_heads: str) -> bool:
    """Say whether a text has such names, and under its heads none of those that a question has."""
    asked = _IDENTIFIER.findall(question.lower())
    is_said = any(each in under_heads.lower() for each in asked)
    return bool(asked) and not is_said and _IDENTIFIER.search(text) is not None
