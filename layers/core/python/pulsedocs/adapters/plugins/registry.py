"""Find the plug-ins that are installed or named by a setting, without knowing any of them."""

import re
from collections.abc import Sequence
from importlib import import_module
from importlib.metadata import entry_points
from typing import Any, Final

from pulsedocs.errors import ConfigurationError, InvalidRequest
from pulsedocs.plugins import GROUP, BaseChunker, BaseEmbedder, BaseReranker

_KINDS: Final = {
    BaseChunker: "chunker",
    BaseEmbedder: "embedder",
    BaseReranker: "reranker",
}
_NAME: Final = re.compile(r"[a-z][a-z0-9-]{0,31}")
_OURS: Final = frozenset({"local", "openai", "memory", "bedrock", "cohere", "extractive"})


class Registry:
    """The plug-ins of this process; `named` are settings of the form `package.module:Class`."""

    def __init__(self, named: Sequence[str] = (), *, allows_experimental: bool = False) -> None:
        self._allows_experimental = allows_experimental
        self._found: dict[tuple[type, str], type[Any]] = {}
        for entry in entry_points(group=GROUP):
            self._add(entry.load(), origin=f"the entry point {entry.name!r}")
        for address in named:
            self._add(_imported(address), origin=f"PLUGINS {address!r}")

    def find(self, kind: type, name: str) -> type[Any]:
        """Return the class of a plug-in; raise InvalidRequest, which lists those there are."""
        found = self._found.get((kind, name))
        what = f"plug-in {_KINDS[kind]}"
        if found is None:
            names = ", ".join(self.names(kind)) or "none"
            raise InvalidRequest(f"there is no {what} {name[:50]!r}; installed are {names}")
        if getattr(found, "is_experimental", False) and not self._allows_experimental:
            raise InvalidRequest(
                f"the {what} {name!r} is experimental, which this stage does not allow"
                " (EXPERIMENTAL_PLUGINS)"
            )
        return found

    def names(self, kind: type) -> list[str]:
        """Return the names of the plug-ins of a kind."""
        return sorted(known for of_kind, known in self._found if of_kind is kind)

    def _add(self, plugin: Any, *, origin: str) -> None:  # noqa: ANN401 -- whatever a plug-in is
        name = getattr(plugin, "plugin_name", None)
        if not isinstance(plugin, type) or not isinstance(name, str):
            raise _unusable(origin)
        made_by: type[Any] = plugin
        kinds = [kind for kind in _KINDS if issubclass(made_by, kind)]
        if not _NAME.fullmatch(name) or name in _OURS or not kinds:
            raise _unusable(origin)
        for kind in kinds:
            if self._found.setdefault((kind, name), made_by) is not made_by:
                raise ConfigurationError(f"{origin} is a second {_KINDS[kind]} named {name!r}")


def _unusable(origin: str) -> ConfigurationError:
    return ConfigurationError(
        f"{origin} is no plug-in: it needs a `plugin_name` of small letters that is not one of"
        f" ours, and the methods of a {', '.join(_KINDS.values())}"
    )


def _imported(address: str) -> object:
    module, _, name = address.partition(":")
    try:
        return getattr(import_module(module), name)
    except (ImportError, AttributeError, ValueError) as error:
        raise ConfigurationError(
            f"PLUGINS {address!r} cannot be imported; write package.module:Class"
        ) from error
