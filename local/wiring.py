"""Bucket, rules and state machine of a local stage: the same wiring as the service stack."""

import json
from typing import Any, Final, cast

from infra.events import STARTS_BATCH, STARTS_INGESTION, STARTS_MODELS, bad_end, new_object
from infra.functions import FUNCTIONS, STARTED_BY
from infra.machines import batch_machine, ingest_machine, models_machine
from local.aws import LocalAws
from local.deployment import function_arn
from local.rest_events import ACCOUNT

BATCH_CONCURRENCY: Final = 4  # two environments of each function share two cores
_ROLE: Final = f"arn:aws:iam::{ACCOUNT}:role/pulsedocs-local"  # moto asks for one and ignores it


def wire(aws: LocalAws, *, bucket: str, batch_concurrency: int = BATCH_CONCURRENCY) -> str:
    """Create the bucket, the state machines and the rules between them.

    Return the ARN of the machine that ingests a document.
    """
    s3 = aws.client("s3")
    s3.create_bucket(Bucket=bucket)
    s3.put_bucket_versioning(Bucket=bucket, VersioningConfiguration={"Status": "Enabled"})
    s3.put_bucket_notification_configuration(
        Bucket=bucket, NotificationConfiguration={"EventBridgeConfiguration": {}}
    )
    machine = _create_machine(aws.client("stepfunctions"), "ingest", definition())
    events = aws.client("events")
    uploads = new_object(bucket, *STARTS_INGESTION, copies=False)
    _create_rule(events, "uploads", uploads, target=machine)
    for prefix, name in STARTED_BY.items():
        _create_rule(events, name, new_object(bucket, prefix), target=function_arn(name))
    _create_rule(events, "failures", bad_end(machine), target=function_arn("fail"))
    written = as_deployed_here(batch_machine(max_concurrency=batch_concurrency))
    batches = _create_machine(
        aws.client("stepfunctions"), "batch", written.replace("${BucketName}", bucket)
    )
    _create_rule(events, "batches", new_object(bucket, STARTS_BATCH), target=batches)
    _create_rule(events, "stopped-batches", bad_end(batches), target=function_arn("tally"))
    models = _create_machine(
        aws.client("stepfunctions"), "models", as_deployed_here(models_machine())
    )
    _create_rule(events, "models", new_object(bucket, *STARTS_MODELS), target=models)
    _create_rule(events, "stopped-models", bad_end(models), target=function_arn("backfill"))
    return machine


def definition() -> str:
    """Return the state machine with this stage's function ARNs in place."""
    return as_deployed_here(ingest_machine())


def as_deployed_here(machine: dict[str, Any]) -> str:
    """Return a machine of `infra.machines` with this stage's function ARNs in place."""
    text = json.dumps(_untimed(machine)).replace("${Partition}", "aws")
    for name in FUNCTIONS:  # not string.Template: "$." and "$$." are JSONPath here
        text = text.replace(f"${{{name.title()}FunctionArn}}", function_arn(name))
    return text


def _untimed(part: Any) -> Any:  # noqa: ANN401 -- JSON
    """Drop the time limit of each step: here it would count while the step waits for a worker.

    The worker ends a step at the function's own limit, which is ten seconds shorter.
    """
    if isinstance(part, list):
        return [_untimed(each) for each in cast("list[Any]", part)]
    if not isinstance(part, dict):
        return part
    fields = cast("dict[str, Any]", part)
    dropped = {"TimeoutSeconds"} if fields.get("Type") == "Task" else set[str]()
    return {name: _untimed(each) for name, each in fields.items() if name not in dropped}


def _create_machine(states: Any, name: str, written: str) -> str:  # noqa: ANN401 -- boto3 makes clients at run time
    created = states.create_state_machine(name=name, definition=written, roleArn=_ROLE)
    return created["stateMachineArn"]


def _create_rule(events: Any, name: str, pattern: dict[str, Any], *, target: str) -> None:  # noqa: ANN401 -- boto3 makes clients at run time
    events.put_rule(Name=name, EventPattern=json.dumps(pattern))
    events.put_targets(Rule=name, Targets=[{"Id": "target", "Arn": target}])
