"""An answer as one signed file: its words, where they stand, and how they were chosen."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from pulsedocs.errors import DocumentNotFound, InvalidRequest
from pulsedocs.model.proofs import Mark, Proof, ProvenCitation
from pulsedocs.questions.ports import CitationReader, Signer
from pulsedocs.questions.proof_file import signed_file
from pulsedocs.questions.query_engine import QueryEngine
from pulsedocs.questions.read_trace import read_trace
from pulsedocs.retrieval.evidence import seal
from pulsedocs.retrieval.trace import Trace, marks_of, reading


@dataclass(frozen=True, slots=True)
class AnswerToProve:
    """A question and its answer, from whoever asked: a trace keeps no words."""

    tenant_id: UUID
    trace_id: str
    question: str
    answer: str


def export_proof(
    asked: AnswerToProve,
    *,
    engine: QueryEngine,
    citations: CitationReader,
    signer: Signer,
    now: datetime,
) -> bytes:
    """Return the file. What it says of words is read from the database, never from the caller.

    Raises TraceNotFound, InvalidRequest where question or answer are not the trace's, and
    DocumentNotFound where a cited document is gone: what was deleted is not exported again.
    """
    trace = read_trace(asked.tenant_id, asked.trace_id, objects=engine.objects)
    keys = (engine.tenant_key, *engine.former_keys)
    with reading():
        answer = _answer_in(trace)
        if trace["question_hmac"] not in {seal(key, "question", asked.question) for key in keys}:
            raise InvalidRequest("the question is not the one that the trace is of")
        if answer["text_hmac"] not in {seal(key, "answer", asked.answer) for key in keys}:
            raise InvalidRequest("the answer is not the one that the trace is of, to the letter")
        marks = marks_of(trace)
    proof = Proof(
        exported_at=now.isoformat(timespec="seconds"),
        question=_writable(asked.question),
        answer=_writable(asked.answer),
        refused_for=answer["abstained"],
        citations=_proven(asked.tenant_id, answer["citations"], marks, citations=citations),
        trace=trace,
    )
    return signed_file(proof, signer=signer)


def _answer_in(trace: Trace) -> Mapping[str, Any]:
    answer: Mapping[str, Any] | None = trace.get("answer")
    if answer is None:
        raise InvalidRequest("the trace is of a search, which has no answer to prove")
    if "text_hmac" not in answer:
        raise InvalidRequest("the trace is older than proofs; ask again for one that can be proved")
    return answer


def _writable(text: str) -> str:
    """Return a text as its hash saw it: half a surrogate pair can be asked, and not be written."""
    return text.encode("utf-8", "replace").decode()


def _proven(
    tenant_id: UUID,
    recorded: Sequence[Mapping[str, Any]],
    marks: Sequence[Mark],
    *,
    citations: CitationReader,
) -> tuple[ProvenCitation, ...]:
    proven: list[ProvenCitation] = []
    stored = citations.cited_words(tenant_id, marks) if marks else ()
    for citation, mark, words in zip(recorded, marks, stored, strict=True):
        if words is None:
            raise DocumentNotFound(
                f"document {mark.document_id}, cited as [{citation['n']}], is gone or was replaced;"
                " its words cannot be exported any more"
            )
        proven.append(ProvenCitation(citation["n"], citation["status"], mark, words))
    return tuple(proven)
