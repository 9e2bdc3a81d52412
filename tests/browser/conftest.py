"""The browser of the tests below, and windows of people in it."""

from collections.abc import Callable, Generator
from contextlib import ExitStack
from typing import Any
from uuid import uuid4

import pytest
from playwright.sync_api import Browser

from local.stage import Stage
from tests.browser.console import Window, chromium, window
from tests.e2e.tenant import Tenant


@pytest.fixture(scope="module")
def browser() -> Generator[Browser]:
    with chromium() as started:
        yield started


@pytest.fixture
def opened(browser: Browser, stage: Stage) -> Generator[Callable[..., Window]]:
    """Open windows: each a person of their own, with a tenant nobody has used before."""
    with ExitStack() as windows:

        def open_window(tenant: Tenant | None = None, **options: Any) -> Window:
            found = windows.enter_context(window(browser, stage.url, **options))
            found.sign_in(tenant.token if tenant else stage.token(uuid4()))
            return found

        yield open_window
