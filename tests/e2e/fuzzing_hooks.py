"""What schemathesis is kept from, as it reads it: `schemathesis.toml` names this module."""

from typing import Any, cast

from schemathesis.hooks import (
    HookContext,
    hook,  # pyright: ignore[reportUnknownVariableType] -- its types are left open
)


def map_body(_context: HookContext, body: object) -> object:
    """Name no host that a name server would be asked for: nothing here leaves the machine."""
    if not isinstance(body, dict):
        return body
    named = cast("dict[str, Any]", body)
    return named | {"url": "https://127.0.0.1/"} if isinstance(named.get("url"), str) else named


hook(map_body)
