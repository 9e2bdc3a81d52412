"""S2-18: a stage's numbers come from its environment; who says otherwise wins.

Failed when chunk size, top-k and the profile of new collections were read from nowhere, as it was.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from local.stage import Stage
from tests import forked
from tests.e2e.tenant import Tenant
from tests.plugins.stage import FAST_MODELS, RETRY_SCALE

CHOSEN: Final = {
    "CHUNK_PROFILE": "words",
    "CHUNK_SIZE": "20",
    "CHUNK_OVERLAP": "4",
    "RETRIEVAL_PROFILE": "fast",
    "TOP_K": "3",
    "CONTEXT_TOKENS": "900",
    "RERANK_CANDIDATES": "7",
}
NAMES: Final = ("Ada", "Bo", "Cem", "Dag", "Eli", "Finn", "Gro", "Hal", "Ida", "Jon")
TEXT: Final = "\n\n".join(
    f"{name} rows the ferry across the river on day {day} and rests on the day after it."
    for day, name in enumerate(NAMES, start=1)
).encode()


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory, model_directory: Path) -> Iterator[Stage]:
    with Stage(
        tmp_path_factory.mktemp("stage"),
        model_directory=model_directory,
        settings=FAST_MODELS | CHOSEN,
        retry_scale=RETRY_SCALE,
        environment=forked.start,
    ) as running:
        yield running


def chunking(tenant: Tenant, **options: Any) -> dict[str, Any]:
    name = f"{len(tenant.get('/documents')['documents'])}.txt"
    ended = tenant.ingest(TEXT + name.encode(), filename=name, **options)
    assert ended["outcome"] == "PUBLISHED", ended["error"]
    return ended["chunking"]


def test_documents_are_cut_as_the_stage_says_where_nobody_else_does(tenant: Tenant) -> None:
    tenant.post("/collections", {"name": "letters", "chunk_profile": "classic"})

    by_stage = chunking(tenant)
    by_collection = chunking(tenant, collection="letters")
    by_request = chunking(tenant, chunking={"profile": "words", "words": 30, "overlap_words": 3})

    assert (by_stage["profile"], by_stage["words"], by_stage["overlap_words"]) == ("words", 20, 4)
    assert (by_collection["profile"], by_collection.get("words")) == ("classic", None)
    assert by_request["words"] == 30
    assert all(
        len(chunk["content"].split()) <= 20
        for chunk in tenant.get(f"/documents/{newest(tenant, '0.txt')}/chunks")["chunks"]
    )


def test_questions_find_as_the_stage_says_where_nobody_else_does(tenant: Tenant) -> None:
    chunking(tenant)
    tenant.post("/collections", {"name": "plain", "retrieval_profile": "v0.5"})
    chunking(tenant, collection="plain")
    own = "/collections/default/profiles/mine"
    assert tenant.send("PUT", own, {"base": "fast", "values": {"top_k": 5}}).is_success

    def found(**options: Any) -> int:
        return len(tenant.post("/search", {"query": "who rows the ferry", **options})["chunks"])

    assert tenant.get("/collections/default")["retrieval_profile"] == "fast"
    assert found() == 3
    assert found(top_k=1) == 1
    assert found(profile="mine") == 5
    assert found(collection="plain") > 3


def test_a_trace_shows_the_numbers_that_the_stage_chose(tenant: Tenant) -> None:
    chunking(tenant)

    trace_id = tenant.post("/search", {"query": "who rows the ferry"})["trace_id"]

    profile = tenant.get(f"/traces/{trace_id}")["profile"]
    assert (profile["name"], profile["top_k"]) == ("fast", 3)
    assert (profile["context_tokens"], profile["rerank_candidates"]) == (900, 7)
    assert tenant.post(f"/traces/{trace_id}/replay")["identical"]


def newest(tenant: Tenant, source: str) -> str:
    listed = tenant.get("/documents")["documents"]
    return next(each["document_id"] for each in listed if each["source"] == source)
