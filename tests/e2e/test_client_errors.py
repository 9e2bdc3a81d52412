"""Each error of the client says what happened, to what, and what to do: through the whole stage."""

from collections.abc import Callable
from uuid import UUID

import pytest

from pulsedocs import errors
from pulsedocs.client import DocumentInput, PulseDocs
from pulsedocs.errors import PulseDocsError, StillRunning

NOWHERE = UUID(int=7)
NO_TRACE = "0" * 32


Call = Callable[[PulseDocs], object]
CALLS: list[tuple[type[PulseDocsError], Call, dict[str, object]]] = [
    (
        errors.CollectionNotFoundError,
        lambda docs: docs.retrieve("Rooms?", collection="ghost"),
        {"collection": "ghost"},
    ),
    (
        errors.CollectionNotFoundError,
        lambda docs: docs.ask("Rooms?", collection="ghost"),
        {"collection": "ghost"},
    ),
    (
        errors.CollectionNotFoundError,
        lambda docs: list(docs.stream("Rooms?", collection="ghost")),
        {"collection": "ghost"},
    ),
    (
        errors.CollectionNotFoundError,
        lambda docs: docs.update_documents("delete", collection="ghost", filters={"a": 1}),
        {"collection": "ghost"},
    ),
    (
        errors.NoDocumentsFoundError,
        lambda docs: docs.update_documents("delete", filters={"a": 1}),
        {"strategy": "delete", "collection": None, "kept": 0, "include_standalone": False},
    ),
    (errors.DocumentNotFound, lambda docs: docs.status(NOWHERE), {"document_id": str(NOWHERE)}),
    (errors.DocumentNotFound, lambda docs: docs.page(NOWHERE, 1), {"document_id": str(NOWHERE)}),
    (errors.DocumentNotFound, lambda docs: docs.retry(NOWHERE), {"document_id": str(NOWHERE)}),
    (
        errors.DocumentNotFound,
        lambda docs: docs.highlight(NOWHERE, 1, start=0, end=5),
        {"document_id": str(NOWHERE)},
    ),
    (
        errors.ProfileNotFound,
        lambda docs: docs.retrieve("Rooms?", profile="ghost"),
        {"profile": "ghost"},
    ),
    (errors.TraceNotFound, lambda docs: docs.trace(NO_TRACE), {"trace_id": NO_TRACE}),
    (errors.BatchNotFound, lambda docs: docs.batch(NOWHERE), {"batch_id": str(NOWHERE)}),
    (errors.DeletionNotFound, lambda docs: docs.receipt(NOWHERE), {"receipt_id": str(NOWHERE)}),
    (
        errors.EvaluationNotFound,
        lambda docs: docs.evaluation(NOWHERE),
        {"evaluation_id": str(NOWHERE)},
    ),
    (
        errors.ConversationNotFound,
        lambda docs: docs.conversation(NOWHERE),
        {"conversation_id": str(NOWHERE)},
    ),
    (
        errors.UnknownModel,
        lambda docs: docs.create_collection("x", model="acme:foo@64"),
        {"model": "acme:foo@64"},
    ),
]


@pytest.mark.parametrize(
    ("kind", "call", "context"),
    CALLS,
    ids=[f"{n}-{each[0].__name__}" for n, each in enumerate(CALLS)],
)
def test_a_refusal_names_what_it_is_of(
    docs: PulseDocs, kind: type[PulseDocsError], call: Call, context: dict[str, object]
) -> None:
    """S3: also across the function that speaks to the database, which AWS gives a text to say."""
    docs.create_collection("default")

    with pytest.raises(kind) as refused:
        call(docs)

    error = refused.value
    assert error.context == context
    assert error.message
    assert "context" not in error.message
    assert error.guidance == kind.guidance


@pytest.mark.parametrize(
    ("kind", "body", "name"),
    [
        (errors.PDFCorruptedError, b"%PDF-1.7\nnothing follows", "broken.pdf"),
        (errors.FileEmpty, b"", "empty.txt"),
    ],
)
def test_a_failed_document_names_itself(
    docs: PulseDocs, kind: type[PulseDocsError], body: bytes, name: str
) -> None:
    added = docs.add_documents([DocumentInput.binary(body, name=name)])

    with pytest.raises(kind) as failed:
        added.raise_for_errors()

    error = failed.value
    [result] = added.results
    if result.document_id is not None:
        assert error.context["document_id"] == str(result.document_id)
        assert error.message.startswith(f"{name}: ")
    assert error.guidance == kind.guidance
    assert error.guidance not in error.message


def test_what_goes_on_is_named(docs: PulseDocs) -> None:
    added = docs.add_documents([DocumentInput.text("Room 1 is blue.", name="a.txt")], timeout=0)

    [result] = added.results
    assert isinstance(result.error, StillRunning)
    assert isinstance(result.error, TimeoutError)
    assert result.error.context == {"document_id": str(result.document_id)}
    assert "later" in result.error.guidance
