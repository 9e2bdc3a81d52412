"""What Bedrock's refusals mean for us; where no name is known, the status decides.

As "Troubleshooting Amazon Bedrock API Error Codes" and the errors of InvokeModel, Converse and
Rerank in the API reference tell them apart.
"""

import re
from collections.abc import Mapping
from typing import Final

from pulsedocs.calls.failures import failure_of_status
from pulsedocs.calls.parsing import object_in
from pulsedocs.errors import (
    ModelNotEnabled,
    ProviderKeyRefused,
    ProviderQuotaExhausted,
    ProviderRefused,
    ProviderUnavailable,
    PulseDocsError,
)

_NAME: Final = re.compile(r"[A-Za-z]{1,64}", re.ASCII)
_KINDS: Final[Mapping[str, type[PulseDocsError]]] = {
    "ServiceQuotaExceededException": ProviderQuotaExhausted,
    "AccessDeniedException": ModelNotEnabled,
    "BadGatewayException": ProviderUnavailable,
    "DependencyFailedException": ProviderUnavailable,
    "InternalServerException": ProviderUnavailable,
    "ModelErrorException": ProviderUnavailable,
    "ModelNotReadyException": ProviderUnavailable,
    "ModelStreamErrorException": ProviderUnavailable,
    "ServiceUnavailableException": ProviderUnavailable,
    "ExpiredTokenException": ProviderKeyRefused,
    "IncompleteSignatureException": ProviderKeyRefused,
    "InvalidSignatureException": ProviderKeyRefused,
    "MissingAuthenticationTokenException": ProviderKeyRefused,
    "UnrecognizedClientException": ProviderKeyRefused,
}
_THROTTLED: Final = 429
_INVALID: Final = 400
# Of the messages only these words are looked for: the rest may quote the request.
_REASONS: Final = {
    "on-demand throughput": "the model is called through an inference profile: name that, eu.…",
    "too long": "the input is longer than the model reads",
    "too many input tokens": "the input is longer than the model reads",
    "too many tokens": "the input is longer than the model reads",
    "maximum context length": "the input is longer than the model reads",
}


def failure_of_answer(status: int, headers: Mapping[str, str], body: bytes) -> PulseDocsError:
    """Translate an error answer; nothing of its message is kept."""
    said = object_in(body)
    name = headers.get("x-amzn-errortype") or str(said.get("__type") or said.get("code") or "")
    message = str(said.get("message") or said.get("Message") or "")
    return failure_named(
        name.partition(":")[0].rpartition("#")[2],
        message=message,
        status=status,
        retry_after=headers.get("retry-after", ""),
    )


def failure_named(name: str, *, message: str, status: int, retry_after: str = "") -> PulseDocsError:
    """Translate an error by its name, as it begins an answer or ends a stream."""
    name = name[:1].upper() + name[1:] if _NAME.fullmatch(name) else ""
    said = f"Bedrock answered {status} {name}".rstrip()
    if name == "ModelTimeoutException":
        return ProviderUnavailable(said, reason="timeout")
    if name == "ValidationException":
        # Words of ours for what it means: the message itself may quote the request.
        spoken = message.lower()
        known = (ours for theirs, ours in _REASONS.items() if theirs in spoken)
        return ProviderRefused(f"{said}: {next(known, 'not accepted')}", status=_INVALID)
    if name in _KINDS:
        return _KINDS[name](said, status=status)
    return failure_of_status(
        _THROTTLED if name == "ThrottlingException" else status,
        detail=name,
        retry_after=retry_after,
    )
