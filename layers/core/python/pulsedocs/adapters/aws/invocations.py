"""Functions that call functions: one answer in the time that is left, or one typed error."""

import json
import time
from typing import TYPE_CHECKING, Final, Literal, NoReturn

import boto3
from botocore.config import Config
from botocore.exceptions import (
    BotoCoreError,
    ClientError,
    ConnectTimeoutError,
    EndpointConnectionError,
)

from pulsedocs.adapters.aws.refusals import code_of
from pulsedocs.calls.tries import within
from pulsedocs.errors import (
    FUNCTION_ASLEEP,
    ConfigurationError,
    DatabaseWarming,
    PulseDocsError,
    TimedOut,
    error_named,
    without_context,
)
from pulsedocs.model.deadline import Deadline

if TYPE_CHECKING:
    from types_boto3_lambda import LambdaClient

_TIMED_OUT: Final = frozenset({"Sandbox.Timedout", "States.Timeout"})
_PASSING: Final = frozenset({"TooManyRequestsException", "ServiceException", "429", "500", "503"})
_FOR_A_PERSON: Final = ("AccessDeniedException", "ResourceNotFoundException", "KMS")
"""What Lambda's refusals begin with that no second try changes."""
_PAUSE_SECONDS: Final = 0.2
_EVENT_SECONDS: Final = 3.0  # Lambda takes an event without running the function

How = Literal["RequestResponse", "Event"]


class LambdaFunction:
    """One function of the stage. Thread-safe; made once, as its connections are kept.

    `silent` is raised where it does not answer, `broken` where it ends with an error of none of
    our classes; every other is raised again as it was.
    """

    def __init__(
        self,
        name: str,
        *,
        region: str,
        endpoint_url: str | None,
        seconds: float,
        silent: type[PulseDocsError],
        broken: type[PulseDocsError],
    ) -> None:
        self._name = name
        self._seconds = seconds
        self._silent = silent
        self._broken = broken
        # The client's own tries would begin again after nobody waits any more.
        config = Config(connect_timeout=3, read_timeout=seconds, retries={"total_max_attempts": 1})
        self._client: LambdaClient = boto3.client(
            "lambda", region_name=region, endpoint_url=endpoint_url, config=config
        )

    def invoke(self, payload: bytes, *, deadline: Deadline, how: How = "RequestResponse") -> bytes:
        """Return what the function answers; raise TimedOut, without a call, where no time is left.

        A call that could not begin is tried once more; one that was not answered is not. A function
        that Lambda has put to sleep is DatabaseWarming: it takes longer than a caller waits.
        """
        own = _EVENT_SECONDS if how == "Event" else self._seconds
        until = Deadline.after(deadline.timeout(own))
        try:
            body, has_failed = within(until, lambda: self._try_twice(payload, how, until))
        except (BotoCoreError, ClientError, TimeoutError) as error:
            if code_of(error) in FUNCTION_ASLEEP:
                raise DatabaseWarming("a function of the stage is being woken up") from error
            if code_of(error).startswith(_FOR_A_PERSON):
                raise ConfigurationError(
                    f"Lambda refuses to run {self._name} with {code_of(error)}: look at the"
                    " caller's role, and at the function and its key"
                ) from error
            message = f"the function did not answer: {type(error).__name__}"
            raise self._silent(message) from error
        if has_failed:
            raise_from(body, otherwise=self._broken)
        return body

    def _try_twice(self, payload: bytes, how: How, until: Deadline) -> tuple[bytes, bool]:
        try:
            return self._once(payload, how)
        except (BotoCoreError, ClientError) as error:
            if not _could_not_begin(error) or until.remaining() <= _PAUSE_SECONDS:
                raise
        time.sleep(_PAUSE_SECONDS)
        return self._once(payload, how)

    def _once(self, payload: bytes, how: How) -> tuple[bytes, bool]:
        response = self._client.invoke(FunctionName=self._name, InvocationType=how, Payload=payload)
        return response["Payload"].read(), bool(response.get("FunctionError"))


def _could_not_begin(error: BotoCoreError | ClientError) -> bool:
    if isinstance(error, ClientError):
        return code_of(error) in _PASSING
    return isinstance(error, (ConnectTimeoutError, EndpointConnectionError))


def raise_from(body: bytes, *, otherwise: type[PulseDocsError]) -> NoReturn:
    """Raise the class that the function raised; what is none of ours comes as `otherwise`."""
    error = json.loads(body)
    name = str(error.get("errorType", ""))
    message = str(error.get("errorMessage", "the function failed"))
    if name in _TIMED_OUT:
        raise TimedOut(message)
    kind = error_named(name)
    if kind is None:
        raise otherwise(f"the function ended with {name}: {message}"[:500])
    sentence, context = without_context(message)
    raise kind(sentence, **context)
