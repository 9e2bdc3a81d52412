"""Text that PostgreSQL can hold: no NUL, no half of a surrogate pair."""

import re

_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
_REPLACEMENT = "\ufffd"


def storable(text: str) -> str:
    """Drop NUL, replace lone surrogates by U+FFFD and make every line end a single newline."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if not _UNSTORABLE.search(text):
        return text
    return _UNSTORABLE.sub(lambda match: "" if match[0] == "\x00" else _REPLACEMENT, text)
