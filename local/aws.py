"""AWS on one port of 127.0.0.1: moto, with what it lacks put in front of it or into it.

Each gap has a module and a test: `lambda_api` (functions run), `event_bridge` (rules reach state
machines and functions), `deliveries` (what was accepted is delivered, also after a crash),
`s3_events` (real events), `s3_turns` (requests change a bucket one by one), `s3_writes` (objects
outlive the process), `state_machines` (status events, short waits, definitions read once),
`s3_versions` (listed without a copy of the bucket), `pages_of_origins` (which pages may read its
answers), `signed_calls` and `upload_gate` (calls, forms and presigned addresses are
checked). They replace private names of moto, which is therefore pinned to 5.2.5.
"""

import logging
import os
import socket
import threading
from collections.abc import Callable, Generator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Final, Self, cast
from unittest.mock import patch

import boto3
from botocore.config import Config
from moto.backends import get_backend
from moto.core.common_models import BaseModel
from moto.core.config import default_user_config
from moto.moto_server.werkzeug_app import (
    DomainDispatcherApplication,
    MotoRequestHandler,
    create_backend_app,
)
from moto.s3.models import FakeKey
from moto.stepfunctions.parser.asl.utils import boto_client

from local.calls import CallLog
from local.deliveries import Deliveries
from local.event_bridge import real_targets
from local.http_server import Wsgi, address, listen, serving
from local.kept_objects import KeptObjects
from local.lambda_api import LambdaApi
from local.outbox import Outbox
from local.pages_of_origins import PagesOfOrigins
from local.rest_events import REGION
from local.s3_events import real_events
from local.s3_turns import one_at_a_time
from local.s3_versions import versions_of_a_prefix
from local.s3_writes import S3Writes
from local.signed_calls import SignedCalls
from local.sigv4 import Credentials
from local.state_machines import read_once, scaled_retries, status_events
from local.upload_gate import UploadGate
from local.workers import WorkerPool

_ASL: Final = "moto.stepfunctions.parser.asl"
_IRRELEVANT: Final = {
    # moto stops no Map at a share of failed items; our machine of batches lets all of them fail.
    f"{_ASL}.parse.preprocessor": "ToleratedFailurePercentage declarations",
    # What a choice asks for by IsPresent may be absent: moto looks by failing.
    f"{_ASL}.component.eval_component": "Exception=NoSuchJsonPathError",
}
"""What would greet everybody who starts a stage, and changes nothing for them: by who logs it."""
_LONGEST: Final = 300
"""Characters of what they log: behind the error moto writes out the state, in up to 15 kB."""
_SERVICES: Final = ("s3", "ssm", "events", "stepfunctions")


class LocalAws:
    """S3, EventBridge, Step Functions and Lambda; one at a time in a process, moto is global."""

    def __init__(
        self,
        *,
        pool: WorkerPool,
        credentials: Credentials,
        retry_scale: float = 1.0,
        listener: socket.socket | None = None,
        outbox: Outbox | None = None,
        origins: Sequence[str] = (),
    ) -> None:
        self._pool = pool
        self.deliveries = Deliveries(outbox or Outbox(), pool.invoke_later)
        self.credentials = credentials
        self._retry_scale = retry_scale
        self._listener = listener or listen()
        self.endpoint_url = address(self._listener)
        moto: Wsgi = DomainDispatcherApplication(create_backend_app)
        self._writes = S3Writes(moto)
        gate = UploadGate(self._writes, credentials=credentials)
        signed = SignedCalls(LambdaApi(gate, pool=pool), credentials=credentials)
        pages = PagesOfOrigins(signed, origins=origins)
        self.calls = CallLog(pages, credentials=credentials)
        self._resources = ExitStack()

    def client(self, service: str) -> Any:  # noqa: ANN401 -- boto3 makes clients at run time
        """Return a client of this AWS, whatever the environment says about another."""
        return cast("Any", boto3).client(  # typed as one overload for each service
            service,
            endpoint_url=self.endpoint_url,
            region_name=REGION,
            aws_access_key_id=self.credentials.access_key,
            aws_secret_access_key=self.credentials.secret_key,
            config=Config(signature_version="s3v4" if service == "s3" else None),
        )

    def __enter__(self) -> Self:
        with ExitStack() as resources:
            resources.enter_context(quieted())
            resources.enter_context(_untracked())
            settings: Any = default_user_config
            resources.enter_context(
                patch.dict(settings, {"stepfunctions": {"execute_state_machine": True}})
            )
            resources.enter_context(self.deliveries.under_way())
            resources.enter_context(real_targets(self.deliveries.take))
            resources.enter_context(real_events())
            resources.enter_context(one_at_a_time())
            resources.enter_context(versions_of_a_prefix())
            resources.enter_context(status_events(self.deliveries))
            resources.enter_context(self._signing_machines())
            resources.enter_context(scaled_retries(self._retry_scale))
            resources.enter_context(read_once())
            port = self.endpoint_url.rpartition(":")[2]
            # The interpreter finds Lambda, and everything else, at this port of localhost.
            resources.enter_context(patch.dict(os.environ, {"MOTO_PORT": port}))
            resources.enter_context(serving(self.calls, self._listener, handler=MotoRequestHandler))
            resources.callback(_forget)
            self._resources = resources.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._resources.close()

    @contextmanager
    def keeping_objects(self, bucket: str, folder: Path) -> Generator[None]:
        """Bring back what a folder keeps of a bucket, and keep there what is written meanwhile."""
        self._writes.objects = KeptObjects(bucket, folder)
        self._writes.objects.restore()
        try:
            yield
        finally:
            self._writes.objects = None

    def _signing_machines(self) -> AbstractContextManager[object]:
        """Let state machines sign with the stage's key; moto signs with "ak" and "sk".

        moto makes a client for each invocation, in 15 ms of a processor; here a service has one.
        """
        make: Any = cast("Any", boto3).client
        clients: dict[str, Any] = {}
        turn = threading.Lock()  # boto3 makes one client at a time

        def client(*, service_name: str, **options: Any) -> Any:  # noqa: ANN401 -- boto3 makes clients at run time
            with turn:
                if service_name not in clients:
                    clients[service_name] = make(
                        service_name,
                        **options
                        | {
                            "aws_access_key_id": self.credentials.access_key,
                            "aws_secret_access_key": self.credentials.secret_key,
                        },
                    )
                return clients[service_name]

        return patch.object(boto_client, "boto3", SimpleNamespace(client=client))


@contextmanager
def quieted() -> Generator[None]:
    """Cut what moto logs to what is relevant; each call by a filter of its own.

    Of one that all share, the end of a server would take away what the next one has just added.
    """

    def cut(record: logging.LogRecord) -> bool:
        record.msg, record.args = record.getMessage()[:_LONGEST], None
        return not record.msg.startswith(_IRRELEVANT[record.name])

    for name in _IRRELEVANT:
        logging.getLogger(name).addFilter(cut)
    try:
        yield
    finally:
        for name in _IRRELEVANT:
            logging.getLogger(name).removeFilter(cut)


@contextmanager
def _untracked() -> Generator[None]:
    """Let moto keep no list of all that ever was, with the bytes of what is deleted.

    Its dashboard shows it; and an object that is gone without the list is to be closed, and no
    warning.
    """

    def make(cls: type[BaseModel], *_: object, **__: object) -> BaseModel:
        return object.__new__(cls)

    with (
        patch.object(BaseModel, "__new__", staticmethod(make)),
        patch.object(FakeKey, "__del__", FakeKey.dispose),
    ):
        yield


def _forget() -> None:
    """Reset moto, whose state is the process's and would outlive this server."""
    from moto.stepfunctions.parser.models import (  # noqa: PLC0415 -- 0.5 s, loaded by use anyway
        stepfunctions_parser_backends,
    )

    reset: list[Callable[[], None]] = [get_backend(service).reset for service in _SERVICES]
    for backend in (*reset, stepfunctions_parser_backends.reset):
        backend()
