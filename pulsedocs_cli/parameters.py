"""Arguments and options that several commands take."""

import json
from pathlib import Path
from typing import Any, Final

import click

_WHOLE: Final = 1000
"""More letters than a first sentence has."""

a_file = click.Path(path_type=Path, exists=True, dir_okay=False)


def _asked(context: click.Context, parameter: click.Parameter, text: str) -> str:
    """Refuse what is empty, and what a terminal of another encoding sends: no request holds it."""
    del context, parameter
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise click.BadParameter("these are not letters in UTF-8") from error
    if not text.strip():
        raise click.BadParameter("nothing is asked")
    return text


def _in_a_folder(
    context: click.Context, parameter: click.Parameter, file: Path | None
) -> Path | None:
    """Refuse a file that nobody could write before anything is asked."""
    del context, parameter
    if file is not None and not file.parent.is_dir():
        raise click.BadParameter(f"there is no folder {str(file.parent)!r}")
    return file


a_question = click.argument("question", callback=_asked)
a_query = click.argument("query", callback=_asked)
a_proof = click.option(
    "--proof",
    type=click.Path(path_type=Path, dir_okay=False, writable=True),
    callback=_in_a_folder,
    help="Also write a signed file that shows where the answer stands; see `verify`.",
)
a_document = click.argument("document_id", type=click.UUID)
in_a_collection = click.option("--collection", default="default", show_default=True)


class ListsWhole(click.Group):
    """A group that lists each command with its first sentence whole: click's own cuts it."""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        commands = {name: self.get_command(ctx, name) for name in self.list_commands(ctx)}
        with formatter.section("Commands"):
            formatter.write_dl(
                (name, command.get_short_help_str(limit=_WHOLE))
                for name, command in commands.items()
                if command
            )


class ListsByItself(ListsWhole):
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


filtered = click.option(
    "--filter",
    "filters",
    callback=json_object,
    help='By metadata, in JSON: {"year": {"$gte": 2020}}; all of it: docs/reference/filters.md.',
)
