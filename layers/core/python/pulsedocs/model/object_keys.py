"""Where things lie in the stage's bucket; the only place that builds or reads a key.

u/{tenant}/{document}                         the uploaded bytes, versioned
control/{kind}/{tenant}/{id}                  a database-side function asks for work to start
open/{tenant}/{document}                      a run is under way; removed by its last step
staging/{tenant}/{document}/{version}/...     what one stage hands to the next; expires after a day
traces/{tenant}/{trace_id}.json               how a question was answered; expires after 30 days
"""

from dataclasses import dataclass
from uuid import UUID

from pulsedocs.errors import InvalidRequest
from pulsedocs.model.documents import Run

_TENANT_AND_DOCUMENT = 2


@dataclass(frozen=True, slots=True)
class Subject:
    """The tenant and document that an upload or control key is about."""

    tenant_id: UUID
    document_id: UUID


def upload_key(tenant_id: UUID, document_id: UUID) -> str:
    return f"u/{tenant_id}/{document_id}"


def ingest_control_key(tenant_id: UUID, document_id: UUID) -> str:
    return f"control/ingest/{tenant_id}/{document_id}"


def open_marker_key(tenant_id: UUID, document_id: UUID) -> str:
    return f"open/{tenant_id}/{document_id}"


def pages_key(run: Run) -> str:
    """Return the key of a run's extracted pages; the fence keeps two runs apart."""
    return f"{_staging(run)}/pages-{run.fence}.jsonl"


def embedding_batch_key(run: Run, batch_hash: str) -> str:
    return f"{_staging(run)}/batches/{batch_hash}.json"


def vectors_key(run: Run, model: str, batch_hash: str) -> str:
    """Return the key under which one batch's vectors lie: present means already paid for."""
    return f"{_staging(run)}/vectors/{model.replace(':', '_').replace('@', '_')}/{batch_hash}.json"


def trace_key(tenant_id: UUID, trace_id: str) -> str:
    return f"traces/{tenant_id}/{trace_id}.json"


def subject_of(key: str) -> Subject:
    """Read tenant and document from an upload or control-ingest key.

    Raises InvalidRequest for every other key: an event is a hint, and its key may be forged.
    """
    for prefix in ("u/", "control/ingest/"):
        parts = key.removeprefix(prefix).split("/")
        if key.startswith(prefix) and len(parts) == _TENANT_AND_DOCUMENT:
            return Subject(_canonical_uuid(parts[0], key), _canonical_uuid(parts[1], key))
    message = f"{key[:200]!r} is not the key of an upload"
    raise InvalidRequest(message)


def _canonical_uuid(text: str, key: str) -> UUID:
    try:
        parsed = UUID(text)
    except ValueError:
        parsed = None
    if parsed is None or str(parsed) != text:
        message = f"{key[:200]!r} does not name a tenant and a document"
        raise InvalidRequest(message)
    return parsed


def _staging(run: Run) -> str:
    return f"staging/{run.tenant_id}/{run.document_id}/{run.version}"
