"""An answer as one signed file: its words, where they stand, and how they were chosen."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from pulsedocs.errors import (
    DocumentNotFound,
    InvalidRequest,
    NoBoxes,
    ObjectNotFound,
    RetryableError,
    TimedOut,
)
from pulsedocs.model.highlights import Highlight
from pulsedocs.model.proofs import Mark, Proof, ProvenCitation
from pulsedocs.questions.ports import BoxFinder, CitationReader, Signer
from pulsedocs.questions.proof_file import signed_file
from pulsedocs.questions.query_engine import QueryEngine
from pulsedocs.questions.read_trace import read_trace, refuse_other_question
from pulsedocs.retrieval.trace import Trace, marks_of, reading

_DOTS_ACROSS: Final = 1_000
_MARGIN: Final = 0.03  # two lines above the words and two below
_MOST_CHARACTERS: Final = 3_000_000  # a function answers with 6 MB; a piece of print has 60,000


@dataclass(frozen=True, slots=True)
class AnswerToProve:
    """A question and its answer, from whoever asked: a trace keeps no words."""

    tenant_id: UUID
    trace_id: str
    question: str
    answer: str


@dataclass(frozen=True, slots=True)
class ProofFile:
    """A proof, with the documents whose words it quotes."""

    body: bytes
    document_ids: tuple[UUID, ...]


def export_proof(
    asked: AnswerToProve,
    *,
    engine: QueryEngine,
    citations: CitationReader,
    finder: BoxFinder,
    signer: Signer,
    now: datetime,
) -> ProofFile:
    """Return the file. What it says of words is read from the database, never from the caller.

    Raises TraceNotFound, InvalidRequest where question or answer are not the trace's, and
    DocumentNotFound where a cited document is gone: what was deleted is not exported again.
    """
    trace = read_trace(asked.tenant_id, asked.trace_id, objects=engine.objects)
    with reading():
        answer = _answer_in(trace)
        refuse_other_question(asked.question, trace, engine=engine)
        if answer["text_hmac"] not in engine.seals_of("answer", asked.answer):
            raise InvalidRequest("the answer is not the one that the trace is of, to the letter")
        marks = marks_of(trace)
    proven = _proven(asked.tenant_id, answer["citations"], marks, citations=citations)
    proof = Proof(
        exported_at=now.isoformat(timespec="seconds"),
        question=_writable(asked.question),
        answer=_writable(asked.answer),
        refused_for=answer["abstained"],
        citations=tuple(
            replace(citation, piece=piece) for citation, piece in _pieces(proven, finder=finder)
        ),
        trace=trace,
    )
    cited = dict.fromkeys(mark.document_id for mark in marks)
    return ProofFile(signed_file(proof, signer=signer), tuple(cited))


def _answer_in(trace: Trace) -> Mapping[str, Any]:
    answer: Mapping[str, Any] | None = trace.get("answer")
    if answer is None:
        raise InvalidRequest("the trace is of a search, which has no answer to prove")
    if "text_hmac" not in answer:
        raise InvalidRequest("the trace is older than proofs; ask again for one that can be proved")
    return answer


def _pieces(
    citations: Sequence[ProvenCitation], *, finder: BoxFinder
) -> Iterator[tuple[ProvenCitation, Highlight | None]]:
    """Yield each citation with its words as drawn, while there is time and the file stays small.

    A piece that cannot be drawn is left out: the words prove themselves.
    """
    size = 0
    for citation in citations:
        place, piece = citation.words.place, None
        if place is not None and size < _MOST_CHARACTERS:
            with suppress(NoBoxes, ObjectNotFound, RetryableError, TimedOut):
                piece = finder.find(replace(place, dots_across=_DOTS_ACROSS, margin=_MARGIN))
                size += len(piece.picture or "")
        yield citation, piece


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
                " its words cannot be exported any more",
                document_id=str(mark.document_id),
            )
        proven.append(ProvenCitation(citation["n"], citation["status"], mark, words))
    return tuple(proven)
