"""How a comment is told from the text it stands beside, in every format that has some."""


def remark(words: str, *, of: str) -> str:
    """Return a comment as a line, behind its author or its cell, if that is known."""
    return f"Comment ({of}): {words}" if of else f"Comment: {words}"
