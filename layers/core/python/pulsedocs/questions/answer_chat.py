"""An answer that ends with its references, and what the reranker did for it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from pulsedocs.answering.references import Reference, references_of, references_section
from pulsedocs.model.answers import Citation
from pulsedocs.questions.answer_question import Answer, Answering
from pulsedocs.questions.query_engine import QueryEngine
from pulsedocs.questions.question import Question
from pulsedocs.retrieval.reranking import Reranked, effect_of_reranking

PROFILE: Final = "classic"
"""The policy of a chat that names none."""


@dataclass(frozen=True, slots=True)
class ChatAnswer:
    """`answer.text` ends with the references, where there are any."""

    answer: Answer
    references: tuple[Reference, ...]
    effect: Reranked


def answer_chat(question: Question, *, engine: QueryEngine) -> ChatAnswer:
    """Answer as `ask_question` does, under the policy `classic` unless another is named."""
    asked = replace(question, profile=question.profile or PROFILE)
    answering = Answering(method="chat", streams=False, engine=engine, ending=_references)
    answer = answering.whole(asked)
    return ChatAnswer(
        answer=answer,
        references=references_of(answer.citations),
        effect=effect_of_reranking(answer.candidates, answer.passages),
    )


def _references(citations: Sequence[Citation]) -> str:
    references = references_of(citations)
    return f"\n\n{references_section(references)}" if references else ""
