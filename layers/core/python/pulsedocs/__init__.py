"""PulseDocs: documents in, answers out that cite the page and the exact words."""

from importlib import import_module
from typing import Any


def __getattr__(name: str) -> Any:  # noqa: ANN401 -- of a module
    """Give `pulsedocs.local` to programs; functions, which import this too, load no client."""
    if name == "local":
        return import_module("pulsedocs.client.local").local
    raise AttributeError(f"module 'pulsedocs' has no attribute {name!r}")
