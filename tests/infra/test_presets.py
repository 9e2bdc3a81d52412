"""`-c models=bedrock` is a whole stage: nothing outside AWS reads a text, no key is asked for."""

import json
from pathlib import Path

import pytest

from infra.config import Options, options_from
from infra.functions import FUNCTIONS
from infra.models import Place, bedrock_grants, bedrock_models, keys_of
from infra.parameters import parameters
from pulsedocs.errors import ConfigurationError
from pulsedocs.prices import cost_of
from tests.infra.synthesise import WITH_BEDROCK
from tests.infra.templates import StageTemplates

PLACE = Place("aws", "eu-central-1", "123456789012")
TITAN = "amazon.titan-embed-text-v2:0"
NOVA = "amazon.nova-2-lite-v1:0"
RERANK = "amazon.rerank-v1:0"
CALLS_MODELS = ("embed", "query", "stream", "evaluate")


def chosen(**context: str) -> Options:
    return options_from({"models": "bedrock", **context}, region="eu-west-1")


@pytest.mark.parametrize(
    ("region", "called", "profile"),
    [
        ("eu-west-1", "eu-central-1", "eu"),
        ("eu-central-1", "eu-central-1", "eu"),
        ("us-east-1", "us-west-2", "us"),
        ("ap-northeast-1", "ap-northeast-1", "jp"),
    ],
)
def test_text_stays_in_the_geography_of_the_stage(region: str, called: str, profile: str) -> None:
    options = options_from({"models": "bedrock"}, region=region)

    assert options.bedrock_region == called
    assert bedrock_models(options) == (TITAN, f"{profile}.{NOVA}", RERANK)


@pytest.mark.parametrize("region", ["sa-east-1", "me-central-1", "ap-south-1", "ca-central-1"])
def test_a_region_without_the_models_is_named_before_text_leaves_its_country(region: str) -> None:
    with pytest.raises(ConfigurationError, match=f"{region}: give -c bedrock_region= one of"):
        options_from({"models": "bedrock"}, region=region)

    elsewhere = options_from({"models": "bedrock", "bedrock_region": "us-west-2"}, region=region)
    assert elsewhere.chat_model == f"bedrock:us.{NOVA}"


def test_credentials_of_govcloud_are_not_sent_to_another_partition() -> None:
    """Fails when: a stage there is deployed whose every question and document ends refused."""
    with pytest.raises(ConfigurationError, match="us-gov-west-1: name embedding_model"):
        options_from({"models": "bedrock"}, region="us-gov-west-1")
    with pytest.raises(ConfigurationError, match="no stage can stand in cn-north-1"):
        options_from({"models": "bedrock"}, region="cn-north-1")
    for stage, bedrock in (("us-gov-west-1", "us-west-2"), ("us-west-2", "us-gov-west-1")):
        with pytest.raises(ConfigurationError, match=f"bedrock_region {bedrock}: credentials of"):
            options_from({"web_adapter_layer": "arn:…", "bedrock_region": bedrock}, region=stage)
    within = {"web_adapter_layer": "arn:…", "bedrock_region": "us-gov-east-1"}
    assert options_from(within, region="us-gov-west-1").bedrock_region == "us-gov-east-1"


def test_what_a_preset_cannot_know_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="export AWS_REGION"):
        options_from({"models": "bedrock"})
    with pytest.raises(ConfigurationError, match="is not openai or bedrock"):
        options_from({"models": "azure"})
    with pytest.raises(ConfigurationError, match="name embedding_model"):
        options_from({"models": "bedrock", "bedrock_region": "sa-east-1"})


def test_a_model_that_is_named_wins_over_the_preset() -> None:
    options = chosen(chat_model="extractive", reranker_model="")

    assert bedrock_models(options) == (TITAN,)


def test_no_key_is_asked_for() -> None:
    assert [name for name in FUNCTIONS if keys_of(name, chosen())] == []
    assert parameters("dev", chosen()) == ("/pulsedocs/dev/trace-secret",)


def test_a_function_may_call_what_it_is_told_to_and_nothing_else() -> None:
    granted = {name: bedrock_grants(name, chosen(), PLACE) for name in FUNCTIONS}

    assert {name for name, grants in granted.items() if grants} == set(CALLS_MODELS)
    assert {grant.resource.rpartition("/")[2] for grant in granted["embed"]} == {TITAN}
    assert {grant.resource.rpartition("/")[2] for grant in granted["query"]} == {
        *(TITAN, f"eu.{NOVA}", NOVA, RERANK),
        "*",  # of bedrock:Rerank, which knows no resource
    }


def test_every_call_has_a_price() -> None:
    for model in (chosen().embedding_model, chosen().chat_model):
        assert cost_of(model, input_tokens=1000, output_tokens=10)


def test_the_template_names_no_other_provider(assemblies: Path) -> None:
    templates = StageTemplates(name="dev", folder=assemblies / WITH_BEDROCK)
    told = {name: templates.environment(name) for name in templates.functions}

    models = {
        name: {text for key, text in told[name].items() if key.endswith("_MODEL") and text}
        for name in CALLS_MODELS
    }
    assert {each["BEDROCK_REGION"] for name, each in told.items() if name in CALLS_MODELS} == {
        "eu-central-1"
    }
    assert all(model.startswith("bedrock:") for each in models.values() for model in each)
    assert models["query"]
    written = json.dumps([told, templates.properties("IAM::Policy")]).lower()
    assert [word for word in ("openai", "cohere", "anthropic") if word in written] == []
    assert templates.of("EC2::NatGateway") == {}
    [endpoint] = templates.properties("EC2::VPCEndpoint")
    assert endpoint["VpcEndpointType"] == "Gateway"
