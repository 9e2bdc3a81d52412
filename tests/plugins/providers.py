"""Scripted providers on loopback, new for each test."""

from collections.abc import Iterator

import boto3
import pytest

from tests.contract.fake_bedrock_server import FakeBedrockServer
from tests.contract.fake_cohere_server import FakeCohereServer
from tests.contract.fake_openai_server import FakeOpenAIServer


@pytest.fixture
def openai_server() -> Iterator[FakeOpenAIServer]:
    with FakeOpenAIServer() as server:
        yield server


@pytest.fixture
def cohere_server() -> Iterator[FakeCohereServer]:
    with FakeCohereServer() as server:
        yield server


@pytest.fixture
def bedrock_server(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeBedrockServer]:
    """Return the server, with credentials of nobody in the environment."""
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIAEXAMPLE")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret-of-the-test")
    monkeypatch.delenv("AWS_SESSION_TOKEN", raising=False)
    monkeypatch.delenv("AWS_PROFILE", raising=False)
    monkeypatch.setattr(boto3, "DEFAULT_SESSION", None)  # it keeps the first credentials
    with FakeBedrockServer() as server:
        yield server
