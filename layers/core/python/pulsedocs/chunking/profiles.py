"""The named ways to cut a text, and the parameters each of them takes."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final, Protocol

from pulsedocs.chunking.cutting import cut_characters, cut_words
from pulsedocs.errors import InvalidRequest


class Cut(Protocol):
    """Yields the start and end of each passage of a text, in order."""

    def __call__(self, text: str, *, size: int, overlap: int) -> Iterator[tuple[int, int]]: ...


@dataclass(frozen=True, slots=True)
class ChunkProfile:
    """How a document is cut; it becomes part of each chunk's provenance."""

    name: str
    method: str
    parameters: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Method:
    """A way to cut: which parameters hold its size and its overlap, and the sizes it accepts."""

    cut: Cut
    size: str
    overlap: str
    smallest: int
    largest: int


METHODS: Final[Mapping[str, Method]] = {
    "characters": Method(cut_characters, "characters", "overlap_characters", 64, 8_000),
    "words": Method(cut_words, "words", "overlap_words", 10, 1_500),
}

PROFILES: Final[Mapping[str, ChunkProfile]] = {
    profile.name: profile
    for profile in (
        ChunkProfile("classic", "characters", {"characters": 512, "overlap_characters": 64}),
        ChunkProfile("words", "words", {"words": 500, "overlap_words": 50}),
    )
}


def profile_named(name: str, overrides: Mapping[str, object]) -> ChunkProfile:
    """Return a profile with some of its parameters replaced.

    Raises InvalidRequest, which lists what would have been valid.
    """
    profile = PROFILES.get(name)
    if profile is None:
        valid = ", ".join(sorted(PROFILES))
        raise InvalidRequest(f"chunk profile {name[:50]!r} is unknown; valid are {valid}")
    unknown = sorted(set(overrides) - set(profile.parameters))
    if unknown:
        valid = ", ".join(profile.parameters)
        raise InvalidRequest(
            f"{unknown[0][:50]!r} is no parameter of profile {name!r}; valid are {valid}"
        )
    parameters = {
        key: _whole_number(key, overrides.get(key, default))
        for key, default in profile.parameters.items()
    }
    _check_range(METHODS[profile.method], parameters)
    return ChunkProfile(profile.name, profile.method, parameters)


def _whole_number(name: str, value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise InvalidRequest(f"{name!r} must be a whole number")
    return value


def _check_range(method: Method, parameters: Mapping[str, int]) -> None:
    size, overlap = parameters[method.size], parameters[method.overlap]
    if not method.smallest <= size <= method.largest:
        raise InvalidRequest(
            f"{method.size!r} must be from {method.smallest} to {method.largest}, not {size}"
        )
    if not 0 <= overlap <= size // 2:
        raise InvalidRequest(
            f"{method.overlap!r} must be from 0 to half of {method.size!r}, not {overlap}"
        )
