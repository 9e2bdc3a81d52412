"""Whether questions are answered from the right words, and refused where nothing answers."""

from evaluation.corpora import Corpus
from evaluation.datasets import Dataset
from evaluation.gate import Figures
from pulsedocs.model.evaluations import LabelledQuestion
from pulsedocs.questions.ask_question import Answer, ask_question
from pulsedocs.questions.query_engine import QueryEngine
from pulsedocs.questions.question import Question
from pulsedocs.retrieval.quality import abstentions, holds, means, normalised


def ask_all(dataset: Dataset, corpus: Corpus, *, engine: QueryEngine) -> Figures:
    """Return which answerable questions were answered, and from where; which others refused."""
    answerable: list[dict[str, float]] = []
    refused: list[bool] = []
    for question in dataset.questions:
        asked = Question(question.text, corpus.scope_of(question), profile="default")
        answer = ask_question(asked, engine=engine)
        refused.append(answer.abstained is not None)
        if question.expected:
            answerable.append(
                {
                    "answered": float(answer.abstained is None),
                    "cited": float(_is_from(answer, question)),
                }
            )
    said = abstentions(refused, [one.answerable for one in dataset.questions])
    due = [
        float(no) for no, one in zip(refused, dataset.questions, strict=True) if not one.expected
    ]
    figures = means(answerable) | (means([{"refused": one} for one in due]) if due else {})
    return {
        "questions": len(dataset.questions),
        "stages": {
            "answer": {name: [own.mean, own.low, own.high] for name, own in figures.items()}
        },
        "abstention": {"precision": said.precision, "recall": said.recall},
    }


def _is_from(answer: Answer, question: LabelledQuestion) -> bool:
    """Say whether a citation stands where the label says."""
    return any(
        citation.source == place.source
        and place.page in {None, citation.page}
        and (
            place.quote is None
            or holds(normalised(citation.quote), normalised(place.quote))
            or normalised(citation.quote) in normalised(place.quote)
        )
        for citation in answer.citations
        for place in question.expected
    )
