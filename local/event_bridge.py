"""EventBridge rules that reach state machines and functions: moto knows neither target.

moto's `Rule.send_to_targets` raises NotImplementedError for both, and S3 swallows it, so that an
upload would start nothing and nobody would know.
"""

import copy
import json
import logging
from collections.abc import Callable, Generator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, Final
from unittest.mock import patch
from uuid import uuid4

from moto.events.models import Rule, events_backends
from moto.stepfunctions.responses import get_backend

Invoke = Callable[[str, bytes], None]
_OURS: Final = frozenset({"states", "lambda", "sqs"})
_log = logging.getLogger(__name__)


@contextmanager
def real_targets(invoke_later: Invoke) -> Generator[None]:
    """Deliver to `states`, `lambda` and `sqs` targets, in the background as AWS does."""
    original = Rule.send_to_targets
    with ThreadPoolExecutor(1, "event-bridge") as background:

        def send(rule: Any, event: Any, transform_input: bool = True) -> None:  # noqa: ANN401, FBT001, FBT002 -- moto's signature
            if rule.state != "ENABLED" or not _hears(rule, event):
                return
            ours = [target for target in rule.targets if _service(target) in _OURS]
            for target in ours:
                background.submit(_deliver_to, target["Arn"], _input(target, event), invoke_later)
            others = copy.copy(rule)
            others.targets = [target for target in rule.targets if target not in ours]
            original(others, event, transform_input)

        with patch.object(Rule, "send_to_targets", send):
            yield


def deliver(event: Mapping[str, Any], *, account_id: str, region: str) -> None:
    """Offer an event to every rule; one that fails does not keep it from the others."""
    for bus in events_backends[account_id][region].event_buses.values():
        for rule in list(bus.rules.values()):
            offer: Callable[..., None] = rule.send_to_targets
            try:
                offer(copy.deepcopy(event), transform_input=False)
            except Exception:  # noqa: BLE001 -- logged: a broken target is no fault of the writer
                _log.exception("rule %s did not take %s", rule.name, event["detail-type"])


def _hears(rule: Any, event: Mapping[str, Any]) -> bool:  # noqa: ANN401 -- moto's
    """Say whether a rule is told: a schedule has no pattern, and moto would tell it everything."""
    return bool(rule.event_pattern.get_pattern()) and rule.event_pattern.matches_event(event)


def _service(target: Mapping[str, Any]) -> str:
    return target["Arn"].split(":")[2]


def _input(target: Mapping[str, Any], event: Mapping[str, Any]) -> bytes:
    return str(target.get("Input") or json.dumps(event)).encode()


def _deliver_to(arn: str, event: bytes, invoke_later: Invoke) -> None:
    try:
        match arn.split(":")[2]:
            case "lambda":
                invoke_later(arn, event)
            case "sqs":
                _send(arn, event)
            case _:
                _start_execution(arn, event)
    except Exception:  # noqa: BLE001 -- logged: nobody waits for the outcome
        _log.exception("target %s did not take an event", arn)


def _send(arn: str, event: bytes) -> None:
    """Put an event into a queue: moto expects the time of its own events, a number."""
    from moto.sqs.models import sqs_backends  # noqa: PLC0415 -- the local stage has no queue

    region, account_id, name = arn.split(":")[3:]
    sqs_backends[account_id][region].send_message(name, event.decode())


def _start_execution(arn: str, event: bytes) -> None:
    """Start a named execution: moto answers the second unnamed one with ExecutionAlreadyExists."""
    region, account_id = arn.split(":")[3:5]
    name = f"{json.loads(event).get('id', uuid4())}_{uuid4()}"
    get_backend(account_id, region).start_execution(
        state_machine_arn=arn, name=name, execution_input=event.decode()
    )
