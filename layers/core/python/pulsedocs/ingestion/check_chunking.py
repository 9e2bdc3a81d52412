"""Refuse a chunk profile before anything depends on it, those of plug-ins included."""

from collections.abc import Callable, Mapping
from typing import Any

from pulsedocs.chunking import plugin_of, profile_named
from pulsedocs.errors import InvalidRequest
from pulsedocs.plugins import BaseChunker


def check_chunking(
    chunking: Mapping[str, Any], *, plugin_chunker: Callable[[str], BaseChunker]
) -> None:
    """Raise InvalidRequest, with what would be valid, unless a document may be cut like this."""
    options = dict(chunking)
    if not options:
        return
    profile = profile_named(str(options.pop("profile", "")), options)
    name = plugin_of(profile.name)
    if name is not None and not plugin_chunker(name).validate_config(profile.parameters):
        raise InvalidRequest(f"the plug-in {name!r} does not accept these options of `chunking`")
