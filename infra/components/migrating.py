"""The step of a deployment that comes before all others: the schema of the new version."""

from collections.abc import Mapping
from typing import Final

from aws_cdk import CustomResource
from constructs import Construct

from infra.components.custom_step import custom_step
from infra.components.function import Function
from infra.config import Stage

MIGRATE: Final = "migrate"


class Migrating(Construct):
    """Invokes `migrate` when it has changed; no other function is replaced unless it succeeds.

    It changes with the layer that holds the migrations.
    """

    def __init__(
        self, scope: Construct, id_: str, *, stage: Stage, functions: Mapping[str, Function]
    ) -> None:
        super().__init__(scope, id_)
        migrate = functions[MIGRATE].function
        step = custom_step(
            self,
            stage=stage,
            name="migration-step",
            description="Invokes migrate during a deployment and tells CloudFormation the end",
            grants=[(["lambda:InvokeFunction"], f"{migrate.function_arn}:*")],
        )
        migrated = CustomResource(
            self,
            "Migrated",
            service_token=step.function_arn,
            properties={"Version": migrate.current_version.function_arn},
        )
        for name, function in functions.items():
            if name != MIGRATE:
                function.node.add_dependency(migrated)
