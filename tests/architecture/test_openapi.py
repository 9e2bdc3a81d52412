"""The served contract is what the handlers say, route by route and field by field."""

import json
from http import HTTPStatus
from importlib import import_module
from typing import Any, get_origin, get_type_hints

import pytest
from aws_lambda_powertools.event_handler import Response
from jsonschema import Draft202012Validator
from pydantic import BaseModel

from docs.openapi import TARGET, text
from infra.routes import ROUTES, Route, routes_of
from pulsedocs.edge.api import create_api
from pulsedocs.edge.openapi import merged
from pulsedocs.edge.problems import problem_document
from pulsedocs.errors import ConfigurationError, PulseDocsError
from pulsedocs.scopes import WRITE

# They serve the document itself, and the console.
UNDOCUMENTED = {"/openapi.json", "/docs", "/", "/console/{name}"}
BRING_THEIR_OWN = {
    "/documents/{document_id}/file": {200, 302},
    "/ask/stream": {200},
    "/v1/chat/completions": {200},
}

# The contract's names, which clients rely on: written here, not read from the models.
REQUESTS = {
    ("POST", "/documents"): {
        "filename",
        "content_type",
        "size",
        "sha256",
        "title",
        "collection",
        "document_id",
        "on_duplicate",
        "duplicate_by",
        "hold",
        "chunking",
        "validate_chunks",
        "metadata",
        "content_date",
    },
    ("POST", "/search"): {
        "query",
        "collection",
        "collections",
        "document_ids",
        "filters",
        "profile",
        "model",
        "top_k",
        "enable_reranking",
        "enable_keyword_search",
        "enable_hyde",
        "score_threshold",
        "deduplicate",
        "return_full_chunks",
        "history",
        "debug",
    },
    ("POST", "/ask"): {"question", "collection", "profile", "history", "debug"},
}
RESPONSES = {
    ("GET", "/documents/{document_id}"): {
        "document_id",
        "collection",
        "source",
        "title",
        "content_type",
        "size",
        "sha256",
        "state",
        "outcome",
        "version",
        "received_at",
        "pages",
        "chunks",
        "chunking",
        "embeddings",
        "error",
        "warnings",
        "metadata",
        "content_date",
        "created_at",
        "updated_at",
        "history",
        "timings_ms",
        "stats",
    },
    ("GET", "/documents/{document_id}/pages/{page}"): {
        "page",
        "label",
        "text",
        "raw_text",
        "outcome",
        "sections",
    },
    ("POST", "/search"): {
        "success",
        "query_original",
        "queries_generated",
        "abstained",
        "chunks",
        "retrieval_stats",
        "sources",
        "coverage",
        "degraded",
        "trace_id",
    },
    ("POST", "/ask"): {
        "answer",
        "abstained",
        "citations",
        "sources",
        "rewritten_question",
        "coverage",
        "usage",
        "model",
        "degraded",
        "trace_id",
    },
    ("POST", "/traces/{trace_id}/replay"): {"identical", "differences"},
}


@pytest.fixture(scope="module")
def document() -> dict[str, Any]:
    return json.loads(TARGET.read_text(encoding="utf-8"))


def properties(document: dict[str, Any], content: dict[str, Any]) -> set[str]:
    schema = content["content"]["application/json"]["schema"]
    name = schema["$ref"].rpartition("/")[2]
    return set(document["components"]["schemas"][name]["properties"])


def test_the_stored_document_is_what_the_handlers_say() -> None:
    assert TARGET.read_text(encoding="utf-8") == text(), "run `make docs`"


def test_every_route_is_documented_and_every_documented_route_exists(
    document: dict[str, Any],
) -> None:
    routed = {(route.method, route.path) for route in ROUTES if route.path not in UNDOCUMENTED}
    documented = {
        (method.upper(), path) for path, item in document["paths"].items() for method in item
    }

    assert documented == routed


@pytest.mark.parametrize(("method", "path"), REQUESTS)
def test_requests_have_the_contracts_fields(
    document: dict[str, Any], method: str, path: str
) -> None:
    operation = document["paths"][path][method.lower()]

    assert REQUESTS[method, path] <= properties(document, operation["requestBody"])


@pytest.mark.parametrize(("method", "path"), RESPONSES)
def test_responses_have_the_contracts_fields(
    document: dict[str, Any], method: str, path: str
) -> None:
    operation = document["paths"][path][method.lower()]

    assert RESPONSES[method, path] <= properties(document, operation["responses"]["200"])


ID = "00000000-0000-4000-8000-000000000001"
ASKED = {"question": "Why?"}
ADDED = {"strategy": "append", "new_document_ids": [ID]}
DELETED = {"strategy": "delete", "document_ids": [ID]}
CUT = {"profile": "words"}
RECUT = {"strategy": "metadata", "document_ids": [ID], "reprocess_chunks": True}
SAID = {"model": "default", "messages": [{"role": "user"}]}


@pytest.mark.parametrize(
    ("model", "taken", "refused"),
    [
        ("AskRequest", {"collection": "a", "collections": None}, {"collection": ".."}),
        ("AskRequest", {"collections": ["a"]}, {"collection": "a", "collections": ["a"]}),
        (
            "AskRequest",
            {"history": [], "conversation_id": ID},
            {"history": [{"role": "user", "content": "Hm"}], "conversation_id": ID},
        ),
        ("UploadRequest", {"filename": "a\u202f b.txt"}, {"filename": "a\u202efdp.txt"}),
        ("DescriptionRequest", {"title": None}, {}),
        ("IngestRequest", {"text": "a", "source": "a.txt", "url": None}, {"text": "a"}),
        ("IngestRequest", {"url": "https://a.b"}, {"url": "https://a.b", "s3_uri": "s3://a-b/c"}),
        ("IngestRequest", {"s3_uri": "s3://a-b/c", "content_type": "text/plain"}, {"url": None}),
        ("LabelledRequest", {"answerable": False}, {"answerable": True}),
        ("AskRequest", {"profile": "strict"}, {"profile": "Strict!"}),
        ("AskRequest", {"model": "openai:a/b:0@8"}, {"model": "a"}),
        ("MigrationRequest", {"to_model": "local:muse@512"}, {"to_model": "local:muse"}),
        ("BatchIngestRequest", {"s3_prefix": "s3://a-b/c"}, {"s3_prefix": "a-b/c"}),
        (
            "BatchIngestRequest",
            {"s3_prefix": "s3://a-b/c", "document_id": None},
            {"s3_prefix": "s3://a-b/c", "document_id": ID},
        ),
        ("CollectionChanges", {"chunk_profile": "plugin:mine"}, {"chunk_profile": "mine"}),
        ("CollectionChanges", {"ocr_languages": ["eng+fra"]}, {"ocr_languages": ["kli"]}),
        ("CollectionChanges", {"ocr_languages": None}, {}),
        ("UpdateRequest", ADDED, {"strategy": "append"}),
        ("UpdateRequest", DELETED, DELETED | {"document_ids": []}),
        ("UpdateRequest", DELETED, DELETED | {"new_document_ids": [ID]}),
        ("UpdateRequest", DELETED | {"filters": None}, DELETED | {"metadata_updates": {"a": 1}}),
        ("UpdateRequest", ADDED | {"document_ids": []}, ADDED | {"document_ids": [ID]}),
        ("UpdateRequest", RECUT, RECUT | {"reprocess_chunks": False}),
        ("UpdateRequest", RECUT | {"chunking": CUT}, DELETED | {"chunking": CUT}),
        ("ChatCompletionRequest", SAID, SAID | {"messages": [{"role": "system"}]}),
        ("UploadRequest", {"size": 1}, {"size": 0}),
    ],
)
def test_a_body_that_is_refused_does_not_fit_its_schema(
    document: dict[str, Any], model: str, taken: dict[str, Any], refused: dict[str, Any]
) -> None:
    """Fails when: a client that was generated sends what the stage answers with 400."""
    schema = {"$ref": f"#/components/schemas/{model}", "components": document["components"]}
    needed = {
        "AskRequest": ASKED,
        "LabelledRequest": ASKED,
        "UploadRequest": {"filename": "a.txt", "size": 1},
    }.get(model, {})

    assert Draft202012Validator(schema).is_valid(needed | taken)
    assert not Draft202012Validator(schema).is_valid(needed | refused)


def test_every_answer_has_a_model(document: dict[str, Any]) -> None:
    """Fails when: what a generator makes of an answer is a mapping of anything to anything.

    A trace grows with what is recorded of a question.
    """
    bare = {
        (method.upper(), path)
        for path, item in document["paths"].items()
        for method, operation in item.items()
        for answer in operation["responses"].values()
        for content in answer.get("content", {}).values()
        if "$ref" not in content["schema"]
    }
    schemas = document["components"]["schemas"]

    assert bare == {("GET", "/traces/{trace_id}")}
    assert schemas["DocumentView"]["properties"]["state"] == {"$ref": "#/components/schemas/State"}
    assert {"note", "rewritten_question"} <= set(schemas["AnswerView"]["required"])


def operations(document: dict[str, Any]) -> list[dict[str, Any]]:
    return [operation for item in document["paths"].values() for operation in item.values()]


def test_every_operation_has_its_area_and_says_what_it_does(document: dict[str, Any]) -> None:
    areas = {tag["name"] for tag in document["tags"]}

    assert all(set(operation["tags"]) <= areas for operation in operations(document))
    assert not any(operation["summary"].split()[0].isupper() for operation in operations(document))
    assert "openapi.json" in document["info"]["description"]  # the page links it


@pytest.mark.parametrize("request_model", ["SearchRequest", "AskRequest"])
def test_what_a_question_may_change_is_described(
    document: dict[str, Any], request_model: str
) -> None:
    """Failed when only `filters` said what it is."""
    fields = document["components"]["schemas"][request_model]["properties"]
    plain = {"query", "question", "collection", "collections", "document_ids"}

    assert [name for name in fields if "description" not in fields[name]] == [
        name for name in fields if name in plain
    ]


def test_every_operation_names_its_refusals_as_problem_documents(document: dict[str, Any]) -> None:
    refusals = document["components"]["responses"]
    sent = problem_document(PulseDocsError("nothing in particular"), request_id="r", event={})
    patch_of_a_collection = document["paths"]["/collections/{name}"]["patch"]["operationId"]

    for operation in operations(document):
        assert set(operation["responses"]) >= {"400", "404", "409", "429", "503", "504"}
        takes_key = "idempotency-key" in json.dumps(operation.get("parameters", []))
        may_not_know_a_model = operation["operationId"] == patch_of_a_collection
        assert ("422" in operation["responses"]) is (takes_key or may_not_know_a_model)
    assert all(list(one["content"]) == ["application/problem+json"] for one in refusals.values())
    assert set(document["components"]["schemas"]["Problem"]["properties"]) == set(sent)
    assert "ValidationError" not in TARGET.read_text(encoding="utf-8")


def handling(route: Route) -> Any:
    """Return Powertools' own route."""
    api = import_module(f"functions.{route.function}.handler").api
    known = (
        *api._static_routes,  # noqa: SLF001 -- no public list of routes
        *api._dynamic_routes,  # noqa: SLF001 -- as above
    )
    wanted = (route.method, route.path)
    [found] = [each for each in known if (each.method, each.openapi_path) == wanted]
    return found


def test_an_operation_needs_a_token_where_the_gateway_asks_for_one(
    document: dict[str, Any],
) -> None:
    """The health check is asked by what has no token."""
    open_to_all = {
        (path, method.upper())
        for path, item in document["paths"].items()
        for method, operation in item.items()
        if operation.get("security") == [] and not {"401", "403"} & set(operation["responses"])
    }

    routed = {(route.path, route.method) for route in ROUTES if route.scope is None}
    assert open_to_all == {route for route in routed if route[0] not in UNDOCUMENTED}
    assert document["security"] == [{"token": []}]


@pytest.mark.parametrize("route", ROUTES, ids=lambda route: f"{route.method} {route.path}")
def test_a_route_answers_with_the_status_that_it_declares(
    document: dict[str, Any], route: Route
) -> None:
    """What a handler returns is sent with its route's status; a `Response` brings its own."""
    if route.path in UNDOCUMENTED:
        return
    answering = handling(route)
    brings_its_own = get_origin(get_type_hints(answering.func)["return"]) is Response
    declared = {
        int(status)
        for status in document["paths"][route.path][route.method.lower()]["responses"]
        if int(status) < HTTPStatus.BAD_REQUEST
    }

    assert brings_its_own is (route.path in BRING_THEIR_OWN)
    assert declared == BRING_THEIR_OWN.get(route.path, {answering.status_code})


def test_the_scope_that_infra_reads_is_what_the_handler_asks_for() -> None:
    """Infrastructure reads the text of the handlers; the router has what ran."""
    source = """
@api.on("POST /things/{thing}", WRITE, status=HTTPStatus.CREATED)
@api.on("GET /things", None)
def things() -> None: ...
"""

    assert list(routes_of("query", source)) == [
        Route("POST", "/things/{thing}", "query", WRITE),
        Route("GET", "/things", "query", None),
    ]


@pytest.mark.parametrize(
    "call", ["api.on(PATH, READ)", 'api.on("GET /things", scope)', 'api.on("GET /things")']
)
def test_a_route_that_cannot_be_read_is_refused(call: str) -> None:
    """It would be answered by its function, and reached by nobody."""
    with pytest.raises(ConfigurationError):
        list(routes_of("query", call))


def test_two_schemas_of_one_name_are_not_merged() -> None:
    """One of them would describe what the other's operation answers."""
    one, other = create_api(), create_api()

    @one.get("/one")
    def answer() -> OneNamespace.View:
        return OneNamespace.View(number=1)

    @other.get("/other")
    def answer_otherwise() -> OtherNamespace.View:
        return OtherNamespace.View(text="1")

    assert (answer().number, answer_otherwise().text) == (1, "1")
    with pytest.raises(ValueError, match="named View"):
        merged([one, other])


class OneNamespace:
    class View(BaseModel):
        number: int


class OtherNamespace:
    class View(BaseModel):
        text: str
