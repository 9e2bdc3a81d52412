"""An answer whose sentences leave one by one, each proven before it does."""

from collections.abc import Generator

from pulsedocs.questions.answer_question import Answer, Answering
from pulsedocs.questions.query_engine import QueryEngine
from pulsedocs.questions.question import Question


def stream_answer(question: Question, *, engine: QueryEngine) -> Generator[str, None, Answer]:
    """Yield whole sentences that, joined, are what `ask_question` answers; return the answer.

    An empty one says that nothing can be shown yet. Closing the generator stops the model. A model
    that fails after the first sentence raises its error.
    """
    return Answering(method="stream", streams=True, engine=engine).sentences(question)
