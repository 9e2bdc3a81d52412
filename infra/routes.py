"""The routes of the API, each as its handler declares it: for CDK, the local stage and the tests.

`@api.on("POST /search", READ)` says method, path and scope, the folder it stands in the function.
It is read and not imported: infrastructure knows nothing of handlers and what they need to run.
"""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from infra.functions import FUNCTIONS
from pulsedocs import scopes
from pulsedocs.errors import ConfigurationError

_HANDLERS: Final = Path(__file__).parents[1] / "functions"


@dataclass(frozen=True, slots=True)
class Route:
    method: str
    path: str
    function: str
    scope: str | None
    """The scope a token needs; None for the routes that need no token."""


def routes_of(function: str, source: str) -> Iterator[Route]:
    """Yield the routes that a module of a function declares."""
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Call(
                func=ast.Attribute(value=ast.Name(id="api"), attr="on"),
                args=[ast.Constant(value=str(route)), scope],
            ):
                method, path = route.split()
                yield Route(method, path, function, _scope(scope, route))
            case ast.Call(func=ast.Attribute(value=ast.Name(id="api"), attr="on")):
                raise ConfigurationError(
                    f"functions/{function}, line {node.lineno}: write a route and its scope out,"
                    ' as in @api.on("POST /search", READ)'
                )
            case _:
                pass


def _scope(node: ast.expr, route: str) -> str | None:
    match node:
        case ast.Constant(value=None):
            return None
        case ast.Name(id="READ" | "WRITE" | "ADMIN" as name):
            return getattr(scopes, name)
        case _:
            raise ConfigurationError(f"{route}: the scope is READ, WRITE, ADMIN or None")


ROUTES: Final = tuple(
    sorted(
        (
            route
            for function in FUNCTIONS
            for file in (_HANDLERS / function).glob("*.py")
            for route in routes_of(function, file.read_text("utf-8"))
        ),
        # A name goes before a placeholder: `{` is behind all letters.
        key=lambda route: (route.path, route.method),
    )
)
