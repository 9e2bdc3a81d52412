"""EventBridge rules that reach state machines and functions: moto knows neither target.

moto's `Rule.send_to_targets` raises NotImplementedError for both, and S3 swallows it, so that an
upload would start nothing and nobody would know.
"""

import copy
import json
import logging
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from typing import Any, Final
from unittest.mock import patch

from moto.events.models import Rule, events_backends

Take = Callable[[str, bytes], None]
_OURS: Final = frozenset({"states", "lambda", "sqs"})
_log = logging.getLogger(__name__)


@contextmanager
def real_targets(take: Take) -> Generator[None]:
    """Hand events for `states`, `lambda` and `sqs` targets to `take`, with the target's ARN."""
    original = Rule.send_to_targets

    def send(rule: Any, event: Any, transform_input: bool = True) -> None:  # noqa: ANN401, FBT001, FBT002 -- moto's signature
        # A schedule has no pattern, and moto would send it every event.
        pattern = rule.event_pattern
        if rule.state != "ENABLED" or not pattern.get_pattern() or not pattern.matches_event(event):
            return
        ours = [target for target in rule.targets if target["Arn"].split(":")[2] in _OURS]
        for target in ours:
            take(target["Arn"], str(target.get("Input") or json.dumps(event)).encode())
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
