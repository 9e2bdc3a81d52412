"""Cleaned pages to passages that can be embedded, found and cited."""

from pulsedocs.chunking.chunks import chunk
from pulsedocs.chunking.identity import identify
from pulsedocs.chunking.profiles import ChunkProfile, profile_named
from pulsedocs.chunking.validation import GARBLED, TOO_LONG, TOO_SHORT, validate

__all__ = [
    "GARBLED",
    "TOO_LONG",
    "TOO_SHORT",
    "ChunkProfile",
    "chunk",
    "identify",
    "profile_named",
    "validate",
]
