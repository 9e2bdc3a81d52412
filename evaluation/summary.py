"""All that was measured, on one page: a line for each data set, as shipped."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from evaluation.gate import Figures

_PROFILE: Final = "default"
_FOUND: Final = ("page@1", "page@5", "ndcg@10")
_SAID: Final = ("answered", "cited", "refused")
_NAME, _WIDTH = 56, 18
_HASH: Final = re.compile(r"(?<=\()[0-9a-f]{12}, ")
_SHIPPED: Final = "; local:bge-small-en-v1.5@384, local:ms-marco-MiniLM-L12-v2"


def table(results: Mapping[str, Mapping[str, Figures]]) -> Iterator[str]:
    """Yield what `default` selects of each set, and what becomes of its answers, with intervals."""
    columns = (*_FOUND, *_SAID)
    yield f"{'default, as selected':<{_NAME}}" + "".join(f"{each:<{_WIDTH}}" for each in columns)
    lines: dict[str, dict[str, Sequence[float]]] = defaultdict(dict)
    for name, profiles in results.items():
        stages: Mapping[str, Any] = profiles.get(_PROFILE, {}).get("stages", {})
        lines[_short(name)] |= stages.get("selected", {}) | stages.get("answer", {})
    for name, own in lines.items():
        if own:
            cells = "".join(f"{shown(own.get(each)):<{_WIDTH}}" for each in columns)
            yield f"{name:<{_NAME}}{cells}".rstrip()


def shown(figure: Sequence[float] | None) -> str:
    """Return a mean with its interval; nothing where it was not measured."""
    if figure is None:
        return ""
    mean, low, high = figure
    return f"{mean:.2f} [{low:.2f}-{high:.2f}]"


def _short(name: str) -> str:
    """Leave the hash out of a name, and the models where they are the shipped ones."""
    return _HASH.sub("", name).replace(_SHIPPED, "").removesuffix(", answered")
