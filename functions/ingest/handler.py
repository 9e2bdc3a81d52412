"""POST /ingest: a text, an object or a page, referred to instead of uploaded."""

from http import HTTPStatus
from itertools import combinations
from typing import Annotated, Self
from uuid import UUID

from pydantic import ConfigDict, Field, model_validator

from pulsedocs import bootstrap
from pulsedocs.bootstrap import buckets, clients, providers
from pulsedocs.edge.api import WRITE, caller, create_api, lambda_handler
from pulsedocs.edge.requests import DocumentChoices, has, has_no, matching, never
from pulsedocs.edge.tasks import to_json
from pulsedocs.edge.views import AcceptedView
from pulsedocs.ingestion.check_chunking import check_chunking
from pulsedocs.ingestion.ingest_reference import Accepted, ingest_object, ingest_text, ingest_url
from pulsedocs.model.requests import S3_ADDRESS

api = create_api(remembers=buckets.request_log)

_PLAIN_TEXT = "text/plain"


class IngestRequest(DocumentChoices):
    """One reference to what is to be ingested, and the same options as an upload."""

    model_config = ConfigDict(
        json_schema_extra=never(
            has_no("url", "s3_uri", "text"),
            *(has(*two) for two in combinations(("url", "s3_uri", "text"), 2)),
            {"allOf": [has("text"), has_no("source")]},
            {"allOf": [has("source"), has_no("text")]},
            has("url", "content_type"),
        )
    )

    url: (
        Annotated[str, Field(min_length=1, max_length=4096, json_schema_extra={"format": "uri"})]
        | None
    ) = None
    s3_uri: (
        Annotated[str, Field(min_length=1, max_length=1024, json_schema_extra=matching(S3_ADDRESS))]
        | None
    ) = None
    text: Annotated[str, Field(max_length=5_000_000)] | None = None
    source: Annotated[str, Field(min_length=1, max_length=255)] | None = None
    content_type: Annotated[str, Field(min_length=1, max_length=255)] | None = None

    @model_validator(mode="after")
    def _refers_to_one_thing(self) -> Self:
        if sum(reference is not None for reference in (self.url, self.s3_uri, self.text)) != 1:
            raise ValueError("exactly one of `url`, `s3_uri` and `text` is needed")
        if (self.text is None) != (self.source is None):
            raise ValueError("`source` names a `text`: give both or neither")
        if self.url is not None and self.content_type is not None:
            raise ValueError("the site of a `url` says its content type")
        return self


@api.on("POST /ingest", WRITE, status=HTTPStatus.ACCEPTED)
def ingest(request: IngestRequest) -> AcceptedView:
    """Start the ingestion of what the request refers to; the id's status follows in a moment.

    Until then, mostly for seconds, a new id is 404 to every route, `DELETE` too, and in no list.
    """
    who = caller(api)
    check_chunking(request.chunking, plugin_chunker=providers.plugin_chunker)
    accepted = _ingest(who.tenant_id, request, actor=who.subject)
    return AcceptedView.model_validate(to_json(accepted))


def _ingest(tenant_id: UUID, request: IngestRequest, *, actor: str) -> Accepted:
    choices, intake = request.choices(actor), buckets.intake()
    max_bytes = bootstrap.settings().max_upload_bytes
    if request.url is not None:
        return ingest_url(tenant_id, request.url, choices, web=clients.web_fetcher(), intake=intake)
    if request.s3_uri is not None:
        return ingest_object(
            tenant_id,
            request.s3_uri,
            choices,
            content_type=request.content_type,
            prefixes=buckets.ingest_prefixes(),
            intake=intake,
            max_bytes=max_bytes,
        )
    return ingest_text(
        tenant_id,
        request.text or "",
        choices,
        source=request.source or "",
        content_type=request.content_type or _PLAIN_TEXT,
        intake=intake,
        max_bytes=max_bytes,
    )


handler = lambda_handler(api)
