"""The browser of the tests below, which they share, and windows of people in it."""

from collections.abc import Callable, Generator
from contextlib import ExitStack
from functools import cache
from pathlib import Path
from typing import Any, Final
from uuid import uuid4

import pytest
from playwright.sync_api import Browser

from local.stage import Stage
from tests.browser.console import Window, chromium, window
from tests.e2e.tenant import Tenant

_HERE: Final = Path(__file__).parent
_until: Final = ExitStack()


@cache
def _started() -> Browser:
    return _until.enter_context(chromium())


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(nextitem: pytest.Item | None) -> Generator[None, Any, Any]:
    """Close the browser behind its last test: its event loop is in the way of others' own."""
    try:
        return (yield)
    finally:
        if nextitem is None or _HERE not in nextitem.path.parents:
            _until.close()
            _started.cache_clear()


@pytest.fixture
def browser() -> Browser:
    return _started()


@pytest.fixture
def opened(browser: Browser, stage: Stage) -> Generator[Callable[..., Window]]:
    """Open windows: each a person of their own, with a tenant nobody has used before."""
    with ExitStack() as windows:

        def open_window(tenant: Tenant | None = None, **options: Any) -> Window:
            found = windows.enter_context(window(browser, stage.url, **options))
            found.sign_in(tenant.token if tenant else stage.token(uuid4()))
            return found

        yield open_window
