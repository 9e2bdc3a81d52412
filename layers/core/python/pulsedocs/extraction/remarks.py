"""What is said alike of every format that has it: a comment beside the text, and struck text."""

from typing import Final

STRUCK: Final = "struck text"
"""How text is named that is struck through, and left out."""


def remark(words: str, *, of: str) -> str:
    """Return a comment as a line, behind its author or its cell, if that is known."""
    return f"Comment ({of}): {words}" if of else f"Comment: {words}"
