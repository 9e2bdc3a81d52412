"""What S3's refusals mean: the object is not there, trying again helps, or a person has to act."""

import re
from typing import Final

from botocore.exceptions import BotoCoreError, ClientError

from pulsedocs.errors import (
    ConfigurationError,
    ObjectNotFound,
    ObjectStoreUnavailable,
    PulseDocsError,
)

# A version that is a delete marker is answered with 405, an id that S3 never gave with 400.
MISSING: Final = frozenset(
    {"404", "NoSuchKey", "NoSuchVersion", "NotFound", "MethodNotAllowed", "InvalidArgument"}
)
FORBIDDEN: Final = frozenset({"403", "AccessDenied"})
_FOR_A_PERSON: Final = frozenset(
    {
        "NoSuchBucket",
        *("301", "PermanentRedirect", "AuthorizationHeaderMalformed"),  # of another region
        *("InvalidAccessKeyId", "SignatureDoesNotMatch", "InvalidToken"),
        *("AccountProblem", "AllAccessDisabled", "InvalidObjectState"),
        *("KMS.DisabledException", "KMS.KMSInvalidStateException", "KMS.NotFoundException"),
    }
)
"""Codes of S3 that no second try changes. All others are SlowDown's kin, or pass as ExpiredToken
does: the next environment of the function has another token."""
UNSAID: Final = FORBIDDEN | {"400"}
"""What a HEAD is refused with, without a word why; 400 also where the key is disabled."""
_READS: Final = frozenset({"GetObject", "HeadObject"})
_WITHOUT: Final = re.compile(r"not authorized to perform: ([a-z0-9-]+:[A-Za-z]+)")


def code_of(error: Exception) -> str:
    """Return AWS's own code; S3's answer to a HEAD has none, so there it is the status."""
    return error.response.get("Error", {}).get("Code", "") if isinstance(error, ClientError) else ""


def lacking_of(error: BotoCoreError | ClientError) -> str:
    """Return the action that whoever asked may not do, `s3:PutObject`, where S3 says it."""
    if not isinstance(error, ClientError):
        return ""
    found = _WITHOUT.search(error.response.get("Error", {}).get("Message", ""))
    return found[1] if found else ""


def refusal_of(error: BotoCoreError | ClientError, key: str) -> PulseDocsError:
    """Return our error for one of S3's.

    To whoever may not list a bucket S3 answers 403 for an object that is not there, and says that
    `s3:ListBucket` is what would be needed to be told more. A 403 that gives no reason may be that
    too, for a read.
    """
    code = code_of(error)
    if code in MISSING:
        return ObjectNotFound(f"there is no object {key!r}, or not in that version")
    if isinstance(error, ClientError) and code in FORBIDDEN:
        lacking = lacking_of(error)
        is_read = error.operation_name in _READS
        if is_read and lacking == "s3:ListBucket":
            return ObjectNotFound(f"there is no object {key!r}, or not in that version")
        if lacking or not is_read:
            return ConfigurationError(
                f"the bucket refuses {lacking or error.operation_name} on {key!r}: look at the"
                " function's role, at the policies of bucket and key, and at the organisation's"
            )
    if code in _FOR_A_PERSON:
        return ConfigurationError(
            f"the bucket refuses {key!r} with {code}: look at BUCKET, its region and its key"
        )
    said = f" ({code})" if code else ""
    return ObjectStoreUnavailable(f"object storage did not answer for {key!r}{said}")
