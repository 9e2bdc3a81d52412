"""Every stage passes the rules of AWS Solutions and of CloudFormation itself."""

import json
import subprocess
import sys
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

import pytest

from infra.components.acknowledged import (
    DATA_FINDINGS,
    PATTERNS,
    SERVICE_FINDINGS,
    Finding,
    Pattern,
)
from tests.infra.synthesise import OWN_ISSUER
from tests.infra.templates import StageTemplates

FINDINGS = (*DATA_FINDINGS, *SERVICE_FINDINGS)
# CDK writes dependencies that CloudFormation would find by itself.
_REDUNDANT_DEPENDENCY = "W3005"
# It takes the partition "aws" alone, by its name: test_machines.py holds the definitions to it.
_STATE_MACHINE = "E3601"


def test_cdk_nag_finds_nothing_that_is_not_acknowledged(templates: StageTemplates) -> None:
    """P-04: a finding would also have stopped the synthesis."""
    report = templates.folder / "validation-report.json"

    plugins = json.loads(report.read_text("utf-8"))["pluginReports"]
    [nag] = [plugin for plugin in plugins if plugin["pluginName"] == "AwsSolutions"]
    assert nag["conclusion"] == "success"
    assert [violation["ruleName"] for plugin in plugins for violation in plugin["violations"]] == []


def test_cfn_lint_finds_nothing_with_every_option_set(assemblies: Path) -> None:
    """P-04: `make synth` asks it of the stages as they are."""
    files = [str(file) for file in (assemblies / OWN_ISSUER).glob("*.template.json")]

    command = Path(sys.executable).with_name("cfn-lint")

    result = subprocess.run(
        [str(command), "--ignore-checks", _REDUNDANT_DEPENDENCY, _STATE_MACHINE, "--", *files],
        capture_output=True,
        text=True,
        check=False,
    )
    assert len(files) == 2
    assert (result.returncode, result.stdout) == (0, "")


@pytest.mark.parametrize("finding", [*FINDINGS, *PATTERNS], ids=lambda finding: finding.reason[:30])
def test_an_accepted_finding_has_a_reason_and_has_not_expired(finding: Finding | Pattern) -> None:
    """Fails on the day of the review: read the reason again, then move the date or the code."""
    assert len(finding.reason) > 20
    assert datetime.now(UTC).date() <= finding.until


def test_no_finding_is_accepted_twice() -> None:
    counted = Counter((finding.rule, finding.path) for finding in FINDINGS)

    assert [twice for twice, count in counted.items() if count > 1] == []


def test_an_accepted_finding_names_a_construct_that_is_there(templates: StageTemplates) -> None:
    paths = {
        item
        for file in templates.folder.glob("*.metadata.json")
        for item in json.loads(file.read_text("utf-8"))
    } | {
        path
        for template in templates.templates
        for resource in template["Resources"].values()
        for path in [resource.get("Metadata", {}).get("aws:cdk:path", "")]
    }

    for finding in FINDINGS:
        if finding.path == "SignIn" and templates.name.endswith("-own-issuer"):
            continue
        assert any(f"/{finding.path}" in path for path in paths), finding.path
