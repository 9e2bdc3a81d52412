"""A stage or an option that makes no sense is refused before anything is synthesised."""

import json
import re
from dataclasses import fields, replace

import pytest

from infra.chosen import SET_BY_THE_STACKS
from infra.config import STAGES, Options, options_from, stage_named
from pulsedocs.errors import ConfigurationError
from pulsedocs.settings import Settings


@pytest.mark.parametrize("name", [None, "", "production", "DEV"])
def test_an_unknown_stage_is_refused_by_naming_the_known_ones(name: str | None) -> None:
    with pytest.raises(ConfigurationError, match="dev, staging, prod"):
        stage_named(name)


@pytest.mark.parametrize("name", STAGES)
def test_a_stage_is_found_by_its_name(name: str) -> None:
    assert stage_named(name).name == name


@pytest.mark.parametrize("change", [{"min_acu": 0.5}, {"auto_pause_minutes": None}])
def test_a_database_pauses_exactly_where_its_minimum_is_zero(change: dict[str, float]) -> None:
    with pytest.raises(ConfigurationError, match="pauses exactly when"):
        replace(STAGES["dev"], **change)


@pytest.mark.parametrize(
    "name", ["d", "Dev", "my_stage", "a-name-of-seventeen", "1st", "team-", "team--a"]
)
def test_a_stages_name_can_be_part_of_every_name_in_aws(name: str) -> None:
    with pytest.raises(ConfigurationError, match="must be 2 to 16"):
        replace(STAGES["dev"], name=name)


def test_an_issuer_is_given_whole_or_not_at_all() -> None:
    with pytest.raises(ConfigurationError, match="go together"):
        Options(token_issuer="https://issuer.example")  # noqa: S106 -- an address


def test_options_come_from_the_context_and_keep_their_defaults() -> None:
    options = options_from({"alert_email": "operator@example.com"})

    assert options == Options(alert_email="operator@example.com")
    assert not options.has_own_issuer


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("alert_mail", "there is no option 'alert_mail': do you mean alert_email?"),
        ("alert-email", "do you mean alert_email?"),
        ("ALERT_EMAIL", "do you mean alert_email?"),
        ("qqq", "there is no option 'qqq': docs/guides/deploy.md lists them"),
    ],
)
def test_an_option_that_does_not_exist_is_refused(name: str, says: str) -> None:
    """CDK takes any name: a misspelt one would deploy the default without a word."""
    with pytest.raises(ConfigurationError, match=re.escape(says)):
        options_from({name: "operator@example.com"})


def test_what_cdk_keeps_in_the_context_is_no_option() -> None:
    own = {
        "stage": "dev",
        "aws:cdk:enable-path-metadata": True,
        "@aws-cdk/aws-lambda:recognizeLayerVersion": True,
        "availability-zones:account=1:region=eu-west-1": "eu-west-1a",
        "cli-telemetry": False,
    }
    assert options_from(own) == Options()


BY_STAGE = {
    "dev": {"restore_from": "pulsedocs-dev@latest"},
    "prod": {"address_range": "10.7.0.0/16"},
}


def test_what_cdk_json_keeps_for_one_stage_is_not_anothers() -> None:
    """A backup of dev, kept for dev, would take the place of the database of prod."""
    kept = {"alert_email": "operator@example.com", "stages": BY_STAGE}

    assert options_from(kept | {"stage": "dev"}) == Options(
        alert_email="operator@example.com", restore_from="pulsedocs-dev@latest"
    )
    assert options_from(kept | {"stage": "prod"}) == Options(
        alert_email="operator@example.com", address_range="10.7.0.0/16"
    )
    assert options_from(kept | {"stage": "staging"}) == Options(alert_email="operator@example.com")


def test_a_stage_keeps_a_preset_and_settings_too() -> None:
    kept = {"dev": {"models": "bedrock", "settings": {"MAX_PAGES": 900}, "readers": 1}}

    chosen = options_from({"stages": kept, "stage": "dev"}, region="eu-west-1")

    assert chosen.embedding_model.startswith("bedrock:")
    assert (chosen.settings, chosen.readers) == ({"MAX_PAGES": "900"}, 1)


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"stages": BY_STAGE, "restore_from": "snapshot:one"}, "restore_from is given twice"),
        ({"stages": {"pord": {}}}, "there is no stage 'pord'"),
        ({"stages": {"prod": {"alrt_email": "o@e.org"}}}, "do you mean alert_email?"),
        ({"stages": {"prod": "bedrock"}}, "stages: that of prod is no JSON object"),
        ({"stages": "dev"}, "stages: 'dev' is no JSON object"),
        ({"stages": {"dev": {"stage": "prod"}}}, "no option 'stage'"),
    ],
)
def test_options_by_stage_that_cannot_be_meant_are_refused(
    given: dict[str, object], says: str
) -> None:
    with pytest.raises(ConfigurationError, match=re.escape(says)):
        options_from(given | {"stage": "dev"})


def test_a_deployment_says_which_options_it_was_given() -> None:
    assert Options().given == ()
    settings = {"MAX_PAGES": "900", "LOG_LEVEL": "INFO"}
    chosen = Options(alert_email="o@e.org", batch_concurrency=20, settings=settings)
    assert chosen.given == ("LOG_LEVEL", "MAX_PAGES", "alert_email", "batch_concurrency")


@pytest.mark.parametrize("count", ["-1", "16", "two", "1.5"])
def test_readers_are_a_number(count: str) -> None:
    with pytest.raises(ConfigurationError, match="is no number from 0 to 15"):
        options_from({"readers": count})


def test_a_reranker_that_no_layer_can_carry_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="not in the layer"):
        Options(reranker_model="local:ms-marco-MiniLM-L12-v2")


@pytest.mark.parametrize(
    "options",
    [
        {"embedding_model": "memory:hashing@384"},
        {"other_embedding_models": "local:muse@512, memory:hashing@64"},
        {"reranker_model": "memory:overlap"},
    ],
)
def test_a_deployment_cannot_choose_a_test_double(options: dict[str, str]) -> None:
    with pytest.raises(ConfigurationError, match="a test double, for the local stage only"):
        Options(**options)  # pyright: ignore[reportArgumentType] -- texts, all of them


def test_no_deployed_stage_takes_the_local_stages_name() -> None:
    with pytest.raises(ConfigurationError, match="where test doubles may answer"):
        replace(STAGES["dev"], name="local")


@pytest.mark.parametrize("name", ["qa", "team-a", "a-name-of-sixtee"])
def test_a_stages_name_may_have_hyphens_within(name: str) -> None:
    assert replace(STAGES["dev"], name=name).name == name


@pytest.mark.parametrize("name", ["aws-trial", "my-amazon", "cognito2"])
def test_a_stage_whose_sign_in_page_would_be_refused_is_named(name: str) -> None:
    """Fails when: the service stack is rolled back for a name that Cognito keeps for AWS."""
    with pytest.raises(ConfigurationError, match="Cognito refuses a page with"):
        replace(STAGES["dev"], name=name)


def test_only_the_protected_stage_leaves_everything() -> None:
    assert {stage.name for stage in STAGES.values() if stage.is_protected} == {"prod"}


def test_settings_come_as_json_or_as_cdk_json_holds_them() -> None:
    values = {"CONVERSATION_DAYS": 60, "ABBREVIATIONS": {"SLA": "service level agreement"}}
    variables = {
        "CONVERSATION_DAYS": "60",
        "ABBREVIATIONS": '{"SLA": "service level agreement"}',
    }

    assert options_from({"settings": values}).settings == variables
    assert options_from({"settings": json.dumps(values)}).settings == variables


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"CONVERSATION_DAY": 60}, "no function reads a setting 'CONVERSATION_DAY'"),
        ({"CONVERSATION_DAYS": 0}, "CONVERSATION_DAYS"),
        ({"PLUGINS": "rules.chunks:Rows"}, "PLUGINS"),
        ({"OPENAI_API_KEY": "sk-1"}, "cannot be chosen"),
        ({"TRACE_SECRET": "0123456789abcdef"}, "cannot be chosen"),
        ({"DATABASE_URL": "postgresql://elsewhere/db"}, "cannot be chosen"),
        ({"AWS_ENDPOINT_URL": "https://elsewhere.example"}, "cannot be chosen"),
        ({"CHAT_MODEL": "extractive"}, "`-c chat_model=`"),
        ({"EXTRACT_SECONDS": 600}, "extract is ended after 600 seconds"),
        ({"REQUEST_SECONDS": 20}, "retrieve may take 20"),
        ("CONVERSATION_DAYS=60", "no JSON"),
        ("[1]", "no JSON object"),
    ],
)
def test_a_setting_that_no_function_could_read_is_refused(given: object, says: str) -> None:
    """A misspelt name would pass unnoticed: functions ignore what they do not know."""
    with pytest.raises(ConfigurationError, match=re.escape(says)):
        options_from({"settings": given})


def test_every_setting_is_the_stacks_an_options_or_a_deployments() -> None:
    """A new one can be chosen without a line of infra; a new secret cannot."""
    of_options = {option.name.upper() for option in fields(Options)}
    aliases = {str(field.alias) for field in Settings.model_fields.values()}
    secrets = {
        str(field.alias)
        for field in Settings.model_fields.values()
        if "SecretStr" in str(field.annotation)
    }

    free = aliases - SET_BY_THE_STACKS - of_options
    assert {"PLUGINS", "EXPERIMENTAL_PLUGINS", "CONVERSATION_DAYS", "ABBREVIATIONS"} <= free
    assert {"MAX_PAGES", "INGEST_PREFIXES", "URL_SCHEMES", "NO_ANSWER_TEXT"} <= free
    assert secrets
    assert not secrets & free


@pytest.mark.parametrize(
    "origins", ["*", "app.example", "https://app.example/", "https://app.example/a", "null"]
)
def test_an_origin_that_no_browser_sends_is_refused(origins: str) -> None:
    with pytest.raises(ConfigurationError, match="is no origin"):
        Options(cors_origins=origins)


def test_origins_are_separated_by_commas_and_there_are_none_by_default() -> None:
    assert Options().origins == ()
    assert Options(cors_origins="https://a.example, http://localhost:3000").origins == (
        "https://a.example",
        "http://localhost:3000",
    )


@pytest.mark.parametrize(
    ("min_acu", "max_acu", "taken"),
    [(0, 1, 189), (0, 2, 189), (0.5, 4, 823), (0.5, 16, 2000), (1, 16, 3360), (1, 128, 5000)],
)
def test_a_stage_knows_how_many_connections_its_database_takes_at_least(
    min_acu: float, max_acu: float, taken: int
) -> None:
    stage = replace(
        STAGES["dev"],
        min_acu=min_acu,
        max_acu=max_acu,
        auto_pause_minutes=5 if min_acu == 0 else None,
    )

    assert stage.max_connections == taken


def test_a_stage_smaller_than_what_is_published_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="below 1"):
        replace(STAGES["dev"], max_acu=0.5)
