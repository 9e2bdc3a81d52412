"""Which stage a command speaks to: options, the environment, or the local stage that is up."""

from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from functools import partial, wraps
from typing import Concatenate, Final, ParamSpec

import click

from pulsedocs.client import PulseDocs, RequestRefused
from pulsedocs.client.transport import Token
from pulsedocs.client.waits import waits_told
from pulsedocs.errors import ConfigurationError, NoAnswer
from pulsedocs_cli import tokens
from pulsedocs_cli.printing import say
from pulsedocs_cli.stages import (
    LOCAL,
    DeployedStage,
    UnknownStage,
    deployed_stage,
    local_endpoint,
    pool_of,
)

P = ParamSpec("P")
_OF_THE_STAGE: Final = 500  # the first status that is not the caller's fault


def on_a_stage(command: Callable[Concatenate[PulseDocs, P], None]) -> Callable[..., None]:
    """Give a command its connection, and turn refusals into one line for the reader."""

    @click.option("--stage", "stage_name", help="local, or one of .stages/; see `login`.")
    @click.option("--url", envvar="PULSEDOCS_URL", help="The stage's address.")
    @click.option("--token", envvar="PULSEDOCS_TOKEN", help="An access token.")
    @wraps(command)
    def connected(
        stage_name: str | None,
        url: str | None,
        token: str | None,
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> None:
        with connection(stage_name, url=url, token=token) as stage:
            command(stage, *args, **kwargs)

    return connected


@contextmanager
def connection(
    name: str | None, *, url: str | None = None, token: str | None = None
) -> Generator[PulseDocs]:
    if name is not None and url is not None:  # one stage's token must not reach another's address
        raise click.UsageError("--stage and --url (or PULSEDOCS_URL) both name a stage: give one")
    is_local = url is None and name in {None, LOCAL}
    # A function where no token is given: `mcp` serves for hours, and `add --watch` for weeks.
    bearer: Token | None = token
    try:
        if is_local:
            endpoint = local_endpoint()
            url, bearer = str(endpoint["url"]), token or partial(local_token, endpoint["token"])
        elif name is not None:
            stage = deployed_stage(name)
            url = stage.url
            if token is None:
                fresh_token(stage)  # whoever is not signed in reads it before anything is done
                bearer = partial(fresh_token, stage)
    except tokens.NotSignedIn as error:  # like a stage that is not known: the call lacks something
        raise click.UsageError(error.message) from error
    if url is None or bearer is None:
        raise click.UsageError("a token is needed: --token or PULSEDOCS_TOKEN")
    try:
        with waits_told(_tell), PulseDocs(url, bearer, trust_env=not is_local) as opened:
            yield opened
    except (RequestRefused, NoAnswer) as error:
        raise click.ClickException(refusal_line(error)) from error
    except ConfigurationError as error:  # of the client: an address that is none
        raise click.UsageError(error.message) from error


def refusal_line(error: RequestRefused | NoAnswer) -> str:
    """Return the line for a person, with what leads to the log where the stage is at fault."""
    if isinstance(error, RequestRefused) and error.request_id and error.status >= _OF_THE_STAGE:
        return f"{error} Request: {error.request_id}"
    return str(error)


def _tell(line: str) -> None:
    say(line, err=True)


def local_token(known: str) -> str:
    """Return the token that the local stage has renewed; the known one while it starts again."""
    with suppress(UnknownStage):
        return str(local_endpoint()["token"])
    return known


def fresh_token(stage: DeployedStage) -> str:
    """Return an access token of whoever is signed in, renewed where it is about to end."""
    pool = pool_of(stage)
    log_in = f"`pulsedocs login --stage {stage.name}`"
    found = tokens.kept(pool.client_id)
    if found is None:
        raise tokens.NotSignedIn(f"nobody is signed in: {log_in}")
    if not found.is_fresh:
        # Each loads a library that most commands do not need.
        if found.from_page:
            from pulsedocs_cli.sign_in_page import renew
        else:
            from pulsedocs_cli.deployment.users import renew
        try:
            found = renew(pool, found)
        except tokens.NotSignedIn as error:
            raise tokens.NotSignedIn(f"{error}; {log_in}") from error
        tokens.keep(pool.client_id, found)
    return found.access_token
