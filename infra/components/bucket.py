"""The stage's bucket: uploads, what one step hands to the next, traces."""

from collections.abc import Sequence
from typing import Final

from aws_cdk import Duration, RemovalPolicy
from aws_cdk import aws_s3 as s3
from constructs import Construct

from infra.lifetimes import DAYS, OVERWRITTEN, OVERWRITTEN_DAYS

_LIFECYCLE: Final = [
    *(
        s3.LifecycleRule(id=prefix, prefix=f"{prefix}/", expiration=Duration.days(days))
        for prefix, days in DAYS.items()
    ),
    *(
        s3.LifecycleRule(
            id=f"leftovers-{prefix}",
            prefix=f"{prefix}/",
            noncurrent_version_expiration=Duration.days(OVERWRITTEN_DAYS),
        )
        for prefix in OVERWRITTEN
    ),
    s3.LifecycleRule(
        id="leftovers",
        abort_incomplete_multipart_upload_after=Duration.days(1),
        expired_object_delete_marker=True,
    ),
]


_READING: Final = (s3.HttpMethods.GET, s3.HttpMethods.HEAD)
_SENDING: Final = s3.HttpMethods.POST


def _rule(origins: Sequence[str], *methods: s3.HttpMethods) -> s3.CorsRule:
    return s3.CorsRule(
        allowed_origins=list(origins),
        allowed_methods=list(methods),
        allowed_headers=["*"],
        exposed_headers=["ETag", "x-amz-version-id"],
        max_age=3600,
    )


class Bucket(Construct):
    """Versioned, private, TLS only; says "Object Created" to EventBridge.

    `origins` are those of web pages that send upload forms to it and read its file links; `console`
    is the console's, which sends forms.
    """

    def __init__(
        self,
        scope: Construct,
        id_: str,
        *,
        removal: RemovalPolicy,
        origins: Sequence[str],
        console: str | None,
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
                *([_rule(origins, *_READING, _SENDING)] if origins else []),
                *([_rule([console], _SENDING)] if console else []),
            ],
        )
        # The native property: `event_bridge_enabled` would deploy a Lambda function that sets it.
        resource = self.bucket.node.default_child
        assert isinstance(resource, s3.CfnBucket)  # noqa: S101 -- what an L2 bucket is made of
        resource.notification_configuration = s3.CfnBucket.NotificationConfigurationProperty(
            event_bridge_configuration=s3.CfnBucket.EventBridgeConfigurationProperty(
                event_bridge_enabled=True
            )
        )
