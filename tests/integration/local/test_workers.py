"""Functions run in processes of their own and fail under the names that Lambda uses."""

import json
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from local.environment import Environment, LocalFunction
from local.lambda_errors import Invocation, RequestTooLarge, UnknownFunction
from local.turns import ClientLeft
from local.workers import WorkerPool
from pulsedocs.errors import Throttled
from tests import forked
from tests.patience import PATIENCE

PROBE = "tests.integration.local.handlers.probe.handler"


def function(name: str, *, handler: str = PROBE, timeout: float = 20, **variables: str) -> Any:
    return LocalFunction(
        name=name,
        handler=handler,
        arn=f"arn:aws:lambda:us-east-1:123456789012:function:{name}",
        timeout_seconds=timeout,
        memory_mb=256,
        variables=variables,
    )


@pytest.fixture(scope="module", params=[Environment, forked.start], ids=["new", "forked"])
def pool(
    tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest
) -> Iterator[WorkerPool]:
    """Run functions in interpreters as people do, and in forks as most tests of a stage do."""
    functions = [
        function("probe", COLOUR="green"),
        function("hasty", timeout=3),
        function("broken", handler="tests.integration.local.handlers.absent.handler"),
    ]
    logs = tmp_path_factory.mktemp("logs")
    named = {each.name: each for each in functions}
    with WorkerPool(named, logs=logs, start=request.param) as running:
        yield running


def invoke(pool: WorkerPool, name: str, **event: Any) -> Invocation:
    return pool.invoke(name, json.dumps(event).encode())


def result(pool: WorkerPool, name: str, **event: Any) -> Any:
    answer = invoke(pool, name, **event)
    assert answer.function_error is None, answer
    return answer.json()


def error(pool: WorkerPool, name: str, **event: Any) -> dict[str, Any]:
    answer = invoke(pool, name, **event)
    assert answer.function_error == "Unhandled"
    return answer.json()


def test_an_environment_is_reused(pool: WorkerPool) -> None:
    first = result(pool, "probe", do="echo", text="ä\n")
    second = result(pool, "probe", do="echo", text="ä\n")

    assert first == second
    assert first["event"]["text"] == "ä\n"


def test_a_function_is_found_by_its_arn(pool: WorkerPool) -> None:
    arn = "arn:aws:lambda:us-east-1:123456789012:function:probe"

    assert pool.invoke(arn, b'{"do": "other"}').json() == "other"
    with pytest.raises(UnknownFunction):
        pool.invoke("nobody", b"{}")


def test_a_function_sees_its_own_variables_and_none_of_ours(
    pool: WorkerPool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "secret")
    pool.inject("probe", "never.reached:raise:1")  # so that a new environment starts

    variables = result(pool, "probe", do="environment")

    assert variables["COLOUR"] == "green"
    assert "OPENAI_API_KEY" not in variables
    assert "DATABASE_URL" not in variables


def test_the_context_is_lambdas(pool: WorkerPool) -> None:
    context = result(pool, "probe", do="context")

    assert context["function"] == "probe"
    assert context["arn"].endswith(":function:probe")
    assert context["memory"] == "256"
    assert 0 < context["remaining"] <= 20_000
    assert context["request_id"]


def test_an_error_carries_its_class_name(pool: WorkerPool) -> None:
    """P-02: Retry and Catch match class names literally."""
    report = error(pool, "probe", do="raise")

    assert report["errorType"] == "StoreUnavailable"
    assert report["errorMessage"] == "the store is away"
    assert "probe.py" in "".join(report["stackTrace"])


def test_a_handler_that_takes_too_long_is_killed_and_replaced(pool: WorkerPool) -> None:
    started = time.monotonic()
    report = error(pool, "hasty", do="sleep", seconds=30)

    assert report["errorType"] == "Sandbox.Timedout"
    assert "Task timed out after 3.00 seconds" in report["errorMessage"]
    assert time.monotonic() - started < 20
    assert result(pool, "hasty", do="other") == "other"


def test_a_process_that_ends_is_reported_and_replaced(pool: WorkerPool) -> None:
    report = error(pool, "probe", do="exit")

    assert report["errorType"] == "Runtime.ExitError"
    assert "exit status 3" in report["errorMessage"]
    assert result(pool, "probe", do="other") == "other"


def test_a_handler_that_cannot_be_imported_says_so(pool: WorkerPool) -> None:
    report = error(pool, "broken")

    assert report["errorType"] == "Runtime.ImportModuleError"
    assert "absent" in report["errorMessage"]


def test_what_a_handler_prints_goes_to_its_log(tmp_path: Path) -> None:
    with WorkerPool({"probe": function("probe")}, logs=tmp_path) as own:
        assert result(own, "probe", do="print", text="hello") == ""

    assert (tmp_path / "probe.log").read_text() == "hello\nraw write\n"


def test_what_a_caller_or_a_document_causes_is_one_line_of_the_log(tmp_path: Path) -> None:
    """Fails when: who reads the log for a fault of the stage finds a traceback of each bad file."""
    with WorkerPool({"probe": function("probe")}, logs=tmp_path) as own:
        assert error(own, "probe", do="refuse")["stackTrace"]
        assert (tmp_path / "probe.log").read_text() == "PDFEmptyError: the file has no words\n"
        error(own, "probe", do="raise")

    assert "Traceback" in (tmp_path / "probe.log").read_text()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="Linux has a disk that is always full")
def test_a_log_that_finds_no_room_costs_no_answer(tmp_path: Path) -> None:
    (tmp_path / "probe.log").symlink_to("/dev/full")

    with WorkerPool({"probe": function("probe")}, logs=tmp_path) as own:
        assert result(own, "probe", do="say", text="hello") == "hello"
        assert error(own, "probe", do="raise")["errorType"] == "StoreUnavailable"
        assert error(own, "probe", do="refuse")["errorType"] == "PDFEmptyError"


def test_a_result_that_is_not_json_is_refused(pool: WorkerPool) -> None:
    assert error(pool, "probe", do="unmarshalable")["errorType"] == "Runtime.MarshalError"


def test_six_megabytes_is_the_limit_in_both_directions(pool: WorkerPool) -> None:
    limit = 6 * 1024 * 1024

    assert len(result(pool, "probe", do="large", bytes=limit - 2)) == limit - 2
    assert error(pool, "probe", do="large", bytes=limit)["errorType"] == (
        "Function.ResponseSizeTooLarge"
    )
    with pytest.raises(RequestTooLarge):
        pool.invoke("probe", b'"' + b"x" * limit + b'"')


def test_waiting_for_a_worker_is_no_part_of_the_time_limit(tmp_path: Path) -> None:
    """Six events for one worker: the last waits for longer than an event may take."""
    slow = {"slow": function("slow", timeout=4)}
    with WorkerPool(slow, logs=tmp_path, environments=1) as own, ThreadPoolExecutor(6) as callers:
        asked = [callers.submit(invoke, own, "slow", do="sleep", seconds=1) for _caller in range(6)]
        answers = [each.result() for each in asked]

    assert [answer.function_error for answer in answers] == [None] * 6


def test_who_waits_too_long_or_has_left_is_not_begun(tmp_path: Path) -> None:
    """The worker never sees their events: the log would have what they print."""
    probe = {"probe": function("probe")}
    held = threading.Event()
    with WorkerPool(probe, logs=tmp_path, environments=1) as own, ThreadPoolExecutor(2) as callers:
        result(own, "probe", do="print", text="warm")
        running = callers.submit(invoke, own, "probe", do="sleep", seconds=3)
        while own.is_idle("probe"):
            time.sleep(0.01)
        event = json.dumps({"do": "print", "text": "never"}).encode()
        with pytest.raises(Throttled):
            own.invoke("probe", event, patience=0)
        leaving = callers.submit(own.invoke, "probe", event, is_wanted=lambda: not held.is_set())
        held.set()
        with pytest.raises(ClientLeft):
            leaving.result()
        running.result()
        assert result(own, "probe", do="other") == "other"  # the worker is free again

    assert "never" not in (tmp_path / "probe.log").read_text()


def test_a_process_that_cannot_start_is_an_answer_too(tmp_path: Path) -> None:
    """It raised inside the stage, and a caller of the API read "Internal Server Error"."""
    dying = function("dying", handler="tests.integration.local.handlers.dying.handler")
    with WorkerPool({"dying": dying}, logs=tmp_path) as own:
        assert error(own, "dying")["errorType"] == "Runtime.ExitError"


def test_two_events_run_at_once_and_a_third_waits(pool: WorkerPool) -> None:
    running = [
        threading.Thread(target=invoke, args=(pool, "probe"), kwargs={"do": "sleep", "seconds": 1})
        for _ in range(3)
    ]
    result(pool, "probe", do="other")  # both environments are warm or will be

    started = time.monotonic()
    for thread in running:
        thread.start()
    for thread in running:
        thread.join()

    assert time.monotonic() - started >= 2


@pytest.mark.parametrize(
    ("action", "outcome"), [("raise", "StoreUnavailable"), ("kill", "Runtime.ExitError")]
)
def test_a_fault_strikes_once(pool: WorkerPool, action: str, outcome: str) -> None:
    pool.inject("probe", f"probe.middle:{action}:1")

    assert error(pool, "probe", do="fault")["errorType"] == outcome
    assert result(pool, "probe", do="fault") == "unharmed"


def test_closing_ends_what_is_running(tmp_path: Path) -> None:
    pool = WorkerPool({"probe": function("probe")}, logs=tmp_path)
    answers: list[Invocation] = []
    running = threading.Thread(
        target=lambda: answers.append(invoke(pool, "probe", do="sleep", seconds=30))
    )
    running.start()
    log = tmp_path / "probe.log"
    while not (log.exists() and log.stat().st_size):
        time.sleep(0.01)

    pool.close()
    running.join(PATIENCE)

    assert not running.is_alive()
    assert answers[0].json()["errorType"] == "Runtime.ExitError"


def test_a_persons_own_modules_are_found_after_ours(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A class that PLUGINS names may lie where the PYTHONPATH of the shell says."""
    package = tmp_path / "theirs"
    package.mkdir()
    (package / "__init__.py").write_text("def handler(event, context):\n    return 'theirs'\n")
    (tmp_path / "local").mkdir()
    (tmp_path / "local" / "__init__.py").write_text("raise RuntimeError('not ours')\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))

    theirs = {"theirs": function("theirs", handler="theirs.handler")}
    with WorkerPool(theirs, logs=tmp_path / "logs") as pool:
        answer = pool.invoke("theirs", b"{}")

    assert (answer.function_error, answer.payload) == (None, b'"theirs"')
