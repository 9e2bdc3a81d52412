"""The private PostgreSQL starts anywhere, keeps its data, and never outlives its owner."""

import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import LiteralString

import psycopg
import pytest
from psycopg import sql

from local import postgres, postgres_binaries
from local.postgres import DirectoryInUse, PostgresServer
from tests.patience import eventually

REPOSITORY = Path(__file__).parents[3]
NOBODY = 65534

OWNER = """
import sys, time
from pathlib import Path
from local.postgres import PostgresServer

server = PostgresServer(Path(sys.argv[1]), disposable=sys.argv[2] == "disposable")
server.start()
print(server.admin_url, flush=True)
time.sleep(60)
"""

NORMAL_USER = """
import os, sys
from pathlib import Path
import psycopg
from local.postgres import PostgresServer

os.setgroups([])
os.setgid(65534)
os.setuid(65534)  # an interpreter below /root could not be started by this user
with PostgresServer(Path(sys.argv[1])) as server, psycopg.connect(server.admin_url) as connection:
    print(connection.execute("SELECT 1").fetchone()[0])
"""


def value_of(url: str, statement: LiteralString) -> object:
    with psycopg.connect(url) as connection:
        row = connection.execute(sql.SQL(statement)).fetchone()
    assert row is not None
    return row[0]


def owner_of(open_path: Path, *, disposable: bool = False) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-c", OWNER, open_path, "disposable" if disposable else "kept"],
        stdout=subprocess.PIPE,
        text=True,
        cwd=REPOSITORY,
        start_new_session=True,
    )


def first_line(process: "subprocess.Popen[str]") -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


def is_refused(url: str) -> bool:
    try:
        psycopg.connect(url, connect_timeout=2).close()
    except psycopg.OperationalError:
        return True
    return False


@pytest.mark.parametrize("version", [16, 18])
def test_the_chosen_version_starts_with_vectors_and_utf8(open_path: Path, version: int) -> None:
    with PostgresServer(open_path / "pg", version=version) as server:
        assert str(value_of(server.admin_url, "SHOW server_version")).startswith(f"{version}.")
        assert value_of(server.admin_url, "SHOW server_encoding") == "UTF8"
        assert value_of(server.admin_url, "SHOW jit") == "off"
        assert value_of(server.admin_url, "SELECT lower('ÄÖ')") == "äö"
        with psycopg.connect(server.admin_url) as connection:
            connection.execute("CREATE EXTENSION vector")


def test_a_password_is_always_asked_for(open_path: Path) -> None:
    with PostgresServer(open_path / "pg") as server:
        wrong = server.url(database="postgres", user="postgres", password="wrong")  # noqa: S106 -- a wrong one

        assert is_refused(wrong)
        assert not is_refused(server.admin_url)


def test_two_servers_start_at_once_on_ports_of_their_own(open_path: Path) -> None:
    servers = [PostgresServer(open_path / name) for name in ("one", "two")]

    with ThreadPoolExecutor() as pool:
        list(pool.map(PostgresServer.start, servers))

    try:
        assert servers[0].port != servers[1].port
        assert [value_of(server.admin_url, "SELECT 1") for server in servers] == [1, 1]
    finally:
        for server in servers:
            server.stop()


def test_a_taken_port_is_given_up_for_another(
    open_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with PostgresServer(open_path / "one") as first:
        ports = iter([first.port, first.port, postgres.free_port()])
        monkeypatch.setattr(postgres, "free_port", lambda: next(ports))

        with PostgresServer(open_path / "two") as second:
            assert second.port != first.port


def test_data_survives_a_stop_and_an_immediate_restart(open_path: Path) -> None:
    with PostgresServer(open_path / "pg", durable=True) as server:
        url = server.create_database("kept")
        with psycopg.connect(url) as connection:
            connection.execute("CREATE TABLE note AS SELECT 7 AS value")
        server.restart(immediate=True)
        assert value_of(url, "SELECT value FROM note") == 7

    with PostgresServer(open_path / "pg", durable=True) as again:
        assert value_of(again.database_url("kept"), "SELECT value FROM note") == 7
        assert value_of(again.admin_url, "SHOW fsync") == "on"


def test_a_database_is_copied_from_a_template_and_dropped_while_in_use(open_path: Path) -> None:
    with PostgresServer(open_path / "pg") as server:
        with psycopg.connect(server.create_database("template_of_ours")) as connection:
            connection.execute("CREATE TABLE note AS SELECT 7 AS value")
        copy = server.create_database("copy", template="template_of_ours")

        still_open = psycopg.connect(copy)
        assert still_open.execute("SELECT value FROM note").fetchone() == (7,)
        server.drop_database("copy")

        assert is_refused(copy)
        still_open.close()


def test_a_disposable_server_leaves_nothing_behind(open_path: Path) -> None:
    with PostgresServer(open_path / "pg", disposable=True) as server:
        url = server.admin_url

    assert is_refused(url)
    assert not (open_path / "pg").exists()


def test_a_directory_in_use_is_refused(open_path: Path) -> None:
    with PostgresServer(open_path / "pg"), pytest.raises(DirectoryInUse):
        PostgresServer(open_path / "pg").start()


def test_a_server_dies_with_an_owner_that_is_killed(open_path: Path) -> None:
    owner = owner_of(open_path / "pg", disposable=True)
    url = first_line(owner)
    assert not is_refused(url)

    os.killpg(owner.pid, signal.SIGKILL)
    owner.communicate()

    assert eventually(lambda: is_refused(url))
    assert eventually(lambda: not (open_path / "pg").exists())


def test_a_stray_server_is_stopped_by_the_next_start(open_path: Path) -> None:
    owner = owner_of(open_path / "pg")
    stray_url = first_line(owner)
    watcher = subprocess.run(
        ["pgrep", "-P", str(owner.pid), "sh"],  # noqa: S607 -- of the test machine
        capture_output=True,
        text=True,
        check=True,
    )
    os.kill(int(watcher.stdout), signal.SIGKILL)
    os.killpg(owner.pid, signal.SIGKILL)
    owner.communicate()
    assert not is_refused(stray_url)

    with PostgresServer(open_path / "pg") as server:
        assert value_of(server.admin_url, "SELECT 1") == 1
        assert server.admin_url != stray_url
    assert is_refused(stray_url)


def test_an_initdb_that_was_killed_is_begun_anew(open_path: Path) -> None:
    draft = open_path / "pg" / "data-16.draft"
    draft.mkdir(parents=True)
    (draft / "half-written").touch()

    with PostgresServer(open_path / "pg") as server:
        assert value_of(server.admin_url, "SELECT 1") == 1


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become someone else")
def test_a_normal_user_runs_the_server_as_themselves(open_path: Path) -> None:
    home = open_path / "home"
    home.mkdir()
    os.chown(home, NOBODY, NOBODY)

    completed = subprocess.run(
        [sys.executable, "-c", NORMAL_USER, home / "pg"],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        check=False,
    )

    assert completed.stdout == "1\n", completed.stderr
    assert (home / "pg").stat().st_uid == NOBODY


@pytest.mark.skipif(os.geteuid() != 0, reason="only root drops to another account")
def test_root_opens_no_folder_and_copies_programs_that_are_hidden(
    open_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A virtual environment below a closed home is copied to a place of root's own."""
    hidden, cache = open_path / "hidden", open_path / "cache"
    hidden.mkdir(mode=0o700)
    original = postgres_binaries.carrier()
    for name in (original.name, f"{original.name}.libs"):
        (hidden / name).symlink_to(original.parent / name)
    monkeypatch.setattr(postgres_binaries, "carrier", lambda: hidden / original.name)
    account = postgres_binaries.server_account()

    programs = postgres_binaries.programs(16, account=account, cache=cache)

    assert programs.is_relative_to(cache)
    assert postgres_binaries.is_reachable(programs)
    version = subprocess.run(
        [programs / "postgres", "--version"],
        user=NOBODY,
        capture_output=True,
        text=True,
        check=True,
    )
    assert "16." in version.stdout
    assert hidden.stat().st_mode & 0o077 == 0


@pytest.mark.skipif(os.geteuid() != 0, reason="only root drops to another account")
def test_a_cluster_of_a_hidden_folder_lies_in_the_cache(open_path: Path) -> None:
    hidden = open_path / "hidden"
    hidden.mkdir(mode=0o700)

    home = postgres_binaries.reachable_home(hidden / "pg", cache=open_path / "cache")

    assert home.parent == open_path / "cache"
    assert home != postgres_binaries.reachable_home(hidden / "other", cache=open_path / "cache")


def test_a_guarded_server_that_is_killed_comes_back_with_its_rows(open_path: Path) -> None:
    """Twice in a row; fails when: nobody looks after the server, which then answers nobody."""
    with PostgresServer(open_path) as server, server.guarded():
        with psycopg.connect(server.admin_url, autocommit=True) as connection:
            connection.execute("CREATE TABLE kept AS SELECT 7 AS value")
            connection.execute("CHECKPOINT")  # a test's server does not wait for its disk
        for _kill in range(2):
            pid = int((server.data / "postmaster.pid").read_text().split()[0])
            os.kill(pid, signal.SIGKILL)

            assert eventually(lambda: answers(server.admin_url, "SELECT value FROM kept", 7))


def answers(url: str, statement: LiteralString, value: object) -> bool:
    try:
        return value_of(url, statement) == value
    except psycopg.OperationalError:
        return False
