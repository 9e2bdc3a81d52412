"""Readiness names everything that answering needs, and what of it does not answer."""

from collections.abc import Sequence
from uuid import UUID

import pytest

from pulsedocs.adapters.local.query_cache import ExpiringCache
from pulsedocs.adapters.memory.embedder import HashingEmbedder
from pulsedocs.adapters.memory.object_store import InMemoryObjectStore
from pulsedocs.adapters.memory.reranker import OverlapReranker
from pulsedocs.errors import DatabaseWarming, ModelNotFound, ProviderUnavailable, StageNotReady
from pulsedocs.model.deadline import Deadline
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
        UUID(int=1),
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


def test_a_model_that_is_paid_for_is_not_asked_each_time() -> None:
    """Failed when whoever may read could have it asked without end, and nobody counted it."""

    class Bought(OverlapReranker):
        asked = 0

        @property
        def model(self) -> str:
            return "cohere:rerank-v3.5"

        def rerank(
            self, query: str, passages: Sequence[str], *, deadline: Deadline
        ) -> tuple[float, ...]:
            self.asked += 1
            if self.asked == 1:
                raise ProviderUnavailable("down")
            return super().rerank(query, passages, deadline=deadline)

    reranker = Bought()
    providers = Providers(
        lambda _: HashingEmbedder(), lambda: reranker, lambda: None, cache=ExpiringCache()
    )

    with pytest.raises(StageNotReady):
        checked(Answering(), providers)
    assert [checked(Answering(), providers).checks["reranker"].status for _ in range(3)] == [
        *("ok", "ok", "ok")
    ]

    assert reranker.asked == 2  # that it failed is not remembered


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
