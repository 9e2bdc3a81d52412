"""An answer that was exported, in other hands: checked without the stage, and against it."""

from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from click.testing import CliRunner, Result

from local.stage import Stage
from pulsedocs_cli.__main__ import main
from tests.e2e.tenant import Tenant
from tests.e2e.test_highlight import report

QUESTION = "How many litres of clean water does the big pump deliver a minute?"


@pytest.fixture
def asking(stage: Stage, tenant: Tenant, tmp_path: Path) -> Any:
    """Return what runs a command as the tenant; its document's file is `report.pdf`."""
    (tmp_path / "report.pdf").write_bytes(report())
    options = ["--url", stage.url, "--token", tenant.token]

    def run(*arguments: str) -> Result:
        return CliRunner(env={"NO_PROXY": "*"}).invoke(main, [*arguments, *options])

    added = run("add", str(tmp_path / "report.pdf"))
    assert added.exit_code == 0, added.output
    return run


def checked(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["verify", *map(str, arguments)])


def test_an_exported_answer_is_checked_without_the_stage(
    asking: Any, tenant: Tenant, tmp_path: Path
) -> None:
    """The words are found in the original, the choice is computed again, the key is named."""
    proof, original = tmp_path / "answer.html", tmp_path / "report.pdf"

    exported = asking("ask", QUESTION, "--proof", str(proof))

    assert exported.exit_code == 0, exported.output
    [key, *_] = tenant.send("GET", "/proofs/keys").json()["keys"]
    result = checked(proof, original, "--key", key["key_id"])
    assert result.exit_code == 0, result.output
    lines = result.output.splitlines()
    assert all(line.startswith("yes") for line in lines), result.output
    assert any("report.pdf, page 2: characters" in line for line in lines)
    text = proof.read_text()
    assert "twelve litres" in text
    assert "data:image/png;base64," in text, "the words as drawn"
    assert "<rect " in text
    assert str(tenant.tenant_id) not in text
    assert "://" not in text.partition("<script")[0]


def test_what_cannot_be_checked_is_said_and_not_taken_as_shown(asking: Any, tmp_path: Path) -> None:
    proof, other = tmp_path / "answer.html", tmp_path / "other.pdf"
    other.write_bytes(report(pages=3))
    assert asking("ask", QUESTION, "--proof", str(proof)).exit_code == 0

    result = checked(proof, other)

    assert result.exit_code == 0, result.output
    assert " ?   whose key" in result.output
    assert "no file given has the digest" in result.output


def test_a_changed_file_or_another_key_is_refused(asking: Any, tmp_path: Path) -> None:
    proof, changed = tmp_path / "answer.html", tmp_path / "changed.html"
    assert asking("ask", QUESTION, "--proof", str(proof)).exit_code == 0
    changed.write_text(proof.read_text().replace("twelve", "eleven", 1))

    assert checked(changed).exit_code == 1
    assert checked(proof, "--key", "0" * 32).exit_code == 1
    assert checked(tmp_path / "report.pdf").exit_code == 1


def test_a_refusal_is_exported_too(asking: Any, tmp_path: Path) -> None:
    proof = tmp_path / "refusal.html"

    asked = asking("ask", "Who designed the cathedral of Reykjavik?", "--proof", str(proof))

    assert asked.exit_code == 0, asked.output
    assert "Nothing is cited: the answer is a refusal" in proof.read_text()
    assert checked(proof).exit_code == 0


@pytest.mark.usefixtures("asking")
def test_only_the_answer_that_was_given_is_exported(tenant: Tenant) -> None:
    """The stage signs nothing that somebody else wrote."""
    answer = tenant.post("/ask", {"question": QUESTION})
    path = f"/traces/{answer['trace_id']}/proof"
    own = {"question": QUESTION, "answer": answer["answer"]}

    assert tenant.send("POST", path, own).status_code == 200
    for other in (
        own | {"answer": answer["answer"].replace("twelve", "eleven")},
        own | {"question": QUESTION.lower()},
        own | {"citations": "[1]"},
        own | {"answer": answer["answer"] + "\ud800"},
    ):
        assert tenant.send("POST", path, other).status_code == 400
    searched = tenant.post("/search", {"query": QUESTION})["trace_id"]
    assert tenant.send("POST", f"/traces/{searched}/proof", own).status_code == 400
    assert tenant.send("POST", f"/traces/{uuid4().hex}/proof", own).status_code == 404


@pytest.mark.usefixtures("asking")
def test_a_chat_is_exported_with_its_references(tenant: Tenant) -> None:
    answer = tenant.post("/chat", {"question": QUESTION})
    own = {"question": QUESTION, "answer": answer["answer"]}

    proof = tenant.post(f"/traces/{answer['trace_id']}/proof", own)

    assert "References" in proof["html"]


@pytest.mark.usefixtures("asking")
def test_a_deleted_document_is_not_exported_again(tenant: Tenant) -> None:
    answer = tenant.post("/ask", {"question": QUESTION})
    [document] = tenant.get("/documents")["documents"]
    assert tenant.send("DELETE", f"/documents/{document['document_id']}").status_code == 202

    refused = tenant.send(
        "POST",
        f"/traces/{answer['trace_id']}/proof",
        {"question": QUESTION, "answer": answer["answer"]},
    )

    assert refused.status_code == 404
    assert "cited as [1]" in refused.json()["detail"]


@pytest.mark.usefixtures("asking")
def test_a_proof_with_a_key_ends_with_its_document(tenant: Tenant) -> None:
    """I8. Failed when the remembered file named no document: its words came again for a day."""
    answer = tenant.post("/ask", {"question": QUESTION})
    [document] = tenant.get("/documents")["documents"]
    path = f"/traces/{answer['trace_id']}/proof"
    own = {"question": QUESTION, "answer": answer["answer"]}
    key = {"Idempotency-Key": "proof"}
    first = tenant.send("POST", path, own, headers=key)
    assert "twelve litres" in first.json()["html"]
    assert tenant.send("POST", path, own, headers=key).json() == first.json()

    assert tenant.send("DELETE", f"/documents/{document['document_id']}").status_code == 202

    assert tenant.send("POST", path, own, headers=key).status_code == 404
