"""A local AWS with probe functions, shared by the tests of this folder: moto starts in 2 s."""

import json
import queue
import tempfile
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from local.aws import LocalAws
from local.lambda_errors import Invocation, UnknownFunction
from local.sigv4 import Credentials
from local.workers import WorkerPool
from tests.patience import PATIENCE

PAGES = "https://pages.example"
CREDENTIALS = Credentials(access_key="AKIALOCALTEST", secret_key="a-secret-of-the-tests")  # noqa: S106 -- of no account
Answer = Callable[[dict[str, Any]], Any]


class ScriptedPool(WorkerPool):
    """Answers events from Python functions of the test, and records what arrived."""

    def __init__(self) -> None:
        self.script: dict[str, Answer] = {}
        self.received: queue.Queue[tuple[str, Any]] = queue.Queue()

    def invoke(self, function: str, event: bytes, **_waiting: Any) -> Invocation:
        name = function.rpartition(":")[2]
        if name not in self.script:
            raise UnknownFunction(name)
        parsed = json.loads(event)
        self.received.put((name, parsed))
        try:
            return Invocation(json.dumps(self.script[name](parsed)).encode())
        except Exception as error:  # noqa: BLE001 -- reported by class name, as Lambda does
            report = {"errorType": type(error).__name__, "errorMessage": str(error)}
            return Invocation(json.dumps(report).encode(), function_error="Unhandled")

    def invoke_later(
        self, function: str, event: bytes, then: Callable[[], None] | None = None
    ) -> None:
        def run() -> None:
            self.invoke(function, event)
            if then is not None:
                then()

        threading.Thread(target=run, daemon=True).start()

    def next_event(self) -> tuple[str, Any]:
        return self.received.get(timeout=PATIENCE)


@dataclass
class Cloud:
    """A local AWS whose functions the test scripts."""

    aws: LocalAws
    pool: ScriptedPool
    buckets: int = 0
    rules: list[str] = field(default_factory=list[str])

    def arn(self, function: str) -> str:
        return f"arn:aws:lambda:us-east-1:123456789012:function:{function}"

    def bucket(self) -> str:
        """Create a versioned bucket that tells EventBridge."""
        self.buckets += 1
        name, s3 = f"bucket-{self.buckets}", self.aws.client("s3")
        s3.create_bucket(Bucket=name)
        s3.put_bucket_versioning(Bucket=name, VersioningConfiguration={"Status": "Enabled"})
        s3.put_bucket_notification_configuration(
            Bucket=name, NotificationConfiguration={"EventBridgeConfiguration": {}}
        )
        return name

    def rule(self, pattern: dict[str, Any], target: str) -> None:
        name, events = f"rule-{len(self.rules)}", self.aws.client("events")
        self.rules.append(name)
        events.put_rule(Name=name, EventPattern=json.dumps(pattern))
        events.put_targets(Rule=name, Targets=[{"Id": "target", "Arn": target}])

    def machine(self, definition: str, *, name: str) -> str:
        answer = self.aws.client("stepfunctions").create_state_machine(
            name=name, definition=definition, roleArn="arn:aws:iam::123456789012:role/machine"
        )
        return answer["stateMachineArn"]

    def clear(self) -> None:
        events = self.aws.client("events")
        for name in self.rules:
            events.remove_targets(Rule=name, Ids=["target"])
            events.delete_rule(Name=name)
        self.rules.clear()
        self.pool.script.clear()
        self.pool.received = queue.Queue()


@pytest.fixture
def open_path() -> Iterator[Path]:
    """Yield a folder that root's server account reaches: what is kept there goes with it.

    In pytest's own folders, which are closed, root's durable clusters move to the cache.
    """
    with tempfile.TemporaryDirectory(prefix="pulsedocs-", ignore_cleanup_errors=True) as name:
        Path(name).chmod(0o755)
        yield Path(name)


@pytest.fixture(scope="session")
def running_cloud() -> Iterator[Cloud]:
    pool = ScriptedPool()
    with LocalAws(pool=pool, credentials=CREDENTIALS, retry_scale=0.001, origins=[PAGES]) as aws:
        yield Cloud(aws, pool)


@pytest.fixture
def cloud(running_cloud: Cloud) -> Iterator[Cloud]:
    yield running_cloud
    running_cloud.clear()
