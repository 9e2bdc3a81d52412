"""A function that CloudFormation calls for one step of a deployment, with the step's rights."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from aws_cdk import Duration
from aws_cdk import aws_iam as iam
from aws_cdk import aws_lambda as lambda_
from constructs import Construct

from infra.components.function import RUNTIME
from infra.components.logs import log_group, may_write
from infra.config import Stage

_CODE: Final = Path(__file__).with_name("deployment_step.py")
_SECONDS: Final = 900  # the code ends before, and the answer still has to leave


def custom_step(
    scope: Construct,
    *,
    stage: Stage,
    name: str,
    description: str,
    grants: Sequence[tuple[Sequence[str], str]],
) -> lambda_.Function:
    """Make the function `pulsedocs-<stage>-<name>`; a grant is actions, and what they are on."""
    full_name = stage.function_name(name)
    log = log_group(scope, "Log", name=f"/aws/lambda/{full_name}", days=stage.log_days)
    role = iam.Role(scope, "Role", assumed_by=iam.ServicePrincipal("lambda.amazonaws.com"))
    role.add_to_policy(may_write(log))
    for actions, resource in grants:
        role.add_to_policy(iam.PolicyStatement(actions=list(actions), resources=[resource]))
    return lambda_.Function(
        scope,
        "Step",
        function_name=full_name,
        description=description,
        runtime=RUNTIME,
        architecture=lambda_.Architecture.ARM_64,
        code=lambda_.Code.from_inline(_CODE.read_text("utf-8")),
        handler="index.handler",
        memory_size=128,
        timeout=Duration.seconds(_SECONDS),
        role=role,
        log_group=log,
    )
