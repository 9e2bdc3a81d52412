"""The stage is one service of a directory: found, refused twice, stopped, never a ghost."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast
from uuid import UUID

import boto3
import pytest

from local.http_server import listen
from local.service import REPOSITORY, AlreadyRunning, Endpoint, Service, StageFailed

HOLDER = """
import sys, time
from pathlib import Path
from uuid import UUID
from local.service import Endpoint, Service

service = Service(Path(sys.argv[1]))
with service.running():
    Endpoint("http://127.0.0.1:1", "t", UUID(int=1), "postgresql://x", 1).write(
        service.endpoint_file)
    print("held", flush=True)
    time.sleep(60)
"""


@pytest.fixture
def holder(tmp_path: Path) -> Iterator["subprocess.Popen[str]"]:
    """Yield a process that holds the directory, as a running stage does."""
    command = [sys.executable, "-c", HOLDER, tmp_path]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=REPOSITORY) as process:
        assert process.stdout is not None
        process.stdout.readline()
        yield process
        process.kill()


def test_the_endpoint_file_is_private_and_complete(
    holder: "subprocess.Popen[str]", tmp_path: Path
) -> None:
    service = Service(tmp_path)

    assert holder.poll() is None
    assert service.endpoint_file.stat().st_mode & 0o777 == 0o600
    assert set(json.loads(service.endpoint_file.read_text())) == {
        *("url", "token", "tenant_id", "database_url", "pid", "bucket", "s3_url"),
    }
    assert service.endpoint() == Endpoint(
        url="http://127.0.0.1:1",
        token="t",  # noqa: S106 -- of no stage
        tenant_id=UUID(int=1),
        database_url="postgresql://x",
        pid=1,
    )


def test_a_second_stage_in_the_directory_is_refused(
    holder: "subprocess.Popen[str]", tmp_path: Path
) -> None:
    assert holder.poll() is None
    with pytest.raises(AlreadyRunning), Service(tmp_path).running():
        pass
    assert Service(tmp_path).endpoint() is not None


def test_a_killed_stage_is_not_taken_for_a_running_one(
    holder: "subprocess.Popen[str]", tmp_path: Path
) -> None:
    holder.send_signal(signal.SIGKILL)
    holder.wait()
    service = Service(tmp_path)

    assert service.endpoint_file.exists()
    assert service.endpoint() is None
    assert service.stop() is False
    assert not service.endpoint_file.exists()


def test_stopping_waits_for_the_process(holder: "subprocess.Popen[str]", tmp_path: Path) -> None:
    assert Service(tmp_path).stop() is True

    assert holder.wait(5) == -signal.SIGTERM
    assert Service(tmp_path).stop() is False


def test_a_start_that_fails_shows_the_log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/bin/false")

    with pytest.raises(StageFailed, match="did not start"):
        Service(tmp_path).start(port=0)


def local(*arguments: str | Path) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-m", "local", *arguments],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        check=False,
    )


def test_commands_of_a_directory_without_a_stage_say_so(tmp_path: Path) -> None:
    at = ("--directory", tmp_path)

    assert local("status", *at).stdout == "down\n"
    assert local("status", *at).returncode == 1
    assert local("down", *at).stdout == "It was not running.\n"
    assert "make up" in local("ask", *at, "why?").stderr
    token = local("token", *at, "--tenant", str(UUID(int=5))).stdout.strip()
    assert token.count(".") == 2


def test_a_taken_port_is_named_with_the_way_out(tmp_path: Path) -> None:
    from local.models import are_there

    if not are_there():
        pytest.skip("the models are not in the cache: make demo fetches them")
    with listen() as taken:
        port = taken.getsockname()[1]
        up = local("up", "--directory", tmp_path, "--port", str(port))

    assert up.returncode == 1
    assert f"port {port} is taken" in up.stderr
    assert "PULSEDOCS_PORT" in up.stderr
    assert up.stdout == "Starting the stage ...\n"  # nothing is fetched that is there


def processes_of(directory: Path) -> list[str]:
    listed = subprocess.run(["ps", "-eo", "pid,args"], capture_output=True, text=True, check=True)  # noqa: S607 -- of the test machine
    return [line for line in listed.stdout.splitlines() if str(directory) in line]


def children_of(pid: int) -> set[str]:
    listed = subprocess.run(
        ["ps", "-o", "pid=", "--ppid", str(pid)],  # noqa: S607 -- of the test machine
        capture_output=True,
        text=True,
        check=True,
    )
    return set(listed.stdout.split())


def living(pids: set[str]) -> set[str]:
    """Return those that still run; what was only not reaped yet has no command line."""
    listed = subprocess.run(["ps", "-eo", "pid=,stat="], capture_output=True, text=True, check=True)  # noqa: S607 -- of the test machine
    states = dict(line.split() for line in listed.stdout.splitlines())
    return {pid for pid in pids if not states.get(pid, "Z").startswith("Z")}


def buckets_at(url: str) -> list[dict[str, Any]]:
    s3 = cast("Any", boto3).client(
        "s3",
        endpoint_url=url,
        region_name="us-east-1",
        aws_access_key_id="any",
        aws_secret_access_key="any",  # noqa: S106 -- no secret: every pair is taken
    )
    return s3.list_buckets()["Buckets"]


def test_a_stage_goes_up_once_and_down_whole(open_path: Path) -> None:
    """P-05: with the models at hand; skipped where they were never fetched."""
    from local.models import default_directory

    if not (default_directory() / "bge-small-en-v1.5").exists():
        pytest.skip("the models are not in the cache: make demo fetches them")
    at = ("--directory", open_path)

    up = local("up", *at, "--port", "0")
    again = local("up", *at)
    endpoint = Service(open_path).endpoint()

    assert up.returncode == 0, up.stdout + up.stderr
    assert endpoint is not None
    assert endpoint.url in up.stdout
    assert endpoint.bucket in {bucket["Name"] for bucket in buckets_at(endpoint.s3_url)}
    assert "no effect" not in Service(open_path).log.read_text()
    assert again.stdout == f"Already up at {endpoint.url}\n"
    assert local("down", *at).stdout == "Stopped.\n"
    assert processes_of(open_path) == []


def test_a_stage_that_was_killed_takes_its_children_along(open_path: Path) -> None:
    from local.models import default_directory

    if not (default_directory() / "bge-small-en-v1.5").exists():
        pytest.skip("the models are not in the cache: make demo fetches them")
    at = ("--directory", open_path)
    local("up", *at, "--port", "0")
    endpoint = Service(open_path).endpoint()
    assert endpoint is not None

    children = children_of(endpoint.pid)  # PostgreSQL, its watcher, and workers
    os.kill(endpoint.pid, signal.SIGKILL)
    deadline = time.monotonic() + 20
    while (living(children) or processes_of(open_path)) and time.monotonic() < deadline:
        time.sleep(0.1)

    assert len(children) > 3
    assert living(children) == set()
    assert processes_of(open_path) == []
    assert local("status", *at).stdout == "down\n"
    assert local("up", *at, "--port", "0").returncode == 0
    assert local("down", *at).stdout == "Stopped.\n"
