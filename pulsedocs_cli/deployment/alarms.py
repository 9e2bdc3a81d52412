"""Ring an alarm of a stage, and look whether CloudWatch could publish it and who is told."""

import time
from collections.abc import Iterator
from datetime import UTC, datetime
from functools import partial
from typing import Any, Final, cast

import boto3
from botocore.exceptions import BotoCoreError, ClientError

from pulsedocs_cli.deployment.findings import Finding, ok, stop, warn

RUNG: Final = "DeadLetters"
_REASON: Final = "`pulsedocs smoke` rings this alarm to test it: nothing is wrong"
_SUCCEEDED: Final = "Successfully executed action"
_PATIENCE_SECONDS: Final = 60.0
_POLL_SECONDS: Final = 2.0


def ring_alarm(
    stage: str,
    *,
    region: str,
    session: boto3.Session | None = None,
    seconds: float = _PATIENCE_SECONDS,
) -> Iterator[Finding]:
    """Set an alarm off and back, with the caller's own credentials; yield what came of it."""
    name = f"pulsedocs-{stage}-{RUNG}"
    client = partial(cast("Any", session or boto3).client, region_name=region)
    try:
        cloudwatch = client("cloudwatch")
        alarms = cloudwatch.describe_alarms(AlarmNames=[name])["MetricAlarms"]
        if not alarms:
            yield stop("alarms", f"{name} is not there", f"deploy the stage {stage} again")
            return
        if alarms[0]["StateValue"] == "ALARM":  # AWS acts on changes: it would tell nobody again
            runbook = f"docs/guides/operate.md#{RUNG.lower()}"
            yield warn("alarms", f"{name} is ringing: messages wait", runbook)
            return
        since = datetime.now(UTC)
        cloudwatch.set_alarm_state(AlarmName=name, StateValue="ALARM", StateReason=_REASON)
        try:
            said = _said_of_action(cloudwatch, name, since=since, seconds=seconds)
        finally:
            cloudwatch.set_alarm_state(AlarmName=name, StateValue="OK", StateReason=_REASON)
        if said is None or not said.startswith(_SUCCEEDED):
            yield stop(
                "alarms",
                f"{name} rang and told nobody: {said or f'no action within {seconds:.0f} s'}",
                "look at the policy of the alarms' topic; see docs/guides/operate.md",
            )
            return
        yield ok("alarms", f"{name} rang and was published")
        sns = client("sns")
        topics = cast("list[str]", alarms[0]["AlarmActions"])
        subscriptions = [
            subscription["SubscriptionArn"]
            for topic in topics
            for subscription in sns.list_subscriptions_by_topic(TopicArn=topic)["Subscriptions"]
        ]
        if not subscriptions:
            yield warn("alarms", "nobody hears them", "deploy with -c alert_email=ADDRESS")
        elif all(arn == "PendingConfirmation" for arn in subscriptions):
            yield warn("alarms", "nobody hears them yet", "confirm the mail that AWS has sent")
    except (ClientError, BotoCoreError) as error:
        yield warn(
            "alarms", f"not tested ({error})", "run it with AWS credentials that may set alarms"
        )


def _said_of_action(
    cloudwatch: Any,  # noqa: ANN401 -- boto3's clients have no types
    name: str,
    *,
    since: datetime,
    seconds: float,
) -> str | None:
    """Return what CloudWatch writes of the alarm's action, or None where it wrote nothing."""
    until = time.monotonic() + seconds
    while True:
        items = cloudwatch.describe_alarm_history(
            AlarmName=name, HistoryItemType="Action", StartDate=since
        )["AlarmHistoryItems"]
        if items:
            return str(items[0]["HistorySummary"])
        if time.monotonic() > until:
            return None
        time.sleep(_POLL_SECONDS)
