"""The rules of the bucket, which S3 applies once a day by itself and moto never.

As there, an object whose time is up gets a delete marker, and its bytes go as those of any older
version do, 30 days later.
"""

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Any, Final

from moto.s3.models import FakeDeleteMarker, s3_backends

from infra.lifetimes import DAYS, OVERWRITTEN, OVERWRITTEN_DAYS
from local.rest_events import ACCOUNT

_AT_ONCE: Final = 1000  # the most that S3 deletes in one call


def apply_rules(s3: Any, bucket: str, *, now: datetime) -> None:  # noqa: ANN401 -- boto3 makes clients at run time
    """Delete what the rules end by `now`, which has no zone, as moto's times have none."""
    keys: Any = s3_backends[ACCOUNT]["aws"].buckets[bucket].keys
    # From moto's own store: its listing copies each object for each page.
    ended = [end for name in list(keys) for end in _ended(name, keys.getlist(name, []), now)]
    for first in range(0, len(ended), _AT_ONCE):
        some = ended[first : first + _AT_ONCE]
        s3.delete_objects(Bucket=bucket, Delete={"Objects": some, "Quiet": True})


def _ended(key: str, versions: Sequence[Any], now: datetime) -> Iterator[dict[str, str]]:
    """Yield what to delete of a key's versions, the oldest of which is first."""
    prefix = key.partition("/")[0]
    if prefix not in OVERWRITTEN or not versions:
        return
    older = [
        version
        for version, newer in pairwise(versions)
        if now - newer.last_modified >= timedelta(days=OVERWRITTEN_DAYS)
    ]
    for version in older:
        yield {"Key": key, "VersionId": version.version_id}
    last = versions[-1]
    if isinstance(last, FakeDeleteMarker):
        if len(older) == len(versions) - 1:  # it marks nothing any more
            yield {"Key": key, "VersionId": last.version_id}
    elif prefix in DAYS and now - last.last_modified >= timedelta(days=DAYS[prefix]):
        yield {"Key": key}
