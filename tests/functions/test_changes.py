"""Changes, deletions and collections over HTTP: the handlers as deployed, moto's S3."""

import json
from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qs, quote, urlsplit
from uuid import uuid4

import pytest

from pulsedocs import faults
from pulsedocs.model.object_keys import document_prefixes
from tests.functions.conftest import BUCKET, DOCUMENT, TENANT, Bucket
from tests.functions.test_ingestion_functions import (
    call,
    register,
    run_to_the_end,
    upload,
)
from tests.sample_events import sample

SHINGLE = "The pump must be primed before the first"


@pytest.fixture
def request_to(act_as: Callable[..., None]) -> Callable[..., tuple[int, Any]]:
    """Send a request as the tenant: `request_to("GET", "/documents/…")` gives status and JSON."""

    def send(
        method: str,
        path: str,
        body: Any = None,
        *,
        key: str | None = None,
        query: dict[str, str] | None = None,
    ) -> tuple[int, Any]:
        act_as("api")
        event: dict[str, Any] = sample("documents") | {
            "httpMethod": method,
            "path": path,
            "body": None if body is None else json.dumps(body),
            "queryStringParameters": query,
            "multiValueQueryStringParameters": {k: [v] for k, v in (query or {}).items()} or None,
        }
        event["requestContext"] |= {"httpMethod": method, "path": f"/dev{path}"}
        if key is not None:
            event["headers"]["Idempotency-Key"] = key
            event["multiValueHeaders"]["Idempotency-Key"] = [key]
        answer = call("documents", event)
        return answer["statusCode"], json.loads(answer["body"])

    return send


@pytest.fixture
def published(act_as: Callable[..., None], bucket: Bucket) -> str:
    """Bring the sample document to its publication; return its id."""
    event = upload(bucket, register(act_as))
    act_as("ingest")
    run_to_the_end(act_as, call("claim", event))
    return str(DOCUMENT)


def purge(act_as: Callable[..., None], receipt_id: str, *, way: str = "") -> Any:
    act_as("sweep")
    event = sample("purge")
    event["detail"]["object"]["key"] = f"control/purge/{TENANT}/{receipt_id}{way}"
    return call("purge", event)


def versions(bucket: Bucket, prefix: str) -> list[str]:
    listed = bucket.client.list_object_versions(Bucket=BUCKET, Prefix=prefix)
    return [item["Key"] for kind in ("Versions", "DeleteMarkers") for item in listed.get(kind, [])]


def test_a_document_is_described_without_being_made_anew(
    published: str, request_to: Callable[..., tuple[int, Any]]
) -> None:
    """S3-12: over HTTP; null removes."""
    path = f"/documents/{published}"
    request_to("PATCH", path, {"metadata": {"a": 1, "b": 2}, "title": "Pumps"})

    status, shown = request_to(
        "PATCH", path, {"metadata": {"a": None}, "content_date": "2026-01-02"}
    )

    assert (status, shown["title"]) == (200, "Pumps")
    assert shown["metadata"] == {"b": 2, "source_type": "file"}
    assert (shown["content_date"], shown["outcome"]) == ("2026-01-02", "PUBLISHED")
    assert request_to("PATCH", path, {})[0] == 400
    assert request_to("PATCH", path, {"source": "other"})[0] == 400
    assert request_to("PATCH", f"/documents/{uuid4()}", {"title": "x"})[0] == 404


def test_a_change_is_answered_with_what_it_wrote(
    published: str, request_to: Callable[..., tuple[int, Any]]
) -> None:
    """Fails when: of two who change a document at once, both read the title of the later one."""
    path = f"/documents/{published}"

    def change_it_too(point: str) -> None:
        if point == "describe.after_commit":
            faults.install(None)
            request_to("PATCH", path, {"title": "Valves"})

    faults.install(change_it_too)
    try:
        _, shown = request_to("PATCH", path, {"title": "Pumps"})
    finally:
        faults.install(None)

    assert shown["title"] == "Pumps"
    assert request_to("GET", path)[1]["title"] == "Valves"


def test_the_file_is_served_as_what_is_published_not_as_what_is_announced(
    published: str, request_to: Callable[..., tuple[int, Any]], act_as: Callable[..., None]
) -> None:
    register(act_as, document_id=published, filename="next.pdf", content_type="application/pdf")

    status, link = request_to("GET", f"/documents/{published}/file")

    query = parse_qs(urlsplit(str(link["url"])).query)
    assert (status, query["response-content-type"]) == (200, ["text/plain"])
    assert "next.pdf" not in query["response-content-disposition"][0]


def test_a_registration_repeated_with_its_key_has_a_form_that_still_works(
    request_to: Callable[..., tuple[int, Any]],
) -> None:
    """A form holds for minutes, a key for a day."""
    body = {"filename": "pump.txt", "content_type": "text/plain", "size": 5}
    _, first = request_to("POST", "/documents", body, key="once")

    status, again = request_to("POST", "/documents", body, key="once")

    assert status == 201
    assert again["upload"]["expires_at"] > first["upload"]["expires_at"]
    assert (again["document_id"], again["version"]) == (first["document_id"], first["version"])
    names = ("key", "Content-Type", "x-amz-meta-version")
    fields = [[answer["upload"]["fields"][name] for name in names] for answer in (first, again)]
    assert fields[0] == fields[1]


@pytest.mark.parametrize(
    "written",
    [0, 86_400, 1_767_225_600.0, True, "86400", "2026", "20260101", "2026-01-01T00:00:00+05:00"],
)
def test_a_date_is_a_day_as_it_is_written_and_no_number(
    written: object, published: str, request_to: Callable[..., tuple[int, Any]]
) -> None:
    status, problem = request_to("PATCH", f"/documents/{published}", {"content_date": written})

    assert (status, problem["code"]) == (400, "INVALID_REQUEST")
    assert "write a day as 2026-01-31" in problem["detail"]


@pytest.mark.parametrize("name", ["from", "to"])
def test_usage_is_asked_by_days(name: str, request_to: Callable[..., tuple[int, Any]]) -> None:
    assert request_to("GET", "/usage", query={name: "2026-01-31"})[0] == 200
    assert request_to("GET", "/usage", query={name: "86400"})[0] == 400


def test_a_deletion_is_asked_for_purged_and_proved(
    published: str,
    request_to: Callable[..., tuple[int, Any]],
    act_as: Callable[..., None],
    bucket: Bucket,
) -> None:
    """I8: in S3 as in the database; asked twice with one key it is one deletion."""
    path = f"/documents/{published}"
    status, accepted = request_to("DELETE", path, key="once")
    again = request_to("DELETE", path, key="once")
    receipt_id = accepted["receipt_id"]

    assert (status, again) == (202, (202, accepted))
    assert request_to("DELETE", path)[1]["code"] == "DOCUMENT_NOT_FOUND"
    assert request_to("GET", path)[0] == 404
    assert bucket.keys("control/purge/") == [f"control/purge/{TENANT}/{receipt_id}"]
    assert purge(act_as, receipt_id) == {"receipts": 1, "left": 0, "has_more": False}
    _, receipt = request_to("GET", f"/deletions/{receipt_id}")
    assert receipt["completed_at"] is not None
    assert receipt["before"]["objects"] > 1
    assert set(receipt["after"].values()) == {0}
    assert receipt["verification"]["left"] == 0
    left = [
        key for prefix in document_prefixes(TENANT, DOCUMENT) for key in versions(bucket, prefix)
    ]
    assert left == []


def test_a_purge_marks_first_what_waits_where_its_request_says_so(
    published: str,
    request_to: Callable[..., tuple[int, Any]],
    act_as: Callable[..., None],
    bucket: Bucket,
) -> None:
    _, accepted = request_to("DELETE", f"/documents/{published}")
    mark = f"deleted/{TENANT}/{published}/{accepted['receipt_id']}"
    bucket.client.delete_object(Bucket=BUCKET, Key=mark)

    done = purge(act_as, accepted["receipt_id"], way="/marks")

    assert done == {"receipts": 1, "left": 0, "has_more": False}
    assert bucket.keys("deleted/") == [mark]


def test_a_client_has_its_own_words_looked_for(
    published: str, request_to: Callable[..., tuple[int, Any]], act_as: Callable[..., None]
) -> None:
    _, accepted = request_to("DELETE", f"/documents/{published}")
    path = f"/deletions/{accepted['receipt_id']}"
    purge(act_as, accepted["receipt_id"])

    status, _ = request_to("POST", f"{path}/verify", {"shingles": [SHINGLE]})
    purge(act_as, accepted["receipt_id"])

    assert status == 202
    _, receipt = request_to("GET", path)
    assert (receipt["verification"]["shingles_asked"], receipt["is_verifying"]) == (1, False)
    assert request_to("POST", f"{path}/verify", {"shingles": ["too short"]})[0] == 400
    assert request_to("POST", f"{path}/verify", {"shingles": [SHINGLE] * 201})[0] == 400
    unknown = f"/deletions/{uuid4()}"
    assert request_to("GET", unknown)[1]["code"] == "DELETION_NOT_FOUND"
    assert request_to("POST", f"{unknown}/verify", {"shingles": [SHINGLE]})[0] == 404


def test_an_update_answers_with_the_contracts_fields(
    published: str, request_to: Callable[..., tuple[int, Any]]
) -> None:
    """S3-11."""
    status, done = request_to(
        "POST",
        "/documents/update",
        {"strategy": "metadata", "document_ids": [published], "metadata_updates": {"a": 1}},
    )

    assert status == 200
    assert done["success"] is True
    assert (done["strategy_used"], done["documents_affected"]) == ("metadata", 1)
    assert (done["chunks_deleted"], done["chunks_added"]) == (0, 0)
    assert done["chunks_updated"] > 0
    assert (done["updated_document_ids"], done["errors"]) == ([published], [])


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({"strategy": "delete", "filters": {"user_id": "nobody"}}, "NO_DOCUMENTS_FOUND"),
        (
            {"strategy": "delete", "collection": "none", "filters": {"a": 1}},
            "COLLECTION_NOT_FOUND",
        ),
        ({"strategy": "append", "new_document_ids": [str(uuid4())]}, "DOCUMENT_NOT_FOUND"),
        ({"strategy": "append", "new_document_ids": [str(DOCUMENT)]}, "DOCUMENT_NOT_READY"),
        ({"strategy": "obliterate", "filters": {"a": 1}}, "INVALID_REQUEST"),
        ({"strategy": "delete"}, "INVALID_REQUEST"),
    ],
)
def test_an_update_that_cannot_be_is_typed(
    published: str, request_to: Callable[..., tuple[int, Any]], body: Any, code: str
) -> None:
    """S3-13."""
    status, problem = request_to("POST", "/documents/update", body)

    assert problem["code"] == code
    assert status in {400, 404, 409}
    assert request_to("GET", f"/documents/{published}")[1]["outcome"] == "PUBLISHED"


def test_collections_over_http(published: str, request_to: Callable[..., tuple[int, Any]]) -> None:
    """S2-06: made by hand, listed beside the one that the upload made."""
    name = "Handbücher & more"
    path = f"/collections/{quote(name, safe='')}"

    status, made = request_to("POST", "/collections", {"name": name, "language": "german"})

    assert (status, made["name"], made["documents"]) == (201, name, 0)
    assert request_to("POST", "/collections", {"name": name})[1]["code"] == "COLLECTION_EXISTS"
    assert request_to("POST", "/collections", {"name": "x", "language": "tlh"})[0] == 400
    polish = request_to("POST", "/collections", {"name": "pl", "language": "pl"})[1]
    assert polish["language"] == "simple"  # PostgreSQL knows no forms of its words
    assert request_to("PATCH", "/collections/pl", {"language": "Thai"})[1]["language"] == "simple"
    assert request_to("DELETE", "/collections/pl")[0] == 202
    assert request_to("POST", "/collections", {"name": "x", "chunk_profile": "y"})[0] == 400
    listed = request_to("GET", "/collections")[1]["collections"]
    assert {each["name"]: each["documents"] for each in listed} == {name: 0, "default": 1}
    assert request_to("PATCH", path, {"language": "french"})[1]["language"] == "french"
    assert request_to("GET", path)[1]["language"] == "french"
    assert request_to("PATCH", path, {"ocr_languages": ["deu"]})[1]["ocr_languages"] == ["deu"]
    assert request_to("PATCH", path, {"ocr_languages": None})[1]["ocr_languages"] is None
    assert request_to("PATCH", path, {"language": None})[0] == 400
    for listing in ("/documents", "/feedback"):
        assert request_to("GET", listing, query={"collection": name})[0] == 200
        unknown = request_to("GET", listing, query={"collection": "Handbucher"})
        assert (unknown[0], unknown[1]["code"]) == (404, "COLLECTION_NOT_FOUND")
    assert request_to("DELETE", path)[0] == 202
    assert request_to("GET", path)[1]["code"] == "COLLECTION_NOT_FOUND"
    refused = request_to("DELETE", "/collections/default")
    assert (refused[0], refused[1]["code"]) == (409, "COLLECTION_NOT_EMPTY")
    status, gone = request_to("DELETE", "/collections/default", query={"cascade": "true"})
    assert (status, len(gone["receipt_ids"])) == (202, 1)
    assert request_to("GET", f"/documents/{published}")[0] == 404
