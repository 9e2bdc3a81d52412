"""What is kept in S3: documents, artefacts, traces, and requests to functions with no database."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pulsedocs.bootstrap import aws, once, required, settings
from pulsedocs.model.object_keys import import_prefix

if TYPE_CHECKING:
    from pulsedocs.deletion.ports import ObjectArchive
    from pulsedocs.documents.ports import RequestLog
    from pulsedocs.ingestion.ports import Intake
    from pulsedocs.model.deadline import Deadline
    from pulsedocs.ports.objects import ObjectStore
    from pulsedocs.questions.ports import TraceStore


def object_store() -> ObjectStore:
    return object_archive()


@once
def object_archive() -> ObjectArchive:
    from pulsedocs.adapters.aws.object_store import S3ObjectStore

    return S3ObjectStore(bucket=_bucket(), upload_seconds=settings().upload_seconds, **aws())


@once
def intake() -> Intake:
    from pulsedocs.adapters.aws.intake import S3Intake

    return S3Intake(bucket=_bucket(), **aws())


@once
def request_log() -> RequestLog:
    """Return the memory of requests for a function that has no database."""
    from pulsedocs.adapters.aws.request_log import BucketRequestLog

    return BucketRequestLog(intake())


def ingest_prefixes() -> tuple[str, ...]:
    """Return the templates of the addresses that `s3_uri` may name."""
    bucket = _bucket()
    return settings().ingest_prefixes or (import_prefix(bucket),)


def trace_store(deadline: Deadline) -> TraceStore:
    """Return the bucket for one request's traces."""
    from pulsedocs.adapters.aws.trace_store import BucketTraceStore

    return BucketTraceStore(object_store(), deadline=deadline)


def _bucket() -> str:
    return required("BUCKET", settings().bucket)
