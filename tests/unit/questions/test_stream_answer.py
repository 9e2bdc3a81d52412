"""A streamed answer says what a whole one says, sooner, and stops when nobody reads."""

from collections.abc import Callable, Generator
from itertools import pairwise
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pulsedocs.adapters.memory.chat import Reply, ScriptedChat
from pulsedocs.adapters.memory.embedder import HashingEmbedder
from pulsedocs.adapters.memory.object_store import InMemoryObjectStore
from pulsedocs.adapters.memory.reranker import OverlapReranker
from pulsedocs.errors import (
    CollectionNotFoundError,
    GenerationError,
    ProviderUnavailable,
    StoreUnavailable,
)
from pulsedocs.model.answers import ChatMessage, Completion
from pulsedocs.model.deadline import Deadline
from pulsedocs.model.retrieval import Abstention, Scope
from pulsedocs.questions.answer_question import Answer
from pulsedocs.questions.ask_question import ask_question
from pulsedocs.questions.providers import Providers
from pulsedocs.questions.query_engine import QueryEngine
from pulsedocs.questions.question import Question
from pulsedocs.questions.read_trace import read_trace
from pulsedocs.questions.stream_answer import stream_answer
from tests.plugins.examples import examples
from tests.unit.questions.shelf import TENANT, Shelf, engine_over, lease_shelf

RENT = "When is the monthly rent due?"
DUE = 'Rent is due on the third day [1: "due on the third day of the month"].'
COSTS = 'It is 1,200 EUR [1: "monthly rent is 1,200 EUR"].'
INVENTED = "Rent is free on Sundays and never rises [1]."


class Cut(ScriptedChat):
    """Streams its reply in the pieces a test has cut it into."""

    def __init__(self, pieces: list[str], *, finish_reason: str = "stop") -> None:
        super().__init__(["".join(pieces)] * 2)
        self._pieces = pieces
        self._finish_reason = finish_reason

    def stream(
        self,
        messages: Any,
        *,
        temperature: float,
        max_tokens: int,
        deadline: Deadline,
    ) -> Generator[str, None, Completion]:
        del messages, temperature, max_tokens, deadline
        yield from self._pieces
        return Completion("".join(self._pieces), 1, 1, self._finish_reason, self.model)


def engine(shelf: Shelf, chat: ScriptedChat | None, **changes: Any) -> QueryEngine:
    providers = Providers(
        embedder=lambda _model: HashingEmbedder(),
        reranker=OverlapReranker,
        chat=lambda: chat,
        max_tokens=9999,
    )
    return engine_over(shelf, providers, **changes)


def begun(
    shelf: Shelf, chat: ScriptedChat | None, text: str = RENT, **changes: Any
) -> Generator[str, None, Answer]:
    asked = Question(text, Scope(TENANT), subject="user-1")
    return stream_answer(asked, engine=engine(shelf, chat, **changes))


def drained(stream: Generator[str, None, Answer]) -> tuple[list[str], Answer]:
    parts: list[str] = []
    while True:
        try:
            parts.append(next(stream))
        except StopIteration as end:
            return [part for part in parts if part], end.value


def test_what_a_model_thinks_aloud_is_not_said() -> None:
    thought = f"<think>\n{COSTS} So it is.\n</think>\n\n"

    parts, answer = drained(begun(lease_shelf(), ScriptedChat([f"{thought}{DUE}"])))

    assert "".join(parts) == answer.text == "Rent is due on the third day [1]."
    assert answer.output_tokens > len(thought) // 8  # the provider counts it


def test_each_sentence_leaves_whole_with_its_marker() -> None:
    """S4-10: what the pages do not bear out is not said."""
    parts, answer = drained(begun(lease_shelf(), ScriptedChat([f"{DUE} {INVENTED} {COSTS}"])))

    assert parts == ["Rent is due on the third day [1].", " It is 1,200 EUR [1]."]
    assert answer.text == "".join(parts)
    assert answer.abstained is None
    assert {citation.n for citation in answer.citations} == {1}


def test_an_answer_that_ended_at_its_limit_says_so() -> None:
    """Fails when: it passes for a whole one."""
    _, cut = drained(begun(lease_shelf(), Cut([DUE, " It is 1,2"], finish_reason="length")))
    _, refused = drained(begun(lease_shelf(), Cut(["Rent is"], finish_reason="length")))
    _, whole = drained(begun(lease_shelf(), Cut([DUE])))

    assert cut.text == "Rent is due on the third day [1]."
    assert cut.note is not None
    assert cut.note.kind.value == "cut"
    assert refused.abstained is not None
    assert (refused.note, whole.note) == (None, None)


def test_the_first_sentence_leaves_before_generation_ends() -> None:
    """S4-10: by the order of events."""
    events: list[str] = []
    chat = ScriptedChat([f"{DUE} {COSTS}"], before_piece=lambda n: events.append(f"piece {n}"))

    events.extend("sentence" for part in begun(lease_shelf(), chat) if part)

    assert "sentence" in events[: events.index("piece 19")]


SENTENCES = [DUE, COSTS, INVENTED, "NO_ANSWER", 'Cats [9: "x y"].', "Dr. No lives. On 5. May", "\n"]


@given(
    said=st.lists(st.sampled_from(SENTENCES), min_size=1, max_size=6),
    gap=st.sampled_from([" ", "\n", "", "\n\n"]),
    cuts=st.lists(st.integers(0, 400), max_size=10),
)
@settings(max_examples=examples(40), deadline=None)
def test_joined_the_parts_are_the_answer_of_asking(
    said: list[str], gap: str, cuts: list[int]
) -> None:
    """S4-10: for the same completion, however it was cut on its way."""
    text = gap.join(said)
    places = [0, *sorted(min(cut, len(text)) for cut in cuts), len(text)]
    pieces = [text[a:b] for a, b in pairwise(places)]
    question = Question(RENT, Scope(TENANT), subject="user-1")
    if not text.strip():
        return

    parts, streamed = drained(begun(lease_shelf(), Cut(pieces)))
    asked = ask_question(question, engine=engine(lease_shelf(), Cut(pieces)))

    assert "".join(parts) == asked.text == streamed.text
    assert streamed.citations == asked.citations
    assert streamed.abstained == asked.abstained
    assert streamed.sources == asked.sources


@pytest.mark.parametrize(
    ("text", "reply", "reason"),
    [
        ("Which galaxy rotates?", DUE, Abstention.BELOW_THRESHOLD),
        ("  ", DUE, Abstention.EMPTY_QUERY),
        (RENT, "NO_ANSWER", Abstention.NO_ANSWER_IN_CONTEXT),
        (RENT, INVENTED, Abstention.NO_ANSWER_IN_CONTEXT),
    ],
)
def test_a_refusal_has_no_parts_and_its_reason(text: str, reply: str, reason: Abstention) -> None:
    """S4-10, S2-16."""
    parts, answer = drained(begun(lease_shelf(), ScriptedChat([reply]), text))

    assert parts == []
    assert answer.abstained is not None
    assert answer.abstained.reason is reason


def test_a_model_that_fails_before_the_first_sentence_costs_quality_only() -> None:
    for reply in (ProviderUnavailable("down"), "  "):
        shelf = lease_shelf()
        parts, answer = drained(begun(shelf, ScriptedChat([reply])))
        assert answer.degraded == ("generation",)
        assert answer.model == "extractive"
        assert "".join(parts) == answer.text


def failing_at(piece: int) -> Callable[[int], None]:
    def before(number: int) -> None:
        if number == piece:
            raise ProviderUnavailable("gone")

    return before


def test_a_model_that_fails_midway_raises_and_leaves_its_trace() -> None:
    """S4-10: what was said stays said; the call is settled and traced as failed."""
    shelf, objects = lease_shelf(), InMemoryObjectStore()
    replies: list[Reply] = [f"{DUE} {COSTS}"]
    stream = begun(shelf, ScriptedChat(replies, before_piece=failing_at(19)), objects=objects)

    parts: list[str] = []
    with pytest.raises(ProviderUnavailable):
        parts.extend(stream)

    assert "".join(parts) == "Rent is due on the third day [1]."
    [usage] = shelf.settled
    assert usage.method == "stream"
    assert usage.output_tokens > 0
    trace = read_trace(TENANT, usage.trace_id, objects=objects)
    assert trace["degraded"] == ["generation"]
    assert trace["answer"]["checks"]["finish_reason"] == ProviderUnavailable.code


def test_a_filtered_reply_is_no_answer() -> None:
    """Before anything was said the documents answer; afterwards it is an error."""
    _, answer = drained(begun(lease_shelf(), Cut(["Rent"], finish_reason="content_filter")))
    assert answer.degraded == ("generation",)

    with pytest.raises(GenerationError):
        drained(begun(lease_shelf(), Cut([DUE, " And"], finish_reason="content_filter")))


def test_a_reader_who_leaves_stops_the_model_and_is_settled() -> None:
    """S4-10."""
    shelf, objects, chat = lease_shelf(), InMemoryObjectStore(), ScriptedChat([f"{DUE} {COSTS}"])
    stream = begun(shelf, chat, objects=objects)
    assert next(part for part in stream if part)

    stream.close()

    assert chat.broken_off == 1
    [usage] = shelf.settled
    assert usage.output_tokens > 0
    trace = read_trace(TENANT, usage.trace_id, objects=objects)
    assert trace["answer"]["checks"]["finish_reason"] == "left"


def test_a_reader_who_leaves_before_a_word_leaves_no_turn() -> None:
    """Failed when an empty answer was kept: it was sent to the model with the next question."""
    shelf = lease_shelf()
    asked = Question(RENT, Scope(TENANT), subject="user-1", conversation_id=UUID(int=77))
    stream = stream_answer(asked, engine=engine(shelf, Cut(["Rent ", DUE])))
    assert next(stream) == ""

    stream.close()

    assert len(shelf.settled) == 1
    assert shelf.turns == []


def test_a_question_whose_pages_cannot_be_read_is_settled() -> None:
    """Failed when it was not: what had been spent on it was never booked."""
    shelf, objects = lease_shelf(), InMemoryObjectStore()
    shelf.failing["page_texts"] = StoreUnavailable("away")

    with pytest.raises(StoreUnavailable):
        drained(begun(shelf, None, objects=objects))

    [usage] = shelf.settled
    trace = read_trace(TENANT, usage.trace_id, objects=objects)
    assert trace["answer"]["checks"]["finish_reason"] == "STORE_UNAVAILABLE"


def test_a_runaway_model_is_stopped() -> None:
    chat = ScriptedChat([f"{DUE} " + "Word. " * 5000])

    parts, answer = drained(begun(lease_shelf(), chat))

    assert parts == ["Rent is due on the third day [1]."]
    assert answer.output_tokens > 0
    assert chat.broken_off == 1


def test_what_cannot_be_searched_raises_before_anything_is_said() -> None:
    shelf = lease_shelf()
    shelf.failing["prepare"] = CollectionNotFoundError("no such collection")

    with pytest.raises(CollectionNotFoundError):
        next(begun(shelf, None))


def test_without_a_chat_model_the_documents_own_sentences_are_streamed() -> None:
    shelf = lease_shelf()
    parts, answer = drained(begun(shelf, None))

    assert "".join(parts) == answer.text
    assert "third day" in answer.text


def test_the_model_gets_what_remains_of_the_request() -> None:
    """One budget: less what the checks and the trace will take."""
    given: list[float] = []

    class Asked(ScriptedChat):
        def stream(self, *args: Any, deadline: Deadline, **rest: Any) -> Any:
            given.append(deadline.remaining())
            return super().stream(*args, deadline=deadline, **rest)

        def complete(self, *args: Any, deadline: Deadline, **rest: Any) -> Completion:
            given.append(deadline.remaining())
            return super().complete(*args, deadline=deadline, **rest)

    drained(begun(lease_shelf(), Asked([DUE]), deadline=Deadline.after(100)))
    question = Question(RENT, Scope(TENANT))
    ask_question(question, engine=engine(lease_shelf(), Asked([DUE]), deadline=Deadline.after(100)))
    ask_question(question, engine=engine(lease_shelf(), Asked([DUE]), deadline=Deadline.after(9)))

    streamed, _, asked, late = given[0], *given[1:]
    assert 90 < streamed <= 97
    assert 17 < asked <= 18
    assert late <= 6


def test_history_reaches_a_streaming_model() -> None:
    """S4-11."""
    chat = ScriptedChat([DUE])
    question = Question(RENT, Scope(TENANT), history=(ChatMessage("user", "And the flat?"),))

    drained(stream_answer(question, engine=engine(lease_shelf(), chat)))

    assert [message.content for message in chat.asked[0]][1] == "And the flat?"
