"""On a schedule: find what stopped without saying so, and set it going again."""

from dataclasses import asdict
from datetime import UTC, datetime
from typing import Final

from pydantic import BaseModel

from pulsedocs.bootstrap import buckets, databases
from pulsedocs.edge.observability import logger, record_counts
from pulsedocs.edge.tasks import task
from pulsedocs.model.deadline import Deadline
from pulsedocs.model.sweeps import SweepReport
from pulsedocs.upkeep.sweep_stage import sweep_stage

SECONDS: Final = 240.0  # the function itself has 300: what is left over goes to the next run
BUILDING_SECONDS: Final = 30.0  # for small ones; a longer build goes on in the server
METRICS: Final = ("stuck", "requeued", "failed", "orphans")


class SweepRequest(BaseModel):
    """What the schedule says; a person may ask for a full pass too."""

    full: bool = False


@task(SweepRequest)
def handler(request: SweepRequest) -> SweepReport:
    report = sweep_stage(
        is_full=request.full,
        objects=buckets.object_archive(),
        store=databases.sweep_store,
        history=databases.history_store,
        now=datetime.now(UTC),
        deadline=Deadline.after(SECONDS),
    )
    # Where documents are on their way the database is awake, and models grow.
    if request.full or report.counts["markers"]:
        for build in databases.vector_indexes().build_due(seconds=BUILDING_SECONDS):
            logger().info("vector_index", **asdict(build))
    for each in report.untreated:
        logger().warning("sweep_error", **asdict(each))
    record_counts("sweep", report.counts, metrics=METRICS)
    return report
