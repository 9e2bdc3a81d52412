"""Bucket, rules and state machine of a local stage: the same wiring as the service stack."""

import json
from pathlib import Path
from typing import Any, Final

from infra.functions import FUNCTIONS
from local.aws import ACCOUNT, LocalAws
from local.deployment import function_arn

DEFINITION: Final = Path(__file__).parents[1] / "infra" / "ingest.asl.json"
_ROLE: Final = f"arn:aws:iam::{ACCOUNT}:role/pulsedocs-local"  # moto asks for one and ignores it
_STARTING_PREFIXES: Final = {"uploads": "u/", "ingest-control": "control/ingest/"}


def wire(aws: LocalAws, *, bucket: str) -> str:
    """Create the bucket, the state machine and the rules between them; return the machine's ARN."""
    _create_bucket(aws.client("s3"), bucket)
    machine = _create_machine(aws.client("stepfunctions"))
    events = aws.client("events")
    for name, prefix in _STARTING_PREFIXES.items():
        _create_rule(events, name, _object_created(bucket, prefix), target=machine)
    purges = _object_created(bucket, "control/purge/")
    _create_rule(events, "purges", purges, target=function_arn("purge"))
    _create_rule(events, "failures", _failed(machine), target=function_arn("fail"))
    return machine


def definition() -> str:
    """Return the state machine with this stage's function ARNs in place."""
    text = DEFINITION.read_text(encoding="utf-8")
    for name in FUNCTIONS:  # not string.Template: "$." and "$$." are JSONPath here
        text = text.replace(f"${{{name.title()}FunctionArn}}", function_arn(name))
    return text


def _create_bucket(s3: Any, bucket: str) -> None:  # noqa: ANN401 -- boto3 makes clients at run time
    s3.create_bucket(Bucket=bucket)
    s3.put_bucket_versioning(Bucket=bucket, VersioningConfiguration={"Status": "Enabled"})
    s3.put_bucket_notification_configuration(
        Bucket=bucket, NotificationConfiguration={"EventBridgeConfiguration": {}}
    )


def _create_machine(states: Any) -> str:  # noqa: ANN401 -- boto3 makes clients at run time
    created = states.create_state_machine(name="ingest", definition=definition(), roleArn=_ROLE)
    return created["stateMachineArn"]


def _create_rule(events: Any, name: str, pattern: dict[str, Any], *, target: str) -> None:  # noqa: ANN401 -- boto3 makes clients at run time
    events.put_rule(Name=name, EventPattern=json.dumps(pattern))
    events.put_targets(Rule=name, Targets=[{"Id": "target", "Arn": target}])


def _object_created(bucket: str, prefix: str) -> dict[str, Any]:
    return {
        "source": ["aws.s3"],
        "detail-type": ["Object Created"],
        "detail": {"bucket": {"name": [bucket]}, "object": {"key": [{"prefix": prefix}]}},
    }


def _failed(machine: str) -> dict[str, Any]:
    return {
        "source": ["aws.states"],
        "detail-type": ["Step Functions Execution Status Change"],
        "detail": {"status": ["FAILED", "TIMED_OUT", "ABORTED"], "stateMachineArn": [machine]},
    }
