"""Choose and build the adapters; the only package that knows which ones exist.

Adapters are imported where they are built, and ports are imported for their names in annotations
only: a function loads the libraries it uses, and its cold start pays for nothing else. What is
built is kept until `reset`.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import Final, ParamSpec, Protocol, TypedDict, TypeVar, cast
from weakref import WeakSet

from pulsedocs import settings as _settings
from pulsedocs.errors import ConfigurationError
from pulsedocs.settings import Settings

_Arguments = ParamSpec("_Arguments")
_Built = TypeVar("_Built")
_Closes = TypeVar("_Closes", bound="_Closing")

_KEPT: Final = 8  # embedders are named by tenants; a stage has a few that are used all day


class _Closing(Protocol):
    def close(self) -> None: ...


class Aws(TypedDict):
    """Where the services of AWS are called."""

    region: str
    endpoint_url: str | None


_open_resources: WeakSet[_Closing] = WeakSet()
_forget: list[Callable[[], None]] = [_settings.load.cache_clear]


def settings() -> Settings:
    return _settings.load()


def once(build: Callable[_Arguments, _Built]) -> Callable[_Arguments, _Built]:
    """Keep what is built, for the same arguments, until `reset`."""
    kept = lru_cache(maxsize=_KEPT)(build)
    _forget.append(kept.cache_clear)
    return cast("Callable[_Arguments, _Built]", kept)


def closing(adapter: _Closes) -> _Closes:
    """Return an adapter that `reset` closes, if somebody still has it then."""
    _open_resources.add(adapter)
    return adapter


def reset() -> None:
    """Close and forget everything, so that the next call builds it from fresh settings."""
    while _open_resources:
        _open_resources.pop().close()
    for forget in _forget:
        forget()


def required(name: str, value: str | None) -> str:
    if not value:
        raise ConfigurationError(f"{name} must be set for this function")
    return value


def aws() -> Aws:
    chosen = settings()
    return {"region": chosen.aws_region, "endpoint_url": text(chosen.aws_endpoint_url)}


def text(value: object | None) -> str | None:
    return None if value is None else str(value)
