"""A stage starts whole, gives each function its own settings, and leaves nothing behind."""

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import UUID

import httpx
import psycopg
import pytest

from infra.functions import FUNCTIONS
from local.deployment import Deployment
from local.http_server import listen
from local.sigv4 import Credentials
from local.stage import BUCKET, Stage
from pulsedocs.scopes import READ
from tests.patience import PATIENCE, eventually

HANDLERS = {
    name: f"tests.integration.local.handlers.{module}.handler"
    for name, module in {"claim": "claim", "documents": "api", "query": "api"}.items()
}
OTHER = UUID("5b1a2c3d-0000-4000-8000-000000000002")


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    directory = tmp_path_factory.mktemp("stage")
    with Stage(directory, handlers=HANDLERS, settings={"OPENAI_API_KEY": "sk-secret"}) as running:
        yield running


def ask(stage: Stage, path: str, token: str) -> httpx.Response:
    return httpx.get(
        f"{stage.url}{path}", headers={"Authorization": f"Bearer {token}"}, timeout=PATIENCE
    )


def test_the_real_authoriser_accepts_the_stages_own_tokens(stage: Stage) -> None:
    """Two tenants are possible, and scopes are the token's."""
    mine = ask(stage, "/documents", stage.token()).json()["caller"]
    other = ask(stage, "/documents", stage.token(OTHER, scopes=(READ,))).json()["caller"]

    assert mine["tenant_id"] == str(stage.tenant_id)
    assert other["tenant_id"] == str(OTHER)
    assert other["scopes"] == READ


@pytest.mark.parametrize(
    "claims",
    [{"exp": 1}, {"iss": "https://other.test"}, {"aud": "other"}, {"tenant_id": "x"}],
    ids=lambda claims: next(iter(claims)),
)
def test_the_real_authoriser_refuses_other_tokens(stage: Stage, claims: dict[str, Any]) -> None:
    usual: dict[str, Any] = {"exp": int(time.time()) + 60}
    token = stage.tokens.token(OTHER, **{**usual, **claims})

    response = ask(stage, "/documents", token)

    assert response.status_code == 401
    assert response.json()["code"] == "UNAUTHENTICATED"


def test_an_uploaded_object_reaches_claim_as_its_database_role(stage: Stage) -> None:
    """P-05: bucket, rule, state machine and function, offline."""
    stage.aws.client("s3").put_object(Bucket=BUCKET, Key="u/t/d", Body=b"x")

    log = stage.logs / "claim.log"
    assert eventually(lambda: log.exists() and log.read_text())

    assert log.read_text() == "claimed u/t/d as pulsedocs_ingest\n"


def test_application_roles_are_no_superusers(stage: Stage) -> None:
    statement = "SELECT rolname FROM pg_roles WHERE rolname LIKE 'pulsedocs%' AND rolsuper"
    with psycopg.connect(stage.database_url) as connection:
        assert connection.execute(statement).fetchall() == []


def deployment() -> Deployment:
    roles = {spec.database_role for spec in FUNCTIONS.values() if spec.database_role}
    return Deployment(
        aws_url="http://127.0.0.1:1",
        bucket="bucket",
        credentials=Credentials("key", "secret"),
        database_urls={role: f"postgresql://{role}@localhost/x" for role in roles},
        token_variables={"TOKEN_ISSUER": "issuer"},
        trace_secret="of a test, no secret",  # noqa: S106 -- of no stage
        model_directory=Path("/models"),
        settings={"OPENAI_API_KEY": "sk-secret", "CHUNK_PROFILE": "words"},
    )


@pytest.mark.parametrize("name", FUNCTIONS)
def test_each_function_gets_what_it_uses_and_nothing_else(name: str) -> None:
    """S0-24: no key where there is no internet, no database where there is."""
    spec, variables = FUNCTIONS[name], deployment().functions()[name].variables

    assert ("DATABASE_URL" in variables) == (spec.database_role is not None)
    assert ("OPENAI_API_KEY" in variables) == (name in {"embed", "evaluate", "query", "stream"})
    assert ("TOKEN_ISSUER" in variables) == (name == "authorize")
    assert ("BUCKET" in variables) == (name not in {"authorize", "migrate", "retrieve"})
    assert ("RETRIEVE_FUNCTION" in variables) == (name in {"evaluate", "query", "stream"})
    if spec.database_role:
        assert spec.database_role in variables["DATABASE_URL"]


def test_a_taken_port_stops_the_start_before_anything_runs(tmp_path: Path) -> None:
    with listen() as taken:
        stage = Stage(tmp_path / "stage", port=taken.getsockname()[1])

        with pytest.raises(OSError, match="in use"):
            stage.start()

    assert not (stage.postgres.directory / "data-16").exists()


def test_a_durable_stage_keeps_database_bucket_and_keys(open_path: Path) -> None:
    """Fails when: traces and proofs of before a restart are by a secret that is gone.

    Failed: a console that stayed open could send no file to a bucket with another port, and none
    by a form from before the restart, which was signed by a key that was gone.
    """
    home = open_path / "stage"
    handlers = {name: handler for name, handler in HANDLERS.items() if name != "query"}
    with Stage(home, durable=True, handlers=handlers) as first:
        token, s3 = first.token(), first.aws.client("s3")
        proof_keys, bucket_at = ask(first, "/proofs/keys", token).json(), first.aws.endpoint_url
        versions = [
            s3.put_object(Bucket=BUCKET, Key="u/kept", Body=body, ContentType="text/plain")
            for body in (b"old", b"new")
        ]
        with psycopg.connect(first.database_url) as connection:
            connection.execute("CREATE TABLE kept AS SELECT 7 AS value")

    with Stage(home, durable=True, handlers=handlers) as second:
        with psycopg.connect(second.database_url) as connection:
            assert connection.execute("SELECT value FROM kept").fetchone() == (7,)
        assert ask(second, "/documents", token).status_code == 200
        assert ask(second, "/proofs/keys", token).json() == proof_keys
        assert second.aws.endpoint_url == bucket_at
        assert second.aws.credentials == first.aws.credentials
        old = second.aws.client("s3").get_object(
            Bucket=BUCKET, Key="u/kept", VersionId=versions[0]["VersionId"]
        )
        assert (old["Body"].read(), old["ContentType"]) == (b"old", "text/plain")
    assert proof_keys["keys"]
    for secret in ("trace-secret.txt", "s3-secret.txt"):
        assert (home / secret).stat().st_mode & 0o077 == 0
