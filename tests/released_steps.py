"""What the functions of the last release say to each other: `make release` keeps it.

While a deployment replaces functions one by one, a step of one version hands its result to a step
of the other, through a state machine of either. So a release keeps its ingestion machine, what each
function needs to be told (the JSON schema of its request), and what it answered when a few
documents and questions went through. `Mixed` lets a stage's functions behave as two versions.
"""

import importlib
import inspect
import json
import tempfile
import tomllib
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Final, Self, cast
from unittest.mock import patch
from uuid import uuid4

from jsonschema import Draft202012Validator
from pydantic import BaseModel

from infra.machines import ingest_machine
from local.lambda_errors import Invocation
from local.models import ensure_models
from local.stage import Stage
from local.wiring import as_deployed_here
from local.workers import WorkerPool
from pulsedocs.pipeline import Step
from tests.e2e.tenant import PDF, Json, Tenant
from tests.plugins.stage import FAST_MODELS, RETRY_SCALE
from tests.unit.extraction.scans import photographed, prose

FILE: Final = Path(__file__).with_name("released_steps.json")
SPOKEN_TO: Final = (*Step, "retrieve")
"""The functions that other functions, or a machine, call."""
SEMANTIC: Final = {"profile": "semantic", "max_tokens": 100, "overlap_percent": 0}
LONG: Final = "".join(
    f"Pump {number} delivers {number} litres a minute. Its valve closes at {number} bar.\n\n"
    for number in range(100, 160)
)
_ROOT: Final = Path(__file__).parents[1]
_NEVER_KEPT: Final = ("Comment", "Retry")  # say nothing of what the steps hand on, and are long

Shape = dict[str, Any] | list[Any] | None
"""The keys of a JSON value: an object's by name, those of a list's items together, else None."""


def request_model(function: str) -> type[BaseModel]:
    """Return the model of what a function is told."""
    handler = importlib.import_module(f"functions.{function}.handler").handler
    [request] = list(inspect.signature(inspect.unwrap(handler)).parameters.values())
    return request.annotation


@dataclass(frozen=True, slots=True)
class ReleasedSteps:
    version: str
    machine: Json
    requests: dict[str, Json]
    """JSON schemas, by function."""
    answers: dict[str, Shape]
    spoken: dict[str, list[Json]]
    """Requests as they were sent, each form of them once, by function."""

    @classmethod
    def last(cls) -> Self:
        return cls(**json.loads(FILE.read_text("utf-8")))

    @classmethod
    def of(cls, stage: Stage, *, version: str) -> Self:
        """Let a stage do what steps are for, and keep what they said."""
        spoken: dict[str, list[Json]] = {name: [] for name in SPOKEN_TO}
        answers: dict[str, Shape] = {}

        def keep(function: str, request: Json, call: Callable[[Json], Invocation]) -> Invocation:
            invocation = call(request)
            if function in spoken and invocation.function_error is None:
                kept = [shape_of(each) for each in spoken[function]]
                if shape_of(request) not in kept:
                    spoken[function].append(without_stack_trace(request))
                answers[function] = merged(answers.get(function), shape_of(invocation.json()))
            return invocation

        tenant_id = uuid4()
        with (
            speaking_through(stage.pool, keep),
            Tenant(stage.url, stage.token(tenant_id), tenant_id=tenant_id) as tenant,
        ):
            tenant.ingest(b"The pump delivers 12 litres a minute.", filename="pump.txt")
            tenant.ingest(LONG.encode(), filename="pumps.txt", chunking=SEMANTIC)
            tenant.ingest(b"%PDF-1.4 no more", filename="cut.pdf", content_type=PDF)
            scan = photographed(prose(["The plan of the pump lies in the blue box."]))
            tenant.ingest(scan, filename="scan.pdf", content_type=PDF)
            tenant.post("/search", {"query": "How many litres does the pump deliver?"})
            tenant.post("/ask", {"question": "How many litres does the pump deliver?"})
        return cls(
            version=version,
            machine=_without_policies(ingest_machine()),
            requests={name: request_model(name).model_json_schema() for name in SPOKEN_TO},
            answers=answers,
            spoken=spoken,
        )

    def changed(self, **answers: Shape) -> Self:
        """Return this release with other answers, as a release that knew less would have them."""
        return replace(self, answers=self.answers | answers)

    def freeze(self) -> None:
        FILE.write_text(json.dumps(asdict(self), indent=1, sort_keys=True) + "\n", "utf-8")


Call = Callable[[Json], Invocation]
Speak = Callable[[str, Json, Call], Invocation]


@contextmanager
def speaking_through(pool: WorkerPool, speak: Speak) -> Generator[None]:
    """Let `speak` stand between whoever invokes a function and the function."""
    invoke = pool.invoke

    def instead(function: str, event: bytes, **options: Any) -> Invocation:
        name = function.rpartition(":")[2].removeprefix("pulsedocs-local-")
        return speak(
            name,
            json.loads(event),
            lambda told: invoke(function, json.dumps(told).encode(), **options),
        )

    with patch.object(pool, "invoke", instead):
        yield


@dataclass(slots=True)
class Mixed:
    """Some of a stage's functions behave as the last release's, as long as `is_old` says so.

    They are those of the checkout. What they are told is held to the release's schema, and of what
    they answer the rest learns only the keys that the release answered with.
    """

    released: ReleasedSteps
    is_old: Callable[[str, Json], bool]
    refused: list[str] = field(default_factory=list[str])
    """What a function of the release could not have understood."""

    def __call__(self, function: str, request: Json, call: Call) -> Invocation:
        if function not in self.released.requests or not self.is_old(function, request):
            return call(request)
        validator = Draft202012Validator(self.released.requests[function])
        self.refused += [f"{function}: {error.message}" for error in validator.iter_errors(request)]
        invocation = call(request)
        if invocation.function_error is not None:
            return invocation
        known = cut(invocation.json(), self.released.answers.get(function))
        return replace(invocation, payload=json.dumps(known).encode())


@contextmanager
def ingesting_by(stage: Stage, machine: Mapping[str, Any]) -> Generator[None]:
    """Ingest by another machine than the checkout's."""
    states = stage.aws.client("stepfunctions")
    before = states.describe_state_machine(stateMachineArn=stage.machine_arn)["definition"]
    states.update_state_machine(
        stateMachineArn=stage.machine_arn, definition=as_deployed_here(dict(machine))
    )
    try:
        yield
    finally:
        states.update_state_machine(stateMachineArn=stage.machine_arn, definition=before)


def shape_of(value: Any) -> Shape:
    if isinstance(value, dict):
        pairs = cast("Json", value)
        return {name: shape_of(each) for name, each in pairs.items()}
    if isinstance(value, list):
        shape: Shape = None
        for each in cast("list[Any]", value):
            shape = merged(shape, shape_of(each))
        return [shape]
    return None


def merged(one: Shape, other: Shape) -> Shape:
    """Return the keys that either has."""
    if isinstance(one, dict) and isinstance(other, dict):
        return {name: merged(one.get(name), other.get(name)) for name in one | other}
    if isinstance(one, list) and isinstance(other, list):
        return [merged(one[0], other[0])]
    return one if other is None else other


def cut(value: object, shape: Shape) -> object:
    """Leave out the keys that a shape does not have; what it knows no keys of stays whole."""
    if isinstance(shape, dict) and isinstance(value, dict):
        pairs = cast("Json", value)
        return {name: cut(each, shape[name]) for name, each in pairs.items() if name in shape}
    if isinstance(shape, list) and isinstance(value, list):
        return [cut(each, shape[0]) for each in cast("list[Any]", value)]
    return value


def without_stack_trace(request: Json) -> Json:
    """Return what `fail` is told without the lines of this machine's files."""
    if not isinstance(request.get("error"), dict):
        return request
    cause = json.loads(request["error"]["Cause"])
    told = json.dumps({**cause, "stackTrace": []}, separators=(",", ":"))
    return {**request, "error": {**request["error"], "Cause": told}}


def _without_policies(part: Any) -> Any:
    if isinstance(part, list):
        return [_without_policies(each) for each in cast("list[Any]", part)]
    if isinstance(part, dict):
        pairs = cast("Json", part)
        return {
            name: _without_policies(each) for name, each in pairs.items() if name not in _NEVER_KEPT
        }
    return part


def main() -> None:
    """Freeze what the steps of this checkout say, as the last release."""
    project = tomllib.loads((_ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    with (
        tempfile.TemporaryDirectory(prefix="released-") as folder,
        Stage(
            Path(folder),
            model_directory=ensure_models(),
            settings=FAST_MODELS,
            retry_scale=RETRY_SCALE,
        ) as stage,
    ):
        release = ReleasedSteps.of(stage, version=project["version"])
    release.freeze()
    heard = sum(len(each) for each in release.spoken.values())
    print(f"tests/{FILE.name}: {release.version}, {heard} requests")  # noqa: T201 -- a command


if __name__ == "__main__":
    main()
