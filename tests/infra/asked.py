"""What a request asks of IAM: the actions, and on what, as AWS's service reference has them."""

import json
import re
from collections.abc import Iterator
from urllib.parse import unquote

from local.calls import Call

Need = tuple[str, str]
"""An action and what it is done to, written as the grants in `test_permissions.EXPECTED` are."""

_ENTRY = re.compile(r"<Object>(.*?)</Object>", re.DOTALL)
_KEY = re.compile(r"<Key>(.*?)</Key>")
_INVOKED = re.compile(r"/2015-03-31/functions/([^/]+)/invocations")


def needs(call: Call, *, bucket: str) -> set[Need]:
    """Return every permission that AWS would look for."""
    match call.service:
        case "s3":
            path = call.path.removeprefix(f"/{bucket}").lstrip("/")
            return set(_of_object(call, path) if path else _of_bucket(call))
        case "lambda":
            found = _INVOKED.fullmatch(unquote(call.path))
            assert found is not None, call
            return {("lambda:InvokeFunction", found[1].rpartition(":")[2])}
        case "ssm":
            assert call.headers["x-amz-target"] == "AmazonSSM.GetParameter", call
            name = json.loads(call.body)["Name"]
            return {("ssm:GetParameter", name.rpartition("/")[2])}
        case _:
            raise AssertionError(call)


def _of_bucket(call: Call) -> Iterator[Need]:
    if call.method == "GET" and "versions" in call.query:
        yield "s3:ListBucketVersions", "BUCKET"
    elif call.method == "GET":
        yield "s3:ListBucket", "BUCKET"
    elif call.method == "POST" and "delete" in call.query:
        yield from _deletions(call)
    elif call.method == "POST" and call.field("key"):
        yield "s3:PutObject", f"BUCKET/{call.field('key')}"
    else:
        raise AssertionError(call)


def _deletions(call: Call) -> Iterator[Need]:
    for entry in _ENTRY.findall(call.body.decode()):
        action = "s3:DeleteObjectVersion" if "<VersionId>" in entry else "s3:DeleteObject"
        yield action, f"BUCKET/{_KEY.findall(entry)[0]}"


def _of_object(call: Call, key: str) -> Iterator[Need]:
    version = "Version" if "versionId" in call.query else ""
    match call.method:
        case "GET" | "HEAD":
            yield f"s3:GetObject{version}", f"BUCKET/{key}"
            if call.status == 404:  # without it, S3 would have said 403
                yield "s3:ListBucket", "BUCKET"
        case "PUT":
            yield from _writes(call, key)
        case "DELETE":
            yield f"s3:DeleteObject{version}", f"BUCKET/{key}"
        case _:
            raise AssertionError(call)


def _writes(call: Call, key: str) -> Iterator[Need]:
    yield "s3:PutObject", f"BUCKET/{key}"
    source = unquote(call.headers.get("x-amz-copy-source", ""))
    if source:
        assert "versionId" not in source, call
        assert call.headers.get("x-amz-tagging-directive") == "REPLACE", call  # or tags are read
        yield "s3:GetObject", f"BUCKET/{source.lstrip('/').partition('/')[2]}"
    if "if-match" in call.headers:
        yield "s3:GetObject", f"BUCKET/{key}"
    assert not {"x-amz-acl", "x-amz-tagging", "x-amz-object-lock-mode"} & call.headers.keys(), call
