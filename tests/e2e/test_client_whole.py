"""The rest of the client library against a stage: every operation, blocking and awaited."""

import asyncio
import inspect
import json
import os
from pathlib import Path
from typing import Any, get_args, get_type_hints
from uuid import UUID, uuid4

import pytest

from local.stage import Stage
from pulsedocs.client import (
    AsyncPulseDocs,
    DocumentInput,
    PulseDocs,
    RequestRefused,
    options,
    results,
)
from pulsedocs.client.configuration import (
    Configuration,
    Embedding,
    LanguageModel,
    PdfProcessing,
    Reranking,
    Retrieval,
    VectorDatabase,
)
from pulsedocs.client.operations import Operations
from pulsedocs.client.refusals import refusal
from pulsedocs.client.transport import BlockingWire, Request
from pulsedocs.errors import (
    CollectionNotFoundError,
    ConfigurationError,
    NoDocumentsFoundError,
    PDFCorruptedError,
)
from pulsedocs.model.answers import Reading
from tests.e2e.tenant import CONTRACT

NOTE = "The deposit for the harbour flat is 1,250 euros.\n\nIt is returned within six weeks."
NEWER = "The deposit for the harbour flat is 1,400 euros since the first of May."
QUESTION = "How much is the deposit for the harbour flat?"
BROKEN = DocumentInput.binary(b"%PDF-1.7\nnothing follows", name="broken.pdf")
SECOND_MODEL = "memory:hashing@128"


@pytest.fixture
def note(docs: PulseDocs) -> UUID:
    [document_id] = docs.add_documents([DocumentInput.text(NOTE, name="a.txt")]).documents
    return document_id


def test_every_operation_is_there_for_programs_that_block() -> None:
    public = {name for name in dir(Operations) if not name.startswith("_")}

    assert public <= {name for name in vars(PulseDocs) if not name.startswith("_")}
    for name in public:
        assert inspect.getdoc(getattr(PulseDocs, name)) == inspect.getdoc(getattr(Operations, name))


@pytest.mark.parametrize(
    ("of_client", "of_contract"),
    [
        (results.RetrievalResponse, "SearchView"),
        (results.RetrievedChunk, "FoundChunk"),
        (results.RetrievalStats, "RetrievalStats"),
        (results.SourceInfo, "FoundSource"),
        (results.Answer, "AnswerView"),
        (results.Citation, "CitationView"),
        (results.Abstained, "Abstained"),
        (results.Place, "Nearest"),
        (results.UpdateDocumentsResponse, "UpdateView"),
        (results.LeftAlone, "LeftAloneView"),
        (options.QuestionOptions, "SearchRequest"),
        (options.DocumentOptions, "UploadRequest"),
        (options.UpdateOptions, "UpdateRequest"),
        (options.OtherPolicy, "WhatIfRequest"),
    ],
)
def test_the_types_are_those_of_the_contract(of_client: type, of_contract: str) -> None:
    schemas = json.loads(CONTRACT.read_text("utf-8"))["components"]["schemas"]
    of_the_subject = {"query", "filename", "content_type", "size", "sha256", "strategy"}
    is_request = of_contract.endswith("Request")

    named = set(schemas[of_contract]["properties"]) - (of_the_subject if is_request else set())

    assert set(get_type_hints(of_client)) == named


def test_a_note_is_of_a_kind_that_answers_have() -> None:
    assert set(get_args(get_type_hints(results.Note)["kind"])) == set(Reading)


def test_the_same_program_awaits(stage: Stage, tmp_path: Path) -> None:
    """Files, answers, streams and refusals: by the same operations, in one event loop."""
    file = tmp_path / "deposit.txt"
    file.write_text(NOTE)

    async def program() -> tuple[Any, ...]:
        async with AsyncPulseDocs(stage.url, stage.token(uuid4()), trust_env=False) as docs:
            many = [DocumentInput.text(f"Room {n} is blue.", name=f"{n}.txt") for n in range(10)]
            added = await docs.add_documents([file, *many, BROKEN])
            answer = await docs.ask(QUESTION)
            lines = [line async for line in docs.stream(QUESTION)]
            listed = [each["source"] async for each in docs.documents()]
            return added, answer, lines, listed

    added, answer, lines, listed = asyncio.run(program())

    assert [each.name for each in added.results if each.error] == ["broken.pdf"]
    assert [each.name for each in added.results][:2] == ["deposit.txt", "0.txt"]
    assert len(listed) == 12
    assert "1,250 euros" in answer["answer"]
    assert [line["type"] for line in lines][-2:] == ["sources", "done"]
    assert "".join(line.get("text", "") for line in lines) == answer["answer"]


def test_documents_take_the_place_of_others_in_one_call(docs: PulseDocs) -> None:
    """S3-11, S3-14: in one transaction, once all of them are ready."""
    owner = {"user_id": "al"}
    old = docs.add_documents([DocumentInput.text(NOTE, name="a.txt", metadata=owner)])

    added = docs.add_documents([DocumentInput.text(NEWER, name="b.txt")], replaces=owner)

    assert added.success, added.errors
    assert added.replaced is not None
    assert added.replaced["deleted_document_ids"] == [str(each) for each in old.documents]
    assert [status["outcome"] for status in added.documents.values()] == ["PUBLISHED"]
    assert [chunk["content"] for chunk in added.chunks] == [NEWER]
    assert {each["source"] for each in docs.retrieve(QUESTION)["chunks"]} == {"b.txt"}


def test_where_one_fails_nothing_is_replaced_and_nothing_is_left(docs: PulseDocs) -> None:
    """S3-13: no half state, by either call."""
    owner = {"user_id": "al"}
    docs.add_documents([DocumentInput.text(NOTE, name="a.txt", metadata=owner)])
    newer = [DocumentInput.text(NEWER, name="b.txt"), BROKEN]

    added = docs.add_documents(newer, replaces=owner)
    with pytest.raises(PDFCorruptedError, match=r"broken\.pdf"):
        docs.update_documents("replace", filters=owner, new_documents=newer)

    assert not added.success
    assert added.replaced is None
    assert {each["source"] for each in docs.retrieve(QUESTION)["chunks"]} == {"a.txt"}
    there = {each["source"]: each["outcome"] for each in docs.documents()}
    assert there == {"a.txt": "PUBLISHED", "broken.pdf": "FAILED"} | {
        name: outcome for name, outcome in there.items() if outcome == "REJECTED"
    }


def test_taking_the_place_of_others_again_goes_on_where_it_ended(docs: PulseDocs) -> None:
    """Failed when what was there already was to be published again: it "is DUPLICATE"."""
    owner = {"user_id": "al"}
    docs.add_documents([DocumentInput.text(NOTE, name="a.txt", metadata=owner)])
    first = DocumentInput.text(NEWER, name="b.txt", metadata=owner)
    second = DocumentInput.text("Dogs are welcome.", name="c.txt", metadata=owner)
    third = DocumentInput.text("Cats are welcome.", name="d.txt")

    results = [
        docs.add_documents(newer, replaces=owner)
        for newer in ([first], [first], [first, second], [second, third])
    ]

    assert all(added.success for added in results)
    deleted = [added.replaced and len(added.replaced["deleted_document_ids"]) for added in results]
    assert deleted == [1, None, 0, 1]
    there = {each["source"]: each["outcome"] for each in docs.documents()}
    assert there == {"c.txt": "DUPLICATE", "d.txt": "PUBLISHED"}
    found = docs.retrieve("Who is welcome?")["chunks"]
    assert {each["source"] for each in found} == {"c.txt", "d.txt"}


def test_documents_that_are_there_may_be_named_as_what_they_replace(docs: PulseDocs) -> None:
    """Failed when nothing was left to delete: the stage refused a deletion that names nothing."""
    same = DocumentInput.text(NOTE, name="a.txt")
    [note] = docs.add_documents([same]).documents

    again = docs.add_documents([same], replaces=[note])
    newer = docs.add_documents([same, DocumentInput.text(NEWER, name="b.txt")], replaces=[note])

    assert (again.success, again.replaced) == (True, None)
    assert newer.success
    assert {each["source"] for each in docs.documents()} == {"a.txt", "b.txt"}


def test_an_update_that_matches_nothing_leaves_nothing_held(docs: PulseDocs, note: UUID) -> None:
    """S3-13. Failed when the new document stayed, held, for an update that never came."""
    nobody, newer = {"user_id": "nobody"}, [DocumentInput.text(NEWER, name="b.txt")]

    for update in (
        lambda: docs.add_documents(newer, replaces=nobody),
        lambda: docs.update_documents("replace", filters=nobody, new_documents=newer),
    ):
        with pytest.raises(NoDocumentsFoundError):
            update()
        assert [each["document_id"] for each in docs.documents()] == [str(note)]


def test_an_update_makes_no_collection(docs: PulseDocs) -> None:
    """S3-13. Failed when a document was added to the one that a mistake in its name made."""
    newer = [DocumentInput.text(NEWER, name="b.txt")]

    with pytest.raises(CollectionNotFoundError):
        docs.update_documents("append", collection="raports", new_documents=newer)

    assert "raports" not in {each["name"] for each in docs.collections()}


@pytest.mark.parametrize(
    ("code", "is_done", "left"),
    [
        ("REQUEST_IN_PROGRESS", False, {"a.txt", "b.txt"}),
        ("REQUEST_IN_PROGRESS", True, {"b.txt"}),
        ("INTERNAL", True, {"b.txt"}),
        ("NO_DOCUMENTS_FOUND", True, {"b.txt"}),
    ],
)
def test_an_update_that_may_have_been_done_costs_no_document(
    docs: PulseDocs,
    note: UUID,
    monkeypatch: pytest.MonkeyPatch,
    *,
    code: str,
    is_done: bool,
    left: set[str],
) -> None:
    """Failed when any refusal deleted the new documents, also where the old ones were gone."""
    answer = BlockingWire.answer

    async def losing(wire: BlockingWire, request: Request) -> Any:
        is_update = request.path == "/documents/update"
        answered = await answer(wire, request) if is_done or not is_update else {}
        if is_update:
            raise refusal({"code": code})
        return answered

    monkeypatch.setattr(BlockingWire, "answer", losing)

    with pytest.raises(RequestRefused):
        docs.add_documents([DocumentInput.text(NEWER, name="b.txt")], replaces=[note])

    assert {each["source"] for each in docs.documents()} == left


def test_a_name_that_is_not_utf_8_is_one_refusal(docs: PulseDocs, tmp_path: Path) -> None:
    """Failed when it raised, and nothing else of the run was told of."""
    strange, good = tmp_path / os.fsdecode(b"caf\xe9.txt"), tmp_path / "good.txt"
    for file in (strange, good):
        file.write_text(NOTE)

    added = docs.add_documents([strange, good])

    [line] = added.errors
    assert line.startswith("caf\\udce9.txt: INVALID_REQUEST")
    assert [status["outcome"] for status in added.documents.values()] == ["PUBLISHED"]


def test_new_documents_are_part_of_an_update(docs: PulseDocs, note: UUID) -> None:
    newer = DocumentInput.text(NEWER, name="b.txt")

    done = docs.update_documents("replace", document_ids=[note], new_documents=[newer])

    assert (done["success"], done["deleted_document_ids"]) == (True, [str(note)])
    assert {each["source"] for each in docs.retrieve(QUESTION)["chunks"]} == {"b.txt"}


def test_a_folder_is_added_once_however_often_it_is_begun(
    docs: PulseDocs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Interrupted and called again, only what is not there travels."""
    for name in ("a.txt", "sub/b.txt", "sub/c.tmp", ".hidden/d.txt", "drafts/e.txt"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"The file {name} says so.")
    outside = tmp_path.parent / f"{tmp_path.name}-outside.txt"
    outside.write_text("Not in the folder.")
    (tmp_path / "link.txt").symlink_to(outside)
    folder = [*DocumentInput.in_folder(tmp_path, ignore=["*.tmp", "drafts/*"])]
    docs.add_documents(folder[:1])
    travelled: list[str] = []
    store = BlockingWire.store

    async def noted(self: BlockingWire, upload: Any) -> None:
        travelled.append(upload.filename)
        await store(self, upload)

    monkeypatch.setattr(BlockingWire, "store", noted)
    first, again = docs.add_documents(folder), docs.add_documents(folder)

    assert [each.name for each in folder] == ["a.txt", "sub/b.txt"]
    assert travelled == ["sub/b.txt"]
    assert first.success
    assert again.success
    assert first.documents.keys() == again.documents.keys()


def test_a_deletion_is_proved(docs: PulseDocs, note: UUID) -> None:
    proof = docs.proof(docs.delete(note))

    assert proof["document_id"] == str(note)
    assert proof["verification"]["left"] == 0


def test_a_conversation_knows_what_was_said(docs: PulseDocs, note: UUID) -> None:
    del note
    talk = docs.chat(profile="fast")

    first = talk.ask(QUESTION)
    streamed = [*talk.stream("When is the deposit returned?")]

    assert [turn["question"] for turn in talk.turns()][:1] == [QUESTION]
    assert talk.turns()[0]["trace_id"] == first["trace_id"]
    assert streamed[-1]["type"] == "done"
    assert docs.chat(talk.id).turns() == talk.turns()
    talk.delete()
    with pytest.raises(Exception, match="CONVERSATION_NOT_FOUND"):
        talk.turns()


def test_an_answer_is_explained_and_its_page_shown(docs: PulseDocs, note: UUID) -> None:
    answer = docs.ask(QUESTION)

    [citation] = answer["citations"][:1]
    page = docs.page(note, citation["page"])
    assert page["text"][citation["start"] : citation["end"]] == citation["quote"]
    assert docs.trace(answer["trace_id"])["candidates"]
    assert docs.replay(answer["trace_id"])["identical"]
    assert docs.why(answer["trace_id"], document_id=note, page=1)["stage"] == "cited"
    ranked = docs.why(answer["trace_id"], document_id=note, page=1, question=QUESTION)
    assert ranked["stage"] == "cited"
    tried = docs.what_if(answer["trace_id"], values={"gate": 1.0})
    assert (tried["after"], len(tried["removed"])) == ([], len(tried["before"]))


def test_collections_profiles_models_and_usage(docs: PulseDocs, note: UUID) -> None:
    made = docs.create_collection("leases & more", chunk_profile="words")
    assert docs.collection("leases & more") == made
    assert docs.change_collection("leases & more", chunk_profile="classic")["documents"] == 0
    assert {each["name"] for each in docs.collections()} == {"default", "leases & more"}
    assert docs.delete_collection("leases & more") == []

    docs.define_profile("brief", base="fast", top_k=1)
    assert [each["name"] for each in docs.profiles()["defined"]] == ["brief"]
    assert docs.profile("brief")[0]["values"]["top_k"] == 1
    assert len(docs.retrieve(QUESTION, profile="brief")["chunks"]) == 1

    assert docs.register_model(SECOND_MODEL)["model"] == SECOND_MODEL
    assert SECOND_MODEL in {each["model"] for each in docs.models()}
    assert docs.coverage(SECOND_MODEL)["chunks"] == 1
    assert docs.usage(by="method")["stored"]
    assert docs.highlight  # drawn pages only: shown in test_highlight.py
    assert docs.file_url(note).startswith("http")
    assert docs.change(note, title="Deposit")["title"] == "Deposit"


def test_a_configuration_is_checked_against_its_stage(stage: Stage) -> None:
    """S3-02: health, the collection and its model, before the first document."""
    place = VectorDatabase(url=stage.url, token=stage.token(uuid4()), collection="reports")
    chosen: Any = {
        "embedding": Embedding(provider="memory", model="hashing", dimensions=384),
        "reranking": Reranking(provider=None),
        "language_model": LanguageModel(provider=None),
        "pdf": PdfProcessing(ocr_languages=("deu",)),
        "retrieval": Retrieval(profile="vector_rerank", vector_limit=3, top_k=2),
    }
    with PulseDocs.configured(
        Configuration(vector_database=place, **chosen), trust_env=False
    ) as docs:
        added = docs.add_documents([DocumentInput.text(NOTE, name="a.txt")])
        found = docs.retrieve(QUESTION)
        trace = docs.trace(found["trace_id"])
        made = docs.collection("reports")

    [status] = added.documents.values()
    assert (status["collection"], status["chunking"]["profile"]) == ("reports", "semantic")
    assert trace["profile"]["name"] == "configured"
    assert trace["profile"]["vector_candidates"] == 3
    assert trace["models"]["reranker"] is None
    assert made["ocr_languages"] == ["deu"]
    narrow = Embedding(provider="memory", model="hashing", dimensions=64)
    for other, own in (
        ({"embedding": narrow}, "memory:hashing@384"),
        ({"reranking": Reranking()}, "its reranker is memory:overlap, .* cohere:rerank-v3.5"),
        ({"language_model": LanguageModel()}, "its chat is extractive, .* openai:gpt-4o"),
    ):
        wanted = Configuration(vector_database=place, **chosen | other)
        with pytest.raises(ConfigurationError, match=own):
            PulseDocs.configured(wanted, trust_env=False)
