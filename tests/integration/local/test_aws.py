"""What moto lacks is there: functions run, rules reach them, events and waits are real."""

import json
import logging
import re
import threading
import time
from collections import Counter
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, cast

import boto3
import httpx
import pytest
from botocore.auth import S3SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials as BotoCredentials
from botocore.exceptions import ClientError
from moto.s3.models import FakeKey, s3_backends

from local.aws import LocalAws, quieted
from local.lifecycle import apply_rules
from local.rest_events import ACCOUNT
from local.s3_events import Sequencers
from pulsedocs.errors import StoreUnavailable
from tests.integration.local.conftest import CREDENTIALS, Cloud, ScriptedPool
from tests.patience import PATIENCE, eventually


def uploads(bucket: str, prefix: str = "u/") -> dict[str, Any]:
    return {
        "source": ["aws.s3"],
        "detail-type": ["Object Created"],
        "detail": {"bucket": {"name": [bucket]}, "object": {"key": [{"prefix": prefix}]}},
    }


def one_task(function_arn: str, **fields: Any) -> str:
    task = {
        "Type": "Task",
        "Resource": "arn:aws:states:::lambda:invoke",
        "Parameters": {"FunctionName": function_arn, "Payload.$": "$"},
        "OutputPath": "$.Payload",
        "End": True,
        **fields,
    }
    return json.dumps({"StartAt": "Task", "States": {"Task": task}})


# --- functions


def test_a_function_is_invoked_through_boto3(cloud: Cloud) -> None:
    cloud.pool.script["double"] = lambda event: event["n"] * 2

    answer = cloud.aws.client("lambda").invoke(FunctionName="double", Payload=b'{"n": 21}')

    assert json.load(answer["Payload"]) == 42
    assert "FunctionError" not in answer


def test_an_error_of_a_function_is_marked_and_named(cloud: Cloud) -> None:
    def fail(_event: dict[str, Any]) -> None:
        raise StoreUnavailable("away")

    cloud.pool.script["fail"] = fail

    answer = cloud.aws.client("lambda").invoke(FunctionName=cloud.arn("fail"), Payload=b"{}")

    assert answer["FunctionError"] == "Unhandled"
    assert json.load(answer["Payload"])["errorType"] == "StoreUnavailable"


def test_an_asynchronous_invocation_is_accepted_at_once(cloud: Cloud) -> None:
    cloud.pool.script["later"] = lambda _event: None

    answer = cloud.aws.client("lambda").invoke(
        FunctionName="later", InvocationType="Event", Payload=b'{"n": 1}'
    )

    assert answer["StatusCode"] == 202
    assert cloud.pool.next_event() == ("later", {"n": 1})


def test_an_unknown_function_is_not_found(cloud: Cloud) -> None:
    with pytest.raises(ClientError, match="ResourceNotFoundException"):
        cloud.aws.client("lambda").invoke(FunctionName="nobody")


# --- events


def test_an_upload_sends_the_event_that_s3_sends(cloud: Cloud) -> None:
    """P-01: field names, reason, time and version are those of S3."""
    bucket = cloud.bucket()
    cloud.pool.script["claim"] = lambda _event: None
    cloud.rule(uploads(bucket), cloud.arn("claim"))

    put = cloud.aws.client("s3").put_object(Bucket=bucket, Key="u/a b+ü", Body=b"hello")
    _, event = cloud.pool.next_event()

    assert event["source"] == "aws.s3"
    assert event["detail-type"] == "Object Created"
    assert datetime.strptime(event["time"], "%Y-%m-%dT%H:%M:%SZ")  # noqa: DTZ007 -- shape only
    assert event["resources"] == [f"arn:aws:s3:::{bucket}"]
    assert event["detail"]["bucket"] == {"name": bucket}
    assert event["detail"]["reason"] == "PutObject"
    stored = event["detail"]["object"]
    assert stored["key"] == "u/a b+ü"
    assert stored["size"] == 5
    assert stored["etag"] == put["ETag"].strip('"')
    assert stored["version-id"] == put["VersionId"]
    assert re.fullmatch(r"[0-9A-F]{16,18}", stored["sequencer"])


def test_sequencers_rise_when_padded_and_vary_in_length() -> None:
    """P-01: comparing them as they are would be wrong."""
    sequencers = Sequencers()

    seen = [next(sequencers) for _ in range(300)]

    padded = [each.ljust(20, "0") for each in seen]
    assert padded == sorted(set(padded))
    assert len({len(each) for each in seen}) > 1


def test_a_deleted_object_says_how(cloud: Cloud) -> None:
    bucket, s3 = cloud.bucket(), cloud.aws.client("s3")
    cloud.pool.script["watch"] = lambda _event: None
    cloud.rule({"source": ["aws.s3"], "detail-type": ["Object Deleted"]}, cloud.arn("watch"))
    version = s3.put_object(Bucket=bucket, Key="u/gone", Body=b"x")["VersionId"]

    s3.delete_object(Bucket=bucket, Key="u/gone", VersionId=version)
    _, event = cloud.pool.next_event()

    assert event["detail"]["reason"] == "DeleteObject"
    assert event["detail"]["deletion-type"] == "Permanently Deleted"


def test_versions_are_those_of_the_prefix_asked_for_page_by_page(cloud: Cloud) -> None:
    """Moto is shown the keys below the prefix only; what it says of them stays as it was."""
    bucket, s3 = cloud.bucket(), cloud.aws.client("s3")
    for key in ("a/1", "u/1", "u/1", "u/2", "v/1"):
        s3.put_object(Bucket=bucket, Key=key, Body=b"x")
    s3.delete_object(Bucket=bucket, Key="u/2")

    pages = s3.get_paginator("list_object_versions").paginate(
        Bucket=bucket, Prefix="u/", PaginationConfig={"PageSize": 2}
    )
    listed = [
        (each["Key"], each["IsLatest"], kind)
        for page in pages
        for kind in ("Versions", "DeleteMarkers")
        for each in page.get(kind, [])
    ]
    folders = s3.list_object_versions(Bucket=bucket, Delimiter="/")["CommonPrefixes"]

    assert sorted(listed) == [
        ("u/1", False, "Versions"),
        ("u/1", True, "Versions"),
        ("u/2", False, "Versions"),
        ("u/2", True, "DeleteMarkers"),
    ]
    assert [each["Prefix"] for each in folders] == ["a/", "u/", "v/"]


def test_a_key_outside_the_rules_prefix_starts_nothing(cloud: Cloud) -> None:
    bucket, s3 = cloud.bucket(), cloud.aws.client("s3")
    cloud.pool.script["claim"] = lambda _event: None
    cloud.rule(uploads(bucket), cloud.arn("claim"))

    s3.put_object(Bucket=bucket, Key="open/x", Body=b"")
    s3.put_object(Bucket=bucket, Key="u/x", Body=b"")

    assert cloud.pool.next_event()[1]["detail"]["object"]["key"] == "u/x"
    assert cloud.pool.received.empty()


def test_a_schedule_hears_of_no_event(cloud: Cloud) -> None:
    """A sweep that heard of the objects it writes would never end."""
    bucket, s3, events = cloud.bucket(), cloud.aws.client("s3"), cloud.aws.client("events")
    cloud.pool.script["sweep"] = lambda _event: None
    cloud.pool.script["claim"] = lambda _event: None
    events.put_rule(Name="schedule", ScheduleExpression="rate(5 minutes)")
    events.put_targets(Rule="schedule", Targets=[{"Id": "target", "Arn": cloud.arn("sweep")}])
    cloud.rule(uploads(bucket), cloud.arn("claim"))

    s3.put_object(Bucket=bucket, Key="u/x", Body=b"")

    assert cloud.pool.next_event()[0] == "claim"
    assert cloud.pool.received.empty()


def test_a_queue_is_sent_the_event_as_it_is(cloud: Cloud) -> None:
    bucket, sqs = cloud.bucket(), cloud.aws.client("sqs")
    url = sqs.create_queue(QueueName=f"letters-{bucket}")["QueueUrl"]
    cloud.rule(uploads(bucket), f"arn:aws:sqs:us-east-1:123456789012:letters-{bucket}")

    cloud.aws.client("s3").put_object(Bucket=bucket, Key="u/x", Body=b"")

    [message] = sqs.receive_message(QueueUrl=url, WaitTimeSeconds=5)["Messages"]
    sent = json.loads(message["Body"])
    assert sent["detail"]["object"]["key"] == "u/x"
    assert datetime.fromisoformat(sent["time"]).tzinfo


def test_a_rule_starts_one_named_execution_for_each_event(cloud: Cloud) -> None:
    bucket, s3 = cloud.bucket(), cloud.aws.client("s3")
    cloud.pool.script["claim"] = lambda event: event["detail"]["object"]["key"]
    machine = cloud.machine(one_task(cloud.arn("claim")), name="starts")
    cloud.rule(uploads(bucket), machine)

    for key in ("u/1", "u/2"):
        s3.put_object(Bucket=bucket, Key=key, Body=b"x")
    seen = {cloud.pool.next_event()[1]["detail"]["object"]["key"] for _ in range(2)}

    executions = cloud.aws.client("stepfunctions").list_executions(stateMachineArn=machine)
    names = {execution["name"] for execution in executions["executions"]}
    assert seen == {"u/1", "u/2"}
    assert len(names) == 2
    assert all(re.fullmatch(r"[0-9a-f-]{36}_[0-9a-f-]{36}", name) for name in names)


# --- state machines


def test_executions_beyond_the_sixteenth_wait_for_one_to_end(cloud: Cloud) -> None:
    bucket, s3, deliveries = cloud.bucket(), cloud.aws.client("s3"), cloud.aws.deliveries
    may_end = threading.Event()
    cloud.pool.script["claim"] = lambda _event: may_end.wait(PATIENCE)
    cloud.rule(uploads(bucket), cloud.machine(one_task(cloud.arn("claim")), name="queues"))

    for number in range(16):
        s3.put_object(Bucket=bucket, Key=f"u/{'ab'[number % 2]}/{number}", Body=b"x")
    assert eventually(lambda: cloud.pool.received.qsize() == 16)
    waits_behind_fifteen = deliveries.has_queue()
    s3.put_object(Bucket=bucket, Key="u/a/16", Body=b"x")
    waits_behind_sixteen = eventually(deliveries.has_queue)
    may_end.set()

    assert (waits_behind_fifteen, waits_behind_sixteen) == (False, True)
    assert eventually(lambda: not deliveries.are_there())


def test_a_tenants_thirteenth_execution_waits_and_another_tenants_first_does_not(
    cloud: Cloud,
) -> None:
    bucket, s3, deliveries = cloud.bucket(), cloud.aws.client("s3"), cloud.aws.deliveries
    may_end = threading.Event()
    cloud.pool.script["claim"] = lambda _event: may_end.wait(PATIENCE)
    cloud.rule(uploads(bucket), cloud.machine(one_task(cloud.arn("claim")), name="shared"))

    for number in range(13):
        s3.put_object(Bucket=bucket, Key=f"u/busy/{number}", Body=b"x")
    assert eventually(lambda: cloud.pool.received.qsize() == 12)
    assert eventually(deliveries.has_queue)
    s3.put_object(Bucket=bucket, Key="u/other/0", Body=b"x")
    begins = eventually(lambda: cloud.pool.received.qsize() == 13)
    still_waits = deliveries.has_queue()
    may_end.set()

    assert (begins, still_waits) == (True, True)
    assert eventually(lambda: not deliveries.are_there())


def test_a_retry_matches_the_class_name_and_does_not_wait_in_tests(cloud: Cloud) -> None:
    """P-02: three attempts with a pause of 20 s each take a moment."""
    attempts: list[int] = []

    def fail_twice(_event: dict[str, Any]) -> str:
        attempts.append(1)
        if len(attempts) < 3:
            raise StoreUnavailable("away")
        return "stored"

    cloud.pool.script["store"] = fail_twice
    retry = [{"ErrorEquals": ["StoreUnavailable"], "IntervalSeconds": 20, "MaxAttempts": 2}]
    machine = cloud.machine(one_task(cloud.arn("store"), Retry=retry), name="retries")

    assert ended(cloud, machine)["status"] == "SUCCEEDED"
    assert len(attempts) == 3


def test_executions_of_one_definition_count_their_attempts_apart(cloud: Cloud) -> None:
    """They share what was read of it, and nothing of what happened."""
    attempts: Counter[str] = Counter()

    def fail(event: dict[str, Any]) -> None:
        attempts[event["name"]] += 1
        raise StoreUnavailable("away")

    cloud.pool.script["store"] = fail
    retry = [{"ErrorEquals": ["StoreUnavailable"], "IntervalSeconds": 1, "MaxAttempts": 2}]
    machine = cloud.machine(one_task(cloud.arn("store"), Retry=retry), name="shared")
    states = cloud.aws.client("stepfunctions")

    started = [
        states.start_execution(stateMachineArn=machine, name=name, input=json.dumps({"name": name}))
        for name in ("first", "second", "third")
    ]
    ends = [await_end(states, each["executionArn"])["status"] for each in started]

    assert ends == ["FAILED"] * 3
    assert attempts == {"first": 3, "second": 3, "third": 3}


def test_a_failed_execution_sends_its_status(cloud: Cloud) -> None:
    """P-02: the rule on FAILED, TIMED_OUT and ABORTED is a failure's second chance."""
    cloud.pool.script["fail"] = lambda _event: None
    failing = json.dumps({"StartAt": "No", "States": {"No": {"Type": "Fail", "Error": "Nope"}}})
    machine = cloud.machine(failing, name="fails")
    status = {"status": ["FAILED", "TIMED_OUT", "ABORTED"], "stateMachineArn": [machine]}
    cloud.rule({"source": ["aws.states"], "detail": status}, cloud.arn("fail"))

    execution = ended(cloud, machine, document=7)

    name, event = cloud.pool.next_event()
    assert name == "fail"
    assert event["detail-type"] == "Step Functions Execution Status Change"
    assert event["detail"]["status"] == "FAILED"
    assert event["detail"]["error"] == "Nope"
    assert event["detail"]["executionArn"] == execution["executionArn"]
    assert json.loads(event["detail"]["input"]) == {"document": 7}


def test_only_the_newest_executions_that_ended_are_kept(
    cloud: Cloud, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Fails when: a stage holds .1 MB more with each document, and .25 GB after 1,100 of them."""
    monkeypatch.setattr("local.state_machines.KEPT", 3)
    states, may_end = cloud.aws.client("stepfunctions"), threading.Event()
    cloud.pool.script["work"] = lambda event: event.get("long") and may_end.wait(PATIENCE)
    machine = cloud.machine(one_task(cloud.arn("work")), name="works")

    def begin(name: str, **event: Any) -> str:
        return states.start_execution(stateMachineArn=machine, name=name, input=json.dumps(event))[
            "executionArn"
        ]

    def kept() -> set[str]:
        listed = states.list_executions(stateMachineArn=machine)["executions"]
        return {each["name"] for each in listed}

    long = begin("long", long=True)
    for number in range(6):
        await_end(states, begin(str(number)))
    assert eventually(lambda: kept() == {"long", "3", "4", "5"})
    may_end.set()

    assert await_end(states, long)["status"] == "SUCCEEDED"
    assert eventually(lambda: kept() == {"long", "4", "5"})


def test_no_list_keeps_the_bytes_of_what_is_deleted(cloud: Cloud) -> None:
    """Fails when: moto's list of all objects that ever were does."""
    bucket = cloud.bucket()
    s3, tracked = cloud.aws.client("s3"), cast("Any", FakeKey).instances_tracked
    before = len(tracked)

    s3.put_object(Bucket=bucket, Key="u/1", Body=b"x" * 1_000_000)

    assert len(tracked) == before


def ended(cloud: Cloud, machine: str, **event: Any) -> dict[str, Any]:
    states = cloud.aws.client("stepfunctions")
    arn = states.start_execution(stateMachineArn=machine, name="only", input=json.dumps(event))[
        "executionArn"
    ]
    return await_end(states, arn)


def await_end(states: Any, arn: str) -> dict[str, Any]:
    deadline = time.monotonic() + PATIENCE
    execution = states.describe_execution(executionArn=arn)
    while execution["status"] == "RUNNING" and time.monotonic() < deadline:
        time.sleep(0.02)
        execution = states.describe_execution(executionArn=arn)
    return execution


# --- the whole


def test_leaving_restores_moto_and_forgets_its_state(running_cloud: Cloud) -> None:
    """Runs beside the shared one: patches nest, and state of this process is dropped by both."""
    del running_cloud
    from moto.s3 import notifications

    patched = "_send_event_bridge_message"
    inside = getattr(notifications, patched)
    with LocalAws(pool=ScriptedPool(), credentials=CREDENTIALS) as aws:
        assert getattr(notifications, patched) is not inside
        aws.client("s3").create_bucket(Bucket="short-lived")
    assert getattr(notifications, patched) is inside


def s3_with(cloud: Cloud, access_key: str, secret_key: str) -> Any:
    return cast("Any", boto3).client(
        "s3",
        endpoint_url=cloud.aws.endpoint_url,
        region_name="us-east-1",
        aws_access_key_id=access_key,
        aws_secret_access_key=secret_key,
    )


def test_it_listens_on_the_loopback_only(cloud: Cloud) -> None:
    assert cloud.aws.endpoint_url.startswith("http://127.0.0.1:")
    client = s3_with(cloud, CREDENTIALS.access_key, CREDENTIALS.secret_key)
    assert "Buckets" in client.list_buckets()


# --- credentials


@pytest.mark.parametrize(
    ("access_key", "secret_key", "code"),
    [
        ("any", "any", "InvalidAccessKeyId"),
        (CREDENTIALS.access_key, "another", "SignatureDoesNotMatch"),
    ],
)
def test_another_key_pair_is_refused(
    cloud: Cloud, access_key: str, secret_key: str, code: str
) -> None:
    """It was taken, whatever it was: the port asked for an Authorization header, not for whose."""
    bucket = cloud.bucket()
    stranger = s3_with(cloud, access_key, secret_key)

    with pytest.raises(ClientError, match=code):
        stranger.put_object(Bucket=bucket, Key="u/x", Body=b"x")

    assert cloud.aws.client("s3").list_objects_v2(Bucket=bucket)["KeyCount"] == 0


@pytest.mark.parametrize(
    ("service", "operation"),
    [
        ("stepfunctions", "list_state_machines"),
        ("events", "list_rules"),
        ("lambda", "list_functions"),
        ("ssm", "describe_parameters"),
    ],
)
def test_every_service_asks_whose_call_it_is(cloud: Cloud, service: str, operation: str) -> None:
    stranger: Any = cast("Any", boto3).client(
        service,
        endpoint_url=cloud.aws.endpoint_url,
        region_name="us-east-1",
        aws_access_key_id="any",
        aws_secret_access_key="any",  # noqa: S106 -- of no account
    )

    with pytest.raises(ClientError, match="UnrecognizedClientException"):
        getattr(stranger, operation)()


@pytest.mark.parametrize(
    ("method", "path", "headers"),
    [
        ("GET", "/", {}),
        ("POST", "/moto-api/reset", {}),
        ("PUT", "/bucket-1/u/x", {}),
        ("POST", "/", {"X-Amz-Target": "AWSStepFunctions.ListStateMachines"}),
        ("POST", "/2015-03-31/functions/claim/invocations", {}),
        ("POST", "/2015-03-31/functions/claim/invocations?X-Amz-Signature=0", {}),
        ("GET", "/", {"Authorization": "AWS4-HMAC-SHA256 Credential=x/1/us-east-1/s3/x"}),
    ],
)
def test_what_nobody_signed_is_forbidden(
    cloud: Cloud, method: str, path: str, headers: dict[str, str]
) -> None:
    response = httpx.request(
        method, cloud.aws.endpoint_url + path, headers=headers, content=b"{}", timeout=PATIENCE
    )

    assert response.status_code == 403
    assert cloud.pool.received.empty()


def test_a_signed_call_may_not_be_changed_on_its_way(cloud: Cloud) -> None:
    """Body, address and headers are what was signed, and it was signed a moment ago."""
    url = f"{cloud.aws.endpoint_url}/{cloud.bucket()}/u/x"

    def sent(*, body: bytes = b"one", path: str = "", date: str = "", put: str = url) -> int:
        request = AWSRequest("PUT", put, data=b"one", headers={"x-amz-meta-title": "a  b"})
        key = BotoCredentials(CREDENTIALS.access_key, CREDENTIALS.secret_key)
        S3SigV4Auth(key, "s3", "us-east-1").add_auth(request)
        headers = dict(request.headers) | ({"X-Amz-Date": date} if date else {})
        return httpx.put(put + path, content=body, headers=headers, timeout=PATIENCE).status_code

    assert sent() == 200
    assert sent(put=url + "%20%C3%BC%2Bb?x-id=PutObject&a=%20b") == 200
    assert sent(body=b"two") == 400
    assert sent(path="y") == 403
    assert sent(path="?acl") == 403
    assert sent(date="20200101T000000Z") == 403


# --- objects that outlive the process


def test_an_object_that_cannot_be_written_is_refused_with_the_reason(
    cloud: Cloud, tmp_path: Path
) -> None:
    """A full disk: nothing is listed, nobody is told, and the next object is taken again."""
    bucket, folder = cloud.bucket(), tmp_path / "objects"
    cloud.rule(uploads(bucket), cloud.arn("claim"))
    cloud.pool.script["claim"] = lambda _event: None
    with cloud.aws.keeping_objects(bucket, folder):
        folder.rename(tmp_path / "away")
        folder.touch()  # nothing can be written below a file
        s3 = cloud.aws.client("s3")
        url = s3.generate_presigned_url("put_object", Params={"Bucket": bucket, "Key": "u/x"})
        refused = httpx.put(url, content=b"x", timeout=PATIENCE)
        folder.unlink()
        (tmp_path / "away").rename(folder)
        listed = s3.list_objects_v2(Bucket=bucket)["KeyCount"]
        taken = httpx.put(url, content=b"x", timeout=PATIENCE)

    assert (refused.status_code, listed, taken.status_code) == (500, 0, 200)
    assert "could not write the object to its disk" in refused.text
    assert (
        cloud.pool.next_event()[1]["detail"]["object"]["version-id"]
        == (taken.headers["x-amz-version-id"])
    )
    assert cloud.pool.received.empty()


def test_a_bucket_comes_back_as_it_was(cloud: Cloud, tmp_path: Path) -> None:
    """Versions in their order, deletions, metadata, checksums, parts; drafts are forgotten."""
    bucket, s3 = cloud.bucket(), cloud.aws.client("s3")
    with cloud.aws.keeping_objects(bucket, tmp_path):
        for body in (b"old", b"new"):
            s3.put_object(
                Bucket=bucket,
                Key="u/\u00e4 b",
                Body=body,
                ContentType="text/plain; charset=utf-8",
                Metadata={"title": "fees"},
                ChecksumAlgorithm="SHA256",
            )
        gone = s3.put_object(Bucket=bucket, Key="open/gone", Body=b"1")
        s3.delete_object(Bucket=bucket, Key="open/gone")
        s3.put_object(Bucket=bucket, Key="u/erased", Body=b"2")
        s3.put_object(Bucket=bucket, Key="u/parts", Body=b"3")
        erased = s3.put_object(Bucket=bucket, Key="u/erased", Body=b"4")["VersionId"]
        s3.delete_object(Bucket=bucket, Key="u/erased", VersionId=erased)
        before = contents(s3, bucket)
    (tmp_path / "00.draft").write_bytes(b"of a stage that was killed")
    keys = s3_backends["123456789012"]["aws"].buckets[bucket].keys
    keys.clear()
    assert contents(s3, bucket) != before

    with cloud.aws.keeping_objects(bucket, tmp_path):
        after = contents(s3, bucket)

    assert after == before
    assert [each[1] for each in after if each[1] in {b"old", b"new"}] == [b"new", b"old"]
    assert gone["VersionId"] in str(after)
    assert not list(tmp_path.glob("*.draft"))


def test_the_rules_of_the_bucket_end_what_they_end_on_aws(cloud: Cloud, tmp_path: Path) -> None:
    """A trace is gone after 30 days, and its file 30 days later; an upload has no rule."""
    bucket, s3 = cloud.bucket(), cloud.aws.client("s3")
    made = datetime.now(UTC).replace(tzinfo=None)
    kept: dict[int, tuple[list[str], int]] = {}
    with cloud.aws.keeping_objects(bucket, tmp_path):
        for key in ("u/1", "u/1", "traces/1", "sources/1", "sources/1"):
            s3.put_object(Bucket=bucket, Key=key, Body=b"x")
        s3.put_object(Bucket=bucket, Key="open/1", Body=b"x")
        s3.delete_object(Bucket=bucket, Key="open/1")
        for days in (29, 31, 32, 62):
            now = made + timedelta(days=days)
            apply_rules(s3, bucket, now=now)
            if days == 31:  # the marker is of now, by this clock
                s3_backends[ACCOUNT]["aws"].buckets[bucket].keys["traces/1"].last_modified = now
            listed = s3.list_objects_v2(Bucket=bucket)["Contents"]
            files = [path for path in tmp_path.glob("*/*") if path.is_file()]
            kept[days] = [each["Key"] for each in listed], len(files)

    assert kept == {
        29: (["sources/1", "traces/1", "u/1"], 7),
        31: (["sources/1", "u/1"], 5),  # with the trace, its marker and the older upload
        32: (["sources/1", "u/1"], 5),
        62: (["sources/1", "u/1"], 3),
    }


def contents(s3: Any, bucket: str) -> list[Any]:
    listed = s3.list_object_versions(Bucket=bucket)
    described: list[Any] = [
        ("marker", item["Key"], item["VersionId"], item["IsLatest"], item["LastModified"])
        for item in listed.get("DeleteMarkers", [])
    ]
    for item in listed.get("Versions", []):
        found = s3.get_object(
            Bucket=bucket, Key=item["Key"], VersionId=item["VersionId"], ChecksumMode="ENABLED"
        )
        body = found.pop("Body").read()
        del found["ResponseMetadata"]
        described.append((item, body, found))
    return described


def test_the_end_of_a_server_leaves_the_next_one_cut_what_moto_logs() -> None:
    """A module's stage may end when the next one's has begun."""
    log = logging.getLogger("moto.stepfunctions.parser.asl.component.eval_component")
    record = log.makeRecord(log.name, logging.ERROR, "moto.py", 1, "x" * 16_000, (), None)

    with ExitStack() as before, quieted():
        before.enter_context(quieted())
        before.close()
        assert log.filter(record)

    assert len(record.getMessage()) == 300
