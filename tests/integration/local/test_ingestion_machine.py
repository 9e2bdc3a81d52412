"""The real state machine, interpreted, ends every document with an outcome."""

import json
import time
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

from local.wiring import wire
from pulsedocs.errors import (
    FencedOut,
    PDFCorruptedError,
    ProviderRefused,
    ProviderThrottled,
    ResourceExhausted,
    StoreUnavailable,
)
from pulsedocs.pipeline import Step
from tests.integration.local.conftest import Cloud
from tests.patience import PATIENCE, eventually

RUN = {"tenant_id": "t", "document_id": "d", "version": 1, "fence": 7}
OBJECT = {"key": "u/t/d", "version": "v", "content_type": "application/pdf", "size": 4}
BATCHES = [{"index": index, "hash": f"hash-{index}"} for index in range(6)]


class Pipeline:
    """Functions that succeed, unless a test replaces one; records what each received."""

    def __init__(self, cloud: Cloud, bucket: str, machine: str) -> None:
        self.cloud = cloud
        self.bucket = bucket
        self.machine = machine
        self.answers: dict[str, Any] = {step: {"outcome": None} for step in Step} | {
            "claim": {"work": True, "reason": None, "run": RUN, "object": OBJECT},
            "extract": {"complete": True, "pages": 9, "sha256": "s", "size": 4},
            "chunk": {"model": "m", "chunks": 600, "batches": BATCHES},
            "embed": {"vectors_key": "v"},
            "publish": {"outcome": "PUBLISHED"},
            "fail": {"outcome": "REJECTED"},
        }
        self.received: list[tuple[str, Any]] = []
        self.errors: dict[str, list[Exception]] = {}
        cloud.pool.script = {name: self._function(name) for name in self.answers}

    def _function(self, name: str) -> Any:
        def handler(event: Any) -> Any:
            self.received.append((name, event))
            if self.errors.get(name):
                raise self.errors[name].pop(0)
            return self.answers[name]

        return handler

    def upload(self, key: str = "u/t/d") -> None:
        self.cloud.aws.client("s3").put_object(Bucket=self.bucket, Key=key, Body=b"%PDF")

    def end(self) -> str:
        """Upload, wait for the execution and return its status."""
        self.upload()
        return self.await_end()

    def await_end(self) -> str:
        states = self.cloud.aws.client("stepfunctions")
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            found = states.list_executions(stateMachineArn=self.machine)["executions"]
            if found and found[0]["status"] != "RUNNING":
                return found[0]["status"]
            time.sleep(0.05)
        return "RUNNING"

    def events(self, name: str) -> list[Any]:
        return [event for function, event in self.received if function == name]

    def counts(self) -> Counter[str]:
        return Counter(name for name, _ in self.received)


@pytest.fixture
def pipeline(cloud: Cloud) -> Iterator[Pipeline]:
    bucket, states = f"ingest-{time.monotonic_ns()}", cloud.aws.client("stepfunctions")
    machine = wire(cloud.aws, bucket=bucket)
    cloud.rules += ["uploads", "failures"]
    yield Pipeline(cloud, bucket, machine)
    states.delete_state_machine(stateMachineArn=machine)


def test_an_upload_passes_every_stage(pipeline: Pipeline) -> None:
    """P-02: in order, each batch embedded and stored once."""
    assert pipeline.end() == "SUCCEEDED"

    order = [name for name, _ in pipeline.received]
    before = list(Step)[: list(Step).index(Step.EMBED)]
    before.remove(Step.RECOGNISE)  # no page of it is a picture
    assert order[: order.index("embed")] == before
    assert order[-1] == "publish"
    assert pipeline.counts()["embed"] == len(BATCHES)
    assert pipeline.counts()["store"] == len(BATCHES) + 1
    assert not pipeline.events("fail")


def test_each_function_receives_what_it_was_written_for(pipeline: Pipeline) -> None:
    """P-02: ids, keys and counts; never the text of a document."""
    pipeline.answers["chunk"] = {"model": "m", "chunks": 1, "batches": BATCHES[:1]}

    pipeline.end()

    [claimed] = pipeline.events("claim")
    assert claimed["event"]["detail"]["object"]["key"] == "u/t/d"
    assert claimed["execution"].startswith(pipeline.machine.replace("stateMachine", "execution"))
    assert pipeline.events("extract") == [{"kind": "document", "run": RUN, "object": OBJECT}]
    batch = {"run": RUN, "model": "m", "batch": BATCHES[0]}
    assert pipeline.events("store") == [
        {"run": RUN, "kind": "pages", "extracted": pipeline.answers["extract"], "recognised": []},
        {**batch, "kind": "vectors", "embedded": {"vectors_key": "v"}},
    ]
    assert pipeline.events("clean") == [{"run": RUN}]
    assert pipeline.events("chunk") == [{"run": RUN, "failure": ""}]
    assert pipeline.events("embed") == [batch]
    assert pipeline.events("publish") == [{"run": RUN}]


SENTENCES = [{"index": index, "hash": f"sentences-{index}"} for index in range(5)]
MEASURED = {"outcome": None, "model": "m", "measures": True, "sentences": SENTENCES}


def test_sentences_are_measured_before_a_semantic_document_is_cut(pipeline: Pipeline) -> None:
    """S3-07: each batch of sentences once; their distances do not pass through the state."""
    pipeline.answers |= {"clean": MEASURED, "embed": {"vectors_key": "v", "called": True}}

    assert pipeline.end() == "SUCCEEDED"

    order = [name for name, _ in pipeline.received if name in {"clean", "embed", "chunk"}]
    assert order[: len(SENTENCES) + 2] == ["clean", *["embed"] * len(SENTENCES), "chunk"]
    measured = [event for event in pipeline.events("embed") if "kind" in event]
    assert sorted(measured, key=lambda event: event["batch"]["index"]) == [
        {"kind": "sentences", "run": RUN, "model": "m", "batch": batch} for batch in SENTENCES
    ]
    assert pipeline.events("chunk") == [{"run": RUN, "failure": ""}]


def test_a_document_whose_sentences_cannot_be_measured_is_cut_without(pipeline: Pipeline) -> None:
    """S3-07: any failure of the measuring leads on to `chunk`, which learns its name."""
    pipeline.answers |= {"clean": MEASURED, "embed": {"vectors_key": "v", "called": True}}
    pipeline.errors["embed"] = [ProviderRefused("no")]

    assert pipeline.end() == "SUCCEEDED"

    assert pipeline.events("chunk") == [{"run": RUN, "failure": "ProviderRefused"}]
    assert not pipeline.events("fail")


def test_what_is_not_new_work_ends_after_the_claim(pipeline: Pipeline) -> None:
    """P-01: duplicate and reordered events end in `claim`."""
    pipeline.answers["claim"] = {"work": False, "reason": "known", "run": RUN, "object": OBJECT}

    assert pipeline.end() == "SUCCEEDED"
    assert set(pipeline.counts()) == {"claim"}


@pytest.mark.parametrize(("ending", "outcome"), [("store", "DUPLICATE"), ("clean", "EMPTY")])
def test_an_outcome_ends_the_run_early(pipeline: Pipeline, ending: str, outcome: str) -> None:
    pipeline.answers[ending] = {"outcome": outcome}

    assert pipeline.end() == "SUCCEEDED"
    assert pipeline.received[-1][0] == ending


def test_a_document_whose_vectors_all_exist_is_published_without_embedding(
    pipeline: Pipeline,
) -> None:
    pipeline.answers["chunk"] = {"model": "m", "chunks": 600, "batches": []}

    assert pipeline.end() == "SUCCEEDED"
    assert not pipeline.events("embed")
    assert len(pipeline.events("publish")) == 1


@pytest.mark.parametrize("name", ["claim", "extract", "clean", "embed", "publish"])
def test_a_retryable_error_is_retried_until_it_passes(pipeline: Pipeline, name: str) -> None:
    """P-02: nobody hears of a database that restarts or a provider that throttles."""
    pipeline.errors[name] = [StoreUnavailable("away"), ProviderThrottled("slow down")]

    assert pipeline.end() == "SUCCEEDED"
    assert not pipeline.events("fail")
    assert len(pipeline.events("publish")) == (3 if name == "publish" else 1)


@pytest.mark.parametrize("name", ["extract", "store", "embed", "publish"])
def test_any_other_error_is_recorded_with_its_name(pipeline: Pipeline, name: str) -> None:
    """P-02: the reason reaches `fail` with the run it belongs to."""
    pipeline.errors[name] = [FencedOut("a newer run")] * 9

    assert pipeline.end() == "SUCCEEDED"
    [event] = pipeline.events("fail")
    assert event["run"] == RUN
    assert event["error"]["Error"] == "FencedOut"
    assert json.loads(event["error"]["Cause"])["errorMessage"] == "a newer run"


def test_a_batch_of_a_run_that_a_deletion_overtook_is_told_in_short(
    pipeline: Pipeline, caplog: pytest.LogCaptureFixture
) -> None:
    """It is a normal event: moto writes out what it knows of the state, up to 15 kB."""
    pipeline.errors["embed"] = [FencedOut("a newer run")] * 9

    pipeline.end()

    said = [record.getMessage() for record in caplog.records if record.name.startswith("moto")]
    assert any("FencedOut" in each and "a newer run" in each for each in said)
    assert max(map(len, said)) <= 300


@pytest.fixture
def large(pipeline: Pipeline) -> Pipeline:
    """Make `extract` tell of a document whose six ranges are still to be read."""
    ranges = [{"first": 1 + 500 * n, "last": 500 * (n + 1)} for n in range(6)]
    opened = {"pages": 3_000, "parts": [], "ranges": ranges, "complete": False}

    def extract(event: Any) -> Any:
        pipeline.received.append(("extract", event))
        if event["kind"] == "range":
            if pipeline.errors.get("range"):
                raise pipeline.errors["range"].pop(0)
            return event["range"]
        return opened | {"complete": event["kind"] == "gather"}

    pipeline.cloud.pool.script["extract"] = extract
    return pipeline


def test_the_ranges_of_a_large_document_are_read_and_gathered(large: Pipeline) -> None:
    """P-02: each range once, by page numbers alone."""
    assert large.end() == "SUCCEEDED"

    kinds = Counter(event["kind"] for event in large.events("extract"))
    assert kinds == {"document": 1, "range": 6, "gather": 1}
    [gathered] = [event for event in large.events("extract") if event["kind"] == "gather"]
    assert gathered["read"] == gathered["extracted"]["ranges"]
    # The Map starts five at once: which of them arrives first is nobody's promise.
    assert {
        "kind": "range",
        "run": RUN,
        "object": OBJECT,
        "range": {"first": 1, "last": 500},
    } in large.events("extract")


def test_a_lost_range_reaches_the_gathering_and_its_siblings_are_kept(large: Pipeline) -> None:
    """K08: the reader died; no other range is read again, and nothing fails yet."""
    large.errors["range"] = [ResourceExhausted("no time left")]

    assert large.end() == "SUCCEEDED"

    [gathered] = [event for event in large.events("extract") if event["kind"] == "gather"]
    lost = [item for item in gathered["read"] if item.get("lost")]
    assert len(gathered["read"]) == 6
    assert [item["lost"] for item in lost] == ["ResourceExhausted"]
    assert {"first", "last"} < set(lost[0])
    assert not large.events("fail")


def test_a_range_of_a_damaged_file_ends_the_document(large: Pipeline) -> None:
    large.errors["range"] = [PDFCorruptedError("neither parser can open it")]

    assert large.end() == "SUCCEEDED"

    [failed] = large.events("fail")
    assert failed["error"]["Error"] == "PDFCorruptedError"


SCANS = [{"first": 2, "last": 21}, {"first": 40, "last": 40}]


@pytest.fixture
def scanned(pipeline: Pipeline) -> Pipeline:
    """Make `extract` tell of pages that are pictures."""
    pipeline.answers["extract"] = {**pipeline.answers["extract"], "scans": SCANS}

    def recognise(event: Any) -> Any:
        pipeline.received.append(("recognise", event))
        if pipeline.errors.get("recognise"):
            raise pipeline.errors["recognise"].pop(0)
        return event["range"]

    pipeline.cloud.pool.script["recognise"] = recognise
    return pipeline


def test_pages_that_are_pictures_are_recognised_before_they_are_stored(scanned: Pipeline) -> None:
    assert scanned.end() == "SUCCEEDED"

    asked = sorted(scanned.events("recognise"), key=lambda event: event["range"]["first"])
    assert asked == [{"run": RUN, "object": OBJECT, "range": scan} for scan in SCANS]
    assert scanned.events("store")[0]["recognised"] == SCANS


def test_pictures_that_kill_the_engine_cost_themselves_only(scanned: Pipeline) -> None:
    scanned.errors["recognise"] = [ResourceExhausted("no memory left")]

    assert scanned.end() == "SUCCEEDED"

    recognised = scanned.events("store")[0]["recognised"]
    assert sorted(item.get("lost", "") for item in recognised) == ["", "ResourceExhausted"]
    assert not scanned.events("fail")


def test_a_failed_claim_is_recorded_from_its_event(pipeline: Pipeline) -> None:
    pipeline.errors["claim"] = [ValueError("odd key")]

    assert pipeline.end() == "SUCCEEDED"
    [event] = pipeline.events("fail")
    assert set(event) == {"event", "execution", "error"}
    assert event["execution"] == pipeline.events("claim")[0]["execution"]
    assert event["event"] == pipeline.events("claim")[0]["event"]
    assert event["error"]["Error"] == "ValueError"


@pytest.mark.parametrize("outcome", ["FAILED", "PARKED"])
def test_what_needs_a_person_fails_the_execution(pipeline: Pipeline, outcome: str) -> None:
    pipeline.answers["fail"] = {"outcome": outcome}
    pipeline.errors["chunk"] = [ValueError("bug")]

    assert pipeline.end() == "FAILED"


def test_a_run_that_nothing_caught_is_recorded_through_the_status_rule(pipeline: Pipeline) -> None:
    """P-02: even when `fail` itself failed inside the execution."""
    pipeline.errors["chunk"] = [ValueError("bug")]
    pipeline.errors["fail"] = [ValueError("fail is broken too")]

    assert pipeline.end() == "FAILED"
    assert eventually(lambda: len(pipeline.events("fail")) == 2)

    status = pipeline.events("fail")[1]
    assert status["detail"]["status"] == "FAILED"
    assert json.loads(status["detail"]["input"])["detail"]["object"]["key"] == "u/t/d"


def test_a_control_object_starts_a_run_too(pipeline: Pipeline) -> None:
    pipeline.upload("open/t/d")
    pipeline.upload("control/ingest/t/d")

    assert pipeline.await_end() == "SUCCEEDED"
    assert [
        claimed["event"]["detail"]["object"]["key"] for claimed in pipeline.events("claim")
    ] == ["control/ingest/t/d"]
