"""What can go wrong between us and a provider, and which error each of it must become."""

import logging
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass

import pytest

from pulsedocs.errors import (
    ProviderKeyRefused,
    ProviderMalformed,
    ProviderQuotaExhausted,
    ProviderRefused,
    ProviderThrottled,
    ProviderUnavailable,
    PulseDocsError,
)
from pulsedocs.model.deadline import Deadline
from tests.contract.fake_openai_server import (
    Behaviour,
    FakeOpenAIServer,
    closed_early,
    cut_json,
    dripping_body,
    dripping_headers,
    failing,
    reset,
    saying,
    silent,
)
from tests.patience import HELD_UP

PRIVATE = "the patient's private words"


@dataclass(frozen=True, slots=True)
class Fault:
    """A behaviour of the server; `tries` is how many requests it may cost."""

    name: str
    behaviour: Behaviour
    error: type[PulseDocsError]
    tries: int = 1
    patience_seconds: float = 10.0


FAULTS = [
    Fault("429-patience", failing(429, headers={"Retry-After": "60"}), ProviderThrottled),
    Fault("429-twice", failing(429, headers={"Retry-After": "0"}), ProviderThrottled, tries=2),
    Fault("429-quota", failing(429, code="insufficient_quota"), ProviderQuotaExhausted),
    Fault("402", failing(402), ProviderQuotaExhausted),
    Fault("401", failing(401, code="invalid_api_key"), ProviderKeyRefused),
    Fault("403", failing(403), ProviderKeyRefused),
    Fault("404", failing(404, code="model_not_found"), ProviderRefused),
    Fault("redirect", failing(307, headers={"Location": "/elsewhere"}), ProviderRefused),
    Fault("500", failing(500), ProviderUnavailable, tries=2),
    Fault("503", failing(503), ProviderUnavailable, tries=2),
    Fault("closed-early", closed_early, ProviderUnavailable, tries=2),
    Fault("reset", reset, ProviderUnavailable, tries=2),
    Fault("silent", silent, ProviderUnavailable, patience_seconds=0.4),
    Fault("dripping-body", dripping_body, ProviderUnavailable, patience_seconds=0.4),
    Fault("dripping-headers", dripping_headers, ProviderUnavailable, patience_seconds=0.4),
    Fault("html", saying(b"<html>hello</html>", content_type="text/html"), ProviderMalformed),
    Fault("empty-body", saying(b""), ProviderMalformed),
    Fault("null", saying(b"null"), ProviderMalformed),
    Fault("not-utf8", saying(b'{"data": "\xff"}'), ProviderMalformed),
    Fault("deep-json", saying(b"[" * 100_000), ProviderMalformed),
    Fault("cut-json", cut_json, ProviderMalformed),
    Fault("huge", saying(b'{"data": "' + b"x" * 33 * 1024 * 1024), ProviderMalformed),
]


def expect_error(
    fault: Fault,
    call: Callable[[Deadline], object],
    *,
    server: FakeOpenAIServer,
    caplog: pytest.LogCaptureFixture,
    key: str,
    building_seconds: float = 0,
) -> None:
    """Expect one typed error of a call about `PRIVATE`: after as many requests, in time, discreet.

    At the most talkative log level, with the error's causes and context.
    """
    caplog.set_level(logging.DEBUG)
    server.script(*[fault.behaviour] * 3)
    began = time.monotonic()

    with pytest.raises(fault.error) as caught:
        call(Deadline.after(fault.patience_seconds + 2 * building_seconds))

    assert len(server.requests) == fault.tries
    assert time.monotonic() - began < fault.patience_seconds + 4 * building_seconds + HELD_UP
    logged = f"{caplog.text} {[vars(record) for record in caplog.records]}"
    said = logged + "".join(traceback.format_exception(caught.value)) + f"{caught.value.context}"
    assert key not in said
    assert PRIVATE not in said
