"""Every function is deployed with an environment that its settings accept."""

import os
import re
from dataclasses import fields
from pathlib import Path

import pytest

from infra.chosen import SET_BY_THE_STACKS
from infra.components.database import AUTHORITIES
from infra.config import WEB_ADAPTER_VERSION, Options
from infra.functions import FUNCTIONS
from infra.layers import Layers
from infra.parameters import SECRETS
from infra.service_stack import BUCKET_GRANTS, WEB_ADAPTER
from infra.synth import synthesise
from pulsedocs.errors import ConfigurationError
from pulsedocs.settings import Settings
from tests.infra.synthesise import CHOSEN, OPTIONS, OWN_ISSUER
from tests.infra.templates import StageTemplates

ALIASES = {str(field.alias) for field in Settings.model_fields.values()}
SECRET_ALIASES = {
    str(field.alias) for field in Settings.model_fields.values() if "SecretStr" in str(field)
}
NEEDED = {
    "authorize": {"TOKEN_ISSUER", "TOKEN_AUDIENCE", "TOKEN_JWKS_URL", "TOKEN_TENANT_CLAIM"},
    "migrate": {"DATABASE_URL"},
    "documents": {"BUCKET", "DATABASE_URL", "EMBEDDING_MODEL"},
    "ingest": {"BUCKET"},
    "batches": {"BUCKET", "DATABASE_URL"},
    "collect": {"BUCKET"},
    "tally": {"BUCKET", "DATABASE_URL"},
    "claim": {"BUCKET", "DATABASE_URL", "EMBEDDING_MODEL"},
    "extract": {"BUCKET"},
    "recognise": {"BUCKET"},
    "boxes": {"BUCKET"},
    "store": {"BUCKET", "DATABASE_URL"},
    "clean": {"BUCKET", "DATABASE_URL", "MODEL_DIRECTORY"},
    "chunk": {"BUCKET", "DATABASE_URL", "MODEL_DIRECTORY"},
    "embed": {"BUCKET"},
    "publish": {"BUCKET", "DATABASE_URL"},
    "fail": {"BUCKET", "DATABASE_URL"},
    "sweep": {"BUCKET", "DATABASE_URL"},
    "purge": {"BUCKET", "DATABASE_URL"},
    "models": {"BUCKET", "DATABASE_URL"},
    "backfill": {"BUCKET", "DATABASE_URL"},
    "retire": {"BUCKET", "DATABASE_URL"},
    "retrieve": {"DATABASE_URL"},
    "query": {
        "BUCKET",
        "RETRIEVE_FUNCTION",
        "BOXES_FUNCTION",
        "EMBEDDING_MODEL",
        "RERANKER_MODEL",
        "CHAT_MODEL",
        "REWRITE_MODEL",
        "TRACE_SECRET",
    },
}
NEEDED["evaluate"] = NEEDED["query"] - {"BOXES_FUNCTION", "TRACE_SECRET"}
NEEDED["stream"] = {*NEEDED["query"], *WEB_ADAPTER} - {"BOXES_FUNCTION"}
REGION = "eu-west-1"  # of `templates`
HANDLERS = Path(__file__).parents[2] / "functions"
# What a function needs for what its handler builds: anything of a module, or one builder of it.
BUILDER_NEEDS: dict[str, set[str]] = {
    "databases": {"DATABASE_URL", "DATABASE_AUTH"},
    "buckets": {"BUCKET"},
    "retrieval_client": {"RETRIEVE_FUNCTION"},
    "box_finder": {"BOXES_FUNCTION"},
    "token_counter": {"MODEL_DIRECTORY"},
    "chat_model": {"CHAT_MODEL"},
    "rewriter": {"REWRITE_MODEL", "CHAT_MODEL"},
    "reranker": {"RERANKER_MODEL"},
    "trace_secrets": {"TRACE_SECRET"},
}


CALLS_MODELS = ("embed", "query", "stream", "evaluate")


def keys_needed(name: str, templates: StageTemplates) -> set[str]:
    """Return the providers' keys that the options of this stage make a function need."""
    if name not in CALLS_MODELS:
        return set()
    return {"COHERE_API_KEY"} if templates.name == OWN_ISSUER else {"OPENAI_API_KEY"}


@pytest.mark.parametrize("name", CALLS_MODELS)
def test_models_are_those_that_the_deployment_has_chosen(
    name: str, templates: StageTemplates, monkeypatch: pytest.MonkeyPatch
) -> None:
    """S3-01: models by name; the reranker is one of them."""
    for variable, value in templates.environment(name).items():
        monkeypatch.setenv(variable, value)
    given = Settings()
    is_own = templates.name == OWN_ISSUER

    assert given.bedrock_region == (OPTIONS.bedrock_region if is_own else "")
    if name != "embed":
        assert given.reranker_model == (OPTIONS.reranker_model if is_own else "")


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_is_given_what_its_handler_builds_from(
    name: str, templates: StageTemplates
) -> None:
    source = "".join(file.read_text("utf-8") for file in (HANDLERS / name).glob("*.py"))

    modules = "buckets|clients|databases|keys|providers"
    for called in set(re.findall(rf"\b({modules})\.(\w+)", source)):
        for part in called:
            assert set(templates.environment(name)) >= BUILDER_NEEDS.get(part, set()), part


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_function_is_deployed_with_settings_it_can_read(
    name: str, templates: StageTemplates, monkeypatch: pytest.MonkeyPatch
) -> None:
    """P-04: a wrong value would show at the first event only."""
    environment = templates.environment(name)
    for variable, value in environment.items():
        monkeypatch.setenv(variable, value)

    read = Settings()
    assert read.stage == environment["PULSEDOCS_STAGE"]
    assert read.bucket == environment.get("BUCKET", "")


@pytest.mark.parametrize("name", FUNCTIONS)
def test_an_environment_holds_what_is_read_and_nothing_else(
    name: str, templates: StageTemplates
) -> None:
    """Settings ignore a name they do not know, so a misspelt one would pass unnoticed."""
    given = set(templates.environment(name))

    assert given <= ALIASES | (set(WEB_ADAPTER) if FUNCTIONS[name].streams else set())
    assert given >= NEEDED[name]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_database_address_names_the_functions_role_and_no_password(
    name: str, templates: StageTemplates
) -> None:
    environment = templates.environment(name)
    url = Settings.model_validate({"DATABASE_URL": environment.get("DATABASE_URL")}).database_url

    role = FUNCTIONS[name].database_role
    assert (url is None) == (role is None)
    if url is not None:
        [host] = url.hosts()
        assert (host["username"], host["password"], host["port"]) == (role, None, 5432)
        # The token is for the stage's own database: whoever answers in its place gets none.
        trusted = f"{AUTHORITIES}/{REGION}.pem"
        assert dict(url.query_params()) == {"sslmode": "verify-full", "sslrootcert": trusted}
        assert templates.environment(name)["DATABASE_AUTH"] == "iam"


def test_no_environment_holds_a_secret(templates: StageTemplates) -> None:
    for name in FUNCTIONS:
        environment = templates.environment(name)
        secrets = SECRET_ALIASES & set(environment)
        assert secrets == set(SECRETS.get(name, ())) | keys_needed(name, templates)
        assert all(environment[secret].startswith("ssm:/pulsedocs/") for secret in secrets)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_secret_by_name_is_left_to_functions_that_can_ask_for_it(
    name: str, templates: StageTemplates
) -> None:
    """Systems Manager lies outside of the network: asked from inside, it would never answer."""
    named = [value for value in templates.environment(name).values() if value.startswith("ssm:")]

    assert FUNCTIONS[name].internet or not named


def test_whoever_is_told_the_bucket_may_use_it(templates: StageTemplates) -> None:
    told = {name for name in FUNCTIONS if "BUCKET" in templates.environment(name)}

    assert told == set(BUCKET_GRANTS)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_is_given_the_settings_that_were_chosen(
    name: str, templates: StageTemplates
) -> None:
    """They never stand in for what the stacks say, whoever wrote them into the options."""
    chosen = CHOSEN[templates.name].settings

    assert chosen.items() <= templates.environment(name).items()


def test_what_the_stacks_and_the_options_set_cannot_be_chosen_a_second_time(
    templates: StageTemplates,
) -> None:
    chosen = set(CHOSEN[templates.name].settings)
    of_options = {option.name.upper() for option in fields(Options)}
    for name in FUNCTIONS:
        theirs = set(templates.environment(name)) - chosen - set(WEB_ADAPTER)
        assert theirs <= SET_BY_THE_STACKS | of_options


def test_nothing_is_deployed_that_the_table_does_not_name(templates: StageTemplates) -> None:
    beside = set(templates.functions) - set(FUNCTIONS)

    assert beside <= {"tenant-claim", "first-role", "migration-step"}
    assert set(templates.functions) >= set(FUNCTIONS)


def test_what_streams_runs_behind_a_pinned_version_of_the_adapter(
    templates: StageTemplates,
) -> None:
    """S4-10: AWS publishes the layer for each region; its version is ours to choose."""
    function = templates.functions["stream"]

    assert function["Handler"] == "functions/stream/run.sh"
    assert os.access(HANDLERS / "stream" / "run.sh", os.X_OK)
    *_, adapter = function["Layers"]
    assert templates.text(adapter).endswith(
        f":753240598075:layer:LambdaAdapterLayerArm64:{WEB_ADAPTER_VERSION}"
    )


def test_the_guide_shows_the_pinned_version_of_the_adapter() -> None:
    """Fails when: a stage in GovCloud is given a copy of one that no other stage runs."""
    guide = Path("docs/guides/deploy.md").read_text("utf-8")

    shown = set(re.findall(r"LambdaAdapterLayerArm64:(\d+)", guide))

    assert shown == {str(WEB_ADAPTER_VERSION)}


def test_an_environment_that_lambda_would_refuse_is_refused_before(tmp_path: Path) -> None:
    (tmp_path / "core").mkdir()
    (tmp_path / "dependencies").mkdir()
    layers = Layers(tmp_path / "core", tmp_path / "dependencies")
    origins = ",".join(f"https://app-{number}.example.com" for number in range(150))

    with pytest.raises(ConfigurationError, match=r"environment of \w+ would have \d+ bytes"):
        synthesise(
            tmp_path / "out", stage="dev", options=Options(cors_origins=origins), layers=layers
        )
