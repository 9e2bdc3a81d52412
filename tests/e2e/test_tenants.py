"""Nothing a tenant sees, asks or guesses shows that another tenant exists."""

import re
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID, uuid4

import httpx
import pytest

from infra.routes import ROUTES
from local.stage import BUCKET, Stage
from pulsedocs.scopes import READ, WRITE
from tests.e2e.tenant import TEXT, Json, Tenant, send_form
from tests.patience import PATIENCE

MINE: Final = b"The boiler of my plant runs at 82 degrees. It is inspected every spring."
THEIRS: Final = b"The boiler of the other plant runs at 95 degrees. Its code word is heliotrope."
QUESTION: Final = "At how many degrees does the boiler run?"
_VARYING: Final = re.compile(
    r'"(request_id|trace_id|timings_ms)": ?("[^"]*"|\{[^}]*\})|X-Amz-[A-Za-z]+=[^&"]+'
)


@dataclass(frozen=True)
class Neighbours:
    """Two tenants with a document and a trace each."""

    me: Tenant
    other: Tenant
    my_document: str
    their_document: str
    my_trace: str
    their_trace: str


@pytest.fixture(scope="module")
def neighbours(stage: Stage) -> Iterator[Neighbours]:
    ids = uuid4(), uuid4()
    with (
        Tenant(stage.url, stage.token(ids[0]), tenant_id=ids[0]) as me,
        Tenant(stage.url, stage.token(ids[1]), tenant_id=ids[1]) as other,
    ):
        mine, theirs = me.upload(MINE), other.upload(THEIRS)
        assert me.outcome(mine)["outcome"] == other.outcome(theirs)["outcome"] == "PUBLISHED"
        traces = [each.post("/ask", {"question": QUESTION})["trace_id"] for each in (me, other)]
        yield Neighbours(me, other, mine, theirs, *traces)


def blurred(response: httpx.Response, *names: str) -> tuple[int, dict[str, str], str]:
    """Return an answer without what differs from one request to the next, and without `names`."""
    text = _VARYING.sub("", response.text)
    for name in names:
        text = text.replace(name, "<id>")
    kept = {"content-type", "location", "retry-after", "cache-control"}
    headers = {name: value for name, value in response.headers.items() if name in kept}
    return response.status_code, headers, text


READS: Final = ("", "/pages/1", "/pages/99", "/chunks", "/chunks?limit=1", "/file")


@pytest.mark.parametrize("suffix", READS)
def test_another_tenants_document_is_an_unknown_document(
    neighbours: Neighbours, suffix: str
) -> None:
    """S2-09: byte for byte the answer to an id that nobody has."""
    unknown = str(uuid4())

    theirs = neighbours.me.send("GET", f"/documents/{neighbours.their_document}{suffix}")
    nobodys = neighbours.me.send("GET", f"/documents/{unknown}{suffix}")

    assert theirs.status_code == 404
    assert blurred(theirs, neighbours.their_document) == blurred(nobodys, unknown)


@pytest.mark.parametrize(("method", "suffix"), [("GET", ""), ("POST", "/replay")])
def test_another_tenants_trace_is_an_unknown_trace(
    neighbours: Neighbours, method: str, suffix: str
) -> None:
    unknown = uuid4().hex

    theirs = neighbours.me.send(method, f"/traces/{neighbours.their_trace}{suffix}")
    nobodys = neighbours.me.send(method, f"/traces/{unknown}{suffix}")

    assert theirs.status_code == 404
    assert blurred(theirs, neighbours.their_trace) == blurred(nobodys, unknown)


SCOPES: Final[dict[str, Callable[[str, str], Json]]] = {
    "document_ids": lambda _mine, other: {"document_ids": [other]},
    "document_ids with my own": lambda mine, other: {"document_ids": [mine, other]},
    "filter": lambda _mine, other: {"filters": {"document_id": other}},
    "filter with my own": lambda mine, other: {"filters": {"document_id": {"$in": [mine, other]}}},
    "negated filter": lambda _mine, other: {"filters": {"document_id": {"$ne": other}}},
}


@pytest.mark.parametrize(("path", "field"), [("/search", "query"), ("/ask", "question")])
@pytest.mark.parametrize("scope", SCOPES)
def test_another_tenants_id_in_a_scope_is_an_unknown_id(
    neighbours: Neighbours, path: str, field: str, scope: str
) -> None:
    unknown = str(uuid4())
    asked = [
        neighbours.me.send(
            "POST", path, {field: QUESTION} | SCOPES[scope](neighbours.my_document, other)
        )
        for other in (neighbours.their_document, unknown)
    ]

    assert blurred(asked[0], neighbours.their_document) == blurred(asked[1], unknown)
    assert "heliotrope" not in asked[0].text


def test_a_listing_filtered_by_another_tenants_id_is_empty(neighbours: Neighbours) -> None:
    found = neighbours.me.get(
        "/documents", filter=f'{{"document_id": "{neighbours.their_document}"}}'
    )

    assert found == {"documents": [], "cursor": None}


def test_another_tenants_cursor_opens_nothing(new_tenant: Callable[[], Tenant]) -> None:
    """A cursor holds a position, never a permission."""
    me, other = new_tenant(), new_tenant()
    for tenant in (me, other):
        for number in range(2):
            tenant.register(b"12345", filename=f"{number}.txt")
    cursor = other.get("/documents", limit=1)["cursor"]

    listed = me.get("/documents", cursor=cursor)["documents"]

    own = {document["document_id"] for document in me.get("/documents")["documents"]}
    assert {document["document_id"] for document in listed} <= own


def test_an_id_that_another_tenant_uses_is_free(new_tenant: Callable[[], Tenant]) -> None:
    """No oracle: registering, uploading and publishing under the same id is the same for both."""
    shared_id = str(uuid4())
    me, other = new_tenant(), new_tenant()

    theirs = other.upload(THEIRS, document_id=shared_id)
    mine = me.upload(MINE, document_id=shared_id)

    assert theirs == mine == shared_id
    assert other.outcome(theirs)["outcome"] == me.outcome(mine)["outcome"] == "PUBLISHED"
    assert "heliotrope" not in me.send("GET", f"/documents/{mine}/chunks").text
    assert "heliotrope" in other.send("GET", f"/documents/{theirs}/chunks").text


def test_the_same_bytes_elsewhere_are_no_duplicate(new_tenant: Callable[[], Tenant]) -> None:
    me, other = new_tenant(), new_tenant()

    outcomes = [tenant.ingest(MINE)["outcome"] for tenant in (other, me)]

    assert outcomes == ["PUBLISHED", "PUBLISHED"]


def test_answers_are_the_same_with_and_without_a_neighbour(
    new_tenant: Callable[[], Tenant],
) -> None:
    """S2-09: rows, scores, counts and ranks do not move when others upload near-identical text."""
    me, document_id = new_tenant(), str(uuid4())
    me.ingest(MINE, document_id=document_id)
    before = [me.send("POST", *request) for request in questions()]
    trace = me.get(f"/traces/{before[0].json()['trace_id']}")

    other = new_tenant()
    near = (MINE + b" Copy %d." % number for number in range(4))
    uploaded = [other.upload(text, filename=f"{n}.txt") for n, text in enumerate(near)]
    assert {other.outcome(each)["outcome"] for each in uploaded} == {"PUBLISHED"}
    after = [me.send("POST", *request) for request in questions()]
    again = me.get(f"/traces/{after[0].json()['trace_id']}")

    assert [blurred(each) for each in before] == [blurred(each) for each in after]
    assert trace["candidates"] == again["candidates"]
    assert trace["corpus"] == again["corpus"]


def questions() -> Iterator[tuple[str, Json]]:
    for text in (QUESTION, "boiler", "When is it inspected?", "What is the code word?"):
        yield "/search", {"query": text, "debug": True}
        yield "/ask", {"question": text}


@pytest.mark.parametrize(
    "smuggled",
    [
        {"headers": {"x-tenant-id": "{}"}},
        {"headers": {"x-amzn-authorizer-tenant_id": "{}", "tenant_id": "{}"}},
        {"headers": {"Cookie": "tenant_id={}"}},
    ],
    ids=str,
)
def test_the_token_alone_says_who_asks(
    neighbours: Neighbours, smuggled: dict[str, dict[str, str]]
) -> None:
    """No header names a tenant; a query that does is refused."""
    options: dict[str, Any] = {
        kind: {name: text.format(neighbours.other.tenant_id) for name, text in pairs.items()}
        for kind, pairs in smuggled.items()
    }

    listed = neighbours.me.send("GET", "/documents", **options).json()["documents"]

    assert [document["document_id"] for document in listed] == [neighbours.my_document]
    named = {"tenant_id": str(neighbours.other.tenant_id)}
    assert neighbours.me.send("GET", "/documents", params=named).status_code == 400


@pytest.mark.parametrize("path", ["/documents", "/search", "/ask"])
def test_a_tenant_in_the_body_is_refused(neighbours: Neighbours, path: str) -> None:
    body = {"query": "x", "question": "x"} if path != "/documents" else {}
    response = neighbours.me.send(
        "POST", path, body | {"tenant_id": str(neighbours.other.tenant_id)}
    )

    assert response.status_code == 400


PROTECTED: Final = [route for route in ROUTES if route.scope is not None]
_WRONG_CLAIMS: Final[dict[str, Json]] = {
    "expired": {"exp": 1},
    "not yet valid": {"nbf": int(time.time()) + 3_600},
    "another audience": {"aud": "someone-else"},
    "another issuer": {"iss": "https://elsewhere.test"},
    "an id token": {"token_use": "id"},
    "no tenant": {"tenant_id": None},
    "an empty tenant": {"tenant_id": ""},
    "two tenants": {"tenant_id": [str(uuid4()), str(uuid4())]},
    "a tenant that is no id": {"tenant_id": "../x"},
    "a tenant with a blank": {"tenant_id": f"{uuid4()} "},
    "a tenant in upper case": {"tenant_id": str(uuid4()).upper()},
    "the nil tenant": {"tenant_id": str(UUID(int=0))},
}


BODIES: Final[dict[str, Json]] = {
    "POST /ask": {"question": "x"},
    "POST /ask/stream": {"question": "x"},
    "POST /chat": {"question": "x"},
    "POST /collections": {"name": "x"},
    "POST /deletions/{receipt_id}/verify": {"shingles": ["1 2 3 4 5 6 7 8"]},
    "POST /document/upload": {"filename": "a.txt", "content_type": TEXT, "size": 1},
    "POST /documents": {"filename": "a.txt", "content_type": TEXT, "size": 1},
    "POST /documents/update": {"strategy": "delete", "document_ids": [str(uuid4())]},
    "POST /evaluations": {
        "questions": [{"question": "x", "expected": [{"source": "a.txt"}]}],
        "profiles": ["default"],
    },
    "POST /ingest": {"text": "a", "source": "a.txt"},
    "POST /ingest/batch": {"s3_prefix": "s3://bucket/x/"},
    "POST /search": {"query": "x"},
    "POST /models": {"model": "memory:words@64"},
    "POST /collections/{name}/migration": {"to_model": "memory:words@64"},
    "POST /traces/{trace_id}/why": {"question": "x", "page": 1, "document_id": str(uuid4())},
    "PUT /traces/{trace_id}/feedback": {"question": "x", "verdict": "helpful"},
    "POST /traces/{trace_id}/proof": {"question": "x", "answer": "x"},
    "POST /traces/{trace_id}/what-if": {"profile": "fast"},
    "POST /v1/chat/completions": {
        "model": "pulsedocs",
        "messages": [{"role": "user", "content": "x"}],
    },
    "PATCH /collections/{name}": {"language": "english"},
    "PATCH /documents/{document_id}": {"title": "x"},
}
"""A body that each route accepts: it is read before the token's scopes are."""
PARAMETERS: Final[dict[str, Json]] = {
    "GET /documents/{document_id}/pages/{page}/highlight": {"start": 0, "end": 1},
    "GET /traces/{trace_id}/why": {"document_id": str(uuid4()), "page": 1},
}


def path_of(template: str) -> str:
    """Return a route's path with ids that nobody has."""
    known = {"page": "1", "trace_id": uuid4().hex, "name": "default", "profile": "mine"}
    return re.sub(r"{(\w+)}", lambda found: known.get(found[1], str(uuid4())), template)


@pytest.mark.parametrize("route", PROTECTED, ids=lambda route: f"{route.method} {route.path}")
def test_no_route_answers_without_a_token(stage: Stage, route: Any) -> None:
    url = f"{stage.url}{path_of(route.path)}"
    for headers in ({}, {"Authorization": "Bearer nonsense"}, {"Authorization": "Basic eDp5"}):
        response = httpx.request(
            route.method, url, headers=headers, timeout=PATIENCE, trust_env=False
        )

        assert response.status_code == 401
        assert response.json()["code"] == "UNAUTHENTICATED"
        assert response.headers["x-request-id"]


@pytest.mark.parametrize("route", PROTECTED, ids=lambda route: f"{route.method} {route.path}")
def test_no_route_answers_without_its_scope(stage: Stage, route: Any) -> None:
    """A token to read does not write, and one to write does not read; what is sent says no more."""
    other = WRITE if route.scope == READ else READ
    name = f"{route.method} {route.path}"
    body: Json | None = {} if route.method in {"POST", "PUT", "PATCH"} else None
    wrong = None if body is None else {"no such field": 1}
    with Tenant(stage.url, stage.token(uuid4(), scopes=(other,)), tenant_id=uuid4()) as limited:
        path = path_of(route.path)
        right = limited.send(
            route.method, path, BODIES.get(name, body), params=PARAMETERS.get(name, {})
        )
        refused = limited.send(route.method, path, wrong, params={"no_such": "x"})

    for response in (right, refused):
        assert response.status_code == 403
        assert response.json()["code"] == "FORBIDDEN"


@pytest.mark.parametrize("wrong", _WRONG_CLAIMS)
def test_a_token_that_is_not_for_here_is_refused(stage: Stage, wrong: str) -> None:
    claims: Json = {"exp": int(time.time()) + 60} | _WRONG_CLAIMS[wrong]
    token = stage.tokens.token(uuid4(), **claims)

    with Tenant(stage.url, token, tenant_id=uuid4()) as stranger:
        response = stranger.send("GET", "/documents")

    assert response.status_code in {401, 403}
    assert response.json()["code"] in {"UNAUTHENTICATED", "FORBIDDEN"}


CHANGES: Final[dict[str, Callable[[Neighbours], dict[str, str]]]] = {
    "key": lambda each: {"key": f"u/{each.other.tenant_id}/{each.their_document}"},
    "key inside": lambda each: {"key": f"u/{each.other.tenant_id}/${{filename}}"},
    "content type": lambda _each: {"Content-Type": "text/html"},
    "version": lambda _each: {"x-amz-meta-version": "2"},
    "another field": lambda _each: {"x-amz-meta-tenant": "other"},
    "access": lambda _each: {"acl": "public-read"},
    "redirect": lambda _each: {"success_action_redirect": "https://elsewhere.test"},
    "signature": lambda _each: {"x-amz-signature": "0" * 64},
    "no policy": lambda _each: {"policy": ""},
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_form_that_was_changed_is_refused(neighbours: Neighbours, change: str) -> None:
    """P-01: 24 of the escape list; nothing arrives anywhere."""
    registered = neighbours.me.register(b"12345", filename=f"{uuid4()}.txt")

    response = send_form(registered["upload"], b"12345", **CHANGES[change](neighbours))

    assert response.status_code in {400, 403}
    assert "<Error>" in response.text
    assert neighbours.me.status(registered["document_id"])["received_at"] is None
    assert neighbours.other.status(neighbours.their_document)["version"] == 1


def test_a_form_for_another_bucket_is_refused(neighbours: Neighbours) -> None:
    form = neighbours.me.register(b"12345", filename="bucket.txt")["upload"]

    response = send_form(form | {"url": form["url"] + "-other"}, b"12345")

    assert response.status_code in {403, 404}


def test_a_form_is_refused_after_its_time(stage: Stage, neighbours: Neighbours) -> None:
    """P-01: signed by the stage itself for this tenant, ten seconds too old."""
    form = stage.aws.client("s3").generate_presigned_post(
        BUCKET, f"u/{neighbours.me.tenant_id}/{uuid4()}", ExpiresIn=-10
    )

    response = send_form(form, b"12345")

    assert response.status_code == 403
    assert "expired" in response.text


def test_a_link_shows_one_object_and_no_other(neighbours: Neighbours) -> None:
    """A presigned link cannot be turned to another tenant's object, nor used without its name."""
    link = neighbours.me.send("GET", f"/documents/{neighbours.my_document}/file").headers[
        "location"
    ]
    turned = link.replace(neighbours.my_document, neighbours.their_document)
    elsewhere = link.replace(str(neighbours.me.tenant_id), str(neighbours.other.tenant_id))

    assert httpx.get(link, trust_env=False, timeout=PATIENCE).content == MINE
    for wrong in (turned, elsewhere, link.partition("?")[0]):
        response = httpx.get(wrong, trust_env=False, timeout=PATIENCE)
        assert response.status_code == 403
        assert b"boiler" not in response.content
