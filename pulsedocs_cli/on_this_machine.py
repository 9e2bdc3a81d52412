"""`up`, `down`, `open` and `demo`: what `make` calls too, loaded when it is named."""

import os

import click

_NAMES = ("up", "down", "open", "demo") if os.name == "posix" else ()  # a stage locks by fcntl


class WithLocalStage(click.Group):
    """The commands of a stage, and those of the local runtime."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted({*super().list_commands(ctx), *_NAMES})

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _NAMES:
            return super().get_command(ctx, cmd_name)
        from local.__main__ import main

        return main.commands[cmd_name]
