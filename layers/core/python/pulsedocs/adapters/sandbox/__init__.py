"""Reads strangers' files in a child process that may be killed at any time."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pulsedocs.adapters.sandbox.extractor import SandboxedExtractor

__all__ = ["SandboxedExtractor"]


def __getattr__(name: str) -> Any:  # noqa: ANN401 -- as a module gives its attributes
    """Load the parent's side when it is asked for: the child would pay 20 ms for each document."""
    if name != "SandboxedExtractor":
        message = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(message)
    from pulsedocs.adapters.sandbox.extractor import (  # noqa: PLC0415 -- that is the point
        SandboxedExtractor,
    )

    return SandboxedExtractor
