"""Bucket, rules and state machine of a local stage: the same wiring as the service stack."""

import json
from pathlib import Path
from typing import Any, Final

from infra.batch_machine import COPIED, STARTS_BATCH, batch_machine
from infra.functions import FUNCTIONS
from local.aws import ACCOUNT, LocalAws
from local.deployment import function_arn

DEFINITION: Final = Path(__file__).parents[1] / "infra" / "ingest.asl.json"
BATCH_CONCURRENCY: Final = 4  # two environments of each function share two cores
_ROLE: Final = f"arn:aws:iam::{ACCOUNT}:role/pulsedocs-local"  # moto asks for one and ignores it
_STARTING_PREFIXES: Final = {"uploads": "u/", "ingest-control": "control/ingest/"}


def wire(aws: LocalAws, *, bucket: str, batch_concurrency: int = BATCH_CONCURRENCY) -> str:
    """Create the bucket, both state machines and the rules between them.

    Return the ARN of the machine that ingests a document.
    """
    _create_bucket(aws.client("s3"), bucket)
    machine = _create_machine(aws.client("stepfunctions"), "ingest", definition())
    events = aws.client("events")
    for name, prefix in _STARTING_PREFIXES.items():
        uploaded = _object_created(bucket, prefix)
        uploaded["detail"]["reason"] = [{"anything-but": COPIED}]
        _create_rule(events, name, uploaded, target=machine)
    purges = _object_created(bucket, "control/purge/")
    _create_rule(events, "purges", purges, target=function_arn("purge"))
    evaluations = _object_created(bucket, "control/evaluate/")
    _create_rule(events, "evaluations", evaluations, target=function_arn("evaluate"))
    _create_rule(events, "failures", _failed(machine), target=function_arn("fail"))
    written = _with_functions(json.dumps(batch_machine(max_concurrency=batch_concurrency)))
    batches = _create_machine(
        aws.client("stepfunctions"), "batch", written.replace("${BucketName}", bucket)
    )
    _create_rule(events, "batches", _object_created(bucket, STARTS_BATCH), target=batches)
    _create_rule(events, "stopped-batches", _failed(batches), target=function_arn("tally"))
    return machine


def definition() -> str:
    """Return the state machine with this stage's function ARNs in place."""
    return _with_functions(DEFINITION.read_text(encoding="utf-8"))


def _with_functions(text: str) -> str:
    for name in FUNCTIONS:  # not string.Template: "$." and "$$." are JSONPath here
        text = text.replace(f"${{{name.title()}FunctionArn}}", function_arn(name))
    return text


def _create_bucket(s3: Any, bucket: str) -> None:  # noqa: ANN401 -- boto3 makes clients at run time
    s3.create_bucket(Bucket=bucket)
    s3.put_bucket_versioning(Bucket=bucket, VersioningConfiguration={"Status": "Enabled"})
    s3.put_bucket_notification_configuration(
        Bucket=bucket, NotificationConfiguration={"EventBridgeConfiguration": {}}
    )


def _create_machine(states: Any, name: str, written: str) -> str:  # noqa: ANN401 -- boto3 makes clients at run time
    created = states.create_state_machine(name=name, definition=written, roleArn=_ROLE)
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
