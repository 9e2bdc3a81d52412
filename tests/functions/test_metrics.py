"""What alarms and graphs look at is what the handlers emit: names, dimensions, and when."""

import io
import json
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any
from uuid import UUID, uuid4

import pytest

from functions.sweep import handler as sweep
from infra.promises import OURS
from pulsedocs import bootstrap
from pulsedocs.adapters.memory.embedder import HashingEmbedder
from pulsedocs.adapters.memory.object_store import InMemoryObjectStore
from pulsedocs.bootstrap import buckets, clients, providers
from pulsedocs.edge.observability import logger, metric_name
from pulsedocs.errors import BudgetExceeded, ProviderUnavailable
from pulsedocs.model.object_keys import open_marker_key
from pulsedocs.model.sweeps import IndexBuild, SweepReport, Untreated
from pulsedocs.upkeep.sweep_stage import COUNTS
from tests.emitted import EMITTED, WATCHED
from tests.functions.conftest import Bucket, Context
from tests.functions.test_ingestion_functions import call, register, upload
from tests.sample_events import sample
from tests.unit.questions.shelf import Shelf, lease_shelf

Emitted = dict[str, list[float]]


class Output:
    """What handlers have sent since the last look: metrics in EMF, and log lines."""

    def __init__(self, captured: pytest.CaptureFixture[str], log: io.StringIO) -> None:
        self._captured = captured
        self._log = log
        self.dimensions: dict[str, set[tuple[str, ...]]] = {}

    def lines(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self._log.getvalue().splitlines()]

    def metrics(self) -> Emitted:
        found: Emitted = {}
        for line in self._captured.readouterr().out.splitlines():
            for name, values in self._read(json.loads(line)):
                found.setdefault(name, []).extend(values)
        return found

    def _read(self, parsed: dict[str, Any]) -> Iterator[tuple[str, list[float]]]:
        for directive in parsed["_aws"]["CloudWatchMetrics"]:
            assert directive["Namespace"] == OURS
            for metric in directive["Metrics"]:
                for dimensions in directive["Dimensions"]:
                    assert set(dimensions) <= set(parsed)  # each has its value
                    known = self.dimensions.setdefault(metric["Name"], set())
                    known.add(tuple(sorted(dimensions)))
                yield metric["Name"], parsed[metric["Name"]]


@pytest.fixture
def output(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Output:
    log = io.StringIO()
    monkeypatch.setattr(logger().registered_handler, "stream", log)
    return Output(capsys, log)


def always(value: object) -> Callable[..., object]:
    def give(*_arguments: object, **_named: object) -> object:
        return value

    return give


@contextmanager
def questions() -> Generator[Shelf]:
    """Give `query` passages to find, models without weights and a bucket in memory."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TRACE_SECRET", "a secret of sixteen")
        patch.setenv("PULSEDOCS_STAGE", "local")
        patch.setenv("RERANKER_MODEL", "memory:overlap")
        bootstrap.reset()
        shelf, objects = lease_shelf(), InMemoryObjectStore()
        patch.setattr(clients, "retrieval_client", always(shelf))
        patch.setattr(providers, "embedder", always(HashingEmbedder()))
        patch.setattr(buckets, "object_store", always(objects))
        yield shelf
    bootstrap.reset()


def ask(question: str) -> int:
    event = sample("query")
    event |= {"httpMethod": "POST", "path": "/ask", "resource": "/ask"}
    event["body"] = json.dumps({"question": question})
    return call("query", event)["statusCode"]


def claimed_run(act_as: Callable[..., None], bucket: Bucket) -> dict[str, Any]:
    event = upload(bucket, register(act_as))
    act_as("ingest")
    return call("claim", event)["run"]


def failure(run: dict[str, Any], name: str) -> dict[str, Any]:
    return {"run": run, "error": {"Error": name, "Cause": "{}"}}


def test_a_refused_question_is_1_and_an_answered_one_0(output: Output) -> None:
    """P-06: the share of refusals is the mean, whether most are is the median."""
    with questions():
        assert ask("When is the rent due?") == 200
        assert output.metrics() == {"QuestionRefused": [0]}

        assert ask("Which galaxy rotates?") == 200
        assert output.metrics() == {"QuestionRefused": [1]}


def test_a_degraded_answer_is_counted(output: Output) -> None:
    with questions(), pytest.MonkeyPatch.context() as patch:

        def fail(*_arguments: object, **_named: object) -> None:
            raise ProviderUnavailable("the provider is down")

        patch.setattr(HashingEmbedder, "embed_query", fail)
        ask("When is the rent due?")

    assert output.metrics()["AnswerDegraded"] == [1]


def test_a_question_beyond_the_budget_is_counted(output: Output) -> None:
    with questions() as shelf, pytest.MonkeyPatch.context() as patch:

        def refuse(*_arguments: object, **_named: object) -> None:
            raise BudgetExceeded("the day is spent")

        patch.setattr(type(shelf), "prepare", refuse)
        assert ask("When is the rent due?") == 429

    assert output.metrics() == {"BudgetRefused": [1]}


def test_a_document_that_needs_a_person_is_counted(
    act_as: Callable[..., None], bucket: Bucket, output: Output
) -> None:
    """P-06: FAILED and PARKED, however it came about; a file that is at fault is nobody's work."""
    run = claimed_run(act_as, bucket)
    output.metrics()

    assert call("fail", failure(run, "ProviderKeyRefused")) == {"outcome": "PARKED"}
    assert output.metrics()["DocumentFailed"] == [1]

    assert call("fail", failure(run, "ProviderKeyRefused"))["outcome"] in {None, "PARKED"}


@pytest.mark.parametrize("name", ["PDFEncryptedError", "BudgetExceeded"])
def test_what_waits_for_its_owner_or_the_next_day_calls_nobody(
    act_as: Callable[..., None], bucket: Bucket, output: Output, name: str
) -> None:
    run = claimed_run(act_as, bucket)
    output.metrics()

    call("fail", failure(run, name))

    assert "DocumentFailed" not in output.metrics()


def test_the_sweep_emits_what_it_counts_and_nothing_while_idle(
    act_as: Callable[..., None], output: Output, monkeypatch: pytest.MonkeyPatch
) -> None:
    """P-04: an idle sweep sends its duration alone."""
    act_as("sweep")
    output.metrics()
    call("sweep", {})
    assert set(output.metrics()) == {"TaskDuration"}

    report = SweepReport(dict.fromkeys(COUNTS, 2), None)
    monkeypatch.setattr(sweep, "sweep_stage", always(report))
    call("sweep", {})

    assert output.metrics() | {"TaskDuration": []} == {
        "TaskDuration": [],
        **{metric_name("sweep", name): [2] for name in sweep.METRICS},
    }


def test_the_sweep_logs_what_it_could_not_treat(
    act_as: Callable[..., None], output: Output, monkeypatch: pytest.MonkeyPatch
) -> None:
    """P-06: by ids and code; the alarm leads to these lines."""
    act_as("sweep")
    untreated = Untreated(uuid4(), uuid4(), "STATEMENT_TIMED_OUT")
    report = SweepReport(dict.fromkeys(COUNTS, 0), None, [untreated])
    monkeypatch.setattr(sweep, "sweep_stage", always(report))

    call("sweep", {})

    [line] = [line for line in output.lines() if line["message"] == "sweep_error"]
    assert line["tenant_id"] == str(untreated.tenant_id)
    assert (line["subject_id"], line["code"]) == (str(untreated.subject_id), untreated.code)


@pytest.mark.parametrize("is_full", [True, False])
def test_the_sweep_logs_the_indexes_that_it_begins_at_once_while_documents_come(
    act_as: Callable[..., None],
    bucket: Bucket,
    output: Output,
    monkeypatch: pytest.MonkeyPatch,
    *,
    is_full: bool,
) -> None:
    """P-06: an operator sees that a graph does not fit, and that its build goes on."""
    act_as("sweep")
    builds = [IndexBuild("memory:hashing@8", 740, 532, is_done=False)]
    indexes = SimpleNamespace(build_due=always(builds))
    monkeypatch.setattr(sweep.databases, "vector_indexes", always(indexes))

    call("sweep", {})
    assert "vector_index" not in [line["message"] for line in output.lines()]
    if not is_full:
        bucket.put(open_marker_key(uuid4(), uuid4()), b"")

    call("sweep", {"full": is_full})

    [line] = [line for line in output.lines() if line["message"] == "vector_index"]
    told = {name: line[name] for name in ("model", "graph_megabytes", "memory_megabytes")}
    assert told == {"model": "memory:hashing@8", "graph_megabytes": 740, "memory_megabytes": 532}
    assert line["is_done"] is False


def test_handlers_emit_exactly_what_the_table_lists(
    act_as: Callable[..., None], bucket: Bucket, output: Output, monkeypatch: pytest.MonkeyPatch
) -> None:
    """P-06: every metric of an alarm, with the dimensions that the alarm names."""
    test_a_refused_question_is_1_and_an_answered_one_0(output)
    test_a_degraded_answer_is_counted(output)
    test_a_question_beyond_the_budget_is_counted(output)
    test_a_document_that_needs_a_person_is_counted(act_as, bucket, output)
    test_the_sweep_emits_what_it_counts_and_nothing_while_idle(act_as, output, monkeypatch)

    assert output.dimensions == {name: {dimensions} for name, dimensions in EMITTED.items()}
    assert set(output.dimensions) >= WATCHED


def test_a_tasks_line_names_its_request_and_its_document(
    act_as: Callable[..., None], bucket: Bucket, output: Output
) -> None:
    """P-06: of the claim, whose event holds a key alone, and of the step that fails."""
    run = claimed_run(act_as, bucket)
    call("fail", failure(run, "PDFEncryptedError"))

    lines = {line["function"]: line for line in output.lines() if line["message"] == "task"}
    for name in ("claim", "fail"):
        assert lines[name]["document_id"] == run["document_id"]
        assert lines[name]["tenant_id"] == run["tenant_id"]
        assert lines[name]["request_id"] == Context(name).aws_request_id


def test_a_requests_line_names_what_it_came_upon(
    act_as: Callable[..., None], output: Output
) -> None:
    """P-06: the document that was registered, the trace that was left, and whose they are."""
    registered = register(act_as)["document_id"]
    with questions():
        ask("When is the rent due?")

    added, asked = [line for line in output.lines() if line["message"] == "request"]
    assert added["document_id"] == registered
    assert len(asked["trace_id"]) == 32
    for line in (added, asked):
        assert UUID(line["tenant_id"])
        assert line["request_id"]


def test_a_step_that_broke_does_not_count_among_those_that_went_well(
    act_as: Callable[..., None], output: Output, monkeypatch: pytest.MonkeyPatch
) -> None:
    """P-06: whatever was raised; the dashboard's table of outcomes is read out of these lines."""
    act_as("sweep")

    def break_down(*_arguments: object, **_named: object) -> None:
        raise KeyError("an error that has no class of ours")

    monkeypatch.setattr(sweep, "sweep_stage", break_down)
    with pytest.raises(KeyError):
        call("sweep", {})

    [line] = [each for each in output.lines() if each["message"] == "task"]
    assert line["outcome"] == "INTERNAL"
