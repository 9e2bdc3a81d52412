"""Whole stages, shared by the files below: to start one takes twenty processes and as many seconds.

Tests are kept apart by their tenants. Who kills a stage's workers, counts what all tenants did or
chooses settings starts a stage in a fixture of its own; a file that is not listed has one too.

The functions of a shared stage are forks (`tests.forked`). `make demo` and the stage of a file that
is not listed start interpreters, as people do.
"""

from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, Final
from uuid import UUID, uuid4

import pytest

from local.environment import Environment, StartEnvironment
from local.stage import Stage
from tests import forked
from tests.contract.fake_openai_server import FakeOpenAIServer
from tests.e2e.tenant import Tenant

FAST_MODELS: Final = {
    "EMBEDDING_MODEL": "memory:hashing@384",
    "RERANKER_MODEL": "memory:overlap",
}
BOUGHT_CHAT: Final = {**FAST_MODELS, "CHAT_MODEL": "openai:gpt-4o-mini"}
"""With the server of the fixture `model` to buy from."""
RETRY_SCALE: Final = 0.02  # the state machine pauses 2 s before a first retry, 15 s when throttled

SHARED: Final[Mapping[str, Mapping[str, str]]] = {
    # Runs the sweep, which would count what other files left 15 minutes ago on a busy machine.
    "tests/e2e/test_sweep.py": FAST_MODELS,
    # Counts at which step each document under way is: early, before others leave some there.
    "tests/e2e/test_deployments.py": FAST_MODELS,
    "tests/browser/test_console_access.py": FAST_MODELS,
    "tests/browser/test_console_answers.py": FAST_MODELS,
    "tests/browser/test_console_collections.py": FAST_MODELS,
    "tests/browser/test_console_conversations.py": FAST_MODELS,
    "tests/browser/test_console_documents.py": FAST_MODELS,
    "tests/browser/test_console_sessions.py": FAST_MODELS,
    "tests/browser/test_console_trouble.py": FAST_MODELS,
    "tests/browser/test_scan.py": FAST_MODELS,
    "tests/e2e/test_a_document_as_such.py": FAST_MODELS,
    "tests/e2e/test_audit.py": FAST_MODELS,
    "tests/e2e/test_bad_input.py": FAST_MODELS,
    "tests/e2e/test_client.py": FAST_MODELS,
    "tests/e2e/test_client_errors.py": FAST_MODELS,
    "tests/e2e/test_client_operations.py": FAST_MODELS,
    "tests/e2e/test_client_whole.py": FAST_MODELS,
    "tests/e2e/test_command_line.py": FAST_MODELS,
    "tests/e2e/test_contract.py": FAST_MODELS,
    "tests/e2e/test_conversation_list.py": FAST_MODELS,
    "tests/e2e/test_deletion.py": FAST_MODELS,
    "tests/e2e/test_fuzzed_contract.py": FAST_MODELS,
    "tests/e2e/test_highlight.py": FAST_MODELS,
    "tests/e2e/test_idempotency.py": FAST_MODELS,
    "tests/e2e/test_ingest.py": FAST_MODELS,
    "tests/e2e/test_logs.py": FAST_MODELS,
    "tests/e2e/test_models.py": FAST_MODELS,
    "tests/e2e/test_named_pages.py": FAST_MODELS,
    "tests/e2e/test_proofs.py": FAST_MODELS,
    "tests/e2e/test_reading.py": FAST_MODELS,
    "tests/e2e/test_smoke.py": FAST_MODELS,
    "tests/e2e/test_tenants.py": FAST_MODELS,
    "tests/integrations/test_frameworks.py": FAST_MODELS,
    "tests/integrations/test_guide.py": FAST_MODELS,
    "tests/e2e/test_upload_answers_first.py": FAST_MODELS,
    "tests/e2e/test_versions.py": FAST_MODELS,
    "tests/e2e/test_wheel.py": FAST_MODELS,
    "tests/e2e/test_streaming.py": BOUGHT_CHAT,
    "tests/e2e/test_openai_client.py": BOUGHT_CHAT,
    "tests/e2e/test_answers.py": {},  # as shipped
    "tests/e2e/test_copies.py": {},
    "tests/e2e/test_feedback.py": {},
    "tests/e2e/test_finding.py": {},
    "tests/e2e/test_formats.py": {},
    "tests/e2e/test_small_documents.py": {},
}
"""The settings of the stage of each file, in the order in which the files run."""

_ORDER: Final = list(SHARED)
_SYNTHESISED: Final = "tests/infra/"
"""Their templates take 40 s of a processor once: a second process would wait for them meanwhile."""


def together_with(node_id: str) -> str:
    """Return what one process runs one after another: a file, or all that share a stage."""
    file = node_id.partition("::")[0]
    if file.startswith(_SYNTHESISED):
        return _SYNTHESISED
    if file not in SHARED:
        return file
    return f"a stage with {', '.join(SHARED[file].values()) or 'shipped settings'}"


def in_order(node_ids: Sequence[str]) -> list[int]:
    """Return the positions of the tests in the order to run them: by stage, else as they were."""
    firsts: dict[str, int] = {}
    for position, node_id in enumerate(node_ids):
        firsts.setdefault(together_with(node_id), position)

    def rank(position: int) -> tuple[int, int]:
        file = node_ids[position].partition("::")[0]
        first = firsts[together_with(node_ids[position])]
        return first, _ORDER.index(file) if file in SHARED else 0

    return sorted(range(len(node_ids)), key=rank)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items[:] = [items[position] for position in in_order([item.nodeid for item in items])]


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Give a process a file at a time, as `--dist=loadfile` does, and a shared stage at a time."""
    from xdist.scheduler import LoadFileScheduling

    class LoadStageScheduling(LoadFileScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return together_with(nodeid)

    return LoadStageScheduling(config, log) if config.getoption("dist") == "loadfile" else None


class _Running:
    """The stage that runs in this process: moto is global, so that there is room for one."""

    def __init__(self) -> None:
        self._until = ExitStack()
        self._settings: Mapping[str, str] | None = None
        self._stage: Stage | None = None

    def take(
        self,
        settings: Mapping[str, str],
        directory: Path,
        *,
        models: Path,
        environment: StartEnvironment,
    ) -> Stage:
        if self._stage is None or self._settings != settings:
            self.stop()
            stage = Stage(
                directory,
                model_directory=models,
                settings=settings,
                retry_scale=RETRY_SCALE,
                environment=environment,
            )
            self._stage, self._settings = self._until.enter_context(stage), settings
        return self._stage

    def stop(self) -> None:
        self._until.close()
        self._stage = None


_running: Final = _Running()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(
    item: pytest.Item, nextitem: pytest.Item | None
) -> Generator[None, Any, Any]:
    """Stop a shared stage after the last test of those that share it."""
    try:
        return (yield)
    finally:
        if nextitem is None or together_with(nextitem.nodeid) != together_with(item.nodeid):
            _running.stop()


@pytest.fixture(scope="session")
def model() -> Generator[FakeOpenAIServer]:
    with FakeOpenAIServer() as server:
        yield server


@pytest.fixture(scope="module")
def stage(
    request: pytest.FixtureRequest,
    tmp_path_factory: pytest.TempPathFactory,
    model_directory: Path,
    model: FakeOpenAIServer,
) -> Stage:
    """Return the running stage that this file shares with others, or start it."""
    settings = SHARED.get(request.node.nodeid, FAST_MODELS)
    return _running.take(
        {**settings, **_buying_from(model)} if settings is BOUGHT_CHAT else settings,
        tmp_path_factory.mktemp("stage"),
        models=model_directory,
        environment=forked.start if request.node.nodeid in SHARED else Environment,
    )


@pytest.fixture
def new_tenant(stage: Stage) -> Generator[Callable[..., Tenant]]:
    """Give a client of a tenant that nobody has used before, or of a named one."""
    with ExitStack() as opened:

        def join(tenant_id: UUID | None = None) -> Tenant:
            chosen = tenant_id or uuid4()
            return opened.enter_context(Tenant(stage.url, stage.token(chosen), tenant_id=chosen))

        yield join


@pytest.fixture
def tenant(new_tenant: Callable[..., Tenant]) -> Tenant:
    return new_tenant()


def _buying_from(provider: FakeOpenAIServer) -> dict[str, str]:
    return {"OPENAI_API_KEY": "sk-test", "OPENAI_BASE_URL": provider.base_url}


@contextmanager
def stage_that_buys_from(
    provider: FakeOpenAIServer, directory: Path, *, models: Path, **settings: str
) -> Generator[Stage]:
    """Start a stage whose `openai:` models are a server of the test's own."""
    with Stage(
        directory,
        model_directory=models,
        settings={**_buying_from(provider), **settings},
        retry_scale=RETRY_SCALE,
        environment=forked.start,
    ) as running:
        yield running
