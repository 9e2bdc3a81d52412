"""Secrets by name: a variable says where a secret lies, and only its function reads it."""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import boto3
import pytest
from botocore.exceptions import ClientError
from pydantic import ValidationError

from pulsedocs import bootstrap
from pulsedocs.adapters.aws.parameters import ParameterStore
from pulsedocs.bootstrap import keys, providers
from pulsedocs.errors import ConfigurationError, SecretMissing, SecretsUnavailable
from pulsedocs.settings import Settings

NAME = "/pulsedocs/dev/trace-secret"
SECRET = "0123456789abcdef-of-a-test"  # noqa: S105 -- of a test
IAM_URL = "postgresql://pulsedocs_query@db.example:5432/pulsedocs"


@pytest.fixture
def parameters(act_as: Callable[..., None]) -> Any:
    act_as(TRACE_SECRET=f"ssm:{NAME}", OPENAI_API_KEY="ssm:/pulsedocs/dev/openai-api-key")
    return boto3.client("ssm", region_name="us-east-1")


def write(client: Any, value: str, *, name: str = NAME) -> None:
    client.put_parameter(Name=name, Value=value, Type="SecureString", Overwrite=True)


def test_a_secret_is_read_decrypted_once_an_environment(parameters: Any) -> None:
    write(parameters, SECRET)
    assert keys.trace_secrets() == (SECRET.encode(),)

    write(parameters, f"{SECRET}-rotated")
    assert keys.trace_secrets() == (SECRET.encode(),)

    bootstrap.reset()  # as the next cold start does
    assert keys.trace_secrets() == (f"{SECRET}-rotated".encode(),)


def test_a_provider_is_given_the_key_that_the_parameter_holds(
    parameters: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(parameters, "sk-of-a-test", name="/pulsedocs/dev/openai-api-key")
    given: list[Any] = []

    class Recorder:
        def __init__(self, *_: object, **arguments: Any) -> None:
            given.append(arguments["api_key"])

        def close(self) -> None:
            """Nothing was opened."""

    monkeypatch.setattr("pulsedocs.adapters.openai.calls.OpenAICalls", Recorder)
    providers.embedder("openai:text-embedding-3-small@1536")

    assert given == ["sk-of-a-test"]


def test_a_secret_that_is_no_name_is_taken_as_it_is(act_as: Callable[..., None]) -> None:
    act_as(TRACE_SECRET=SECRET)

    assert keys.trace_secrets() == (SECRET.encode(),)


@pytest.mark.usefixtures("parameters")
def test_a_parameter_that_nobody_wrote_is_named_with_the_command_that_writes_it() -> None:
    with pytest.raises(SecretMissing, match=f"put-parameter.*--name {NAME} ") as missing:
        keys.trace_secrets()

    assert missing.value.code == "SECRET_MISSING"


def test_a_missing_parameter_is_asked_for_again(parameters: Any) -> None:
    """Whoever writes it need not deploy."""
    with pytest.raises(SecretMissing):
        keys.trace_secrets()
    write(parameters, SECRET)

    assert keys.trace_secrets() == (SECRET.encode(),)


def test_a_secret_too_short_to_keep_anything_is_refused(parameters: Any) -> None:
    write(parameters, "short")

    with pytest.raises(ConfigurationError, match="TRACE_SECRET is shorter than 16") as refused:
        keys.trace_secrets()
    assert "short-" not in str(refused.value)


def test_a_rotated_secret_stands_before_the_former_one(parameters: Any) -> None:
    write(parameters, f"{SECRET}-new, {SECRET}")
    assert keys.trace_secrets() == (f"{SECRET}-new".encode(), SECRET.encode())

    write(parameters, f"{SECRET}-new,short")
    bootstrap.reset()
    with pytest.raises(ConfigurationError, match="shorter than 16"):
        keys.trace_secrets()


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        ("AccessDeniedException", ConfigurationError),
        ("ThrottlingException", SecretsUnavailable),
        ("InternalServerError", SecretsUnavailable),
    ],
)
@pytest.mark.usefixtures("parameters")
def test_what_can_pass_is_told_apart_from_what_a_person_has_to_change(
    code: str, kind: type[Exception], monkeypatch: pytest.MonkeyPatch
) -> None:
    store = ParameterStore(region="us-east-1", endpoint_url=None)

    def refuse(**_: object) -> None:
        raise ClientError({"Error": {"Code": code, "Message": SECRET}}, "GetParameter")

    monkeypatch.setattr(store, "_client", SimpleNamespace(get_parameter=refuse))

    with pytest.raises(kind, match=code) as refused:
        store.read(NAME)
    assert SECRET not in str(refused.value)


@pytest.mark.parametrize(
    "query", ["", "?sslmode=require", "?sslmode=verify-full", "?sslrootcert=/opt/x.pem"]
)
def test_no_token_is_made_for_a_server_that_nobody_checks(query: str) -> None:
    with pytest.raises(ValidationError, match="sslmode=verify-full and sslrootcert"):
        Settings.model_validate({"DATABASE_URL": f"{IAM_URL}{query}", "DATABASE_AUTH": "iam"})
