"""The events that start a function or a state machine, for CDK, the local stage and the tests.

Free of CDK, as `infra.functions` is. A function that a new object starts says so in its row there
(`started_by`); the state machines say it here.
"""

from typing import Any, Final

Pattern = dict[str, Any]

STARTS_INGESTION: Final = ("u/", "control/ingest/")
STARTS_BATCH: Final = "control/batch/"
STARTS_MODELS: Final = ("control/probe/", "control/backfill/")
COPIED: Final = "CopyObject"
"""The reason in the event of a copy. Whoever copies says itself who goes on with the bytes."""
ENDED_BADLY: Final = ("FAILED", "TIMED_OUT", "ABORTED")


def new_object(bucket: str, *prefixes: str, copies: bool = True) -> Pattern:
    """Return the pattern of an object that appears below one of the prefixes."""
    return {
        "source": ["aws.s3"],
        "detail-type": ["Object Created"],
        "detail": {
            "bucket": {"name": [bucket]},
            "object": {"key": [{"prefix": prefix} for prefix in prefixes]},
        }
        | ({} if copies else {"reason": [{"anything-but": COPIED}]}),
    }


def bad_end(machine: str) -> Pattern:
    """Return the pattern of an execution of the machine (an ARN) that did not succeed."""
    return {
        "source": ["aws.states"],
        "detail-type": ["Step Functions Execution Status Change"],
        "detail": {"stateMachineArn": [machine], "status": list(ENDED_BADLY)},
    }
