"""Two stacks a stage: `npx cdk deploy --all -c stage=dev`. Run as `python -m infra.app`."""

import os
import sys

import aws_cdk as cdk
from aws_cdk import aws_iam as iam
from cdk_nag import AwsSolutionsChecks

from infra.config import TITLE, Options, Stage, options_from, stage_named
from infra.data_stack import DataStack
from infra.layers import Layers, built_layers
from infra.service_stack import ServiceStack
from pulsedocs.errors import ConfigurationError


def compose(app: cdk.App, *, stage: Stage, options: Options, layers: Layers) -> None:
    """Put a stage's stacks into the app, checked by the rules of AWS Solutions at synthesis."""
    # Else a changed layer would leave the version of `migrate` as it is, and new migrations unrun.
    app.node.set_context("@aws-cdk/aws-lambda:recognizeLayerVersion", True)  # noqa: FBT003 -- CDK's
    # As it is by default, but CDK warns at each command until it is said: an export stays for as
    # long as the other stack reads it, which a restore relies on.
    app.node.set_context("@aws-cdk/core:defaultCrossStackReferences", "strong")
    cdk.Validations.of(app).add_plugins(AwsSolutionsChecks(app))
    data = DataStack(app, f"{TITLE}-{stage.name}-Data", stage=stage, options=options)
    service = ServiceStack(
        app,
        f"{TITLE}-{stage.name}-Service",
        stage=stage,
        options=options,
        data=data,
        layers=layers,
    )
    if options.permissions_boundary:
        for stack in (data, service):
            policy = iam.ManagedPolicy.from_managed_policy_name(
                stack, "Boundary", options.permissions_boundary
            )
            iam.PermissionsBoundary.of(stack).apply(policy)


def _region() -> str:
    """Return where `cdk` deploys to, which it tells the app; without it, what it would take."""
    environment = os.environ  # noqa: TID251 -- how `cdk` speaks to the app, not a setting
    names = ("CDK_DEFAULT_REGION", "AWS_REGION", "AWS_DEFAULT_REGION")
    return next((environment[name] for name in names if environment.get(name)), "")


def main() -> None:
    app = cdk.App()
    try:
        compose(
            app,
            stage=stage_named(app.node.try_get_context("stage")),
            options=options_from(app.node.get_all_context(), region=_region()),
            layers=built_layers(),
        )
    except ConfigurationError as error:
        sys.exit(f"error: {error.message}")
    app.synth()


if __name__ == "__main__":
    main()
