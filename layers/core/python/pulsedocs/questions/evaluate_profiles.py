"""How well policies find what is known to answer, stage by stage, in the caller's own documents."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from uuid import UUID

from pulsedocs.errors import TimedOut
from pulsedocs.model.deadline import Deadline
from pulsedocs.model.evaluations import EvaluatedStep, LabelledQuestion, ProfileFigures
from pulsedocs.model.retrieval import Scope
from pulsedocs.questions.query_engine import QueryEngine
from pulsedocs.questions.question import Question, Retrieved
from pulsedocs.questions.recording import settle
from pulsedocs.questions.retrieving import retrieve
from pulsedocs.retrieval.orders import orders_of
from pulsedocs.retrieval.quality import Shown, abstentions, figures, means

METHOD = "evaluate"
QUESTION_SECONDS = 25.0  # what a question has in `ask` too


@dataclass(frozen=True, slots=True)
class Asked:
    """One question under one policy: what each stage made of it."""

    question: LabelledQuestion
    figures: dict[EvaluatedStep, dict[str, float]]
    is_refused: bool
    degraded: tuple[str, ...]
    profile: tuple[str, int]
    corpus: dict[str, object]


def evaluate_profile(
    profile: str,
    questions: Sequence[LabelledQuestion],
    *,
    scope: Scope,
    engine: QueryEngine,
) -> list[Asked]:
    """Select for each question as `ask` would; those that the deadline leaves over are not asked.

    Raises ProfileNotFound and CollectionNotFoundError.
    """
    asked: list[Asked] = []
    for question in questions:
        try:
            limit = Deadline.after(engine.deadline.timeout(QUESTION_SECONDS))
        except TimedOut:
            break
        asking = engine.within(limit)
        ids = tuple(UUID(one) for one in question.document_ids)
        retrieved = retrieve(
            Question(
                question.text, replace(scope, document_ids=ids) if ids else scope, profile=profile
            ),
            method=METHOD,
            engine=asking,
            reserved_tokens=lambda _question: 0,
        )
        settle(retrieved, method=METHOD, engine=asking)
        asked.append(_judged(retrieved, question))
    return asked


def figures_of(asked: Sequence[Asked]) -> ProfileFigures:
    """Return the means of what was asked under one policy, at least one question."""
    answerable = [one for one in asked if one.question.expected]
    name, revision = asked[0].profile
    return ProfileFigures(
        profile=name,
        revision=revision,
        stages={
            stage: means([one.figures[stage] for one in answerable])
            for stage in EvaluatedStep
            if answerable
        },
        abstention=abstentions(
            [one.is_refused for one in asked], [one.question.answerable for one in asked]
        ),
        questions=len(asked),
        degraded=dict(Counter(part for one in asked for part in one.degraded)),
    )


def _judged(retrieved: Retrieved, question: LabelledQuestion) -> Asked:
    by_id = {candidate.chunk_id: candidate for candidate in retrieved.found.candidates}
    orders = orders_of(retrieved.evidence, retrieved.profile)
    return Asked(
        question=question,
        figures={
            stage: figures(
                [Shown(one.source, one.pages, one.text) for one in map(by_id.__getitem__, order)],
                question.expected,
            )
            for stage, order in orders.items()
            if question.expected
        },
        is_refused=retrieved.selection.refusal is not None,
        degraded=tuple(retrieved.journal.degraded),
        profile=(retrieved.profile.name, retrieved.profile.revision),
        corpus=dict(retrieved.found.corpus),
    )
