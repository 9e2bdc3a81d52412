"""Every handler under AWS's own runtime client, with nothing to import but what is deployed.

A wheel that is missing from the layer, a module of the repository that production reaches for,
syntax that the runtime's Python does not know: each fails here instead of in the first invocation.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final
from uuid import uuid4

import pytest

from infra.functions import FUNCTIONS
from local.environment import LocalFunction
from local.stage import Stage
from local.workers import WorkerPool
from pulsedocs.errors import error_named
from tests.e2e.tenant import PDF, Tenant
from tests.e2e.test_highlight import highlight, report
from tests.e2e.test_ingest import settled
from tests.plugins.stage import FAST_MODELS, RETRY_SCALE
from tests.runtime.interface import Installed
from tests.sample_events import sample

INVOKED: Final = [name for name, spec in FUNCTIONS.items() if not spec.streams]
PROBE: Final = """
import importlib, sys, time

def handler(event, context):
    if event["do"] == "wait":
        time.sleep(60)
    if event["do"] == "import":
        importlib.import_module(event["name"])
    if event["do"] == "fill":
        return len(bytearray(b"1") * (event["mb"] << 20))
    if event["do"] == "exit":
        sys.exit(3)
    return {
        "id": context.aws_request_id,
        "left": context.get_remaining_time_in_millis(),
        "path": sys.path,
        "version": list(sys.version_info[:2]),
    }
"""


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory, installed: Installed) -> Iterator[Stage]:
    """Start a stage whose functions are processes of the runtime."""
    with Stage(
        tmp_path_factory.mktemp("runtime"),
        model_directory=installed.layers.dependencies / "models",
        settings=FAST_MODELS,
        retry_scale=RETRY_SCALE,
        environment=installed.start,
        streaming_program=installed.streaming,
    ) as running:
        yield running


@pytest.fixture(scope="module")
def pool(tmp_path_factory: pytest.TempPathFactory, installed: Installed) -> Iterator[WorkerPool]:
    folder = installed.tasks / "probe" / "functions" / "probe"
    folder.mkdir(parents=True)
    (folder / "handler.py").write_text(PROBE)
    probe = LocalFunction(
        name="probe",
        handler="functions.probe.handler.handler",
        arn="arn:aws:lambda:us-east-1:123456789012:function:probe",
        timeout_seconds=3,
        memory_mb=128,
    )
    logs = tmp_path_factory.mktemp("logs")
    with WorkerPool({"probe": probe}, logs=logs, start=installed.start) as running:
        yield running


def ask(pool: WorkerPool, **event: Any) -> Any:
    return pool.invoke("probe", json.dumps(event).encode()).json()


def test_an_upload_is_answered_from(stage: Stage, tenant: Tenant) -> None:
    """P-04: from the form to the cited answer, its boxes and its stream."""
    document_id = tenant.upload(report(), filename="report.pdf", content_type=PDF)
    status = tenant.outcome(document_id)
    assert status["outcome"] == "PUBLISHED", (status, stage.logs)

    answer = tenant.post("/ask", {"question": "How many litres does the small pump deliver?"})

    assert {each["document_id"] for each in answer["citations"]} == {document_id}
    assert highlight(tenant, document_id, "twelve litres")["boxes"]
    with tenant.http.stream("POST", "/ask/stream", json={"question": "pump litres"}) as streamed:
        kinds = [json.loads(line)["type"] for line in streamed.iter_lines()]
    assert kinds[-1] == "done"


def test_a_reference_is_answered_from(tenant: Tenant) -> None:
    text = {"text": "The sluice opens at seven in the morning.", "source": "sluice.txt"}
    document_id = tenant.send("POST", "/ingest", text).json()["document_id"]

    assert settled(tenant, document_id)["outcome"] == "PUBLISHED"
    found = tenant.post("/search", {"query": "When does the sluice open?"})["chunks"]
    assert [chunk["document_id"] for chunk in found] == [document_id]


def test_what_is_deleted_is_purged(tenant: Tenant) -> None:
    document_id = tenant.ingest(b"The lock keeper rings twice.")["document_id"]
    receipt = tenant.send("DELETE", f"/documents/{document_id}").json()["receipt_id"]

    while (found := tenant.get(f"/deletions/{receipt}"))["completed_at"] is None:
        pass
    assert found["verification"]["left"] == 0


@pytest.mark.parametrize("name", INVOKED)
def test_a_handler_answers_its_sample_event(
    name: str, stage: Stage, installed: Installed, record_property: Any
) -> None:
    """Or refuses it by a name of ours: its document is nobody's."""
    event = json.dumps(sample(name)).encode()

    invocation = stage.pool.invoke(name, event)

    answer = invocation.json()
    if invocation.function_error is not None and name != "authorize":
        assert error_named(answer["errorType"]) is not None, answer
    record_property("cold_start_seconds", round(installed.started[name], 2))


def test_nothing_can_be_imported_but_what_is_deployed(
    pool: WorkerPool, installed: Installed
) -> None:
    answer = ask(pool, do="tell")

    assert answer["version"] == [3, 13]
    code = [Path(each) for each in answer["path"] if "lib/python3" not in each]
    code = [each for each in code if each.suffix != ".zip"]
    assert code == [
        installed.tasks / "probe",
        *(layer / "python" for layer in installed.layers),
        installed.client,
    ]
    for name in ("local", "infra", "tests", "pytest", "moto", "click", "functions.query.handler"):
        refused = ask(pool, do="import", name=name)
        assert refused["errorType"] == "ModuleNotFoundError", name


def test_the_client_tells_the_time_that_is_left(pool: WorkerPool) -> None:
    answer = ask(pool, do="tell")

    assert 0 < answer["left"] <= 3000
    assert answer["id"]


def test_time_memory_and_life_end_as_on_lambda(pool: WorkerPool) -> None:
    """Each by the name that the state machines retry; the next event finds a new process."""
    assert ask(pool, do="wait")["errorType"] == "Sandbox.Timedout"
    assert ask(pool, do="fill", mb=200)["errorType"] == "Runtime.ExitError"
    assert ask(pool, do="exit")["errorType"] == "Runtime.ExitError"
    assert ask(pool, do="tell")["version"] == [3, 13]


def test_a_module_that_is_not_deployed_stops_the_start(
    pool: WorkerPool, installed: Installed
) -> None:
    """The test of the tests: what they look for, they find."""
    name = f"missing-{uuid4().hex[:6]}"
    folder = installed.tasks / name / "functions" / name
    folder.mkdir(parents=True)
    (folder / "handler.py").write_text("from local.stage import Stage\n")
    function = LocalFunction(
        name=name,
        handler=f"functions.{name}.handler.handler",
        arn=f"arn:aws:lambda:us-east-1:123456789012:function:{name}",
        timeout_seconds=5,
        memory_mb=128,
    )
    pool.deploy({name: function})

    answer = pool.invoke(name, b"{}").json()

    assert answer["errorType"] == "Runtime.ImportModuleError"
    assert "local" in answer["errorMessage"]
