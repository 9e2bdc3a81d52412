"""An AWS account as moto has it; what moto lacks is answered here, in AWS's own shapes."""

from collections.abc import Generator
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import cache
from typing import Any, cast

import boto3
from botocore.awsrequest import AWSResponse
from botocore.compat import HTTPHeaders
from botocore.exceptions import BotoCoreError
from botocore.model import OperationModel
from botocore.parsers import ResponseParserError
from botocore.validate import validate_parameters
from moto import mock_aws

from pulsedocs_cli.deployment.account import Account

REGION = "eu-west-1"
NUMBER = "123456789012"
SERVICES = (
    *("apigateway", "aurora", "cognito-idp", "events", "lambda", "rds-data", "sns", "sqs"),
    "stepfunctions",
)
PAID = {"accountId": NUMBER, "accountPlanType": "PAID", "accountPlanStatus": "ACTIVE"}


class Refusal(Exception):
    """What AWS says instead of an answer."""

    def __init__(self, code: str, message: str = "as AWS would say it") -> None:
        super().__init__(code)
        self.error = {"Code": code, "Message": message}


class Unintelligible(ResponseParserError):
    """What botocore raises for a page that is no answer of AWS."""


class AwsAccount:
    """Answers by operation; every call is written down, whoever answered it."""

    def __init__(self) -> None:
        own = boto3.Session(region_name=REGION)
        self.ssm: Any = cast("Any", own).client("ssm")
        """Of a session of its own: what a test prepares is not written down."""
        self.session = boto3.Session(region_name=REGION)
        self.account = Account(self.session, region=REGION)
        self.calls: list[tuple[str, str, dict[str, Any]]] = []
        self.answers: dict[str, dict[str, Any] | Refusal | BotoCoreError | Unintelligible] = {}
        events = cast("Any", self.session).events
        events.register("before-parameter-build", self._note)
        events.register_first("before-call", self._answer)

    def _note(self, params: dict[str, Any], model: OperationModel, **_rest: Any) -> None:
        self.calls.append((model.service_model.service_name, model.name, dict(params)))

    def _answer(self, model: OperationModel, **_rest: Any) -> Any:
        answer = self.answers.get(model.name)
        if answer is None:
            return None  # moto's turn
        if isinstance(answer, BotoCoreError | Unintelligible):
            raise answer
        if isinstance(answer, Refusal):
            return _http(400), {"Error": answer.error, "ResponseMetadata": {}}
        assert model.output_shape is not None
        validate_parameters(answer, model.output_shape)
        return _http(200), {**answer, "ResponseMetadata": {"HTTPStatusCode": 200}}


def _http(status: int) -> AWSResponse:
    return AWSResponse("", status, HTTPHeaders(), None)


@cache
def _made_once() -> AwsAccount:
    """Keep the clients: botocore reads 10 MB of descriptions for them."""
    return AwsAccount()


@contextmanager
def aws_account() -> Generator[AwsAccount]:
    with mock_aws():
        made = _made_once()
        made.calls.clear()
        made.answers.clear()
        yield made


def make_ready(made: AwsAccount) -> None:
    """Let everything be there that a first deployment of dev needs."""
    ssm = made.ssm
    ssm.put_parameter(Name="/cdk-bootstrap/hnb659fds/version", Value="30", Type="String")
    for name in ("openai-api-key", "trace-secret"):
        ssm.put_parameter(Name=f"/pulsedocs/dev/{name}", Value="secret value", Type="SecureString")
    made.answers |= {
        "GetAccountPlanState": PAID,
        "GetAccountSettings": {"AccountLimit": {"ConcurrentExecutions": 1000}},
        "GetServiceQuota": {"Quota": {"Value": 5.0}},
        "DescribeVpcs": {"Vpcs": [{}]},  # moto's, of which one is the default, takes a second
        "DescribeVpcEndpoints": {"VpcEndpoints": []},
        "DescribeOrderableDBInstanceOptions": {"OrderableDBInstanceOptions": [{}]},
        "DescribeDBEngineVersions": {
            "DBEngineVersions": [
                {
                    "EngineVersion": "16.13",
                    "ServerlessV2FeaturesSupport": {"MinCapacity": 0.0, "MaxCapacity": 256.0},
                }
            ]
        },
        "DescribeDBClusters": {"DBClusters": []},
        "GetRole": {
            "Role": {
                "Path": "/aws-service-role/rds.amazonaws.com/",
                "RoleName": "AWSServiceRoleForRDS",
                "RoleId": "AROA0123456789ABCDEF",
                "Arn": f"arn:aws:iam::{NUMBER}:role/aws-service-role/rds.amazonaws.com/it",
                "CreateDate": datetime(2026, 1, 1, tzinfo=UTC),
            }
        },
        "GetParameters": {"Parameters": [{"Value": name} for name in SERVICES]},
        "DescribeAvailabilityZones": zones(),
        "DescribeSubnets": {"Subnets": []},
        "GetLayerVersionByArn": {"CompatibleArchitectures": ["arm64"]},
        "GetUseCaseForModelAccess": {"formData": b"{}"},
        "GetFoundationModel": model_of(status="ACTIVE"),
    }


def model_of(**life: Any) -> dict[str, Any]:
    """Return what Bedrock says of a model's life."""
    arn = f"arn:aws:bedrock:{REGION}::foundation-model/named"
    return {"modelDetails": {"modelArn": arn, "modelId": "named", "modelLifecycle": life}}


def zones(*ids: str) -> dict[str, Any]:
    """Return the zones of the region: `euw1-az2` as its first, and so on."""
    named = zip("abc", ids or ("euw1-az2", "euw1-az3", "euw1-az1"), strict=False)
    return {
        "AvailabilityZones": [
            {"ZoneName": f"{REGION}{letter}", "ZoneId": zone_id} for letter, zone_id in named
        ]
    }


def model_access(
    *,
    authorised: bool = True,
    agreed: str = "AVAILABLE",
    enabled: bool = True,
    in_region: bool = True,
) -> dict[str, Any]:
    """Return what Bedrock says of a model."""
    words = {True: "AVAILABLE", False: "NOT_AVAILABLE"}
    return {
        "modelId": "named",
        "agreementAvailability": {"status": agreed},
        "authorizationStatus": "AUTHORIZED" if authorised else "NOT_AUTHORIZED",
        "entitlementAvailability": words[enabled],
        "regionAvailability": words[in_region],
    }
