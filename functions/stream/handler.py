"""Answers that leave sentence by sentence, each proven before: as lines, or as OpenAI's chunks."""

from functools import partial

from pulsedocs import bootstrap
from pulsedocs.documents.idempotent_request import Lines
from pulsedocs.edge.api import READ, Response, caller, create_api, stream_deadline
from pulsedocs.edge.completions import (
    ChatCompletionChunk,
    ChatCompletionRequest,
    ChatCompletionView,
    completion_chunks,
    completion_line,
)
from pulsedocs.edge.engines import query_engine
from pulsedocs.edge.idempotency import IdempotencyKey, streamed_once
from pulsedocs.edge.questions import AnswerLine, AskRequest, answer_lines
from pulsedocs.edge.streaming import DOCUMENT, EVENTS, NDJSON, serve, streamed
from pulsedocs.questions.ask_question import ask_question
from pulsedocs.questions.stream_answer import stream_answer

api = create_api()


@api.on(
    "POST /ask/stream",
    READ,
    responses={
        200: {
            "description": "One JSON object a line",
            "content": {NDJSON.content_type: {"model": AnswerLine}},
        }
    },
)
def ask_stream(request: AskRequest, idempotency_key: IdempotencyKey = None) -> Response[str]:
    """Answer as `/ask` does, in lines: texts, then sources, then done; or an error midway."""
    asker, deadline = caller(api), stream_deadline()

    def respond() -> Lines:
        engine = query_engine(asker.tenant_id, deadline=deadline)
        sentences = stream_answer(request.to_question(request.question, asker), engine=engine)
        return answer_lines(sentences, request)

    return streamed(
        streamed_once(
            asker,
            idempotency_key,
            route=api.route_of(ask_stream),
            body=request.model_dump(mode="json"),
            respond=respond,
        )
    )


@api.on(
    "POST /v1/chat/completions",
    READ,
    responses={
        200: {
            "description": "An answer, or its chunks as server-sent events with `stream`",
            "content": {
                DOCUMENT.content_type: {"model": ChatCompletionView},
                EVENTS.content_type: {"model": ChatCompletionChunk},
            },
        }
    },
)
def complete_chat(
    request: ChatCompletionRequest, idempotency_key: IdempotencyKey = None
) -> Response[str]:
    """Answer as `/ask` does, in the form of OpenAI's chat completions.

    Citations are in `annotations`, a refusal is a message; problem documents also have `error`.
    """
    asker, deadline = caller(api), stream_deadline()

    def respond() -> Lines:
        engine = query_engine(asker.tenant_id, deadline=deadline)
        asked = request.to_ask()
        question = asked.to_question(asked.question, asker)
        if request.stream:
            return completion_chunks(stream_answer(question, engine=engine), request)
        return completion_line(partial(ask_question, question, engine=engine), request)

    lines = streamed_once(
        asker,
        idempotency_key,
        route=api.route_of(complete_chat),
        body=request.model_dump(mode="json"),
        respond=respond,
    )
    return streamed(lines, EVENTS if request.stream else DOCUMENT)


if __name__ == "__main__":
    serve(api, port=bootstrap.settings().adapter_port)
