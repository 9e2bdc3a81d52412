"""What OpenAI's clients send becomes a question to `/ask`; its answer takes their form."""

from collections.abc import Generator
from typing import Any
from uuid import UUID

import pytest
from openai.types.chat import ChatCompletion
from openai.types.chat import ChatCompletionChunk as OpenAIChunk
from pydantic import ValidationError

from pulsedocs.edge.completions import (
    ChatCompletionChunk,
    ChatCompletionRequest,
    ChatCompletionView,
    completion_chunks,
    completion_line,
)
from pulsedocs.edge.problems import problem_document
from pulsedocs.errors import InvalidRequest, StoreUnavailable
from pulsedocs.model.answers import Abstained, Citation, CitationStatus, Note, Reading
from pulsedocs.model.retrieval import Abstention
from pulsedocs.questions.ask_question import Answer
from pulsedocs.settings import load

DOCUMENT = UUID("22222222-2222-4222-8222-222222222222")
SENTENCES = ["It is due on day three [1].", " It is 1,200 EUR [2], and never late [1]."]


@pytest.fixture(autouse=True)
def _settings(monkeypatch: pytest.MonkeyPatch) -> None:  # pyright: ignore[reportUnusedFunction] -- autouse
    load.cache_clear()
    monkeypatch.setenv("BUCKET", "b")


def asking(*messages: Any, **fields: Any) -> ChatCompletionRequest:
    said = list(messages) or [user("When is the rent due?")]
    return ChatCompletionRequest.model_validate({"model": "pulsedocs", "messages": said, **fields})


def user(content: Any) -> dict[str, Any]:
    return {"role": "user", "content": content}


def cited(n: int, *markers: int, page: int, title: str | None = None) -> Citation:
    quote = "due on day three"
    return Citation(
        n=n,
        markers=markers,
        document_id=DOCUMENT,
        version=4,
        source="lease.txt",
        title=title,
        page=page,
        page_label=None,
        quote=quote,
        start=0,
        end=len(quote),
        status=CitationStatus.FOUND,
    )


def answering(**changes: Any) -> Answer:
    fields: dict[str, Any] = {
        "text": "".join(SENTENCES),
        "abstained": None,
        "note": None,
        "citations": (
            cited(1, 0, page=1),
            cited(2, 1, page=2, title="The lease"),
            cited(1, 2, page=3),
        ),
        "sources": (),
        "coverage": (),
        "model": "memory:chat",
        "input_tokens": 40,
        "output_tokens": 2,
        "cost_usd": None,
        "rewritten_question": None,
        "degraded": (),
        "trace_id": "trace-1",
        "candidates": (),
        "passages": (),
    }
    return Answer(**fields | changes)


def refusing() -> Answer:
    refusal = Abstained(Abstention.NO_ANSWER_IN_CONTEXT, "Nothing says so.", "0 of 3")
    return answering(text="", abstained=refusal, citations=())


def saying(sentences: list[str], answer: Answer) -> Generator[str, None, Answer]:
    yield from sentences
    return answer


def whole(answer: Answer, request: ChatCompletionRequest) -> dict[str, Any]:
    [line] = completion_line(lambda: answer, request)
    assert line is not None
    return dict(line)


def test_the_users_last_message_is_the_question_and_what_was_said_before_its_history() -> None:
    request = asking(
        {"role": "system", "content": "Be brief."},
        user("When is the rent due?"),
        {"role": "assistant", "content": "On day three [1].", "refusal": None, "annotations": []},
        user([{"type": "text", "text": "And how"}, {"type": "text", "text": "much?"}]),
        temperature=0.3,
        max_tokens=100,
        collection="leases",
    )

    asked = request.to_ask()

    assert asked.question == "And how\nmuch?"
    assert [(turn.role, turn.content) for turn in asked.history] == [
        ("user", "When is the rent due?"),
        ("assistant", "On day three [1]."),
    ]
    assert (asked.collection, asked.profile, asked.model) == ("leases", None, None)


def test_the_model_names_a_profile() -> None:
    assert asking(model="fast").to_ask().profile == "fast"


def test_a_conversation_longer_than_a_history_gives_its_latest_turns() -> None:
    """An interface sends all of a conversation, and its user can shorten nothing."""
    asked = asking(*(user(f"{n} " + "a" * 9000) for n in range(60)), user("And now?")).to_ask()

    assert len(asked.history) == 50
    assert asked.history[0].content.startswith("10 ")


@pytest.mark.parametrize(
    "fields",
    [
        {"top_k": 40, "min_p": 0.05, "repetition_penalty": 1.1, "typical_p": 1},
        {"num_ctx": 8192, "repeat_penalty": 1.1, "mirostat": 0, "keep_alive": "5m", "think": False},
        {"chat_template_kwargs": {"enable_thinking": False}, "cache_prompt": True},
        {"reasoning": {"effort": "low"}, "include_reasoning": True},
        {"seed": 1, "logit_bias": {}, "user": "ada", "n": 1, "tools": [], "stop": None},
    ],
)
def test_what_programs_tune_their_own_models_with_is_accepted(fields: dict[str, Any]) -> None:
    thought = {"role": "assistant", "content": "On day three.", "reasoning_content": "Hm."}

    asked = asking(user("When?"), thought, user("And how much?"), **fields).to_ask()

    assert (asked.question, asked.history[-1].content) == ("And how much?", "On day three.")


@pytest.mark.parametrize(
    "fields",
    [
        {"tools": [{"type": "function"}]},
        {"n": 2},
        {"response_format": {"type": "json_object"}},
        {"stop": ["."]},
        {"logprobs": True},
        {"stream": "yes"},
        {"surprise": 1},
        {"collection": "a", "collections": ["b"]},
        {"messages": []},
        {"messages": [{"role": "system", "content": "Be brief."}]},
        {"messages": [{"role": "tool", "content": "42", "tool_call_id": "1"}]},
        {"messages": [user([{"type": "image_url", "image_url": {"url": "https://x"}}])]},
        {"messages": [user("a" * 8001)]},
    ],
)
def test_what_would_change_the_answers_form_is_refused(fields: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        asking(**fields)


def test_each_citation_is_annotated_at_its_own_marker() -> None:
    completion = whole(answering(), asking())

    ChatCompletionView.model_validate(completion)
    [choice] = ChatCompletion.model_validate(completion).choices
    assert (choice.finish_reason, choice.message.role) == ("stop", "assistant")
    content, annotations = choice.message.content or "", choice.message.annotations
    assert content == "".join(SENTENCES)
    assert annotations is not None
    places = [each.url_citation for each in annotations]
    assert [content[place.start_index : place.end_index] for place in places] == [
        "[1]",
        "[2]",
        "[1]",
    ]
    assert places[0].start_index < places[1].start_index < places[2].start_index
    assert [place.title for place in places] == [
        "lease.txt, p. 1",
        "The lease, p. 2",
        "lease.txt, p. 3",
    ]
    assert places[1].url == f"/documents/{DOCUMENT}/pages/2?version=4"
    assert completion["choices"][0]["message"]["annotations"][0]["citation"]["quote"]
    assert completion["usage"] == {
        "prompt_tokens": 40,
        "completion_tokens": 2,
        "total_tokens": 42,
    }
    assert completion["pulsedocs"]["trace_id"] == "trace-1"


def test_a_row_is_annotated_at_its_own_marker_with_the_head_of_its_table() -> None:
    """Failed when each citation took the next marker: every row stood a sentence too late."""
    text = "Aquila 10: 120 kg [1].\nAquila 20: 240 kg [1]."
    head, first, second = cited(1, 0, 1, page=1), cited(1, 0, page=2), cited(1, 1, page=3)

    completion = whole(answering(text=text, citations=(head, first, second)), asking())

    annotations = completion["choices"][0]["message"]["annotations"]
    assert [
        (each["url_citation"]["start_index"], each["citation"]["page"]) for each in annotations
    ] == [(text.index("["), 1), (text.index("["), 2), (text.rindex("["), 1), (text.rindex("["), 3)]


def test_digits_of_another_width_are_no_marker() -> None:
    """Failed when a wide 1 in a document's words was read as that of a marker."""
    text = "Room [1\uff11] is due on day three [11]."

    completion = whole(answering(text=text, citations=(cited(11, 0, page=1),)), asking())

    [choice] = ChatCompletion.model_validate(completion).choices
    assert choice.message.annotations
    place = choice.message.annotations[0].url_citation
    assert text[place.start_index : place.end_index] == "[11]"


def test_an_answer_that_ended_at_its_limit_has_that_finish_reason() -> None:
    answer, request = answering(note=Note(Reading.CUT, "The rest is missing.")), asking(stream=True)

    *_, last = completion_chunks(saying(SENTENCES, answer), request)

    [choice] = ChatCompletion.model_validate(whole(answer, request)).choices
    assert choice.finish_reason == "length"
    assert OpenAIChunk.model_validate(last).choices[0].finish_reason == "length"


def test_a_refusal_is_a_message() -> None:
    completion = whole(refusing(), asking())

    [choice] = completion["choices"]
    assert choice["message"]["content"] == "Nothing says so."
    assert (choice["finish_reason"], choice["message"]["annotations"]) == ("stop", [])
    assert completion["pulsedocs"]["abstained"]["reason"] == "NO_ANSWER_IN_CONTEXT"


@pytest.mark.parametrize("answer", [answering(), refusing()], ids=["answer", "refusal"])
def test_the_chunks_joined_are_the_whole_answer(answer: Answer) -> None:
    request = asking(stream=True, stream_options={"include_usage": True})
    sentences = SENTENCES if answer.text else []

    lines = list(completion_chunks(saying(["", *sentences], answer), request))

    assert lines[0] is None  # so that a client that has left is noticed
    raw = [dict(line) for line in lines if line is not None]
    for line in raw:
        ChatCompletionChunk.model_validate(line)
    chunks = [OpenAIChunk.model_validate(line) for line in raw]
    expected = whole(answer, request)
    deltas = [chunk.choices[0].delta for chunk in chunks[:-1]]
    message = expected["choices"][0]["message"]
    assert "".join(delta.content or "" for delta in deltas) == message["content"]
    assert [delta.role for delta in deltas if delta.role] == [deltas[0].role] == ["assistant"]
    annotated = [
        annotation
        for line in raw
        for choice in line["choices"]
        for annotation in choice["delta"].get("annotations", [])
    ]
    assert annotated == message["annotations"]
    reasons = [chunk.choices[0].finish_reason for chunk in chunks[:-1]]
    assert reasons == [None] * (len(reasons) - 1) + ["stop"]
    assert (raw[-1]["choices"], raw[-1]["usage"]) == ([], expected["usage"])
    assert raw[-2]["pulsedocs"] == expected["pulsedocs"]
    assert len({chunk.id for chunk in chunks}) == 1


def test_the_usage_has_a_chunk_only_where_it_is_asked_for() -> None:
    lines = list(completion_chunks(saying(SENTENCES, answering()), asking(stream=True)))

    assert all(line is not None and line["choices"] and "usage" not in line for line in lines)


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (InvalidRequest("no"), "invalid_request_error"),
        (StoreUnavailable("not now"), "server_error"),
    ],
)
def test_errors_on_openais_paths_have_what_its_clients_read(error: Any, kind: str) -> None:
    problem = problem_document(error, request_id="r", event={"path": "/v1/chat/completions"})

    expected = {"message": error.message, "type": kind, "param": None, "code": error.code}
    assert problem["error"] == expected
    assert "error" not in problem_document(error, request_id="r", event={"path": "/ask"})
