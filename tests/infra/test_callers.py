"""Whoever calls bucket, queue or function in a template is let in by every policy on the way.

Roles are evaluated with the bucket's own policy and, from inside the network, with that of its
endpoint; services with the policy of what they call. Topics are in `test_alarms`.
"""

from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from tests.infra.policies import ACCOUNT, Request, is_allowed, is_denied
from tests.infra.templates import StageTemplates

TLS = {"aws:SecureTransport": "true", "s3:TlsVersion": "1.3"}
WITHOUT_TLS = {"aws:SecureTransport": "false", "s3:TlsVersion": ""}
OLD_TLS = {"aws:SecureTransport": "true", "s3:TlsVersion": "1.1"}
OURS = {"aws:PrincipalAccount": ACCOUNT}
FOREIGN = {"aws:PrincipalAccount": "999999999999"}

Statements = list[Mapping[str, Any]]


def statements_of(templates: StageTemplates, kind: str) -> Statements:
    return [
        statement
        for properties in templates.properties(kind)
        for statement in properties["PolicyDocument"]["Statement"]
    ]


def asked_of_the_bucket(templates: StageTemplates) -> Iterator[tuple[str, bool, str, str]]:
    """Yield function, whether it is in the network, action and resource of each grant on S3."""
    for name, function in templates.functions.items():
        for statement in templates.statements(function["Role"]):
            for action in statement.actions:
                for resource in statement.resources:
                    if action.startswith("s3:"):
                        yield name, "VpcConfig" in function, action, resource.replace("*", "x")


def test_the_bucket_and_its_endpoint_admit_every_function_that_was_granted_something(
    templates: StageTemplates,
) -> None:
    bucket = statements_of(templates, "S3::BucketPolicy")
    endpoint = statements_of(templates, "EC2::VPCEndpoint")
    asked = list(asked_of_the_bucket(templates))

    assert {is_inside for _, is_inside, _, _ in asked} == {True, False}
    for name, is_inside, action, resource in asked:
        request = Request(f"role of {name}", action, resource, TLS | OURS)
        assert not is_denied(bucket, request, templates=templates), (name, action)
        if is_inside:
            assert is_allowed(endpoint, request, templates=templates), (name, action, resource)


@pytest.mark.parametrize("connection", [WITHOUT_TLS, OLD_TLS], ids=["none", "old"])
def test_the_bucket_refuses_every_role_without_todays_tls(
    templates: StageTemplates, connection: dict[str, str]
) -> None:
    bucket = statements_of(templates, "S3::BucketPolicy")

    for name, _, action, resource in asked_of_the_bucket(templates):
        request = Request(f"role of {name}", action, resource, connection | OURS)
        assert is_denied(bucket, request, templates=templates), (name, action)


def test_nobody_of_another_account_is_let_in(templates: StageTemplates) -> None:
    """The bucket allows nothing by itself, so nobody has what it takes on both sides."""
    bucket = statements_of(templates, "S3::BucketPolicy")
    endpoint = statements_of(templates, "EC2::VPCEndpoint")

    for _, _, action, resource in asked_of_the_bucket(templates):
        request = Request("someone", action, resource, TLS | FOREIGN)
        assert not is_allowed(bucket, request, templates=templates)
        assert not is_allowed(endpoint, request, templates=templates)


def test_the_endpoint_leads_to_no_other_bucket(templates: StageTemplates) -> None:
    endpoint = statements_of(templates, "EC2::VPCEndpoint")
    stolen = Request("ours", "s3:PutObject", "arn:aws:s3:::somebody-elses/x", TLS | OURS)

    assert not is_allowed(endpoint, stolen, templates=templates)


def test_events_that_no_target_took_may_be_put_into_the_queue(templates: StageTemplates) -> None:
    """The queue's policy names each rule; without it an event would be lost without a word."""
    queue = statements_of(templates, "SQS::QueuePolicy")
    waiting = 0
    for name, rule in templates.of("Events::Rule").items():
        for target in rule["Properties"]["Targets"]:
            if "DeadLetterConfig" not in target:
                continue
            waiting += 1
            address = templates.text(target["DeadLetterConfig"]["Arn"])
            for source, is_admitted in ((f"{name}.Arn", True), ("another.Arn", False)):
                context = TLS | {"aws:SourceArn": source, "aws:SourceAccount": ACCOUNT}
                request = Request("events.amazonaws.com", "sqs:SendMessage", address, context)
                assert is_allowed(queue, request, templates=templates) is is_admitted, name
    assert waiting


def test_what_a_function_could_not_do_may_be_put_into_the_queue(templates: StageTemplates) -> None:
    queue = statements_of(templates, "SQS::QueuePolicy")
    senders = [
        (name, resource)
        for name, function in templates.functions.items()
        for statement in templates.statements(function["Role"])
        for resource in statement.resources
        if "sqs:SendMessage" in statement.actions
    ]

    assert senders
    for name, address in senders:
        request = Request(f"role of {name}", "sqs:SendMessage", address, TLS)
        assert not is_denied(queue, request, templates=templates), name


def test_every_rule_may_do_what_it_is_for(templates: StageTemplates) -> None:
    """A function or a queue admits the rule by its own policy; a machine is started by a role."""
    queue = statements_of(templates, "SQS::QueuePolicy")
    queues = {f"{each}.Arn" for each in templates.of("SQS::Queue")}
    permitted = {
        (templates.text(each["FunctionName"]), templates.text(each.get("SourceArn", "")))
        for each in templates.properties("Lambda::Permission")
        if each["Principal"] == "events.amazonaws.com" and each["Action"] == "lambda:InvokeFunction"
    }
    for name, rule in templates.of("Events::Rule").items():
        for target in rule["Properties"]["Targets"]:
            address = templates.text(target["Arn"])
            if address in queues:
                context = TLS | {"aws:SourceArn": f"{name}.Arn"}
                request = Request("events.amazonaws.com", "sqs:SendMessage", address, context)
                assert is_allowed(queue, request, templates=templates), name
                continue
            if "RoleArn" not in target:
                assert (address, f"{name}.Arn") in permitted, name
                continue
            allowed = templates.statements(target["RoleArn"])
            assert any(
                "states:StartExecution" in each.actions and address in each.resources
                for each in allowed
            ), name
