"""What came by reference gets its rows from its record: once, whole, in any order, or a reason."""

import itertools
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any
from uuid import UUID, uuid4

import pytest
from psycopg import Connection

from pulsedocs import faults
from pulsedocs.adapters.memory.object_store import InMemoryObjectStore
from pulsedocs.adapters.postgres.connection import Database
from pulsedocs.adapters.postgres.documents.catalogue import PostgresDocumentCatalogue
from pulsedocs.adapters.postgres.ingestion.ingestion import PostgresIngestionStore
from pulsedocs.errors import DocumentNotFound, DuplicateInProgress, StoreUnavailable
from pulsedocs.ingestion.ingest_reference import Accepted, ingest_object, ingest_text
from pulsedocs.model.documents import DuplicateBy, IngestOptions, OnDuplicate
from pulsedocs.model.object_keys import ingest_control_key, upload_key
from pulsedocs.model.requests import Choices
from pulsedocs.pipeline import Outcome
from tests.integration.ingestion.pipeline import MODEL, PUBLISHED, Crash, Event, Pipeline
from tests.integration.intake import InMemoryIntake
from tests.integration.invariants import violations

TEXT = "The gauge of station one is read at noon and logged before the shift ends."
LATER = "The gauge of station one is read at midnight from now on."
PREFIX = "s3://shelf/{tenant}/"


@pytest.fixture
def pipeline(database_as: Callable[[str], Database]) -> Pipeline:
    return Pipeline(
        store=PostgresIngestionStore(database_as("ingest"), default_model=MODEL),
        catalogue=PostgresDocumentCatalogue(database_as("api")),
    )


@pytest.fixture(autouse=True)
def _no_faults_left() -> Iterator[None]:  # pyright: ignore[reportUnusedFunction] -- autouse
    yield
    faults.install(None)


def choices(document_id: UUID | None = None, **options: Any) -> Choices:
    return Choices(document_id, "Log", {"site": 7}, None, IngestOptions(**options))


def intake_of(pipeline: Pipeline) -> InMemoryIntake:
    return InMemoryIntake(pipeline.objects, others={})


def send(
    pipeline: Pipeline,
    tenant: UUID,
    text: str = TEXT,
    *,
    source: str = "log.txt",
    document_id: UUID | None = None,
    **options: Any,
) -> tuple[Accepted, Event]:
    accepted = ingest_text(
        tenant,
        text,
        choices(document_id, **options),
        source=source,
        content_type="text/plain",
        intake=intake_of(pipeline),
        max_bytes=1_000_000,
    )
    return accepted, event_of(pipeline, tenant, accepted)


def event_of(pipeline: Pipeline, tenant: UUID, accepted: Accepted) -> Event:
    described = pipeline.objects.describe(upload_key(tenant, accepted.document_id))
    return Event(described.key, described.object_version, f"{next(pipeline.sequencers):X}")


def test_a_text_is_published_with_the_choices_of_its_request(
    pipeline: Pipeline, admin: Connection[Any]
) -> None:
    """S2-01."""
    tenant = uuid4()
    accepted, event = send(pipeline, tenant, collection="logs", chunking={"profile": "words"})

    assert pipeline.deliver(event) == PUBLISHED

    status = pipeline.catalogue.status(tenant, accepted.document_id)
    assert (status.collection, status.source, status.title) == ("logs", "log.txt", "Log")
    assert status.metadata == {"site": 7, "source_type": "text"}
    assert status.chunking["profile"] == "words"
    assert violations(admin, tenant) == []


def test_a_source_type_that_was_given_outlives_a_request_that_gives_none(
    pipeline: Pipeline,
) -> None:
    """S3-22."""
    tenant = uuid4()
    for text, given in ((TEXT, {"source_type": "PDF"}), (f"{TEXT} More.", {})):
        chosen = replace(choices(None), metadata=given)
        accepted = ingest_text(
            tenant,
            text,
            chosen,
            source="log.txt",
            content_type="text/plain",
            intake=intake_of(pipeline),
            max_bytes=1_000_000,
        )
        assert pipeline.deliver(event_of(pipeline, tenant, accepted)) == PUBLISHED

    status = pipeline.catalogue.status(tenant, accepted.document_id)
    assert (status.version, status.metadata) == (2, {"source_type": "PDF"})


def test_the_same_event_twice_makes_one_version(pipeline: Pipeline) -> None:
    tenant = uuid4()
    accepted, event = send(pipeline, tenant)

    assert [pipeline.deliver(event), pipeline.deliver(event)] == [PUBLISHED, None]

    assert pipeline.catalogue.status(tenant, accepted.document_id).version == 1


def test_the_same_event_under_a_newer_release_makes_no_version(
    pipeline: Pipeline, admin: Connection[Any]
) -> None:
    """K20: the object is known, whichever revision of the pipeline adopted it."""
    tenant = uuid4()
    accepted, event = send(pipeline, tenant)
    assert pipeline.deliver(event) == PUBLISHED
    admin.execute(
        "UPDATE pulsedocs.document_version SET pipeline_revision = '0' WHERE tenant_id = %s",
        [tenant],
    )

    assert pipeline.deliver(event) is None

    assert pipeline.catalogue.status(tenant, accepted.document_id).version == 1


@pytest.mark.parametrize("order", list(itertools.permutations(range(3))))
def test_requests_for_one_source_become_versions_of_one_document_in_any_order(
    pipeline: Pipeline, admin: Connection[Any], order: tuple[int, ...]
) -> None:
    tenant = uuid4()
    sent = [send(pipeline, tenant, text) for text in (TEXT, f"{TEXT} Addendum.", LATER)]

    for index in order:
        pipeline.deliver(sent[index][1])

    [document_id] = {accepted.document_id for accepted, _ in sent}
    page = pipeline.catalogue.page(tenant, document_id, 1)
    assert page["text"] == LATER
    assert violations(admin, tenant) == []


def test_a_crash_anywhere_between_request_and_publication_converges(
    pipeline: Pipeline, admin: Connection[Any]
) -> None:
    """S0-26: a record without an object is no document; sent again, it is one document."""
    reached: list[str] = []
    faults.install(reached.append)
    assert pipeline.deliver(send(pipeline, uuid4())[1]) == PUBLISHED
    faults.install(None)
    assert {"ingest.recorded", "ingest.placed", "adopt.before_commit"} <= set(reached)

    for (nth, point), error in itertools.product(
        enumerate(reached), (Crash, lambda: StoreUnavailable("injected"))
    ):
        tenant, numbers = uuid4(), itertools.count()

        def strike(
            _point: str,
            nth: int = nth,
            numbers: Iterator[int] = numbers,
            error: Callable[[], BaseException] = error,
        ) -> None:
            if next(numbers) == nth:
                raise error()

        faults.install(strike)
        try:
            _, event = send(pipeline, tenant)
        except (Crash, StoreUnavailable):
            _, event = send(pipeline, tenant)
        assert pipeline.deliver(event) == PUBLISHED, point
        faults.install(None)
        assert violations(admin, tenant) == [], point


def test_an_object_whose_record_is_gone_makes_no_document(pipeline: Pipeline) -> None:
    tenant = uuid4()
    accepted, event = send(pipeline, tenant)
    [record] = pipeline.objects.keys("requests/")
    pipeline.objects.remove(record)

    assert pipeline.deliver(event) is None

    with pytest.raises(DocumentNotFound):
        pipeline.catalogue.status(tenant, accepted.document_id)


def test_a_deleted_document_stays_deleted(pipeline: Pipeline, admin: Connection[Any]) -> None:
    """S0-26: rows and bytes may both be gone, or not yet; a late event brings nothing back."""
    tenant = uuid4()
    accepted, event = send(pipeline, tenant)
    key = {"tenant": tenant, "document": accepted.document_id}
    admin.execute(
        "INSERT INTO pulsedocs.deletion_receipt (tenant_id, document_id, requested_by)"
        " VALUES (%(tenant)s, %(document)s, 'test')",
        key,
    )

    assert pipeline.deliver(event) is None

    with pytest.raises(DocumentNotFound):
        pipeline.catalogue.status(tenant, accepted.document_id)


@pytest.mark.parametrize(
    ("on_duplicate", "duplicate_by", "outcome"),
    [
        (OnDuplicate.SKIP, DuplicateBy.CONTENT, "PUBLISHED"),
        (OnDuplicate.SKIP, DuplicateBy.SOURCE, "DUPLICATE"),
        (OnDuplicate.REJECT, DuplicateBy.CONTENT, "REJECTED"),
        (OnDuplicate.REJECT, DuplicateBy.SOURCE, "REJECTED"),
        (OnDuplicate.REPLACE, DuplicateBy.CONTENT, "PUBLISHED"),
        (OnDuplicate.REPLACE, DuplicateBy.SOURCE, "PUBLISHED"),
    ],
)
def test_new_bytes_under_a_known_source_end_as_was_chosen(
    pipeline: Pipeline, on_duplicate: OnDuplicate, duplicate_by: DuplicateBy, outcome: str
) -> None:
    """S4-06: the published version stays where the new one is not wanted."""
    tenant = uuid4()
    accepted, event = send(pipeline, tenant)
    pipeline.deliver(event)

    _, again = send(pipeline, tenant, LATER, on_duplicate=on_duplicate, duplicate_by=duplicate_by)
    pipeline.deliver(again)

    status = pipeline.catalogue.status(tenant, accepted.document_id)
    assert (status.version, status.outcome) == (2, outcome)
    assert status.published_version == (2 if outcome == "PUBLISHED" else 1)
    assert pipeline.deliver(again) is None


def test_a_source_under_way_is_skipped_only_once_it_is_published(pipeline: Pipeline) -> None:
    """No DUPLICATE of something that may still fail: the first run's end decides."""
    tenant = uuid4()
    accepted, event = send(pipeline, tenant)
    first = pipeline.claim(event)
    _, again = send(pipeline, tenant, LATER, duplicate_by=DuplicateBy.SOURCE)
    with pytest.raises(DuplicateInProgress):
        pipeline.claim_once(again)

    pipeline.run(first)

    assert pipeline.deliver(again) is None
    status = pipeline.catalogue.status(tenant, accepted.document_id)
    assert (status.outcome, status.duplicate_of) == ("DUPLICATE", accepted.document_id)


def test_the_same_bytes_again_cost_nothing(pipeline: Pipeline) -> None:
    tenant = uuid4()
    accepted, event = send(pipeline, tenant)
    pipeline.deliver(event)

    assert pipeline.deliver(send(pipeline, tenant)[1]) is None

    status = pipeline.catalogue.status(tenant, accepted.document_id)
    assert (status.outcome, status.published_version) == ("DUPLICATE", 1)


def test_a_source_that_was_uploaded_before_keeps_its_document(
    pipeline: Pipeline, admin: Connection[Any]
) -> None:
    """Nothing is lost: the status of the id that was given names the document to use."""
    tenant, uploaded = uuid4(), uuid4()
    pipeline.deliver(pipeline.upload(tenant, uploaded, TEXT.encode(), filename="log.txt"))

    accepted, event = send(pipeline, tenant, LATER)
    assert pipeline.deliver(event) is None

    status = pipeline.catalogue.status(tenant, accepted.document_id)
    assert status.outcome == "REJECTED"
    assert status.error is not None
    assert status.error.code == "DUPLICATE_DOCUMENT"
    assert status.error.context == {"document_id": str(uploaded)}
    assert "`document_id` of the context" in status.error.guidance
    _, named = send(pipeline, tenant, LATER, document_id=uploaded)
    assert pipeline.deliver(named) == PUBLISHED
    assert violations(admin, tenant) == []


def test_a_document_of_another_collection_is_refused_with_a_reason(pipeline: Pipeline) -> None:
    tenant, uploaded = uuid4(), uuid4()
    pipeline.deliver(pipeline.upload(tenant, uploaded, TEXT.encode()))

    _, event = send(pipeline, tenant, LATER, document_id=uploaded, collection="other")
    pipeline.deliver(event)

    status = pipeline.catalogue.status(tenant, uploaded)
    assert (status.version, status.outcome) == (2, "REJECTED")
    assert status.error is not None
    assert status.error.code == "INVALID_REQUEST"


def test_two_tenants_with_one_source_have_two_documents(pipeline: Pipeline) -> None:
    first, second = uuid4(), uuid4()

    assert send(pipeline, first)[0].document_id != send(pipeline, second)[0].document_id


def sent_from(shelf: InMemoryObjectStore, pipeline: Pipeline, tenant: UUID, uri: str) -> Accepted:
    return ingest_object(
        tenant,
        uri,
        choices(),
        content_type=None,
        prefixes=[PREFIX],
        intake=InMemoryIntake(pipeline.objects, others={"shelf": shelf}),
        max_bytes=1000,
    )


@pytest.mark.parametrize("name", ["log.txt", "log of 6.03\u202fPM.txt"])
def test_an_object_is_copied_and_published(pipeline: Pipeline, name: str) -> None:
    tenant, shelf = uuid4(), InMemoryObjectStore()
    shelf.put(f"{tenant}/2026/{name}", TEXT.encode(), content_type="binary/octet-stream")
    uri = f"s3://shelf/{tenant}/2026/{name}"

    accepted = sent_from(shelf, pipeline, tenant, uri)

    assert pipeline.deliver(event_of(pipeline, tenant, accepted)) == PUBLISHED
    status = pipeline.catalogue.status(tenant, accepted.document_id)
    assert (status.source, status.content_type) == (uri, "text/plain")


def test_an_object_sent_again_and_again_at_once_leaves_nothing_behind(
    pipeline: Pipeline, admin: Connection[Any]
) -> None:
    """A run that waits for the same bytes goes on with its own version, not with a newer copy."""
    tenant = uuid4()
    uri = f"s3://shelf/{tenant}/log.txt"
    shelf = InMemoryObjectStore()
    shelf.put(f"{tenant}/log.txt", TEXT.encode(), content_type="text/plain", metadata={})

    def send_again() -> Event:
        accepted = sent_from(shelf, pipeline, tenant, uri)
        key = ingest_control_key(tenant, accepted.document_id)
        return Event(key, "1", f"{next(pipeline.sequencers):X}")

    first = pipeline.claim(send_again())
    for holder in ("second", "third"):
        event = send_again()
        for waiting in ("second", holder):
            with pytest.raises(DuplicateInProgress):
                pipeline.claim_once(event, holder=waiting)
    assert pipeline.run(first) == PUBLISHED

    ended = [pipeline.claim_once(event, holder=holder) for holder in ("second", "third")]

    assert [each.outcome for each in ended] == [Outcome.DUPLICATE] * 2
    assert violations(admin, tenant) == []
