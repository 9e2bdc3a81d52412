"""What the bucket ends by itself: by a rule of S3 on AWS, and by `local.lifecycle` on a machine.

The prefixes are those of `pulsedocs.model.object_keys`. Versions of uploads have no rule: S3
cannot know which one is published. The sweep removes those of document versions whose time is up.
"""

from typing import Final

DAYS: Final = {
    "staging": 14,  # a parked document goes on from what lies there: two weeks to raise a quota
    # As long as the pages of a version that was replaced, where a stage does not say otherwise.
    "recognised": 30,
    "traces": 30,
    "evaluations": 90,
    "requests": 30,
    "idempotency": 2,
    # Longer than any backup that a stage makes by itself: 14 days, and snapshots of last year.
    "deleted": 400,
    "control": 7,
}
OVERWRITTEN: Final = (*DAYS, "imports", "open", "sources", "sweep")
"""Whose older versions go after `OVERWRITTEN_DAYS`."""
OVERWRITTEN_DAYS: Final = 30
