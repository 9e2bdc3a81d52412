"""Hands events to functions and state machines: each at least once, a limited number at once."""

import json
import logging
import threading
from collections import defaultdict
from collections.abc import Callable, Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Final
from uuid import uuid4

from moto.stepfunctions.responses import get_backend

from local.fair_queue import FairQueue, tenant_of
from local.outbox import Delivery, Outbox

InvokeLater = Callable[[str, bytes, Callable[[], None]], None]
# Executions of one machine that run at once. Two workers of each function take their steps in turn:
# with 16 no step waits so long for a worker that its claim, which lasts 15 minutes, runs out.
_RUNNING: Final = 16
# Of one tenant's: a document of another begins at once, although twelve long ones run.
_OF_A_TENANT: Final = 12
_log = logging.getLogger(__name__)


class Deliveries:
    """What was accepted waits in the outbox until it has ended."""

    def __init__(self, outbox: Outbox, invoke_later: InvokeLater) -> None:
        self._outbox = outbox
        self._invoke_later = invoke_later
        self._lock = threading.Lock()
        self._machines: defaultdict[str, FairQueue[Delivery]] = defaultdict(
            lambda: FairQueue(_RUNNING, each=_OF_A_TENANT)
        )
        self._started: dict[str, Delivery] = {}
        self._background: ThreadPoolExecutor | None = None

    @contextmanager
    def under_way(self) -> Generator[None]:
        """Deliver in the background until the context ends."""
        with ThreadPoolExecutor(1, "deliveries") as self._background:
            yield
            self.close()

    @property
    def is_closed(self) -> bool:
        return self._outbox.is_closed

    def close(self) -> None:
        """Leave what has not ended for the next start."""
        self._outbox.close()

    def take(self, target: str, event: bytes) -> None:
        """Accept an event for a function, a state machine or a queue."""
        name = f"{json.loads(event).get('id', uuid4())}_{uuid4()}"
        self._pass_on(self._outbox.add(name, target=target, event=event))

    def take_up(self) -> int:
        """Deliver again what had not ended when the process did; return how many there are."""
        left = self._outbox.left()
        for delivery in left:
            self._pass_on(delivery)
        return len(left)

    def are_there(self) -> bool:
        return bool(self._outbox.left())

    def has_queue(self) -> bool:
        """Say whether an execution waits for another to end before it begins."""
        with self._lock:
            return any(map(len, self._machines.values()))

    def has_ended(self, name: str) -> None:
        """Let go of an execution, and start one that waits in its place."""
        self._outbox.end(name)
        with self._lock:
            ended = self._started.pop(name, None)
            if ended is None:  # started by hand
                return
            self._machines[ended.target].release(tenant_of(ended.event))
        self._submit(ended.target)

    def _pass_on(self, delivery: Delivery) -> None:
        if delivery.target.split(":")[2] == "states":
            with self._lock:
                self._machines[delivery.target].add(tenant_of(delivery.event), delivery)
            self._submit(delivery.target)
        elif self._background is not None:
            self._background.submit(self._send, delivery)

    def _submit(self, machine: str) -> None:
        if self._background is not None and not self.is_closed:
            self._background.submit(self._start_waiting, machine)

    def _start_waiting(self, machine: str) -> None:
        while not self.is_closed:
            with self._lock:
                delivery = self._machines[machine].take()
                if delivery is None:
                    return
                self._started[delivery.name] = delivery
            region, account_id = delivery.target.split(":")[3:5]
            try:
                # By name: moto answers a second unnamed execution with ExecutionAlreadyExists.
                get_backend(account_id, region).start_execution(
                    state_machine_arn=delivery.target,
                    name=delivery.name,
                    execution_input=delivery.event,
                )
            except Exception:  # noqa: BLE001 -- logged: nobody waits for the outcome
                _log.exception("target %s did not take an event", machine)
                self.has_ended(delivery.name)

    def _send(self, delivery: Delivery) -> None:
        name, event = delivery.name, delivery.event.encode()
        if self.is_closed:
            return
        service, region, account_id, queue = delivery.target.split(":")[2:6]
        try:
            if service == "lambda":
                self._invoke_later(delivery.target, event, lambda: self._outbox.end(name))
                return
            from moto.sqs.models import sqs_backends  # noqa: PLC0415 -- the local stage has no queue

            # moto expects the time of its own events, a number, so it cannot be the target itself.
            sqs_backends[account_id][region].send_message(queue, delivery.event)
        except Exception:  # noqa: BLE001 -- logged: nobody waits for the outcome
            _log.exception("target %s did not take an event", delivery.target)
        self._outbox.end(name)
