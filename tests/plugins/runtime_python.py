"""The Python of Lambda's runtime, which compiles the layers and runs what is in them."""

import pytest

from infra.layers import interpreter
from pulsedocs.errors import ConfigurationError


@pytest.fixture(scope="session")
def runtime_python() -> str:
    """Return its path; the README asks for no more than 3.11, so what needs it may be skipped."""
    try:
        return interpreter()
    except ConfigurationError as error:
        pytest.skip(str(error))
