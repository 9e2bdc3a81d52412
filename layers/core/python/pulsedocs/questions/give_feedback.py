"""What a person says of an answer, tied to its trace: from it follows where the answer stands."""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from pulsedocs.errors import InvalidRequest
from pulsedocs.model.feedback import AnswerPlace, Feedback, Verdict
from pulsedocs.questions.ports import FeedbackKeeper
from pulsedocs.questions.query_engine import QueryEngine
from pulsedocs.questions.read_trace import read_trace
from pulsedocs.retrieval.evidence import seal
from pulsedocs.retrieval.trace import Trace, marks_of, reading


@dataclass(frozen=True, slots=True)
class SaidOfAnswer:
    """What is said. `expected` is None where nobody knows, and empty where nothing answers it.

    Without `collections` it is of those that were asked.
    """

    tenant_id: UUID
    subject: str
    trace_id: str
    question: str
    verdict: Verdict
    reason: str = ""
    collections: tuple[str, ...] = ()
    expected: Sequence[AnswerPlace] | None = None


def give_feedback(said: SaidOfAnswer, *, engine: QueryEngine, keeper: FeedbackKeeper) -> Feedback:
    """Keep what is said, in place of what the same person said of this answer before.

    An answer that helped stands where it cites; a refusal that helped has no place. A follow-up is
    an evaluation question as it was rewritten, not as asked. Raises TraceNotFound, InvalidRequest
    where the question is not the trace's or a helpful answer is given other places, and
    DocumentNotFound where a document of it is gone.
    """
    trace = read_trace(said.tenant_id, said.trace_id, objects=engine.objects)
    stands_alone = _stands_alone(said.question, trace, engine=engine)
    cited = tuple(
        AnswerPlace(mark.document_id, mark.page, mark.version, mark.start, mark.end)
        for mark in marks_of(trace)
    )
    is_helpful = said.verdict is Verdict.HELPFUL
    if is_helpful and said.expected is not None:
        raise InvalidRequest("an answer that helped stands where it cites: leave out `expected`")
    named = None if said.expected is None else tuple(said.expected)
    places = cited if is_helpful else named
    if not stands_alone:
        places = None
    feedback = Feedback(
        trace_id=said.trace_id,
        subject=said.subject,
        verdict=said.verdict,
        reason=said.reason,
        question=said.question,
        collections=said.collections or _asked_of(trace),
        places=places,
        document_ids=tuple(dict.fromkeys(each.document_id for each in (*cited, *(named or ())))),
    )
    keeper.keep_feedback(said.tenant_id, feedback)
    return feedback


def _asked_of(trace: Trace) -> tuple[str, ...]:
    return tuple(trace.get("collections", ("default",)))  # traces of earlier versions lack them


def _stands_alone(question: str, trace: Trace, *, engine: QueryEngine) -> bool:
    """Say whether it is what was searched, as a follow-up as asked is not.

    Raises InvalidRequest for a question that is neither.
    """
    sealed = {seal(key, "question", question) for key in (engine.tenant_key, *engine.former_keys)}
    with reading():
        rewritten = trace["input_stage"]["rewritten_hmac"]
        if sealed.isdisjoint({trace["question_hmac"], rewritten}):
            raise InvalidRequest("the question is not the one that the trace is of")
        if trace.get("answer") is None:
            raise InvalidRequest("the trace is of a search, which has no answer to judge")
    return rewritten is None or rewritten in sealed
