"""Aurora PostgreSQL that pauses while nobody asks, reached with IAM tokens only."""

from hashlib import sha256
from typing import Final

from aws_cdk import Duration, RemovalPolicy, Stack
from aws_cdk import aws_iam as iam
from aws_cdk import aws_rds as rds
from constructs import Construct

from infra.components.network import Network
from infra.config import POSTGRES_VERSION, Leaving, Options, Stage

NAME: Final = "pulsedocs"
AUTHORITIES: Final = "/opt/certificates"
"""Where the dependency layer carries what signs RDS certificates, a file for each region."""
ENGINE: Final = rds.DatabaseClusterEngine.aurora_postgres(
    version=rds.AuroraPostgresEngineVersion.of(POSTGRES_VERSION, POSTGRES_VERSION.partition(".")[0])
)
REMOVAL: Final = {
    Leaving.NOTHING: RemovalPolicy.DESTROY,
    Leaving.SNAPSHOT: RemovalPolicy.SNAPSHOT,
    # Not RETAIN_ON_UPDATE_OR_DELETE: CDK would let the writer go with its stack (aws-cdk 37780).
    Leaving.EVERYTHING: RemovalPolicy.RETAIN,
}


class Database(Construct):
    """A Serverless v2 writer, and readers that wait to take over.

    RDS itself keeps and rotates the master's password.

    A restored database is a cluster of its own beside the old one: a function's right to sign in
    names the cluster, and CloudFormation changes nothing that another stack still imports. So the
    old one stays until the service stack has moved over, see docs/guides/operate.md.
    """

    def __init__(
        self,
        scope: Construct,
        id_: str,
        *,
        stage: Stage,
        options: Options,
        network: Network,
    ) -> None:
        super().__init__(scope, id_)
        self._stage, self._network, self._readers = stage, network, options.readers
        backup = options.restore_from
        if not backup:
            self.cluster = self._make_cluster("Cluster")
            return
        if options.old_database == "kept":
            old = self._make_cluster("Cluster")
            for imported in (
                old.cluster_endpoint.hostname,
                old.cluster_identifier,
                old.cluster_resource_identifier,
            ):
                Stack.of(self).export_value(imported)
        # By the backup's name: another backup makes another cluster.
        self.cluster = self._make_cluster(f"Restored{sha256(backup.encode()).hexdigest()[:8]}")
        resource = self.cluster.node.default_child
        assert isinstance(resource, rds.CfnDBCluster)  # noqa: S101 -- what an L2 cluster is made of
        source, _, moment = backup.partition("@")
        if not moment:
            resource.snapshot_identifier = backup.removeprefix("snapshot:")
        else:
            resource.source_db_cluster_identifier = source
            resource.restore_type = "full-copy"
            resource.add_property_deletion_override("StorageEncrypted")  # as the source is
            if moment == "latest":
                resource.use_latest_restorable_time = True
            else:
                resource.restore_to_time = moment
        # The backup has them, and CloudFormation refuses them beside it.
        for name in ("DatabaseName", "MasterUsername"):
            resource.add_property_deletion_override(name)

    def _make_cluster(self, id_: str) -> rds.DatabaseCluster:
        stage = self._stage
        return rds.DatabaseCluster(
            self,
            id_,
            engine=ENGINE,
            # Can be chosen only when a cluster is made; AWS's default costs 70% more from 2029 on.
            engine_lifecycle_support=rds.EngineLifecycleSupport.OPEN_SOURCE_RDS_EXTENDED_SUPPORT_DISABLED,
            default_database_name=NAME,
            credentials=rds.Credentials.from_username("pulsedocs_master"),
            manage_master_user_password=True,
            # Past the version above no deployment leads back: "Cannot upgrade from 16.15 to 16.14".
            writer=rds.ClusterInstance.serverless_v2(
                "Writer", publicly_accessible=False, auto_minor_version_upgrade=False
            ),
            # As large as the writer at any time, so that it can take over at once.
            readers=[
                rds.ClusterInstance.serverless_v2(
                    f"Reader{number}",
                    publicly_accessible=False,
                    auto_minor_version_upgrade=False,
                    scale_with_writer=True,
                )
                for number in range(1, self._readers + 1)
            ],
            serverless_v2_min_capacity=stage.min_acu,
            serverless_v2_max_capacity=stage.max_acu,
            serverless_v2_auto_pause_duration=(
                None
                if stage.auto_pause_minutes is None
                else Duration.minutes(stage.auto_pause_minutes)
            ),
            vpc=self._network.vpc,
            vpc_subnets=self._network.subnets,
            security_groups=[self._network.database],
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
