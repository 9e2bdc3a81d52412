"""Where the runtime lies, where its stage keeps what it has, and by which command it is started.

In a checkout this folder is beside `functions` and `infra`. A wheel has the same folders with the
same names below `pulsedocs_stage`, so that a path from one to the other is the same in both.
"""

from pathlib import Path
from typing import Final

import click

REPOSITORY: Final = Path(__file__).parents[1]
IS_CHECKOUT: Final = (REPOSITORY / "Makefile").exists()


def default_directory() -> Path:
    """Return the folder of the stage: in a checkout its own, else the user's for programs."""
    return REPOSITORY / ".local" if IS_CHECKOUT else Path(click.get_app_dir("pulsedocs"), "local")


def command(name: str) -> str:
    """Return what a person types, such as `make up` in a checkout and else `pulsedocs up`."""
    return f"{'make' if IS_CHECKOUT else 'pulsedocs'} {name}"
