"""What starts what: events, state machine, queues, and limits that nest."""

import json
import re
from typing import Any

import pytest

from functions.sweep.handler import SECONDS
from infra.components.api import INTEGRATION_SECONDS, STREAM_SECONDS
from infra.components.machine import MACHINES
from infra.config import Options
from infra.events import ENDED_BADLY, STARTS_BATCH, STARTS_INGESTION, STARTS_MODELS
from infra.functions import FUNCTIONS, STARTED_BY
from infra.machines import batch_machine, ingest_machine, models_machine
from infra.routes import ROUTES
from pulsedocs.pipeline import Step
from pulsedocs.settings import Settings
from tests.infra.templates import StageTemplates

UPLOAD = "u/11111111-1111-4111-8111-111111111111/22222222-2222-4222-8222-222222222222"


@pytest.fixture
def machine(templates: StageTemplates) -> dict[str, Any]:
    return templates.machines["ingest"]


@pytest.fixture
def rules(templates: StageTemplates) -> dict[str, dict[str, Any]]:
    return _about(templates, "ingest", started_by=STARTS_INGESTION)


@pytest.fixture
def batching(templates: StageTemplates) -> dict[str, dict[str, Any]]:
    return _about(templates, "batch", started_by=(STARTS_BATCH,))


def _about(
    templates: StageTemplates, machine: str, *, started_by: tuple[str, ...]
) -> dict[str, dict[str, Any]]:
    """Return what starts a machine and what hears of its bad end, by the source of the event."""
    return {
        rule["EventPattern"]["source"][0]: rule
        for rule in templates.properties("Events::Rule")
        if "EventPattern" in rule
        and (_prefixes(rule) == started_by or _hears_of(templates, rule) == [machine])
    }


def _hears_of(templates: StageTemplates, rule: dict[str, Any]) -> list[str]:
    about = rule["EventPattern"]["detail"].get("stateMachineArn", [])
    return [_machine_at(templates, arn) for arn in about]


def _machine_at(templates: StageTemplates, reference: dict[str, str]) -> str:
    return templates.resources[reference["Ref"]]["Properties"]["StateMachineName"].rpartition("-")[
        2
    ]


def _started_by(templates: StageTemplates, prefix: str) -> dict[str, Any]:
    [rule] = [
        rule
        for rule in templates.properties("Events::Rule")
        if "EventPattern" in rule and _prefixes(rule) == (prefix,)
    ]
    return rule


def _prefixes(rule: dict[str, Any]) -> tuple[str, ...]:
    keys = rule["EventPattern"]["detail"].get("object", {}).get("key", [])
    return tuple(matcher["prefix"] for matcher in keys)


@pytest.fixture
def schedules(templates: StageTemplates) -> dict[str, dict[str, Any]]:
    return {
        rule["ScheduleExpression"]: rule
        for rule in templates.properties("Events::Rule")
        if "ScheduleExpression" in rule
    }


def test_every_placeholder_of_the_state_machine_is_a_deployed_function(
    templates: StageTemplates, machine: dict[str, Any]
) -> None:
    """P-02: and the function that its name says."""
    placeholders = set(re.findall(r"\$\{(\w+)\}", machine["DefinitionString"]))
    substitutions = machine["DefinitionSubstitutions"]

    assert placeholders == set(substitutions)
    assert {
        name.removesuffix("FunctionArn").lower(): templates.function_at(arn)
        for name, arn in substitutions.items()
        if name.endswith("FunctionArn")
    } == {str(step): str(step) for step in Step}


@pytest.mark.parametrize("name", ["ingest", "batch", "models"])
def test_a_machine_asks_the_services_of_its_own_partition(
    templates: StageTemplates, name: str
) -> None:
    """Of another one, States.Runtime ends the execution, which no Catch sees."""
    machine = templates.machines[name]

    assert machine["DefinitionSubstitutions"]["Partition"] == {"Ref": "AWS::Partition"}
    assert "arn:aws" not in machine["DefinitionString"]


def test_the_deployed_state_machine_is_the_written_one(machine: dict[str, Any]) -> None:
    assert json.loads(machine["DefinitionString"]) == ingest_machine()


def test_the_deployed_machine_of_batches_is_composed_of_the_written_ones(
    templates: StageTemplates,
) -> None:
    """P-02: and bounds how many documents are in flight."""
    machine = templates.machines["batch"]
    placeholders = set(re.findall(r"\$\{(\w+)\}", machine["DefinitionString"]))
    substitutions = machine["DefinitionSubstitutions"]

    limit = Options().batch_concurrency
    assert json.loads(machine["DefinitionString"]) == batch_machine(max_concurrency=limit)
    assert placeholders == set(substitutions)
    [bucket] = templates.of("S3::Bucket")
    assert templates.text(substitutions["BucketName"]) == bucket
    assert {
        name.removesuffix("FunctionArn").lower(): templates.function_at(arn)
        for name, arn in substitutions.items()
        if name.endswith("FunctionArn")
    } == {name: name for name in map(str, MACHINES["Batching"].calls)}


def test_a_request_for_a_batch_starts_one_and_a_batch_that_stops_is_told(
    templates: StageTemplates, batching: dict[str, dict[str, Any]]
) -> None:
    """P-02, P-06."""
    [queue] = templates.of("SQS::Queue")
    [starts], ends = batching["aws.s3"]["Targets"], batching["aws.states"]["Targets"]
    pattern = batching["aws.states"]["EventPattern"]["detail"]

    assert _machine_at(templates, starts["Arn"]) == "batch"
    assert pattern["status"] == list(ENDED_BADLY)
    assert templates.function_at(ends[0]["Arn"]) == "tally"
    assert templates.text(ends[1]["Arn"]) == f"{queue}.Arn"  # its alarm: a person looks
    for target in (starts, *ends):
        assert templates.text(target["DeadLetterConfig"]["Arn"]) == f"{queue}.Arn"


def test_a_request_about_a_model_starts_its_machine_and_one_that_stops_is_told(
    templates: StageTemplates,
) -> None:
    """P-02, P-06."""
    [queue] = templates.of("SQS::Queue")
    modelling = _about(templates, "models", started_by=STARTS_MODELS)
    [starts], ends = modelling["aws.s3"]["Targets"], modelling["aws.states"]["Targets"]

    assert _machine_at(templates, starts["Arn"]) == "models"
    assert templates.function_at(ends[0]["Arn"]) == "backfill"
    assert templates.text(ends[1]["Arn"]) == f"{queue}.Arn"
    machine = templates.machines["models"]
    assert json.loads(machine["DefinitionString"]) == models_machine()
    assert {
        name.removesuffix("FunctionArn").lower(): templates.function_at(arn)
        for name, arn in machine["DefinitionSubstitutions"].items()
        if name.endswith("FunctionArn")
    } == {name: name for name in MACHINES["Modelling"].calls}


def test_a_copy_starts_nothing_and_every_other_upload_does(
    rules: dict[str, dict[str, Any]],
) -> None:
    """A batch carries its copies itself, or it could not bound how many run."""
    assert rules["aws.s3"]["EventPattern"]["detail"]["reason"] == [{"anything-but": "CopyObject"}]


def test_the_state_machines_log_has_every_event_and_no_data(machine: dict[str, Any]) -> None:
    """P-06: a state's input holds no text, and its log not even that."""
    logging = machine["LoggingConfiguration"]

    assert (logging["Level"], logging["IncludeExecutionData"]) == ("ALL", False)
    assert machine["TracingConfiguration"] == {"Enabled": True}


@pytest.mark.parametrize(
    ("key", "starts"),
    [
        (UPLOAD, True),
        (UPLOAD.replace("u/", "control/ingest/"), True),
        (UPLOAD.replace("u/", "control/purge/"), False),
        (UPLOAD.replace("u/", "staging/"), False),
        (UPLOAD.replace("u/", "open/"), False),
        (UPLOAD.replace("u/", "traces/"), False),
        (UPLOAD.replace("u/", "upload/"), False),
    ],
)
def test_uploads_and_requests_start_the_state_machine_and_its_own_objects_do_not(
    key: str, *, starts: bool, rules: dict[str, dict[str, Any]]
) -> None:
    """P-01: as deployed."""
    pattern = rules["aws.s3"]["EventPattern"]

    assert pattern["detail-type"] == ["Object Created"]
    prefixes = [matcher["prefix"] for matcher in pattern["detail"]["object"]["key"]]
    assert any(key.startswith(prefix) for prefix in prefixes) is starts


def test_the_upload_rule_hears_this_bucket_only(
    templates: StageTemplates, rules: dict[str, dict[str, Any]]
) -> None:
    [bucket] = templates.of("S3::Bucket")
    [name] = rules["aws.s3"]["EventPattern"]["detail"]["bucket"]["name"]

    assert templates.text(name) == bucket


@pytest.mark.parametrize(("prefix", "name"), STARTED_BY.items())
def test_a_request_reaches_the_function_that_its_prefix_starts_and_is_not_lost(
    prefix: str, name: str, templates: StageTemplates
) -> None:
    """S0-38: of every function in the table that an object starts."""
    [bucket] = templates.of("S3::Bucket")
    [queue] = templates.of("SQS::Queue")
    rule = _started_by(templates, prefix)
    [target] = rule["Targets"]

    [listened_to] = rule["EventPattern"]["detail"]["bucket"]["name"]
    assert templates.text(listened_to) == bucket
    assert templates.function_at(target["Arn"]) == name
    assert templates.text(target["DeadLetterConfig"]["Arn"]) == f"{queue}.Arn"
    assert target["RetryPolicy"] == {
        "MaximumEventAgeInSeconds": 24 * 3600,
        "MaximumRetryAttempts": 185,
    }


def test_purges_and_evaluations_are_started_by_their_requests() -> None:
    """The local stage and the template read the same table."""
    assert {"control/purge/": "purge", "control/evaluate/": "evaluate"}.items() <= (
        STARTED_BY.items()
    )


def test_an_execution_that_ends_badly_reaches_fail(
    templates: StageTemplates, rules: dict[str, dict[str, Any]]
) -> None:
    """P-02: even one that timed out or was aborted, which no Catch sees."""
    rule = rules["aws.states"]
    [target] = rule["Targets"]

    assert rule["EventPattern"]["detail"]["status"] == list(ENDED_BADLY)
    [machine] = rule["EventPattern"]["detail"]["stateMachineArn"]
    assert _machine_at(templates, machine) == "ingest"
    assert templates.function_at(target["Arn"]) == "fail"


def test_the_sweep_looks_at_markers_often_and_at_everything_once_a_day(
    templates: StageTemplates, schedules: dict[str, dict[str, Any]]
) -> None:
    """P-02: within its own time limit, so that the next one finds it ended."""
    [queue] = templates.of("SQS::Queue")
    asked = {
        expression: json.loads(rule["Targets"][0]["Input"])
        for expression, rule in schedules.items()
    }

    assert asked == {"rate(5 minutes)": {"full": False}, "cron(17 3 * * ? *)": {"full": True}}
    for rule in schedules.values():
        [target] = rule["Targets"]
        assert templates.function_at(target["Arn"]) == "sweep"
        assert templates.text(target["DeadLetterConfig"]["Arn"]) == f"{queue}.Arn"
    assert SECONDS < FUNCTIONS["sweep"].timeout_seconds <= 5 * 60


def test_no_event_is_lost_unseen(
    templates: StageTemplates, rules: dict[str, dict[str, Any]]
) -> None:
    [queue] = templates.of("SQS::Queue")
    for rule in rules.values():
        assert rule["State"] == "ENABLED"
        for target in rule["Targets"]:
            assert templates.text(target["DeadLetterConfig"]["Arn"]) == f"{queue}.Arn"
            assert target["RetryPolicy"]["MaximumEventAgeInSeconds"] == 24 * 3600


def test_what_no_state_machine_would_try_again_waits_in_the_queue(
    templates: StageTemplates,
) -> None:
    """P-06: EventBridge has handed such an event over, so its own queue would not see it.

    The sweep as well: what it does not emit raises no alarm, so one that always broke would look
    like one that found nothing.
    """
    configs = templates.properties("Lambda::EventInvokeConfig")
    [queue] = templates.of("SQS::Queue")

    names = {
        resource["Properties"]["FunctionName"].rpartition("-")[2]
        for config in configs
        for logical_id, resource in templates.of("Lambda::Function").items()
        if config["FunctionName"] == {"Ref": logical_id}
    }
    assert names == {"fail", "backfill", "tally", "sweep", *STARTED_BY.values()}
    for config in configs:
        destination = config["DestinationConfig"]["OnFailure"]["Destination"]
        assert templates.text(destination) == f"{queue}.Arn"


def test_limits_nest_from_the_provider_call_to_the_api() -> None:
    """Whoever waits outlasts whom it waits for, so that the inner error is the one reported."""
    defaults = Settings()
    for route in ROUTES:
        spec = FUNCTIONS[route.function]
        assert spec.timeout_seconds <= (STREAM_SECONDS if spec.streams else INTEGRATION_SECONDS - 1)
    query, retrieve = FUNCTIONS["query"].timeout_seconds, FUNCTIONS["retrieve"].timeout_seconds
    assert retrieve < defaults.request_seconds < query
    assert defaults.stream_seconds < FUNCTIONS["stream"].timeout_seconds
    assert defaults.embed_seconds < FUNCTIONS["embed"].timeout_seconds
    assert defaults.extract_seconds < FUNCTIONS["extract"].timeout_seconds
    assert FUNCTIONS["authorize"].timeout_seconds < INTEGRATION_SECONDS
