"""A chat ends with its references, and shows what the reranker did."""

from collections.abc import Sequence
from typing import Any

import pytest

from pulsedocs.adapters.memory.chat import ScriptedChat
from pulsedocs.adapters.memory.embedder import HashingEmbedder
from pulsedocs.adapters.memory.object_store import InMemoryObjectStore
from pulsedocs.adapters.memory.reranker import OverlapReranker
from pulsedocs.model.answers import Abstained, Completion
from pulsedocs.model.deadline import Deadline
from pulsedocs.model.retrieval import Abstention, Scope
from pulsedocs.questions.answer_chat import ChatAnswer, answer_chat
from pulsedocs.questions.providers import Providers
from pulsedocs.questions.question import Question, tenant_key
from pulsedocs.questions.read_trace import read_trace
from pulsedocs.retrieval.evidence import seal
from tests.unit.questions.shelf import TENANT, Shelf, engine_over, lease_shelf

RENT = "When is the monthly rent due, and are cats allowed?"
CATS = 'Cats are allowed [{cats}: "Cats are allowed"].'
DUE = 'Rent is due on the third day [{rent}: "due on the third day of the month"].'


def chat(
    text: str,
    shelf: Shelf,
    model: ScriptedChat | None,
    *,
    objects: InMemoryObjectStore | None = None,
    reranker: Any = OverlapReranker,
) -> ChatAnswer:
    return answer_chat(
        Question(text, Scope(TENANT)),
        engine=engine_over(
            shelf,
            Providers(
                embedder=lambda _model: HashingEmbedder(), reranker=reranker, chat=lambda: model
            ),
            objects=objects or InMemoryObjectStore(),
        ),
    )


def quoting(messages: Any) -> str:
    """Name the sources as they are numbered in the prompt, cats first."""
    sources = messages[-1].content.split("\n\n")
    numbers = {
        name: next(part[1] for part in sources if words in part)
        for name, words in (("cats", "Cats are"), ("rent", "monthly rent is"))
    }
    return f"{CATS} {DUE}".format(**numbers)


def test_an_answer_ends_with_the_file_and_page_of_each_marker() -> None:
    """S2-10: numbered in the order of the text."""
    found = chat(RENT, lease_shelf(), ScriptedChat([quoting]))

    assert found.answer.text == (
        "Cats are allowed [1]. Rent is due on the third day [2].\n\n"
        "References\n[1] file-1.pdf, p. 3\n[2] file-1.pdf, p. 2"
    )
    assert [(each.n, each.pages) for each in found.references] == [(1, (3,)), (2, (2,))]
    assert {citation.n for citation in found.answer.citations} == {1, 2}


def test_what_is_sealed_is_what_is_shown() -> None:
    """Failed when the references were added behind the seal: no chat could be proved."""
    objects = InMemoryObjectStore()

    found = chat(RENT, lease_shelf(), ScriptedChat([quoting]), objects=objects)

    trace = read_trace(TENANT, found.answer.trace_id, objects=objects)
    key = tenant_key(b"a secret of sixteen", TENANT)
    assert trace["answer"]["text_hmac"] == seal(key, "answer", found.answer.text)


def test_a_chat_follows_its_own_policy_and_is_counted_as_one() -> None:
    """S2-10: ten by meaning, reranked to five."""
    shelf, objects = lease_shelf(), InMemoryObjectStore()

    found = chat(RENT, shelf, ScriptedChat([quoting]), objects=objects)

    trace = read_trace(TENANT, found.answer.trace_id, objects=objects)
    assert (trace["profile"]["name"], trace["method"]) == ("classic", "chat")
    assert shelf.queries[0].vector_candidates == 10
    assert shelf.queries[0].keyword_candidates == 0
    assert [usage.method for usage in shelf.settled] == ["chat"]


def test_both_orders_and_their_difference_are_told() -> None:
    """S2-11."""

    class Contrary(OverlapReranker):
        def rerank(
            self, query: str, passages: Sequence[str], *, deadline: Deadline
        ) -> tuple[float, ...]:
            del query, deadline
            return tuple(place / len(passages) for place in range(len(passages)))

    effect = chat(RENT, lease_shelf(), None, reranker=Contrary).effect

    assert len(effect.retrieved) == len(effect.reranked) == 4
    before = {one.chunk_id: one.rank for one in effect.retrieved}
    after = {one.chunk_id: one.rank for one in effect.reranked}
    assert effect.moved
    assert {one.chunk_id: one.change for one in effect.moved} == {
        chunk: before[chunk] - rank for chunk, rank in after.items() if before[chunk] != rank
    }
    scores = [one.score for one in effect.reranked]
    assert scores == sorted(scores, reverse=True)


def test_without_a_reranker_nothing_moved() -> None:
    effect = chat(RENT, lease_shelf(), None, reranker=lambda: None).effect

    assert effect.retrieved
    assert effect.reranked == effect.moved == ()


@pytest.mark.parametrize(
    "text",
    [
        ".",
        "- - -",
        "???",
        "___",
        "\u3002\u3001",
        "\u060c\u061f",
        "\u0964",
        "\U0001f600\ufe0f",
        "\u30fc\u30fc",
        "\u3164",
    ],
)
def test_a_question_without_a_letter_or_a_figure_is_empty(text: str) -> None:
    assert chat(text, lease_shelf(), None).answer.abstained == Abstained(
        Abstention.EMPTY_QUERY, "empty", "the question has no words"
    )


@pytest.mark.parametrize(
    "text",
    [
        "42",
        "\u79df\u91d1\u662f\u591a\u5c11",
        "\u0643\u0645 \u0627\u0644\u0625\u064a\u062c\u0627\u0631",
        "\u0915\u093f\u0930\u093e\u092f\u093e",
        "\u0e04\u0e48\u0e32\u0e40\u0e0a\u0e48\u0e32",
        "\u0967\u0968",
    ],
)
def test_a_question_in_any_script_has_words(text: str) -> None:
    abstained = chat(text, lease_shelf(), None).answer.abstained

    assert abstained is None or abstained.reason is not Abstention.EMPTY_QUERY


def test_an_empty_question_and_an_absent_answer_have_their_own_sentences() -> None:
    """S2-16: and no references."""
    empty = chat(" ", lease_shelf(), None)
    absent = chat(RENT, lease_shelf(), ScriptedChat(["NO_ANSWER"]))

    for found, message in ((empty, "empty"), (absent, "no answer")):
        assert found.answer.abstained is not None
        assert found.answer.abstained.message == message
        assert found.answer.text == ""
        assert found.references == ()
    assert empty.effect.retrieved == ()


def test_temperature_and_length_are_those_of_the_design() -> None:
    """S2-12."""
    asked: list[dict[str, Any]] = []

    class Asked(ScriptedChat):
        def complete(self, *args: Any, **rest: Any) -> Completion:
            asked.append(rest)
            return super().complete(*args, **rest)

    chat(RENT, lease_shelf(), Asked([quoting]))

    assert (asked[0]["temperature"], asked[0]["max_tokens"]) == (0.2, 1024)
