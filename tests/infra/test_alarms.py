"""Every alarm reaches somebody, and tells them where to read on."""

import re
from pathlib import Path

import pytest

from infra.components.alarms import RUNBOOK
from infra.config import Stage
from tests.infra.templates import StageTemplates

FREE_METRICS = 10
NOT_OURS = ("tenant-claim", "first-role", "migration-step")  # of sign-up and deployment alone
EXPECTED = {
    "DeadLetters",
    "FailedExecutions",
    "StuckDocuments",
    "SlowExecutions",
    "FailedRequests",
    "SlowRequests",
    "ThrottledFunctions",
    "FullDatabase",
}


@pytest.fixture(scope="module")
def sections() -> set[str]:
    text = (Path(__file__).parents[2] / RUNBOOK).read_text("utf-8")
    return set(re.findall(r"^### (\w+)$", text, flags=re.MULTILINE))


def names(templates: StageTemplates) -> set[str]:
    return {
        alarm["AlarmName"].rpartition("-")[2] for alarm in templates.properties("CloudWatch::Alarm")
    }


def test_there_is_an_alarm_for_each_promise(templates: StageTemplates, stage: Stage) -> None:
    """P-06: as deployed."""
    pauses = stage.auto_pause_minutes is not None

    assert names(templates) == EXPECTED | ({"SleeplessDatabase"} if pauses else set())


def test_every_alarm_has_a_section_in_the_runbook_and_says_so(
    templates: StageTemplates, sections: set[str]
) -> None:
    for alarm in templates.properties("CloudWatch::Alarm"):
        name = alarm["AlarmName"].rpartition("-")[2]
        assert name in sections
        assert alarm["AlarmDescription"].endswith(f"{RUNBOOK}#{name.lower()}")


def test_the_runbook_has_no_section_for_an_alarm_that_is_gone(sections: set[str]) -> None:
    assert sections == EXPECTED | {"SleeplessDatabase"}


def test_every_alarm_reaches_the_topic_and_stays_quiet_without_data(
    templates: StageTemplates,
) -> None:
    [topic] = templates.of("SNS::Topic")
    for alarm in templates.properties("CloudWatch::Alarm"):
        assert alarm["AlarmActions"] == [{"Ref": topic}]
        assert alarm["TreatMissingData"] == "notBreaching"


def test_alarms_watch_no_more_than_an_account_has_free(templates: StageTemplates) -> None:
    watched = sum(
        len([metric for metric in alarm.get("Metrics", []) if "MetricStat" in metric]) or 1
        for alarm in templates.properties("CloudWatch::Alarm")
    )

    assert watched <= FREE_METRICS


def test_a_mail_address_gets_alarms_and_budget(templates: StageTemplates, stage: Stage) -> None:
    is_given = templates.name.endswith("-own-issuer")
    subscriptions = templates.properties("SNS::Subscription")
    budgets = templates.properties("Budgets::Budget")

    assert bool(subscriptions) is is_given
    assert bool(budgets) is is_given
    for budget in budgets:
        assert budget["Budget"]["BudgetLimit"] == {"Amount": stage.budget_usd, "Unit": "USD"}
        thresholds = [
            item["Notification"]["Threshold"] for item in budget["NotificationsWithSubscribers"]
        ]
        assert thresholds == [80, 100]


def test_the_dashboard_shows_every_function(templates: StageTemplates) -> None:
    [dashboard] = templates.properties("CloudWatch::Dashboard")
    body = templates.text(dashboard["DashboardBody"])

    for name, resource in templates.of("Lambda::Function").items():
        if not resource["Properties"]["FunctionName"].endswith(NOT_OURS):
            assert name in body
