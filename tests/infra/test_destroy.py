"""`cdk destroy` leaves what the runbook lists, and nothing that a service makes by itself."""

import re
from pathlib import Path
from typing import Final

import pytest

from infra.components.alarms import RUNBOOK
from infra.config import Leaving, Stage
from tests.infra.templates import StageTemplates, strings_in

ALWAYS_STAYS: Final = {
    "AWS::S3::Bucket": "the bucket",
    "AWS::ApiGateway::Account": "the role by which API Gateway writes logs",
    "AWS::IAM::Role": "the role by which API Gateway writes logs",
}
STAYS_WITH_EVERYTHING: Final = {
    "AWS::RDS::DBCluster": "the database",
    "AWS::RDS::DBInstance": "the database",
    "AWS::RDS::DBSubnetGroup": "the database",
    "AWS::Cognito::UserPool": "the users",
}
_SENDS_LOGS: Final = ("EnableCloudwatchLogsExports", "EnablePerformanceInsights")


@pytest.fixture(scope="module")
def told() -> str:
    text = (Path(__file__).parents[2] / RUNBOOK).read_text("utf-8")
    return text.partition("\n## Remove a stage\n")[2].partition("\n## ")[0]


def kept(templates: StageTemplates) -> set[str]:
    return {
        resource["Type"]
        for resource in templates.resources.values()
        if resource.get("DeletionPolicy", "Delete") not in {"Delete", "Snapshot"}
    }


def test_a_stage_leaves_what_the_runbook_lists_and_nothing_else(
    templates: StageTemplates, stage: Stage, told: str
) -> None:
    """P-04: each resource goes, unless its removal would take data along that nobody has twice."""
    keeps_everything = stage.leaves is Leaving.EVERYTHING
    expected = {**ALWAYS_STAYS, **(STAYS_WITH_EVERYTHING if keeps_everything else {})}

    assert kept(templates) == set(expected)
    for phrase in expected.values():
        assert phrase in told


def test_only_a_stage_that_says_so_leaves_a_snapshot(
    templates: StageTemplates, stage: Stage
) -> None:
    snapshots = {
        resource["Type"]
        for resource in templates.resources.values()
        if resource.get("DeletionPolicy") == "Snapshot"
    }

    assert snapshots == ({"AWS::RDS::DBCluster"} if stage.leaves is Leaving.SNAPSHOT else set())


def test_one_role_is_kept_and_it_is_the_accounts(templates: StageTemplates) -> None:
    roles = [
        role
        for role in templates.of("IAM::Role").values()
        if role.get("DeletionPolicy") == "Retain"
    ]

    [role] = roles
    assert "AmazonAPIGatewayPushToCloudWatchLogs" in " ".join(strings_in(role))


def test_no_service_makes_a_log_group_of_its_own(templates: StageTemplates) -> None:
    """One that a template does not hold has no end, and stays behind.

    Functions, also those of custom resources, state machines, flow logs and the access log name a
    group of the stack; what would make its own is off.
    """
    groups = templates.of("Logs::LogGroup")
    for function in templates.properties("Lambda::Function"):
        assert function["LoggingConfig"]["LogGroup"]["Ref"] in groups
    for machine in templates.properties("StepFunctions::StateMachine"):
        [destination] = machine["LoggingConfiguration"]["Destinations"]
        assert destination["CloudWatchLogsLogGroup"]["LogGroupArn"]["Fn::GetAtt"][0] in groups
    for flow in templates.properties("EC2::FlowLog"):
        assert flow["LogGroupName"]["Ref"] in groups
    for api in templates.properties("ApiGateway::Stage"):
        assert api["AccessLogSetting"]["DestinationArn"]["Fn::GetAtt"][0] in groups
        assert {setting["LoggingLevel"] for setting in api["MethodSettings"]} == {"OFF"}
    for database in (
        *templates.properties("RDS::DBCluster"),
        *templates.properties("RDS::DBInstance"),
    ):
        assert not [name for name in _SENDS_LOGS if database.get(name)]


def test_custom_resources_are_served_by_functions_of_the_stack(templates: StageTemplates) -> None:
    """CDK's own providers would bring functions and log groups that nothing here names."""
    functions = templates.of("Lambda::Function")
    for resource in templates.resources.values():
        if re.match(r"Custom::|AWS::CloudFormation::CustomResource", resource["Type"]):
            assert resource["Properties"]["ServiceToken"]["Fn::GetAtt"][0] in functions
    for function in functions.values():
        assert function["Properties"]["FunctionName"].startswith("pulsedocs-")
