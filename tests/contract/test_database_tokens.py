"""A database token is the one that AWS's own SDK would make, made without a call."""

import socket
from urllib.parse import parse_qs, urlsplit

import boto3
import pytest

from pulsedocs.adapters.aws.database_tokens import DatabaseTokens
from pulsedocs.errors import ConfigurationError

HOST, PORT, ROLE, REGION = "stage.cluster-x.rds.amazonaws.com", 5432, "pulsedocs_query", "eu-west-1"


@pytest.fixture
def credentials(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give those that Lambda puts into the environment, and forbid every call."""
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIAEXAMPLE")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    monkeypatch.setenv("AWS_SESSION_TOKEN", "session/+=")

    def refuse(*_: object) -> None:
        raise AssertionError("a token needs no network")

    monkeypatch.setattr(socket.socket, "connect", refuse)


def tokens() -> DatabaseTokens:
    return DatabaseTokens(host=HOST, port=PORT, role=ROLE, region=REGION)


def fields(token: str) -> dict[str, list[str]]:
    return parse_qs(urlsplit(f"https://{token}").query)


@pytest.mark.usefixtures("credentials")
def test_a_token_names_the_role_and_lives_for_a_quarter_of_an_hour() -> None:
    token = tokens()()

    assert token.startswith(f"{HOST}:{PORT}/?Action=connect&DBUser={ROLE}&")
    assert fields(token)["X-Amz-Expires"] == ["900"]
    assert fields(token)["X-Amz-Security-Token"] == ["session/+="]


@pytest.mark.usefixtures("credentials")
def test_a_token_is_the_one_that_boto3_makes() -> None:
    # A session of its own: the default one keeps the credentials of whoever asked it first.
    client = boto3.Session().client("rds", region_name=REGION)

    # Both sign the second that they are in: of some pairs it is the same one.
    ours = tokens()
    pairs = ((ours(), client.generate_db_auth_token(HOST, PORT, ROLE)) for _ in range(20))

    assert any(one == other for one, other in pairs)


@pytest.mark.usefixtures("credentials")
def test_a_token_is_signed_with_the_credentials_of_its_moment(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    first = tokens()()
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "another")

    assert fields(tokens()())["X-Amz-Signature"] != fields(first)["X-Amz-Signature"]


def test_without_credentials_it_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_PROFILE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", "/nonexistent")
    monkeypatch.setenv("AWS_CONFIG_FILE", "/nonexistent")

    with pytest.raises(ConfigurationError, match="no AWS credentials"):
        tokens()()
