"""All questions in one pass: what cannot be read is a line like any other, not the end."""

import json
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, Final

import boto3
from botocore.exceptions import UnknownRegionError

from infra.config import options_from, stage_named
from pulsedocs.errors import ConfigurationError
from pulsedocs_cli.deployment.account import Account, Unreadable
from pulsedocs_cli.deployment.checks import CHECKS, Deployment, look_at_identity
from pulsedocs_cli.deployment.findings import Finding, stop, stops, warn
from pulsedocs_cli.deployment.machine import look_at_cdk, look_at_layers, look_at_node

_CDK_FILE: Final = Path(__file__).parents[2] / "cdk.json"


def look(stage: str, *, context: Iterable[str], region: str | None) -> list[Finding]:
    """Return every finding about a deployment from here; raise what its options are refused for."""
    chosen = _context(context)
    session = boto3.Session()
    where = region or session.region_name or ""
    options = options_from(chosen | {"stage": stage}, region=where)
    deployment = Deployment(stage_named(stage), options)
    if not where:
        missing = stop("region", "none is chosen", "export AWS_REGION=… or give --region")
        return [missing, *look_at_node(), *look_at_cdk()]
    try:
        account = Account(session, region=where)
    except UnknownRegionError:
        return [stop("region", f"AWS has no {where}", "export AWS_REGION=… or give --region")]
    return list(look_around(account, deployment, machine=lambda: _look_at_machine(where)))


def look_around(
    account: Account, deployment: Deployment, *, machine: Callable[[], Iterable[Finding]]
) -> Iterator[Finding]:
    """Yield what was found: who asks, the machine, then the account."""
    identity = list(look_at_identity(account))
    yield from identity
    yield from machine()
    if stops(identity):
        return
    for check in CHECKS:
        try:
            yield from check(account, deployment)
        except Unreadable as error:
            yield warn(
                check.__name__.removeprefix("look_at_").replace("_", " "),
                f"could not be read ({error})",
                "use credentials that may read it, or look yourself",
            )


def _look_at_machine(region: str) -> Iterator[Finding]:
    yield from look_at_node()
    yield from look_at_cdk()
    yield from look_at_layers(region)


def _context(given: Iterable[str]) -> dict[str, Any]:
    """Return what `cdk.json` and the command line choose, the latter first, as CDK has it."""
    if not _CDK_FILE.is_file():
        raise ConfigurationError(
            "a stage is deployed from a checkout, and this is none: see docs/guides/deploy.md there"
        )
    found: dict[str, Any] = json.loads(_CDK_FILE.read_text("utf-8")).get("context", {})
    for pair in given:
        name, is_pair, value = pair.partition("=")
        if not is_pair:
            raise ConfigurationError(f"{pair!r} is no name=value")
        found[name] = value
    return found
