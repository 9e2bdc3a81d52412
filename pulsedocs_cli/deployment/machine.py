"""What a deployment needs of the machine it is started on: Node, the `cdk` command, the layers."""

import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from infra.config import CDK_COMMAND
from infra.layers import Layers, built_layers
from pulsedocs.errors import ConfigurationError
from pulsedocs_cli.deployment.findings import Finding, ok, stop, warn

_OLDEST_NODE: Final = 18
_MAINTAINED_NODE: Final = 22
"""CDK's library warns below it since Node 20 came to its end, in 2026."""
_INSTALL_CDK: Final = f"npm install aws-cdk@{CDK_COMMAND}"
_SECONDS: Final = 60

Run = Callable[..., str | None]
"""Returns what a command prints, or None where there is no such command."""


def run(*command: str) -> str | None:
    """Run what only prints its version."""
    program = shutil.which(command[0])
    if program is None:
        return None
    try:
        done = subprocess.run(  # noqa: S603 -- words written in this file
            [program, *command[1:]], capture_output=True, text=True, check=False, timeout=_SECONDS
        )
    except subprocess.TimeoutExpired:
        return None
    return done.stdout.strip() if done.returncode == 0 else None


def look_at_node(run: Run = run) -> Iterator[Finding]:
    printed = run("node", "--version")
    version = _version_in(printed or "")
    if version is None:
        yield stop("node", "there is none", f"install Node {_MAINTAINED_NODE} or later")
    elif version[0] < _OLDEST_NODE:
        yield stop("node", f"{printed} is too old", f"install Node {_MAINTAINED_NODE} or later")
    elif version[0] < _MAINTAINED_NODE:
        yield warn(
            "node",
            f"{printed} works and is no longer maintained",
            f"install Node {_MAINTAINED_NODE} or later",
        )
    else:
        yield ok("node", str(printed))


def look_at_cdk(run: Run = run) -> Iterator[Finding]:
    """Never lets npx fetch anything: what it would fetch is not the version that is needed."""
    printed = run("npx", "--no-install", "cdk", "--version")
    version = _version_in(printed or "")
    if version is None:
        yield stop("cdk", "the command is not installed here", _INSTALL_CDK)
    elif version < tuple(map(int, CDK_COMMAND.split("."))):
        yield stop("cdk", f"{printed} refuses what the library writes", _INSTALL_CDK)
    else:
        yield ok("cdk", str(printed))


def look_at_layers(region: str, find: Callable[[], Layers] = built_layers) -> Iterator[Finding]:
    """Built from these sources, with what signs the region's databases."""
    try:
        layers = find()
    except ConfigurationError as error:
        yield stop("layers", error.message, "make layers")
        return
    authorities = Path(layers.dependencies, "certificates", f"{region}.pem")
    if authorities.is_file():
        yield ok("layers", f"built; they hold the authorities of RDS in {region}")
    else:
        yield stop(
            "layers",
            f"they hold no authority of RDS in {region}",
            "put the bundle that AWS publishes for it into layers/certificates, as a .pem file, and"
            " run `make layers`",
        )


def _version_in(printed: str) -> tuple[int, ...] | None:
    found = re.search(r"(\d+)\.(\d+)\.(\d+)", printed)
    return tuple(map(int, found.groups())) if found else None
