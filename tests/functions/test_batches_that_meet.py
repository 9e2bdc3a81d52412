"""Batches that copy one object to one document: what was overtaken ends, and is counted."""

import importlib
import json
from collections.abc import Callable
from typing import Any

import pytest

from tests.functions.conftest import BUCKET, TENANT, Bucket, Context
from tests.functions.test_ingestion_functions import run_to_the_end
from tests.sample_events import sample

SOURCE = f"imports/{TENANT}/reports/log.txt"
TEXT = b"The gauge of station one is read at noon and logged before the shift ends."


def call(function: str, event: dict[str, Any]) -> Any:
    handler = importlib.import_module(f"functions.{function}.handler").handler
    return json.loads(json.dumps(handler(event, Context(function))))


def placed(act_as: Callable[..., None], bucket: Bucket, holder: str) -> tuple[str, dict[str, Any]]:
    """Start a batch, list it and place its one object; return it and what is to be claimed."""
    act_as("api")
    batch_id = json.loads(call("batches", sample("batches"))["body"])["batch_id"]
    act_as("ingest")
    event = {"detail": {"object": {"key": f"control/batch/{TENANT}/{batch_id}"}}}
    begun = call("tally", {"kind": "begin", "event": event, "execution": holder})
    listed = call("collect", {"kind": "list", "batch": begun["batch"], "after": ""})
    call("tally", {"kind": "enrol", **listed})
    left = call("tally", {"kind": "next", "batch": begun["batch"], "after": ""})
    [item] = json.loads(bucket.client.get_object(Bucket=BUCKET, Key=left["items"])["Body"].read())
    return batch_id, call("collect", {"kind": "place", "batch": begun["batch"], "item": item})


def counts(act_as: Callable[..., None], batch_id: str) -> dict[str, int]:
    act_as("api")
    event = sample("batches") | {
        "httpMethod": "GET",
        "path": f"/batches/{batch_id}",
        "resource": "/batches/{batch_id}",
        "pathParameters": {"batch_id": batch_id},
        "body": None,
    }
    return json.loads(call("batches", event)["body"])["counts"]


@pytest.mark.parametrize(
    ("claimed_first", "ends"), [(0, ["PUBLISHED", "DUPLICATE"]), (1, ["SUPERSEDED", "PUBLISHED"])]
)
def test_a_copy_that_another_batchs_copy_overtook_ends(
    act_as: Callable[..., None], bucket: Bucket, claimed_first: int, ends: list[str]
) -> None:
    """K04: both copies lie at one key before either is claimed."""
    bucket.put(SOURCE, TEXT)
    batches = [placed(act_as, bucket, holder) for holder in ("older", "newer")]

    for _, state in sorted(batches, key=lambda each: batches.index(each) != claimed_first):
        act_as("ingest")
        claimed = call("claim", {"event": state, "execution": state["holder"]})
        if claimed["work"]:
            run_to_the_end(act_as, claimed)

    found = [counts(act_as, batch_id) for batch_id, _ in batches]
    assert found == [{"PENDING": 0, end: 1} for end in ends]
