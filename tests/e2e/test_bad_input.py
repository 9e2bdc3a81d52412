"""Bad input ends in a problem document or a typed outcome, never in a 5xx or a hang."""

import base64
import gzip
import hashlib
import re
from collections.abc import Callable, Iterator
from typing import Any, Final
from urllib.parse import quote
from uuid import uuid4

import httpx
import pytest

from local.stage import Stage
from pulsedocs.scopes import ADMIN, READ, WRITE
from tests.e2e.tenant import PDF, TEXT, Json, Tenant, send_form
from tests.patience import PATIENCE
from tests.unit.extraction.odd_files import WORDS, deep_nesting, flate_bomb, page_loop, pdf_of

ANNOUNCED: Final = {"filename": "note.txt", "content_type": TEXT, "size": 5}
QUESTION: Final = "How many litres does the pump deliver?"
NO_INFORMATION: Final = "The provided documents do not contain this information."
DOCUMENT: Final = b"The pump delivers 12 litres a minute."
_PDF_FILE: Final = pdf_of(WORDS, WORDS)
_MEGABYTE: Final = 1 << 20

FILES: Final[dict[str, tuple[bytes, str, str, str | None]]] = {
    # what is uploaded, under which type, the outcome and its code
    "program": (b"MZ" + bytes(100), PDF, "REJECTED", "CONTENT_TYPE_MISMATCH"),
    "archive": (b"PK\x03\x04" + bytes(100), PDF, "REJECTED", "CONTENT_TYPE_MISMATCH"),
    "archive that is a PDF too": (
        b"PK\x03\x04" + _PDF_FILE,
        PDF,
        "REJECTED",
        "CONTENT_TYPE_MISMATCH",
    ),
    "web page": (b"<!doctype html><p>hello</p>", PDF, "REJECTED", "NOT_A_PDF"),
    "picture": (b"\x89PNG\r\n\x1a\n" + bytes(100), PDF, "REJECTED", "CONTENT_TYPE_MISMATCH"),
    "header only": (b"%PDF-1.7\n", PDF, "REJECTED", "PDF_CORRUPTED"),
    "half a PDF": (_PDF_FILE[: len(_PDF_FILE) // 2], PDF, "REJECTED", "PDF_CORRUPTED"),
    "deep nesting": (deep_nesting(), PDF, "REJECTED", "PDF_CORRUPTED"),
    "page loop": (page_loop(), PDF, "REJECTED", "TOO_MANY_PAGES_FAILED"),
    "user password": (pdf_of(WORDS, password="secret"), PDF, "REJECTED", "PDF_ENCRYPTED"),  # noqa: S106 -- of a file
    "empty password": (pdf_of(WORDS, password=""), PDF, "PUBLISHED", None),
    "no text": (pdf_of("", ""), PDF, "EMPTY", "PDF_EMPTY"),
    "inflates a thousandfold": (flate_bomb(20), PDF, "EMPTY", "PDF_EMPTY"),
    "PDF as text": (_PDF_FILE, TEXT, "REJECTED", "CONTENT_TYPE_MISMATCH"),
    "binary as text": (bytes(range(256)) * 10, TEXT, "REJECTED", "CONTENT_TYPE_MISMATCH"),
    "text that is not UTF-8": (b"hello \xff\xfe world", TEXT, "REJECTED", "TEXT_NOT_UTF8"),
    "text with NUL": (b"A pump\0 and a valve are here.", TEXT, "REJECTED", "TEXT_NOT_UTF8"),
    "text with half a surrogate pair": (
        b"A pump \xed\xa0\x80 is here.",
        TEXT,
        "REJECTED",
        "TEXT_NOT_UTF8",
    ),
    "blank text": (b" \n\n\t ", TEXT, "EMPTY", "PDF_EMPTY"),
}

REFUSED_NAMES: Final = {
    "NUL": "a\0.txt",
    "newline": "a\nb.txt",
    "right-to-left override": "a\u202efdp.txt",
    "tag character": "a\U000e0041.txt",
    "half a surrogate pair": "a\ud800.txt",
    "256 characters": "a" * 252 + ".txt",
    "blank": "   ",
    "none": "",
}
ODD_NAMES: Final = (
    "../../etc/passwd.txt",
    "..\\..\\a.txt",
    "/etc/passwd.txt",
    "..%2f%00.txt",
    "${filename}.txt",
    "CON.txt",
    "a b+c%20d.txt",
    '"; filename=evil.exe; x=".txt',
    "\u00e9.txt",
    "a" * 251 + ".txt",
    "Screenshot 2026-11-28 at 6.03.21\u202fPM.txt",
    "\u8acb\u6c42\u66f8\u3000\u4e00.txt",
    "\u0645\u06cc\u200c\u0631\u0648\u062f.txt",
)

REFUSED_FIELDS: Final[dict[str, Json]] = {
    "unknown": {"surprise": 1},
    "another tenant": {"tenant_id": str(uuid4())},
    "size as text": {"size": "5"},
    "size as fraction": {"size": 5.5},
    "size as boolean": {"size": True},
    "size below zero": {"size": -1},
    "no size": {"size": None},
    "hash": {"sha256": "zz"},
    "collection": {"collection": "a\0b"},
    "long collection": {"collection": "c" * 129},
    "id": {"document_id": "7"},
    "boolean as text": {"hold": "yes"},
    "choice": {"on_duplicate": "explode"},
    "profile": {"chunking": {"profile": "nonsense"}},
    "profile parameter": {"chunking": {"profile": "words", "words": 10**30}},
    "metadata": {"metadata": []},
    "large metadata": {"metadata": {"a": "x" * 20_000}},
    "NUL in metadata": {"metadata": {"a\0": 1}},
    "half a surrogate pair": {"title": "\udfff"},
    "escape in a title": {"title": "T\x1b]52;c;cm0gLXJm\x07"},
    "blank title": {"title": " \u3000 "},
    "right-to-left override in a title": {"title": "T\u202efdp"},
    "escape of eight bits in a collection": {"collection": "a\x9b2J"},
    "collection that no path can name": {"collection": ".."},
    "collection with a blank before it": {"collection": " lead"},
    "collection with a blank behind it": {"collection": "lead\u3000"},
    "blank collection": {"collection": " "},
    "date that never was": {"content_date": "2025-02-30"},
    "leap second": {"content_date": "2016-12-31T23:59:60"},
}

ODD_QUESTIONS: Final = {
    "one letter": "x",
    "only stop words": "the of and is",
    "8,000 characters": "a" * 8_000,
    "SQL": "'; DROP TABLE document; --",
    "placeholders": "$$ $1 %s %(tenant_id)s {0} %_ \\",
    "tsquery": "turbine & | ! ( ) <-> :* 'a",
    "regular expression": "(a+)+$",
    "templates": "{{7*7}} ${jndi:ldap://x/y}",
    "script": "<script>alert(1)</script>",
    "combining marks": "e" + "\u0301" * 5_000,
    "one character that is eighteen": "\ufdfa" * 3_000,
    "another script": "\u6cf5\u7684\u6d41\u91cf",
}

FORGED_CURSORS: Final = (
    *("", "x", "AAAA", "\u00e9", "%00", "A" * 600, "bnVsbA==", "dHJ1ZQ==", "LTE=", "MWUzMA=="),
    *("eyJhIjoxfQ==", "WyJ4IiwieCJd", "Ww==", "W1tbW1tbW1tb", "NTAwMDAwMDAwMDAwMDA="),
    *("WzEsIDk5OV0=", "WzEsIHRydWVd", "WzEsIDIsIDNd"),  # [1, 999], [1, true], [1, 2, 3]
)


def problem(response: httpx.Response, *statuses: int) -> str:
    """Check that an answer is a whole problem document; return its code."""
    assert response.status_code in (statuses or (400,)), response.text[:500]
    assert response.headers["content-type"] == "application/problem+json"
    found = response.json()
    names = {"type", "title", "status", "code", "detail", "context", "guidance", "request_id"}
    if response.request.url.path.startswith("/v1/"):
        names |= {"error"}  # as OpenAI's clients read it
    assert set(found) == names
    assert found["status"] == response.status_code
    assert found["request_id"] == response.headers["x-request-id"]
    assert found["guidance"]
    return found["code"]


@pytest.fixture(scope="module")
def shared(stage: Stage) -> Iterator[Tenant]:
    """One tenant for what leaves no trace behind."""
    with Tenant.new(stage) as tenant:
        yield tenant


@pytest.fixture(scope="module")
def permitted(stage: Stage) -> Iterator[Tenant]:
    """One that may ask for everything: a missing scope is said before what a request lacks."""
    tenant_id = uuid4()
    token = stage.token(tenant_id, scopes=(READ, WRITE, ADMIN))
    with Tenant(stage.url, token, tenant_id=tenant_id) as tenant:
        yield tenant


@pytest.fixture(scope="module")
def document_id(shared: Tenant) -> str:
    return shared.ingest(DOCUMENT)["document_id"]


@pytest.fixture(scope="module")
def ended(shared: Tenant, document_id: str) -> dict[str, Json]:
    """Every bad file uploaded at once, and its status at the end."""
    del document_id  # the functions are warm after it
    uploaded = {
        name: shared.upload(
            body,
            filename=f"{name}.{'pdf' if content_type == PDF else 'txt'}",
            content_type=content_type,
        )
        for name, (body, content_type, _, _) in FILES.items()
    }
    return {name: shared.outcome(each) for name, each in uploaded.items()}


@pytest.mark.parametrize("name", FILES)
def test_a_bad_file_ends_with_its_own_outcome(ended: dict[str, Json], name: str) -> None:
    """S2-14: encrypted, damaged, empty and disguised files are told apart."""
    _, _, outcome, code = FILES[name]
    status = ended[name]

    assert status["outcome"] == outcome
    assert (status["error"] or {}).get("code") == code
    assert (status["chunks"] > 0) == (outcome == "PUBLISHED")
    if code:
        assert status["error"]["message"]
        assert status["error"]["guidance"]
        assert status["embeddings"] == {}


def test_a_file_without_text_leaves_no_records(shared: Tenant, ended: dict[str, Json]) -> None:
    """S2-14: its blank pages are counted, and nothing of it can be found."""
    status = ended["no text"]

    assert (status["pages"]["total"], status["pages"]["empty"]) == (2, 2)
    assert shared.get(f"/documents/{status['document_id']}/chunks")["chunks"] == []


def test_a_text_without_words_is_not_told_to_be_scanned_anew(ended: dict[str, Json]) -> None:
    assert "scan" in ended["no text"]["error"]["guidance"]
    assert "scan" not in ended["blank text"]["error"]["guidance"]


def test_an_announced_empty_file_is_refused(tenant: Tenant) -> None:
    assert problem(tenant.send("POST", "/documents", ANNOUNCED | {"size": 0})) == "FILE_EMPTY"


def test_an_empty_file_behind_a_good_announcement_is_rejected(tenant: Tenant) -> None:
    registered = tenant.register(b"12345")

    response = send_form(registered["upload"], b"")

    if response.is_success:
        assert tenant.outcome(registered["document_id"])["error"]["code"] == "FILE_EMPTY"
    else:
        assert "EntityTooSmall" in response.text


def test_a_file_too_large_is_refused_before_its_bytes_travel(tenant: Tenant) -> None:
    response = tenant.send("POST", "/documents", ANNOUNCED | {"size": 51 * _MEGABYTE})

    assert problem(response, 413) == "FILE_TOO_LARGE"
    assert response.json()["detail"] == "the file has 51 MB; 50 MB are allowed"


def test_a_file_larger_than_allowed_is_refused_by_the_form(tenant: Tenant) -> None:
    registered = tenant.register(b"12345")

    response = send_form(registered["upload"], bytes(50 * _MEGABYTE + 1))

    assert response.status_code == 400
    assert "<Code>EntityTooLarge</Code>" in response.text
    assert tenant.status(registered["document_id"])["received_at"] is None


def test_bytes_other_than_announced_are_refused_by_the_form(tenant: Tenant) -> None:
    registered = tenant.register(b"12345", sha256="0" * 64)

    response = send_form(registered["upload"], b"54321")

    assert response.status_code == 400
    assert "<Code>BadDigest</Code>" in response.text
    assert tenant.status(registered["document_id"])["received_at"] is None


@pytest.mark.parametrize(
    ("filename", "content_type"),
    [
        ("report.doc", "application/msword"),
        ("report.exe", "application/octet-stream"),
        ("report.pdf", TEXT),
        ("report.txt", PDF),
    ],
)
def test_an_unsupported_type_is_refused_by_its_extension(
    shared: Tenant, filename: str, content_type: str
) -> None:
    """S2-15: 400, and the message names the extension."""
    response = shared.send(
        "POST", "/documents", ANNOUNCED | {"filename": filename, "content_type": content_type}
    )

    assert problem(response) == "UNSUPPORTED_CONTENT_TYPE"
    assert filename[-4:] in response.json()["detail"]


@pytest.mark.parametrize("name", REFUSED_NAMES)
def test_a_file_name_that_cannot_be_shown_is_refused(shared: Tenant, name: str) -> None:
    response = shared.send("POST", "/documents", ANNOUNCED | {"filename": REFUSED_NAMES[name]})

    assert problem(response) == "INVALID_REQUEST"


def test_an_odd_file_name_is_kept_as_it_is_and_used_for_nothing(tenant: Tenant) -> None:
    """The key is the document's id; the name travels back encoded."""
    body = b"The valve opens at 3 bar, whatever this file is called: "
    uploaded = {name: tenant.upload(body + name.encode(), filename=name) for name in ODD_NAMES}

    for name, document_id in uploaded.items():
        status = tenant.outcome(document_id)
        assert (status["source"], status["outcome"]) == (name, "PUBLISHED")
    link = tenant.send("GET", f"/documents/{uploaded[ODD_NAMES[7]]}/file").headers["location"]
    disposition = httpx.get(link, trust_env=False, timeout=PATIENCE).headers["content-disposition"]
    assert disposition == f"attachment; filename*=UTF-8''{quote(ODD_NAMES[7], safe='')}"


@pytest.mark.parametrize("name", REFUSED_FIELDS)
def test_a_field_out_of_range_is_refused(shared: Tenant, name: str) -> None:
    response = shared.send("POST", "/documents", ANNOUNCED | REFUSED_FIELDS[name])

    assert problem(response) == "INVALID_REQUEST"


def routes(shared: Tenant, *methods: str) -> list[tuple[str, str]]:
    """Return every operation of the contract, with ids that nobody has."""
    nobody = str(uuid4())
    return [
        (method.upper(), re.sub(r"\{[^}]+\}", nobody, path))
        for path, operations in shared.get("/openapi.json")["paths"].items()
        for method in operations
        if method in methods
    ]


MALFORMED: Final[dict[str, tuple[str, bytes]]] = {
    "form without a boundary": ("multipart/form-data", b"{}"),
    "form without a boundary or a body": ("multipart/form-data", b""),
    "form": ("multipart/form-data; boundary=x", b'--x\r\n\r\n{"query": "pump"}\r\n--x--\r\n'),
    "fields": ("application/x-www-form-urlencoded", b"query=pump"),
    "text": (TEXT, b'{"query": "pump"}'),
    "nearly JSON": ("application/jsonp", b'{"query": "pump"}'),
    "no type that is one": ("/", b'{"query": "pump"}'),
    "half an object": ("application/json", b'{"query": "pu'),
    "not UTF-8": ("application/json", b'{"query": "\xff\xfe"}'),
    "UTF-16": ("application/json", '{"query": "pump"}'.encode("utf-16")),
    "deep": ("application/json", b'{"a":' * 3000 + b"1" + b"}" * 3000),
    "a name twice": ("application/json", b'{"query": "a", "query": "b"}'),
    "a number too large": ("application/json", b'{"top_k": 1e999}'),
    "an integer too long": ("application/json", b'{"top_k": ' + b"9" * 6000 + b"}"),
    "no number": ("application/json", b'{"top_k": NaN}'),
    "NUL": ("application/json", rb'{"query": "a\u0000b"}'),
    "half a surrogate pair": ("application/json", rb'{"query": "\ud800"}'),
    "a list": ("application/json", b'[{"query": "pump"}]'),
    "a word": ("application/json", b'"pump"'),
    "compressed": ("application/json", b"\x1f\x8b\x08\x00"),
    "form with NUL": ("application/x-www-form-urlencoded", b"query=%00"),
    "a character set that is none": ("application/json; charset=\xff", b"{"),
    "an unknown field": ("application/json", b'{"nonsense_of_nobody": 1}'),
}


@pytest.mark.parametrize("name", MALFORMED)
def test_a_malformed_request_is_the_callers_fault_on_every_route(
    permitted: Tenant, name: str
) -> None:
    """S2-15. Failed where Powertools read bodies first: a form without a boundary was a 500."""
    declared, body = MALFORMED[name]

    answers = {
        f"{method} {path}": permitted.send(
            method, path, content=body, headers={"Content-Type": declared.encode("latin-1")}
        )
        for method, path in routes(permitted, "post", "patch", "put")
    }

    assert len(answers) > 20
    refused = {"INVALID_REQUEST", "NOT_FOUND", "DOCUMENT_NOT_FOUND"}
    assert {
        route: answer.text for route, answer in answers.items() if problem(answer) not in refused
    } == {}


def test_a_file_that_is_sent_to_the_api_is_told_where_files_go(shared: Tenant) -> None:
    """S0-01: as a form, or as its bytes, as other services take it."""
    answers = [
        shared.send("POST", route, content=body, headers={"Content-Type": declared})
        for route in ("/document/upload", "/documents", "/ingest")
        for declared, body in (
            ("multipart/form-data; boundary=x", b"--x\r\n\r\n%PDF-1.7\r\n--x--\r\n"),
            ("application/pdf", b"%PDF-1.7"),
        )
    ]

    assert {problem(each) for each in answers} == {"INVALID_REQUEST"}
    assert all("form in the answer of POST /documents" in each.text for each in answers)


@pytest.mark.parametrize("route", ["/search", "/ask/stream"])
def test_a_compressed_body_is_told_to_come_as_it_is(shared: Tenant, route: str) -> None:
    """It was told to be no JSON, at its first character."""
    response = shared.send(
        "POST",
        route,
        content=gzip.compress(b'{"query": "pump"}'),
        headers={"Content-Type": "application/json", "Content-Encoding": "gzip"},
    )

    assert problem(response) == "INVALID_REQUEST"
    assert "encoded by 'gzip'; send it as it is" in response.json()["detail"]


def test_a_query_parameter_that_nobody_reads_is_refused_on_every_route(permitted: Tenant) -> None:
    """Failed when `?colection=` was ignored, and all of a tenant's documents were meant."""
    answers = {
        f"{method} {path}": permitted.send(method, path, params={"colection": "a"})
        for method, path in routes(permitted, "get", "post", "patch", "put", "delete")
    }

    said = {route: problem(answer) for route, answer in answers.items()}
    assert set(said.values()) == {"INVALID_REQUEST"}, said


def test_a_query_parameter_given_twice_is_refused(shared: Tenant) -> None:
    response = shared.send("GET", "/documents", params=[("limit", "1"), ("limit", "2")])

    assert problem(response) == "INVALID_REQUEST"


def test_what_nobody_has_cannot_be_deleted(shared: Tenant) -> None:
    answers = {
        f"{method} {path}": shared.send(method, path) for method, path in routes(shared, "delete")
    }

    found = {route: answer.status_code for route, answer in answers.items()}
    assert found.pop("DELETE /budget") == 403  # a tenant's own, and an operator's to change
    assert set(found.values()) == {404}, found


@pytest.mark.usefixtures("document_id")
def test_the_type_of_a_body_may_be_written_as_http_allows(shared: Tenant) -> None:
    response = shared.send(
        "POST",
        "/search",
        content=b'{"query": "pump"}',
        headers={"Content-Type": "Application/JSON ; charset=UTF-8"},
    )

    assert response.status_code == 200


def test_the_page_of_the_contract_runs_only_what_it_came_with(stage: Stage) -> None:
    page = httpx.get(f"{stage.url}/docs", timeout=60, trust_env=False)

    policy = dict(
        part.strip().split(" ", 1) for part in page.headers["content-security-policy"].split(";")
    )
    scripts = re.findall(r"<script[^>]*>(.*?)</script>", page.text, flags=re.DOTALL)
    digests = [base64.b64encode(hashlib.sha256(one.encode()).digest()).decode() for one in scripts]
    assert scripts
    assert policy["script-src"].split() == [f"'sha256-{digest}'" for digest in digests]
    assert policy["default-src"] == policy["frame-ancestors"] == "'none'"
    assert "unsafe" not in page.headers["content-security-policy"]


@pytest.mark.parametrize(
    ("path", "authorization"), [("/documents", ""), ("/nowhere", ""), ("/documents", "Bearer x")]
)
def test_what_the_gateway_answers_by_itself_has_the_same_headers(
    stage: Stage, path: str, authorization: str
) -> None:
    headers = {"Authorization": authorization} if authorization else {}

    answer = httpx.get(f"{stage.url}{path}", headers=headers, timeout=60, trust_env=False)

    assert answer.status_code == (404 if path == "/nowhere" else 401)
    assert answer.headers.get("www-authenticate") == (None if path == "/nowhere" else "Bearer")
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["cache-control"] == "no-store"


@pytest.mark.parametrize("route", ["/search", "/ask/stream"])
@pytest.mark.parametrize("megabytes", [7, 11])
def test_a_body_beyond_the_platforms_limits_is_refused(
    shared: Tenant, megabytes: int, route: str
) -> None:
    """7 MB is too much for a function, 11 MB for API Gateway."""
    body = b'{"query":"' + b"a" * (megabytes * _MEGABYTE) + b'"}'

    response = shared.send(
        "POST", route, content=body, headers={"Content-Type": "application/json"}
    )

    assert problem(response, 413) == "REQUEST_TOO_LARGE"


@pytest.mark.parametrize(
    ("named", "code"),
    [
        ({"collection": "nowhere"}, "COLLECTION_NOT_FOUND"),
        ({"profile": "nothing"}, "PROFILE_NOT_FOUND"),
        ({"document_ids": [str(uuid4())]}, "DOCUMENT_NOT_FOUND"),
    ],
)
def test_what_a_question_names_and_is_not_there_is_named(
    shared: Tenant, document_id: str, named: Json, code: str
) -> None:
    """S2-06: a collection that does not exist is an error, not an empty answer."""
    del document_id
    response = shared.send("POST", "/ask", {"question": QUESTION} | named)

    assert problem(response, 404) == code
    assert str(next(iter(named.values()))).strip("[]'") in response.json()["detail"]


def test_a_question_without_its_text_is_refused(shared: Tenant) -> None:
    """S2-16: absent is not empty."""
    assert problem(shared.send("POST", "/search", {})) == "INVALID_REQUEST"
    assert problem(shared.send("POST", "/ask", {"query": QUESTION})) == "INVALID_REQUEST"


@pytest.mark.parametrize("name", ODD_QUESTIONS)
def test_a_question_that_makes_no_sense_is_refused_politely(
    shared: Tenant, document_id: str, name: str
) -> None:
    """Metacharacters are words like any others, and match nothing."""
    del document_id
    found = shared.post("/search", {"query": ODD_QUESTIONS[name]})
    answer = shared.post("/ask", {"question": ODD_QUESTIONS[name]})

    assert found["chunks"] == []
    assert found["abstained"]["message"] == NO_INFORMATION
    assert answer["answer"] == NO_INFORMATION


@pytest.mark.parametrize("text", ["😀😀🎉", "\x01\x02\x7f"], ids=["emoji", "control characters"])
def test_a_question_without_a_letter_is_refused_as_empty(
    shared: Tenant, document_id: str, text: str
) -> None:
    """Nothing is searched for it, so that nothing is said of what the documents contain."""
    del document_id
    found = shared.post("/search", {"query": text})
    answer = shared.post("/ask", {"question": text})

    assert found["chunks"] == []
    assert found["abstained"]["reason"] == answer["abstained"]["reason"] == "EMPTY_QUERY"
    assert answer["answer"] == "I don't have enough information."


def test_metacharacters_do_not_hide_the_words_between_them(
    shared: Tenant, document_id: str
) -> None:
    query = "litres' & | ! ( ) <-> :* -- \\ pump %s deliver $$ \u202eminute\u200b"

    [chunk] = shared.post("/search", {"query": query, "document_ids": [document_id]})["chunks"]

    assert chunk["document_id"] == document_id


@pytest.mark.parametrize("suffix", ["", "/pages/1", "/chunks", "/file"])
def test_an_id_that_is_none_is_refused(shared: Tenant, document_id: str, suffix: str) -> None:
    """Upper case and no hyphens are the same id; braces, blanks and prefixes are none."""
    for wrong in (
        *("x", "%00", "..%2f..", "'; drop table document;--", "%ed%a0%80", "x" * 5_000),
        *(
            f"{{{document_id}}}",
            f"urn:uuid:{document_id}",
            f"{document_id}%20",
            f"%0a{document_id}",
        ),
    ):
        path = f"/documents/{quote(wrong, safe='%')}{suffix}"
        assert problem(shared.send("GET", path)) == "INVALID_REQUEST", wrong

    nil = shared.send("GET", f"/documents/{'0' * 8}-0000-0000-0000-{'0' * 12}{suffix}")
    assert problem(nil, 404) == "DOCUMENT_NOT_FOUND"
    for right in (document_id.upper(), document_id.replace("-", "")):
        response = shared.send(
            "GET", f"/documents/{right}{suffix}", headers={"Accept": "application/json"}
        )
        assert response.status_code == 200


@pytest.mark.parametrize(
    ("page", "status"),
    [("0", 400), ("-1", 400), ("x", 400), ("1.5", 400), ("9" * 30, 400), ("2", 404)],
)
def test_a_page_that_is_not_there_is_refused(
    shared: Tenant, document_id: str, page: str, status: int
) -> None:
    response = shared.send("GET", f"/documents/{document_id}/pages/{page}")

    assert problem(response, status) == ("INVALID_REQUEST" if status == 400 else "PAGE_NOT_FOUND")


@pytest.mark.parametrize("cursor", FORGED_CURSORS)
def test_a_forged_cursor_is_refused(shared: Tenant, document_id: str, cursor: str) -> None:
    for path in ("/documents", f"/documents/{document_id}/chunks"):
        response = shared.send("GET", f"{path}?cursor={quote(cursor, safe='%')}")

        assert problem(response) == "INVALID_REQUEST"


@pytest.mark.parametrize(
    "query",
    [
        *("limit=0", "limit=-1", "limit=101", "limit=1e9", "limit=x", "limit=1&limit=2"),
        *("state=%00", "state=published", "collection=%00", "filter=x", "filter=[]", "filter=null"),
        *('filter={"a":{"$where":1}}', 'filter={"document_id":"x"}', "filter=" + "x" * 9_000),
    ],
)
def test_a_listing_out_of_range_is_refused(shared: Tenant, query: str) -> None:
    assert problem(shared.send("GET", f"/documents?{query}")) == "INVALID_REQUEST"


@pytest.mark.parametrize("query", ["limit=1&limit=2", "collection=a&collection=b"])
def test_what_is_given_twice_is_told_so(shared: Tenant, query: str) -> None:
    """A number was told to be no number."""
    response = shared.send("GET", f"/documents?{query}")

    name = query.partition("=")[0]
    assert response.json()["detail"] == f"the query parameter '{name}' is given 2 times"


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("limit=101", "limit: must be 100 or less"),
        ("limit=x", "limit: must be a whole number"),
        ("state=nope", "state: must be 'UPLOADED', 'PROCESSING',"),
    ],
)
def test_a_parameter_is_named_as_it_was_written(shared: Tenant, query: str, said: str) -> None:
    """Of states, pydantic's name of our class was told."""
    detail = shared.send("GET", f"/documents?{query}").json()["detail"]

    assert detail.startswith(said)
    assert "[" not in detail


def test_a_filter_that_is_no_json_is_called_a_filter(shared: Tenant) -> None:
    """A GET has no body to look into."""
    response = shared.send("GET", "/documents?filter=x")

    assert "the filter is not valid JSON" in response.json()["detail"]


@pytest.mark.parametrize("trace", ["x", "0" * 32, "%2e%2e%2fu", "x" * 65, "%00"])
def test_a_trace_that_is_not_there_is_refused(shared: Tenant, trace: str) -> None:
    for method, path in (("GET", f"/traces/{trace}"), ("POST", f"/traces/{trace}/replay")):
        assert problem(shared.send(method, path), 400, 404) in {
            "TRACE_NOT_FOUND",
            "INVALID_REQUEST",
        }


@pytest.mark.parametrize(
    ("method", "path"),
    [("GET", "/nothing"), ("PUT", "/documents"), ("GET", "/%2Fdocuments"), ("OPTIONS", "/ask")],
)
def test_a_route_that_is_not_there_is_a_problem_document(
    shared: Tenant, method: str, path: str
) -> None:
    assert problem(shared.send(method, path), 404) == "NOT_FOUND"


def test_an_idempotency_key_gives_the_first_answer_again(new_tenant: Callable[[], Tenant]) -> None:
    """But for its form, signed anew. Another body is 422; another tenant's key is another key."""
    first, other = new_tenant(), new_tenant()
    key = {"Idempotency-Key": "upload-1"}

    once = first.send("POST", "/documents", ANNOUNCED, headers=key)
    again = first.send("POST", "/documents", ANNOUNCED, headers=key)
    changed = first.send("POST", "/documents", ANNOUNCED | {"size": 6}, headers=key)
    elsewhere = other.send("POST", "/documents", ANNOUNCED, headers=key)

    answers = [answer.json() | {"upload": None} for answer in (once, again)]
    assert (once.status_code, answers[1]) == (201, answers[0])
    assert send_form(again.json()["upload"], b"12345").is_success
    assert problem(changed, 422) == "IDEMPOTENCY_KEY_REUSED"
    assert elsewhere.json()["document_id"] != once.json()["document_id"]


@pytest.mark.parametrize("key", ["", "k" * 256, "a\tb"])
def test_an_idempotency_key_out_of_range_is_refused(shared: Tenant, key: str) -> None:
    response = shared.send("POST", "/documents", ANNOUNCED, headers={"Idempotency-Key": key})

    assert problem(response) == "INVALID_REQUEST"


def test_odd_dates_and_numbers_are_kept_exactly(tenant: Tenant) -> None:
    options: dict[str, Any] = {
        "content_date": "0001-01-01",
        "metadata": {"n": 10**30, "t": "\u202e", "source_type": "text"},
    }

    status = tenant.status(tenant.register(DOCUMENT, **options)["document_id"])

    assert {name: status[name] for name in options} == options
