"""Runs functions like Lambda: environments of their own, started on demand, reused, replaced."""

import threading
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Self
from uuid import uuid4

from local.environment import (
    Environment,
    EnvironmentGone,
    LocalFunction,
    RunningEnvironment,
    StartEnvironment,
)
from local.fair_queue import tenant_of
from local.lambda_errors import (
    ASYNCHRONOUS_LIMIT_BYTES,
    REQUEST_LIMIT_BYTES,
    Invocation,
    RequestTooLarge,
    UnknownFunction,
    exited,
)
from local.turns import StageStops, Turns

_ENVIRONMENTS: Final = 2  # of one function at a time; more only compete for two cores
_ASYNCHRONOUS_THREADS: Final = 4


@dataclass(frozen=True, slots=True)
class Observed:
    """One invocation, from its request to its answer; waiting for a turn is part of it.

    The memory is the most that the environment and a child of it ever held. Both measures are None
    for an invocation that failed; memory also where the system does not say.
    """

    function: str
    request_bytes: int
    response_bytes: int
    started: float
    ended: float
    cpu_seconds: float | None
    peak_memory_mb: float | None

    @property
    def seconds(self) -> float:
        return self.ended - self.started


class WorkerPool:
    """Invokes functions by name or ARN. A third event for one function waits for its turn.

    Tenants take turns.
    """

    def __init__(
        self,
        functions: Mapping[str, LocalFunction],
        *,
        logs: Path,
        environments: int = _ENVIRONMENTS,
        start: StartEnvironment = Environment,
    ) -> None:
        logs.mkdir(parents=True, exist_ok=True)
        self._logs = logs
        self._limit = environments
        self._start = start
        self._functions: dict[str, _Environments] = {}
        self._names: dict[str, str] = {}
        self._observed: list[Observed] | None = None
        self.deploy(functions)
        self._background = ThreadPoolExecutor(_ASYNCHRONOUS_THREADS, "asynchronous-invocation")
        self._warming = ThreadPoolExecutor(1, "warming")
        self._is_closing = threading.Event()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def deploy(self, functions: Mapping[str, LocalFunction]) -> None:
        """Add functions, or put others in their place, whose environments end.

        The addresses in their settings may be known late.
        """
        for name, function in functions.items():
            log = self._logs / f"{name}.log"
            replaced = self._functions.get(name)
            self._functions[name] = _Environments(
                function, log=log, limit=self._limit, start=self._start
            )
            self._names[function.arn] = name
            if replaced is not None:
                replaced.close()

    def invoke(
        self,
        function: str,
        event: bytes,
        *,
        patience: float | None = None,
        is_wanted: Callable[[], bool] = lambda: True,
    ) -> Invocation:
        """Run a function and wait; raises UnknownFunction, RequestTooLarge.

        Who is patient for a limited time may see Throttled, who may leave ClientLeft, and
        everybody StageStops: none of them has begun.
        """
        if len(event) > REQUEST_LIMIT_BYTES:
            raise RequestTooLarge(f"{len(event)} bytes, {REQUEST_LIMIT_BYTES} are allowed")
        environments, started = self._of(function), time.monotonic()
        invocation = environments.invoke(event, patience=patience, is_wanted=is_wanted)
        if self._observed is not None:
            name = self._names.get(function, function)
            response_bytes = len(invocation.payload)
            self._observed.append(
                Observed(
                    function=name,
                    request_bytes=len(event),
                    response_bytes=response_bytes,
                    started=started,
                    ended=time.monotonic(),
                    cpu_seconds=invocation.cpu_seconds,
                    peak_memory_mb=invocation.peak_memory_mb,
                )
            )
        return invocation

    def invoke_later(
        self, function: str, event: bytes, then: Callable[[], None] | None = None
    ) -> None:
        """Queue an event; its result goes nowhere, as with `InvocationType=Event`.

        `then` is called when it has ended, well or badly.
        """
        if len(event) > ASYNCHRONOUS_LIMIT_BYTES:
            raise RequestTooLarge(f"{len(event)} bytes, {ASYNCHRONOUS_LIMIT_BYTES} are allowed")
        running = self._background.submit(self._of(function).invoke, event)
        if then is not None:
            running.add_done_callback(lambda _done: then())

    @contextmanager
    def observing(self) -> Generator[list[Observed]]:
        """Collect the invocations of whoever waits for their answers, until the context ends."""
        self._observed = seen = []
        try:
            yield seen
        finally:
            self._observed = None

    def warm(self, functions: Sequence[str]) -> None:
        """Start environments ahead of the first events, one after another, in the background."""

        def warm() -> None:
            for function in functions:
                if self._is_closing.is_set():
                    return
                with suppress(UnknownFunction, StageStops):
                    self._of(function).warm()

        self._warming.submit(warm)

    def is_idle(self, function: str) -> bool:
        """Say whether a worker of a function is free."""
        return self._of(function).is_idle()

    def inject(self, function: str, fault: str) -> None:
        """Arm the function's next new environment with a fault; idle ones end now."""
        self._of(function).inject(fault)

    def close(self) -> None:
        """End every environment at once, with the events they are handling."""
        self._is_closing.set()
        self._background.shutdown(wait=False, cancel_futures=True)
        for environments in self._functions.values():
            environments.close()
        self._background.shutdown(wait=True, cancel_futures=True)
        self._warming.shutdown(wait=True)

    def _of(self, function: str) -> "_Environments":
        name = self._names.get(function, function)
        if name not in self._functions:
            raise UnknownFunction(name)
        return self._functions[name]


class _Environments:
    """The environments of one function."""

    def __init__(
        self, function: LocalFunction, *, log: Path, limit: int, start: StartEnvironment
    ) -> None:
        self._function = function
        self._start_environment = start
        self._log = log
        self._turns = Turns(limit)
        self._lock = threading.Lock()
        self._idle: list[RunningEnvironment] = []
        self._all: list[RunningEnvironment] = []
        self._faults: list[str] = []
        self._is_closed = False

    def invoke(
        self,
        event: bytes,
        *,
        patience: float | None = None,
        is_wanted: Callable[[], bool] = lambda: True,
    ) -> Invocation:
        with self._turns.taken(tenant_of(event), patience=patience, is_wanted=is_wanted):
            try:
                with self._lock:
                    idle = self._idle.pop() if self._idle else None
                return self._invoke_in(idle or self._start(), event)
            except EnvironmentGone:  # it had not seen the event
                return self._invoke_in_new(event)

    def warm(self) -> None:
        with self._lock:
            if self._all:
                return
        environment = self._start()
        self._give_back(environment)
        environment.watch_start()

    def is_idle(self) -> bool:
        return self._turns.is_free

    def inject(self, fault: str) -> None:
        with self._lock:
            self._faults.append(fault)
            retired, self._idle = self._idle, []
        for environment in retired:
            environment.close()

    def close(self) -> None:
        with self._lock:
            self._is_closed = True
            everyone, self._all = self._all, []
        self._turns.close()
        for environment in everyone:
            with suppress(OSError):
                environment.close()

    def _invoke_in(self, environment: RunningEnvironment, event: bytes) -> Invocation:
        try:
            return environment.invoke(event)
        finally:
            self._give_back(environment)

    def _invoke_in_new(self, event: bytes) -> Invocation:
        environment = self._start()
        try:
            return self._invoke_in(environment, event)
        except EnvironmentGone:  # died while it loaded its handler: the log says why
            return exited(request_id=str(uuid4()), status=1)

    def _start(self) -> RunningEnvironment:
        with self._lock:
            if self._is_closed:
                raise StageStops
            faults, self._faults = self._faults, []
            environment = self._start_environment(self._function, log=self._log, faults=faults)
            self._all.append(environment)
        return environment

    def _give_back(self, environment: RunningEnvironment) -> None:
        with self._lock:
            if environment.is_broken:
                with suppress(ValueError):
                    self._all.remove(environment)
            else:
                self._idle.append(environment)
