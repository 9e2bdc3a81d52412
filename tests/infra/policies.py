"""What a resource's policy answers to whoever calls it, as IAM would decide.

Within an account a service needs an Allow of the resource's own policy, and no Deny: there is no
role that could allow it instead. A role needs an Allow of its own, a Deny nowhere, and where it
calls through an endpoint of the network an Allow there too. Only what the templates use is read;
anything else is an error.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Any

from tests.infra.templates import StageTemplates, listed

ACCOUNT = "123456789012"


@dataclass(frozen=True, slots=True)
class Request:
    """`context` are the condition keys that the service sends along."""

    service: str
    action: str
    resource: str
    context: Mapping[str, str] = field(default_factory=dict[str, str])


def publication(service: str, topic: str, *, source: str, account: str = ACCOUNT) -> Request:
    """Return the request of a service that publishes on a topic for something of the account."""
    context = {
        "aws:SecureTransport": "true",
        "aws:SourceAccount": account,
        "aws:SourceArn": source,
    }
    return Request(service, "sns:Publish", topic, context)


def is_allowed(
    statements: Iterable[Mapping[str, Any]], request: Request, *, templates: StageTemplates
) -> bool:
    """Say whether some statement allows the request and none denies it."""
    effects = [
        statement["Effect"]
        for statement in statements
        if _is_about(statement, request, text=templates.text)
    ]
    return "Allow" in effects and "Deny" not in effects


def is_denied(
    statements: Iterable[Mapping[str, Any]], request: Request, *, templates: StageTemplates
) -> bool:
    """Say whether some statement denies the request, whoever else allows it."""
    return any(
        statement["Effect"] == "Deny" and _is_about(statement, request, text=templates.text)
        for statement in statements
    )


def _is_about(
    statement: Mapping[str, Any], request: Request, *, text: Callable[[Any], str]
) -> bool:
    principal = statement["Principal"]
    services = ["*"] if principal == "*" else listed(principal.get("Service", principal.get("AWS")))
    actions = [each.lower() for each in listed(statement["Action"])]
    resources = [text(each) for each in listed(statement["Resource"])]
    return (
        any(text(each) in {"*", request.service} for each in services)
        and any(fnmatchcase(request.action.lower(), each) for each in actions)
        and any(fnmatchcase(request.resource, each) for each in resources)
        and all(
            _holds(operator, request.context.get(key, ""), [text(each) for each in listed(wanted)])
            for operator, keys in statement.get("Condition", {}).items()
            for key, wanted in keys.items()
        )
    )


def _holds(operator: str, given: str, wanted: list[str]) -> bool:
    match operator:
        case "StringEquals" | "Bool" | "ArnEquals":
            return given in wanted
        case "StringLike" | "ArnLike":
            return any(fnmatchcase(given, each) for each in wanted)
        case "NumericLessThan":
            return bool(given) and any(float(given) < float(each) for each in wanted)
        case _:
            raise NotImplementedError(operator)
