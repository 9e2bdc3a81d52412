"""The named ways to cut a text, and the parameters each of them takes."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from pulsedocs.chunking.context import CONTEXTS, TITLE, TITLE_SECTION
from pulsedocs.chunking.semantic import MAX_TOKENS
from pulsedocs.errors import InvalidRequest

CHARACTERS: Final = "characters"
WORDS: Final = "words"
SEMANTIC: Final = "semantic"
PLUGIN: Final = "plugin"

CONTEXT: Final = "context"
"""The option that every profile takes, those of plug-ins included."""

_PLUGIN_NAME = re.compile(r"plugin:(?P<name>[a-z][a-z0-9-]{0,31})")
_MAX_PLUGIN_OPTIONS = 2_000  # characters of JSON


@dataclass(frozen=True, slots=True)
class ChunkProfile:
    """How a document is cut; it becomes part of each chunk's provenance.

    `context` names what a chunk is embedded and matched with.
    """

    name: str
    method: str
    parameters: Mapping[str, Any]
    context: str = TITLE  # docs/decisions/0029

    @property
    def is_titled(self) -> bool:
        """Say whether chunks are embedded with the document's title."""
        return self.context in {TITLE, TITLE_SECTION}


PROFILES: Final[Mapping[str, ChunkProfile]] = {
    profile.name: profile
    for profile in (
        ChunkProfile("classic", CHARACTERS, {"characters": 512, "overlap_characters": 64}),
        ChunkProfile(
            "semantic",
            SEMANTIC,
            {"max_tokens": MAX_TOKENS, "overlap_percent": 20, "breakpoint_percentile": 95},
        ),
        ChunkProfile("words", WORDS, {"words": 500, "overlap_words": 50}),
    )
}

PROFILE_NAME: Final = re.compile("|".join([*PROFILES, _PLUGIN_NAME.pattern]))
_RANGES: Final = {
    "characters": (64, 8_000),
    "words": (10, 1_500),
    "max_tokens": (100, MAX_TOKENS),
    "overlap_percent": (0, 50),
    "breakpoint_percentile": (50, 100),
}
_SIZE_AND_OVERLAP: Final = {
    CHARACTERS: ("characters", "overlap_characters"),
    WORDS: ("words", "overlap_words"),
    SEMANTIC: ("max_tokens", "overlap_percent"),
}
_AT_MOST_HALF_OF: Final = {"overlap_characters": "characters", "overlap_words": "words"}


def profile_named(name: str, overrides: Mapping[str, object]) -> ChunkProfile:
    """Return a profile with some of its parameters replaced.

    `plugin:<name>` is a profile whose parameters the plug-in itself has to check. Raises
    InvalidRequest, which lists what would have been valid.
    """
    numbers = {key: value for key, value in overrides.items() if key != CONTEXT}
    context = overrides.get(CONTEXT, TITLE)
    if not isinstance(context, str) or context not in CONTEXTS:
        raise InvalidRequest(f"{CONTEXT!r} must be one of {', '.join(CONTEXTS)}")
    if plugin_of(name) is not None:
        if len(json.dumps(numbers)) > _MAX_PLUGIN_OPTIONS:
            raise InvalidRequest(
                f"the options of {name!r} are longer than {_MAX_PLUGIN_OPTIONS} characters of JSON"
            )
        return ChunkProfile(name, PLUGIN, numbers, context)
    profile = PROFILES.get(name)
    if profile is None:
        valid = ", ".join(sorted(PROFILES))
        what = f"chunk profile {name[:50]!r} is unknown" if name else "no chunk profile is named"
        raise InvalidRequest(f"{what}; valid are {valid}")
    return ChunkProfile(name, profile.method, _parameters(profile, numbers), context)


def sized(name: str, *, size: int | None, overlap: int | None) -> dict[str, Any]:
    """Return a profile's parameters for a size and an overlap in its own unit, {} without either.

    Raises InvalidRequest for what is no profile, or takes no such numbers.
    """
    profile = profile_named(name, {})
    if size is None and overlap is None:
        return {}
    if profile.method not in _SIZE_AND_OVERLAP:
        raise InvalidRequest(f"{name!r} has no size and no overlap of ours")
    numbers = zip(_SIZE_AND_OVERLAP[profile.method], (size, overlap), strict=True)
    given = {parameter: value for parameter, value in numbers if value is not None}
    return dict(profile_named(name, given).parameters)


def plugin_of(name: str) -> str | None:
    """Return the plug-in that a profile names, or None for a profile of our own."""
    match = _PLUGIN_NAME.fullmatch(name)
    return None if match is None else match["name"]


def _parameters(profile: ChunkProfile, overrides: Mapping[str, object]) -> dict[str, int]:
    unknown = sorted(set(overrides) - set(profile.parameters))
    if unknown:
        valid = ", ".join([*profile.parameters, CONTEXT])
        raise InvalidRequest(
            f"{unknown[0][:50]!r} is no parameter of profile {profile.name!r}; valid are {valid}"
        )
    parameters: dict[str, int] = {}
    for name, default in profile.parameters.items():
        value = overrides.get(name, default)
        if isinstance(value, bool) or not isinstance(value, int):
            raise InvalidRequest(f"{name!r} must be a whole number")
        parameters[name] = value
    for name, value in parameters.items():
        if whole := _AT_MOST_HALF_OF.get(name):
            if not 0 <= value <= parameters[whole] // 2:
                raise InvalidRequest(f"{name!r} must be from 0 to half of {whole!r}, not {value}")
            continue
        least, most = _RANGES[name]
        if not least <= value <= most:
            raise InvalidRequest(f"{name!r} must be from {least} to {most}, not {value}")
    return parameters
