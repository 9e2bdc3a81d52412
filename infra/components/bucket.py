"""The stage's bucket: uploads, what one step hands to the next, traces."""

from aws_cdk import Duration, RemovalPolicy
from aws_cdk import aws_s3 as s3
from constructs import Construct


class Bucket(Construct):
    """Versioned, private, TLS only; says "Object Created" to EventBridge."""

    def __init__(self, scope: Construct, id_: str, *, removal: RemovalPolicy) -> None:
        super().__init__(scope, id_)
        self.bucket = s3.Bucket(
            self,
            "Bucket",
            versioned=True,
            encryption=s3.BucketEncryption.S3_MANAGED,
            enforce_ssl=True,
            minimum_tls_version=1.2,
            block_public_access=s3.BlockPublicAccess.BLOCK_ALL,
            object_ownership=s3.ObjectOwnership.BUCKET_OWNER_ENFORCED,
            removal_policy=removal,
            lifecycle_rules=_lifecycle(),
        )
        self._tell_event_bridge()

    def _tell_event_bridge(self) -> None:
        """Set the native property: `event_bridge_enabled` would deploy a Lambda function for it."""
        resource = self.bucket.node.default_child
        assert isinstance(resource, s3.CfnBucket)  # noqa: S101 -- what an L2 bucket is made of
        resource.notification_configuration = s3.CfnBucket.NotificationConfigurationProperty(
            event_bridge_configuration=s3.CfnBucket.EventBridgeConfigurationProperty(
                event_bridge_enabled=True
            )
        )


def _lifecycle() -> list[s3.LifecycleRule]:
    """Return when objects expire; the prefixes are those of `pulsedocs.model.object_keys`.

    A version of an upload that a newer one replaced stays readable for 30 days: a run of the
    older version may still be under way, and `cancel` may ask for it back.
    """
    return [
        # A parked document goes on from what lies there: two weeks to raise a quota.
        s3.LifecycleRule(id="staging", prefix="staging/", expiration=Duration.days(14)),
        s3.LifecycleRule(id="traces", prefix="traces/", expiration=Duration.days(30)),
        s3.LifecycleRule(id="evaluations", prefix="evaluations/", expiration=Duration.days(90)),
        s3.LifecycleRule(id="requests", prefix="requests/", expiration=Duration.days(30)),
        s3.LifecycleRule(id="idempotency", prefix="idempotency/", expiration=Duration.days(2)),
        s3.LifecycleRule(id="control", prefix="control/", expiration=Duration.days(7)),
        s3.LifecycleRule(
            id="leftovers",
            noncurrent_version_expiration=Duration.days(30),
            abort_incomplete_multipart_upload_after=Duration.days(1),
            expired_object_delete_marker=True,
        ),
    ]
