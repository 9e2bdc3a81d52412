"""The stage's bucket: uploads, what one step hands to the next, traces."""

from collections.abc import Sequence
from typing import Final

from aws_cdk import Duration, RemovalPolicy
from aws_cdk import aws_s3 as s3
from constructs import Construct

_OVERWRITTEN: Final = (
    "control",
    "deleted",
    "evaluations",
    "idempotency",
    "imports",
    "open",
    "recognised",
    "requests",
    "sources",
    "staging",
    "sweep",
    "traces",
)

# The prefixes are those of `pulsedocs.model.object_keys`. Versions of uploads have no rule: S3
# cannot know which one is published. The sweep removes those of document versions whose time is up.
_LIFECYCLE: Final = [
    # A parked document goes on from what lies there: two weeks to raise a quota.
    s3.LifecycleRule(id="staging", prefix="staging/", expiration=Duration.days(14)),
    # As long as the pages of a version that was replaced, where a stage does not say otherwise.
    s3.LifecycleRule(id="recognised", prefix="recognised/", expiration=Duration.days(30)),
    s3.LifecycleRule(id="traces", prefix="traces/", expiration=Duration.days(30)),
    s3.LifecycleRule(id="evaluations", prefix="evaluations/", expiration=Duration.days(90)),
    s3.LifecycleRule(id="requests", prefix="requests/", expiration=Duration.days(30)),
    s3.LifecycleRule(id="idempotency", prefix="idempotency/", expiration=Duration.days(2)),
    # Longer than any backup that a stage makes by itself: 14 days, and snapshots of last year.
    s3.LifecycleRule(id="deleted", prefix="deleted/", expiration=Duration.days(400)),
    s3.LifecycleRule(id="control", prefix="control/", expiration=Duration.days(7)),
    *(
        s3.LifecycleRule(
            id=f"leftovers-{prefix}",
            prefix=f"{prefix}/",
            noncurrent_version_expiration=Duration.days(30),
        )
        for prefix in _OVERWRITTEN
    ),
    s3.LifecycleRule(
        id="leftovers",
        abort_incomplete_multipart_upload_after=Duration.days(1),
        expired_object_delete_marker=True,
    ),
]


class Bucket(Construct):
    """Versioned, private, TLS only; says "Object Created" to EventBridge.

    `origins` are those of web pages that send upload forms to it and read its file links.
    """

    def __init__(
        self, scope: Construct, id_: str, *, removal: RemovalPolicy, origins: Sequence[str]
    ) -> None:
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
            lifecycle_rules=_LIFECYCLE,
            # Pages may do what a form or a link allows them; who has neither is refused as before.
            cors=[
                s3.CorsRule(
                    allowed_origins=list(origins),
                    allowed_methods=[s3.HttpMethods.GET, s3.HttpMethods.HEAD, s3.HttpMethods.POST],
                    allowed_headers=["*"],
                    exposed_headers=["ETag", "x-amz-version-id"],
                    max_age=3600,
                )
            ]
            if origins
            else [],
        )
        # The native property: `event_bridge_enabled` would deploy a Lambda function that sets it.
        resource = self.bucket.node.default_child
        assert isinstance(resource, s3.CfnBucket)  # noqa: S101 -- what an L2 bucket is made of
        resource.notification_configuration = s3.CfnBucket.NotificationConfigurationProperty(
            event_bridge_configuration=s3.CfnBucket.EventBridgeConfigurationProperty(
                event_bridge_enabled=True
            )
        )
