"""A whole stage in one process and its children: start it, use it over HTTP, stop it.

with Stage(directory, model_directory=ensure_models()) as stage:
httpx.get(f"{stage.url}/health")
"""

import json
import secrets
import socket
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import KW_ONLY, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, Self
from uuid import UUID

from infra.functions import FUNCTIONS
from local.aws import LocalAws
from local.deployment import Deployment, settings_of_the_shell
from local.door import Door
from local.environment import (
    Environment,
    LocalFunction,
    Program,
    StartEnvironment,
    streaming_program,
)
from local.gateway import KEY_SET_PATH, Gateway, ProblemHandler
from local.http_server import address, listen, serving
from local.lifecycle import apply_rules
from local.outbox import Outbox
from local.postgres import PostgresServer
from local.private_files import keep_private
from local.sigv4 import Credentials
from local.stage_database import DATABASE, prepare
from local.streaming import StreamingFunction
from local.tokens import AUDIENCE, ISSUER, TENANT, TokenIssuer
from local.wiring import BATCH_CONCURRENCY, wire
from local.workers import WorkerPool
from pulsedocs.pipeline import Step
from pulsedocs.scopes import READ, WRITE

BUCKET: Final = "pulsedocs-local"
# In the order a first upload and a first question need them: an import takes 1 to 2 s.
_WARM: Final = (
    "authorize",
    "documents",
    *(step for step in Step if step is not Step.RECOGNISE),  # few documents are scans
    "query",
    "retrieve",
)


@dataclass
class Stage:
    """Everything DESIGN section 2 draws, on 127.0.0.1.

    `durable` keeps the database between starts; otherwise it goes with the stage. `settings` add
    to those exported in the shell. `retry_scale` shortens the state machine's pauses, for tests.
    """

    directory: Path
    _: KW_ONLY
    model_directory: Path | None = None
    port: int = 0
    postgres_version: int = 16
    durable: bool = False
    retry_scale: float = 1.0
    settings: Mapping[str, str] = field(default_factory=dict[str, str])
    handlers: Mapping[str, str] = field(default_factory=dict[str, str])
    tenant_id: UUID = TENANT
    batch_concurrency: int = BATCH_CONCURRENCY
    environment: StartEnvironment = Environment
    streaming_program: Callable[[LocalFunction], Program] = streaming_program

    url: str = field(init=False, default="")
    console: str = field(init=False, default="")
    """The address that signs a browser in."""
    machine_arn: str = field(init=False, default="")
    aws: LocalAws = field(init=False)
    pool: WorkerPool = field(init=False)
    tokens: TokenIssuer = field(init=False)
    postgres: PostgresServer = field(init=False)
    _resources: ExitStack = field(init=False, default_factory=ExitStack)

    def __post_init__(self) -> None:
        self.directory = self.directory.absolute()
        self.postgres = PostgresServer(
            self.directory / "postgres",
            version=self.postgres_version,
            durable=self.durable,
            disposable=not self.durable,
        )

    @property
    def database_url(self) -> str:
        """The superuser's address of the stage's database."""
        return self.postgres.database_url(DATABASE)

    @property
    def logs(self) -> Path:
        return self.directory / "logs"

    def token(
        self,
        tenant_id: UUID | None = None,
        *,
        scopes: tuple[str, ...] = (READ, WRITE),
        subject: str = "local-user",
    ) -> str:
        """Return an access token for a tenant; any UUID is one."""
        return self.tokens.token(tenant_id or self.tenant_id, scopes=scopes, subject=subject)

    @property
    def is_at_rest(self) -> bool:
        """Say whether nothing that was accepted waits or runs."""
        return not self.aws.deliveries.are_there()

    @property
    def has_queue(self) -> bool:
        """Say whether documents wait for others to end before their own runs begin."""
        return self.aws.deliveries.has_queue()

    def sweep(self, *, full: bool = False) -> dict[str, Any]:
        """Run one pass of the sweep, as a schedule does on AWS; return its report.

        A full one, which comes once a day, applies the rules of the bucket too.
        """
        invocation = self.pool.invoke("sweep", json.dumps({"full": full}).encode())
        if invocation.function_error is not None:
            raise RuntimeError(f"the sweep failed: {invocation.payload.decode()}")
        if full:
            now = datetime.now(UTC).replace(tzinfo=None)
            apply_rules(self.aws.client("s3"), BUCKET, now=now)
        return json.loads(invocation.payload)

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def start(self) -> None:
        """Return when every part answers; a failure leaves nothing running."""
        self.directory.mkdir(parents=True, exist_ok=True)
        with ExitStack() as resources:
            self._start(resources)
            self._resources = resources.pop_all()

    def stop(self) -> None:
        """Stop every part, in reverse order, and wait for it."""
        self._resources.close()

    def _start(self, resources: ExitStack) -> None:
        listener = listen(self.port)  # first: whoever finds the port taken has started nothing
        resources.callback(listener.close)
        aws_listener = self._listen_for_aws()
        resources.callback(aws_listener.close)
        self.url = address(listener)
        self.tokens = TokenIssuer(self.directory / "signing-key.pem", issuer=ISSUER)
        credentials = Credentials("AKIALOCALSTAGE", self._kept_secret("s3-secret.txt"))
        self.pool = resources.enter_context(WorkerPool({}, logs=self.logs, start=self.environment))
        origins = _origins(self._settings().get("CORS_ORIGINS", "[]"))
        self.aws = LocalAws(
            pool=self.pool,
            credentials=credentials,
            retry_scale=self.retry_scale,
            listener=aws_listener,
            outbox=Outbox(self.directory / "outbox") if self.durable else None,
            origins=(self.url, *origins),
        )
        database_urls = self._start_together(resources)
        functions = self._deployment(credentials, database_urls).functions()
        self.pool.deploy(
            {name: one for name, one in functions.items() if not FUNCTIONS[name].streams}
        )
        streaming = {
            name: StreamingFunction(
                one, log=self.logs / f"{name}.log", program=self.streaming_program
            )
            for name, one in functions.items()
            if FUNCTIONS[name].streams
        }
        for function in streaming.values():
            resources.callback(function.close)
        door = Door(self.token)
        self.console = f"{self.url}{door.path}"
        gateway = Gateway(
            pool=self.pool,
            tokens=self.tokens,
            door=door,
            streaming=streaming,
            origins=origins,
        )
        resources.enter_context(serving(gateway, listener, handler=ProblemHandler))
        self.pool.warm(_WARM)
        self.aws.deliveries.take_up()
        resources.callback(self.aws.deliveries.close)  # first of all: what ends now has not ended

    def _listen_for_aws(self) -> socket.socket:
        """Bind the port of the last time: a console that is still open sends files nowhere else."""
        kept = self.directory / "aws-port.txt"
        try:
            return listen(int(kept.read_text()))
        except (OSError, ValueError):  # nothing was kept, or somebody else has the port
            listener = listen()
        if self.durable:
            kept.write_text(str(listener.getsockname()[1]))
        return listener

    def _start_together(self, resources: ExitStack) -> dict[str, str]:
        """Start PostgreSQL, which waits for its disk, while moto keeps a core busy for seconds."""

        def prepare_database() -> dict[str, str]:
            self.postgres.start()
            return prepare(self.postgres)

        with ThreadPoolExecutor(1) as background:
            preparing = background.submit(prepare_database)
            resources.callback(self.postgres.stop)
            resources.enter_context(self.postgres.guarded())
            resources.enter_context(self.aws)
            self.machine_arn = wire(
                self.aws, bucket=BUCKET, batch_concurrency=self.batch_concurrency
            )
            if self.durable:
                resources.enter_context(
                    self.aws.keeping_objects(BUCKET, self.directory / "objects")
                )
            return preparing.result()

    def _deployment(self, credentials: Credentials, database_urls: Mapping[str, str]) -> Deployment:
        return Deployment(
            aws_url=self.aws.endpoint_url,
            bucket=BUCKET,
            credentials=credentials,
            database_urls=database_urls,
            token_variables={
                "TOKEN_ISSUER": ISSUER,
                "TOKEN_AUDIENCE": AUDIENCE,
                "TOKEN_JWKS_URL": f"{self.url}{KEY_SET_PATH}",
            },
            trace_secret=self._kept_secret("trace-secret.txt"),
            model_directory=self.model_directory,
            settings=self._settings(),
            handlers=self.handlers,
        )

    def _settings(self) -> dict[str, str]:
        return {**settings_of_the_shell(), **self.settings}

    def _kept_secret(self, name: str) -> str:
        """Return a secret of this directory: traces, proofs, forms of earlier starts are by it."""
        file = self.directory / name
        return keep_private(file, lambda: secrets.token_hex(32).encode()).decode()


def _origins(written: str) -> tuple[str, ...]:
    """Return the origins of `CORS_ORIGINS`; what is wrong with it, the functions say."""
    try:
        return tuple(json.loads(written))
    except (TypeError, ValueError):
        return ()
