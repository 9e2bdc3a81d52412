"""Which keys and which of Bedrock's models a function gets follows from the models it is told."""

from dataclasses import replace

import pytest

from infra.config import Options
from infra.models import Grant, Place, bedrock_grants, keys_of

PLACE = Place("aws", "eu-west-1", "123456789012")
INVOKE = ("bedrock:InvokeModel",)
QUIET = Options(embedding_model="local:muse@512", chat_model="extractive")
"""No model that a provider serves."""
ON = "arn:aws:bedrock:eu-west-1"


def test_no_key_is_asked_for_a_provider_without_a_model() -> None:
    assert keys_of("query", Options()) == ("OPENAI_API_KEY",)
    assert keys_of("query", QUIET) == ()
    assert keys_of("retrieve", Options()) == ()
    assert keys_of("embed", Options(embedding_model="cohere:embed-v4.0@1024")) == (
        "COHERE_API_KEY",
    )


def test_a_model_that_collections_move_to_counts_as_well() -> None:
    options = Options(other_embedding_models="cohere:embed-v4.0@1024, openai:x@64")

    assert keys_of("embed", options) == ("OPENAI_API_KEY", "COHERE_API_KEY")


def test_nothing_is_permitted_on_bedrock_without_a_model_there() -> None:
    assert bedrock_grants("query", Options(), PLACE) == ()


def test_a_foundation_model_is_permitted_in_its_region() -> None:
    options = replace(QUIET, embedding_model="bedrock:amazon.titan-embed-text-v2:0@512")

    assert bedrock_grants("embed", options, PLACE) == (
        Grant(INVOKE, f"{ON}::foundation-model/amazon.titan-embed-text-v2:0"),
    )


@pytest.mark.parametrize("where", ["eu", "us", "apac", "global", "us-gov"])
def test_a_profile_is_permitted_with_the_model_it_leads_to(where: str) -> None:
    options = replace(QUIET, chat_model=f"bedrock:{where}.meta.llama-4:0")
    profile = f"{ON}:123456789012:inference-profile/{where}.meta.llama-4:0"

    assert bedrock_grants("query", options, PLACE) == (
        Grant(INVOKE, profile),
        Grant(INVOKE, "arn:aws:bedrock:*::foundation-model/meta.llama-4:0", through=profile),
    )


def test_an_application_profile_is_permitted_with_whatever_is_behind_it() -> None:
    arn = f"{ON}:123456789012:application-inference-profile/abc"
    options = replace(QUIET, chat_model=f"bedrock:{arn}")

    assert bedrock_grants("evaluate", options, PLACE) == (
        Grant(INVOKE, arn),
        Grant(INVOKE, "arn:aws:bedrock:*::foundation-model/*", through=arn),
    )


def test_a_reranker_needs_rerank_and_its_model() -> None:
    options = replace(QUIET, reranker_model="bedrock:cohere.rerank-v3-5:0")

    assert bedrock_grants("query", options, PLACE) == (
        Grant(INVOKE, f"{ON}::foundation-model/cohere.rerank-v3-5:0"),
        Grant(("bedrock:Rerank",), "*"),
    )
    assert bedrock_grants("embed", options, PLACE) == ()


def test_only_what_streams_may_stream() -> None:
    options = replace(QUIET, chat_model="bedrock:amazon.nova-pro-v1:0")
    streaming = (*INVOKE, "bedrock:InvokeModelWithResponseStream")
    model = f"{ON}::foundation-model/amazon.nova-pro-v1:0"

    assert bedrock_grants("stream", options, PLACE) == (Grant(streaming, model),)
    assert bedrock_grants("query", options, PLACE) == (Grant(INVOKE, model),)
