"""The state machine of batches: `batch.asl.json`, with the ingestion of one document inside it.

Free of CDK: the local stage composes the same machine. The states of `ingest.asl.json` are not
copied into a file: what they say for an upload they say for an object of a batch.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from infra.config import DEFINITION

BATCH_DEFINITION: Final = Path(__file__).with_name("batch.asl.json")
DOCUMENTS: Final = "Documents"

State = dict[str, Any]


def batch_machine(*, max_concurrency: int) -> dict[str, Any]:
    """Return the machine with at most so many documents in flight."""
    machine = json.loads(BATCH_DEFINITION.read_text("utf-8"))
    documents = machine["States"][DOCUMENTS]
    documents["MaxConcurrency"] = max_concurrency
    children = documents["ItemProcessor"]["States"] | _ingestion()
    documents["ItemProcessor"]["States"] = {
        name: _without_output(state) for name, state in children.items()
    }
    return machine


def _without_output(state: State) -> State:
    """Let a child end with nothing: 2,000 outputs together would outgrow a state's 256 KB."""
    if state["Type"] in {"Succeed", "Fail"}:  # a document that failed is recorded as failed
        return {"Comment": state["Comment"], "Type": "Pass", "Result": {}, "End": True}
    return state | {"OutputPath": None} if state.get("End") else state


def _ingestion() -> Mapping[str, State]:
    """Return the states of one document as those of a child, which has no event of its own.

    The batch's execution holds the runs, so that its end frees them.
    """
    states: dict[str, State] = json.loads(DEFINITION.read_text("utf-8"))["States"]
    states["Claim"]["Parameters"]["Payload"] = {"event.$": "$", "execution.$": "$.holder"}
    states["FailClaim"]["Parameters"]["Payload"] = {
        "event.$": "$",
        "execution.$": "$.holder",
        "error.$": "$.error",
    }
    return states
