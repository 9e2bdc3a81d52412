"""A stage that cannot embed as it is told to says so before it takes the first document."""

import pytest

from pulsedocs import settings
from pulsedocs.errors import ConfigurationError


@pytest.fixture(autouse=True)
def _fresh(monkeypatch: pytest.MonkeyPatch) -> None:  # pyright: ignore[reportUnusedFunction] -- autouse
    settings.load.cache_clear()
    monkeypatch.setenv("EMBEDDING_MODEL", "openai:text-embedding-3-small@1536")


def test_the_dimension_of_the_environment_may_repeat_the_models(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """S4-04."""
    monkeypatch.setenv("EMBEDDING_DIMENSION", "1536")

    assert settings.load().embedding_model == "openai:text-embedding-3-small@1536"
    settings.load.cache_clear()


def test_a_dimension_that_the_model_does_not_have_fails_at_start(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """S4-04: naming both."""
    monkeypatch.setenv("EMBEDDING_DIMENSION", "384")

    with pytest.raises(ConfigurationError, match=r"EMBEDDING_DIMENSION is 384 but .* has 1536"):
        settings.load()
