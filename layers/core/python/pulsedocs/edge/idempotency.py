"""A request that comes again with its `Idempotency-Key` gets the first answer."""

from collections.abc import Callable, Mapping
from functools import wraps
from http import HTTPStatus
from inspect import Parameter, signature
from typing import Annotated, Any, Final, cast

from aws_lambda_powertools.event_handler.openapi.params import Header
from pydantic import BaseModel, TypeAdapter

from pulsedocs import bootstrap
from pulsedocs.bootstrap import clients
from pulsedocs.documents.idempotent_request import (
    KEY,
    LONGEST_KEY,
    KeyedRequest,
    Lines,
    idempotent_lines,
    idempotent_request,
)
from pulsedocs.documents.ports import RequestLog
from pulsedocs.edge.authorisation import Caller
from pulsedocs.edge.identifiers import note_ids_of
from pulsedocs.model.deadline import Deadline

IdempotencyKey = Annotated[
    str | None,
    Header(json_schema_extra={"minLength": 1, "maxLength": LONGEST_KEY, "pattern": KEY.pattern}),
]

_SECONDS_TO_KEEP: Final = 2.0  # behind an answer that took all of its time


def runs_once(
    function: Callable[..., Any],
    *,
    route: str,
    status: HTTPStatus,
    log: Callable[[], RequestLog],
    caller: Callable[[], Caller],
    renew: Callable[..., Any] | None = None,
) -> Callable[..., Any]:
    """Return a handler that runs once for a key of its caller's, and takes that key.

    `route` is part of the key; what the handler is called with, from path, query and body, is what
    another request of the same key must equal. Its answer is kept as JSON; `renew` makes anew what
    of it does not last as long as the key, from the answer and what the handler is called with.
    """
    declared = signature(function)

    @wraps(function)
    def answer(*, idempotency_key: IdempotencyKey = None, **arguments: Any) -> Any:  # noqa: ANN401 -- whatever the route takes and answers
        if idempotency_key is None:
            answered = function(**arguments)
            note_ids_of(answered)
            return answered
        asker, body = caller(), _body_of(arguments) or None
        request = KeyedRequest(asker.tenant_id, asker.subject, idempotency_key, route, body, status)

        answers = TypeAdapter[Any](declared.return_annotation)

        def respond() -> dict[str, Any]:
            return answers.dump_python(function(**arguments), mode="json")

        kept = idempotent_request(request, log=log(), respond=respond)
        answered = answers.validate_python(kept)
        if renew is not None:
            answered = renew(answered, **arguments)
        note_ids_of(answered)
        return answered

    # Powertools reads from the signature what a route takes: the key is one of its headers.
    takes_key = Parameter(
        "idempotency_key", Parameter.KEYWORD_ONLY, default=None, annotation=IdempotencyKey
    )
    cast("Any", answer).__signature__ = declared.replace(
        parameters=[*declared.parameters.values(), takes_key]
    )
    return answer


def _body_of(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return a request's arguments by name, the fields of its body among them.

    What was not given is left out: a name in the query may stand in the body as well.
    """
    body: dict[str, Any] = {}
    for name, value in arguments.items():
        if isinstance(value, BaseModel):
            body |= value.model_dump(mode="json")
        elif value is not None:
            body[name] = value
    return body


def answer_log() -> RequestLog:
    """Return the memory of a function without a database: what it answers is kept by `retrieve`.

    An answer ends with the first of its documents that is deleted; the question is then asked anew.
    """
    return _answer_log(bootstrap.settings().request_seconds)


def streamed_once(
    asker: Caller,
    key: str | None,
    *,
    route: str,
    body: Any,  # noqa: ANN401 -- JSON
    respond: Callable[[], Lines],
) -> Lines:
    """Run `respond` once for a key of the caller's; its lines are kept before the last leaves."""
    if key is None:
        return respond()
    seconds = bootstrap.settings().stream_seconds
    request = KeyedRequest(
        asker.tenant_id, asker.subject, key, route, body, HTTPStatus.OK, seconds=seconds + 60
    )
    return idempotent_lines(request, log=_answer_log(seconds), respond=respond)


def _answer_log(seconds: float) -> RequestLog:
    return clients.retrieval_client(Deadline.after(seconds + _SECONDS_TO_KEEP))
