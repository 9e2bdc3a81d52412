"""Readiness names everything that answering needs, and what of it does not answer."""

from uuid import UUID, uuid4

import pytest

from pulsedocs.adapters.memory.embedder import HashingEmbedder
from pulsedocs.adapters.memory.object_store import InMemoryObjectStore
from pulsedocs.adapters.memory.reranker import OverlapReranker
from pulsedocs.errors import DatabaseWarming, ModelNotFound, StageNotReady
from pulsedocs.ports.providers import Embedder
from pulsedocs.questions.check_readiness import Readiness, check_readiness
from pulsedocs.questions.providers import Providers


class Answering:
    def ping(self, tenant_id: UUID) -> None:
        del tenant_id


class Paused:
    def ping(self, tenant_id: UUID) -> None:
        raise DatabaseWarming("the database is starting", tenant=str(tenant_id))


def unknown(model: str) -> Embedder:
    raise ModelNotFound(f"no provider for {model!r}")


def checked(database: Answering | Paused, providers: Providers) -> Readiness:
    return check_readiness(
        uuid4(),
        database=database,
        objects=InMemoryObjectStore(),
        providers=providers,
        embedding_model="memory:hashing@8",
    )


def test_each_dependency_says_how_it_answers() -> None:
    """S3-02: `off` is what the stage is configured without."""
    providers = Providers(lambda _: HashingEmbedder(), OverlapReranker, lambda: None)

    found = checked(Answering(), providers)

    assert {name: check.status for name, check in found.checks.items()} == {
        "database": "ok",
        "bucket": "ok",
        "embedder": "ok",
        "reranker": "ok",
        "chat": "off",
    }


def test_whatever_does_not_answer_is_named_with_its_reason() -> None:
    """S3-02: all of it, not the first."""
    providers = Providers(unknown, lambda: None, lambda: None)

    with pytest.raises(StageNotReady, match="database, embedder") as refused:
        checked(Paused(), providers)

    assert refused.value.context == {
        "database": "WARMING",
        "bucket": "ok",
        "embedder": "MODEL_NOT_FOUND",
        "reranker": "off",
        "chat": "off",
    }
