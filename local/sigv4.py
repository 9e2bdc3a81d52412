"""Signature version 4, recomputed: tells calls, presigned addresses and forms of ours by it."""

import hashlib
import hmac
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final
from urllib.parse import parse_qsl, quote, unquote

ALGORITHM: Final = "AWS4-HMAC-SHA256"
_TIMESTAMP: Final = "%Y%m%dT%H%M%SZ"
_MAX_EXPIRY_SECONDS: Final = 7 * 24 * 3600
_SCOPE_PARTS: Final = 5
_SKEW: Final = timedelta(minutes=15)
_DIGEST: Final = re.compile("[0-9a-f]{64}")
_AUTHORIZATION: Final = re.compile(
    rf"{ALGORITHM} Credential=(?P<credential>[^,\s]+),\s*SignedHeaders=(?P<headers>[^,\s]+),"
    r"\s*Signature=(?P<signature>[0-9a-f]+)"
)


@dataclass(frozen=True, slots=True)
class Credentials:
    """The key pair of a local stage. Each function has one with the same secret."""

    access_key: str
    secret_key: str

    def of(self, function: str) -> "Credentials":
        """Return the key pair that a function signs with: it says whose it is."""
        return Credentials(f"{self.access_key}-{function}", self.secret_key)

    def function_of(self, access_key: str) -> str:
        """Return whose key it is; empty for the stage's own and for a stranger's."""
        stage, _, function = access_key.partition("-")
        return function if stage == self.access_key else ""


class S3Refusal(Exception):
    """What S3 answers instead of the object: its status, code and message."""

    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.message = message


def access_denied(message: str = "Access Denied") -> S3Refusal:
    return S3Refusal(403, "AccessDenied", message)


def check_presigned(
    *, method: str, path: str, query: str, headers: Mapping[str, str], credentials: Credentials
) -> None:
    """Raise S3Refusal unless a presigned address is genuine and has not expired.

    `path` and `query` are those of the wire; `headers` has lower-case names.
    """
    parameters = dict(parse_qsl(query, keep_blank_values=True))
    if parameters.get("X-Amz-Algorithm") != ALGORITHM:
        raise access_denied()
    scope = _scope_of_s3(parameters.get("X-Amz-Credential", ""), credentials)
    date = parameters.get("X-Amz-Date", "")
    request = _canonical_request(
        method=method,
        path=quote(unquote(path), safe="/~"),
        query=query,
        headers=headers,
        signed=parameters.get("X-Amz-SignedHeaders", ""),
        payload="UNSIGNED-PAYLOAD",
    )
    expected = signature(_to_sign(request, date, scope), scope, credentials)
    _compare(expected, parameters.get("X-Amz-Signature", ""))
    try:
        signed_at = datetime.strptime(date, _TIMESTAMP).replace(tzinfo=UTC)
        seconds = int(parameters.get("X-Amz-Expires", ""))
    except ValueError:
        message = "X-Amz-Date and X-Amz-Expires must be given"
        raise S3Refusal(400, "AuthorizationQueryParametersError", message) from None
    if not 0 < seconds <= _MAX_EXPIRY_SECONDS:
        message = "X-Amz-Expires must be between 1 second and a week"
        raise S3Refusal(400, "AuthorizationQueryParametersError", message)
    if datetime.now(UTC) > signed_at + timedelta(seconds=seconds):
        raise access_denied("Request has expired")


def check_headers(
    *,
    method: str,
    path: str,
    query: str,
    headers: Mapping[str, str],
    body: bytes,
    credentials: Credentials,
) -> None:
    """Raise S3Refusal unless a call is signed in its headers, for this body, a moment ago.

    https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
    """
    found = _AUTHORIZATION.fullmatch(headers.get("authorization", ""))
    if found is None:
        raise access_denied()
    scope = _scope(found["credential"], credentials)
    signed = found["headers"].split(";")
    digest = hashlib.sha256(body).hexdigest()
    payload = headers.get("x-amz-content-sha256", digest)
    if "host" not in signed or (_DIGEST.fullmatch(payload) and payload != digest):
        message = "The provided 'x-amz-content-sha256' header does not match what was computed."
        raise S3Refusal(400, "XAmzContentSHA256Mismatch", message)
    once = quote(unquote(path), safe="/~")
    request = _canonical_request(
        method=method,
        path=once if scope[2] == "s3" else quote(path, safe="/~"),  # the others encode it again
        query=query,
        headers=headers,
        signed=found["headers"],
        payload=payload,
    )
    date = headers.get("x-amz-date", "")
    expected = signature(_to_sign(request, date, scope), scope, credentials)
    _compare(expected, found["signature"])
    try:
        signed_at = datetime.strptime(date, _TIMESTAMP).replace(tzinfo=UTC)
    except ValueError:
        raise access_denied("AWS authentication requires a valid x-amz-date header") from None
    if abs(datetime.now(UTC) - signed_at) > _SKEW:
        message = "The difference between the request time and the current time is too large."
        raise S3Refusal(403, "RequestTimeTooSkewed", message)


def _canonical_request(
    *, method: str, path: str, query: str, headers: Mapping[str, str], signed: str, payload: str
) -> str:
    lines = [f"{name}:{' '.join(headers.get(name, '').split())}" for name in signed.split(";")]
    pairs = sorted(
        (quote(name, safe="~"), quote(value, safe="~"))
        for name, value in parse_qsl(query, keep_blank_values=True)
        if name != "X-Amz-Signature"
    )
    canonical = "&".join(f"{name}={value}" for name, value in pairs)
    return "\n".join([method, path, canonical, *lines, "", signed, payload])


def _to_sign(request: str, date: str, scope: list[str]) -> str:
    hashed = hashlib.sha256(request.encode()).hexdigest()
    return "\n".join([ALGORITHM, date, "/".join(scope), hashed])


def check_form_signature(fields: Mapping[str, str], *, credentials: Credentials) -> None:
    """Raise S3Refusal unless the policy of a POST form was signed by us. Names are lower-case."""
    if fields.get("x-amz-algorithm") != ALGORITHM:
        raise S3Refusal(400, "InvalidArgument", "Only AWS4-HMAC-SHA256 is supported")
    scope = _scope_of_s3(fields.get("x-amz-credential", ""), credentials)
    expected = signature(fields.get("policy", ""), scope, credentials)
    _compare(expected, fields.get("x-amz-signature", ""))


def signature(to_sign: str, scope: list[str], credentials: Credentials) -> str:
    """Sign a text for a scope of date, region, service and terminator."""
    key = f"AWS4{credentials.secret_key}".encode()
    for part in scope:
        key = hmac.digest(key, part.encode(), "sha256")
    return hmac.digest(key, to_sign.encode(), "sha256").hex()


def _scope_of_s3(credential: str, credentials: Credentials) -> list[str]:
    scope = _scope(credential, credentials)
    if scope[2] != "s3":
        raise access_denied()
    return scope


def _scope(credential: str, credentials: Credentials) -> list[str]:
    access_key, *scope = credential.split("/")
    if len(scope) + 1 != _SCOPE_PARTS or scope[3] != "aws4_request":
        message = "Error parsing the X-Amz-Credential parameter"
        raise S3Refusal(400, "AuthorizationQueryParametersError", message)
    if access_key != credentials.access_key and not credentials.function_of(access_key):
        message = "The AWS Access Key Id you provided does not exist in our records."
        raise S3Refusal(403, "InvalidAccessKeyId", message)
    return scope


def _compare(expected: str, given: str) -> None:
    if not hmac.compare_digest(expected.encode(), given.encode()):
        message = (
            "The request signature we calculated does not match the signature you provided. "
            "Check your key and signing method."
        )
        raise S3Refusal(403, "SignatureDoesNotMatch", message)
