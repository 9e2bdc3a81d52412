"""The state machine of embedding models, what starts it, and what happens when it ends badly."""

from collections.abc import Mapping
from typing import Final

from aws_cdk import aws_events_targets as targets
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_s3 as s3
from aws_cdk import aws_sqs as sqs
from constructs import Construct

from infra.components.delivery import delivery, keep_failures, rule
from infra.components.machine import state_machine
from infra.config import Stage
from infra.events import STARTS_MODELS, bad_end, new_object
from infra.machines import models_machine

MODEL_STEPS: Final = ("embed", "store", "backfill")
"""The functions that probe a model and fill it in."""


class Modelling(Construct):
    """Probe or fill in a model for each request; one that breaks is told, and its reason kept."""

    def __init__(
        self,
        scope: Construct,
        id_: str,
        *,
        stage: Stage,
        functions: Mapping[str, lambda_.IFunction],
        bucket: s3.IBucket,
        dead_letters: sqs.IQueue,
    ) -> None:
        super().__init__(scope, id_)
        self.state_machine = state_machine(
            self,
            models_machine(),
            name=f"pulsedocs-{stage.name}-models",
            stage=stage,
            functions=functions,
            calls=MODEL_STEPS,
        )
        delivered = delivery(dead_letters)
        rule(
            self,
            "Requested",
            new_object(bucket.bucket_name, *STARTS_MODELS),
            targets.SfnStateMachine(self.state_machine, **delivered),
            description="A request to probe or to fill in a model starts the state machine",
        )
        rule(
            self,
            "EndedBadly",
            bad_end(self.state_machine.state_machine_arn),
            targets.LambdaFunction(functions["backfill"], **delivered),
            targets.SqsQueue(dead_letters, **delivered),
            description="A probe or a backfill that stopped: its reason is kept, a person is told",
        )
        keep_failures(self, "FailedToTell", functions["backfill"], dead_letters)
