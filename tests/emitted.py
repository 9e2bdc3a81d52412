"""The metrics that handlers emit, and those of them that an alarm watches."""

from typing import Final

from infra.promises import OURS, PROMISES

EMITTED: Final = {
    "TaskDuration": ("function", "outcome", "stage"),
    **dict.fromkeys(
        (
            "AnswerDegraded",
            "BudgetRefused",
            "DocumentFailed",
            "QuestionRefused",
            "SweepFailed",
            "SweepOrphans",
            "SweepRequeued",
            "SweepStuck",
        ),
        ("stage",),
    ),
}
"""Every metric of ours with its dimensions: CloudWatch finds none under any other set of them."""
WATCHED: Final = {
    metric.removeprefix(f"{OURS}/")
    for promise in PROMISES
    for metric in promise.metrics
    if metric.startswith(OURS)
}
