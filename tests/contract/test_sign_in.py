"""From the outputs of a deployment to a token: the page, the password, the file that keeps it."""

import json
import re
import stat
import time
from collections.abc import Callable, Generator
from dataclasses import replace
from pathlib import Path
from threading import Thread
from typing import Any, cast
from uuid import UUID, uuid4

import boto3
import click
import httpx
import pytest
from click.testing import CliRunner, Result
from moto import mock_aws

from pulsedocs_cli import stages, tokens
from pulsedocs_cli.__main__ import main
from pulsedocs_cli.connection import connection, fresh_token
from pulsedocs_cli.sign_in_page import sign_in
from pulsedocs_cli.stages import UnknownStage, deployed_stage, pool_of
from tests.contract.cognito_server import CODE, REFRESH, CognitoServer, cognito_server
from tests.unit.client.test_transport import (
    FINE,
    Script,
    url,  # noqa: F401 # pyright: ignore[reportUnusedImport] -- a fixture
)

EMAIL = "reader@example.com"
PASSWORD = "Correct-horse-battery-9"  # noqa: S105 -- of a pool of this test
DOCUMENT = "11111111-1111-4111-8111-111111111111"


@pytest.fixture
def page() -> Generator[CognitoServer]:
    with cognito_server() as server:
        yield server


@pytest.fixture
def outputs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., dict[str, str]]:
    """Write what CDK writes behind `--outputs-file`, in a folder with a home of its own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("NO_PROXY", "127.0.0.1,localhost")

    def write(**given: str) -> dict[str, str]:
        found = {"Endpoint": "https://x.execute-api.eu-west-1.amazonaws.com/dev/"}
        found |= {"Region": "eu-west-1", "UserPool": "eu-west-1_abc", "UserPoolClient": "client"}
        found |= given
        stacks = {"PulseDocs-dev-Data": {"Other": "x"}, "PulseDocs-dev-Service": found}
        Path(".stages").mkdir(exist_ok=True)
        Path(".stages/dev.json").write_text(json.dumps(stacks))
        return found

    return write


def run(*words: str, typed: str | None = None) -> Result:
    return CliRunner().invoke(main, words, input=typed)


def visit(monkeypatch: pytest.MonkeyPatch, *before: str) -> None:
    """Let the browser be a client that follows redirects; `before` are addresses tried first."""

    def open_page(address: str) -> int:
        def follow() -> None:
            asked = httpx.get(address).headers["location"]
            for path in before:
                httpx.get(asked.partition("?")[0] + path)
            httpx.get(asked)

        Thread(target=follow, daemon=True).start()
        return 0

    monkeypatch.setattr(click, "launch", open_page)


def test_a_browser_signs_in_and_the_token_is_the_owners_alone(
    outputs: Callable[..., Any], page: CognitoServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    outputs(SignInPage=page.url)
    visit(monkeypatch, "?code=of-another&state=guessed", "favicon.ico")

    result = run("login", "--stage", "dev")

    assert result.exit_code == 0, result.output
    assert page.asked["code_challenge_method"] == "S256"
    assert re.fullmatch(r"http://localhost:842\d/", page.asked["redirect_uri"])
    [file] = Path("home").rglob("client.json")
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
    for secret in ("the-access-token", REFRESH, CODE):
        assert secret not in result.output
        assert secret not in repr(tokens.kept("client"))
    assert fresh_token(deployed_stage("dev")) == "the-access-token"
    assert page.renewed == 0


@pytest.mark.parametrize(
    ("attribute", "value", "said"),
    [("nonce", "of-another", "another sign-in"), ("error", "access_denied", "access_denied")],
)
def test_an_answer_of_another_sign_in_is_refused(
    outputs: Callable[..., Any],
    page: CognitoServer,
    monkeypatch: pytest.MonkeyPatch,
    attribute: str,
    value: str,
    said: str,
) -> None:
    outputs(SignInPage=page.url)
    setattr(page, attribute, value)
    visit(monkeypatch)

    result = run("login", "--stage", "dev")

    assert result.exit_code == 1
    assert said in result.output
    assert tokens.kept("client") is None


def test_a_redirect_with_another_state_signs_nobody_in(
    outputs: Callable[..., Any], page: CognitoServer
) -> None:
    outputs(SignInPage=page.url)
    answers: list[int] = []

    def forge(address: str) -> None:
        back = httpx.get(address).headers["location"].partition("?")[0]
        forged = f"{back}?code={CODE}&state=guessed"
        Thread(target=lambda: answers.append(httpx.get(forged).status_code)).start()

    with pytest.raises(tokens.NotSignedIn, match="nobody signed in"):
        sign_in(
            pool_of(deployed_stage("dev")),
            callback_urls=("http://localhost:8421/", "http://localhost:8422/"),
            show=forge,
            seconds=1,
        )

    assert answers == [400]


def test_a_token_that_ends_is_renewed_before_a_command_uses_it(
    outputs: Callable[..., Any],
    page: CognitoServer,
    url: str,  # noqa: F811 -- the fixture
) -> None:
    outputs(SignInPage=page.url, Endpoint=url)
    old = tokens.Tokens("old", REFRESH, time.time() + 60, from_page=True)
    tokens.keep("client", old)
    Script.answers = [FINE, FINE]

    for _ in range(2):
        assert run("status", DOCUMENT, "--stage", "dev").exit_code == 0

    assert page.renewed == 1
    renewed = tokens.kept("client")
    assert renewed is not None
    assert (renewed.access_token, renewed.refresh_token) == ("renewed-1", REFRESH)

    tokens.keep("client", replace(old, refresh_token="revoked"))  # noqa: S106 -- a stand-in
    result = run("status", DOCUMENT, "--stage", "dev")
    assert result.exit_code == 2
    assert "invalid_grant; `pulsedocs login --stage dev`" in result.output


def test_what_serves_for_hours_renews_its_token_too(
    outputs: Callable[..., Any],
    page: CognitoServer,
    url: str,  # noqa: F811 -- the fixture
) -> None:
    """`pulsedocs mcp` is one connection for as long as an assistant runs."""
    outputs(SignInPage=page.url, Endpoint=url)
    good = tokens.Tokens("good", REFRESH, time.time() + 3600, from_page=True)
    tokens.keep("client", good)
    Script.answers = [FINE, FINE]

    with connection("dev") as docs:
        docs.status(UUID(DOCUMENT))
        tokens.keep("client", replace(good, expires_at=time.time() + 60))
        docs.status(UUID(DOCUMENT))

    assert page.renewed == 1
    assert Script.tokens[-2:] == ["Bearer good", "Bearer renewed-1"]


def test_a_local_stage_renews_the_token_of_what_serves_for_weeks(
    url: str,  # noqa: F811 -- the fixture
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """`add --watch` outlives a week's token, and a stage that starts again."""
    monkeypatch.chdir(tmp_path)
    endpoint = tmp_path / ".local/endpoint.json"
    endpoint.parent.mkdir()
    endpoint.write_text(json.dumps({"url": url, "token": "first"}))
    Script.answers = [FINE, FINE, FINE]

    with connection(None) as docs:
        docs.status(UUID(DOCUMENT))
        endpoint.write_text(json.dumps({"url": url, "token": "second"}))
        docs.status(UUID(DOCUMENT))
        monkeypatch.setattr(stages, "default_directory", lambda: tmp_path / "none")
        endpoint.unlink()
        docs.status(UUID(DOCUMENT))

    assert Script.tokens[-3:] == ["Bearer first", "Bearer second", "Bearer first"]


def test_a_file_that_others_can_read_is_not_used(outputs: Callable[..., Any]) -> None:
    outputs(SignInPage="https://page.example")
    file = tokens.keep("client", tokens.Tokens("a", "b", time.time() + 3600, from_page=True))
    file.chmod(0o644)

    result = run("status", DOCUMENT, "--stage", "dev")

    assert result.exit_code == 2
    assert "others may read" in result.output


def test_where_a_file_has_no_mode_the_tokens_are_read(
    outputs: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """On Windows each file says 0o666, whoever may read it."""
    outputs(SignInPage="https://page.example")
    file = tokens.keep("client", tokens.Tokens("a", "b", time.time() + 3600, from_page=True))
    file.chmod(0o666)
    monkeypatch.setattr(tokens, "_HAS_MODES", False)

    kept = tokens.kept("client")

    assert kept is not None
    assert kept.access_token == "a"  # noqa: S105 -- of this test


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("status", DOCUMENT, "--stage", "dev"), "nobody is signed in"),
        (("status", DOCUMENT, "--stage", "staging"), "--outputs-file .stages/staging.json"),
        (("status", DOCUMENT, "--stage", "../x"), "not the name"),
        (("status", DOCUMENT, "--stage", "dev", "--url", "https://x.example"), "give one"),
        (("status", DOCUMENT), "no stage"),
        (("login", "--stage", "staging"), "--outputs-file .stages/staging.json"),
        (("user", "add", EMAIL, "--stage", "local"), "make token"),
        (("smoke", "--stage", "dev"), "nobody is signed in"),
    ],
)
def test_a_stage_that_is_not_known_is_refused_with_the_next_step(
    outputs: Callable[..., Any], words: tuple[str, ...], said: str
) -> None:
    outputs(SignInPage="https://page.example")

    result = run(*words)

    assert result.exit_code == 2
    assert said in result.output


def test_an_issuer_of_ones_own_is_asked_for_its_token(outputs: Callable[..., Any]) -> None:
    outputs()

    result = run("login", "--stage", "dev")

    assert result.exit_code == 2
    assert "another issuer" in result.output
    with pytest.raises(UnknownStage):
        pool_of(deployed_stage("dev"))


@pytest.fixture
def pool(outputs: Callable[..., Any]) -> Generator[Any]:
    """Make the pool of the template on moto; return its client and its id."""
    with mock_aws():
        cognito = cast("Any", boto3).client("cognito-idp", region_name="eu-west-1")
        pool_id = cognito.create_user_pool(
            PoolName="pulsedocs-dev",
            UsernameAttributes=["email"],
            Schema=[{"Name": "tenant_id", "AttributeDataType": "String", "Mutable": True}],
        )["UserPool"]["Id"]
        for group in ("writers", "operators"):
            cognito.create_group(UserPoolId=pool_id, GroupName=group)
        client_id = cognito.create_user_pool_client(
            UserPoolId=pool_id,
            ClientName="c",
            ExplicitAuthFlows=["ALLOW_ADMIN_USER_PASSWORD_AUTH", "ALLOW_REFRESH_TOKEN_AUTH"],
        )["UserPoolClient"]["ClientId"]
        outputs(UserPool=pool_id, UserPoolClient=client_id, SignInPage="https://page.example")
        yield cognito, pool_id


def test_a_first_user_is_one_command_and_signs_in_by_password(pool: Any) -> None:
    cognito, pool_id = pool
    tenant = str(uuid4())
    words = ("user", "add", EMAIL, "--stage", "dev", "--tenant", tenant)

    added = run(*words)
    again = run(*words, "--operator")

    assert added.exit_code == 0, added.output
    assert tenant in added.output
    assert "first password" in added.output
    assert again.exit_code == 0, again.output
    assert "first password" not in again.output
    who = {"UserPoolId": pool_id, "Username": EMAIL}
    attributes = {
        item["Name"]: item["Value"] for item in cognito.admin_get_user(**who)["UserAttributes"]
    }
    assert (attributes["custom:tenant_id"], attributes["email_verified"]) == (tenant, "true")
    groups = {group["GroupName"] for group in cognito.admin_list_groups_for_user(**who)["Groups"]}
    assert groups == {"writers", "operators"}

    cognito.admin_set_user_password(**who, Password="Temporary-word-12", Permanent=False)  # noqa: S106 -- of this test
    signed_in = run(
        *("login", "--stage", "dev", "--password", EMAIL), typed=f"Temporary-word-12\n{PASSWORD}\n"
    )
    assert signed_in.exit_code == 0, signed_in.output
    assert PASSWORD not in signed_in.output
    stage = deployed_stage("dev")
    client_id = str(stage.client_id)
    first = tokens.kept(client_id)
    assert first is not None
    tokens.keep(client_id, replace(first, expires_at=0))
    assert fresh_token(stage)
    renewed = tokens.kept(client_id)
    assert renewed is not None
    assert renewed.is_fresh

    assert run("logout", "--stage", "dev").exit_code == 0
    assert tokens.kept(client_id) is None


def test_nobody_is_moved_to_another_tenant(pool: Any) -> None:
    del pool
    assert run("user", "add", EMAIL, "--stage", "dev", "--read-only").exit_code == 0

    moved = run("user", "add", EMAIL, "--stage", "dev", "--tenant", str(uuid4()))

    assert moved.exit_code == 1
    assert "belongs to the tenant" in moved.output


def test_a_wrong_password_is_refused_in_the_pools_words(pool: Any) -> None:
    cognito, pool_id = pool
    assert run("user", "add", EMAIL, "--stage", "dev").exit_code == 0
    cognito.admin_set_user_password(
        UserPoolId=pool_id, Username=EMAIL, Password=PASSWORD, Permanent=True
    )

    result = run("login", "--stage", "dev", "--password", EMAIL, typed="Wrong-password-123\n")

    assert result.exit_code == 1
    assert "NotAuthorizedException" in result.output
