"""What may be missing on this machine: the local runtime, and libraries that some commands need.

`up`, `down`, `open` and `demo`, which `make` calls too, are loaded when they are named.
"""

import os
from typing import Any

import click

from pulsedocs_cli.parameters import ListsWhole
from pulsedocs_cli.printing import harmless

_OF_POSIX = frozenset({"fcntl", "resource"})
_NAMES = ("up", "down", "open", "demo") if os.name == "posix" else ()  # a stage locks by fcntl


class WithLocalStage(ListsWhole):
    """The commands of a stage, and those of the local runtime."""

    def invoke(self, ctx: click.Context) -> Any:  # noqa: ANN401 -- click's own
        """Say in a line what ends a command: not all that they need comes with `[cli]`."""
        try:
            return super().invoke(ctx)
        except click.ClickException as error:
            error.message = harmless(error.message)  # pyright: ignore[reportAttributeAccessIssue] -- of any kind, with its own exit status
            raise
        except BrokenPipeError:  # `| head` has had enough: click ends quietly
            raise
        except OSError as error:  # such as a disk that is full
            raise click.ClickException(str(error)) from error
        except ModuleNotFoundError as error:
            if error.name in _OF_POSIX:
                raise click.ClickException("this command needs Linux or macOS") from error
            hint = "pip install 'pulsedocs[local]'"
            raise click.ClickException(f"{error}: {hint}") from error

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted({*super().list_commands(ctx), *_NAMES})

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _NAMES:
            return super().get_command(ctx, cmd_name)
        from local.__main__ import main

        return main.commands[cmd_name]
