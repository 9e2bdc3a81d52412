"""One whole stage for each file that asks for it; tests are kept apart by their tenants."""

from collections.abc import Callable, Generator, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Final
from uuid import UUID, uuid4

import pytest

from local.stage import Stage
from tests.e2e.tenant import Tenant

FAST_MODELS: Final = {
    "EMBEDDING_MODEL": "memory:hashing@384",
    "RERANKER_MODEL": "memory:overlap",
}
RETRY_SCALE: Final = 0.02  # the state machine pauses 2 s before a first retry, 15 s when throttled


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory, model_directory: Path) -> Iterator[Stage]:
    """Start one stage for a file: moto is global, so that a process has room for one at a time."""
    directory = tmp_path_factory.mktemp("stage")
    with Stage(
        directory,
        model_directory=model_directory,
        settings=FAST_MODELS,
        retry_scale=RETRY_SCALE,
    ) as running:
        yield running


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
