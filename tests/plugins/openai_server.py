"""A scripted OpenAI on loopback, new for each test."""

from collections.abc import Iterator

import pytest

from tests.contract.fake_openai_server import FakeOpenAIServer


@pytest.fixture
def openai_server() -> Iterator[FakeOpenAIServer]:
    with FakeOpenAIServer() as server:
        yield server
