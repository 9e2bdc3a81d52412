"""The role that migrates, made as the database's master: nobody could sign in before it."""

import hashlib
from pathlib import Path
from typing import Final

from aws_cdk import Duration
from aws_cdk import aws_iam as iam
from aws_cdk import aws_rds as rds
from aws_cdk import custom_resources as cr
from constructs import Construct

from infra.components.database import NAME
from infra.components.logs import log_group
from infra.config import Stage

STATEMENT: Final = Path(__file__).with_name("first_role.sql")


class FirstRole(Construct):
    """Runs one statement through the Data API when the cluster is made or the file changes.

    The function is CDK's own and does nothing else; no function of the product may use that API.
    """

    def __init__(
        self, scope: Construct, id_: str, *, stage: Stage, cluster: rds.DatabaseCluster
    ) -> None:
        super().__init__(scope, id_)
        secret = cluster.secret
        assert secret is not None  # noqa: S101 -- RDS keeps the master's password as a secret
        name = f"pulsedocs-{stage.name}-first-role"
        log = log_group(self, "Log", name=f"/aws/lambda/{name}", days=stage.log_days)
        role = iam.Role(self, "Role", assumed_by=iam.ServicePrincipal("lambda.amazonaws.com"))
        granted = [
            (["logs:CreateLogStream", "logs:PutLogEvents"], log.log_group_arn),
            (["rds-data:ExecuteStatement"], cluster.cluster_arn),
            (["secretsmanager:GetSecretValue"], secret.secret_arn),
        ]
        made = cr.AwsCustomResource(
            self,
            "Statement",
            function_name=name,
            resource_type="Custom::FirstRole",
            on_update=_call(cluster_arn=cluster.cluster_arn, secret_arn=secret.secret_arn),
            policy=cr.AwsCustomResourcePolicy.from_statements(
                [iam.PolicyStatement(actions=each, resources=[on]) for each, on in granted]
            ),
            role=role,
            log_group=log,
            install_latest_aws_sdk=False,
            timeout=Duration.minutes(2),
        )
        made.node.add_dependency(cluster)  # with its writer: the Data API answers through one


def _call(*, cluster_arn: str, secret_arn: str) -> cr.AwsSdkCall:
    statement = STATEMENT.read_text("utf-8")
    return cr.AwsSdkCall(
        service="rds-data",
        action="ExecuteStatement",
        parameters={
            "resourceArn": cluster_arn,
            "secretArn": secret_arn,
            "database": NAME,
            "sql": statement,
        },
        physical_resource_id=cr.PhysicalResourceId.of(
            hashlib.sha256(statement.encode()).hexdigest()[:16]
        ),
        output_paths=[],
    )
