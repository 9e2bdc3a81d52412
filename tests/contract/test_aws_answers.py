"""What AWS answers, and what becomes of it: wait, try again, or tell a person what to do.

moto refuses nothing. Each row is an answer in the words of AWS's manuals, given by a server on
loopback to the adapter as it is deployed, and the error that leaves the adapter.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from io import BytesIO
from typing import Any, Final
from uuid import uuid4

import httpx
import pytest

from pulsedocs.adapters.aws.box_client import boxes_function
from pulsedocs.adapters.aws.intake import S3Intake
from pulsedocs.adapters.aws.object_store import S3ObjectStore
from pulsedocs.adapters.aws.parameters import ParameterStore
from pulsedocs.adapters.aws.retrieval_client import LambdaRetrievalStore, retrieve_function
from pulsedocs.adapters.bedrock.calls import BedrockCalls
from pulsedocs.adapters.bedrock.embedder import BedrockEmbedder
from pulsedocs.calls import limits
from pulsedocs.client import RequestRefused
from pulsedocs.client.transport import BlockingWire, Upload, driven
from pulsedocs.embedding import parse_model_name
from pulsedocs.errors import (
    ConfigurationError,
    Conflict,
    DatabaseWarming,
    ModelNotEnabled,
    ObjectNotFound,
    ObjectStoreUnavailable,
    ParkedError,
    ProviderKeyRefused,
    ProviderQuotaExhausted,
    ProviderThrottled,
    ProviderUnavailable,
    PulseDocsError,
    RetryableError,
    SecretMissing,
    SecretsUnavailable,
    StoreUnavailable,
    TimedOut,
)
from pulsedocs.model.deadline import Deadline
from pulsedocs.model.deletions import ObjectVersion
from pulsedocs.model.requests import FoundObject, ObjectAddress
from tests.contract.aws_answers import (
    ASLEEP,
    Answer,
    AwsServer,
    aws_that_answers,
    invoked,
    lambda_error,
    s3_error,
)

REGION: Final = "eu-west-1"
BUCKET: Final = "pulsedocs-dev"
KEY: Final = "u/tenant/document"
PARAMETER: Final = "/pulsedocs/dev/trace-secret"
ROLE: Final = "arn:aws:sts::123456789012:assumed-role/pulsedocs-dev-extract/pulsedocs-dev-extract"
Call = Callable[[str], object]


def lacking(action: str) -> Answer:
    """Return S3's 403 of today, which names what would be needed."""
    why = f"because no identity-based policy allows the {action} action"
    message = f"User: {ROLE} is not authorized to perform: {action} on resource: {BUCKET} {why}"
    return s3_error(403, "AccessDenied", message)


def json_error(status: int, name: str, message: str = "as AWS would say it") -> Answer:
    """Return an error of the services that speak JSON: SSM in the body, Bedrock in a header."""
    body = json.dumps({"__type": name, "message": message}).encode()
    headers = {"Content-Type": "application/x-amz-json-1.1", "x-amzn-ErrorType": name}
    return Answer(status, body, headers)


def bare(status: int) -> Answer:
    """Return what a HEAD is answered with: a status and no words."""
    return Answer(status)


_MOVED: Final = s3_error(307, "TemporaryRedirect", Endpoint=f"{BUCKET}.s3.eu-west-1.amazonaws.com")
REDIRECT: Final = replace(_MOVED, headers={**_MOVED.headers, "x-amz-bucket-region": REGION})
SLOW_DOWN: Final = s3_error(503, "SlowDown", "Please reduce your request rate.")
EXPIRED: Final = s3_error(400, "ExpiredToken", "The provided token has expired.")
OTHER_REGION: Final = s3_error(400, "AuthorizationHeaderMalformed", Region="eu-south-2")
BUSY: Final = s3_error(
    409, "OperationAborted", "A conflicting conditional operation is in progress"
)
DELETED_KEY: Final = s3_error(400, "KMS.KMSInvalidStateException", "arn is pending deletion.")
NO_BUCKET: Final = s3_error(404, "NoSuchBucket", "The specified bucket does not exist")


def store(url: str) -> S3ObjectStore:
    return S3ObjectStore(bucket=BUCKET, region=REGION, endpoint_url=url)


def intake(url: str) -> S3Intake:
    return S3Intake(bucket=BUCKET, region=REGION, endpoint_url=url)


def read(url: str) -> object:
    return store(url).read(KEY)


def describe(url: str) -> object:
    return store(url).describe(KEY)


def exists(url: str) -> object:
    return store(url).exists(KEY)


def write(url: str) -> object:
    return store(url).write(KEY, b"{}")


def remove(url: str) -> object:
    return store(url).remove(KEY)


def listing(url: str) -> object:
    return store(url).list_objects("open/")


def erase(url: str) -> object:
    return store(url).erase([ObjectVersion(KEY, "v1", is_delete_marker=False, size=1)])


def find(url: str) -> object:
    return intake(url).find(ObjectAddress("another-bucket", "imports/x.pdf"))


def copy(url: str) -> object:
    found = FoundObject(ObjectAddress(BUCKET, "imports/x.pdf"), 9, "application/pdf", '"etag"')
    return intake(url).copy(found, KEY, content_type="application/pdf", metadata={})


def peek(url: str) -> object:
    return intake(url).peek("idempotency/x")


def swap(url: str) -> object:
    return intake(url).swap("idempotency/x", b"{}", expected=None)


def retrieve(url: str) -> object:
    function = retrieve_function("retrieve", region=REGION, endpoint_url=url)
    return LambdaRetrievalStore(function, deadline=Deadline.after(20)).ping(uuid4())


def boxes(url: str) -> object:
    function = boxes_function("boxes", region=REGION, endpoint_url=url)
    return function.invoke(b"{}", deadline=Deadline.after(20))


def parameter(url: str) -> object:
    return ParameterStore(region=REGION, endpoint_url=url).read(PARAMETER)


def embed(url: str) -> object:
    calls = BedrockCalls(limits.EMBEDDING, region=REGION, endpoint_url=url)
    embedder = BedrockEmbedder(parse_model_name("bedrock:amazon.titan-embed-text-v2:0@256"), calls)
    try:
        return embedder.embed_query("a question", deadline=Deadline.after(20))
    finally:
        embedder.close()


@dataclass(frozen=True, slots=True)
class Row:
    """An answer to a call, and the error it becomes; `says` is for whoever has to act on it."""

    call: Call
    answer: Answer
    error: type[PulseDocsError]
    says: str = ""

    @property
    def name(self) -> str:
        return f"{self.call.__name__}-{self.answer.status}-{self.error.__name__}"


def rows(
    calls: tuple[Call, ...], answers: Mapping[str, Answer], error: type[PulseDocsError]
) -> "list[Row]":
    return [Row(call, answer, error) for call in calls for answer in answers.values()]


S3_LATER: Final = {"307": REDIRECT, "503": SLOW_DOWN, "expired": EXPIRED, "409": BUSY}
TABLE: Final = [
    # S3: what passes.
    *rows((read, write, remove, listing, erase), S3_LATER, ObjectStoreUnavailable),
    *rows((describe, exists, find), {"503": bare(503)}, ObjectStoreUnavailable),
    *rows((copy, peek, swap), {"503": SLOW_DOWN, "expired": EXPIRED}, ObjectStoreUnavailable),
    # S3: what is not there, which it says with 403 to whoever may not list.
    Row(read, s3_error(404, "NoSuchKey"), ObjectNotFound, KEY),
    Row(read, lacking("s3:ListBucket"), ObjectNotFound, KEY),
    Row(read, s3_error(405, "MethodNotAllowed"), ObjectNotFound, KEY),
    Row(read, s3_error(403, "AccessDenied", "Access Denied"), ObjectStoreUnavailable),  # either
    Row(describe, bare(404), ObjectNotFound, KEY),
    Row(describe, lacking("s3:ListBucket"), ObjectNotFound, KEY),
    Row(find, bare(403), ObjectNotFound, "imports/x.pdf"),
    Row(find, bare(404), ObjectNotFound, "imports/x.pdf"),
    # S3: what a person has to end.
    Row(read, lacking("s3:GetObject"), ConfigurationError, "s3:GetObject"),
    Row(read, lacking("kms:Decrypt"), ConfigurationError, "kms:Decrypt"),
    Row(describe, lacking("s3:GetObject"), ConfigurationError, "s3:GetObject"),
    Row(exists, lacking("s3:GetObject"), ConfigurationError, "s3:GetObject"),
    Row(write, lacking("s3:PutObject"), ConfigurationError, "s3:PutObject"),
    Row(write, s3_error(403, "AccessDenied", "Access Denied"), ConfigurationError, "PutObject"),
    Row(write, s3_error(400, "KMS.DisabledException"), ConfigurationError, "KMS.Disabled"),
    Row(read, DELETED_KEY, ConfigurationError, "KMS.KMSInvalidState"),
    Row(describe, DELETED_KEY, ConfigurationError, "KMS.KMSInvalidState"),
    Row(listing, lacking("s3:ListBucket"), ConfigurationError, "s3:ListBucket"),
    Row(read, NO_BUCKET, ConfigurationError, "NoSuchBucket"),
    Row(read, OTHER_REGION, ConfigurationError, "AuthorizationHeaderMalformed"),
    Row(swap, lacking("s3:PutObject"), ConfigurationError, "s3:PutObject"),
    Row(peek, lacking("s3:GetObject"), ConfigurationError, "s3:GetObject"),
    Row(copy, lacking("s3:PutObject"), ConfigurationError, "s3:PutObject"),
    # A copy whose object was replaced meanwhile.
    Row(copy, s3_error(412, "PreconditionFailed"), Conflict, "changed"),
    Row(copy, s3_error(409, "ConditionalRequestConflict"), Conflict, "changed"),
    # Lambda.
    *(Row(retrieve, answer, DatabaseWarming) for answer in ASLEEP.values()),
    *(Row(boxes, answer, DatabaseWarming) for answer in ASLEEP.values()),
    Row(retrieve, lambda_error(429, "TooManyRequestsException"), StoreUnavailable),
    Row(retrieve, lambda_error(500, "ServiceException"), StoreUnavailable),
    Row(retrieve, lambda_error(403, "ExpiredTokenException"), StoreUnavailable),
    Row(retrieve, lambda_error(403, "AccessDeniedException"), ConfigurationError, "retrieve"),
    Row(retrieve, lambda_error(404, "ResourceNotFoundException"), ConfigurationError, "retrieve"),
    Row(retrieve, lambda_error(502, "KMSAccessDeniedException"), ConfigurationError, "key"),
    Row(boxes, lambda_error(429, "TooManyRequestsException"), ObjectStoreUnavailable),
    # Systems Manager.
    Row(parameter, json_error(400, "ThrottlingException"), SecretsUnavailable),
    Row(parameter, json_error(500, "InternalServerError"), SecretsUnavailable),
    Row(parameter, json_error(503, "ServiceUnavailable"), SecretsUnavailable),
    Row(parameter, json_error(400, "ExpiredTokenException"), SecretsUnavailable),
    Row(parameter, json_error(400, "ParameterNotFound"), SecretMissing, "put-parameter"),
    Row(parameter, json_error(400, "AccessDeniedException"), ConfigurationError, PARAMETER),
    # Bedrock.
    Row(embed, json_error(429, "ThrottlingException"), ProviderThrottled),
    Row(embed, json_error(503, "ServiceUnavailableException"), ProviderUnavailable),
    Row(embed, json_error(429, "ModelNotReadyException"), ProviderUnavailable),
    Row(embed, json_error(400, "ServiceQuotaExceededException"), ProviderQuotaExhausted),
    Row(embed, json_error(403, "AccessDeniedException"), ModelNotEnabled),
    Row(embed, json_error(403, "ExpiredTokenException"), ProviderKeyRefused),
]
GUIDED: Final = (RetryableError, ParkedError)
"""What says itself what to do, by its guidance; all others name what is at fault."""


def _go_on(_seconds: float) -> None:
    """Wait for nothing."""


@pytest.fixture(autouse=True)
def keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "test")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "test")
    monkeypatch.setattr("time.sleep", _go_on)  # the SDK's pauses between its tries


@pytest.mark.parametrize("row", TABLE, ids=lambda row: row.name)
def test_an_answer_of_aws_becomes(row: Row) -> None:
    with aws_that_answers(row.answer) as server, pytest.raises(PulseDocsError) as raised:
        row.call(server.url)

    assert type(raised.value) is row.error
    assert row.says in raised.value.message
    assert row.says or isinstance(raised.value, GUIDED)
    assert raised.value.guidance


def test_a_missing_object_is_no_error_where_one_asks_whether_it_is_there() -> None:
    """S3 has no words for a HEAD; the GET that follows has, also for whoever may not list."""
    for missing in (bare(404), lacking("s3:ListBucket")):
        with aws_that_answers(missing) as server:
            assert exists(server.url) is False
            assert peek(server.url) is None


@pytest.mark.parametrize("code", ["PreconditionFailed", "ConditionalRequestConflict"])
def test_a_condition_that_does_not_hold_any_more_is_an_answer(code: str) -> None:
    status = 412 if code == "PreconditionFailed" else 409
    with aws_that_answers(s3_error(status, code)) as server:
        assert swap(server.url) is False


def test_a_part_of_a_removal_that_is_refused_is_an_error() -> None:
    body = b"<DeleteResult><Error><Key>k</Key><Code>%s</Code></Error></DeleteResult>"
    for code, error in (
        (b"AccessDenied", ConfigurationError),
        (b"SlowDown", ObjectStoreUnavailable),
    ):
        with aws_that_answers(Answer(200, body % code)) as server, pytest.raises(error):
            erase(server.url)


def test_what_passes_is_tried_again_and_passes() -> None:
    fine = Answer(200, b"{}", {"Content-Type": "application/json"})
    with aws_that_answers(SLOW_DOWN, fine) as server:
        assert read(server.url) == b"{}"
    with aws_that_answers(lambda_error(429, "TooManyRequestsException"), invoked({})) as server:
        retrieve(server.url)
        assert len(server.requests) == 2


def test_a_function_that_ran_out_of_time_is_not_run_again() -> None:
    died = invoked({"errorType": "Sandbox.Timedout", "errorMessage": "Task timed out"})
    failed = Answer(200, died.body, {**died.headers, "X-Amz-Function-Error": "Unhandled"})
    with aws_that_answers(failed) as server:
        with pytest.raises(TimedOut):
            retrieve(server.url)
        assert len(server.requests) == 1


# ------------------------------------------------------------------------ forms and the client


def sent(server: AwsServer, *, patience: float = 0.5) -> None:
    """Send a file by a form, as the client does."""
    wire = BlockingWire("http://127.0.0.1:9", "token", patience=patience, trust_env=False)
    form: dict[str, Any] = {"url": f"{server.url}/{BUCKET}", "fields": {"key": KEY}}
    try:
        driven(wire.store(Upload(form, BytesIO(b"text"), "a.txt", "text/plain")))
    finally:
        driven(wire.close())


@pytest.mark.parametrize(
    ("answer", "times"),
    [
        (REDIRECT, 1),
        (EXPIRED, 1),
        (OTHER_REGION, 1),
        (s3_error(400, "EntityTooLarge", "Your proposed upload exceeds the maximum"), 1),
        (s3_error(403, "AccessDenied", "Invalid according to Policy: Policy expired."), 1),
        (s3_error(409, "OperationAborted"), 1),
        (SLOW_DOWN, 2),
        (s3_error(500, "InternalError"), 2),
    ],
    ids=lambda given: str(getattr(given, "status", given)),
)
def test_an_upload_that_s3_does_not_take_is_an_error_in_its_own_words(
    answer: Answer, times: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.undo()  # the client's own pauses are what ends its patience
    with aws_that_answers(answer) as server:
        with pytest.raises(RequestRefused) as refused:
            sent(server, patience=2 if times > 1 else 0.5)
        asked = len(server.requests)

    assert refused.value.code == "UPLOAD_REFUSED"
    assert refused.value.status == answer.status
    assert f"<Code>{_code(answer)}</Code>" in str(refused.value)
    assert "Register the document again" in str(refused.value)
    assert asked == 1 if times == 1 else asked >= times


def test_an_upload_that_s3_takes_is_none() -> None:
    with aws_that_answers(Answer(httpx.codes.NO_CONTENT)) as server:
        sent(server)

        assert len(server.requests) == 1


def _code(answer: Answer) -> str:
    return answer.body.partition(b"<Code>")[2].partition(b"</Code>")[0].decode()
