"""What a change deploys is read in the difference of a file, before anything is deployed."""

from pathlib import Path

import pytest

from infra.config import STAGES
from tests.infra.snapshot import SNAPSHOTS, snapshots


@pytest.fixture(scope="module")
def current(assemblies: Path) -> dict[str, str]:
    return snapshots(assemblies)


@pytest.mark.parametrize("stage", STAGES)
def test_the_snapshot_says_what_the_stage_deploys(current: dict[str, str], stage: str) -> None:
    """P-04: whoever changes the infrastructure commits what that changes in the templates."""
    committed = (SNAPSHOTS / f"{stage}.txt").read_text("utf-8")

    assert current[stage] == committed, "read the difference after `make snapshots`, and commit it"


def test_a_snapshot_has_no_hash_of_code_and_every_statement_of_a_policy(
    current: dict[str, str],
) -> None:
    """P-04: a change of code alone is no difference, a right more or less is one line."""
    first = current[next(iter(STAGES))]

    assert "Code.S3Key: an asset" in first
    assert "CurrentVersion" in first
    assert "Allow s3:PutObject on ObjectsBucket.Arn/control/backfill/*" in first
    assert "Deny * sns:Publish on AlarmsTopic if Bool aws:SecureTransport false" in first


def test_what_another_code_deploys_reads_alike(assemblies: Path, tmp_path: Path) -> None:
    """P-04: the same stage with another layer has other assets, versions and deployments."""
    newer = tmp_path / "dev"
    newer.symlink_to(assemblies / "dev-newer-code")
    for name in STAGES:
        if name != "dev":
            (tmp_path / name).symlink_to(assemblies / name)

    assert snapshots(tmp_path) == snapshots(assemblies)
