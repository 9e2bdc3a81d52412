"""Which stage a command speaks to: options, the environment, or the local stage that is up."""

import json
from collections.abc import Callable, Generator
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from typing import Any, Concatenate, ParamSpec

import click
import httpx

from pulsedocs.client import PulseDocs, RequestRefused

P = ParamSpec("P")

LOCAL_STAGE = Path(".local/endpoint.json")


def on_a_stage(command: Callable[Concatenate[PulseDocs, P], None]) -> Callable[..., None]:
    """Give a command its connection, and turn refusals into one line for the reader."""

    @click.option("--url", envvar="PULSEDOCS_URL", help="The stage's address.")
    @click.option("--token", envvar="PULSEDOCS_TOKEN", help="An access token.")
    @wraps(command)
    def connected(url: str | None, token: str | None, *args: P.args, **kwargs: P.kwargs) -> None:
        with _connection(url, token) as stage:
            command(stage, *args, **kwargs)

    return connected


@contextmanager
def _connection(url: str | None, token: str | None) -> Generator[PulseDocs]:
    is_local = url is None
    if url is None:
        try:
            endpoint: dict[str, Any] = json.loads(LOCAL_STAGE.read_text(encoding="utf-8"))
        except FileNotFoundError:
            raise click.UsageError(
                "no stage: give --url and --token, or start the local one with `make up`"
            ) from None
        url, token = str(endpoint["url"]), token or str(endpoint["token"])
    if token is None:
        raise click.UsageError("a token is needed: --token or PULSEDOCS_TOKEN")
    try:
        with PulseDocs(url, token, trust_env=not is_local) as stage:
            yield stage
    except RequestRefused as error:
        raise click.ClickException(str(error)) from error
    except httpx.TransportError as error:
        raise click.ClickException(f"{url} does not answer: {error}") from error
    except TimeoutError as error:  # of the client: the stage answers, and is not done
        raise click.ClickException(str(error)) from error
