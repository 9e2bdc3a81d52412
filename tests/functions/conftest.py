"""Handlers in this process, as Lambda calls them: a migrated database, moto's S3, real settings."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import boto3
import pytest
from aws_lambda_powertools.utilities.typing import LambdaContext
from moto import mock_aws

from pulsedocs import bootstrap

BUCKET = "pulsedocs-dev"
TENANT = UUID("11111111-1111-4111-8111-111111111111")
DOCUMENT = UUID("22222222-2222-4222-8222-222222222222")


class Context(LambdaContext):
    """What of Lambda's context the product reads."""

    def __init__(self, function: str) -> None:
        self._function_name = function
        self._aws_request_id = "c6af9ac6-7b61-11e6-9a41-93e8deadbeef"


@dataclass(frozen=True, slots=True)
class Bucket:
    client: Any

    def put(self, key: str, body: bytes, **arguments: Any) -> str:
        """Write an object as an uploader would; return its version."""
        written = self.client.put_object(Bucket=BUCKET, Key=key, Body=body, **arguments)
        return written["VersionId"]

    def keys(self, prefix: str = "") -> list[str]:
        listed = self.client.list_objects_v2(Bucket=BUCKET, Prefix=prefix)
        return sorted(item["Key"] for item in listed.get("Contents", []))


@pytest.fixture
def bucket(monkeypatch: pytest.MonkeyPatch) -> Iterator[Bucket]:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "test")
    monkeypatch.delenv("AWS_ENDPOINT_URL", raising=False)
    with mock_aws():
        client = boto3.client("s3", region_name="us-east-1")
        client.create_bucket(Bucket=BUCKET)
        client.put_bucket_versioning(Bucket=BUCKET, VersioningConfiguration={"Status": "Enabled"})
        yield Bucket(client)


@pytest.fixture
def act_as(
    bucket: Bucket, role_url: Callable[[str], str], monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[..., None]]:
    """Put on a function's environment: `act_as("ingest")` gives it that database role."""
    del bucket
    monkeypatch.setenv("BUCKET", BUCKET)
    monkeypatch.setenv("PULSEDOCS_STAGE", "local")
    monkeypatch.setenv("EMBEDDING_MODEL", "memory:hashing@384")
    monkeypatch.setenv("RERANKER_MODEL", "memory:overlap")

    def put_on(role: str | None = None, **variables: str) -> None:
        if role is None:
            monkeypatch.delenv("DATABASE_URL", raising=False)
        else:
            monkeypatch.setenv("DATABASE_URL", _as_url(role_url(role)))
        for name, value in variables.items():
            monkeypatch.setenv(name, value)
        bootstrap.reset()

    yield put_on
    bootstrap.reset()


def _as_url(conninfo: str) -> str:
    if "://" in conninfo:
        return conninfo
    parts = dict(part.split("=", 1) for part in conninfo.split())
    return "postgresql://{user}:{password}@{host}:{port}/{dbname}".format(**parts)
