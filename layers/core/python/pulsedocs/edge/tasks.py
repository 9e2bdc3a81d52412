"""The edge of the state machine's functions: a typed request in, JSON out, one log line each.

A request may have fields that its function does not know: while a version is deployed, steps of the
new one speak to steps of the old one. What they say only grows, with defaults. What people send to
the API is another matter: an unknown field is a mistake there, and refused.
"""

import dataclasses
import time
from collections.abc import Callable, Iterable, Mapping
from datetime import date
from enum import Enum
from functools import wraps
from typing import Any, TypeVar, cast
from uuid import UUID

from aws_lambda_powertools.utilities.typing import LambdaContext
from pydantic import BaseModel, ValidationError

from pulsedocs.edge.identifiers import ids_of
from pulsedocs.edge.observability import count_refusal, logger, record_duration, short_name
from pulsedocs.errors import InvalidRequest, PulseDocsError, place_of, with_context
from pulsedocs.model.documents import Run
from pulsedocs.model.steps import StepResult

Request = TypeVar("Request", bound=BaseModel)
Handler = Callable[[dict[str, Any], LambdaContext], Any]


class RunRequest(BaseModel):
    """What a step is asked that works on a run and needs to know no more."""

    run: Run


def task(request_model: type[Request]) -> Callable[[Callable[[Request], Any]], Handler]:
    """Make a Lambda handler of a function from a validated request to a value.

    Errors leave by their own class name, which is what Retry and Catch match.
    """

    def decorate(function: Callable[[Request], Any]) -> Handler:
        @wraps(function)
        def handler(event: dict[str, Any], context: LambdaContext) -> Any:  # noqa: ANN401 -- JSON
            try:
                request = request_model.model_validate(event)
            except ValidationError as error:
                # The names of the fields only: a value may be a word of a document.
                fields = ", ".join(map(place_of, error.errors()))
                message = f"the event does not fit {request_model.__name__}: {fields}"
                raise InvalidRequest(message) from None
            return _observe(function, request, context=context)

        return handler

    return decorate


def _observe(
    function: Callable[[Request], Any],
    request: Request,
    *,
    context: LambdaContext,
) -> Any:  # noqa: ANN401 -- JSON
    started = time.perf_counter()
    outcome = PulseDocsError.code  # of whatever is raised that has no class of ours
    try:
        answer = to_json(function(request))
    except PulseDocsError as error:
        outcome = error.code
        count_refusal(error)
        error.args = (with_context(error),)  # what Lambda hands on beside the name of the class
        raise
    else:
        outcome = "ok"
        return answer
    finally:
        elapsed = round((time.perf_counter() - started) * 1000, 1)
        name = short_name(context.function_name)
        logger().info(
            "task",
            function=name,
            outcome=outcome,
            ms=elapsed,
            request_id=context.aws_request_id,
            **ids_of(request),
        )
        record_duration("TaskDuration", elapsed, function=name, outcome=outcome)


def to_json(value: Any) -> Any:  # noqa: ANN401 -- any value of the domain, as JSON
    """Turn records, ids, dates, enums and tuples into what `json.dumps` takes."""
    if isinstance(value, StepResult):
        return value.to_json()
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {item.name: to_json(getattr(value, item.name)) for item in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        pairs = cast("Mapping[Any, Any]", value)
        return {str(to_json(key)): to_json(item) for key, item in pairs.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [to_json(item) for item in cast("Iterable[Any]", value)]
    return _scalar_to_json(value)


def _scalar_to_json(value: Any) -> Any:  # noqa: ANN401 -- as above
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, date):  # a datetime is one
        return value.isoformat()
    return str(value) if isinstance(value, UUID) else value
