"""A model name is read whole or not at all."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pulsedocs.embedding import parse_model_name
from pulsedocs.errors import InvalidRequest
from pulsedocs.model.embeddings import ModelName


def test_a_name_has_provider_name_and_dimensions() -> None:
    parsed = parse_model_name("local:bge-small-en-v1.5@384")

    assert parsed == ModelName("local", "bge-small-en-v1.5", 384)


@pytest.mark.parametrize(
    "text",
    [
        "local:bge-small-en-v1.5@384",
        "openai:text-embedding-3-large@3072",
        "memory:hashing@64",
        "openai:BAAI/bge-m3@1024",
        "local:muse@4000",
        "bedrock:amazon.titan-embed-text-v2:0@1024",
        "bedrock:arn:aws:bedrock:eu-west-1:123456789012:application-inference-profile/a1@1024",
    ],
)
def test_writing_a_name_gives_what_was_read(text: str) -> None:
    assert str(parse_model_name(text)) == text


@pytest.mark.parametrize(
    "text",
    [
        *("", "local", "local:bge", "bge@384", ":bge@384", "local:@384", "local:bge@", "@:"),
        *("local:bge@0", "local:bge@-1", "local:bge@384.0", "local:bge@4001", "local:bge@99999"),
        *("local:bge@٣٨٤", "Local:bge@384", "lo cal:bge@384", "local:b ge@384", "local:bge@384\n"),
        *("local:../x@384 ", "local:/etc@384", "a::b@1", "local:b@c@384", "x" * 40 + ":b@1"),
    ],
)
def test_anything_else_is_refused(text: str) -> None:
    """S3-01: an unknown model fails before any work."""
    with pytest.raises(InvalidRequest):
        parse_model_name(text)


@given(st.text(max_size=300))
def test_no_text_does_worse_than_being_refused(text: str) -> None:
    with suppress(InvalidRequest):
        assert str(parse_model_name(text)) == text
