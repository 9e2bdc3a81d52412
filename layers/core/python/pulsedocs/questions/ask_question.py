"""An answer to a question, every sentence of it tied to words on a page, or why there is none."""

from pulsedocs.questions.answer_question import Answer, Answering, AnswerSource
from pulsedocs.questions.query_engine import QueryEngine
from pulsedocs.questions.question import Question

__all__ = ["Answer", "AnswerSource", "ask_question"]


def ask_question(question: Question, *, engine: QueryEngine) -> Answer:
    """Answer from the selected passages, or abstain."""
    return Answering(method="ask", streams=False, engine=engine).whole(question)
