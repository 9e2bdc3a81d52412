"""The templates themselves, made on moto: an upload goes through them to a cited answer.

Nothing here names a function, a rule or a route of the product beside what a client sends and
what is looked for in the end: which function a route reaches, what an upload starts and who may
do what is what the templates say.
"""

import json
import time
from collections.abc import Callable, Generator, Iterator
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, Final
from uuid import uuid4

import psycopg
import pytest
from click.testing import CliRunner

from functions.authorize import handler as authorize
from infra.functions import FUNCTIONS
from infra.routes import ROUTES
from local.rest_events import ACCOUNT, REGION
from local.stage_database import DATABASE
from pulsedocs.adapters.postgres.queries import query
from pulsedocs.adapters.postgres.upkeep.migrations import migrations
from pulsedocs_cli.__main__ import main
from tests.e2e.tenant import PDF, Json, Tenant
from tests.infra.deployed import rest_api
from tests.infra.deployed.left_out import LEFT_OUT
from tests.infra.deployed.makers import MAKERS
from tests.infra.deployed.permissions import permits
from tests.infra.deployed.stage import DeployedStage
from tests.infra.synthesise import ON_MOTO
from tests.infra.templates import StageTemplates
from tests.patience import PATIENCE
from tests.plugins.stage import RETRY_SCALE
from tests.unit.extraction.odd_files import pdf_of

MANUAL: Final = (
    """The pump delivers 12 litres a minute. It is mounted on a steel frame near the tank.
Operators read the gauge once a day and write the value into the log book.""",
    """The filter is exchanged every 300 hours. A new filter has the order number HX-7781.
Used filters are returned to the service department in their own box.""",
)
ORDER_NUMBER: Final = "What is the order number of a new filter?"
LAMBDA: Final = f"arn:aws:lambda:{REGION}:{ACCOUNT}:function:"


@pytest.fixture(scope="module")
def stage(
    assemblies: Path, tmp_path_factory: pytest.TempPathFactory, model_directory: Path
) -> Iterator[DeployedStage]:
    """Deploy once for the file: moto is global, a process has room for one stage at a time."""
    templates = StageTemplates(name="dev", folder=assemblies / ON_MOTO)
    directory = tmp_path_factory.mktemp("deployed")
    with DeployedStage(directory, templates, model_directory, RETRY_SCALE) as deployed:
        yield deployed


@pytest.fixture
def tenant(stage: DeployedStage) -> Generator[Tenant]:
    with Tenant.new(stage) as joined:
        yield joined


@pytest.fixture(autouse=True)
def judged(stage: DeployedStage) -> Generator[None]:
    """P-04: whatever a test makes functions do, their roles permit it."""
    yield
    assert stage.aws.judge.denied == set()


def until(ask: Callable[[], Json | None]) -> Json:
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        if (found := ask()) is not None:
            return found
        time.sleep(0.1)
    pytest.fail("it never came to be")


# ------------------------------------------------------------------------------ what is deployed


def test_every_type_of_resource_is_made_or_left_out_for_a_reason(
    templates: StageTemplates,
) -> None:
    """P-04: of every stage; a type that is new fails here until somebody decides."""
    types = {resource["Type"] for resource in templates.resources.values()}

    assert types <= MAKERS.keys() | LEFT_OUT.keys()
    assert not MAKERS.keys() & LEFT_OUT.keys()


def test_nothing_is_listed_that_no_stage_has(assemblies: Path) -> None:
    found = {
        resource["Type"]
        for folder in assemblies.iterdir()
        for resource in StageTemplates(folder.name, folder).resources.values()
    }

    assert MAKERS.keys() | LEFT_OUT.keys() == found
    assert all(len(reason) > 10 for reason in LEFT_OUT.values())


def test_the_functions_of_the_table_run_and_the_deployment_has_migrated(
    stage: DeployedStage,
) -> None:
    """P-03: by the template's own custom resource, before any function that needs it."""
    deployment = stage.deployment
    assert {name.removeprefix("pulsedocs-dev-") for name in deployment.functions} == {
        *FUNCTIONS,
        "migration-step",
        "first-role",
    }
    [answer] = deployment.answers
    assert answer["Status"] == "SUCCESS"
    with psycopg.connect(stage.postgres.database_url(DATABASE)) as connection:
        done = dict(connection.execute(query("migrations_done")).fetchall())
    assert list(done) == [migration.name for migration in migrations()]


def test_every_target_of_a_rule_exists_and_may_be_used(stage: DeployedStage) -> None:
    """P-01: EventBridge says nothing to anybody when it may not invoke a function."""
    states, events = stage.aws.client("stepfunctions"), stage.aws.client("events")
    machines = {each["stateMachineArn"] for each in states.list_state_machines()["stateMachines"]}
    queues = {stage.deployment.made(name).attribute("Arn") for name in queue_ids(stage)}
    for rule in events.list_rules()["Rules"]:
        targets = events.list_targets_by_rule(Rule=rule["Name"])["Targets"]
        assert targets, rule["Name"]
        for target in targets:
            arn = target["Arn"]
            assert target["DeadLetterConfig"]["Arn"] in queues
            if arn in machines:
                role = target["RoleArn"].rpartition("/")[2]
                assert permits(role, "states:StartExecution", arn), rule["Name"]
            elif arn.startswith(LAMBDA):
                assert may_invoke(stage, "events.amazonaws.com", rule["Arn"], arn), rule["Name"]
            else:
                assert arn in queues, rule["Name"]


def queue_ids(stage: DeployedStage) -> list[str]:
    return list(stage.deployment.templates.of("SQS::Queue"))


def may_invoke(stage: DeployedStage, service: str, source: str, function: str) -> bool:
    """Look for a permission in the function's own policy."""
    assert function.removeprefix(LAMBDA) in stage.deployment.functions
    return any(
        permission["FunctionName"] in {function, function.removeprefix(LAMBDA)}
        and permission["Principal"] == service
        and fnmatchcase(source, permission["SourceArn"])
        for permission in stage.deployment.permissions
    )


def test_every_route_leads_to_a_function_that_the_gateway_may_invoke(stage: DeployedStage) -> None:
    """P-04: the routes as moto's API Gateway has them."""
    [api] = stage.deployment.refs("ApiGateway::RestApi")
    place = f"arn:aws:execute-api:{REGION}:{ACCOUNT}:{api}"
    deployed = rest_api.routes(stage.deployment)

    assert {(each.method, each.path) for each in deployed} == {
        (each.method, each.path) for each in ROUTES
    }
    for route in deployed:
        path = route.path.replace("{", "").replace("}", "")
        source = f"{place}/dev/{route.method}{path}"
        assert may_invoke(stage, "apigateway.amazonaws.com", source, LAMBDA + route.function)
    judge = LAMBDA + rest_api.authoriser(stage.deployment)
    source = f"{place}/authorizers/{stage.deployment.refs('ApiGateway::Authorizer')[0]}"
    assert may_invoke(stage, "apigateway.amazonaws.com", source, judge)


def test_a_deployed_machine_calls_functions_that_exist_and_its_role_may_invoke(
    stage: DeployedStage,
) -> None:
    """P-02: as written out, with the addresses in place."""
    states = stage.aws.client("stepfunctions")
    for listed in states.list_state_machines()["stateMachines"]:
        machine = states.describe_state_machine(stateMachineArn=listed["stateMachineArn"])
        assert "${" not in machine["definition"], listed["name"]
        called = {text for text in strings_in(machine["definition"]) if text.startswith(LAMBDA)}
        assert called, listed["name"]
        for arn in called:
            assert arn.removeprefix(LAMBDA) in stage.deployment.functions
            assert permits(machine["roleArn"].rpartition("/")[2], "lambda:InvokeFunction", arn)


def strings_in(definition: str) -> Iterator[str]:
    found: list[str] = []

    def note(pairs: list[tuple[str, Any]]) -> None:
        found.extend(value for _, value in pairs if isinstance(value, str))

    json.loads(definition, object_pairs_hook=note)
    yield from found


def test_the_code_of_a_function_is_its_handler(stage: DeployedStage) -> None:
    """What is run here is the checkout; this is what would be uploaded."""
    root = Path(authorize.__file__).parents[2]
    templates = stage.deployment.templates
    for name in FUNCTIONS:
        folder = templates.asset(templates.functions[name]["Code"]) / "functions" / name
        sent = {file.name: file.read_bytes() for file in folder.iterdir()}
        assert sent == {
            file.name: file.read_bytes()
            for file in (root / "functions" / name).iterdir()
            if file.suffix in {".py", ".sh"}
        }


# ------------------------------------------------------------------------------- what it does


@pytest.fixture(scope="module")
def reader(stage: DeployedStage) -> Iterator[Tenant]:
    with Tenant.new(stage) as joined:
        yield joined


@pytest.fixture(scope="module")
def published(reader: Tenant) -> Json:
    """Send a form with the bytes; the rest is the event's, the rule's and the machine's."""
    status = reader.ingest(pdf_of(*MANUAL), filename="manual.pdf", content_type=PDF)
    assert status["outcome"] == "PUBLISHED", status["error"]
    return status


def test_an_upload_is_answered_from_with_its_page(reader: Tenant, published: Json) -> None:
    """P-01, P-02, P-05: through the template's routes, rules, machine and functions."""
    answer = reader.post("/ask", {"question": ORDER_NUMBER})

    assert answer["abstained"] is None
    [citation, *_] = answer["citations"]
    assert citation["document_id"] == published["document_id"]
    assert citation["page"] == 2
    assert "HX-7781" in citation["quote"]
    trace = reader.get(f"/traces/{answer['trace_id']}")
    assert any(candidate["selected"] for candidate in trace["candidates"])


def test_the_commands_that_end_the_guide_run_with_what_the_deployment_wrote(
    stage: DeployedStage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`smoke`, `add` and `ask` of docs/guides/deploy.md, behind the outputs of the template."""
    templates = [each.get("Outputs", {}) for each in stage.templates.templates]
    [outputs] = [each for each in templates if "Endpoint" in each]
    given = dict.fromkeys(outputs, "unused") | {"Endpoint": stage.url, "Region": REGION}
    assert set(given) == set(outputs)
    (tmp_path / ".stages").mkdir()
    (tmp_path / ".stages" / "dev.json").write_text(json.dumps({"PulseDocs-dev-Service": given}))
    (tmp_path / "README.md").write_text("# Reading\n\nThe command make up starts a local stage.\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PULSEDOCS_TOKEN", stage.token(uuid4()))
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")  # moto keeps no alarm's history

    def run(*words: str) -> str:
        result = CliRunner().invoke(main, [*words, "--stage", "dev"])
        assert result.exit_code == 0, result.output
        return result.output

    smoked = run("smoke").splitlines()
    run("add", "README.md")
    answered = run("ask", "What does make up do?")

    levels = {line.split()[1].rstrip(":"): line.split()[0] for line in smoked if ":" in line}
    assert [levels[each] for each in ("token", "upload", "question", "deletion")] == ["ok"] * 4
    assert levels["alarms"] == "warn"
    assert "starts a local stage" in answered


def test_an_answer_streams(reader: Tenant, published: Json) -> None:
    """S4-10: through the template's streaming integration."""
    response = reader.send("POST", "/ask/stream", {"question": ORDER_NUMBER})

    assert response.is_success, response.text
    assert response.headers["content-type"] == "application/x-ndjson"
    assert published["document_id"] in response.text


def test_an_evaluation_is_run_by_the_object_that_asks_for_it(
    reader: Tenant, published: Json
) -> None:
    """S0-38: as deployed."""
    assert published["outcome"] == "PUBLISHED"
    question = {
        "question": ORDER_NUMBER,
        "expected": [{"source": "manual.pdf", "quote": "order number HX-7781"}],
    }
    asked = reader.post("/evaluations", {"questions": [question], "profiles": ["default"]})

    def done() -> Json | None:
        found = reader.get(f"/evaluations/{asked['evaluation_id']}")
        return found if found["state"] in {"DONE", "FAILED"} else None

    assert until(done)["state"] == "DONE"


def test_a_text_is_published_and_its_deletion_ends_in_a_receipt(tenant: Tenant) -> None:
    """S4-01, I8: a request starts the machine, a deletion the purge."""
    text = "The lantern of the buoy is relit at dusk by the crew of the tender."
    document_id = tenant.post("/ingest", {"text": text, "source": "buoy.txt"})["document_id"]
    path = f"/documents/{document_id}"
    until(lambda: tenant.get(path) if tenant.send("GET", path).is_success else None)
    assert tenant.outcome(document_id)["outcome"] == "PUBLISHED"

    receipt_id = tenant.send("DELETE", path).json()["receipt_id"]

    def complete() -> Json | None:
        receipt = tenant.get(f"/deletions/{receipt_id}")
        return receipt if receipt["completed_at"] else None

    assert until(complete)["verification"]["left"] == 0
    assert tenant.send("GET", path).status_code == 404


def test_a_file_that_cannot_be_read_ends_with_its_reason(tenant: Tenant) -> None:
    """P-02: caught by the deployed definition, recorded by the function that it names."""
    status = tenant.ingest(b"%PDF-1.7 nothing more", filename="broken.pdf", content_type=PDF)

    assert (status["outcome"], status["error"]["code"]) == ("REJECTED", "PDF_CORRUPTED")


def test_a_batch_that_ends_badly_waits_in_the_queue_for_a_person(stage: DeployedStage) -> None:
    """P-02, P-06: the rule, its target and the queue are the template's."""
    states, sqs = stage.aws.client("stepfunctions"), stage.aws.client("sqs")
    [machine] = [
        each["stateMachineArn"]
        for each in states.list_state_machines()["stateMachines"]
        if each["name"].endswith("-batch")
    ]
    [queue] = stage.deployment.refs("SQS::Queue")
    started = states.start_execution(
        stateMachineArn=machine, name=f"no-event-{uuid4()}", input="{}"
    )

    def waiting() -> Json | None:
        [*messages] = sqs.receive_message(QueueUrl=queue).get("Messages", [])
        return json.loads(messages[0]["Body"]) if messages else None

    told = until(waiting)["detail"]
    assert told["executionArn"] == started["executionArn"]
    assert told["status"] == "FAILED"


@pytest.mark.parametrize("full", [False, True], ids=["markers", "full pass"])
def test_the_schedule_sweeps(stage: DeployedStage, *, full: bool) -> None:
    """P-01: what the template's schedule sends is what the function takes."""
    events = stage.aws.client("events")
    targets = [
        target
        for rule in events.list_rules()["Rules"]
        if "ScheduleExpression" in rule
        for target in events.list_targets_by_rule(Rule=rule["Name"])["Targets"]
    ]
    [target] = [each for each in targets if json.loads(each["Input"]) == {"full": full}]

    invocation = stage.pool.invoke(target["Arn"], target["Input"].encode())

    assert invocation.function_error is None, invocation.payload
    assert set(invocation.json()["counts"]) >= {"requeued"}


@pytest.mark.parametrize(
    ("kind", "path", "headers"),
    [
        ("UNAUTHORIZED", "/documents", {"Authorization": "Bearer nonsense"}),
        ("MISSING_AUTHENTICATION_TOKEN", "/no-such-route", {}),
    ],
)
def test_the_local_gateway_answers_as_the_deployed_one_is_told_to(
    stage: DeployedStage, tenant: Tenant, kind: str, path: str, headers: dict[str, str]
) -> None:
    [api] = stage.deployment.refs("ApiGateway::RestApi")
    gateway = stage.aws.client("apigateway")
    told = gateway.get_gateway_response(restApiId=api, responseType=kind)
    written = json.loads(told["responseTemplates"]["application/json"])

    answered = tenant.send("GET", path, headers=headers)

    assert str(answered.status_code) == told["statusCode"]
    answer = answered.json()
    assert (answer["type"], answer["code"]) == (written["type"], written["code"])
    assert answer.keys() == written.keys()
