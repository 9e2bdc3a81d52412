"""Log groups that end: CloudWatch keeps the ones that Lambda makes for ever."""

from aws_cdk import RemovalPolicy
from aws_cdk import aws_iam as iam
from aws_cdk import aws_logs as logs
from constructs import Construct

_RETENTION = {
    14: logs.RetentionDays.TWO_WEEKS,
    30: logs.RetentionDays.ONE_MONTH,
    90: logs.RetentionDays.THREE_MONTHS,
}


def retention_of(days: int) -> logs.RetentionDays:
    """Return CloudWatch's name for a number of days."""
    return _RETENTION[days]


def log_group(scope: Construct, id_: str, *, name: str, days: int) -> logs.LogGroup:
    return logs.LogGroup(
        scope,
        id_,
        log_group_name=name,
        retention=retention_of(days),
        removal_policy=RemovalPolicy.DESTROY,
    )


def may_write(log: logs.ILogGroup) -> iam.PolicyStatement:
    """Return what a function's role needs for its log, and nothing for another one."""
    return iam.PolicyStatement(
        actions=["logs:CreateLogStream", "logs:PutLogEvents"], resources=[log.log_group_arn]
    )
