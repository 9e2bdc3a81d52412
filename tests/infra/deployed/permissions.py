"""Every call that a function makes is judged by its deployed role, as IAM would.

moto's own reading of a policy decides; which action a request is, is told from the request. Who
calls is told from the SDK's user agent (`AWS_SDK_UA_APP_ID`): the functions share one key.
"""

import io
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import unquote
from xml.etree.ElementTree import fromstring

from moto.iam.access_control import IAMPolicy, PermissionResult
from moto.iam.models import iam_backends
from werkzeug.test import run_wsgi_app
from werkzeug.wrappers import Request, Response

from local.deployment import function_arn
from local.http_server import Wsgi
from local.rest_events import ACCOUNT, REGION

_APP: Final = re.compile(r"\bapp/(\S+)")
_INVOKE: Final = re.compile(r"/2015-03-31/functions/([^/]+)/invocations")
_MISSING: Final = 404


@dataclass(frozen=True, slots=True, order=True)
class Call:
    function: str
    action: str
    resource: str


@dataclass
class Judge:
    """WSGI middleware; `roles` are by function, and grow as they are deployed."""

    app: Wsgi
    roles: Mapping[str, str]
    allowed: set[Call] = field(default_factory=set[Call])
    denied: set[Call] = field(default_factory=set[Call])

    def __call__(self, environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        request = Request(environ)
        caller = _APP.search(request.headers.get("User-Agent", ""))
        if caller is None:
            return self.app(environ, start_response)
        environ["wsgi.input"] = io.BytesIO(request.get_data())  # read here, and again behind
        calls = [Call(caller[1], *asked) for asked in actions(request)]
        refused = {call for call in calls if not self.allows(call)}
        self.denied |= refused
        self.allowed |= {*calls} - refused
        if refused or not calls:
            asked = next((call.action for call in refused), "what this test does not know")
            return _access_denied(asked)(environ, start_response)
        return self._pass(request, calls[0])(environ, start_response)

    def allows(self, call: Call) -> bool:
        """Say whether the function's role permits a call, by the policies that it has now."""
        return permits(self.roles[call.function], call.action, call.resource)

    def _pass(self, request: Request, call: Call) -> Wsgi:
        """Pass a call on; without s3:ListBucket, S3 does not say that an object is missing."""
        listing = Call(call.function, "s3:ListBucket", call.resource.partition("/")[0])
        if not call.action.startswith("s3:GetObject") or self.allows(listing):
            return self.app
        chunks, status, headers = run_wsgi_app(self.app, request.environ, buffered=True)
        if int(status[:3]) == _MISSING:
            return _access_denied("s3:ListBucket")
        return Response(list(chunks), status=status, headers=headers, direct_passthrough=True)


def permits(role: str, action: str, resource: str) -> bool:
    """Say whether a deployed role permits an action, as moto reads its policies."""
    documents = iam_backends[ACCOUNT]["aws"].get_role(role).policies.values()
    results = {IAMPolicy(text).is_action_permitted(action, resource) for text in documents}
    return PermissionResult.PERMITTED in results and PermissionResult.DENIED not in results


def actions(request: Request) -> Iterator[tuple[str, str]]:
    """Yield what a request asks for: actions and the ARNs they concern."""
    invoked = _INVOKE.fullmatch(request.path)
    target = request.headers.get("X-Amz-Target", "")
    if invoked:
        name = unquote(invoked[1])
        yield "lambda:InvokeFunction", name if name.startswith("arn:") else function_arn(name)
    elif target:
        service, _, action = target.partition(".")
        assert service == "AmazonSSM", target
        name = json.loads(request.get_data())["Name"].lstrip("/")
        yield f"ssm:{action}", f"arn:aws:ssm:{REGION}:{ACCOUNT}:parameter/{name}"
    else:
        yield from _of_s3(request)


def _of_s3(request: Request) -> Iterator[tuple[str, str]]:
    bucket, _, key = request.path.strip("/").partition("/")
    arn = f"arn:aws:s3:::{bucket}"
    version = "Version" if "versionId" in request.args else ""
    if not key and request.method == "POST":
        for item in fromstring(request.get_data()).iter():  # noqa: S314 -- as above
            if item.tag.endswith("}Object"):
                parts = {part.tag.rpartition("}")[2]: part.text for part in item}
                end = "Version" if "VersionId" in parts else ""
                yield f"s3:DeleteObject{end}", f"{arn}/{parts['Key']}"
    elif not key:
        yield "s3:ListBucketVersions" if "versions" in request.args else "s3:ListBucket", arn
    elif request.method == "PUT":
        yield "s3:PutObject", f"{arn}/{key}"
        if source := unquote(request.headers.get("x-amz-copy-source", "")):
            yield "s3:GetObject", f"arn:aws:s3:::{source.lstrip('/').partition('?')[0]}"
    else:
        verb = {"GET": "Get", "HEAD": "Get", "DELETE": "Delete", "POST": "Put"}[request.method]
        yield f"s3:{verb}Object{version}", f"{arn}/{key}"


def _access_denied(action: str) -> Response:
    message = f"User: {ACCOUNT} is not authorized to perform: {action} on resource"
    body = f"<Error><Code>AccessDenied</Code><Message>{message}</Message></Error>"
    return Response(body, status=403, mimetype="application/xml")
