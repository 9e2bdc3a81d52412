"""JSON as RFC 8259 has it, and text as PostgreSQL can keep it."""

import json
import math
import re
from typing import Any, Final, NoReturn, cast

from pulsedocs.errors import InvalidRequest

_MAX_JSON_DEPTH: Final = 64
_UNSTORABLE: Final = re.compile("[\x00\ud800-\udfff]")


def parse_json(body: str, *, called: str = "the body") -> Any:  # noqa: ANN401 -- JSON
    """Parse JSON as RFC 8259 has it: no NaN, no infinity, no repeated names, no deep nesting."""
    try:
        parsed = json.loads(
            body,
            parse_constant=_refuse_constant,
            parse_float=_finite,
            object_pairs_hook=without_repeats,
        )
    except (ValueError, RecursionError) as error:
        message = f"{called} is not valid JSON: {error}"
        raise InvalidRequest(message) from None
    level: list[object] = [parsed]
    for _ in range(_MAX_JSON_DEPTH):
        refuse_unstorable(*(item for item in level if isinstance(item, str)))
        level = [child for item in level for child in _children(item)]
        if not level:
            return parsed
    message = f"{called} nests deeper than {_MAX_JSON_DEPTH} levels"
    raise InvalidRequest(message)


def refuse_unstorable(*texts: str) -> None:
    """Refuse what PostgreSQL's text cannot hold: NUL, and halves of surrogate pairs."""
    if any(_UNSTORABLE.search(text) for text in texts):
        message = "a text contains NUL or half of a surrogate pair"
        raise InvalidRequest(message)


def without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object of names and values; raise ValueError for a name that occurs twice."""
    if len({name for name, _ in pairs}) != len(pairs):
        message = "a name occurs twice in one object"
        raise ValueError(message)
    return dict(pairs)


def _refuse_constant(name: str) -> NoReturn:
    message = f"{name} is not a JSON number"
    raise ValueError(message)


def _finite(number: str) -> float:
    parsed = float(number)
    if math.isinf(parsed):  # 1e400 is one: jsonb would refuse it later, as an error of ours
        message = f"{number[:32]} is too large a number"
        raise ValueError(message)
    return parsed


def _children(value: object) -> list[object]:
    """Return what a JSON value holds: the names of an object are texts too."""
    if isinstance(value, dict):
        named = cast("dict[object, object]", value)
        return [*named.keys(), *named.values()]
    return cast("list[object]", value) if isinstance(value, list) else []
