"""What a running stage promises, and where a person sees that it does not: one row each.

Free of CDK on purpose: the tests hold the alarms, the dashboard, the runbook and what the handlers
emit to this table.
"""

from dataclasses import dataclass
from typing import Final

OURS: Final = "PulseDocs"
"""The namespace of what the handlers emit, in EMF on standard output."""


@dataclass(frozen=True, slots=True)
class Promise:
    """`metrics` are `namespace/name`; `widget` is the title of a graph on the dashboard."""

    says: str
    alarm: str
    metrics: tuple[str, ...]
    widget: str
    only_where_it_pauses: bool = False


PROMISES: Final = (
    Promise(
        "An event that cannot be handed over is kept",
        "DeadLetters",
        ("AWS/SQS/ApproximateNumberOfMessagesVisible",),
        "Dead letters",
    ),
    Promise(
        "A document ends published, or its status says why not",
        "FailedDocuments",
        (f"{OURS}/DocumentFailed",),
        "Documents",
    ),
    Promise(
        "Nothing is stuck: what stopped without saying so is found and finished",
        "StuckDocuments",
        (f"{OURS}/SweepStuck",),
        "Sweep",
    ),
    Promise(
        "Requests are answered; a paused database wakes up within seconds",
        "FailedRequests",
        ("AWS/ApiGateway/5XXError", "AWS/ApiGateway/Count"),
        "Requests",
    ),
    Promise(
        "A question is answered within its time limit",
        "SlowRequests",
        ("AWS/ApiGateway/Latency",),
        "Latency",
    ),
    Promise(
        "Questions that the documents answer are answered",
        "RefusedQuestions",
        (f"{OURS}/QuestionRefused",),
        "Questions",
    ),
    Promise(
        "A tenant spends no more in a day than its budget",
        "SpentBudgets",
        (f"{OURS}/BudgetRefused",),
        "Questions",
    ),
    Promise(
        "There is room in the account for what is asked",
        "ThrottledFunctions",
        ("AWS/Lambda/Throttles",),
        "Database and concurrency",
    ),
    Promise(
        "The database keeps up",
        "FullDatabase",
        ("AWS/RDS/ACUUtilization",),
        "Database and concurrency",
    ),
    Promise(
        "Nothing runs, and nothing costs, while nobody uses it",
        "SleeplessDatabase",
        ("AWS/RDS/ServerlessDatabaseCapacity",),
        "Cost drivers",
        only_where_it_pauses=True,
    ),
)
