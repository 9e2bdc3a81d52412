"""The stage is one service of a directory: found, refused twice, stopped, never a ghost."""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast
from uuid import UUID

import boto3
import jwt
import psycopg
import pytest

from local.http_server import listen
from local.service import REPOSITORY, AlreadyRunning, Endpoint, Service, StageFailed
from pulsedocs.client import PulseDocs
from tests.e2e.tenant import Tenant
from tests.patience import PATIENCE, eventually

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
        *("url", "token", "tenant_id", "database_url", "pid"),
        *("bucket", "s3_url", "s3_access_key", "s3_secret_key", "console"),
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

    assert holder.wait(PATIENCE) == -signal.SIGTERM
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
    operators = local("token", *at, "--admin").stdout.strip()
    claims = jwt.decode(operators, options={"verify_signature": False})
    assert claims["scope"].split()[-1] == "pulsedocs/admin"


def test_a_stage_whose_files_would_be_lost_is_not_taken_over(tmp_path: Path) -> None:
    """Fails when: documents of November 2026 are found, and none of their files is there."""
    (tmp_path / "bucket.pickle").touch()

    refused = local("up", "--directory", tmp_path, "--port", "0")

    assert refused.returncode == 1
    assert f"{tmp_path / 'bucket.pickle'} has the files" in refused.stderr


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


def command_line(pid: str) -> bytes:
    return Path("/proc", pid, "cmdline").read_bytes()


def living(pids: set[str]) -> set[str]:
    """Return those that still run; what was only not reaped yet has no command line."""
    listed = subprocess.run(["ps", "-eo", "pid=,stat="], capture_output=True, text=True, check=True)  # noqa: S607 -- of the test machine
    states = dict(line.split() for line in listed.stdout.splitlines())
    return {pid for pid in pids if not states.get(pid, "Z").startswith("Z")}


def s3_of(endpoint: Endpoint) -> Any:
    return cast("Any", boto3).client(
        "s3",
        endpoint_url=endpoint.s3_url,
        region_name="us-east-1",
        aws_access_key_id=endpoint.s3_access_key,
        aws_secret_access_key=endpoint.s3_secret_key,
    )


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
    buckets = s3_of(endpoint).list_buckets()["Buckets"]
    assert endpoint.bucket in {bucket["Name"] for bucket in buckets}
    assert "no effect" not in Service(open_path).log.read_text()
    said, *tries = again.stdout.splitlines()
    assert said == f"Already up at {endpoint.url}"
    assert tries[0].split()[0] == endpoint.console
    assert max(map(len, tries)) < 120
    assert local("open", *at).stdout == f"{endpoint.console}\n"
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

    with PulseDocs(endpoint.url, endpoint.token, trust_env=False) as docs:
        docs.create_collection("default")
        list(docs.stream("Is anything here?"))
    # PostgreSQL, workers, the function that streams, and who watches over both servers
    children = children_of(endpoint.pid)
    assert any(b"functions.stream" in command_line(child) for child in children)
    os.kill(endpoint.pid, signal.SIGKILL)

    assert len(children) > 3
    assert eventually(lambda: not living(children))
    assert eventually(lambda: not processes_of(open_path))
    assert local("status", *at).stdout == "down\n"
    assert local("up", *at, "--port", "0").returncode == 0
    assert local("down", *at).stdout == "Stopped.\n"


@dataclass(frozen=True, slots=True)
class Kept:
    """A stage in a folder of its own, used through its endpoint; it may be killed."""

    service: Service

    @property
    def endpoint(self) -> Endpoint:
        found = self.service.endpoint()
        assert found is not None, self.service.log.read_text()[-2000:]
        return found

    def run(self, *arguments: str) -> "subprocess.CompletedProcess[str]":
        return local(*arguments, "--directory", self.service.directory)

    def up(self) -> None:
        started = self.run("up", "--port", "0")
        assert started.returncode == 0, started.stdout + started.stderr

    def kill(self) -> None:
        """End whatever process runs or starts the stage."""
        os.kill(int((self.service.directory / "stage.lock").read_text()), signal.SIGKILL)
        assert eventually(lambda: not self.service.is_running())

    @contextmanager
    def tenant(self, tenant_id: UUID) -> Generator[Tenant]:
        token = self.run("token", "--tenant", str(tenant_id)).stdout.strip()
        with Tenant(
            self.endpoint.url, token, tenant_id=tenant_id, patience_seconds=PATIENCE
        ) as client:
            yield client

    def objects(self) -> list[tuple[str, str, bytes, dict[str, str]]]:
        """Return every version of an upload: key, version, bytes and metadata."""
        s3, bucket = s3_of(self.endpoint), self.endpoint.bucket
        listed = s3.list_object_versions(Bucket=bucket, Prefix="u/").get("Versions", [])
        found: list[tuple[str, str, bytes, dict[str, str]]] = []
        for item in listed:
            name = {"Key": item["Key"], "VersionId": item["VersionId"]}
            stored = s3.get_object(Bucket=bucket, **name)
            facts = {**stored["Metadata"], "type": stored["ContentType"], "etag": stored["ETag"]}
            found.append((*name.values(), stored["Body"].read(), facts))
        return found


@pytest.fixture(scope="module")
def kept() -> Iterator[Kept]:
    """Give a stage that is up, with the real models; skipped where they were never fetched."""
    from local.models import are_there

    if not are_there():
        pytest.skip("the models are not in the cache: make demo fetches them")
    with tempfile.TemporaryDirectory(prefix="pulsedocs-", ignore_cleanup_errors=True) as name:
        Path(name).chmod(0o755)  # PostgreSQL, which root runs as somebody else, lives in it
        stage = Kept(Service(Path(name)))
        stage.up()
        yield stage
        stage.run("down")


def test_a_stage_that_is_killed_again_and_again_loses_nothing_it_took(kept: Kept) -> None:
    """T-33: by SIGKILL while it works, while it starts, and at once after that.

    Fails when: the bucket is written at `make down` only, or executions end with their process.
    """
    first, second = UUID(int=61), UUID(int=62)
    note = "The gauge {} of the pump room is read every {} hours."
    with kept.tenant(first) as tenant:
        published = tenant.ingest(note.format("A", 3).encode())["document_id"]
        under_way = [
            (first, tenant.upload(note.format(number, 7).encode(), filename=f"{number}.txt"))
            for number in range(3)
        ]
    with kept.tenant(second) as tenant:
        under_way.append((second, tenant.upload(note.format("B", 9).encode())))
    before = kept.objects()

    kept.kill()
    with subprocess.Popen(
        [sys.executable, "-m", "local", "up", "--port", "0", "--directory", kept.service.directory],
        cwd=REPOSITORY,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as starting:
        assert eventually(kept.service.is_running)
        time.sleep(1)  # somewhere in the middle of its start
        kept.kill()
        starting.wait()
    kept.up()
    kept.kill()
    kept.up()

    for tenant_id, document_id in [*under_way, (first, published)]:
        with kept.tenant(tenant_id) as tenant:
            assert tenant.outcome(document_id)["outcome"] == "PUBLISHED"
    assert kept.objects() == before
    with kept.tenant(second) as tenant:
        [chunk] = tenant.post("/search", {"query": "gauge of the pump room"})["chunks"]
        assert "9 hours" in chunk["content"]


def test_a_stage_whose_database_is_killed_answers_again(kept: Kept) -> None:
    """T-33. Fails when: nobody looks after PostgreSQL, and every answer is a 503 from then on."""
    with kept.tenant(UUID(int=63)) as tenant:
        tenant.ingest(b"The spare key of the boiler house hangs in the porter's lodge.")
        with psycopg.connect(kept.endpoint.database_url) as connection:
            [data] = connection.execute("SHOW data_directory").fetchone() or ("",)
        os.kill(int(Path(data, "postmaster.pid").read_text().split()[0]), signal.SIGKILL)

        def finds() -> bool:
            answer = tenant.send("POST", "/search", {"query": "spare key of the boiler house"})
            return answer.is_success and bool(answer.json()["chunks"])

        assert eventually(finds)


def test_a_stage_stops_beside_its_work_and_goes_on_with_it(kept: Kept) -> None:
    """T-33: what was under way is published after the next start, without another upload."""
    with kept.tenant(UUID(int=64)) as tenant:
        sent = [
            tenant.upload(f"Locker {number} belongs to team {number}.".encode())
            for number in range(30)
        ]
        down = kept.run("down")
    kept.up()

    assert (down.returncode, down.stdout) == (0, "Stopped.\n"), down.stderr
    with kept.tenant(UUID(int=64)) as tenant:
        outcomes = {tenant.outcome(each)["outcome"] for each in sent}
    assert outcomes == {"PUBLISHED"}


def test_two_people_may_start_a_stage_at_once(kept: Kept) -> None:
    """Both are told the same address; the second waits for the start of the first."""
    kept.run("down")
    with ThreadPoolExecutor(2) as people:
        asked = [people.submit(kept.run, "up", "--port", "0") for _person in range(2)]
        started = [each.result() for each in asked]

    assert [each.returncode for each in started] == [0, 0], [each.stderr for each in started]
    assert all(kept.endpoint.url in each.stdout for each in started)
