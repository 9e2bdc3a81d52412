"""An answer whose sentences leave one by one, each proven before it does."""

from collections.abc import Generator

from pulsedocs.model.deadline import Deadline
from pulsedocs.ports import ObjectStore, RetrievalStore
from pulsedocs.usecases.answer_question import Answer, Answering
from pulsedocs.usecases.providers import Providers
from pulsedocs.usecases.question import Question, Texts


def stream_answer(
    question: Question,
    *,
    store: RetrievalStore,
    providers: Providers,
    objects: ObjectStore,
    tenant_key: bytes,
    texts: Texts,
    deadline: Deadline,
) -> Generator[str, None, Answer]:
    """Yield whole sentences that, joined, are what `ask_question` answers; return the answer.

    An empty one says that nothing can be shown yet. Closing the generator stops the model. A model
    that fails after the first sentence raises its error.
    """
    return Answering(
        method="stream",
        streams=True,
        store=store,
        providers=providers,
        objects=objects,
        tenant_key=tenant_key,
        texts=texts,
        deadline=deadline,
    ).sentences(question)
