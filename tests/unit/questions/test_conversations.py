"""A kept conversation is the history of its next question, and keeps every answer."""

import json
from typing import Any
from uuid import UUID

from hypothesis import given
from hypothesis import strategies as st

from pulsedocs.adapters.memory.chat import ScriptedChat
from pulsedocs.adapters.memory.object_store import InMemoryObjectStore
from pulsedocs.answering.prompt import bounded
from pulsedocs.errors import StoreUnavailable
from pulsedocs.model.answers import ChatMessage
from pulsedocs.model.conversations import NewTurn, Turn
from pulsedocs.questions.question import continued
from pulsedocs.questions.read_trace import read_trace
from tests.unit.questions.shelf import TENANT, lease_shelf
from tests.unit.questions.test_input_stage import (
    FOLLOW_UP,
    HISTORY,
    RENT,
    ask,
    chats,
    providers,
    question,
    search,
)

CONVERSATION = UUID(int=77)
BEFORE = NewTurn(CONVERSATION, HISTORY[0].content, HISTORY[1].content, (UUID(int=1),))


def test_the_turns_of_a_conversation_are_its_next_questions_history() -> None:
    """S4-11: in rewriting and in generation alike."""
    shelf, rewriter, chat = lease_shelf(), ScriptedChat([RENT]), ScriptedChat(["NO_ANSWER"])
    shelf.turns.append(BEFORE)
    models = providers(**chats(rewriter=rewriter, chat=chat))

    answer = ask(
        question(FOLLOW_UP, profile="documentor", conversation_id=CONVERSATION),
        models,
        shelf=shelf,
    )

    assert answer.rewritten_question == RENT
    assert HISTORY[1].content in rewriter.asked[0][-1].content
    assert chat.asked[0][1:3] == HISTORY
    assert chat.asked[0][-1].content.endswith(f"Question: {FOLLOW_UP}")


def test_an_answer_is_kept_with_the_documents_it_was_written_from() -> None:
    shelf = lease_shelf()

    answer = ask(question(conversation_id=CONVERSATION), providers(), shelf=shelf)

    [turn] = shelf.turns
    assert (turn.conversation_id, turn.question, turn.answer) == (CONVERSATION, RENT, answer.text)
    assert answer.text
    assert UUID(int=1) in turn.document_ids
    selected = {item["document_id"] for item in answer.candidates if item["selected"]}
    assert {str(each) for each in turn.document_ids} == selected


def test_a_refusal_is_kept_as_it_was_shown() -> None:
    shelf = lease_shelf()

    ask(question("Which galaxy rotates?", conversation_id=CONVERSATION), providers(), shelf=shelf)

    [turn] = shelf.turns
    assert (turn.answer, turn.document_ids) == ("no information", ())


def test_searching_and_asking_without_a_conversation_keep_nothing() -> None:
    shelf = lease_shelf()

    search(question(conversation_id=CONVERSATION), providers(), shelf=shelf)
    ask(question(), providers(), shelf=shelf)
    ask(question(history=HISTORY), providers(), shelf=shelf)

    assert shelf.turns == []


def test_a_turn_that_cannot_be_kept_does_not_lose_the_answer() -> None:
    shelf = lease_shelf()
    shelf.failing["settle"] = StoreUnavailable("down")

    answer = ask(question(conversation_id=CONVERSATION), providers(), shelf=shelf)

    assert answer.text
    assert answer.degraded == ("conversation",)


def test_the_first_question_of_a_conversation_is_not_rewritten() -> None:
    """S4-08."""
    rewriter = ScriptedChat([RENT])
    models = providers(**chats(rewriter=rewriter))

    ask(question(profile="documentor", conversation_id=CONVERSATION), models)

    assert rewriter.asked == []


_words = st.text(max_size=3000).map("a{}".format)


@given(st.lists(st.builds(Turn, _words, _words), max_size=9))
def test_a_history_is_bounded_and_never_loses_the_turn_before(turns: list[Turn]) -> None:
    """S4-11: ten messages, 2,000 characters; a long answer is cut and does not push it out."""
    said = bounded(continued(question(), turns).history)

    assert len(said) <= 10
    assert sum(len(message.content) for message in said) <= 2000
    if turns:
        assert said[-2:] == [
            ChatMessage("user", turns[-1].question[:600]),
            ChatMessage("assistant", turns[-1].answer[:600]),
        ]


def test_a_trace_holds_no_word_of_a_conversation() -> None:
    shelf, objects = lease_shelf(), InMemoryObjectStore()
    shelf.turns.append(BEFORE)
    found: Any = search(
        question(FOLLOW_UP, conversation_id=CONVERSATION),
        providers(),
        shelf=shelf,
        objects=objects,
    )

    trace = read_trace(TENANT, found.trace_id, objects=objects)
    assert trace["input_stage"]["history_messages"] == 2
    assert "1,200" not in json.dumps(trace)
