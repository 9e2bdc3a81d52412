"""Reads untrusted files in a child process that may be killed at any time."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pulsedocs.adapters.sandbox.boxes import SandboxedBoxReader
    from pulsedocs.adapters.sandbox.extractor import SandboxedExtractor

__all__ = ["SandboxedBoxReader", "SandboxedExtractor"]


def __getattr__(name: str) -> Any:  # noqa: ANN401 -- as a module gives its attributes
    """Load the parent's side when it is asked for: the child would pay 20 ms for each document."""
    home = {"SandboxedExtractor": "extractor", "SandboxedBoxReader": "boxes"}.get(name)
    if home is None:
        message = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(message)
    return getattr(import_module(f"{__name__}.{home}"), name)
