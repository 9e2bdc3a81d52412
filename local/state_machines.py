"""What moto's Step Functions leaves out: status events, and waits short enough for a test.

It also reads a definition for every execution, and keeps each for ever; here all executions of one
definition share what was read, and few of those that ended are kept.
"""

import time
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from functools import cache
from threading import Thread
from types import SimpleNamespace
from typing import Any, Final, cast
from unittest.mock import patch
from uuid import uuid4

from moto.stepfunctions.parser import utils
from moto.stepfunctions.parser.asl.component.common.retry import retrier_decl
from moto.stepfunctions.parser.asl.parse.asl_parser import AmazonStateLanguageParser
from moto.stepfunctions.parser.asl.utils import json_path
from moto.stepfunctions.parser.backend.execution import BaseExecutionWorkerCommunication
from moto.stepfunctions.responses import get_backend

from local.deliveries import Deliveries
from local.event_bridge import deliver

KEPT: Final = 100
"""Of a machine's executions, the last that ended can still be looked at; AWS's, for 90 days."""


@contextmanager
def scaled_retries(scale: float) -> Generator[None]:
    """Multiply the pause before each retry; the order and the number of attempts stay."""

    def sleep(seconds: float) -> None:
        time.sleep(seconds * scale)

    with patch.object(retrier_decl, "time", SimpleNamespace(sleep=sleep)):
        yield


_definition: Callable[[str], Any] = cache(AmazonStateLanguageParser.parse)
_path: Callable[[str], Any] = cache(cast("Any", json_path).parse)


@contextmanager
def read_once() -> Generator[None]:
    """Parse a definition, and a path in it, once in a process.

    Parsing took two thirds of what a document costs here, .4 s of a processor. Executions may share
    what comes of it: what one has counted and computed is in its own environment.
    """
    with (
        patch.object(AmazonStateLanguageParser, "parse", _definition),
        patch.object(json_path, "parse", _path),
    ):
        yield


@contextmanager
def status_events(deliveries: Deliveries) -> Generator[None]:
    """Send "Step Functions Execution Status Change" when an execution ends; moto never does.

    One that ends because the stage stops has not ended: it starts over with the next stage.
    """
    original: Callable[[Any], None] = BaseExecutionWorkerCommunication.terminated

    def terminated(self: Any) -> None:  # noqa: ANN401 -- moto's
        original(self)
        execution = self.execution
        if deliveries.is_closed:
            return
        deliver(
            status_event(execution), account_id=execution.account_id, region=execution.region_name
        )
        deliveries.has_ended(execution.name)
        _let_go_of_old_ones(execution)

    with patch.object(BaseExecutionWorkerCommunication, "terminated", terminated):
        yield


def _let_go_of_old_ones(execution: Any) -> None:  # noqa: ANN401 -- moto's Execution
    """Drop what ended before the newest: a small document's execution holds .1 MB.

    moto has them in the order in which they began: one that ran for long would go as it ends.
    """
    backend: Any = get_backend(execution.account_id, execution.region_name)
    for machine in backend.state_machines:  # none is left of a stage that has stopped meanwhile
        held = machine.executions
        ended = [each for each in held if each.stop_date is not None]
        for old in sorted(ended, key=lambda each: each.stop_date)[:-KEPT]:
            with suppress(ValueError):  # another that ends at the same time has dropped it
                held.remove(old)
    # A thread of each step, with all that it ran on.
    threads = cast("list[Thread]", cast("Any", utils).TMP_THREADS)
    for thread in [each for each in threads if not each.is_alive()]:
        with suppress(ValueError):
            threads.remove(thread)


def status_event(execution: Any) -> dict[str, Any]:  # noqa: ANN401 -- moto's Execution
    """Return the event for an execution's present status."""
    return {
        "version": "0",
        "id": str(uuid4()),
        "detail-type": "Step Functions Execution Status Change",
        "source": "aws.states",
        "account": execution.account_id,
        "time": datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "region": execution.region_name,
        "resources": [execution.exec_arn],
        "detail": {
            "executionArn": execution.exec_arn,
            "stateMachineArn": execution.state_machine.arn,
            "name": execution.name,
            "status": execution.status,
            "startDate": _milliseconds(execution.start_date),
            "stopDate": _milliseconds(execution.stop_date),
            "input": execution.execution_input,
            "output": None,
            "error": execution.error,
            "cause": execution.cause,
        },
    }


def _milliseconds(moment: datetime | None) -> int | None:
    return None if moment is None else int(moment.timestamp() * 1000)
