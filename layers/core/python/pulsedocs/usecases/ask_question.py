"""An answer to a question, every sentence of it tied to words on a page, or why there is none."""

from pulsedocs.model.deadline import Deadline
from pulsedocs.ports import ObjectStore, RetrievalStore
from pulsedocs.usecases.answer_question import Answer, Answering, AnswerSource
from pulsedocs.usecases.providers import Providers
from pulsedocs.usecases.question import Question, Texts

__all__ = ["Answer", "AnswerSource", "ask_question"]


def ask_question(
    question: Question,
    *,
    store: RetrievalStore,
    providers: Providers,
    objects: ObjectStore,
    tenant_key: bytes,
    texts: Texts,
    deadline: Deadline,
) -> Answer:
    """Answer from the selected passages, or abstain."""
    return Answering(
        method="ask",
        streams=False,
        store=store,
        providers=providers,
        objects=objects,
        tenant_key=tenant_key,
        texts=texts,
        deadline=deadline,
    ).whole(question)
