"""The three state machines, as they are deployed, run locally and drawn in the docs.

`*.asl.json` beside this file are their definitions, in which a task names its retry policy,
`"Retry": "patient"`, and the state that every failure goes to, `"Catch": "Fail"`. What is returned
here has the policies of `infra.machines.retries` and the catchers in place of the names. Free of
CDK: the local stage runs the same.
"""

import json
from pathlib import Path
from typing import Any, Final

from infra.machines.retries import POLICIES

DOCUMENTS: Final = "Documents"
"""The state of the machine of batches that ingests one document for each object."""

State = dict[str, Any]


def ingest_machine() -> State:
    """Return the machine that takes an object of the bucket to a searchable document."""
    return _expanded("ingest")


def models_machine() -> State:
    """Return the machine that probes an embedding model, or fills one in."""
    return _expanded("models")


def batch_machine(*, max_concurrency: int) -> State:
    """Return the machine of batches, with at most so many documents in flight.

    The ingestion of one document is inside it: what its states say for an upload they say for an
    object of a batch.
    """
    machine = _expanded("batch")
    documents = machine["States"][DOCUMENTS]
    documents["MaxConcurrency"] = max_concurrency
    # A child execution has no event of its own: the object is its input. The batch's execution
    # holds the runs, so that its end frees them.
    ingestion = ingest_machine()["States"]
    child = {"event.$": "$", "execution.$": "$.holder"}
    ingestion["Claim"]["Parameters"]["Payload"] = child
    ingestion["FailClaim"]["Parameters"]["Payload"] = child | {"error.$": "$.error"}
    # Such a claim may have left no rows: then the object of the batch keeps the reason.
    ingestion["FailClaim"] |= {"ResultPath": None, "OutputPath": "$", "Next": "Refuse"}
    children = documents["ItemProcessor"]["States"] | ingestion
    documents["ItemProcessor"]["States"] = {
        name: _without_output(state) for name, state in children.items()
    }
    return machine


def _expanded(name: str) -> State:
    written = Path(__file__).with_name(f"{name}.asl.json").read_text("utf-8")

    def expand(state: State) -> State:
        if "Retry" in state:
            state["Retry"] = POLICIES[state["Retry"]]
        if isinstance(target := state.get("Catch"), str):
            # States.ALL is every error but that of a state that has grown beyond 256 KB.
            state["Catch"] = [
                {"ErrorEquals": [error], "ResultPath": "$.error", "Next": target}
                for error in ("States.DataLimitExceeded", "States.ALL")
            ]
        return state

    return json.loads(written, object_hook=expand)


def _without_output(state: State) -> State:
    """Let a child end with nothing: 2,000 outputs together would outgrow a state's 256 KB."""
    if state["Type"] in {"Succeed", "Fail"}:  # a document that failed is recorded as failed
        return {"Comment": state["Comment"], "Type": "Pass", "Result": {}, "End": True}
    return state | {"OutputPath": None} if state.get("End") else state
