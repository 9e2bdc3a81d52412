"""Which stages there are: each is a file that `npx cdk deploy --outputs-file` has written."""

import json
import re
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import click

from local.places import default_directory

LOCAL: Final = "local"
OUTPUTS: Final = Path(".stages")
"""One file a stage, `.stages/dev.json`; the guide to deployment writes it there."""
_NAME: Final = re.compile(r"[a-z][a-z0-9-]{1,15}")


class UnknownStage(click.UsageError):
    """Nothing is known of the stage; the message says what to do."""


class UserRefused(click.ClickException):
    """AWS or the pool refused; the message says what to do."""


@dataclass(frozen=True, slots=True)
class DeployedStage:
    """What a deployment says of itself. Without a pool, its tokens come from an issuer of yours."""

    name: str
    url: str
    region: str
    user_pool: str | None = None
    client_id: str | None = None
    sign_in_page: str | None = None


@dataclass(frozen=True, slots=True)
class Pool:
    """A stage's own Cognito pool."""

    user_pool: str
    client_id: str
    sign_in_page: str
    region: str


def deployed_stage(name: str) -> DeployedStage:
    """Read the outputs of a stage; raise UnknownStage."""
    if not _NAME.fullmatch(name) or name == LOCAL:
        raise UnknownStage(f"{name!r} is not the name of a deployed stage")
    file = OUTPUTS / f"{name}.json"
    try:
        stacks: dict[str, dict[str, str]] = json.loads(file.read_text("utf-8"))
        [outputs] = [stacks[stack] for stack in stacks if stack.endswith(f"-{name}-Service")]
        return DeployedStage(
            name,
            url=outputs["Endpoint"],
            region=outputs["Region"],
            user_pool=outputs.get("UserPool"),
            client_id=outputs.get("UserPoolClient"),
            sign_in_page=outputs.get("SignInPage"),
        )
    except FileNotFoundError:
        problem = f"there is no {file}"
    except (ValueError, KeyError):
        problem = f"{file} does not hold the outputs of the stage {name}"
    raise UnknownStage(
        f"{problem}: deploy with `npx cdk deploy --all -c stage={name} --outputs-file {file}`"
    )


def pool_of(stage: DeployedStage) -> Pool:
    """Return the stage's pool; raise UnknownStage where an issuer of its own gives the tokens."""
    if stage.user_pool is None or stage.client_id is None or stage.sign_in_page is None:
        raise UnknownStage(
            f"the stage {stage.name} takes the tokens of another issuer: get one there, and give"
            " it as --token or PULSEDOCS_TOKEN"
        )
    return Pool(stage.user_pool, stage.client_id, stage.sign_in_page, stage.region)


def local_endpoint() -> dict[str, Any]:
    """Return what `pulsedocs up` wrote, first here; raise UnknownStage where nothing is up."""
    for folder in (Path(".local"), default_directory()):
        with suppress(FileNotFoundError):
            return json.loads((folder / "endpoint.json").read_text(encoding="utf-8"))
    raise UnknownStage(
        "no stage: give --stage, or --url and --token, or start the local one with `pulsedocs up`"
    )
