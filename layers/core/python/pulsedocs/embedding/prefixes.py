"""The words that some models want in front of a question, and never in front of a passage."""

from typing import Final

_QUERY_PREFIXES: Final = {
    "local:bge-small-en-v1.5@384": "Represent this sentence for searching relevant passages: ",
}


def query_prefix(model: str) -> str:
    """Return what a question starts with for `model`; most models want nothing."""
    return _QUERY_PREFIXES.get(model, "")
