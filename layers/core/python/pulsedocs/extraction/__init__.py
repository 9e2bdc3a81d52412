"""Turns files from unknown senders into pages. Pure; it runs in a process that may be killed.

The readers themselves are in `pulsedocs.extraction.reading`: whoever only needs to know what is
supported does not pay for loading a PDF library.
"""

from pulsedocs.extraction.budgets import Budgets
from pulsedocs.extraction.content_type import (
    FORMATS,
    PDF,
    SUPPORTED_TYPES,
    TEXT,
    Format,
    broken_as,
    detect_type,
    format_of,
)

__all__ = [
    "FORMATS",
    "PDF",
    "SUPPORTED_TYPES",
    "TEXT",
    "Budgets",
    "Format",
    "broken_as",
    "detect_type",
    "format_of",
]
