"""Arguments and options that several commands take."""

import json
from pathlib import Path
from typing import Any

import click

a_file = click.Path(path_type=Path, exists=True, dir_okay=False)
a_document = click.argument("document_id", type=click.UUID)
in_a_collection = click.option("--collection", default="default", show_default=True)
in_collections = click.option(
    "--collection",
    "collections",
    multiple=True,
    default=["default"],
    show_default=True,
    help="May be repeated, where collections have one model.",
)
of_documents = click.option(
    "--document",
    "documents",
    type=click.UUID,
    multiple=True,
    help="Only this one; may be repeated.",
)


class ListsByItself(click.Group):
    """A group whose bare name is its `list`, with the options of it."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        asks_for_help = set(args[:1]) <= set(self.get_help_option_names(ctx))
        is_bare = not args or (args[0].startswith("-") and not asks_for_help)
        return super().parse_args(ctx, ["list", *args] if is_bare else args)


def json_object(
    _context: click.Context, _option: click.Parameter, text: str | None
) -> dict[str, Any] | None:
    if text is None:
        return None
    try:
        parsed = json.loads(text)
    except ValueError as error:
        raise click.BadParameter(f"not JSON: {error}") from error
    if not isinstance(parsed, dict):
        raise click.BadParameter("not a JSON object")
    return parsed  # pyright: ignore[reportUnknownVariableType] -- JSON
