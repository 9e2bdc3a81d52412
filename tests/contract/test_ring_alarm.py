"""A smoke test rings an alarm, and says whether CloudWatch could publish it and who hears it."""

import json
from collections.abc import Generator
from datetime import UTC, datetime
from typing import Any, cast

import boto3
import pytest

from pulsedocs_cli.deployment.alarms import ring_alarm
from pulsedocs_cli.deployment.findings import Finding, Level
from tests.contract.aws_account import REGION, AwsAccount, Refusal, aws_account

ALARM = "pulsedocs-dev-DeadLetters"
TOPIC = f"arn:aws:sns:{REGION}:123456789012:alarms"


@pytest.fixture
def account() -> Generator[AwsAccount]:
    """Give an account with the alarm and its topic; moto keeps no history of alarms."""
    with aws_account() as made:
        own = cast("Any", boto3.Session(region_name=REGION))
        topic = own.client("sns").create_topic(Name="alarms")["TopicArn"]
        own.client("cloudwatch").put_metric_alarm(
            AlarmName=ALARM,
            AlarmActions=[topic],
            MetricName="x",
            Namespace="AWS/SQS",
            Period=300,
            EvaluationPeriods=1,
            Threshold=1,
            Statistic="Maximum",
            ComparisonOperator="GreaterThanOrEqualToThreshold",
        )
        yield made


def history(summary: str) -> dict[str, Any]:
    item = {
        "AlarmName": ALARM,
        "Timestamp": datetime.now(UTC),
        "HistoryItemType": "Action",
        "HistorySummary": summary,
        "HistoryData": json.dumps({"actionState": "…", "notificationResource": TOPIC}),
    }
    return {"AlarmHistoryItems": [item]}


def subscribed(arn: str) -> dict[str, Any]:
    return {"Subscriptions": [{"SubscriptionArn": arn, "TopicArn": TOPIC, "Protocol": "email"}]}


def rung(account: AwsAccount) -> list[Finding]:
    return list(ring_alarm("dev", region=REGION, session=account.session, seconds=0))


def states_set(account: AwsAccount) -> list[str]:
    return [call["StateValue"] for _, name, call in account.calls if name == "SetAlarmState"]


@pytest.mark.parametrize(
    ("arn", "levels"),
    [
        (f"{TOPIC}:1", [Level.OK]),
        ("PendingConfirmation", [Level.OK, Level.WARN]),
        (None, [Level.OK, Level.WARN]),
    ],
)
def test_an_alarm_that_was_published_is_turned_off_again(
    account: AwsAccount, arn: str | None, levels: list[Level]
) -> None:
    account.answers["DescribeAlarmHistory"] = history(f"Successfully executed action {TOPIC}")
    account.answers["ListSubscriptionsByTopic"] = subscribed(arn) if arn else {"Subscriptions": []}

    found = rung(account)

    assert [finding.level for finding in found] == levels
    assert states_set(account) == ["ALARM", "OK"]


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (history(f"Failed to execute action {TOPIC}. Received error: ..."), "Failed to execute"),
        ({"AlarmHistoryItems": []}, "no action within"),
    ],
)
def test_an_alarm_that_told_nobody_stops_the_test(
    account: AwsAccount, answer: dict[str, Any], said: str
) -> None:
    account.answers["DescribeAlarmHistory"] = answer

    [finding] = rung(account)

    assert finding.level == Level.STOP
    assert said in finding.found
    assert states_set(account) == ["ALARM", "OK"]


def test_without_permission_the_test_says_that_it_was_not_made(account: AwsAccount) -> None:
    account.answers["SetAlarmState"] = Refusal("AccessDenied")

    [finding] = rung(account)

    assert finding.level == Level.WARN
    assert "not tested" in finding.found


def test_a_stage_without_the_alarm_is_to_be_deployed_again() -> None:
    with aws_account() as made:
        [finding] = rung(made)

    assert finding.level == Level.STOP
    assert "deploy" in finding.next_step


def test_an_alarm_that_rings_already_is_left_alone_and_named(account: AwsAccount) -> None:
    """AWS acts on a change of state: rung again it would tell nobody, and end as if all were well.

    Messages wait in the queue then.
    """
    cloudwatch = cast("Any", account.session).client("cloudwatch", region_name=REGION)
    cloudwatch.set_alarm_state(AlarmName=ALARM, StateValue="ALARM", StateReason="letters wait")
    account.answers["DescribeAlarmHistory"] = {"AlarmHistoryItems": []}
    account.calls.clear()

    [finding] = rung(account)

    assert (finding.level, finding.found) == (Level.WARN, f"{ALARM} is ringing: messages wait")
    assert "operate.md#deadletters" in finding.next_step
    assert states_set(account) == []
