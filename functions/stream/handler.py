"""POST /ask/stream: an answer whose sentences leave one by one, each proven before it does."""

from pulsedocs import bootstrap
from pulsedocs.documents.idempotent_request import Lines
from pulsedocs.edge.api import READ, Response, caller, create_api, stream_deadline
from pulsedocs.edge.engines import query_engine
from pulsedocs.edge.idempotency import IdempotencyKey, streamed_once
from pulsedocs.edge.questions import AnswerLine, AskRequest, answer_lines
from pulsedocs.edge.streaming import NDJSON, serve, streamed
from pulsedocs.questions.stream_answer import stream_answer

api = create_api()


@api.on(
    "POST /ask/stream",
    READ,
    responses={
        200: {"description": "One JSON object a line", "content": {NDJSON: {"model": AnswerLine}}}
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
            asker.tenant_id,
            idempotency_key,
            route=api.route_of(ask_stream),
            body=request.model_dump(mode="json"),
            respond=respond,
        )
    )


if __name__ == "__main__":
    serve(api, port=bootstrap.settings().adapter_port)
