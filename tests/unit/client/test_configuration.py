"""S3-01: one configuration, whose mistakes are all found before anything is done."""

from typing import Any

import pytest

from pulsedocs.client.configuration import (
    Chunking,
    Configuration,
    Embedding,
    LanguageModel,
    PdfProcessing,
    Reranking,
    Retrieval,
    VectorDatabase,
)
from pulsedocs.errors import ConfigurationError

OPENAI = "sk-not-a-real-key-0123456789"
COHERE = "not-a-real-key-0123456789"
KEYED: Any = {"embedding": Embedding(api_key=OPENAI), "reranking": Reranking(api_key=COHERE)}
NO_MODELS: Any = {
    "embedding": Embedding(provider="local", model="bge-small-en-v1.5", dimensions=384),
    "reranking": Reranking(provider=None),
    "language_model": LanguageModel(provider=None),
}


def test_the_defaults_are_those_of_the_design() -> None:
    chosen = Configuration(**KEYED)

    assert chosen.embedding.name == "openai:text-embedding-3-large@3072"
    assert chosen.chunk_parameters == {
        "max_tokens": 1000,
        "overlap_percent": 20,
        "breakpoint_percentile": 95,
    }
    policy = chosen.policy
    assert (policy.vector_candidates, policy.keyword_candidates) == (25, 50)
    assert (policy.rerank_candidates, policy.top_k, policy.hyde) == (100, 20, True)
    assert chosen.retrieval.distance == "cosine"
    assert chosen.settings["RERANKER_MODEL"] == "cohere:rerank-v3.5"


@pytest.mark.parametrize(
    ("wrong", "named"),
    [
        ({"embedding": Embedding(provider="acme", model="foo", dimensions=64)}, "'acme:foo@64'"),
        ({"embedding": Embedding(dimensions=3073, api_key=OPENAI)}, "at most 3072 dimensions"),
        ({"embedding": Embedding(dimensions=0, api_key=OPENAI)}, "@0'"),
        ({"embedding": Embedding(provider="local", model="muse", dimensions=384)}, "muse@512"),
        ({"embedding": Embedding(api_key="nonsense")}, "OPENAI_API_KEY is no key"),
        ({"embedding": Embedding(api_key=OPENAI, batch_size=0)}, "EMBEDDING_BATCH_SIZE"),
        ({"embedding": Embedding()}, "openai: its models need an api_key"),
        ({"reranking": Reranking()}, "cohere: its models need an api_key"),
        ({"reranking": Reranking(provider="acme", model="x")}, "RERANKER_MODEL 'acme:x'"),
        ({"reranking": Reranking(api_key=COHERE, candidates=500)}, "rerank_candidates"),
        ({"language_model": LanguageModel(provider="acme")}, "CHAT_MODEL 'acme:gpt-4o'"),
        ({"language_model": LanguageModel(api_key=f"{OPENAI}-2")}, "two keys are given"),
        ({"chunking": Chunking(method="whole")}, "chunk profile 'whole' is unknown"),
        ({"chunking": Chunking(parameters={"max_tokens": 9})}, "'max_tokens' must be from 100"),
        ({"pdf": PdfProcessing(ocr_languages=("klingon",))}, "OCR_LANGUAGES"),
        ({"pdf": PdfProcessing(max_pages=0)}, "MAX_PAGES"),
        ({"retrieval": Retrieval(profile="nix")}, "no retrieval profile 'nix'"),
        ({"retrieval": Retrieval(vector_limit=9999)}, "vector_candidates"),
        ({"retrieval": Retrieval(top_k=0)}, "TOP_K"),
        ({"retrieval": Retrieval(score_threshold=7)}, "score_threshold is from 0 to 1"),
        ({"vector_database": VectorDatabase(url="https://example.org")}, "needs a token"),
        ({"vector_database": VectorDatabase(url="qdrant:6333", token="t")}, "no http address"),  # noqa: S106 -- none
        ({"vector_database": VectorDatabase(collection="")}, "name has 1 to"),
    ],
)
def test_a_mistake_fails_where_it_is_made(wrong: dict[str, Any], named: str) -> None:
    with pytest.raises(ConfigurationError) as refused:
        Configuration(**KEYED | wrong)

    assert named in refused.value.message


def test_all_mistakes_are_named_at_once() -> None:
    with pytest.raises(ConfigurationError) as refused:
        Configuration(
            embedding=Embedding(provider="acme", model="foo", dimensions=64),
            reranking=Reranking(provider="acme", model="x"),
            chunking=Chunking(method="whole"),
        )

    for named in ("acme:foo@64", "RERANKER_MODEL", "whole", "openai: its models need"):
        assert named in refused.value.message


def test_a_stage_at_an_address_holds_its_keys_itself() -> None:
    place = VectorDatabase(url="https://example.org", token="t")  # noqa: S106 -- none

    chosen = Configuration(vector_database=place)

    assert not chosen.is_of_this_machine
    assert "OPENAI_API_KEY" not in chosen.settings


def test_keys_are_not_shown() -> None:
    shown = repr(Configuration(**KEYED, vector_database=VectorDatabase(token="secret")))  # noqa: S106 -- none

    assert "secret" not in shown
    assert OPENAI not in shown


def test_the_environment_of_this_process_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EMBEDDING_DIMENSION", "7")
    monkeypatch.setenv("TOP_K", "0")

    assert Configuration(**NO_MODELS).settings["CHAT_MODEL"] == "extractive"


def test_numbers_that_no_profile_has_make_one() -> None:
    own = Configuration(**NO_MODELS, retrieval=Retrieval(vector_limit=30, top_k=5))
    same = Configuration(**NO_MODELS, retrieval=Retrieval(vector_limit=25))

    assert own.profile_values == {"vector_candidates": 30, "top_k": 5}
    assert own.question_options.get("profile") == "configured"
    assert own.question_options.get("top_k") == 5
    assert same.question_options.get("profile") == "full_hybrid"


def test_no_provider_turns_reranking_off() -> None:
    """Failed when a stage that has a reranker went on to rerank."""
    without = Configuration(**NO_MODELS)
    named = Configuration(**NO_MODELS | {"reranking": Reranking(api_key=COHERE)})
    kept = Configuration(**NO_MODELS, retrieval=Retrieval(enable_reranking=True))

    assert without.question_options.get("enable_reranking") is False
    assert "enable_reranking" not in named.question_options
    assert kept.question_options.get("enable_reranking") is True
