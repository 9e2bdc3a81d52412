"""Custom resource: invoke `migrate` when CloudFormation reaches the step, and say how it went.

Deployed as it lies here, as inline code without a layer; it needs nothing but this file and the
runtime's own boto3. `migrate` cannot do it: from its network no way leads to CloudFormation.
"""

import json
from typing import Any
from urllib.request import Request, urlopen

import boto3
from botocore.config import Config

INVOCATION_SECONDS = 850
NAME = "schema"


def handler(event: dict[str, Any], _context: object) -> None:
    """Answer in every case: CloudFormation would wait an hour for one that never comes."""
    try:
        if event["RequestType"] != "Delete":  # the schema goes with its database
            migrate(event["ResourceProperties"]["Version"])
    except Exception as error:  # noqa: BLE001 -- whatever it is, the deployment has to hear of it
        answer(event, status="FAILED", reason=f"{type(error).__name__}: {error}"[:2000])
    else:
        answer(event, status="SUCCESS", reason="")


def migrate(version_arn: str) -> None:
    """Run one version of the function; raise with its own words when it fails."""
    once = Config(read_timeout=INVOCATION_SECONDS, retries={"total_max_attempts": 1})
    response = boto3.client("lambda", config=once).invoke(FunctionName=version_arn, Payload=b"{}")
    said = response["Payload"].read().decode()
    print(said)  # which migrations ran
    if "FunctionError" in response:
        error = json.loads(said)
        raise RuntimeError(f"{error.get('errorType')}: {error.get('errorMessage')}")


def answer(event: dict[str, Any], *, status: str, reason: str) -> None:
    asked = {key: event[key] for key in ("StackId", "RequestId", "LogicalResourceId")}
    body = {"Status": status, "Reason": reason, "PhysicalResourceId": NAME, **asked}
    request = Request(  # noqa: S310 -- CloudFormation's own address
        event["ResponseURL"],
        data=json.dumps(body).encode(),
        headers={"Content-Type": ""},  # the address is signed for none
        method="PUT",
    )
    with urlopen(request, timeout=30):  # noqa: S310 -- as above
        pass
