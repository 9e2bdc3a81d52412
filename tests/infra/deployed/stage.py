"""A stage made from its templates: moto, PostgreSQL, and a process for each function.

Where this machine is not AWS, some of a function's variables are replaced, and no other: the
database's address, how to sign in to it, where a layer would be mounted, and the model, for which
a test double stands in, as only a stage named `local` may have one.
"""

import secrets
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Final, Self, cast
from urllib.parse import urlsplit
from uuid import UUID

from moto.backends import get_backend

from infra.functions import MIGRATOR
from local.aws import LocalAws
from local.calls import CallLog
from local.environment import LocalFunction
from local.gateway import Gateway
from local.http_server import address, listen, serving
from local.postgres import PostgresServer
from local.rest_events import REGION
from local.sigv4 import Credentials
from local.stage_database import DATABASE, admit
from local.streaming import StreamingFunction
from local.tokens import ISSUER, TokenIssuer
from local.workers import WorkerPool
from pulsedocs.scopes import READ, WRITE
from pulsedocs.settings import LOCAL_STAGE
from tests.infra.deployed import rest_api
from tests.infra.deployed.deployment import Deployment
from tests.infra.deployed.makers import MAKERS
from tests.infra.deployed.permissions import Judge
from tests.infra.templates import StageTemplates
from tests.plugins.stage import FAST_MODELS

_SERVICES: Final = ("apigateway", "iam", "logs", "sqs", "ssm")
"""Of moto, beside those that `LocalAws` resets."""
_LAYERS: Final = "/opt/"


class JudgedAws(LocalAws):
    """The AWS of the local stage, which also asks the deployed roles."""

    judge: Judge

    def __init__(self, roles: Mapping[str, str], **given: Any) -> None:
        super().__init__(**given)
        self.judge = Judge(self.calls, roles=roles)
        self.calls = cast("CallLog", self.judge)  # what is served


@dataclass
class DeployedStage:
    """Deploys on entering; what `tests.e2e.tenant` needs, it has."""

    directory: Path
    templates: StageTemplates
    model_directory: Path
    retry_scale: float

    url: str = field(init=False, default="")
    aws: JudgedAws = field(init=False)
    pool: WorkerPool = field(init=False)
    deployment: Deployment = field(init=False)
    postgres: PostgresServer = field(init=False)
    _tokens: TokenIssuer = field(init=False)
    _resources: ExitStack = field(init=False, default_factory=ExitStack)

    def token(self, tenant_id: UUID) -> str:
        return self._tokens.token(tenant_id, scopes=(READ, WRITE))

    def __enter__(self) -> Self:
        with ExitStack() as resources:
            self._start(resources)
            self._resources = resources.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._resources.close()

    def _start(self, resources: ExitStack) -> None:
        keys_at = urlsplit(self.templates.environment("authorize")["TOKEN_JWKS_URL"])
        listener = listen(keys_at.port or 0)
        resources.callback(listener.close)
        self.url = address(listener)
        self._tokens = TokenIssuer(self.directory / "signing-key.pem", issuer=ISSUER)
        self.postgres = PostgresServer(self.directory / "postgres", disposable=True)
        resources.callback(self.postgres.stop)
        self.postgres.start()
        self.postgres.create_database(DATABASE)
        self.pool = resources.enter_context(WorkerPool({}, logs=self.directory / "logs"))
        roles: dict[str, str] = {}
        self.aws = JudgedAws(
            roles,
            pool=self.pool,
            credentials=self._credentials,
            retry_scale=self.retry_scale,
        )
        self.deployment = Deployment(
            templates=self.templates,
            aws=self.aws,
            pool=self.pool,
            directory=self.directory,
            makers=MAKERS,
            place=self._placed,
            roles=roles,
        )
        resources.enter_context(self.aws)
        resources.callback(_forget)
        self._write_secrets()
        self.deployment.deploy()
        resources.enter_context(serving(self._gateway(resources), listener))

    def _write_secrets(self) -> None:
        """Do what the guide asks of a person before the first deployment."""
        named = {
            text.removeprefix("ssm:")
            for name in self.templates.functions
            for text in self.templates.environment(name).values()
            if text.startswith("ssm:")
        }
        for name in named:
            self.aws.client("ssm").put_parameter(
                Name=name, Value=secrets.token_hex(32), Type="SecureString"
            )

    def _gateway(self, resources: ExitStack) -> Gateway:
        streaming = {
            name: StreamingFunction(
                replace(function, name=name.rpartition("-")[2]),  # the adapter finds the folder
                log=self.directory / "logs" / f"{name}.log",
            )
            for name, function in self.deployment.functions.items()
            if function.handler.endswith(".sh")
        }
        for function in streaming.values():
            resources.callback(function.close)
        return Gateway(
            pool=self.pool,
            tokens=self._tokens,
            routes=rest_api.routes(self.deployment),
            streaming=streaming,
            authoriser=rest_api.authoriser(self.deployment),
        )

    def _placed(self, function: LocalFunction) -> LocalFunction:
        """Give a function what Lambda's runtime would, and this machine's database."""
        given = dict(function.variables)
        if "DATABASE_URL" in given:
            role = urlsplit(given["DATABASE_URL"]).username or ""
            given |= {"DATABASE_URL": self._database_url(role), "DATABASE_AUTH": "url"}
        if given.get("MODEL_DIRECTORY", "").startswith(_LAYERS):
            given["MODEL_DIRECTORY"] = str(self.model_directory)
        given["PULSEDOCS_STAGE"] = LOCAL_STAGE
        if "EMBEDDING_MODEL" in given:
            given["EMBEDDING_MODEL"] = FAST_MODELS["EMBEDDING_MODEL"]
        runtime = {
            "AWS_REGION": REGION,
            "AWS_DEFAULT_REGION": REGION,
            "AWS_ACCESS_KEY_ID": self._credentials.access_key,
            "AWS_SECRET_ACCESS_KEY": self._credentials.secret_key,
            "AWS_EC2_METADATA_DISABLED": "true",
            "AWS_ENDPOINT_URL": self.aws.endpoint_url,
            "AWS_SDK_UA_APP_ID": function.name.partition(":")[0],
        }
        assert not set(runtime) & set(given)
        return replace(function, variables=given | runtime)

    def _database_url(self, role: str) -> str:
        if role == MIGRATOR:
            return self.postgres.database_url(DATABASE)
        return self._addresses[role]

    @cached_property
    def _addresses(self) -> dict[str, str]:
        """The roles' addresses: asked for after the deployment has migrated, or there are none."""
        return admit(self.postgres)

    @cached_property
    def _credentials(self) -> Credentials:
        return Credentials("AKIAONMOTO", secrets.token_urlsafe(30))


def _forget() -> None:
    for service in _SERVICES:
        get_backend(service).reset()
