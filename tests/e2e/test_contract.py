"""A client written from the contract alone registers, uploads, polls, asks, traces and replays."""

from collections.abc import Callable, Iterator
from typing import Any, Final
from uuid import UUID, uuid4

import httpx
import pytest

from local.stage import Stage
from tests.e2e.tenant import PDF, Json, Tenant, send_form
from tests.patience import PATIENCE
from tests.unit.extraction.odd_files import pdf_of

PAGES: Final = (
    """The pump delivers 12 litres a minute. It is mounted on a steel frame near the tank.
Operators read the gauge once a day and write the value into the log book.""",
    """The filter is exchanged every 300 hours. A new filter has the order number HX-7781.
Used filters are returned to the service department in their own box.""",
)
MODEL: Final = "memory:hashing@384"
STATES: Final = ["UPLOADED", "PROCESSING", "EXTRACTED", "CLEANED", "CHUNKED", "EMBEDDED"]

DOCUMENT_FIELDS: Final = {
    *("document_id", "collection", "source", "title", "content_type", "size", "sha256", "state"),
    *("outcome", "version", "received_at", "pages", "chunks", "chunking", "embeddings", "error"),
    *("warnings", "metadata", "content_date", "created_at", "updated_at", "history"),
    *("timings_ms", "stats"),
}
CHUNK_FIELDS: Final = {
    *("chunk_id", "version", "alias", "vector_id", "content", "embedding_dimensions"),
    *("metadata",),
}
CHUNK_METADATA: Final = {
    *("document_id", "source", "chunk_index", "total_chunks", "pages", "section", "token_count"),
    *("char_count", "chunking_method", "chunking_parameters", "context", "extraction_date"),
    *("flags", "custom_fields"),
}
SEARCH_FIELDS: Final = {
    *("success", "query_original", "queries_generated", "abstained", "chunks", "retrieval_stats"),
    *("sources", "coverage", "degraded", "trace_id"),
}
FOUND_FIELDS: Final = {
    *("chunk_id", "document_id", "source", "title", "content", "pages", "section"),
    *("relevance_score", "vector_score", "keyword_score", "rank", "metadata"),
}
ASK_FIELDS: Final = {
    *("answer", "abstained", "citations", "sources", "rewritten_question", "coverage", "usage"),
    *("model", "degraded", "trace_id"),
}
CITATION_FIELDS: Final = {
    *("n", "document_id", "source", "title", "page", "page_label", "quote", "start", "end"),
    *("status", "ocr", "confidence", "doubtful_words"),
}
TRACE_FIELDS: Final = {
    *("trace_id", "created_at", "question_hmac", "profile", "models", "corpus", "input_stage"),
    *("candidates", "timings_ms", "degraded", "answer"),
}
CANDIDATE_FIELDS: Final = {
    *("chunk_id", "document_id", "pages", "legs", "similarity", "fused", "rerank", "relevance"),
    *("freshness_penalty", "final_score", "selected", "reason", "numbers"),
}


@pytest.fixture(scope="module")
def reader(stage: Stage) -> Iterator[Tenant]:
    with Tenant.new(stage) as tenant:
        yield tenant


@pytest.fixture(scope="module")
def body() -> bytes:
    return pdf_of(*PAGES)


@pytest.fixture(scope="module")
def status(reader: Tenant, body: bytes) -> Json:
    """Ingest the one document that most tests here read."""
    return reader.ingest(
        body,
        filename="pump manual.pdf",
        content_type=PDF,
        title="Pump manual",
        metadata={"site": "north"},
        content_date="2025-03-01",
    )


def test_a_registration_answers_with_a_form(reader: Tenant, body: bytes) -> None:
    """P-01: key, type, size range and expiry are signed; the state is UPLOADED."""
    registered = reader.register(body, filename="form.pdf", content_type=PDF)

    assert set(registered) >= {"document_id", "version", "state", "upload", "duplicate_of"}
    assert (registered["state"], registered["version"]) == ("UPLOADED", 1)
    assert registered["duplicate_of"] is None
    assert set(registered["upload"]) >= {"url", "fields", "expires_at"}
    assert registered["upload"]["fields"]["key"].endswith(registered["document_id"])


def test_the_other_name_of_the_route_registers_as_well(reader: Tenant) -> None:
    """S0-01: the design's own spelling."""
    response = reader.send(
        "POST",
        "/document/upload",
        {"filename": "other.txt", "content_type": "text/plain; charset=utf-8", "size": 9},
    )

    assert response.status_code == 201
    assert response.json()["state"] == "UPLOADED"


def test_an_upload_ends_published(status: Json, body: bytes) -> None:
    """P-05, S2-02: presigned form, event, state machine and every handler, on one machine."""
    assert set(status) >= DOCUMENT_FIELDS
    assert status["outcome"] == "PUBLISHED"
    assert status["error"] is None
    assert (status["source"], status["title"]) == ("pump manual.pdf", "Pump manual")
    assert (status["size"], status["content_type"]) == (len(body), PDF)
    assert status["metadata"] == {"site": "north", "source_type": "file"}
    assert status["content_date"] == "2025-03-01"
    assert status["pages"] == {
        "total": 2,
        "text": 2,
        "ocr": 0,
        "low_confidence": 0,
        "empty": 0,
        "hidden_only": 0,
        "failed": 0,
        "failures": [],
        "furniture_lines": 0,
    }
    assert status["chunking"]["profile"] == "classic"
    assert status["chunking"]["method"]
    assert status["embeddings"] == {MODEL: status["chunks"]}


def test_the_history_keeps_the_states_in_order(status: Json) -> None:
    """S0-03: UPLOADED to EMBEDDED, then the outcome."""
    names = [entry["state"] for entry in status["history"]]
    moments = [entry["at"] for entry in status["history"]]

    assert names == [*STATES, "PUBLISHED"]
    assert moments == sorted(moments)


def test_a_status_counts_what_was_done(status: Json) -> None:
    expected = {"total_tokens", "failed_chunks", "embedding_time_ms", "chunking_time_ms"}

    assert set(status["stats"]) >= expected | {"upload_time_ms"}
    assert status["stats"]["total_tokens"] > 0
    assert status["stats"]["failed_chunks"] == 0
    assert {"clean", "chunk", "embed", "publish"} <= set(status["timings_ms"])


def test_every_page_can_be_read(reader: Tenant, status: Json) -> None:
    for number, text in enumerate(PAGES, start=1):
        page = reader.get(f"/documents/{status['document_id']}/pages/{number}")

        assert set(page) >= {"page", "label", "text", "raw_text", "outcome", "sections"}
        assert (page["page"], page["outcome"]) == (number, "TEXT")
        assert page["text"].split() == text.split()


def test_chunks_are_traceable_to_file_and_page(reader: Tenant, status: Json) -> None:
    """S2-03, S2-04: alias, pages and the whole metadata; a cursor leads through all."""
    path = f"/documents/{status['document_id']}/chunks"
    chunks: list[Json] = []
    cursor: str | None = None
    while cursor or not chunks:
        found = reader.get(path, limit=1, **({"cursor": cursor} if cursor else {}))
        chunks += found["chunks"]
        cursor = found["cursor"]

    assert chunks == reader.get(path)["chunks"]
    assert len(chunks) == status["chunks"]
    for index, chunk in enumerate(chunks):
        assert set(chunk) >= CHUNK_FIELDS
        assert set(chunk["metadata"]) >= CHUNK_METADATA
        assert chunk["alias"] == f"pump manual.pdf::chunk_{index}"
        assert chunk["embedding_dimensions"] == 384
        assert chunk["metadata"]["char_count"] == len(chunk["content"])
        assert chunk["metadata"]["custom_fields"] == {"site": "north", "source_type": "file"}
    assert {page for chunk in chunks for page in chunk["metadata"]["pages"]} == {1, 2}


def test_the_file_comes_back_byte_for_byte(reader: Tenant, status: Json, body: bytes) -> None:
    """A browser is redirected; a program that accepts JSON is told the link."""
    path = f"/documents/{status['document_id']}/file"
    redirected = reader.send("GET", path)
    named = reader.send("GET", path, headers={"Accept": "application/json"})

    assert redirected.status_code == 302
    for url in (redirected.headers["location"], named.json()["url"]):
        response = httpx.get(url, trust_env=False, timeout=PATIENCE)
        assert response.content == body
        assert response.headers["content-type"] == PDF
        assert "pump%20manual.pdf" in response.headers["content-disposition"]


def test_a_listing_leads_through_every_document_once_from_the_newest_on(tenant: Tenant) -> None:
    uploaded = [
        tenant.register(b"12345", filename=f"{number}.txt", metadata={"n": number})["document_id"]
        for number in range(5)
    ]
    listed: list[str] = []
    cursor: str | None = None
    while cursor or not listed:
        found = tenant.get("/documents", limit=2, **({"cursor": cursor} if cursor else {}))
        listed += [document["document_id"] for document in found["documents"]]
        cursor = found["cursor"]

    assert listed == uploaded[::-1]
    [only] = tenant.get("/documents", filter='{"n": {"$gte": 4}}')["documents"]
    assert set(only) >= DOCUMENT_FIELDS
    assert only["document_id"] == uploaded[4]
    assert tenant.get("/documents", collection="default", state="UPLOADED")["cursor"] is None
    unknown = tenant.send("GET", "/documents", params={"collection": "other"})
    assert (unknown.status_code, unknown.json()["code"]) == (404, "COLLECTION_NOT_FOUND")


@pytest.mark.parametrize("reranked", [True, False])
def test_a_search_returns_text_source_pages_and_scores(
    reader: Tenant,
    status: Json,
    reranked: bool,  # noqa: FBT001 -- a parameter of the test
) -> None:
    """S2-09, S3-19: with and without reranking."""
    found = reader.post(
        "/search",
        {"query": "How often is the filter exchanged?", "enable_reranking": reranked},
    )

    assert set(found) >= SEARCH_FIELDS
    assert found["success"] is True
    assert found["query_original"] == "How often is the filter exchanged?"
    assert set(found["queries_generated"]) == {"standard", "hyde"}
    best = found["chunks"][0]
    assert set(best) >= FOUND_FIELDS
    assert best["document_id"] == status["document_id"]
    assert (best["source"], best["title"], best["rank"]) == ("pump manual.pdf", "Pump manual", 1)
    assert "every 300 hours" in best["content"]
    assert 2 in best["pages"]
    assert best["metadata"] == {"site": "north", "source_type": "file"}
    assert 0 <= best["relevance_score"] <= 1
    assert best["vector_score"] is not None
    assert best["keyword_score"] > 0
    assert set(found["retrieval_stats"]) >= {
        *("total_chunks_retrieved", "vector_search_chunks", "keyword_search_chunks"),
        *("chunks_after_dedup", "chunks_after_reranking", "timings_ms"),
    }
    assert found["retrieval_stats"]["chunks_after_reranking"] == len(found["chunks"]) >= 1
    assert {"vector", "keyword", "total"} <= set(found["retrieval_stats"]["timings_ms"])
    [source] = found["sources"]
    assert set(source) >= {"source", "document_id", "chunks_count", "avg_relevance"}


def test_every_citation_is_found_on_its_page(reader: Tenant, status: Json) -> None:
    """S0-24, S4-09: `text[start:end]` equals the quote; every marker has a citation."""
    answer = reader.post("/ask", {"question": "What is the order number of a new filter?"})

    assert set(answer) >= ASK_FIELDS
    assert "HX-7781" in answer["answer"]
    assert answer["abstained"] is None
    assert answer["citations"]
    for citation in answer["citations"]:
        assert set(citation) >= CITATION_FIELDS
        page = reader.get(f"/documents/{citation['document_id']}/pages/{citation['page']}")
        assert page["text"][citation["start"] : citation["end"]] == citation["quote"]
        assert (citation["page"], citation["status"]) == (2, "found")
        assert f"[{citation['n']}]" in answer["answer"]
    [source] = answer["sources"]
    assert set(source) >= {"title", "source", "document_id", "relevance"}
    assert source["document_id"] == status["document_id"]


def test_search_and_trace_are_complete_without_a_language_model(
    reader: Tenant, status: Json
) -> None:
    """S1-05, S0-25, S0-21: no chat model is configured, none is called, and nothing is missing."""
    del status
    found = reader.post("/search", {"query": "How many litres does the pump deliver a minute?"})
    answer = reader.post("/ask", {"question": "How many litres does the pump deliver a minute?"})
    trace = reader.get(f"/traces/{answer['trace_id']}")

    assert found["chunks"]
    assert found["degraded"] == answer["degraded"] == []
    assert answer["model"] == trace["models"]["chat"] == "extractive"
    assert answer["usage"] == {"input_tokens": 0, "output_tokens": 0, "cost_usd": 0.0}
    assert answer["rewritten_question"] is None
    assert "12 litres" in answer["answer"]


@pytest.mark.parametrize(("path", "field"), [("/search", "query"), ("/ask", "question")])
def test_a_trace_explains_every_candidate_and_replays(
    reader: Tenant, status: Json, path: str, field: str
) -> None:
    """S0-21: recomputed from the trace alone, the selection is the same."""
    asked = reader.post(path, {field: "Where is the pump mounted?"})
    trace = reader.get(f"/traces/{asked['trace_id']}")
    replayed = reader.post(f"/traces/{asked['trace_id']}/replay")

    assert set(trace) >= TRACE_FIELDS
    assert trace["trace_id"] == asked["trace_id"]
    assert trace["models"]["embedding"] == MODEL
    assert len(trace["candidates"]) == status["chunks"]
    for candidate in trace["candidates"]:
        assert set(candidate) >= CANDIDATE_FIELDS
        assert candidate["reason"]
        assert set(candidate["legs"]) <= {"vector", "keyword"}
    assert replayed == {"identical": True, "differences": []}


def test_a_trace_holds_no_text(reader: Tenant, status: Json) -> None:
    """S0-21: hashes in place of question and document; deletion need not chase traces."""
    del status
    asked = reader.post("/ask", {"question": "Where is the pump mounted?"})

    trace = reader.send("GET", f"/traces/{asked['trace_id']}").text

    for words in ("steel frame", "pump", "mounted", "manual"):
        assert words not in trace


def test_the_same_question_is_answered_the_same_way(reader: Tenant, status: Json) -> None:
    """S0-21: ids, order and scores are equal over repeats."""
    del status
    question = {"query": "Who reads the gauge of the pump?"}

    chunks = [reader.post("/search", question)["chunks"] for _ in range(3)]

    assert chunks[0]
    assert chunks[0] == chunks[1] == chunks[2]


def test_debug_shows_the_candidates(reader: Tenant, status: Json) -> None:
    del status
    found = reader.post("/search", {"query": "filter", "debug": True})

    trace = reader.get(f"/traces/{found['trace_id']}")
    assert found["candidates"] == trace["candidates"]


def test_short_chunks_end_at_a_word(tenant: Tenant) -> None:
    """With `return_full_chunks: false` the text ends before 500 characters."""
    tenant.ingest(("The valve " + "opens and closes again " * 40).encode())

    [short] = tenant.post("/search", {"query": "valve", "return_full_chunks": False, "top_k": 1})[
        "chunks"
    ]

    assert 400 < len(short["content"]) <= 500  # a chunk ends at a word before 512 characters
    assert short["content"].rpartition(" ")[2] in {"valve", "opens", "and", "closes", "again"}


def test_a_question_goes_to_the_documents_it_names(tenant: Tenant) -> None:
    """S2-09: all documents by default; else those of the ids, filters and collections named."""
    north = tenant.upload(
        b"The pump in the north runs at 50 hertz.", metadata={"site": "north"}, filename="n.txt"
    )
    south = tenant.upload(
        b"The pump in the south runs at 60 hertz.", metadata={"site": "south"}, filename="s.txt"
    )
    far = tenant.upload(b"The pump far away runs at 70 hertz.", collection="far", filename="f.txt")
    for document_id in (north, south, far):
        assert tenant.outcome(document_id)["outcome"] == "PUBLISHED"

    assert found_in(tenant) == {north, south}
    assert found_in(tenant, document_ids=[south]) == {south}
    assert found_in(tenant, filters={"site": "north"}) == {north}
    assert found_in(tenant, collection="far") == {far}
    assert found_in(tenant, collections=["default", "far"]) == {north, south, far}


def found_in(tenant: Tenant, **scope: Any) -> set[str]:
    found = tenant.post("/search", {"query": "At how many hertz does the pump run?"} | scope)
    return {chunk["document_id"] for chunk in found["chunks"]}


def test_a_document_may_bring_its_own_id(tenant: Tenant) -> None:
    chosen = str(uuid4())

    document_id = tenant.upload(b"The tank holds 900 litres.", document_id=chosen.upper())

    assert UUID(document_id) == UUID(chosen)


def test_a_form_may_be_used_again_until_it_expires(tenant: Tenant) -> None:
    """P-01: the same bytes once more are one more object version, and no second run."""
    registered = tenant.register(b"The tank holds 900 litres.")
    for _ in range(2):
        assert send_form(registered["upload"], b"The tank holds 900 litres.").is_success

    status = tenant.outcome(registered["document_id"])

    assert status["outcome"] in {"PUBLISHED", "DUPLICATE"}
    assert status["chunks"] == 1 or status["published_version"] == 1


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/health", "application/json"),
        ("/openapi.json", "application/json"),
        ("/docs", "text/html"),
        ("/docs?format=json", "application/json"),  # the page's own link
    ],
)
def test_the_service_describes_itself_to_anyone(stage: Stage, path: str, kind: str) -> None:
    """None of them needs a token."""
    response = httpx.get(f"{stage.url}{path}", timeout=PATIENCE, trust_env=False)

    assert response.status_code == 200
    assert kind in response.headers["content-type"]
    assert response.headers["x-request-id"]


def test_the_openapi_document_knows_every_route_used_here(reader: Tenant) -> None:
    paths = reader.get("/openapi.json")["paths"]

    assert reader.get("/health") == {"status": "ok"}
    assert {method for path in paths.values() for method in path} == {
        *("get", "post", "put", "patch", "delete"),
    }
    assert set(paths) >= {
        *("/documents", "/document/upload", "/documents/{document_id}", "/search", "/ask"),
        *("/documents/{document_id}/chunks", "/documents/{document_id}/file", "/health"),
        *("/documents/{document_id}/pages/{page}", "/traces/{trace_id}"),
        "/traces/{trace_id}/replay",
    }


def test_tenants_do_not_share_documents(new_tenant: Callable[[], Tenant], status: Json) -> None:
    """S2-09: a tenant without documents is told so, whatever others have."""
    del status
    stranger = new_tenant()

    assert stranger.get("/documents")["documents"] == []
    response = stranger.send("POST", "/search", {"query": "pump"})
    assert response.status_code == 404
    assert response.json()["code"] == "COLLECTION_NOT_FOUND"
