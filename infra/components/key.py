"""One key of the operator's for what a stage keeps: bucket, database, logs, topic, queue, password.

The key's policy admits the account, whose own policies say which roles may use it, and the services
that write for nobody's role: each for what is this stage's, told by the encryption context.
"""

from collections.abc import Sequence
from typing import Final

from aws_cdk import RemovalPolicy, Stack
from aws_cdk import aws_iam as iam
from aws_cdk import aws_kms as kms
from aws_cdk import aws_logs as logs
from aws_cdk import aws_rds as rds
from aws_cdk import aws_s3 as s3
from aws_cdk import aws_sns as sns
from aws_cdk import aws_sqs as sqs
from constructs import Construct

from infra.config import MADE, TITLE, Options, Stage

DECRYPT: Final = "kms:Decrypt"
DATA_KEY: Final = "kms:GenerateDataKey"
_PUBLISHES: Final = ("kms:Decrypt", "kms:GenerateDataKey*")
_WRITES_LOGS: Final = (
    *_PUBLISHES,
    "kms:Encrypt",
    "kms:ReEncrypt*",
    "kms:Describe*",
)


class Key(Construct):
    """`arn` of the key that was chosen, made here or the operator's; None without one.

    A key that was made stays when its stack goes: without it nothing that stays can be read.
    """

    def __init__(self, scope: Construct, id_: str, *, stage: Stage, options: Options) -> None:
        super().__init__(scope, id_)
        self.arn: str | None = options.encryption_key or None
        if options.encryption_key != MADE:
            return
        key = kms.Key(
            self,
            "Key",
            alias=f"alias/pulsedocs-{stage.name}",
            description=f"What PulseDocs keeps, stage {stage.name}",
            enable_key_rotation=True,
            removal_policy=RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
        )
        for statement in admissions(Stack.of(self), stage=stage, has_budget=options.has_budget):
            key.add_to_resource_policy(statement)
        self.arn = key.key_arn


def admissions(stack: Stack, *, stage: Stage, has_budget: bool) -> list[iam.PolicyStatement]:
    """Return what a key's policy has to say beside its account, one statement a service."""
    here = f"{stack.region}:{stack.account}"
    named = f"{TITLE}-{stage.name}-*"  # what CloudFormation names begins with its stack's name
    groups = (
        f"/aws/lambda/pulsedocs-{stage.name}-*",
        f"/aws/vendedlogs/states/pulsedocs-{stage.name}-*",
        f"/pulsedocs/{stage.name}/*",
        named,
    )
    publishers = ["cloudwatch", *(["budgets"] if has_budget else [])]
    return [
        _admit(
            f"logs.{stack.region}",
            _WRITES_LOGS,
            "aws:logs:arn",
            *(f"arn:{stack.partition}:logs:{here}:log-group:{group}" for group in groups),
        ),
        *(
            _admit(
                service, _PUBLISHES, "aws:sns:topicArn", f"arn:{stack.partition}:sns:{here}:{named}"
            )
            for service in publishers
        ),
        _admit("events", _PUBLISHES, "aws:sqs:arn", f"arn:{stack.partition}:sqs:{here}:{named}"),
    ]


def allow_key(role: iam.IRole, actions: Sequence[str], key_arn: str, *, service: str) -> None:
    """Let a role use the key where a service does it for the role."""
    through = f"{service}.{Stack.of(role).region}.amazonaws.com"
    role.add_to_principal_policy(
        iam.PolicyStatement(
            actions=list(actions),
            resources=[key_arn],
            conditions={"StringEquals": {"kms:ViaService": through}},
        )
    )


def _admit(
    service: str, actions: tuple[str, ...], context: str, *resources: str
) -> iam.PolicyStatement:
    return iam.PolicyStatement(
        principals=[iam.ServicePrincipal(f"{service}.amazonaws.com")],
        actions=list(actions),
        resources=["*"],  # the key itself
        conditions={"ArnLike": {f"kms:EncryptionContext:{context}": list(resources)}},
    )


def encrypt(stack: Stack, key_arn: str) -> None:
    """Encrypt with the key all that is in a stack: nothing that is added is forgotten.

    On the native resources: CDK's own would widen the key's policy for each that sends to them.
    """
    for each in stack.node.find_all():
        if isinstance(each, logs.CfnLogGroup):
            each.kms_key_id = key_arn
        elif isinstance(each, sns.CfnTopic):
            each.kms_master_key_id = key_arn
        elif isinstance(each, sqs.CfnQueue):
            each.kms_master_key_id, each.sqs_managed_sse_enabled = key_arn, None
        elif isinstance(each, s3.CfnBucket):
            each.bucket_encryption = _of_bucket(key_arn)
        elif isinstance(each, rds.CfnDBCluster):
            each.kms_key_id = key_arn
            each.master_user_secret = rds.CfnDBCluster.MasterUserSecretProperty(kms_key_id=key_arn)


def _of_bucket(key_arn: str) -> s3.CfnBucket.BucketEncryptionProperty:
    """Return the encryption of a bucket, with one call of KMS for many objects."""
    by_default = s3.CfnBucket.ServerSideEncryptionByDefaultProperty(
        sse_algorithm="aws:kms", kms_master_key_id=key_arn
    )
    return s3.CfnBucket.BucketEncryptionProperty(
        server_side_encryption_configuration=[
            s3.CfnBucket.ServerSideEncryptionRuleProperty(
                bucket_key_enabled=True, server_side_encryption_by_default=by_default
            )
        ]
    )
