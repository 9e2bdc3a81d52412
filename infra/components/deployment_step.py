"""Custom resource: one step that a deployment waits for, and word to CloudFormation how it went.

Deployed as it lies here, as inline code: it needs only itself and the runtime's boto3. What it is
given says what it does: a `Statement` runs as the database's master, a `Version` is one of the
function `migrate`, from whose network no way leads to CloudFormation.
"""

import json
import time
from collections.abc import Callable
from typing import Any
from urllib.request import Request, urlopen

import boto3
from botocore.config import Config
from botocore.exceptions import ClientError, HTTPClientError

NAME = "schema"
SECONDS = 850  # of the function's 900: the answer still has to leave
PATIENCE_SECONDS = 300  # networks drop a connection, unheard, after 350 of silence
PAUSE_SECONDS = 5
REASON_BYTES = 1800
PASSING = (
    "AccessDenied",  # a right that was granted a moment ago and is not everywhere yet
    "BadRequest",  # the Data API of a cluster that is not quite there
    "CodeArtifactUserPending",
    "Database",  # ResumingException, UnavailableException
    "ENINotReady",
    "EC2",
    "Forbidden",
    "ResourceConflict",
    "ResourceNotReady",
    "ServiceUnavailable",
    "TooManyRequests",
)
FOR_GOOD = "DatabaseErrorException"  # the statement itself is wrong


def handler(event: dict[str, Any], _context: object) -> None:
    """Answer in every case: CloudFormation waits an hour for one that never comes."""
    began = time.monotonic()
    try:
        if event["RequestType"] != "Delete":  # what was made goes with its database
            patiently(lambda: work(event["ResourceProperties"], began), began)
    except Exception as error:  # noqa: BLE001 -- the deployment has to hear of any
        answer(event, status="FAILED", reason=f"{type(error).__name__}: {error}")
    else:
        answer(event, status="SUCCESS", reason="")


def patiently(attempt: Callable[[], None], began: float) -> None:
    """Try again what passes by itself: everything of a first deployment is new."""
    while True:
        try:
            return attempt()
        except (ClientError, HTTPClientError) as error:
            if time.monotonic() - began >= patience(error):
                raise
            print(f"{error}: again")
        time.sleep(PAUSE_SECONDS)


def patience(error: ClientError | HTTPClientError) -> int:
    if isinstance(error, HTTPClientError):
        return SECONDS  # what it asked for goes on: `migrate`, asked twice, takes turns
    code = error.response.get("Error", {}).get("Code", "")
    return PATIENCE_SECONDS if code.startswith(PASSING) and code != FOR_GOOD else 0


def work(asked: dict[str, str], began: float) -> None:
    """Run the statement or the migration; raise what it fails with."""
    left = max(1, SECONDS - (time.monotonic() - began))
    once = Config(read_timeout=min(left, PATIENCE_SECONDS), retries={"total_max_attempts": 1})
    if "Statement" in asked:
        boto3.client("rds-data", config=once).execute_statement(
            resourceArn=asked["Cluster"],
            secretArn=asked["Secret"],
            database=asked["Database"],
            sql=asked["Statement"],
        )
        return
    response = boto3.client("lambda", config=once).invoke(
        FunctionName=asked["Version"], Payload=b"{}"
    )
    said = response["Payload"].read().decode()
    print(said)  # which migrations ran
    if "FunctionError" in response:
        error = json.loads(said)
        raise RuntimeError(f"{error.get('errorType')}: {error.get('errorMessage')}")


def answer(event: dict[str, Any], *, status: str, reason: str) -> None:
    asked = {key: event[key] for key in ("StackId", "RequestId", "LogicalResourceId")}
    # CloudFormation reads 4,096 bytes in all. JSON doubles quotes, and would write six for a
    # control sign; half a pair of UTF-16 is no text.
    plain = "".join(sign if sign.isprintable() else " " for sign in reason)
    short = plain.encode()[:REASON_BYTES].decode(errors="ignore")
    body = {"Status": status, "Reason": short, "PhysicalResourceId": NAME, **asked}
    request = Request(  # noqa: S310 -- CloudFormation's own address
        event["ResponseURL"],
        data=json.dumps(body, ensure_ascii=False).encode(),
        headers={"Content-Type": ""},  # the address is signed for none
        method="PUT",
    )
    with urlopen(request, timeout=30):  # noqa: S310 -- as above
        pass
