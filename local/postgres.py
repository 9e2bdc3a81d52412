"""Run a private PostgreSQL on a free port of 127.0.0.1, as root or as anyone else.

    with PostgresServer(directory) as server:
        psycopg.connect(server.admin_url)

The server stops with its owner: by `stop`, or by a watcher when the owner dies. A server that
outlived both (the watcher was killed too) is found by the lock nobody holds and stopped by the
next start.
"""

import fcntl
import logging
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, Self, TextIO, TypedDict

from psycopg import Connection, connect, sql

from local.postgres_binaries import Account, programs, reachable_home, server_account

_log = logging.getLogger(__name__)
_SUPERUSER: Final = "postgres"
_START_SECONDS: Final = 300  # a limit for hangs: recovery after a crash takes what it takes
_STOP_SECONDS: Final = 30
_BIND_ATTEMPTS: Final = 5
_LOOK_SECONDS: Final = 0.5
_READY_LINE: Final = 7  # postmaster.pid: pid, directory, start, port, sockets, address, shm, status

_SETTINGS: Final = {
    "listen_addresses": "127.0.0.1",
    "unix_socket_directories": "",  # a socket path is limited to 107 characters; a port is not
    "max_connections": "100",
    "password_encryption": "scram-sha-256",
    "jit": "off",
    "log_line_prefix": "%m [%p] %q%u@%d ",
    "timezone": "UTC",
}
_FAST: Final = {  # a test's data may die with the machine, never with a crash of the server
    "fsync": "off",
    "synchronous_commit": "off",
    "full_page_writes": "off",
    "max_wal_size": "2GB",
    "autovacuum_naptime": "1h",
}

_WATCHER: Final = """
read -r server || exit 0
read -r _  # until our end of the pipe closes: stop() kills this shell first
kill -INT "$server" 2>/dev/null
[ -z "$1" ] && exit 0
while kill -0 "$server" 2>/dev/null; do sleep 0.1; done
rm -rf -- "$1"
"""


class _Identity(TypedDict, total=False):
    """Arguments of `subprocess` that drop root's rights."""

    user: int
    group: int
    extra_groups: list[int]


class PostgresFailed(Exception):
    """The server did not start or stop; the message carries the end of its log."""


class DirectoryInUse(PostgresFailed):
    """Another living process runs a server on this directory."""


class PostgresServer:
    """One cluster in `directory`, kept between starts unless it is `disposable`.

    `durable` trades the speed that tests want for data that survives a power cut.
    """

    def __init__(
        self,
        directory: Path,
        *,
        version: int = 16,
        durable: bool = False,
        disposable: bool = False,
    ) -> None:
        self._account: Account | None = server_account()
        directory = directory.absolute()
        self.directory = reachable_home(directory) if self._account else directory
        self.version = version
        self._programs = programs(version, account=self._account)
        self._settings = _SETTINGS if durable else {**_SETTINGS, **_FAST}
        self._disposable = disposable
        self._lock: TextIO | None = None
        self._server: subprocess.Popen[bytes] | None = None
        self._watcher: subprocess.Popen[bytes] | None = None
        self._turn = threading.RLock()  # of whoever starts or stops the server
        self.port = 0

    @property
    def data(self) -> Path:
        return self.directory / f"data-{self.version}"

    @property
    def log(self) -> Path:
        return self.directory / "server.log"

    @property
    def admin_url(self) -> str:
        """The superuser's address; its password is random and dies with the cluster."""
        return self.database_url("postgres")

    def database_url(self, database: str) -> str:
        """Return the superuser's address of one database."""
        password = (self.directory / "password").read_text().strip()
        return self.url(database=database, user=_SUPERUSER, password=password)

    def url(self, *, database: str, user: str, password: str) -> str:
        return f"postgresql://{user}:{password}@127.0.0.1:{self.port}/{database}"

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def start(self) -> None:
        """Start on a free port, making the cluster first if there is none."""
        self.directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        if self._account:
            self._account.own(self.directory)
        lock = (self.directory / "lock").open("w")
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            lock.close()
            message = f"another process runs a server in {self.directory}"
            raise DirectoryInUse(message) from None
        self._lock = lock
        with self._turn:
            try:
                self._stop_stray()
                if not (self.data / "PG_VERSION").exists():
                    self._make_cluster()
                self._launch()
            except BaseException:
                self.stop()
                raise

    def stop(self) -> None:
        """Stop at once but in order (open transactions roll back), and let the directory go."""
        with self._turn:
            self._end_server(signal.SIGINT)
        if self._disposable:
            shutil.rmtree(self.directory, ignore_errors=True)
        if self._lock is not None:
            self._lock.close()
            self._lock = None

    def restart(self, *, immediate: bool = False) -> None:
        """Stop and start on the same port; `immediate` is a crash with recovery."""
        with self._turn:
            self._end_server(signal.SIGQUIT if immediate else signal.SIGINT)
            self._launch(port=self.port)

    @contextmanager
    def guarded(self) -> Generator[None]:
        """Start the server again, on its port, whenever it ends without being asked to."""
        is_over = threading.Event()

        def guard() -> None:
            while not is_over.wait(_LOOK_SECONDS):
                try:
                    self._revive()
                except (PostgresFailed, OSError) as error:
                    _log.warning("PostgreSQL does not start again yet: %s", error)

        thread = threading.Thread(target=guard, name="postgres-guard", daemon=True)
        thread.start()
        try:
            yield
        finally:
            is_over.set()
            thread.join()

    def _revive(self) -> None:
        """Launch a server that has crashed; what its first process left behind ends by itself."""
        with self._turn:
            if self._server is None or self._server.poll() is None:
                return
            _log.warning("PostgreSQL ended with status %s; starting it", self._server.returncode)
            crashed = self._server
            self._end_server(signal.SIGQUIT)  # its watcher
            try:
                self._launch(port=self.port)
            except PostgresFailed:
                self._server = crashed  # the next look tries again
                raise

    def create_database(self, name: str, template: str | None = None) -> str:
        """Create a database, a copy of `template` if one is named; return its superuser address."""
        statement = sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name))
        if template is not None:
            # Copied as files: block by block through the log takes eight times the processor.
            statement += sql.SQL(" TEMPLATE {} STRATEGY FILE_COPY").format(sql.Identifier(template))
        with self._admin() as connection:
            connection.execute(statement)
        return self.database_url(name)

    def drop_database(self, name: str) -> None:
        """Drop a database and whoever is still connected to it."""
        statement = sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)")
        with self._admin() as connection:
            connection.execute(statement.format(sql.Identifier(name)))

    def _admin(self) -> Connection:
        return connect(self.admin_url, autocommit=True)

    def _stop_stray(self) -> None:
        """Stop a server that outlived its owner; a reused process id is left alone."""
        status = _status_lines(self.data)
        if not status or not _is_server(int(status[0]), self.data):
            return
        os.kill(int(status[0]), signal.SIGINT)
        _wait_until(lambda: not _is_server(int(status[0]), self.data), _STOP_SECONDS)

    def _make_cluster(self) -> None:
        shutil.rmtree(self.data, ignore_errors=True)  # of an initdb that was killed
        password = self.directory / "password"
        password.touch(mode=0o600)
        password.write_text(secrets.token_urlsafe(24))
        if self._account:
            self._account.own(password)
        draft = self.data.with_name(f"{self.data.name}.draft")
        shutil.rmtree(draft, ignore_errors=True)
        ctype = "en_US.UTF-8" if sys.platform == "darwin" else "C.UTF-8"
        completed = subprocess.run(
            [
                self._programs / "initdb",
                f"--pgdata={draft}",
                f"--username={_SUPERUSER}",
                f"--pwfile={password}",
                "--auth=scram-sha-256",
                "--encoding=UTF8",
                "--locale=C",  # the same order everywhere; words and case come from the ctype
                f"--lc-ctype={ctype}",
                "--no-sync",  # 3 s without it
            ],
            capture_output=True,
            text=True,
            check=False,
            env={"TZ": "UTC"},
            **self._identity(),
        )
        if completed.returncode != 0:
            raise PostgresFailed(completed.stderr)
        draft.rename(self.data)

    def _launch(self, *, port: int | None = None) -> None:
        def has_ended() -> bool:
            return self._server is None or self._server.poll() is not None

        for _attempt in range(_BIND_ATTEMPTS):
            self.port = port or free_port()
            self._spawn()
            _wait_until(lambda: has_ended() or self._is_ready(), _START_SECONDS)
            if not has_ended() and self._is_ready():
                return
            self._end_server(signal.SIGQUIT)
            if "could not bind" not in self._log_end():
                break
        raise PostgresFailed(self._log_end())

    def _spawn(self) -> None:
        settings = {**self._settings, "port": str(self.port)}
        arguments = [f"--{name.replace('_', '-')}={value}" for name, value in settings.items()]
        self._watcher = subprocess.Popen(
            [*("/bin/sh", "-c", _WATCHER, "watcher"), str(self.directory) * self._disposable],
            stdin=subprocess.PIPE,
            bufsize=0,
            start_new_session=True,
        )
        with self.log.open("wb") as log:
            if self._account:
                self._account.own(self.log)
            self._server = subprocess.Popen(
                [self._programs / "postgres", "-D", self.data, *arguments],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env={"TZ": "UTC"},
                start_new_session=True,  # Ctrl-C in a terminal is for the owner, who stops us
                **self._identity(),
            )
        assert self._watcher.stdin is not None  # noqa: S101 -- opened with a pipe
        self._watcher.stdin.write(f"{self._server.pid}\n".encode())

    def _is_ready(self) -> bool:
        status = _status_lines(self.data)
        if self._server is None or len(status) <= _READY_LINE:
            return False
        is_ours = int(status[0]) == self._server.pid  # a crash leaves the old file behind
        return is_ours and status[_READY_LINE].strip() == "ready"

    def _end_server(self, how: signal.Signals) -> None:
        if self._watcher is not None:
            self._watcher.kill()
            self._watcher.wait()
            assert self._watcher.stdin is not None  # noqa: S101 -- opened with a pipe
            self._watcher.stdin.close()
            self._watcher = None
        if self._server is not None:
            self._server.send_signal(how)
            try:
                self._server.wait(_STOP_SECONDS)
            except subprocess.TimeoutExpired:
                self._server.send_signal(signal.SIGQUIT)
                self._server.wait(_STOP_SECONDS)
            self._server = None

    def _log_end(self) -> str:
        return self.log.read_text(errors="replace")[-2000:]

    def _identity(self) -> "_Identity":
        if self._account is None:
            return {}
        return {"user": self._account.uid, "group": self._account.gid, "extra_groups": []}


def free_port() -> int:
    """Return a port that was free a moment ago: whoever binds it must be ready to try another."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def _status_lines(data: Path) -> list[str]:
    try:
        return (data / "postmaster.pid").read_text().splitlines()
    except FileNotFoundError:
        return []


def _is_server(pid: int, data: Path) -> bool:
    if Path("/proc/self/cmdline").exists():  # slim images have no ps, macOS has no /proc
        try:
            written = Path(f"/proc/{pid}/cmdline").read_bytes().decode(errors="replace")
        except (FileNotFoundError, ProcessLookupError):
            return False
    else:
        written = subprocess.run(
            ["/bin/ps", "-o", "args=", "-p", str(pid)], capture_output=True, text=True, check=False
        ).stdout
    return str(data) in written


def _wait_until(is_so: Callable[[], bool], seconds: float) -> None:
    deadline = time.monotonic() + seconds
    while not is_so() and time.monotonic() < deadline:
        time.sleep(0.01)
