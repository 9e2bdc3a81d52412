"""Which model a collection of a language gets."""

import pytest

from pulsedocs.embedding import declared, model_for
from pulsedocs.model.languages import CODES

ENGLISH = "local:bge-small-en-v1.5@384"
MULTILINGUAL = "local:muse@512"


@pytest.mark.parametrize(
    ("language", "default", "chosen"),
    [
        ("german", ENGLISH, MULTILINGUAL),
        ("polish", ENGLISH, MULTILINGUAL),  # of which PostgreSQL has no configuration
        ("japanese", ENGLISH, MULTILINGUAL),
        ("english", ENGLISH, ENGLISH),
        ("simple", ENGLISH, ENGLISH),
        ("finnish", ENGLISH, ENGLISH),  # neither knows it
        ("german", "openai:text-embedding-3-small@1536", "openai:text-embedding-3-small@1536"),
        ("german", "cohere:embed-english-v3.0@1024", "cohere:embed-english-v3.0@1024"),
        ("german", "memory:hashing@384", "memory:hashing@384"),
    ],
)
def test_a_local_model_makes_way_for_one_that_knows_the_language(
    language: str, default: str, chosen: str
) -> None:
    """A hosted one stays: a deployment without local models has no other."""
    assert model_for(language, default=default) == chosen


def test_no_language_loses_by_it() -> None:
    for name, code in CODES.items():
        assert declared(model_for(name, default=ENGLISH)).knows(code) or not declared(
            MULTILINGUAL
        ).knows(code)
