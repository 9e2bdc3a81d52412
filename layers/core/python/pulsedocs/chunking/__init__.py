"""Cleaned pages to passages that can be embedded, found and cited."""

from pulsedocs.chunking.chunks import CutBy, chunk
from pulsedocs.chunking.identity import identify
from pulsedocs.chunking.profiles import PROFILE_NAME, ChunkProfile, plugin_of, profile_named, sized
from pulsedocs.chunking.segments import SentenceBatch, sentence_batches
from pulsedocs.chunking.semantic import Distances, MeasuredDistances, neighbour_distances
from pulsedocs.chunking.validation import GARBLED, TOO_LONG, TOO_SHORT, validate

__all__ = [
    "GARBLED",
    "PROFILE_NAME",
    "TOO_LONG",
    "TOO_SHORT",
    "ChunkProfile",
    "CutBy",
    "Distances",
    "MeasuredDistances",
    "SentenceBatch",
    "chunk",
    "identify",
    "neighbour_distances",
    "plugin_of",
    "profile_named",
    "sentence_batches",
    "sized",
    "validate",
]
