"""An answer that ends with its references, and what the reranker did for it."""

from dataclasses import dataclass, replace
from typing import Final

from pulsedocs.answering.references import Reference, references_of, references_section
from pulsedocs.model.deadline import Deadline
from pulsedocs.ports import ObjectStore, RetrievalStore
from pulsedocs.retrieval.reranking import Reranked, effect_of_reranking
from pulsedocs.usecases.answer_question import Answer, Answering
from pulsedocs.usecases.providers import Providers
from pulsedocs.usecases.question import Question, Texts

PROFILE: Final = "classic"
"""The policy of a chat that names none."""


@dataclass(frozen=True, slots=True)
class ChatAnswer:
    """`answer.text` ends with the references, where there are any."""

    answer: Answer
    references: tuple[Reference, ...]
    effect: Reranked


def answer_chat(
    question: Question,
    *,
    store: RetrievalStore,
    providers: Providers,
    objects: ObjectStore,
    tenant_key: bytes,
    texts: Texts,
    deadline: Deadline,
) -> ChatAnswer:
    """Answer as `ask_question` does, under the policy `classic` unless another is named."""
    answer = Answering(
        method="chat",
        streams=False,
        store=store,
        providers=providers,
        objects=objects,
        tenant_key=tenant_key,
        texts=texts,
        deadline=deadline,
    ).whole(replace(question, profile=question.profile or PROFILE))
    references = references_of(answer.citations)
    return ChatAnswer(
        answer=_with_references(answer, references),
        references=references,
        effect=effect_of_reranking(answer.candidates),
    )


def _with_references(answer: Answer, references: tuple[Reference, ...]) -> Answer:
    if not references:
        return answer
    return replace(answer, text=f"{answer.text}\n\n{references_section(references)}")
