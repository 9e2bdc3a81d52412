"""A Lambda endpoint on loopback that runs the real use case, with errors as Lambda reports them."""

import json
from collections.abc import Generator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer

from pulsedocs.adapters.aws.retrieval_client import LambdaRetrievalStore, retrieve_function
from pulsedocs.errors import PulseDocsError
from pulsedocs.model.deadline import Deadline
from pulsedocs.questions.answer_retrieval_call import RetrievalCall, answer_retrieval_call
from pulsedocs.questions.ports import RetrievalDatabase
from tests.contract.loopback import serving


class RetrieveEndpoint(HTTPServer):
    """Answers one invocation at a time; `sizes` are those of its answers in bytes."""

    def __init__(self, store: RetrievalDatabase) -> None:
        super().__init__(("127.0.0.1", 0), _Invocation)
        self.store = store
        self.sizes: list[int] = []

    def answer(self, event: bytes) -> tuple[bytes, str | None]:
        try:
            request = RetrievalCall.model_validate_json(event)
            answer = answer_retrieval_call(request, store=self.store)
        except PulseDocsError as error:
            report = {"errorType": type(error).__name__, "errorMessage": str(error)}
            return json.dumps(report).encode(), "Unhandled"
        return json.dumps(answer).encode(), None


class _Invocation(BaseHTTPRequestHandler):
    server: RetrieveEndpoint  # pyright: ignore[reportIncompatibleVariableOverride] -- made by it

    def do_POST(self) -> None:
        event = self.rfile.read(int(self.headers["Content-Length"]))
        body, function_error = self.server.answer(event)
        self.server.sizes.append(len(body))
        self.send_response(200)
        if function_error:
            self.send_header("X-Amz-Function-Error", function_error)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 -- the base's name
        """Keep quiet."""


@contextmanager
def lambda_store(
    store: RetrievalDatabase, *, seconds: float = 60
) -> Generator[tuple[LambdaRetrievalStore, RetrieveEndpoint]]:
    with serving(RetrieveEndpoint(store)) as endpoint:
        url = f"http://127.0.0.1:{endpoint.server_port}"
        function = retrieve_function("retrieve", region="us-east-1", endpoint_url=url)
        yield LambdaRetrievalStore(function, deadline=Deadline.after(seconds)), endpoint
