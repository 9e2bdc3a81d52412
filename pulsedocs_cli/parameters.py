"""Arguments and options that several commands take."""

import json
from pathlib import Path
from typing import Any

import click

a_file = click.Path(path_type=Path, exists=True, dir_okay=False)
a_document = click.argument("document_id", type=click.UUID)
in_a_collection = click.option("--collection", default="default", show_default=True)


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
