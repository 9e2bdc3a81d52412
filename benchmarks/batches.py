"""How a batch of small texts goes through a whole local stage: `python -m benchmarks batches`.

Every function runs in processes of its own, S3 and Step Functions are moto's, on the same cores;
vectors are hashes of words, so that nothing waits for a model. What carries over to AWS is the
work per document: invocations, their CPU, S3 requests and the bound on documents in flight.
`batches=2000` takes another number of documents.
"""

import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Generator
from contextlib import contextmanager
from itertools import accumulate
from pathlib import Path
from typing import Any
from unittest.mock import patch

import httpx
import psycopg

from local.models import ensure_models
from local.stage import BUCKET, Stage
from local.upload_gate import UploadGate
from local.workers import Observed

DOCUMENTS = 1000
CONCURRENCY = 4
_SETTINGS = {"EMBEDDING_MODEL": "memory:hashing@384", "RERANKER_MODEL": "memory:overlap"}
_BESIDE_DOCUMENTS = frozenset({"tally", "batches", "authorize"})
_POLL_SECONDS = 1.0
_S3 = {"GET": "reads", "HEAD": "reads", "PUT": "writes", "POST": "writes", "DELETE": "deletes"}


def run(number: Path = Path(str(DOCUMENTS))) -> dict[str, Any]:
    """Return documents a second, what each took, and whether anything ran twice or failed."""
    documents = int(number.name)
    with (
        tempfile.TemporaryDirectory() as work,
        Stage(
            Path(work),
            model_directory=ensure_models(),
            settings=_SETTINGS,
            batch_concurrency=CONCURRENCY,
        ) as stage,
    ):
        _shelve(stage, "warm", 20)
        _ingest(stage, "warm")
        _shelve(stage, "reports", documents)
        with _counted_requests() as requests, stage.pool.observing() as seen:
            status, seconds = _ingest(stage, "reports")
        fresh = _report(status, seconds, seen, requests)
        with _counted_requests() as requests, stage.pool.observing() as seen:
            status, seconds = _ingest(stage, "reports")
        unchanged = _report(status, seconds, seen, requests)
        # How often the work of an object was done: versions, and runs of a version.
        with psycopg.connect(stage.database_url, options="-c search_path=pulsedocs") as connection:
            row = connection.execute(
                "SELECT count(*), sum(fence) FROM document_version AS version"
                " JOIN document USING (tenant_id, document_id)"
                " WHERE document.source LIKE '%/reports/%'"
            ).fetchone()
        versions, runs = row or (0, 0)
        return {
            "documents": documents,
            "max_concurrency": CONCURRENCY,
            "fresh": fresh
            | {
                "versions_per_upload": float(versions) / documents,
                "effect_executions_per_upload": float(runs) / documents,
            },
            "unchanged": unchanged,
        }


def _shelve(stage: Stage, folder: str, count: int) -> None:
    s3 = stage.aws.client("s3")
    for number in range(count):
        text = "\n\n".join(
            f"{folder} {number}, section {part}. The gauge of station {number * 7 + part} is read"
            f" at {part + 3} o'clock, and {number} bar are logged before the shift ends."
            for part in range(8)
        )
        key = f"imports/{stage.tenant_id}/{folder}/{number:05}.txt"
        s3.put_object(Bucket=BUCKET, Key=key, Body=text.encode())


def _ingest(stage: Stage, folder: str) -> tuple[dict[str, Any], float]:
    """Start a batch over a folder and wait for its end; return its status and the seconds."""
    headers = {"Authorization": f"Bearer {stage.token()}"}
    prefix = f"s3://{BUCKET}/imports/{stage.tenant_id}/{folder}/"
    with httpx.Client(base_url=stage.url, headers=headers, timeout=60, trust_env=False) as http:
        started = time.monotonic()
        answer = http.post("/ingest/batch", json={"s3_prefix": prefix}).raise_for_status()
        address = f"/batches/{answer.json()['batch_id']}"
        while True:
            status = http.get(address).raise_for_status().json()
            if status["state"] in {"FINISHED", "INCOMPLETE"}:
                return status, time.monotonic() - started
            time.sleep(_POLL_SECONDS)


@contextmanager
def _counted_requests() -> Generator[Counter[str]]:
    """Count the requests for objects of the stage's bucket, listings among the writes."""
    counted: Counter[str] = Counter()
    original = UploadGate.__call__

    def call(gate: UploadGate, environ: Any, start_response: Any) -> Any:  # noqa: ANN401 -- WSGI's
        if environ["PATH_INFO"].startswith(f"/{BUCKET}"):
            is_listing = "list-type=2" in environ.get("QUERY_STRING", "")
            kind = "listings" if is_listing else _S3.get(environ["REQUEST_METHOD"], "others")
            counted[kind] += 1
        return original(gate, environ, start_response)

    with patch.object(UploadGate, "__call__", call):
        yield counted


def _report(
    status: dict[str, Any], seconds: float, seen: list[Observed], requests: Counter[str]
) -> dict[str, Any]:
    steps = [each for each in seen if each.function not in _BESIDE_DOCUMENTS | {"documents"}]
    calls = Counter(each.function for each in seen)
    documents = status["total"]
    cpu: defaultdict[str, float] = defaultdict(float)
    for each in seen:
        cpu[each.function] += each.cpu_seconds or 0.0
    moments = sorted([(each.started, 1) for each in steps] + [(each.ended, -1) for each in steps])
    running = accumulate(change for _, change in moments)
    return {
        "state": status["state"],
        "counts": status["counts"],
        "failures": len(status["failures"]),
        "seconds": round(seconds, 1),
        "documents_per_second": round(status["total"] / seconds, 2),
        "peak_steps_at_once": max(running, default=0),
        "invocations_per_document": {
            name: round(count / documents, 4) for name, count in sorted(calls.items())
        },
        "cpu_milliseconds_per_document": {
            name: round(1000 * spent / documents, 2) for name, spent in sorted(cpu.items())
        },
        "s3_requests_per_document": {
            kind: round(count / documents, 3) for kind, count in sorted(requests.items())
        },
    }
