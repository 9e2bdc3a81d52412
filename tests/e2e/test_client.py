"""The client library and the command, against a whole stage."""

import json
import re
from datetime import datetime
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import pytest
from click.testing import CliRunner

from local.samples import write_samples
from local.stage import Stage
from pulsedocs.client import DocumentInput, PulseDocs, RequestRefused
from pulsedocs.client.operations import Operations
from pulsedocs.errors import (
    CollectionNotFoundError,
    NoDocumentsFoundError,
    PDFCorruptedError,
    PDFEmptyError,
    PDFEncryptedError,
    PulseDocsError,
    UnknownModel,
)
from pulsedocs_cli.__main__ import main
from tests.e2e.tenant import Tenant
from tests.e2e.test_sweep import fail, lost_events, published_after
from tests.unit.extraction.odd_files import WORDS, pdf_of

NOTE = "The deposit for the harbour flat is 1,250 euros.\n\nIt is returned within six weeks."
TABLE = b"# Ferry\n\nThe ferry leaves at nine.\n\n## Fares\n\nA return ticket costs eighteen euros."


def test_files_texts_and_bytes_are_added_together(docs: PulseDocs, tmp_path: Path) -> None:
    """S3-04 S3-10: per-document and global metadata, own chunking, a collection made on the way."""
    file = tmp_path / "house.txt"
    file.write_text("The house has four rooms and a garden with an old pear tree.")
    added = docs.add_documents(
        [
            file,
            DocumentInput.text(NOTE, name="deposit.txt", metadata={"user_id": "bo"}),
            DocumentInput.binary(
                TABLE,
                name="ferry.md",
                custom_chunking={"profile": "words", "words": 50, "overlap_words": 5},
            ),
        ],
        collection="a-new-one",
        metadata={"user_id": "al", "template_id": "t1"},
    )

    assert added.success, added.errors
    assert added.documents_processed == 3
    assert added.total_chunks == len(added.chunks) == len(set(added.chunk_ids)) >= 3
    by_source = {status["source"]: status for status in added.documents.values()}
    assert by_source["deposit.txt"]["metadata"] == {
        "user_id": "bo",
        "template_id": "t1",
        "source_type": "text",
    }
    assert by_source["house.txt"]["metadata"]["user_id"] == "al"
    assert {status["collection"] for status in by_source.values()} == {"a-new-one"}
    assert by_source["ferry.md"]["chunking"]["profile"] == "words"
    assert {chunk["metadata"]["document_id"] for chunk in added.chunks} == {
        str(document_id) for document_id in added.documents
    }


def test_a_chunks_metadata_is_whole(docs: PulseDocs) -> None:
    """S3-10: every field of ChunkMetadata that the design names."""
    added = docs.add_documents(
        [DocumentInput.text(NOTE, name="deposit.txt", metadata={"document_type": "lease"})]
    )

    [chunk] = added.chunks
    assert chunk["content"] in NOTE.replace("\n\n", "\n") or chunk["content"] == NOTE
    assert chunk["embedding_dimensions"] == 384
    metadata = chunk["metadata"]
    assert metadata["source"] == "deposit.txt"
    assert (metadata["chunk_index"], metadata["total_chunks"]) == (0, 1)
    assert metadata["token_count"] > 10
    assert metadata["char_count"] == len(chunk["content"])
    assert metadata["chunking_method"]
    assert metadata["extraction_date"]
    assert metadata["custom_fields"] == {"document_type": "lease", "source_type": "text"}


def test_every_phase_is_seen_and_timed(docs: PulseDocs) -> None:
    """S3-05: load, extract, chunk, validate, embed and store leave their marks in the status."""
    seen: list[str] = []
    added = docs.add_documents(
        [DocumentInput.text(NOTE, name="deposit.txt")],
        on_progress=lambda status: seen.append(status["state"]),
    )

    [status] = added.documents.values()
    assert [step["state"] for step in status["history"]] == [
        "UPLOADED",
        "PROCESSING",
        "EXTRACTED",
        "CLEANED",
        "CHUNKED",
        "EMBEDDED",
        "PUBLISHED",
    ]
    assert seen
    stats = added.processing_stats
    assert stats.total_tokens == sum(chunk["metadata"]["token_count"] for chunk in added.chunks)
    assert stats.failed_chunks == 0
    assert min(stats.chunking_time_ms, stats.upload_time_ms) > 0


def test_more_documents_than_a_batch_and_a_bad_one_among_them(docs: PulseDocs) -> None:
    """S3-04: what fails is named with its reason; the others are there."""
    texts = [DocumentInput.text(f"Room {n} is painted blue.", name=f"{n}.txt") for n in range(5)]
    broken = DocumentInput.binary(b"\xff\xfe\x00", name="broken.txt")
    unknown = DocumentInput.binary(b"x", name="film.mp4")

    added = docs.add_documents([*texts, broken, unknown], batch_size=2)

    assert not added.success
    assert added.documents_processed == 6
    assert len(added.errors) == 2
    assert any(error.startswith("film.mp4: UNSUPPORTED_CONTENT_TYPE") for error in added.errors)
    assert any(error.startswith("broken.txt: TEXT_NOT_UTF8") for error in added.errors)


def test_held_documents_are_no_failure_and_take_the_place_of_old_ones(docs: PulseDocs) -> None:
    """S3-04, S3-11: held until an update publishes them, in the moment in which the old ones go."""
    old = docs.add_documents([DocumentInput.text(NOTE, name="a.txt", metadata={"user_id": "al"})])
    newer = "The deposit for the harbour flat is 1,400 euros since the first of May."

    held = docs.add_documents([DocumentInput.text(newer, name="b.txt")], hold=True)
    before = {one["source"] for one in docs.retrieve("What is the deposit?")["chunks"]}
    done = docs.update_documents(
        "replace",
        filters={"user_id": "al"},
        new_document_ids=[str(document_id) for document_id in held.documents],
    )

    assert (held.success, held.errors, held.documents_processed) == (True, [], 1)
    assert [chunk["content"] for chunk in held.chunks] == [newer]
    assert before == {"a.txt"}
    assert done["success"]
    assert set(done["updated_document_ids"]) == {
        str(one) for one in (*old.documents, *held.documents)
    }
    assert {one["source"] for one in docs.retrieve("What is the deposit?")["chunks"]} == {"b.txt"}


def test_a_document_that_takes_long_costs_no_other_its_result(
    docs: PulseDocs, stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """S3-04: its id comes back with where it stands, and those of the others with theirs."""
    with lost_events(stage):
        unheard = DocumentInput.text("Nobody hears of this upload.", name="slow.txt")
        slow = docs.add(unheard)
    texts = [DocumentInput.text(f"The door {n} is painted red.", name=f"{n}.txt") for n in range(3)]
    add = Operations.add

    async def add_once(self: Operations, document: DocumentInput, **options: Any) -> UUID:
        return slow if document is unheard else await add(self, document, **options)

    monkeypatch.setattr(Operations, "add", add_once)
    added = docs.add_documents([texts[0], unheard, *texts[1:]], timeout=20)

    by_source = {status["source"]: status for status in added.documents.values()}
    assert {name: one["outcome"] for name, one in by_source.items()} == {
        "0.txt": "PUBLISHED",
        "slow.txt": None,
        "1.txt": "PUBLISHED",
        "2.txt": "PUBLISHED",
    }
    assert added.documents[slow]["state"] == "UPLOADED"
    assert not added.success
    assert added.errors == ["slow.txt: STILL_RUNNING"]
    assert added.documents_processed == len(added.chunks) == 3
    with pytest.raises(TimeoutError, match=r"slow\.txt"):
        added.raise_for_errors()


@pytest.mark.parametrize(
    ("body", "error"),
    [
        (pdf_of(WORDS, password="secret"), PDFEncryptedError),  # noqa: S106 -- of a file
        (b"%PDF-1.7\nnothing follows", PDFCorruptedError),
        (pdf_of(""), PDFEmptyError),
    ],
    ids=["encrypted", "damaged", "empty"],
)
def test_a_file_that_cannot_be_read_raises_its_own_class(
    docs: PulseDocs, body: bytes, error: type[PulseDocsError]
) -> None:
    """S3-06: of the library, where the caller asks it to raise."""
    fine = DocumentInput.text(NOTE, name="deposit.txt")
    added = docs.add_documents([fine, DocumentInput.binary(body, name="file.pdf")])

    with pytest.raises(error, match=r"^file\.pdf: ") as raised:
        added.raise_for_errors()

    [document_id] = [str(key) for key, one in added.documents.items() if one["error"]]
    assert raised.value.context["document_id"] == document_id
    assert docs.add_documents([fine]).raise_for_errors().success


def test_what_was_added_is_found_and_asked(docs: PulseDocs) -> None:
    added = docs.add_documents([DocumentInput.text(NOTE, name="deposit.txt")])

    found = docs.retrieve("How much is the deposit for the harbour flat?", score_threshold=0.0)

    [chunk] = added.chunks
    best = found["chunks"][0]
    moment = datetime.fromisoformat(chunk["metadata"]["extraction_date"])
    assert best["source"] == "deposit.txt"
    for name in ("chunk_index", "total_chunks", "token_count", "char_count", "chunking_method"):
        assert best[name] == chunk["metadata"][name]
    assert datetime.fromisoformat(best["extraction_date"] or "") == moment
    assert chunk["metadata"]["section"] == []
    assert docs.replay(found["trace_id"])["identical"]


def test_a_refusal_says_what_to_do(docs: PulseDocs) -> None:
    with pytest.raises(RequestRefused, match="COLLECTION_NOT_FOUND"):
        docs.retrieve("anything", collection="nowhere")


def test_a_refusal_is_of_its_own_class(docs: PulseDocs) -> None:
    """S3-23: with its message, its guidance and what it is about."""
    with pytest.raises(CollectionNotFoundError) as refused:
        docs.ask("anything", collection="nowhere")
    with pytest.raises(NoDocumentsFoundError):
        docs.update_documents("delete", filters={"user_id": "nobody"})
    with pytest.raises(UnknownModel, match="acme:foo@64"):
        docs.create_collection("strange", model="acme:foo@64")

    assert "nowhere" in refused.value.message
    assert refused.value.guidance == CollectionNotFoundError.guidance
    assert isinstance(refused.value, RequestRefused)
    assert (refused.value.status, refused.value.code) == (404, "COLLECTION_NOT_FOUND")
    assert refused.value.request_id


@pytest.fixture
def run(stage: Stage) -> Any:
    """Run a command as a person would, against the stage."""
    environment = {"PULSEDOCS_URL": stage.url, "PULSEDOCS_TOKEN": stage.token(uuid4())}

    def invoke(*arguments: str, fails: bool = False) -> str:
        result = CliRunner().invoke(main, list(arguments), env=environment)
        assert (result.exit_code != 0) is fails, result.output
        return result.output if fails else result.stdout

    return invoke


def test_the_command_adds_asks_and_deletes(run: Any, tmp_path: Path) -> None:
    """The operations that operators use, by their command."""
    file = tmp_path / "deposit.txt"
    file.write_text(NOTE)

    line = run("add", str(file), "--metadata", '{"user_id": "al"}')
    document_id = line.split()[0]

    assert "PUBLISHED" in line
    assert json.loads(run("status", document_id))["metadata"]["user_id"] == "al"
    assert "deposit.txt, p. 1" in run("search", "the deposit for the harbour flat")
    assert "BELOW_THRESHOLD" in run("search", "penguins of the south")
    receipt = run("delete", document_id).strip()
    assert json.loads(run("receipt", receipt))["document_id"] == document_id
    assert "DOCUMENT_NOT_FOUND" in run("status", document_id, fails=True)


def test_the_command_says_why_a_page_is_not_in_an_answer(run: Any, tmp_path: Path) -> None:
    """`ask` prints the trace, also where it abstains, and `why` takes it."""
    file = tmp_path / "deposit.txt"
    file.write_text(NOTE)
    document_id = run("add", str(file)).split()[0]

    lines = run("ask", "Which vaccines does the zebra need?").splitlines()
    told = json.loads(run("why", lines[-1].split()[-1], "--document", document_id, "--page", "1"))

    assert re.match(r"  \w.+\. \([A-Z_]+: ", lines[1])
    assert lines[-1].startswith("  trace ")
    assert told["stage"] not in {"never_indexed", "cited"}
    assert "TRACE_NOT_FOUND" in run(
        *("why", "nothing", "--document", document_id, "--page", "1"), fails=True
    )


def test_the_command_redrives_what_stopped(stage: Stage, tenant: Tenant) -> None:
    with lost_events(stage):
        document_id = tenant.upload(NOTE.encode())
    fail(stage, tenant, document_id)

    def redrive(*options: str) -> dict[str, Any]:
        environment = {"PULSEDOCS_URL": stage.url, "PULSEDOCS_TOKEN": tenant.token}
        result = CliRunner().invoke(main, ["redrive", *options], env=environment)
        assert result.exit_code == 0, result.output
        return json.loads(result.output)

    named = redrive("--code", "TIMED_OUT", "--limit", "5", "--dry-run")
    assert [one["document_id"] for one in named["documents"]] == [document_id]
    assert (named["dry_run"], named["requeued"]) == (True, 0)
    assert redrive("--older-than", "1d", "--dry-run")["documents"] == []
    assert redrive("--code", "STUCK")["requeued"] == 0
    assert redrive()["requeued"] == 1
    published_after(tenant, document_id)


def test_the_command_verifies_a_deletion(run: Any, tmp_path: Path) -> None:
    """Nothing is left of the document; another one that says the same is named, and is no fault."""
    file, copy = tmp_path / "deposit.txt", tmp_path / "copy.txt"
    file.write_text(NOTE)
    copy.write_text(f"{NOTE}\n\nThe keys are with the neighbour.")
    document_id, copy_id = (run("add", str(path)).split()[0] for path in (file, copy))

    receipt = run("delete", document_id).strip()
    found = json.loads(run("verify-deletion", receipt, "--file", str(file), "--json"))
    file.write_text("too short")

    assert (found["left"], found["elsewhere"]) == (0, [copy_id])
    assert found["shingles_asked"] > 0
    assert "no eight words" in run("verify-deletion", receipt, "--file", str(file), fails=True)


def test_the_command_has_a_page_fetched_or_says_why_not(run: Any) -> None:
    """A loopback address is refused by the guard: that the stage was asked at all is shown."""
    assert "URL_REFUSED" in run("add-url", "https://127.0.0.1/page.html", fails=True)


def test_the_command_searches_by_a_profile_with_or_without_reranking(
    run: Any, tmp_path: Path
) -> None:
    """S3-15: the four modes, from a terminal too."""
    file = tmp_path / "deposit.txt"
    file.write_text(NOTE)
    run("add", str(file))

    def parts(*options: str) -> set[str]:
        found = json.loads(run("search", "How much is the deposit?", *options, "--json"))
        return set(found["retrieval_stats"]["timings_ms"])

    assert "reranking" in parts("--profile", "vector_rerank")
    assert "reranking" not in parts("--profile", "vector_rerank", "--no-reranking")
    assert "keyword" not in parts("--profile", "fast")


@pytest.fixture
def pages(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return what a site is to show, in turn; the stage is sent these as texts of that source."""
    shown: list[str] = []
    sent = Operations.call

    async def call(self: Operations, method: str, path: str, body: Any = None, **kind: Any) -> Any:
        if path == "/ingest":
            body = {name: value for name, value in body.items() if name != "url"} | {
                "text": shown.pop(0),
                "source": body["url"],
            }
        return await sent(self, method, path, body, **kind)

    monkeypatch.setattr(Operations, "call", call)
    return shown


def test_what_is_waited_for_is_the_page_that_was_added_last(
    docs: PulseDocs, pages: list[str]
) -> None:
    """S4-01. Failed when the outcome was that of the version before, the only one yet."""
    pages += [NOTE, f"{NOTE} Nobody has paid it.", f"{NOTE} Nobody has paid it.", " \n", NOTE]

    told = [docs.wait(docs.add_url("https://site.example/a.txt")) for _ in range(5)]

    assert [each["outcome"] for each in told] == [
        "PUBLISHED",
        "PUBLISHED",
        "DUPLICATE",
        "EMPTY",
        "PUBLISHED",
    ]
    assert [each["version"] for each in told] == sorted({each["version"] for each in told})


def test_the_command_adds_a_page_as_it_adds_a_file(run: Any, pages: list[str]) -> None:
    """Failed when one that cannot be searched ended with status 0, and no option was taken."""
    pages += [NOTE, " \n", "Another page about the harbour."]
    page = "https://site.example/a.txt"
    options = ["--metadata", '{"team": "flats"}', "--title", "Deposits", "--date", "2026-01-02"]

    added = json.loads(run("add-url", page, "--profile", "words", *options))
    empty = run("add-url", "https://site.example/empty.txt", fails=True)
    refused = run("add-url", page, "--on-duplicate", "reject", fails=True)

    assert (added["title"], added["content_date"]) == ("Deposits", "2026-01-02")
    assert (added["metadata"]["team"], added["chunking"]["profile"]) == ("flats", "words")
    assert '"outcome": "EMPTY"' in empty
    assert "DUPLICATE_DOCUMENT" in refused


def test_the_command_measures_a_collection(run: Any, tmp_path: Path) -> None:
    """From a file of questions to the figures of two policies, run by the stage itself."""
    file, questions = tmp_path / "deposit.txt", tmp_path / "questions.jsonl"
    file.write_text(NOTE)
    expected = [{"source": "deposit.txt", "quote": "The deposit for the harbour flat"}]
    asked = [{"question": "How much is the deposit?", "expected": expected}]
    asked += [{"question": "Which dragon guards the vault of Atlantis?"}]
    questions.write_text("\n".join(map(json.dumps, asked)))
    run("add", str(file))

    shown = run("evaluate", str(questions), "--profile", "default", "--profile", "fast")

    assert "2 questions on collection 'default'" in shown
    for profile in ("default", "fast"):
        assert re.search(rf"^{profile} \(revision \d+\), asked 2 of 2", shown, re.MULTILINE)
    assert len(re.findall(r"^  fused +1\.000", shown, re.MULTILINE)) == 2
    assert "recall 1.000 (1 of 1 due were made)" in shown


def test_an_estimate_needs_no_stage(tmp_path: Path, model_directory: Path) -> None:
    """Pages, chunks and tokens are counted by reading the file as a stage would."""
    assert model_directory.is_dir()
    sample = write_samples(tmp_path)[0]

    result = CliRunner().invoke(main, ["estimate", str(sample)])

    assert result.exit_code == 0, result.output
    assert f"{sample.name}: " in result.output
    assert "State transitions" in result.output
    assert "per 1,000 such pages, ingested together, USD" in result.output


def test_an_estimate_of_a_damaged_file_says_what_is_wrong(
    tmp_path: Path, model_directory: Path
) -> None:
    assert model_directory.is_dir()
    damaged = tmp_path / "damaged.pdf"
    damaged.write_bytes(b"%PDF-1.7\nnothing follows")

    result = CliRunner().invoke(main, ["estimate", str(damaged)])

    assert result.exit_code == 1
    assert "Error:" in result.output
