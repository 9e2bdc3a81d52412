"""Who may take a role: a service of AWS, on behalf of this account alone where it says of whose.

By AWS's documentation Step Functions, rules of EventBridge and flow logs do. Lambda and API Gateway
are not said to, and a condition on what they do not name would keep them out.
"""

from aws_cdk import Stack
from aws_cdk import aws_iam as iam
from constructs import Construct


def for_this_account(scope: Construct) -> dict[str, dict[str, str]]:
    """Return the condition that a service acts for the account of the stack."""
    return {"StringEquals": {"aws:SourceAccount": Stack.of(scope).account}}


def service_of_this_account(scope: Construct, name: str) -> iam.ServicePrincipal:
    return iam.ServicePrincipal(f"{name}.amazonaws.com", conditions=for_this_account(scope))
