"""What outlives a deployment: the network, the database and the bucket of a stage."""

import json

from aws_cdk import CfnOutput, RemovalPolicy, Stack
from constructs import Construct

from infra.components.acknowledged import DATA_FINDINGS, acknowledge
from infra.components.bucket import Bucket
from infra.components.database import Database
from infra.components.first_role import FirstRole
from infra.components.key import Key, encrypt
from infra.components.logs import retention_of
from infra.components.network import Network
from infra.config import Options, Stage


class DataStack(Stack):
    """Deployed rarely, never replaced; the service stack can be destroyed without it."""

    def __init__(self, scope: Construct, id_: str, *, stage: Stage, options: Options) -> None:
        super().__init__(
            scope,
            id_,
            description=f"PulseDocs {stage.name}: network, database, bucket",
            termination_protection=stage.is_protected,
        )
        self.key_arn = Key(self, "Key", stage=stage, options=options).arn
        # CloudFormation cannot empty a bucket, and emptying it needs a function: it is kept, unless
        # the deployment that makes it fails.
        self.bucket = Bucket(
            self,
            "Objects",
            removal=RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
            origins=options.origins,
            console=options.console_origin,
        ).bucket
        self.network = Network(
            self,
            "Network",
            bucket=self.bucket,
            log_retention=retention_of(stage.log_days),
            options=options,
        )
        self.database = Database(
            self,
            "Database",
            stage=stage,
            options=options,
            network=self.network,
        )
        FirstRole(
            self,
            "FirstRole",
            stage=stage,
            cluster=self.database.cluster,
            key_arn=self.key_arn,
        )
        if self.key_arn is not None:
            encrypt(self, self.key_arn)
        # What `deploy-check` holds the options of the next deployment to.
        CfnOutput(self, "ChosenOnce", value=json.dumps(options.chosen_once))
        CfnOutput(self, "Given", value=json.dumps(options.given))
        acknowledge(self, DATA_FINDINGS, stage=stage)
