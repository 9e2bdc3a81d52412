"""Findings of cdk-nag that we know and accept: each with its reason, and until when.

A test fails once one has expired, and for one whose construct is gone.
"""

from dataclasses import dataclass
from datetime import date
from typing import Final

from aws_cdk import Acknowledgment, Stack, Validations
from constructs import IConstruct

from infra.config import Stage

_NEXT_REVIEW: Final = date(2027, 11, 30)
_RUNTIME_REVIEW: Final = date(2027, 6, 30)


@dataclass(frozen=True, slots=True)
class Finding:
    """One accepted finding, for every construct below `path` of a stack."""

    rule: str
    path: str
    reason: str
    until: date = _NEXT_REVIEW
    stages: tuple[str, ...] = ()
    """Empty means every stage."""


DATA_FINDINGS: Final = (
    Finding(
        "S1",
        "Objects",
        "A bucket of access logs would be a second one to guard. Where an audit asks for them,"
        " CloudTrail data events cover this bucket without a resource here.",
    ),
    Finding(
        "RDS10",
        "Database",
        "A stage without data that anyone would miss can be destroyed in one command.",
        stages=("dev", "staging"),
    ),
    Finding(
        "L1",
        "FirstRole",
        "The runtime of the product's own functions, which the tests run.",
        until=_RUNTIME_REVIEW,
    ),
)

SERVICE_FINDINGS: Final = (
    Finding("COG2", "SignIn", "A second factor is offered; a client without a person has none."),
    Finding("COG8", "SignIn", "The plus plan costs $0.02 a user and adds no control over tenants."),
    Finding(
        "L1",
        "",
        "The dependency layer is built and byte-compiled for Python 3.13, and the tests run there;"
        " AWS supports that runtime until October 2029.",
        until=_RUNTIME_REVIEW,
    ),
    Finding(
        "IAM5[Resource::*]",
        "",
        "Writing X-Ray segments, the network interfaces of a function in a VPC and the delivery of"
        " the state machine's log know no narrower resource; the exact actions are tested.",
    ),
    Finding(
        "IAM5[Resource::<MigrateFunctionE2483A46.Arn>:*]",
        "Migrating",
        "A deployment invokes the version of `migrate` that it has just published.",
    ),
    Finding("SQS3", "Ingestion", "It is the dead-letter queue."),
    Finding(
        "APIG2",
        "Api",
        "The handlers validate with the models that the OpenAPI document is made of; a second"
        " validator in front of them would answer in another form.",
    ),
    Finding(
        "APIG3",
        "Api",
        "A web ACL costs $8 a month; the stage limits its request rate.",
        stages=("dev", "staging"),
    ),
    Finding(
        "APIG6",
        "Api",
        "Execution logs would carry paths with query text. The access log has a line for every"
        " request, and the function's log one more.",
    ),
    Finding(
        "COG4",
        "Api",
        "One authoriser verifies tokens of Cognito and of any other issuer, and only it can refuse"
        " a tenant claim that is not canonical.",
    ),
    *(
        Finding("APIG4", f"Api/RestApi/Default/{path}", "Shows no tenant's data; needs no token.")
        for path in ("health", "openapi.json", "docs", "proofs/keys", "GET", "console")
    ),
    Finding(
        "IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/"
        "AmazonAPIGatewayPushToCloudWatchLogs]",
        "Api/LogWriter",
        "API Gateway takes this role for the whole account and names no narrower policy.",
    ),
)


@dataclass(frozen=True, slots=True)
class Pattern:
    """Why a grant names a pattern and nothing narrower, and until when we accept that."""

    reason: str
    until: date = _NEXT_REVIEW


KEY_PREFIXES: Final = Pattern(
    "Keys name tenant and document, so a grant ends with the prefix of what one function reads or"
    " writes; the table in service_stack.py is the list of them, and it is tested."
)
PROFILES: Final = Pattern(
    "An inference profile answers from the regions that AWS puts into it: the model is named, and"
    " may be called through that profile only."
)
EXECUTIONS: Final = Pattern(
    "The names of executions are made as they start; the machine's own name bounds them."
)
PATTERNS: Final = (KEY_PREFIXES, PROFILES, EXECUTIONS)


def acknowledge(stack: Stack, findings: tuple[Finding, ...], *, stage: Stage) -> None:
    """Acknowledge the findings that concern a stack of this stage."""
    for finding in findings:
        construct = find(stack, finding.path)
        if construct is not None and stage.name in (finding.stages or (stage.name,)):
            accept(construct, finding.rule, finding)


def accept(construct: IConstruct, rule: str, known: Finding | Pattern) -> None:
    """Acknowledge a rule for a construct and everything below it."""
    Validations.of(construct).acknowledge(
        Acknowledgment(id=f"AwsSolutions::AwsSolutions-{rule}", reason=known.reason)
    )


def find(root: IConstruct, path: str) -> IConstruct | None:
    """Return the construct at a path below `root`; the empty path is `root` itself."""
    found: IConstruct | None = root
    for name in filter(None, path.split("/")):
        found = None if found is None else found.node.try_find_child(name)
    return found
