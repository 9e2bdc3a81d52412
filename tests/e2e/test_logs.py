"""No log of a stage holds what its tenants wrote, asked or proved themselves with."""

import re
from collections.abc import Iterator
from typing import Final
from urllib.parse import urlsplit
from uuid import uuid4

import pytest

from local.stage import Stage
from tests.e2e.tenant import PDF, Tenant, send_form
from tests.unit.extraction.odd_files import pdf_of

SENTENCE: Final = "Quicksilver marmots polish seventeen umbrellas before the harvest ceremony."
QUESTION: Final = "Which zebra finch counts the lanterns of the observatory tonight?"
FILENAME: Final = "whistling-badger-minutes.txt"
TITLE: Final = "Minutes of the whistling badgers"
METADATA_VALUE: Final = "crimson-velvet-anteater"
_SHINGLE_WORDS: Final = 3


def shingles(text: str) -> list[str]:
    """Return every run of three words."""
    words = text.split()
    return [
        " ".join(words[start : start + _SHINGLE_WORDS])
        for start in range(len(words) - _SHINGLE_WORDS + 1)
    ]


@pytest.fixture(scope="module")
def token(stage: Stage) -> str:
    return stage.token(uuid4(), subject="a.person@example.test")


@pytest.fixture(scope="module")
def logs(stage: Stage, token: str) -> dict[str, str]:
    """Use every function, well and badly; return what each has logged since the stage started."""
    with Tenant(stage.url, token, tenant_id=uuid4()) as tenant:
        use_well(tenant)
        use_badly(tenant)
    return dict(all_logs(stage))


def use_well(tenant: Tenant) -> None:
    options = {"filename": FILENAME, "title": TITLE, "metadata": {"code": METADATA_VALUE}}
    document_id = tenant.ingest(f"{SENTENCE} It is {METADATA_VALUE}.".encode(), **options)[
        "document_id"
    ]
    for suffix in ("/pages/1", "/chunks", "/file"):
        tenant.send("GET", f"/documents/{document_id}{suffix}")
    for text in (QUESTION, SENTENCE):
        trace_id = tenant.post("/ask", {"question": text})["trace_id"]
        tenant.post("/search", {"query": text, "filters": {"code": METADATA_VALUE}})
        tenant.post(f"/traces/{trace_id}/replay")


def use_badly(tenant: Tenant) -> None:
    """Errors quote what they stumble over: a parser's, a validator's, a database's."""
    tenant.send("POST", "/search", {"query": QUESTION, "filters": {"$where": SENTENCE}})
    tenant.send("POST", "/search", {"query": QUESTION, "profile": METADATA_VALUE})
    tenant.send("POST", "/search", {"query": f"{QUESTION}\0"})
    tenant.send("POST", "/documents", {"filename": SENTENCE, "surprise": METADATA_VALUE})
    tenant.send("GET", f"/documents?filter={METADATA_VALUE}&cursor={METADATA_VALUE}")
    tenant.send("GET", f"/documents/{METADATA_VALUE}")
    whole = pdf_of(SENTENCE)
    for number, body in enumerate((whole[: len(whole) // 2], SENTENCE.encode(), pdf_of(""))):
        tenant.ingest(body, filename=f"{number}.pdf", content_type=PDF)
    tenant.ingest(SENTENCE.encode() + b"\xff", filename="broken.txt")
    form = tenant.register(SENTENCE.encode(), filename="form.txt")["upload"]
    send_form(form, SENTENCE.encode(), key="elsewhere")


def all_logs(stage: Stage) -> Iterator[tuple[str, str]]:
    for path in sorted(stage.logs.rglob("*")):
        if path.is_file():
            yield path.name, path.read_text(encoding="utf-8", errors="replace")


def test_every_function_has_logged(logs: dict[str, str]) -> None:
    """P-06: otherwise the claims below say nothing."""
    used = {"documents", "claim", "extract", "store", "clean", "chunk", "embed", "publish", "query"}

    assert {f"{name}.log" for name in used} <= {name for name, text in logs.items() if text}


@pytest.mark.parametrize("text", [SENTENCE, QUESTION, TITLE])
def test_no_log_holds_text(logs: dict[str, str], text: str) -> None:
    """P-06, S2-18: no three words of a document, a question or a title, in either case."""
    for name, logged in logs.items():
        for shingle in shingles(text.lower()):
            assert shingle not in logged.lower(), name


def test_no_log_holds_names_or_values(logs: dict[str, str]) -> None:
    """P-06: file names, metadata and people are the tenant's."""
    for name, logged in logs.items():
        for text in (FILENAME, METADATA_VALUE, "a.person@example.test"):
            assert text not in logged, name


def test_no_log_holds_a_token_or_a_signature(logs: dict[str, str], token: str) -> None:
    """S2-18: neither this one nor anything that looks like one."""
    for name, logged in logs.items():
        assert token[-40:] not in logged, name
        assert not re.search(r"\beyJ[\w-]{10,}\.", logged), name
        assert not re.search(r"X-Amz-Signature=\w", logged), name


def secrets_of(stage: Stage) -> Iterator[str]:
    for function in ("documents", "claim", "query", "retrieve"):
        environments = stage.pool._of(function)  # noqa: SLF001 # pyright: ignore[reportPrivateUsage] -- nobody else may know what a function was given
        variables = environments._function.variables  # noqa: SLF001 # pyright: ignore[reportPrivateUsage] -- as above
        for name in {"AWS_SECRET_ACCESS_KEY", "TRACE_SECRET"} & set(variables):
            yield variables[name]
        if "DATABASE_URL" in variables:
            yield urlsplit(variables["DATABASE_URL"]).password or ""


def test_no_log_holds_a_password_or_a_key(stage: Stage, logs: dict[str, str]) -> None:
    """S2-18: of the database, the bucket and the traces."""
    secrets = set(secrets_of(stage))

    assert len(secrets) >= 4
    assert all(secrets)
    for name, logged in logs.items():
        assert not [secret for secret in secrets if secret in logged], name
