"""No tenant's documents keep another tenant waiting until all of them are done."""

from typing import Final

from local.stage import Stage
from tests.e2e.tenant import Tenant

MANY: Final = 40  # two and a half times as many as run at once


def test_one_document_does_not_wait_for_all_of_another_tenants(stage: Stage) -> None:
    """Fails when: executions, or their steps, are first come, first served."""
    with Tenant.new(stage) as busy, Tenant.new(stage) as other:
        documents = [busy.upload(f"Pier {number} is open.".encode()) for number in range(MANY)]

        assert other.ingest(b"The ferry leaves at noon.")["outcome"] == "PUBLISHED"

        left = [each for each in documents if busy.status(each)["outcome"] is None]
        outcomes = {busy.outcome(each)["outcome"] for each in documents}
    assert len(left) >= MANY // 4
    assert outcomes == {"PUBLISHED"}
