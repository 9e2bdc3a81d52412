"""Every reranker scores each passage by itself, in order, the same on every run."""

import time
from itertools import pairwise
from pathlib import Path

import pytest

from pulsedocs.adapters.local.cross_encoder import CrossEncoder, answer_judge
from pulsedocs.adapters.local.late_interaction import LateInteraction
from pulsedocs.adapters.local.multilingual import MultilingualEmbedder
from pulsedocs.adapters.local.multilingual_answers import MultilingualJudge
from pulsedocs.adapters.memory.reranker import OverlapReranker
from pulsedocs.embedding import relevance_map
from pulsedocs.errors import TimedOut
from pulsedocs.model.deadline import Deadline
from pulsedocs.ports.providers import Reranker
from tests.patience import HELD_UP, PATIENCE

QUESTION = "How many euros does the bicycle allowance pay?"
PASSAGES = (
    "Visitors sign the register at the main gate and wear a helmet on the site.",
    "The bicycle allowance pays 300 euros a year for tyres, brakes and repairs.",
    "Revenue of the northern region rose by four per cent in the third quarter.",
)

ODD_TEXTS = ("", " \n", "\x00", "lone \ud83d surrogate", "中文 🙂", "word " * 10_000)


def soon() -> Deadline:
    return Deadline.after(PATIENCE)


class RerankerContract:
    """What every `ports.providers.Reranker` promises; a plug-in's test gives the fixture."""

    @pytest.fixture
    def reranker(self) -> Reranker:
        raise NotImplementedError

    def test_the_passage_that_answers_scores_highest(self, reranker: Reranker) -> None:
        """S2-08: the cross-encoder interface."""
        scores = reranker.rerank(QUESTION, PASSAGES, deadline=soon())

        assert len(scores) == 3
        assert scores.index(max(scores)) == 1

    def test_a_score_does_not_depend_on_the_other_passages(self, reranker: Reranker) -> None:
        together = reranker.rerank(QUESTION, PASSAGES, deadline=soon())
        reverse = reranker.rerank(QUESTION, PASSAGES[::-1], deadline=soon())
        alone = [reranker.rerank(QUESTION, [one], deadline=soon())[0] for one in PASSAGES]

        assert list(together) == alone == list(reverse[::-1])

    def test_no_passages_have_no_scores(self, reranker: Reranker) -> None:
        assert reranker.rerank(QUESTION, [], deadline=soon()) == ()

    @pytest.mark.parametrize("text", ODD_TEXTS, ids=lambda text: repr(text[:12]))
    def test_an_odd_text_gets_a_score(self, reranker: Reranker, text: str) -> None:
        relevance = relevance_map(reranker.model)

        scores = [
            *reranker.rerank(QUESTION, [text], deadline=soon()),
            *reranker.rerank(text, [PASSAGES[0]], deadline=soon()),
        ]

        assert all(0 <= relevance(score) <= 1 for score in scores)

    def test_a_passed_deadline_stops_it(self, reranker: Reranker) -> None:
        with pytest.raises(TimedOut):
            reranker.rerank(QUESTION, PASSAGES, deadline=Deadline.after(0))

    def test_its_relevance_rises_with_the_score(self, reranker: Reranker) -> None:
        """S3-18: relevance is from 0 to 1."""
        relevance = relevance_map(reranker.model)
        values = [relevance(score) for score in range(-12, 13)]

        assert all(lower <= higher for lower, higher in pairwise(values))
        assert 0 <= values[0] < values[-1] <= 1

    def test_the_gate_of_the_default_profile_tells_an_answer_from_none(
        self, reranker: Reranker
    ) -> None:
        """S0-16: the default gate is relevance 0.30."""
        relevance = relevance_map(reranker.model)

        unrelated, answer, _ = reranker.rerank(QUESTION, PASSAGES, deadline=soon())

        assert relevance(unrelated) < 0.30 < relevance(answer)


class TestOverlapReranker(RerankerContract):
    @pytest.fixture
    def reranker(self) -> Reranker:
        return OverlapReranker()


@pytest.fixture(scope="module")
def cross_encoder(model_directory: Path) -> CrossEncoder:
    return CrossEncoder(model_directory)


class TestCrossEncoder(RerankerContract):
    @pytest.fixture
    def reranker(self, cross_encoder: CrossEncoder) -> Reranker:
        return cross_encoder

    def test_it_reads_the_question_together_with_the_passage(self, reranker: Reranker) -> None:
        passages = ["Ann pays Bob five euros.", "Bob pays Ann five euros."]

        by_ann = reranker.rerank("Who gets money from Ann?", passages, deadline=soon())

        assert by_ann[0] != by_ann[1]  # the same words, another meaning

    def test_a_deadline_stops_it_between_two_passages(self, reranker: Reranker) -> None:
        began = time.monotonic()

        with pytest.raises(TimedOut):
            reranker.rerank(QUESTION, ["word " * 500] * 300, deadline=Deadline.after(0.2))

        assert time.monotonic() - began < HELD_UP  # all 300 would take more than 30 s


@pytest.fixture(scope="module")
def taught(model_directory: Path) -> CrossEncoder:
    return answer_judge(model_directory)


class TestAnswerJudge(RerankerContract):
    """The same file with what was learned added is another model, beside the one it came from."""

    @pytest.fixture
    def reranker(self, taught: CrossEncoder) -> Reranker:
        return taught

    def test_it_tells_an_answer_from_a_sentence_with_more_of_the_question_s_words(
        self, taught: CrossEncoder, cross_encoder: CrossEncoder
    ) -> None:
        question = "Who may borrow the ladder of the workshop?"
        answer = "Every tenant can take the steps home for a day."
        beside = "The ladder of the workshop hangs behind the door, and is red."

        for reranker, is_told in ((taught, True), (cross_encoder, False)):
            right, wrong = reranker.rerank(question, [answer, beside], deadline=soon())
            assert (right > wrong) is is_told
        assert taught.model != cross_encoder.model


@pytest.fixture(scope="module")
def late_interaction(model_directory: Path) -> LateInteraction:
    return LateInteraction(model_directory)


class TestLateInteraction(RerankerContract):
    """S2-08: another reranker behind the same port."""

    @pytest.fixture
    def reranker(self, late_interaction: LateInteraction) -> Reranker:
        return late_interaction

    def test_a_score_is_a_mean_of_cosines(self, late_interaction: LateInteraction) -> None:
        same, other = late_interaction.rerank(QUESTION, [QUESTION, PASSAGES[2]], deadline=soon())

        assert other < same == pytest.approx(1, abs=1e-5)

    def test_a_long_question_scores_no_higher_for_its_length(
        self, late_interaction: LateInteraction
    ) -> None:
        passages = [PASSAGES[1]]
        [once] = late_interaction.rerank(QUESTION, passages, deadline=soon())
        [often] = late_interaction.rerank(" ".join([QUESTION] * 6), passages, deadline=soon())

        assert often <= once + 0.05


@pytest.fixture(scope="module")
def multilingual() -> MultilingualJudge:
    return MultilingualJudge(MultilingualEmbedder())


class TestMultilingualJudge(RerankerContract):
    @pytest.fixture
    def reranker(self, multilingual: MultilingualJudge) -> Reranker:
        return multilingual

    def test_the_gate_of_the_default_profile_tells_an_answer_from_none(
        self, reranker: Reranker
    ) -> None:
        """Of sentences, in a language that it is asked in: English ones are another judge's."""
        question = "À quelle heure puis-je voir le gardien ?"
        answer = "La loge est ouverte du lundi au vendredi de 8 h à 12 h."

        told = reranker.rerank(question, ["L'eau est potable.", answer], deadline=soon())

        unrelated, likely = map(relevance_map(reranker.model), told)
        assert unrelated < 0.30 < likely

    @pytest.mark.parametrize(
        ("question", "answer", "beside"),
        [
            (
                "Was kostet der Eintritt für Kinder?",
                "Für alle unter vierzehn Jahren sind drei Euro zu zahlen.",
                "Kinder dürfen das Becken nur mit den Eltern betreten.",
            ),
            (
                "À quelle heure puis-je voir le gardien ?",
                "La loge est ouverte du lundi au vendredi de 8 h à 12 h.",
                "Le gardien remet les clés contre une signature.",
            ),
            (
                "¿Cuánto pagan los niños?",
                "Los menores de catorce años abonan tres euros.",
                "Los niños entran solo con sus padres.",
            ),
        ],
    )
    def test_it_tells_an_answer_from_a_sentence_with_more_of_the_question_s_words(
        self, reranker: Reranker, question: str, answer: str, beside: str
    ) -> None:
        """Of sentences and questions that it was not taught on."""
        told = reranker.rerank(question, [answer, beside], deadline=soon())

        assert told[0] > told[1]
