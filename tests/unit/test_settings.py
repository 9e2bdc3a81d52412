"""A stage that cannot embed as it is told to says so before it takes the first document."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from local.__main__ import main
from pulsedocs import bootstrap, settings
from pulsedocs.bootstrap import providers
from pulsedocs.errors import ConfigurationError, InvalidRequest, ModelNotFound


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


@pytest.mark.parametrize("model", ["text-embedding-3-small", "openai:text-embedding-3-small"])
def test_a_model_may_be_named_as_its_provider_does(
    monkeypatch: pytest.MonkeyPatch, model: str
) -> None:
    """S4-04. Failed when a bare name was no name of a model."""
    monkeypatch.setenv("EMBEDDING_MODEL", model)
    monkeypatch.setenv("EMBEDDING_DIMENSION", "1536")

    assert settings.load().embedding_model == "openai:text-embedding-3-small@1536"
    settings.load.cache_clear()


@pytest.mark.parametrize(
    ("variable", "value", "said"),
    [
        ("EMBEDDING_MODEL", "opneai:text-embedding-3-small@1536", "known are local, openai"),
        ("EMBEDDING_MODEL", "local:bge-large@1024", "known are local:bge-small-en-v1.5@384"),
        ("EMBEDDING_MODEL", "local:muse@384", "local:muse@512"),
        ("EMBEDDING_MODEL", "text-embedding-3-small", "write provider:name@dimensions"),
        ("RERANKER_MODEL", "cohre:rerank-v3.5", "known are local:<name>, bedrock:<name>"),
        ("RERANKER_MODEL", "local:nothing", "known are local:ms-marco-MiniLM-L12-v2"),
        ("CHAT_MODEL", "gpt-4o-mini", "known are openai:<name>"),
        ("CHAT_MODEL", "openai:", "known are openai:<name>"),
        ("REWRITE_MODEL", "anthropic:claude", "known are openai:<name>"),
        ("CHUNK_PROFILE", "sematic", "classic|semantic|words"),
        ("CHUNK_SIZE", "9", "'characters' must be from 64 to 8000, not 9"),
        ("CHUNK_OVERLAP", "300", "'overlap_characters' must be from 0 to half"),
        ("RETRIEVAL_PROFILE", "precise", "there are classic, default"),
        ("TOP_K", "0", "TOP_K is from 1 to 100, not 0"),
        ("RERANK_CANDIDATES", "3", "rerank_candidates is less than top_k"),
        ("CONTEXT_TOKENS", "100", "context_tokens is a whole number from 256"),
        ("OPENAI_API_KEY", "my key with spaces in it", "OPENAI_API_KEY is no key"),
        ("OPENAI_API_KEY", "not-of-openai-0123456789", "begins with 'sk-'"),
        ("COHERE_API_KEY", "tiny", "COHERE_API_KEY is no key"),
    ],
)
def test_what_is_unknown_is_refused_at_the_start_with_what_is_known(
    monkeypatch: pytest.MonkeyPatch, variable: str, value: str, said: str
) -> None:
    """S3-01, S2-15. Failed when names were looked up by the first document that needed them."""
    monkeypatch.setenv(variable, value)

    with pytest.raises(ConfigurationError) as refused:
        settings.load()

    assert said in refused.value.message
    assert not variable.endswith("_KEY") or value not in refused.value.message


@pytest.mark.parametrize(
    ("variable", "model"),
    [("EMBEDDING_MODEL", "memory:hashing@384"), ("RERANKER_MODEL", "memory:overlap")],
)
@pytest.mark.parametrize("plugins", ["[]", '["tests.contract.toy_plugins:WordEmbedder"]'])
def test_a_test_double_is_for_the_local_stage_only(
    monkeypatch: pytest.MonkeyPatch, variable: str, model: str, plugins: str
) -> None:
    """A deployed stage would answer by words in common, and nobody would notice."""
    monkeypatch.setenv("PLUGINS", plugins)
    monkeypatch.setenv(variable, model)

    for stage in ("dev", "prod"):
        monkeypatch.setenv("PULSEDOCS_STAGE", stage)
        bootstrap.reset()
        with pytest.raises(ConfigurationError, match=f"{variable} '{model}' is a test double"):
            providers.check_start()

    monkeypatch.setenv("PULSEDOCS_STAGE", "local")
    bootstrap.reset()
    bootstrap.settings()
    bootstrap.reset()


def test_a_tenant_cannot_name_a_test_double_on_a_deployed_stage(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """`POST /models` takes a name, which need not be the stage's own."""
    monkeypatch.setenv("PULSEDOCS_STAGE", "prod")
    bootstrap.reset()

    with pytest.raises(InvalidRequest, match=r"known are local, openai, bedrock, cohere$"):
        providers.check_model("memory:hashing@384")
    with pytest.raises(ModelNotFound):
        providers.embedder("memory:hashing@384")
    bootstrap.reset()


def test_a_server_that_speaks_openais_language_has_keys_of_its_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    monkeypatch.setenv("OPENAI_API_KEY", "not-of-openai-0123456789")

    assert settings.load().openai_api_key is not None
    settings.load.cache_clear()


def test_a_stage_does_not_start_without_the_key_that_its_model_needs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """S3-02."""
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.setenv("PULSEDOCS_STAGE", "")  # which the command sets

    refused = CliRunner().invoke(main, ["up", "--directory", "nowhere"])

    assert refused.exit_code == 1
    assert "OPENAI_API_KEY must be set" in refused.output
    settings.load.cache_clear()


def test_a_dimension_that_the_model_does_not_have_fails_at_start(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """S4-04: naming both."""
    monkeypatch.setenv("EMBEDDING_DIMENSION", "384")

    with pytest.raises(ConfigurationError, match=r"EMBEDDING_DIMENSION is 384 but .* has 1536"):
        settings.load()


def test_a_stage_starts_with_the_chat_model_that_the_guide_exports(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Failed when the guide's key was too short to be one."""
    guide = Path("docs/guides/providers.md").read_text("utf-8")
    exported = dict(re.findall(r"^export (\w+)=(\S+)", guide, re.MULTILINE))
    monkeypatch.delenv("EMBEDDING_MODEL")
    for name, value in exported.items():
        monkeypatch.setenv(name, value)
    settings.load.cache_clear()
    bootstrap.reset()

    providers.check_start()

    assert set(exported) == {"CHAT_MODEL", "OPENAI_BASE_URL", "OPENAI_API_KEY"}
    settings.load.cache_clear()
    bootstrap.reset()


def test_what_the_shell_exports_for_a_stage_is_not_the_tests() -> None:
    """Failed when tests asked, and paid, the model that a person's own stage answers with."""
    told = (
        "import os, tests.plugins.shell as _; print(*map(os.environ.get, ('CHAT_MODEL', 'HOME')))"
    )
    exported = {
        "CHAT_MODEL": "openai:gpt-4o-mini",
        "HOME": "home",
        "PYTHONPATH": os.pathsep.join(sys.path),
    }

    ran = subprocess.run(
        [sys.executable, "-c", told], env=exported, check=True, capture_output=True, text=True
    )

    assert ran.stdout == "None home\n"
