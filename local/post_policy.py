"""What a POST form may upload: the policy it carries, evaluated as S3 does."""

import base64
import hashlib
import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Final, cast

from local.sigv4 import Credentials, S3Refusal, access_denied, check_form_signature

_FREE_FIELDS: Final = frozenset({"policy", "x-amz-signature", "file", "awsaccesskeyid"})
_EXACT: Final = "eq"
_PREFIX: Final = "starts-with"
_RANGE: Final = "content-length-range"
_CONDITION_PARTS: Final = 3


def check_form(
    fields: Mapping[str, str], *, body: bytes, bucket: str, credentials: Credentials
) -> None:
    """Raise S3Refusal unless the form may store `body` in `bucket`. Names are lower-case."""
    if "policy" not in fields or "key" not in fields:
        raise access_denied()
    check_form_signature(fields, credentials=credentials)
    policy = _parse(fields["policy"])
    if datetime.now(UTC) > policy["expiration"]:
        raise access_denied("Invalid according to Policy: Policy expired.")
    allowed = {**fields, "bucket": bucket}
    named = {_check_condition(each, allowed, size=len(body)) for each in policy["conditions"]}
    unnamed = set(fields) - named - _FREE_FIELDS
    extra = sorted(name for name in unnamed if not name.startswith("x-ignore-"))
    if extra:
        message = f"Invalid according to Policy: Extra input fields: {', '.join(extra)}"
        raise access_denied(message)
    given = fields.get("x-amz-checksum-sha256")
    if given not in {None, base64.b64encode(hashlib.sha256(body).digest()).decode()}:
        message = "The SHA256 you specified did not match the calculated checksum."
        raise S3Refusal(400, "BadDigest", message)


def _parse(encoded: str) -> dict[str, Any]:
    try:
        policy = json.loads(base64.b64decode(encoded, validate=True))
        stated, conditions = policy["expiration"], list(policy["conditions"])
    except (ValueError, KeyError, TypeError):
        message = "Invalid Policy: Invalid JSON."
        raise S3Refusal(400, "InvalidPolicyDocument", message) from None
    try:
        return {"expiration": datetime.fromisoformat(stated), "conditions": conditions}
    except (TypeError, ValueError):
        message = "Invalid Policy: Invalid 'expiration' value."
        raise S3Refusal(400, "InvalidPolicyDocument", message) from None


def _check_condition(condition: object, values: Mapping[str, str], *, size: int) -> str:
    """Check one condition; return the field it speaks about."""
    operator, subject, argument = _normal(condition)
    if operator == _RANGE:
        if size > int(argument):
            message = "Your proposed upload exceeds the maximum allowed size"
            raise S3Refusal(400, "EntityTooLarge", message)
        if size < int(subject):
            message = "Your proposed upload is smaller than the minimum allowed size"
            raise S3Refusal(400, "EntityTooSmall", message)
        return ""
    name = str(subject).removeprefix("$").lower()
    value = values.get(name)
    holds = value is not None and (
        value == argument if operator == _EXACT else value.startswith(str(argument))
    )
    if not holds:
        stated = json.dumps([operator, f"${name}", argument])
        raise access_denied(f"Invalid according to Policy: Policy Condition failed: {stated}")
    return name


def _normal(condition: object) -> tuple[str, Any, Any]:
    """Return a condition as (operator, subject, argument): `{"key": "x"}` is an `eq`."""
    if isinstance(condition, dict):
        exact = list(cast("dict[str, object]", condition).items())
        if len(exact) == 1:
            return (_EXACT, *exact[0])
    if isinstance(condition, list):
        parts = cast("list[Any]", condition)
        if len(parts) == _CONDITION_PARTS and str(parts[0]).lower() in {_EXACT, _PREFIX, _RANGE}:
            return (str(parts[0]).lower(), parts[1], parts[2])
    message = "Invalid Policy: Invalid Condition."
    raise S3Refusal(400, "InvalidPolicyDocument", message)
