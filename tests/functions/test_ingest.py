"""POST /ingest: a reference in, an id out, and an object that starts the pipeline."""

import json
from collections.abc import Callable, Iterator
from typing import Any
from uuid import UUID, uuid4

import boto3
import pytest

from pulsedocs import bootstrap
from pulsedocs.adapters import web
from pulsedocs.adapters.aws.request_log import BucketRequestLog
from pulsedocs.bootstrap import buckets
from pulsedocs.documents.idempotent_request import KeyedRequest, idempotent_request
from pulsedocs.errors import SourceNotFound, SourceUnavailable, UrlRefused
from pulsedocs.model.object_keys import deleted_key
from pulsedocs.model.requests import FetchedPage
from tests.functions.conftest import BUCKET, TENANT, Bucket
from tests.functions.test_ingestion_functions import TEXT, call, run_to_the_end
from tests.sample_events import sample

TYPE = "text/plain"
KEY = "Idempotency-Key"
SUBJECT: str = sample("ingest")["requestContext"]["authorizer"]["subject"]


class Site:
    """Implements `ingestion.ports.WebFetcher`: one page, or one way to fail."""

    def __init__(self, answer: FetchedPage | Exception) -> None:
        self._answer = answer

    def fetch(self, url: str, *, content_types: Any) -> FetchedPage:
        del url, content_types
        if isinstance(self._answer, Exception):
            raise self._answer
        return self._answer


def visit(monkeypatch: pytest.MonkeyPatch, answer: FetchedPage | Exception) -> None:
    def site(**_settings: Any) -> Site:
        return Site(answer)

    monkeypatch.setattr(web, "GuardedFetcher", site)


@pytest.fixture
def ingest(act_as: Callable[..., None]) -> Iterator[Callable[..., tuple[int, dict[str, Any]]]]:
    act_as()

    def send(headers: dict[str, str] | None = None, **body: Any) -> tuple[int, dict[str, Any]]:
        event: dict[str, Any] = sample("ingest")
        event["body"] = json.dumps(body)
        for name, value in (headers or {}).items():
            event["headers"] = event["headers"] | {name: value}
            event["multiValueHeaders"] = event["multiValueHeaders"] | {name: [value]}
        response = call("ingest", event)
        return response["statusCode"], json.loads(response["body"])

    yield send
    bootstrap.reset()


def event_of(document_id: str) -> dict[str, Any]:
    client = boto3.client("s3", region_name="us-east-1")
    key = f"u/{TENANT}/{document_id}"
    head = client.head_object(Bucket=BUCKET, Key=key)
    uploaded = {"key": key, "version-id": head["VersionId"], "sequencer": "01"}
    return sample("claim") | {"event": {"detail": {"object": uploaded}}}


def status_of(document_id: str) -> dict[str, Any]:
    event: dict[str, Any] = sample("documents") | {
        "resource": "/documents/{document_id}",
        "path": f"/documents/{document_id}",
        "httpMethod": "GET",
        "pathParameters": {"document_id": document_id},
        "body": None,
    }
    event["requestContext"] = event["requestContext"] | {"httpMethod": "GET"}
    return json.loads(call("documents", event)["body"])


def publish(act_as: Callable[..., None], document_id: str) -> dict[str, Any]:
    act_as("ingest")
    answers = run_to_the_end(act_as, call("claim", event_of(document_id)))
    assert answers[-1] == {"outcome": "PUBLISHED"}
    act_as("api")
    return status_of(document_id)


def test_the_sample_event_becomes_a_document(
    ingest: Callable[..., Any], act_as: Callable[..., None]
) -> None:
    """S2-01: the function that takes the request reaches no database; `claim` makes the rows."""
    code, accepted = ingest(**json.loads(sample("ingest")["body"]), collection="notes")

    assert code == 202
    shown = publish(act_as, accepted["document_id"])
    assert (shown["source"], shown["collection"]) == ("pump.txt", "notes")


def test_an_object_is_copied_from_where_the_tenant_may_put_it(
    ingest: Callable[..., Any], bucket: Bucket, act_as: Callable[..., None]
) -> None:
    """S4-01."""
    key = f"imports/{TENANT}/notes/pump.txt"
    bucket.put(key, TEXT, ContentType="binary/octet-stream", Tagging="a=b")

    code, accepted = ingest(s3_uri=f"s3://{BUCKET}/{key}")

    assert code == 202
    shown = publish(act_as, accepted["document_id"])
    assert (shown["source"], shown["size"]) == (f"s3://{BUCKET}/{key}", len(TEXT))


def test_the_encoding_that_an_object_states_is_kept_and_that_of_a_text_in_hand_is_not(
    ingest: Callable[..., Any], bucket: Bucket, act_as: Callable[..., None]
) -> None:
    key, stated = f"imports/{TENANT}/pump.csv", "text/plain; charset=Windows-1250"
    bucket.put(key, "Nr;Żółw\n1;Łódź\n".encode("cp1250"), ContentType=stated)

    _, of_object = ingest(s3_uri=f"s3://{BUCKET}/{key}")
    _, of_text = ingest(text="Nr 1: Łódź", source="note.txt", content_type=stated)

    kinds = [publish(act_as, each["document_id"])["content_type"] for each in (of_object, of_text)]
    assert kinds == ["text/csv; charset=windows-1250", "text/plain"]


def test_whose_object_it_is_cannot_be_told_from_the_answer(
    ingest: Callable[..., Any], bucket: Bucket
) -> None:
    """S2-15: another tenant's, another bucket's and a missing object answer alike: 404."""
    stranger = uuid4()
    boto3.client("s3", region_name="us-east-1").create_bucket(Bucket="elsewhere")
    bucket.put(f"imports/{stranger}/a.txt", TEXT)
    bucket.put(f"u/{TENANT}/{uuid4()}", TEXT)
    uris = [
        f"s3://{BUCKET}/imports/{TENANT}/missing.txt",
        f"s3://{BUCKET}/imports/{stranger}/a.txt",
        f"s3://{BUCKET}/imports/{TENANT}/../{stranger}/a.txt",
        f"s3://{BUCKET}/imports/{TENANT}/./a.txt",
        f"s3://{BUCKET}/imports/{TENANT}//a.txt",
        f"s3://{BUCKET}/imports/{TENANT}",
        f"s3://{BUCKET}/imports/{str(TENANT).upper()}x/a.txt",
        f"s3://{BUCKET}/u/{TENANT}/{uuid4()}",
        f"s3://elsewhere/imports/{TENANT}/a.txt",
        f"s3://nobody-has-this/imports/{TENANT}/a.txt",
    ]

    answers = [ingest(s3_uri=uri) for uri in uris]

    for uri, (code, problem) in zip(uris, answers, strict=True):
        assert (code, problem["code"]) == (404, "OBJECT_NOT_FOUND")
        assert problem["detail"] == f"there is no object {uri!r} that this tenant may ingest"
        assert problem["context"] == {"uri": uri}


def test_a_prefix_of_another_bucket_is_allowed_by_the_setting(
    act_as: Callable[..., None], ingest: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    client = boto3.client("s3", region_name="us-east-1")
    client.create_bucket(Bucket="archive")
    client.put_object(Bucket="archive", Key=f"in/{TENANT}/a.txt", Body=TEXT)
    monkeypatch.setenv("INGEST_PREFIXES", '["s3://archive/in/{tenant}/"]')
    act_as()

    assert ingest(s3_uri=f"s3://archive/in/{TENANT}/a.txt")[0] == 202
    assert ingest(s3_uri=f"s3://{BUCKET}/imports/{TENANT}/a.txt")[0] == 404


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ({}, 400, "INVALID_REQUEST"),
        ({"url": "https://example.com/", "text": "a", "source": "a"}, 400, "INVALID_REQUEST"),
        ({"text": "a"}, 400, "INVALID_REQUEST"),
        ({"source": "a.txt"}, 400, "INVALID_REQUEST"),
        ({"url": "https://example.com/", "content_type": TYPE}, 400, "INVALID_REQUEST"),
        ({"text": "a", "source": "a.txt", "more": 1}, 400, "INVALID_REQUEST"),
        ({"text": "a", "source": "a\n.txt"}, 400, "INVALID_REQUEST"),
        ({"text": "", "source": "a.txt"}, 400, "FILE_EMPTY"),
        ({"text": "a", "source": "a.doc"}, 400, "UNSUPPORTED_CONTENT_TYPE"),
        (
            {"text": "a", "source": "a.png", "content_type": "image/png"},
            400,
            "UNSUPPORTED_CONTENT_TYPE",
        ),
        (
            {"text": "a", "source": "a.epub", "content_type": "application/epub+zip"},
            400,
            "UNSUPPORTED_CONTENT_TYPE",
        ),
        (
            {"text": "a", "source": "a.pdf", "content_type": "application/pdf"},
            400,
            "UNSUPPORTED_CONTENT_TYPE",
        ),
        ({"text": "a", "source": "a.txt", "chunking": {"profile": "x"}}, 400, "INVALID_REQUEST"),
        (
            {"text": "a", "source": "a.txt", "chunking": {"profile": "plugin:nobody"}},
            400,
            "INVALID_REQUEST",
        ),
        ({"s3_uri": "s3://a"}, 400, "INVALID_REQUEST"),
        ({"s3_uri": "https://bucket/key"}, 400, "INVALID_REQUEST"),
        ({"s3_uri": "s3://UPPER/key"}, 400, "INVALID_REQUEST"),
        ({"url": "http://example.com/"}, 400, "URL_REFUSED"),
        ({"url": "https://127.0.0.1/"}, 400, "URL_REFUSED"),
        ({"url": "https://169.254.169.254/latest/"}, 400, "URL_REFUSED"),
        ({"url": "https://[::1]/"}, 400, "URL_REFUSED"),
        ({"url": "https://localhost:9001/"}, 400, "URL_REFUSED"),
    ],
)
def test_a_reference_that_cannot_be_taken_is_a_typed_refusal(
    ingest: Callable[..., Any], bucket: Bucket, body: dict[str, Any], status: int, code: str
) -> None:
    """S4-02, S2-15: before anything is written."""
    answered, problem = ingest(**body)

    assert (answered, problem["code"]) == (status, code)
    assert problem["guidance"]
    assert bucket.keys("u/") == bucket.keys("requests/") == []


def test_an_object_of_an_unsupported_type_is_named_by_its_extension(
    ingest: Callable[..., Any], bucket: Bucket
) -> None:
    """S2-15."""
    bucket.put(f"imports/{TENANT}/tool.exe", b"MZ")

    code, problem = ingest(s3_uri=f"s3://{BUCKET}/imports/{TENANT}/tool.exe")

    assert (code, problem["code"]) == (400, "UNSUPPORTED_CONTENT_TYPE")
    assert ".exe" in problem["detail"]


def test_an_object_that_is_too_large_is_not_copied(
    act_as: Callable[..., None], ingest: Callable[..., Any], bucket: Bucket
) -> None:
    """S4-02."""
    act_as(MAX_UPLOAD_MB="1")
    bucket.put(f"imports/{TENANT}/a.txt", b"x" * (1024 * 1024 + 1))

    code, problem = ingest(s3_uri=f"s3://{BUCKET}/imports/{TENANT}/a.txt")

    assert (code, problem["code"], bucket.keys("u/")) == (413, "FILE_TOO_LARGE", [])


def test_a_page_is_kept_under_the_address_it_came_from(
    ingest: Callable[..., Any], act_as: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """S4-01."""
    page = FetchedPage("https://site.example/final", TYPE, TEXT)
    visit(monkeypatch, page)

    code, accepted = ingest(url="https://site.example/", metadata={"team": "pumps"})

    assert (code, accepted["source"]) == (202, "https://site.example/final")
    shown = publish(act_as, accepted["document_id"])
    assert (shown["source"], shown["title"]) == ("https://site.example/final", None)
    assert shown["metadata"] == {"team": "pumps", "source_type": "website"}


@pytest.mark.parametrize(
    ("error", "status"),
    [(UrlRefused("no"), 400), (SourceNotFound("gone"), 404), (SourceUnavailable("down"), 424)],
)
def test_a_site_that_fails_is_no_failure_of_ours(
    ingest: Callable[..., Any],
    monkeypatch: pytest.MonkeyPatch,
    error: Exception,
    status: int,
) -> None:
    visit(monkeypatch, error)

    assert ingest(url="https://site.example/")[0] == status


def test_an_idempotency_key_gives_the_first_answer_again(
    ingest: Callable[..., Any], bucket: Bucket
) -> None:
    body = {"text": "The pump.", "source": "pump.txt"}

    first = ingest({KEY: "k"}, **body)
    again = ingest({KEY: "k"}, **body)
    other = ingest({KEY: "k"}, **body | {"text": "Another pump."})

    assert first == again
    assert len(bucket.keys("requests/")) == 1
    assert (other[0], other[1]["code"]) == (422, "IDEMPOTENCY_KEY_REUSED")


def test_a_request_that_still_runs_and_one_that_failed(
    ingest: Callable[..., Any], act_as: Callable[..., None]
) -> None:
    act_as()
    log = BucketRequestLog(buckets.intake())
    body = {"text": "", "source": "pump.txt"}

    assert ingest({KEY: "k"}, **body)[0] == 400
    assert ingest({KEY: "k"}, **body)[0] == 400  # the failure released the key
    seen: list[int] = []

    def fail_after_another() -> dict[str, Any]:
        seen.append(ingest({KEY: "k"}, **body)[0])
        raise SourceUnavailable("away")

    other = KeyedRequest(TENANT, SUBJECT, "k", "POST /ingest", {}, 202)
    with pytest.raises(SourceUnavailable):
        idempotent_request(other, log=log, respond=fail_after_another)

    assert seen == [422]
    assert ingest({KEY: "k"}, **body)[0] == 400


def test_a_source_whose_document_was_purged_gets_a_new_id(
    ingest: Callable[..., Any], bucket: Bucket
) -> None:
    """A deleted id is never used again, so the source moves on to another."""
    body = {"text": "The pump.", "source": "pump.txt"}
    first, again = (ingest(**body)[1]["document_id"] for _ in range(2))
    bucket.client.delete_object(Bucket=BUCKET, Key=f"u/{TENANT}/{first}")
    bucket.client.put_object(Bucket=BUCKET, Key=deleted_key(TENANT, UUID(first), uuid4()))

    later = ingest(**body)[1]["document_id"]

    assert first == again
    assert UUID(later) != UUID(first)
    assert ingest(**body)[1]["document_id"] == later
