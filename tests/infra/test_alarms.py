"""Every alarm reaches somebody, and tells them where to read on."""

import json
import re
import subprocess
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from functions.fail.handler import FailRequest
from infra.components.alarms import RUNBOOK
from infra.config import Stage
from infra.functions import FUNCTIONS
from infra.promises import OURS, PROMISES, Promise
from pulsedocs.edge.events import StatusChange
from tests.emitted import EMITTED, WATCHED
from tests.infra.policies import ACCOUNT, Request, is_allowed, publication
from tests.infra.templates import StageTemplates, listed

LIMIT = 10
TENANT = "11111111-1111-4111-8111-111111111111"
DOCUMENT = "22222222-2222-4222-8222-222222222222"
FREE_ON_DASHBOARD = 50


@pytest.fixture(scope="module")
def sections() -> set[str]:
    text = (Path(__file__).parents[2] / RUNBOOK).read_text("utf-8")
    alarms = text.partition("\n## Alarms\n")[2].partition("\n## ")[0]
    return set(re.findall(r"^### (\w+)$", alarms, flags=re.MULTILINE))


def names(templates: StageTemplates) -> set[str]:
    return {
        alarm["AlarmName"].rpartition("-")[2] for alarm in templates.properties("CloudWatch::Alarm")
    }


def watched(alarm: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the metrics that an alarm looks at, however it names them."""
    metrics = [
        item["MetricStat"]["Metric"]
        for item in alarm.get("Metrics", [])
        if "Expression" not in item
    ]
    return metrics or [alarm]


def promises(stage: Stage) -> dict[str, Promise]:
    pauses = stage.auto_pause_minutes is not None
    return {one.alarm: one for one in PROMISES if pauses or not one.only_where_it_pauses}


def test_there_is_an_alarm_for_each_promise(templates: StageTemplates, stage: Stage) -> None:
    """P-06: as deployed."""
    assert names(templates) == set(promises(stage))


def test_every_alarm_watches_the_metrics_of_its_promise(
    templates: StageTemplates, stage: Stage
) -> None:
    """P-06: ours by stage, which is the one dimension that the handlers give them."""
    for alarm in templates.properties("CloudWatch::Alarm"):
        promise = promises(stage)[alarm["AlarmName"].rpartition("-")[2]]
        metrics = watched(alarm)
        assert {f"{one['Namespace']}/{one['MetricName']}" for one in metrics} == set(
            promise.metrics
        )
        for one in metrics:
            if one["Namespace"] == OURS:
                assert one["Dimensions"] == [{"Name": "stage", "Value": stage.name}]


def test_the_dashboard_shows_the_metrics_of_every_promise(
    templates: StageTemplates, stage: Stage
) -> None:
    shown = {widget["title"]: widget for widget in widgets(templates)}

    for promise in promises(stage).values():
        drawn = {"/".join(metric[:2]) for metric in shown[promise.widget]["metrics"]}
        assert set(promise.metrics) <= drawn


def widgets(templates: StageTemplates) -> list[dict[str, Any]]:
    [dashboard] = templates.properties("CloudWatch::Dashboard")
    return [
        widget["properties"]
        for widget in json.loads(templates.text(dashboard["DashboardBody"]))["widgets"]
    ]


def test_a_stage_of_the_same_name_may_stand_in_another_region(
    templates: StageTemplates, stage: Stage
) -> None:
    """Dashboards are the one thing of a stage whose names the regions of an account share."""
    [dashboard] = templates.properties("CloudWatch::Dashboard")

    assert templates.text(dashboard["DashboardName"]) == f"pulsedocs-{stage.name}-eu-west-1"


def test_alarms_and_dashboard_name_only_metrics_that_handlers_emit(
    templates: StageTemplates,
) -> None:
    """P-06: tests/functions/test_metrics.py holds the handlers to the same list."""
    drawn = [metric for widget in widgets(templates) for metric in widget.get("metrics", [])]
    ours = [metric for metric in drawn if metric[0] == OURS]

    assert {metric[1] for metric in ours} | WATCHED == set(EMITTED) - {"TaskDuration"}
    assert {metric[2] for metric in ours} == {"stage"}


def test_a_dashboard_shows_no_more_than_is_free(templates: StageTemplates) -> None:
    """P-04: with more than 50 metrics one costs $3 a month, idle or not."""
    assert sum(len(widget.get("metrics", [])) for widget in widgets(templates)) <= FREE_ON_DASHBOARD


def test_every_alarm_has_a_section_in_the_runbook_and_says_so(
    templates: StageTemplates, sections: set[str]
) -> None:
    for alarm in templates.properties("CloudWatch::Alarm"):
        name = alarm["AlarmName"].rpartition("-")[2]
        assert name in sections
        assert alarm["AlarmDescription"].endswith(f"{RUNBOOK}#{name.lower()}")


def test_the_runbook_has_no_section_for_an_alarm_that_is_gone(sections: set[str]) -> None:
    assert sections == {promise.alarm for promise in PROMISES}


def test_the_runbook_says_what_to_do_about_each_function_that_leaves_a_message(
    templates: StageTemplates,
) -> None:
    """P-06: and about each state machine; what a function leaves is not what EventBridge does."""
    text = (Path(__file__).parents[2] / RUNBOOK).read_text("utf-8")
    section = text.partition("\n### DeadLetters\n")[2].partition("\n### ")[0]
    rows = [line.split("|")[1] for line in section.splitlines() if line.lstrip().startswith("|")]
    named = {name for row in rows for name in re.findall(r"`(\w+)`", row)}
    functions = {
        resource["Properties"]["FunctionName"].rpartition("-")[2]
        for config in templates.properties("Lambda::EventInvokeConfig")
        for logical_id, resource in templates.of("Lambda::Function").items()
        if config["FunctionName"] == {"Ref": logical_id}
    }
    assert named == functions | set(templates.machines)


def test_the_runbook_names_graphs_that_the_dashboard_has(templates: StageTemplates) -> None:
    text = (Path(__file__).parents[2] / RUNBOOK).read_text("utf-8")
    named = re.findall(r'graph "([^"]+)"', text)

    assert named
    assert set(named) <= {widget["title"] for widget in widgets(templates)}


@pytest.mark.parametrize("left_by", ["EventBridge", "the function itself"])
def test_the_event_of_a_message_can_be_handed_over_again(left_by: str) -> None:
    """P-06: by the runbook's own words; Lambda wraps what a function could not do."""
    text = (Path(__file__).parents[2] / RUNBOOK).read_text("utf-8")
    [program] = re.findall(r"^jq '([^']+)' letters.json > event.json$", text, re.MULTILINE)
    ended = {
        "key": f"u/{TENANT}/{DOCUMENT}",
        "executionArn": f"arn:aws:states:eu-west-1:{ACCOUNT}:execution:pulsedocs-dev-ingest:one",
        "status": "TIMED_OUT",
    }
    event = {"detail": ended | {"input": json.dumps({"detail": {"object": {"key": ended["key"]}}})}}
    record = {"requestContext": {"condition": "RetriesExhausted"}, "requestPayload": event}
    body = json.dumps(event if left_by == "EventBridge" else record)

    found = subprocess.run(
        ["jq", program],  # noqa: S607 -- of the test machine
        input=json.dumps({"Messages": [{"Body": body}]}),
        capture_output=True,
        text=True,
        check=True,
    )

    assert isinstance(FailRequest.model_validate_json(found.stdout).root, StatusChange)


def test_the_runbook_asks_the_database_by_what_its_stage_has_on(templates: StageTemplates) -> None:
    text = (Path(__file__).parents[2] / RUNBOOK).read_text("utf-8")
    [cluster] = templates.properties("RDS::DBCluster")
    databases = [cluster, *templates.properties("RDS::DBInstance")]

    assert cluster["EnableHttpEndpoint"] is True  # which the query editor asks through
    assert "query editor" in text
    insights = any(database.get("EnablePerformanceInsights") for database in databases)
    assert ("Performance Insights" in text) is insights


def test_every_alarm_reaches_the_topic_and_stays_quiet_without_data(
    templates: StageTemplates,
) -> None:
    [topic] = templates.of("SNS::Topic")
    for alarm in templates.properties("CloudWatch::Alarm"):
        assert alarm["AlarmActions"] == [{"Ref": topic}]
        assert alarm["TreatMissingData"] == "notBreaching"


def admits(templates: StageTemplates, topic: str, request: Request) -> bool:
    statements = [
        statement
        for policy in templates.properties("SNS::TopicPolicy")
        if {"Ref": topic} in policy["Topics"]
        for statement in policy["PolicyDocument"]["Statement"]
    ]
    return is_allowed(statements, request, templates=templates)


def test_every_alarm_may_publish_on_its_topic(templates: StageTemplates) -> None:
    """T-10: a topic with a policy of its own admits nobody whom it does not name."""
    for alarm in templates.properties("CloudWatch::Alarm"):
        arn = f"arn:aws:cloudwatch:eu-west-1:{ACCOUNT}:alarm:{alarm['AlarmName']}"
        for action in listed(alarm["AlarmActions"]):
            topic = action["Ref"]
            asked = publication("cloudwatch.amazonaws.com", topic, source=arn)
            foreign = publication(
                "cloudwatch.amazonaws.com", topic, source=arn, account="999999999999"
            )
            plain = replace(asked, context={**asked.context, "aws:SecureTransport": "false"})

            assert admits(templates, topic, asked), alarm["AlarmName"]
            assert not admits(templates, topic, foreign), "another account's alarm"
            assert not admits(templates, topic, plain), "without TLS"


def test_a_budget_may_publish_on_its_topic(templates: StageTemplates) -> None:
    """T-10: whoever subscribes hears of money too, not the mail address alone."""
    budget = f"arn:aws:budgets::{ACCOUNT}:budget/anything"
    for properties in templates.properties("Budgets::Budget"):
        for notification in properties["NotificationsWithSubscribers"]:
            [subscriber] = notification["Subscribers"]
            topic = subscriber["Address"]["Ref"]

            assert subscriber["SubscriptionType"] == "SNS"
            asked = publication("budgets.amazonaws.com", topic, source=budget)
            foreign = publication(
                "budgets.amazonaws.com", topic, source=budget, account="999999999999"
            )
            assert admits(templates, topic, asked)
            assert not admits(templates, topic, foreign)


def test_nobody_but_alarms_and_budgets_may_publish(templates: StageTemplates) -> None:
    [topic] = templates.of("SNS::Topic")
    asked = publication("s3.amazonaws.com", topic, source="arn:aws:s3:::anybody")

    assert not admits(templates, topic, asked)


def test_a_stage_has_ten_alarms_at_most(templates: StageTemplates) -> None:
    assert len(templates.of("CloudWatch::Alarm")) <= LIMIT


def test_a_handful_of_questions_cannot_raise_the_alarm_of_refusals(
    templates: StageTemplates,
) -> None:
    """A median of fewer than 20 leaves the alarm as it is; a median of 1 is at least half."""
    [alarm] = [
        one
        for one in templates.properties("CloudWatch::Alarm")
        if one["AlarmName"].endswith("-RefusedQuestions")
    ]

    assert (alarm["ExtendedStatistic"], alarm["Threshold"]) == ("p50", 1)
    assert alarm["EvaluateLowSampleCountPercentile"] == "ignore"


FIVE_MINUTES = 300
DAY = 24 * 3600 // FIVE_MINUTES


def rings(templates: StageTemplates, windows: Sequence[tuple[int, int] | None]) -> bool:
    """Tell whether FailedRequests goes off at any of some windows of requests and errors."""
    [alarm] = [
        one
        for one in templates.properties("CloudWatch::Alarm")
        if one["AlarmName"].endswith("-FailedRequests")
    ]
    [expression] = [one["Expression"] for one in alarm["Metrics"] if "Expression" in one]
    asked = re.fullmatch(r"IF\((.+), (.+), (.+)\)", expression)
    assert asked is not None
    when, then, otherwise = (part.replace(" OR ", " or ") for part in asked.groups())
    assert alarm["ComparisonOperator"] == "GreaterThanThreshold"
    last = alarm["EvaluationPeriods"]
    assert last * FIVE_MINUTES <= DAY * FIVE_MINUTES  # what CloudWatch takes of short periods

    def breaches(window: tuple[int, int] | None) -> bool:
        if window is None:
            return False  # nobody asks: no data, which is not breaching
        known = {"requests": window[0], "errors": window[1]}
        value = eval(f"({then}) if ({when}) else ({otherwise})", {}, known)  # noqa: S307 -- ours
        return value > alarm["Threshold"]

    bad = [breaches(window) for window in windows]
    needed = alarm.get("DatapointsToAlarm", last)
    return any(sum(bad[max(0, end - last) : end]) >= needed for end in range(1, len(bad) + 1))


def spread(*windows: tuple[int, int]) -> list[tuple[int, int] | None]:
    """Put windows five hours apart, with nothing between them."""
    return [each for window in windows for each in (window, *[None] * 59)]


def test_a_stage_that_answers_nobody_rings_however_few_ask(
    templates: StageTemplates, stage: Stage
) -> None:
    """P-06: three requests a day, or two tries within the hour, of which none is answered."""
    assert rings(templates, [(1, 1), None, None, (2, 2)])
    assert rings(templates, spread((1, 1), (1, 1), (1, 1))) is (
        stage.auto_pause_minutes is not None  # where it never does, an hour counts
    )
    assert rings(templates, [(30_000, 29_000)] * 2)
    assert not rings(templates, [(30_000, 29_000)])
    assert not rings(templates, [(3, 0)] * DAY)


def test_a_twentieth_of_many_requests_rings_where_the_database_never_pauses(
    templates: StageTemplates, stage: Stage
) -> None:
    """P-06: 100 a second."""
    pauses = stage.auto_pause_minutes is not None

    assert rings(templates, [(30_000, 1_600)] * 2) is not pauses
    assert not rings(templates, [(30_000, 1_400)] * DAY)


def test_a_database_that_wakes_up_rings_no_alarm(templates: StageTemplates, stage: Stage) -> None:
    """P-06: whoever is refused tries again within the same minutes, and others ask beside it."""
    assert not rings(templates, spread(*[(3, 2)] * 4))
    if stage.auto_pause_minutes is not None:
        assert not rings(templates, spread(*[(20, 15)] * 4))


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


def test_the_dashboard_reads_every_functions_log(templates: StageTemplates) -> None:
    """Cold starts, durations and outcomes by function, without a metric for each."""
    tables = [widget for widget in widgets(templates) if "query" in widget]

    assert [table["title"] for table in tables] == ["Cold starts", "Steps by outcome"]
    for table in tables:
        for name in FUNCTIONS:
            assert f"-{name}'" in table["query"]
