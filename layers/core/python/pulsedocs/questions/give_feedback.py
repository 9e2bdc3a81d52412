"""What a person says of an answer, tied to its trace: from it follows where the answer stands."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from uuid import UUID

from pulsedocs.errors import InvalidRequest
from pulsedocs.model.feedback import AnswerPlace, Feedback, Verdict
from pulsedocs.questions.ports import FeedbackKeeper, TraceStore
from pulsedocs.questions.query_engine import QueryEngine
from pulsedocs.questions.read_trace import read_trace, refuse_other_question
from pulsedocs.retrieval.trace import Trace, collections_of, marks_of, reading


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
    DocumentNotFound where a document of it is gone, and PageNotFound where one has no such page.
    """
    trace = read_trace(said.tenant_id, said.trace_id, objects=engine.objects)
    stands_alone = _stands_alone(said.question, trace, engine=engine)
    cited = _once_each(
        AnswerPlace(mark.document_id, mark.page, mark.version, mark.start, mark.end)
        for mark in marks_of(trace)
    )
    is_helpful = said.verdict is Verdict.HELPFUL
    if is_helpful and said.expected is not None:
        raise InvalidRequest("an answer that helped stands where it cites: leave out `expected`")
    named = None if said.expected is None else _once_each(said.expected)
    places = cited if is_helpful else named
    if not stands_alone:
        places = None
    feedback = Feedback(
        trace_id=said.trace_id,
        subject=said.subject,
        verdict=said.verdict,
        reason=said.reason,
        question=said.question,
        collections=said.collections or collections_of(trace),
        places=places,
        document_ids=tuple(dict.fromkeys(each.document_id for each in (*cited, *(named or ())))),
    )
    keeper.keep_feedback(said.tenant_id, feedback)
    return feedback


def withdraw_feedback(
    tenant_id: UUID, trace_id: str, *, subject: str, keeper: FeedbackKeeper, objects: TraceStore
) -> bool:
    """Forget what a person said of an answer; return whether there was anything.

    What is there goes without its trace, which is kept for less long. Raises TraceNotFound where
    there is neither.
    """
    was_there = keeper.withdraw_feedback(tenant_id, trace_id, subject=subject)
    if not was_there:
        read_trace(tenant_id, trace_id, objects=objects)
    return was_there


def _once_each(places: Iterable[AnswerPlace]) -> tuple[AnswerPlace, ...]:
    return tuple(dict.fromkeys(places))


def _stands_alone(question: str, trace: Trace, *, engine: QueryEngine) -> bool:
    """Say whether it says by itself what was searched, as a follow-up does only as rewritten.

    Raises InvalidRequest for a question that is neither the one asked nor the one searched.
    """
    with reading():
        inputs = trace["input_stage"]
        rewritten = inputs["rewritten_hmac"]
        is_rewritten = rewritten in engine.seals_of("question", question)
        if not is_rewritten:
            refuse_other_question(question, trace, engine=engine)
        if trace.get("answer") is None:
            raise InvalidRequest("the trace is of a search, which has no answer to judge")
        # Without a history only its spelling was another.
        return is_rewritten or rewritten is None or not inputs["history_messages"]
