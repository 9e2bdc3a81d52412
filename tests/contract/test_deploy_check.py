"""`pulsedocs deploy-check` reads an account, changes nothing in it, and says what to do."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

import boto3
import pytest
from botocore.exceptions import EndpointConnectionError, NoCredentialsError
from click.testing import CliRunner

from infra.config import CDK_COMMAND, POSTGRES_VERSION, STAGES, Options
from infra.layers import Layers
from pulsedocs.errors import ConfigurationError
from pulsedocs_cli.__main__ import main
from pulsedocs_cli.deployment import looking
from pulsedocs_cli.deployment.checks import CHECKS, Deployment, look_at_stacks
from pulsedocs_cli.deployment.findings import Finding, Level, ok
from pulsedocs_cli.deployment.machine import look_at_cdk, look_at_layers, look_at_node
from tests.contract.aws_account import (
    NUMBER,
    PAID,
    REGION,
    SERVICES,
    AwsAccount,
    Refusal,
    Unintelligible,
    aws_account,
    make_ready,
    model_access,
    model_of,
    zones,
)

GUIDE = Path(__file__).parents[2] / "docs" / "guides" / "deploy.md"
DEV = Deployment(STAGES["dev"], Options())
CHANGES_NOTHING = ("Get", "List", "Describe")
TRACE_SECRET = "/pulsedocs/dev/trace-secret"  # noqa: S105 -- a name
EU = "eu.anthropic.claude-sonnet-4-5-20250929-v1:0"


@pytest.fixture
def aws() -> Iterator[AwsAccount]:
    """Prepare an account in which nothing stops a first deployment of dev."""
    with aws_account() as made:
        make_ready(made)
        yield made


def findings(aws: AwsAccount, deployment: Deployment = DEV) -> list[Finding]:
    return list(looking.look_around(aws.account, deployment, machine=list))


def worst(aws: AwsAccount, deployment: Deployment = DEV) -> Finding:
    """Return the one line that is not ok."""
    [finding] = [each for each in findings(aws, deployment) if each.level is not Level.OK]
    return finding


def with_options(**chosen: Any) -> Deployment:
    return Deployment(STAGES["dev"], Options(**chosen))


def test_an_account_that_has_everything_is_ok(aws: AwsAccount) -> None:
    found = findings(aws)

    assert {each.level for each in found} == {Level.OK}
    assert {each.subject for each in found} == {
        *("identity", "account plan", "bootstrap", "stack", "concurrency", "networks"),
        *("gateway endpoints", "database", "secret", "web adapter", "services", "zones"),
    }


def test_nothing_is_called_that_could_change_the_account(aws: AwsAccount) -> None:
    aws.answers["GetFoundationModelAvailability"] = model_access()
    aws.answers["GetInferenceProfile"] = profile("arn:aws:bedrock:eu-west-1::foundation-model/m")

    findings(aws, with_options(chat_model=f"bedrock:{EU}"))

    asked = {operation for _, operation, _ in aws.calls}
    assert len(asked) >= 12
    assert [operation for operation in asked if not operation.startswith(CHANGES_NOTHING)] == []


def test_what_could_change_the_account_is_refused_before_it_is_sent(aws: AwsAccount) -> None:
    with pytest.raises(ValueError, match="may change"):
        aws.account.read("ssm", "put_parameter", Name="x", Value="y", Type="String")

    assert aws.calls == []


def test_no_secret_is_read(aws: AwsAccount) -> None:
    findings(aws)

    read = [params for _, operation, params in aws.calls if operation == "GetParameter"]
    assert [params["Name"] for params in read] == ["/cdk-bootstrap/hnb659fds/version"]


def test_without_an_identity_nothing_else_is_asked(aws: AwsAccount) -> None:
    aws.answers["GetCallerIdentity"] = Refusal("ExpiredToken")

    finding = worst(aws)

    assert (finding.level, finding.subject) == (Level.STOP, "identity")
    assert "ExpiredToken" in finding.found
    assert [operation for _, operation, _ in aws.calls] == ["GetCallerIdentity"]


def test_the_root_of_an_account_is_advised_against(aws: AwsAccount) -> None:
    arn = f"arn:aws:iam::{NUMBER}:root"
    aws.answers["GetCallerIdentity"] = {"Account": NUMBER, "UserId": NUMBER, "Arn": arn}

    assert worst(aws).level is Level.WARN


def test_a_region_that_was_never_bootstrapped_stops(aws: AwsAccount) -> None:
    aws.ssm.delete_parameter(Name="/cdk-bootstrap/hnb659fds/version")

    finding = worst(aws)

    assert (finding.level, finding.subject) == (Level.STOP, "bootstrap")
    assert finding.next_step == f"npx cdk bootstrap aws://{NUMBER}/{REGION} -c stage=dev"


def test_an_old_bootstrap_stops(aws: AwsAccount) -> None:
    name = "/cdk-bootstrap/hnb659fds/version"
    aws.ssm.put_parameter(Name=name, Value="5", Type="String", Overwrite=True)

    finding = worst(aws)

    assert (finding.level, finding.subject) == (Level.STOP, "bootstrap")
    assert "version 5, 6 is needed" in finding.found


@pytest.mark.parametrize(
    ("status", "level"),
    [
        ("ROLLBACK_COMPLETE", Level.STOP),
        ("DELETE_FAILED", Level.STOP),
        ("CREATE_IN_PROGRESS", Level.STOP),
        ("CREATE_COMPLETE", Level.OK),
        ("UPDATE_ROLLBACK_COMPLETE", Level.OK),
        ("UPDATE_ROLLBACK_FAILED", Level.STOP),
    ],
)
def test_a_stack_that_cannot_be_updated_stops(aws: AwsAccount, status: str, level: Level) -> None:
    there = {"StackName": "PulseDocs-dev-Data", "CreationTime": "2026-01-01", "StackStatus": status}
    aws.answers["DescribeStacks"] = {"Stacks": [there]}

    stacks = [each for each in findings(aws) if each.subject == "stack"]

    assert {each.level for each in stacks} == {level}
    assert all(status in each.found for each in stacks)


def next_steps(aws: AwsAccount, status: str, *, stage: str) -> list[str]:
    there = {"StackName": "s", "CreationTime": "2026-01-01", "StackStatus": status}
    aws.answers["DescribeStacks"] = {"Stacks": [there]}
    found = look_at_stacks(aws.account, Deployment(STAGES[stage], Options()))
    return [each.next_step for each in found]


def test_what_was_rolled_back_has_to_go_and_a_protected_stack_is_let_go_first(
    aws: AwsAccount,
) -> None:
    """CDK deletes it too, before it makes it again, and is refused in the same way."""
    [data, _] = next_steps(aws, "ROLLBACK_COMPLETE", stage="dev")
    assert data == "npx cdk destroy PulseDocs-dev-Data -c stage=dev"

    [data, _] = next_steps(aws, "ROLLBACK_COMPLETE", stage="prod")
    assert data == (
        "aws cloudformation update-termination-protection --no-enable-termination-protection"
        " --stack-name PulseDocs-prod-Data && npx cdk destroy PulseDocs-prod-Data -c stage=prod"
    )


def test_a_protected_stage_is_first_deployed_without_rollback_and_goes_on_where_it_stopped(
    aws: AwsAccount,
) -> None:
    new = look_at_stacks(aws.account, Deployment(STAGES["prod"], Options()))
    assert [each.found.partition(": ")[2] for each in new] == ["deploy it with --no-rollback"] * 2

    [data, _] = next_steps(aws, "CREATE_FAILED", stage="prod")
    assert data.endswith("then npx cdk deploy PulseDocs-prod-Data --no-rollback -c stage=prod")


def test_a_stack_whose_first_change_set_never_ran_is_made_by_the_deployment(
    aws: AwsAccount,
) -> None:
    """CDK makes a new change set of it, of the type CREATE: it waits for nothing."""
    there = {"StackName": "s", "CreationTime": "2026-01-01", "StackStatus": "REVIEW_IN_PROGRESS"}
    aws.answers["DescribeStacks"] = {"Stacks": [there]}
    aws.answers["GetServiceQuota"] = {"Quota": {"Value": 1.0}}

    found = findings(aws)

    assert [each.found for each in found if each.subject == "stack"] == [
        f"PulseDocs-dev-{part} is not there yet" for part in ("Data", "Service")
    ]
    assert [each.subject for each in found if each.level is Level.STOP] == ["networks"]


def test_the_concurrency_of_a_new_account_is_a_warning(aws: AwsAccount) -> None:
    aws.answers["GetAccountSettings"] = {"AccountLimit": {"ConcurrentExecutions": 10}}

    finding = worst(aws)

    assert (finding.level, finding.subject) == (Level.WARN, "concurrency")
    assert "--service-code lambda --quota-code L-B99A9384" in finding.next_step


def test_more_documents_in_flight_than_executions_is_a_warning(aws: AwsAccount) -> None:
    assert worst(aws, with_options(batch_concurrency=2000)).subject == "concurrency"


def test_a_region_without_room_for_a_network_stops(aws: AwsAccount) -> None:
    del aws.answers["DescribeVpcs"], aws.answers["DescribeVpcEndpoints"]
    aws.answers["GetServiceQuota"] = {"Quota": {"Value": 1.0}}  # moto has a default VPC

    finding = worst(aws)

    assert (finding.level, finding.subject) == (Level.STOP, "networks")
    assert "1 of 1 used" in finding.found
    assert "--quota-code L-F678F1CE --desired-value 2" in finding.next_step


def test_a_stage_that_has_its_network_needs_no_room_for_another(aws: AwsAccount) -> None:
    aws.answers["GetServiceQuota"] = {"Quota": {"Value": 1.0}}
    there = {"StackName": "s", "CreationTime": "2026-01-01", "StackStatus": "CREATE_COMPLETE"}
    aws.answers["DescribeStacks"] = {"Stacks": [there]}

    assert {each.level for each in findings(aws)} == {Level.OK}


def test_a_region_without_this_postgresql_stops_and_names_what_it_has(aws: AwsAccount) -> None:
    aws.answers["DescribeOrderableDBInstanceOptions"] = {"OrderableDBInstanceOptions": []}
    offered = [{"EngineVersion": version} for version in ("15.17", "16.11", "16.12")]
    aws.answers["DescribeDBEngineVersions"] = {"DBEngineVersions": offered}

    finding = worst(aws)

    assert (finding.level, finding.subject) == (Level.STOP, "database")
    assert finding.next_step.endswith("offered: 16.11, 16.12")


def test_a_region_in_which_the_database_cannot_pause_stops_a_stage_that_pauses(
    aws: AwsAccount,
) -> None:
    support = {"MinCapacity": 0.5, "MaxCapacity": 128.0}
    version = {"EngineVersion": "16.13", "ServerlessV2FeaturesSupport": support}
    aws.answers["DescribeDBEngineVersions"] = {"DBEngineVersions": [version]}

    finding = worst(aws)

    assert (finding.level, finding.subject) == (Level.STOP, "database")
    assert "no lower than 0.5 ACU" in finding.found


def cluster(version: str, *, stage: str = "dev") -> dict[str, Any]:
    tag = {"Key": "pulsedocs-stage", "Value": stage}
    return {"DBClusterIdentifier": "kept", "EngineVersion": version, "TagList": [tag]}


@pytest.mark.parametrize(
    ("there", "options"),
    [
        ({"DescribeDBClusters": {"DBClusters": [cluster("16.15")]}}, {}),
        (
            {"DescribeDBClusters": {"DBClusters": [cluster("16.15", stage="prod")]}},
            {"restore_from": "kept@latest"},
        ),
        (
            {"DescribeDBClusterSnapshots": {"DBClusterSnapshots": [{"EngineVersion": "16.15"}]}},
            {"restore_from": "snapshot:kept"},
        ),
    ],
    ids=["the stage's cluster", "a cluster to restore", "a snapshot"],
)
def test_a_later_postgresql_than_the_pinned_one_stops(
    aws: AwsAccount, there: dict[str, Any], options: dict[str, str]
) -> None:
    aws.answers |= there

    finding = worst(aws, with_options(**options))

    assert (finding.level, finding.subject) == (Level.STOP, "database")
    assert finding.found.startswith("kept is Aurora PostgreSQL 16.15, and cannot go back to ")
    assert 'POSTGRES_VERSION = "16.15"' in finding.next_step


@pytest.mark.parametrize(
    "held", [cluster("16.9"), cluster(POSTGRES_VERSION), cluster("17.4", stage="prod")]
)
def test_a_database_that_is_not_later_than_the_pinned_one_is_ok(
    aws: AwsAccount, held: dict[str, Any]
) -> None:
    aws.answers["DescribeDBClusters"] = {"DBClusters": [held]}

    assert {each.level for each in findings(aws)} == {Level.OK}


def test_a_backup_that_was_restored_may_be_gone(aws: AwsAccount) -> None:
    aws.answers["DescribeDBClusterSnapshots"] = Refusal("DBClusterSnapshotNotFoundFault")

    found = findings(aws, with_options(restore_from="snapshot:gone", old_database="removed"))

    assert {each.level for each in found} == {Level.OK}


def test_a_missing_secret_stops_with_the_command_that_writes_it(aws: AwsAccount) -> None:
    aws.ssm.delete_parameter(Name=TRACE_SECRET)

    finding = worst(aws)

    assert (finding.level, finding.subject) == (Level.STOP, "secret")
    assert f"put-parameter --type SecureString --name {TRACE_SECRET}" in finding.next_step


def test_a_secret_in_the_open_stops_and_is_not_to_be_overwritten(aws: AwsAccount) -> None:
    aws.ssm.delete_parameter(Name=TRACE_SECRET)
    aws.ssm.put_parameter(Name=TRACE_SECRET, Value="open", Type="String")

    finding = worst(aws)

    assert (finding.level, finding.subject) == (Level.STOP, "secret")
    assert finding.next_step.startswith(f"aws ssm delete-parameter --name {TRACE_SECRET} && ")


def test_a_secret_under_a_key_that_the_functions_may_not_use_stops(aws: AwsAccount) -> None:
    aws.ssm.put_parameter(
        Name=TRACE_SECRET, Value="x", Type="SecureString", KeyId="alias/own", Overwrite=True
    )

    finding = worst(aws)

    assert (finding.level, finding.subject) == (Level.STOP, "secret")
    assert "alias/own" in finding.found


def test_a_page_of_parameters_that_is_empty_is_not_the_last(
    aws: AwsAccount, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Systems Manager filters after it has read a page."""
    aws.answers["DescribeParameters"] = {"Parameters": [], "NextToken": "more"}
    noted = aws.account.read

    def read(service: str, operation: str, **arguments: Any) -> dict[str, Any]:
        if "NextToken" in arguments:
            del aws.answers["DescribeParameters"]
            del arguments["NextToken"]  # moto has no such page
        return noted(service, operation, **arguments)

    monkeypatch.setattr(aws.account, "read", read)

    assert {each.level for each in findings(aws)} == {Level.OK}


def test_only_the_keys_of_the_chosen_providers_are_looked_for(aws: AwsAccount) -> None:
    aws.ssm.delete_parameter(Name="/pulsedocs/dev/openai-api-key")
    aws.answers["GetFoundationModelAvailability"] = model_access()
    titan = "bedrock:amazon.titan-embed-text-v2:0@1024"

    found = findings(aws, with_options(embedding_model=titan, chat_model="extractive"))

    assert {each.level for each in found} == {Level.OK}
    assert [each.found for each in found if each.subject == "secret"] == [
        f"{TRACE_SECRET}, encrypted"
    ]


@pytest.mark.parametrize("code", ["AccessDeniedException", "ResourceNotFoundException"])
def test_a_web_adapter_that_cannot_be_read_stops(aws: AwsAccount, code: str) -> None:
    aws.answers["GetLayerVersionByArn"] = Refusal(code)

    finding = worst(aws)

    assert (finding.level, finding.subject) == (Level.STOP, "web adapter")
    assert f"arn:aws:lambda:{REGION}:753240598075:layer:LambdaAdapterLayerArm64" in finding.found
    assert "-c web_adapter_layer=" in finding.next_step


def test_a_web_adapter_for_another_processor_stops(aws: AwsAccount) -> None:
    aws.answers["GetLayerVersionByArn"] = {"CompatibleArchitectures": ["x86_64"]}

    assert (worst(aws).level, worst(aws).subject) == (Level.STOP, "web adapter")


def profile(*models: str) -> dict[str, Any]:
    return {
        "inferenceProfileName": "EU",
        "inferenceProfileArn": f"arn:aws:bedrock:{REGION}:{NUMBER}:inference-profile/{EU}",
        "inferenceProfileId": EU,
        "status": "ACTIVE",
        "type": "SYSTEM_DEFINED",
        "models": [{"modelArn": model} for model in models],
    }


@pytest.mark.parametrize(
    ("access", "why", "do"),
    [
        (model_access(authorised=False), "is not authorised", "the organisation's policies"),
        (model_access(agreed="NOT_AVAILABLE"), "subscription", "create-foundation-model-agreement"),
        (model_access(agreed="PENDING"), "PENDING", "wait"),
        (model_access(enabled=False), "is not enabled", "playground"),
        (model_access(in_region=False), "is not in the region", "-c bedrock_region="),
        (Refusal("ResourceNotFoundException"), "is not known in", "-c bedrock_region="),
        (Refusal("ValidationException"), "is not known in", "check the name"),
    ],
)
def test_a_model_that_bedrock_would_not_answer_for_stops(
    aws: AwsAccount, access: dict[str, Any] | Refusal, why: str, do: str
) -> None:
    aws.answers["GetFoundationModelAvailability"] = access

    finding = worst(aws, with_options(reranker_model="bedrock:cohere.rerank-v3-5:0"))

    assert (finding.level, finding.subject) == (Level.STOP, "bedrock")
    assert why in finding.found
    assert do in finding.next_step


def test_amazons_models_need_no_subscription(aws: AwsAccount) -> None:
    aws.answers["GetFoundationModelAvailability"] = model_access(agreed="NOT_AVAILABLE")

    found = findings(aws, with_options(reranker_model="bedrock:amazon.rerank-v1:0"))

    assert {each.level for each in found} == {Level.OK}


def test_anthropics_form_is_asked_for_with_its_models_only(aws: AwsAccount) -> None:
    aws.answers["GetFoundationModelAvailability"] = model_access()
    aws.answers["GetUseCaseForModelAccess"] = Refusal("ResourceNotFoundException")

    finding = worst(aws, with_options(chat_model="bedrock:anthropic.claude-haiku"))

    assert (finding.level, finding.subject) == (Level.WARN, "bedrock")
    assert "Anthropic's form" in finding.found
    found = findings(aws, with_options(reranker_model="bedrock:cohere.rerank-v3-5:0"))
    assert {each.level for each in found} == {Level.OK}


def test_a_model_that_aws_is_about_to_retire_is_a_warning(aws: AwsAccount) -> None:
    aws.answers["GetFoundationModelAvailability"] = model_access()
    deployment = with_options(reranker_model="bedrock:amazon.rerank-v1:0")
    found: list[Finding] = []

    for life in ({"endOfLifeTime": datetime(2027, 3, 1, tzinfo=UTC)}, {}):
        aws.answers["GetFoundationModel"] = model_of(status="LEGACY", **life)
        found.append(worst(aws, deployment))

    assert [(each.level, each.subject) for each in found] == [(Level.WARN, "bedrock")] * 2
    assert found[0].found == "AWS calls amazon.rerank-v1:0 legacy: it answers until 01 March 2027"
    assert found[1].found.endswith("its end is not announced yet")
    assert all("choose a newer model" in each.next_step for each in found)


def test_a_region_without_bedrock_is_named(aws: AwsAccount) -> None:
    nowhere = EndpointConnectionError(endpoint_url="https://bedrock.us-none-1.amazonaws.com")
    aws.answers["GetFoundationModelAvailability"] = nowhere
    model = "bedrock:amazon.rerank-v1:0"

    missing = worst(aws, with_options(reranker_model=model, bedrock_region="us-none-1"))
    silent = worst(aws, with_options(reranker_model=model, bedrock_region="eu-central-1"))

    assert (missing.level, missing.found) == (Level.STOP, "us-none-1 has no Bedrock")
    assert silent.level is Level.WARN


def test_a_profile_is_judged_by_the_models_that_it_leads_to(aws: AwsAccount) -> None:
    start = "arn:aws:bedrock:{}::foundation-model/anthropic.claude"
    aws.answers["GetInferenceProfile"] = profile(*map(start.format, ("eu-west-1", "eu-north-1")))
    aws.answers["GetFoundationModelAvailability"] = model_access()

    found = findings(aws, with_options(chat_model=f"bedrock:{EU}"))

    asked = [params for _, name, params in aws.calls if name == "GetFoundationModelAvailability"]
    assert {each.level for each in found} == {Level.OK}
    assert asked == [{"modelId": "anthropic.claude"}]


def test_the_free_plan_is_a_warning(aws: AwsAccount) -> None:
    aws.answers["GetAccountPlanState"] = {**PAID, "accountPlanType": "FREE"}

    assert (worst(aws).level, worst(aws).subject) == (Level.WARN, "account plan")


def test_an_account_without_a_plan_is_an_older_one(aws: AwsAccount) -> None:
    aws.answers["GetAccountPlanState"] = Refusal("ResourceNotFoundException")

    assert {each.level for each in findings(aws)} == {Level.OK}


@pytest.mark.parametrize(
    "operation",
    [
        *("GetAccountPlanState", "GetParameter", "DescribeStacks", "GetAccountSettings"),
        *("DescribeVpcs", "DescribeVpcEndpoints", "GetServiceQuota", "DescribeParameters"),
        *("DescribeOrderableDBInstanceOptions", "DescribeDBEngineVersions"),
        "GetFoundationModelAvailability",
    ],
)
def test_what_may_not_be_read_is_said_and_the_rest_goes_on(aws: AwsAccount, operation: str) -> None:
    aws.answers["GetFoundationModelAvailability"] = model_access()
    aws.answers[operation] = Refusal("AccessDenied")

    found = findings(aws, with_options(reranker_model="bedrock:cohere.rerank-v3-5:0"))

    unread = [each for each in found if each.level is Level.WARN]
    assert unread
    assert all("AccessDenied" in each.found for each in unread)
    assert Level.STOP not in {each.level for each in found}


def test_without_credentials_there_is_no_identity(aws: AwsAccount) -> None:
    aws.answers["GetCallerIdentity"] = NoCredentialsError()

    finding = worst(aws)

    assert (finding.level, finding.subject) == (Level.STOP, "identity")
    assert "NoCredentials" in finding.found


def test_a_service_that_cannot_be_reached_is_said_and_the_rest_goes_on(aws: AwsAccount) -> None:
    aws.answers["GetAccountPlanState"] = EndpointConnectionError(endpoint_url="https://freetier")

    finding = worst(aws)

    assert (finding.level, finding.subject) == (Level.WARN, "plan")
    assert "EndpointConnectionError" in finding.found


# ------------------------------------------------------------------------------- this machine


@pytest.mark.parametrize(
    ("printed", "level"),
    [
        (None, Level.STOP),
        ("v16.20.2", Level.STOP),
        ("v20.20.2", Level.WARN),
        ("v22.11.0", Level.OK),
        ("v24.1.0", Level.OK),
    ],
)
def test_node_is_there_and_maintained(printed: str | None, level: Level) -> None:
    [finding] = look_at_node(lambda *_: printed)

    assert finding.level is level


@pytest.mark.parametrize(
    ("printed", "level"),
    [
        (None, Level.STOP),
        ("2.1031.2 (build 779352d)", Level.STOP),
        (f"{CDK_COMMAND} (build fcf5e34)", Level.OK),
        ("2.1200.0 (build 0)", Level.OK),
    ],
)
def test_the_command_is_as_new_as_the_library(printed: str | None, level: Level) -> None:
    asked: list[tuple[str, ...]] = []

    def run(*command: str) -> str | None:
        asked.append(command)
        return printed

    [finding] = look_at_cdk(run)

    assert finding.level is level
    assert finding.next_step in {"", f"npm install aws-cdk@{CDK_COMMAND}"}
    assert asked == [("npx", "--no-install", "cdk", "--version")]


def test_layers_are_built_and_know_the_regions_authorities(tmp_path: Path) -> None:
    built = Layers.below(tmp_path)
    authorities = built.dependencies / "certificates" / f"{REGION}.pem"
    authorities.parent.mkdir(parents=True)
    authorities.write_text("one", "ascii")

    assert [each.level for each in look_at_layers(REGION, lambda: built)] == [Level.OK]
    assert [each.level for each in look_at_layers("cn-north-1", lambda: built)] == [Level.STOP]


def test_layers_of_other_sources_stop() -> None:
    def stale() -> Layers:
        raise ConfigurationError("not built from these sources")

    [finding] = look_at_layers(REGION, stale)

    assert (finding.level, finding.next_step) == (Level.STOP, "make layers")


# --------------------------------------------------------------------- the region and the options


def test_a_region_without_a_service_stops_and_names_it(aws: AwsAccount) -> None:
    there = [{"Value": name} for name in SERVICES if name not in {"cognito-idp", "rds-data"}]
    aws.answers["GetParameters"] = {"Parameters": there}

    finding = worst(aws)
    assert finding.level is Level.STOP
    assert finding.found == f"{REGION} has no the Data API of RDS, no Cognito"
    [asked] = [sent for _, operation, sent in aws.calls if operation == "GetParameters"]
    assert len(asked["Names"]) <= 10  # the most that Systems Manager takes


def test_aws_publishes_its_list_in_some_regions_only_and_is_asked_in_one_of_them(
    aws: AwsAccount, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Elsewhere, as in eu-south-2, it answers that it has none of the names."""
    noted = aws.account.read

    def read(
        service: str, operation: str, *, region: str | None = None, **arguments: Any
    ) -> dict[str, Any]:
        if operation == "get_parameters" and region is None:
            return {"Parameters": [], "InvalidParameters": arguments["Names"]}
        return noted(service, operation, region=region, **arguments)

    monkeypatch.setattr(aws.account, "read", read)

    assert {each.level for each in findings(aws)} == {Level.OK}
    [asked] = [sent for _, operation, sent in aws.calls if operation == "GetParameters"]
    assert all(f"/regions/{REGION}/" in name for name in asked["Names"])


def test_a_region_that_is_not_on_the_list_is_a_warning(aws: AwsAccount) -> None:
    aws.answers["GetParameters"] = {"Parameters": []}

    finding = worst(aws)

    assert (finding.level, finding.subject) == (Level.WARN, "services")
    assert f"says nothing of {REGION}" in finding.found


def test_what_aws_publishes_of_the_region_has_every_service_that_is_asked_for(
    aws: AwsAccount,
) -> None:
    """The list is AWS's own, as moto has copied it: a name that is misspelt would always stop."""
    del aws.answers["GetParameters"]

    assert [each.level for each in findings(aws) if each.subject == "services"] == [Level.OK]


def test_an_issuer_of_ones_own_needs_no_cognito_in_the_region(aws: AwsAccount) -> None:
    aws.answers["GetParameters"] = {
        "Parameters": [{"Value": name} for name in SERVICES if name != "cognito-idp"]
    }
    issuer = with_options(
        token_issuer="https://issuer.example",  # noqa: S106 -- an address
        token_audience="pulsedocs",  # noqa: S106 -- a name
        token_jwks_url="https://issuer.example/keys",  # noqa: S106 -- an address
    )

    assert all(each.level is Level.OK for each in findings(aws, issuer))


def test_a_zone_without_lambda_stops_and_others_are_named(aws: AwsAccount) -> None:
    aws.answers["DescribeAvailabilityZones"] = zones("use1-az3", "use1-az1", "use1-az2")

    finding = worst(aws)
    assert finding.found == f"{REGION}a is use1-az3 here, where no Lambda is"
    assert finding.next_step == f"-c zones={REGION}b,{REGION}c"
    named = with_options(zones=f"{REGION}b,{REGION}c")
    assert all(each.level is Level.OK for each in findings(aws, named))


def default_subnets(*letters: str) -> dict[str, Any]:
    return {"Subnets": [{"AvailabilityZone": f"{REGION}{letter}"} for letter in letters]}


def test_a_network_is_made_in_zones_with_a_default_subnet_where_any_has_one(
    aws: AwsAccount,
) -> None:
    """As `Fn::GetAZs` has it: the first two by name would be others."""
    aws.answers["DescribeSubnets"] = default_subnets("c", "b")

    named = [each.found for each in findings(aws) if each.subject == "zones"]

    assert named[:2] == [f"{REGION}b, euw1-az3", f"{REGION}c, euw1-az1"]
    kept = f'"stages": {{"dev": {{"zones": "{REGION}b,{REGION}c"}}}}'
    assert f"{kept} in cdk.json" in named[2]


def test_one_default_subnet_stops(aws: AwsAccount) -> None:
    aws.answers["DescribeSubnets"] = default_subnets("b")

    finding = worst(aws)

    assert finding.found == f"{REGION}b alone has a default subnet"
    assert finding.next_step == f"-c zones={REGION}a,{REGION}b"


def test_zones_are_to_be_written_down_before_the_first_deployment_only(aws: AwsAccount) -> None:
    named = with_options(zones=f"{REGION}b,{REGION}c")
    assert len([each for each in findings(aws, named) if each.subject == "zones"]) == 2

    aws.answers["DescribeStacks"] = made_with()
    assert len([each for each in findings(aws) if each.subject == "zones"]) == 2


def test_a_zone_of_another_region_stops(aws: AwsAccount) -> None:
    finding = worst(aws, with_options(zones=f"{REGION}a,us-east-1a"))

    assert finding.found == f"{REGION} has no us-east-1a"


def test_an_answer_that_is_no_aws_answer_is_said_and_the_rest_goes_on(aws: AwsAccount) -> None:
    """A proxy on the way may answer with a page of its own."""
    aws.answers["DescribeDBEngineVersions"] = Unintelligible("<!doctype html>")

    finding = worst(aws)
    assert finding.level is Level.WARN
    assert "could not be read (Unintelligible" in finding.found


OWN = {
    "vpc_id": "vpc-0123456789abcdef0",
    "subnet_ids": "subnet-0123456789abcdef0,subnet-0123456789abcdef1",
    "s3_prefix_list": "pl-6da54004",
}


def subnets(*zone_ids: str, vpc: str = OWN["vpc_id"]) -> dict[str, Any]:
    ids = OWN["subnet_ids"].split(",")
    return {
        "Subnets": [
            {"SubnetId": name, "VpcId": vpc, "AvailabilityZoneId": zone_id}
            for name, zone_id in zip(ids, zone_ids, strict=False)
        ]
    }


def tables(made: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """Return what EC2 says of a network's route tables."""
    return {"RouteTables": [{"RouteTableId": name, **table} for name, table in made.items()]}


def of(*subnet_ids: str, main: bool = False) -> dict[str, Any]:
    uses: list[dict[str, Any]] = [{"Main": False, "SubnetId": subnet} for subnet in subnet_ids]
    return {"Associations": [*uses, *([{"Main": True}] if main else [])]}


TO_S3 = {
    "DestinationPrefixListId": OWN["s3_prefix_list"],
    "GatewayId": "vpce-0123456789abcdef0",
    "State": "active",
}
USED, OTHER = "rtb-01234567", "rtb-89abcdef"
SUBNETS = OWN["subnet_ids"].split(",")
OF_OURS = of(*SUBNETS)
ROUTED = {**OF_OURS, "Routes": [TO_S3]}


@pytest.fixture
def networked(aws: AwsAccount) -> AwsAccount:
    """Prepare an account with a network that a stage can move into."""
    aws.answers |= {
        "DescribeSubnets": subnets("euw1-az1", "euw1-az2"),
        "DescribeManagedPrefixLists": {"PrefixLists": [{"PrefixListId": OWN["s3_prefix_list"]}]},
        "DescribeRouteTables": tables({USED: ROUTED}),
        "GetServiceQuota": {"Quota": {"Value": 1.0}},
    }
    return aws


def test_a_network_of_ones_own_takes_no_room(networked: AwsAccount) -> None:
    assert all(each.level is Level.OK for each in findings(networked, with_options(**OWN)))


@pytest.mark.parametrize(
    ("operation", "answer", "says"),
    [
        ("DescribeSubnets", subnets("euw1-az1", "euw1-az1"), "in one zone, Aurora takes two"),
        ("DescribeSubnets", subnets("use1-az3", "use1-az1"), "is in use1-az3, where no Lambda is"),
        (
            "DescribeManagedPrefixLists",
            {"PrefixLists": [{"PrefixListId": "pl-00000000"}]},
            "is not the list of com.amazonaws.eu-west-1.s3",
        ),
        (
            "DescribeRouteTables",
            tables({USED: OF_OURS, OTHER: {"Routes": [TO_S3]}}),
            f"{USED}, which the subnets use, has no route to a gateway endpoint of S3",
        ),
        (
            "DescribeRouteTables",
            tables({USED: {**OF_OURS, "Routes": [{**TO_S3, "State": "blackhole"}]}}),
            f"{USED}, which the subnets use, has no route",
        ),
        (
            "DescribeRouteTables",
            tables({USED: {**of(SUBNETS[0]), "Routes": [TO_S3]}, OTHER: of(main=True)}),
            f"{OTHER}, which the subnets use, has no route",
        ),
    ],
)
def test_a_network_that_a_stage_could_not_work_in_stops(
    networked: AwsAccount, operation: str, answer: dict[str, Any], says: str
) -> None:
    networked.answers[operation] = answer

    finding = worst(networked, with_options(**OWN))
    assert finding.level is Level.STOP
    assert says in finding.found


TEXTRACT = {"settings": {"OCR_ENGINE": "textract"}}


def endpoint_in(*letters: str) -> dict[str, Any]:
    zones_of_it = [f"{REGION}{letter}" for letter in letters]
    return {"ServiceDetails": [{"AvailabilityZones": zones_of_it}]}


def test_recognition_by_textract_needs_it_in_the_region(aws: AwsAccount) -> None:
    aws.answers["DescribeVpcEndpointServices"] = endpoint_in("a", "b")

    finding = worst(aws, with_options(**TEXTRACT))

    assert (finding.level, finding.found) == (Level.STOP, f"{REGION} has no Textract")
    [asked] = [sent for _, operation, sent in aws.calls if operation == "GetParameters"]
    assert len(asked["Names"]) <= 10  # the most that Systems Manager takes


@pytest.mark.parametrize("options", [{}, OWN], ids=["a network of the stage", "of ones own"])
def test_recognition_by_textract_needs_its_endpoint_in_each_zone(
    networked: AwsAccount, options: dict[str, str]
) -> None:
    published = [{"Value": name} for name in (*SERVICES, "textract")]
    in_zones = [
        {**subnet, "AvailabilityZone": f"{REGION}{letter}"}
        for subnet, letter in zip(
            subnets("euw1-az2", "euw1-az3")["Subnets"], ("a", "b"), strict=True
        )
    ]
    networked.answers |= {
        "GetParameters": {"Parameters": published},
        "DescribeSubnets": {"Subnets": in_zones},
        "GetServiceQuota": {"Quota": {"Value": 5.0}},
    }
    deployment = with_options(**TEXTRACT, **options)

    networked.answers["DescribeVpcEndpointServices"] = endpoint_in("a", "c")
    assert worst(networked, deployment).found.endswith(f"textract is not in {REGION}b")
    networked.answers["DescribeVpcEndpointServices"] = endpoint_in("a", "b")
    assert {each.level for each in findings(networked, deployment)} == {Level.OK}


def test_a_subnet_of_another_network_stops(networked: AwsAccount) -> None:
    networked.answers["DescribeSubnets"] = subnets("euw1-az1", "euw1-az2", vpc="vpc-00000000")

    stopping = [each for each in findings(networked, with_options(**OWN)) if each.next_step]
    assert [each.found for each in stopping] == [
        f"{each} is no subnet of {OWN['vpc_id']}" for each in OWN["subnet_ids"].split(",")
    ]


def test_route_tables_take_the_place_of_an_endpoint(networked: AwsAccount) -> None:
    networked.answers["DescribeRouteTables"] = tables({USED: OF_OURS})
    routed = with_options(**OWN, route_table_ids=USED)

    assert all(each.level is Level.OK for each in findings(networked, routed))


@pytest.mark.parametrize(
    ("table", "level", "says"),
    [
        (of(*SUBNETS, "subnet-of-others"), Level.WARN, "is also of subnet-of-others"),
        (of(*SUBNETS, main=True), Level.WARN, "is also of each subnet that names no table"),
        (ROUTED, Level.STOP, "has a route to S3 already"),
    ],
)
def test_an_endpoint_is_not_made_where_others_have_one_or_would_lose_s3(
    networked: AwsAccount, table: dict[str, Any], level: Level, says: str
) -> None:
    """It takes all that goes to S3 from every subnet of a table, and leads to one bucket."""
    networked.answers["DescribeRouteTables"] = tables({USED: table})
    routed = with_options(**OWN, route_table_ids=USED)

    finding = worst(networked, routed)
    assert finding.level is level
    assert says in finding.found

    there = {"StackName": "s", "CreationTime": "2026-01-01", "StackStatus": "CREATE_COMPLETE"}
    networked.answers["DescribeStacks"] = {"Stacks": [there]}  # the route is its own
    assert all(each.level is Level.OK for each in findings(networked, routed))


def test_a_route_table_of_another_network_stops(networked: AwsAccount) -> None:
    finding = worst(networked, with_options(**OWN, route_table_ids=OTHER))

    assert finding.found == f"{OTHER} is no route table of {OWN['vpc_id']}"


def test_an_account_that_never_had_a_database_is_told_of_the_role(aws: AwsAccount) -> None:
    aws.answers["GetRole"] = Refusal("NoSuchEntity")

    finding = worst(aws)

    assert (finding.level, finding.subject) == (Level.WARN, "database")
    assert "AWSServiceRoleForRDS" in finding.found
    assert finding.next_step.startswith("aws iam create-service-linked-role")


def test_a_boundary_that_is_not_there_stops(aws: AwsAccount) -> None:
    deployment = with_options(permissions_boundary="bounded")
    aws.answers["GetPolicy"] = Refusal("NoSuchEntity")
    assert worst(aws, deployment).found == f"there is no arn:aws:iam::{NUMBER}:policy/bounded"

    aws.answers["GetPolicy"] = {"Policy": {}}
    assert all(each.level is Level.OK for each in findings(aws, deployment))


CERTIFICATE = f"arn:aws:acm:{REGION}:{NUMBER}:certificate/0"


@pytest.mark.parametrize(
    ("certificate", "answer", "says"),
    [
        (CERTIFICATE.replace(REGION, "us-east-1"), None, f"API Gateway takes one of {REGION}"),
        (CERTIFICATE, Refusal("ResourceNotFoundException"), "there is no"),
        (
            CERTIFICATE,
            {"Certificate": {"DomainName": "api.example.com", "Status": "PENDING_VALIDATION"}},
            "is PENDING_VALIDATION",
        ),
        (
            CERTIFICATE,
            {"Certificate": {"DomainName": "*.example.org", "Status": "ISSUED"}},
            "not for api.example.com",
        ),
    ],
)
def test_a_certificate_that_the_gateway_would_refuse_stops(
    aws: AwsAccount, certificate: str, answer: dict[str, Any] | Refusal | None, says: str
) -> None:
    if answer is not None:
        aws.answers["DescribeCertificate"] = answer

    deployment = with_options(domain_name="api.example.com", certificate=certificate)
    assert says in worst(aws, deployment).found


@pytest.mark.parametrize("name", ["api.example.com", "*.example.com"])
def test_a_certificate_for_the_name_is_ok(aws: AwsAccount, name: str) -> None:
    aws.answers["DescribeCertificate"] = {"Certificate": {"DomainName": name, "Status": "ISSUED"}}

    deployment = with_options(domain_name="api.example.com", certificate=CERTIFICATE)
    assert all(each.level is Level.OK for each in findings(aws, deployment))


KEY = f"arn:aws:kms:{REGION}:{NUMBER}:key/0"
USABLE = {"KeyId": "0", "Arn": KEY, "KeyState": "Enabled", "KeySpec": "SYMMETRIC_DEFAULT"}


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (Refusal("NotFoundException"), "there is no"),
        ({"KeyMetadata": USABLE | {"KeyState": "PendingDeletion"}}, "is PendingDeletion"),
        ({"KeyMetadata": USABLE | {"KeySpec": "RSA_2048"}}, "is RSA_2048"),
        (
            {"KeyMetadata": USABLE | {"Arn": KEY.replace(REGION, "us-east-1")}},
            "is of us-east-1",
        ),
    ],
)
def test_a_key_that_nothing_could_be_encrypted_with_stops(
    aws: AwsAccount, answer: dict[str, Any] | Refusal, says: str
) -> None:
    aws.answers["DescribeKey"] = answer

    assert says in worst(aws, with_options(encryption_key=KEY)).found


def test_a_key_that_is_there_is_ok_and_secrets_may_be_under_it(aws: AwsAccount) -> None:
    aws.answers["DescribeKey"] = {"KeyMetadata": USABLE}
    aws.ssm.put_parameter(
        Name=TRACE_SECRET, Value="x" * 32, Type="SecureString", KeyId=KEY, Overwrite=True
    )

    assert all(each.level is Level.OK for each in findings(aws, with_options(encryption_key=KEY)))


@pytest.mark.parametrize("chosen", ["made", "an ARN"])
@pytest.mark.parametrize("named_by", ["KeyId", "Arn", "alias"])
def test_a_secret_may_be_under_the_stages_key_whatever_names_it(
    aws: AwsAccount, chosen: str, named_by: str
) -> None:
    kms: Any = cast("Any", boto3).client("kms", region_name=REGION)
    key = kms.create_key()["KeyMetadata"] | {"alias": "alias/pulsedocs-dev"}
    kms.create_alias(AliasName=key["alias"], TargetKeyId=key["KeyId"])
    aws.ssm.put_parameter(
        Name=TRACE_SECRET, Value="x", Type="SecureString", KeyId=key[named_by], Overwrite=True
    )

    stage = with_options(encryption_key="made" if chosen == "made" else key["Arn"])

    assert {each.level for each in findings(aws, stage)} == {Level.OK}
    assert worst(aws, with_options()).subject == "secret"


def made_with(*given: str, **options: str) -> dict[str, Any]:
    """Return what CloudFormation says of a data stack that was made with other options."""
    chosen = Options().chosen_once | options
    said = {"ChosenOnce": json.dumps(chosen), "Given": json.dumps(given)}
    stack = {
        "StackName": "PulseDocs-dev-Data",
        "CreationTime": "2026-11-22T00:00:00Z",
        "StackStatus": "UPDATE_COMPLETE",
        "Outputs": [{"OutputKey": key, "OutputValue": value} for key, value in said.items()],
    }
    return {"Stacks": [stack]}


@pytest.mark.usefixtures("here")
def test_a_budget_that_cannot_be_made_in_the_region_is_to_be_made_by_hand() -> None:
    result = command("-c", "alert_email=you@example.com", AWS_REGION="eu-north-1")

    assert "warn  budget: CloudFormation makes none in eu-north-1" in result.output
    assert "make one of $10 a month in Billing" in result.output
    assert "budget" not in command("-c", "alert_email=you@example.com").output


@pytest.mark.parametrize(
    ("before", "now"),
    [
        ({"encryption_key": "made"}, {}),
        ({}, {"encryption_key": "made"}),
        ({"address_range": "10.7.0.0/16"}, {}),
    ],
)
def test_an_option_that_would_replace_the_database_stops(
    aws: AwsAccount, before: dict[str, str], now: dict[str, str]
) -> None:
    aws.answers["DescribeStacks"] = made_with(**before)

    finding = worst(aws, with_options(**now))
    assert finding.level is Level.STOP
    assert "its database would be replaced by an empty one" in finding.found


def test_the_options_that_a_stage_was_made_with_are_ok(aws: AwsAccount) -> None:
    aws.answers["DescribeStacks"] = made_with(zones=f"{REGION}b,{REGION}c")

    same = with_options(zones=f"{REGION}b,{REGION}c")
    assert all(each.level is Level.OK for each in findings(aws, same))


def test_an_option_of_the_last_deployment_that_is_left_out_is_named(aws: AwsAccount) -> None:
    """CDK remembers none: without the address, nobody would hear of an alarm any longer."""
    aws.answers["DescribeStacks"] = made_with("MAX_PAGES", "alert_email", "readers")

    finding = worst(aws, with_options(readers=1))

    assert (finding.level, finding.subject) == (Level.WARN, "options")
    assert "was deployed with MAX_PAGES, alert_email" in finding.found
    assert '"stages": {"dev": {' in finding.next_step
    kept = with_options(readers=1, alert_email="o@e.org", settings={"MAX_PAGES": "900"})
    assert all(each.level is Level.OK for each in findings(aws, kept))


def test_without_the_backup_that_it_was_restored_from_a_database_would_be_lost(
    aws: AwsAccount,
) -> None:
    aws.answers["DescribeStacks"] = made_with("restore_from")

    finding = worst(aws)

    assert (finding.level, finding.subject) == (Level.STOP, "options")
    assert "its database would be replaced by an empty one" in finding.found


# -------------------------------------------------------------------------------- the command


@pytest.fixture
def here(aws: AwsAccount, monkeypatch: pytest.MonkeyPatch) -> AwsAccount:
    """Let the command find this account, and a machine that has everything."""
    monkeypatch.setattr(looking.boto3, "Session", lambda: aws.session)

    def ready(_region: str) -> list[Finding]:
        return [ok("node", "v24")]

    monkeypatch.setattr(looking, "_look_at_machine", ready)
    return aws


def command(*arguments: str, **variables: str) -> Any:
    return CliRunner(env=variables).invoke(main, ["deploy-check", "--stage", "dev", *arguments])


def test_the_command_prints_a_line_for_each_and_ends_well(here: AwsAccount) -> None:
    result = command()

    assert result.exit_code == 0, result.output
    assert all(line.startswith("ok ") for line in result.output.splitlines())
    assert len(here.calls) > 10


@pytest.mark.usefixtures("here")
def test_the_guide_shows_what_the_command_prints() -> None:
    """P-04: line by line, for an account that has everything."""
    printed = command("--region", REGION).output

    assert f"```\n{printed}```\n" in GUIDE.read_text("utf-8")


def test_the_command_ends_with_1_when_something_stops(here: AwsAccount) -> None:
    here.ssm.delete_parameter(Name=TRACE_SECRET)

    result = command("--json")

    said = json.loads(result.output)
    [stopping] = [each for each in said if each["level"] == "stop"]
    assert result.exit_code == 1
    assert set(stopping) == {"level", "subject", "found", "next_step"}
    assert TRACE_SECRET in stopping["found"]


def test_a_stage_of_bedrock_is_checked_where_its_models_are(here: AwsAccount) -> None:
    here.answers["GetFoundationModelAvailability"] = model_access()
    here.answers["GetInferenceProfile"] = profile("arn:aws:bedrock:eu-north-1::foundation-model/m")

    result = command("-c", "models=bedrock", AWS_REGION="eu-west-1")

    assert result.exit_code == 0, result.output
    assert "amazon.rerank-v1:0 can be called in eu-central-1" in result.output
    assert "openai" not in result.output


def test_a_warning_alone_is_no_failure(here: AwsAccount) -> None:
    here.answers["GetAccountSettings"] = {"AccountLimit": {"ConcurrentExecutions": 10}}

    assert command().exit_code == 0


def test_the_region_is_the_one_that_cdk_would_take(here: AwsAccount) -> None:
    result = command(AWS_REGION="us-west-2", AWS_DEFAULT_REGION="us-east-2")

    assert "region us-west-2" in result.output
    assert len(here.calls) > 1


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--stage", "nope"), "there is no stage 'nope'"),
        (("-c", "alrt_email=you@example.com"), "no option 'alrt_email': do you mean alert_email"),
        (("-c", "vpc_id=vpc-01234567"), "vpc_id, subnet_ids, s3_prefix_list go together"),
        (("-c", "batch_concurrency=0"), "is no number from 1 to 9999"),
        (("-c", "token_issuer=https://issuer.example"), "go together"),
        (("-c", "stage"), "is no name=value"),
        (("-c", "embeding_model=x"), "do you mean embedding_model?"),
        (("-c", "models=azure"), "is not openai or bedrock"),
        (("-c", "models=bedrock", "--region", "sa-east-1"), "has no models for sa-east-1"),
    ],
)
def test_options_are_refused_as_the_deployment_would(
    here: AwsAccount, arguments: tuple[str, ...], said: str
) -> None:
    result = command(*arguments)

    assert result.exit_code == 1
    assert said in result.output
    assert here.calls == []


@pytest.mark.usefixtures("here")
def test_what_cdk_json_keeps_for_the_stage_counts(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    kept = tmp_path / "cdk.json"
    stages = {"dev": {"models": "azure"}, "prod": {"batch_concurrency": 4}}
    kept.write_text(json.dumps({"context": {"stages": stages}}))
    monkeypatch.setattr(looking, "_CDK_FILE", kept)

    assert "is not openai or bedrock" in command().output
    twice = command("--stage", "prod", "-c", "batch_concurrency=8").output
    assert "batch_concurrency is given twice" in twice


def test_a_region_that_does_not_exist_is_named(here: AwsAccount) -> None:
    result = command("--region", "eu-nowhere")

    assert result.exit_code == 1
    assert "stop  region: AWS has no eu-nowhere" in result.output
    assert here.calls == []


def test_every_question_is_asked_in_one_place() -> None:
    assert len(CHECKS) == len({check.__name__ for check in CHECKS}) == 11
