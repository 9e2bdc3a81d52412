"""The role that migrates, made as the database's master: nobody could sign in before it."""

from pathlib import Path
from typing import Final

from aws_cdk import CustomResource
from aws_cdk import aws_rds as rds
from constructs import Construct

from infra.components.custom_step import custom_step
from infra.components.database import NAME
from infra.components.key import DECRYPT, allow_key
from infra.config import Stage

STATEMENT: Final = Path(__file__).with_name("first_role.sql")


class FirstRole(Construct):
    """Runs one statement through the Data API when the cluster is made or the file changes.

    The function does nothing else; no function of the product may use that API.
    """

    def __init__(
        self,
        scope: Construct,
        id_: str,
        *,
        stage: Stage,
        cluster: rds.DatabaseCluster,
        key_arn: str | None,
    ) -> None:
        super().__init__(scope, id_)
        secret = cluster.secret
        assert secret is not None  # noqa: S101 -- RDS keeps the master's password as a secret
        step = custom_step(
            self,
            stage=stage,
            name="first-role",
            description="Makes the role that migrates, as the master of the database",
            grants=[
                (["rds-data:ExecuteStatement"], cluster.cluster_arn),
                (["secretsmanager:GetSecretValue"], secret.secret_arn),
            ],
        )
        if key_arn is not None:
            role = step.role
            assert role is not None  # noqa: S101 -- `custom_step` gives it one
            allow_key(role, [DECRYPT], key_arn, service="secretsmanager")
        made = CustomResource(
            self,
            "Made",
            resource_type="Custom::FirstRole",
            service_token=step.function_arn,
            properties={
                "Cluster": cluster.cluster_arn,
                "Secret": secret.secret_arn,
                "Database": NAME,
                "Statement": STATEMENT.read_text("utf-8"),
            },
        )
        made.node.add_dependency(cluster)  # with its writer: the Data API answers through one
