"""What can go wrong between us and a provider, and which error each of it must become."""

from dataclasses import dataclass

from pulsedocs.errors import (
    ProviderKeyRefused,
    ProviderMalformed,
    ProviderQuotaExhausted,
    ProviderRefused,
    ProviderThrottled,
    ProviderUnavailable,
    PulseDocsError,
)
from tests.contract.fake_openai_server import (
    Behaviour,
    closed_early,
    cut_json,
    dripping_body,
    dripping_headers,
    failing,
    reset,
    saying,
    silent,
)


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
