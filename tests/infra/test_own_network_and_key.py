"""A stage inside the operator's network and under the operator's key: who reaches what, and how."""

import json
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import pytest

from infra.components.alarms import RUNBOOK
from infra.cost import floor, total
from infra.functions import FUNCTIONS
from infra.service_stack import BUCKET_GRANTS, SENDS_DEAD_LETTERS
from tests.infra.policies import ACCOUNT, Request, is_allowed
from tests.infra.synthesise import EVERYTHING_OWN, GIVEN_KEY, WITH_A_GIVEN_KEY, WITH_EVERYTHING_OWN
from tests.infra.templates import StageTemplates, listed

HERE = f"eu-west-1:{ACCOUNT}"
SUFFIX = "0A1B2C3D"


@pytest.fixture(scope="module")
def own(assemblies: Path) -> StageTemplates:
    return StageTemplates(name="dev", folder=assemblies / WITH_EVERYTHING_OWN)


@pytest.fixture(scope="module")
def plain(assemblies: Path) -> StageTemplates:
    return StageTemplates(name="dev", folder=assemblies / "dev")


@pytest.fixture(scope="module")
def key(own: StageTemplates) -> str:
    [name] = own.of("KMS::Key")
    return f"{name}.Arn"


# ------------------------------------------------------------------------------------ the network


def test_a_network_of_the_operators_is_moved_into_and_nothing_of_one_is_made(
    own: StageTemplates,
) -> None:
    for kind in ("VPC", "Subnet", "RouteTable", "FlowLog", "NatGateway", "InternetGateway"):
        assert not own.of(f"EC2::{kind}")
    subnets = EVERYTHING_OWN.subnet_ids.split(", ")
    [of_database] = own.properties("RDS::DBSubnetGroup")
    assert of_database["SubnetIds"] == subnets
    inside = [
        function["VpcConfig"] for function in own.functions.values() if "VpcConfig" in function
    ]
    assert len(inside) == len([spec for spec in FUNCTIONS.values() if not spec.internet])
    assert all(each["SubnetIds"] == subnets for each in inside)


def test_in_it_functions_reach_the_database_and_s3_whatever_its_routes_lead_to(
    own: StageTemplates,
) -> None:
    """A group that is made without a rule of its own would let out to everywhere."""
    for group in own.properties("EC2::SecurityGroup"):
        assert group["VpcId"] == EVERYTHING_OWN.vpc_id
        assert group["SecurityGroupEgress"]
    inline = [
        rule
        for each in own.properties("EC2::SecurityGroup")
        for rule in each["SecurityGroupEgress"]
    ]
    apart = own.properties("EC2::SecurityGroupEgress")

    leads_to = {
        (rule.get("DestinationPrefixListId"), rule["FromPort"])
        for rule in inline
        if rule["IpProtocol"] != "icmp"
    }
    assert leads_to == {(EVERYTHING_OWN.s3_prefix_list, 443)}
    assert {rule["CidrIp"] for rule in inline if rule["IpProtocol"] == "icmp"} == {
        "255.255.255.255/32"  # nobody: CDK's way to say that a group lets nothing out
    }
    assert [rule["FromPort"] for rule in apart] == [5432]
    assert "DestinationSecurityGroupId" in apart[0]


def test_the_endpoint_of_s3_is_put_into_the_route_tables_that_are_named(
    own: StageTemplates,
) -> None:
    [endpoint] = own.properties("EC2::VPCEndpoint")

    assert endpoint["RouteTableIds"] == [EVERYTHING_OWN.route_table_ids]
    assert endpoint["VpcId"] == EVERYTHING_OWN.vpc_id


def test_zones_that_are_named_are_those_of_the_network(assemblies: Path) -> None:
    """P-04: the region's first two may have no Lambda."""
    named = StageTemplates(name="dev", folder=assemblies / WITH_A_GIVEN_KEY)

    zones = [subnet["AvailabilityZone"] for subnet in named.properties("EC2::Subnet")]
    assert zones == ["eu-west-1b", "eu-west-1c"]


# ------------------------------------------------------------------------------------- the reader


def test_a_reader_is_as_large_as_the_writer_and_takes_over(
    own: StageTemplates, plain: StageTemplates
) -> None:
    assert [each["PromotionTier"] for each in own.properties("RDS::DBInstance")] == [0, 1]
    assert len(plain.properties("RDS::DBInstance")) == 1


def test_a_reader_and_a_key_are_priced(own: StageTemplates, plain: StageTemplates) -> None:
    [before] = [line.usd for line in floor(plain.resources.values()) if "woken" in line.what]
    lines = {line.what: line.usd for line in floor(own.resources.values())}

    assert lines["Aurora capacity, woken by a schedule"] == pytest.approx(2 * before)
    assert lines["Keys"] == 1
    assert total(floor(own.resources.values())) > 1 > total(floor(plain.resources.values()))


# ---------------------------------------------------------------------------------------- the key


def encrypted_with(templates: StageTemplates) -> dict[str, set[str]]:
    """Return the keys of everything that is kept, by kind."""
    found: dict[str, list[Any]] = {
        "logs": [each.get("KmsKeyId") for each in templates.properties("Logs::LogGroup")],
        "topic": [each.get("KmsMasterKeyId") for each in templates.properties("SNS::Topic")],
        "queues": [each.get("KmsMasterKeyId") for each in templates.properties("SQS::Queue")],
        "database": [each.get("KmsKeyId") for each in templates.properties("RDS::DBCluster")],
        "password": [
            each.get("MasterUserSecret", {}).get("KmsKeyId")
            for each in templates.properties("RDS::DBCluster")
        ],
        "bucket": [
            rule["ServerSideEncryptionByDefault"].get("KMSMasterKeyID")
            for each in templates.properties("S3::Bucket")
            for rule in each["BucketEncryption"]["ServerSideEncryptionConfiguration"]
        ],
    }
    return {kind: {templates.text(each) for each in keys} for kind, keys in found.items()}


def test_all_that_is_kept_is_encrypted_with_the_key(own: StageTemplates, key: str) -> None:
    assert set(map(frozenset, encrypted_with(own).values())) == {frozenset({key})}
    for queue in own.properties("SQS::Queue"):
        assert "SqsManagedSseEnabled" not in queue, "SQS refuses both"


def test_a_key_of_the_operators_is_taken_as_it_is(assemblies: Path, plain: StageTemplates) -> None:
    given = StageTemplates(name="dev", folder=assemblies / WITH_A_GIVEN_KEY)

    assert set(map(frozenset, encrypted_with(given).values())) == {frozenset({GIVEN_KEY})}
    assert not given.of("KMS::Key")
    assert set(map(frozenset, encrypted_with(plain).values())) == {frozenset({"None"})}


def test_a_key_that_was_made_turns_each_year_and_outlives_its_stack(own: StageTemplates) -> None:
    """The bucket and snapshots stay too, and nobody reads them without it."""
    [made] = own.of("KMS::Key").values()

    assert made["DeletionPolicy"] == "RetainExceptOnCreate"
    assert made["UpdateReplacePolicy"] == "Retain"
    assert made["Properties"]["EnableKeyRotation"]


def log_groups(templates: StageTemplates) -> list[str]:
    """Return the names of the log groups; CloudFormation makes up what a template leaves open."""
    return [
        group.get("LogGroupName", f"PulseDocs-dev-Data-{name}-{SUFFIX}")
        for name, resource in templates.of("Logs::LogGroup").items()
        for group in [resource["Properties"]]
    ]


def admitted(own: StageTemplates, service: str, action: str, **context: str) -> bool:
    [key] = own.properties("KMS::Key")
    named = {
        f"kms:EncryptionContext:aws:{name.replace('_', ':')}": of for name, of in context.items()
    }
    request = Request(f"{service}.amazonaws.com", f"kms:{action}", "*", named)
    return is_allowed(key["KeyPolicy"]["Statement"], request, templates=own)


@pytest.mark.parametrize("action", ["Encrypt", "Decrypt", "GenerateDataKey", "DescribeKey"])
def test_the_keys_policy_admits_cloudwatch_for_every_log_group_of_the_stage(
    own: StageTemplates, action: str
) -> None:
    for name in log_groups(own):
        arn = f"arn:aws:logs:{HERE}:log-group:{name}"
        assert admitted(own, "logs.eu-west-1", action, logs_arn=arn), name

    for other in (
        "/aws/lambda/another",
        "/aws/lambda/pulsedocs-prod-query",
        "PulseDocs-prod-Data-x",
    ):
        arn = f"arn:aws:logs:{HERE}:log-group:{other}"
        assert not admitted(own, "logs.eu-west-1", action, logs_arn=arn)
    assert not admitted(own, "logs.eu-west-1", action, logs_arn="")


@pytest.mark.parametrize("action", ["Decrypt", "GenerateDataKey"])
def test_the_keys_policy_admits_who_publishes_alarms_and_hands_over_dead_letters(
    own: StageTemplates, action: str
) -> None:
    topic = f"arn:aws:sns:{HERE}:PulseDocs-dev-Service-AlarmsTopic-{SUFFIX}"
    queue = f"arn:aws:sqs:{HERE}:PulseDocs-dev-Service-IngestionDeadLetters-{SUFFIX}"
    assert admitted(own, "cloudwatch", action, sns_topicArn=topic)
    assert admitted(own, "budgets", action, sns_topicArn=topic)
    assert admitted(own, "events", action, sqs_arn=queue)

    assert not admitted(own, "events", action, sns_topicArn=topic)
    assert not admitted(own, "cloudwatch", action, sqs_arn=queue)
    assert not admitted(own, "cloudwatch", action, sns_topicArn=topic.replace("dev", "prod"))
    assert not admitted(own, "events", action, sqs_arn=f"arn:aws:sqs:{HERE}:another")


def test_the_keys_policy_admits_nobody_else(own: StageTemplates) -> None:
    [key] = own.properties("KMS::Key")
    statements = key["KeyPolicy"]["Statement"]

    callers = [
        own.text(who)
        for statement in statements
        for whoever in statement["Principal"].values()
        for who in listed(whoever)
    ]
    assert callers == [
        f"arn:aws:iam::{ACCOUNT}:root",  # whose policies say which roles may use it
        "logs.eu-west-1.amazonaws.com",
        "cloudwatch.amazonaws.com",
        "budgets.amazonaws.com",
        "events.amazonaws.com",
    ]
    assert all("Condition" in statement for statement in statements[1:])


def uses(templates: StageTemplates, function: str) -> set[tuple[str, str]]:
    """Return the actions on the key that a function's role has, each with its service."""
    role = templates.functions[function]["Role"]["Fn::GetAtt"][0]
    [key] = templates.of("KMS::Key")
    found: set[tuple[str, str]] = set()
    for policy in templates.properties("IAM::Policy"):
        for statement in policy["PolicyDocument"]["Statement"]:
            actions = [each for each in listed(statement["Action"]) if each.startswith("kms:")]
            if {"Ref": role} not in policy["Roles"] or not actions:
                continue
            assert templates.text(statement["Resource"]) == f"{key}.Arn"
            through = templates.text(statement["Condition"]["StringEquals"]["kms:ViaService"])
            service, region, *_ = through.split(".")
            assert region == "eu-west-1"
            found |= {(action.removeprefix("kms:"), service) for action in actions}
    return found


@pytest.mark.parametrize("name", FUNCTIONS)
def test_who_reads_the_bucket_decrypts_and_who_writes_takes_data_keys(
    name: str, own: StageTemplates
) -> None:
    granted = {action for actions, _ in BUCKET_GRANTS.get(name, ()) for action in actions}
    reads = any(fnmatchcase(action, "s3:GetObject*") for action in granted)
    wanted = {("Decrypt", "s3")} if reads else set[tuple[str, str]]()
    if "s3:PutObject" in granted:
        wanted.add(("GenerateDataKey", "s3"))
    if name in SENDS_DEAD_LETTERS:
        wanted |= {("Decrypt", "sqs"), ("GenerateDataKey", "sqs")}
    if "ssm:GetParameter" in json.dumps(
        own.statements(own.functions[name]["Role"]), default=vars_of
    ):
        wanted.add(("Decrypt", "ssm"))

    assert uses(own, name) == wanted


def vars_of(statement: Any) -> list[str]:
    return list(statement.actions)


def test_the_step_that_makes_the_first_role_reads_the_masters_password(
    own: StageTemplates,
) -> None:
    assert uses(own, "first-role") == {("Decrypt", "secretsmanager")}


def test_the_runbook_says_that_the_key_stays() -> None:
    told = (Path(__file__).parents[2] / RUNBOOK).read_text("utf-8")

    assert "| the key, where `encryption_key=made` |" in told.partition("\n## Remove a stage\n")[2]


def test_without_the_option_no_role_speaks_of_keys(plain: StageTemplates) -> None:
    assert "kms:" not in json.dumps(plain.templates)
