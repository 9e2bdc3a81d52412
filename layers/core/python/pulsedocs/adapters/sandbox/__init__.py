"""Reads strangers' files in a child process that may be killed at any time."""

from pulsedocs.adapters.sandbox.extractor import SandboxedExtractor

__all__ = ["SandboxedExtractor"]
