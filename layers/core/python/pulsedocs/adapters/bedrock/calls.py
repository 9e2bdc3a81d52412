"""One call to Bedrock: botocore writes and signs it, `pulsedocs.calls` sends and bounds it.

A boto3 client has one timeout for all its calls, counts it from byte to byte and reads an answer of
any size. Its event `before-send` lets us send what it has signed, within what remains of the
request's deadline, and read the answer ourselves.
"""

import logging
from collections.abc import Callable, Generator, Iterator
from threading import local
from typing import Any, Final, Literal, TypeVar, cast

import boto3
from botocore.awsrequest import AWSPreparedRequest, AWSResponse
from botocore.client import BaseClient
from botocore.compat import HTTPHeaders
from botocore.config import Config
from botocore.exceptions import BotoCoreError, NoCredentialsError, ParamValidationError

from pulsedocs.adapters.bedrock.failures import failure_of_answer
from pulsedocs.calls.answers import Whole
from pulsedocs.calls.http import HttpAnswer, HttpClient, HttpRequest
from pulsedocs.calls.limits import CallLimits
from pulsedocs.calls.provider import ProviderCalls
from pulsedocs.errors import (
    ConfigurationError,
    ProviderKeyRefused,
    ProviderRefused,
    ProviderUnavailable,
    PulseDocsError,
)
from pulsedocs.model.deadline import Deadline

# Its DEBUG lines hold whole requests, and with them the words of documents.
logging.getLogger("botocore").setLevel(logging.INFO)

_OK: Final = 200
_CONFIG: Final = Config(retries={"total_max_attempts": 1, "mode": "standard"})

Item = TypeVar("Item")
Operation = Callable[[Any], object]
"""Calls one operation of a boto3 client; what it returns is not looked at."""
Service = Literal["bedrock-runtime", "bedrock-agent-runtime"]


class BedrockCalls(ProviderCalls):
    """Calls one of Bedrock's services; takes no proxy from the environment."""

    provider = "bedrock"

    def __init__(
        self,
        limits: CallLimits,
        *,
        region: str,
        endpoint_url: str | None = None,
        service: Service = "bedrock-runtime",
    ) -> None:
        super().__init__(limits)
        self._region = region
        self._client = _client(service, region, endpoint_url)
        events: Any = self._client.meta.events  # the stubs know no handler that answers
        events.register("before-send", self._send)
        self._http = HttpClient()
        self._sending = local()

    def arn(self, model: str) -> str:
        """Return the ARN of a foundation model, which may be given as one already."""
        if model.startswith("arn:"):
            return model
        return f"arn:{self._client.meta.partition}:bedrock:{self._region}::foundation-model/{model}"

    def close(self) -> None:
        self._client.close()
        self._http.close()

    def whole(self, operation: Operation, *, deadline: Deadline) -> Whole:
        return self._whole(lambda seconds: self._begin(operation, seconds), deadline)

    def arriving(
        self,
        operation: Operation,
        decode: Callable[[Iterator[bytes]], Iterator[Item]],
        *,
        deadline: Deadline,
    ) -> Generator[Item | None, None, None]:
        """Yield a streamed answer's items as they come, None where none does."""
        return self._arriving(lambda seconds: self._begin(operation, seconds), decode, deadline)

    def _begin(self, operation: Operation, seconds: float) -> HttpAnswer:
        """Call the operation in this thread, in which `_send` finds its time and leaves its answer.

        Without `from None` botocore's message, which may quote the text, would follow the error.
        """
        self._sending.seconds, self._sending.answer = seconds, None
        try:
            operation(self._client)
        except PulseDocsError:
            raise
        except ParamValidationError:
            raise ProviderRefused("botocore does not accept the request", status=400) from None
        except NoCredentialsError:
            raise ProviderKeyRefused("there are no AWS credentials") from None
        except BotoCoreError as error:
            raise ProviderUnavailable(f"botocore failed: {type(error).__name__}") from None
        answer = self._sending.answer
        if answer is None:
            raise ConfigurationError("another handler has answered in Bedrock's place")
        return answer

    def _send(self, request: AWSPreparedRequest, **_event: object) -> AWSResponse:
        """Send a signed request in botocore's place; it is told of an empty success."""
        headers = {
            name: value.decode("latin-1") if isinstance(value, bytes) else str(value)
            for name, value in request.headers.items()
        }
        answer = self._http.post(
            HttpRequest(str(request.url), headers, _bytes(request.body)),
            timeout_seconds=self._sending.seconds,
        )
        if answer.status != _OK:
            raise failure_of_answer(answer.status, answer.headers, answer.beginning())
        self._sending.answer = answer
        return AWSResponse(str(request.url), _OK, HTTPHeaders(), _Nothing())


class _Nothing:
    """A body without a byte, as botocore reads one."""

    def stream(self) -> Iterator[bytes]:
        return iter(())


def _client(service: Service, region: str, endpoint_url: str | None) -> BaseClient:
    where: Any = {"region_name": region, "endpoint_url": endpoint_url, "config": _CONFIG}
    if service == "bedrock-runtime":
        return cast("BaseClient", boto3.client("bedrock-runtime", **where))
    return cast("BaseClient", boto3.client("bedrock-agent-runtime", **where))


def _bytes(body: object) -> bytes:
    """Return a body as it was signed: JSON, which botocore keeps as text or as bytes."""
    return bytes(body) if isinstance(body, bytes | bytearray) else str(body or "").encode()
