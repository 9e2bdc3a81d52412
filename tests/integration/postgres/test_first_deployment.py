"""An empty cluster becomes a stage: the master makes one role, which signs in and does the rest."""

import json
import re
from collections.abc import Callable, Iterator
from typing import Any

import psycopg
import pytest
import stamina
from psycopg import sql
from psycopg.conninfo import make_conninfo

from functions.migrate.handler import handler
from infra.components.first_role import STATEMENT
from infra.functions import FUNCTIONS, MIGRATOR
from local.postgres import PostgresServer
from pulsedocs import bootstrap
from pulsedocs.adapters.postgres.upkeep.migrations import migrations
from pulsedocs.adapters.postgres.upkeep.schema import PostgresSchema
from pulsedocs.errors import PgvectorTooOld
from tests.functions.conftest import Context

MASTER = "pulsedocs_master"
PASSWORD = "of-a-test"  # noqa: S105 -- the server listens on loopback and dies with the test
APPLICATION = sorted(
    {spec.database_role for spec in FUNCTIONS.values() if spec.database_role} - {MIGRATOR}
)


class Cluster:
    """A server as RDS gives it: a master who is no superuser, and a role for IAM tokens."""

    def __init__(self, server: PostgresServer, *, has_tokens: bool = True) -> None:
        with psycopg.connect(server.admin_url, autocommit=True) as connection:
            connection.execute(
                f"CREATE ROLE {MASTER} LOGIN NOSUPERUSER CREATEROLE CREATEDB".encode()
            )
            if has_tokens:
                connection.execute("CREATE ROLE rds_iam NOLOGIN")
                # RDS lets its master hand the role out without being a member of it.
                connection.execute(f"GRANT rds_iam TO {MASTER} WITH ADMIN OPTION".encode())
            connection.execute(f"CREATE DATABASE stage OWNER {MASTER}".encode())
        self.admin_url = make_conninfo(server.admin_url, dbname="stage")
        self._run(self.admin_url, "CREATE EXTENSION vector")  # RDS lets its master do this
        self.set_password(MASTER)

    def url(self, role: str) -> str:
        return make_conninfo(self.admin_url, user=role, password=PASSWORD)

    def set_password(self, role: str) -> None:
        statement = sql.SQL("ALTER ROLE {} PASSWORD {}")
        with psycopg.connect(self.admin_url) as connection:
            connection.execute(statement.format(sql.Identifier(role), sql.Literal(PASSWORD)))

    def make_first_role(self) -> None:
        self._run(self.url(MASTER), STATEMENT.read_text("utf-8"))
        self.set_password(MIGRATOR)

    def values(self, statement: str) -> list[Any]:
        with psycopg.connect(self.admin_url) as connection:
            return [row[0] for row in connection.execute(statement.encode())]

    def _run(self, url: str, statement: str) -> None:
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute(statement.encode())


@pytest.fixture
def new_server(
    postgres_server: PostgresServer, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[PostgresServer]:
    directory = tmp_path_factory.mktemp("cluster")
    with PostgresServer(directory, version=postgres_server.version, disposable=True) as server:
        yield server


@pytest.fixture
def cluster(new_server: PostgresServer) -> Cluster:
    return Cluster(new_server)


@pytest.fixture
def deploy(cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[], Any]]:
    """Invoke `migrate` as a deployment does."""
    given = make_conninfo(cluster.url(MIGRATOR))
    parts = dict(re.findall(r"(\w+)=(\S+)", given))
    address = f"{parts['user']}:{parts['password']}@{parts['host']}:{parts['port']}"
    monkeypatch.setenv("DATABASE_URL", f"postgresql://{address}/{parts['dbname']}")
    bootstrap.reset()
    yield lambda: json.loads(json.dumps(handler({}, Context("migrate"))))
    bootstrap.reset()


def test_an_empty_cluster_becomes_a_stage_whose_roles_sign_in_by_token(
    cluster: Cluster, deploy: Callable[[], Any]
) -> None:
    """P-03: forward, and each role of the table of functions is let in."""
    cluster.make_first_role()

    report = deploy()

    assert report["applied"] == [migration.name for migration in migrations()]
    # The master only here: see `Cluster`.
    assert report["signing_in"] == sorted([*APPLICATION, MASTER, MIGRATOR])
    assert tuple(int(part) for part in report["pgvector"].split(".")[:2]) >= (0, 8)


def test_a_second_deployment_finds_nothing_to_do(
    cluster: Cluster, deploy: Callable[[], Any]
) -> None:
    """P-03: idempotent, the statement of the master as well."""
    cluster.make_first_role()
    first = deploy()
    cluster.make_first_role()

    assert deploy() == {**first, "applied": []}


def test_the_master_can_still_sign_in_with_its_password(
    cluster: Cluster, deploy: Callable[[], Any]
) -> None:
    """RDS asks every member of rds_iam for a token, however far removed the membership is."""
    cluster.make_first_role()
    deploy()

    members = "SELECT rolname FROM pg_roles WHERE pg_has_role('pulsedocs_master', oid, 'MEMBER')"
    mine = [name for name in cluster.values(members) if name.startswith("pulsedocs_")]
    assert mine == [MASTER]


def test_what_migrates_owns_the_database_and_is_no_superuser(
    cluster: Cluster, deploy: Callable[[], Any]
) -> None:
    cluster.make_first_role()
    deploy()

    owner = "SELECT pg_get_userbyid(datdba) FROM pg_database WHERE datname = 'stage'"
    assert cluster.values(owner) == [MIGRATOR]
    special = "SELECT rolname FROM pg_roles WHERE rolname ~ '^pulsedocs' AND {}"
    assert cluster.values(special.format("(rolsuper OR rolbypassrls)")) == []
    assert cluster.values("SELECT rolcanlogin FROM pg_roles WHERE rolname = 'pulsedocs_owner'") == [
        False
    ]
    assert cluster.values("SELECT 1 FROM pg_roles WHERE rolname = 'pulsedocs_maker'") == []


def test_where_there_are_no_tokens_passwords_do(new_server: PostgresServer) -> None:
    cluster = Cluster(new_server, has_tokens=False)
    cluster.make_first_role()

    schema = PostgresSchema(cluster.url(MIGRATOR))
    assert len(schema.apply_pending()) == len(migrations())
    assert schema.let_roles_sign_in() == ()


def test_a_password_is_made_for_each_connection(cluster: Cluster) -> None:
    """A token of the first step may be over when the last begins."""
    cluster.make_first_role()
    asked: list[str] = []

    def password() -> str:
        asked.append("")
        return PASSWORD

    schema = PostgresSchema(make_conninfo(cluster.admin_url, user=MIGRATOR), password=password)
    schema.vector_version()
    schema.vector_version()

    assert len(asked) == 2


@pytest.mark.parametrize("version", ["0.7.4", "0.5.1"])
def test_an_old_pgvector_ends_the_deployment_before_anything_is_changed(
    version: str, cluster: Cluster, deploy: Callable[[], Any]
) -> None:
    """P-03: whoever deploys is told which version there is and what to do."""
    cluster.make_first_role()
    with psycopg.connect(cluster.admin_url) as connection:
        connection.execute(
            "UPDATE pg_extension SET extversion = %s WHERE extname = 'vector'", [version]
        )

    with pytest.raises(PgvectorTooOld, match=f"pgvector {version} is installed.*ALTER EXTENSION"):
        deploy()
    assert cluster.values("SELECT to_regclass('public.pulsedocs_migrations')") == [None]


def test_a_database_that_is_waking_up_is_waited_for(
    cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A deployment may be the first to ask after a night."""
    cluster.make_first_role()
    real, refusals = (
        psycopg.connect,
        [
            psycopg.OperationalError("connection refused"),
            psycopg.OperationalError("timeout expired"),
            psycopg.OperationalError("FATAL: PAM authentication failed"),  # IAM has not heard yet
        ],
    )

    def connect(*arguments: Any, **options: Any) -> Any:
        if refusals:
            raise refusals.pop()
        return real(*arguments, **options)

    monkeypatch.setattr(psycopg, "connect", connect)

    with stamina.set_testing(True, attempts=4):
        assert PostgresSchema(cluster.url(MIGRATOR)).vector_version()
