"""Aurora PostgreSQL that pauses while nobody asks, reached with IAM tokens only."""

from typing import Final

from aws_cdk import Duration, RemovalPolicy, Stack
from aws_cdk import aws_ec2 as ec2
from aws_cdk import aws_iam as iam
from aws_cdk import aws_rds as rds
from constructs import Construct

from infra.config import POSTGRES_VERSION, Leaving, Stage

NAME: Final = "pulsedocs"
AUTHORITIES: Final = "/opt/certificates"
"""Where the dependency layer carries what signs RDS certificates, a file for each region."""
ENGINE: Final = rds.DatabaseClusterEngine.aurora_postgres(
    version=rds.AuroraPostgresEngineVersion.of(POSTGRES_VERSION, POSTGRES_VERSION.partition(".")[0])
)
REMOVAL: Final = {
    Leaving.NOTHING: RemovalPolicy.DESTROY,
    Leaving.SNAPSHOT: RemovalPolicy.SNAPSHOT,
    Leaving.EVERYTHING: RemovalPolicy.RETAIN,
}


class Database(Construct):
    """One Serverless v2 writer. RDS itself keeps and rotates the master's password."""

    def __init__(
        self,
        scope: Construct,
        id_: str,
        *,
        stage: Stage,
        vpc: ec2.IVpc,
        security_group: ec2.ISecurityGroup,
    ) -> None:
        super().__init__(scope, id_)
        self.cluster = rds.DatabaseCluster(
            self,
            "Cluster",
            engine=ENGINE,
            default_database_name=NAME,
            credentials=rds.Credentials.from_username("pulsedocs_master"),
            manage_master_user_password=True,
            writer=rds.ClusterInstance.serverless_v2(
                "Writer", publicly_accessible=False, auto_minor_version_upgrade=True
            ),
            serverless_v2_min_capacity=stage.min_acu,
            serverless_v2_max_capacity=stage.max_acu,
            serverless_v2_auto_pause_duration=(
                None
                if stage.auto_pause_minutes is None
                else Duration.minutes(stage.auto_pause_minutes)
            ),
            vpc=vpc,
            vpc_subnets=ec2.SubnetSelection(subnet_type=ec2.SubnetType.PRIVATE_ISOLATED),
            security_groups=[security_group],
            iam_authentication=True,
            # For the one custom step that makes the roles; no function of the product may use it.
            enable_data_api=True,
            storage_encrypted=True,
            backup=rds.BackupProps(retention=Duration.days(stage.backup_days)),
            copy_tags_to_snapshot=True,
            deletion_protection=stage.is_protected,
            removal_policy=REMOVAL[stage.leaves],
            # A logical replication slot would keep the database awake, so it is off by name.
            parameters={"rds.force_ssl": "1", "rds.logical_replication": "0"},
        )

    def url(self, *, role: str) -> str:
        """Return the address for a role, without a password: an IAM token takes its place."""
        endpoint = self.cluster.cluster_endpoint
        checked = f"sslmode=verify-full&sslrootcert={AUTHORITIES}/{Stack.of(self).region}.pem"
        return f"postgresql://{role}@{endpoint.hostname}:5432/{NAME}?{checked}"

    def allow(self, grantee: iam.IGrantable, *, role: str) -> None:
        """Let `grantee` sign in as one database role."""
        self.cluster.grant_connect(grantee, role)
