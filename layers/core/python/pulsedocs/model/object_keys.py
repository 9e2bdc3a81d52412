"""Where things lie in the stage's bucket; the only place that builds or reads a key.

u/{tenant}/{document}                         the uploaded bytes, versioned
requests/{tenant}/{document}/{hash}.json      what an upload of /ingest was sent with; 30 days
sources/{tenant}/{hash}.json                  which document a source of /ingest names
idempotency/{tenant}/{hash}.json              a request of /ingest and its answer; two days
imports/{tenant}/...                          where a tenant's own objects wait for `s3_uri`
control/{kind}/{tenant}/{id}                  a database-side function asks for work to start
open/{tenant}/{document}                      bytes or a run are under way; removed at their end
control/{probe|retire}/{tenant}/{id}          the same for a model, which its body names
staging/{tenant}/{document}/{version}/...     what one stage hands to the next; kept 14 days
staging/{tenant}/batch-{batch}/...            objects of a batch, a page at a time; the same
staging/{tenant}/evaluation-{id}.json         questions and labels of an evaluation, until it ran
evaluations/{tenant}/{id}.json                how far an evaluation is, and its figures; 90 days
deleted/{tenant}/{document}/{receipt}         that a document was deleted; 400 days
recognised/{tenant}/{document}/{hash}.jsonl   the words on a picture of a document; 30 days
recognised/{tenant}/seen/{hash}               which document has the words of a picture; 30 days
sweep/position.json                           where the sweep's full pass goes on, or when it ended
traces/{tenant}/{trace_id}.json               how a question was answered; expires after 30 days
"""

import hashlib
import re
from dataclasses import dataclass
from uuid import UUID, uuid5

from pulsedocs.errors import InvalidRequest
from pulsedocs.model.documents import Run
from pulsedocs.model.page_ranges import PageRange

UPLOAD_PREFIX = "u/"
OPEN_PREFIX = "open/"
STAGING_PREFIX = "staging/"
DELETED_PREFIX = "deleted/"
SWEEP_POSITION_KEY = "sweep/position.json"
"""Where a full pass of the sweep that ran out of time goes on; absent after one that ended."""
_MARKS_ALL = "/marks"
_TENANT_AND_DOCUMENT = 2
_HASH = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class Subject:
    """The tenant and document that an upload or control key is about."""

    tenant_id: UUID
    document_id: UUID


def upload_key(tenant_id: UUID, document_id: UUID) -> str:
    return f"u/{tenant_id}/{document_id}"


def request_key(tenant_id: UUID, document_id: UUID, record_hash: str) -> str:
    """Return where the record of one request lies; a hash is 64 digits, whoever wrote it."""
    if not _HASH.fullmatch(record_hash):
        raise InvalidRequest("an object names a request record that cannot be")
    return f"requests/{tenant_id}/{document_id}/{record_hash}.json"


def request_prefix(tenant_id: UUID, document_id: UUID) -> str:
    return f"requests/{tenant_id}/{document_id}/"


def source_key(tenant_id: UUID, source_hash: str) -> str:
    return f"sources/{tenant_id}/{source_hash}.json"


def idempotency_key(tenant_id: UUID, key_hash: str) -> str:
    return f"idempotency/{tenant_id}/{key_hash}.json"


def import_prefix(bucket: str) -> str:
    """Return the template of the addresses that `s3_uri` may name where no setting says more."""
    return f"s3://{bucket}/imports/{{tenant}}/"


def ingest_control_key(tenant_id: UUID, document_id: UUID) -> str:
    return f"control/ingest/{tenant_id}/{document_id}"


def purge_control_key(tenant_id: UUID, receipt_id: UUID, *, marks_all: bool = False) -> str:
    """Return what asks for a purge: of one that `marks_all` first what of the tenant waits."""
    return f"control/purge/{tenant_id}/{receipt_id}{_MARKS_ALL if marks_all else ''}"


def deleted_key(tenant_id: UUID, document_id: UUID, receipt_id: UUID) -> str:
    """Return where a deletion is known outside of the database, which a restore may take back."""
    return f"{deleted_prefix(tenant_id, document_id)}{receipt_id}"


def deleted_prefix(tenant_id: UUID, document_id: UUID) -> str:
    return f"{deleted_of(tenant_id)}{document_id}/"


def deleted_of(tenant_id: UUID) -> str:
    """Return the prefix of all marks of a tenant."""
    return f"{DELETED_PREFIX}{tenant_id}/"


def batch_control_key(tenant_id: UUID, batch_id: UUID) -> str:
    return f"control/batch/{tenant_id}/{batch_id}"


def batch_page_key(tenant_id: UUID, batch_id: UUID, kind: str, *, after: str) -> str:
    """Return the key of a page of a batch: of its listing, or of what is left to do."""
    place = hashlib.sha256(after.encode()).hexdigest()[:32]
    return f"staging/{tenant_id}/batch-{batch_id}/{kind}-{place}.json"


def evaluation_control_key(tenant_id: UUID, evaluation_id: UUID) -> str:
    return f"control/evaluate/{tenant_id}/{evaluation_id}"


def probe_control_key(tenant_id: UUID, probe_id: UUID) -> str:
    return f"control/probe/{tenant_id}/{probe_id}"


def backfill_control_key(tenant_id: UUID, backfill_id: UUID) -> str:
    return f"control/backfill/{tenant_id}/{backfill_id}"


def retire_control_key(tenant_id: UUID, model: str) -> str:
    """Return where the retirement of a model is asked for: by its hash, as keys hold ids."""
    return f"control/retire/{tenant_id}/{uuid5(tenant_id, model)}"


def evaluation_request_key(tenant_id: UUID, evaluation_id: UUID) -> str:
    """Return where the questions lie: below `staging/`, which a proof of deletion reads too."""
    return f"{evaluation_request_prefix(tenant_id)}{evaluation_id}.json"


def evaluation_request_prefix(tenant_id: UUID) -> str:
    return f"staging/{tenant_id}/evaluation-"


def evaluation_key(tenant_id: UUID, evaluation_id: UUID) -> str:
    return f"evaluations/{tenant_id}/{evaluation_id}.json"


def document_prefixes(tenant_id: UUID, document_id: UUID) -> tuple[str, ...]:
    """Return the prefixes under which everything of one document lies; a purge leaves none."""
    return tuple(
        f"{place}/{tenant_id}/{document_id}"
        for place in ("u", "staging", "recognised", "requests", "open", "control/ingest")
    )


def searched_prefixes(tenant_id: UUID) -> tuple[str, ...]:
    """Return the prefixes that may hold words of a tenant's documents, its uploads apart."""
    return tuple(
        f"{place}/{tenant_id}/" for place in ("staging", "recognised", "requests", "traces")
    )


def document_in(key: str) -> UUID | None:
    """Return the document that a key is about, None where its third part is no document's id."""
    parts = key.split("/")
    try:
        return UUID(parts[2]) if parts[0] in {"u", "staging", "recognised", "requests"} else None
    except (IndexError, ValueError):
        return None


def open_marker_key(tenant_id: UUID, document_id: UUID) -> str:
    return f"open/{tenant_id}/{document_id}"


def recognised_key(run: Run, part: PageRange) -> str:
    """Return the key of pages of a run whose words were recognised on their pictures."""
    return f"{_staging(run)}/recognised-{run.fence}-{part.first}-{part.last}.jsonl"


def picture_key(tenant_id: UUID, document_id: UUID, digest: str) -> str:
    """Return where the words lie that an engine recognised on a picture of a document."""
    return f"{recognised_prefix(tenant_id, document_id)}{digest}.jsonl"


def recognised_prefix(tenant_id: UUID, document_id: UUID) -> str:
    return f"recognised/{tenant_id}/{document_id}/"


def seen_key(tenant_id: UUID, digest: str) -> str:
    """Return where it is noted which document has the words of a picture."""
    return f"recognised/{tenant_id}/seen/{digest}"


def seen_key_of(key: str) -> str:
    """Return the key of the note that may lead to a `picture_key`."""
    _, tenant_id, _, name = key.split("/")
    return f"recognised/{tenant_id}/seen/{name.removesuffix('.jsonl')}"


def pages_key(run: Run, part: PageRange) -> str:
    """Return the key of a part of a run's extracted pages; the fence keeps two runs apart.

    The last page belongs to it: a part that was given up and split may still be written late, and
    must not stand in for its first half.
    """
    return f"{_staging(run)}/pages-{run.fence}-{part.first}-{part.last}.jsonl"


def embedding_batch_key(run: Run, batch_hash: str) -> str:
    return f"{_staging(run)}/batches/{batch_hash}.json"


def vectors_key(run: Run, model: str, batch_hash: str) -> str:
    """Return the key under which one batch's vectors lie: present means already paid for."""
    return f"{_staging(run)}/vectors/{_folder_of(model)}/{batch_hash}.json"


def sentences_key(run: Run, batch_hash: str) -> str:
    return f"{_staging(run)}/sentences/{batch_hash}.json"


def distances_key(run: Run, model: str, batch_hash: str) -> str:
    """Return the key of the distances in one batch of sentences: present means paid for."""
    return f"{_staging(run)}/distances/{_folder_of(model)}/{batch_hash}.json"


def trace_key(tenant_id: UUID, trace_id: str) -> str:
    return f"traces/{tenant_id}/{trace_id}.json"


def subject_of(key: str) -> Subject:
    """Read tenant and document from an upload or control-ingest key.

    Raises InvalidRequest for every other key: an event is a hint, and its key may be forged.
    """
    prefix = "control/ingest/" if key.startswith("control/") else UPLOAD_PREFIX
    return Subject(*_ids_of(key, prefix, "is not the key of an upload"))


def receipt_of(key: str) -> tuple[UUID, UUID]:
    """Read tenant and receipt from a purge-control key; raise InvalidRequest for every other."""
    return _ids_of(key.removesuffix(_MARKS_ALL), "control/purge/", "asks for no purge")


def asks_for_marks(key: str) -> bool:
    """Say whether a purge is to mark first what of its tenant waits."""
    return key.endswith(_MARKS_ALL)


def batch_of(key: str) -> tuple[UUID, UUID]:
    """Read tenant and batch from a batch-control key; raise InvalidRequest for every other."""
    return _ids_of(key, "control/batch/", "asks for no batch")


def evaluation_of(key: str) -> tuple[UUID, UUID]:
    """Read tenant and evaluation from its control key; raise InvalidRequest for every other."""
    return _ids_of(key, "control/evaluate/", "asks for no evaluation")


def probe_of(key: str) -> tuple[UUID, UUID]:
    """Read tenant and probe from its control key; raise InvalidRequest for every other."""
    return _ids_of(key, "control/probe/", "asks for no probe")


def is_probe(key: str) -> bool:
    return key.startswith("control/probe/")


def backfill_of(key: str) -> tuple[UUID, UUID]:
    """Read tenant and backfill from its control key; raise InvalidRequest for every other."""
    return _ids_of(key, "control/backfill/", "asks for no backfill")


def retirement_of(key: str) -> tuple[UUID, UUID]:
    """Read tenant and model's hash from its control key; raise InvalidRequest for every other."""
    return _ids_of(key, "control/retire/", "asks for no retirement")


def _ids_of(key: str, prefix: str, otherwise: str) -> tuple[UUID, UUID]:
    parts = key.removeprefix(prefix).split("/")
    if not key.startswith(prefix) or len(parts) != _TENANT_AND_DOCUMENT:
        raise InvalidRequest(f"{key[:200]!r} {otherwise}")
    return _canonical_uuid(parts[0], key), _canonical_uuid(parts[1], key)


def _canonical_uuid(text: str, key: str) -> UUID:
    try:
        parsed = UUID(text)
    except ValueError:
        parsed = None
    if parsed is None or str(parsed) != text:
        raise InvalidRequest(f"{key[:200]!r} does not name a tenant and a document")
    return parsed


def _staging(run: Run) -> str:
    return f"staging/{run.tenant_id}/{run.document_id}/{run.version}"


def _folder_of(model: str) -> str:
    return model.replace(":", "_").replace("@", "_")
