"""POST /ask/stream: an answer whose sentences leave one by one, each proven before it does."""

from pulsedocs import bootstrap
from pulsedocs.edge.api import READ, Response, caller, create_api, stream_deadline
from pulsedocs.edge.engines import query_engine
from pulsedocs.edge.questions import AnswerLine, AskRequest, answer_lines
from pulsedocs.edge.streaming import NDJSON, serve, streamed
from pulsedocs.usecases.stream_answer import stream_answer

api = create_api()


@api.post(
    "/ask/stream",
    responses={
        200: {"description": "One JSON object a line", "content": {NDJSON: {"model": AnswerLine}}}
    },
)
def ask_stream(request: AskRequest) -> Response[str]:
    """Answer as `/ask` does, in lines: texts, then sources, then done; or an error midway."""
    asker, deadline = caller(api, scope=READ), stream_deadline()
    sentences = stream_answer(
        request.to_question(request.question, asker),
        engine=query_engine(asker.tenant_id, deadline=deadline),
    )
    return streamed(answer_lines(sentences, request))


if __name__ == "__main__":
    serve(api, port=bootstrap.settings().adapter_port)
