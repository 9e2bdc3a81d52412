"""A state machine of the product: its log, its role without a single grant, its functions."""

import json
from collections.abc import Iterable, Mapping
from typing import Any

from aws_cdk import aws_iam as iam
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_stepfunctions as sfn
from constructs import Construct

from infra.components.logs import log_group
from infra.config import Stage


def state_machine(
    scope: Construct,
    definition: Mapping[str, Any],
    *,
    name: str,
    stage: Stage,
    functions: Mapping[str, lambda_.IFunction],
    calls: Iterable[str],
    others: Mapping[str, str] | None = None,
) -> sfn.StateMachine:
    """Make the machine; `${ClaimFunctionArn}` in it becomes the function `claim` of `calls`."""
    log = log_group(scope, "Log", name=f"/aws/vendedlogs/states/{name}", days=stage.log_days)
    arns = {f"{call.title()}FunctionArn": functions[call].function_arn for call in calls}
    return sfn.StateMachine(
        scope,
        "StateMachine",
        state_machine_name=name,
        # Without the white space that a template would carry along.
        definition_body=sfn.DefinitionBody.from_string(
            json.dumps(definition, separators=(",", ":"))
        ),
        definition_substitutions={**arns, **(others or {})},
        role=iam.Role(scope, "Role", assumed_by=iam.ServicePrincipal("states.amazonaws.com")),
        logs=sfn.LogOptions(destination=log, level=sfn.LogLevel.ALL, include_execution_data=False),
        tracing_enabled=True,
    )
