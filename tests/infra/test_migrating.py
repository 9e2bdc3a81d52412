"""A deployment migrates before it replaces a function, and ends where the migration fails."""

import io
import json
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from botocore.exceptions import ClientError, ReadTimeoutError

from infra.components import deployment_step
from infra.components.first_role import STATEMENT
from infra.functions import FUNCTIONS, MIGRATOR
from tests.infra.synthesise import NEWER_CODE
from tests.infra.templates import StageTemplates

ANSWER_LIMIT = 4096
VERSION = "arn:aws:lambda:eu-west-1:1:function:migrate:7"
EVENT = {
    "RequestType": "Update",
    "ResponseURL": "https://cloudformation.example/answer",
    "StackId": "stack",
    "RequestId": "request",
    "LogicalResourceId": "Migrated",
    "ResourceProperties": {"Version": VERSION},
}


class Deployment:
    """CloudFormation, Lambda and the Data API, as far as the step sees them.

    `refusals` are what AWS answers first, `silences` how many calls it answers nothing; pauses are
    written down, not waited.
    """

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.invoked: list[str] = []
        self.statements: list[dict[str, Any]] = []
        self.refusals: list[str] = []
        self.silences = 0
        self.now = 0.0
        self.listens = 0.0
        self.answers: list[dict[str, Any]] = []
        self.heard: list[bytes] = []
        self.reply: dict[str, Any] = {"Payload": io.BytesIO(b'{"applied": []}')}
        monkeypatch.setattr(deployment_step.boto3, "client", self._client)
        monkeypatch.setattr(deployment_step, "urlopen", self._listen)
        clock = SimpleNamespace(monotonic=lambda: self.now, sleep=self._sleep)
        monkeypatch.setattr(deployment_step, "time", clock)

    def _client(self, *_: object, config: Any) -> Any:
        self.listens = config.read_timeout
        return SimpleNamespace(invoke=self._invoke, execute_statement=self._execute)

    def _invoke(self, **arguments: Any) -> dict[str, Any]:
        self._refuse()
        self.invoked.append(arguments["FunctionName"])
        if self.silences:
            self.silences -= 1
            self.now += self.listens
            raise ReadTimeoutError(endpoint_url="https://lambda.example")
        return self.reply

    def _execute(self, **arguments: Any) -> None:
        self._refuse()
        self.statements.append(arguments)

    def _refuse(self) -> None:
        if self.refusals:
            error: Any = {"Error": {"Code": self.refusals.pop(0), "Message": "not yet"}}
            raise ClientError(error, "Step")

    def _sleep(self, seconds: float) -> None:
        self.now += seconds

    def _listen(self, request: Any, **_: object) -> io.BytesIO:
        assert (request.method, request.full_url) == ("PUT", EVENT["ResponseURL"])
        self.heard.append(request.data)
        self.answers.append(json.loads(request.data))
        return io.BytesIO()


@pytest.fixture
def deployment(monkeypatch: pytest.MonkeyPatch) -> Deployment:
    return Deployment(monkeypatch)


def test_a_deployment_waits_for_the_new_version_and_goes_on(deployment: Deployment) -> None:
    deployment_step.handler(EVENT, None)

    assert deployment.invoked == [VERSION]
    [answer] = deployment.answers
    assert answer["Status"] == "SUCCESS"
    assert {answer[key] for key in ("StackId", "RequestId", "LogicalResourceId")} == {
        "stack",
        "request",
        "Migrated",
    }


def test_a_deployment_ends_with_the_words_of_the_migration_that_failed(
    deployment: Deployment,
) -> None:
    error = {"errorType": "PgvectorTooOld", "errorMessage": "pgvector 0.7.4 is installed"}
    deployment.reply = {
        "FunctionError": "Unhandled",
        "Payload": io.BytesIO(json.dumps(error).encode()),
    }

    deployment_step.handler(EVENT, None)

    [answer] = deployment.answers
    assert answer["Status"] == "FAILED"
    assert "PgvectorTooOld: pgvector 0.7.4 is installed" in answer["Reason"]


FIRST_ROLE = EVENT | {
    "RequestType": "Create",
    "ResourceProperties": {"Cluster": "c", "Secret": "s", "Database": "d", "Statement": "DO 1"},
}


@pytest.mark.parametrize("event", [EVENT, FIRST_ROLE], ids=["migration", "first role"])
def test_a_first_deployment_waits_for_what_is_new_everywhere(
    deployment: Deployment, event: dict[str, Any]
) -> None:
    """P-03: rights that have not spread, functions and databases that are not quite there."""
    deployment.refusals = [
        "AccessDeniedException",
        "ResourceConflictException",
        "ResourceNotReadyException",
        "DatabaseResumingException",
        "BadRequestException",
    ]

    deployment_step.handler(event, None)

    assert [answer["Status"] for answer in deployment.answers] == ["SUCCESS"]
    assert len(deployment.invoked) + len(deployment.statements) == 1
    assert deployment.now == 5 * 5


@pytest.mark.parametrize(
    ("code", "seconds"), [("DatabaseErrorException", 0), ("AccessDeniedException", 300)]
)
def test_what_does_not_pass_ends_the_deployment_with_its_words(
    deployment: Deployment, code: str, seconds: float
) -> None:
    deployment.refusals = [code] * 1000

    deployment_step.handler(FIRST_ROLE, None)

    [answer] = deployment.answers
    assert answer["Status"] == "FAILED"
    assert code in answer["Reason"]
    assert deployment.now == seconds


def test_a_migration_whose_connection_was_dropped_is_asked_for_again(
    deployment: Deployment,
) -> None:
    """After 350 s of silence a network may drop one; `migrate` goes on, and can be asked twice."""
    deployment.silences = 2

    deployment_step.handler(EVENT, None)

    assert [answer["Status"] for answer in deployment.answers] == ["SUCCESS"]
    assert deployment.invoked == [VERSION] * 3
    assert deployment.now == 2 * (300 + 5)


def test_a_migration_that_never_answers_ends_in_time_to_say_so(deployment: Deployment) -> None:
    deployment.silences = 1000

    deployment_step.handler(EVENT, None)

    assert [answer["Status"] for answer in deployment.answers] == ["FAILED"]
    assert deployment_step.SECONDS <= deployment.now < 900


def test_cloud_formation_is_answered_whatever_happens(deployment: Deployment) -> None:
    deployment_step.handler({**EVENT, "ResourceProperties": {}}, None)

    assert [answer["Status"] for answer in deployment.answers] == ["FAILED"]


def test_removing_a_stage_migrates_nothing(deployment: Deployment) -> None:
    deployment_step.handler({**EVENT, "RequestType": "Delete"}, None)

    assert deployment.invoked == []
    assert [answer["Status"] for answer in deployment.answers] == ["SUCCESS"]


@pytest.mark.parametrize("row", ["Größe ", "文書", '"quoted"\n', "\x1b[31m", "\x00", "\ud83d"])
def test_a_long_reason_is_cut_to_what_cloud_formation_reads(
    deployment: Deployment, row: str
) -> None:
    """It takes no answer above 4,096 bytes, and says that instead of the reason."""
    said = f"migration '0099_x' failed: {row * 2000}"
    error = json.dumps({"errorType": "ConfigurationError", "errorMessage": said})
    deployment.reply = {"FunctionError": "Unhandled", "Payload": io.BytesIO(error.encode())}

    deployment_step.handler(EVENT, None)

    [answer] = deployment.answers
    assert answer["Reason"].startswith("RuntimeError: ConfigurationError: migration '0099_x'")
    assert 1800 < len(deployment.heard[0]) <= ANSWER_LIMIT


def test_every_function_waits_for_the_migration(templates: StageTemplates) -> None:
    """P-03: code that expects a column is not there before the column."""
    [step] = templates.of("CloudFormation::CustomResource")

    for name in set(FUNCTIONS) - {"migrate"}:
        [resource] = [
            resource
            for resource in templates.of("Lambda::Function").values()
            if resource["Properties"] is templates.functions[name]
        ]
        assert step in resource["DependsOn"], name


def test_the_migration_signs_in_after_it_was_allowed_to(templates: StageTemplates) -> None:
    [resource] = [
        resource
        for resource in templates.of("Lambda::Function").values()
        if resource["Properties"] is templates.functions["migrate"]
    ]
    policies = {name for name in resource["DependsOn"] if name in templates.of("IAM::Policy")}

    actions = {
        action
        for name in policies
        for statement in templates.resources[name]["Properties"]["PolicyDocument"]["Statement"]
        for action in [statement["Action"]]
        if isinstance(action, str)
    }
    assert "rds-db:connect" in actions


def test_a_new_layer_migrates_again(assemblies: Path) -> None:
    """P-03: the migrations are in a layer, which alone would leave the function as it is."""
    before, after = (
        StageTemplates(name="dev", folder=assemblies / name) for name in ("dev", NEWER_CODE)
    )

    assert set(before.of("Lambda::Version")) != set(after.of("Lambda::Version"))


def test_the_first_role_is_made_when_there_is_a_database(templates: StageTemplates) -> None:
    """By one statement: the Data API takes no more, and reads a colon as a parameter."""
    [custom] = [
        resource
        for resource in templates.resources.values()
        if resource["Type"] == "Custom::FirstRole"
    ]
    [writer] = templates.of("RDS::DBInstance")
    statement = STATEMENT.read_text("utf-8")
    asked = custom["Properties"]

    assert writer in custom["DependsOn"]
    assert asked["Statement"] == statement
    assert MIGRATOR in statement
    assert re.sub(r"--.*", "", statement).strip().startswith("DO $$")
    assert ":" not in re.sub(r"--.*", "", statement)
