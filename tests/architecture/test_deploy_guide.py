"""The figures of the guide to deployment are those of the code."""

import json
import re
from pathlib import Path

import pytest

from infra.config import OPTION_NAMES, STAGES, Options, options_from
from infra.functions import FUNCTIONS
from pulsedocs.settings import Settings
from pulsedocs_cli.deployment.checks import BOOTSTRAP_VERSION

GUIDE = (Path(__file__).parents[2] / "docs" / "guides" / "deploy.md").read_text(encoding="utf-8")
SHIPPED = [STAGES[name] for name in ("dev", "staging", "prod")]


def default(name: str) -> int:
    return int(Settings.model_fields[name].default)


@pytest.mark.parametrize(
    ("what", "how_much"),
    [
        (
            "requests a second, at once",
            "; ".join(
                f"{stage.name} {stage.requests_per_second}, {stage.request_burst}"
                for stage in SHIPPED
            ),
        ),
        (
            "requests a minute from one address",
            "by the firewall: "
            + ", ".join(
                f"{stage.name} {stage.requests_per_address:,}"
                for stage in SHIPPED
                if stage.has_firewall
            ),
        ),
        ("one file", f"{default('max_upload_mb')} MB, {default('max_pages'):,} pages"),
        ("documents of a batch in flight", str(Options().batch_concurrency)),
        (
            "database connections",
            "by `max_acu`: "
            + ", ".join(f"{stage.name} {stage.max_connections:,}" for stage in SHIPPED),
        ),
        ("one request", f"{default('request_seconds')} s; a stream {default('stream_seconds')} s"),
    ],
)
def test_a_limit_is_the_one_of_the_code(what: str, how_much: str) -> None:
    assert f"| {what} | {how_much} |" in GUIDE


def test_every_option_of_a_deployment_is_in_the_table() -> None:
    [table] = re.findall(r"\| name \| default \| meaning \|\n(.*?)\n\n", GUIDE, re.DOTALL)
    named = set(re.findall(r"`(\w+)`", " ".join(line.split("|")[1] for line in table.splitlines())))

    assert named == OPTION_NAMES


@pytest.mark.parametrize("guide", ["deploy.md", "operate.md"])
def test_a_payload_on_the_command_line_is_text(guide: str) -> None:
    """Version 2 of the AWS command takes it for Base64 otherwise, and refuses it."""
    text = (Path(__file__).parents[2] / "docs" / "guides" / guide).read_text(encoding="utf-8")

    with_payload = re.findall(r"aws lambda invoke[^`]*--payload", text)

    assert all("--cli-binary-format raw-in-base64-out" in command for command in with_payload)


@pytest.mark.parametrize("guide", ["deploy.md", "operate.md"])
def test_a_function_that_takes_minutes_is_waited_for(guide: str) -> None:
    """The AWS command gives up after 60 s otherwise, and invokes the function once more."""
    text = (Path(__file__).parents[2] / "docs" / "guides" / guide).read_text(encoding="utf-8")

    shown = re.findall(r"aws lambda invoke --function-name pulsedocs-[a-z<>]+-(\w+)(.*)", text)

    assert shown
    for function, flags in shown:
        seconds = FUNCTIONS[function].timeout_seconds
        waits = int(next(iter(re.findall(r"--cli-read-timeout (\d+)", flags)), 60))
        assert waits >= seconds, function


def test_the_oldest_bootstrap_is_the_one_that_is_looked_for() -> None:
    assert f"older than version {BOOTSTRAP_VERSION}" in GUIDE


@pytest.mark.parametrize("stage", ["dev", "staging", "prod"])
def test_options_can_be_kept_as_the_guide_shows(stage: str) -> None:
    [block] = re.findall(r"```json\n(.*?)```", GUIDE, re.DOTALL)
    context = json.loads(block)["context"]

    kept = options_from(context | {"stage": stage}, region="eu-west-1")
    assert bool(kept.given) is (stage in context["stages"])


def test_going_back_takes_the_functions_alone() -> None:
    """CDK deploys what a stack reads from before it: of a later PostgreSQL no way leads back."""
    section = GUIDE.partition("### Go back\n")[2].partition("\n## ")[0]

    [command] = re.findall(r"^npx cdk deploy .*$", section, re.MULTILINE)
    assert {"PulseDocs-dev-Service", "--exclusively"} <= set(command.split())
