"""An answer is proven by its pages or not given."""

import itertools
import re
import time
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, Final
from uuid import UUID

import pytest

from pulsedocs.adapters.memory.chat import Reply, ScriptedChat
from pulsedocs.adapters.memory.embedder import HashingEmbedder
from pulsedocs.adapters.memory.object_store import InMemoryObjectStore
from pulsedocs.adapters.memory.reranker import OverlapReranker
from pulsedocs.errors import (
    ObjectStoreUnavailable,
    ProviderQuotaExhausted,
    ProviderUnavailable,
    RerankingError,
    StoreUnavailable,
)
from pulsedocs.model.answers import ChatMessage, Completion
from pulsedocs.model.deadline import Deadline
from pulsedocs.model.page_status import PageStatus
from pulsedocs.model.retrieval import Abstention, Coverage, LostAt, Scope
from pulsedocs.questions.ask_question import Answer, ask_question
from pulsedocs.questions.providers import Providers
from pulsedocs.questions.question import Question
from pulsedocs.questions.read_trace import read_trace
from pulsedocs.questions.replay_trace import replay_trace
from pulsedocs.retrieval.explanation import lost_before
from pulsedocs.retrieval.profiles import Overrides, profile_named
from tests.unit.questions.shelf import TENANT, Shelf, engine_over, lease_shelf

RENT = "When is the monthly rent due?"
GOOD = 'Rent is due on the third day [1: "due on the third day of the month"].'


LEASE = (UUID(int=1),)
SOME_TIME = datetime(2020, 1, 1, tzinfo=UTC)


_LOCAL: Final = "local:ms-marco-MiniLM-L12-v2"


def ask(
    text: str,
    shelf: Shelf,
    *,
    chat: ScriptedChat | None = None,
    objects: InMemoryObjectStore | None = None,
    embedder: Any = None,
    reranker: Any = OverlapReranker,
    document_ids: tuple[UUID, ...] = (),
    **question: Any,
) -> Answer:
    answer_judge = question.pop("answer_judge", lambda: None)
    return ask_question(
        Question(text, Scope(TENANT, document_ids=document_ids), subject="user-1", **question),
        engine=engine_over(
            shelf,
            Providers(
                embedder=embedder or (lambda _model: HashingEmbedder()),
                reranker=reranker,
                chat=lambda: chat,
                answer_judge=lambda model: answer_judge() if model == _LOCAL else None,
            ),
            objects=objects or InMemoryObjectStore(),
        ),
    )


def proven(answer: Answer, shelf: Shelf) -> bool:
    """Return whether every marker has a citation and every citation its words on the page."""
    shown = [int(n) for n in re.findall(r"\[([0-9]+)\]", answer.text)]
    cited = {(at, citation.n) for citation in answer.citations for at in citation.markers}
    return cited == set(enumerate(shown)) and all(
        shelf.pages[citation.document_id, citation.version, citation.page][0][
            citation.start : citation.end
        ]
        == citation.quote
        for citation in answer.citations
    )


def test_without_a_chat_model_the_answer_is_the_documents_own_sentence() -> None:
    """S0-24, S4-09."""
    shelf = lease_shelf()

    answer = ask(RENT, shelf)

    assert "rent is due on the third day of the month [1]." in answer.text
    assert proven(answer, shelf)
    assert answer.citations[0].page_label == "p2"
    assert answer.model == "extractive"
    assert answer.sources[0].source == "file-1.pdf"
    assert answer.degraded == ()


def test_a_generated_answer_shows_its_proof() -> None:
    """S0-24."""
    shelf = lease_shelf()

    answer = ask(RENT, shelf, chat=ScriptedChat([GOOD]))

    assert answer.text == "Rent is due on the third day [1]."
    assert proven(answer, shelf)
    assert answer.model == "memory:scripted"
    assert answer.output_tokens > 0


def test_the_model_sees_numbered_sources_and_the_bounded_history() -> None:
    """S0-23, S2-13, S4-11."""
    chat = ScriptedChat([GOOD])
    history = (ChatMessage("user", "x" * 3000), ChatMessage("user", "And the flat?"))

    ask(RENT, lease_shelf(), chat=chat, history=history)

    [[system, cut, turn, asked]] = chat.asked
    assert system.role == "system"
    assert len(cut.content) == 2000 - len("And the flat?")
    assert turn.content == "And the flat?"
    assert asked.content.startswith("Sources:\n\n[1] (source: file-1.pdf, p. 2)\n")
    assert asked.content.endswith(f"Question: {RENT}")


@pytest.mark.parametrize(
    ("text", "embedded", "reason", "message"),
    [
        ("Which galaxy rotates?", True, Abstention.BELOW_THRESHOLD, "no information"),
        (RENT, False, Abstention.NOT_INDEXED_FOR_MODEL, "not indexed"),
        ("  ", True, Abstention.EMPTY_QUERY, "empty"),
    ],
)
def test_nothing_selected_means_no_call_to_the_model(
    *,
    text: str,
    embedded: bool,
    reason: Abstention,
    message: str,
) -> None:
    """S0-16, S1-01, S2-16."""
    shelf, chat = lease_shelf(), ScriptedChat([GOOD])
    shelf.embedded = embedded

    answer = ask(text, shelf, chat=chat)

    assert answer.abstained is not None
    assert (answer.abstained.reason, answer.abstained.message) == (reason, message)
    assert (answer.text, answer.citations, answer.sources) == ("", (), ())
    assert chat.asked == []


class CountingReranker(OverlapReranker):
    def __init__(self) -> None:
        self.asked = 0

    def rerank(self, *asked: Any, **options: Any) -> tuple[float, ...]:
        self.asked += 1
        return super().rerank(*asked, **options)


@pytest.mark.parametrize(
    ("reply", "detail"),
    [
        ("NO_ANSWER", "the model says that the passages do not answer"),
        ("The rent is due on the first day.", "none of 1 sentences"),
        ('Rent is due [1: "on the ninth day of May"].', "none of 1 sentences"),
    ],
)
def test_an_answer_that_the_pages_do_not_bear_out_is_not_given(reply: str, detail: str) -> None:
    """S2-16, I12."""
    reranker, shelf = CountingReranker(), lease_shelf()

    answer = ask(RENT, shelf, chat=ScriptedChat([reply]), reranker=lambda: reranker)

    assert answer.abstained is not None
    assert answer.abstained.reason is Abstention.NO_ANSWER_IN_CONTEXT
    assert answer.abstained.message == "no answer"
    assert answer.abstained.detail.startswith(detail)
    assert (answer.text, answer.model) == ("", "memory:scripted")
    nearest = answer.abstained.nearest
    assert nearest is not None
    assert "rent is due on the third day" in nearest.quote
    page, *_ = shelf.pages[nearest.document_id, nearest.version or 0, nearest.page]
    assert page[nearest.start : nearest.end] == nearest.quote
    assert reranker.asked == 1  # for the passages: what is paid for judges no sentence besides


def test_no_sentence_good_enough_abstains() -> None:
    """S2-16: the passages passed without a gate; the sentences do not."""
    answer = ask("Which galaxy rotates fastest?", lease_shelf(), profile="fast")

    assert answer.abstained is not None
    assert answer.abstained.reason is Abstention.NO_ANSWER_IN_CONTEXT
    assert answer.abstained.detail.startswith("best sentence 0.")


_HOSTILE: Sequence[str] = (
    f'{GOOD} [99] [7: "due on the third day"]',
    f"{GOOD} ![x](https://evil.example/?q=1) <script>alert(1)</script> [1",
    f'{GOOD} [\uff11] [\u0662: "due on the third day"] \x1b[31m \u202e',
    'Dogs are free [1: "Dogs need the written consent"].',
    "[1][1][1]" * 200,
    "\ue0000\ue001" * 50,
    "<" * 3000 + "[" * 3000,
)


@pytest.mark.parametrize("reply", _HOSTILE)
def test_a_hostile_model_cannot_forge_a_proof(reply: str) -> None:
    shelf = lease_shelf()

    answer = ask(RENT, shelf, chat=ScriptedChat([reply]))

    assert proven(answer, shelf)
    assert not re.search(r"evil|<[a-z/]|\]\(|\x1b|\u202e", answer.text)
    assert bool(answer.text) == (answer.abstained is None)


def test_a_generator_that_fails_leaves_the_documents_own_sentence() -> None:
    for reply in (ProviderUnavailable("down"), ProviderQuotaExhausted("empty"), "  "):
        shelf = lease_shelf()
        answer = ask(RENT, shelf, chat=ScriptedChat([reply]))
        assert answer.degraded == ("generation",)
        assert answer.model == "extractive"
        assert proven(answer, shelf)


def test_an_answer_withheld_by_a_filter_leaves_the_documents_own_sentence() -> None:
    class Filtered(ScriptedChat):
        def complete(self, *_: object, **__: object) -> Completion:
            return Completion("Rent", 1, 1, "content_filter", self.model)

    assert ask(RENT, lease_shelf(), chat=Filtered()).degraded == ("generation",)


def test_a_page_deleted_meanwhile_is_not_quoted() -> None:
    """I11: readable by the caller now."""
    shelf, chat = lease_shelf(), ScriptedChat([GOOD])
    shelf.pages.clear()

    answer = ask(RENT, shelf, chat=chat)

    assert answer.abstained is not None
    assert answer.abstained.reason is Abstention.NO_ANSWER_IN_CONTEXT
    assert chat.asked == []


def test_strict_scores_sentences_without_a_model() -> None:
    """S0-25."""

    def forbidden() -> Any:
        raise AssertionError

    shelf = lease_shelf()
    answer = ask(RENT, shelf, profile="strict", reranker=forbidden)

    assert proven(answer, shelf)
    assert "third day" in answer.text


class _Local(OverlapReranker):
    """Scores on the scale of the local cross-encoder, as far as words are shared."""

    @property
    def model(self) -> str:
        return _LOCAL

    def rerank(
        self, query: str, passages: Sequence[str], *, deadline: Deadline
    ) -> tuple[float, ...]:
        return tuple(8 * one for one in super().rerank(query, passages, deadline=deadline))


class _Hair(_Local):
    """Scores passages above the gate, and then their sentences below it by a hair."""

    _next = 8.0

    def rerank(
        self, query: str, passages: Sequence[str], *, deadline: Deadline
    ) -> tuple[float, ...]:
        del query, deadline
        score, self._next = self._next, -7.25
        return (score,) * len(passages)


def test_a_refusal_by_a_hair_does_not_read_as_a_tie() -> None:
    """Fails when: 0.296 is shown as 0.30, which is not below 0.30."""
    scores = _Hair()

    answer = ask("Which galaxy rotates fastest?", lease_shelf(), reranker=lambda: scores)

    assert answer.abstained is not None
    assert answer.abstained.detail == "best sentence 0.29 < 0.30"


class _Failing(_Local):
    asked = 0

    def rerank(
        self, query: str, passages: Sequence[str], *, deadline: Deadline
    ) -> tuple[float, ...]:
        del query, passages, deadline
        self.asked += 1
        raise RerankingError("down")


class _Denying(_Local):
    @property
    def model(self) -> str:
        return "local:pulsedocs-answers"

    def rerank(
        self, query: str, passages: Sequence[str], *, deadline: Deadline
    ) -> tuple[float, ...]:
        del query, deadline
        return tuple(-8.0 for _ in passages)


def test_a_judge_of_answers_that_fails_takes_no_answer_away() -> None:
    """What the reranker said of the sentences stands; the loss is named."""
    judge, objects = _Failing(), InMemoryObjectStore()

    without, failing = (
        ask(RENT, lease_shelf(), reranker=_Local, answer_judge=judging, objects=objects)
        for judging in (lambda: None, lambda: judge)
    )

    checks, same = (
        read_trace(TENANT, answer.trace_id, objects=objects)["answer"]["checks"]
        for answer in (without, failing)
    )
    assert "third day of the month [1]." in failing.text == without.text
    assert (judge.asked, failing.degraded) == (1, ("sentences",))
    assert same == checks  # by words alone the best sentence would be worth another share


class _Distant(_Local):
    def rerank(
        self, query: str, passages: Sequence[str], *, deadline: Deadline
    ) -> tuple[float, ...]:
        del query, deadline
        return tuple(-11.0 for _ in passages)


class _Affirming(_Denying):
    def rerank(
        self, query: str, passages: Sequence[str], *, deadline: Deadline
    ) -> tuple[float, ...]:
        del query, deadline
        return tuple(8.0 if "third day" in one else -8.0 for one in passages)


PAYMENT = "Until what date must money arrive?"


def test_a_sentence_that_surely_answers_lets_its_passage_through() -> None:
    """S0-16. Fails when: people's own words stay below the gate of a model that goes by words."""
    objects = InMemoryObjectStore()
    shelf = lease_shelf()

    refused = ask(PAYMENT, shelf, reranker=_Distant)
    answer = ask(PAYMENT, shelf, reranker=_Distant, answer_judge=_Affirming, objects=objects)

    assert refused.abstained is not None
    assert refused.abstained.reason is Abstention.BELOW_THRESHOLD
    assert "third day of the month [1]." in answer.text
    trace = read_trace(TENANT, answer.trace_id, objects=objects)
    assert [one["selected"] for one in trace["candidates"]].count(True) == 1
    assert replay_trace(TENANT, answer.trace_id, objects=objects).identical


def test_sentences_are_read_though_a_passage_that_was_not_reranked_is_like_the_question() -> None:
    """Such a passage cannot be selected: it took the answer from those that can."""
    shelf = lease_shelf()
    shelf.write(7, 1, "Until what date must all the money arrive? By the third day.")
    shelf.write(8, 1, PAYMENT)
    shelf.defined["narrow"] = replace(profile_named("default"), name="narrow", rerank_candidates=1)

    answer = ask(PAYMENT, shelf, reranker=_Distant, answer_judge=_Affirming, profile="narrow")

    assert answer.text == "By the third day [1]."


def test_a_passage_that_no_sentence_of_surely_answers_stays_below_the_gate() -> None:
    for judging in (_Denying, _Failing):
        answer = ask(PAYMENT, lease_shelf(), reranker=_Distant, answer_judge=judging)

        assert answer.abstained is not None
        assert answer.abstained.reason is Abstention.BELOW_THRESHOLD


def test_who_was_taught_is_not_asked_beside_a_reranker_that_it_did_not_come_from() -> None:
    def forbidden() -> Any:
        raise AssertionError

    answer = ask("Until whatever?", lease_shelf(), answer_judge=forbidden)

    assert answer.abstained is not None
    assert answer.abstained.reason is Abstention.BELOW_THRESHOLD


def test_what_is_refused_as_beside_the_question_says_so() -> None:
    answer = ask(RENT, lease_shelf(), reranker=_Local, answer_judge=_Denying)

    assert answer.abstained is not None
    assert answer.abstained.detail.endswith("; the likeliest answers by 0.018 only")


def test_a_year_that_the_passages_lack_is_not_answered_with_another() -> None:
    answer = ask("When did the lease start in 2019?", lease_shelf(), profile="fast")

    assert answer.abstained is not None
    assert answer.abstained.reason is Abstention.NO_ANSWER_IN_CONTEXT
    assert "2019" not in answer.abstained.detail


def test_a_swapped_generator_changes_nothing_in_retrieval() -> None:
    """S0-24: the trace of retrieval is the same with and without a chat model."""
    with_chat = ask(RENT, lease_shelf(), chat=ScriptedChat([GOOD]))
    without = ask(RENT, lease_shelf())

    assert with_chat.candidates == without.candidates


def test_what_could_not_be_read_travels_with_the_answer() -> None:
    shelf = lease_shelf()
    mine, other = Coverage(UUID(int=1), 3, 120), Coverage(UUID(int=2), 1, 4)
    shelf.coverage = (mine, other, Coverage(UUID(int=3), 0, 9))

    assert ask(RENT, shelf).coverage == (mine,)
    assert ask("Which galaxy?", shelf).coverage == (mine, other)


def test_the_trace_says_where_the_proof_stands_and_not_what_it_says() -> None:
    """S0-22."""
    objects, shelf = InMemoryObjectStore(), lease_shelf()

    answer = ask(RENT, shelf, chat=ScriptedChat([f"{GOOD} Rent is free [1]."]), objects=objects)

    trace = read_trace(TENANT, answer.trace_id, objects=objects)
    [citation] = trace["answer"]["citations"]
    assert citation["page"] == 2
    assert citation["end"] > citation["start"]
    assert trace["answer"]["checks"]["claims"] == {"found": 1, "not_found": 1}
    assert trace["models"]["chat"] == "memory:scripted"
    assert "third day" not in str(trace)
    assert replay_trace(TENANT, answer.trace_id, objects=objects).identical


def test_a_long_question_leaves_room_or_says_so() -> None:
    """S0-20: the prompt's own words are reserved first."""
    answer = ask("rent " * 1600, lease_shelf(), overrides=Overrides(score_threshold=0.0))

    reserved = 3000 - sum(
        int(i["numbers"].get("tokens", 0)) for i in answer.candidates if i["rank"]
    )
    assert reserved >= 2600


def test_usage_is_settled_with_the_tokens_of_the_answer() -> None:
    shelf = lease_shelf()

    answer = ask(RENT, shelf, chat=ScriptedChat([GOOD]))

    [usage] = shelf.settled
    assert (usage.method, usage.model) == ("ask", "memory:scripted")
    assert usage.output_tokens == answer.output_tokens


class _Silent(InMemoryObjectStore):
    def write(self, key: str, body: bytes, *, content_type: str = "application/json") -> None:
        del key, body, content_type
        raise ObjectStoreUnavailable("down")


def _down(*_: object) -> Any:
    raise ProviderUnavailable("down")


_FAULTS = ("embedder", "reranker", "generator", "keyword", "trace", "settle")
_NAMES = {
    "embedder": "embedding",
    "reranker": "reranking",
    "generator": "generation",
    "keyword": "keyword",
    "trace": "trace",
    "settle": "usage",
}


@pytest.mark.parametrize(
    "faults",
    [
        pair
        for size in (1, 2)
        for pair in itertools.combinations(_FAULTS, size)
        if pair != ("embedder", "keyword")  # no leg is left: an error, shown in the search tests
    ],
    ids="+".join,
)
def test_every_single_and_every_pair_of_failures_still_answers(faults: tuple[str, ...]) -> None:
    """RELIABILITY 5.9: each loss is named, and what is said is still proven."""
    shelf = lease_shelf()
    if "keyword" in faults:
        shelf.degraded = ("keyword",)
    if "settle" in faults:
        shelf.failing["settle"] = StoreUnavailable("down")
    replies: list[Reply] = [ProviderUnavailable("down")] if "generator" in faults else [GOOD]

    answer = ask(
        RENT,
        shelf,
        chat=ScriptedChat(replies),
        objects=_Silent() if "trace" in faults else InMemoryObjectStore(),
        embedder=_down if "embedder" in faults else None,
        reranker=_down if "reranker" in faults else OverlapReranker,
    )

    assert {_NAMES[fault] for fault in faults} <= set(answer.degraded)
    assert answer.abstained is None
    assert proven(answer, shelf)


def test_a_name_that_no_passage_mentions_is_not_answered_by_another() -> None:
    """S0-16: of the right subject, and about somebody else."""
    shelf = Shelf()
    for page in range(1, 4):
        shelf.write(1, page, f"The HX-400 measures water vapour in a gas, as page {page} shows.")

    answer = ask("What does the HX-500 measure in a gas?", shelf)

    assert answer.abstained is not None
    assert answer.abstained.reason is Abstention.NO_ANSWER_IN_CONTEXT
    assert answer.abstained.detail == "1 of the question's names is in no selected passage"
    assert ask("What does the HX-400 measure in a gas?", shelf).abstained is None


def test_a_page_that_the_question_names_is_the_only_one_searched() -> None:
    """Page 2 has the question's words too, and page 3 does not."""
    shelf, objects = lease_shelf(), InMemoryObjectStore()
    shelf.write(1, 4, "The rent of the garage is due on the tenth day of the month.")

    answer = ask("When is the rent due on page 4?", shelf, objects=objects, document_ids=LEASE)

    assert {citation.page for citation in answer.citations} == {4}
    assert "tenth" in answer.text
    assert all(one["legs"].keys() == {"page"} for one in answer.candidates)
    trace = read_trace(TENANT, answer.trace_id, objects=objects)
    assert trace["evidence"]["asked_pages"] == [4]
    status = PageStatus("default", "EMBEDDED", "PUBLISHED", None, SOME_TIME, 4, "TEXT", None, 1, 1)
    why = lost_before(trace, 2, status)
    assert why.stage is LostAt.NOT_SEARCHED
    assert why.detail == "the question names page 4; no other was searched"
    assert replay_trace(TENANT, answer.trace_id, objects=objects).identical


def test_what_another_page_says_is_no_answer_of_the_page_named() -> None:
    answer = ask("When is the rent due on page 3?", lease_shelf(), document_ids=LEASE)

    assert answer.abstained is not None
    assert answer.abstained.reason is Abstention.NO_ANSWER_IN_CONTEXT


def test_a_page_that_is_not_there_is_refused_with_how_many_there_are() -> None:
    objects = InMemoryObjectStore()

    answer = ask(
        "When is the rent due on page 9?", lease_shelf(), objects=objects, document_ids=LEASE
    )

    assert answer.abstained is not None
    assert answer.abstained.reason is Abstention.NO_SUCH_PAGE
    assert "The document has 3 pages" in answer.abstained.message
    assert replay_trace(TENANT, answer.trace_id, objects=objects).identical


def test_without_one_document_a_page_number_means_nothing() -> None:
    shelf = lease_shelf()

    ask("When is the rent due on page 4?", shelf)

    assert shelf.queries[0].pages == ()
    assert shelf.queries[0].words is not None
    assert "page" in shelf.queries[0].words


@pytest.mark.parametrize("sign", ["!", " ", "; ", "? a ", "A ", "A."])
def test_four_times_the_question_takes_no_ten_times_as_long(sign: str) -> None:
    """Where time grows with the square it takes 16 times as long: 8,000 signs took up to 25 s."""

    def seconds(length: int) -> float:
        start = time.process_time()
        ask(f"How much {(sign * length)[:length]} is the rent?", lease_shelf())
        return time.process_time() - start

    assert seconds(7_600) < 10 * max(seconds(1_900), 0.05)
