"""Whether the region has the stage's database, and whether that is older than what it holds."""

import re
from collections.abc import Iterator
from typing import Any, Final

from infra.config import POSTGRES_VERSION, Options, Stage
from pulsedocs_cli.deployment.account import Account, Unreadable
from pulsedocs_cli.deployment.findings import Finding, ok, stop, warn

_ENGINE: Final = "aurora-postgresql"
_SUBJECT: Final = "database"
_ROLE: Final = "AWSServiceRoleForRDS"
_NO_SUCH_BACKUP: Final = ("DBClusterNotFoundFault", "DBClusterSnapshotNotFoundFault")


def look_at_engine(account: Account, stage: Stage) -> Iterator[Finding]:
    """Aurora of this version, for Serverless v2, in this region, as small as the stage wants it."""
    wanted = {"Engine": _ENGINE, "EngineVersion": POSTGRES_VERSION}
    choices = account.read(
        "rds", "describe_orderable_db_instance_options", DBInstanceClass="db.serverless", **wanted
    )
    if not choices["OrderableDBInstanceOptions"]:
        answer = account.read("rds", "describe_db_engine_versions", Engine=_ENGINE)
        versions = [str(version["EngineVersion"]) for version in answer["DBEngineVersions"]]
        major = f"{POSTGRES_VERSION.partition('.')[0]}."
        offered = ", ".join(name for name in versions if name.startswith(major)) or "none"
        yield stop(
            _SUBJECT,
            f"Aurora PostgreSQL {POSTGRES_VERSION} as Serverless v2 is not offered here",
            "choose another region, or set POSTGRES_VERSION in infra/config.py;"
            f" offered: {offered}",
        )
        return
    exact = account.read("rds", "describe_db_engine_versions", **wanted)["DBEngineVersions"]
    support: dict[str, Any] = exact[0].get("ServerlessV2FeaturesSupport", {}) if exact else {}
    smallest: float | None = support.get("MinCapacity")
    if smallest is not None and smallest > stage.min_acu:
        yield stop(
            _SUBJECT,
            f"Aurora PostgreSQL {POSTGRES_VERSION} goes no lower than {smallest} ACU here, the"
            f" stage wants {stage.min_acu}",
            "choose another region, or raise the stage's min_acu in infra/config.py",
        )
    else:
        yield ok(_SUBJECT, f"Aurora PostgreSQL {POSTGRES_VERSION}, Serverless v2")


def look_at_role(account: Account) -> Iterator[Finding]:
    """Look for the role that RDS makes with an account's first database, and may use too early."""
    try:
        account.read("iam", "get_role", RoleName=_ROLE)
    except Unreadable as error:
        if error.code not in {"NoSuchEntity", "NoSuchEntityException"}:
            raise
        yield warn(
            _SUBJECT,
            f"there is no role {_ROLE} yet: RDS makes it with the first database of an account,"
            " which now and then fails for want of it",
            "aws iam create-service-linked-role --aws-service-name rds.amazonaws.com",
        )


def look_at_versions(account: Account, stage: Stage, options: Options) -> Iterator[Finding]:
    """Stop where a cluster of the stage, or its backup, is of a later version: no way leads back.

    AWS moves a cluster by itself when its minor version comes to the end of its support.
    """
    there = account.read(
        "rds", "describe_db_clusters", Filters=[{"Name": "engine", "Values": [_ENGINE]}]
    )
    held = {
        str(cluster["DBClusterIdentifier"]): str(cluster["EngineVersion"])
        for cluster in there["DBClusters"]
        if {"Key": "pulsedocs-stage", "Value": stage.name} in cluster.get("TagList", [])
    }
    if options.restore_from:
        held |= _backup(account, options.restore_from)
    for name, version in held.items():
        if _numbers(version) > _numbers(POSTGRES_VERSION):
            yield stop(
                _SUBJECT,
                f"{name} is Aurora PostgreSQL {version}, and cannot go back to {POSTGRES_VERSION}",
                f'set POSTGRES_VERSION = "{version}" in infra/config.py',
            )


def _backup(account: Account, restore_from: str) -> dict[str, str]:
    """Return the version of a backup by its name; of one that is gone there is nothing to say."""
    name, _, moment = restore_from.removeprefix("snapshot:").partition("@")
    try:
        if moment:
            answer = account.read("rds", "describe_db_clusters", DBClusterIdentifier=name)
            [found] = answer["DBClusters"]
        else:
            answer = account.read(
                "rds", "describe_db_cluster_snapshots", DBClusterSnapshotIdentifier=name
            )
            [found] = answer["DBClusterSnapshots"]
    except Unreadable as error:
        if error.code not in _NO_SUCH_BACKUP:
            raise
        return {}
    return {name: str(found["EngineVersion"])}


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(number) for number in re.findall(r"\d+", version)[:2])
