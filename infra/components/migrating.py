"""The step of a deployment that comes before all others: the schema of the new version."""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from aws_cdk import CustomResource, Duration
from aws_cdk import aws_iam as iam
from aws_cdk import aws_lambda as lambda_
from constructs import Construct

from infra.components.function import RUNTIME, Function
from infra.components.logs import log_group
from infra.config import Stage

MIGRATE: Final = "migrate"
_STEP: Final = Path(__file__).with_name("migration_step.py")
_STEP_SECONDS: Final = 900  # `migrate` ends before, and the answer still has to leave


class Migrating(Construct):
    """Invokes `migrate` when it has changed; no other function is replaced unless it succeeds.

    It changes with the layer that holds the migrations.
    """

    def __init__(
        self, scope: Construct, id_: str, *, stage: Stage, functions: Mapping[str, Function]
    ) -> None:
        super().__init__(scope, id_)
        migrate = functions[MIGRATE].function
        step = self._step(stage, invokes=f"{migrate.function_arn}:*")
        migrated = CustomResource(
            self,
            "Migrated",
            service_token=step.function_arn,
            properties={"Version": migrate.current_version.function_arn},
        )
        for name, function in functions.items():
            if name != MIGRATE:
                function.node.add_dependency(migrated)

    def _step(self, stage: Stage, *, invokes: str) -> lambda_.Function:
        name = f"pulsedocs-{stage.name}-migration-step"
        log = log_group(self, "Log", name=f"/aws/lambda/{name}", days=stage.log_days)
        role = iam.Role(self, "Role", assumed_by=iam.ServicePrincipal("lambda.amazonaws.com"))
        for actions, resource in (
            (["logs:CreateLogStream", "logs:PutLogEvents"], log.log_group_arn),
            (["lambda:InvokeFunction"], invokes),
        ):
            role.add_to_policy(iam.PolicyStatement(actions=actions, resources=[resource]))
        return lambda_.Function(
            self,
            "Step",
            function_name=name,
            description="Invokes migrate during a deployment and tells CloudFormation the end",
            runtime=RUNTIME,
            architecture=lambda_.Architecture.ARM_64,
            code=lambda_.Code.from_inline(_STEP.read_text("utf-8")),
            handler="index.handler",
            memory_size=128,
            timeout=Duration.seconds(_STEP_SECONDS),
            role=role,
            log_group=log,
        )
